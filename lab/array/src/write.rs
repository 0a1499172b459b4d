//! Writes: what the data is, what becomes of it, and when it is acknowledged.

pub(crate) mod buffers;

use crate::array::Array;
use crate::contents::Replaced;
use crate::core::Demand;
use crate::io::{CHUNK, Io, IoKind, Served};
use crate::journal::Entry;
use crate::map::{UNMAPPED, ZERO};

/// Which way a chunk of a write goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    /// Into the journal.
    Append,
    /// Over the version that the journal has: it holds as many of this chunk as the map can count.
    Overwrite,
    /// Past the journal.
    Bypass,
}

impl Array {
    /// A write, or a piece of one of `whole` bytes; its latency behind the ports, and where its slowest chunk went.
    pub(crate) fn write(&mut self, now: u64, io: &Io, whole: u32) -> (u64, Served) {
        let (first, end) = io.chunks();
        let mut latency = self.own_latency(now, false);
        let mut slowest = (0, Served::FrontEnd);
        let mut copied = 0;
        for chunk in first..end {
            let key = self.contents.key(io.lun, chunk);
            let (content, size) = self.contents.written(io, chunk, (chunk - first) as usize);
            let route = self.route(io, chunk, whole);
            let journalled = u8::from(route == Route::Append);
            let replaced = self.replace(io.lun, chunk, content, journalled);
            let demand = match content {
                ZERO => Demand::Zero,
                _ if replaced.known => Demand::Duplicate,
                _ => Demand::Write,
            };
            let placement = self.contents.placement(key, content);
            if let Some(cores) = &mut self.cores {
                let keeper = (demand != Demand::Zero).then_some(placement);
                if chunk == first {
                    latency += cores.first(now, io.offset, keeper, demand);
                    latency += cores.own_service(end - first, demand);
                } else {
                    cores.further(now, chunk * CHUNK, keeper, demand);
                }
                match (replaced.redirected, self.times.copy) {
                    (false, _) => {}
                    (true, 0) => cores.owner_work(now, chunk * CHUNK, self.times.redirect),
                    (true, copy) => {
                        let done = cores.owner_copies(now, chunk * CHUNK, copy as f64);
                        copied = copied.max(done - now);
                    }
                }
            }
            if let Some(cache) = &mut self.cache {
                cache.forget(key);
            }
            if demand == Demand::Write {
                self.counters.new_bytes += CHUNK;
                self.counters.stored_bytes += u64::from(size);
            }
            let (served, time) = match route {
                Route::Bypass => self.store(now, key, placement, demand),
                _ => self.append(io.lun, chunk, demand, route),
            };
            self.counters.write_destination[served as usize] += 1;
            let lun = &mut self.contents.luns[io.lun as usize];
            lun.write_destination[served as usize] += 1;
            lun.working_set.touch(now, chunk, true);
            slowest = slowest.max((time, served));
        }
        // Nothing is written over what is not copied yet.
        (latency.max(copied) + slowest.0, slowest.1)
    }

    /// Forgets the chunks that a request covers, or notes that they are zeros. The map changes and nothing else, so it
    /// costs one command, however long the range is.
    pub(crate) fn unwrite(&mut self, now: u64, io: &Io) -> (u64, Served) {
        let (first, end) = io.chunks();
        let mut latency = self.own_latency(now, false);
        if let Some(cores) = &mut self.cores {
            latency += cores.first(now, io.offset, None, Demand::Zero);
        }
        let mut chunk = first;
        while chunk < end {
            let content = self.contents.luns[io.lun as usize].map.get(chunk).content;
            if io.op == IoKind::Trim && content == UNMAPPED {
                // A large range was mostly never written: whole pages of it are passed over.
                chunk = self.contents.luns[io.lun as usize].map.blank_until(chunk);
                continue;
            }
            match self.contents.unwritten(io, chunk, content) {
                Some(new) if new != content => self.unwrite_chunk(io.lun, chunk, new),
                _ => {}
            }
            chunk += 1;
        }
        if io.op == IoKind::Trim {
            return (latency + self.times.map, Served::Unmapped);
        }
        self.counters.write_destination[Served::Zero as usize] += end - first;
        let lun = &mut self.contents.luns[io.lun as usize];
        lun.write_destination[Served::Zero as usize] += end - first;
        (latency + self.times.map, Served::Zero)
    }

    fn unwrite_chunk(&mut self, lun: u32, chunk: u64, content: u64) {
        let key = self.contents.key(lun, chunk);
        self.replace(lun, chunk, content, 0);
        if let Some(cache) = &mut self.cache {
            cache.forget(key);
        }
        if content <= ZERO {
            self.media.forget(key);
        }
    }

    /// Takes out of the journal what its drain has written by now.
    #[inline]
    pub(crate) fn drain(&mut self, now: u64) {
        while let Some(entry) = self.journal.as_mut().and_then(|j| j.drain(now)) {
            let map = &mut self.contents.luns[entry.lun as usize].map;
            let mut state = map.get(entry.chunk);
            state.in_journal -= 1;
            map.set(entry.chunk, state);
            if entry.zero {
                continue;
            }
            if state.in_journal > 0 || state.content <= ZERO {
                self.counters.superseded += 1;
            } else {
                self.counters.media_writes += self.drain_batch.add_chunk();
                self.media.place(self.contents.key(entry.lun, entry.chunk));
            }
        }
    }

    /// Puts new content into the map, and counts what a snapshot has to do with it.
    #[inline]
    pub(crate) fn replace(
        &mut self,
        lun: u32,
        chunk: u64,
        content: u64,
        journalled: u8,
    ) -> Replaced {
        let replaced = self.contents.replace(lun, chunk, content, journalled);
        self.counters.redirected += u64::from(replaced.redirected);
        replaced
    }

    /// Which way a chunk of a write of `whole` bytes goes.
    #[inline]
    fn route(&self, io: &Io, chunk: u64, whole: u32) -> Route {
        match &self.journal_parameters {
            Some(p) if whole <= p.bypass_kib << 10 => {
                let versions = self.contents.luns[io.lun as usize]
                    .map
                    .get(chunk)
                    .in_journal;
                if versions < u8::MAX {
                    Route::Append
                } else {
                    Route::Overwrite
                }
            }
            _ => Route::Bypass,
        }
    }

    /// Takes a chunk into the journal; the bucket, and how long until it is safe.
    #[inline]
    fn append(&mut self, lun: u32, chunk: u64, demand: Demand, route: Route) -> (Served, u64) {
        let zero = demand == Demand::Zero;
        let wait = match &mut self.journal {
            Some(journal) if route == Route::Append => journal.append(Entry { lun, chunk, zero }),
            _ => 0,
        };
        if zero {
            return (Served::JournalZero, self.times.journal_append);
        }
        self.counters.media_writes += self.journal_batch.add_chunk();
        (Served::Journal, self.times.journal_append + wait)
    }

    /// Sends a chunk on its way to the media; the bucket, and how long until it is safe.
    #[inline]
    fn store(&mut self, now: u64, key: u64, placement: u64, demand: Demand) -> (Served, u64) {
        match demand {
            Demand::Zero => return (Served::Zero, self.times.map),
            Demand::Duplicate => return (Served::Duplicate, self.times.map),
            Demand::Read | Demand::Write => {}
        }
        self.media.promote(key);
        self.counters.media_writes += self.drain_batch.add_chunk();
        (Served::LocalFlash, self.media.program(now, key, placement))
    }
}
