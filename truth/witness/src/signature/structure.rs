//! Signatures that take more than a comparison: a place that depends on the size, two byte orders, several copies,
//! flags that tell relatives apart.

use super::{Signature, Windows};

const KIB: u64 = 1 << 10;

/// All of them.
pub(super) fn find(windows: &Windows<'_>) -> Vec<Signature> {
    [
        boot_record(windows),
        ext(windows),
        lvm2(windows),
        md_raid(windows),
        zfs(windows),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(super) fn found(name: impl Into<String>, offset: u64) -> Option<Signature> {
    Some(Signature {
        name: name.into(),
        offset,
    })
}

fn word<const N: usize>(windows: &Windows<'_>, offset: u64) -> Option<[u8; N]> {
    windows.at(offset, N)?.try_into().ok()
}

pub(super) fn u16_le(windows: &Windows<'_>, offset: u64) -> Option<u16> {
    word(windows, offset).map(u16::from_le_bytes)
}

pub(super) fn u16_be(windows: &Windows<'_>, offset: u64) -> Option<u16> {
    word(windows, offset).map(u16::from_be_bytes)
}

pub(super) fn u32_le(windows: &Windows<'_>, offset: u64) -> Option<u32> {
    word(windows, offset).map(u32::from_le_bytes)
}

pub(super) fn u32_be(windows: &Windows<'_>, offset: u64) -> Option<u32> {
    word(windows, offset).map(u32::from_be_bytes)
}

/// The mark 55 AA closes a partition table as well as a FAT or NTFS boot sector; a table has a used entry.
fn boot_record(windows: &Windows<'_>) -> Option<Signature> {
    let sector = windows.at(0, 512)?;
    if sector[510..] != [0x55, 0xAA] {
        return None;
    }
    let entries = sector[446..510].chunks_exact(16);
    let is_table = entries.clone().all(|entry| entry[0] & 0x7F == 0)
        && entries.clone().any(|entry| entry[4] != 0);
    found(
        if is_table {
            "MBR partition table"
        } else {
            "boot sector"
        },
        510,
    )
}

/// The superblock at 1 KiB; its feature words tell the generations apart (ext4 disk layout, "The Super Block").
fn ext(windows: &Windows<'_>) -> Option<Signature> {
    const SUPERBLOCK: u64 = KIB;
    const JOURNAL: u32 = 0x4;
    const JOURNAL_DEVICE: u32 = 0x8;
    /// Incompatible features that ext3 knows: filetype, recover, journal device, meta_bg.
    const EXT3_INCOMPATIBLE: u32 = 0x2 | 0x4 | 0x8 | 0x10;
    // Two bytes are too few: blocks have at most 64 KiB, and there are two revisions.
    let is_ext = windows.at(SUPERBLOCK + 56, 2)? == [0x53, 0xEF]
        && u32_le(windows, SUPERBLOCK + 24)? <= 6
        && u32_le(windows, SUPERBLOCK + 76)? <= 1;
    if !is_ext {
        return None;
    }
    let compatible = u32_le(windows, SUPERBLOCK + 92)?;
    let incompatible = u32_le(windows, SUPERBLOCK + 96)?;
    let name = if incompatible & JOURNAL_DEVICE != 0 {
        "ext journal"
    } else if incompatible & !EXT3_INCOMPATIBLE != 0 {
        "ext4"
    } else if compatible & JOURNAL != 0 {
        "ext3"
    } else {
        "ext2"
    };
    found(name, SUPERBLOCK + 56)
}

/// A label in one of the first four sectors.
fn lvm2(windows: &Windows<'_>) -> Option<Signature> {
    (0..4).map(|sector| sector * 512).find_map(|offset| {
        let label = windows.at(offset, 32)?;
        (label.starts_with(b"LABELONE") && &label[24..32] == b"LVM2 001")
            .then(|| found("LVM2 physical volume", offset))
            .flatten()
    })
}

/// md's superblock: 0.90 in the last whole 64 KiB before the last 64 KiB; 1.0 near the end, 1.1 at the start, 1.2 at
/// 4 KiB (md(4)).
fn md_raid(windows: &Windows<'_>) -> Option<Signature> {
    const MAGIC: u32 = 0xA92B_4EFC;
    let size = windows.size();
    let places = [
        ("0.90", (size & !(64 * KIB - 1)).checked_sub(64 * KIB)),
        (
            "1.0",
            size.checked_sub(8 * KIB)
                .map(|offset| offset & !(4 * KIB - 1)),
        ),
        ("1.1", Some(0)),
        ("1.2", Some(4 * KIB)),
    ];
    places.into_iter().find_map(|(version, offset)| {
        let offset = offset?;
        let magic = u32_le(windows, offset)?;
        (magic == MAGIC || magic.swap_bytes() == MAGIC)
            .then(|| found(format!("md RAID member {version}"), offset))
            .flatten()
    })
}

/// Four labels of 256 KiB, two at each end; the second half of each is a ring of uberblocks.
fn zfs(windows: &Windows<'_>) -> Option<Signature> {
    const UBERBLOCK: u64 = 0x00BA_B10C;
    const LABEL: u64 = 256 * KIB;
    let end = windows.size() & !(LABEL - 1);
    let labels = [
        Some(0),
        Some(LABEL),
        end.checked_sub(2 * LABEL),
        end.checked_sub(LABEL),
    ];
    labels.into_iter().flatten().find_map(|label| {
        (128..256)
            .map(|index| label + index * KIB)
            .find_map(|offset| {
                let magic = u64::from_le_bytes(windows.at(offset, 8)?.try_into().ok()?);
                (magic == UBERBLOCK || magic.swap_bytes() == UBERBLOCK)
                    .then(|| found("zfs member", offset))
                    .flatten()
            })
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const SIZE: usize = 4 << 20;

    /// What all lists find on a device of zeros after a change.
    pub(in super::super) fn names(change: impl FnOnce(&mut [u8])) -> Vec<String> {
        let mut device = vec![0u8; SIZE];
        change(&mut device);
        let windows = Windows::new(&device[..2 << 20], &device[3 << 20..], SIZE as u64);
        let found = super::super::find(&windows).into_iter();
        found.map(|found| found.name).collect()
    }

    pub(in super::super) fn put(device: &mut [u8], offset: usize, bytes: &[u8]) {
        device[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    #[test]
    fn a_partition_table_is_told_from_a_boot_sector() {
        let table = names(|d| {
            put(d, 510, &[0x55, 0xAA]);
            put(d, 446, &[0x80, 0, 0, 0, 0x83]);
        });
        assert_eq!(table, ["MBR partition table"]);
        assert_eq!(names(|d| put(d, 510, &[0x55, 0xAA])), ["boot sector"]);
    }

    #[test]
    fn ext_generations_go_by_their_features() {
        let ext = |compatible: u8, incompatible: u8| {
            names(|d| {
                put(d, 1080, &[0x53, 0xEF]);
                put(d, 1024 + 92, &[compatible]);
                put(d, 1024 + 96, &[incompatible]);
            })
        };
        assert_eq!(ext(0, 0x2), ["ext2"]);
        assert_eq!(ext(0x4, 0x2), ["ext3"]);
        assert_eq!(ext(0x4, 0x42), ["ext4"]);
        assert_eq!(ext(0, 0x8), ["ext journal"]);
    }

    #[test]
    fn lvm_labels_may_lie_in_any_of_four_sectors() {
        for sector in 0..4 {
            let found = names(|d| {
                put(d, sector * 512, b"LABELONE");
                put(d, sector * 512 + 24, b"LVM2 001");
            });
            assert_eq!(found, ["LVM2 physical volume"]);
        }
    }

    #[test]
    fn md_superblocks_are_found_in_all_versions_and_byte_orders() {
        let magic = 0xA92B_4EFCu32;
        for (version, offset) in [
            ("0.90", SIZE - 65_536),
            ("1.0", SIZE - 8192),
            ("1.1", 0),
            ("1.2", 4096),
        ] {
            let expected = [format!("md RAID member {version}")];
            assert_eq!(names(|d| put(d, offset, &magic.to_le_bytes())), expected);
            assert_eq!(names(|d| put(d, offset, &magic.to_be_bytes())), expected);
        }
    }

    #[test]
    fn any_label_of_a_pool_member_is_enough() {
        for label in [0, 256 << 10, SIZE - (512 << 10), SIZE - (256 << 10)] {
            let found = names(|d| put(d, label + (131 << 10), &0x00BA_B10Cu64.to_be_bytes()));
            assert_eq!(found, ["zfs member"]);
        }
    }
}
