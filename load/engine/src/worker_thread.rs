//! One worker's thread, from its start to the loop.

use crate::EngineError;
use crate::backend::choose::BackendKind;
use crate::backend::libaio::Libaio;
use crate::backend::mmap::Maps;
use crate::backend::nbd::Nbd;
use crate::backend::null::Null;
use crate::backend::psync::{Current, Medium, Psync, carry_out};
use crate::backend::threads::Threads;
use crate::backend::tree::{Hands, OnTree, TreeStream, notes};
use crate::backend::uring::Uring;
use crate::backend::{Backend, FileTable, Request};
use crate::buffers::Arena;
use crate::clock::RealClock;
use crate::gate::{Gate, Opening};
use crate::layout::WorkerLayout;
use crate::setup::Endpoints;
use crate::worker::{Line, Mode, ThreadTime, Tools, Work, Worker};
use plimsoll_traffic::seed_for;
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};
use rustix::time::{ClockId, clock_gettime};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

/// What one worker's thread starts with.
pub(crate) struct WorkerThread {
    pub layout: WorkerLayout,
    /// The start in it is known when the gate opens.
    pub work: Work,
    pub endpoints: Endpoints,
    pub line: Line,
    pub gate: Arc<Gate>,
    /// Says once whether the worker is ready; dropped then, so that a death before is seen.
    pub ready: Sender<Result<(), EngineError>>,
    pub current: Arc<Current>,
}

impl WorkerThread {
    /// Runs the worker in this thread.
    pub fn run(mut self) {
        match self.open() {
            Ok((AnyBackend::Null(backend), arena)) => self.run_on(backend, arena),
            Ok((AnyBackend::Psync(backend), arena)) => self.run_on(backend, arena),
            Ok((AnyBackend::Mmap(backend), arena)) => self.run_on(backend, arena),
            Ok((AnyBackend::Threads(backend), arena)) => self.run_on(backend, arena),
            Ok((AnyBackend::Uring(backend), arena)) => self.run_on(backend, arena),
            Ok((AnyBackend::Libaio(backend), arena)) => self.run_on(backend, arena),
            Ok((AnyBackend::Nbd(backend), arena)) => self.run_on(backend, arena),
            Ok((AnyBackend::Tree(backend), arena)) => self.run_on(backend, arena),
            Ok((AnyBackend::TreeThreads(backend), arena)) => self.run_on(backend, arena),
            Err(error) => {
                // Whoever asks is gone only where the step was given up.
                let _ = self.ready.send(Err(error));
            }
        }
    }

    /// What must be made on the thread that uses it.
    fn open(&mut self) -> Result<(AnyBackend, Arena), EngineError> {
        if let Some(cpu) = self.layout.cpu {
            pin(cpu).map_err(|source| EngineError::Pin { cpu, source })?;
        }
        precise_timers();
        let slots = self.work.slots();
        let arena = Arena::new(self.work.buffer_bytes())?;
        let files = std::mem::take(&mut self.endpoints.files);
        let refused = |name| move |source| EngineError::Backend { name, source };
        let backend = match self.layout.kind {
            BackendKind::Null => AnyBackend::Null(Null::new(slots)),
            BackendKind::Tree => self.on_tree(slots),
            kind if kind.is_synchronous() && self.is_on_schedule() => {
                // What cannot be mapped is better said before than by each I/O.
                let is_map = kind == BackendKind::Mmap;
                let maps = is_map.then(|| Maps::new(&files)).transpose();
                maps.map_err(refused("mmap"))?;
                let call = if is_map {
                    copy_on(files)
                } else {
                    call_on(files)
                };
                AnyBackend::Threads(Threads::new(call, slots))
            }
            BackendKind::Mmap => {
                let maps = Maps::new(&files).map_err(refused("mmap"))?;
                AnyBackend::Mmap(Psync::new(maps, Arc::clone(&self.current)))
            }
            BackendKind::Psync => AnyBackend::Psync(Psync::new(files, Arc::clone(&self.current))),
            BackendKind::Uring(polling) => Uring::new(files, slots, &arena, polling)
                .map(AnyBackend::Uring)
                .map_err(refused(Uring::NAME))?,
            BackendKind::Libaio => Libaio::new(files, slots)
                .map(AnyBackend::Libaio)
                .map_err(refused(Libaio::NAME))?,
            BackendKind::Nbd | BackendKind::NbdAlone => {
                Nbd::new(&self.endpoints.volumes, slots).map(AnyBackend::Nbd)?
            }
        };
        Ok((backend, arena))
    }

    /// Operations on trees, in this thread or, on schedule, in threads of the backend.
    fn on_tree(&self, slots: usize) -> AnyBackend {
        let notes = notes(slots);
        let streams: Arc<[TreeStream]> = self.endpoints.trees.clone().into();
        let (number, own) = (self.work.orders.number as u64, Arc::clone(&notes));
        let (seed, started) = (self.endpoints.tree_seed, AtomicU64::new(0));
        // Each thread draws files of its own, from the run's seed; what others have in use then depends on time.
        let hands = move || {
            let thread = started.fetch_add(1, Ordering::Relaxed);
            let seed = seed_for(seed, &[number, thread]);
            Hands::new(Arc::clone(&streams), Arc::clone(&own), seed)
        };
        if self.is_on_schedule() {
            let threads = Threads::new(call_by(hands), slots);
            return AnyBackend::TreeThreads(OnTree::new(threads, notes));
        }
        let psync = Psync::new(hands(), Arc::clone(&self.current));
        AnyBackend::Tree(OnTree::new(psync, notes))
    }

    fn is_on_schedule(&self) -> bool {
        matches!(self.work.orders.mode, Mode::Open | Mode::Mixed)
    }

    fn run_on<B: Backend>(mut self, mut backend: B, arena: Arena) {
        let _ = self.ready.send(Ok(()));
        drop(self.ready);
        let Some(Opening { epoch_ns, start_ns }) = self.gate.wait() else {
            // The backend may know the arena.
            drop(backend);
            return;
        };
        backend.start(epoch_ns);
        self.work.orders.timeline.start_ns = start_ns;
        let tools = Tools {
            backend,
            arena,
            clock: RealClock::new(epoch_ns),
            thread_time,
        };
        Worker::new(self.work, tools, self.line).run();
    }
}

/// The system call of a request.
type Call = Box<dyn Fn(&Request) -> i32 + Send + Sync>;

/// Makes the system calls on these files.
fn call_on(files: FileTable) -> Call {
    Box::new(move |r| carry_out(files[r.file as usize], r))
}

/// Copies from and to maps of these files. Each thread has its own.
fn copy_on(files: FileTable) -> Call {
    thread_local!(static MAPS: RefCell<Option<Maps>> = const { RefCell::new(None) });
    Box::new(move |r| {
        MAPS.with_borrow_mut(|maps| {
            if maps.is_none() {
                *maps = Maps::new(&files).ok();
            }
            maps.as_mut().map_or(-libc::ENOMEM, |m| m.carry_out(r))
        })
    })
}

/// Works with hands that each thread has to itself, and that rest with it.
fn call_by(hands: impl Fn() -> Hands + Send + Sync + 'static) -> Call {
    thread_local!(static HANDS: RefCell<Option<Hands>> = const { RefCell::new(None) });
    Box::new(move |r| HANDS.with_borrow_mut(|own| own.get_or_insert_with(&hands).carry_out(r)))
}

/// The backend that the layout names, for the one place that starts a loop on it.
enum AnyBackend {
    Null(Null),
    Psync(Psync),
    Mmap(Psync<Maps>),
    Threads(Threads<Call>),
    Uring(Uring),
    Libaio(Libaio),
    Nbd(Nbd),
    Tree(OnTree<Psync<Hands>>),
    TreeThreads(OnTree<Threads<Call>>),
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

/// Asked once an interval: a file that stays open would take a descriptor for each worker.
fn thread_time() -> ThreadTime {
    let ran = clock_gettime(ClockId::ThreadCPUTime);
    ThreadTime {
        ran_ns: ran.tv_sec as u64 * 1_000_000_000 + ran.tv_nsec as u64,
        waited_ns: waited_ns(),
    }
}

/// The second number of `schedstat`. A kernel that counts none of them shows zeros, and nobody has run for no time.
fn waited_ns() -> Option<u64> {
    let mut text = [0; 96];
    let mut file = File::open("/proc/thread-self/schedstat").ok()?;
    let length = file.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let ran = numbers.next()?.ok()?;
    let waited = numbers.next()?.ok()?;
    (ran > 0).then_some(waited)
}
