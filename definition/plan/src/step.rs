//! Plans, and the steps in them.

use crate::{
    AddressSpec, Bytes, Claim, ContentSpec, Dependency, DepthSearch, HostId, Hosts, IoSource,
    MethodSpec, Nanos, Origins, Quota, Rate, SizeSpec, Slo, Target, TargetId, Throttle, VerifySpec,
    Window,
};
use plimsoll_operation::{OP_COUNT, Op};
use serde::{Deserialize, Serialize};

/// Errors after which all ends where nobody says otherwise; Vdbench's number.
pub const DEFAULT_MAX_ERRORS: u64 = 50;

/// All that one invocation measures, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Which dialect it was written in: `native`, `vdbench`, `command line`.
    pub dialect: String,
    /// The title that people know it by.
    pub title: Option<String>,
    /// A word to find the record by, of those that measured the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Note on the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The claim that its results are to stand for; `None`: what their length supports, [`Plan::judged_for`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// All targets; steps refer to them by index.
    pub targets: Vec<Target>,
    /// The hosts that carry it out together; none: the host that reads it.
    #[serde(default, skip_serializing_if = "Hosts::is_empty")]
    pub hosts: Hosts,
    /// The steps and methods, in order.
    pub items: Vec<Item>,
    /// All ends with this error.
    pub max_errors: u64,
    /// Seed of every random choice; `None`: drawn by the rig and recorded.
    pub seed: Option<u64>,
    /// Commands before and after everything; run only with `--allow-commands`.
    pub start_commands: Vec<Command>,
    /// Commands after everything.
    pub end_commands: Vec<Command>,
}

/// One entry of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// One measurement, or one fill.
    Step(Step),
    /// A maximum, then percentages of it.
    Curve(CurveSpec),
    /// Another method.
    Method(MethodSpec),
}

/// The curve method: perhaps a search for the depth that carries most, then `base` at its maximum, then each percentage
/// of what it reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveSpec {
    /// The step to vary; its load is [`Load::Max`] or [`Load::MaxShared`].
    pub base: Step,
    /// Percentages of the maximum, in the order to run.
    pub percents: Vec<u32>,
    /// The arrivals of the points.
    pub arrival: Arrival,
    /// After a point whose mean service time exceeds this, everything ends (Vdbench's `stopcurve`).
    pub stop_service: Option<Nanos>,
    /// Response-time limits at which the capacity is stated; empty: [`crate::default_slos`].
    #[serde(default)]
    pub slos: Vec<Slo>,
    /// How the depth of the maximum is found; `None` where it was given.
    #[serde(default)]
    pub search: Option<DepthSearch>,
}

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

/// One workload on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// The workload's name.
    pub workload: String,
    /// The target.
    pub target: TargetId,
    /// The hosts that carry it out; empty: all that have its target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostId>,
    /// The part of the step's load, relative to the other streams' (those of a fixed rate left out).
    pub share: f64,
    /// A rate of its own, apart from the step's load.
    pub fixed_rate: Option<Rate>,
    /// The gaps of that rate; `None`: those of the step's load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<Arrival>,
    /// Smaller goes first where slots are short; fixed-rate streams only.
    pub priority: Option<u32>,
    /// Think times and limits that hold it back in a closed loop.
    #[serde(default, skip_serializing_if = "Throttle::is_none")]
    pub throttle: Throttle,
    /// The most I/Os that it has in flight, all workers together, in slots that no other stream has; `None`: it shares its
    /// target's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// When it works.
    #[serde(default, skip_serializing_if = "Window::is_whole")]
    pub window: Window,
    /// The most that it does.
    #[serde(default, skip_serializing_if = "Quota::is_none")]
    pub quota: Quota,
    /// The part that it has in the ends of others.
    #[serde(default, skip_serializing_if = "Dependency::is_none")]
    pub dependency: Dependency,
    /// Operations and their shares.
    pub mix: Mix,
    /// Sizes of transfers.
    pub size: SizeSpec,
    /// Addresses of I/Os.
    pub address: AddressSpec,
    /// The content that is written.
    pub content: ContentSpec,
    /// How what is written and read is verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<VerifySpec>,
    /// Where its I/Os come from, where they are not drawn.
    #[serde(rename = "feed", default, skip_serializing_if = "Option::is_none")]
    pub source: Option<IoSource>,
}

/// Percent of operations; they sum to 100.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// Reads.
    pub read: f64,
    /// Writes.
    pub write: f64,
    /// Trims.
    pub trim: f64,
}

/// How much is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Closed loop: every slot always busy; each target goes as fast as it can.
    Max,
    /// Closed loop that keeps the streams' shares over all targets.
    MaxShared,
    /// Open loop: this many per second, all streams without a fixed rate together.
    Rate {
        /// I/Os per second.
        rate: Rate,
        /// The gaps between intended starts.
        arrival: Arrival,
    },
    /// Open loop: a percentage of the rate that the last step reached.
    PercentOfLast {
        /// Percent.
        percent: f64,
        /// The gaps between intended starts.
        arrival: Arrival,
    },
    /// Open loop: rates one after the other, repeated until the step's end.
    Schedule {
        /// The parts.
        segments: Vec<RateSegment>,
        /// The gaps between intended starts.
        arrival: Arrival,
    },
}

/// One part of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateSegment {
    /// I/Os per second.
    pub rate: Rate,
    /// For how long.
    pub length: Nanos,
}

/// The gaps between intended starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// Independent arrivals (Poisson).
    #[default]
    Exponential,
    /// 0 to twice the mean, alike.
    Uniform,
    /// Always the mean.
    Even,
}

/// Limits that end a step before its time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes moved.
    pub bytes: Option<Bytes>,
    /// Bytes read.
    pub read_bytes: Option<Bytes>,
    /// Bytes written.
    pub written_bytes: Option<Bytes>,
    /// I/Os completed.
    pub ios: Option<u64>,
    /// How many times all of the step's targets is written. Whoever opens them makes bytes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrites: Option<f64>,
}

/// Something that is done at a time of a step. Where the rate is to change, the load is a [`Load::Schedule`].
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

impl Plan {
    /// The target of an index.
    pub fn target(&self, id: TargetId) -> &Target {
        &self.targets[id.0 as usize]
    }

    /// All steps that can be known before anything has run; a curve's points are only its base here. What may be done to the
    /// targets is all in them.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.items.iter().flat_map(Item::steps)
    }

    /// True where a stream of any step changes what this target holds.
    pub fn changes_target(&self, index: usize) -> bool {
        let mut streams = self.steps().flat_map(|s| &s.streams);
        streams.any(|s| s.target.0 as usize == index && s.mix.changes_data())
    }

    /// True where a target is another one by one of its paths alone. Such a one is only read: what is to be filled or written is
    /// done by the whole of it.
    pub fn is_path(&self, id: TargetId) -> bool {
        self.items.iter().any(|item| match item {
            Item::Method(method) => method.paths().contains(&id),
            Item::Step(_) | Item::Curve(_) => false,
        })
    }
}

impl Plan {
    /// These steps on these targets, as the native language has them where nothing more is said. Whoever wants a seed writes
    /// `Plan { seed, ..Plan::new(…) }`.
    pub fn new(targets: Vec<Target>, items: Vec<Item>) -> Plan {
        Plan {
            dialect: "native".into(),
            title: None,
            tag: None,
            note: None,
            claim: None,
            targets,
            hosts: Hosts::default(),
            items,
            max_errors: crate::DEFAULT_MAX_ERRORS,
            seed: None,
            start_commands: Vec::new(),
            end_commands: Vec::new(),
        }
    }
}

impl Item {
    /// The step, or those which all of a method's are made of.
    pub fn steps(&self) -> &[Step] {
        match self {
            Item::Step(step) => std::slice::from_ref(step),
            Item::Curve(curve) => std::slice::from_ref(&curve.base),
            Item::Method(method) => &method.steps,
        }
    }
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
}

impl Stream {
    /// A workload on a target that has one equal share of the step's load and of its target's slots, through all of the step,
    /// and writes content that no array can reduce.
    pub fn new(
        workload: impl Into<String>,
        target: TargetId,
        mix: Mix,
        size: SizeSpec,
        address: AddressSpec,
    ) -> Stream {
        Stream {
            workload: workload.into(),
            target,
            hosts: Vec::new(),
            share: 1.0,
            fixed_rate: None,
            arrival: None,
            priority: None,
            throttle: Throttle::default(),
            depth: None,
            window: Window::default(),
            quota: Quota::default(),
            dependency: Dependency::default(),
            mix,
            size,
            address,
            content: ContentSpec::Unique,
            verify: None,
            source: None,
        }
    }
}

impl Mix {
    /// Reads only.
    pub const READS: Mix = Mix::of_reads(100.0);
    /// Writes only.
    pub const WRITES: Mix = Mix::of_reads(0.0);
    /// Trims only.
    pub const TRIMS: Mix = Mix {
        read: 0.0,
        write: 0.0,
        trim: 100.0,
    };

    /// So many percent of reads, and writes else.
    pub const fn of_reads(percent: f64) -> Mix {
        Mix {
            read: percent,
            write: 100.0 - percent,
            trim: 0.0,
        }
    }

    /// Percent of each operation, in the order of [`Op::ALL`].
    pub fn percents(&self) -> [f64; OP_COUNT] {
        [self.read, self.write, self.trim]
    }

    /// Operations that occur, and their percent.
    pub fn occurring(&self) -> impl Iterator<Item = (Op, f64)> {
        let all = Op::ALL.into_iter().zip(self.percents());
        all.filter(|(_, percent)| *percent > 0.0)
    }

    /// True where one of its operations changes what a target holds, so that it needs leave.
    pub fn changes_data(&self) -> bool {
        self.occurring().any(|(op, _)| op.changes_data())
    }
}

impl From<[f64; OP_COUNT]> for Mix {
    fn from([read, write, trim]: [f64; OP_COUNT]) -> Self {
        Mix { read, write, trim }
    }
}

impl Depth {
    /// So many slots on each of these targets.
    pub fn each(targets: impl IntoIterator<Item = TargetId>, slots: u32) -> Vec<Depth> {
        let of = |target| Depth { target, slots };
        targets.into_iter().map(of).collect()
    }
}

impl Limits {
    /// With the overwrites as bytes, now that the size of all the step's targets together is known.
    pub fn resolved(self, targets_bytes: u64) -> Limits {
        // Past 2^64 the cast stays at the most.
        let of = |times: f64| Bytes((times * targets_bytes as f64) as u64);
        let overwritten = self.overwrites.map(of);
        Limits {
            written_bytes: self.written_bytes.into_iter().chain(overwritten).min(),
            overwrites: None,
            ..self
        }
    }
}
