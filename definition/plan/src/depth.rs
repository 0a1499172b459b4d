//! How many slots there are where nobody said how many: they must not be what limits the load.

use crate::{Bytes, Depth, Load, Nanos, Step, TargetId, Window};
use serde::{Deserialize, Serialize};

/// Slots of a target in a closed loop, where nobody says otherwise.
pub const CLOSED_SLOTS: u32 = 32;
/// The fewest and the most slots of a target in an open loop, where nobody says otherwise.
const OPEN_SLOTS: (u32, u32) = (64, 4096);
/// The most slots of a tree, where nobody says otherwise: each of them is a thread.
const TREE_SLOTS: u32 = 256;
/// What the buffers of those of all targets may come to.
const BUFFERS: Bytes = Bytes(256 << 20);
/// The depths between which a curve looks for its maximum.
const SEARCHED: (u32, u32) = (16, 1024);
/// Slots of a curve's point, as a multiple of the depth of the maximum.
const POINT_SLOTS: u32 = 4;

/// Slots of a target that is asked for so many I/Os per second, the largest of so many bytes: as many as come in a second,
/// so that what stands still for less than that finds all of them issued when it goes on.
pub fn open_slots(rate: f64, largest: Bytes, targets: usize) -> u32 {
    let (least, most) = OPEN_SLOTS;
    let wanted = rate.clamp(f64::from(least), f64::from(most)) as u32;
    wanted.next_power_of_two().min(most_slots(largest, targets))
}

/// As many slots of each target as memory for I/Os of this size allows, and no more than an open loop may have; a power
/// of two.
fn most_slots(largest: Bytes, targets: usize) -> u32 {
    let fit = BUFFERS.0 / largest.0.max(1) / targets.max(1) as u64;
    let fit = u32::try_from(fit).unwrap_or(u32::MAX).max(CLOSED_SLOTS);
    // The power of two at or below it.
    (1 << fit.ilog2()).min(OPEN_SLOTS.1)
}

/// Gives a step whose depth nobody chose the slots that its load wants.
pub fn free_slots(step: &mut Step) {
    let rates: Vec<Option<f64>> = step
        .depths
        .iter()
        .map(|d| rate_of(step, d.target))
        .collect();
    let sizes: Vec<Bytes> = step
        .depths
        .iter()
        .map(|d| largest(step, d.target))
        .collect();
    let shared: Vec<bool> = step
        .depths
        .iter()
        .map(|d| step.is_shared(d.target))
        .collect();
    let targets = step.depths.len();
    let wanted = rates.into_iter().zip(sizes).zip(shared);
    for (depth, ((rate, largest), shared)) in step.depths.iter_mut().zip(wanted) {
        depth.slots = match rate {
            _ if !shared => 0,
            Some(rate) => open_slots(rate, largest, targets),
            None => CLOSED_SLOTS,
        };
    }
}

/// Holds the slots of a step on trees, whose depth nobody chose, to as many as are worth a thread each.
pub fn limit_threads(step: &mut Step) {
    for depth in &mut step.depths {
        depth.slots = depth.slots.min(TREE_SLOTS);
    }
}

/// The most that a target is asked for by the streams that share its slots, I/Os per second; `None` where that is as much as
/// it carries.
fn rate_of(step: &Step, target: TargetId) -> Option<f64> {
    let all = step.shares();
    let load = match &step.load {
        // What the last step reached is not known yet.
        Load::PercentOfLast { .. } => Some(f64::from(OPEN_SLOTS.1)),
        Load::Rate { rate, .. } => Some(rate.0),
        Load::Schedule { segments, .. } => segments.iter().map(|s| s.rate.0).reduce(f64::max),
        Load::Max | Load::MaxShared => None,
    };
    sharers(step, target)
        .map(|s| match s.fixed_rate {
            Some(rate) => Some(rate.0),
            None if all > 0.0 => Some(load? * s.share / all),
            None => None,
        })
        .sum()
}

/// The streams that share a target's slots.
fn sharers(step: &Step, target: TargetId) -> impl Iterator<Item = &crate::Stream> {
    let shares = move |s: &&crate::Stream| s.target == target && s.depth.is_none();
    step.streams.iter().filter(shares)
}

fn largest(step: &Step, target: TargetId) -> Bytes {
    let sizes = sharers(step, target).map(|s| s.largest_buffer());
    sizes.max().unwrap_or_default()
}

/// How much more a greater depth must bring to be worth it, as a share.
pub const WORTH: f64 = 0.02;

/// A search for the depth at which a target carries most: short closed loops, each of twice the depth of the one before,
/// until that no longer pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthSearch {
    /// The first depth of each target.
    pub first: u32,
    /// The last.
    pub most: u32,
    /// Each step's warm-up.
    pub warmup: Nanos,
    /// Each step's counted time.
    pub elapsed: Nanos,
}

impl DepthSearch {
    /// The search for the maximum of a curve whose other steps are like `base`: shorter steps of its kind.
    pub fn of(base: &Step) -> Self {
        let largest = base.streams.iter().map(|s| s.largest_buffer()).max();
        let most = most_slots(largest.unwrap_or_default(), base.depths.len()) / POINT_SLOTS;
        let most = most.clamp(SEARCHED.0, SEARCHED.1);
        DepthSearch {
            first: SEARCHED.0,
            most,
            warmup: base.warmup.min(Nanos::secs(1)),
            elapsed: base.elapsed.min(Nanos::secs(3)),
        }
    }

    /// The search on trees, where each slot of a point is a thread.
    pub fn of_threads(self) -> Self {
        DepthSearch {
            most: self.most.min(TREE_SLOTS / POINT_SLOTS),
            ..self
        }
    }

    /// The depths that it tries, at most.
    pub fn depths(&self) -> impl Iterator<Item = u32> + use<> {
        let most = self.most;
        std::iter::successors(Some(self.first.max(1)), move |d| {
            d.checked_mul(2).filter(|d| *d <= most)
        })
    }

    /// The step that tries one of them.
    pub fn probe(&self, base: &Step, depth: u32) -> Step {
        let mut step = base.clone();
        step.name = format!("{}_(depth={depth})", base.name);
        step.warmup = self.warmup;
        step.elapsed = self.elapsed;
        step.interval = base.interval.min(self.elapsed);
        // The search is shorter than the windows of the step that it is for.
        for stream in &mut step.streams {
            stream.window = Window::default();
        }
        set(&mut step.depths, depth);
        step
    }

    /// Slots of the points of a curve whose maximum had this depth: an I/O that finds none of them free is one of a load
    /// that cannot be carried.
    pub fn point_slots(&self, depth: u32) -> u32 {
        depth.saturating_mul(POINT_SLOTS).max(OPEN_SLOTS.0)
    }
}

/// Gives every target the same depth, but for those whose streams all have their own.
pub fn set(depths: &mut [Depth], slots: u32) {
    for depth in depths.iter_mut().filter(|d| d.slots > 0) {
        depth.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_loop_has_a_second_of_its_rate_in_bounds_of_memory() {
        let kib = |n: u64| Bytes(n << 10);
        assert_eq!(open_slots(20.0, kib(4), 1), 64);
        assert_eq!(open_slots(1000.0, kib(4), 1), 1024);
        assert_eq!(open_slots(1e6, kib(4), 1), 4096);
        // 256 MiB of buffers hold 256 I/Os of 1 MiB; fewer than in a closed loop there are never.
        assert_eq!(open_slots(1e6, kib(1024), 1), 256);
        assert_eq!(open_slots(1e6, kib(1024), 4), 64);
        assert_eq!(open_slots(1e6, kib(64 << 10), 1), 32);
    }
}
