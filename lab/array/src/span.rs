//! A length of time as people write it.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The units, the largest first, and their nanoseconds.
const UNITS: [(&str, u64); 6] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Nanoseconds, written as a number and a unit: `30s`, `2.5ms`, `1h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span(pub u64);

/// A text that is no length of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time; write a number and a unit: ns, us, ms, s, m or h, such as \"30s\"")]
pub struct SpanError(String);

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, SpanError> {
        let wrong = || SpanError(text.to_owned());
        let at = text
            .find(|c: char| c.is_ascii_alphabetic())
            .ok_or_else(wrong)?;
        let (number, unit) = text.split_at(at);
        let value: f64 = number.trim().parse().map_err(|_| wrong())?;
        let (_, ns) = UNITS.iter().find(|u| u.0 == unit).ok_or_else(wrong)?;
        let ns = value * *ns as f64;
        // Ten years: far past any run, and far from the end of the clock.
        if (0.0..=3.2e17).contains(&ns) {
            Ok(Span(ns.round() as u64))
        } else {
            Err(wrong())
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS
            .iter()
            .find(|u| self.0 >= u.1 && self.0.is_multiple_of(u.1));
        let (unit, ns) = whole.unwrap_or(&("ns", 1));
        write!(f, "{}{unit}", self.0 / ns)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_a_number_and_a_unit() {
        for (text, ns) in [
            ("30s", 30_000_000_000),
            ("2.5ms", 2_500_000),
            ("0s", 0),
            ("1 h", 3_600_000_000_000),
            ("7ns", 7),
        ] {
            assert_eq!(text.parse(), Ok(Span(ns)), "{text}");
        }
        for text in ["", "30", "s", "-1s", "1e99s", "5 minutes", "NaNs"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
        assert_eq!(Span(90_000_000_000).to_string(), "90s");
        assert_eq!(Span(2_500_000).to_string(), "2500us");
        assert_eq!(Span(0).to_string(), "0ns");
    }
}
