//! What the I/O of a stream looks like, as the keys of the language.

use super::plain;
use crate::convert::toml::{rate, size, size_word, table, text, time, whole};
use plimsoll_plan::{
    AddressSpec, Arrival, Bytes, ContentSpec, DedupePlacement, DedupeSpec, Distribution,
    HitPlacement, HitSpec, HotbandMode, Mix, Pattern, RangeSpec, Rate, SizeSpec, Stream, TargetId,
};

/// A key and its value; `None` where it is left out, and no value says so.
pub(super) type Setting = (&'static str, Option<String>);

/// All settings of a stream, defaults too, in the order of the language's keys. A most per second is that of all `parts` streams of its workload.
pub(super) fn settings(stream: &Stream, parts: usize) -> Vec<Setting> {
    // Where operations are given one by one, or a tree is made, nobody asks for a percentage of reads.
    let mix = match stream.mix.names.is_none() && stream.files.makes.is_none() {
        true => stream.mix,
        false => Mix::READS,
    };
    let mut all = vec![
        ("read", Some(plain(mix.read))),
        ("trim", Some(plain(mix.trim))),
    ];
    all.extend(blocks(&stream.size));
    let (access, distribution) = order(&stream.address);
    all.push(("access", Some(access)));
    all.push(("distribution", Some(distribution)));
    all.push(("range", range(&stream.address.range)));
    all.push(("hits", Some(stream.address.hits.map_or(text("none"), hits))));
    all.push(("content", Some(content(&stream.content))));
    let throttle = &stream.throttle;
    let think = throttle.think;
    all.push(("think", Some(think.map_or(text("none"), |t| time(t.time)))));
    let every = think.map_or(1, |t| t.every);
    all.push(("think_every", Some(whole(u64::from(every)))));
    let spread = think.map_or(Arrival::Even, |t| t.spread);
    all.push(("think_distribution", Some(arrival(spread))));
    let most = throttle.max_rate.map(|r| Rate(r.0 * parts as f64));
    all.push(("max_rate", Some(most.map_or(text("none"), rate))));
    let most = throttle.max_bandwidth;
    let most = most.map(|b| Bytes(b.0.saturating_mul(parts as u64)));
    all.push(("max_bandwidth", Some(most.map_or(text("none"), size))));
    all
}

/// The settings of a workload that nobody says anything of.
pub(super) fn defaults() -> Vec<Setting> {
    let address = AddressSpec::whole(Pattern::RANDOM);
    let block = SizeSpec::Fixed(Bytes(4096));
    settings(&Stream::new("", TargetId(0), Mix::READS, block, address), 1)
}

/// The gaps between one thing and the next.
pub(super) fn arrival(arrival: Arrival) -> String {
    text(match arrival {
        Arrival::Exponential => "exponential",
        Arrival::Uniform => "uniform",
        Arrival::Even => "even",
    })
}

fn blocks(sizes: &SizeSpec) -> [Setting; 4] {
    let keys = ["read_block", "write_block", "trim_block"];
    match sizes {
        SizeSpec::ByOperation(_) => {
            let [read, write, trim] = sizes.by_operation().map(block);
            [
                ("block", Some(read)),
                (keys[0], None),
                (keys[1], Some(write)),
                (keys[2], Some(trim)),
            ]
        }
        same => [
            ("block", Some(block(same))),
            (keys[0], None),
            (keys[1], None),
            (keys[2], None),
        ],
    }
}

pub(super) fn block(spec: &SizeSpec) -> String {
    match spec {
        SizeSpec::Fixed(bytes) => size(*bytes),
        SizeSpec::Range { min, max, align } if min == align => {
            text(&format!("{}-{}", size_word(*min), size_word(*max)))
        }
        SizeSpec::Range { min, max, align } => table([
            ("from", size(*min)),
            ("to", size(*max)),
            ("step", size(*align)),
        ]),
        SizeSpec::Weighted(parts) => weighted(parts),
        SizeSpec::ByOperation(own) => block(&own.read),
    }
}

/// Sizes with their percentages. One that comes twice is written in another unit the second time, for a table has each name once.
fn weighted(parts: &[(Bytes, f64)]) -> String {
    let mut names: Vec<String> = Vec::new();
    for (bytes, _) in parts {
        let zeros = (0..).map(|n| format!("{}{}", "0".repeat(n), bytes.0));
        let mut ways = std::iter::once(size_word(*bytes)).chain(zeros);
        let free = ways.find(|way| !names.contains(way));
        names.extend(free);
    }
    let percents = parts.iter().map(|(_, percent)| plain(*percent));
    table(names.iter().map(String::as_str).zip(percents))
}

/// The order of addresses, and the distribution.
fn order(address: &AddressSpec) -> (String, String) {
    let uniform = || text("uniform");
    match &address.pattern {
        Pattern::Random {
            distribution: from,
            coverage,
        } => {
            let word = if *coverage { "coverage" } else { "random" };
            (text(word), distribution(from))
        }
        Pattern::Sequential {
            once,
            random_start,
            whole,
        } => {
            let words = [
                (*once, "once"),
                (*whole, "whole"),
                (*random_start, "random_start"),
            ];
            let given: Vec<&str> = words.iter().filter(|w| w.0).map(|w| w.1).collect();
            let access = match given.is_empty() {
                true => text("sequential"),
                false => table([("sequential", text(&given.join(" ")))]),
            };
            (access, uniform())
        }
        Pattern::SequentialEach => (table([("sequential", text("each"))]), uniform()),
        Pattern::PercentRandom(percent) => {
            (table([("percent_random", plain(*percent))]), uniform())
        }
        Pattern::PartRandom {
            percent,
            distribution: from,
            whole_runs,
        } => {
            let value = match (whole_runs, from) {
                (true, _) => text(&format!("{} whole_runs", plain(*percent))),
                (false, Distribution::Uniform) => text(&format!("{} anywhere", plain(*percent))),
                (false, _) => plain(*percent),
            };
            (table([("percent_random", value)]), distribution(from))
        }
        Pattern::Stride { min, max } if min == max => (table([("stride", size(*min))]), uniform()),
        Pattern::Stride { min, max } => {
            let gap = format!("{}-{}", size_word(*min), size_word(*max));
            (table([("stride", text(&gap))]), uniform())
        }
        Pattern::Backward { step } => (table([("backward", size(*step))]), uniform()),
        Pattern::Zones {
            size: moved,
            range,
            skip,
            random,
        } => {
            let sizes = [moved, range, skip]
                .map(|bytes| size_word(*bytes))
                .join(" ");
            let word = if *random { " random" } else { "" };
            let zones = text(&format!("{sizes}{word}"));
            (table([("zones", zones)]), uniform())
        }
        Pattern::Runs { ios, repeat } => {
            let word = if *repeat { " repeat" } else { "" };
            (table([("runs", text(&format!("{ios}{word}")))]), uniform())
        }
        Pattern::Streams(n) => (table([("streams", whole(u64::from(*n)))]), uniform()),
    }
}

fn distribution(of: &Distribution) -> String {
    match of {
        Distribution::Uniform => text("uniform"),
        Distribution::Zipf(theta) => table([("zipf", plain(*theta))]),
        Distribution::Pareto(h) => table([("pareto", plain(*h))]),
        Distribution::Normal(deviation) => table([("normal", plain(*deviation))]),
        Distribution::Zoned(zones) => {
            let zone = |(access, part): &(f64, f64)| format!("{}:{}", plain(*access), plain(*part));
            let zones: Vec<String> = zones.iter().map(zone).collect();
            table([("zoned", text(&zones.join(" ")))])
        }
        Distribution::Hotband(mode) => {
            let mode = match mode {
                HotbandMode::Observed => "observed",
                HotbandMode::Corrected => "corrected",
            };
            table([("hotband", text(mode))])
        }
        Distribution::Poisson(midpoint) => table([("poisson", plain(*midpoint))]),
    }
}

fn range(range: &RangeSpec) -> Option<String> {
    match range {
        RangeSpec::Whole => None,
        RangeSpec::Percent(from, to) => Some(text(&format!("{}%-{}%", plain(*from), plain(*to)))),
        RangeSpec::Bytes(from, to) => {
            Some(text(&format!("{}-{}", size_word(*from), size_word(*to))))
        }
        RangeSpec::Clipped { from, until, ahead } => {
            let mut parts = Vec::new();
            if from.0 > 0 {
                parts.push(("from", size(*from)));
            }
            parts.push(("until", until.map_or(text("end"), size)));
            if ahead.0 > 0 {
                parts.push(("ahead", size(*ahead)));
            }
            Some(table(parts))
        }
    }
}

fn hits(hits: HitSpec) -> String {
    let mut parts = vec![
        ("read", plain(hits.read_percent)),
        ("write", plain(hits.write_percent)),
        ("area", size(hits.area)),
    ];
    match hits.placement {
        HitPlacement::Scattered => {}
        HitPlacement::Contiguous => parts.push(("placement", text("contiguous"))),
        HitPlacement::Sliced(slice) => parts.push(("slice", size(slice))),
    }
    table(parts)
}

fn content(content: &ContentSpec) -> String {
    match content {
        ContentSpec::Unique => text("unique"),
        ContentSpec::Zeros => text("zeros"),
        ContentSpec::Pattern(bytes) => table([("pattern", pattern(bytes))]),
        ContentSpec::File(path) => table([("file", text(&path.display().to_string()))]),
        ContentSpec::ReduciblePattern {
            pattern: bytes,
            compress,
            dedupe,
        } => {
            let mut parts = vec![("pattern", pattern(bytes)), ("compress", plain(*compress))];
            parts.extend(dedupe.iter().flat_map(duplicates));
            table(parts)
        }
        ContentSpec::Reducible { compress, dedupe } => {
            let mut parts = Vec::new();
            if *compress != 1.0 || dedupe.is_none() {
                parts.push(("compress", plain(*compress)));
            }
            parts.extend(dedupe.iter().flat_map(duplicates));
            table(parts)
        }
        ContentSpec::PartZero {
            zeros,
            compress,
            dedupe,
        } => {
            let mut parts = vec![("zeros", plain(*zeros))];
            if *compress != 1.0 {
                parts.push(("compress", plain(*compress)));
            }
            parts.extend(dedupe.iter().flat_map(duplicates));
            table(parts)
        }
    }
}

fn duplicates(spec: &DedupeSpec) -> Vec<(&'static str, String)> {
    let DedupeSpec {
        ratio,
        unit,
        sets,
        flip_flop,
        placement,
    } = spec;
    let mut parts = vec![("dedupe", plain(*ratio))];
    if unit.0 != 4096 {
        parts.push(("unit", size(*unit)));
    }
    if let Some(sets) = sets {
        parts.push(("sets", whole(*sets)));
    }
    if *flip_flop {
        parts.push(("flip_flop", "true".to_string()));
    }
    if *placement == DedupePlacement::Runs {
        parts.push(("placement", text("runs")));
    }
    parts
}

/// A text where it is one that reads back as these bytes, else hexadecimal digits.
pub(super) fn pattern(bytes: &[u8]) -> String {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || b" _-.:".contains(b);
    match std::str::from_utf8(bytes) {
        Ok(word) if !word.starts_with("0x") && bytes.iter().all(is_word) && word.trim() == word => {
            text(word)
        }
        _ => {
            let digits: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            text(&format!("0x{digits}"))
        }
    }
}
