//! Drawn command lines of DiskSPD, which runs on Windows only: what its documentation and its parser take and refuse is written down
//! anew in `oracle`, and held against `plimsoll diskspd`'s reader.

mod known;
mod oracle;

use crate::draw::{self, numbers};
use crate::grammar::Grammar;
use oracle::{Cached, Settings};
use plimsoll_dialects::diskspd::{self, model};

/// Command lines that are drawn where nobody says how many.
const DRAWS: u64 = 20_000;

const GRAMMAR: &str = include_str!("grammar.txt");

fn words(grammar: &Grammar, seed: u64) -> Vec<String> {
    let draw = &mut numbers(seed);
    let doubts = draw.of(&[0, 0, 1, 2]);
    let line = grammar.draw("line", draw, doubts);
    line.split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_string)
        .collect()
}

/// Settings that our reader makes of it, in the oracle's words.
fn ours(profile: &model::Profile) -> Settings {
    let span = &profile.spans[0];
    let target = &span.targets[0];
    Settings {
        block: target.block.into(),
        base: target.base,
        max: target.max,
        align: target.align,
        random: target.random_percent.into(),
        interlocked: target.interlocked,
        size: target.file_size,
        times: [span.warmup_s, span.duration_s, span.cooldown_s].map(u64::from),
        threads: target.threads.into(),
        depth: target.requests.into(),
        all_threads: span.thread_count.into(),
        all_depth: span.request_count.into(),
        writes: target.write_percent.into(),
        limit: target.throughput.map(|limit| match limit {
            model::Throughput::Iops(n) => (n.into(), true),
            model::Throughput::BytesPerMs(n) => (n.into(), false),
        }),
        burst: target.burst.into(),
        think: target.think_ms.into(),
        apart: target.thread_stride,
        parallel: target.parallel,
        routines: span.completion_routines,
        unpinned: span.disable_affinity,
        cpus: span.affinity.len(),
        uncached: match target.cache {
            model::Cache::Cached => None,
            model::Cache::DisableOs => Some(Cached::No),
            model::Cache::DisableLocal => Some(Cached::NotHere),
        },
        through: target.write_through,
        mapped: target.mapped,
        flushed: target.flush.is_some(),
        zero: target.zero,
        source: target.source.as_ref().map(|source| source.size),
        ranges: target.distribution.as_ref().map(|of| {
            let ranges = of
                .ranges
                .iter()
                .map(|(percent, reach)| (u64::from(*percent), *reach));
            (of.absolute, ranges.collect())
        }),
        only: profile.profile_only,
    }
}

/// Difference between the two, in words.
fn judge(words: &[String]) -> Option<String> {
    // That it is cached is what goes without saying.
    let said = |settings: Settings| Settings {
        uncached: settings.uncached.filter(|cached| *cached != Cached::Yes),
        ..settings
    };
    match (oracle::read(words).map(said), diskspd::parse_command(words)) {
        (None, Err(_)) => None,
        (None, Ok(_)) => Some("taken, and DiskSPD refuses it".to_string()),
        (Some(_), Err(refusal)) => Some(format!("refused: {refusal}")),
        (Some(theirs), Ok(parsed)) => {
            let ours = ours(&parsed.profile);
            (ours != theirs).then(|| format!("read as {ours:?}\nDiskSPD's is {theirs:?}"))
        }
    }
}

#[test]
fn drawn_command_lines_are_taken_and_refused_as_by_diskspd() {
    let grammar = Grammar::new(GRAMMAR);
    let (mut taken, mut failures) = (0, Vec::new());
    let seeds = draw::seeds(DRAWS);
    let count = (seeds.end - seeds.start) as usize;
    for seed in seeds {
        let words = words(&grammar, seed);
        taken += usize::from(oracle::read(&words).is_some());
        let found = judge(&words).filter(|what| known::reason(&words.join(" "), what).is_none());
        failures.extend(found.map(|what| format!("seed {seed}: {}\n{what}", words.join(" "))));
    }
    assert!(
        taken > count / 10 && taken < count * 9 / 10,
        "{taken} of {count} are taken"
    );
    let shown: Vec<&String> = failures.iter().take(20).collect();
    assert!(
        failures.is_empty(),
        "{} of {count} differ:\n{shown:#?}",
        failures.len()
    );
}
