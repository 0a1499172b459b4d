//! What a storage array knew of itself while it was measured: its own counters over one step.
//!
//! The lab's model tells all of it. A real array's metrics tell a part; what is not known is `None` or empty, never 0.
//! Everything is what happened between two looks at the same counters, `observed_s` apart.

use serde::{Deserialize, Serialize};

/// One array over one step, without the warm-up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArrayEvidence {
    /// Name of the array: `lab:scale-out-flash-8`.
    pub name: String,
    /// Divisor of a simulated array's parameters; `None` for a real one.
    pub scale: Option<f64>,
    /// The plan's targets that lie on it, by name.
    pub targets: Vec<String>,
    /// Time between the two looks, s.
    pub observed_s: f64,
    /// Requests that came from hosts.
    pub front_end: Option<FrontEndUse>,
    /// Requests that went to flash and disks.
    pub back_end: Option<BackEndUse>,
    /// Chunks read, by where they were found.
    pub read_source: Vec<Bucket>,
    /// Chunks written, by where they went.
    pub write_destination: Vec<Bucket>,
    /// The processor cores.
    pub cores: Vec<CoreUse>,
    /// The front-end ports.
    pub ports: Vec<PortUse>,
    /// The paths, as the array sees them.
    pub paths: Vec<ArrayPath>,
    /// Flash dies and disks, a line for each kind.
    pub media: Vec<MediaUse>,
    /// The write journal.
    pub journal: Option<JournalUse>,
    /// Pages programmed for each page that was written; `None` where it keeps no such counters or nothing was written.
    pub write_amplification: Option<f64>,
    /// Data reduction: data before and after deduplication and compression.
    pub reduction: Option<Reduction>,
    /// The filer in front of it; `None` where there is none, of a real one, and in records of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filer: Option<FilerUse>,
    /// The longest mean time that it had an I/O in any counted interval, ns; `None` of a real one, and in records of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_ns: Option<f64>,
    /// I/Os in flight that by its model carry nearly what a closed loop's did; `None` where it was not asked, of a real one, and in records
    /// of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enough: Option<Enough>,
}

/// I/Os in flight that carry nearly all that an array carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Enough {
    /// I/Os in flight that the closed loop had.
    pub of: u64,
    /// I/Os in flight that would have been enough.
    pub in_flight: u64,
    /// Rate that those carry, I/Os per second.
    pub rate: f64,
}

/// Requests from hosts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FrontEndUse {
    /// Reads.
    pub reads: Requests,
    /// Writes.
    pub writes: Requests,
    /// Requests that were refused, not answered or invalid.
    pub failed: u64,
}

/// Requests of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Requests {
    /// Number of requests.
    pub count: u64,
    /// Bytes of these requests.
    pub bytes: u64,
    /// Mean time that the array itself had them, ns; `None` where there were none.
    pub mean_ns: Option<f64>,
}

/// Requests to flash and disks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BackEndUse {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
}

/// Chunks that had the same way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bucket {
    /// Place where the chunks were found or went: `cache`, `local flash`, `zero`, `duplicate`.
    pub place: String,
    /// Number of chunks.
    pub chunks: u64,
}

/// A processor core.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CoreUse {
    /// Controller of the core, from 0.
    pub controller: Option<u32>,
    /// Share of the time in which it was busy, 0..=1.
    pub utilisation: f64,
    /// Share of the time in which it did work that only the owner of an address can do, 0..=`utilisation`.
    pub owner_bound: Option<f64>,
    /// Share of the time in which it did work on data that is placed there by its content, 0..=`utilisation`.
    pub content_bound: Option<f64>,
}

/// A front-end port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PortUse {
    /// Share of the time in which it was busy, 0..=1.
    pub utilisation: f64,
}

/// A path, as the array sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArrayPath {
    /// The port that it leads to, from 0.
    pub port: Option<u32>,
    /// State at the end: `up`, `slow`, `down`, `silent`.
    pub state: String,
    /// Requests that were served over it.
    pub requests: u64,
    /// Requests that were refused or not answered.
    pub failed: u64,
}

/// All dies, or all disks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MediaUse {
    /// Kind of media: `flash dies`, `disks`.
    pub kind: String,
    /// Number of dies or disks.
    pub count: u64,
    /// Mean share of the time in which they were busy, 0..=1.
    pub utilisation: f64,
    /// The same of the busiest one; `None` where only their sum is known.
    pub busiest: Option<f64>,
    /// The drives that dies are in, where that is known.
    pub drives: Option<DriveUse>,
}

/// Drives, each as busy as its dies are on average.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveUse {
    /// Number of drives.
    pub count: u64,
    /// Mean share of the time in which the dies of the busiest one were busy, 0..=1.
    pub busiest: f64,
}

/// The write journal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JournalUse {
    /// Bytes in it at the end.
    pub fill_bytes: u64,
    /// Bytes that fit.
    pub capacity_bytes: u64,
    /// Time that writes waited for room, all together, ns.
    pub waited_ns: u64,
}

/// A filer in front of an array, and the client that asks it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FilerUse {
    /// Calls that came to it.
    pub calls: u64,
    /// Questions for the attributes of files: stats and accesses.
    pub asked: u64,
    /// Of these, those that the client answered by itself, within the attribute time-out.
    pub by_client: u64,
    /// Changes of names that went into a log.
    pub changes: u64,
    /// Threads that serve calls.
    pub threads: u64,
    /// Share of the time in which a thread had a call, mean of all, 0..=1.
    pub utilisation: f64,
    /// Time that calls waited for a thread, all together, ns.
    pub threads_waited_ns: u64,
    /// Time that they waited for the lock of a directory, ns.
    pub directories_waited_ns: u64,
    /// Time that they waited for a log that was being flushed, ns.
    pub log_waited_ns: u64,
    /// Flushes of logs.
    pub flushes: u64,
    /// Time that these took, ns.
    pub flushing_ns: u64,
}

/// Data before and after reduction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reduction {
    /// New data written, before compression, bytes: without zeros and duplicates where the array knows them.
    pub new_bytes: u64,
    /// The space that it takes, bytes.
    pub stored_bytes: u64,
    /// Different data that the whole array held at the end, bytes; `None` where it does not deduplicate.
    pub distinct_bytes: Option<u64>,
}

/// Values of one array that are worth seeing over time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArrayInterval {
    /// Utilisation of the busiest core, 0..=1.
    pub core_max: Option<f64>,
    /// Mean utilisation of all cores.
    pub core_mean: Option<f64>,
    /// Requests from hosts per second.
    pub front_end_iops: Option<f64>,
    /// Requests to flash and disks per second.
    pub back_end_iops: Option<f64>,
    /// Bytes in the journal over bytes that fit, at the end; above 1 where writes wait for room.
    pub journal_fill: Option<f64>,
    /// Pages programmed for each page that was written.
    pub write_amplification: Option<f64>,
}

impl JournalUse {
    /// Bytes in it over bytes that fit; `None` where none fit: it was full before anything was in it.
    pub fn fill(&self) -> Option<f64> {
        (self.capacity_bytes > 0).then(|| self.fill_bytes as f64 / self.capacity_bytes as f64)
    }
}

impl ArrayEvidence {
    /// The busiest core and its number, from 0.
    pub fn busiest_core(&self) -> Option<(usize, &CoreUse)> {
        let by_use = |a: &(usize, &CoreUse), b: &(usize, &CoreUse)| {
            a.1.utilisation.total_cmp(&b.1.utilisation)
        };
        // The first of equals.
        self.cores.iter().enumerate().rev().max_by(by_use)
    }

    /// Mean utilisation of the cores.
    pub fn mean_core(&self) -> Option<f64> {
        let sum: f64 = self.cores.iter().map(|c| c.utilisation).sum();
        (!self.cores.is_empty()).then(|| sum / self.cores.len() as f64)
    }

    /// The largest part of all owner-bound work that one core did, and its number, from 0; `None` where no such work is
    /// known.
    pub fn largest_owner(&self) -> Option<(usize, f64)> {
        self.largest_part(|core| core.owner_bound)
    }

    /// The largest part of all work on data placed by its content that one core did, and its number, from 0.
    pub fn largest_by_content(&self) -> Option<(usize, f64)> {
        self.largest_part(|core| core.content_bound)
    }

    fn largest_part(&self, of: impl Fn(&CoreUse) -> Option<f64>) -> Option<(usize, f64)> {
        let bound = || self.cores.iter().map(|c| of(c).unwrap_or(0.0));
        let sum: f64 = bound().sum();
        let (core, most) = bound()
            .enumerate()
            .rev()
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        (sum > 0.0).then(|| (core, most / sum))
    }

    /// Utilisation of the busiest front-end port.
    pub fn busiest_port(&self) -> Option<f64> {
        self.ports.iter().map(|p| p.utilisation).reduce(f64::max)
    }

    /// Mean time that the array itself had a read or a write, ns.
    pub fn mean_ns(&self) -> Option<f64> {
        let front = self.front_end?;
        let sum = |r: Requests| r.mean_ns.unwrap_or(0.0) * r.count as f64;
        let count = front.reads.count.saturating_add(front.writes.count);
        (count > 0).then(|| (sum(front.reads) + sum(front.writes)) / count as f64)
    }

    /// Requests to flash and disks for each of a host's; `None` where either is not known.
    pub fn back_end_ratio(&self) -> Option<f64> {
        let (front, back) = (self.front_end?, self.back_end?);
        let asked = front.reads.count.saturating_add(front.writes.count);
        let done = back.reads.saturating_add(back.writes);
        (asked > 0).then(|| done as f64 / asked as f64)
    }

    /// A count as a rate over the observed time, per second.
    pub fn per_second(&self, count: u64) -> f64 {
        match self.observed_s > 0.0 {
            true => count as f64 / self.observed_s,
            false => 0.0,
        }
    }
}

/// The buckets with their shares of all chunks, the largest first.
pub fn shares(buckets: &[Bucket]) -> Vec<(&str, f64)> {
    let all = plimsoll_measure::total(buckets.iter().map(|b| b.chunks));
    let mut shares: Vec<(&str, f64)> = buckets
        .iter()
        .filter(|b| b.chunks > 0)
        .map(|b| (b.place.as_str(), b.chunks as f64 / all as f64))
        .collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(utilisation: f64, owner_bound: f64) -> CoreUse {
        CoreUse {
            controller: None,
            utilisation,
            owner_bound: Some(owner_bound),
            content_bound: None,
        }
    }

    #[test]
    fn the_hot_core_and_its_part_of_the_owners_work() {
        let array = ArrayEvidence {
            cores: vec![
                core(0.2, 0.1),
                core(0.8, 0.7),
                core(0.2, 0.1),
                core(0.2, 0.1),
            ],
            ..ArrayEvidence::default()
        };
        assert_eq!(
            array.busiest_core().map(|(i, c)| (i, c.utilisation)),
            Some((1, 0.8))
        );
        assert!((array.mean_core().unwrap() - 0.35).abs() < 1e-12);
        let (core, part) = array.largest_owner().unwrap();
        assert_eq!(core, 1);
        assert!((part - 0.7).abs() < 1e-12);
        assert_eq!(array.largest_by_content(), None);
    }

    #[test]
    fn of_equals_the_first_is_named() {
        let array = ArrayEvidence {
            cores: vec![core(0.5, 0.2); 3],
            ..ArrayEvidence::default()
        };
        assert_eq!(array.busiest_core().map(|(i, _)| i), Some(0));
        assert_eq!(array.largest_owner().map(|(i, _)| i), Some(0));
    }

    #[test]
    fn reads_and_writes_count_by_their_numbers() {
        let requests = |count, mean_ns| Requests {
            count,
            bytes: 0,
            mean_ns,
        };
        let array = ArrayEvidence {
            front_end: Some(FrontEndUse {
                reads: requests(3, Some(100.0)),
                writes: requests(1, Some(500.0)),
                failed: 0,
            }),
            back_end: Some(BackEndUse {
                reads: 1,
                writes: 1,
            }),
            ..ArrayEvidence::default()
        };
        assert_eq!(array.mean_ns(), Some(200.0));
        assert_eq!(array.back_end_ratio(), Some(0.5));
    }

    #[test]
    fn a_journal_into_which_nothing_fits_has_no_fill() {
        let journal = |capacity_bytes| JournalUse {
            fill_bytes: 50,
            capacity_bytes,
            waited_ns: 0,
        };
        assert_eq!(journal(200).fill(), Some(0.25));
        assert_eq!(journal(0).fill(), None);
    }

    #[test]
    fn what_is_not_known_is_none() {
        let array = ArrayEvidence::default();
        assert_eq!(array.busiest_core(), None);
        assert_eq!(array.mean_core(), None);
        assert_eq!(array.largest_owner(), None);
        assert_eq!(array.mean_ns(), None);
        assert_eq!(array.back_end_ratio(), None);
        assert_eq!(array.per_second(7), 0.0);
        assert_eq!(
            serde_json::from_str::<ArrayEvidence>(r#"{"name":""}"#).unwrap(),
            array
        );
    }

    #[test]
    fn shares_are_of_all_chunks_and_the_largest_comes_first() {
        let bucket = |place: &str, chunks| Bucket {
            place: place.into(),
            chunks,
        };
        let buckets = [bucket("zero", 1), bucket("cache", 3), bucket("disk", 0)];
        assert_eq!(shares(&buckets), [("cache", 0.75), ("zero", 0.25)]);
        assert_eq!(shares(&[]), []);
    }
}
