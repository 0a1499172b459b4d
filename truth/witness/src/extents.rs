//! Holes and unwritten extents of a file, and of how many pieces it is, as its file system tells them.

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use rustix::ioctl::{self, Updater};
use std::fs::File;
use std::io;
use std::ops::Range;

/// `FS_IOC_FIEMAP` of `linux/fs.h`; its size counts the header alone.
const FS_IOC_FIEMAP: ioctl::Opcode = ioctl::opcode::read_write::<Header>(b'f', 11);
/// Write dirty pages first, so that delayed allocations show as what they become.
const FIEMAP_FLAG_SYNC: u32 = 0x1;
const FIEMAP_EXTENT_LAST: u32 = 0x1;
/// No place yet, or none that is known.
const FIEMAP_EXTENT_UNKNOWN: u32 = 0x2;
const FIEMAP_EXTENT_UNWRITTEN: u32 = 0x800;
/// Extents asked for at once.
const BATCH: usize = 256;

/// What was found in a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extents {
    /// Bytes that nothing is allocated for.
    pub hole_bytes: u64,
    /// Bytes that are allocated and were never written; 0 where the file system doesn't tell.
    pub unwritten_bytes: u64,
}

/// How a file lies on its device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Runs of blocks.
    pub pieces: u64,
    /// Bytes in them.
    pub bytes: u64,
}

/// A file of more pieces has that many at least: the question must not take long.
pub const PIECES_MOST: u64 = 100_000;

/// `struct fiemap` of `linux/fiemap.h` without its array.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Header {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
}

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

#[repr(C)]
struct Request {
    header: Header,
    extents: [Extent; BATCH],
}

/// Extents by FIEMAP; where the file system has none, holes alone by SEEK_HOLE (which most file systems answer for unwritten
/// extents too). Dirty pages are written first.
///
/// # Errors
/// What the kernel says where the file cannot be asked.
pub fn find(file: &File, range: Range<u64>) -> io::Result<Extents> {
    match by_fiemap(file, range.clone()) {
        Err(Errno::OPNOTSUPP | Errno::NOTTY | Errno::INVAL) => Ok(by_seeking(file, range)?),
        found => Ok(found?),
    }
}

fn by_fiemap(file: &File, range: Range<u64>) -> Result<Extents, Errno> {
    let mut found = Extents::default();
    let mut at = range.start;
    while at < range.end {
        let extents = next_extents(file, at..range.end, FIEMAP_FLAG_SYNC)?;
        for extent in &extents {
            let from = extent.logical.max(at);
            let to = extent.logical.saturating_add(extent.length).min(range.end);
            if to <= from {
                continue;
            }
            found.hole_bytes += from - at;
            if extent.flags & FIEMAP_EXTENT_UNWRITTEN != 0 {
                found.unwritten_bytes += to - from;
            }
            at = to;
        }
        let is_last = extents
            .last()
            .is_none_or(|extent| extent.flags & FIEMAP_EXTENT_LAST != 0);
        if is_last || extents.len() < BATCH {
            break;
        }
    }
    found.hole_bytes += range.end.saturating_sub(at);
    Ok(found)
}

/// Pieces of a file: runs of blocks that lie one behind the other on its device. Counted up to [`PIECES_MOST`], without
/// writing anything back; `None` where the file system does not tell.
pub fn pieces(file: &File) -> Option<Pieces> {
    let mut found = Pieces::default();
    let (mut at, mut next_physical) = (0, None);
    loop {
        let extents = next_extents(file, at..u64::MAX, 0).ok()?;
        for extent in &extents {
            let placed = extent.flags & FIEMAP_EXTENT_UNKNOWN == 0;
            if placed && next_physical != Some(extent.physical) {
                found.pieces += 1;
            }
            if placed {
                found.bytes += extent.length;
                next_physical = extent.physical.checked_add(extent.length);
            }
            at = extent.logical.saturating_add(extent.length);
        }
        let is_last = extents
            .last()
            .is_none_or(|extent| extent.flags & FIEMAP_EXTENT_LAST != 0);
        if is_last || found.pieces >= PIECES_MOST {
            return Some(found);
        }
    }
}

fn next_extents(file: &File, range: Range<u64>, flags: u32) -> Result<Vec<Extent>, Errno> {
    let mut request = Request {
        header: Header {
            start: range.start,
            length: range.end - range.start,
            flags,
            room: BATCH as u32,
            ..Header::default()
        },
        extents: [Extent::default(); BATCH],
    };
    // SAFETY: FS_IOC_FIEMAP reads a `struct fiemap` and writes it and up to `room` extents behind it; `Request` has
    // that layout and room for as many. No safe wrapper exists in rustix or libc.
    unsafe { ioctl::ioctl(file, Updater::<FS_IOC_FIEMAP, Request>::new(&mut request))? };
    let mapped = (request.header.mapped as usize).min(BATCH);
    Ok(request.extents[..mapped].to_vec())
}

fn by_seeking(file: &File, range: Range<u64>) -> Result<Extents, Errno> {
    let mut found = Extents::default();
    let mut at = range.start;
    while at < range.end {
        let data = match seek(file, SeekFrom::Data(at)) {
            Err(Errno::NXIO) => range.end,
            data => data?.min(range.end),
        };
        found.hole_bytes += data - at;
        if data >= range.end {
            break;
        }
        at = seek(file, SeekFrom::Hole(data))?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FallocateFlags, fallocate};
    use std::os::unix::fs::FileExt;

    const MIB: u64 = 1 << 20;

    fn file_of(size: u64, written: &[Range<u64>]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(size).unwrap();
        for range in written {
            let bytes = vec![7; (range.end - range.start) as usize];
            file.write_all_at(&bytes, range.start).unwrap();
        }
        file
    }

    #[test]
    fn holes_are_counted_inside_the_range_only() {
        let file = file_of(8 * MIB, &[MIB..2 * MIB, 4 * MIB..5 * MIB]);
        for found in [
            find(&file, 0..8 * MIB).unwrap(),
            by_seeking(&file, 0..8 * MIB).unwrap(),
        ] {
            assert_eq!(found.hole_bytes, 6 * MIB);
        }
        assert_eq!(find(&file, MIB..2 * MIB).unwrap(), Extents::default());
        assert_eq!(find(&file, MIB..3 * MIB).unwrap().hole_bytes, MIB);
        assert_eq!(find(&file, 6 * MIB..7 * MIB).unwrap().hole_bytes, MIB);
    }

    #[test]
    fn more_extents_than_one_answer_holds_are_all_counted() {
        let written: Vec<Range<u64>> = (0..600u64).map(|i| i * 65_536..i * 65_536 + 4096).collect();
        let size = 600 * 65_536;
        let found = find(&file_of(size, &written), 0..size).unwrap();
        assert_eq!(found.hole_bytes, size - 600 * 4096);
    }

    #[test]
    fn a_file_that_was_written_crosswise_with_another_is_of_many_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| File::create(folder.path().join(name)).unwrap();
        let (one, other, whole) = (open("one"), open("other"), open("whole"));
        // Each block is synced before the other file takes its next one.
        for n in 0..64u64 {
            for file in [&one, &other] {
                file.write_all_at(&[7; 4096], n * 4096).unwrap();
                file.sync_all().unwrap();
            }
        }
        whole.write_all_at(&[7; 64 * 4096], 0).unwrap();
        whole.sync_all().unwrap();
        let (Some(crosswise), Some(whole)) = (pieces(&one), pieces(&whole)) else {
            plimsoll_skipped::skipped!("FIEMAP: not on this file system");
            return;
        };
        assert_eq!((crosswise.bytes, whole.bytes), (64 * 4096, 64 * 4096));
        assert!(whole.pieces <= 4, "{whole:?}");
        // Some file systems keep room behind a file that grows, so that it is of fewer.
        assert!(crosswise.pieces >= whole.pieces, "{crosswise:?} {whole:?}");
    }

    #[test]
    fn a_file_of_holes_has_a_piece_for_each_block() {
        let written: Vec<Range<u64>> = (0..600u64).map(|i| i * 65_536..i * 65_536 + 4096).collect();
        let file = file_of(600 * 65_536, &written);
        file.sync_all().unwrap();
        match pieces(&file) {
            Some(found) => assert_eq!(found.bytes, 600 * 4096),
            None => plimsoll_skipped::skipped!("FIEMAP: not on this file system"),
        }
    }

    #[test]
    fn an_allocated_and_unwritten_extent_is_told_from_a_written_one() {
        let file = file_of(0, &[]);
        if let Err(error) = fallocate(&file, FallocateFlags::empty(), 0, 4 * MIB) {
            plimsoll_skipped::skipped!("fallocate: {error}");
            return;
        }
        if let Err(error) = by_fiemap(&file, 0..MIB) {
            plimsoll_skipped::skipped!("FIEMAP: {error}");
            return;
        }
        file.write_all_at(&vec![7; MIB as usize], MIB).unwrap();
        let found = find(&file, 0..4 * MIB).unwrap();
        assert_eq!((found.hole_bytes, found.unwritten_bytes), (0, 3 * MIB));
    }
}
