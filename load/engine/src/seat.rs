//! One worker's thread, from its start to the loop.

use crate::EngineError;
use crate::backend::choose::Kind;
use crate::backend::libaio::Libaio;
use crate::backend::nbd::Nbd;
use crate::backend::null::Null;
use crate::backend::psync::{Current, Psync, carry_out};
use crate::backend::threads::Threads;
use crate::backend::uring::Uring;
use crate::backend::{Backend, FileTable, Request};
use crate::buffers::Arena;
use crate::clock::RealClock;
use crate::gate::{Gate, Opening};
use crate::layout::WorkerLayout;
use crate::run::Options;
use crate::setup::Prepared;
use crate::worker::{Mode, Report, Shared, Timeline, Worker, WorkerParts};
use plimsoll_measure::IntervalStats;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// What one worker thread starts with.
pub(crate) struct Seat {
    pub number: usize,
    pub layout: WorkerLayout,
    pub prepared: Prepared,
    /// But for the start, which is known when the gate opens.
    pub timeline: Timeline,
    pub options: Options,
    pub shared: Arc<Shared>,
    pub gate: Arc<Gate>,
    /// Says once whether the worker is ready; dropped then, so that a death before is seen.
    pub ready: Sender<Result<(), EngineError>>,
    pub reports: Sender<Report>,
    pub fresh: Receiver<Box<IntervalStats>>,
    pub current: Arc<Current>,
}

impl Seat {
    /// Runs the worker in this thread.
    pub fn take(mut self) {
        match self.make() {
            Ok((Made::Null(backend), arena)) => self.run(backend, arena),
            Ok((Made::Psync(backend), arena)) => self.run(backend, arena),
            Ok((Made::Threads(backend), arena)) => self.run(backend, arena),
            Ok((Made::Uring(backend), arena)) => self.run(backend, arena),
            Ok((Made::Libaio(backend), arena)) => self.run(backend, arena),
            Ok((Made::Nbd(backend), arena)) => self.run(backend, arena),
            Err(error) => {
                // Whoever asks is gone only where the step was given up.
                let _ = self.ready.send(Err(error));
            }
        }
    }

    /// What must be made on the thread that uses it.
    fn make(&mut self) -> Result<(Made, Arena), EngineError> {
        if let Some(cpu) = self.layout.cpu {
            pin(cpu).map_err(|source| EngineError::Pin { cpu, source })?;
        }
        precise_timers();
        let slots: usize = self.layout.pools.iter().map(|p| p.room as usize).sum();
        let arena = Arena::new(slots * self.prepared.buffer_stride)?;
        let files = std::mem::take(&mut self.prepared.files);
        let refused = |name| move |source| EngineError::Backend { name, source };
        let made = match self.layout.kind {
            Kind::Null => Made::Null(Null::new(slots)),
            Kind::Psync if matches!(self.prepared.mode, Mode::Open | Mode::Mixed) => {
                Made::Threads(Threads::new(call_on(files), slots))
            }
            Kind::Psync => Made::Psync(Psync::new(files, Arc::clone(&self.current))),
            Kind::Uring => Uring::new(files, slots, &arena)
                .map(Made::Uring)
                .map_err(refused(Uring::NAME))?,
            Kind::Libaio => Libaio::new(files, slots)
                .map(Made::Libaio)
                .map_err(refused(Libaio::NAME))?,
            Kind::Nbd | Kind::NbdAlone => Nbd::new(&self.prepared.volumes, slots).map(Made::Nbd)?,
        };
        Ok((made, arena))
    }

    fn run<B: Backend>(self, mut backend: B, arena: Arena) {
        let _ = self.ready.send(Ok(()));
        drop(self.ready);
        let Some(Opening { epoch_ns, start_ns }) = self.gate.wait() else {
            // The backend may know the arena.
            drop(backend);
            return;
        };
        backend.start(epoch_ns);
        let p = self.prepared;
        Worker::new(WorkerParts {
            backend,
            arena,
            clock: RealClock::new(epoch_ns),
            number: self.number,
            mode: p.mode,
            timeline: Timeline {
                start_ns,
                ..self.timeline
            },
            budget: p.budget,
            submit_batch: self.options.submit_batch,
            reap_batch: self.options.reap_batch,
            max_errors: self.options.max_errors,
            buffer_stride: p.buffer_stride,
            pools: p.pools,
            streams: p.streams,
            deficit: p.deficit,
            held: p.held,
            shared: self.shared,
            may_spin: self.options.cpus > 1,
            punctual: p.punctual,
            worker_cpu: thread_cpu_ns,
            reports: self.reports,
            fresh: self.fresh,
        })
        .run();
    }
}

/// The system call of a request.
type Call = Box<dyn Fn(&Request) -> i32 + Send + Sync>;

/// Makes the system calls on these files.
fn call_on(files: FileTable) -> Call {
    Box::new(move |r| carry_out(files[r.file as usize], r))
}

enum Made {
    Null(Null),
    Psync(Psync),
    Threads(Threads<Call>),
    Uring(Uring),
    Libaio(Libaio),
    Nbd(Nbd),
}

fn pin(cpu: u32) -> io::Result<()> {
    if cpu as usize >= CpuSet::MAX_CPU {
        return Err(Errno::INVAL.into());
    }
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    Ok(sched_setaffinity(None, &set)?)
}

/// The default timer slack of 50 us would make each open-loop I/O that late.
fn precise_timers() {
    // Where the kernel has none, nothing can be done about it.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

fn thread_cpu_ns() -> u64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}
