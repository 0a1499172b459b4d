//! Every figure of a fingerprint against what drawn arrays truly are, of the lab and of other makes.

use crate::bench::{self, Print};
use crate::drawn;
use crate::foreign::{self, Dealing, Shape, cache::Policy};
use plimsoll_evidence::Quantity;
use std::collections::BTreeMap;

/// Outcome of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    Right,
    Unknown,
    Wrong,
}

/// Of each figure how many were right, not identifiable, and wrong.
#[derive(Debug, Default)]
pub struct Tally {
    counts: BTreeMap<&'static str, [usize; 3]>,
    /// Of I/O, of each array.
    seconds: Vec<f64>,
}

impl Tally {
    fn count(&mut self, name: &'static str, hit: Hit, seed: u64, found: &str, truth: &str) {
        self.counts.entry(name).or_default()[hit as usize] += 1;
        match hit {
            Hit::Right => {}
            Hit::Unknown => println!("UNKNOWN {seed} {name}: {found}, is {truth}"),
            Hit::Wrong => println!("WRONG {seed} {name}: found {found}, is {truth}"),
        }
    }

    /// A number that has to be met exactly; `None`: there is none.
    fn exact(&mut self, print: &Print, name: &'static str, seed: u64, truth: Option<u64>) {
        let found = print.bytes(name);
        let hit = match (found, truth) {
            (None, None) => Hit::Right,
            (None, Some(_)) => Hit::Unknown,
            (found, truth) if found == truth => Hit::Right,
            _ => Hit::Wrong,
        };
        self.count(name, hit, seed, &show(print, name), &format!("{truth:?}"));
    }

    /// A size that has to be in its interval, or within 15 %.
    fn near(&mut self, print: &Print, name: &'static str, seed: u64, truth: Option<u64>) {
        let figure = print.figure(name);
        let hit = match (print.bytes(name), truth) {
            (None, None) => Hit::Right,
            (None, Some(_)) => Hit::Unknown,
            (Some(_), None) => Hit::Wrong,
            (Some(found), Some(truth)) => {
                let (low, high) = figure.interval.unwrap_or_default();
                let inside = (low..=high).contains(&(truth as f64));
                let off = (found as f64 / truth as f64 - 1.0).abs();
                match inside || off < 0.15 {
                    true => Hit::Right,
                    false => Hit::Wrong,
                }
            }
        };
        self.count(name, hit, seed, &show(print, name), &format!("{truth:?}"));
    }

    /// Something that is seen, or not; `truth`: whether it is there.
    fn seen(&mut self, print: &Print, name: &'static str, seed: u64, truth: bool) {
        let hit = match (print.quantity(name).is_some(), truth) {
            (true, true) | (false, false) => Hit::Right,
            (false, true) => Hit::Unknown,
            (true, false) => Hit::Wrong,
        };
        self.count(name, hit, seed, &show(print, name), &format!("{truth}"));
    }

    fn word(&mut self, print: &Print, name: &'static str, seed: u64, truth: Option<&str>) {
        let hit = match (print.quantity(name), truth) {
            (None, None) => Hit::Right,
            (None, Some(_)) => Hit::Unknown,
            (Some(Quantity::Text(found)), Some(truth)) if found == truth => Hit::Right,
            _ => Hit::Wrong,
        };
        self.count(name, hit, seed, &show(print, name), &format!("{truth:?}"));
    }

    fn interval(&mut self, print: &Print, name: &'static str, seed: u64, truth: f64) {
        let figure = print.figure(name);
        let hit = match figure.interval {
            None => Hit::Unknown,
            Some((low, high)) if (low..=high).contains(&truth) => Hit::Right,
            Some(_) => Hit::Wrong,
        };
        self.count(name, hit, seed, &show(print, name), &format!("{truth:.3}"));
    }

    /// The most that were wrong, of any figure, as a share of all.
    pub fn worst(&self) -> f64 {
        let share = |n: &[usize; 3]| n[2] as f64 / n.iter().sum::<usize>().max(1) as f64;
        self.counts.values().map(share).fold(0.0, f64::max)
    }

    pub fn print(&self) {
        for (name, [right, unknown, wrong]) in &self.counts {
            println!("| `{name}` | {right} | {unknown} | {wrong} |");
        }
        let mean = self.seconds.iter().sum::<f64>() / self.seconds.len().max(1) as f64;
        let most = self.seconds.iter().copied().fold(0.0, f64::max);
        println!("{mean:.0} s of I/O on average, {most:.0} s at most");
    }
}

fn show(print: &Print, name: &str) -> String {
    let figure = print.figure(name);
    format!(
        "{:?} {:?} {}",
        figure.quantity,
        figure.interval,
        figure.remark.as_deref().unwrap_or("")
    )
}

/// An array of the lab, by the persona that it was made of.
pub fn lab(seed: u64, tally: &mut Tally) {
    let (truth, persona, journal) = drawn::whole(seed);
    let print = bench::take(&persona, truth.noise, seed, writes());
    tally.seconds.push(print.seconds);
    line(seed, &print);
    tally.exact(&print, "slice_bytes", seed, Some(truth.slice));
    tally.exact(&print, "owners", seed, Some(truth.owners));
    if print.bytes("owners") == Some(truth.owners) {
        tally.interval(&print, "owner_share", seed, truth.share);
    }
    tally.near(&print, "cache_bytes", seed, truth.cache);
    tally.exact(&print, "cache_line_bytes", seed, truth.cache.map(|_| 4096));
    tally.word(
        &print,
        "cache_policy",
        seed,
        truth.cache.map(|_| "oldest-goes"),
    );
    tally.word(
        &print,
        "cache_writes",
        seed,
        truth.cache.map(|_| "not-filled"),
    );
    tally.near(&print, "journal_bytes", seed, journal);
    tally.word(&print, "write_policy", seed, Some("write-back"));
    // The model reads nothing ahead, and its time does not depend on what it compresses.
    tally.seen(&print, "read_ahead", seed, false);
    // Zeros are duplicates of each other.
    tally.seen(&print, "zeros", seed, truth.zeros || truth.dedupe);
    tally.seen(&print, "duplicates", seed, truth.dedupe);
    tally.seen(&print, "compressible", seed, false);
    tally.exact(
        &print,
        "zeros_grain_bytes",
        seed,
        (truth.zeros || truth.dedupe).then_some(4096),
    );
    tally.exact(
        &print,
        "duplicates_grain_bytes",
        seed,
        truth.dedupe.then_some(4096),
    );
    tally.exact(&print, "alignment_bytes", seed, Some(4096));
}

/// An array of another make.
pub fn other(seed: u64, tally: &mut Tally) {
    of_foreign(&foreign::array(seed), seed, tally);
}

/// The same where owners take no turns, or not all of them.
pub fn strange(seed: u64, tally: &mut Tally) {
    of_foreign(&foreign::strange(seed), seed, tally);
}

fn of_foreign(shape: &Shape, seed: u64, tally: &mut Tally) {
    let print = bench::take_foreign(shape, seed, writes());
    tally.seconds.push(print.seconds);
    line(seed, &print);
    let dealt = shape.dealing == Dealing::Turns && shape.owners > 1 && shape.share > 0.0;
    let equal = shape.speeds.iter().all(|s| *s == shape.speeds[0]);
    // Where they take no turns there are slices and owners all the same.
    let bound = shape.owners > 1 && shape.share > 0.0;
    tally.exact(&print, "slice_bytes", seed, bound.then_some(shape.slice));
    tally.exact(&print, "owners", seed, bound.then_some(shape.owners));
    if dealt && equal && print.bytes("owners") == Some(shape.owners) {
        tally.interval(&print, "owner_share", seed, shape.share);
    }
    of_cache(seed, shape, &print, tally);
    tally.near(
        &print,
        "journal_bytes",
        seed,
        shape.journal.map(|j| j.bytes),
    );
    tally.word(
        &print,
        "write_policy",
        seed,
        shape.journal.map(|_| "write-back"),
    );
    tally.seen(&print, "read_ahead", seed, shape.ahead);
    let any = [shape.zeros, shape.duplicates, shape.compressible];
    let grain = |all: &[Option<foreign::Treated>]| all.iter().flatten().map(|t| t.grain).min();
    for (name, grained, kinds) in [
        ("zeros", "zeros_grain_bytes", &any[..]),
        ("duplicates", "duplicates_grain_bytes", &any[1..2]),
        ("compressible", "compressible_grain_bytes", &any[2..]),
    ] {
        tally.seen(&print, name, seed, grain(kinds).is_some());
        tally.exact(&print, grained, seed, grain(kinds));
    }
    tally.exact(
        &print,
        "alignment_bytes",
        seed,
        (shape.unit > 0).then_some(shape.unit),
    );
    paths(seed, shape, &print, tally);
}

fn of_cache(seed: u64, shape: &Shape, print: &Print, tally: &mut Tally) {
    let cache = shape.cache;
    // A cache of more lines is as good as one of whole lines.
    tally.near(print, "cache_bytes", seed, cache.map(|c| c.bytes));
    tally.exact(print, "cache_line_bytes", seed, cache.map(|c| c.line));
    let policy = cache.map(|c| match c.policy {
        // No word is said of it: it is not told.
        Policy::Random => "any-goes",
        // A loop over twice the cache is longer than what its list remembers.
        Policy::Lru | Policy::Fifo | Policy::TwoQueues => "oldest-goes",
    });
    tally.word(print, "cache_policy", seed, policy);
    let fills = cache.map(|c| if c.allocates { "filled" } else { "not-filled" });
    tally.word(print, "cache_writes", seed, fills);
}

fn paths(seed: u64, shape: &Shape, print: &Print, tally: &mut Tally) {
    let extra = |least: bool| {
        let all = shape.paths.iter().map(|p| p.extra_ns);
        all.fold(
            if least { f64::MAX } else { 0.0 },
            if least { f64::min } else { f64::max },
        )
    };
    let differ = extra(false) > extra(true);
    let figure = print.figure("path_asymmetry");
    let remark = figure.remark.as_deref().unwrap_or("");
    let hit = match (shape.paths.len(), &figure.quantity) {
        (1, None) => Hit::Right,
        (_, None) => Hit::Unknown,
        (1, Some(_)) => Hit::Wrong,
        _ if remark.contains("alike") != differ => Hit::Right,
        // Within 10 % of a read's time it is what the remark says.
        _ if differ && extra(false) - extra(true) < 0.1 * read_ns(shape) => Hit::Right,
        _ => Hit::Wrong,
    };
    tally.count(
        "path_asymmetry",
        hit,
        seed,
        &show(print, "path_asymmetry"),
        &format!("{differ}"),
    );
}

/// About how long a read takes that nobody waits for, ns.
fn read_ns(shape: &Shape) -> f64 {
    shape.fixed_ns + shape.cost_ns + shape.media_ns + shape.slow_share * shape.slow_ns
}

/// True where probes may write; `PLIMSOLL_READS` says that they may not.
fn writes() -> bool {
    std::env::var_os("PLIMSOLL_READS").is_none()
}

fn line(seed: u64, print: &Print) {
    assert!(print.seconds <= 300.0, "{seed}: {} s", print.seconds);
    println!(
        "{seed:5} {:4} probes {:5.1} s {} {}",
        print.probes,
        print.seconds,
        print.verdict.class,
        if print.verdict.decided { "" } else { "CUT" }
    );
}

/// The tables in the documentation. `PLIMSOLL_DRAWN=1000-1100` draws others, `PLIMSOLL_MAKE=lab`, `other` or
/// `strange` one make, and `PLIMSOLL_READS=1` allows no writes.
#[test]
#[ignore = "takes minutes"]
fn every_figure_of_drawn_arrays() {
    let text = std::env::var("PLIMSOLL_DRAWN").unwrap_or("1-21".into());
    let (from, to) = text.split_once('-').expect("FROM-TO");
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    let make = std::env::var("PLIMSOLL_MAKE").unwrap_or_default();
    type Make = (&'static str, fn(u64, &mut Tally));
    let makes: [Make; 3] = [("lab", lab), ("other", other), ("strange", strange)];
    for (name, look) in makes.into_iter().filter(|m| make.is_empty() || m.0 == make) {
        let mut tally = Tally::default();
        for seed in from..to {
            look(seed, &mut tally);
            if (seed + 1 - from).is_multiple_of(20) || seed + 1 == to {
                println!("{name}, {} arrays:", seed + 1 - from);
                tally.print();
            }
        }
        assert!(tally.worst() <= 0.02 || to - from < 50, "{name}");
    }
}
