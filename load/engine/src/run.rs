//! One step: worker threads started on a common instant, their intervals merged as they come.

use crate::EngineError;
use crate::backend::choose::BackendKind;
use crate::backend::psync::Current;
use crate::clock::RealClock;
use crate::control::Control;
use crate::gate::{Gate, Opening};
use crate::gather::Gathering;
use crate::heartbeat::Heartbeat;
use crate::layout::{WorkerLayout, layout};
use crate::merge::Merger;
use crate::options::Options;
use crate::outcome::{MergedInterval, Outcome};
use crate::setup::{Endpoints, Setup, timeline};
use crate::start::{Start, wait_to_open};
use crate::sync_at_end::sync_at_end;
use crate::target::OpenTarget;
use crate::watched::{Watched, carried, volumes};
use crate::worker::{Line, Report, Shared, Timeline, Work};
use crate::worker_thread::WorkerThread;
use plimsoll_measure::IntervalStats;
use plimsoll_plan::{Depth, Load, Step};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// From the opening of the gate to the first I/O: the time that the threads need to wake, and more for each of them.
const START_DELAY_NS: u64 = 3_000_000;
const START_DELAY_EACH_NS: u64 = 20_000;
/// How often, and how long each, a worker's last word is waited for past the drain deadline. Many short waits, not one of
/// their sum: where the process stands still, that passes in one of them, and the workers still get the others.
const LAST_WORD: Duration = Duration::from_millis(100);
const LAST_WORDS: u32 = 20;

/// Runs a step, and hands each interval to `sink` as soon as all workers have ended it.
pub fn run_step(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    options: &Options,
    control: &Control,
    mut sink: impl FnMut(MergedInterval),
) -> Result<Outcome, EngineError> {
    let layouts = layout(step, &options.kinds, options.cpus);
    if layouts.is_empty() || step.streams.is_empty() {
        return Err(EngineError::Empty);
    }
    refuse_null_beside(step, targets, options)?;
    let setup = Setup::new(step, targets, options, &layouts)?;
    let count = layouts.len();
    let works = (0..count).map(|number| setup.work(number));
    let works: Vec<(Work, Endpoints)> = works.collect::<Result<_, _>>()?;
    let shared = control.begin_step();
    let gate = Arc::new(Gate::default());
    let delay_ns = START_DELAY_NS + START_DELAY_EACH_NS * count as u64;
    let mut timeline = timeline(step, options, 0);
    let (workers, readiness) = spawn(&layouts, works, &shared, &gate)?;
    // The first clock of a process calibrates for 100 ms; that must not be the step's.
    RealClock::name();
    if let Err(e) = all_ready(&readiness, count) {
        gate.abandon();
        return Err(e);
    }
    let now_ns = wait_to_open(options.start_at, delay_ns, control);
    let start = Start::at(options.start_at, now_ns + delay_ns);
    let start_ns = start.at_ns;
    if control.stopped() && start_ns > now_ns + delay_ns {
        gate.abandon();
        return Gathering::new(Merger::new(step, &layouts, timeline))
            .finish(control, options.max_errors);
    }
    timeline.start_ns = start_ns - now_ns;
    let heartbeat = Heartbeat::start(start_ns).map_err(|e| {
        gate.abandon();
        EngineError::Thread(e)
    })?;
    shared.began_ns.store(start_ns, Ordering::Release);
    gate.open(Opening {
        epoch_ns: now_ns,
        start_ns: timeline.start_ns,
    });
    let merger = Merger::new(step, &layouts, timeline);
    let mut with_paths = |merged: MergedInterval| {
        sink(MergedInterval {
            carried: carried(step, targets, &workers.watched),
            ..merged
        });
    };
    let gathered = gather(merger, &workers, timeline, &mut with_paths)?;
    let mut outcome = gathered.finish(control, options.max_errors)?;
    outcome.late_start = start.late;
    outcome.standstills = heartbeat.stop();
    outcome.volumes = volumes(step, targets, &workers.watched, start_ns);
    if !outcome.is_hung() {
        outcome.add_fsyncs(sync_at_end(step, targets, start_ns), options.max_errors);
    }
    Ok(outcome)
}

/// Starts a thread for each worker, which waits at the gate when it is ready, and says so.
fn spawn(
    layouts: &[WorkerLayout],
    works: Vec<(Work, Endpoints)>,
    shared: &Arc<Shared>,
    gate: &Arc<Gate>,
) -> Result<(Workers, Receiver<Result<(), EngineError>>), EngineError> {
    let (reports, incoming) = channel();
    let (ready, readiness) = channel();
    let mut workers = Workers {
        incoming,
        recycle: Vec::with_capacity(works.len()),
        watched: Vec::with_capacity(works.len()),
        shared: Arc::clone(shared),
    };
    for (layout, (work, endpoints)) in layouts.iter().zip(works) {
        let (give_back, fresh) = channel();
        workers.recycle.push(give_back);
        let current = Arc::new(Current::default());
        workers.watched.push(Watched {
            current: Arc::clone(&current),
            targets: endpoints.targets.clone(),
            volumes: endpoints.volumes.clone(),
        });
        let name = format!("worker-{}", work.orders.number);
        let thread = WorkerThread {
            layout: layout.clone(),
            work,
            endpoints,
            line: Line {
                shared: Arc::clone(shared),
                reports: reports.clone(),
                fresh,
            },
            gate: Arc::clone(gate),
            ready: ready.clone(),
            current,
        };
        let thread = std::thread::Builder::new()
            .name(name)
            .spawn(move || thread.run());
        if let Err(e) = thread {
            gate.abandon();
            return Err(EngineError::Thread(e));
        }
    }
    Ok((workers, readiness))
}

/// Shares are kept by one loop over all targets, and no backend does both I/O and none.
fn refuse_null_beside(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    options: &Options,
) -> Result<(), EngineError> {
    let of = |d: &&Depth| options.kinds[d.target.0 as usize];
    let null = step.depths.iter().find(|d| of(d) == BackendKind::Null);
    let real = step.depths.iter().find(|d| of(d) != BackendKind::Null);
    match (null, real) {
        (Some(null), Some(_)) if step.load == Load::MaxShared => Err(EngineError::NullBeside {
            name: targets[null.target.0 as usize].name.clone(),
        }),
        _ => refuse_nbd_beside(step, targets, options),
    }
}

/// Nor does one do I/O on files and on sockets.
fn refuse_nbd_beside(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    options: &Options,
) -> Result<(), EngineError> {
    let of = |d: &Depth| options.kinds[d.target.0 as usize];
    let nbd = |d: &&Depth| matches!(of(d), BackendKind::Nbd | BackendKind::NbdAlone);
    match step.depths.iter().find(nbd) {
        Some(one)
            if step.load == Load::MaxShared && step.depths.iter().any(|d| of(d) != of(one)) =>
        {
            Err(EngineError::NbdBeside {
                name: targets[one.target.0 as usize].name.clone(),
            })
        }
        _ => Ok(()),
    }
}

/// Waits until every worker has said that it is ready; the first that is not says why.
fn all_ready(
    readiness: &Receiver<Result<(), EngineError>>,
    count: usize,
) -> Result<(), EngineError> {
    for _ in 0..count {
        readiness.recv().unwrap_or(Err(EngineError::WorkerDied))?;
    }
    Ok(())
}

/// The ends of the lines to the workers.
struct Workers {
    incoming: Receiver<Report>,
    recycle: Vec<Sender<Box<IntervalStats>>>,
    watched: Vec<Watched>,
    shared: Arc<Shared>,
}

fn gather(
    merger: Merger,
    workers: &Workers,
    timeline: Timeline,
    sink: &mut impl FnMut(MergedInterval),
) -> Result<Gathering, EngineError> {
    let give_up_ns = timeline.give_up_ns();
    let started = std::time::Instant::now();
    let mut gathering = Gathering::new(merger);
    let mut last_words = LAST_WORDS;
    while gathering.running() > 0 {
        let left = Duration::from_nanos(give_up_ns).saturating_sub(started.elapsed());
        let late = left.is_zero();
        match workers
            .incoming
            .recv_timeout(if late { LAST_WORD } else { left })
        {
            Ok(report) => {
                if let Some((worker, used)) = gathering.take(report, sink) {
                    // A worker that has ended takes nothing back.
                    let _ = workers.recycle[worker].send(used);
                }
                if gathering.is_refused() {
                    workers.shared.abandon.store(true, Ordering::Relaxed);
                }
            }
            Err(RecvTimeoutError::Timeout) if last_words > 0 => last_words -= u32::from(late),
            Err(RecvTimeoutError::Timeout) => {
                let at_ns = started.elapsed().as_nanos() as u64;
                gathering.give_up(|w| workers.watched[w].failure(at_ns), sink);
            }
            // Every sender is gone, and some never said that they were done: a bug of ours.
            Err(RecvTimeoutError::Disconnected) => return Err(EngineError::WorkerDied),
        }
    }
    Ok(gathering)
}
