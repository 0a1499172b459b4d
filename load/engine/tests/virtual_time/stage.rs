//! One worker on a scripted target, from a step to what it reported.

use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::backend::{Backend, Completion, Request, Wait};
use plimsoll_engine::buffers::Arena;
use plimsoll_engine::layout::{WorkerLayout, layout};
use plimsoll_engine::scripted::{Scripted, ScriptedAnswer, ScriptedClock, Time};
use plimsoll_engine::setup::Setup;
use plimsoll_engine::worker::{Failure, Line, Pass, Report, Shared, ThreadTime, Tools, Worker};
use plimsoll_engine::{Member, OpenTarget, Opened, Options};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::*;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};

pub const US: u64 = 1_000;
pub const MS: u64 = 1_000_000;
pub const S: u64 = 1_000_000_000;

/// A backend whose answers a host sees in its own way: when, and how late.
pub struct Polled<B, P> {
    inner: B,
    poll: P,
}

impl<B, P> Polled<B, P>
where
    P: FnMut(&mut B, Wait, &mut Vec<Completion>) -> io::Result<()>,
{
    pub fn new(inner: B, poll: P) -> Self {
        Polled { inner, poll }
    }
}

impl<B: Backend, P> Backend for Polled<B, P>
where
    P: FnMut(&mut B, Wait, &mut Vec<Completion>) -> io::Result<()>,
{
    const NAME: &'static str = "polled";

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.inner.queue(request)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        (self.poll)(&mut self.inner, wait, out)
    }
}

/// A step on scripted targets of 1 GiB each; 4 KiB random reads unless changed.
pub struct Stage {
    pub step: Step,
    pub durability: Durability,
    pub options: Options,
    pub stop_at_ns: Option<u64>,
    /// From when on, ns, its first stream has so many I/Os in flight at most; in the order of time.
    pub depths: Vec<(u64, u32)>,
    /// Only on a clock that goes on by itself.
    pub may_spin: bool,
}

/// What a worker reported, and when it ended.
pub struct Played {
    /// (length in ns, counters).
    pub intervals: Vec<(u64, IntervalStats)>,
    /// What came back after the end, where anything did.
    pub drain: Option<(u64, IntervalStats)>,
    pub failures: Vec<Failure>,
    pub lost: Vec<Failure>,
    pub unfinished: u64,
    pub limit: bool,
    pub too_many_errors: bool,
    pub errors: u64,
    pub end_ns: u64,
}

pub fn stream(target: u32, share: f64) -> Stream {
    Stream {
        share,
        ..Stream::new(
            format!("w{target}"),
            TargetId(target),
            Mix::READS,
            SizeSpec::Fixed(Bytes(4096)),
            AddressSpec::whole(Pattern::RANDOM),
        )
    }
}

/// One pass over the first bytes of a target.
pub fn one_pass(target: u32, bytes: u64) -> Stream {
    let mut s = stream(target, 1.0);
    s.address.range = RangeSpec::Bytes(Bytes(0), Bytes(bytes));
    s.address.pattern = Pattern::ONE_PASS;
    s
}

pub fn open(rate: f64, arrival: Arrival) -> Load {
    Load::rate(Rate(rate), arrival)
}

impl Stage {
    /// One target for each of these depths, with one stream of equal share each; 10 s in intervals of 1 s.
    pub fn new(load: Load, depths: &[u32]) -> Self {
        let ids = 0..depths.len() as u32;
        let step = Step::new(
            "s",
            ids.clone().map(|t| stream(t, 1.0)).collect(),
            ids.map(|t| Depth::new(TargetId(t), depths[t as usize]))
                .collect(),
            load,
            Nanos::secs(10),
        );
        let options = Options {
            submit_batch: 16,
            drain: Nanos::secs(5),
            kinds: vec![BackendKind::Uring(Polling::NONE); depths.len()],
            ..Options::new(42)
        };
        Stage {
            step,
            durability: Durability::None,
            options,
            stop_at_ns: None,
            depths: Vec::new(),
            may_spin: false,
        }
    }

    pub fn targets(&self) -> Vec<Arc<OpenTarget>> {
        let target = |i: usize| OpenTarget {
            name: format!("t{i}"),
            opened: Opened::File(Member {
                path: "/dev/null".into(),
                file: File::open("/dev/null").expect("/dev/null"),
                size: 1 << 30,
                start: 0,
                hold: None,
            }),
            size: 1 << 30,
            logical_block: 512,
            durability: self.durability,
            ..OpenTarget::unused("")
        };
        let count = self.step.depths.len();
        (0..count).map(|i| Arc::new(target(i))).collect()
    }

    /// Plays the step on a target that does as it is told; `Request::file` is the target's number.
    pub fn play(&self, device: impl FnMut(u64, &Request) -> ScriptedAnswer) -> Played {
        let time = Time::default();
        self.play_on(&time, Scripted::new(time.clone(), device))
    }

    /// Plays the step on a backend of this time.
    pub fn play_on<B: Backend>(&self, time: &Time, backend: B) -> Played {
        let mut backend = Some(backend);
        let cast = self.workers(time, |_| backend.take().expect("a stage has one worker"));
        let [(mut worker, incoming)] =
            <[_; 1]>::try_from(cast.workers).unwrap_or_else(|_| unreachable!());
        let mut depths = self.depths.iter().peekable();
        let mut limit = |now: u64| {
            while let Some((_, most)) = depths.next_if(|(at, _)| *at <= now) {
                cast.shared.depths.set(0, *most);
            }
        };
        limit(0);
        worker.begin().expect("begins");
        let mut still = (0, 0);
        loop {
            limit(time.now_ns());
            if self.stop_at_ns.is_some_and(|at| time.now_ns() >= at) {
                cast.shared.stop.store(true, Ordering::Relaxed);
            }
            if worker.pass().expect("turns") == Pass::Done {
                break;
            }
            still = match time.now_ns() {
                now if now == still.0 => (now, still.1 + 1),
                now => (now, 0),
            };
            assert!(still.1 < 10_000, "the loop spins at {} ns", still.0);
        }
        let end_ns = time.now_ns();
        worker.end(None);
        let mut played = Played::of(&cast.shared, end_ns);
        for report in incoming.try_iter() {
            played.add(report);
        }
        played
    }

    /// The step's workers, before they begin; `backend` makes each one's.
    pub fn workers<B: Backend>(&self, time: &Time, mut backend: impl FnMut(usize) -> B) -> Cast<B> {
        let targets = self.targets();
        let layouts = layout(&self.step, &self.options.kinds, self.options.cpus);
        let setup = Setup::new(&self.step, &targets, &self.options, &layouts);
        let setup = setup.expect("a step that can be");
        let shared = Arc::new(Shared::default());
        let mut make = |number: usize| {
            let (mut work, _) = setup.work(number).expect("a step that can be");
            work.orders.may_spin = self.may_spin;
            let (reports, incoming) = channel();
            let (_, fresh) = channel();
            let tools = Tools {
                backend: backend(number),
                arena: Arena::new(work.buffer_bytes()).expect("memory"),
                clock: ScriptedClock(time.clone()),
                thread_time: ThreadTime::default,
            };
            let line = Line {
                shared: Arc::clone(&shared),
                reports,
                fresh,
            };
            let worker = Worker::new(work, tools, line);
            (worker, incoming)
        };
        let workers = (0..layouts.len()).map(&mut make).collect();
        let own = |l: &WorkerLayout| l.streams.iter().map(|s| s.stream).collect();
        Cast {
            workers,
            shared,
            streams: layouts.iter().map(own).collect(),
        }
    }
}

/// A step's workers, and where their reports come.
pub struct Cast<B: Backend> {
    pub workers: Vec<(Worker<B, ScriptedClock>, Receiver<Report>)>,
    pub shared: Arc<Shared>,
    /// Which of the step's streams each worker's are.
    pub streams: Vec<Vec<usize>>,
}

impl Played {
    /// Nothing was reported yet.
    pub fn of(shared: &Shared, end_ns: u64) -> Self {
        Played {
            intervals: Vec::new(),
            drain: None,
            failures: Vec::new(),
            lost: Vec::new(),
            unfinished: 0,
            limit: false,
            too_many_errors: shared.too_many_errors.load(Ordering::Relaxed),
            errors: shared.errors.load(Ordering::Relaxed),
            end_ns,
        }
    }

    pub fn add(&mut self, report: Report) {
        match report {
            Report::Interval {
                number,
                length_ns,
                drain,
                stats,
                failures,
                ..
            } => {
                assert!(self.drain.is_none(), "the drain comes last");
                assert_eq!(number as usize, self.intervals.len() + 1);
                match drain {
                    true => self.drain = Some((length_ns, *stats)),
                    false => self.intervals.push((length_ns, *stats)),
                }
                self.failures.extend(failures);
            }
            Report::Done {
                limit,
                lost,
                unfinished,
                ..
            } => {
                self.limit = limit;
                self.lost = lost;
                self.unfinished = unfinished;
            }
        }
    }

    /// Puts a worker's streams in the places that they have in the step.
    pub fn number_streams(&mut self, places: &[usize], count: usize) {
        let intervals = self.intervals.iter_mut().chain(&mut self.drain);
        for (_, stats) in intervals {
            let mut all = IntervalStats::new(count).streams;
            for (own, place) in std::mem::take(&mut stats.streams).into_iter().zip(places) {
                all[*place] = own;
            }
            stats.streams = all;
        }
    }

    /// All intervals together, without the time after the end.
    pub fn total(&self) -> IntervalStats {
        merged(&self.intervals)
    }

    /// The same with what came back after the end: the times of all that was due.
    pub fn whole(&self) -> IntervalStats {
        let mut whole = self.total();
        if let Some(drain) = &self.drain {
            whole.merge(&drain.1);
        }
        whole
    }

    /// I/Os of one stream.
    pub fn ios(&self, stream: usize) -> u64 {
        self.total().streams[stream].ops.iter().map(|o| o.ios).sum()
    }
}

fn merged(intervals: &[(u64, IntervalStats)]) -> IntervalStats {
    let mut total = IntervalStats::default();
    for (_, stats) in intervals {
        let mut stats = stats.clone();
        stats.samples.clear();
        total.merge(&stats);
    }
    total
}
