//! One worker's loop: issue what may be issued, wait, count what came back.
//!
//! The same code serves closed loops (a freed slot starts the next I/O), shared closed loops (the stream furthest
//! behind its share goes next), throttled closed loops (a freed slot thinks first, or its stream has a most per second) and
//! open loops (an absolute schedule says when), and closed loops beside which some streams have a schedule. On schedule a slot of a worker is room for an I/O, and the leave to issue it is the target's,
//! where several workers issue there. Times are ns on the worker's clock.

mod after;
mod awake;
mod count;
mod dependencies;
mod depths;
mod interval;
mod issue;
mod orders;
mod pool;
mod report;
mod share;
mod sharing;
mod stream;
mod throttles;
mod timeline;
mod trace;
mod verify;
mod wait;
mod window;

pub use orders::{Line, Mode, Orders, ThreadTime, Tools, Work};
pub use pool::Pool;
pub use report::{Broken, Failure, FailureKind, Mismatch, Report, Shared};
pub use share::Share;
pub use stream::StreamState;
pub use throttles::{StreamThrottle, Throttles};
pub use timeline::{Budget, Timeline};

use crate::backend::{Backend, Completion, Wait};
use crate::clock::Clock;
use crate::dependencies::WorkerDependencies;
use crate::slots::Slot;
use crate::tally::Tally;
use after::Ending;
use interval::Sampling;
use issue::DueQueue;
use plimsoll_traffic::Deficit;
use sharing::Crowd;
use std::io;
use wait::Waking;
use window::Edges;

/// Pass of a worker's loop, by what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// There's more.
    Again,
    /// All I/O is back, or given up.
    Done,
}

/// Pause of a worker between the two halves of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Pause {
    /// Wait that the backend is asked for.
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

/// Worker and all that it owns. Field order matters: the backend goes before the memory that it knows, and both are in the
/// tools.
pub struct Worker<B: Backend, C: Clock> {
    tools: Tools<B, C>,
    orders: Orders,
    line: Line,
    budget: Budget,
    /// The limits, until the warm-up has ended: only then they count.
    limits_after_warm_up: Option<Budget>,
    pools: Vec<Pool>,
    streams: Vec<StreamState>,
    slots: Vec<Slot>,
    deficit: Option<Deficit>,
    throttles: Option<Box<Throttles>>,
    dependencies: Option<Box<WorkerDependencies>>,
    /// When streams begin and end before the step does.
    edges: Edges,
    /// Slots to reissue at once (closed loop).
    freed: Vec<u32>,
    /// Slots queued since the last hand-over to the kernel; none between turns.
    unstamped: Vec<u32>,
    /// What has come back and is not counted yet; none between turns.
    ready: Vec<Completion>,
    due_queue: DueQueue,
    crowd: Crowd,
    tally: Tally,
    failures: Vec<Failure>,
    /// Whether any stream verifies its content.
    verifies: bool,
    /// Changes of the streams' depths that it keeps to.
    depths_seen: u64,
    /// Whether what any stream issues is logged.
    traces: bool,
    /// Reads that brought other bytes than they should, by slot; none between turns.
    mismatches: Vec<(u32, Mismatch)>,
    now_ns: u64,
    ending: Ending,
    sampling: Sampling,
    waking: Waking,
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Puts the parts together; nothing is issued yet.
    pub fn new(work: Work, tools: Tools<B, C>, line: Line) -> Self {
        let count = work.slots();
        let orders = work.orders;
        let timeline = orders.timeline;
        let (pools, slots) = number_slots(work.pools, timeline.start_ns);
        let mut streams = work.streams;
        let edges = Edges::of(&mut streams, &timeline);
        let (budget, limits_after_warm_up) = match timeline.warmup_ns {
            0 => (work.budget, None),
            _ => (Budget::UNLIMITED, Some(work.budget)),
        };
        let mut worker = Worker {
            tools,
            orders,
            line,
            budget,
            limits_after_warm_up,
            edges,
            freed: (0..count as u32).collect(),
            unstamped: Vec::with_capacity(count),
            ready: Vec::with_capacity(count),
            due_queue: DueQueue::default(),
            crowd: Crowd::of(&pools, count),
            tally: Tally::new(streams.len()),
            failures: Vec::new(),
            verifies: streams.iter().any(|s| s.check.is_some()),
            depths_seen: 0,
            traces: streams.iter().any(|s| s.lane.is_some()),
            mismatches: Vec::new(),
            now_ns: 0,
            ending: Ending::at(timeline.end_ns()),
            sampling: Sampling::of(&timeline),
            waking: Waking::new(&orders),
            pools,
            streams,
            slots,
            deficit: work.deficit,
            throttles: work.throttles,
            dependencies: work.dependencies,
        };
        worker.await_others();
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
        while self.pass()? == Pass::Again {}
        Ok(())
    }

    /// Waits for the start, and draws the first intended starts.
    pub fn begin(&mut self) -> io::Result<()> {
        self.now_ns = self.tools.clock.now_ns();
        while self.now_ns < self.orders.timeline.start_ns {
            let left = self.orders.timeline.start_ns - self.now_ns;
            // Hundreds of synchronous workers that all spin would keep each other from starting.
            let watchful = if self.orders.may_spin { WATCHFUL_NS } else { 0 };
            if left > watchful {
                self.tools
                    .backend
                    .poll(Wait::first(left - watchful), &mut self.ready)?;
            } else {
                std::hint::spin_loop();
            }
            self.now_ns = self.tools.clock.now_ns();
        }
        self.sampling.thread_time = (self.tools.thread_time)();
        self.keep_depths();
        for index in 0..self.streams.len() {
            self.schedule(index as u32);
        }
        for pool in 0..self.pools.len() {
            self.spread_out(pool, self.orders.timeline.start_ns);
        }
        Ok(())
    }

    /// One turn: end samples and intervals that are over, issue, wait, count.
    #[inline(always)]
    pub fn pass(&mut self) -> io::Result<Pass> {
        let Some(pause) = self.put_out()? else {
            return Ok(Pass::Done);
        };
        self.take_in(pause)?;
        Ok(Pass::Again)
    }

    /// A turn's first half: what may be issued goes to the backend. What to wait for then; nothing where all is done.
    /// Only where workers take turns in one thread are the halves apart.
    #[inline(always)]
    pub fn put_out(&mut self) -> io::Result<Option<Pause>> {
        if self.now_ns >= self.sampling.next_look_ns {
            self.look()?;
        }
        if self.ending.draining {
            let pass = self.follow()?;
            if self.crowd.sharing {
                self.settle()?;
            }
            if pass == Pass::Done {
                return Ok(None);
            }
        } else {
            match self.orders.mode {
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
        match self.orders.mode {
            Mode::Shared => self.issue_shared()?,
            Mode::Throttled => self.issue_throttled()?,
            Mode::Mixed => self.issue_mixed()?,
            Mode::Open | Mode::Closed => self.issue_open()?,
        }
        if self.crowd.sharing {
            self.settle()?;
        }
        self.waking.awake.grow(self.now_ns, self.unstamped.len());
        Ok(())
    }

    /// A turn's second half: waits, and counts what came back.
    #[inline(always)]
    pub fn take_in(&mut self, pause: Pause) -> io::Result<()> {
        self.tools.backend.poll(pause.wait, &mut self.ready)?;
        let before_ns = std::mem::replace(&mut self.now_ns, self.tools.clock.now_ns());
        if self.orders.mode != Mode::Closed {
            self.has_waited(pause, before_ns);
        }
        if self.now_ns > self.sampling.next_look_ns {
            // What came back after a sample's end is not in it: a stall would else be an interval of impossible depth.
            self.end_samples();
        }
        if self.ready.is_empty() {
            self.waking
                .learn_oversleep(pause.wait, pause.until_ns, self.now_ns);
        } else {
            self.count();
        }
        Ok(())
    }

    /// What a wait from `before_ns` on has cost, and whom.
    #[inline(never)]
    fn has_waited(&mut self, pause: Pause, before_ns: u64) {
        if pause.idle {
            self.waking
                .awake
                .spend(self.now_ns.saturating_sub(before_ns));
        }
        if self.crowd.sharing {
            self.notice_kept(pause.wait, before_ns);
        }
    }

    /// Hands over a last, shorter interval where the step ended inside one, or what came back after its end, and says that
    /// it's done.
    pub fn end(mut self, error: Option<io::Error>) {
        self.give_up();
        self.end_early();
        self.end_lanes();
        self.tell_all();
        let lost: Vec<Failure> = self
            .slots
            .iter()
            .filter(|s| s.in_flight)
            .map(|s| self.failure(s, FailureKind::InFlight))
            .collect();
        let leak = !lost.is_empty();
        let _ = self.line.reports.send(Report::Done {
            worker: self.orders.number,
            limit: self.ending.limited,
            lost,
            unfinished: self.ending.unfinished,
            error,
        });
        if leak {
            // The kernel may still write into the buffers: neither they nor the ring can be taken back.
            std::mem::forget(self);
        }
    }
}

/// Deals slots to the pools, numbered from 0 in their order; each is free since the start.
fn number_slots(pools: Vec<(Pool, u32)>, start_ns: u64) -> (Vec<Pool>, Vec<Slot>) {
    let mut slots = Vec::new();
    let deal = |(index, (mut pool, count)): (usize, (Pool, u32))| {
        let first = slots.len() as u32;
        pool.free = (first..first + count).rev().collect();
        slots.extend((0..count).map(|_| Slot {
            intended_ns: start_ns,
            ..Slot::new(index as u32)
        }));
        pool
    };
    let pools = pools.into_iter().enumerate().map(deal).collect();
    (pools, slots)
}
