//! One step: worker threads started on a common instant, their intervals merged as they come.

use crate::EngineError;
use crate::backend::choose::Kind;
use crate::backend::nbd::{Access, Ledger, VolumeReport};
use crate::backend::psync::Current;
use crate::clock::RealClock;
use crate::gate::{Gate, Opening};
use crate::gather::Gathering;
use crate::heartbeat::{Heartbeat, Standstill};
use crate::layout::{WorkerLayout, layout};
use crate::merge::Merger;
use crate::ranks::Ranks;
use crate::setup::{Endpoints, Setup, timeline};
use crate::start::{Start, wait_to_open};
use crate::sync_at_end::sync_at_end;
use crate::target::OpenTarget;
use crate::trace::StepTrace;
use crate::worker::{Failure, FailureKind, Line, Report, Shared, Timeline, Work};
use crate::worker_thread::WorkerThread;
use plimsoll_measure::IntervalStats;
use plimsoll_plan::{Depth, Load, Nanos, Step};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How a step is run, apart from what the plan says.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of every random choice of the step.
    pub seed: u64,
    /// Seed of what stays the same over all steps of a run: which blocks are duplicates of which.
    pub run_seed: u64,
    /// I/Os handed to the kernel at once, at most.
    pub submit_batch: usize,
    /// Completions that a closed loop waits for at once, where so many are out.
    pub reap_batch: u32,
    /// Failed I/Os after which the step ends.
    pub max_errors: u64,
    /// How long after the end I/Os may stay out.
    pub drain: Nanos,
    /// Without a warm-up the first interval is not counted, as Vdbench has it: what was due in it is in no counted
    /// interval's times.
    pub leaves_out_first: bool,
    /// CPUs that this process may use.
    pub cpus: u32,
    /// The backend of each plan target.
    pub kinds: Vec<Kind>,
    /// When the I/O begins, on CLOCK_MONOTONIC (in virtual time on its clock), ns; `None`: as soon as all workers are ready.
    /// One that is past is now, and [`Outcome::late_start`] says by how much.
    pub start_at: Option<u64>,
    /// The place of this host's workers among those of all hosts that carry out the step; `None`: there is no other.
    pub ranks: Option<Ranks>,
    /// Where what is issued is kept one by one, for whoever wants a log of it.
    pub trace: Option<StepTrace>,
}

/// Stops a running step from elsewhere.
#[derive(Debug, Clone, Default)]
pub struct Control {
    shared: Arc<Shared>,
}

impl Control {
    /// Ends the step when its running interval does.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// True once [`Control::stop`] was called.
    pub fn stopped(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    /// Ends the running step when its interval does, and only that one: enough was seen of it.
    pub fn end_step(&self) {
        self.shared.seen_enough.store(true, Ordering::Relaxed);
    }

    /// True once [`Control::end_step`] was called for the running step, or the last one.
    pub fn step_ended(&self) -> bool {
        self.shared.seen_enough.load(Ordering::Relaxed)
    }

    /// Whether [`Control::end_step`] was called since this was asked last: for a step that is carried out elsewhere.
    pub fn take_step_end(&self) -> bool {
        self.shared.seen_enough.swap(false, Ordering::Relaxed)
    }

    /// The last step is over: when it began is not when the next one does.
    pub fn forget_beginning(&self) {
        self.shared.began_ns.store(0, Ordering::Release);
    }

    /// Stream `stream` of the running step, or of the one that begins next, has at most `most` I/Os in flight: where the load is a
    /// closed loop and the stream has slots of its own. Workers see it within 100 ms; what is in flight comes back first.
    pub fn limit_depth(&self, stream: usize, most: u32) {
        self.shared.depths.set(stream, most);
    }

    /// Every stream may use all of its slots.
    pub fn free_depths(&self) {
        self.shared.depths.clear();
    }

    /// When the running step began, CLOCK_MONOTONIC ns; `None` until it has, and in virtual time.
    pub fn began_ns(&self) -> Option<u64> {
        match self.shared.began_ns.load(Ordering::Acquire) {
            0 => None,
            ns => Some(ns),
        }
    }

    /// What the workers of the step share that begins.
    pub(crate) fn begin_step(&self) -> Arc<Shared> {
        self.shared.errors.store(0, Ordering::Relaxed);
        self.shared.fsync_errors.store(0, Ordering::Relaxed);
        self.shared.too_many_errors.store(false, Ordering::Relaxed);
        self.shared.abandon.store(false, Ordering::Relaxed);
        self.shared.begin();
        Arc::clone(&self.shared)
    }

    /// Failed I/Os and fsyncs of the step, past the one that ended it too.
    pub(crate) fn errors(&self) -> u64 {
        self.shared.errors.load(Ordering::Relaxed)
    }

    /// The fsyncs among those that count.
    pub(crate) fn fsync_errors(&self) -> u64 {
        self.shared.fsync_errors.load(Ordering::Relaxed)
    }

    /// True once too many of them failed.
    pub(crate) fn too_many_errors(&self) -> bool {
        self.shared.too_many_errors.load(Ordering::Relaxed)
    }
}

/// All workers' counters of one interval.
#[derive(Debug)]
pub struct MergedInterval {
    /// From 1.
    pub number: u32,
    /// From the step's start, ns.
    pub start_ns: u64,
    /// Its length, ns.
    pub length_ns: u64,
    /// True for the time after the end, in which what was due before it comes back.
    pub drain: bool,
    /// The counters, by the step's streams.
    pub stats: IntervalStats,
    /// Busy share of each worker thread, 0..=1.
    pub worker_busy: Vec<f64>,
    /// Each worker thread's time; one that had ended before has none. `None` where the kernel does not tell.
    pub worker_times: Option<Vec<WorkerTime>>,
    /// The first failures in it.
    pub failures: Vec<Failure>,
    /// For each target that is reached by NBD, in the order of [`Outcome::volumes`]: how many I/Os each of its paths had carried
    /// since the step began, when the interval was put together.
    pub carried: Vec<Vec<u64>>,
}

/// A worker thread's time in one interval, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkerTime {
    /// On a CPU.
    pub ran_ns: u64,
    /// Ready to run, waiting for a CPU.
    pub waited_ns: u64,
}

/// How a step ended.
#[derive(Debug)]
pub struct Outcome {
    /// Worker threads.
    pub workers: u32,
    /// How much later than [`Options::start_at`] the I/O began.
    pub late_start: Nanos,
    /// A limit, a stream's end or [`Control::end_step`] stopped it before its time.
    pub limit: bool,
    /// [`Control::stop`] did.
    pub stopped: bool,
    /// Too many I/Os failed.
    pub too_many_errors: bool,
    /// I/Os that never came back.
    pub lost: Vec<Failure>,
    /// I/Os that were due in the counted time and not back at the end of the drain.
    pub unfinished: u64,
    /// Worker threads that never came back: stuck in a system call.
    pub stuck_workers: u32,
    /// Failed I/Os and fsyncs, those after the last interval too; no more than [`Options::max_errors`], and one for each
    /// fsync at the end. What never came back is not among them.
    pub errors: u64,
    /// The fsyncs and flushes among them.
    pub fsync_errors: u64,
    /// When the host, or whoever stopped the process, kept it from its CPUs.
    pub standstills: Vec<Standstill>,
    /// What the paths did, of each target that is reached by NBD.
    pub volumes: Vec<VolumeReport>,
}

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

impl Outcome {
    /// True where I/Os never came back.
    pub fn is_hung(&self) -> bool {
        self.stuck_workers > 0 || self.lost.iter().any(|f| f.kind == FailureKind::InFlight)
    }

    fn add_fsyncs(&mut self, failures: Vec<Failure>, max_errors: u64) {
        self.errors += failures.len() as u64;
        self.fsync_errors += failures.len() as u64;
        self.too_many_errors |= self.errors >= max_errors && !failures.is_empty();
        self.lost.extend(failures);
    }
}

/// What the paths did, of each target of the step that is reached by NBD; `start_ns` is the step's start on
/// CLOCK_MONOTONIC.
fn volumes(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    watched: &[Watched],
    start_ns: u64,
) -> Vec<VolumeReport> {
    let used = step.depths.iter().map(|d| &targets[d.target.0 as usize]);
    let report = |target: &Arc<OpenTarget>| {
        let volume = target.opened.volume()?;
        let ledgers: Vec<&Ledger> = ledgers_of(target, watched).collect();
        let paths = &volume.plan.paths;
        Some(VolumeReport::of(&target.name, paths, &ledgers, start_ns))
    };
    used.filter_map(report).collect()
}

/// What each path of each such target has carried so far.
fn carried(step: &Step, targets: &[Arc<OpenTarget>], watched: &[Watched]) -> Vec<Vec<u64>> {
    let used = step.depths.iter().map(|d| &targets[d.target.0 as usize]);
    let of_target = |target: &Arc<OpenTarget>| {
        let paths = target.opened.volume()?.plan.paths.len();
        let of_path = |path| ledgers_of(target, watched).map(|l| l.carried(path)).sum();
        Some((0..paths).map(of_path).collect())
    };
    used.filter_map(of_target).collect()
}

/// The workers' ledgers of a target.
fn ledgers_of<'w>(
    target: &'w OpenTarget,
    watched: &'w [Watched],
) -> impl Iterator<Item = &'w Ledger> {
    watched.iter().filter_map(|w| {
        let at = w.targets.iter().position(|name| *name == target.name)?;
        w.volumes.get(at).map(|access| access.ledger.as_ref())
    })
}

/// Shares are kept by one loop over all targets, and no backend does both I/O and none.
fn refuse_null_beside(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    options: &Options,
) -> Result<(), EngineError> {
    let of = |d: &&Depth| options.kinds[d.target.0 as usize];
    let null = step.depths.iter().find(|d| of(d) == Kind::Null);
    let real = step.depths.iter().find(|d| of(d) != Kind::Null);
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
    let nbd = |d: &&Depth| matches!(of(d), Kind::Nbd | Kind::NbdAlone);
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
    let give_up_ns = timeline.end_ns().saturating_add(timeline.drain_ns);
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

/// What can be seen of a worker from outside.
struct Watched {
    current: Arc<Current>,
    /// Names of its files' or volumes' targets.
    targets: Vec<String>,
    volumes: Vec<Access>,
}

impl Watched {
    /// The I/O that the worker is stuck in; only the synchronous backend shows one.
    fn failure(&self, at_ns: u64) -> Option<Failure> {
        let stuck = self.current.stuck()?;
        Some(Failure {
            target: self
                .targets
                .get(stuck.file as usize)
                .cloned()
                .unwrap_or_default(),
            action: stuck.action,
            offset: stuck.offset,
            length: stuck.length,
            at_ns,
            kind: FailureKind::InFlight,
        })
    }
}

/// The error of a content file, for the one place that reads them.
pub(crate) fn content_error(path: &std::path::Path, source: io::Error) -> EngineError {
    EngineError::Content {
        path: path.display().to_string(),
        source,
    }
}
