//! Block devices, the paths to them, and what holds data on their way.

use super::{DiskHealth, DriveHealth, Named};
use serde::{Deserialize, Serialize};

/// One block device's counters, as `/proc/diskstats` has them: of all who use it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceUse {
    /// Kernel name: `sda`, `dm-3`.
    pub name: String,
    /// Reads that it completed.
    pub reads: u64,
    /// Bytes that they moved.
    pub read_bytes: u64,
    /// Reads that were merged into others before they reached it.
    pub reads_merged: u64,
    /// The reads' time in it, with its queue, added up, ms.
    pub read_ms: u64,
    /// Writes that it completed.
    pub writes: u64,
    /// Bytes that they moved.
    pub written_bytes: u64,
    /// Writes that were merged into others before they reached it.
    pub writes_merged: u64,
    /// The writes' time in it, with its queue, added up, ms.
    pub write_ms: u64,
    /// Discards that it completed; `None` where the kernel does not tell: before 4.18 they are among the writes.
    pub discards: Option<u64>,
    /// Bytes that they named.
    pub discarded_bytes: Option<u64>,
    /// Flushes that it completed; `None` where the kernel does not tell, before 5.5.
    pub flushes: Option<u64>,
    /// The flushes' time, added up, ms.
    pub flush_ms: Option<u64>,
    /// Requests in it at the end.
    pub in_flight: u64,
    /// Time in which the device had anything to do, ms. It says little about a device that works on many requests at once.
    pub busy_ms: u64,
    /// Requests in it times time, ms.
    pub queue_ms: u64,
}

/// A path by which the kernel reaches a device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PathSeen {
    /// Kernel name: `sdb`, `nvme0c1n1`.
    pub name: String,
    /// The device that it is a path of: `dm-3`, `nvme0n1`.
    pub of: String,
    /// The kernel's word for its state at the end: `running`, `offline`, `live`.
    pub state: String,
    /// The states that it was in before, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states_before: Vec<String>,
    /// Device mapper's view of the path, where it is a path of one of its maps and that was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<MapPath>,
}

/// Path of a dm-multipath map, as the map describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MapPath {
    /// State at the end, which tells whether the map gives I/O to the path: `active`, `failed`.
    pub state: String,
    /// The states before that, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states_before: Vec<String>,
    /// Failures of the path, those between the looks too.
    pub failures: u64,
    /// The number of its group of paths, from 1.
    pub group: u32,
    /// The group's state at the end: `active` is the one in use, `enabled` one to go over to, `disabled` one to avoid.
    pub group_state: String,
    /// The group's states before that, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub group_states_before: Vec<String>,
}

/// Contents of a zram device, at the beginning and at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ZramUse {
    /// Kernel name.
    pub name: String,
    /// Bytes of data in it, uncompressed: (beginning, end).
    pub data_bytes: (u64, u64),
    /// Bytes after compression.
    pub compressed_bytes: (u64, u64),
    /// Pages that hold one repeated word, which take no space.
    pub same_pages: (u64, u64),
}

/// The page cache's part of a target, as `cachestat(2)` has it, at the end; on kernels before 6.5 only what `mincore(2)` tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CacheUse {
    /// The target's name in the plan.
    pub target: String,
    /// Bytes of the target.
    pub target_bytes: u64,
    /// Bytes of it in the cache.
    pub cached_bytes: u64,
    /// Bytes of it in the cache at the first look, before the step began.
    pub cached_before_bytes: Option<u64>,
    /// Bytes of it that were looked at, where that is only a sample of its pages; the others are reckoned from them.
    pub sampled_bytes: Option<u64>,
    /// Bytes of it in the cache that were not written down yet; `None` where the kernel does not tell.
    pub dirty_bytes: Option<u64>,
    /// Bytes that were being written down.
    pub writeback_bytes: Option<u64>,
    /// Bytes for which the file system of a file has blocks; `None` for a device.
    pub allocated_bytes: Option<u64>,
    /// The same at the first look, before the step began.
    pub allocated_before_bytes: Option<u64>,
}

/// State of a drive at the end, as it tells it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MediaState {
    /// Kernel name of the disk.
    pub name: String,
    /// Temperature, degrees Celsius.
    pub celsius: Option<f64>,
    /// The most that it had.
    pub celsius_max: Option<f64>,
    /// Temperature from which on the drive warns.
    pub celsius_warning: Option<f64>,
    /// NVMe's critical warning bits, all that were on at any look; 0: none.
    pub critical_warning: Option<u32>,
    /// Share of its life that is used, 0..; above 1 where it outlived what its maker promised.
    pub used: Option<f64>,
    /// The rest of its health log, of NVMe drives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<DriveHealth>,
    /// Health counters of SATA and SCSI drives, which have no such log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskHealth>,
}

impl Named for DeviceUse {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, next: Self) {
        let sums = [
            (&mut self.reads, next.reads),
            (&mut self.read_bytes, next.read_bytes),
            (&mut self.reads_merged, next.reads_merged),
            (&mut self.read_ms, next.read_ms),
            (&mut self.writes, next.writes),
            (&mut self.written_bytes, next.written_bytes),
            (&mut self.writes_merged, next.writes_merged),
            (&mut self.write_ms, next.write_ms),
            (&mut self.busy_ms, next.busy_ms),
            (&mut self.queue_ms, next.queue_ms),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more);
        }
        let reported = [
            (&mut self.discards, next.discards),
            (&mut self.discarded_bytes, next.discarded_bytes),
            (&mut self.flushes, next.flushes),
            (&mut self.flush_ms, next.flush_ms),
        ];
        for (sum, more) in reported {
            // Of a part that is not known the sum is not.
            *sum = sum.zip(more).map(|(a, b)| a.saturating_add(b));
        }
        self.in_flight = next.in_flight;
    }
}

impl Named for PathSeen {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, next: Self) {
        follow(
            (&mut self.state, &mut self.states_before),
            next.states_before.into_iter().chain([next.state]),
        );
        match (&mut self.map, next.map) {
            (Some(map), Some(next)) => map.append(next),
            (map @ None, next) => *map = next,
            (Some(_), None) => {}
        }
    }
}

impl MapPath {
    fn append(&mut self, next: Self) {
        follow(
            (&mut self.state, &mut self.states_before),
            next.states_before.into_iter().chain([next.state]),
        );
        follow(
            (&mut self.group_state, &mut self.group_states_before),
            next.group_states_before
                .into_iter()
                .chain([next.group_state]),
        );
        self.failures = self.failures.saturating_add(next.failures);
        self.group = next.group;
    }
}

/// Goes on to the next states, and keeps those before, each once in a row.
fn follow((state, before): (&mut String, &mut Vec<String>), next: impl Iterator<Item = String>) {
    for next in next.filter(|n| !n.is_empty()) {
        if *state != next {
            before.push(std::mem::replace(state, next));
        }
    }
}

impl Named for ZramUse {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, next: Self) {
        self.data_bytes.1 = next.data_bytes.1;
        self.compressed_bytes.1 = next.compressed_bytes.1;
        self.same_pages.1 = next.same_pages.1;
    }
}

impl Named for CacheUse {
    fn name(&self) -> &str {
        &self.target
    }

    fn append(&mut self, next: Self) {
        let cached = self.cached_before_bytes;
        let allocated = self.allocated_before_bytes;
        *self = next;
        self.cached_before_bytes = cached.or(self.cached_before_bytes);
        self.allocated_before_bytes = allocated.or(self.allocated_before_bytes);
    }
}

impl Named for MediaState {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, next: Self) {
        let most = [self.celsius_max, next.celsius_max];
        let warned = [self.critical_warning, next.critical_warning];
        let health = match (self.health, next.health) {
            (Some(before), Some(now)) => Some(now.since(&before)),
            (before, now) => now.or(before),
        };
        let disk = match (self.disk, next.disk) {
            (Some(before), Some(now)) => Some(now.since(&before)),
            (before, now) => now.or(before),
        };
        let used = next.used.or(self.used);
        let warns = next.celsius_warning.or(self.celsius_warning);
        *self = next;
        (self.health, self.disk, self.used) = (health, disk, used);
        self.celsius_warning = warns;
        self.critical_warning = warned.into_iter().flatten().reduce(|a, b| a | b);
        self.celsius_max = most.into_iter().flatten().reduce(f64::max);
    }
}

impl DeviceUse {
    /// Requests that it completed, without discards and flushes.
    pub fn ios(&self) -> u64 {
        self.reads.saturating_add(self.writes)
    }

    /// Bytes that they moved.
    pub fn bytes(&self) -> u64 {
        self.read_bytes.saturating_add(self.written_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paths_states_are_kept_in_order_each_once_in_a_row() {
        let path = |state: &str| PathSeen {
            name: "sdb".into(),
            of: "dm-0".into(),
            state: state.into(),
            ..PathSeen::default()
        };
        let mut seen = path("running");
        for state in ["running", "offline", "offline", "running"] {
            seen.append(path(state));
        }
        assert_eq!(seen.state, "running");
        assert_eq!(seen.states_before, ["running", "offline"]);
    }

    #[test]
    fn a_path_that_its_map_failed_and_took_back_is_told_though_its_disk_ran_on() {
        let path = |state: &str, failures, group: &str| PathSeen {
            name: "sdb".into(),
            of: "dm-0".into(),
            state: "running".into(),
            map: Some(MapPath {
                state: state.into(),
                failures,
                group: 1,
                group_state: group.into(),
                ..MapPath::default()
            }),
            ..PathSeen::default()
        };
        let mut seen = path("active", 0, "active");
        seen.append(path("failed", 1, "enabled"));
        // A look at which the map did not tell.
        seen.append(PathSeen {
            map: None,
            ..path("", 0, "")
        });
        // Between two looks it was failed once more.
        seen.append(path("active", 1, "active"));
        assert!(seen.states_before.is_empty());
        let map = seen.map.unwrap();
        assert_eq!(map.states_before, ["active", "failed"]);
        assert_eq!((map.state.as_str(), map.failures), ("active", 2));
        assert_eq!(map.group_states_before, ["active", "enabled"]);
    }

    #[test]
    fn a_health_log_keeps_what_it_said_first() {
        let drive = |written: (u64, u64), health: bool| MediaState {
            used: health.then_some(0.5),
            health: health.then_some(DriveHealth {
                written_bytes: written,
                ..DriveHealth::default()
            }),
            ..MediaState::default()
        };
        let mut seen = drive((10, 20), true);
        seen.append(drive((10, 30), true));
        seen.append(drive((0, 0), false));
        let health = seen.health.unwrap();
        assert_eq!(health.written_bytes, (10, 30));
        assert_eq!(seen.used, Some(0.5));
    }

    #[test]
    fn what_was_cached_at_first_stays() {
        let cache = |before, now| CacheUse {
            cached_bytes: now,
            cached_before_bytes: before,
            ..CacheUse::default()
        };
        let mut seen = cache(Some(1), 5);
        seen.append(cache(Some(1), 9));
        assert_eq!((seen.cached_before_bytes, seen.cached_bytes), (Some(1), 9));
    }

    #[test]
    fn a_warning_that_was_on_once_stays_said() {
        let drive = |critical_warning| MediaState {
            critical_warning,
            ..MediaState::default()
        };
        let mut seen = drive(None);
        seen.append(drive(None));
        assert_eq!(seen.critical_warning, None);
        for (next, all) in [(Some(2), 2), (Some(8), 10), (Some(0), 10), (None, 10)] {
            seen.append(drive(next));
            assert_eq!(seen.critical_warning, Some(all));
        }
    }

    #[test]
    fn flushes_that_a_kernel_does_not_tell_are_not_none_and_old_records_keep_theirs() {
        let device = |text: &str| serde_json::from_str::<DeviceUse>(text).expect("a device");
        let old = device(r#"{"name": "sda", "reads": 3, "discards": 0, "flushes": 2}"#);
        assert_eq!(old.discards, Some(0));
        assert_eq!(old.flushes, Some(2));
        assert_eq!(old.flush_ms, None);
        let mut sum = old.clone();
        sum.append(old.clone());
        assert_eq!(sum.discards, Some(0));
        assert_eq!(sum.flushes, Some(4));
        assert_eq!(sum.flush_ms, None);
        sum.append(device(r#"{"name": "sda", "discards": 1}"#));
        assert_eq!((sum.discards, sum.flushes), (Some(1), None));
        let again = serde_json::to_string(&sum).expect("JSON");
        assert_eq!(device(&again), sum);
    }

    #[test]
    fn what_a_zram_held_at_first_stays() {
        let zram = |from, to| ZramUse {
            name: "zram0".into(),
            same_pages: (from, to),
            ..ZramUse::default()
        };
        let mut seen = zram(1, 5);
        seen.append(zram(5, 9));
        assert_eq!(seen.same_pages, (1, 9));
    }
}
