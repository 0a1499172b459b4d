//! Where I/Os go.

use crate::Bytes;
use serde::{Deserialize, Serialize};

/// Addresses of one stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddressSpec {
    /// The part of the target that is used.
    pub range: RangeSpec,
    /// The order of addresses.
    pub pattern: Pattern,
    /// A share of accesses that goes to a small area, to be found in a cache there.
    pub hits: Option<HitSpec>,
}

impl AddressSpec {
    /// All of the target in this order, without an area for hits.
    pub const fn whole(pattern: Pattern) -> AddressSpec {
        AddressSpec {
            range: RangeSpec::Whole,
            pattern,
            hits: None,
        }
    }
}

/// The part of a target that is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RangeSpec {
    /// All of it.
    #[default]
    Whole,
    /// From and to, percent of the size; `to` up to 200 wraps round.
    Percent(f64, f64),
    /// From and to (exclusive), bytes.
    Bytes(Bytes, Bytes),
    /// Bytes from `from` to `until` (exclusive), or to the target's end where it comes first. Addresses in order begin `ahead`
    /// bytes into it, and come round to its start.
    Clipped {
        /// The first byte.
        from: Bytes,
        /// The end; `None`: the target's.
        until: Option<Bytes>,
        /// How far in the first address lies; less than its length.
        ahead: Bytes,
    },
}

impl RangeSpec {
    /// The bytes that it is of a target of `size` bytes, from and to. Empty where the target ends before it.
    pub fn clipped(from: Bytes, until: Option<Bytes>, size: u64) -> (u64, u64) {
        let end = until.map_or(size, |until| until.0.min(size));
        (from.0.min(end), end)
    }
}

/// The order of addresses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Each I/O draws its own address.
    Random {
        /// From what distribution.
        distribution: Distribution,
        /// Each block once before any is repeated (uniform only).
        coverage: bool,
    },
    /// One after the other.
    Sequential {
        /// One pass, then the stream is done (Vdbench `seekpct=eof`).
        once: bool,
        /// Start at a random address instead of the range's start (Vdbench `seekpct=seqnz`).
        random_start: bool,
        /// Of one pass: its borders are multiples of the largest transfer, on a device the first is one in, as Vdbench's
        /// are. Else transfers at the borders are shorter, so that nothing is left out but a device's first block.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        whole: bool,
    },
    /// Reads go through the range from its start to its end, over and over, and what changes data goes through it by itself: fio's
    /// `rw=rw`.
    SequentialEach,
    /// Each I/O draws a new address with this chance (0..=100), else continues after the previous one.
    PercentRandom(f64),
    /// The same, where what is drawn prefers some parts, and perhaps a run does one thing.
    PartRandom {
        /// The chance of a new address, 0..=100.
        percent: f64,
        /// From what distribution it is drawn.
        distribution: Distribution,
        /// An I/O that continues does what the one before did: read or write is drawn with each new address only.
        whole_runs: bool,
    },
    /// Next address = end of the previous + `min` + a random part of `max - min`; multiples of the transfer size.
    Stride {
        /// Smallest gap.
        min: Bytes,
        /// Largest gap.
        max: Bytes,
    },
    /// Each I/O begins `step` bytes before the end of the one before, the first at the range's start; from there it goes on
    /// at the range's end.
    Backward {
        /// At least the largest transfer.
        step: Bytes,
    },
    /// So many bytes of one zone, in order or drawn, then of the next; behind the last comes the first.
    Zones {
        /// Bytes moved in a zone.
        size: Bytes,
        /// Bytes of a zone.
        range: Bytes,
        /// Bytes between two.
        skip: Bytes,
        /// Places in a zone are drawn.
        random: bool,
    },
    /// A place is drawn, and so many I/Os follow each other from there on.
    Runs {
        /// How many.
        ios: u32,
        /// They all are on that place.
        repeat: bool,
    },
    /// Equal slices of the range, sequential each; a worker that has several takes them in turn.
    Streams(u32),
}

impl Pattern {
    /// Every block alike, each time anew.
    pub const RANDOM: Pattern = Pattern::Random {
        distribution: Distribution::Uniform,
        coverage: false,
    };
    /// Every block once before any is repeated.
    pub const COVERING: Pattern = Pattern::Random {
        distribution: Distribution::Uniform,
        coverage: true,
    };
    /// From the range's start to its end, over and over.
    pub const IN_ORDER: Pattern = Pattern::Sequential {
        once: false,
        random_start: false,
        whole: false,
    };
    /// From the range's start to its end, once, and nothing is left out.
    pub const ONE_PASS: Pattern = Pattern::Sequential {
        once: true,
        random_start: false,
        whole: false,
    };

    /// Addresses drawn from a distribution, each time anew.
    pub fn random(distribution: Distribution) -> Self {
        Pattern::Random {
            distribution,
            coverage: false,
        }
    }

    /// True where operations of several kinds share one order of addresses, which fio's reads and writes never do.
    pub fn is_shared(&self) -> bool {
        !matches!(
            self,
            Pattern::Random { .. } | Pattern::SequentialEach | Pattern::Zones { random: true, .. }
        )
    }
}

/// Distributions of random addresses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All blocks alike.
    Uniform,
    /// Zipf with this exponent over the blocks, the ranks scattered by a keyed permutation.
    Zipf(f64),
    /// Pareto (self-similar) with this h: a share 1-h of accesses goes to a share h of the blocks; scattered.
    Pareto(f64),
    /// Normal round the middle of the range, with this standard deviation in percent of the range; wraps.
    Normal(f64),
    /// Zones in address order: (percent of accesses, percent of the range).
    Zoned(Vec<(f64, f64)>),
    /// Vdbench's `hotband`.
    Hotband(HotbandMode),
    /// Vdbench's `seekpct=(poisson,midpoint)`: distances drawn so, from the range's start.
    Poisson(f64),
}

/// The two readings of `hotband`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HotbandMode {
    /// As Vdbench 5.04 behaves, its unit slip included.
    Observed,
    /// As its manual describes it.
    Corrected,
}

/// A share of accesses that goes to a small area.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HitSpec {
    /// Percent of reads.
    pub read_percent: f64,
    /// Percent of writes.
    pub write_percent: f64,
    /// The area's size, all of it.
    pub area: Bytes,
    /// Where the area lies.
    pub placement: HitPlacement,
}

impl HitSpec {
    /// Shares of the reads and of the writes, in percent, that go to an area.
    pub const fn new(reads: f64, writes: f64, area: Bytes, placement: HitPlacement) -> Self {
        HitSpec {
            read_percent: reads,
            write_percent: writes,
            area,
            placement,
        }
    }

    /// A share of the reads alone, in percent.
    pub const fn reads(percent: f64, area: Bytes, placement: HitPlacement) -> Self {
        HitSpec::new(percent, 0.0, area, placement)
    }
}

/// Where a hit area lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HitPlacement {
    /// At the start of the range, in one piece: what Vdbench does. The misses go to the rest of the range.
    Contiguous,
    /// Over all of the range, so that no array's slices are hot whatever their size is: see [`crate::spread`].
    Scattered,
    /// Dealt block by block over consecutive slices of this many bytes, so that none of these is hot: for an array whose
    /// slices are known.
    Sliced(Bytes),
}
