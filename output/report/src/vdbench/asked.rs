//! What a plan asks for, as Vdbench's report repeats it.

use super::run::{MaxData, Requested, RequestedRate, RunDefinition, StreamLabel};
use plimsoll_plan::{
    ContentSpec, Depth, Item, Load, NO_TIME_LIMIT, Op, Pattern, Plan, Purpose, SizeSpec, Step,
    Stream,
};

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Names of Vdbench for things that the plan calls otherwise.
#[derive(Debug, Clone)]
pub struct Naming {
    /// The run's name without its loops: `rd1_(10%)`.
    pub run: String,
    /// Percent of the run's I/Os that each stream was to make; `None` where nobody can say.
    pub shares: Vec<Option<f64>>,
}

/// True where a step is the maximum that a curve's points are parts of.
fn is_curve_maximum(plan: &Plan, step: &Step) -> bool {
    plan.items
        .iter()
        .any(|item| matches!(item, Item::Curve(c) if c.base.name == step.name))
}

impl RunDefinition {
    /// A step of the plan as a run definition.
    pub fn of(plan: &Plan, step: &Step, naming: Naming) -> Self {
        let whole_seconds = |ns: u64| ns / SECOND;
        let is_on_files = step
            .streams
            .iter()
            .any(|s| plan.target(s.target).location.tree().is_some());
        let measured = step.purpose == Purpose::Measure;
        let streams = step.streams.iter().zip(naming.shares);
        RunDefinition {
            name: naming.run,
            rate: rate(step, is_curve_maximum(plan, step)),
            elapsed_s: measured.then_some(whole_seconds(step.elapsed.0)),
            is_limited: !measured && step.elapsed != NO_TIME_LIMIT,
            warmup_s: whole_seconds(step.warmup.0),
            interval_s: whole_seconds(step.interval.0).max(1),
            loops: step
                .loops
                .iter()
                .map(|l| (l.key.clone(), l.value.clone()))
                .collect(),
            streams: streams
                .map(|(s, skew)| StreamLabel {
                    sd: plan.target(s.target).name.clone(),
                    lun: plan.target(s.target).location.text(),
                    wd: s.workload.clone(),
                    skew,
                })
                .collect(),
            requested: requested(plan, step),
            max_data: max_data(step),
            operations: is_on_files.then(|| operations(step)),
        }
    }
}

/// Operations that a step asks for, each once.
fn operations(step: &Step) -> Vec<Op> {
    let all = step.streams.iter().flat_map(|s| s.mix.occurring());
    let mut operations: Vec<Op> = all.map(|(op, _)| op).collect();
    operations.sort();
    operations.dedup();
    operations
}

fn rate(step: &Step, is_curve: bool) -> RequestedRate {
    match (&step.load, is_curve) {
        (Load::Max, false) => RequestedRate::UncontrolledMax,
        (Load::MaxShared, false) => RequestedRate::ControlledMax,
        (Load::Max, true) => RequestedRate::UncontrolledCurve,
        (Load::MaxShared, true) => RequestedRate::ControlledCurve,
        (Load::Rate { rate, .. }, _) => RequestedRate::PerSecond(rate.0),
        (Load::PercentOfLast { .. }, _) => RequestedRate::UncontrolledMax,
        (Load::Schedule { .. }, _) => RequestedRate::Variable,
    }
}

fn max_data(step: &Step) -> MaxData {
    let transfers = step.streams.iter().map(|s| s.largest().0);
    MaxData {
        total: step.limits.bytes.map(|b| b.0),
        read: step.limits.read_bytes.map(|b| b.0),
        written: step.limits.written_bytes.map(|b| b.0),
        transfer: transfers.max().unwrap_or(0),
    }
}

/// Requests as the flat file states them, in Vdbench's words: nothing where the workloads differ.
fn requested(plan: &Plan, step: &Step) -> Requested {
    let Some(first) = step.streams.first() else {
        return Requested::default();
    };
    let same = |of: fn(&Stream) -> f64| {
        let value = of(first);
        step.streams.iter().all(|s| of(s) == value).then_some(value)
    };
    let (compratio, dedupratio) = match &first.content {
        ContentSpec::Reducible { compress, dedupe } => (*compress, dedupe.map(|d| d.ratio)),
        _ => (1.0, None),
    };
    let of = |d: &Depth| step.depth_of(d.target);
    let slots = step.depths.first().map(of);
    let alike = step.depths.iter().all(|d| Some(of(d)) == slots);
    let sizes: Option<Vec<u64>> = step
        .depths
        .iter()
        .map(|d| plan.target(d.target).size.map(|s| s.0))
        .collect();
    Requested {
        xfersize: same(first_size).filter(|_| step.streams.iter().all(has_one_size)),
        threads: slots.map(|slots| if alike { slots as f64 } else { -1.0 }),
        rdpct: same(|s| s.mix.read),
        rhpct: same(|s| s.address.hits.map_or(0.0, |h| h.read_percent)),
        whpct: same(|s| s.address.hits.map_or(0.0, |h| h.write_percent)),
        seekpct: same(seek_percent),
        lunsize: sizes.map(|s| s.iter().sum()),
        compratio: Some(compratio),
        dedupratio,
    }
}

/// The transfer size of a stream, of several the one that was written first.
fn first_size(stream: &Stream) -> f64 {
    let occurring = stream.size.occurring(&stream.mix);
    let bytes = match occurring[0] {
        SizeSpec::Fixed(size) | SizeSpec::Range { min: size, .. } => Some(size.0),
        SizeSpec::Weighted(list) => list.first().map(|(size, _)| size.0),
        SizeSpec::ByOperation(_) => None,
    };
    bytes.unwrap_or(0) as f64
}

/// Vdbench has no sizes by operation, so it has no word for them.
fn has_one_size(stream: &Stream) -> bool {
    stream.size.occurring(&stream.mix).len() == 1
}

fn seek_percent(stream: &Stream) -> f64 {
    match stream.address.pattern {
        Pattern::Random { .. } => 100.0,
        Pattern::PercentRandom(percent) | Pattern::PartRandom { percent, .. } => percent,
        Pattern::Sequential { once: true, .. } => -1.0,
        Pattern::Runs { ios, repeat } => 100.0 / f64::from(if repeat { 1 } else { ios.max(1) }),
        Pattern::Zones { random: true, .. } => 100.0,
        Pattern::Sequential { .. }
        | Pattern::SequentialEach
        | Pattern::Stride { .. }
        | Pattern::Backward { .. }
        | Pattern::Zones { .. }
        | Pattern::Streams(_) => 0.0,
    }
}
