//! One step: worker threads started on a common instant, their intervals merged as they come.

use crate::EngineError;
use crate::backend::choose::Kind;
use crate::backend::libaio::Libaio;
use crate::backend::null::Null;
use crate::backend::psync::{Current, Psync};
use crate::backend::uring::Uring;
use crate::backend::{Backend, FileTable};
use crate::buffers::Arena;
use crate::clock::RealClock;
use crate::layout::{WorkerLayout, layout};
use crate::merge::Merger;
use crate::setup::{self, Prepared};
use crate::target::OpenTarget;
use crate::worker::{Failure, FailureKind, Report, Shared, Timeline, Worker, WorkerParts};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::{Durability, Nanos, Step};
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Barrier};
use std::time::Duration;

/// How a step is run, apart from what the plan says.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of every random choice.
    pub seed: u64,
    /// I/Os handed to the kernel at once, at most.
    pub submit_batch: usize,
    /// Failed I/Os after which the step ends.
    pub max_errors: u64,
    /// How long after the end I/Os may stay out.
    pub drain: Nanos,
    /// CPUs that this process may use.
    pub cpus: u32,
    /// The backend of each plan target.
    pub kinds: Vec<Kind>,
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
    /// The counters, by the step's streams.
    pub stats: IntervalStats,
    /// Busy share of each worker thread, 0..=1.
    pub worker_busy: Vec<f64>,
    /// The first failures in it.
    pub failures: Vec<Failure>,
}

/// How a step ended.
#[derive(Debug)]
pub struct Outcome {
    /// Worker threads.
    pub workers: u32,
    /// A limit or a stream's end stopped it before its time.
    pub limit: bool,
    /// [`Control::stop`] did.
    pub stopped: bool,
    /// Too many I/Os failed.
    pub too_many_errors: bool,
    /// I/Os that never came back.
    pub lost: Vec<Failure>,
    /// Worker threads that never came back: stuck in a system call.
    pub stuck_workers: u32,
    /// Failed I/Os.
    pub errors: u64,
}

/// The gate that all workers wait at until every one is ready.
struct Gate {
    ready: Barrier,
    go: Barrier,
    epoch_ns: AtomicU64,
    abort: AtomicBool,
}

/// From the opening of the gate to the first I/O: the time that the threads need to wake.
const START_DELAY_NS: u64 = 3_000_000;
/// How long past the drain deadline a worker's last word is waited for.
const LAST_WORD: Duration = Duration::from_secs(2);

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
    let mut prepared = Vec::with_capacity(layouts.len());
    for (number, worker) in layouts.iter().enumerate() {
        prepared.push(setup::prepare(
            step,
            targets,
            options,
            worker,
            number,
            layouts.len(),
        )?);
    }
    let count = layouts.len();
    let shared = Arc::clone(&control.shared);
    shared.errors.store(0, Ordering::Relaxed);
    shared.too_many_errors.store(false, Ordering::Relaxed);
    let gate = Arc::new(Gate {
        ready: Barrier::new(count + 1),
        go: Barrier::new(count + 1),
        epoch_ns: AtomicU64::new(0),
        abort: AtomicBool::new(false),
    });
    let timeline = setup::timeline(step, options, START_DELAY_NS);
    let (reports, incoming) = channel();
    let (failed, failures) = channel();
    let mut recycle = Vec::with_capacity(count);
    let mut watched = Vec::with_capacity(count);
    for (number, (layout, prepared)) in layouts.iter().zip(prepared).enumerate() {
        let (give_back, fresh) = channel();
        recycle.push(give_back);
        let current = Arc::new(Current::default());
        watched.push(Watched {
            current: Arc::clone(&current),
            targets: prepared.target_of_file.clone(),
        });
        let seat = Seat {
            number,
            layout: layout.clone(),
            prepared,
            timeline,
            options: options.clone(),
            shared: Arc::clone(&shared),
            gate: Arc::clone(&gate),
            reports: reports.clone(),
            failed: failed.clone(),
            fresh,
            current,
        };
        std::thread::Builder::new()
            .name(format!("worker-{number}"))
            .spawn(move || seat.take())
            .map_err(EngineError::Thread)?;
    }
    drop((reports, failed));
    gate.ready.wait();
    if let Ok(error) = failures.try_recv() {
        gate.abort.store(true, Ordering::SeqCst);
        gate.go.wait();
        return Err(error);
    }
    // The first clock of a process calibrates for 100 ms; that must not be the step's.
    RealClock::name();
    gate.epoch_ns
        .store(RealClock::monotonic_ns(), Ordering::SeqCst);
    gate.go.wait();
    let merger = Merger::new(step, &layouts, timeline);
    let outcome = gather(merger, &incoming, &recycle, &watched, timeline, &mut sink)?;
    if outcome.lost.is_empty() && outcome.stuck_workers == 0 {
        sync_at_end(step, targets);
    }
    Ok(Outcome {
        workers: count as u32,
        stopped: control.stopped(),
        too_many_errors: shared.too_many_errors.load(Ordering::Relaxed),
        errors: shared.errors.load(Ordering::Relaxed),
        ..outcome
    })
}

fn gather(
    mut merger: Merger,
    incoming: &Receiver<Report>,
    recycle: &[Sender<Box<IntervalStats>>],
    watched: &[Watched],
    timeline: Timeline,
    sink: &mut impl FnMut(MergedInterval),
) -> Result<Outcome, EngineError> {
    let give_up_ns = timeline.start_ns + timeline.length_ns + timeline.drain_ns;
    let started = std::time::Instant::now();
    let mut outcome = Outcome {
        workers: 0,
        limit: false,
        stopped: false,
        too_many_errors: false,
        lost: Vec::new(),
        stuck_workers: 0,
        errors: 0,
    };
    let mut refused = None;
    while merger.running() > 0 {
        let left = (Duration::from_nanos(give_up_ns) + LAST_WORD).saturating_sub(started.elapsed());
        match incoming.recv_timeout(left) {
            Ok(Report::Interval {
                worker,
                number,
                length_ns,
                stats,
                failures,
            }) => {
                let used = merger.add(worker, number, length_ns, stats, failures);
                // A worker that has ended takes nothing back.
                let _ = recycle[worker].send(used);
            }
            Ok(Report::Done {
                worker,
                limit,
                lost,
                error,
            }) => {
                merger.done(worker);
                outcome.limit |= limit;
                outcome.lost.extend(lost);
                if let Some(source) = error {
                    refused.get_or_insert((worker, source));
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                let stuck = merger.give_up();
                outcome.stuck_workers = stuck.len() as u32;
                let at_ns = started.elapsed().as_nanos() as u64;
                outcome
                    .lost
                    .extend(stuck.iter().filter_map(|w| watched[*w].failure(at_ns)));
            }
            // Every sender is gone, and some never said that they were done: a bug of ours.
            Err(RecvTimeoutError::Disconnected) => return Err(EngineError::WorkerDied),
        }
        merger.emit(sink);
    }
    merger.emit(sink);
    match refused {
        Some((worker, source)) => Err(EngineError::Submit {
            name: merger.backend_name(worker),
            source,
        }),
        None => Ok(outcome),
    }
}

fn sync_at_end(step: &Step, targets: &[Arc<OpenTarget>]) {
    for depth in &step.depths {
        let target = &targets[depth.target.0 as usize];
        if step.writes()
            && matches!(
                target.durability,
                Durability::FsyncAtEnd | Durability::FsyncEvery(_)
            )
        {
            for member in &target.members {
                // A failure here has no I/O to be counted against; the device's own errors were.
                let _ = member.file.sync_data();
            }
        }
    }
}

/// What can be seen of a worker from outside.
struct Watched {
    current: Arc<Current>,
    /// Names of its files' targets.
    targets: Vec<String>,
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

/// What one worker thread starts with.
struct Seat {
    number: usize,
    layout: WorkerLayout,
    prepared: Prepared,
    timeline: Timeline,
    options: Options,
    shared: Arc<Shared>,
    gate: Arc<Gate>,
    reports: Sender<Report>,
    failed: Sender<EngineError>,
    fresh: Receiver<Box<IntervalStats>>,
    current: Arc<Current>,
}

impl Seat {
    fn take(self) {
        if let Some(cpu) = self.layout.cpu {
            pin(cpu);
        }
        precise_timers();
        let slots: usize = self.layout.pools.iter().map(|p| p.slots as usize).sum();
        let arena = match Arena::new(slots * self.prepared.buffer_stride) {
            Ok(arena) => arena,
            Err(e) => return self.refuse(e),
        };
        let files: FileTable = self.prepared.files.iter().map(|f| f.as_raw_fd()).collect();
        let made = match self.layout.kind {
            Kind::Null => return self.run(Null::new(slots), arena),
            Kind::Psync => {
                let current = Arc::clone(&self.current);
                return self.run(Psync::new(files, current), arena);
            }
            Kind::Uring => Uring::new(files, slots, &arena).map(Either::Uring),
            Kind::Libaio => Libaio::new(files, slots).map(Either::Libaio),
        };
        match made {
            Ok(Either::Uring(backend)) => self.run(backend, arena),
            Ok(Either::Libaio(backend)) => self.run(backend, arena),
            Err(source) => {
                let name = match self.layout.kind {
                    Kind::Uring => Uring::NAME,
                    _ => Libaio::NAME,
                };
                self.refuse(EngineError::Backend { name, source });
            }
        }
    }

    fn refuse(self, error: EngineError) {
        // The receiver lives until every worker has passed the gate.
        let _ = self.failed.send(error);
        self.gate.ready.wait();
        self.gate.go.wait();
    }

    fn run<B: Backend>(self, backend: B, arena: Arena) {
        self.gate.ready.wait();
        self.gate.go.wait();
        if self.gate.abort.load(Ordering::SeqCst) {
            return;
        }
        let clock = RealClock::new(self.gate.epoch_ns.load(Ordering::SeqCst));
        let p = self.prepared;
        Worker::new(WorkerParts {
            backend,
            arena,
            clock,
            number: self.number,
            mode: p.mode,
            timeline: self.timeline,
            budget: p.budget,
            submit_batch: self.options.submit_batch,
            max_errors: self.options.max_errors,
            buffer_stride: p.buffer_stride,
            pools: p.pools,
            streams: p.streams,
            deficit: p.deficit,
            shared: self.shared,
            may_spin: self.options.cpus > 1,
            worker_cpu: thread_cpu_ns,
            reports: self.reports,
            fresh: self.fresh,
        })
        .run();
    }
}

enum Either {
    Uring(Uring),
    Libaio(Libaio),
}

fn pin(cpu: u32) {
    // SAFETY: all-zero is a valid cpu_set_t; CPU_SET bounds-checks; sched_setaffinity only reads the set.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu as usize, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

/// The default timer slack of 50 us would make each open-loop I/O that late.
fn precise_timers() {
    // SAFETY: prctl with a plain number.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong, 0, 0, 0) };
}

fn thread_cpu_ns() -> u64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `t` is a valid timespec for the call's duration.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// The error of a content file, for the one place that reads them.
pub(crate) fn content_error(path: &std::path::Path, source: io::Error) -> EngineError {
    EngineError::Content {
        path: path.display().to_string(),
        source,
    }
}
