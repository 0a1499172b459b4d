//! What a worker needs, made before its thread starts, so that mistakes are found before any I/O.

use crate::EngineError;
use crate::backend::FileTable;
use crate::backend::nbd::{Access, Ledger};
use crate::backend::tree::{Rounds, TreeStream};
use crate::content;
use crate::dependencies::{StreamDependencies, WorkerDependencies};
use crate::depths::OwnSlots;
use crate::layout::{PoolKey, PoolShare, StreamShare, WorkerLayout, is_paced, slots_and_sharers};
use crate::meter::{Meter, meters};
use crate::options::Options;
use crate::pace::{Pace, share_of};
use crate::ranks::Ranks;
use crate::replay::{Recording, recordings};
use crate::shared_slots::SharedSlots;
use crate::target::OpenTarget;
use crate::tree::OpenTree;
use crate::verify::Check;
use crate::worker::{
    Budget, Mode, Orders, Pool, Share, StreamState, StreamThrottle, Throttles, Timeline, Work,
};
use plimsoll_content::Filler;
use plimsoll_plan::{
    Bytes, Durability, Load, LogError, Op, Pattern, Replay, Step, Stream, TargetId,
};
use plimsoll_traffic::{Deficit, Replayed, SourceReader, StreamSource, ThinkTimes, seed_for};
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// Files, volumes and trees that a worker's requests go to: a request names one of these by its number.
pub struct Endpoints {
    /// The files; the pools' targets keep them open.
    pub files: FileTable,
    /// Volumes behind NBD servers, in the place of files.
    pub volumes: Vec<Access>,
    /// Work of each of its streams on a tree, where its targets are trees.
    pub trees: Vec<TreeStream>,
    /// Seed by which their files are drawn.
    pub tree_seed: u64,
    /// The name of each file's or volume's target.
    pub targets: Vec<String>,
    /// The number of each target's first, by the target's index.
    first_of: BTreeMap<usize, u32>,
}

/// Length of a sample inside an interval; an interval's last may be shorter.
const SAMPLE_NS: u64 = 100_000_000;
/// Range of the addresses drawn for transfers on a tree, whatever its size: each file maps them to its own.
const TREE_ADDRESSES: u64 = 1 << 40;
/// Seeds of different uses must differ.
const SEED_ADDRESS: u64 = 1;
const SEED_ARRIVAL: u64 = 2;
const SEED_CHOICE: u64 = 3;
const SEED_THINK: u64 = 4;
const SEED_FILES: u64 = 5;

/// The seed of a step's stream's arrivals; all its workers have the same.
pub fn arrival_seed(seed: u64, stream: usize) -> u64 {
    seed_for(seed, &[SEED_ARRIVAL, stream as u64])
}

/// A step's instants; I/O starts `delay_ns` after the clocks' zero.
pub fn timeline(step: &Step, options: &Options, delay_ns: u64) -> Timeline {
    let length_ns = (step.warmup.0 + step.elapsed.0).max(1);
    let interval_ns = step.interval.0.clamp(1, length_ns);
    let leaves_out = options.leaves_out_first && step.warmup.0 == 0;
    Timeline {
        start_ns: delay_ns,
        warmup_ns: step.warmup.0,
        uncounted_ns: if leaves_out {
            interval_ns
        } else {
            step.warmup.0
        },
        length_ns,
        interval_ns,
        sample_ns: SAMPLE_NS,
        drain_ns: options.drain.0,
    }
}

/// The step's mode. Streams of a rate of their own run on schedule whatever the load is.
pub fn mode_of(step: &Step) -> Mode {
    match &step.load {
        Load::Max if !is_paced(step) && is_held(step) => Mode::Throttled,
        Load::Max if !is_paced(step) => Mode::Closed,
        Load::MaxShared if !is_paced(step) => Mode::Shared,
        Load::Max | Load::MaxShared => Mode::Mixed,
        Load::Rate { .. } | Load::PercentOfLast { .. } | Load::Schedule { .. } => Mode::Open,
    }
}

/// Whether anything holds a stream back that has no schedule.
fn is_held(step: &Step) -> bool {
    let mut streams = step.streams.iter();
    step.load == Load::Max && streams.any(|s| s.fixed_rate.is_none() && !s.throttle.is_none())
}

/// What workers have in common of the slots that are dealt to several of them, where these issue I/O on schedule.
type SlotsByPool = BTreeMap<PoolKey, Arc<SharedSlots>>;

/// A step's, by the slots that belong together.
fn shared_slots(step: &Step, layouts: &[WorkerLayout]) -> SlotsByPool {
    let mut all = SlotsByPool::new();
    if !is_paced(step) {
        return all;
    }
    let sums = slots_and_sharers(layouts);
    for pool in layouts.iter().flat_map(|l| &l.pools) {
        let (slots, sharers) = sums[&pool.key()];
        if sharers > 1 {
            let make = || {
                let streams = (0..step.streams.len()).filter(|s| pool.serves(step, *s));
                Arc::new(SharedSlots::new(slots, sharers, streams.count() as u32))
            };
            all.entry(pool.key()).or_insert_with(make);
        }
    }
    all
}

/// Setup that the workers of a step have in common, from which each one's work is made.
pub struct Setup<'s> {
    step: &'s Step,
    targets: &'s [Arc<OpenTarget>],
    options: &'s Options,
    layouts: &'s [WorkerLayout],
    /// The workers' places among those of all hosts.
    ranks: Ranks,
    /// What each stream writes.
    fillers: Vec<Option<Filler>>,
    /// What each stream verifies.
    checks: Vec<Option<Check>>,
    shared_slots: SlotsByPool,
    /// Those of the streams that have a most per second.
    meters: Vec<Option<Arc<Meter>>>,
    dependencies: Option<Arc<StreamDependencies>>,
    /// The logs that are replayed.
    recordings: Vec<Option<Recording>>,
    /// Ways of streams through trees in rounds.
    rounds: Vec<Option<Rounds>>,
}

impl<'s> Setup<'s> {
    /// Setup of workers with these layouts.
    pub fn new(
        step: &'s Step,
        targets: &'s [Arc<OpenTarget>],
        options: &'s Options,
        layouts: &'s [WorkerLayout],
    ) -> Result<Self, EngineError> {
        let used = step
            .streams
            .iter()
            .flat_map(|s| [Some(s.target), s.files.to]);
        for target in used.flatten().collect::<BTreeSet<_>>() {
            if let Some(tree) = targets[target.0 as usize].opened.tree() {
                tree.take_turn()?;
                if let Ok(root) = tree.root.here() {
                    root.keep();
                }
            }
        }
        for stream in &step.streams {
            let Some(tree) = targets[stream.target.0 as usize].opened.tree() else {
                continue;
            };
            if let Some(making) = stream.files.makes {
                tree.make(making);
            }
            if stream.files.per_file.is_some() {
                tree.keep_places();
            }
            let to = stream
                .files
                .to
                .and_then(|to| targets[to.0 as usize].opened.tree());
            if let Some(to) = to {
                to.begin_copies();
            }
        }
        let check = |s: &Stream| Check::of(s, &targets[s.target.0 as usize]);
        let checks: Vec<Option<Check>> = step.streams.iter().map(check).collect();
        let fillers = content::fillers(step, targets, options)?;
        let stamp = |(filler, check): (Option<Filler>, &Option<Check>)| match (filler, check) {
            (Some(filler), Some(check)) => Some(check.stamped(filler)),
            (filler, _) => filler,
        };
        let fillers = fillers.into_iter().zip(&checks).map(stamp).collect();
        let ranks = match &options.ranks {
            Some(ranks) => {
                ranks.check(step, layouts)?;
                ranks.clone()
            }
            None => Ranks::alone(step, layouts),
        };
        Ok(Setup {
            step,
            targets,
            options,
            layouts,
            ranks,
            fillers,
            checks,
            shared_slots: shared_slots(step, layouts),
            meters: meters(step),
            dependencies: StreamDependencies::of(step, layouts),
            recordings: recordings(step, targets)?,
            rounds: step.streams.iter().map(Rounds::of).collect(),
        })
    }

    /// Worker `number`'s work, and where its requests go. Its timeline begins at 0.
    pub fn work(&self, number: usize) -> Result<(Work, Endpoints), EngineError> {
        let (step, layout) = (self.step, &self.layouts[number]);
        let streams = layout.streams.iter().map(|s| self.stream(number, s));
        let streams = streams.collect::<Result<_, _>>()?;
        let endpoints = self.endpoints(layout);
        let pools = layout.pools.iter();
        let pools = pools.map(|share| (self.pool(number, share, &endpoints), share.room));
        let shares = || layout.streams.iter().map(|s| share_of(step, s.stream));
        let work = Work {
            orders: self.orders(number),
            budget: match self.trees(layout).is_empty() {
                true => budget(step, self.rank(number), u64::from(self.ranks.workers.of)),
                // Whoever sees the intervals of all ends it.
                false => Budget::UNLIMITED,
            },
            pools: pools.collect(),
            streams,
            deficit: (step.load == Load::MaxShared)
                .then(|| Deficit::new(&shares().collect::<Vec<f64>>())),
            throttles: self.throttles(layout),
            dependencies: self
                .dependencies
                .as_ref()
                .map(|common| Box::new(WorkerDependencies::of(common, step, layout))),
        };
        Ok((work, endpoints))
    }

    /// A worker's number among those of all hosts.
    fn rank(&self, number: usize) -> u64 {
        u64::from(self.ranks.workers.before) + number as u64
    }

    fn orders(&self, number: usize) -> Orders {
        Orders {
            number,
            mode: mode_of(self.step),
            timeline: timeline(self.step, self.options, 0),
            submit_batch: self.options.submit_batch.max(1),
            reap_batch: self.options.reap_batch.max(1),
            max_errors: self.options.max_errors,
            buffer_stride: self.buffer_stride(&self.layouts[number]),
            may_spin: self.options.cpus > 1,
            punctual: self.step.workers.punctual,
        }
    }

    /// Bytes of a slot's buffer: of the largest I/O whose bytes somebody looks at.
    fn buffer_stride(&self, layout: &WorkerLayout) -> usize {
        let needs = |share: &&StreamShare| {
            let target = &self.targets[self.step.streams[share.stream].target.0 as usize];
            let brings = target.opened.capabilities().brings_bytes;
            self.fillers[share.stream].is_some() || brings
        };
        let largest = |share: &StreamShare| self.step.streams[share.stream].largest_buffer().0;
        let streams = layout.streams.iter().filter(needs);
        let stride = streams.map(largest).max().unwrap_or(0);
        stride.next_multiple_of(4096) as usize
    }

    /// A worker's part of a stream.
    fn stream(&self, number: usize, share: &StreamShare) -> Result<StreamState, EngineError> {
        let (step, options) = (self.step, self.options);
        let layout = &self.layouts[number];
        let spec = &step.streams[share.stream];
        let target = &self.targets[spec.target.0 as usize];
        let mut pools = layout.pools.iter();
        let pool = pools
            .position(|p| p.serves(step, share.stream))
            .expect("the layout gives a worker only streams on its pools");
        let sharers = self.ranks.streams[share.stream];
        let (served_streams, of) = (sharers.before + share.rank, sharers.of);
        let addresses = seed_for(options.seed, &[SEED_ADDRESS, share.stream as u64]);
        let (addresses, part, parts) = match self.ranks.is_apart(share.stream) {
            false => (addresses, served_streams, of),
            // A host that covers a target of its own does not do so in step with the others.
            true => {
                let host = u64::from(self.ranks.workers.before);
                (seed_for(addresses, &[host]), share.rank, share.of)
            }
        };
        let size = match target.opened.tree() {
            Some(_) => TREE_ADDRESSES,
            None => target.size,
        };
        let source = StreamSource::new(
            spec,
            size,
            target.logical_block,
            target.align,
            target.opened.capabilities().spares_first,
            addresses,
            part,
            parts,
        )
        .map_err(|source| EngineError::Traffic {
            target: target.name.clone(),
            source,
        })?;
        refuse_too_long(spec, target)?;
        one_worker(spec, of)?;
        let check = &self.checks[share.stream];
        let arrivals = arrival_seed(options.seed, share.stream);
        let recording = self.recordings[share.stream].as_ref();
        let recorded = recording.map(|ios| SourceReader::Replay(Replayed::new(Arc::clone(ios))));
        let source = match recorded.or_else(|| check.as_ref().and_then(Check::read_from)) {
            Some(read_from) => source.read_from(read_from),
            None => source,
        };
        let is_timed = spec.replayed().is_some_and(Replay::is_timed);
        let pace = match recording.filter(|_| is_timed) {
            Some(ios) => Some(Pace::recorded(Arc::clone(ios), spec.window)),
            None => Pace::of(step, share.stream, arrivals, served_streams, of),
        };
        let workers = u64::from(self.ranks.workers.of);
        let state = StreamState::new(
            source,
            self.fillers[share.stream].clone(),
            pool as u32,
            pace,
            spec.priority.unwrap_or(u32::MAX),
            target.size,
            share.stream as u64 * workers + self.rank(number),
        );
        let trace = options.trace.as_ref();
        let lane = trace.and_then(|t| t.lane(&spec.workload, share.stream));
        Ok(state
            .verified(check.clone())
            .traced(lane)
            .within(spec.window))
    }

    /// Pools of one target have its files in common, and its connections.
    fn endpoints(&self, layout: &WorkerLayout) -> Endpoints {
        let mut all = Endpoints {
            files: FileTable::new(),
            volumes: Vec::new(),
            trees: self.trees(layout),
            tree_seed: seed_for(self.options.seed, &[SEED_FILES]),
            targets: Vec::new(),
            first_of: BTreeMap::new(),
        };
        for share in &layout.pools {
            if all.first_of.contains_key(&share.target) {
                continue;
            }
            let target = &self.targets[share.target];
            all.first_of.insert(share.target, all.targets.len() as u32);
            for member in target.opened.members() {
                all.targets.push(target.name.clone());
                all.files.push(member.file.as_raw_fd());
            }
            if target.opened.tree().is_some() {
                all.targets.push(target.name.clone());
            }
            if let Some(volume) = target.opened.volume() {
                all.targets.push(target.name.clone());
                all.volumes.push(Access {
                    volume: Arc::clone(volume),
                    ledger: Arc::new(Ledger::new(volume.plan.paths.len())),
                    durable: matches!(target.durability, Durability::Dsync | Durability::Sync),
                });
            }
        }
        all
    }

    /// Work of a worker's streams on trees.
    fn trees(&self, layout: &WorkerLayout) -> Vec<TreeStream> {
        let on_tree = |share: &StreamShare| {
            let spec = &self.step.streams[share.stream];
            let tree_of = |id: TargetId| self.targets[id.0 as usize].opened.tree();
            let tree = tree_of(spec.target)?;
            let ops = |s: &Stream| s.mix.occurring().map(|(op, _)| op).collect::<Vec<_>>();
            let beside = |s: &Stream| match s.files.to {
                _ if s.target == spec.target => ops(s),
                Some(to) if to == spec.target => vec![Op::Create, Op::Write],
                _ => Vec::new(),
            };
            // What is copied is written as the other tree itself is opened.
            let of_copies = |to: &Arc<OpenTree>| Some((Arc::clone(to), *to.openings.first()?));
            Some(TreeStream {
                tree: Arc::clone(tree),
                to: spec.files.to.and_then(tree_of).and_then(of_copies),
                opening: *tree.openings.get(spec.files.opening as usize)?,
                select: spec.files.select,
                shares: spec.files.shares,
                makes: spec.files.makes.is_some(),
                ops: ops(spec),
                ops_beside: self.step.streams.iter().flat_map(beside).collect(),
                rounds: self.rounds[share.stream].clone(),
                // Who makes a tree makes all of it.
                per_file: spec.files.per_file.filter(|_| spec.files.makes.is_none()),
                leaves_one_out: spec.files.leaves_one_out,
                is_random: matches!(spec.address.pattern, Pattern::Random { .. }),
                reads_and_writes: spec.mix.names.is_none()
                    && spec.mix.read > 0.0
                    && spec.mix.write > 0.0,
            })
        };
        layout.streams.iter().filter_map(on_tree).collect()
    }

    /// A worker's part of some slots.
    fn pool(&self, number: usize, share: &PoolShare, endpoints: &Endpoints) -> Pool {
        let (step, layout) = (self.step, &self.layouts[number]);
        let spec = |s: &u32| &step.streams[layout.streams[*s as usize].stream];
        let served_streams: Vec<u32> = (0..layout.streams.len() as u32)
            .filter(|s| share.serves(step, layout.streams[*s as usize].stream))
            .filter(|s| spec(s).fixed_rate.is_none())
            .collect();
        let weights = served_streams.iter().map(|s| spec(s).share).collect();
        let what = [SEED_CHOICE, share.target as u64, self.rank(number)];
        let seed = seed_for(self.options.seed, &what);
        let common = self.shared_slots.get(&share.key());
        let common =
            common.map(|c| share_of_pool(step, layout, share, c, !served_streams.is_empty()));
        let target = Arc::clone(&self.targets[share.target]);
        let first_file = endpoints.first_of[&share.target];
        let pool = Pool::new(target, first_file, served_streams, weights, seed, common);
        pool.of_one(self.own_slots(number, share))
    }

    /// A worker's part of the slots of the stream that has them for itself.
    fn own_slots(&self, number: usize, share: &PoolShare) -> Option<OwnSlots> {
        let slots = |workers: &[WorkerLayout]| {
            let all = workers.iter().flat_map(|w| &w.pools);
            let same = all.filter(|p| p.key() == share.key());
            same.map(|p| p.slots).sum()
        };
        Some(OwnSlots {
            stream: share.owner?,
            before: slots(&self.layouts[..number]),
            slots: share.slots,
            all: slots(self.layouts),
        })
    }

    /// What holds a worker's streams back; `None` where nothing does.
    fn throttles(&self, layout: &WorkerLayout) -> Option<Box<Throttles>> {
        if !is_held(self.step) {
            return None;
        }
        let slots = layout.pools.iter().map(|p| p.room as usize).sum();
        let of_stream = |share: &StreamShare| {
            let what = [SEED_THINK, share.stream as u64, share.rank.into()];
            let think = self.step.streams[share.stream].throttle.think;
            let seed = seed_for(self.options.seed, &what);
            let think = think.map(|t| (t, ThinkTimes::new(&t, seed)));
            let meter = self.meters[share.stream].clone();
            StreamThrottle::new(think, meter, (share.rank, share.of))
        };
        let streams = layout.streams.iter().map(of_stream).collect();
        Some(Box::new(Throttles::new(streams, slots)))
    }
}

/// A worker's part in what workers have in common of some slots; `unpaced` where it has streams there without a schedule.
fn share_of_pool(
    step: &Step,
    layout: &WorkerLayout,
    pool: &PoolShare,
    shared_slots: &Arc<SharedSlots>,
    unpaced: bool,
) -> Share {
    let served_streams =
        (0..layout.streams.len()).filter(|s| pool.serves(step, layout.streams[*s].stream));
    let served_streams: Vec<usize> = served_streams.collect();
    let number = served_streams
        .first()
        .map_or(0, |s| layout.streams[*s].rank);
    let served_streams = served_streams.into_iter().map(|s| s as u32).collect();
    Share::new(
        Arc::clone(shared_slots),
        number,
        served_streams,
        pool.slots,
        unpaced,
    )
}

/// A log has one order, which several hosts cannot keep.
fn one_worker(spec: &Stream, of: u32) -> Result<(), EngineError> {
    match spec.replayed() {
        Some(replay) if of > 1 => Err(EngineError::Replay {
            log: replay.log.display().to_string(),
            source: LogError::Whole(format!(
                "{of} hosts are to do it together, and it has one order; let one host run it"
            )),
        }),
        _ => Ok(()),
    }
}

/// An export takes no longer payloads than it says; what is longer would have to be split, and then it were other I/O.
fn refuse_too_long(spec: &Stream, target: &OpenTarget) -> Result<(), EngineError> {
    let longest = target.opened.capabilities().longest;
    let (Some(volume), Some(most)) = (target.opened.volume(), longest) else {
        return Ok(());
    };
    let longest = spec.largest_buffer().0;
    if spec.mix.trim < 100.0 && longest > u64::from(most) {
        return Err(EngineError::Export {
            uri: volume.plan.to_string(),
            what: format!(
                "takes I/Os of at most {}, and workload `{}` has some of {}",
                Bytes(u64::from(most)),
                spec.workload,
                Bytes(longest)
            ),
        });
    }
    Ok(())
}

/// Worker `number`'s part of the step's limits: equal parts, the remainder to the first workers. Bytes are dealt in
/// whole I/Os of the largest size, as a worker cannot do a part of one.
fn budget(step: &Step, number: u64, workers: u64) -> Budget {
    let part = |total: Option<u64>, unit: u64| {
        let Some(total) = total else { return u64::MAX };
        let (units, rest) = (total / unit, total % unit);
        let served_streams = units / workers + u64::from(number < units % workers);
        // What is less than a unit goes to the worker that has the fewest.
        served_streams * unit + if number == workers - 1 { rest } else { 0 }
    };
    let unit = step.streams.iter().map(|s| s.largest().0).max();
    let bytes = |total: Option<Bytes>| part(total.map(|b| b.0), unit.unwrap_or(1).max(1));
    let l = &step.limits;
    Budget {
        ios: part(l.ios, 1),
        bytes: bytes(l.bytes),
        by_op: Op::ALL.map(|op| match op {
            Op::Read => bytes(l.read_bytes),
            Op::Write => bytes(l.written_bytes),
            _ => u64::MAX,
        }),
    }
}
