//! Numbers that are no rate and no time: parts of names, how fast disks turn, how far something scatters, and rates of a capacity.

use super::amount::{Unit, amount, word, words};
use super::count::counted;
use super::fact::{Fact, behind_link};
use super::factor::is_factor;
use super::port;
use super::time::answers;
use super::token::{Token, TokenKind};
use super::vocabulary::is_known;

/// A number that is a part of a name: `gp3`, `SPECsfs2014`, `Dorado 8000`.
pub(super) fn numbered_name(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let TokenKind::Word(name) = tokens[at].kind else {
        return None;
    };
    let Token {
        kind: TokenKind::Number(number),
        glued,
    } = *tokens.get(at + 1)?
    else {
        return None;
    };
    let kinds = ["x", "seq", "rnd", "rand", "random", "read", "write"];
    let lower = name.to_lowercase();
    let is_glued = glued && name.is_ascii() && !kinds.contains(&&*lower) && !is_factor(&lower);
    let is_capital = name.starts_with(|c: char| c.is_ascii_uppercase())
        && !is_known(&lower)
        && (100.0..10_000.0).contains(&number.value)
        && amount(tokens, at + 1).is_some_and(|a| a.unit == Unit::Bare && !answers(tokens, a.next))
        && counted(tokens, at + 1).is_none()
        && port::ports(tokens, at + 1).is_none();
    let blank = if is_glued { "" } else { " " };
    let name = format!("{name}{blank}{}", number.value);
    (is_glued || is_capital).then(|| (Fact::Unread(name), at + 2))
}

/// `10K SAS`, `7200 rpm`: how fast disks turn.
pub(super) fn rotation(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let speed = amount(tokens, at)?;
    let is_speed = [5400.0, 7200.0, 10_000.0, 15_000.0].contains(&speed.value);
    let is_plain = matches!(speed.unit, Unit::Scaled { .. } | Unit::Bare);
    let turns = [
        "rpm", "sas", "hdd", "hdds", "disk", "disks", "drives", "spindles", "об",
    ];
    let next = speed.next + words(tokens, speed.next, &["-"]).unwrap_or(0);
    let behind = word(tokens, next).filter(|w| turns.contains(&w.as_str()))?;
    let end = next + usize::from(matches!(behind.as_str(), "rpm" | "sas"));
    (is_speed && is_plain).then(|| (Fact::Unread(format!("{} rpm", speed.value)), end))
}

/// `± 2k`, `(stdev 2k)`, `+/- 0.01 ms`: how far it scatters.
pub(super) fn spread(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let signs = [
        &["±"][..],
        &["+", "/", "-"],
        &["stdev"],
        &["stddev"],
        &["sd"],
    ];
    let length = signs.iter().find_map(|sign| words(tokens, at, sign))?;
    // `stdev 0.1 ms` is one of the times.
    let of = amount(tokens, behind_link(tokens, at + length))
        .filter(|of| of.unit != Unit::Time || word(tokens, at).is_none())?;
    Some((Fact::Unread(format!("±{}", of.value)), of.next))
}

/// Behind `3 IOPS`, `/GB` or `per TiB`: where it ends.
pub(super) fn of_capacity(tokens: &[Token], at: usize) -> Option<usize> {
    let per = words(tokens, at, &["/"]).or(words(tokens, at, &["per"]))?;
    let unit = word(tokens, at + per)?;
    matches!(unit.as_str(), "gb" | "gib" | "tb" | "tib").then_some(at + per + 1)
}
