//! Facts that the words of a claim say, one after the other.

use super::amount::{Amount, Unit, amount, named, number, rate_heading, word, words};
use super::count::{counted, per, per_rate};
use super::fact::{
    Fact, Of, Per, Rounded, bandwidth, behind_link, bytes, direction, rounded, size,
};
use super::factor::{DEPTHS, HOSTS, JOBS, TARGETS};
use super::flag::{diskspd_flag, is_diskspd};
use super::heading::{heading, labelled, without_extremes};
use super::language::in_english;
use super::other::{numbered_name, of_capacity, rotation, spread};
use super::pair::{moved, pair, sides, told_apart};
use super::port;
use super::time::{
    answers, are_of_directions, direction_behind, is_bound, label, lasts, of_direction, percentile,
    starts_time, sureness,
};
use super::token::{Token, TokenKind, tokens};
use super::vocabulary::{BLOCKS, is_filler, is_known};
use plimsoll_evidence::wording::time;

/// All that a text says.
pub(super) fn facts(text: &str) -> Vec<Fact> {
    let text = in_english(text);
    let tokens = tokens(&text);
    let of_directions = are_of_directions(&tokens);
    let is_diskspd = is_diskspd(&tokens);
    let (mut all, mut at, mut inside) = (Vec::new(), 0, 0_i32);
    while at < tokens.len() {
        let each = || per_rate(&tokens, at).map(|(per, next)| (Some(Fact::RateOf(per)), next));
        let each = Some(each).filter(|_| matches!(all.last(), Some(Fact::Rate(_))));
        let flag = || diskspd_flag(&tokens, at).map(|(flag, next)| (Some(flag), next));
        let flag = Some(flag).filter(|_| is_diskspd);
        let found = each
            .and_then(|each| each())
            .or(flag.and_then(|flag| flag()));
        let (fact, next) = found.unwrap_or_else(|| fact(&tokens, at, of_directions));
        match tokens[at].kind {
            TokenKind::Mark('(') => inside += 1,
            TokenKind::Mark(')') => inside -= 1,
            _ => {}
        }
        // A comma in brackets is of what stands before them.
        all.extend(fact.filter(|fact| *fact != Fact::Comma || inside <= 0));
        at = next.max(at + 1);
    }
    told_apart(without_extremes(all))
}

fn fact(tokens: &[Token], at: usize, of_directions: bool) -> (Option<Fact>, usize) {
    if let Some((mut ports, next)) = port::ports(tokens, at) {
        let (per, next) = per(tokens, next);
        ports.each_host = per.is_each_host();
        return (Some(Fact::Ports(ports)), next);
    }
    if let Some(length) = named(tokens, at) {
        let TokenKind::Word(name) = tokens[at].kind else {
            return (None, at + 1);
        };
        let number = number(tokens, at + 2).map_or(0.0, |n| n.value);
        return (Some(Fact::Unread(format!("{name}-{number}"))), at + length);
    }
    // `per node 180,000 IOPS`.
    let each = per_rate(tokens, at);
    if let Some((per, next)) =
        each.filter(|(_, next)| amount(tokens, *next).is_some_and(|a| a.unit == Unit::Rate))
    {
        return (Some(Fact::RateOf(per)), next);
    }
    let found = spread(tokens, at)
        .or_else(|| labelled(tokens, at))
        .or_else(|| heading(tokens, at))
        .or_else(|| moved(tokens, at))
        .or_else(|| rotation(tokens, at))
        .or_else(|| sides(tokens, at))
        .or_else(|| pair(tokens, at))
        .or_else(|| keyword(tokens, at))
        .or_else(|| percentile(tokens, at))
        .or_else(|| of_direction(tokens, at, of_directions))
        .or_else(|| mix(tokens, at))
        .or_else(|| counted(tokens, at))
        .or_else(|| measured(tokens, at, of_directions))
        .or_else(|| numbered_name(tokens, at));
    match found {
        Some((fact, next)) => (Some(fact), next),
        None => single(tokens, at),
    }
}

/// A word with its number behind it: `depth=10`, `bs 4k`, `QD16`.
fn keyword(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let name = word(tokens, at)?;
    let two = |first: &str, second: &str| words(tokens, at, &[first, second]);
    let is = |known: &[&str]| known.contains(&name.as_str()).then_some(1);
    let whole = |next: usize| Some(number(tokens, next)?.value.round() as u64);

    if let Some(length) = two("queue", "depth").or(two("io", "depth")).or(is(&DEPTHS)) {
        let next = behind_link(tokens, at + length);
        let (per, end) = per(tokens, next + 1);
        // `10 qd 3907 MiB/s`.
        amount(tokens, next).filter(|a| a.unit == Unit::Bare)?;
        return Some((Fact::Depth(whole(next)?, per), end));
    }
    if let Some(length) = two("block", "size")
        .or(two("transfer", "size"))
        .or(is(&BLOCKS))
    {
        let next = behind_link(tokens, at + length);
        let amount = amount(tokens, next)?;
        return Some((Fact::Block(bytes(&amount)?), amount.next));
    }
    let warm_up = [
        &["ramp", "_", "time"][..],
        &["ramp", "time"],
        &["warmup"],
        &["warm", "-", "up"],
        &["warm", "up"],
        &["ramp"],
    ];
    if let Some(length) = warm_up
        .iter()
        .find_map(|words| self::words(tokens, at, words))
    {
        return Some((
            Fact::WarmUp,
            amount(tokens, behind_link(tokens, at + length))?.next,
        ));
    }
    if let Some(length) = rate_heading(tokens, at) {
        let rate = amount(tokens, at + length).filter(|a| a.unit == Unit::Bare)?;
        return Some((Fact::Rate(rounded(&rate)), rate.next));
    }
    let per_second = [&["bytes", "/", "sec", ":"][..], &["bytes", "/", "s", ":"]];
    if let Some(length) = per_second.iter().find_map(|w| words(tokens, at, w)) {
        let bytes = amount(tokens, at + length)?;
        let is_plain = matches!(bytes.unit, Unit::Bare | Unit::Bandwidth { .. });
        return is_plain.then(|| (bandwidth(&bytes, 1.0, true), bytes.next));
    }
    let next = behind_link(tokens, at + 1);
    let linked = next > at + 1;
    // CrystalDiskMark's `Q= 32, T=16`, and `Q32T16`.
    let is_set = words(tokens, at + 1, &["="]).is_some();
    let is_glued = tokens
        .get(at + 1)
        .is_some_and(|t| t.glued && matches!(t.kind, TokenKind::Number(_)));
    if matches!(name.as_str(), "q" | "t") && (is_set || is_glued) {
        let of = if name == "q" { Fact::Depth } else { Fact::Jobs };
        return Some((of(whole(next)?, Per::Unsaid), next + 1));
    }
    // `drives: 4,560 IOPS` and `node: 2 x` count none of them.
    let counts = || {
        let count = amount(tokens, next).filter(|count| count.unit == Unit::Bare);
        count.is_some_and(|count| words(tokens, count.next, &["x"]).is_none())
    };
    let names_count = [&JOBS[..], &HOSTS, &TARGETS]
        .iter()
        .any(|all| is(all).is_some());
    if names_count && linked && words(tokens, at + 1, &[":"]).is_some() && !counts() {
        return None;
    }
    if is(&JOBS).is_some() {
        let (per, end) = per(tokens, next + 1);
        return Some((Fact::Jobs(whole(next)?, per), end));
    }
    if !linked {
        return share_behind(tokens, at);
    }
    if is(&HOSTS).is_some() {
        return Some((Fact::Hosts(whole(next)?), next + 1));
    }
    if is(&TARGETS).is_some() {
        return Some((Fact::Targets(whole(next)?), next + 1));
    }
    if let Some(pair) = pair(tokens, next).filter(|_| name == "iops") {
        return Some(pair);
    }
    let mut amount = amount(tokens, next)?;
    if let Some(length) = words(tokens, amount.next, &["-"]).filter(|_| name == "run") {
        // fio's `run=4999-5001msec`.
        amount = super::amount::amount(tokens, amount.next + length)?;
    }
    let share = amount.value
        / if amount.unit == Unit::Percent {
            1.0
        } else {
            100.0
        };
    let is_share = matches!(amount.unit, Unit::Bare | Unit::Percent) && share <= 1.0;
    let fact = match name.as_str() {
        "read" | "reads" | "write" | "writes" if !is_share => return None,
        "read" | "reads" | "rdpct" | "rwmixread" => Fact::Reads(share),
        "write" | "writes" | "rwmixwrite" => Fact::Writes(share),
        "runtime" | "elapsed" | "duration" => Fact::Duration(match amount.unit {
            Unit::Bare => amount.value,
            _ => seconds(&amount)?,
        }),
        "run" | "runt" | "mint" | "maxt" if is_set => Fact::Duration(seconds(&amount)?),
        // fio's `io=559GiB` is all that was moved.
        "io" if is_set => Fact::Unread(name),
        "size" | "set" => Fact::Size(bytes(&amount)?),
        "iops" | "rate" if !matches!(amount.unit, Unit::Time | Unit::Size) => {
            Fact::Rate(rounded(&amount))
        }
        _ => return None,
    };
    Some((fact, amount.next))
}

/// `read 70 % write 30 %`: shares behind their directions. What follows may take the share for itself, as in `reads 70 % random` and
/// `reads 99 % < 1 ms`.
fn share_behind(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let percent = |at| amount(tokens, at).filter(|a| a.unit == Unit::Percent && a.value <= 1.0);
    let reads = direction(&word(tokens, at)?)?;
    let share = percent(at + 1).filter(|_| percentile(tokens, at + 1).is_none())?;
    let is_alone = match word(tokens, share.next) {
        Some(next) if direction(&next).is_some() => percent(share.next + 1).is_some(),
        Some(next) => next == "and",
        None => true,
    };
    let of = if reads { Fact::Reads } else { Fact::Writes };
    is_alone.then_some((of(share.value), share.next))
}

/// `70/30`, `70:30 read/write`, `70% reads`, `100 % random`.
fn mix(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let first = number(tokens, at)?.value;
    let between = words(tokens, at + 1, &["/"]).or(words(tokens, at + 1, &[":"]));
    if let (Some(length), Some(second)) = (between, number(tokens, at + 1 + length_of(between))) {
        let next = at + 2 + length;
        let of = ["read", "reads", "r", "rw", "mix"]
            .iter()
            .find_map(|w| words(tokens, next, &[w]));
        let writes = words(tokens, next + of.unwrap_or(0), &["/"]);
        let end = match (of, writes) {
            (Some(of), Some(_)) => next + of + 2,
            (Some(of), None) => next + of,
            _ => next,
        };
        return (first + second.value == 100.0).then_some((Fact::Reads(first / 100.0), end));
    }
    let share = amount(tokens, at).filter(|a| a.unit == Unit::Percent)?;
    let mut next = share.next;
    for filler in ["of", "random", "cache"] {
        // `100 % random` alone says how, and `100 % random read` what; `100 % random, read 70 %` both.
        let reads = word(tokens, next + 1).is_some_and(|w| direction(&w).is_some())
            && share_behind(tokens, next + 1).is_none();
        if filler != "random" || reads {
            next += words(tokens, next, &[filler]).unwrap_or(0);
        }
    }
    let what = word(tokens, next)?;
    let fact = match what.as_str() {
        "random" | "rand" => Fact::Random(share.value > 0.0),
        "sequential" | "seq" => Fact::Random(share.value < 1.0),
        "hit" | "hits" => Fact::Hits(share.value),
        _ => match direction(&what)? {
            true => Fact::Reads(share.value),
            false => Fact::Writes(share.value),
        },
    };
    // `75 % read hits`.
    if let Some(length) = words(tokens, next + 1, &["hits"]).or(words(tokens, next + 1, &["hit"])) {
        return Some((Fact::Hits(share.value), next + 1 + length));
    }
    Some((fact, next + 1))
}

fn length_of(found: Option<usize>) -> usize {
    found.unwrap_or(0)
}

/// A number with its unit.
fn measured(tokens: &[Token], at: usize, of_directions: bool) -> Option<(Fact, usize)> {
    let found = amount(tokens, at)?;
    let next = found.next;
    let fact = match found.unit {
        Unit::Rate => match of_capacity(tokens, next) {
            Some(end) => {
                let per = format!("{}/s of each part", found.value);
                return Some((Fact::Unread(per), end));
            }
            None => Fact::Rate(rounded(&found)),
        },
        Unit::Bandwidth { binary, certain } => bandwidth(&found, binary, certain),
        Unit::Bits => Fact::Bandwidth {
            bytes: Rounded {
                value: found.value / 8.0,
                half: found.half / 8.0,
            },
            binary: None,
            in_bits: true,
        },
        Unit::Time | Unit::Long => return timed(tokens, at, &found, of_directions),
        Unit::Size => size(found.value),
        Unit::Scaled { bytes } => Fact::Number {
            rate: rounded(&found),
            bytes: Some(bytes),
            at: answers(tokens, next),
        },
        Unit::Bare if answers(tokens, next) || is_large(tokens, &found) => Fact::Number {
            rate: rounded(&found),
            bytes: None,
            at: answers(tokens, next),
        },
        Unit::Percent => Fact::Unread(format!("{}%", found.value * 100.0)),
        Unit::Bare => return None,
    };
    Some((fact, next))
}

/// A time, and of what it is.
fn timed(
    tokens: &[Token],
    at: usize,
    found: &Amount,
    of_directions: bool,
) -> Option<(Fact, usize)> {
    let next = found.next;
    let is_least =
        words(tokens, next, &[","]).is_some() && words(tokens, next + 2, &["max"]).is_some();
    let of_io = sureness(tokens, at, next);
    // `after 20 minutes` is a moment, `eta 0s` is none, and `50.1 min, 2000.3 max` are least and most.
    if of_io.is_none() || found.value == 0.0 || found.unit == Unit::Long && is_least {
        return Some((Fact::Unread(time(found.value)), next));
    }
    if found.unit == Unit::Long || lasts(tokens, at, found) {
        return Some((Fact::Duration(found.value / 1e9), next));
    }
    if let Some(end) = direction_behind(tokens, next, of_directions) {
        return Some((Fact::Time(Of::NotOfAll, rounded(found)), end));
    }
    let behind = label(tokens, next).filter(|(_, end)| !starts_time(tokens, *end));
    let (of, end) = match behind.unwrap_or((of_io?, next)) {
        (Of::Mean | Of::Loose | Of::Doubtful, end) if is_bound(tokens, at) => (Of::NotOfAll, end),
        known => known,
    };
    Some((Fact::Time(of, rounded(found)), end))
}

/// A number as large as rates are, of nothing else.
fn is_large(tokens: &[Token], of: &Amount) -> bool {
    let behind = word(tokens, of.next).filter(|w| w.is_ascii());
    of.value >= 1000.0 && behind.is_none_or(|w| is_known(&w) || w == "i")
}

fn single(tokens: &[Token], at: usize) -> (Option<Fact>, usize) {
    let fact = match &tokens[at].kind {
        TokenKind::Mark(',' | '+' | '，' | '、') => Some(Fact::Comma),
        TokenKind::Word("and") => Some(Fact::Apart),
        TokenKind::Mark(';' | '\n' | '。' | '；') => Some(Fact::End),
        // A dot behind a number or a word and before a blank.
        TokenKind::Mark('.') if tokens.get(at + 1).is_none_or(|t| !t.glued) => Some(Fact::End),
        TokenKind::Mark(_) => None,
        TokenKind::Number(n) => Some(Fact::Unread(n.value.to_string())),
        TokenKind::Word(written) => {
            let lower = written.to_lowercase();
            let of_latency = ["latency", "lat", "response"]
                .iter()
                .any(|w| words(tokens, at + 1, &[w]).is_some());
            match lower.as_str() {
                "random" | "rand" | "rnd" => Some(Fact::Random(true)),
                "sequential" | "seq" | "sequentially" => Some(Fact::Random(false)),
                "limited" | "capped" | "throttled" | "offered" => Some(Fact::Held),
                // fio's `rate_iops`.
                "rate" if words(tokens, at + 1, &["_"]).is_some() => Some(Fact::Held),
                "each" => Some(Fact::Each),
                "up" if words(tokens, at + 1, &["to"]).is_some() => Some(Fact::UpTo),
                _ if is_filler(&lower) => None,
                "r" | "w" if words(tokens, at + 1, &[":"]).is_some() => {
                    Some(Fact::Direction(lower == "r"))
                }
                "lat" | "rw" | "r" | "w" | "ports" | "port" | "x" | "qos" => None,
                _ => match direction(&lower) {
                    // A time of reads alone is of no rate that is known.
                    Some(_) if of_latency => None,
                    Some(reads) => Some(Fact::Direction(reads)),
                    None => Some(Fact::Unread((*written).to_string())),
                },
            }
        }
    };
    (fact, at + 1)
}

fn seconds(amount: &Amount) -> Option<f64> {
    matches!(amount.unit, Unit::Time | Unit::Long).then_some(amount.value / 1e9)
}
