//! What a gate says, in sentences.

use super::gate::{GateOutcome, GateTest};
use super::power::FurtherRuns;
use super::rule::{FailRule, Limit, Side};
use super::{Metric, RUNS_FOR_A_VERDICT};

/// Reason why a step passes, fails or is undecided, as a sentence.
pub(super) fn sentence(
    rule: &FailRule,
    measured: Option<f64>,
    outcome: GateOutcome,
    test: Option<GateTest>,
    detectable: Option<f64>,
    further: Option<FurtherRuns>,
) -> String {
    let limit = limit(rule);
    let found = measured.map_or(String::new(), |value| format!("{}; ", amount(rule, value)));
    if let Some(test) = test {
        match outcome {
            GateOutcome::Passes => {
                return format!("{found}{limit} is excluded ({})", chance(test.p_pass_holm));
            }
            GateOutcome::Fails => {
                return format!("{found}{limit} is shown ({})", chance(test.p_fail_holm));
            }
            GateOutcome::Undecided => {}
        }
    }
    let mut text = match test {
        Some(_) => format!("{found}{limit} is neither excluded nor shown"),
        None if measured.is_none() => format!(
            "within-run uncertainty only: how far repeats lie apart is not known, and a verdict needs {RUNS_FOR_A_VERDICT} runs on each side"
        ),
        None => format!("{found}a verdict needs {RUNS_FOR_A_VERDICT} runs on each side"),
    };
    if let Some(size) = detectable {
        text += &format!(". These runs would have seen {}", seen(rule, size));
    }
    if let Some(further) = further {
        text += &format!("; {further}");
    }
    text
}

/// A limit as something that happened: `a loss of more than 3 %`.
fn limit(rule: &FailRule) -> String {
    let below = rule.fails == Side::Below;
    match rule.limit {
        Limit::Value(value) => {
            let side = if below { "below" } else { "above" };
            format!("a mean {side} {}", rule.metric.show(value))
        }
        Limit::ChangePercent(change) => moved(rule, change, &format!("{} %", change.abs())),
        Limit::Change(change) => moved(rule, change, &rule.metric.show(change.abs())),
    }
}

fn moved(rule: &FailRule, change: f64, size: &str) -> String {
    let below = rule.fails == Side::Below;
    match (below, change <= 0.0) {
        (true, true) if change == 0.0 => format!("a {}", loss(rule.metric)),
        (false, _) if change == 0.0 => format!("a {}", gain(rule.metric)),
        (true, true) => format!("a {} of more than {size}", loss(rule.metric)),
        (false, false) => format!("a {} of more than {size}", gain(rule.metric)),
        (true, false) => format!("a {} of less than {size}", gain(rule.metric)),
        (false, true) => format!("a {} of less than {size}", loss(rule.metric)),
    }
}

/// Word for a metric that became less.
fn loss(metric: Metric) -> &'static str {
    if metric.more_is_better() {
        "loss"
    } else {
        "fall"
    }
}

/// Word for a metric that became more.
fn gain(metric: Metric) -> &'static str {
    if metric.more_is_better() {
        "gain"
    } else {
        "rise"
    }
}

/// Sentence on what these runs would have seen.
fn seen(rule: &FailRule, size: f64) -> String {
    let towards = match rule.fails {
        Side::Below => loss(rule.metric),
        Side::Above => gain(rule.metric),
    };
    match rule.limit {
        Limit::ChangePercent(_) => format!("a {towards} of {}", rounded_percent(size)),
        Limit::Change(_) => format!("a {towards} of {}", rule.metric.show(size)),
        Limit::Value(_) => format!("a mean that is {} off the limit", rule.metric.show(size)),
    }
}

fn amount(rule: &FailRule, value: f64) -> String {
    match rule.limit {
        Limit::ChangePercent(_) => format!("{value:+.2} %"),
        Limit::Change(_) if value > 0.0 => format!("+{}", rule.metric.show(value)),
        Limit::Change(_) | Limit::Value(_) => rule.metric.show(value),
    }
}

/// Two digits, rounded up: what is promised to be seen would be.
fn rounded_percent(value: f64) -> String {
    match value {
        v if v >= 10.0 => format!("{:.0} %", v.ceil()),
        v if v >= 1.0 => format!("{:.1} %", (v * 10.0).ceil() / 10.0),
        v => format!("{:.2} %", (v * 100.0).ceil() / 100.0),
    }
}

/// `p = 0.0312`.
pub(super) fn chance(p: f64) -> String {
    if p < 0.0001 {
        "p < 0.0001".into()
    } else {
        format!("p = {p:.4}")
    }
}
