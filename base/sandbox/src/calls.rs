//! System calls that go around a wall: those that Landlock has no say in.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use std::collections::BTreeMap;
use std::io;

/// Mounts piece by piece: Landlock denies mount(2), and a file system that is only made ready can empty a folder already
/// (overlayfs its workdir) or write to a device (ext4 its mount count).
const MOUNTS: [i64; 7] = [
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
];

/// ioctls that type into a terminal: what is typed there runs outside of the wall.
const TYPING: [u64; 2] = [TIOCSTI, TIOCLINUX];
/// A character as if it were typed (ioctl_tty(2)).
const TIOCSTI: u64 = 0x5412;
/// TIOCL_PASTESEL and its like of the console (ioctl_console(2)).
const TIOCLINUX: u64 = 0x541C;

/// Forbids them to the calling thread and to what it starts.
pub(crate) fn forbid() -> io::Result<()> {
    apply_filter(&program()?).map_err(io::Error::other)
}

fn program() -> io::Result<BpfProgram> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        MOUNTS.into_iter().map(|call| (call, Vec::new())).collect();
    let typing: Result<Vec<SeccompRule>, _> = TYPING.into_iter().map(of_request).collect();
    rules.insert(libc::SYS_ioctl, typing.map_err(io::Error::other)?);
    let arch = std::env::consts::ARCH
        .try_into()
        .map_err(io::Error::other)?;
    let denied = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, arch);
    let filter = filter.map_err(io::Error::other)?;
    filter.try_into().map_err(io::Error::other)
}

/// An ioctl with this request.
fn of_request(request: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    // The kernel looks at the lower half alone.
    let same = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request)?;
    SeccompRule::new(vec![same])
}
