//! Counts of jobs, hosts, targets and I/Os, and of which each.

use super::amount::{Unit, amount, number, word, words};
use super::fact::{Fact, Per};
use super::factor::{HOSTS, JOBS, TARGETS};
use super::token::Token;

/// `4 hosts`, `8 jobs`, `32 outstanding`, `320 in flight`.
pub(super) fn counted(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let n = number(tokens, at)?.value.round() as u64;
    let name = word(tokens, at + 1)?;
    let is = |known: &[&str]| known.contains(&name.as_str());
    let (per, end) = per(tokens, at + 2);
    if is(&JOBS) {
        return Some((Fact::Jobs(n, per), end));
    }
    if is(&HOSTS) {
        return Some((Fact::Hosts(n), at + 2));
    }
    if is(&TARGETS) {
        return Some((Fact::Targets(n), at + 2));
    }
    let is_alone = || amount(tokens, at + 2).is_none_or(|a| a.unit != Unit::Bare);
    if is(&["qd"]) && is_alone() {
        return Some((Fact::Depth(n, per), end));
    }
    if is(&["port", "ports", "link", "links"]) {
        return Some((Fact::PortCount(n, per.is_each_host()), end));
    }
    let ios = [
        &["ios"][..],
        &["io"],
        &["i", "/", "os"],
        &["i", "/", "o"],
        &["requests"],
    ];
    let skipped = ios
        .iter()
        .find_map(|w| words(tokens, at + 1, w))
        .unwrap_or(0);
    let next = at + 1 + skipped;
    let out = [&["in", "flight"][..], &["outstanding"], &["oio"], &["oios"]];
    if let Some(length) = out.iter().find_map(|w| words(tokens, next, w)) {
        let mut next = next + length;
        for again in [&["ios"][..], &["i", "/", "os"], &["io"]] {
            next += words(tokens, next, again).unwrap_or(0);
        }
        let (per, end) = self::per(tokens, next);
        let is_factor = at > 0 && is_times(tokens, at - 1) || is_times(tokens, end);
        return Some(match per {
            Per::Unsaid | Per::All if !is_factor => (Fact::Total(n), end),
            Per::Job => (Fact::Depth(n, Per::Unsaid), end),
            _ => (Fact::Depth(n, per), end),
        });
    }
    (name == "deep").then_some((Fact::Depth(n, per), end))
}

/// Of each of which a rate is whose words end before this place: `50k IOPS per VM`, `66k IOPS on each of 4 hosts`.
pub(super) fn per_rate(tokens: &[Token], at: usize) -> Option<(Per, usize)> {
    let (per, end) = per(tokens, at);
    let is_each = || (at..end).any(|at| words(tokens, at, &["each"]).is_some());
    let is_told = !matches!(per, Per::Unsaid | Per::All) && (per != Per::Each || is_each());
    is_told.then_some((per, end))
}

impl Per {
    /// True of ports that each host has, whether or not hosts are named.
    pub(super) fn is_each_host(self) -> bool {
        matches!(self, Per::Host | Per::Each)
    }
}

/// Whether a sign of multiplication stands at a place: `20 threads x 8 outstanding`.
fn is_times(tokens: &[Token], at: usize) -> bool {
    ["x", "×", "*"]
        .iter()
        .any(|sign| words(tokens, at, &[sign]).is_some())
}

/// Each of which a count is: `per host`, `on each LUN`, `in all`.
pub(super) fn per(tokens: &[Token], at: usize) -> (Per, usize) {
    let mut next = at;
    for filler in [&["on"][..], &["for"], &["from"]] {
        next += words(tokens, next, filler).unwrap_or(0);
    }
    for all in [
        &["in", "all"][..],
        &["in", "total"],
        &["total"],
        &["altogether"],
        &["overall"],
    ] {
        if let Some(length) = words(tokens, next, all) {
            return (Per::All, next + length);
        }
    }
    let is_told = |w: &str| {
        [&HOSTS[..], &TARGETS, &JOBS]
            .iter()
            .any(|all| all.contains(&w))
    };
    let behind = word(tokens, next + 1);
    let slash = words(tokens, next, &["/"]).filter(|_| behind.is_some_and(|w| is_told(&w)));
    let length = words(tokens, next, &["per"]).or(words(tokens, next, &["each"]));
    let Some(length) = length.or(slash) else {
        return (Per::Unsaid, at);
    };
    match word(tokens, next + length) {
        Some(w) if HOSTS.contains(&w.as_str()) => (Per::Host, next + length + 1),
        Some(w) if TARGETS.contains(&w.as_str()) => (Per::Target, next + length + 1),
        Some(w) if JOBS.contains(&w.as_str()) => (Per::Job, next + length + 1),
        Some(w)
            if matches!(
                w.as_str(),
                "volume" | "device" | "disk" | "drive" | "target" | "file"
            ) =>
        {
            (Per::Target, next + length + 1)
        }
        _ => (Per::Each, next + length),
    }
}
