//! A volume: its address map and what is counted of it.

use crate::counters::Requests;
use crate::io::Served;
use crate::map::AddressMap;
use crate::sizes::Sizes;
use crate::snapshot::snapshots::Snapshots;
use crate::working_set::WorkingSet;
use std::io;

/// A volume as hosts see it, from its first chunk to its last.
#[derive(Debug)]
pub struct Lun {
    pub(crate) map: AddressMap,
    /// Those taken of it that are still kept.
    pub snapshots: Snapshots,
    /// Sizes of its reads, as they reached the array.
    pub read_sizes: Sizes,
    /// Sizes of its writes, likewise.
    pub write_sizes: Sizes,
    /// What was touched lately.
    pub working_set: WorkingSet,
    /// Its reads at the front end, with their bytes and their time in the array.
    pub reads: Requests,
    /// Its writes at the front end, likewise.
    pub writes: Requests,
    /// Chunks read from it, by where they were found.
    pub read_source: [u64; Served::COUNT],
    /// Chunks written to it, by where they went.
    pub write_destination: [u64; Served::COUNT],
}

impl Lun {
    pub(crate) fn new(chunks: u64) -> io::Result<Self> {
        Ok(Lun {
            map: AddressMap::new(chunks)?,
            snapshots: Snapshots::default(),
            read_sizes: Sizes::default(),
            write_sizes: Sizes::default(),
            working_set: WorkingSet::new(chunks),
            reads: Requests::default(),
            writes: Requests::default(),
            read_source: [0; Served::COUNT],
            write_destination: [0; Served::COUNT],
        })
    }

    /// Chunks that were written, zeros among them.
    pub fn mapped_chunks(&self) -> u64 {
        self.map.mapped
    }

    /// Chunks that were written with zeros.
    pub fn zero_chunks(&self) -> u64 {
        self.map.zeros
    }
}
