//! An array's counters at one moment.

use crate::multipath::MultipathArray;
use plimsoll_array::filer::FilerCounters;
use plimsoll_array::path::Path;
use plimsoll_array::{Array, CHUNK, Counters};

/// What an array has done by a moment. Counts only grow; what happened in a step is the difference of two looks.
///
/// Looking changes nothing: the array is as it was left by the last request before.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// When, ns from the run's start.
    pub at_ns: u64,
    /// Requests, and what became of their chunks.
    pub counters: Counters,
    /// The cores, in the order of the slices that they own.
    pub cores: Vec<CoreLook>,
    /// Work that each port has done, ns.
    pub ports_busy_ns: Vec<u64>,
    /// The paths.
    pub paths: Vec<Path>,
    /// The flash's dies.
    pub dies: Option<MediaLook>,
    /// The disks.
    pub disks: Option<MediaLook>,
    /// The journal.
    pub journal: Option<JournalLook>,
    /// Pages programmed, where pages are mapped.
    pub pages: Option<PagesLook>,
    /// The filer in front.
    pub filer: Option<FilerLook>,
    /// Different data that is held, bytes; `None` where the array does not deduplicate, or holds none.
    pub distinct_bytes: Option<u64>,
}

/// A core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreLook {
    /// Its controller.
    pub controller: u32,
    /// Work done, ns.
    pub busy_ns: u64,
    /// Work taken, ns: what waits is in it.
    pub taken_ns: u64,
    /// Of the work taken, what only the owner of an address can do, ns.
    pub owner_ns: u64,
    /// Of the work taken, that on data which is placed there by its content, ns.
    pub placed_ns: u64,
}

/// All dies, or all disks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaLook {
    /// The work that each of them has done, ns.
    pub busy_ns: Vec<u64>,
    /// The drive that each is in, where that is known.
    pub drives: Vec<usize>,
}

/// The journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLook {
    /// Bytes in it.
    pub fill_bytes: u64,
    /// Bytes that fit.
    pub capacity_bytes: u64,
    /// How long writes waited for room in sum, ns.
    pub waited_ns: u64,
}

/// Pages of the flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PagesLook {
    /// Written by the host.
    pub host: u64,
    /// Moved to make room.
    pub moved: u64,
}

/// A filer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilerLook {
    /// What it has counted.
    pub counters: FilerCounters,
    /// Threads of all its nodes.
    pub threads: u64,
}

impl Look {
    /// At `at_ns`, which is not before the last request.
    pub(crate) fn at(model: &MultipathArray, at_ns: u64) -> Self {
        let array = &model.array;
        Look {
            at_ns,
            counters: *array.counters(),
            cores: cores(array, at_ns),
            ports_busy_ns: array
                .front_end()
                .ports()
                .iter()
                .map(|p| p.done_ns(at_ns))
                .collect(),
            paths: array.front_end().paths().to_vec(),
            dies: array.dies().map(|d| MediaLook {
                busy_ns: d.each().iter().map(|s| s.done_ns(at_ns)).collect(),
                drives: (0..d.count()).filter_map(|die| d.drive(die)).collect(),
            }),
            disks: array.tiers().map(|t| MediaLook {
                busy_ns: t.disks().iter().map(|s| s.done_ns(at_ns)).collect(),
                drives: Vec::new(),
            }),
            journal: array.journal().map(|j| JournalLook {
                fill_bytes: j.fill(),
                capacity_bytes: j.capacity(),
                waited_ns: j.waited_ns,
            }),
            pages: array.mapping().map(|m| PagesLook {
                host: m.host_pages,
                moved: m.moved_pages,
            }),
            filer: model.filer.as_ref().map(|filer| FilerLook {
                counters: *filer.counters(),
                threads: filer.threads(),
            }),
            distinct_bytes: Some(array.distinct_chunks() * CHUNK).filter(|bytes| *bytes > 0),
        }
    }
}

fn cores(array: &Array, at_ns: u64) -> Vec<CoreLook> {
    let Some(cores) = array.cores() else {
        return Vec::new();
    };
    let of_each = cores.each().len() / cores.controllers();
    let look = |(number, core): (usize, &plimsoll_array::core::Core)| CoreLook {
        controller: (number / of_each) as u32,
        busy_ns: core.station.done_ns(at_ns),
        taken_ns: core.station.work_ns,
        owner_ns: core.owner_ns,
        placed_ns: core.placed_ns,
    };
    cores.each().iter().enumerate().map(look).collect()
}
