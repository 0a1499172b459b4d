//! What a run was asked, as far as its result says it; from the streams that its definition asks for, where it repeats that.

use plimsoll_dialects::{AskedRun, AskedStream};
use plimsoll_plan::{
    Arrival, Bytes, Caching, ContentSpec, Durability, Load as PlanLoad, Pattern, Rate,
};
use serde::Serialize;

/// Settings that a run was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AskedSettings {
    /// Smallest and largest transfer.
    pub block: Option<(Bytes, Bytes)>,
    /// Share of reads.
    pub read_share: Option<f64>,
    /// True where addresses are random, false where they are not.
    pub random: Option<bool>,
    /// I/Os that one thread or job may have out.
    pub depth: Option<u64>,
    /// Threads or jobs, all together.
    pub threads: Option<u64>,
    /// Targets that have that many threads each, at most.
    pub targets: Option<u64>,
    /// I/Os that may be out all together, where that is certain.
    pub in_flight: Option<u64>,
    /// True where the run's engine has one I/O out at a time, whatever the depth.
    pub synchronous: Option<bool>,
    /// The tool's name for how it issues I/O.
    pub engine: Option<String>,
    /// True where its threads wait by asking again and again, so that they are busy at any load.
    pub polls: bool,
    /// Time that the run was to take, s, without the warm-up.
    pub duration_s: Option<f64>,
    /// Warm-up, s.
    pub warm_up_s: Option<f64>,
    /// Bytes that addresses are drawn from.
    pub target_size: Option<Bytes>,
    /// Places that the run used, each target once; empty where that is not told.
    pub places: Vec<String>,
    /// Load that the run was to make.
    pub load: Option<Load>,
    /// Rates that reads and writes were to have, where they have rates of their own.
    pub sides: [Option<Rate>; 2],
    /// Durability of the writes.
    pub durability: Option<Durability>,
    /// Content of the writes.
    pub content: Option<Content>,
    /// Caching by the host.
    pub cache: Option<Caching>,
    /// Share of reads, and of writes, that go to a small area, and its size.
    pub hits: Option<Hits>,
    /// True where several threads walk the same addresses in sequence.
    pub same_sequence: bool,
    /// True where the tool searched the depth itself, so that no depth was asked for.
    pub searches_depth: bool,
    /// With which others of its result it began: those of the same number, where the tool tells that.
    pub began_with: Option<u64>,
    /// True where its figures are those of several sections together, of whose options not all are known.
    pub sums_sections: bool,
    /// True where what was written is read back, as a rule behind the writes.
    pub reads_back: bool,
    /// True where it reads for that alone, when all is written.
    pub reads_after: bool,
    /// True where the times of what is read back begin before its reads, when their slot was used last.
    pub times_begin_before: bool,
    /// True where its random numbers reach each block of any target.
    pub wide_generator: bool,
    /// True where the target is the host's own memory, by its name: there it is no cache that answers.
    pub is_memory: bool,
    /// Content of a target that the tool made for this run.
    pub made_target: Option<Content>,
}

/// Load that a run was to make.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Rate at which the slots come free.
    Max,
    /// The maximum of a curve, whose points are parts of it.
    CurveMax,
    /// At most so many I/Os each second.
    Limited {
        /// I/Os each second that were asked for.
        rate: Rate,
        /// Pace of these I/Os over a second.
        pace: Pace,
    },
    /// Neither free nor at a rate: by pauses, by syncs between its writes, by a rate of one direction only.
    HeldBack,
}

/// Pace by which a limited rate is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// By a schedule with even gaps.
    Even,
    /// By a schedule with random gaps.
    Random,
    /// At full speed until a second's share is used up.
    SquareWave,
}

/// Content of the writes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// New random data for each write.
    Fresh,
    /// Random buffers that are used again, hardly changed.
    Reused,
    /// The same pattern all over.
    Repeating,
    /// Zeros.
    Zeros,
    /// Content that is meant to be reduced by these factors: by deduplication, by compression.
    Reducible {
        /// Blocks for each different one.
        dedupe: f64,
        /// Bytes for each compressed one.
        compression: f64,
    },
}

/// A small area that a share of I/Os goes to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Hits {
    /// Share of reads.
    pub reads: f64,
    /// Share of writes.
    pub writes: f64,
    /// Size of the area.
    pub area: Bytes,
}

impl AskedSettings {
    /// The streams of a run together. What one of them does not say is not known of all.
    pub fn of(asked: &AskedRun) -> AskedSettings {
        let all = Streams(&asked.streams);
        let (load, sides) = load(asked);
        AskedSettings {
            block: all.block(),
            read_share: all.same(|s| {
                let mix = s.mix?;
                (mix.trim == 0.0).then(|| mix.read / (mix.read + mix.write))
            }),
            random: all.same(|s| s.pattern.as_ref().map(is_random)),
            depth: all.same(|s| s.depth),
            threads: all.sum(|s| s.threads),
            targets: Some(all.places().len() as u64).filter(|n| *n > 0),
            in_flight: all.sum(|s| s.in_flight).filter(|n| *n > 0),
            synchronous: all.same(|s| s.synchronous),
            engine: all.same(|s| s.engine.clone()),
            polls: false,
            duration_s: asked.elapsed.map(|t| t.0 as f64 / 1e9),
            warm_up_s: asked.warmup.map(|t| t.0 as f64 / 1e9),
            target_size: all.bytes(),
            load,
            sides,
            content: all.same(content),
            cache: all.same(|s| s.caching),
            durability: all.same(|s| s.durability),
            hits: all.hits(),
            same_sequence: asked.streams.iter().any(|s| s.walks_together),
            searches_depth: asked.streams.iter().any(|s| s.searches_depth),
            began_with: None,
            sums_sections: false,
            reads_back: false,
            reads_after: false,
            times_begin_before: false,
            wide_generator: false,
            is_memory: false,
            made_target: asked
                .streams
                .iter()
                .any(|s| s.makes)
                .then_some(Content::Repeating),
            places: all.places(),
        }
    }

    /// True where some of what is summed may have ended in its warm-up, whose I/Os a tool counts and does not time.
    pub fn may_end_in_warm_up(&self) -> bool {
        let several = self.threads.is_none_or(|n| n > 1);
        self.sums_sections || several && self.warm_up_s.is_some_and(|s| s > 0.0)
    }

    /// True where it may have had a warm-up: of options that are not all known nobody knows.
    pub fn may_warm_up(&self) -> bool {
        self.load.is_none() || self.warm_up_s.is_some_and(|s| s > 0.0)
    }

    /// Settings of this one, and where it says nothing those of `other`.
    #[must_use]
    pub fn or(self, other: AskedSettings) -> AskedSettings {
        AskedSettings {
            block: self.block.or(other.block),
            read_share: self.read_share.or(other.read_share),
            random: self.random.or(other.random),
            depth: self.depth.or(other.depth),
            threads: self.threads.or(other.threads),
            targets: self.targets.or(other.targets),
            in_flight: self.in_flight.or(other.in_flight),
            synchronous: self.synchronous.or(other.synchronous),
            engine: self.engine.or(other.engine),
            polls: self.polls || other.polls,
            duration_s: self.duration_s.or(other.duration_s),
            warm_up_s: self.warm_up_s.or(other.warm_up_s),
            target_size: self.target_size.or(other.target_size),
            places: match self.places.is_empty() {
                true => other.places,
                false => self.places,
            },
            sides: match self.load {
                Some(_) => self.sides,
                None => other.sides,
            },
            load: self.load.or(other.load),
            durability: self.durability.or(other.durability),
            content: self.content.or(other.content),
            cache: self.cache.or(other.cache),
            hits: self.hits.or(other.hits),
            same_sequence: self.same_sequence || other.same_sequence,
            searches_depth: self.searches_depth || other.searches_depth,
            began_with: self.began_with.or(other.began_with),
            sums_sections: self.sums_sections || other.sums_sections,
            reads_back: self.reads_back || other.reads_back,
            reads_after: self.reads_after && other.reads_after,
            times_begin_before: self.times_begin_before || other.times_begin_before,
            wide_generator: self.wide_generator || other.wide_generator,
            is_memory: self.is_memory || other.is_memory,
            made_target: self.made_target.or(other.made_target),
        }
    }
}

struct Streams<'s>(&'s [AskedStream]);

impl Streams<'_> {
    /// Value that all of them say, where they say the same.
    fn same<T: PartialEq>(&self, of: impl Fn(&AskedStream) -> Option<T>) -> Option<T> {
        let (first, rest) = self.0.split_first()?;
        let value = of(first)?;
        rest.iter()
            .all(|s| of(s).as_ref() == Some(&value))
            .then_some(value)
    }

    fn sum(&self, of: impl Fn(&AskedStream) -> Option<u64>) -> Option<u64> {
        self.0
            .iter()
            .map(of)
            .try_fold(0_u64, |sum, n| Some(sum.saturating_add(n?)))
    }

    /// The smallest and the largest transfer.
    fn block(&self) -> Option<(Bytes, Bytes)> {
        let mut all: Option<(Bytes, Bytes)> = None;
        for stream in self.0 {
            for size in stream.size.as_ref()?.occurring(&stream.mix?) {
                let (min, max) = all.unwrap_or((size.min(), size.max()));
                all = Some((min.min(size.min()), max.max(size.max())));
            }
        }
        all
    }

    /// Places of the streams, each once; none where one of them is not told.
    fn places(&self) -> Vec<String> {
        let reported: Option<Vec<String>> = self.0.iter().map(|s| s.place.clone()).collect();
        let mut places = reported.unwrap_or_default();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The bytes of all targets together.
    fn bytes(&self) -> Option<Bytes> {
        let mut seen: Vec<&String> = Vec::new();
        let mut sum = 0_u64;
        for stream in self.0 {
            let place = stream.place.as_ref()?;
            if !seen.contains(&place) {
                sum = sum.saturating_add(stream.bytes?.0);
                seen.push(place);
            }
        }
        Some(Bytes(sum)).filter(|b| b.0 > 0)
    }

    fn hits(&self) -> Option<Hits> {
        let hits = self.0.iter().filter_map(|s| s.hits);
        let hits = hits.map(|h| Hits {
            reads: h.read_percent / 100.0,
            writes: h.write_percent / 100.0,
            area: h.area,
        });
        hits.max_by(|a, b| (a.reads + a.writes).total_cmp(&(b.reads + b.writes)))
    }
}

fn is_random(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Random { .. }
        | Pattern::PercentRandom(_)
        | Pattern::PartRandom { .. }
        | Pattern::Runs { .. } => true,
        Pattern::Zones { random, .. } => *random,
        _ => false,
    }
}

fn content(stream: &AskedStream) -> Option<Content> {
    Some(match stream.content.as_ref()? {
        ContentSpec::Unique if stream.reuses => Content::Reused,
        ContentSpec::Unique => Content::Fresh,
        ContentSpec::File(_) => Content::Reused,
        ContentSpec::Zeros => Content::Zeros,
        ContentSpec::Pattern(bytes) if bytes.iter().all(|b| *b == 0) => Content::Zeros,
        ContentSpec::Pattern(_) => Content::Repeating,
        ContentSpec::Reducible { compress, dedupe }
        | ContentSpec::ReduciblePattern {
            compress, dedupe, ..
        }
        | ContentSpec::PartZero {
            compress, dedupe, ..
        } => Content::Reducible {
            dedupe: dedupe.map_or(1.0, |d| d.ratio),
            compression: *compress,
        },
    })
}

/// Load of all streams together, and the rates of reads and of writes, where they have rates of their own.
fn load(asked: &AskedRun) -> (Option<Load>, [Option<Rate>; 2]) {
    let streams = &asked.streams;
    let pace = |arrival: Arrival| match arrival {
        Arrival::Even => Pace::Even,
        Arrival::Exponential | Arrival::Uniform => Pace::Random,
    };
    let rated = |s: &AskedStream| s.rate.is_some() || sides(s).iter().any(Option::is_some);
    let known = |s: &AskedStream| s.rates.is_some() || s.engine.is_none();
    if !streams.iter().all(known) {
        return (None, [None; 2]);
    }
    // One job's caps of reads and of writes.
    let each = match &streams[..] {
        [one] => sides(one),
        _ => [None; 2],
    };
    if streams.iter().any(|s| s.think.is_some() || s.held_back) {
        return (Some(Load::HeldBack), [None; 2]);
    }
    if !streams.iter().any(rated) {
        let load = match &asked.load {
            Some(PlanLoad::Rate { rate, arrival }) => Some(Load::Limited {
                rate: *rate,
                pace: pace(*arrival),
            }),
            Some(PlanLoad::Max | PlanLoad::MaxShared) => Some(Load::Max),
            _ => None,
        };
        return (load, [None; 2]);
    }
    let all: Option<f64> = streams.iter().map(whole).sum();
    let load = match all {
        Some(rate) => Load::Limited {
            rate: Rate(rate),
            pace: pace(streams[0].arrival),
        },
        None => Load::HeldBack,
    };
    (Some(load), each)
}

/// The rates of reads and of writes of a stream that has both or one of them.
fn sides(stream: &AskedStream) -> [Option<Rate>; 2] {
    let (Some([read, write, _]), Some(mix)) = (stream.rates, stream.mix) else {
        return [None; 2];
    };
    [
        read.filter(|_| mix.read > 0.0),
        write.filter(|_| mix.write > 0.0),
    ]
}

/// The rate of a stream, where none of its operations is without one.
fn whole(stream: &AskedStream) -> Option<f64> {
    if let Some(rate) = stream.rate {
        return Some(rate.0);
    }
    let (rates, mix) = (stream.rates?, stream.mix?);
    mix.occurring()
        .map(|(op, _)| rates[op as usize].map(|r| r.0))
        .sum()
}
