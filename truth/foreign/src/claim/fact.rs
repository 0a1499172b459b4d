//! Facts that a claim says, and the words that go before their numbers.

use super::amount::{Amount, Unit, words};
use super::port::Ports;
use super::token::Token;

/// One thing that a claim says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    Rate(Rounded),
    /// A number that is a rate or a size by its place: with a `k` or an `M`, or large and bare.
    Number {
        rate: Rounded,
        bytes: Option<f64>,
        at: bool,
    },
    Bandwidth {
        bytes: Rounded,
        binary: Option<f64>,
        in_bits: bool,
    },
    Time(Of, Rounded),
    Block(f64),
    Size(f64),
    Duration(f64),
    /// A time before what was counted.
    WarmUp,
    Jobs(u64, Per),
    Depth(u64, Per),
    /// I/Os out all together.
    Total(u64),
    Hosts(u64),
    Targets(u64),
    Ports(Ports),
    /// Ports without their speed, and whether each host has as many.
    PortCount(u64, bool),
    Reads(f64),
    Writes(f64),
    /// A word for reads, or for writes, without a share.
    Direction(bool),
    Random(bool),
    Hits(f64),
    /// The rate was held, not reached.
    Held,
    /// `up to`: the most, which is not of the load of the most of something else.
    UpTo,
    /// `and`: a comma behind which there may be something of another load.
    Apart,
    /// Two numbers of one kind, and true where a slash divides them, as it does reads and writes; else they are of two states.
    Pair(Box<[Fact; 2]>, bool),
    /// A rate behind its average, most or least, and true where it is called one.
    Labelled(Of, Rounded, bool),
    /// `read/write`, and true where reads come first.
    Sides(bool),
    /// Bytes that were moved in all, and what they are more where they are binary.
    Moved(Rounded, f64),
    /// A comma: what follows may be of the next claim.
    Comma,
    /// The end of a sentence: what follows is of the next claim.
    End,
    Unread(String),
    /// Of each of which the rate before it is, in as many words.
    RateOf(Per),
    /// `each` of something that is not clear.
    Each,
}

/// A number and half of its last digit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounded {
    pub value: f64,
    pub half: f64,
}

/// Subject of a count of jobs, or of a depth: what it is for each of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Per {
    /// Not said.
    #[default]
    Unsaid,
    /// Each job.
    Job,
    /// Each host.
    Host,
    /// Each target.
    Target,
    /// `each` of what is counted beside it.
    Each,
    /// All of them together.
    All,
}

/// Of which time a time is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Of {
    Mean,
    /// A time without a word for it, which is the mean where there is no other.
    Loose,
    /// A time behind a word that is not known.
    Doubtful,
    Quantile(f64),
    Min,
    Max,
    Deviation,
    /// A bound of the mean, or the mean of reads or of writes alone: of the mean of all it says nothing.
    NotOfAll,
}

/// The place behind `=`, `:`, `of` and the like.
pub(super) fn behind_link(tokens: &[Token], at: usize) -> usize {
    let links = [
        "=", ":", "of", "is", "was", "~", "<", "≤", ">", "≥", "up", "to", "about", "under",
        "below", "less", "than",
    ];
    let is_link = |at: usize| links.iter().any(|l| words(tokens, at, &[l]).is_some());
    (at..).find(|at| !is_link(*at)).unwrap_or(at)
}

/// True of reads, false of writes.
pub(super) fn direction(word: &str) -> Option<bool> {
    match word {
        "read" | "reads" | "reading" | "randread" | "randreads" => Some(true),
        "write" | "writes" | "writing" | "randwrite" | "randwrites" => Some(false),
        _ => None,
    }
}

/// Number of an amount, with its rounding.
pub(super) fn rounded(amount: &Amount) -> Rounded {
    Rounded {
        value: amount.value,
        half: amount.half,
    }
}

/// A bandwidth, which where it is not written as binary may be either.
pub(super) fn bandwidth(of: &Amount, binary: f64, certain: bool) -> Fact {
    Fact::Bandwidth {
        bytes: rounded(of),
        binary: (!certain).then_some(binary),
        in_bits: false,
    }
}

/// A size of GiB is of the target, a smaller one of a transfer.
pub(super) fn size(bytes: f64) -> Fact {
    match bytes >= (64 << 20) as f64 {
        true => Fact::Size(bytes),
        false => Fact::Block(bytes),
    }
}

/// Bytes of a size, where the amount may be one.
pub(super) fn bytes(amount: &Amount) -> Option<f64> {
    match amount.unit {
        Unit::Size | Unit::Bare => Some(amount.value),
        Unit::Scaled { bytes } => Some(bytes),
        _ => None,
    }
}
