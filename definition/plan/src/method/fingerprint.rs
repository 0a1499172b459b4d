//! The fingerprint: what a target is, from load alone.

use super::Outlined;
use crate::{
    AddressSpec, Bytes, ContentSpec, Depth, Load, Mix, Nanos, Pattern, RangeSpec, SizeSpec, Step,
    TargetId,
};
use serde::{Deserialize, Serialize};

/// All I/O of a fingerprint together takes no longer.
pub const FINGERPRINT_BUDGET: Nanos = Nanos::secs(300);
/// The most I/Os in flight.
pub const FINGERPRINT_DEPTH: u32 = 1024;
/// The transfer of most probes: what nearly every array takes as one piece.
pub const FINGERPRINT_BLOCK: Bytes = Bytes(4 << 10);
/// The largest transfer, and the most of these in flight.
pub const FINGERPRINT_LARGE: (Bytes, u32) = (Bytes(1 << 20), 16);

/// A transfer in between, and the most of these in flight.
pub const FINGERPRINT_MIDDLE: (Bytes, u32) = (Bytes(64 << 10), 256);

/// What is known before a fingerprint is taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FingerprintSpec {
    /// Write probes are allowed too.
    pub writes: bool,
    /// The longest that all probes take together.
    pub budget: Nanos,
    /// The bytes of the target; `None` until it was opened.
    pub size: Option<Bytes>,
    /// The smallest transfer, and what addresses are multiples of.
    #[serde(default = "sector")]
    pub sector: Bytes,
    /// The target by each of its paths alone, where it has several that can be told apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<TargetId>,
    /// Those of them over which nothing can be read; they are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub down: Vec<PathDown>,
}

/// A path over which nothing can be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathDown {
    /// Its number, from 0.
    pub path: u32,
    /// Why.
    pub why: String,
}

/// What every device can do.
fn sector() -> Bytes {
    FINGERPRINT_BLOCK
}

impl FingerprintSpec {
    /// The fingerprint of the first target of `base`, and all shapes that its probes have. Only the target, the workers and
    /// the names are taken from `base`.
    pub fn new(base: &Step, writes: bool) -> (Self, Vec<Step>) {
        let spec = FingerprintSpec {
            writes,
            budget: FINGERPRINT_BUDGET,
            size: None,
            sector: sector(),
            paths: Vec::new(),
            down: Vec::new(),
        };
        let small = probe(base);
        let mut shapes = vec![
            small.clone(),
            larger(&small, FINGERPRINT_MIDDLE),
            larger(&small, FINGERPRINT_LARGE),
        ];
        if writes {
            shapes.extend(shapes.clone().iter().map(written));
        }
        (spec, shapes)
    }

    /// Has each of these looked at by itself too: they are the target, by one path each. They are read, and never written.
    pub(super) fn take_paths(&mut self, paths: Vec<TargetId>, steps: &mut Vec<Step>) {
        let Some(small) = steps.first().cloned() else {
            return;
        };
        steps.extend(paths.iter().map(|path| over(&small, *path)));
        self.paths = paths;
    }

    /// Leaves out one of its paths, by number. Its target stays in the plan, and nothing uses it.
    pub(super) fn leave_out(&mut self, down: PathDown, steps: &mut Vec<Step>) {
        let Some(id) = self.paths.get(down.path as usize).copied() else {
            return;
        };
        steps.retain(|step| step.streams.iter().all(|s| s.target != id));
        self.down.push(down);
    }

    pub(super) fn outline(&self, steps: &[Step]) -> Vec<Outlined> {
        let Some(probe) = steps.first() else {
            return Vec::new();
        };
        let each = (probe.warmup.0 + probe.elapsed.0).max(1);
        vec![Outlined {
            name: probe.name.clone(),
            load: match self.writes {
                true => "short probes, reads and writes".into(),
                false => "short probes, reads".into(),
            },
            step: probe.clone(),
            at_most: (self.budget.0 / each) as u32,
            may_be_fewer: true,
        }]
    }
}

/// The most common probe: small reads of all of the target.
fn probe(base: &Step) -> Step {
    let mut step = base.clone();
    step.streams.truncate(1);
    for stream in &mut step.streams {
        stream.share = 1.0;
        stream.fixed_rate = None;
        stream.priority = None;
        stream.throttle = crate::Throttle::default();
        stream.depth = None;
        stream.window = crate::Window::default();
        stream.mix = Mix::READS;
        stream.size = SizeSpec::Fixed(FINGERPRINT_BLOCK);
        stream.address = AddressSpec {
            range: RangeSpec::Whole,
            pattern: Pattern::RANDOM,
            hits: None,
        };
        stream.content = ContentSpec::Unique;
    }
    step.depths = step.streams.iter().map(|s| s.target).map(of).collect();
    step.loops.clear();
    step.limits = crate::Limits::default();
    step.actions.clear();
    step.start_commands.clear();
    step.end_commands.clear();
    step.load = Load::MaxShared;
    step.pause = Nanos(0);
    step.warmup = Nanos(100_000_000);
    step.elapsed = Nanos(400_000_000);
    step.interval = step.elapsed;
    step
}

fn over(small: &Step, path: TargetId) -> Step {
    let mut step = small.clone();
    step.streams.iter_mut().for_each(|s| s.target = path);
    step.depths = vec![of(path)];
    step
}

fn of(target: TargetId) -> Depth {
    Depth::new(target, FINGERPRINT_DEPTH)
}

fn larger(small: &Step, (size, slots): (Bytes, u32)) -> Step {
    let mut step = small.clone();
    step.streams
        .iter_mut()
        .for_each(|s| s.size = SizeSpec::Fixed(size));
    step.depths.iter_mut().for_each(|d| d.slots = slots);
    step
}

fn written(step: &Step) -> Step {
    let mut step = step.clone();
    for stream in &mut step.streams {
        stream.mix = Mix::WRITES;
    }
    step
}
