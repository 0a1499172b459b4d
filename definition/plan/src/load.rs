//! Loads: how much is asked for, how it comes, and what ends it.

use crate::{Bytes, Nanos, Rate};
use serde::{Deserialize, Serialize};

/// How much is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Closed loop: every slot always busy; each target goes as fast as it can.
    Max,
    /// Closed loop that keeps the streams' shares over all targets.
    MaxShared,
    /// Open loop: this many per second, all streams without a fixed rate together.
    Rate {
        /// I/Os per second.
        rate: Rate,
        /// The gaps between intended starts.
        arrival: Arrival,
    },
    /// Open loop: a percentage of the rate that the last step reached.
    PercentOfLast {
        /// Percent.
        percent: f64,
        /// The gaps between intended starts.
        arrival: Arrival,
    },
    /// Open loop: rates one after the other, repeated until the step's end.
    Schedule {
        /// The parts.
        segments: Vec<RateSegment>,
        /// The gaps between intended starts.
        arrival: Arrival,
    },
}

/// One part of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateSegment {
    /// I/Os per second.
    pub rate: Rate,
    /// For how long.
    pub length: Nanos,
}

impl RateSegment {
    /// A rate for a time.
    pub const fn new(rate: Rate, length: Nanos) -> Self {
        RateSegment { rate, length }
    }
}

/// The gaps between intended starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// Independent arrivals (Poisson).
    #[default]
    Exponential,
    /// 0 to twice the mean, alike.
    Uniform,
    /// Always the mean.
    Even,
}

impl Load {
    /// I/Os that are due at a rate.
    pub const fn rate(rate: Rate, arrival: Arrival) -> Self {
        Load::Rate { rate, arrival }
    }

    /// Rates one after the other.
    pub fn schedule(segments: Vec<RateSegment>, arrival: Arrival) -> Self {
        Load::Schedule { segments, arrival }
    }

    /// I/Os that are due at a part of the last maximum.
    pub const fn percent(percent: f64, arrival: Arrival) -> Self {
        Load::PercentOfLast { percent, arrival }
    }
}

/// Limits that end a step before its time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes moved.
    pub bytes: Option<Bytes>,
    /// Bytes read.
    pub read_bytes: Option<Bytes>,
    /// Bytes written.
    pub written_bytes: Option<Bytes>,
    /// I/Os completed.
    pub ios: Option<u64>,
    /// How many times all of the step's targets is written. Whoever opens them makes bytes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrites: Option<f64>,
}

impl Limits {
    /// With the overwrites as bytes, now that the size of all the step's targets together is known.
    pub fn resolved(self, targets_bytes: u64) -> Limits {
        // Past 2^64 the cast stays at the most.
        let of = |times: f64| Bytes((times * targets_bytes as f64) as u64);
        let overwritten = self.overwrites.map(of);
        Limits {
            written_bytes: self.written_bytes.into_iter().chain(overwritten).min(),
            overwrites: None,
            ..self
        }
    }
}

pub(crate) fn arrival_words(arrival: Arrival) -> &'static str {
    match arrival {
        Arrival::Exponential => "exponential",
        Arrival::Uniform => "uniform",
        Arrival::Even => "even",
    }
}

/// How much is asked for, in words.
pub fn load_words(load: &Load) -> String {
    match load {
        Load::Max => "maximum".to_string(),
        Load::MaxShared => "maximum, shares kept".to_string(),
        Load::Rate { rate, arrival: a } => format!("{rate}, {}", arrival_words(*a)),
        Load::PercentOfLast {
            percent,
            arrival: a,
        } => format!("{percent}% of the last, {}", arrival_words(*a)),
        Load::Schedule {
            segments,
            arrival: a,
        } => {
            let parts: Vec<String> = segments
                .iter()
                .take(4)
                .map(|s| format!("{} for {}", s.rate, s.length))
                .collect();
            let more = if segments.len() > 4 { ", …" } else { "" };
            format!("{}{more}, {}", parts.join(", "), arrival_words(*a))
        }
    }
}
