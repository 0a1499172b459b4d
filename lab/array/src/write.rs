//! Writes: what the data is, what becomes of it, and when it is acknowledged.

use crate::array::{Array, EXTENT_CHUNKS};
use crate::core::Demand;
use crate::flash::PageMove;
use crate::io::{CHUNK, Io, Op, Served};
use crate::journal::Entry;
use crate::map::{UNMAPPED, ZERO, data, unique};
use plimsoll_content::{Identity, mix64};

/// Small writes that are gathered into one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    bytes: u64,
    size: u64,
    copies: u64,
}

impl Batch {
    /// A batch of `size` bytes, of which `copies` are written.
    pub fn new(size: u64, copies: u32) -> Self {
        Batch {
            bytes: 0,
            size: size.max(CHUNK),
            copies: u64::from(copies),
        }
    }

    /// Adds a chunk; how many writes that makes.
    fn add_chunk(&mut self) -> u64 {
        self.bytes += CHUNK;
        let full = self.bytes / self.size;
        self.bytes %= self.size;
        full * self.copies
    }
}

/// An SSD's write buffer: as many pages as it holds may be on their way to the flash.
#[derive(Debug, Clone)]
pub(crate) struct WriteBuffer {
    /// When the page that is in each place will be programmed.
    places: Vec<u64>,
    next: usize,
}

impl WriteBuffer {
    /// An empty buffer, or none for no pages; `scale` divides it.
    pub fn new(pages: u32, scale: f64) -> Option<Self> {
        (pages > 0).then(|| WriteBuffer {
            places: vec![0; (f64::from(pages) / scale).round().max(1.0) as usize],
            next: 0,
        })
    }

    /// How long a page that comes now waits for room, nanoseconds.
    pub fn wait(&self, now: u64) -> u64 {
        self.places[self.next].saturating_sub(now)
    }

    /// Takes a page that is programmed at `done`; returns when there is room for it.
    fn take(&mut self, done: u64) -> u64 {
        let room = std::mem::replace(&mut self.places[self.next], done);
        self.next = (self.next + 1) % self.places.len();
        room
    }
}

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
        for chunk in first..end {
            let key = self.key(io.lun, chunk);
            let (content, size) = self.content(io, chunk, (chunk - first) as usize);
            let route = self.route(io, chunk, whole);
            let journalled = u8::from(route == Route::Append);
            let replaced = self.replace(io.lun, chunk, content, journalled);
            let demand = match content {
                ZERO => Demand::Zero,
                _ if replaced.known => Demand::Duplicate,
                _ => Demand::Write,
            };
            let placement = self.placement(key, content);
            if let Some(cores) = &mut self.cores {
                let keeper = (demand != Demand::Zero).then_some(placement);
                if chunk == first {
                    latency += cores.first(now, io.offset, keeper, demand);
                    latency += cores.own_service(end - first, demand);
                } else {
                    cores.further(now, chunk * CHUNK, keeper, demand);
                }
                if replaced.redirected {
                    cores.owner_work(now, chunk * CHUNK, self.times.redirect);
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
            self.luns[io.lun as usize]
                .working_set
                .touch(now, chunk, true);
            slowest = slowest.max((time, served));
        }
        (latency + slowest.0, slowest.1)
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
            let content = self.luns[io.lun as usize].map.get(chunk).content;
            if io.op == Op::Trim && content == UNMAPPED {
                // A large range was mostly never written: whole pages of it are passed over.
                chunk = self.luns[io.lun as usize].map.blank_until(chunk);
                continue;
            }
            match self.unwritten(io, chunk, content) {
                Some(new) if new != content => self.unwrite_chunk(io.lun, chunk, new),
                _ => {}
            }
            chunk += 1;
        }
        if io.op == Op::Trim {
            return (latency + self.times.map, Served::Unmapped);
        }
        self.counters.write_destination[Served::Zero as usize] += end - first;
        (latency + self.times.map, Served::Zero)
    }

    /// What a chunk that holds `content` holds after a trim or zeros; none where it stays.
    fn unwritten(&mut self, io: &Io, chunk: u64, content: u64) -> Option<u64> {
        match (io.op, io.covers(chunk)) {
            (Op::Trim, true) => Some(UNMAPPED),
            (Op::Trim, false) => None,
            (_, false) if content > ZERO => {
                self.serial += 1;
                Some(unique(mix64(self.serial)))
            }
            _ => Some(ZERO),
        }
    }

    fn unwrite_chunk(&mut self, lun: u32, chunk: u64, content: u64) {
        let key = self.key(lun, chunk);
        self.replace(lun, chunk, content, 0);
        if let Some(cache) = &mut self.cache {
            cache.forget(key);
        }
        if let Some(mapping) = &mut self.mapping
            && content <= ZERO
        {
            mapping.forget(key);
        }
    }

    /// Takes out of the journal what its drain has written by now.
    #[inline]
    pub(crate) fn drain(&mut self, now: u64) {
        while let Some(entry) = self.journal.as_mut().and_then(|j| j.drain(now)) {
            let map = &mut self.luns[entry.lun as usize].map;
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
                self.place(self.key(entry.lun, entry.chunk));
            }
        }
    }

    /// Puts a chunk's data on its medium in no time.
    pub(crate) fn place(&mut self, key: u64) {
        if let Some(tiers) = &mut self.tiers {
            tiers.write((key / EXTENT_CHUNKS) as usize);
        }
        if let Some(mapping) = &mut self.mapping {
            mapping.write(key, |_| ());
        }
    }

    /// What a chunk of a write holds, as the map keeps it, and the bytes that it takes.
    #[inline]
    fn content(&mut self, io: &Io, chunk: u64, at: usize) -> (u64, u32) {
        match io.blocks.get(at) {
            Some(Identity::Zero) if io.covers(chunk) => match self.reduction.zeros {
                true => (ZERO, 0),
                false => (data(ZERO), CHUNK as u32),
            },
            Some(Identity::Data {
                fingerprint,
                compressed,
            }) if io.covers(chunk) => (data(*fingerprint), self.stored_size(*compressed)),
            _ => {
                self.serial += 1;
                (unique(mix64(self.serial)), CHUNK as u32)
            }
        }
    }

    #[inline]
    fn stored_size(&self, compressed: u32) -> u32 {
        if self.reduction.compression {
            compressed
                .next_multiple_of(self.reduction.granule.max(1))
                .min(CHUNK as u32)
        } else {
            CHUNK as u32
        }
    }

    /// Which way a chunk of a write of `whole` bytes goes.
    #[inline]
    fn route(&self, io: &Io, chunk: u64, whole: u32) -> Route {
        match &self.journal_parameters {
            Some(p) if whole <= p.bypass_kib << 10 => {
                let versions = self.luns[io.lun as usize].map.get(chunk).in_journal;
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
        if let Some(tiers) = &mut self.tiers {
            tiers.write((key / EXTENT_CHUNKS) as usize);
        }
        self.counters.media_writes += self.drain_batch.add_chunk();
        (Served::LocalFlash, self.program(now, key, placement))
    }

    /// Programs a page, and moves what is in its way; how long the write waits for room in the buffer. Without page
    /// mapping or buffer the program goes on behind the acknowledgement.
    #[inline]
    fn program(&mut self, now: u64, key: u64, placement: u64) -> u64 {
        let Some(dies) = &mut self.dies else { return 0 };
        let count = dies.count() as u64;
        let die = |page: u64| (page % count) as usize;
        let mut done = now;
        match &mut self.mapping {
            None => done = dies.program(now, dies.placed(placement)),
            Some(mapping) => mapping.write(key, |step| match step {
                PageMove::Program(at) => done = dies.program(now, die(at)),
                PageMove::Relocate { from, to } => {
                    dies.fetch(now, die(from));
                    dies.program(now, die(to));
                }
                PageMove::Erase(block) => dies.erase(now, die(block)),
            }),
        }
        match &mut self.buffer {
            Some(buffer) => buffer.take(done).saturating_sub(now),
            None => 0,
        }
    }
}
