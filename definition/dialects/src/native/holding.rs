//! What holds the closed loop of a workload back, setting by setting.

use super::given::{Given, Part, Wrong};
use super::words::{count, rate, size, time, word};
use plimsoll_plan::{Arrival, Bytes, Nanos, Rate, Think, Throttle};

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// The pause of a slot.
    Think(Option<Nanos>),
    /// After how many of its I/Os.
    Every(u32),
    /// How it varies.
    Spread(Arrival),
    /// The most I/Os per second.
    MaxRate(Option<Rate>),
    /// The most bytes per second.
    MaxBandwidth(Option<Bytes>),
}

/// All of them; nothing holds back where nobody says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Holding {
    think: Option<Nanos>,
    every: u32,
    spread: Arrival,
    max_rate: Option<Rate>,
    max_bandwidth: Option<Bytes>,
}

impl Default for Holding {
    fn default() -> Self {
        Holding {
            think: None,
            every: 1,
            spread: Arrival::Even,
            max_rate: None,
            max_bandwidth: None,
        }
    }
}

impl Hold {
    /// Reads the value of the key of that name.
    pub fn read(key: &str, given: &Given) -> Result<Self, Wrong> {
        match key {
            "think" => unless_none(given, time).map(Hold::Think),
            "think_every" => count(word(given)?, 1).map(Hold::Every),
            "think_distribution" => arrival(given).map(Hold::Spread),
            "max_rate" => unless_none(given, rate).map(Hold::MaxRate),
            _ => unless_none(given, size).map(Hold::MaxBandwidth),
        }
    }
}

impl Holding {
    /// Puts one setting in the place of the one before.
    pub fn apply(&mut self, hold: Hold) {
        match hold {
            Hold::Think(think) => self.think = think,
            Hold::Every(every) => self.every = every,
            Hold::Spread(spread) => self.spread = spread,
            Hold::MaxRate(rate) => self.max_rate = rate,
            Hold::MaxBandwidth(bytes) => self.max_bandwidth = bytes,
        }
    }

    /// What holds each of a workload's `streams` back: a most per second is theirs together.
    pub fn throttle(&self, streams: usize) -> Throttle {
        let streams = streams.max(1);
        Throttle {
            think: self
                .think
                .map(|time| Think::new(time, self.every, self.spread)),
            max_rate: self.max_rate.map(|r| Rate(r.0 / streams as f64)),
            max_bandwidth: self
                .max_bandwidth
                .map(|b| Bytes((b.0 / streams as u64).max(1))),
        }
    }

    /// The key that says how to think where nobody thinks.
    pub fn idle_key(&self) -> Option<&'static str> {
        match (self.think, self.every, self.spread) {
            (Some(_), _, _) | (None, 1, Arrival::Even) => None,
            (None, 1, _) => Some("think_distribution"),
            (None, _, _) => Some("think_every"),
        }
    }
}

/// `none`, or what `read` makes of it.
fn unless_none<T>(
    given: &Given,
    read: impl Fn(&Part) -> Result<T, Wrong>,
) -> Result<Option<T>, Wrong> {
    let part = word(given)?;
    match part.text.as_str() {
        "none" => Ok(None),
        _ => read(part).map(Some),
    }
}

/// The gaps between one thing and the next.
pub fn arrival(given: &Given) -> Result<Arrival, Wrong> {
    Ok(match word(given)?.text.as_str() {
        "uniform" => Arrival::Uniform,
        "even" => Arrival::Even,
        _ => Arrival::Exponential,
    })
}
