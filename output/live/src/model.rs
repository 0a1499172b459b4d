//! The model: all that is known of a run at one moment.

use crate::History;
use plimsoll_evidence::{Counted, Phase, Severity};
use plimsoll_report::AnswerLines;
use serde::Serialize;

/// A run as it is known at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Live {
    /// Path of the record.
    pub record: String,
    /// Title that people gave the run.
    pub title: Option<String>,
    /// Method: `run`, `curve`, `soak`.
    pub method: String,
    /// Start, RFC 3339, UTC.
    pub started: String,
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// Locations of the targets.
    pub locations: Vec<String>,
    /// Word for what is counted.
    #[serde(skip)]
    pub counted: Counted,
    /// True in the lab's virtual time.
    pub simulated: bool,
    /// State of the run.
    pub state: State,
    /// Progress.
    pub progress: Progress,
    /// The step that is under way, or the one that the run ended in.
    pub current: Option<Current>,
    /// The newest interval.
    pub now: Option<crate::Point>,
    /// All intervals.
    pub history: History,
    /// Steps that are done, in order.
    pub steps: Vec<StepResult>,
    /// Targets of the current step.
    pub targets: Vec<Part>,
    /// Streams of the current step; a stream is a workload on a target.
    pub streams: Vec<Part>,
    /// Hosts of the current step, where several carry it out.
    pub parts_of_hosts: Vec<Part>,
    /// Findings so far, each rule once, the worst first.
    pub doubts: Vec<Doubt>,
    /// The answer, when the run has ended.
    pub answer: Option<AnswerLines>,
}

/// State of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// Run that goes on.
    Running,
    /// Nobody writes it any more, and its end isn't in it: it was killed.
    Killed,
    /// Run that came to its end.
    Completed,
    /// The user ended it.
    Interrupted,
    /// Run that could not go on.
    Failed {
        /// Reason.
        why: String,
    },
}

/// Progress of a run, in its own time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Progress {
    /// Seconds since the run began, until the end of the newest interval.
    pub elapsed_s: f64,
    /// Share that is done, 0..=1; `None` where the plan doesn't say how long it is.
    pub done: Option<f64>,
    /// Seconds of load that are left, at most.
    pub left_s: Option<f64>,
    /// Number of steps; `None` where the method finds out as it goes.
    pub steps: Option<u32>,
}

/// A stretch of time, seconds from the run's start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Span {
    /// Start.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
}

/// The step that is under way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Current {
    /// Number, from 1.
    pub number: u32,
    /// Name.
    pub name: String,
    /// Load that is asked for, in words.
    pub load: String,
    /// True where a target is being filled.
    pub fill: bool,
    /// Phase of its newest interval; `None` before the first.
    pub phase: Option<Phase>,
    /// Seconds that it has gone on.
    pub into_s: f64,
    /// Seconds that it takes, at most, its warm-up too; 0 for one that ends when it is through.
    pub length_s: f64,
    /// Limits that its response times are held to.
    pub limits: Vec<Limit>,
}

/// A limit of response time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// Statistic that it limits: `mean`, `p99`.
    pub statistic: String,
    /// The limit, µs.
    pub us: f64,
    /// True where the user gave it, false for those that every curve states its capacity at.
    pub asked: bool,
}

/// A step that is done. Times are response times, µs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepResult {
    /// Number, from 1.
    pub number: u32,
    /// Name.
    pub name: String,
    /// Load that was asked for, in words.
    pub load: String,
    /// Rate that was offered; `None` in a closed loop.
    pub offered: Option<f64>,
    /// True where it filled a target.
    pub fill: bool,
    /// True where it is no result: it was set aside.
    pub set_aside: bool,
    /// Time that it took.
    pub span: Span,
    /// Rate, I/Os each second.
    pub rate: f64,
    /// Half of its 95 % interval.
    pub rate_half_width: Option<f64>,
    /// Mean; `None` where no I/O was completed, or the load was more than the target carries.
    pub mean_us: Option<f64>,
    /// Median.
    pub p50_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// I/Os in flight, mean.
    pub depth: f64,
    /// I/Os that failed.
    pub errors: u64,
    /// True where the load was more than the target carries.
    pub saturated: bool,
}

/// A target, a stream or a host, in the current step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Name.
    pub name: String,
    /// I/Os each second in the newest interval; `None` where it has not told anything of that interval.
    pub rate: Option<f64>,
    /// Bytes each second.
    pub bytes_per_s: Option<f64>,
    /// Mean response time, µs.
    pub mean_us: Option<f64>,
    /// Longest response time, µs.
    pub max_us: Option<f64>,
    /// I/Os that failed in the step.
    pub errors: u64,
    /// Rates of the last intervals, the newest last; `None` where it told nothing.
    pub recent: Vec<Option<f64>>,
}

/// Findings of one rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Doubt {
    /// Number and name of the rule: `PL102 saturated-latency`.
    pub rule: String,
    /// Severity of the worst of them.
    pub severity: Severity,
    /// Step of the worst one.
    pub step: Option<u32>,
    /// Sentence of the worst one.
    pub message: String,
    /// Number of them.
    pub count: u32,
}
