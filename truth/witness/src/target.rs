//! One target as it is found before a run.

use crate::{Root, block, extents, mounts};
use plimsoll_evidence::{Counted, EnvironmentTarget, FileLayout};
use rustix::fs::{AtFlags, CWD, StatxFlags, fstatvfs, statx};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The smallest direct I/O where neither the kernel nor the device says.
const SECTOR_BYTES: u32 = 512;
/// `STATX_DIOALIGN` (Linux 6.1), which rustix has no name for.
const STATX_DIOALIGN: u32 = 0x2000;

/// The facts of the file or device at `path`, which must exist. `name` is the target's in the plan.
pub fn facts(root: &Root, name: &str, path: &Path) -> io::Result<EnvironmentTarget> {
    let metadata = std::fs::metadata(path)?;
    let is_device = metadata.file_type().is_block_device();
    let device = block::device_of_path(root, path).ok().flatten();
    Ok(EnvironmentTarget {
        name: name.to_string(),
        location: path.display().to_string(),
        kind: if is_device { "block device" } else { "file" }.to_string(),
        counted: Counted::Ios,
        size_bytes: if is_device {
            File::open(path)?.seek(SeekFrom::End(0))?
        } else {
            metadata.len()
        },
        logical_block_bytes: logical_block_bytes(root, path)?,
        filesystem: if is_device {
            None
        } else {
            filesystem(root, path)
        },
        files: Vec::new(),
        persona: None,
        slices: None,
        zeros: None,
        layout: None,
        backend: None,
        stack: device.map_or_else(Vec::new, |device| block::stack(root, &device)),
    })
}

/// The smallest direct I/O on `path`, bytes: what statx says (Linux 6.1); else the logical block of the device below;
/// else 512.
pub fn logical_block_bytes(root: &Root, path: &Path) -> io::Result<u32> {
    let seen = statx(
        CWD,
        path,
        AtFlags::empty(),
        StatxFlags::from_bits_retain(STATX_DIOALIGN),
    )?;
    if seen.stx_mask & STATX_DIOALIGN != 0 && seen.stx_dio_offset_align > 0 {
        return Ok(seen.stx_dio_offset_align);
    }
    let device = block::device_of_path(root, path).ok().flatten();
    Ok(device
        .and_then(|device| {
            let disk = block::disk_of_partition(root, &device).unwrap_or(device);
            root.number(format!("/sys/class/block/{disk}/queue/logical_block_size"))
        })
        .unwrap_or(SECTOR_BYTES))
}

/// How open files lie in their file system, all together; `None` where there are none.
pub fn layout<'a>(files: impl IntoIterator<Item = &'a File>) -> Option<FileLayout> {
    let mut found: Option<FileLayout> = None;
    for file in files {
        let pieces = extents::pieces(file);
        let room = fstatvfs(file).ok()?;
        let all = found.get_or_insert_with(|| FileLayout {
            pieces: Some(0),
            allocated_bytes: Some(0),
            ..FileLayout::default()
        });
        all.files += 1;
        all.pieces = all.pieces.zip(pieces).map(|(n, p)| n + p.pieces);
        all.allocated_bytes = all.allocated_bytes.zip(pieces).map(|(n, p)| n + p.bytes);
        let bytes = |blocks: u64| blocks.saturating_mul(room.f_frsize);
        // Of several file systems, the one with the least room.
        if all.files == 1 || bytes(room.f_bavail) < all.free_bytes {
            all.file_system_bytes = bytes(room.f_blocks);
            all.free_bytes = bytes(room.f_bavail);
        }
    }
    found
}

/// The type of the file system that holds `path`: `ext4`.
pub fn filesystem(root: &Root, path: &Path) -> Option<String> {
    let mounts = mounts::mounts(root);
    let path = path.canonicalize().ok()?;
    Some(mounts::holding(&mounts, &path)?.filesystem.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_size_a_block_and_a_file_system() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [1; 10_000]).unwrap();
        let facts = facts(&Root::system(), "t1", &path).unwrap();
        assert_eq!(facts.kind, "file");
        assert_eq!(facts.size_bytes, 10_000);
        assert!(facts.logical_block_bytes.is_power_of_two());
        assert!(facts.filesystem.is_some());
    }

    #[test]
    fn a_missing_path_is_an_error() {
        assert!(facts(&Root::system(), "t1", Path::new("/no/such/file")).is_err());
    }
}
