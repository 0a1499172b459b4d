//! One completed step: the counted intervals merged and judged.

use crate::{
    ArrayEvidence, BUSY_SERVICE_S, End, Estimate, Finding, HostPart, Limit, LimitCause, LostHost,
    Saturation, StartTogether, StepSeries, TargetPaths, Timeline, Witnessed,
};
use plimsoll_measure::{Counted, Histogram, Op, OpStats};
use serde::{Deserialize, Serialize};

/// Results of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepEvidence {
    /// Number in the record, from 1.
    pub number: u32,
    /// Number of the host in [`crate::Environment::hosts`], from 1; 0: all of them together, or the only one.
    #[serde(default, skip_serializing_if = "crate::interval::is_zero")]
    pub host: u32,
    /// Name of the step: `rd1_(10%)`.
    pub name: String,
    /// The run that it belongs to.
    pub run: String,
    /// Loop values: (key, value).
    pub loops: Vec<(String, String)>,
    /// True for a fill: in no result.
    pub fill: bool,
    /// Rate asked for, I/Os per second; `None` in a closed loop.
    pub offered: Option<f64>,
    /// The load in words: `max`, `5000/s exponential`.
    pub load: String,
    /// Slots of all targets together.
    pub slots: u64,
    /// Worker threads.
    pub workers: u32,
    /// Length of the warm-up, s.
    pub warmup_s: f64,
    /// Length of what was counted, s.
    pub counted_s: f64,
    /// Numbers of the first and the last counted interval.
    pub counted_intervals: (u32, u32),
    /// Word for what is counted.
    #[serde(default, skip_serializing_if = "Counted::is_ios")]
    pub counted: Counted,
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes they moved: of reads and writes, those of copies too.
    pub bytes: u64,
    /// All that failed: I/Os, the warm-up's and those that came back after the last interval too, and fsyncs.
    pub errors: u64,
    /// fsyncs and flushes of its targets; `None` where there was none. They have service times alone, and count in no other field
    /// but `errors`.
    #[serde(default)]
    pub syncs: Option<Box<OpSummary>>,
    /// Achieved rate, I/Os per second.
    pub rate: Estimate,
    /// Mean response time, ns.
    pub response_mean_ns: Estimate,
    /// Mean service time, ns.
    pub service_mean_ns: Estimate,
    /// Response times of all operations.
    pub response: Histogram,
    /// Service times of all operations.
    pub service: Histogram,
    /// Operations that occurred, each with its counts.
    pub ops: Vec<OpSummary>,
    /// Streams, in the step's order.
    pub streams: Vec<StreamSummary>,
    /// Mean I/Os in flight.
    pub depth_mean: f64,
    /// Generator lateness, where the loop was open.
    pub lateness: Histogram,
    /// Saturation of all its streams with a schedule together: whether their load was past what the targets carry, and saturated where one
    /// of them is; `None` where none has a schedule.
    pub saturation: Option<Saturation>,
    /// Backlogs that came and went, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stalls: Vec<Stretch>,
    /// Stretches in which the generator itself was late, with the I/Os that this hit, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late_by_host: Vec<Stretch>,
    /// I/Os that were due in the counted time and not back at the end of the drain. They are in the response times with
    /// what they had waited by then.
    pub unfinished: u64,
    /// CPU time of the process with its kernel workers per counted I/O, ns; `None` where not observable.
    pub cpu_ns_per_io: Option<f64>,
    /// Reason for the end of the step.
    pub end: End,
    /// Reason why the step is no result, and was measured again or has to be: a host was lost in it. `None` for all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
    /// The first errors, with their place.
    pub error_samples: Vec<ErrorSample>,
    /// Each host's part, where several carried it out together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostPart>,
    /// The hosts whose part is missing, where several were to carry it out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_hosts: Vec<LostHost>,
    /// The paths to targets that are reached by several, or over a network; empty for files and devices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<TargetPaths>,
    /// Reports of the arrays below the targets about themselves; empty where none told anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<ArrayEvidence>,
    /// Observations of the kernel and the host in the counted time; `None` where nobody looked: in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witnessed: Option<Witnessed>,
    /// Limit of a closed loop, or of a load past what its targets carry; `None` for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Actions that were done while the step ran, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionEvidence>,
    /// Course of the step over time; `None` where nothing was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<StepSeries>,
    /// The size of all its targets together, bytes; 0 where it is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub targets_bytes: u64,
    /// Counted time in parts of equal length, where the step's method asks for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// Things to say beside the result, one sentence each, of whoever carried the step out.
    pub notes: Vec<String>,
    /// Findings of the judge, each of something doubtful.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl StepEvidence {
    /// A closed loop that ran to its end, and of which nothing is known: its run has its name, it had no slots and no workers,
    /// and all that may be counted is zero. Whoever knows more writes `StepEvidence { ios, ..StepEvidence::new(…) }`.
    pub fn new(number: u32, name: impl Into<String>) -> StepEvidence {
        let name = name.into();
        StepEvidence {
            number,
            host: 0,
            run: name.clone(),
            name,
            loops: Vec::new(),
            fill: false,
            offered: None,
            load: "max".into(),
            slots: 0,
            workers: 0,
            warmup_s: 0.0,
            counted_s: 0.0,
            counted_intervals: (0, 0),
            counted: Counted::Ios,
            ios: 0,
            bytes: 0,
            errors: 0,
            syncs: None,
            rate: Estimate::default(),
            response_mean_ns: Estimate::default(),
            service_mean_ns: Estimate::default(),
            response: Histogram::empty(),
            service: Histogram::empty(),
            ops: Vec::new(),
            streams: Vec::new(),
            depth_mean: 0.0,
            lateness: Histogram::empty(),
            saturation: None,
            stalls: Vec::new(),
            late_by_host: Vec::new(),
            unfinished: 0,
            cpu_ns_per_io: None,
            end: End::Elapsed,
            set_aside: None,
            error_samples: Vec::new(),
            hosts: Vec::new(),
            lost_hosts: Vec::new(),
            paths: Vec::new(),
            arrays: Vec::new(),
            witnessed: None,
            limit: None,
            actions: Vec::new(),
            series: None,
            targets_bytes: 0,
            timeline: None,
            notes: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// True of a load on schedule that has fewer slots than its rate needs in front of a busy array, where nothing else is known to
    /// limit it.
    pub fn slots_hold_it_back(&self) -> bool {
        let is_few = |rate: f64| (self.slots as f64) < rate * BUSY_SERVICE_S;
        let cause = self.limit.as_ref().map(|limit| limit.cause);
        let open = matches!(
            cause,
            None | Some(LimitCause::Slots | LimitCause::NotAttributable)
        );
        open && self.offered.is_some_and(is_few)
    }

    /// Seconds at its end in which the target answered nothing, where the judge found such and they are most of what the load was short of.
    pub fn still_at_end_s(&self) -> Option<f64> {
        let is_still = |f: &&Finding| f.rule == "target-stood-still-at-end";
        let still = self.findings.iter().find(is_still)?;
        let length = still.values.iter().find(|v| v.name == "length")?;
        let short = self.saturation.map_or(0.0, |s| s.shortfall);
        let length = length.quantity.number()?;
        (length > short / 2.0 * self.counted_s).then_some(length)
    }

    /// fsyncs and flushes that failed.
    pub fn fsync_errors(&self) -> u64 {
        self.syncs.as_ref().map_or(0, |syncs| syncs.errors)
    }

    /// Mean size of the I/Os that moved bytes; `None` where none did.
    pub fn mean_size(&self) -> Option<f64> {
        let others = || self.ops.iter().filter(|o| !o.op.moves_bytes());
        let moving = self.ios.saturating_sub(others().map(|o| o.ios).sum());
        let copied = others().filter(|o| o.op == Op::Copy).map(|o| o.bytes).sum();
        (moving > 0).then(|| self.bytes.saturating_sub(copied) as f64 / moving as f64)
    }

    /// Bytes that it wrote in the counted time.
    pub fn written_bytes(&self) -> u64 {
        let written = self.ops.iter().map(|o| o.op.written(o.bytes));
        written.fold(0, u64::saturating_add)
    }

    /// Remarks beside the result, one sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let found = self.findings.iter().map(|f| &f.message);
        self.notes.iter().chain(found).cloned().collect()
    }
}

impl HostPart {
    /// Part of host `host`, which is called `name`, in its step.
    pub fn of(host: u32, name: &str, step: &StepEvidence, start: StartTogether) -> HostPart {
        HostPart {
            host,
            name: name.into(),
            workers: step.workers,
            offered: step.offered,
            ios: step.ios,
            bytes: step.bytes,
            errors: step.errors,
            rate: step.rate,
            response_mean_ns: step.response_mean_ns,
            response_p99_ns: step.response.supported_quantile_ns(0.99),
            response_max_ns: step.response.max_ns(),
            service_mean_ns: step.service_mean_ns,
            depth_mean: step.depth_mean,
            saturation: step.saturation,
            late_by_host: step.late_by_host.iter().map(|s| s.ios).sum(),
            end: step.end,
            start,
            findings: step.findings.clone(),
        }
    }
}

/// Action that was done while a step ran. Times ns from the step's start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionEvidence {
    /// The command, or the fault in its words.
    pub what: String,
    /// Time at which the action was to begin; `None` where the method decided that as the step ran.
    pub planned_ns: Option<u64>,
    /// Time at which the action began; `None`: it did not, the step had ended.
    pub began_ns: Option<u64>,
    /// Time at which the action was over; for a fault, at which it was injected.
    pub ended_ns: Option<u64>,
    /// Reason why the action failed, if it did: `exit status: 1`.
    pub failed: Option<String>,
    /// The end of what a command wrote, both streams.
    pub output: String,
}

/// One stream's part of a step: a workload on a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamSummary {
    /// The workload's name.
    pub workload: String,
    /// Index of its target in the plan, and in the environment's list.
    pub target: u32,
    /// Number of the host in [`crate::Environment::hosts`], from 1; 0: all of them together, or the only one.
    #[serde(default, skip_serializing_if = "crate::interval::is_zero")]
    pub host: u32,
    /// Rate asked for while it works, I/Os per second; `None` where it has no schedule.
    pub offered: Option<f64>,
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes they moved: of reads and writes.
    pub bytes: u64,
    /// Failed I/Os.
    pub errors: u64,
    /// Achieved rate, I/Os per second of the time in which it worked.
    pub rate: Estimate,
    /// Time that the stream worked of the counted time, s; `None`: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_s: Option<f64>,
    /// Mean response time, ns.
    pub response_mean_ns: Estimate,
    /// Mean service time, ns.
    pub service_mean_ns: Estimate,
    /// Operations that occurred, each with its counts.
    pub ops: Vec<OpSummary>,
    /// fsyncs and flushes that its writes made due.
    #[serde(default)]
    pub syncs: Option<Box<OpSummary>>,
    /// Saturation of the stream's own schedule: whether it was past what its target carries; `None` where it has no schedule.
    pub saturation: Option<Saturation>,
}

/// A part of a step's time in which something held I/Os up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// Start of the stretch, ns from the step's start.
    pub start_ns: u64,
    /// Length of the stretch, ns.
    pub length_ns: u64,
    /// I/Os that it held up.
    pub ios: u64,
}

/// One operation's part of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpSummary {
    /// The operation.
    pub op: Op,
    /// Completed I/Os.
    pub ios: u64,
    /// Bytes they moved; of trims, bytes that they discarded.
    pub bytes: u64,
    /// Failed I/Os.
    pub errors: u64,
    /// Response times.
    pub response: Histogram,
    /// Service times.
    pub service: Histogram,
}

impl OpSummary {
    /// Bytes that operations moved: what trims discard goes nowhere.
    pub fn moved(ops: &[OpSummary]) -> u64 {
        let moving = ops.iter().filter(|o| o.op != Op::Trim);
        moving.fold(0, |sum, o| sum.saturating_add(o.bytes))
    }

    /// The counters of an operation.
    pub fn of(op: Op, stats: &OpStats) -> Self {
        OpSummary {
            op,
            ios: stats.ios,
            bytes: stats.bytes,
            errors: stats.errors,
            response: stats.response.clone(),
            service: stats.service.clone(),
        }
    }
}

/// Beginning of what is said of an I/O that brought other bytes than were written.
pub const MISMATCH: &str = "verification failed";

/// One failed I/O, or fsync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorSample {
    /// Target name.
    pub target: String,
    /// The operation.
    pub op: Op,
    /// Byte offset on the target, or in the file that `what` names; 0 of what has none.
    pub offset: u64,
    /// Bytes asked for; 0 of what has no place: an fsync, an operation on a name, a file that could not be opened.
    pub length: u64,
    /// Time from the step's start, ns.
    pub at_ns: u64,
    /// Error in words: `EIO (Input/output error)`, `short read: 512 of 4096 bytes`, `still in flight`, `ENOENT (…): /t/j.0.17`.
    pub what: String,
}
