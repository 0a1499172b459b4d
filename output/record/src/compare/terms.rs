//! On what terms runs are compared.

use super::FailRule;
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// On what terms runs are compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms {
    /// Rules that make the comparison fail.
    pub rules: Vec<FailRule>,
    /// Confidence of verdicts.
    pub confidence: Confidence,
    /// Verdicts also between runs that did not measure the same.
    pub different: bool,
    /// The steps to compare, by name; empty: all.
    pub steps: Vec<String>,
}

/// The chance that none of the claims of a kind is wrong: 95 % where nobody says otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    percent: f64,
}

/// Reason why a text is no confidence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no confidence: write a percentage from 80 to 99.99, as in 95")]
pub struct ConfidenceError(String);

impl Confidence {
    /// The chance of error that it leaves, 0..1.
    pub fn alpha(self) -> f64 {
        1.0 - self.percent / 100.0
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Confidence { percent: 95.0 }
    }
}

impl FromStr for Confidence {
    type Err = ConfidenceError;

    fn from_str(text: &str) -> Result<Self, ConfidenceError> {
        let number = text.trim().trim_end_matches('%').trim_end();
        match number.parse() {
            Ok(percent) if (80.0..=99.99).contains(&percent) => Ok(Confidence { percent }),
            _ => Err(ConfidenceError(text.into())),
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.percent)
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.percent.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_a_percentage_that_means_something() {
        assert_eq!("99%".parse::<Confidence>().unwrap().to_string(), "99 %");
        assert!(("90".parse::<Confidence>().unwrap().alpha() - 0.1).abs() < 1e-12);
        for text in ["", "0.95", "50", "100", "NaN", "-95", "1e3"] {
            assert!(text.parse::<Confidence>().is_err(), "{text}");
        }
    }
}
