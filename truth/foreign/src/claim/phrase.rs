//! Facts that the words of a claim say, one after the other.

use super::amount::{Amount, Unit, amount, named, number, scale, word, words};
use super::count::{HOSTS, JOBS, TARGETS, counted, per, per_rate};
use super::fact::{Fact, Of, Per, Rounded, behind_link, direction, rounded};
use super::port;
use super::time::{
    answers, are_of_directions, direction_behind, is_bound, label, lasts, of_direction, percentile,
    starts_time,
};
use super::token::{Token, TokenKind, tokens};

pub(super) const DEPTHS: [&str; 5] = ["depth", "qd", "iodepth", "oio", "queuedepth"];
const BLOCKS: [&str; 4] = ["block", "blocksize", "bs", "xfersize"];
/// Words that say nothing that could be judged.
const FILLERS: &str = "a an the with of on in to for from over at is are was we it got get gets reached reach reaches delivers \
    delivered does did up about only using max maximum peak total result results latency response time average avg mean array \
    storage io ios workload measured each per by than mix mixed size under below above within less most least gave us our \
    through via iops across bei mit latenz 时延 延迟 平均";

/// All that a text says.
pub(super) fn facts(text: &str) -> Vec<Fact> {
    let tokens = tokens(text);
    let of_directions = are_of_directions(&tokens);
    let is_diskspd = (0..tokens.len()).any(|at| word(&tokens, at).is_some_and(|w| w == "diskspd"));
    let (mut all, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if let (Some(Fact::Rate(_)), Some((per, next))) = (all.last(), per_rate(&tokens, at)) {
            all.push(Fact::RateOf(per));
            at = next;
            continue;
        }
        if let Some((fact, next)) = diskspd_flag(&tokens, at).filter(|_| is_diskspd) {
            all.push(fact);
            at = next;
            continue;
        }
        let (fact, next) = fact(&tokens, at, of_directions);
        all.extend(fact);
        at = next.max(at + 1);
    }
    all
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
    // `27万9572`: what is behind such a sign is of the number before it.
    let is_sign =
        |at: usize| word(tokens, at).is_some_and(|w| !w.is_ascii() && scale(&w).is_some());
    if at > 1 && tokens[at].glued && number(tokens, at).is_some() && is_sign(at - 1) {
        return (None, at + 1);
    }
    let found = keyword(tokens, at)
        .or_else(|| percentile(tokens, at))
        .or_else(|| of_direction(tokens, at, of_directions))
        .or_else(|| mix(tokens, at))
        .or_else(|| counted(tokens, at))
        .or_else(|| measured(tokens, at, of_directions));
    match found {
        Some((fact, next)) => (Some(fact), next),
        None => single(tokens, at),
    }
}

/// A flag of DiskSPD with its number: `-b8K`, `-d60`, `-o32`, `-t8`, `-W30`, `-w100`.
fn diskspd_flag(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    words(tokens, at, &["-"])?;
    let Token {
        kind: TokenKind::Word(flag),
        glued: true,
    } = tokens.get(at + 1)?
    else {
        return None;
    };
    let amount = amount(tokens, at + 2)?;
    let whole = amount.value.round() as u64;
    let fact = match *flag {
        "b" => Fact::Block(bytes(&amount)?),
        "c" => Fact::Size(bytes(&amount)?),
        "d" => Fact::Duration(amount.value),
        "o" => Fact::Depth(whole, Per::Unsaid),
        "t" | "F" => Fact::Jobs(whole, Per::Unsaid),
        "w" => Fact::Writes(amount.value / 100.0),
        "W" => Fact::WarmUp,
        _ => return None,
    };
    Some((fact, amount.next))
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
    let next = behind_link(tokens, at + 1);
    let linked = next > at + 1;
    // CrystalDiskMark's `Q= 32, T=16`.
    if linked && matches!(name.as_str(), "q" | "t") && words(tokens, at + 1, &["="]).is_some() {
        let of = if name == "q" { Fact::Depth } else { Fact::Jobs };
        return Some((of(whole(next)?, Per::Unsaid), next + 1));
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
    let mut amount = amount(tokens, next)?;
    if let Some(length) = words(tokens, amount.next, &["-"]).filter(|_| name == "run") {
        // fio's `run=4999-5001msec`.
        amount = super::amount::amount(tokens, amount.next + length)?;
    }
    let is_set = words(tokens, at + 1, &["="]).is_some();
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
        "iops" | "rate" => Fact::Rate(rounded(&amount)),
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
    // `600K/550K IOPS` are two rates.
    let other = words(tokens, next, &["/"]).and_then(|length| amount(tokens, next + length));
    let is_pair = other.is_some_and(|other| other.unit == Unit::Rate);
    let fact = match found.unit {
        Unit::Scaled { .. } | Unit::Bare if is_pair => Fact::Rate(rounded(&found)),
        Unit::Rate => Fact::Rate(rounded(&found)),
        Unit::Bandwidth { binary, certain } => Fact::Bandwidth {
            bytes: rounded(&found),
            binary: (!certain).then_some(binary),
            in_bits: false,
        },
        Unit::Bits => Fact::Bandwidth {
            bytes: Rounded {
                value: found.value / 8.0,
                half: found.half / 8.0,
            },
            binary: None,
            in_bits: true,
        },
        // `after 20 minutes` is a moment.
        Unit::Long if at > 0 && words(tokens, at - 1, &["after"]).is_some() => {
            return Some((Fact::WarmUp, next));
        }
        Unit::Long => Fact::Duration(found.value / 1e9),
        Unit::Time if lasts(tokens, at, &found) => Fact::Duration(found.value / 1e9),
        Unit::Time => {
            if let Some(end) = direction_behind(tokens, next, of_directions) {
                return Some((Fact::Time(Of::NotOfAll, rounded(&found)), end));
            }
            let behind = label(tokens, next).filter(|(_, end)| !starts_time(tokens, *end));
            let (of, end) = match behind.unwrap_or((Of::Mean, next)) {
                (Of::Mean, end) if is_bound(tokens, at) => (Of::NotOfAll, end),
                known => known,
            };
            return Some((Fact::Time(of, rounded(&found)), end));
        }
        Unit::Size => size(found.value),
        Unit::Scaled { bytes } => Fact::Number {
            rate: rounded(&found),
            bytes: Some(bytes),
            at: answers(tokens, next),
        },
        Unit::Bare if answers(tokens, next) || found.value >= 1000.0 => Fact::Number {
            rate: rounded(&found),
            bytes: None,
            at: answers(tokens, next),
        },
        Unit::Percent | Unit::Bare => return None,
    };
    Some((fact, next))
}

/// A size of GiB is of the target, a smaller one of a transfer.
pub(super) fn size(bytes: f64) -> Fact {
    match bytes >= (64 << 20) as f64 {
        true => Fact::Size(bytes),
        false => Fact::Block(bytes),
    }
}

fn single(tokens: &[Token], at: usize) -> (Option<Fact>, usize) {
    let fact = match &tokens[at].kind {
        TokenKind::Mark(',' | '+' | '，' | '、') | TokenKind::Word("and") => Some(Fact::Comma),
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
                "random" | "rand" => Some(Fact::Random(true)),
                "sequential" | "seq" | "sequentially" => Some(Fact::Random(false)),
                "limited" | "capped" | "throttled" => Some(Fact::Held),
                "each" => Some(Fact::Each),
                _ if FILLERS.split(' ').any(|w| w == lower) => None,
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

fn bytes(amount: &Amount) -> Option<f64> {
    match amount.unit {
        Unit::Size | Unit::Bare => Some(amount.value),
        Unit::Scaled { bytes } => Some(bytes),
        _ => None,
    }
}

fn seconds(amount: &Amount) -> Option<f64> {
    matches!(amount.unit, Unit::Time | Unit::Long).then_some(amount.value / 1e9)
}
