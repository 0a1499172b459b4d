//! A run's keys.

use super::shape::arrival;
use super::workload::Used;
use super::{Line, commands, plain, step};
use crate::convert::toml::{list, number, rate, size, table, text, time, whole};
use plimsoll_plan::{
    Action, Arrival, CurveSpec, Item, Limits, Load, NO_TIME_LIMIT, Nanos, Plan, Purpose, Step,
    loop_suffix, percent_of_last,
};

/// The points of a curve where nobody says.
const PERCENTS: [u32; 6] = [10, 50, 70, 80, 90, 100];

/// The names of the runs so far, with what they differ in.
#[derive(Default)]
pub(super) struct Names(Vec<String>);

impl Names {
    /// A name that no other run has, with the values that it differs in.
    fn free(&mut self, step: &Step) -> String {
        let suffix = loop_suffix(&step.loops);
        let stem = step.name.strip_suffix(&suffix).unwrap_or(&step.name);
        let numbered = (2..).map(|n| format!("{stem} ({n})"));
        let mut ways = std::iter::once(stem.to_string()).chain(numbered);
        let name = ways
            .find(|name| !self.0.contains(&format!("{name}{suffix}")))
            .unwrap_or_default();
        self.0.push(format!("{name}{suffix}"));
        name
    }
}

/// A run: number `number` of the definition, counted from 0. `all`: its workloads are all that there are.
pub(super) fn lines(
    number: usize,
    item: &Item,
    used: &Used,
    all: bool,
    plan: &Plan,
    names: &mut Names,
) -> Vec<Line> {
    let step = step(item);
    let mut lines = named(number, step, names);
    if !all {
        let keys = used.keys.iter().map(|key| text(key));
        lines.push(("workloads", list(keys)));
    }
    lines.extend(used.instead.iter().cloned());
    match item {
        Item::Curve(curve) => curved(&mut lines, curve, used.shares),
        _ => load(&mut lines, &begun(number, &step.load), used.shares),
    }
    let searched = matches!(item, Item::Curve(curve) if curve.search.is_some());
    if !searched {
        lines.extend(depth(step, plan).map(|depth| ("depth", depth)));
    }
    timed(&mut lines, step);
    lines.extend(limits(&step.limits).map(|limits| ("limits", limits)));
    if step.purpose == Purpose::Fill {
        lines.push(("purpose", text("fill")));
    }
    commands(&mut lines, "start_commands", &step.start_commands);
    commands(&mut lines, "end_commands", &step.end_commands);
    actions(&mut lines, step);
    lines
}

fn named(number: usize, step: &Step, names: &mut Names) -> Vec<Line> {
    let mut lines = Vec::new();
    let name = names.free(step);
    if name != format!("run{}", number + 1) {
        lines.push(("name", text(&name)));
    }
    if step.run != name {
        lines.push(("of", text(&step.run)));
    }
    let suffix = loop_suffix(&step.loops);
    if !step.loops.is_empty() && step.name.ends_with(&suffix) {
        let values = step.loops.iter();
        let values = values.map(|l| (l.key.as_str(), text(&l.value)));
        lines.push(("values", table(values)));
    }
    lines
}

/// The load of run `number`. There is no last rate for the first one to take a percentage of: it has the rate that this comes to.
fn begun(number: usize, load: &Load) -> Load {
    match load {
        Load::PercentOfLast { percent, arrival } if number == 0 => {
            Load::rate(percent_of_last(None, *percent), *arrival)
        }
        load => load.clone(),
    }
}

/// How much is asked for. `shares`: some workloads have one.
fn load(lines: &mut Vec<Line>, load: &Load, shares: bool) {
    let gaps = match load {
        Load::Max => {
            if shares {
                lines.push(("keep_shares", text("no")));
            }
            Arrival::default()
        }
        Load::MaxShared => {
            if !shares {
                lines.push(("load", text("max_shared")));
            }
            Arrival::default()
        }
        Load::Rate {
            rate: asked,
            arrival,
        } => {
            lines.push(("load", rate(*asked)));
            *arrival
        }
        Load::PercentOfLast { percent, arrival } => {
            lines.push(("load", text(&format!("{}%", plain(*percent)))));
            *arrival
        }
        Load::Schedule { segments, arrival } => {
            let segment =
                |s: &plimsoll_plan::RateSegment| format!("{}:{}", number(s.rate.0), s.length);
            let segments: Vec<String> = segments.iter().map(segment).collect();
            lines.push(("load", table([("schedule", text(&segments.join(" ")))])));
            *arrival
        }
    };
    if gaps != Arrival::default() {
        lines.push(("arrival", arrival(gaps)));
    }
}

fn curved(lines: &mut Vec<Line>, curve: &CurveSpec, shares: bool) {
    let CurveSpec {
        base,
        percents,
        arrival: gaps,
        stop_service,
        slos,
        search: _,
    } = curve;
    lines.push(("load", text("curve")));
    let kept = base.load == Load::MaxShared;
    if kept != shares {
        lines.push(("keep_shares", text(if kept { "yes" } else { "no" })));
    }
    if *gaps != Arrival::default() {
        lines.push(("arrival", arrival(*gaps)));
    }
    if *percents != PERCENTS {
        let percents: Vec<String> = percents.iter().map(u32::to_string).collect();
        lines.push(("percents", format!("[{}]", percents.join(", "))));
    }
    if !slos.is_empty() {
        lines.push(("slo", list(slos.iter().map(|slo| text(&slo.to_string())))));
    }
    lines.extend(stop_service.map(|most| ("stop_service", time(most))));
}

/// The slots of the targets whose streams share some.
fn depth(step: &Step, plan: &Plan) -> Option<String> {
    let shared: Vec<_> = step.depths.iter().filter(|d| d.slots > 0).collect();
    let first = shared.first()?.slots;
    let all_that_share = step
        .depths
        .iter()
        .all(|d| (d.slots > 0) == step.is_shared(d.target));
    if all_that_share && shared.iter().all(|d| d.slots == first) {
        return Some(whole(u64::from(first)));
    }
    let own = shared.iter().map(|d| {
        (
            plan.target(d.target).name.as_str(),
            whole(u64::from(d.slots)),
        )
    });
    Some(table(own))
}

/// Who submits, and for how long.
fn timed(lines: &mut Vec<Line>, step: &Step) {
    let workers = &step.workers;
    lines.extend(workers.count.map(|n| ("workers", whole(u64::from(n)))));
    if let Some(cpus) = &workers.pin {
        lines.push(("pin", list(cpus.iter().map(u32::to_string))));
    }
    if workers.punctual {
        lines.push(("waiting", text("punctual")));
    }
    if step.elapsed == NO_TIME_LIMIT {
        lines.push(("for", text("unlimited")));
    } else if step.elapsed != Nanos::secs(30) {
        lines.push(("for", time(step.elapsed)));
    }
    let usual = match step.purpose {
        Purpose::Measure => Nanos::secs(5),
        Purpose::Fill => Nanos(0),
    };
    if step.warmup != usual {
        lines.push(("warmup", time(step.warmup)));
    }
    if step.interval != Nanos::secs(1).min(step.elapsed) {
        lines.push(("interval", time(step.interval)));
    }
    if step.pause.0 > 0 {
        lines.push(("pause", time(step.pause)));
    }
}

fn limits(limits: &Limits) -> Option<String> {
    let Limits {
        bytes,
        read_bytes,
        written_bytes,
        ios,
        // Only a soak has them.
        overwrites: _,
    } = *limits;
    let of_bytes = [
        ("bytes", bytes),
        ("read", read_bytes),
        ("written", written_bytes),
    ];
    let of_bytes = of_bytes
        .into_iter()
        .filter_map(|(key, b)| Some((key, size(b?))));
    let all: Vec<(&str, String)> = of_bytes.chain(ios.map(|n| ("ios", whole(n)))).collect();
    (!all.is_empty()).then(|| table(all))
}

fn actions(lines: &mut Vec<Line>, step: &Step) {
    if step.actions.is_empty() {
        return;
    }
    let one = |action: &plimsoll_plan::TimedAction| {
        let what = match &action.action {
            Action::Command(command) => ("command", text(&command.line)),
            Action::Fault(fault) => ("fault", text(fault)),
        };
        table([("at", time(action.at)), what])
    };
    let all: Vec<String> = step.actions.iter().map(one).collect();
    lines.push(("actions", format!("[{}]", all.join(", "))));
}
