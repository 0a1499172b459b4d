//! Rules that make a comparison fail: `iops < -3%`, for CI.

use super::metric::Unit;
use super::{Comparison, Metric, MetricComparison, RUNS_FOR_A_VERDICT, SIGNIFICANCE};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// When a comparison fails.
///
/// - `iops < -3%`, `p99 > +5%`: the change from A to B, in percent of A. It fails where the change is past the limit and
///   the test between runs shows a change at all; without enough runs it stays undecided.
/// - `response > +1ms`: the same with the change as a number: it has a sign.
/// - `response > 1ms`, `iops < 100k`: B's mean itself: no sign.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FailRule {
    /// What is looked at.
    pub metric: Metric,
    /// On which side of the limit it fails.
    pub fails: Side,
    /// The limit.
    pub limit: Limit,
}

/// A side of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// `<`
    Below,
    /// `>`
    Above,
}

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Change from A to B in percent of A.
    ChangePercent(f64),
    /// Change from A to B, in the metric's unit.
    Change(f64),
    /// B's mean, in the metric's unit.
    Value(f64),
}

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// No `<` or `>`.
    #[error("`{0}` is no rule: write METRIC < LIMIT or METRIC > LIMIT, as in `iops < -3%`")]
    Form(String),
    /// The metric is unknown.
    #[error("`{0}` is no metric; known are iops, bytes, response, p50, p99, p99.9, service, cpu")]
    Metric(String),
    /// The limit cannot be read.
    #[error("`{text}` is no limit for {metric}: write a percentage (-3%), or a number in {units}")]
    Limit {
        /// What was written.
        text: String,
        /// The rule's metric.
        metric: &'static str,
        /// What would do.
        units: &'static str,
    },
}

/// What a rule says of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleResult {
    /// Passed, failed or undecided.
    pub outcome: RuleOutcome,
    /// The rule, and what the steps reached that make the outcome; the outcome's word is not in it.
    pub text: String,
}

/// Whether a rule is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOutcome {
    /// No step is past the limit.
    Passed,
    /// A step is.
    Failed,
    /// It cannot be said: too few runs, or no step has the metric.
    Undecided,
}

impl RuleResult {
    /// True when the rule makes the comparison fail.
    pub fn failed(&self) -> bool {
        self.outcome == RuleOutcome::Failed
    }
}

impl FromStr for FailRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let at = text
            .find(['<', '>'])
            .ok_or_else(|| RuleError::Form(text.trim().into()))?;
        let name = text[..at].trim();
        let metric = Metric::ALL
            .into_iter()
            .find(|m| m.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| RuleError::Metric(name.into()))?;
        let fails = if text[at..].starts_with('<') {
            Side::Below
        } else {
            Side::Above
        };
        let limit = text[at + 1..].trim();
        Ok(FailRule {
            metric,
            fails,
            limit: parse_limit(metric, limit).ok_or_else(|| RuleError::Limit {
                text: limit.into(),
                metric: metric.name(),
                units: match metric.unit() {
                    Unit::PerSecond => "I/Os per second (5000, 100k)",
                    Unit::BytesPerSecond => "bytes per second (500MiB/s)",
                    Unit::Nanoseconds => "ns, us, ms or s",
                },
            })?,
        })
    }
}

fn parse_limit(metric: Metric, text: &str) -> Option<Limit> {
    let signed = text.starts_with(['+', '-']);
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || ".,+-".contains(c)))
        .unwrap_or(text.len());
    // Thousands may be separated, as they are shown.
    let digits = text[..end].replace(',', "");
    let number: f64 = digits.parse().ok().filter(|n: &f64| n.is_finite())?;
    let unit = text[end..].trim();
    if unit == "%" {
        return Some(Limit::ChangePercent(number));
    }
    let value = number * factor(metric.unit(), unit)?;
    Some(if signed {
        Limit::Change(value)
    } else {
        Limit::Value(value)
    })
}

fn factor(unit: Unit, text: &str) -> Option<f64> {
    let bare = text.trim_end_matches("/s");
    match unit {
        Unit::Nanoseconds => match text {
            "ns" => Some(1.0),
            "us" | "µs" => Some(1e3),
            "ms" => Some(1e6),
            "s" => Some(1e9),
            _ => None,
        },
        Unit::PerSecond => match bare {
            "" => Some(1.0),
            "k" | "K" => Some(1e3),
            "m" | "M" => Some(1e6),
            _ => None,
        },
        Unit::BytesPerSecond => match bare.to_ascii_lowercase().as_str() {
            "" | "b" => Some(1.0),
            "k" | "kib" => Some(1024.0),
            "m" | "mib" => Some(1_048_576.0),
            "g" | "gib" => Some(1_073_741_824.0),
            _ => None,
        },
    }
}

impl fmt::Display for FailRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.fails {
            Side::Below => '<',
            Side::Above => '>',
        };
        write!(f, "{} {sign} ", self.metric)?;
        match self.limit {
            Limit::ChangePercent(percent) => write!(f, "{percent:+}%"),
            Limit::Change(value) if value >= 0.0 => write!(f, "+{}", self.metric.show(value)),
            Limit::Change(value) | Limit::Value(value) => f.write_str(&self.metric.show(value)),
        }
    }
}

impl FailRule {
    fn is_past(&self, value: f64, limit: f64) -> bool {
        match self.fails {
            Side::Below => value < limit,
            Side::Above => value > limit,
        }
    }

    /// Whether a step fails, and what it reached; `None`: too few runs to say.
    fn judge(&self, m: &MetricComparison) -> (Option<bool>, String) {
        let (change, limit, shown) = match self.limit {
            Limit::Value(limit) => {
                return (
                    Some(self.is_past(m.mean_b, limit)),
                    self.metric.show(m.mean_b),
                );
            }
            Limit::Change(limit) => (Some(m.difference), limit, self.metric.show(m.difference)),
            Limit::ChangePercent(limit) => {
                let change = m.change_percent();
                (
                    change,
                    limit,
                    change.map_or("no change in percent of 0".into(), |c| format!("{c:+.2} %")),
                )
            }
        };
        let (Some(change), Some(p)) = (change, m.p) else {
            return (None, shown);
        };
        if m.runs_a.min(m.runs_b) < RUNS_FOR_A_VERDICT {
            return (None, shown);
        }
        (Some(self.is_past(change, limit) && p < SIGNIFICANCE), shown)
    }
}

impl Comparison {
    /// Whether a rule makes this comparison fail: where any step that both sides have is past its limit.
    pub fn evaluate(&self, rule: &FailRule) -> RuleResult {
        let judged: Vec<(&str, Option<bool>, String)> = self
            .steps
            .iter()
            .filter_map(|step| {
                let metric = step.metrics.iter().find(|m| m.metric == rule.metric)?;
                let (failed, shown) = rule.judge(metric);
                Some((step.name.as_str(), failed, shown))
            })
            .collect();
        let list = |wanted: Option<bool>| {
            let of = judged.iter().filter(|(_, failed, _)| *failed == wanted);
            of.map(|(name, _, shown)| format!("{name}: {shown}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let any = |wanted| judged.iter().any(|(_, failed, _)| *failed == wanted);
        let (outcome, reason) = if judged.is_empty() {
            (
                RuleOutcome::Undecided,
                "no step has it on both sides".to_string(),
            )
        } else if any(Some(true)) {
            (RuleOutcome::Failed, list(Some(true)))
        } else if any(None) {
            let needed = format!("a change needs {RUNS_FOR_A_VERDICT} runs on each side to be one");
            (RuleOutcome::Undecided, format!("{}; {needed}", list(None)))
        } else {
            (RuleOutcome::Passed, list(Some(false)))
        };
        RuleResult {
            outcome,
            text: format!("{rule}: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_read_as_their_documentation_says() {
        let rule = |text: &str| text.parse::<FailRule>().unwrap();
        assert_eq!(rule("iops < -3%").limit, Limit::ChangePercent(-3.0));
        assert_eq!(rule("P99>+5%").fails, Side::Above);
        assert_eq!(rule("response > 1ms").limit, Limit::Value(1e6));
        assert_eq!(rule("response > +1ms").limit, Limit::Change(1e6));
        assert_eq!(rule("iops < 100k").limit, Limit::Value(1e5));
        assert_eq!(rule("bytes < 2MiB/s").limit, Limit::Value(2_097_152.0));
        assert_eq!(rule("p99.9 > 2s").metric, Metric::ResponseP999);
    }

    #[test]
    fn what_is_no_rule_says_what_would_be() {
        let error = |text: &str| text.parse::<FailRule>().unwrap_err().to_string();
        assert!(error("iops = 3").contains("METRIC < LIMIT"));
        assert!(error("speed < 3").contains("p99.9"));
        assert!(error("p99 > 5").contains("ns, us, ms or s"));
        assert!(error("iops < fast").contains("100k"));
        assert!(error("iops < ").contains("100k"));
        assert!(error("iops < +-3%").contains("100k"));
    }

    #[test]
    fn a_rule_is_shown_as_it_can_be_written() {
        for text in [
            "iops < -3%",
            "p99 > +5%",
            "response > 1.00ms",
            "response > +1.00ms",
            "iops < 100,000",
            "bytes < 2.00 MiB/s",
        ] {
            let rule: FailRule = text.parse().unwrap();
            assert_eq!(rule.to_string(), text);
        }
    }
}
