//! The block devices of the targets' stacks, from their `stat` files in `/sys`: what `/proc/diskstats` has, of these alone.

use super::Watched;
use super::kept::Kept;
use crate::Root;
use plimsoll_evidence::witnessed::DeviceUse;

/// What the counters call a sector, whatever the device's own is, bytes.
const SECTOR_BYTES: u64 = 512;
/// How many of their files stay open; those beyond are opened each time.
const MOST_OPEN: usize = 64;
/// How many numbers the oldest kernels have.
const FEWEST: usize = 11;
/// How many there are (Documentation/block/stat.rst): those of discards came with Linux 4.18, of flushes with 5.5.
const NUMBERS: usize = 17;

/// How many there are with those of discards.
const WITH_DISCARDS: usize = 15;

/// The numbers of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    all: [u64; NUMBERS],
    /// So many of them were there.
    known: usize,
}

/// Looks at devices.
#[derive(Debug)]
pub(super) struct DevicesSampler {
    devices: Vec<Device>,
}

#[derive(Debug)]
struct Device {
    name: String,
    stat: Kept,
    /// Whether counters that stand still say that nothing was done.
    counts: bool,
    last: Option<Numbers>,
}

impl DevicesSampler {
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        let mut names: Vec<&String> = Vec::new();
        for name in what.iter().flat_map(|w| &w.devices) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let device = |(place, name): (usize, &String)| {
            let path = format!("/sys/class/block/{name}/stat");
            let mut stat = match place < MOST_OPEN {
                true => Kept::new(root, path),
                false => Kept::opened_each_time(root, path),
            };
            let last = stat.text().and_then(numbers);
            Device {
                name: name.clone(),
                stat,
                counts: counts(root, name),
                last,
            }
        };
        DevicesSampler {
            devices: names.into_iter().enumerate().map(device).collect(),
        }
    }

    /// Each device that could be seen now and at the last look, in the order of the stacks.
    pub fn look(&mut self) -> Vec<DeviceUse> {
        self.devices.iter_mut().filter_map(Device::look).collect()
    }
}

/// Whether `iostats` is on. Where it is off most drivers count nothing, and some, such as zram's, count all the same.
fn counts(root: &Root, name: &str) -> bool {
    let folder = format!("/sys/class/block/{name}");
    let own = root.number::<u32>(format!("{folder}/queue/iostats"));
    // A partition has its disk's queue.
    let of_disk = || {
        let disk = crate::block::disk_of_partition(root, name)?;
        root.number(format!("/sys/class/block/{disk}/queue/iostats"))
    };
    own.or_else(of_disk) != Some(0)
}

impl Device {
    fn look(&mut self) -> Option<DeviceUse> {
        let now = self.stat.text().and_then(numbers);
        let before = std::mem::replace(&mut self.last, now)?;
        let now = now?;
        if !self.counts && now == before {
            return None;
        }
        // Counts go forward only: this is another device that has taken the name.
        let known = now.known.min(before.known);
        let (now, before) = (now.all, before.all);
        let went_back = |column: usize| now[column] < before[column];
        if [0, 2, 4, 6].into_iter().any(went_back) {
            return None;
        }
        let count = |column: usize| now[column].saturating_sub(before[column]);
        let bytes = |column| count(column).saturating_mul(SECTOR_BYTES);
        // The kernel prints times as 32 bits, and a deep queue fills those within hours.
        let ms =
            |column: usize| u64::from((now[column] as u32).wrapping_sub(before[column] as u32));
        Some(DeviceUse {
            name: self.name.clone(),
            reads: count(0),
            reads_merged: count(1),
            read_bytes: bytes(2),
            read_ms: ms(3),
            writes: count(4),
            writes_merged: count(5),
            written_bytes: bytes(6),
            write_ms: ms(7),
            in_flight: now[8],
            busy_ms: ms(9),
            queue_ms: ms(10),
            discards: (known >= WITH_DISCARDS).then(|| count(11)),
            discarded_bytes: (known >= WITH_DISCARDS).then(|| bytes(13)),
            flushes: (known >= NUMBERS).then(|| count(15)),
            flush_ms: (known >= NUMBERS).then(|| ms(16)),
        })
    }
}

fn numbers(text: &str) -> Option<Numbers> {
    let mut all = [0; NUMBERS];
    let mut known = 0;
    for (number, word) in all.iter_mut().zip(text.split_ascii_whitespace()) {
        *number = word.parse().ok()?;
        known += 1;
    }
    (known >= FEWEST).then_some(Numbers { all, known })
}
