//! Who submits what: targets' slots and streams dealt over workers.

use crate::backend::kind::BackendKind;
use plimsoll_plan::{Load, Step};
use plimsoll_traffic::workers_at_most;
use std::collections::BTreeMap;

/// One worker's part of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerLayout {
    /// Backend of the worker.
    pub kind: BackendKind,
    /// The CPU it's pinned to.
    pub cpu: Option<u32>,
    /// Slots of the worker, by target.
    pub pools: Vec<PoolShare>,
    /// Streams of the worker.
    pub streams: Vec<StreamShare>,
}

/// Slots of one target that one worker has: of those that its streams share, or of those that one stream has for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolShare {
    /// Index into the plan's targets.
    pub target: usize,
    /// The step's stream that nobody shares them with.
    pub owner: Option<usize>,
    /// Number of slots, at least 1. All workers' together are the target's.
    pub slots: u32,
    /// Most I/Os that the worker can have in flight there. As many as `slots`, except on a schedule: there the workers share the target's
    /// slots, and whoever is asked for more than the others may have more.
    pub room: u32,
}

impl PoolShare {
    /// Key of the slots that they are a part of.
    pub fn key(&self) -> PoolKey {
        (self.target, self.owner)
    }

    /// True where a stream of the step has its I/Os in these slots.
    pub fn serves(&self, step: &Step, stream: usize) -> bool {
        let s = &step.streams[stream];
        match self.owner {
            Some(owner) => owner == stream,
            None => s.depth.is_none() && s.target.0 as usize == self.target,
        }
    }
}

/// The target, and the stream that has the slots for itself.
pub type PoolKey = (usize, Option<usize>);

/// One stream on one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamShare {
    /// Index into the step's streams.
    pub stream: usize,
    /// Rank of this worker among those that share the stream.
    pub rank: u32,
    /// Number of workers that share the stream.
    pub of: u32,
}

/// Deals a step over workers. `kinds` is each plan target's backend; `cpus` how many this process may use.
///
/// A stream with a depth of its own has slots apart from those of its target, and is dealt as if its target were another.
///
/// Targets of one backend share workers. An asynchronous group gets the asked-for number (one per CPU by default, on
/// schedule one for each half a million I/Os per second), but no more than it has slots. A synchronous one gets a worker
/// for each slot, for that is what depth means there. A target with a stream that must stay in order (sequential and its
/// like) belongs to one worker, and one with several such orders (`streams=`) to as many, so that synchronously each order
/// has one I/O in flight, whatever the slots. In a closed loop such orders get a worker each beyond the CPUs too, up to
/// [`MOST_FOR_STREAMS`]: those that share one take turns, so that a slow one would hold the others up. Not on exports,
/// where each worker has connections of its own. A load that keeps shares over targets gives every worker a slot of each.
///
/// On a schedule a synchronous group has one worker unless more are asked for, and its system calls are made by threads of
/// the backend: a worker that is stuck in one would not see what comes due. There is one worker too where shares are kept
/// beside a schedule.
pub fn layout(step: &Step, kinds: &[BackendKind], cpus: u32) -> Vec<WorkerLayout> {
    let shared = step.load == Load::MaxShared;
    let paced = is_paced(step);
    let mut groups: Vec<BackendKind> = step
        .depths
        .iter()
        .map(|d| kinds[d.target.0 as usize])
        .collect();
    groups.sort_unstable();
    groups.dedup();
    if shared && groups.len() > 1 {
        // Only one loop can keep shares; the synchronous way serves every target.
        groups = vec![BackendKind::Psync];
    }
    let mut workers = Vec::new();
    for kind in &groups {
        let of_group = |pool: &PoolShare| groups.len() == 1 || kinds[pool.target] == *kind;
        let mut members: Vec<PoolShare> = pools(step).filter(of_group).collect();
        if kind.is_synchronous() && !paced {
            for member in &mut members {
                let orders = orders(step, *kind, member);
                member.slots = member.slots.min(orders.unwrap_or(u32::MAX));
                member.room = member.slots;
            }
        }
        workers.extend(deal(step, *kind, &members, cpus, shared));
    }
    if paced {
        make_room(step, &mut workers);
    }
    number_streams(step, &mut workers);
    if let Some(pin) = &step.workers.pin {
        for (i, w) in workers.iter_mut().enumerate() {
            w.cpu = pin.get(i % pin.len().max(1)).copied();
        }
    }
    workers
}

/// All slots of a step, target by target: those that streams share, then each stream's own.
fn pools(step: &Step) -> impl Iterator<Item = PoolShare> {
    let pool = |target, owner, slots: u32| PoolShare {
        target,
        owner,
        slots: slots.max(1),
        room: slots.max(1),
    };
    step.depths.iter().flat_map(move |d| {
        let target = d.target.0 as usize;
        let shared = step
            .is_shared(d.target)
            .then(|| pool(target, None, d.slots));
        let streams = step.streams.iter().enumerate();
        let own = streams.filter(move |(_, s)| s.target == d.target);
        let own = own.filter_map(move |(i, s)| Some(pool(target, Some(i), s.depth?)));
        shared.into_iter().chain(own)
    })
}

/// Most workers for streams that run freely, where no number was asked for.
pub const MOST_FOR_STREAMS: u32 = 64;

/// True where any of the step's I/O has a time at which it is due.
pub fn is_paced(step: &Step) -> bool {
    let open = !matches!(step.load, Load::Max | Load::MaxShared);
    open || step.streams.iter().any(|s| s.fixed_rate.is_some())
}

/// Buffers that a worker may have for all that it could be asked for at once, of all its targets together, bytes. They
/// take memory only when they are used, except where io_uring keeps them.
const ROOM_BYTES: u64 = 16 << 20;

/// Gives workers that share slots room for more than their part of them: all of them where the buffers are small, else
/// four times its part and a few.
fn make_room(step: &Step, workers: &mut [WorkerLayout]) {
    let largest = step.streams.iter().map(|s| s.largest_buffer().0).max();
    let sums = slots_and_sharers(workers);
    for worker in workers {
        let pools = worker.pools.len() as u64;
        let in_bytes = ROOM_BYTES / pools / largest.unwrap_or(1).max(1);
        for own in &mut worker.pools {
            let (all, sharers) = sums[&own.key()];
            if sharers > 1 {
                let least = own.slots.saturating_mul(4).saturating_add(4);
                let room = least.max(u32::try_from(in_bytes).unwrap_or(u32::MAX));
                own.room = room.min(all);
            }
        }
    }
}

/// All workers' slots that belong together, and how many workers have some of them.
pub fn slots_and_sharers(workers: &[WorkerLayout]) -> BTreeMap<PoolKey, (u32, u32)> {
    let mut sums = BTreeMap::new();
    for pool in workers.iter().flat_map(|w| &w.pools) {
        let (slots, sharers) = sums.entry(pool.key()).or_insert((0, 0));
        *slots += pool.slots;
        *sharers += 1;
    }
    sums
}

/// Most workers that may share a pool's slots, where its streams limit that. On a tree, each worker goes through files of its own.
fn orders(step: &Step, kind: BackendKind, pool: &PoolShare) -> Option<u32> {
    if kind == BackendKind::Tree {
        return None;
    }
    let own = (0..step.streams.len()).filter(|s| pool.serves(step, *s));
    own.filter_map(|s| workers_at_most(&step.streams[s])).min()
}

/// I/Os per second that one worker issues on schedule, with room to spare.
const PACED_BY_ONE: f64 = 500_000.0;

/// How many workers there are where nobody says: one per CPU, but on schedule no more than the rate wants. Each that is kept
/// from its CPU keeps its I/Os' slots from the others, so the fewer there are, the less of the host is in the result.
fn usual_workers(step: &Step, cpus: u32) -> u32 {
    let shares = step.streams.iter().any(|s| s.fixed_rate.is_none());
    let shared = match &step.load {
        _ if !shares => 0.0,
        Load::Rate { rate, .. } => rate.0,
        Load::Schedule { segments, .. } => segments.iter().map(|s| s.rate.0).fold(0.0, f64::max),
        Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => return cpus,
    };
    let own = step.streams.iter().filter_map(|s| s.fixed_rate);
    let rate = shared + own.map(|r| r.0).sum::<f64>();
    ((rate / PACED_BY_ONE).ceil() as u32).clamp(1, cpus.max(1))
}

fn deal(
    step: &Step,
    kind: BackendKind,
    members: &[PoolShare],
    cpus: u32,
    shared: bool,
) -> Vec<WorkerLayout> {
    let total: u32 = members.iter().map(|m| m.slots).sum();
    let fewest = members.iter().map(|m| m.slots).min().unwrap_or(1);
    let usual = || match kind {
        // Each has a connection, and what an export carries may be limited by these: no rate changes their number.
        BackendKind::Nbd => cpus,
        _ => usual_workers(step, cpus),
    };
    let asked = step.workers.count.unwrap_or_else(usual).max(1);
    let lanes = match kind {
        BackendKind::Uring(_) | BackendKind::Libaio | BackendKind::Null => {
            asked.max(free_streams(step, kind, members))
        }
        BackendKind::Psync
        | BackendKind::Mmap
        | BackendKind::Tree
        | BackendKind::Nbd
        | BackendKind::NbdAlone => asked,
    };
    let any_ordered = members.iter().any(|m| orders(step, kind, m).is_some());
    let paced = is_paced(step);
    let count = match (shared, kind) {
        (true, _) if any_ordered || paced => 1,
        (_, BackendKind::NbdAlone) => 1,
        (_, kind) if paced && kind.is_synchronous() => {
            step.workers.count.unwrap_or(1).clamp(1, total)
        }
        (true, kind) if kind.is_synchronous() => fewest,
        (true, _) => asked.min(fewest),
        (false, kind) if kind.is_synchronous() => total,
        (false, _) => lanes.min(total),
    } as usize;
    // Of what needs no worker of its own each has as few as without those that do.
    let usual = match kind {
        kind if kind.is_synchronous() => count,
        _ => count.min(asked as usize),
    };
    let mut pools: Vec<Vec<PoolShare>> = vec![Vec::new(); count];
    // Each target starts dealing where the last one stopped, so that odd slots do not pile up on the first worker.
    let mut next = 0;
    for m in members {
        let slots = m.slots as usize;
        let most = orders(step, kind, m).map(|most| (most as usize).min(slots).min(count));
        let parts = most.unwrap_or(usual);
        let (each, extra) = (slots / parts, slots % parts);
        for i in 0..parts {
            let slots = each + usize::from(i < extra);
            if slots > 0 {
                pools[(next + i) % count].push(PoolShare {
                    slots: slots as u32,
                    room: slots as u32,
                    ..*m
                });
            }
        }
        // A target that has not all workers leaves the next one to others.
        next += most.unwrap_or(extra);
    }
    pools
        .into_iter()
        .filter(|p| !p.is_empty())
        .map(|pools| WorkerLayout {
            kind,
            cpu: None,
            pools,
            streams: Vec::new(),
        })
        .collect()
}

/// The workers that a closed loop's `streams=` want, each with a slot.
fn free_streams(step: &Step, kind: BackendKind, members: &[PoolShare]) -> u32 {
    if step.load != Load::Max || step.workers.count.is_some() {
        return 0;
    }
    let wanted = |m: &PoolShare| Some(orders(step, kind, m)?.min(m.slots));
    let most = members.iter().filter_map(wanted).max().unwrap_or(0);
    most.min(MOST_FOR_STREAMS)
}

fn number_streams(step: &Step, workers: &mut [WorkerLayout]) {
    for index in 0..step.streams.len() {
        let owners: Vec<usize> = (0..workers.len())
            .filter(|w| workers[*w].pools.iter().any(|p| p.serves(step, index)))
            .collect();
        for (rank, owner) in owners.iter().enumerate() {
            workers[*owner].streams.push(StreamShare {
                stream: index,
                rank: rank as u32,
                of: owners.len() as u32,
            });
        }
    }
}
