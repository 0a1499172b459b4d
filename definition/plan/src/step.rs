//! Steps: streams that run together, with their depths and their load.

use crate::{Limits, Load, Nanos, Origins, Stream, TargetId};
use serde::{Deserialize, Serialize};

/// One fully resolved measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The step's name, as `rd1` or `rd1_(10%)`.
    pub name: String,
    /// The run that it belongs to.
    pub run: String,
    /// The loop values that make it differ from its sisters, in order.
    pub loops: Vec<LoopValue>,
    /// The streams of I/O, each on one target.
    pub streams: Vec<Stream>,
    /// Outstanding I/Os, of every target in use: its streams share these slots, but for those that have a depth of their own.
    pub depths: Vec<Depth>,
    /// How much is asked for.
    pub load: Load,
    /// Not counted, first.
    pub warmup: Nanos,
    /// Counted, then.
    pub elapsed: Nanos,
    /// How often counters are read.
    pub interval: Nanos,
    /// Idle before it starts.
    pub pause: Nanos,
    /// Ends it before its time.
    pub limits: Limits,
    /// The workers that submit.
    pub workers: Workers,
    /// A measurement, or preparation.
    pub purpose: Purpose,
    /// Run before it, with `--allow-commands`.
    pub start_commands: Vec<Command>,
    /// Run after it.
    pub end_commands: Vec<Command>,
    /// Actions while it runs, by rising time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<TimedAction>,
    /// Where its fields were written.
    pub origins: Origins,
}

/// One value of a loop: `threads=8`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopValue {
    /// The parameter.
    pub key: String,
    /// The value, as the dialect prints it.
    pub value: String,
}

impl LoopValue {
    /// A parameter's value.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        LoopValue {
            key: key.into(),
            value: value.into(),
        }
    }
}

/// The suffix by which loop values tell sister steps apart: `_(depth=8,load=1000)`; empty where there are none.
pub fn loop_suffix(loops: &[LoopValue]) -> String {
    if loops.is_empty() {
        return String::new();
    }
    let values: Vec<String> = loops
        .iter()
        .map(|l| format!("{}={}", l.key, l.value))
        .collect();
    format!("_({})", values.join(","))
}

/// Why a step exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To be measured.
    #[default]
    Measure,
    /// To fill a target before it's read; not in any result.
    Fill,
}

/// Slots of one target that its streams share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depth {
    /// The target.
    pub target: TargetId,
    /// The most I/Os in flight on it, all workers together; 0 where each of its streams has a depth of its own.
    pub slots: u32,
}

/// Workers that submit the I/O.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workers {
    /// How many threads; `None`: one per available CPU, on schedule as many as the rate wants, and no more than there are
    /// slots.
    pub count: Option<u32>,
    /// CPUs to pin them to, in turn; `None`: unpinned.
    pub pin: Option<Vec<u32>>,
    /// Waiting for a due I/O may cost a whole CPU: they wake long enough before it, and look at the clock for the rest. Else it
    /// costs a few percent.
    #[serde(default)]
    pub punctual: bool,
}

/// Action that is done at a time of a step. Where the rate is to change, the load is a [`Load::Schedule`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimedAction {
    /// When, from the step's beginning; the warm-up counts.
    pub at: Nanos,
    /// The action itself.
    pub action: Action,
    /// It puts back what an earlier one did: where the step ends before its time and an earlier one was done, it is done then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub puts_back: bool,
}

/// Actions that can be done while a step runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A command, with `--allow-commands`. The load goes on meanwhile.
    Command(Command),
    /// A fault of the simulated arrays: `path-down path=0 for=10s`.
    Fault(String),
}

/// A command from a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// For the shell.
    pub line: String,
    /// Where its output goes: `console`, `log` or `summary`.
    pub output: String,
}

impl Step {
    /// A measurement: these streams in these slots, for so long. All else is as it is where nobody says otherwise: it is a run
    /// of its own, in intervals of a second, without a warm-up, a pause, limits, or commands. Whoever wants another warm-up
    /// writes `Step { warmup, ..Step::new(…) }`.
    pub fn new(
        name: impl Into<String>,
        streams: Vec<Stream>,
        depths: Vec<Depth>,
        load: Load,
        elapsed: Nanos,
    ) -> Step {
        let name = name.into();
        Step {
            run: name.clone(),
            name,
            loops: Vec::new(),
            streams,
            depths,
            load,
            warmup: Nanos(0),
            elapsed,
            interval: Nanos::secs(1),
            pause: Nanos(0),
            limits: Limits::default(),
            workers: Workers::default(),
            purpose: Purpose::Measure,
            start_commands: Vec::new(),
            end_commands: Vec::new(),
            actions: Vec::new(),
            origins: Origins::default(),
        }
    }

    /// True when any stream changes what its target holds.
    pub fn writes(&self) -> bool {
        self.streams.iter().any(|s| s.mix.changes_data())
    }

    /// The shares of all streams that have no rate of their own, in sum: what each of theirs is a part of.
    pub fn shares(&self) -> f64 {
        let sharing = self.streams.iter().filter(|s| s.fixed_rate.is_none());
        sharing.map(|s| s.share).sum()
    }

    /// Slots of all targets together: those that streams share, and those that streams have for themselves.
    pub fn total_depth(&self) -> u64 {
        let own = self.streams.iter().filter_map(|s| s.depth);
        let shared = self.depths.iter().map(|d| d.slots);
        shared.chain(own).map(u64::from).sum()
    }

    /// Slots of one target, its streams' own among them.
    pub fn depth_of(&self, target: TargetId) -> u64 {
        let shared = self.depths.iter().filter(|d| d.target == target);
        let own = self.streams.iter().filter(|s| s.target == target);
        let own = own.filter_map(|s| s.depth);
        shared.map(|d| d.slots).chain(own).map(u64::from).sum()
    }

    /// The most I/Os that a stream can have in flight: its own slots, or those that it shares.
    pub fn depth_for(&self, stream: &Stream) -> u32 {
        let shared = self.depths.iter().find(|d| d.target == stream.target);
        stream.depth.unwrap_or(shared.map_or(0, |d| d.slots))
    }

    /// True where a stream of the target shares its slots.
    pub fn is_shared(&self, target: TargetId) -> bool {
        let mut own = self.streams.iter().filter(|s| s.target == target);
        own.any(|s| s.depth.is_none())
    }

    /// What holds its streams back, in words: `think 5ms`; of streams that differ each by its workload's name. `None` where
    /// nothing does.
    pub fn throttle_words(&self) -> Option<String> {
        let first = self.streams.iter().find(|s| !s.throttle.is_none())?;
        if self.streams.iter().all(|s| s.throttle == first.throttle) {
            return Some(first.throttle.to_string());
        }
        let mut words: Vec<String> = Vec::new();
        for stream in self.streams.iter().filter(|s| !s.throttle.is_none()) {
            let own = format!("{}: {}", stream.workload, stream.throttle);
            if !words.contains(&own) {
                words.push(own);
            }
        }
        Some(words.join("; "))
    }
}

impl Depth {
    /// So many slots on a target.
    pub const fn new(target: TargetId, slots: u32) -> Self {
        Depth { target, slots }
    }

    /// So many slots on each of these targets.
    pub fn each(targets: impl IntoIterator<Item = TargetId>, slots: u32) -> Vec<Depth> {
        targets.into_iter().map(|t| Depth::new(t, slots)).collect()
    }
}

/// The longest that a step takes: its pause, its warm-up and its time. Limits may end it sooner; settling between the
/// points of a curve comes on top and is not known, and neither is the time of a fill, which ends when it's through.
pub fn step_duration(step: &Step) -> Nanos {
    if step.purpose == Purpose::Fill {
        return step.pause;
    }
    Nanos(
        step.pause
            .0
            .saturating_add(step.warmup.0)
            .saturating_add(step.elapsed.0),
    )
}
