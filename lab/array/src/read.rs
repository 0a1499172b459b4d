//! Reads: zero map, journal, cache, flash here or elsewhere, disk.

use crate::array::Array;
use crate::core::Demand;
use crate::io::{CHUNK, Io, Served};
use crate::map::{UNMAPPED, ZERO};

impl Array {
    /// A read; its latency behind the ports, and where its slowest chunk was.
    pub(crate) fn read(&mut self, now: u64, io: &Io) -> (u64, Served) {
        let (first, end) = io.chunks();
        let mut latency = self.own_latency(now, true);
        let mut slowest = (0, Served::FrontEnd);
        let mut before = Served::FrontEnd;
        for chunk in first..end {
            let key = self.contents.key(io.lun, chunk);
            let state = self.contents.luns[io.lun as usize].map.get(chunk);
            let placement = self.contents.placement(key, state.content);
            let (served, time) = match (state.content, state.in_journal) {
                (UNMAPPED, _) => (Served::Unmapped, self.times.map),
                (ZERO, 0) => (Served::Zero, self.times.map),
                (ZERO, _) => (Served::JournalZero, self.times.map),
                (_, 0) => self.read_stored(now, key, placement),
                _ => (Served::Journal, self.times.journal_read),
            };
            if let Some(cores) = &mut self.cores {
                let keeper = served.is_media().then_some(placement);
                if chunk == first {
                    latency += cores.first(now, io.offset, keeper, Demand::Read);
                    latency += cores.own_service(end - first, Demand::Read);
                } else {
                    cores.further(now, chunk * CHUNK, keeper, Demand::Read);
                }
            }
            self.counters.read_source[served as usize] += 1;
            self.counters.media_reads += u64::from(served.is_media() && served != before);
            let lun = &mut self.contents.luns[io.lun as usize];
            lun.read_source[served as usize] += 1;
            lun.working_set.touch(now, chunk, false);
            before = served;
            slowest = slowest.max((time, served));
        }
        (latency + slowest.0, slowest.1)
    }

    /// Reads a chunk whose data has left the journal.
    #[inline]
    fn read_stored(&mut self, now: u64, key: u64, placement: u64) -> (Served, u64) {
        if let Some(cache) = &mut self.cache
            && cache.touch(key)
        {
            return (Served::Cache, self.times.cache_hit);
        }
        self.media.read(now, key, placement)
    }
}
