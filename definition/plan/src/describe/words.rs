//! The parts of a step in a few words.

use super::DescribedStream;
use super::hosts::until;
use crate::estimate::Written;
use crate::load::{arrival_words, load_words};
use crate::{
    AddressSpec, Bytes, Caching, ContentSpec, DedupeSpec, Distribution, Durability, FileSelect,
    HitPlacement, HotbandMode, IoSource, Making, Pattern, PerFile, Plan, Purpose, RangeSpec,
    Replay, SizeSpec, Step, Stream, Target, Tree,
};
use plimsoll_operation::Op;

/// A size that need not be exact: three digits at most.
pub(super) fn rounded(bytes: Bytes) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut amount = bytes.0 as f64;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    let digits = match amount {
        a if a >= 100.0 || unit == 0 => 0,
        a if a >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{amount:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text} {}", UNITS[unit])
}

/// A tree's numbers, and about how much that is.
pub(super) fn tree(tree: &Tree) -> String {
    match tree.file_count() {
        0 => tree.words(),
        _ => format!("{}, {} when full", tree.words(), rounded(tree.mean_bytes())),
    }
}

pub(super) fn caching(caching: Caching) -> &'static str {
    match caching {
        Caching::Direct => "direct",
        Caching::Buffered => "buffered",
    }
}

pub(super) fn durability(durability: Durability) -> String {
    match durability {
        Durability::None => "none".to_string(),
        Durability::Dsync => "dsync".to_string(),
        Durability::Sync => "sync".to_string(),
        Durability::FsyncEvery(n) => format!("fsync every {n}"),
        Durability::FdatasyncEvery(n) => format!("fdatasync every {n}"),
        Durability::FsyncAtEnd => "fsync at end".to_string(),
        Durability::FsyncAtClose => "fsync at close".to_string(),
    }
}

pub(super) fn load_of(step: &Step) -> String {
    let load = load_words(&step.load);
    match step.throttle_words() {
        Some(held) => format!("{load}, {held}"),
        None => load,
    }
}

/// End of a step that has no time limit: `until 2MiB`, `until it is through`.
pub fn end_words(step: &Step) -> String {
    let mut quotas: Vec<String> = step.streams.iter().map(|s| s.quota.to_string()).collect();
    let each = if quotas.len() > 1 { " each" } else { "" };
    quotas.dedup();
    let end = match (step.purpose, until(&step.limits), &quotas[..]) {
        (Purpose::Fill, ..) => "it is full".to_string(),
        (_, Some(limits), _) => limits,
        (_, None, [quota]) if !quota.is_empty() => format!("{quota}{each}"),
        _ => "it is through".to_string(),
    };
    format!("until {end}")
}

/// I/Os in flight; `found` where the run is to find out how many.
pub(super) fn depth(depth: Option<u64>) -> String {
    depth.map_or_else(|| "found".to_string(), |n| n.to_string())
}

/// A stream's I/Os in flight, marked where no other has these slots.
pub(super) fn stream_depth(stream: &DescribedStream) -> String {
    let mark = if stream.own_depth { " own" } else { "" };
    format!("{}{mark}", depth(stream.depth.map(u64::from)))
}

/// Bytes that a step writes, and that it trims.
pub(super) fn changes(step: &Step, written: Written) -> String {
    let trims = step.streams.iter().any(|stream| stream.mix.trim > 0.0);
    let changes = |stream: &Stream| {
        let mut names = Op::ON_NAMES.into_iter().zip(stream.mix.names.0);
        names.any(|(op, percent)| percent > 0.0 && op.changes_data())
    };
    let bytes = match written {
        Written::Nothing if trims => return "trims".to_string(),
        Written::Nothing if step.streams.iter().any(changes) => return "names".to_string(),
        Written::Nothing => "nothing".to_string(),
        Written::About(bytes) => format!("about {}", rounded(bytes)),
        Written::AtMost(bytes) => format!("at most {}", rounded(bytes)),
        Written::Unknown => "as it goes".to_string(),
    };
    match trims {
        true => format!("{bytes}, and trims"),
        false => bytes,
    }
}

pub(super) fn stream(plan: &Plan, step: &Step, stream: &Stream) -> DescribedStream {
    let target = plan
        .targets
        .get(stream.target.0 as usize)
        .map_or("?", |t| t.name.as_str());
    let on = plan.targets.get(stream.target.0 as usize);
    let is_on_tree = on.is_some_and(|t| t.location.tree().is_some());
    let sharing = step.shares();
    let load = match stream.fixed_rate {
        Some(rate) => rate.to_string(),
        None if sharing > 0.0 => format!("{}%", (1000.0 * stream.share / sharing).round() / 10.0),
        None => "-".to_string(),
    };
    let gaps = stream.arrival.map(|a| arrival_words(a).to_string());
    let held = (!stream.throttle.is_none()).then(|| stream.throttle.to_string());
    let most = (!stream.quota.is_none()).then(|| format!("until {}", stream.quota));
    let load: Vec<String> = [Some(load), gaps, held, most]
        .into_iter()
        .flatten()
        .collect();
    let load = load.join(", ");
    DescribedStream {
        workload: stream.workload.clone(),
        target: target.to_string(),
        depth: Some(step.depth_for(stream)),
        own_depth: stream.depth.is_some(),
        window: (!stream.window.is_whole()).then_some(stream.window),
        mix: match stream.files.makes {
            Some(Making::Missing) => "make what is missing".to_string(),
            Some(Making::Directories) => "make directories that are missing".to_string(),
            Some(Making::DirectoriesAnew) => "delete, and make directories anew".to_string(),
            Some(Making::Deleted) => "delete".to_string(),
            Some(Making::Anew) => "delete and make anew".to_string(),
            None => stream.mix.words() + &into(plan, stream),
        },
        size: sizes(stream),
        address: match &stream.source {
            Some(IoSource::ReadBack(_)) => "as they were written".to_string(),
            Some(IoSource::Replay(replay)) => replayed(replay),
            None if is_on_tree => {
                in_files(stream) + &on.map_or(String::new(), |on| opened(on, stream))
            }
            None => address(&stream.address),
        },
        content: described_content(stream),
        load,
    }
}

/// The tree that it copies and moves into.
fn into(plan: &Plan, stream: &Stream) -> String {
    let to = stream
        .files
        .to
        .and_then(|to| plan.targets.get(to.0 as usize));
    to.map_or(String::new(), |to| format!(" into {}", to.name))
}

/// Opening of a stream on a tree that is opened in several ways, in words; nothing on any other target.
fn opened(on: &Target, stream: &Stream) -> String {
    let own = on.opening(stream);
    match (on.more_openings.is_empty(), own.durability) {
        (true, _) => String::new(),
        (false, Durability::None) => format!(", {}", caching(own.caching)),
        (false, flush) => format!(", {}, {}", caching(own.caching), durability(flush)),
    }
}

/// Which files of a tree a stream takes, and in what order it goes through one.
fn in_files(stream: &Stream) -> String {
    if let Some(rounds) = stream.files.rounds {
        return match rounds {
            1 => "each once".to_string(),
            rounds if rounds >= i64::MAX as u64 => "in order, over and over".to_string(),
            rounds => format!("in order, {rounds} times"),
        };
    }
    let files = match (stream.files.makes, stream.files.select) {
        (Some(_), _) => return "each file once".to_string(),
        (None, FileSelect::Random) => "random files",
        (None, FileSelect::Sequential) => "files in order",
    };
    let files = match stream.files.shares {
        true => format!("{files}, several I/Os on one at once"),
        false => files.to_string(),
    };
    let moves = stream.mix.read + stream.mix.write > 0.0;
    let order = address(&stream.address);
    match (moves, stream.files.per_file) {
        (true, None) => format!("{files}, {order} in each"),
        (true, Some(PerFile::Transfers(count))) => {
            format!("{files}, {order}, {count} transfers in each at a time")
        }
        (true, Some(PerFile::Percent(percent))) => {
            format!("{files}, {order}, {percent}% of each at a time")
        }
        (false, _) => files,
    }
}

/// Where a log's I/Os come from, how many bytes that are, and when.
fn replayed(replay: &Replay) -> String {
    let facts = &replay.facts;
    let when = match (replay.is_timed(), replay.options.at_once) {
        (true, _) => format!("at its times, in {}", facts.length),
        (false, true) => "without its times".to_string(),
        (false, false) => "which has no times".to_string(),
    };
    let syncs = match facts.syncs {
        0 => String::new(),
        1 => ", 1 sync".to_string(),
        n => format!(", {n} syncs"),
    };
    format!(
        "as in {}, {when}: {}{syncs}",
        replay.log.display(),
        Bytes(facts.all_bytes())
    )
}

/// Of operations of different sizes, those that occur.
fn sizes(stream: &Stream) -> String {
    if stream.mix.percents() == [0.0; 3] {
        return "-".to_string();
    }
    if stream.size.occurring(&stream.mix).len() == 1 {
        return size(stream.size.occurring(&stream.mix)[0]);
    }
    let own = stream.size.by_operation();
    let occurring = stream.mix.occurring();
    let words: Vec<String> = occurring
        .filter_map(|(op, _)| Some(format!("{} {}", op.plural(), size(own.get(op as usize)?))))
        .collect();
    words.join("; ")
}

fn size(size: &SizeSpec) -> String {
    match size {
        SizeSpec::ByOperation(_) => size.by_operation().map(self::size).join("; "),
        SizeSpec::Fixed(bytes) => bytes.to_string(),
        SizeSpec::Weighted(list) => list
            .iter()
            .map(|(b, p)| format!("{b} {p}%"))
            .collect::<Vec<_>>()
            .join(", "),
        SizeSpec::Range { min, max, align } => format!("{min} to {max} by {align}"),
    }
}

pub(super) fn address(address: &AddressSpec) -> String {
    let mut text = match &address.pattern {
        Pattern::Random {
            distribution: d,
            coverage,
        } => {
            if *coverage {
                "random, each block once".to_string()
            } else {
                distribution(d)
            }
        }
        Pattern::Sequential {
            once,
            random_start,
            whole,
        } => {
            let once = match (once, whole) {
                (true, true) => ", one pass of whole transfers",
                (true, false) => ", one pass",
                (false, _) => "",
            };
            let start = if *random_start { ", random start" } else { "" };
            format!("sequential{once}{start}")
        }
        Pattern::SequentialEach => "sequential, reads and writes each by themselves".to_string(),
        Pattern::PercentRandom(p) => format!("{p}% random, else sequential"),
        Pattern::PartRandom {
            percent,
            distribution: d,
            whole_runs,
        } => {
            let runs = match whole_runs {
                true => ", each run reads or writes",
                false => "",
            };
            format!("{percent}% {}, else sequential{runs}", distribution(d))
        }
        Pattern::Stride { min, max } if min == max => format!("stride {min}"),
        Pattern::Stride { min, max } => format!("stride {min} to {max}"),
        Pattern::Backward { step } => format!("backwards by {step}"),
        Pattern::Zones {
            size,
            range,
            skip,
            random,
        } => {
            let order = if *random { "random" } else { "sequential" };
            format!("{size} in each zone of {range}, {order}, {skip} apart")
        }
        Pattern::Runs { ios, repeat: false } => format!("random, {ios} I/Os in a row"),
        Pattern::Runs { ios, repeat: true } => format!("random, {ios} times each"),
        Pattern::Streams(n) => format!("{n} sequential streams"),
    };
    match address.range {
        RangeSpec::Whole => {}
        RangeSpec::Percent(from, to) => text.push_str(&format!(", {from}%-{to}%")),
        RangeSpec::Bytes(from, to) => text.push_str(&format!(", {from}-{to}")),
        RangeSpec::Clipped { from, until, ahead } => {
            if from > Bytes(0) || until.is_some() {
                let until = until.map_or("the end".to_string(), |until| until.to_string());
                text.push_str(&format!(", {from}-{until}"));
            }
            if ahead > Bytes(0) {
                text.push_str(&format!(", from {ahead} on"));
            }
        }
    }
    if let Some(hits) = &address.hits {
        let place = match hits.placement {
            HitPlacement::Contiguous => "in one piece".to_string(),
            HitPlacement::Scattered => "scattered".to_string(),
            HitPlacement::Sliced(slice) => format!("over {slice} slices"),
        };
        let parts = [(hits.read_percent, "reads"), (hits.write_percent, "writes")];
        let who: Vec<String> = parts
            .iter()
            .filter(|(p, _)| *p > 0.0)
            .map(|(p, w)| format!("{p}% of {w}"))
            .collect();
        text.push_str(&format!(", {} in {} {place}", who.join(" and "), hits.area));
    }
    text
}

fn distribution(distribution: &Distribution) -> String {
    match distribution {
        Distribution::Uniform => "random".to_string(),
        Distribution::Zipf(s) => format!("random, zipf {s}"),
        Distribution::Pareto(h) => format!("random, pareto {h}"),
        Distribution::Normal(d) => format!("random, normal {d}%"),
        Distribution::Zoned(zones) => format!("random, {} zones", zones.len()),
        Distribution::Hotband(HotbandMode::Observed) => "random, hotband as observed".to_string(),
        Distribution::Hotband(HotbandMode::Corrected) => "random, hotband".to_string(),
        Distribution::Poisson(m) => format!("random, poisson {m}"),
    }
}

/// What is written, and how it and what is read is verified.
fn described_content(stream: &Stream) -> Option<String> {
    let written = (stream.mix.write > 0.0).then(|| content(&stream.content));
    let verified = stream.verify.as_ref().map(|v| format!("verified by {v}"));
    let parts: Vec<String> = written.into_iter().chain(verified).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn content(content: &ContentSpec) -> String {
    match content {
        ContentSpec::Unique => "unique".to_string(),
        ContentSpec::Zeros => "zeros".to_string(),
        ContentSpec::Pattern(bytes) => format!("a pattern of {} bytes", bytes.len()),
        ContentSpec::File(path) => format!("from {}", path.display()),
        ContentSpec::Reducible { compress, dedupe } => ratios(*compress, dedupe.as_ref()),
        ContentSpec::ReduciblePattern {
            pattern,
            compress,
            dedupe,
        } => format!(
            "{}, with a pattern of {} bytes",
            ratios(*compress, dedupe.as_ref()),
            pattern.len()
        ),
        ContentSpec::PartZero {
            zeros,
            compress,
            dedupe,
        } => format!(
            "{zeros} % zeros by {}, {}",
            crate::zero_unit(dedupe.as_ref()),
            ratios(*compress, dedupe.as_ref())
        ),
    }
}

fn ratios(compress: f64, dedupe: Option<&DedupeSpec>) -> String {
    match dedupe {
        Some(d) => format!("compress {compress}, dedupe {} by {}", d.ratio, d.unit),
        None => format!("compress {compress}"),
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;
    use crate::Bytes;

    #[test]
    fn sizes_are_rounded_to_three_digits() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1 << 10, "1 KiB"),
            (1_610_612_736, "1.5 GiB"),
            (u64::MAX, "16384 PiB"),
        ] {
            assert_eq!(rounded(Bytes(bytes)), text);
        }
    }
}
