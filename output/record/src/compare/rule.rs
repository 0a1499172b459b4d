//! Rules that make a comparison fail: `iops < -3%`, for CI.

use super::Metric;
use super::metric::Unit;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Rule by which a comparison fails; [`super::GateResult`] says how it is judged.
///
/// - `iops < -3%`, `p99 > +5%`: the change from A to B, in percent of A.
/// - `response > +1ms`: the same with the change as a number: it has a sign.
/// - `response > 1ms`, `iops < 100k`: B's mean itself: no sign.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FailRule {
    /// Metric that is looked at.
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

/// Reason why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// No `<` or `>`.
    #[error("`{0}` is no rule: write METRIC < LIMIT or METRIC > LIMIT, as in `iops < -3%`")]
    Form(String),
    /// The metric is unknown.
    #[error(
        "`{0}` is no metric; known are iops, bytes, response, p50, p99, p99.9, service, cpu, and of a disturbance blackout, first, last, longest, back, failed, late"
    )]
    Metric(String),
    /// The limit cannot be read.
    #[error("`{text}` is no limit for {metric}: write a percentage (-3%), or a number in {units}")]
    Limit {
        /// Limit as it was written.
        text: String,
        /// The rule's metric.
        metric: &'static str,
        /// Units that the limit may have.
        units: &'static str,
    },
    /// No measurement could be past the limit, so the rule would let everything pass.
    #[error("nothing can lose {0} % or more of what it has; a rule like that lets everything pass")]
    Never(String),
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
        let written = text[at + 1..].trim();
        let limit = parse_limit(metric, written).ok_or_else(|| RuleError::Limit {
            text: written.into(),
            metric: metric.name(),
            units: match metric.unit() {
                Unit::PerSecond => "I/Os per second (5000, 100k)",
                Unit::BytesPerSecond => "bytes per second (500MiB/s)",
                Unit::Nanoseconds => "ns, us, ms or s",
                Unit::Ios => "I/Os (50, 2k)",
            },
        })?;
        match limit {
            Limit::ChangePercent(percent) if percent <= -100.0 => {
                Err(RuleError::Never(format!("{}", -percent)))
            }
            _ => Ok(FailRule {
                metric,
                fails,
                limit,
            }),
        }
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
        Unit::PerSecond | Unit::Ios => match bare {
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
        assert!(error("iops < -100%").contains("lets everything pass"));
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
            "blackout > +1.00s",
            "failed > 50.0",
            "late > +2,000",
        ] {
            let rule: FailRule = text.parse().unwrap();
            assert_eq!(rule.to_string(), text);
        }
    }
}
