//! Facts that only a claim has, beside those that results of tools have.

use crate::claim::port::Ports;
use serde::Serialize;

/// Facts that only a claim has: how far its numbers are rounded, and what it was measured with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claimed {
    /// I/Os each second; none of a bandwidth without a transfer size.
    pub rate: Option<Span>,
    /// Number of parts of each of which the rate is said.
    pub parts: u64,
    /// Bytes each second, where they are said.
    pub bandwidth: Option<Span>,
    /// The mean time, ns.
    pub mean: Option<Span>,
    /// I/Os in flight, where rate and mean are rounded by all that their last digits allow.
    pub widest: Option<Span>,
    /// Number of I/Os that could be out.
    pub slots: Option<Slots>,
    /// What is not understood.
    pub open: OpenFactors,
    /// The ports that it came by.
    pub ports: Vec<Ports>,
    /// The rate was held, so that slots may have been free.
    pub held: bool,
    /// Share that a cache is said to have answered.
    pub hits: Option<f64>,
}

/// What a claim may say in words and numbers that are not understood.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OpenFactors {
    /// A number of which nothing was made may be of any of what is claimed, so that nothing of it is more than noted.
    pub numbers: bool,
    /// Times of which it is not certain that they are the mean, or of which rate.
    pub times: bool,
    /// A word for jobs, hosts or targets stands without a number.
    pub words: bool,
    /// `each` of something that is not clear, which may be the rate's scope too.
    pub each: bool,
}

/// A number that is told rounded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    /// The least that it can be.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// Number of I/Os that could be out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slots {
    /// Number as it is written.
    pub most: u64,
    /// In words: `8 jobs x depth 10 x 4 hosts`.
    pub words: String,
    /// Other readings of the words: the number, and how the words have to be taken for it.
    pub others: Vec<(u64, String)>,
}

impl Claimed {
    /// I/Os in flight by Little's law.
    pub fn in_flight(&self) -> Option<Span> {
        Some(in_flight(self.rate?, self.mean?))
    }
}

/// I/Os in flight by Little's law, of times in ns.
pub(crate) fn in_flight(rate: Span, mean: Span) -> Span {
    Span {
        low: rate.low * mean.low / 1e9,
        high: rate.high * mean.high / 1e9,
    }
}
