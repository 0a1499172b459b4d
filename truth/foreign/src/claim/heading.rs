//! Words before a number that say its unit, or of which samples it is.

use super::amount::{Unit, amount, word, words};
use super::fact::{Fact, Of, bandwidth, behind_link, rounded};
use super::time::label;
use super::token::{Token, TokenKind};

/// Heading with its unit: `Throughput (MB/s): 2281`, `IOPS(k)= 875.283`, `lat_ms= 1.17`. Of several numbers none is the one that is meant.
pub(super) fn heading(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let name = word(tokens, at)?;
    let known = ["iops", "bw", "bandwidth", "throughput", "latency", "lat"];
    let is = |at: usize, sign: &str| words(tokens, at, &[sign]).is_some();
    let begin = at + 2;
    let end = match (is(at + 1, "("), is(at + 1, "_")) {
        _ if !known.contains(&name.as_str()) => return None,
        (true, _) => (begin..begin + 5).find(|at| is(*at, ")"))?,
        (_, true) => begin + 1,
        _ => return None,
    };
    let mut unit: Vec<Token> = tokens.get(begin..end)?.to_vec();
    if name == "iops" {
        unit.push(tokens[at].clone());
    }
    let first = behind_link(tokens, end + usize::from(is(at + 1, "(")));
    let is_number =
        |at: &usize| matches!(tokens.get(*at).map(|t| &t.kind), Some(TokenKind::Number(_)));
    let next = (first..).find(|at| !is_number(at))?;
    let with_unit: Vec<Token> = [tokens.get(first)?.clone()]
        .into_iter()
        .chain(unit)
        .collect();
    let one = amount(&with_unit, 0).filter(|of| of.next == with_unit.len())?;
    let fact = match one.unit {
        _ if next > first + 1 => Fact::Unread(format!("{name} of {} numbers", next - first)),
        Unit::Rate => Fact::Rate(rounded(&one)),
        // A tool prints 0 for what it didn't measure.
        Unit::Time if one.value > 0.0 => Fact::Time(Of::Mean, rounded(&one)),
        Unit::Bandwidth { binary, certain } => bandwidth(&one, binary, certain),
        _ => return None,
    };
    Some((fact, next))
}

/// A rate behind or before a word for its average, its most or its least: `max 120k IOPS`, `120,000 IOPS max`.
pub(super) fn labelled(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let (of, rate) = match label(tokens, at) {
        Some((of, next)) => {
            let iops = words(tokens, next, &["iops"]).unwrap_or(0);
            (of, amount(tokens, behind_link(tokens, next + iops))?)
        }
        None => {
            let rate = amount(tokens, at)?;
            let (of, end) = label(tokens, rate.next)?;
            // `100k IOPS avg 0.32 ms` has a word for its time.
            let is_of_rate = amount(tokens, behind_link(tokens, end)).is_none();
            is_of_rate.then_some((of, rate))?
        }
    };
    let is_called = rate.unit == Unit::Rate;
    let is_rate = match rate.unit {
        Unit::Scaled { bytes } => bytes % 512.0 != 0.0 || !(bytes as u64).is_power_of_two(),
        _ => is_called,
    };
    let is_told = matches!(of, Of::Mean | Of::Max | Of::Min) && is_rate;
    is_told.then(|| (Fact::Labelled(of, rounded(&rate), is_called), rate.next))
}

/// The most and the least of a rate beside another are samples of it, and no claims.
pub(super) fn without_extremes(facts: Vec<Fact>) -> Vec<Fact> {
    let average = |fact: &Fact| matches!(fact, Fact::Labelled(Of::Mean, ..));
    let has_average = facts.iter().any(average);
    let has_rate = has_average || facts.iter().any(|fact| matches!(fact, Fact::Rate(_)));
    let plain = |fact| match fact {
        Fact::Labelled(Of::Max | Of::Min, rate, is_called)
            if has_average || has_rate && !is_called =>
        {
            Fact::Unread(format!("{}/s", rate.value))
        }
        Fact::Labelled(_, rate, _) => Fact::Rate(rate),
        fact => fact,
    };
    facts.into_iter().map(plain).collect()
}
