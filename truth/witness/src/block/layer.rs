//! One block device as `/sys` describes it.

use super::{disk_of_partition, stripe};
use crate::{Root, loops};
use plimsoll_evidence::BlockLayer;

/// `size` in `/sys` counts these, whatever the device's own sector is.
const SECTOR_BYTES: u64 = 512;

/// Queue attributes worth keeping: those that change what a device sees, or what its result means.
const QUEUE: &[&str] = &[
    "nr_requests",
    "max_sectors_kb",
    "max_hw_sectors_kb",
    "max_segments",
    "rotational",
    "write_cache",
    "fua",
    "nomerges",
    "rq_affinity",
    "read_ahead_kb",
    "logical_block_size",
    "physical_block_size",
    "minimum_io_size",
    "optimal_io_size",
    "discard_granularity",
    "discard_max_bytes",
    "write_zeroes_max_bytes",
    "dma_alignment",
    "io_poll",
    "iostats",
    "wbt_lat_usec",
    "zoned",
    "chunk_sectors",
];

/// What `/sys/class/block/NAME` says; a device that isn't there gives a layer of that name and size 0.
pub fn layer(root: &Root, name: &str) -> BlockLayer {
    let folder = format!("/sys/class/block/{name}");
    let kind = kind(root, name);
    BlockLayer {
        name: name.to_string(),
        slaves: slaves(root, name),
        size_bytes: size_bytes(root, name),
        model: model(root, &folder, &kind),
        wwn: world_wide_name(root, name),
        serial: serial(root, &folder),
        firmware: first_word(
            root,
            &folder,
            &["device/firmware_rev", "device/rev", "device/fwrev"],
        ),
        by_id: links_to(root, "/dev/disk/by-id", name),
        scheduler: scheduler(root, &folder),
        queue: match kind.as_str() {
            "loop" => [queue(root, &folder), loop_file(root, name)].concat(),
            _ => [queue(root, &folder), stripe::settings(root, name, &kind)].concat(),
        },
        kind,
    }
}

/// A device's size, bytes; 0 where it isn't there.
pub(crate) fn size_bytes(root: &Root, name: &str) -> u64 {
    let sectors = root.number::<u64>(format!("/sys/class/block/{name}/size"));
    sectors.unwrap_or(0).saturating_mul(SECTOR_BYTES)
}

/// `disk`, `partition`, `dm`, `md`, `multipath`, `loop`, `zram`.
pub(crate) fn kind(root: &Root, name: &str) -> String {
    let folder = format!("/sys/class/block/{name}");
    let has = |entry: &str| root.has(format!("{folder}/{entry}"));
    let kind = if has("partition") {
        "partition"
    } else if has("dm") {
        match root.word(format!("{folder}/dm/uuid")) {
            Some(uuid) if uuid.starts_with("mpath-") => "multipath",
            _ => "dm",
        }
    } else if has("md") {
        "md"
    } else if has("loop") || name.starts_with("loop") {
        "loop"
    } else if name.starts_with("zram") {
        "zram"
    } else {
        "disk"
    };
    kind.to_string()
}

/// What it is made of: a partition of its disk, dm and md of their members. A loop device's file isn't a device; the
/// stack finds what lies under it.
fn slaves(root: &Root, name: &str) -> Vec<String> {
    match disk_of_partition(root, name) {
        Some(disk) => vec![disk],
        None => root.names(format!("/sys/class/block/{name}/slaves")),
    }
}

/// Vendor and model of a disk; what stands for them elsewhere: `lvm vg0-data`, `raid1`, a loop device's file.
fn model(root: &Root, folder: &str, kind: &str) -> Option<String> {
    match kind {
        "dm" | "multipath" => {
            let name = root.word(format!("{folder}/dm/name"))?;
            let uuid = root.text(format!("{folder}/dm/uuid")).unwrap_or_default();
            let maker = uuid.split_once('-').map(|(maker, _)| maker.to_lowercase());
            Some(maker.map_or(name.clone(), |maker| format!("{maker} {name}")))
        }
        "md" => root.word(format!("{folder}/md/level")),
        "loop" => root.word(format!("{folder}/loop/backing_file")),
        _ => {
            // virtio gives a PCI number for its vendor.
            let vendor = root
                .word(format!("{folder}/device/vendor"))
                .filter(|vendor| !vendor.starts_with("0x"));
            let model = first_word(root, folder, &["device/model", "device/name"]);
            let words: Vec<String> = [vendor, model].into_iter().flatten().collect();
            (!words.is_empty()).then(|| words.join(" "))
        }
    }
}

/// World-wide name: SCSI's and NVMe's `wwid`; of a multipath device the identity that its paths share.
pub(crate) fn world_wide_name(root: &Root, name: &str) -> Option<String> {
    let folder = &format!("/sys/class/block/{name}");
    first_word(root, folder, &["wwid", "device/wwid"]).or_else(|| {
        let uuid = root.word(format!("{folder}/dm/uuid"))?;
        uuid.strip_prefix("mpath-").map(str::to_string)
    })
}

fn serial(root: &Root, folder: &str) -> Option<String> {
    first_word(root, folder, &["serial", "device/serial"]).or_else(|| {
        // SCSI's unit serial number page: four bytes of header, then text.
        let page = root.bytes(format!("{folder}/device/vpd_pg80"))?;
        let text = String::from_utf8_lossy(page.get(4..)?);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!text.is_empty()).then(|| text.to_string())
    })
}

fn first_word(root: &Root, folder: &str, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| root.word(format!("{folder}/{name}")))
}

/// The one in brackets: `none [mq-deadline] kyber`; a device without a choice shows a single word.
fn scheduler(root: &Root, folder: &str) -> Option<String> {
    let text = root.word(format!("{folder}/queue/scheduler"))?;
    let chosen = text
        .split_whitespace()
        .find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    Some(chosen.unwrap_or(&text).to_string())
}

fn queue(root: &Root, folder: &str) -> Vec<(String, String)> {
    let mut settings: Vec<(String, String)> = QUEUE
        .iter()
        .filter_map(|name| {
            Some((
                (*name).to_string(),
                root.word(format!("{folder}/queue/{name}"))?,
            ))
        })
        .collect();
    let hardware_queues = root.names(format!("{folder}/mq")).len();
    if hardware_queues > 0 {
        settings.push(("nr_hw_queues".to_string(), hardware_queues.to_string()));
    }
    for name in ["loop/dio", "comp_algorithm"] {
        if let Some(value) = root.word(format!("{folder}/{name}")) {
            settings.push((name.to_string(), value));
        }
    }
    settings
}

/// The file system that has the file of a loop device: memory, for one.
fn loop_file(root: &Root, name: &str) -> Vec<(String, String)> {
    let filesystem = loops::filesystem_below(root, name).into_iter();
    filesystem
        .map(|filesystem| ("loop/filesystem".to_string(), filesystem))
        .collect()
}

/// The names of the links in `folder` that lead to the device `name`.
pub(super) fn links_to(root: &Root, folder: &str, name: &str) -> Vec<String> {
    let node = name.replace('!', "/");
    let leads_there = |link: &String| {
        root.link(format!("{folder}/{link}"))
            .is_some_and(|target| target.ends_with(&node) || target.to_str() == Some(node.as_str()))
    };
    root.names(folder).into_iter().filter(leads_there).collect()
}
