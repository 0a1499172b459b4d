//! A named test over time: one figure of one step, run after run.

use crate::index::Run;
use crate::item::Step;
use crate::level::{self, Change, LEAST_RUNS};
use plimsoll_printable::human;
use plimsoll_record::compare::{Metric, drift};
use std::collections::BTreeMap;

/// Runs that are looked at, the latest.
pub(crate) const MOST: usize = 500;

/// A figure of a step over the runs of a test.
#[derive(Debug)]
pub(crate) struct Trend {
    pub step: String,
    pub metric: Metric,
    /// Steps and metrics that can be chosen.
    pub steps: Vec<String>,
    pub metrics: Vec<Metric>,
    /// The runs that count, the oldest first.
    pub points: Vec<Point>,
    pub changes: Vec<Change>,
    /// Limit that the latest run was held to.
    pub limit: Option<f64>,
    /// Reasons for which runs were left out, with the number for each.
    pub left_out: BTreeMap<&'static str, usize>,
}

/// One run.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub run: usize,
    pub begun_unix_ns: i64,
    pub value: f64,
    pub half: Option<f64>,
}

impl Trend {
    /// The trend of a step's metric; of those that are named where the runs have them, else of the step that most have and of its
    /// rate. `None` where no run has a figure.
    pub(crate) fn of(runs: &[Run], step: &str, metric: &str) -> Option<Self> {
        let steps = steps(runs);
        let step = steps.iter().find(|s| *s == step).or(steps.first())?.clone();
        let of_step = |run: &Run| run.steps.iter().find(|s| s.name == step).cloned();
        let latest = runs.iter().rev().find_map(of_step)?;
        let metrics: Vec<Metric> = Metric::ALL
            .into_iter()
            .filter(|m| latest.values.contains_key(m.name()))
            .collect();
        let metric = metrics
            .iter()
            .find(|m| m.name() == metric)
            .or(metrics.first())
            .copied()?;
        let (mut points, mut left_out) = (Vec::new(), BTreeMap::new());
        for (at, run) in runs.iter().enumerate() {
            match value(of_step(run), &latest.asked, metric) {
                Ok((value, half)) => points.push(Point {
                    run: at,
                    begun_unix_ns: run.begun_unix_ns,
                    value,
                    half,
                }),
                Err(why) => *left_out.entry(why).or_insert(0) += 1,
            }
        }
        let values: Vec<f64> = points.iter().map(|p| p.value).collect();
        Some(Trend {
            changes: level::changes(&values),
            limit: latest.limits.get(metric.name()).copied(),
            step,
            metric,
            steps,
            metrics,
            points,
            left_out,
        })
    }

    /// Summary of the trend, in a sentence or two.
    pub(crate) fn sentence(&self, date: impl Fn(&Point) -> String) -> String {
        let n = self.points.len();
        let show = |value| self.metric.show(value);
        let unit = match self.metric {
            Metric::Iops => " I/Os per second",
            _ => "",
        };
        let Some(last) = self.changes.last() else {
            return match n {
                0 => "No run of this test has this figure.".to_owned(),
                n if n < 2 * LEAST_RUNS => format!(
                    "{n} run{} so far: a change can be told from {} on, {LEAST_RUNS} before it and {LEAST_RUNS} after.",
                    if n == 1 { "" } else { "s" },
                    2 * LEAST_RUNS
                ),
                n => {
                    let values = || self.points.iter().map(|p| p.value);
                    let mean = values().sum::<f64>() / n as f64;
                    let widest = values().map(|v| (v / mean - 1.0).abs()).fold(0.0, f64::max);
                    format!(
                        "No change in {n} runs: {}{unit}, each within {} of that.",
                        show(mean),
                        human::percent(widest)
                    )
                }
            };
        };
        let (before, after) = (&self.points[last.at - 1], &self.points[last.at]);
        let size = last.size();
        let since = day(&date(after)).to_owned();
        // The days alone where these are two.
        let (before, after) = (date(before), date(after));
        let (days, times) = (
            [day(&before), day(&after)],
            [before.as_str(), after.as_str()],
        );
        let [before, after] = if days[0] == days[1] { times } else { days };
        let mut text = format!(
            "{} {} by {} between {} and {}: from {} to {}{unit}.",
            capital(self.metric.name()),
            if size < 0.0 { "fell" } else { "rose" },
            human::percent(size.abs()),
            before,
            after,
            show(last.before),
            show(last.after),
        );
        text += &self.drift(last, &since);
        if last.is_young() {
            text += &format!(
                " Only {} runs have come since: it is tested again with each further one.",
                last.runs_after
            );
        }
        if self.changes.len() > 1 {
            text += &format!(" It is the last of {} changes.", self.changes.len());
        }
        text
    }
}

impl Trend {
    /// Relation to the limit of a level that rose: it drifts before it breaks it.
    fn drift(&self, last: &Change, since: &str) -> String {
        let said = |limit| {
            drift(
                self.metric,
                limit,
                last.before,
                last.after,
                &format!("before {since}"),
            )
        };
        let limit = self.limit.filter(|_| last.size() > 0.0);
        limit.map_or_else(String::new, |limit| format!(" {}", said(limit)))
    }
}

/// A figure that counts, or why it does not.
fn value(
    step: Option<Step>,
    asked: &str,
    metric: Metric,
) -> Result<(f64, Option<f64>), &'static str> {
    let step = step.ok_or("has no such step")?;
    if step.asked != asked {
        return Err("did not measure the same as the last run");
    }
    if step.discounted {
        return Err("was ended early or found invalid");
    }
    let value = step.values.get(metric.name()).copied();
    value.ok_or("has no such figure, as a saturated step has no response times")
}

/// Names of steps, those first that most runs have, and of those the first in the run.
fn steps(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<(String, usize)> = Vec::new();
    for step in runs.iter().rev().flat_map(|run| &run.steps) {
        match names.iter_mut().find(|(name, _)| *name == step.name) {
            Some((_, times)) => *times += 1,
            None => names.push((step.name.clone(), 1)),
        }
    }
    names.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    names.into_iter().map(|(name, _)| name).collect()
}

/// The day of a time.
fn day(time: &str) -> &str {
    time.split(' ').next().unwrap_or(time)
}

fn capital(name: &str) -> String {
    match name {
        "iops" => "The rate".to_owned(),
        "bytes" => "The bandwidth".to_owned(),
        other => format!("The figure “{other}”"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_that_rose_is_held_against_the_limit_before_it_breaks_it() {
        let said = |limit, before, after| {
            let trend = Trend {
                step: String::new(),
                metric: Metric::ResponseP99,
                steps: Vec::new(),
                metrics: Vec::new(),
                points: Vec::new(),
                changes: Vec::new(),
                limit,
                left_out: BTreeMap::new(),
            };
            let change = Change {
                at: 5,
                before,
                after,
                runs_after: 7,
            };
            trend.drift(&change, "2026-11-20")
        };
        let drift = " 1.20ms is within the limit of 2.00ms, but before 2026-11-20 it was 800us.";
        assert_eq!(said(Some(2e6), 0.8e6, 1.2e6), drift);
        assert_eq!(
            said(Some(1e6), 0.8e6, 1.2e6),
            " 1.20ms is past the limit of 1.00ms."
        );
        assert_eq!(said(Some(2e6), 1.2e6, 0.8e6), "");
        assert_eq!(said(None, 0.8e6, 1.2e6), "");
    }
}
