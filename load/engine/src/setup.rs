//! What a worker needs, made before its thread starts, so that mistakes are found before any I/O.

use crate::EngineError;
use crate::backend::FileTable;
use crate::backend::nbd::{Access, Ledger};
use crate::commons::Commons;
use crate::layout::{PoolKey, PoolShare, WorkerLayout, is_paced, slots_and_sharers};
use crate::meter::Meter;
use crate::pace::{Pace, share_of};
use crate::ranks::Ranks;
use crate::run::Options;
use crate::target::OpenTarget;
use crate::worker::{Budget, Held, Hold, Mode, Pool, Share, StreamState, Timeline};
use plimsoll_content::Filler;
use plimsoll_plan::{Bytes, Durability, Load, Step, Stream};
use plimsoll_traffic::{Deficit, StreamSource, ThinkTimes, seed_for};
use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// One worker's parts, apart from what must be made on its own thread.
pub struct Prepared {
    /// How it decides.
    pub mode: Mode,
    /// (pool, slots).
    pub pools: Vec<(Pool, u32)>,
    /// Its streams.
    pub streams: Vec<StreamState>,
    /// Keeps shares, where the load does.
    pub deficit: Option<Deficit>,
    /// Holds streams back, where any is.
    pub held: Option<Box<Held>>,
    /// Its part of the limits.
    pub budget: Budget,
    /// Bytes of a slot's buffer.
    pub buffer_stride: usize,
    /// Its files; the pools' targets keep them open.
    pub files: FileTable,
    /// Its volumes behind NBD servers, in the place of files.
    pub volumes: Vec<Access>,
    /// Whether it may burn as much CPU as punctuality takes.
    pub punctual: bool,
    /// The name of each file's or volume's target.
    pub target_of_file: Vec<String>,
}

/// Length of a sample inside an interval; an interval's last may be shorter.
const SAMPLE_NS: u64 = 100_000_000;
/// Seeds of different uses must differ.
const SEED_ADDRESS: u64 = 1;
const SEED_ARRIVAL: u64 = 2;
const SEED_CHOICE: u64 = 3;
const SEED_THINK: u64 = 4;

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

/// What holds a worker's streams back, in so many slots; `None` where nothing does.
fn held(
    step: &Step,
    layout: &WorkerLayout,
    meters: &[Option<Arc<Meter>>],
    seed: u64,
) -> Option<Box<Held>> {
    if !is_held(step) {
        return None;
    }
    let slots = layout.pools.iter().map(|p| p.room as usize).sum();
    let holds = layout.streams.iter().map(|share| {
        let what = [SEED_THINK, share.stream as u64, share.rank.into()];
        let think = step.streams[share.stream].throttle.think;
        let think = think.map(|t| (t, ThinkTimes::new(&t, seed_for(seed, &what))));
        let meter = meters[share.stream].clone();
        Hold::new(think, meter, (share.rank, share.of))
    });
    Some(Box::new(Held::new(holds.collect(), slots)))
}

/// What workers have in common of the slots that are dealt to several of them, where these issue I/O on schedule.
pub type CommonsOf = BTreeMap<PoolKey, Arc<Commons>>;

/// A step's, by the slots that belong together.
pub fn commons(step: &Step, layouts: &[WorkerLayout]) -> CommonsOf {
    let mut all = CommonsOf::new();
    if !is_paced(step) {
        return all;
    }
    let sums = slots_and_sharers(layouts);
    for pool in layouts.iter().flat_map(|l| &l.pools) {
        let (slots, sharers) = sums[&pool.key()];
        if sharers > 1 {
            let make = || {
                let streams = (0..step.streams.len()).filter(|s| pool.serves(step, *s));
                Arc::new(Commons::new(slots, sharers, streams.count() as u32))
            };
            all.entry(pool.key()).or_insert_with(make);
        }
    }
    all
}

/// Makes worker `number`'s parts, of all these layouts; `fillers` are [`crate::content::fillers`]', `commons` [`commons`]' and
/// `meters` [`crate::meter::meters`]'.
#[allow(
    clippy::too_many_arguments,
    reason = "what all workers of a step have in common, by name"
)]
pub fn prepare(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    fillers: &[Option<Filler>],
    commons: &CommonsOf,
    meters: &[Option<Arc<Meter>>],
    options: &Options,
    layouts: &[WorkerLayout],
    number: usize,
) -> Result<Prepared, EngineError> {
    let layout = &layouts[number];
    let ranks = match &options.ranks {
        Some(ranks) => {
            ranks.check(step, layouts)?;
            ranks.clone()
        }
        None => Ranks::alone(step, layouts),
    };
    let workers = u64::from(ranks.workers.of);
    // Among those of all hosts.
    let rank = u64::from(ranks.workers.before) + number as u64;
    let mode = mode_of(step);
    let mut streams = Vec::new();
    let mut stride = 0u64;
    for share in &layout.streams {
        let spec = &step.streams[share.stream];
        let target = &targets[spec.target.0 as usize];
        let pool = layout
            .pools
            .iter()
            .position(|p| p.serves(step, share.stream))
            .expect("the layout gives a worker only streams on its pools");
        let sharers = ranks.streams[share.stream];
        let (own, of) = (sharers.before + share.rank, sharers.of);
        let addresses = seed_for(options.seed, &[SEED_ADDRESS, share.stream as u64]);
        let source = StreamSource::new(
            spec,
            target.size,
            target.logical_block,
            target.align,
            target.opened.capabilities().spares_first,
            addresses,
            own,
            of,
        )
        .map_err(|source| EngineError::Traffic {
            target: target.name.clone(),
            source,
        })?;
        refuse_too_long(spec, target)?;
        let filler = fillers[share.stream].clone();
        if filler.is_some() || target.opened.capabilities().brings_bytes {
            stride = stride.max(spec.largest_buffer().0);
        }
        let arrivals = arrival_seed(options.seed, share.stream);
        let pace = Pace::of(step, share.stream, arrivals, own, of);
        let priority = spec.priority.unwrap_or(u32::MAX);
        let state = StreamState::new(
            source,
            filler,
            pool as u32,
            pace,
            priority,
            target.size,
            share.stream as u64 * workers + rank,
        );
        streams.push(state.within(spec.window));
    }
    let mut files = FileTable::new();
    let mut volumes = Vec::new();
    let mut target_of_file = Vec::new();
    // Pools of one target have its files in common, and its connections.
    let mut files_of = BTreeMap::new();
    let mut pools = Vec::new();
    for share in &layout.pools {
        let target = &targets[share.target];
        let spec = |s: u32| &step.streams[layout.streams[s as usize].stream];
        let own: Vec<u32> = (0..layout.streams.len() as u32)
            .filter(|s| share.serves(step, layout.streams[*s as usize].stream))
            .filter(|s| spec(*s).fixed_rate.is_none())
            .collect();
        let weights: Vec<f64> = own.iter().map(|s| spec(*s).share).collect();
        let first_file = *files_of.entry(share.target).or_insert_with(|| {
            let first_file = target_of_file.len() as u32;
            for member in target.opened.members() {
                target_of_file.push(target.name.clone());
                files.push(member.file.as_raw_fd());
            }
            if let Some(volume) = target.opened.volume() {
                target_of_file.push(target.name.clone());
                volumes.push(Access {
                    volume: Arc::clone(volume),
                    ledger: Arc::new(Ledger::new(volume.plan.paths.len())),
                    durable: matches!(target.durability, Durability::Dsync | Durability::Sync),
                });
            }
            first_file
        });
        let what = [SEED_CHOICE, share.target as u64, rank];
        let seed = seed_for(options.seed, &what);
        let common = commons.get(&share.key());
        let common = common.map(|c| share_of_pool(step, layout, share, c, !own.is_empty()));
        let pool = Pool::new(Arc::clone(target), first_file, own, weights, seed, common);
        pools.push((pool, share.room));
    }
    let deficit = (step.load == Load::MaxShared).then(|| {
        let shares: Vec<f64> = layout
            .streams
            .iter()
            .map(|s| share_of(step, s.stream))
            .collect();
        Deficit::new(&shares)
    });
    Ok(Prepared {
        mode,
        pools,
        streams,
        deficit,
        held: held(step, layout, meters, options.seed),
        budget: budget(step, rank, workers),
        buffer_stride: stride.next_multiple_of(4096) as usize,
        files,
        volumes,
        punctual: step.workers.punctual,
        target_of_file,
    })
}

/// A worker's part in what workers have in common of some slots; `unpaced` where it has streams there without a schedule.
fn share_of_pool(
    step: &Step,
    layout: &WorkerLayout,
    pool: &PoolShare,
    commons: &Arc<Commons>,
    unpaced: bool,
) -> Share {
    let own = (0..layout.streams.len()).filter(|s| pool.serves(step, layout.streams[*s].stream));
    let own: Vec<usize> = own.collect();
    let number = own.first().map_or(0, |s| layout.streams[*s].rank);
    let own = own.into_iter().map(|s| s as u32).collect();
    Share::new(Arc::clone(commons), number, own, pool.slots, unpaced)
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
        let own = units / workers + u64::from(number < units % workers);
        // What is less than a unit goes to the worker that has the fewest.
        own * unit + if number == workers - 1 { rest } else { 0 }
    };
    let unit = step.streams.iter().map(|s| s.largest().0).max();
    let bytes = |total: Option<Bytes>| part(total.map(|b| b.0), unit.unwrap_or(1).max(1));
    let l = &step.limits;
    Budget {
        ios: part(l.ios, 1),
        bytes: bytes(l.bytes),
        by_op: [bytes(l.read_bytes), bytes(l.written_bytes), u64::MAX],
    }
}
