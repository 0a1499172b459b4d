//! A plan as people and machines read it before it runs: every step in order, and what it will take.

pub mod evenness;
mod hosts;
mod table;
mod text;
mod words;

use crate::depth::WORTH;
use crate::estimate::{Written, duration, fill, mean_rate, search_duration, spoken, written};
use crate::load::arrival_words;
pub use crate::load::load_words;
use crate::step::step_duration;
use crate::{
    Action, Bytes, CurveSpec, DepthSearch, Ends, Item, LoopValue, Nanos, Outlined, Plan, Purpose,
    Question, Step, TimedAction, Window, default_slos,
};
pub use hosts::{DescribedHost, DescribedPart, DescribedPartStream};
use serde::{Deserialize, Serialize};
pub use words::end_words;

/// A plan, resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Dialect that the plan was written in.
    pub dialect: String,
    /// Title that people know the plan by; `None` where it has none.
    pub title: Option<String>,
    /// All targets.
    pub targets: Vec<DescribedTarget>,
    /// Hosts that carry the plan out, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<DescribedHost>,
    /// Every step in order; a curve is its maximum and its points.
    pub steps: Vec<DescribedStep>,
    /// Sums.
    pub totals: Totals,
    /// Commands before and after everything.
    pub commands: Vec<String>,
    /// Notes on how its addresses fall on the slices of arrays, as far as that can be told.
    pub notes: Vec<String>,
}

/// A target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedTarget {
    /// Name of the target.
    pub name: String,
    /// A path, `null:SIZE`, or `lab:PERSONA`.
    pub location: String,
    /// Bytes of the target that are used; absent where the target decides.
    pub size: Option<Bytes>,
    /// `direct` or `buffered`; both where streams open the files of a tree otherwise than one another.
    pub caching: String,
    /// Moment at which a write counts as done, in words.
    pub durability: String,
    /// True when a step writes or trims on it.
    pub written: bool,
    /// Directories and files of a tree, in words; absent for what is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedStep {
    /// Place in the order of steps, from 1.
    pub number: usize,
    /// Name of the step.
    pub name: String,
    /// The run that it belongs to.
    pub run: String,
    /// Kind of step: its part in the run.
    pub kind: StepKind,
    /// Values of the loops that made this step, in order.
    pub loops: Vec<LoopValue>,
    /// Load that is asked for, in words.
    pub load: String,
    /// The offered rate, I/Os per second, where it is known.
    pub rate: Option<f64>,
    /// The percentage of the maximum, for a curve's point.
    pub percent: Option<u32>,
    /// I/Os in flight, all targets together; absent where the run is to find out how many.
    pub depth: Option<u64>,
    /// Threads that submit; absent: as many as CPUs.
    pub workers: Option<u32>,
    /// Not counted, nanoseconds.
    pub warmup: Nanos,
    /// Counted, nanoseconds; absent for what ends when it is through, as a fill does.
    pub elapsed: Option<Nanos>,
    /// Time between two readings of the counters, nanoseconds.
    pub interval: Nanos,
    /// The longest that it takes with its pause, nanoseconds.
    pub duration: Nanos,
    /// Bytes that it writes, where that is known.
    pub written: Option<Bytes>,
    /// The same in words.
    pub writes: String,
    /// Streams of I/O in this step.
    pub streams: Vec<DescribedStream>,
    /// Actions while the step runs, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<DescribedAction>,
    /// Part of each host in the step, where several carry it out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<DescribedPart>,
}

/// Action that is done while a step runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedAction {
    /// Time of the action, nanoseconds from the step's beginning; the warm-up counts.
    pub at: Nanos,
    /// True for a command, false for a fault of a simulated array.
    pub command: bool,
    /// The command, or the fault in its words.
    pub what: String,
}

/// Kind of step: its part in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// One measurement.
    Measure,
    /// Preparation, in no result.
    Fill,
    /// The steps that look for the depth of a curve's maximum.
    Search,
    /// A curve's maximum, in a closed loop.
    Maximum,
    /// A percentage of a curve's maximum.
    Point,
    /// Steps of another method.
    Method,
}

/// A workload on a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedStream {
    /// The workload.
    pub workload: String,
    /// The target.
    pub target: String,
    /// I/Os in flight on that target; absent where the run is to find out how many.
    pub depth: Option<u32>,
    /// True where no other stream has these slots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_depth: bool,
    /// Part of the step's time in which the stream works; absent where that is all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// `70% read, 30% write`.
    pub mix: String,
    /// `8KiB`.
    pub size: String,
    /// `random`.
    pub address: String,
    /// `unique`; absent where nothing is written.
    pub content: Option<String>,
    /// Share of the step's load, or the stream's own rate.
    pub load: String,
}

/// Sums.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Steps.
    pub steps: usize,
    /// The longest that all takes, nanoseconds; filling, settling and steps without a time limit come on top.
    pub duration: Nanos,
    /// Bytes that the steps write whose load is known.
    pub written: Bytes,
    /// Steps that write as much as the target takes.
    pub open_ended: usize,
    /// The most that may be written first, to create or fill files.
    pub fill: Bytes,
    /// Response-time limits of the curves.
    pub slos: Vec<String>,
}

/// Resolves a plan.
pub fn describe(plan: &Plan) -> Description {
    let mut steps = Vec::new();
    for item in &plan.items {
        match item {
            Item::Step(step) => steps.push(described(plan, step, steps.len() + 1)),
            Item::Curve(curve) => curve_steps(plan, curve, &mut steps),
            Item::Method(method) => {
                for outlined in method.outline() {
                    steps.push(of_method(plan, outlined, steps.len() + 1));
                }
            }
        }
    }
    let about = steps
        .iter()
        .filter_map(|s| s.written)
        .fold(0u64, |a, b| a.saturating_add(b.0));
    let totals = Totals {
        steps: steps.len(),
        duration: duration(plan),
        written: Bytes(about),
        open_ended: steps.iter().filter(|s| s.written.is_none()).count(),
        fill: fill(plan),
        slos: slos(plan),
    };
    Description {
        dialect: plan.dialect.clone(),
        title: plan.title.clone(),
        targets: targets(plan),
        hosts: hosts::hosts(plan),
        steps,
        totals,
        commands: plan
            .start_commands
            .iter()
            .chain(&plan.end_commands)
            .map(|c| c.line.clone())
            .collect(),
        notes: searches(plan)
            .chain(windows(plan))
            .chain(turns(plan))
            .chain(evenness::notes(plan))
            .chain(hosts::note(plan))
            .collect(),
    }
}

/// How the depths that nobody gave are found.
fn searches(plan: &Plan) -> impl Iterator<Item = String> {
    plan.items.iter().filter_map(|item| match item {
        Item::Curve(CurveSpec {
            base,
            search: Some(search),
            ..
        }) => Some(format!(
            "no depth is given, so `{}` looks for the one that carries most: {}, twice that, and so on up to {} on each \
             target, {} each, until two doublings in a row bring no more than {:.0} %",
            base.run,
            search.first,
            search.most,
            spoken(step_duration(&search.probe(base, search.first))),
            WORTH * 100.0
        )),
        _ => None,
    })
}

/// Which streams work for a part of the time, each said once.
fn windows(plan: &Plan) -> impl Iterator<Item = String> {
    let mut said: Vec<String> = Vec::new();
    for step in plan.steps() {
        for stream in step.streams.iter().filter(|s| !s.window.is_whole()) {
            let until = match stream.window.until {
                Some(until) => format!("to {}", spoken(until)),
                None => "to the end".to_string(),
            };
            let ramp = match stream.window.ramp {
                Nanos(0) => String::new(),
                ramp => format!(", {} of it uncounted,", spoken(ramp)),
            };
            let sentence = format!(
                "workload `{}` works from {} {until}{ramp} of run `{}`, whose warm-up is the first {} of it",
                stream.workload,
                spoken(stream.window.from),
                step.run,
                spoken(step.warmup)
            );
            if !said.contains(&sentence) {
                said.push(sentence);
            }
        }
    }
    said.into_iter()
}

/// Which streams begin or end with the end of others.
fn turns(plan: &Plan) -> impl Iterator<Item = String> {
    let mut said: Vec<String> = Vec::new();
    for step in plan.steps() {
        for stream in &step.streams {
            let name = &stream.workload;
            let before = stream.dependency.after.iter();
            let before = before.filter_map(|n| step.streams.get(*n as usize));
            let mut names: Vec<String> = before.map(|s| format!("`{}`", s.workload)).collect();
            names.dedup();
            if !names.is_empty() {
                said.push(format!(
                    "workload `{name}` begins when {} {} ended",
                    names.join(", "),
                    if names.len() == 1 { "has" } else { "have" }
                ));
            }
            match stream.dependency.ends {
                Ends::Itself => {}
                Ends::Group => said.push(format!(
                    "when workload `{name}` ends, so do the others of its group in run `{}`",
                    step.run
                )),
                Ends::Step => said.push(format!(
                    "when workload `{name}` ends, so does run `{}`",
                    step.run
                )),
            }
        }
    }
    said.dedup();
    said.into_iter()
}

/// Words for all openings of a target, each word once.
fn each(words: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all.join(", ")
}

fn targets(plan: &Plan) -> Vec<DescribedTarget> {
    plan.targets
        .iter()
        .enumerate()
        .map(|(i, t)| DescribedTarget {
            name: t.name.clone(),
            location: match t.stripe {
                Some(unit) => format!("{}, striped by {unit}", t.location.text()),
                None => t.location.text(),
            },
            size: t.size.or(t.location.stated_size()),
            caching: each(t.openings().map(|o| words::caching(o.caching).to_string())),
            durability: each(t.openings().map(|o| words::durability(o.durability))),
            written: plan.changes_target(i),
            tree: t.location.tree().map(words::tree),
        })
        .collect()
}

fn slos(plan: &Plan) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let given = |item: &Item| match item {
        Item::Curve(curve) => Some(curve.slos.clone()),
        Item::Method(method) => match &method.question {
            Question::Adaptive(adaptive) => Some(adaptive.slos.clone()),
            _ => None,
        },
        Item::Step(_) => None,
    };
    for slos in plan.items.iter().filter_map(given) {
        let slos = if slos.is_empty() {
            default_slos()
        } else {
            slos
        };
        for slo in slos {
            let text = slo.to_string();
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    all
}

fn described(plan: &Plan, step: &Step, number: usize) -> DescribedStep {
    let kind = match step.purpose {
        Purpose::Measure => StepKind::Measure,
        Purpose::Fill => StepKind::Fill,
    };
    let writes = written(plan, step);
    let has_time = step.purpose == Purpose::Measure && step.elapsed < crate::NO_TIME_LIMIT;
    DescribedStep {
        number,
        name: step.name.clone(),
        run: step.run.clone(),
        kind,
        loops: step.loops.clone(),
        load: words::load_of(step),
        rate: mean_rate(&step.load),
        percent: None,
        depth: Some(step.total_depth()),
        workers: step.workers.count,
        warmup: step.warmup,
        elapsed: has_time.then_some(step.elapsed),
        interval: step.interval,
        duration: step_duration(step),
        written: match writes {
            Written::Nothing => Some(Bytes(0)),
            Written::About(bytes) | Written::AtMost(bytes) => Some(bytes),
            Written::Unknown => None,
        },
        writes: words::changes(step, writes),
        streams: step
            .streams
            .iter()
            .map(|s| words::stream(plan, step, s))
            .collect(),
        actions: step.actions.iter().map(action).collect(),
        parts: hosts::parts(plan, step),
    }
}

fn action(timed: &TimedAction) -> DescribedAction {
    let (command, what) = match &timed.action {
        Action::Command(command) => (true, command.line.clone()),
        Action::Fault(words) => (false, words.clone()),
    };
    DescribedAction {
        at: timed.at,
        command,
        what,
    }
}

/// One line for all steps of a search: how many there will be is not known.
fn searching(plan: &Plan, curve: &CurveSpec, search: &DepthSearch, number: usize) -> DescribedStep {
    let first = search.probe(&curve.base, search.first);
    DescribedStep {
        kind: StepKind::Search,
        name: format!(
            "{}_(depth={}..{})",
            curve.base.name, search.first, search.most
        ),
        duration: search_duration(&curve.base, search),
        ..described(plan, &first, number)
    }
}

/// One line for steps that look alike.
fn of_method(plan: &Plan, outlined: Outlined, number: usize) -> DescribedStep {
    let times = match (outlined.may_be_fewer, outlined.at_most) {
        (false, 1) => String::new(),
        (false, n) => format!(" ({n} times)"),
        (true, n) => format!(" (at most {n} times)"),
    };
    let duration = outlined.duration();
    // Overwrites are those of all the steps together.
    let count = match outlined.step.limits.overwrites {
        Some(_) => 1,
        None => u64::from(outlined.at_most),
    };
    let one = described(plan, &outlined.step, number);
    let writes = match (outlined.step.limits.overwrites, one.written) {
        (Some(times), None) => format!("at most {times} times all"),
        (Some(_), Some(_)) => one.writes.clone(),
        (None, _) => words::changes(&outlined.step, written(plan, &outlined.step).times(count)),
    };
    DescribedStep {
        kind: match outlined.step.purpose {
            Purpose::Measure => StepKind::Method,
            Purpose::Fill => StepKind::Fill,
        },
        name: format!("{}{times}", outlined.name),
        load: outlined.load,
        duration,
        written: one.written.map(|b| Bytes(b.0.saturating_mul(count))),
        writes,
        ..one
    }
}

fn curve_steps(plan: &Plan, curve: &CurveSpec, steps: &mut Vec<DescribedStep>) {
    if let Some(search) = &curve.search {
        steps.push(searching(plan, curve, search, steps.len() + 1));
    }
    let mut maximum = described(plan, &curve.base, steps.len() + 1);
    maximum.kind = StepKind::Maximum;
    if curve.search.is_some() {
        maximum.depth = None;
        let shared = maximum.streams.iter_mut().filter(|s| !s.own_depth);
        shared.for_each(|s| s.depth = None);
    }
    steps.push(maximum.clone());
    for percent in &curve.percents {
        steps.push(DescribedStep {
            number: steps.len() + 1,
            name: format!("{}_({percent}%)", curve.base.name),
            kind: StepKind::Point,
            load: format!(
                "{percent}% of the maximum, {}",
                arrival_words(curve.arrival)
            ),
            percent: Some(*percent),
            parts: hosts::of_a_point(&maximum.parts),
            ..maximum.clone()
        });
    }
}
