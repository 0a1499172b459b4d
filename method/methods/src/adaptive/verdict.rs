//! What an adaptive curve came to.

use super::bend::bend;
use super::confirm::is_confirmed;
use super::crossing::{Crossing, crossing};
use super::sight::{Goal, Leg, Point, is_same_rate};
use super::stages::{GOOD_ENOUGH, may_be_kept};
use super::{Adaptive, SearchProgress};
use crate::curve::about_depth;
use crate::doubts::{note, suspect};
use crate::host_late;
use crate::unanswered::{self, Open, has_no_latency, was_exceeded, words};
use crate::verdict::{curve_verdict, limits};
use plimsoll_evidence::{
    Capacity, CurveVerdict, Estimate, Finding, Quantity, SloStatistic, StepEvidence,
};
use plimsoll_measure::batch::student_t_95;
use plimsoll_plan::Nanos;

/// The response at a rate is another on the way down where it differs by more than so many standard errors of the
/// difference (which chance does one time in 200), and by more than this share.
const OTHER: (f64, f64) = (2.807, 0.03);
/// A capacity whose interval reaches further than this share of it to either side is no answer.
const ROUGH: f64 = 0.03;

impl Adaptive {
    /// The verdict so far; `None` before the maximum is known.
    pub(super) fn verdict(&self, course: &SearchProgress, complete: bool) -> Option<CurveVerdict> {
        let maximum = course.maximum?;
        let share = |p: &Point| (100.0 * p.rate / maximum.rate.mean).round() as u32;
        let shown = course.points.iter().filter(|p| is_shown(course, p));
        let points: Vec<(u32, &StepEvidence)> = shown.map(|p| (share(p), p.step)).collect();
        let mut verdict = curve_verdict(maximum, &points, &limits(&self.spec.slos));
        verdict.knee = verdict.knee.map(|knee| surer(course, &verdict, knee));
        verdict.capacities = self
            .goals
            .iter()
            .filter_map(|g| capacity(course, g))
            .collect();
        let found = &mut verdict.findings;
        found.push(about_depth(
            (&self.base, self.spec.search.as_ref()),
            course.depth,
            &course.probes,
        ));
        found.push(self.about_budget(course));
        found.extend(self.unreached(course, complete));
        found.extend(between(course, &self.goals));
        found.extend(saved_up(course));
        found.extend(hysteresis(course));
        let open = self.open(course, complete, &verdict);
        unanswered::conclude(&mut verdict, open);
        Some(verdict)
    }

    /// Questions that the method was asked and cannot answer.
    fn open(&self, course: &SearchProgress, complete: bool, verdict: &CurveVerdict) -> Vec<Open> {
        if !complete {
            return vec![Open::CutShort];
        }
        if has_no_latency(verdict) {
            return vec![Open::NoLatency];
        }
        let steps: Vec<&StepEvidence> = course.points.iter().map(|p| p.step).collect();
        if host_late::is_throughout(&steps) {
            return vec![Open::HostLate];
        }
        let asked = self.goals.iter().filter(|_| !self.spec.slos.is_empty());
        asked
            .filter_map(
                |g| match host_late::breaks(&steps, g.statistic, g.limit_ns) {
                    true => Some(Open::HostBreaks(words(g.statistic, g.limit_ns))),
                    false => self.open_of(course, g, was_exceeded(verdict)),
                },
            )
            .collect()
    }

    /// `exceeded`: a point carried more than the maximum run, so that nobody knows what the target carries.
    fn open_of(&self, course: &SearchProgress, goal: &Goal, exceeded: bool) -> Option<Open> {
        let sights = course.sights(goal);
        let limit = words(goal.statistic, goal.limit_ns);
        let is_rough = |half_width: f64| half_width > ROUGH;
        match crossing(&sights, course.most()) {
            None => Some(Open::Unsupported(limit)),
            // What is broken even without load has no capacity, and that is the answer.
            Some(Crossing::Below) => may_be_kept(&sights).then_some(Open::NotKept(limit)),
            Some(Crossing::Above(x)) if exceeded || x.exp() < course.most() => {
                Some(Open::NotBroken(limit))
            }
            Some(Crossing::Between(low, high)) if is_rough((high - low) / 2.0) => {
                Some(Open::Rough(limit))
            }
            Some(Crossing::Between(low, _) | Crossing::Above(low)) => {
                (!is_confirmed(&course.points, low)).then_some(Open::Unconfirmed(limit))
            }
            Some(Crossing::Line(line)) => is_rough(line.half_width).then_some(Open::Rough(limit)),
        }
    }

    fn about_budget(&self, course: &SearchProgress) -> Finding {
        let steps = course.probes.len() + 1 + course.full_loads + course.points.len();
        let budget = self.spec.budget.as_secs_f64();
        let seconds = |time: Nanos| Quantity::Seconds(time.as_secs_f64());
        let cut = self.spec.longer_asked.into_iter().flat_map(|asked| {
            [
                ("asked", seconds(asked)),
                ("longest", seconds(self.spec.longest)),
            ]
        });
        let values = [
            ("spent", Quantity::Seconds(course.spent_s)),
            ("steps", Quantity::Count(steps as u64)),
            ("budget", Quantity::Seconds(budget)),
        ];
        note("adaptive-budget", values.into_iter().chain(cut))
    }

    /// Finding of what the budget, or an end before it, left out.
    fn unreached(&self, course: &SearchProgress, complete: bool) -> Option<Finding> {
        if !complete {
            return Some(suspect("adaptive-cut-short", []));
        }
        let stages = course.cut.iter();
        let stages = stages.map(|c| ("stage", Quantity::Text((*c).to_string())));
        let wide = self.goals.iter().filter(|g| !is_known(course, g));
        let wide = wide.map(|g| ("limit", Quantity::Text(words(g.statistic, g.limit_ns))));
        let left: Vec<(&str, Quantity)> = stages.chain(wide).collect();
        let within = ("within", Quantity::Share(GOOD_ENOUGH));
        (!left.is_empty())
            .then(|| suspect("adaptive-budget-short", left.into_iter().chain([within])))
    }
}

fn is_known(course: &SearchProgress, goal: &Goal) -> bool {
    match course.crossing(goal) {
        Some(Crossing::Line(line)) => line.half_width <= GOOD_ENOUGH,
        Some(Crossing::Between(low, high)) => high - low <= 2.0 * GOOD_ENOUGH,
        Some(Crossing::Below | Crossing::Above(_)) => true,
        None => false,
    }
}

/// The capacity at a limit; `None` where no point says anything of it.
fn capacity(course: &SearchProgress, goal: &Goal) -> Option<Capacity> {
    let estimate = |mean: f64, half_width: f64| Estimate::new(mean, Some(half_width), 0);
    let found = course.crossing(goal)?;
    let rate = match found {
        Crossing::Below => None,
        Crossing::Above(x) => {
            let at = |p: &&Point| (p.rate.ln() - x).abs() < 1e-9;
            course.points.iter().find(at).map(|p| p.step.rate)
        }
        Crossing::Between(low, high) => {
            let (low, high) = (low.exp(), high.exp());
            Some(estimate((low + high) / 2.0, (high - low) / 2.0))
        }
        Crossing::Line(line) => Some(estimate(line.x.exp(), line.x.exp() * line.half_width)),
    };
    let mean_ns = match (goal.statistic, found) {
        (SloStatistic::Mean, Crossing::Line(_)) => Some(goal.limit_ns as f64),
        _ => rate.and_then(|r| mean_at(course, r.mean)),
    };
    Some(Capacity {
        statistic: goal.statistic,
        limit_ns: goal.limit_ns,
        at_least: matches!(found, Crossing::Above(_)),
        rate,
        response_mean_ns: mean_ns,
    })
}

/// The knee with its interval, between the same two ends; that of the points themselves where no curve goes through them.
fn surer(course: &SearchProgress, verdict: &CurveVerdict, knee: Estimate) -> Estimate {
    let open = verdict.points.iter();
    let open = open.filter(|p| p.percent.is_some() && !p.saturated);
    let rates: Vec<f64> = open.map(|p| p.achieved.mean).collect();
    let ends = (
        rates.iter().copied().fold(f64::INFINITY, f64::min),
        rates.iter().copied().fold(0.0, f64::max),
    );
    let shown: Vec<Point> = course
        .points
        .iter()
        .filter(|p| is_shown(course, p))
        .copied()
        .collect();
    bend(&shown, course.most(), ends).unwrap_or(knee)
}

/// The mean response at a rate, ns: on the straight line between the points about it, or of the last one below.
fn mean_at(course: &SearchProgress, rate: f64) -> Option<f64> {
    let mut open: Vec<(f64, f64)> = course
        .points
        .iter()
        .filter(|p| !p.is_full())
        .map(|p| (p.rate, p.step.response_mean_ns.mean))
        .collect();
    open.sort_by(|a, b| a.0.total_cmp(&b.0));
    let above = open.partition_point(|(x, _)| *x < rate);
    match (
        above.checked_sub(1).and_then(|i| open.get(i)),
        open.get(above),
    ) {
        (Some(low), Some(high)) if high.0 > low.0 => {
            Some(low.1 + (high.1 - low.1) * (rate - low.0) / (high.0 - low.0))
        }
        (Some(one), _) | (None, Some(one)) => Some(one.1),
        (None, None) => None,
    }
}

/// Finding of the capacities that are no crossing of a line.
fn between(course: &SearchProgress, goals: &[Goal]) -> Option<Finding> {
    let is = |g: &&Goal| matches!(course.crossing(g), Some(Crossing::Between(..)));
    let names: Vec<(&str, Quantity)> = goals
        .iter()
        .filter(is)
        .map(|g| ("limit", Quantity::Text(words(g.statistic, g.limit_ns))))
        .collect();
    (!names.is_empty()).then(|| note("capacity-between", names))
}

/// True where a point is part of the curve. A point that was carried behind a full load had its I/Os come evenly, and answers sooner than
/// with random ones; a point that was not carried there takes the place of the short one that was.
fn is_shown(course: &SearchProgress, point: &Point) -> bool {
    match point.leg {
        Leg::Confirm => point.is_full(),
        _ => !is_belied(course, point),
    }
}

/// True where a point looked as if it were carried, and was not right behind a full load.
fn is_belied(course: &SearchProgress, point: &Point) -> bool {
    let mut full = course.points.iter();
    !point.is_full()
        && full.any(|p| {
            p.leg == Leg::Confirm && p.is_full() && is_same_rate(p.rate.ln(), point.rate.ln())
        })
}

fn saved_up(course: &SearchProgress) -> Option<Finding> {
    let belied = course.points.iter().filter(|p| is_belied(course, p));
    let rates: Vec<(&str, Quantity)> = belied
        .map(|p| ("rate", Quantity::PerSecond(p.rate)))
        .collect();
    (!rates.is_empty()).then(|| suspect("burst-allowance", rates))
}

/// Finding on whether the rates that were measured again on the way down had the response that they had on the way up.
fn hysteresis(course: &SearchProgress) -> Option<Finding> {
    let mut same = Vec::new();
    let mut others = Vec::new();
    for down in course.points.iter().filter(|p| p.leg == Leg::Down) {
        let is_first = |p: &&Point| p.leg == Leg::Up && (p.rate / down.rate - 1.0).abs() < 1e-3;
        let Some(up) = course.points.iter().find(is_first) else {
            continue;
        };
        let (was, is) = (up.step.response_mean_ns, down.step.response_mean_ns);
        let at = ("rate", Quantity::PerSecond(down.rate));
        match differs(&was, &is) {
            _ if down.is_full() => {}
            Some(false) => same.push(at),
            Some(true) => others.extend([
                at,
                ("up", Quantity::Ns(was.mean)),
                ("down", Quantity::Ns(is.mean)),
            ]),
            None => {}
        }
    }
    match (others.is_empty(), same.is_empty()) {
        (false, _) => Some(suspect("hysteresis", others)),
        (true, false) => Some(note("no-hysteresis", same)),
        (true, true) => None,
    }
}

/// True where two responses differ by more than chance; `None` where one of them has no interval.
fn differs(was: &Estimate, is: &Estimate) -> Option<bool> {
    let error = |e: &Estimate| {
        let degrees = (e.batches as usize).checked_sub(1)?;
        Some(e.half_width? / student_t_95(degrees))
    };
    let off = (is.mean - was.mean).abs();
    let unsure = error(was)?.hypot(error(is)?);
    Some(off > OTHER.0 * unsure && off > OTHER.1 * was.mean)
}
