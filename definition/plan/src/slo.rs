//! Response-time limits that a capacity is stated at.

use crate::Nanos;
use crate::units::UnitError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A limit of response time: `p99=2ms`, `mean=1ms`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slo {
    /// Of what.
    pub statistic: Statistic,
    /// The most that it may be.
    pub limit: Nanos,
}

/// What a limit is of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// The arithmetic mean.
    Mean,
    /// A quantile, in 0..1: 0.99 is written `p99`.
    Quantile(f64),
}

/// Why a text is no limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SloError {
    /// There is no `=` in it.
    #[error("`{0}` is not a limit; write a statistic and a time, as in p99=2ms or mean=1ms")]
    Form(String),
    /// The part before `=` is no statistic.
    #[error(
        "`{0}` is not a statistic; known are mean, p50, p99, p99.9 and the like, above p0 and below p100"
    )]
    Statistic(String),
    /// The part after `=` is no time.
    #[error("the limit is not a time: {0}")]
    Time(#[from] UnitError),
    /// Seconds are almost never meant, and milliseconds are not what is read elsewhere.
    #[error("`{0}` has no unit; write p99={0}ms for milliseconds, or {0}s for seconds")]
    Unit(String),
    /// A limit of nothing.
    #[error("a limit of 0 can never be kept")]
    Zero,
}

/// The limits where none are given: p99 at 0.5, 1, 2, 5 and 10 ms.
pub fn default_slos() -> Vec<Slo> {
    [500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000]
        .into_iter()
        .map(|limit| Slo {
            statistic: Statistic::Quantile(0.99),
            limit: Nanos(limit),
        })
        .collect()
}

impl FromStr for Slo {
    type Err = SloError;

    fn from_str(text: &str) -> Result<Self, SloError> {
        let (statistic, limit) = text
            .split_once('=')
            .ok_or_else(|| SloError::Form(text.to_string()))?;
        let statistic = statistic.trim().parse()?;
        let written = limit.trim();
        let limit: Nanos = written.parse()?;
        if limit.0 == 0 {
            return Err(SloError::Zero);
        }
        if written.parse::<f64>().is_ok() {
            return Err(SloError::Unit(written.to_string()));
        }
        Ok(Slo { statistic, limit })
    }
}

impl FromStr for Statistic {
    type Err = SloError;

    fn from_str(text: &str) -> Result<Self, SloError> {
        let unknown = || SloError::Statistic(text.to_string());
        if text == "mean" {
            return Ok(Statistic::Mean);
        }
        let digits = text.strip_prefix('p').ok_or_else(unknown)?;
        let percent: f64 = digits.parse().map_err(|_| unknown())?;
        if percent > 0.0 && percent < 100.0 {
            Ok(Statistic::Quantile(percent / 100.0))
        } else {
            Err(unknown())
        }
    }
}

impl fmt::Display for Slo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.statistic, self.limit)
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statistic::Mean => f.write_str("mean"),
            // Nine digits hide that 0.999 times 100 is not quite 99.9 in binary.
            Statistic::Quantile(q) => write!(f, "p{}", (q * 1e11).round() / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_read_and_print_alike() {
        for text in ["p99=2ms", "mean=1ms", "p99.9=5ms", "p50=500us", "p99.99=1s"] {
            assert_eq!(
                text.parse::<Slo>().map(|s| s.to_string()).as_deref(),
                Ok(text)
            );
        }
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        for text in [
            "",
            "2ms",
            "p99",
            "p100=1ms",
            "p0=1ms",
            "median=1ms",
            "p99=fast",
            "mean=0",
            "pNaN=1ms",
            "p99=2",
            "mean=0.5",
        ] {
            assert!(text.parse::<Slo>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_default_is_p99_at_five_limits() {
        let text: Vec<String> = default_slos().iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            ["p99=500us", "p99=1ms", "p99=2ms", "p99=5ms", "p99=10ms"]
        );
    }
}
