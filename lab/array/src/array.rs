//! The array: its parts, and a request's way in and out.

use crate::agenda::Agenda;
use crate::cache::Cache;
use crate::contents::Contents;
use crate::core::Cores;
use crate::counters::Counters;
use crate::depth::DepthCurve;
use crate::flash::{Dies, Mapping};
use crate::footprint::ANY_MACHINE;
use crate::gateways::Gateways;
use crate::host::Host;
use crate::inject::errors::Errors;
use crate::io::{CHUNK, Completion, Io, IoKind, Served, Status};
use crate::journal::Journal;
use crate::lun::Lun;
use crate::media::Media;
use crate::path::{Arrival, FrontEnd};
use crate::persona::{JournalParameters, Persona, PersonaError};
use crate::tier::{EXTENT_CHUNKS, Tiers};
use crate::write::buffers::Batch;

/// Of a large request, so many chunks are prefetched: fetching more evicts what was fetched before it is used.
const PREFETCHED: u64 = 16;

/// Fixed times, nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub read: u64,
    pub write: u64,
    pub map: u64,
    pub cache_hit: u64,
    pub journal_append: u64,
    pub journal_read: u64,
    pub snapshot: f64,
    pub redirect: f64,
    /// How long the copy of a chunk takes that a snapshot needs; 0 where snapshots redirect.
    pub copy: u64,
}

impl Times {
    fn new(p: &Persona) -> Self {
        let ns = |us: f64| (us * 1e3) as u64;
        Times {
            read: ns(p.latency.read_us),
            write: ns(p.latency.write_us),
            map: ns(p.latency.map_us),
            cache_hit: ns(p.cache.map_or(0.0, |c| c.hit_us)),
            journal_append: ns(p.journal.map_or(0.0, |j| j.append_us)),
            journal_read: ns(p.journal.map_or(0.0, |j| j.read_us)),
            snapshot: p.snapshots.take_us * 1e3,
            redirect: p.snapshots.redirect_ns,
            copy: 0,
        }
    }
}

/// Page mapping has 32 bits for a page.
fn check_mapping(p: &Persona, chunks: u64) -> Result<(), PersonaError> {
    let mapping = p.flash.and_then(|f| f.mapping);
    if mapping.is_some_and(|m| chunks as f64 * (1.0 + m.over_provisioning) > 4e9) {
        return Err(PersonaError::Range {
            persona: p.name.clone(),
            parameter: "luns.gib / scale with flash.mapping",
            must: "less than 15 TiB in all, spare included",
        });
    }
    Ok(())
}

/// A storage array.
#[derive(Debug)]
pub struct Array {
    scale: f64,
    pub(crate) times: Times,
    pub(crate) contents: Contents,
    pub(crate) host: Option<Host>,
    pub(crate) front_end: FrontEnd,
    pub(crate) cores: Option<Cores>,
    pub(crate) gateways: Option<Gateways>,
    pub(crate) cache: Option<Cache>,
    pub(crate) journal_parameters: Option<JournalParameters>,
    pub(crate) journal: Option<Journal>,
    pub(crate) media: Media,
    pub(crate) depth: Option<DepthCurve>,
    pub(crate) journal_batch: Batch,
    pub(crate) drain_batch: Batch,
    pub(crate) counters: Counters,
    pub(crate) agenda: Agenda,
    pub(crate) errors: Vec<Errors>,
    /// The snapshots by copy-on-write, while there are some: LUN and number.
    pub(crate) copied: Vec<(u32, u32)>,
}

impl Array {
    /// An empty array at a scale; `seed` is for what varies by chance.
    pub fn new(persona: &Persona, scale: f64, seed: u64) -> Result<Self, PersonaError> {
        persona.check_memory(scale, ANY_MACHINE, false)?;
        let p = persona;
        let lun_chunks = ((p.luns.gib * 1024.0 / scale).round().max(1.0) as u64) * EXTENT_CHUNKS;
        let chunks = lun_chunks * u64::from(p.luns.count);
        check_mapping(p, chunks)?;
        let replicas = p.journal.map_or(1, |j| j.replicas);
        let batch = |kib: Option<u32>| Batch::new(u64::from(kib.unwrap_or(0)) << 10, replicas);
        let mut array = Array {
            scale,
            times: Times::new(p),
            contents: Contents::new(p, lun_chunks, seed)?,
            host: p.host.as_ref().map(|h| Host::new(h, scale)),
            front_end: FrontEnd::new(&p.ports, scale),
            cores: p.cores.as_ref().map(|c| Cores::new(c, scale)),
            gateways: Gateways::new(p.ports.controllers),
            cache: p.cache.map(|c| Cache::new((c.mib * 256.0 / scale) as u64)),
            journal_parameters: p.journal,
            journal: p.journal.as_ref().map(|j| Journal::new(j, scale)),
            media: Media::new(p, chunks, scale),
            depth: (!p.latency.depths.is_empty()).then(|| DepthCurve::new(&p.latency, scale, seed)),
            journal_batch: batch(p.journal.map(|j| j.batch_kib)),
            drain_batch: batch(p.journal.map(|j| j.drain_batch_kib)),
            counters: Counters::default(),
            agenda: Agenda::default(),
            errors: Vec::new(),
            copied: Vec::new(),
        };
        let wrong = |why| PersonaError::Faults {
            persona: p.name.clone(),
            why,
        };
        array.schedule(&p.faults).map_err(wrong)?;
        Ok(array)
    }

    /// A request at `now_ns`, which is never before that of the last call: when it will be answered.
    pub fn submit(&mut self, now_ns: u64, io: &Io) -> Completion {
        let completion = self.submit_piece(now_ns, io, io.len);
        if completion.status == Status::Done {
            self.count(io, completion.array_ns);
        }
        completion
    }

    /// The same for a piece of a request of `whole` bytes that was cut: it goes where the whole would go, is no request of
    /// its own, and is counted with the others by [`Array::count`].
    pub fn submit_piece(&mut self, now_ns: u64, io: &Io, whole: u32) -> Completion {
        if self.agenda.is_due(now_ns) {
            self.catch_up(now_ns);
        }
        let now = match &mut self.host {
            Some(host) => host.issue(now_ns),
            None => now_ns,
        };
        if !self.is_valid(io) {
            return self.fail(now_ns, Status::Invalid);
        }
        let front = match self.front_end.arrive(now, io.path, io.carried()) {
            Arrival::In(ns) => ns,
            Arrival::Refused => return self.fail(now_ns, Status::PathDown),
            Arrival::Swallowed => return self.fail(u64::MAX, Status::Lost),
            Arrival::Unknown => return self.fail(now_ns, Status::Invalid),
        };
        if !self.errors.is_empty() && self.meets_error(io) {
            let own = self.own_latency(now, io.op == IoKind::Read);
            return self.fail(now + front + own, Status::MediaError);
        }
        self.drain(now);
        let (inside, served) = match io.op {
            IoKind::Read => self.read(now, io),
            IoKind::Write => self.write(now, io, whole),
            IoKind::Trim | IoKind::Zero => self.unwrite(now, io),
            IoKind::Flush => (self.times.write, Served::FrontEnd),
        };
        let gateways = self.gateways.as_ref();
        let takeover = gateways.map_or(0, |g| g.takeover(now, io.lun));
        let array_ns = takeover + front + inside;
        Completion {
            at_ns: now + array_ns,
            array_ns,
            status: Status::Done,
            served,
        }
    }

    /// A request will be submitted at `now_ns`, over any path, and no other before it: a time before which it will not be
    /// answered. What has to be looked up for it is fetched from memory while other work is done. Nothing changes.
    #[inline]
    pub fn expect(&self, now_ns: u64, io: &Io) -> u64 {
        let troubled = self.agenda.is_due(now_ns) || !self.errors.is_empty();
        if troubled || !self.is_valid(io) || !self.front_end.takes_everything() {
            return now_ns;
        }
        if io.op != IoKind::Flush {
            self.prefetch(io);
        }
        let own = match (&self.depth, io.op) {
            (_, IoKind::Flush) => return now_ns + self.times.write,
            (Some(depth), op) => depth.least_ns(op == IoKind::Read),
            (None, IoKind::Read) => self.times.read,
            (None, IoKind::Write | IoKind::Trim | IoKind::Zero) => self.times.write,
        };
        let wait = self.cores.as_ref().map_or(0, |c| c.least_wait(now_ns));
        now_ns + own + wait
    }

    #[inline]
    fn prefetch(&self, io: &Io) {
        let map = &self.contents.luns[io.lun as usize].map;
        let (first, end) = io.chunks();
        for chunk in first..end.min(first + PREFETCHED) {
            map.prefetch(chunk);
            if let Some(cache) = &self.cache {
                cache.prefetch(self.contents.key(io.lun, chunk));
            }
        }
    }

    /// The cache is lost, and fills again.
    pub fn lose_cache(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.clear();
        }
    }

    /// What the parameters were divided by.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The size of each LUN, bytes.
    pub fn lun_bytes(&self) -> u64 {
        self.contents.lun_chunks * CHUNK
    }

    /// The LUNs.
    pub fn luns(&self) -> &[Lun] {
        &self.contents.luns
    }

    /// What was counted.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Ports and paths.
    pub fn front_end(&self) -> &FrontEnd {
        &self.front_end
    }

    /// The cores, where the persona has them.
    pub fn cores(&self) -> Option<&Cores> {
        self.cores.as_ref()
    }

    /// The journal, where the persona has one.
    pub fn journal(&self) -> Option<&Journal> {
        self.journal.as_ref()
    }

    /// The flash's dies.
    pub fn dies(&self) -> Option<&Dies> {
        self.media.dies.as_ref()
    }

    /// The flash translation layer.
    pub fn mapping(&self) -> Option<&Mapping> {
        self.media.mapping.as_ref()
    }

    /// Flash and disks.
    pub fn tiers(&self) -> Option<&Tiers> {
        self.media.tiers.as_ref()
    }

    /// Different chunks that are held; 0 where the persona does not deduplicate.
    pub fn distinct_chunks(&self) -> u64 {
        self.contents.distinct_chunks()
    }

    /// A request's latency without any wait or media.
    #[inline]
    pub(crate) fn own_latency(&mut self, now: u64, read: bool) -> u64 {
        match &mut self.depth {
            Some(depth) => depth.arrive(now, read),
            None if read => self.times.read,
            None => self.times.write,
        }
    }

    fn is_valid(&self, io: &Io) -> bool {
        let end = io.offset.checked_add(u64::from(io.len));
        let inside = io.len > 0 && end.is_some_and(|e| e <= self.lun_bytes());
        (io.lun as usize) < self.contents.luns.len() && (inside || io.op == IoKind::Flush)
    }

    fn fail(&mut self, at_ns: u64, status: Status) -> Completion {
        self.counters.failed += 1;
        Completion {
            at_ns,
            array_ns: 0,
            status,
            served: Served::FrontEnd,
        }
    }

    /// Counts a request that was done, and how long the array had it, nanoseconds.
    #[inline]
    pub fn count(&mut self, io: &Io, array_ns: u64) {
        self.counters.of(io.op).add(io.len, array_ns);
        let lun = &mut self.contents.luns[io.lun as usize];
        let (sizes, requests) = match io.op {
            IoKind::Read => (&mut lun.read_sizes, &mut lun.reads),
            IoKind::Write => (&mut lun.write_sizes, &mut lun.writes),
            IoKind::Trim | IoKind::Zero | IoKind::Flush => return,
        };
        sizes.count(io.len);
        requests.add(io.len, array_ns);
    }
}
