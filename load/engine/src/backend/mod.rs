//! How I/O reaches the kernel.

pub mod choose;
pub mod kind;
#[cfg(target_os = "linux")]
pub mod libaio;
pub mod mmap;
pub mod nbd;
pub mod null;
mod polling;
pub mod psync;
pub mod threads;
pub(crate) mod tree;
pub mod uring;

use plimsoll_content::Filler;
use plimsoll_plan::Op;
use std::io;
use std::os::fd::RawFd;

/// Request's action: an operation, with fsync and fdatasync apart. All but the last have the numbers of [`Op`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Action {
    /// Read into the buffer.
    Read = 0,
    /// Write from the buffer.
    Write = 1,
    /// Deallocate the range.
    Trim = 2,
    /// fsync.
    Sync = 3,
    /// mkdir, on a tree as all that follow.
    Mkdir = 4,
    /// rmdir.
    Rmdir = 5,
    /// Open with O_CREAT and O_EXCL.
    Create = 6,
    /// Open.
    Open = 7,
    /// close.
    Close = 8,
    /// stat.
    Stat = 9,
    /// Read a directory's entries.
    Readdir = 10,
    /// unlink.
    Delete = 11,
    /// utimensat.
    Setattr = 12,
    /// faccessat.
    Access = 13,
    /// Reads and writes of a whole file.
    Copy = 14,
    /// renameat2.
    Move = 15,
    /// fdatasync.
    DataSync = 16,
}

impl Action {
    /// Every action, by its number.
    pub const ALL: [Action; 17] = [
        Action::Read,
        Action::Write,
        Action::Trim,
        Action::Sync,
        Action::Mkdir,
        Action::Rmdir,
        Action::Create,
        Action::Open,
        Action::Close,
        Action::Stat,
        Action::Readdir,
        Action::Delete,
        Action::Setattr,
        Action::Access,
        Action::Copy,
        Action::Move,
        Action::DataSync,
    ];

    /// The operation that it is counted as.
    #[inline(always)]
    pub fn op(self) -> Op {
        match self {
            Action::Read => Op::Read,
            Action::Write => Op::Write,
            Action::Trim => Op::Trim,
            Action::Sync | Action::DataSync => Op::Sync,
            Action::Mkdir => Op::Mkdir,
            Action::Rmdir => Op::Rmdir,
            Action::Create => Op::Create,
            Action::Open => Op::Open,
            Action::Close => Op::Close,
            Action::Stat => Op::Stat,
            Action::Readdir => Op::Readdir,
            Action::Delete => Op::Delete,
            Action::Setattr => Op::Setattr,
            Action::Access => Op::Access,
            Action::Copy => Op::Copy,
            Action::Move => Op::Move,
        }
    }

    /// Name of one: `read`, `fdatasync`.
    pub fn name(self) -> &'static str {
        match self {
            Action::DataSync => "fdatasync",
            other => other.op().name(),
        }
    }

    /// True for fsync and fdatasync, which move no bytes and are of a whole file.
    #[inline(always)]
    pub fn is_sync(self) -> bool {
        matches!(self, Action::Sync | Action::DataSync)
    }
}

impl From<Op> for Action {
    #[inline(always)]
    fn from(op: Op) -> Action {
        match op {
            Op::Read => Action::Read,
            Op::Write => Action::Write,
            Op::Trim => Action::Trim,
            Op::Sync => Action::Sync,
            Op::Mkdir => Action::Mkdir,
            Op::Rmdir => Action::Rmdir,
            Op::Create => Action::Create,
            Op::Open => Action::Open,
            Op::Close => Action::Close,
            Op::Stat => Action::Stat,
            Op::Readdir => Action::Readdir,
            Op::Delete => Action::Delete,
            Op::Setattr => Action::Setattr,
            Op::Access => Action::Access,
            Op::Copy => Action::Copy,
            Op::Move => Action::Move,
        }
    }
}

/// An operation that another brought with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brought {
    /// One of [`Op::BROUGHT`].
    pub op: Op,
    /// Duration, ns.
    pub ns: u64,
    /// Bytes that it moved.
    pub bytes: u64,
}

/// Place of an operation on a tree that has failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailedAt {
    /// The file or directory, or where a file was to be moved from and to; where it is known.
    pub path: Option<String>,
    /// Offset in the file, bytes; 0 of what moves none.
    pub offset: u64,
    /// Bytes asked for; 0 of what moves none.
    pub length: u32,
}

/// One I/O to be issued. `buffer` points into the worker's arena and stays untouched until the completion.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Slot: comes back in the completion.
    pub slot: u32,
    /// Index into the worker's file table.
    pub file: u32,
    /// Action to carry out.
    pub action: Action,
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// Buffer that data is read into or written from.
    pub buffer: *mut u8,
}

/// One I/O that came back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completion {
    /// The request's slot.
    pub slot: u32,
    /// Bytes moved, or -errno.
    pub result: i32,
}

/// Limits of a wait in [`Backend::poll`]: the time, and the number of completions to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    None,
    /// Until so many completions are there, or the time is over.
    For {
        /// At most this many ns.
        ns: u64,
        /// At least 1, and no more than what is out; a backend that cannot wait for several waits for one.
        least: u32,
    },
}

impl Wait {
    /// Wait for a first completion, at most this many ns.
    pub fn first(ns: u64) -> Self {
        Wait::For { ns, least: 1 }
    }
}

/// A way of issuing I/O. Not thread-safe: each worker has its own.
pub trait Backend {
    /// What people call it.
    const NAME: &'static str;

    /// True where only one I/O can be out at a time, so that a second would wait here and not in the device.
    const SERIAL: bool = false;

    /// True where each I/O is stamped where it is carried out, see [`Backend::stamps`]: the worker's own stamps would
    /// count the way there and back.
    const STAMPS: bool = false;

    /// True where a write needs its bytes in the buffer; else it is told what they would be, by [`Backend::describe`].
    const TAKES_BYTES: bool = true;

    /// True where the backend chooses the action when it carries it out, so that it has to be asked afterwards what it did.
    const CHOOSES: bool = false;

    /// Tells the worker's stream that asks for the request queued next in this slot. Called only where the backend
    /// [chooses](Backend::CHOOSES).
    #[inline(always)]
    fn asked_by(&mut self, slot: u32, stream: u32) {
        let _ = (slot, stream);
    }

    /// Action that was last carried out in this slot. Asked only where the backend [chooses](Backend::CHOOSES).
    #[inline(always)]
    fn chosen(&self, slot: u32) -> Action {
        let _ = slot;
        Action::Read
    }

    /// Takes the operations that the last one in this slot brought with it. Asked only where the backend
    /// [chooses](Backend::CHOOSES).
    #[inline(always)]
    fn take_brought(&mut self, slot: u32) -> Vec<Brought> {
        let _ = slot;
        Vec::new()
    }

    /// Where the operation in this slot that has just failed was. Asked only where the backend [chooses](Backend::CHOOSES).
    fn failed_at(&self, slot: u32) -> FailedAt {
        let _ = slot;
        FailedAt::default()
    }

    /// The worker's clock begins at `epoch_ns` on CLOCK_MONOTONIC. Called before the first request.
    fn start(&mut self, epoch_ns: u64) {
        let _ = epoch_ns;
    }

    /// When the I/O of this slot that came back last was submitted and done, ns on the worker's clock. Asked only where
    /// there are [`Backend::STAMPS`].
    #[inline(always)]
    fn stamps(&self, slot: u32) -> (u64, u64) {
        let _ = slot;
        (0, 0)
    }

    /// What the write carries that is queued next, in this slot: what `filler` makes of these arguments. Called only
    /// where the bytes themselves are not taken.
    #[inline(always)]
    fn describe(&mut self, slot: u32, filler: &Filler, offset: u64, length: u32, generation: u64) {
        let _ = (slot, filler, offset, length, generation);
    }

    /// Takes a request; it may stay here until [`Backend::flush`] or [`Backend::poll`].
    fn queue(&mut self, request: Request) -> io::Result<()>;

    /// Hands everything queued to the kernel.
    fn flush(&mut self) -> io::Result<()>;

    /// Hands everything queued to the kernel, and appends what has come back, waiting as told. May return early, with
    /// less or nothing.
    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()>;
}

/// Why a file or device does not do what only a tree does.
pub(crate) fn not_on_names() -> io::Error {
    io::Error::from_raw_os_error(libc::EOPNOTSUPP)
}

/// A worker's files, by index.
pub type FileTable = Vec<RawFd>;

/// Deallocates a range: discard on a device, a hole in a file.
pub(crate) fn punch(fd: RawFd, offset: u64, length: u32) -> i32 {
    // SAFETY: a plain system call on a descriptor that the worker's targets keep open; no memory is passed.
    let r = unsafe {
        libc::fallocate(
            fd,
            libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE,
            offset as libc::off_t,
            libc::off_t::from(length),
        )
    };
    if r == 0 { length as i32 } else { -last_errno() }
}

pub(crate) fn last_errno() -> i32 {
    io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}
