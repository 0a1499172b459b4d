//! Two numbers beside each other, of reads and writes or of two states: `850K/150K read/write IOPS`, `from 1.2 ms to 0.4 ms`.

use super::amount::{Amount, Unit, amount, word, words};
use super::fact::{Fact, Of, Rounded, direction, rounded};
use super::time::sureness;
use super::token::Token;

/// Words between two states.
const BETWEEN: [&[&str]; 8] = [
    &["to"],
    &["-"],
    &["–"],
    &["→"],
    &["vs", "."],
    &["vs"],
    &["instead", "of"],
    &["against"],
];

/// Two numbers of one kind, where the first may leave its unit to the second.
pub(super) fn pair(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let first = amount(tokens, at)?;
    let slash = words(tokens, first.next, &["/"]);
    let is_between = at > 0 && words(tokens, at - 1, &["between"]).is_some();
    let and = words(tokens, first.next, &["and"]).filter(|_| is_between);
    let states = BETWEEN.iter().find_map(|w| words(tokens, first.next, w));
    let second = amount(tokens, first.next + slash.or(states).or(and)?)?;
    let kind = match (first.unit, second.unit) {
        (Unit::Bare | Unit::Scaled { .. } | Unit::Rate, Unit::Rate)
        | (Unit::Rate, Unit::Scaled { .. }) => Unit::Rate,
        (Unit::Scaled { bytes: a }, Unit::Scaled { bytes: b }) if !(is_size(a) && is_size(b)) => {
            Unit::Rate
        }
        (Unit::Bare | Unit::Bandwidth { .. }, Unit::Bandwidth { .. }) if slash.is_some() => {
            second.unit
        }
        (Unit::Bare | Unit::Time, Unit::Time) => Unit::Time,
        _ => return None,
    };
    // A unit that is written once is of both, but `1,000/180K` has one of its own.
    let is_whole = kind == Unit::Rate && first.value >= 1000.0 && second.factor > 1.0;
    let factor = match first.unit {
        Unit::Bare if !is_whole => second.factor,
        _ => 1.0,
    };
    let first = Amount {
        value: first.value * factor,
        half: first.half * factor,
        ..first
    };
    let of_io = sureness(tokens, at, second.next);
    let fact = |of: &Amount| match kind {
        Unit::Time => Fact::Time(of_io.unwrap_or(Of::NotOfAll), rounded(of)),
        Unit::Bandwidth { binary, certain } => Fact::Bandwidth {
            bytes: rounded(of),
            binary: (!certain).then_some(binary),
            in_bits: false,
        },
        _ => Fact::Rate(rounded(of)),
    };
    let both = Box::new([fact(&first), fact(&second)]);
    Some((Fact::Pair(both, slash.is_some()), second.next))
}

fn is_size(bytes: f64) -> bool {
    bytes % 512.0 == 0.0 && (bytes as u64).is_power_of_two()
}

/// `read/write`, `r/w`, `W/R`: true where reads come first.
pub(super) fn sides(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let side = |at| match word(tokens, at)?.as_str() {
        "r" => Some(true),
        "w" => Some(false),
        name => direction(name),
    };
    words(tokens, at + 1, &["/"])?;
    let (first, second) = (side(at)?, side(at + 2)?);
    (first != second).then_some((Fact::Sides(first), at + 3))
}

/// Tells what is said of two things in one breath of one after the other.
pub(super) fn told_apart(facts: Vec<Fact>) -> Vec<Fact> {
    let rates = facts.iter().filter(|fact| has_rates(fact)).count();
    let is_single = |fact: &Fact| matches!(fact, Fact::Rate(_) | Fact::Bandwidth { .. });
    if rates == 1 && !facts.iter().any(is_single) {
        // All that is said is of both.
        let inner = facts.iter().filter(|f| !is_end(f)).cloned();
        return of_both(&inner.collect::<Vec<_>>(), &facts);
    }
    let mut all = Vec::new();
    for part in facts.split_inclusive(is_end) {
        match part.iter().any(has_rates) {
            true => all.extend(of_both(part, &facts)),
            false => all.extend(part.iter().cloned().flat_map(of_neither)),
        }
    }
    all
}

fn is_end(fact: &Fact) -> bool {
    matches!(fact, Fact::Comma | Fact::End)
}

fn has_rates(fact: &Fact) -> bool {
    matches!(fact, Fact::Pair(both, _) if !matches!(both[0], Fact::Time(..)))
}

/// Two times of one rate, neither of which is its mean for certain.
fn of_neither(fact: Fact) -> Vec<Fact> {
    let aside = |fact: Fact| match fact {
        Fact::Time(_, time) => Fact::Time(Of::NotOfAll, time),
        fact => fact,
    };
    match fact {
        Fact::Pair(both, _) => both.into_iter().map(aside).collect(),
        fact => vec![fact],
    }
}

/// A part of a text once for each of the two. A time that is said once is of neither for certain.
fn of_both(part: &[Fact], text: &[Fact]) -> Vec<Fact> {
    let reads_first = |all: &[Fact]| {
        all.iter().find_map(|fact| match fact {
            Fact::Sides(reads_first) => Some(*reads_first),
            _ => None,
        })
    };
    let is_slash = |fact: &Fact| matches!(fact, Fact::Pair(_, true));
    let sides = reads_first(part).or_else(|| reads_first(text));
    let sides = sides.filter(|_| part.iter().any(is_slash));
    let mut all = Vec::new();
    for side in 0..2 {
        all.extend(sides.map(|reads_first| Fact::Direction(reads_first == (side == 0))));
        all.extend(part.iter().filter_map(|fact| match fact {
            Fact::Pair(both, _) => Some(both[side].clone()),
            Fact::Time(Of::Mean | Of::Loose | Of::Doubtful, time) => {
                Some(Fact::Time(Of::NotOfAll, *time))
            }
            Fact::Sides(_) | Fact::End => None,
            fact => Some(fact.clone()),
        }));
        all.push(Fact::End);
    }
    all
}

/// `wrote 80 TB`, `1200 MB in 10 s`: bytes that were moved in all, decimal as drives are sold, or binary.
pub(super) fn moved(tokens: &[Token], at: usize) -> Option<(Fact, usize)> {
    let known = ["wrote", "written", "moved", "transferred", "copied"];
    let is_moved = |at| word(tokens, at).is_some_and(|w| known.contains(&w.as_str()));
    let bytes = amount(tokens, at + usize::from(is_moved(at)))?;
    let end = bytes.next;
    let within = words(tokens, end, &["in"]).and_then(|n| amount(tokens, end + n));
    let within = within.is_some_and(|a| matches!(a.unit, Unit::Time | Unit::Long));
    let is_told = is_moved(at) || is_moved(end) || within;
    if bytes.unit != Unit::Size || bytes.value < (64 << 20) as f64 || !is_told {
        return None;
    }
    let binary = 1.024_f64.powf(bytes.factor.log2() / 10.0);
    let decimal = Rounded {
        value: bytes.value / binary,
        half: bytes.half / binary,
    };
    Some((Fact::Moved(decimal, binary), end))
}
