//! Times, and which of an I/O's times they are.

use super::amount::{Amount, Unit, amount, number, word, words};
use super::fact::{Fact, Of, behind_link, direction, rounded};
use super::token::{Token, TokenKind};
use super::vocabulary::{is_filler, is_known};

/// `p99 = 4 ms`, `99th percentile of 4 ms`, `99.9% < 4 ms`, `max 12 ms`.
pub(super) fn percentile(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let (of, next) = label(tokens, at)?;
    let mut next = next;
    for filler in ["latency", "response", "time", "service"] {
        next += words(tokens, next, &[filler]).unwrap_or(0);
    }
    let at = behind_link(tokens, next);
    let time = amount(tokens, at).filter(|a| a.unit == Unit::Time)?;
    let of = match of {
        Of::Mean if is_bound(tokens, at) => Of::NotOfAll,
        of => of,
    };
    Some((Fact::Time(of, rounded(&time)), time.next))
}

/// Of which time the next one is, or the last one was.
pub(super) fn label(tokens: &[Token], at: usize) -> Option<(Of, usize)> {
    if let Some(length) = words(tokens, at, &["p"]) {
        let q = number(tokens, at + length).filter(|n| n.value < 100.0)?;
        return Some((Of::Quantile(q.value / 100.0), at + length + 1));
    }
    if let Some(q) = number(tokens, at).filter(|n| n.value < 100.0) {
        let is = |all: &[&str]| words(tokens, at + 1, all);
        let mut length = is(&["th"])
            .or(is(&["%", "ile"]))
            .or(is(&["%"]).filter(|_| q.value > 50.0))?;
        length += words(tokens, at + 1 + length, &["percentile"]).unwrap_or(0);
        return Some((Of::Quantile(q.value / 100.0), at + 1 + length));
    }
    let of = match word(tokens, at)?.as_str() {
        "avg" | "average" | "mean" => Of::Mean,
        "median" => Of::Quantile(0.5),
        "max" | "maximum" | "worst" => Of::Max,
        "min" | "minimum" | "best" => Of::Min,
        "sd" | "stddev" | "stdev" => Of::Deviation,
        _ => return None,
    };
    Some((of, at + 1))
}

/// True where the time at a place is a bound: `< 1 ms`, `under 1 ms`, `up to 1 ms`, or the end of `0.5-0.7 ms`.
pub(super) fn is_bound(tokens: &[Token], at: usize) -> bool {
    let ends_with = |all: &[&str]| {
        let begin = at.checked_sub(all.len());
        begin.is_some_and(|begin| words(tokens, begin, all).is_some())
    };
    let words: [&[&str]; 17] = [
        &["<"],
        &["<", "="],
        &["≤"],
        &[">"],
        &[">", "="],
        &["≥"],
        &["under"],
        &["below"],
        &["over"],
        &["above"],
        &["within"],
        &["up", "to"],
        &["at", "most"],
        &["at", "least"],
        &["less", "than"],
        &["more", "than"],
        &["sub", "-"],
    ];
    let is_range = ["-", "–", "to"].iter().any(|between| {
        let number = at.checked_sub(2).and_then(|at| tokens.get(at));
        number.is_some_and(|n| matches!(n.kind, TokenKind::Number(_))) && ends_with(&[between])
    });
    // CrystalDiskMark has its times in `< >`.
    let end = amount(tokens, at).map_or(at, |time| time.next);
    let is_framed = self::words(tokens, end, &[">"]).is_some();
    is_range || !is_framed && words.iter().any(|all| ends_with(all))
}

/// A word for a time.
fn is_latency(tokens: &[Token], at: usize) -> bool {
    let known = ["latency", "lat", "response"];
    known.iter().any(|w| words(tokens, at, &[w]).is_some())
}

/// Whether one rate has times beside words for reads, and others beside words for writes: `180k IOPS, 0.9 ms read, 0.5 ms write`.
pub(super) fn are_of_directions(tokens: &[Token]) -> bool {
    let amounts = || (0..tokens.len()).filter_map(|at| Some((at, amount(tokens, at)?)));
    let is_at =
        |at: usize, reads: bool| word(tokens, at).and_then(|w| direction(&w)) == Some(reads);
    let has = |reads: bool| {
        let mut times = amounts().filter(|(_, a)| a.unit == Unit::Time);
        times.any(|(at, time)| is_at(time.next, reads) || at > 0 && is_at(at - 1, reads))
    };
    let rates = amounts().filter(|(_, a)| a.unit == Unit::Rate);
    rates.count() == 1 && has(true) && has(false)
}

/// `read latency 0.3 ms`: the mean of reads or of writes alone.
pub(super) fn of_direction(
    tokens: &[Token],
    at: usize,
    of_directions: bool,
) -> Option<(Fact, usize)> {
    direction(&word(tokens, at)?)?;
    let next = match is_latency(tokens, at + 1) {
        true => at + 2 + words(tokens, at + 2, &["time"]).unwrap_or(0),
        false => Some(at + 1).filter(|_| of_directions)?,
    };
    let time = amount(tokens, behind_link(tokens, next)).filter(|a| a.unit == Unit::Time)?;
    Some((Fact::Time(Of::NotOfAll, rounded(&time)), time.next))
}

/// Behind a time, `read latency`: where it ends.
pub(super) fn direction_behind(tokens: &[Token], at: usize, of_directions: bool) -> Option<usize> {
    direction(&word(tokens, at)?)?;
    if !is_latency(tokens, at + 1) {
        return of_directions.then_some(at + 1);
    }
    // `0.3 ms read latency = 0.3 ms` begins the next one.
    (!starts_time(tokens, at + 2)).then_some(at + 2)
}

/// `at 1.15 ms` or `@ 1.15 ms`: what stands before it is a rate.
pub(super) fn answers(tokens: &[Token], at: usize) -> bool {
    let length = ["at", "@"]
        .iter()
        .find_map(|word| words(tokens, at, &[word]));
    length.is_some_and(|length| starts_time(tokens, at + length))
}

/// Words for the time of an I/O.
const OF_IOS: [&str; 14] = [
    "latency", "lat", "response", "resp", "rt", "service", "await", "avg", "average", "mean", "at",
    "@", "takes", "took",
];
/// Words for other times.
const OF_OTHERS: &str = "ramp timeout rtt sla slo think thinktime target goal limit every after interval delay startdelay pause \
    failover until sleep period eta network wire link objective warmup warm elapsed low lowest budget required ping seek typical typ slat";

/// How sure it is that the time which begins and ends at these places is an I/O's; none where it is of something else.
pub(super) fn sureness(tokens: &[Token], at: usize, end: usize) -> Option<Of> {
    let is_in = |word: &str, all: &[&str]| all.contains(&word);
    let others: Vec<&str> = OF_OTHERS.split_whitespace().collect();
    let behind = word(tokens, end);
    if behind.as_ref().is_some_and(|w| is_in(w, &others)) {
        return None;
    }
    let mut found = match behind {
        Some(w) if is_in(&w, &OF_IOS[..10]) => Of::Mean,
        _ => Of::Loose,
    };
    for before in (at.saturating_sub(6)..at).rev() {
        let name = match &tokens[before].kind {
            TokenKind::Word(name) => name.to_lowercase(),
            TokenKind::Mark('@') => "@".to_string(),
            TokenKind::Mark('=' | ':' | '~' | '(' | '_' | '<' | '≤' | '>' | '≥') => continue,
            TokenKind::Number(_) | TokenKind::Mark(_) => break,
        };
        if is_in(&name, &others) {
            return None;
        }
        match is_in(&name, &OF_IOS) {
            _ if name == "and" => break,
            true => found = Of::Mean,
            false if is_filler(&name) => {}
            false if found == Of::Loose && !is_known(&name) => found = Of::Doubtful,
            false => break,
        }
    }
    Some(found)
}

pub(super) fn starts_time(tokens: &[Token], at: usize) -> bool {
    let at = behind_link(tokens, at);
    amount(tokens, at).is_some_and(|a| a.unit == Unit::Time) || percentile(tokens, at).is_some()
}

/// A time of seconds is how long it went on where `for` or the like stands before it.
pub(super) fn lasts(tokens: &[Token], at: usize, of: &Amount) -> bool {
    let before = at.checked_sub(1).and_then(|at| word(tokens, at));
    let said = before.is_some_and(|w| {
        matches!(
            w.as_str(),
            "for" | "over" | "during" | "ran" | "run" | "within"
        )
    });
    let run = ["run", "long", "test", "runs"]
        .iter()
        .any(|w| words(tokens, of.next, &[w]).is_some());
    // An I/O of so many seconds would be called one.
    let named = ["at", "@", "latency", "lat", "response", "time", "of"];
    let is_named = |at: usize| named.iter().any(|w| words(tokens, at, &[w]).is_some());
    let is_sign = |at: &usize| {
        ["=", ":"]
            .iter()
            .any(|w| words(tokens, *at, &[w]).is_some())
    };
    let before = (0..at).rev().find(|at| !is_sign(at));
    let is_latency = before.is_some_and(is_named)
        || label(tokens, of.next).is_some()
        || is_latency(tokens, of.next);
    let is_long = of.value >= 10e9 && !is_latency;
    is_long || of.value >= 1e9 && (said || run)
}
