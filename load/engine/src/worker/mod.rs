//! One worker's loop: issue what may be issued, wait, count what came back.
//!
//! The same code serves closed loops (a freed slot starts the next I/O), shared closed loops (the stream furthest
//! behind its share goes next), throttled closed loops (a freed slot thinks first, or its stream has a most per second) and
//! open loops (an absolute schedule says when), and closed loops beside which some streams have a schedule. On schedule a slot of a worker is room for an I/O, and the leave to issue it is the target's,
//! where several workers issue there. Times are ns on the worker's clock.

mod after;
mod awake;
mod count;
mod held;
mod interval;
mod issue;
mod pool;
mod report;
mod share;
mod sharing;
mod stream;
mod timeline;
mod wait;
mod window;

pub use held::{Held, Hold};
pub use pool::Pool;
pub use report::{Failure, FailureKind, Report, Shared};
pub use share::Share;
pub use stream::StreamState;
pub use timeline::{Budget, Timeline};

use crate::backend::{Backend, Completion, Wait};
use crate::backlog::PER_SAMPLE;
use crate::buffers::Arena;
use crate::clock::Clock;
use crate::slots::Slot;
use crate::tally::Tally;
use awake::Awake;
use plimsoll_measure::IntervalStats;
use plimsoll_traffic::Deficit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use window::Edges;

/// How the loop decides what to issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Every slot always busy.
    Closed,
    /// Every slot busy as far as nothing holds its stream back: it thinks between I/Os, or has a most per second.
    Throttled,
    /// Every slot busy as far as the streams' shares allow.
    Shared,
    /// On schedule.
    Open,
    /// Streams with a schedule go first; the others fill every slot that is left, by shares where the worker has a
    /// [`Deficit`], and as far as nothing holds them back where it has a [`Held`].
    Mixed,
}

/// Whether the loop goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// There's more.
    Again,
    /// All I/O is back, or given up.
    Done,
}

/// What a worker waits for, between its two halves of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Pause {
    /// What the backend is told.
    pub wait: Wait,
    /// Until when, ns; [`u64::MAX`] where nobody looks at when it ended.
    pub until_ns: u64,
    /// Whether it is only a look at the clock.
    idle: bool,
}

/// An I/O that goes out later than this after it could have is late by the host: the generator was kept from its CPU, or
/// was busy with others. Less is what timers and batches take, ns.
pub const HOST_LATE_NS: u64 = 1_000_000;
/// Not in this step.
const NEVER: u64 = u64::MAX;
/// How long before the start a worker stops sleeping, ns.
const WATCHFUL_NS: u64 = 200_000;

/// Everything that a worker owns. Field order matters: the backend goes before the memory that it knows.
pub struct Worker<B: Backend, C: Clock> {
    backend: B,
    arena: Arena,
    clock: C,
    number: usize,
    mode: Mode,
    timeline: Timeline,
    budget: Budget,
    /// The limits, until the warm-up has ended: only then they count.
    limits_after_warm_up: Option<Budget>,
    submit_batch: usize,
    reap_batch: u32,
    max_errors: u64,
    buffer_stride: usize,
    pools: Vec<Pool>,
    streams: Vec<StreamState>,
    slots: Vec<Slot>,
    /// Slots to reissue at once (closed loop).
    freed: Vec<u32>,
    /// Slots queued since the last hand-over to the kernel; none between turns.
    unstamped: Vec<u32>,
    /// (next due, stream) of the streams that wait for their time.
    calendar: BinaryHeap<Reverse<(u64, u32)>>,
    /// Streams that wait for a slot, in all pools.
    blocked: usize,
    /// Whether it shares any target's slots with other workers.
    sharing: bool,
    /// Which slots are held for streams without a schedule; empty where nothing is shared.
    unpaced: Vec<bool>,
    /// Pools with slots of which others may have some; may name one twice.
    touched: Vec<u32>,
    /// Streams that have so much in a queue already that the rest is only counted.
    overdue: Vec<u32>,
    /// The sample in which all queues were looked at last, by its end, ns.
    swept_ns: u64,
    /// Intended starts that may be counted one by one in this sample.
    countable: u32,
    deficit: Option<Deficit>,
    held: Option<Box<Held>>,
    ready: Vec<Completion>,
    tally: Tally,
    failures: Vec<Failure>,
    shared: Arc<Shared>,
    now_ns: u64,
    /// When issuing ends or has ended.
    end_ns: u64,
    /// When the last interval ends: what comes back later is in the drain.
    counted_until_ns: u64,
    /// Of what was due before this, no times are taken; 0 until the counted time begins.
    timed_from_ns: u64,
    /// What is due from here on is not issued any more: all, once nothing is.
    due_until_ns: u64,
    /// Until when what was due before the end may still be issued.
    catch_up_until_ns: u64,
    /// I/Os due in the counted time that were given up.
    unfinished: u64,
    next_sample_ns: u64,
    /// The next sample's end, or the next edge of a stream's window where that is before it.
    next_look_ns: u64,
    /// When streams begin and end before the step does.
    edges: Edges,
    sample_start_ns: u64,
    interval_end_ns: u64,
    interval: u32,
    interval_start_ns: u64,
    draining: bool,
    limited: bool,
    overslept_ns: u64,
    may_spin: bool,
    awake: Awake,
    worker_cpu: fn() -> u64,
    cpu_at_ns: u64,
    reports: Sender<Report>,
    fresh: Receiver<Box<IntervalStats>>,
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
    /// Completions that a closed loop waits for at once, where so many are out.
    pub reap_batch: u32,
    /// Errors of all workers after which the step ends.
    pub max_errors: u64,
    /// Bytes of a slot's buffer; 0 where none is needed.
    pub buffer_stride: usize,
    /// (pool, slots of it); slots are numbered from 0 in this order.
    pub pools: Vec<(Pool, u32)>,
    /// The streams.
    pub streams: Vec<StreamState>,
    /// Keeps shares, in [`Mode::Shared`] and perhaps in [`Mode::Mixed`].
    pub deficit: Option<Deficit>,
    /// Holds streams back, in [`Mode::Throttled`] and perhaps in [`Mode::Mixed`].
    pub held: Option<Box<Held>>,
    /// What the step's workers share.
    pub shared: Arc<Shared>,
    /// Whether waiting may burn CPU for punctuality: not where there's only one CPU, nor on a clock that stands still
    /// while nothing waits.
    pub may_spin: bool,
    /// Whether it may burn as much as punctuality takes; else a few percent of a CPU.
    pub punctual: bool,
    /// CPU time of this thread, ns.
    pub worker_cpu: fn() -> u64,
    /// Where reports go.
    pub reports: Sender<Report>,
    /// Where used counters come back, cleared.
    pub fresh: Receiver<Box<IntervalStats>>,
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Puts the parts together; nothing is issued yet.
    pub fn new(parts: WorkerParts<B, C>) -> Self {
        let timeline = parts.timeline;
        let mut slots = Vec::new();
        let mut pools = Vec::new();
        let mut freed = Vec::new();
        for (index, (mut pool, count)) in parts.pools.into_iter().enumerate() {
            for _ in 0..count {
                let slot = slots.len() as u32;
                let mut fresh = Slot::new(index as u32);
                fresh.intended_ns = timeline.start_ns;
                slots.push(fresh);
                pool.free.push(slot);
                freed.push(slot);
            }
            pool.free.reverse();
            pools.push(pool);
        }
        let mut streams = parts.streams;
        let edges = Edges::of(&mut streams, &timeline);
        let sharing = pools.iter().any(|p| p.share.is_some());
        let count = slots.len();
        let end_ns = timeline.end_ns();
        let interval_end_ns = timeline.interval_end_ns(timeline.start_ns);
        let (budget, limits_after_warm_up) = match timeline.warmup_ns {
            0 => (parts.budget, None),
            _ => (Budget::UNLIMITED, Some(parts.budget)),
        };
        let mut worker = Worker {
            backend: parts.backend,
            arena: parts.arena,
            clock: parts.clock,
            number: parts.number,
            mode: parts.mode,
            timeline,
            budget,
            limits_after_warm_up,
            submit_batch: parts.submit_batch.max(1),
            reap_batch: parts.reap_batch.max(1),
            max_errors: parts.max_errors,
            buffer_stride: parts.buffer_stride,
            pools,
            tally: Tally::new(streams.len()),
            streams,
            slots,
            freed,
            unstamped: Vec::with_capacity(count),
            calendar: BinaryHeap::new(),
            blocked: 0,
            sharing,
            unpaced: vec![false; if sharing { count } else { 0 }],
            touched: Vec::new(),
            overdue: Vec::new(),
            swept_ns: 0,
            countable: PER_SAMPLE,
            deficit: parts.deficit,
            held: parts.held,
            ready: Vec::with_capacity(count),
            failures: Vec::new(),
            shared: parts.shared,
            now_ns: 0,
            end_ns,
            counted_until_ns: end_ns,
            timed_from_ns: 0,
            due_until_ns: u64::MAX,
            catch_up_until_ns: 0,
            unfinished: 0,
            next_sample_ns: (timeline.start_ns + timeline.sample_ns).min(interval_end_ns),
            next_look_ns: 0,
            edges,
            sample_start_ns: timeline.start_ns,
            interval_end_ns,
            interval: 1,
            interval_start_ns: timeline.start_ns,
            draining: false,
            limited: false,
            overslept_ns: 20_000,
            may_spin: parts.may_spin,
            awake: Awake::new(parts.punctual, timeline.start_ns),
            worker_cpu: parts.worker_cpu,
            cpu_at_ns: 0,
            reports: parts.reports,
            fresh: parts.fresh,
        };
        worker.stand_aside();
        worker.look_later();
        worker
    }

    /// Runs to the end, and reports it.
    pub fn run(mut self) {
        let error = self.run_to_end().err();
        self.end(error);
    }

    fn run_to_end(&mut self) -> io::Result<()> {
        self.begin()?;
        while self.turn()? == Turn::Again {}
        Ok(())
    }

    /// Waits for the start, and draws the first intended starts.
    pub fn begin(&mut self) -> io::Result<()> {
        self.now_ns = self.clock.now_ns();
        while self.now_ns < self.timeline.start_ns {
            let left = self.timeline.start_ns - self.now_ns;
            // Hundreds of synchronous workers that all spin would keep each other from starting.
            let watchful = if self.may_spin { WATCHFUL_NS } else { 0 };
            if left > watchful {
                self.backend
                    .poll(Wait::first(left - watchful), &mut self.ready)?;
            } else {
                std::hint::spin_loop();
            }
            self.now_ns = self.clock.now_ns();
        }
        self.cpu_at_ns = (self.worker_cpu)();
        for index in 0..self.streams.len() {
            self.schedule(index as u32);
        }
        self.spread_out();
        Ok(())
    }

    /// One turn: end samples and intervals that are over, issue, wait, count.
    #[inline(always)]
    pub fn turn(&mut self) -> io::Result<Turn> {
        let Some(pause) = self.put_out()? else {
            return Ok(Turn::Done);
        };
        self.take_in(pause)?;
        Ok(Turn::Again)
    }

    /// A turn's first half: what may be issued goes to the backend. What to wait for then; nothing where all is done.
    /// Only where workers take turns in one thread are the halves apart.
    #[inline(always)]
    pub fn put_out(&mut self) -> io::Result<Option<Pause>> {
        if self.now_ns >= self.next_look_ns {
            self.look()?;
        }
        if self.draining {
            let turn = self.follow()?;
            if self.sharing {
                self.settle()?;
            }
            if turn == Turn::Done {
                return Ok(None);
            }
        } else {
            match self.mode {
                Mode::Closed => self.issue_closed()?,
                _ => self.issue_otherwise()?,
            }
        }
        let busy = !self.unstamped.is_empty();
        if busy {
            self.stamp();
        }
        let (wait, until_ns) = self.how_long(busy);
        Ok(Some(Pause {
            wait,
            until_ns,
            idle: !busy && wait == Wait::None,
        }))
    }

    /// Apart from the closed loop, whose code is the better the less is in its function.
    #[inline(never)]
    fn issue_otherwise(&mut self) -> io::Result<()> {
        match self.mode {
            Mode::Shared => self.issue_shared()?,
            Mode::Throttled => self.issue_held()?,
            Mode::Mixed => self.issue_mixed()?,
            Mode::Open | Mode::Closed => self.issue_open()?,
        }
        if self.sharing {
            self.settle()?;
        }
        self.awake.grow(self.now_ns, self.unstamped.len());
        Ok(())
    }

    /// A turn's second half: waits, and counts what came back.
    #[inline(always)]
    pub fn take_in(&mut self, pause: Pause) -> io::Result<()> {
        self.backend.poll(pause.wait, &mut self.ready)?;
        let before_ns = std::mem::replace(&mut self.now_ns, self.clock.now_ns());
        if self.mode != Mode::Closed {
            self.has_waited(pause, before_ns);
        }
        if self.now_ns > self.next_look_ns {
            // What came back after a sample's end is not in it: a stall would else be an interval of impossible depth.
            self.end_samples();
        }
        if self.ready.is_empty() {
            self.learn_oversleep(pause.wait, pause.until_ns);
        } else {
            self.count();
        }
        Ok(())
    }

    /// What a wait from `before_ns` on has cost, and whom.
    #[inline(never)]
    fn has_waited(&mut self, pause: Pause, before_ns: u64) {
        if pause.idle {
            self.awake.spend(self.now_ns.saturating_sub(before_ns));
        }
        if self.sharing {
            self.notice_kept(pause.wait, before_ns);
        }
    }

    /// Hands over a last, shorter interval where the step ended inside one, or what came back after its end, and says that
    /// it's done.
    pub fn end(mut self, error: Option<io::Error>) {
        self.give_up();
        self.end_early();
        let lost: Vec<Failure> = self
            .slots
            .iter()
            .filter(|s| s.in_flight)
            .map(|s| self.failure(s, FailureKind::InFlight))
            .collect();
        let leak = !lost.is_empty();
        let _ = self.reports.send(Report::Done {
            worker: self.number,
            limit: self.limited,
            lost,
            unfinished: self.unfinished,
            error,
        });
        if leak {
            // The kernel may still write into the buffers: neither they nor the ring can be taken back.
            std::mem::forget(self);
        }
    }
}
