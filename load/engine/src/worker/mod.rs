//! One worker's loop: issue what may be issued, wait, count what came back.
//!
//! The same code serves closed loops (a freed slot starts the next I/O), shared closed loops (the stream furthest
//! behind its share goes next) and open loops (an absolute schedule says when). Times are ns on the worker's clock.

use crate::backend::{Action, Backend, Completion, Request, Wait};
use crate::buffers::Arena;
use crate::clock::Clock;
use crate::pace::{Backlog, Pace};
use crate::slots::Slot;
use crate::tally::Tally;
use crate::target::OpenTarget;
use plimsoll_content::Filler;
use plimsoll_measure::{HEAT_COLUMNS, IntervalStats, Op};
use plimsoll_plan::Durability;
use plimsoll_traffic::{Chooser, Deficit, StreamSource};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The instants of a step, ns on the workers' clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeline {
    /// When I/O may start.
    pub start_ns: u64,
    /// Warm-up and measurement together.
    pub length_ns: u64,
    /// Length of an interval.
    pub interval_ns: u64,
    /// Length of a sample; an interval's last may be shorter.
    pub sample_ns: u64,
    /// How long after the end I/Os may stay out.
    pub drain_ns: u64,
}

/// What ends a worker before its time; its part of the step's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// I/Os to issue.
    pub ios: u64,
    /// Bytes to move, any operation.
    pub bytes: u64,
    /// Bytes to move by operation.
    pub by_op: [u64; 3],
}

impl Budget {
    /// No limit.
    pub const UNLIMITED: Budget = Budget {
        ios: u64::MAX,
        bytes: u64::MAX,
        by_op: [u64::MAX; 3],
    };
}

/// How the loop decides what to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Every slot always busy.
    Closed,
    /// Every slot busy as far as the streams' shares allow.
    Shared,
    /// On schedule.
    Open,
}

/// One target's slots on this worker.
pub struct Pool {
    /// The target.
    pub target: Arc<OpenTarget>,
    /// Where the target's files begin in the worker's file table.
    pub first_file: u32,
    /// Its slots that are free.
    pub free: Vec<u32>,
    /// This worker's streams on it, by index.
    pub streams: Vec<u32>,
    /// Which of `streams` goes next in a closed loop.
    chooser: Chooser,
    weights: Vec<f64>,
    seed: u64,
    blocked: Vec<u32>,
    free_since_ns: u64,
    writes: u32,
    sync_owed: bool,
}

impl Pool {
    /// A pool with no slots yet; `weights` are the streams' shares of a closed loop.
    pub fn new(
        target: Arc<OpenTarget>,
        first_file: u32,
        streams: Vec<u32>,
        weights: Vec<f64>,
        seed: u64,
    ) -> Self {
        let chooser = Chooser::new(&weights, seed);
        Pool {
            target,
            first_file,
            free: Vec::new(),
            streams,
            chooser,
            weights,
            seed,
            blocked: Vec::new(),
            free_since_ns: 0,
            writes: 0,
            sync_owed: false,
        }
    }
}

/// One stream on this worker.
pub struct StreamState {
    source: StreamSource,
    filler: Option<Filler>,
    pool: u32,
    pace: Option<Pace>,
    due_ns: u64,
    issued: u64,
    due_counted: u64,
    backlog: Backlog,
    priority: u32,
    heat_scale: u64,
    generation: u64,
    exhausted: bool,
}

impl StreamState {
    /// A stream on the worker's pool of that index; `pace` only in an open loop, `size` its target's bytes.
    pub fn new(
        source: StreamSource,
        filler: Option<Filler>,
        pool: u32,
        pace: Option<Pace>,
        priority: u32,
        size: u64,
    ) -> Self {
        let scale = ((HEAT_COLUMNS as u128) << 64) / u128::from(size.max(1));
        StreamState {
            source,
            filler,
            pool,
            pace,
            due_ns: 0,
            issued: 0,
            due_counted: 0,
            backlog: Backlog::default(),
            priority,
            heat_scale: u64::try_from(scale).unwrap_or(u64::MAX),
            generation: 0,
            exhausted: false,
        }
    }
}

/// A failed or lost I/O, and where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Index of the target's name: the worker's pool.
    pub target: String,
    /// What it did.
    pub action: Action,
    /// Address on the target.
    pub offset: u64,
    /// Bytes asked for.
    pub length: u32,
    /// From the step's start, ns.
    pub at_ns: u64,
    /// Why.
    pub kind: FailureKind,
}

/// What became of a failed I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The system's error number.
    Errno(i32),
    /// Fewer bytes than asked for.
    Short(u32),
    /// It had not come back by the drain deadline.
    InFlight,
}

/// What a worker tells while it runs.
#[derive(Debug)]
pub enum Report {
    /// An interval has ended.
    Interval {
        /// The worker.
        worker: usize,
        /// The interval, from 1.
        number: u32,
        /// Its length, ns.
        length_ns: u64,
        /// The counters.
        stats: Box<IntervalStats>,
        /// Errors in it, the first of them only.
        failures: Vec<Failure>,
    },
    /// The worker has ended.
    Done {
        /// The worker.
        worker: usize,
        /// True where a limit or a stream's end stopped it before its time.
        limit: bool,
        /// I/Os that never came back.
        lost: Vec<Failure>,
        /// The kernel's refusal that ended it.
        error: Option<io::Error>,
    },
}

/// What all workers of a step share; touched once a turn at most, and only read there.
#[derive(Debug, Default)]
pub struct Shared {
    /// Set to end the step at the next interval.
    pub stop: AtomicBool,
    /// Failed I/Os of all workers.
    pub errors: AtomicU64,
    /// Set when too many failed.
    pub too_many_errors: AtomicBool,
}

/// Whether the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// There's more.
    Again,
    /// All I/O is back, or given up.
    Done,
}

/// How many failures of an interval are kept with their place.
const FAILURES_KEPT: usize = 16;
/// Nothing is due: wait for completions and samples only.
const NEVER: u64 = u64::MAX;

/// Everything that a worker owns. Field order matters: the backend goes before the memory that it knows.
pub struct Worker<B: Backend, C: Clock> {
    backend: B,
    arena: Arena,
    clock: C,
    number: usize,
    mode: Mode,
    timeline: Timeline,
    budget: Budget,
    submit_batch: usize,
    max_errors: u64,
    buffer_stride: usize,
    pools: Vec<Pool>,
    streams: Vec<StreamState>,
    slots: Vec<Slot>,
    /// Slots to reissue at once (closed loop).
    freed: Vec<u32>,
    /// Slots queued since the last hand-over to the kernel.
    unstamped: Vec<u32>,
    /// (next due, stream) of the streams that wait for their time.
    calendar: BinaryHeap<Reverse<(u64, u32)>>,
    deficit: Option<Deficit>,
    ready: Vec<Completion>,
    tally: Tally,
    failures: Vec<Failure>,
    shared: Arc<Shared>,
    now_ns: u64,
    end_ns: u64,
    next_sample_ns: u64,
    interval_end_ns: u64,
    interval: u32,
    interval_start_ns: u64,
    draining: bool,
    limited: bool,
    overslept_ns: u64,
    may_spin: bool,
    worker_cpu: fn() -> u64,
    cpu_at_ns: u64,
    reports: std::sync::mpsc::Sender<Report>,
    fresh: std::sync::mpsc::Receiver<Box<IntervalStats>>,
}

/// What [`Worker::new`] needs, by name.
pub struct WorkerParts<B, C> {
    /// Issues the I/O.
    pub backend: B,
    /// Buffers for all slots.
    pub arena: Arena,
    /// The time.
    pub clock: C,
    /// The worker's number.
    pub number: usize,
    /// How it decides.
    pub mode: Mode,
    /// When.
    pub timeline: Timeline,
    /// How much.
    pub budget: Budget,
    /// I/Os handed to the kernel at once, at most.
    pub submit_batch: usize,
    /// Errors of all workers after which the step ends.
    pub max_errors: u64,
    /// Bytes of a slot's buffer; 0 where none is needed.
    pub buffer_stride: usize,
    /// (pool, slots of it).
    pub pools: Vec<(Pool, u32)>,
    /// The streams.
    pub streams: Vec<StreamState>,
    /// Keeps shares, in [`Mode::Shared`].
    pub deficit: Option<Deficit>,
    /// Streams in the step; `stream_numbers` maps the worker's to them.
    pub shared: Arc<Shared>,
    /// Whether waiting may burn CPU for punctuality: not where there's only one CPU.
    pub may_spin: bool,
    /// CPU time of this thread, ns.
    pub worker_cpu: fn() -> u64,
    /// Where reports go.
    pub reports: std::sync::mpsc::Sender<Report>,
    /// Where used counters come back, cleared.
    pub fresh: std::sync::mpsc::Receiver<Box<IntervalStats>>,
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Puts the parts together; nothing is issued yet.
    pub fn new(parts: WorkerParts<B, C>) -> Self {
        let mut slots = Vec::new();
        let mut pools = Vec::new();
        let mut freed = Vec::new();
        for (index, (mut pool, count)) in parts.pools.into_iter().enumerate() {
            for _ in 0..count {
                let slot = slots.len() as u32;
                let mut fresh = Slot::new(index as u32);
                fresh.intended_ns = parts.timeline.start_ns;
                slots.push(fresh);
                pool.free.push(slot);
                freed.push(slot);
            }
            pool.free.reverse();
            pools.push(pool);
        }
        let streams = parts.streams;
        let count = slots.len();
        let timeline = parts.timeline;
        let end_ns = timeline.start_ns + timeline.length_ns;
        let interval_end_ns = (timeline.start_ns + timeline.interval_ns).min(end_ns);
        Worker {
            backend: parts.backend,
            arena: parts.arena,
            clock: parts.clock,
            number: parts.number,
            mode: parts.mode,
            timeline: parts.timeline,
            budget: parts.budget,
            submit_batch: parts.submit_batch.max(1),
            max_errors: parts.max_errors,
            buffer_stride: parts.buffer_stride,
            pools,
            tally: Tally::new(streams.len()),
            streams,
            slots,
            freed,
            unstamped: Vec::with_capacity(count),
            calendar: BinaryHeap::new(),
            deficit: parts.deficit,
            ready: Vec::with_capacity(count),
            failures: Vec::new(),
            shared: parts.shared,
            now_ns: 0,
            end_ns,
            next_sample_ns: (timeline.start_ns + timeline.sample_ns).min(interval_end_ns),
            interval_end_ns,
            interval: 1,
            interval_start_ns: parts.timeline.start_ns,
            draining: false,
            limited: false,
            overslept_ns: 20_000,
            may_spin: parts.may_spin,
            worker_cpu: parts.worker_cpu,
            cpu_at_ns: 0,
            reports: parts.reports,
            fresh: parts.fresh,
        }
    }

    /// Runs to the end, and reports it.
    pub fn run(mut self) {
        self.begin();
        let error = loop {
            match self.turn() {
                Ok(Turn::Again) => {}
                Ok(Turn::Done) => break None,
                Err(e) => break Some(e),
            }
        };
        self.end(error);
    }

    /// Waits for the start, and draws the first intended starts.
    pub fn begin(&mut self) {
        self.now_ns = self.clock.now_ns();
        while self.now_ns < self.timeline.start_ns {
            std::hint::spin_loop();
            self.now_ns = self.clock.now_ns();
        }
        self.cpu_at_ns = (self.worker_cpu)();
        if self.mode == Mode::Open {
            for index in 0..self.streams.len() {
                self.schedule(index as u32);
            }
        }
    }

    /// Draws a stream's next intended start.
    #[inline(always)]
    fn schedule(&mut self, index: u32) {
        let stream = &mut self.streams[index as usize];
        if let Some(pace) = &mut stream.pace {
            stream.due_ns = self.timeline.start_ns + pace.next_ns();
            self.calendar.push(Reverse((stream.due_ns, index)));
        }
    }

    /// One turn: end samples and intervals that are over, issue, wait, count.
    #[inline(always)]
    pub fn turn(&mut self) -> io::Result<Turn> {
        if self.now_ns >= self.next_sample_ns {
            self.end_samples();
        }
        if self.draining {
            if self.tally.in_flight() == 0 || self.now_ns >= self.end_ns + self.timeline.drain_ns {
                return Ok(Turn::Done);
            }
        } else {
            match self.mode {
                Mode::Closed => self.issue_closed()?,
                Mode::Open => self.issue_open()?,
                Mode::Shared => self.issue_shared()?,
            }
        }
        let (wait, until) = self.how_long();
        if !self.unstamped.is_empty() {
            self.stamp();
        }
        self.backend.poll(wait, &mut self.ready)?;
        self.now_ns = self.clock.now_ns();
        if self.ready.is_empty() {
            self.learn_oversleep(wait, until);
        } else {
            self.count();
        }
        Ok(Turn::Again)
    }

    /// A freed slot starts the next I/O of its target at once.
    #[inline(always)]
    fn issue_closed(&mut self) -> io::Result<()> {
        while let Some(slot) = self.freed.pop() {
            let pool = self.slots[slot as usize].pool;
            if self.owes_sync(pool, slot)? {
                continue;
            }
            let p = &mut self.pools[pool as usize];
            let stream = match p.streams.as_slice() {
                [] => continue,
                [one] => *one,
                several => several[p.chooser.next()],
            };
            let intended = self.slots[slot as usize].intended_ns;
            if self.issue(slot, stream, intended, intended)? {
                continue;
            }
            // The stream has ended: the target's others go on without it.
            self.pools[pool as usize].retire(stream);
            if self.draining {
                return Ok(());
            }
            if !self.pools[pool as usize].streams.is_empty() {
                self.freed.push(slot);
            } else if self.pools.iter().all(|p| p.streams.is_empty()) {
                self.limited = true;
                self.drain_from_now();
            }
        }
        Ok(())
    }

    /// The stream furthest behind its share goes next; where its target has no slot, all wait.
    fn issue_shared(&mut self) -> io::Result<()> {
        loop {
            let Some(deficit) = &mut self.deficit else {
                return Ok(());
            };
            let Some(stream) = deficit.peek() else {
                self.limited = true;
                self.drain_from_now();
                return Ok(());
            };
            let stream = stream as u32;
            let pool = self.streams[stream as usize].pool;
            let Some(slot) = self.pools[pool as usize].free.pop() else {
                return Ok(());
            };
            if self.owes_sync(pool, slot)? {
                continue;
            }
            let intended = self.slots[slot as usize].intended_ns;
            let issued = self.issue(slot, stream, intended, intended)?;
            if let Some(deficit) = &mut self.deficit {
                if issued {
                    deficit.take();
                } else {
                    deficit.retire(stream as usize);
                    self.pools[pool as usize].free.push(slot);
                }
            }
            if self.draining {
                return Ok(());
            }
        }
    }

    /// What is due goes out, or waits for a slot of its target.
    #[inline(always)]
    fn issue_open(&mut self) -> io::Result<()> {
        while let Some(Reverse((due, index))) = self.calendar.peek().copied() {
            if due > self.now_ns {
                break;
            }
            self.calendar.pop();
            let pool = self.streams[index as usize].pool;
            match self.pools[pool as usize].free.pop() {
                Some(slot) => {
                    if !self.issue_due(index, slot)? {
                        return Ok(());
                    }
                }
                None => self.block(index),
            }
        }
        Ok(())
    }

    /// Issues a stream's due I/O in a free slot, and plans its next. False where all is over.
    #[inline(always)]
    fn issue_due(&mut self, index: u32, slot: u32) -> io::Result<bool> {
        let stream = &mut self.streams[index as usize];
        let pool = stream.pool;
        if self.owes_sync(pool, slot)? {
            self.block(index);
            return Ok(true);
        }
        let due = self.streams[index as usize].due_ns;
        let free_since = self.pools[pool as usize].free_since_ns;
        let late = due < free_since;
        if !self.issue(slot, index, due, due.max(if late { free_since } else { 0 }))? {
            self.pools[pool as usize].free.push(slot);
            if self.streams.iter().all(|s| s.exhausted || s.pace.is_none()) {
                self.limited = true;
                self.drain_from_now();
            }
            return Ok(!self.draining);
        }
        if late {
            self.tally.stats.streams[index as usize].late_for_slot += 1;
        }
        let stream = &mut self.streams[index as usize];
        stream.issued += 1;
        stream.backlog.issued(stream.issued);
        self.schedule(index);
        Ok(true)
    }

    /// No slot for a due I/O: the stream waits at its target.
    #[cold]
    fn block(&mut self, index: u32) {
        let start = self.timeline.start_ns;
        let stream = &mut self.streams[index as usize];
        if let Some(pace) = &stream.pace {
            stream.backlog.open(pace, stream.due_ns - start);
        }
        stream.backlog.advance(self.now_ns - start, false);
        self.pools[stream.pool as usize].blocked.push(index);
    }

    /// A slot came free: the blocked stream of highest priority, then of earliest due time, goes back to the calendar,
    /// where its due time puts it first.
    #[inline(always)]
    fn unblock(&mut self, pool: u32) {
        let p = &mut self.pools[pool as usize];
        if p.blocked.is_empty() {
            return;
        }
        let streams = &self.streams;
        let first = (0..p.blocked.len())
            .min_by_key(|i| {
                let s = &streams[p.blocked[*i] as usize];
                (s.priority, s.due_ns)
            })
            .expect("not empty");
        let index = p.blocked.swap_remove(first);
        self.calendar
            .push(Reverse((self.streams[index as usize].due_ns, index)));
    }

    /// Takes the slot for the fsync that the target owes, if it owes one.
    #[inline(always)]
    fn owes_sync(&mut self, pool: u32, slot: u32) -> io::Result<bool> {
        if !self.pools[pool as usize].sync_owed {
            return Ok(false);
        }
        self.pools[pool as usize].sync_owed = false;
        let s = &mut self.slots[slot as usize];
        s.action = Action::Sync;
        s.offset = 0;
        s.length = 0;
        let file = self.pools[pool as usize].first_file;
        self.send(slot, file, 0)?;
        Ok(true)
    }

    /// Draws a stream's next I/O into a slot and queues it. False where the stream or the budget has ended.
    #[inline(always)]
    fn issue(
        &mut self,
        slot: u32,
        stream: u32,
        intended_ns: u64,
        ready_ns: u64,
    ) -> io::Result<bool> {
        let state = &mut self.streams[stream as usize];
        let Some(io) = state.source.next() else {
            state.exhausted = true;
            return Ok(false);
        };
        if self.budget != Budget::UNLIMITED && !self.budget.spend(io.op, io.length) {
            self.limited = true;
            self.drain_from_now();
            return Ok(false);
        }
        let s = &mut self.slots[slot as usize];
        s.intended_ns = intended_ns;
        s.ready_ns = ready_ns;
        s.offset = io.offset;
        s.length = io.length;
        s.stream = stream;
        s.action = Action::from_op(io.op);
        if s.action == Action::Write
            && let Some(filler) = &mut state.filler
        {
            state.generation += 1;
            let buffer = self
                .arena
                .bytes(slot as usize * self.buffer_stride, io.length as usize);
            filler.fill(buffer, io.offset, state.generation);
        }
        let pool = &self.pools[s.pool as usize];
        let (member, offset) = pool.target.locate(io.offset, io.length);
        let file = pool.first_file + member;
        self.send(slot, file, offset)?;
        Ok(true)
    }

    #[inline(always)]
    fn send(&mut self, slot: u32, file: u32, offset: u64) -> io::Result<()> {
        if self.unstamped.len() >= self.submit_batch {
            self.stamp();
            self.backend.flush()?;
        }
        let s = &mut self.slots[slot as usize];
        s.in_flight = true;
        let request = Request {
            slot,
            file,
            action: s.action,
            offset,
            length: s.length,
            buffer: self.arena.at(slot as usize * self.buffer_stride),
        };
        self.backend.queue(request)?;
        self.unstamped.push(slot);
        Ok(())
    }

    /// Stamps what is about to be handed to the kernel.
    #[inline(always)]
    fn stamp(&mut self) {
        let now = self.clock.now_ns();
        for slot in self.unstamped.drain(..) {
            let s = &mut self.slots[slot as usize];
            s.submitted_ns = now;
            self.tally.submitted(now);
            if self.mode == Mode::Open && s.action != Action::Sync {
                self.tally
                    .stats
                    .lateness
                    .record(now.saturating_sub(s.ready_ns));
            }
        }
    }

    /// How long to wait for completions, and until when: the next sample, the next due I/O.
    #[inline(always)]
    fn how_long(&self) -> (Wait, u64) {
        if !self.unstamped.is_empty() && self.mode == Mode::Closed {
            // The common case, kept cheap: something is out or going out, and samples may end a little late.
            return (
                Wait::Ns(self.next_sample_ns.saturating_sub(self.now_ns).max(1)),
                NEVER,
            );
        }
        let mut until = self.next_sample_ns;
        if self.draining {
            until = until.min(self.end_ns + self.timeline.drain_ns);
        } else if let Some(Reverse((due, _))) = self.calendar.peek() {
            let early = if self.may_spin { self.spin_ns() } else { 0 };
            let wake = due.saturating_sub(early);
            if wake <= self.now_ns {
                return (Wait::None, NEVER);
            }
            until = until.min(wake);
        }
        match until.saturating_sub(self.now_ns) {
            0 => (Wait::None, NEVER),
            ns => (Wait::Ns(ns), until),
        }
    }

    /// How long before its time to wake: what waking took lately, twice.
    #[inline(always)]
    fn spin_ns(&self) -> u64 {
        (self.overslept_ns * 2).clamp(2_000, 200_000)
    }

    /// A wait that ended by its time-out shows what waking costs here.
    #[inline(always)]
    fn learn_oversleep(&mut self, wait: Wait, until: u64) {
        if until == NEVER || wait == Wait::None || self.now_ns < until {
            return;
        }
        let over = (self.now_ns - until).min(200_000);
        self.overslept_ns = (self.overslept_ns * 7 + over) / 8;
    }

    /// Counts all that came back.
    #[inline(always)]
    fn count(&mut self) {
        let now = self.now_ns;
        let mut ready = std::mem::take(&mut self.ready);
        for c in ready.drain(..) {
            let s = self.slots[c.slot as usize];
            self.slots[c.slot as usize].in_flight = false;
            self.tally.completed(now);
            if s.action != Action::Sync && c.result == s.length as i32 {
                self.count_good(&s, now);
            } else if !(s.action == Action::Sync && c.result >= 0) {
                if s.action == Action::Trim && c.result >= 0 {
                    self.count_good(&s, now);
                } else {
                    self.count_bad(&s, c.result);
                }
            }
            self.release(c.slot, s.pool, now);
        }
        self.ready = ready;
    }

    #[inline(always)]
    fn count_good(&mut self, s: &Slot, now: u64) {
        let stats = &mut self.tally.stats.streams[s.stream as usize];
        let op = &mut stats.ops[s.action as usize];
        op.ios += 1;
        op.bytes += u64::from(s.length);
        op.response.record(now.saturating_sub(s.intended_ns));
        op.service.record(now.saturating_sub(s.submitted_ns));
        let scale = self.streams[s.stream as usize].heat_scale;
        let column = ((u128::from(s.offset) * u128::from(scale)) >> 64) as usize;
        stats.heat[column.min(HEAT_COLUMNS - 1)] += 1;
        if s.action == Action::Write {
            let pool = &mut self.pools[s.pool as usize];
            if let Durability::FsyncEvery(n) = pool.target.durability {
                pool.writes += 1;
                if pool.writes >= n {
                    pool.writes = 0;
                    pool.sync_owed = true;
                }
            }
        }
    }

    #[cold]
    fn count_bad(&mut self, s: &Slot, result: i32) {
        if let Some(op) = Op::ALL.get(s.action as usize) {
            self.tally.stats.streams[s.stream as usize].ops[*op as usize].errors += 1;
        }
        let failed = self.shared.errors.fetch_add(1, Ordering::Relaxed) + 1;
        if failed >= self.max_errors {
            self.shared.too_many_errors.store(true, Ordering::Relaxed);
        }
        if self.failures.len() < FAILURES_KEPT {
            let kind = if result < 0 {
                FailureKind::Errno(-result)
            } else {
                FailureKind::Short(result as u32)
            };
            let failure = self.failure(s, kind);
            self.failures.push(failure);
        }
        if self.shared.too_many_errors.load(Ordering::Relaxed) {
            self.drain_from_now();
        }
    }

    fn failure(&self, s: &Slot, kind: FailureKind) -> Failure {
        Failure {
            target: self.pools[s.pool as usize].target.name.clone(),
            action: s.action,
            offset: s.offset,
            length: s.length,
            at_ns: self.now_ns.saturating_sub(self.timeline.start_ns),
            kind,
        }
    }

    #[inline(always)]
    fn release(&mut self, slot: u32, pool: u32, now: u64) {
        self.slots[slot as usize].intended_ns = now;
        if self.mode == Mode::Closed {
            self.freed.push(slot);
            return;
        }
        let p = &mut self.pools[pool as usize];
        if p.free.is_empty() {
            p.free_since_ns = now;
        }
        p.free.push(slot);
        if self.mode == Mode::Open {
            self.unblock(pool);
        }
    }

    /// No more is issued; what is out may come back until the deadline.
    #[cold]
    fn drain_from_now(&mut self) {
        if !self.draining {
            self.draining = true;
            self.end_ns = self.end_ns.min(self.now_ns);
        }
    }

    /// Ends every sample whose time is over, and with it intervals and the step.
    #[cold]
    fn end_samples(&mut self) {
        let nominal_end = self.timeline.start_ns + self.timeline.length_ns;
        while self.now_ns >= self.next_sample_ns {
            let at = self.next_sample_ns;
            self.measure_backlog(at);
            self.tally.sample();
            if at >= self.interval_end_ns {
                self.end_interval(at);
                self.interval_end_ns = (at + self.timeline.interval_ns).min(nominal_end);
                if at >= nominal_end {
                    self.drain_from_now();
                    // Only the drain is left; no more samples.
                    self.next_sample_ns = NEVER;
                    return;
                }
                if self.shared.stop.load(Ordering::Relaxed) {
                    self.drain_from_now();
                }
            }
            self.next_sample_ns = (at + self.timeline.sample_ns).min(self.interval_end_ns);
        }
        if self.shared.too_many_errors.load(Ordering::Relaxed) {
            self.drain_from_now();
        }
    }

    /// Due but not issued, at the end of a sample.
    fn measure_backlog(&mut self, at_ns: u64) {
        if self.mode != Mode::Open {
            return;
        }
        let mut backlog = 0;
        for (stream, stats) in self.streams.iter_mut().zip(&mut self.tally.stats.streams) {
            stream
                .backlog
                .advance(at_ns.saturating_sub(self.timeline.start_ns), true);
            // An I/O issued just past the sample's end is not a backlog below zero.
            backlog += stream.backlog.due.saturating_sub(stream.issued);
            stats.due += stream.backlog.due - stream.due_counted;
            stream.due_counted = stream.backlog.due;
        }
        let stats = &mut self.tally.stats;
        stats.backlog_end = backlog;
        stats.backlog_integral_ns += backlog * self.timeline.sample_ns;
    }

    fn end_interval(&mut self, at_ns: u64) {
        self.clock.anchor();
        let cpu = (self.worker_cpu)();
        self.tally.stats.worker_cpu_ns = cpu - self.cpu_at_ns;
        self.cpu_at_ns = cpu;
        let fresh = self
            .fresh
            .try_recv()
            .unwrap_or_else(|_| Box::new(IntervalStats::new(self.streams.len())));
        let backlog = self.tally.stats.backlog_end;
        let stats = self.tally.hand_over(at_ns, fresh);
        self.tally.stats.backlog_end = backlog;
        let report = Report::Interval {
            worker: self.number,
            number: self.interval,
            length_ns: at_ns - self.interval_start_ns,
            stats,
            failures: std::mem::take(&mut self.failures),
        };
        // A receiver that's gone means that the run was given up: nothing more to tell anyone.
        let _ = self.reports.send(report);
        self.interval += 1;
        self.interval_start_ns = at_ns;
    }

    /// Hands over a last, shorter interval where the step ended inside one, and says that it's done.
    pub fn end(mut self, error: Option<io::Error>) {
        let nominal_end = self.timeline.start_ns + self.timeline.length_ns;
        let at = self.now_ns.min(nominal_end).max(self.interval_start_ns);
        if self.interval_start_ns < nominal_end
            && (at > self.interval_start_ns || !self.failures.is_empty())
        {
            self.measure_backlog(at);
            self.tally.sample();
            self.end_interval(at.max(self.interval_start_ns + 1));
        }
        let lost: Vec<Failure> = self
            .slots
            .iter()
            .filter(|s| s.in_flight)
            .map(|s| self.failure(s, FailureKind::InFlight))
            .collect();
        let _ = self.reports.send(Report::Done {
            worker: self.number,
            limit: self.limited,
            lost: lost.clone(),
            error,
        });
        if !lost.is_empty() {
            // The kernel may still write into the buffers: neither they nor the ring can be taken back.
            std::mem::forget(self);
        }
    }
}

impl Pool {
    fn retire(&mut self, stream: u32) {
        if let Some(at) = self.streams.iter().position(|s| *s == stream) {
            self.streams.remove(at);
            self.weights.remove(at);
            self.chooser = Chooser::new(&self.weights, self.seed);
        }
    }
}

impl Budget {
    /// Takes one I/O off; false where it does not fit any more.
    #[inline]
    fn spend(&mut self, op: u8, length: u32) -> bool {
        let bytes = u64::from(length);
        let of_op = &mut self.by_op[usize::from(op.min(2))];
        if self.ios == 0 || self.bytes < bytes || *of_op < bytes {
            return false;
        }
        self.ios -= 1;
        self.bytes -= bytes;
        *of_op -= bytes;
        true
    }
}
