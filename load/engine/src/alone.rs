//! One step in the caller's thread: one worker, on a backend and a clock of the caller's.

use crate::EngineError;
use crate::backend::Backend;
use crate::backend::choose::Kind;
use crate::buffers::Arena;
use crate::clock::Clock;
use crate::gather::Gathering;
use crate::layout::{PoolShare, layout};
use crate::merge::Merger;
use crate::run::{Control, MergedInterval, Options, Outcome};
use crate::setup::{Setup, timeline};
use crate::start::Start;
use crate::target::OpenTarget;
use crate::worker::{Line, ThreadTime, Tools, Turn, Worker};
use plimsoll_plan::{Step, Workers};
use std::sync::Arc;
use std::sync::mpsc::channel;

/// Runs a step from the clock's now on, and hands each interval to `sink` when it has ended. `backend` makes the backend,
/// told which slots are whose: they are numbered from 0 in this order. A clock that only waiting moves is virtual time.
///
/// There is one worker, however many the step asks for: they are threads, and here is only one. So what comes out depends
/// on the plan and the seed alone.
pub fn run_step_alone<B: Backend, C: Clock + Clone>(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    options: &Options,
    control: &Control,
    mut clock: C,
    backend: impl FnOnce(&[PoolShare]) -> B,
    mut sink: impl FnMut(MergedInterval),
) -> Result<Outcome, EngineError> {
    let step = &Step {
        workers: Workers {
            count: Some(1),
            ..Workers::default()
        },
        ..step.clone()
    };
    let layouts = layout(step, &vec![Kind::Null; targets.len()], 1);
    let [own] = layouts.as_slice() else {
        return Err(EngineError::Empty);
    };
    if step.streams.is_empty() {
        return Err(EngineError::Empty);
    }
    let (mut work, _) = Setup::new(step, targets, options, &layouts)?.work(0)?;
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
        backend: backend(&own.pools),
        arena: Arena::new(work.buffer_bytes())?,
        clock: clock.clone(),
        thread_time: ThreadTime::default,
    };
    let line = Line {
        shared: control.begin_step(),
        reports,
        fresh,
    };
    let mut worker = Worker::new(work, tools, line);
    let mut gathering = Gathering::new(Merger::new(step, &layouts, timeline));
    let mut gather = |sink: &mut _| {
        while let Ok(report) = incoming.try_recv() {
            if let Some((_, used)) = gathering.take(report, sink) {
                // A worker that has ended takes nothing back.
                let _ = give_back.send(used);
            }
        }
    };
    let mut look_ns = timeline.start_ns;
    let mut turn = worker.begin().map(|()| Turn::Again);
    while let Ok(Turn::Again) = turn {
        turn = worker.turn();
        if clock.now_ns() >= look_ns {
            gather(&mut sink);
            look_ns = look_ns.saturating_add(timeline.interval_ns);
        }
    }
    worker.end(turn.err());
    gather(&mut sink);
    Ok(Outcome {
        late_start: start.late,
        ..gathering.finish(control, options.max_errors)?
    })
}
