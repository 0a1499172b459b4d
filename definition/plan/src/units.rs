//! Units as types: bytes, nanoseconds, operations per second, and the native grammar for them.

use plimsoll_printable::human;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A size or an offset in bytes.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A time span in nanoseconds.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

/// I/Os per second.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rate(pub f64);

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// No digits at the start.
    #[error("`{0}` does not start with a number")]
    NoNumber(String),
    /// The suffix is unknown.
    #[error("`{text}` has the unknown unit `{unit}`; known are {known}")]
    Unit {
        /// The whole text.
        text: String,
        /// The part after the number.
        unit: String,
        /// The units that would do.
        known: &'static str,
    },
    /// Past 2^64, or not finite.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

const SIZE_UNITS: &str = "b, k, m, g, t, p (powers of 1024; KiB, MiB, GiB, TiB, PiB mean the same)";
const TIME_UNITS: &str = "ns, us, ms, s, m, h, d";
const RATE_UNITS: &str = "k, M (powers of 1000), with or without /s";

fn split(text: &str) -> Result<(f64, &str), UnitError> {
    let t = text.trim();
    let end = t
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
        .unwrap_or(t.len());
    let digits: String = t[..end].chars().filter(|c| *c != '_').collect();
    let n: f64 = digits
        .parse()
        .map_err(|_| UnitError::NoNumber(text.to_string()))?;
    Ok((n, t[end..].trim()))
}

fn scaled(text: &str, n: f64, factor: u64) -> Result<u64, UnitError> {
    let x = n * factor as f64;
    if !x.is_finite() || x >= u64::MAX as f64 {
        return Err(UnitError::TooLarge(text.to_string()));
    }
    // Whole numbers stay exact past 2^53.
    if n.fract() == 0.0 && n < 9e15 {
        return (n as u64)
            .checked_mul(factor)
            .ok_or_else(|| UnitError::TooLarge(text.to_string()));
    }
    Ok(x.round() as u64)
}

impl FromStr for Bytes {
    type Err = UnitError;

    /// `8k`, `8KiB`, `1.5g`, `4096`: suffixes are powers of 1024, in any case.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (n, unit) = split(text)?;
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            "t" | "tib" => 1 << 40,
            "p" | "pib" => 1u64 << 50,
            _ => {
                return Err(UnitError::Unit {
                    text: text.to_string(),
                    unit: unit.to_string(),
                    known: SIZE_UNITS,
                });
            }
        };
        scaled(text, n, factor).map(Bytes)
    }
}

impl FromStr for Nanos {
    type Err = UnitError;

    /// `30s`, `2ms`, `1.5h`, `500us`; a bare number is seconds.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (n, unit) = split(text)?;
        let factor = match unit {
            "ns" => 1,
            "us" | "µs" => 1_000,
            "ms" => 1_000_000,
            "" | "s" | "sec" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000u64,
            _ => {
                return Err(UnitError::Unit {
                    text: text.to_string(),
                    unit: unit.to_string(),
                    known: TIME_UNITS,
                });
            }
        };
        scaled(text, n, factor).map(Nanos)
    }
}

impl FromStr for Rate {
    type Err = UnitError;

    /// `5000`, `5k`, `1.2M`, `5k/s`: powers of 1000.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (n, unit) = split(text)?;
        let factor = match unit.trim_end_matches("/s").trim() {
            "" => 1.0,
            "k" | "K" => 1e3,
            "m" | "M" => 1e6,
            _ => {
                return Err(UnitError::Unit {
                    text: text.to_string(),
                    unit: unit.to_string(),
                    known: RATE_UNITS,
                });
            }
        };
        Ok(Rate(n * factor))
    }
}

impl fmt::Display for Bytes {
    /// The largest unit that divides the number: `8KiB`, `1536B`, `64GiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u32, &str); 5] = [
            (50, "PiB"),
            (40, "TiB"),
            (30, "GiB"),
            (20, "MiB"),
            (10, "KiB"),
        ];
        for (shift, name) in UNITS {
            if self.0 >= 1 << shift && self.0.is_multiple_of(1 << shift) {
                return write!(f, "{}{name}", self.0 >> shift);
            }
        }
        write!(f, "{}B", self.0)
    }
}

impl fmt::Display for Nanos {
    /// The largest unit that divides the number: `30s`, `1500us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 6] = [
            (86_400_000_000_000, "d"),
            (3_600_000_000_000, "h"),
            (60_000_000_000, "m"),
            (1_000_000_000, "s"),
            (1_000_000, "ms"),
            (1_000, "us"),
        ];
        if self.0 == 0 {
            return f.write_str("0s");
        }
        for (size, name) in UNITS {
            if self.0.is_multiple_of(size) {
                return write!(f, "{}{name}", self.0 / size);
            }
        }
        write!(f, "{}ns", self.0)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", human::exact(self.0))
    }
}

impl Nanos {
    /// Whole seconds.
    pub const fn secs(s: u64) -> Self {
        Nanos(s * 1_000_000_000)
    }

    /// Seconds as a fraction.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_their_documentation_says() {
        assert_eq!("8k".parse(), Ok(Bytes(8192)));
        assert_eq!("64GiB".parse(), Ok(Bytes(64 << 30)));
        assert_eq!("1.5m".parse(), Ok(Bytes(3 << 19)));
        assert_eq!("30".parse(), Ok(Nanos::secs(30)));
        assert_eq!("2ms".parse(), Ok(Nanos(2_000_000)));
        assert_eq!("1.2M/s".parse(), Ok(Rate(1_200_000.0)));
        assert!("8kb/s".parse::<Bytes>().is_err());
        assert!("fast".parse::<Rate>().is_err());
        assert!("99999999999t".parse::<Bytes>().is_err());
    }

    #[test]
    fn what_is_printed_reads_back() {
        for b in [0, 1, 512, 1024, 1536, 1 << 20, 3 << 30, u64::MAX >> 12] {
            assert_eq!(Bytes(b).to_string().parse(), Ok(Bytes(b)));
        }
        for n in [0, 1, 999, 1_000, 1_500_000, 60_000_000_000, 90_000_000_000] {
            assert_eq!(Nanos(n).to_string().parse(), Ok(Nanos(n)));
        }
    }
}
