//! A snapshot of everything that a live page shows, cheap enough to take every second.

use crate::array::Array;
use crate::counters::Counters;
use crate::io::{CHUNK, Served};
use crate::path::PathState;
use crate::station::Station;
use crate::working_set::WorkingSetSize;
use serde::Serialize;

/// The window of the near working set, nanoseconds: two minutes.
const NEAR: u64 = 120_000_000_000;
/// The window of the far one: an hour.
const FAR: u64 = 3_600_000_000_000;

/// The state of an array at a time. Counts only grow; rates are the difference of two over their times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArrayStatus {
    /// The persona's name.
    pub persona: String,
    /// What its parameters were divided by.
    pub scale: f64,
    /// When, nanoseconds.
    pub at_ns: u64,
    /// Requests, and what became of their chunks.
    pub counters: Counters,
    /// Chunks read, by where they were found: (bucket, chunks). Only buckets that were used.
    pub read_source: Vec<(&'static str, u64)>,
    /// Chunks written, by where they went.
    pub write_destination: Vec<(&'static str, u64)>,
    /// The cores, in the order of the slices that they own.
    pub cores: Vec<CoreStatus>,
    /// The ports.
    pub ports: Vec<StationStatus>,
    /// The paths.
    pub paths: Vec<PathStatus>,
    /// The LUNs.
    pub luns: Vec<LunStatus>,
    /// The journal.
    pub journal: Option<JournalStatus>,
    /// The flash.
    pub flash: Option<FlashStatus>,
    /// The disks below it.
    pub tier: Option<TierStatus>,
    /// Different chunks that are held, bytes, where the array deduplicates.
    pub distinct_bytes: u64,
    /// New data written over the space that it takes.
    pub compression: f64,
}

/// A server and its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StationStatus {
    /// Work done by now, nanoseconds.
    pub busy_ns: u64,
    /// How long a request that comes now would wait, nanoseconds.
    pub wait_ns: u64,
    /// Requests, or parts of requests, taken.
    pub requests: u64,
}

/// A core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CoreStatus {
    /// Its controller.
    pub controller: u32,
    /// Its controller works.
    pub alive: bool,
    /// All of its work.
    pub all: StationStatus,
    /// Of it, what was bound to it as the owner of an address, taken so far, nanoseconds.
    pub owner_ns: u64,
}

/// A path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PathStatus {
    /// The port that it leads to.
    pub port: u32,
    /// How it is.
    pub state: PathState,
    /// Requests that were served over it.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Requests that were refused or swallowed.
    pub failed: u64,
}

/// A LUN.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LunStatus {
    /// Its size, bytes.
    pub bytes: u64,
    /// What was written of it, zeros included, bytes.
    pub mapped_bytes: u64,
    /// Of that, zeros.
    pub zero_bytes: u64,
    /// When each snapshot was taken, nanoseconds.
    pub snapshots_ns: Vec<u64>,
    /// Old content that is kept for them, bytes.
    pub snapshot_bytes: u64,
    /// What was touched in the last two minutes.
    pub working_set_2_min: WorkingSetSize,
    /// What was touched in the last hour.
    pub working_set_1_h: WorkingSetSize,
    /// Reads by size: (largest size of the bucket, reads). Only buckets that were used.
    pub read_sizes: Vec<(u64, u64)>,
    /// Writes by size.
    pub write_sizes: Vec<(u64, u64)>,
}

/// The journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct JournalStatus {
    /// Bytes in it.
    pub fill_bytes: u64,
    /// Bytes that fit.
    pub capacity_bytes: u64,
    /// Bytes that have left it.
    pub drained_bytes: u64,
    /// How long writes waited for room in sum, nanoseconds.
    pub waited_ns: u64,
}

/// The flash.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FlashStatus {
    /// Dies.
    pub dies: u64,
    /// The work of all of them, nanoseconds.
    pub busy_ns: u64,
    /// Pages programmed for each page that the host wrote, since the start; none without page mapping.
    pub write_amplification: Option<f64>,
    /// Pages that the host wrote.
    pub host_pages: u64,
    /// Pages that were moved to make room.
    pub moved_pages: u64,
    /// Blocks erased.
    pub erases: u64,
}

/// The disks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TierStatus {
    /// Disks.
    pub disks: u64,
    /// The work of all of them, nanoseconds.
    pub busy_ns: u64,
    /// Extents of 1 MiB that went down to disk.
    pub demoted: u64,
    /// Extents that came up.
    pub promoted: u64,
}

impl StationStatus {
    fn of(station: &Station, now: u64) -> Self {
        StationStatus {
            busy_ns: station.done_ns(now),
            wait_ns: station.wait(now),
            requests: station.requests,
        }
    }
}

impl Array {
    /// The state at a time, which is never before that of the last request. What is due by then happens first.
    pub fn status(&mut self, now_ns: u64) -> ArrayStatus {
        self.catch_up(now_ns);
        self.drain(now_ns);
        let counters = *self.counters();
        ArrayStatus {
            persona: self.name().to_owned(),
            scale: self.scale(),
            at_ns: now_ns,
            read_source: used(&counters.read_source),
            write_destination: used(&counters.write_destination),
            cores: self.core_statuses(now_ns),
            ports: each(self.front_end().ports(), now_ns),
            paths: self.path_statuses(),
            luns: self.lun_statuses(now_ns),
            journal: self.journal().map(|j| JournalStatus {
                fill_bytes: j.fill(),
                capacity_bytes: j.capacity(),
                drained_bytes: j.drained_bytes,
                waited_ns: j.waited_ns,
            }),
            flash: self.flash_status(now_ns),
            tier: self.tiers().map(|t| TierStatus {
                disks: t.disks().len() as u64,
                busy_ns: busy(t.disks(), now_ns),
                demoted: t.demoted,
                promoted: t.promoted,
            }),
            distinct_bytes: self.distinct_chunks() * CHUNK,
            compression: counters.compression(),
            counters,
        }
    }

    fn core_statuses(&self, now: u64) -> Vec<CoreStatus> {
        let Some(cores) = self.cores() else {
            return Vec::new();
        };
        let of_each = cores.each().len() / cores.controllers();
        let status = |(at, core): (usize, &crate::core::Core)| CoreStatus {
            controller: (at / of_each) as u32,
            alive: cores.is_alive(at),
            all: StationStatus::of(&core.station, now),
            owner_ns: core.owner_ns,
        };
        cores.each().iter().enumerate().map(status).collect()
    }

    fn path_statuses(&self) -> Vec<PathStatus> {
        let status = |path: &crate::path::Path| PathStatus {
            port: path.port,
            state: path.state,
            requests: path.requests,
            bytes: path.bytes,
            failed: path.failed,
        };
        let paths = self.front_end().paths();
        paths.iter().map(status).collect()
    }

    fn lun_statuses(&self, now: u64) -> Vec<LunStatus> {
        let status = |lun: &crate::lun::Lun| LunStatus {
            bytes: self.lun_bytes(),
            mapped_bytes: lun.mapped_chunks() * CHUNK,
            zero_bytes: lun.zero_chunks() * CHUNK,
            snapshots_ns: lun.snapshots.each().iter().map(|s| s.at_ns).collect(),
            snapshot_bytes: lun.snapshots.kept_chunks() * CHUNK,
            working_set_2_min: lun.working_set.size(now, NEAR),
            working_set_1_h: lun.working_set.size(now, FAR),
            read_sizes: lun.read_sizes.each().filter(|s| s.1 > 0).collect(),
            write_sizes: lun.write_sizes.each().filter(|s| s.1 > 0).collect(),
        };
        self.luns().iter().map(status).collect()
    }

    fn flash_status(&self, now: u64) -> Option<FlashStatus> {
        let dies = self.dies()?;
        let mapping = self.mapping();
        Some(FlashStatus {
            dies: dies.count() as u64,
            busy_ns: busy(dies.each(), now),
            write_amplification: mapping.map(|m| m.write_amplification()),
            host_pages: mapping.map_or(0, |m| m.host_pages),
            moved_pages: mapping.map_or(0, |m| m.moved_pages),
            erases: mapping.map_or(0, |m| m.erases),
        })
    }
}

/// The buckets that were used.
fn used(chunks: &[u64; Served::COUNT]) -> Vec<(&'static str, u64)> {
    let all = Served::ALL.iter().zip(chunks);
    all.filter(|c| *c.1 > 0)
        .map(|(s, c)| (s.name(), *c))
        .collect()
}

fn each(stations: &[Station], now: u64) -> Vec<StationStatus> {
    stations.iter().map(|s| StationStatus::of(s, now)).collect()
}

fn busy(stations: &[Station], now: u64) -> u64 {
    stations.iter().map(|s| s.done_ns(now)).sum()
}
