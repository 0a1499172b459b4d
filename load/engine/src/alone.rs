//! One step in the caller's thread: one worker, on a backend and a clock of the caller's.

use crate::EngineError;
use crate::backend::Backend;
use crate::backend::choose::BackendKind;
use crate::backend::tree::TreeStream;
use crate::buffers::Arena;
use crate::clock::Clock;
use crate::control::Control;
use crate::gather::Gathering;
use crate::layout::{PoolShare, WorkerLayout, layout};
use crate::merge::Merger;
use crate::options::Options;
use crate::outcome::{MergedInterval, Outcome};
use crate::setup::{Setup, timeline};
use crate::start::Start;
use crate::target::OpenTarget;
use crate::worker::{Line, Pass, Report, ThreadTime, Timeline, Tools, Worker};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::{Step, Workers};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What a backend is made for.
pub struct Given<'a> {
    /// Slots, by whose they are: they are numbered from 0 in this order.
    pub pools: &'a [PoolShare],
    /// Work of each stream on a tree, where the targets are trees.
    pub trees: &'a [TreeStream],
    /// Seed by which their files are drawn.
    pub tree_seed: u64,
}

/// Runs a step from the clock's now on, and hands each interval to `sink` when it has ended. `backend` makes the backend,
/// told what it is for. A clock that only waiting moves is virtual time.
///
/// There is one worker, however many the step asks for: they are threads, and here is only one. So what comes out depends
/// on the plan and the seed alone.
pub fn run_step_alone<B: Backend, C: Clock + Clone>(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    options: &Options,
    control: &Control,
    mut clock: C,
    backend: impl FnOnce(&Given<'_>) -> B,
    mut sink: impl FnMut(MergedInterval),
) -> Result<Outcome, EngineError> {
    let mut solo = Solo::new(step, targets, options, control, clock.clone(), backend)?;
    let mut look_ns = solo.timeline.start_ns;
    let mut pass = solo.worker.begin().map(|()| Pass::Again);
    while let Ok(Pass::Again) = pass {
        pass = solo.worker.pass();
        if clock.now_ns() >= look_ns {
            solo.reports.gather(&mut sink);
            look_ns = look_ns.saturating_add(solo.timeline.interval_ns);
        }
    }
    solo.end(pass.err(), control, options, &mut sink)
}

/// The layout of the one worker that has a step to itself: all slots of all its streams.
pub fn layout_of_one(step: &Step, targets: usize) -> Vec<WorkerLayout> {
    layout(&of_one(step), &vec![BackendKind::Null; targets], 1)
}

fn of_one(step: &Step) -> Step {
    Step {
        workers: Workers {
            count: Some(1),
            ..Workers::default()
        },
        ..step.clone()
    }
}

/// A step's only worker, and what becomes of what it reports.
pub(crate) struct Solo<B: Backend, C: Clock> {
    pub worker: Worker<B, C>,
    pub timeline: Timeline,
    pub reports: Reports,
    start: Start,
}

impl<B: Backend, C: Clock + Clone> Solo<B, C> {
    /// Before it begins.
    pub fn new(
        step: &Step,
        targets: &[Arc<OpenTarget>],
        options: &Options,
        control: &Control,
        mut clock: C,
        backend: impl FnOnce(&Given<'_>) -> B,
    ) -> Result<Self, EngineError> {
        let step = &of_one(step);
        let layouts = layout_of_one(step, targets.len());
        let [own] = layouts.as_slice() else {
            return Err(EngineError::Empty);
        };
        if step.streams.is_empty() {
            return Err(EngineError::Empty);
        }
        let (mut work, endpoints) = Setup::new(step, targets, options, &layouts)?.work(0)?;
        if !B::TAKES_BYTES {
            work.orders.buffer_stride = 0;
        }
        let start = Start::at(options.start_at, clock.now_ns());
        let timeline = timeline(step, options, start.at_ns);
        work.orders.timeline = timeline;
        work.orders.may_spin = false;
        let (reports, incoming) = channel();
        let (give_back, fresh) = channel();
        let tools = Tools {
            backend: backend(&Given {
                pools: &own.pools,
                trees: &endpoints.trees,
                tree_seed: endpoints.tree_seed,
            }),
            arena: Arena::new(work.buffer_bytes())?,
            clock,
            thread_time: ThreadTime::default,
        };
        let line = Line {
            shared: control.begin_step(),
            reports,
            fresh,
        };
        Ok(Solo {
            worker: Worker::new(work, tools, line),
            timeline,
            reports: Reports {
                incoming,
                give_back,
                gathering: Gathering::new(Merger::new(step, &layouts, timeline)),
            },
            start,
        })
    }

    /// Ends a step that is through; `error` says why it could not go on.
    pub fn end(
        mut self,
        error: Option<io::Error>,
        control: &Control,
        options: &Options,
        sink: &mut impl FnMut(MergedInterval),
    ) -> Result<Outcome, EngineError> {
        self.worker.end(error);
        self.reports.gather(sink);
        Ok(Outcome {
            late_start: self.start.late,
            ..self.reports.gathering.finish(control, options.max_errors)?
        })
    }
}

/// What a worker has reported.
pub(crate) struct Reports {
    incoming: Receiver<Report>,
    give_back: Sender<Box<IntervalStats>>,
    gathering: Gathering,
}

impl Reports {
    /// Hands on the intervals that have ended.
    pub fn gather(&mut self, sink: &mut impl FnMut(MergedInterval)) {
        while let Ok(report) = self.incoming.try_recv() {
            if let Some((_, used)) = self.gathering.take(report, sink) {
                // A worker that has ended takes nothing back.
                let _ = self.give_back.send(used);
            }
        }
    }
}
