//! What holds a closed loop back: a pause between the I/Os of a slot, and a most per second.

use crate::{Arrival, Bytes, Nanos, Rate};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What holds a stream back that has no schedule; nothing by default.
///
/// The loop stays closed: no more I/Os are out than it has slots, and what was not asked for while the target was slow does
/// not wait anywhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Throttle {
    /// The pause of a slot after its I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
    /// The most I/Os per second, of all workers together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rate: Option<Rate>,
    /// The most bytes per second, of all workers together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bandwidth: Option<Bytes>,
}

/// The time that passes in a slot between an I/O's completion and the next one's start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Think {
    /// Its mean.
    pub time: Nanos,
    /// After so many I/Os of the slot; at least 1.
    pub every: u32,
    /// How it varies from one to the next.
    pub spread: Arrival,
}

impl Think {
    /// A pause of this mean after so many I/Os.
    pub const fn new(time: Nanos, every: u32, spread: Arrival) -> Self {
        Think {
            time,
            every,
            spread,
        }
    }
}

impl Throttle {
    /// A most of I/Os a second.
    pub fn rate(most: Rate) -> Self {
        Throttle {
            max_rate: Some(most),
            ..Throttle::default()
        }
    }

    /// A most of bytes a second.
    pub fn bandwidth(most: Bytes) -> Self {
        Throttle {
            max_bandwidth: Some(most),
            ..Throttle::default()
        }
    }

    /// Pauses.
    pub fn think(think: Think) -> Self {
        Throttle {
            think: Some(think),
            ..Throttle::default()
        }
    }

    /// Whether nothing holds the stream back.
    pub fn is_none(&self) -> bool {
        *self == Throttle::default()
    }

    /// True where there is a most per second.
    pub fn is_capped(&self) -> bool {
        self.max_rate.is_some() || self.max_bandwidth.is_some()
    }
}

impl fmt::Display for Throttle {
    /// `think 5ms after every 4, at most 5,000/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(think) = self.think {
            let spread = match think.spread {
                Arrival::Even => "",
                Arrival::Uniform => " (uniform)",
                Arrival::Exponential => " (exponential)",
            };
            let every = match think.every {
                0 | 1 => String::new(),
                n => format!(" after every {n}"),
            };
            parts.push(format!("think {}{spread}{every}", think.time));
        }
        if let Some(rate) = self.max_rate {
            parts.push(format!("at most {rate}"));
        }
        if let Some(bytes) = self.max_bandwidth {
            parts.push(format!("at most {bytes}/s"));
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::tests::plan;

    #[test]
    fn it_is_said_in_a_few_words() {
        let mut step = plan().steps().next().expect("a step").clone();
        assert_eq!(step.throttle_words(), None);
        step.streams[0].throttle = Throttle {
            think: Some(Think::new(Nanos(5_000_000), 4, Arrival::Exponential)),
            max_rate: Some(Rate(5000.0)),
            max_bandwidth: None,
        };
        let words = "think 5ms (exponential) after every 4, at most 5,000/s";
        assert_eq!(step.throttle_words().unwrap(), words);
        let mut other = step.streams[0].clone();
        other.workload = "other".to_string();
        other.throttle = Throttle::bandwidth(Bytes(100 << 20));
        let first = step.streams[0].workload.clone();
        step.streams.push(other);
        let both = format!("{first}: {words}; other: at most 100MiB/s");
        assert_eq!(step.throttle_words().unwrap(), both);
    }
}
