//! Signatures that are fixed bytes at a fixed place.
//!
//! Places and bytes are those of the formats' own headers; util-linux's libblkid (`libblkid/src/superblocks`) lists the
//! same.

use super::{Signature, Windows};

/// From which end a place is counted.
enum MagicPlace {
    /// Bytes from the start.
    Start(u64),
    /// Bytes before the end.
    End(u64),
    /// Bytes into the last whole block of this size: (block, offset in it).
    LastBlock(u64, u64),
}

use MagicPlace::{End, LastBlock, Start};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// (name, place, bytes).
const MAGICS: &[(&str, MagicPlace, &[u8])] = &[
    ("GPT partition table", Start(512), b"EFI PART"),
    ("GPT partition table", Start(4096), b"EFI PART"),
    ("GPT partition table (backup)", End(512), b"EFI PART"),
    ("GPT partition table (backup)", End(4096), b"EFI PART"),
    ("xfs", Start(0), b"XFSB"),
    ("xfs external log", Start(0), b"\xfe\xed\xba\xbe"),
    ("btrfs", Start(64 * KIB + 64), b"_BHRfS_M"),
    ("LVM1 physical volume", Start(0), b"HM\x01\x00"),
    ("LVM1 physical volume", Start(0), b"HM\x02\x00"),
    ("LUKS", Start(0), b"LUKS\xba\xbe"),
    ("LUKS (second header)", Start(16 * KIB), b"SKUL\xba\xbe"),
    ("swap", Start(4 * KIB - 10), b"SWAPSPACE2"),
    ("swap", Start(8 * KIB - 10), b"SWAPSPACE2"),
    ("swap", Start(16 * KIB - 10), b"SWAPSPACE2"),
    ("swap", Start(64 * KIB - 10), b"SWAPSPACE2"),
    ("swap", Start(4 * KIB - 10), b"SWAP-SPACE"),
    ("hibernation image", Start(4 * KIB - 10), b"S1SUSPEND"),
    ("hibernation image", Start(4 * KIB - 10), b"S2SUSPEND"),
    ("hibernation image", Start(4 * KIB - 10), b"LINHIB0001"),
    ("ntfs", Start(3), b"NTFS    "),
    ("exfat", Start(3), b"EXFAT   "),
    ("refs", Start(3), b"ReFS\0"),
    ("BitLocker", Start(3), b"-FVE-FS-"),
    ("vfat", Start(82), b"FAT32   "),
    ("vfat", Start(54), b"FAT16   "),
    ("vfat", Start(54), b"FAT12   "),
    ("vfat", Start(54), b"FAT     "),
    ("f2fs", Start(KIB), b"\x10\x20\xf5\xf2"),
    ("erofs", Start(KIB), b"\xe2\xe1\xf5\xe0"),
    ("hfs+", Start(KIB), b"H+\0\x04"),
    ("hfsx", Start(KIB), b"HX\0\x05"),
    ("apfs", Start(32), b"NXSB"),
    ("nilfs2", Start(KIB + 6), b"\x34\x34"),
    (
        "bcache",
        Start(4 * KIB + 24),
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
    ),
    (
        "bcachefs",
        Start(4 * KIB + 24),
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
    ),
    ("dm-integrity", Start(0), b"integrt\0"),
    ("dm-verity", Start(0), b"verity\0\0"),
    ("VDO", Start(0), b"dmvdo001"),
    ("Stratis", Start(512 + 4), b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("iso9660", Start(32 * KIB + 1), b"CD001"),
    ("udf", Start(32 * KIB + 1), b"BEA01"),
    ("udf", Start(32 * KIB + 1), b"NSR0"),
    ("squashfs", Start(0), b"hsqs"),
    ("squashfs", Start(0), b"sqsh"),
    ("reiserfs", Start(64 * KIB + 52), b"ReIsEr2Fs"),
    ("reiserfs", Start(64 * KIB + 52), b"ReIsEr3Fs"),
    ("reiserfs", Start(64 * KIB + 52), b"ReIsErFs"),
    ("jfs", Start(32 * KIB), b"JFS1"),
    ("gfs2", Start(64 * KIB), b"\x01\x16\x19\x70"),
    ("ocfs2", Start(KIB), b"OCFSV2"),
    ("ocfs2", Start(2 * KIB), b"OCFSV2"),
    ("ocfs2", Start(4 * KIB), b"OCFSV2"),
    ("ocfs2", Start(8 * KIB), b"OCFSV2"),
    ("vmfs", Start(2 * MIB), b"\x5e\xf1\xab\x2f"),
    ("vmfs volume", Start(MIB), b"\x0d\xd0\x01\xc0"),
    ("Oracle ASM disk", Start(32), b"ORCLDISK"),
    ("Ceph BlueStore", Start(0), b"bluestore block device"),
    ("DRBD", LastBlock(4 * KIB, 60), b"\x83\x74\x02\x6b"),
    ("DRBD", LastBlock(4 * KIB, 60), b"\x83\x74\x02\x6c"),
    ("DRBD", LastBlock(4 * KIB, 60), b"\x83\x74\x02\x6d"),
    (
        "Intel RAID member",
        End(2 * 512),
        b"Intel Raid ISM Cfg Sig. ",
    ),
    ("DDF RAID member", End(512), b"\xde\x11\xde\x11"),
    ("DDF RAID member", End(512), b"\x11\xde\x11\xde"),
    // Disk images: QEMU's `block/vpc.c`, `block/vhdx.c`, `block/vdi.c`, `block/parallels.c` and `block/bochs.c`, which name the
    // vendors' papers; libewf's "EWF specification".
    ("VHD image", End(512), b"conectix"),
    ("VHD image", Start(0), b"conectix"),
    ("VHDX image", Start(0), b"vhdxfile"),
    ("VDI image", Start(64), b"\x7f\x10\xda\xbe"),
    ("Parallels image", Start(0), b"WithoutFreeSpace"),
    ("Parallels image", Start(0), b"WithouFreSpacExt"),
    ("Bochs image", Start(0), b"Bochs Virtual HD Image"),
    ("EWF image", Start(0), b"EVF\x09\x0d\x0a\xff\x00"),
    // https://www.sqlite.org/fileformat2.html, "The Database Header".
    ("SQLite database", Start(0), b"SQLite format 3\0"),
    // Archives: POSIX.1 (pax, ustar) and GNU tar's `tar.h`; the xz, 7z and RAR file formats; ar(5); Microsoft's cabinet format.
    ("tar archive", Start(257), b"ustar"),
    ("xz stream", Start(0), b"\xfd7zXZ\0"),
    ("7z archive", Start(0), b"7z\xbc\xaf\x27\x1c"),
    ("RAR archive", Start(0), b"Rar!\x1a\x07"),
    ("ar archive", Start(0), b"!<arch>\n"),
    ("cabinet archive", Start(0), b"MSCF\0\0\0\0"),
];

/// The table's signatures that are visible; each name once.
pub(super) fn find(windows: &Windows<'_>) -> Vec<Signature> {
    let mut found: Vec<Signature> = Vec::new();
    for (name, place, bytes) in MAGICS {
        let Some(offset) = place.offset(windows.size()) else {
            continue;
        };
        if windows.at(offset, bytes.len()) == Some(bytes) && !found.iter().any(|f| f.name == *name)
        {
            found.push(Signature {
                name: (*name).to_string(),
                offset,
            });
        }
    }
    found
}

impl MagicPlace {
    fn offset(&self, size: u64) -> Option<u64> {
        match self {
            Start(offset) => Some(*offset),
            End(back) => size.checked_sub(*back),
            LastBlock(block, into) => Some((size / block).checked_sub(1)? * block + into),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_where_it_says_on_a_device_of_any_size() {
        for size in [4 * MIB, 4 * MIB + 512] {
            for (name, place, bytes) in MAGICS {
                let mut device = vec![0u8; size as usize];
                let at = place.offset(size).unwrap() as usize;
                device[at..at + bytes.len()].copy_from_slice(bytes);
                let tail_at = device.len() - MIB as usize;
                let windows =
                    Windows::new(&device[..2 * MIB as usize + 4096], &device[tail_at..], size);
                assert!(
                    find(&windows).iter().any(|f| f.name == *name),
                    "{name} at {at}"
                );
            }
        }
    }

    #[test]
    fn zeros_and_a_device_of_a_few_bytes_hold_no_signature() {
        assert!(find(&Windows::new(&[0; 8192], &[0; 8192], 8192)).is_empty());
        assert!(find(&Windows::new(&[], &[], 0)).is_empty());
        assert!(find(&Windows::new(b"XF", b"XF", 2)).is_empty());
    }
}
