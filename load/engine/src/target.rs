//! Targets, opened.

use crate::EngineError;
use crate::backend::nbd::Volume;
use crate::opened::{Member, Opened};
use crate::tree::{CallRecord, FoundTree, OpenTree, TreeOpening};
use crate::written::Written;
use plimsoll_content::verify::{Journal, Places};
use plimsoll_permit::target::{ExportPermit, Hold, OpenFlags, WritePermit};
use plimsoll_plan::{Bytes, Caching, Durability, Location, NbdTarget, Target, Tree};
use rustix::fs::{AtFlags, SeekFrom, StatxFlags, ioctl_blksszget, seek, statx};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use std::fs::{File, OpenOptions};
use std::io::{self, IoSliceMut};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A target whose files are open, with what the engine must know of it.
#[derive(Debug)]
pub struct OpenTarget {
    /// Name of the target in the plan.
    pub name: String,
    /// Files, volume or tree behind the target.
    pub opened: Opened,
    /// Bytes that may be used.
    pub size: u64,
    /// Bytes added to every address.
    pub offset: u64,
    /// Addresses are multiples of this; `None`: of the transfer size.
    pub align: Option<u64>,
    /// The smallest direct I/O, bytes; 1 where the page cache is used.
    pub logical_block: u32,
    /// Condition on which a write counts as done.
    pub durability: Durability,
    /// Memory of the blocks that were written, as far as content depends on it.
    pub written: Written,
    /// Journal of what was written, where it is to be read back.
    pub journal: Arc<Journal>,
}

/// What is spared at the start of a device that others are joined before.
const FIRST_BLOCK_BYTES: u64 = 4096;

impl Member {
    fn is_device(&self) -> bool {
        let metadata = self.file.metadata();
        metadata.is_ok_and(|found| found.file_type().is_block_device())
    }
}

/// Permits to open a target. Nothing but a permit of that very file, device or export opens it for writing.
#[derive(Debug)]
pub enum Permits {
    /// For reading only.
    ReadOnly,
    /// For writing: one of each of its files and devices, in their order.
    Members(Vec<WritePermit>),
    /// For writing: that of the export.
    Export(ExportPermit),
    /// A tree: its root, and what was found below it.
    Tree(Box<FoundTree>),
}

impl OpenTarget {
    /// Opens a target of the plan.
    pub fn open(target: &Target, permits: Permits) -> Result<Self, EngineError> {
        let permits = match (&target.location, permits) {
            (Location::Tree(tree), Permits::Tree(found)) => {
                return OpenTarget::open_tree(target, tree, *found);
            }
            (_, Permits::Tree(_)) => return Err(foreign(target, "a tree")),
            (Location::Nbd(nbd), permits) => {
                return OpenTarget::open_volume(target, nbd, permits);
            }
            (_, Permits::ReadOnly) => None,
            (_, Permits::Members(permits)) => Some(permits),
            (_, Permits::Export(permit)) => {
                return Err(foreign(target, permit.address()));
            }
        };
        let mut members = open_members(target, permits)?;
        let mut logical_block = 1;
        for member in &members {
            let is_device = member.is_device();
            if target.caching == Caching::Direct {
                logical_block = logical_block.max(direct_alignment(&member.file, is_device));
            }
        }
        if members.len() > 1 {
            // Every address of a later member, and of the end of an earlier one, must be a multiple of a block.
            let block = u64::from(logical_block);
            for (at, member) in members.iter_mut().enumerate() {
                if at > 0 && member.is_device() {
                    member.start = FIRST_BLOCK_BYTES.next_multiple_of(block);
                }
                let used = member.size.saturating_sub(member.start);
                member.size = used - used % block;
            }
        }
        let opened = match (members.len(), target.stripe) {
            (0, _) => Opened::Null,
            (1, _) => members.pop().map_or(Opened::Null, of_one),
            (_, None) => Opened::Joined(members),
            (_, Some(unit)) => striped(members, unit.0),
        };
        let whole = match &target.location {
            Location::Null(Bytes(size)) => *size,
            _ => opened.members().iter().map(|m| m.size).sum(),
        };
        let usable = whole.saturating_sub(target.offset.0);
        Ok(OpenTarget {
            name: target.name.clone(),
            opened,
            size: target.size.map_or(usable, |s| s.0.min(usable)),
            offset: target.offset.0,
            align: target.align.map(|b| b.0),
            logical_block,
            durability: target.durability,
            written: Written::default(),
            journal: Default::default(),
        })
    }

    fn open_tree(target: &Target, tree: &Tree, found: FoundTree) -> Result<Self, EngineError> {
        let open = found.open(target.openings().map(TreeOpening::from).collect());
        OpenTarget::of_tree(target, tree, open)
    }

    /// Opens a tree whose root another target has, and that both use by turns, with others.
    pub fn in_turn(
        target: &Target,
        first: &OpenTarget,
        others: &[&Tree],
    ) -> Result<Self, EngineError> {
        let (Location::Tree(tree), Some(first)) = (&target.location, first.opened.tree()) else {
            return Err(foreign(target, "a tree"));
        };
        let openings = target.openings().map(TreeOpening::from).collect();
        OpenTarget::of_tree(target, tree, first.in_turn(tree, others, openings))
    }

    /// A tree without a directory, of this number: its calls are kept in a record, to be played by somebody else.
    pub fn elsewhere(target: &Target, tree: &Tree, to: (u32, &CallRecord)) -> Self {
        let openings = target.openings().map(TreeOpening::from).collect();
        OpenTarget::on(target, OpenTree::elsewhere(tree, openings, to))
    }

    fn of_tree(
        target: &Target,
        tree: &Tree,
        open: io::Result<OpenTree>,
    ) -> Result<Self, EngineError> {
        let open = open.map_err(|source| EngineError::Open {
            path: tree.root.display().to_string(),
            source,
        })?;
        Ok(OpenTarget::on(target, open))
    }

    fn on(target: &Target, open: OpenTree) -> Self {
        OpenTarget {
            size: open.bytes(),
            durability: target.durability,
            opened: Opened::Tree(Arc::new(open)),
            ..OpenTarget::unused(&target.name)
        }
    }

    fn open_volume(
        target: &Target,
        nbd: &NbdTarget,
        permits: Permits,
    ) -> Result<Self, EngineError> {
        let write = match permits {
            Permits::ReadOnly => false,
            Permits::Export(permit) if permit.address() == nbd.to_string() => true,
            Permits::Export(permit) => return Err(foreign(target, permit.address())),
            Permits::Members(_) => return Err(foreign(target, "files")),
            Permits::Tree(_) => return Err(foreign(target, "a tree")),
        };
        let volume = Volume::open(nbd)?;
        if let Some(what) = volume.lacks(target.durability, write) {
            return Err(EngineError::Export {
                uri: nbd.to_string(),
                what: what.into(),
            });
        }
        let export = &volume.session.export;
        let unit = u64::from(export.block_sizes.minimum);
        let usable = (export.size - export.size % unit).saturating_sub(target.offset.0);
        Ok(OpenTarget {
            size: target.size.map_or(usable, |s| s.0.min(usable)),
            offset: target.offset.0,
            align: target.align.map(|b| b.0),
            logical_block: export.block_sizes.minimum,
            durability: target.durability,
            opened: Opened::Volume(Arc::new(volume)),
            ..OpenTarget::unused(&target.name)
        })
    }

    /// A stand-in that keeps the place of a target that no step uses.
    pub fn unused(name: &str) -> Self {
        OpenTarget {
            name: name.into(),
            opened: Opened::Unused,
            size: 0,
            offset: 0,
            align: None,
            logical_block: 1,
            durability: Durability::None,
            written: Written::default(),
            journal: Default::default(),
        }
    }

    /// Places of the target's addresses in its files.
    pub fn places(&self) -> Places {
        let members = self.opened.members();
        if members.len() < 2 {
            return Places::new(vec![(0, self.offset)]);
        }
        if let Some(unit) = self.opened.stripe() {
            let starts = members.iter().map(|member| member.start).collect();
            return Places::striped(starts, unit, self.offset);
        }
        let mut beginnings = Vec::new();
        let mut before = 0;
        for member in members {
            // Addresses begin behind the target's offset, which may lie in any member.
            let (start, into) = match before >= self.offset {
                true => (before - self.offset, 0),
                false => (0, self.offset - before),
            };
            if into < member.size {
                beginnings.push((start, member.start + into));
            }
            before += member.size;
        }
        Places::new(beginnings)
    }

    /// Place that an I/O at an address goes to. One that would straddle two members is moved to the end of the first, or to the
    /// beginning of the second where the target has too little of the first; so is one that would straddle two units of a stripe.
    #[inline(always)]
    pub fn locate(&self, address: u64, length: u32) -> IoPlace {
        let at = address + self.offset;
        match &self.opened {
            Opened::Joined(members) => locate_in(members, address, at, length),
            Opened::Striped(members, unit) => locate_striped(members, *unit, address, at, length),
            _ => IoPlace {
                address,
                member: 0,
                offset: at,
            },
        }
    }
}

/// Place of an I/O: its address, and the member in which that lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoPlace {
    /// The target's address at which it begins: content, its verification and the heat map know it by that.
    pub address: u64,
    /// The member in which that lies.
    pub member: u32,
    /// The offset there.
    pub offset: u64,
}

fn locate_in(members: &[Member], mut address: u64, mut at: u64, length: u32) -> IoPlace {
    for (i, member) in members.iter().enumerate() {
        if at < member.size {
            let last = member.size.saturating_sub(u64::from(length));
            let back = at.saturating_sub(last);
            if back <= address {
                return IoPlace {
                    address: address - back,
                    member: i as u32,
                    offset: member.start + at - back,
                };
            }
            // The target begins in this member, too far behind for one I/O: it goes to the beginning of the next.
            address += member.size - at;
            at = member.size;
        }
        at -= member.size;
    }
    IoPlace {
        address,
        member: members.len() as u32 - 1,
        offset: at,
    }
}

/// Units of the members come in turn; `length` is at most a unit, which a plan's checks see to.
fn locate_striped(
    members: &[Member],
    unit: u64,
    mut address: u64,
    mut at: u64,
    length: u32,
) -> IoPlace {
    let within = at % unit;
    let back = (within + u64::from(length)).saturating_sub(unit);
    // The first place of a target is a label's, and nothing is moved to it.
    if back == 0 || (at >= unit && back <= address) {
        (address, at) = (address - back, at - back);
    } else {
        (address, at) = (address + unit - within, at + unit - within);
    }
    let columns = members.len() as u64;
    let member = at / unit % columns;
    IoPlace {
        address,
        member: member as u32,
        offset: members[member as usize].start + at / unit / columns * unit + at % unit,
    }
}

/// A stripe of whole rows: of each member as many units as the smallest has.
fn striped(mut members: Vec<Member>, unit: u64) -> Opened {
    let units = members.iter().map(|m| m.size / unit.max(1)).min();
    for member in &mut members {
        member.size = units.unwrap_or(0) * unit;
    }
    Opened::Striped(members, unit)
}

fn of_one(member: Member) -> Opened {
    match member.is_device() {
        true => Opened::Device(member),
        false => Opened::File(member),
    }
}

/// A permit of something else than the target: a bug of the caller, which must not write there.
fn foreign(target: &Target, permit: &str) -> EngineError {
    EngineError::Permit {
        target: target.name.clone(),
        permit: permit.to_string(),
    }
}

fn open_members(
    target: &Target,
    permits: Option<Vec<WritePermit>>,
) -> Result<Vec<Member>, EngineError> {
    let paths = target.location.paths();
    let permits: Vec<Option<WritePermit>> = match permits {
        None => paths.iter().map(|_| None).collect(),
        Some(permits) => {
            let of: Vec<&Path> = permits.iter().map(WritePermit::path).collect();
            if of != paths {
                let of: Vec<String> = of.iter().map(|p| p.display().to_string()).collect();
                return Err(foreign(target, &of.join(", ")));
            }
            permits.into_iter().map(Some).collect()
        }
    };
    let open = |(path, permit): (&PathBuf, Option<WritePermit>)| {
        let (file, hold) = open_file(path, target, permit).map_err(|source| EngineError::Open {
            path: path.display().to_string(),
            source,
        })?;
        Ok(Member {
            path: path.clone(),
            size: size_of(&file, path)?.0,
            start: 0,
            file,
            hold,
        })
    };
    paths.iter().zip(permits).map(open).collect()
}

fn open_file(
    path: &Path,
    target: &Target,
    permit: Option<WritePermit>,
) -> io::Result<(File, Option<Hold>)> {
    let mut flags = 0;
    if target.caching == Caching::Direct {
        flags |= libc::O_DIRECT;
    }
    match target.durability {
        Durability::Dsync => flags |= libc::O_DSYNC,
        Durability::Sync => flags |= libc::O_SYNC,
        Durability::None
        | Durability::FsyncEvery(_)
        | Durability::FdatasyncEvery(_)
        | Durability::FsyncAtEnd
        | Durability::FsyncAtClose => {}
    }
    if let Some(permit) = permit {
        let opened = permit.open(OpenFlags::from_bits_retain(flags as _))?;
        return Ok((opened.file, Some(opened.hold)));
    }
    let open = |flags| OpenOptions::new().read(true).custom_flags(flags).open(path);
    // A time stamp for each read costs CPU and perhaps a write. Only owners may leave it out.
    let file = match open(flags | libc::O_NOATIME) {
        Err(e) if e.raw_os_error() == Some(libc::EPERM) => open(flags),
        other => other,
    };
    Ok((file?, None))
}

fn size_of(file: &File, path: &Path) -> Result<(u64, bool), EngineError> {
    let wrap = |source| EngineError::Size {
        path: path.display().to_string(),
        source,
    };
    let meta = file.metadata().map_err(wrap)?;
    let kind = meta.file_type();
    let what = if kind.is_file() {
        return Ok((meta.len(), false));
    } else if kind.is_block_device() {
        // I/O says where it goes, so nobody minds where the file stands.
        let bytes = seek(file, SeekFrom::End(0)).map_err(|e| wrap(e.into()))?;
        return Ok((bytes, true));
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_char_device() {
        "a character device"
    } else {
        "a pipe or a socket"
    };
    Err(EngineError::Kind {
        path: path.display().to_string(),
        what,
    })
}

/// The smallest unit of direct I/O: a device's logical block; for a file what statx says (Linux 6.1), else its file
/// system's device is taken to have 512-byte blocks, and a refusal by the kernel tells otherwise.
fn direct_alignment(file: &File, is_device: bool) -> u32 {
    let alignment = if is_device {
        ioctl_blksszget(file).ok()
    } else {
        let found = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok();
        let known = found.filter(|f| f.stx_mask & StatxFlags::DIOALIGN.bits() != 0);
        known.map(|f| f.stx_dio_offset_align)
    };
    alignment.filter(|bytes| *bytes > 0).unwrap_or(512)
}

/// True where the file takes RWF_NOWAIT. Without it io_uring hands each I/O to a kernel thread.
pub fn takes_nowait(file: &File, logical_block: u32) -> bool {
    const PAGE: usize = 4096;
    let length = logical_block.max(512) as usize;
    let mut bytes = vec![0; length + PAGE];
    let from = bytes.as_ptr().align_offset(PAGE);
    let block = IoSliceMut::new(&mut bytes[from..][..length]);
    preadv2(file, &mut [block], 0, ReadWriteFlags::NOWAIT) != Err(Errno::OPNOTSUPP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stripe_takes_a_unit_of_each_member_in_turn() -> io::Result<()> {
        const KIB: u64 = 1 << 10;
        let member = |start, size| -> io::Result<Member> {
            Ok(Member {
                path: "/dev/null".into(),
                file: File::open("/dev/null")?,
                size,
                start,
                hold: None,
            })
        };
        let all = vec![
            member(0, 1000 * KIB)?,
            member(4 * KIB, 300 * KIB)?,
            member(4 * KIB, 999 * KIB)?,
        ];
        let opened = striped(all, 64 * KIB);
        // Four whole units of the smallest.
        let sizes: Vec<u64> = opened.members().iter().map(|m| m.size / KIB).collect();
        assert_eq!(sizes, [256; 3]);
        let place = |offset: u64, address: u64, length: u32| {
            let members = opened.members();
            let place = locate_striped(
                members,
                64 * KIB,
                address * KIB,
                (address + offset) * KIB,
                length,
            );
            (place.address / KIB, place.member, place.offset / KIB)
        };
        assert_eq!(place(0, 0, 65536), (0, 0, 0));
        assert_eq!(place(0, 64, 65536), (64, 1, 4));
        assert_eq!(place(0, 128 + 60, 4096), (188, 2, 64));
        // The second row, and the last unit of all.
        assert_eq!(place(0, 192, 65536), (192, 0, 64));
        assert_eq!(place(0, 11 * 64, 65536), (704, 2, 4 + 192));
        // What would straddle two units goes to the end of the first, or to the second where the first is the target's: nothing is moved to
        // its first place.
        assert_eq!(place(0, 192 + 60, 8192), (248, 0, 120));
        assert_eq!(place(0, 60, 8192), (64, 1, 4));
        assert_eq!(place(60, 0, 8192), (4, 1, 4));
        Ok(())
    }

    #[test]
    fn an_io_stays_in_its_member_and_in_its_target() -> io::Result<()> {
        const KIB: u64 = 1 << 10;
        let member = || -> io::Result<Member> {
            Ok(Member {
                path: "/dev/null".into(),
                file: File::open("/dev/null")?,
                size: 1024 * KIB,
                start: 0,
                hold: None,
            })
        };
        let members = [member()?, member()?];
        let place = |offset: u64, address: u64| {
            let place = locate_in(&members, address, address + offset, 8192);
            (place.address, place.member, place.offset)
        };
        // The end of a member is as far as an I/O is moved.
        assert_eq!(place(0, 1016 * KIB), (1016 * KIB, 0, 1016 * KIB));
        assert_eq!(place(0, 1020 * KIB), (1016 * KIB, 0, 1016 * KIB));
        assert_eq!(place(0, 1024 * KIB), (1024 * KIB, 1, 0));
        // A target that begins 4 KiB before it has no 8 KiB there.
        assert_eq!(place(1020 * KIB, 0), (4 * KIB, 1, 0));
        assert_eq!(place(1020 * KIB, 4 * KIB), (4 * KIB, 1, 0));
        assert_eq!(place(1016 * KIB, 4 * KIB), (0, 0, 1016 * KIB));
        Ok(())
    }
}
