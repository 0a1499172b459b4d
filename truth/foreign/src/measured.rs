//! What a result measured, in a sentence.

use crate::model::{ForeignResult, Latency, Row, Run, Side, Tool};
use crate::text;
use plimsoll_evidence::wording::plural;
use plimsoll_printable::human;

/// Jobs that began together and ended within this share of the time are one run.
const TOGETHER: f64 = 0.05;

/// Measurement or claim, in a sentence without its full stop: of several runs between which rates.
pub(crate) fn measured(result: &ForeignResult) -> String {
    let verb = match result.tool {
        Tool::Claim => "It is claimed that there were".to_string(),
        tool => format!("{} measured", tool.name()),
    };
    let mut sets: Vec<Vec<&Run>> = Vec::new();
    for run in result.runs.iter().filter(|run| rate(run).is_some()) {
        let group = run.asked.began_with;
        let is_beside = |set: &&mut Vec<&Run>| group.is_some() && set[0].asked.began_with == group;
        match sets.last_mut().filter(is_beside) {
            Some(set) => set.push(run),
            None => sets.push(vec![run]),
        }
    }
    let jobs: usize = sets.iter().map(Vec::len).sum();
    let without = match result.runs.len() - jobs {
        0 => String::new(),
        n => format!(", and {} without a rate", plural(n, "more run")),
    };
    let runs = plural(sets.len(), "run");
    let sums: Option<Vec<Run>> = sets.iter().map(|set| as_one(set)).collect();
    let mut how = String::new();
    let (what, rates) = match (&sums, &sets[..]) {
        (Some(sums), [set]) => {
            let one = of_run(&sums[0]);
            return match set.len() {
                1 => format!("{verb} {one}{without}"),
                n => {
                    let each = between(set.iter().copied());
                    format!("{verb} {one}, by {n} jobs at once ({each} each){without}")
                }
            };
        }
        (Some(sums), [_, ..]) if jobs > sets.len() => {
            how = format!(", by {jobs} jobs in all");
            (runs, between(sums))
        }
        (None, [set]) => {
            how = ", which began together and ended at different times".to_string();
            (plural(set.len(), "job"), between(set.iter().copied()))
        }
        (_, [_, ..]) => (plural(jobs, "run"), between(sets.iter().flatten().copied())),
        (_, []) if result.tool == Tool::Claim => {
            let bytes = result.runs.iter().find_map(|run| run.whole()?.bandwidth);
            let bytes = bytes.map_or_else(String::new, |b| human::bytes(b.0));
            return format!("It is claimed that {bytes} were moved each second");
        }
        (_, []) => {
            let runs = plural(result.runs.len(), "run");
            return format!("{verb} {runs} without a rate of it all");
        }
    };
    match rates.contains(" to ") {
        true => format!("{verb} {what}, from {rates} I/Os per second{how}{without}"),
        false => format!("{verb} {what} of {rates} I/Os per second each{how}{without}"),
    }
}

/// The rate of a run, or of the one direction that was not cut off.
fn rate(run: &Run) -> Option<f64> {
    let row = run.whole()?;
    let sides = [&row.all, &row.reads, &row.writes].into_iter();
    sides.filter_map(|side| side.iops).map(|rate| rate.0).next()
}

/// `281 to 291`, or the one rate of all.
fn between<'r>(runs: impl IntoIterator<Item = &'r Run>) -> String {
    let rates: Vec<f64> = runs.into_iter().filter_map(rate).collect();
    let ends = [f64::min, f64::max].map(|end| rates.iter().copied().reduce(end));
    let [least, most] = ends.map(|end| end.map_or_else(String::new, human::rate));
    match least == most {
        true => least,
        false => format!("{least} to {most}"),
    }
}

/// Jobs that ran at once as one run, whose rates add up; `None` where they ended apart, so that at no time these were the rate.
fn as_one(jobs: &[&Run]) -> Option<Run> {
    let [first, others @ ..] = jobs else {
        return None;
    };
    let mut one = (*first).clone();
    if others.is_empty() {
        return Some(one);
    }
    let rows: Vec<&Row> = jobs.iter().map(|run| run.whole()).collect::<Option<_>>()?;
    let times: Vec<f64> = rows.iter().map(|row| row.seconds).collect::<Option<_>>()?;
    let longest = times.iter().copied().fold(0.0, f64::max);
    if times
        .iter()
        .any(|seconds| *seconds < (1.0 - TOGETHER) * longest)
    {
        return None;
    }
    let is_alike = |run: &&Run| run.asked.block == first.asked.block;
    one.asked.block = one.asked.block.filter(|_| others.iter().all(is_alike));
    let is_alike = |run: &&Run| run.asked.read_share == first.asked.read_share;
    one.asked.read_share = one.asked.read_share.filter(|_| others.iter().all(is_alike));
    let row = one.whole_mut()?;
    row.syncs = Latency::default();
    let of: [fn(&Row) -> &Side; 4] = [
        |row| &row.all,
        |row| &row.reads,
        |row| &row.writes,
        |row| &row.trims,
    ];
    let [all, reads, writes, trims] = of.map(|of| sum(rows.iter().map(|row| of(row))));
    (row.all, row.reads, row.writes, row.trims) = (all, reads, writes, trims);
    Some(one)
}

/// Rate and mean time of several together, as far as all of them tell.
fn sum<'r>(sides: impl Iterator<Item = &'r Side> + Clone) -> Side {
    let rate: Option<f64> = sides.clone().map(|side| Some(side.iops?.0)).sum();
    let mut busy = sides.map(|side| Some(side.iops?.0 * side.latency.mean?.0 as f64));
    let mean = rate
        .zip(busy.by_ref().sum::<Option<f64>>())
        .map(|(rate, busy)| busy / rate);
    Side {
        iops: rate.and_then(text::rate),
        latency: Latency {
            mean: mean.and_then(text::nanos),
            ..Latency::default()
        },
        ..Side::default()
    }
}

/// `41,023 reads per second of 4.00 KiB, at a mean of 389us, for 6s`; of trims beside others each by itself.
fn of_run(run: &Run) -> String {
    let Some(row) = run.whole() else {
        return String::new();
    };
    let size = run.asked.block.filter(|(least, most)| least == most);
    let size = size.map_or(String::new(), |(size, _)| {
        format!(" of {}", human::bytes(size.0))
    });
    let sides = [
        (&row.reads, "reads"),
        (&row.writes, "writes"),
        (&row.trims, "trims"),
    ];
    let parts = sides
        .into_iter()
        .filter(|(side, _)| side.iops.is_some_and(|rate| rate.0 > 0.0));
    let parts: Vec<(&Side, &str)> = parts.collect();
    let of_all = match run.mix() {
        Some(1.0) => "reads",
        Some(0.0) => "writes",
        _ => "I/Os",
    };
    let parts = match &parts[..] {
        [_, .., (_, "trims")] => parts,
        [(_, "trims")] => parts,
        [_] if row.all.iops.is_none() => parts,
        _ => vec![(&row.all, of_all)],
    };
    let parts = parts.into_iter().map(|(side, what)| {
        let rate = side
            .iops
            .map_or_else(String::new, |rate| human::rate(rate.0));
        let mean = side.latency.mean.map_or(String::new(), |mean| {
            format!(", at a mean of {}", human::time_in_text(mean.0 as f64))
        });
        format!("{rate} {what} per second{size}{mean}")
    });
    let parts: Vec<String> = parts.collect();
    // Of a write that waits for its sync, the write alone is the page cache's time.
    let syncs = row.syncs.mean.map_or(String::new(), |mean| {
        let time = human::time_in_text(mean.0 as f64);
        format!(", and {time} for each sync")
    });
    let time = run.counted_s().map_or(String::new(), |s| {
        format!(", for {}", human::time_in_text(s * 1e9))
    });
    format!("{}{syncs}{time}", parts.join(", and "))
}
