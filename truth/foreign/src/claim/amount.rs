//! Numbers with their units, as people write them.

use super::factor::is_factor;
use super::token::{Number, Token, TokenKind};

/// Unit of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    /// I/Os each second.
    Rate,
    /// Bytes each second, decimal; where it is written as KiB, MiB or GiB they are binary and certain.
    Bandwidth { binary: f64, certain: bool },
    /// Bits each second.
    Bits,
    /// A time, ns.
    Time,
    /// A time of minutes or more, which no I/O takes, ns.
    Long,
    /// Bytes, binary.
    Size,
    /// `k` or `M` and nothing else: a thousand, or KiB.
    Scaled { bytes: f64 },
    /// Percent.
    Percent,
    /// Nothing.
    Bare,
}

/// A number, its unit, and where what follows begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Amount {
    pub value: f64,
    pub half: f64,
    pub unit: Unit,
    /// Factor of the unit and its scale, by which the written number was multiplied.
    pub factor: f64,
    pub next: usize,
}

/// Spellings of a rate's unit, behind a `k` or an `M` too.
const RATES: &[&[&str]] = &[
    &["iops"],
    &["io", "/", "s"],
    &["ios", "/", "s"],
    &["io", "/", "sec"],
    &["i", "/", "o", "/", "s"],
    &["i", "/", "os", "/", "s"],
    &["i", "/", "os", "per", "second"],
    &["i", "/", "o", "per", "second"],
    &["ios", "per", "second"],
    &["io", "per", "second"],
    &["ops", "/", "s"],
    &["ops", "/", "sec"],
    &["requests", "/", "s"],
    &["reads", "/", "s"],
    &["writes", "/", "s"],
    &["ops"],
    &["iop", "/", "s"],
    &["/", "s"],
    &["per", "second"],
];

/// Words of thousands and more.
const SCALES: &[(&str, f64)] = &[
    ("k", 1e3),
    ("thousand", 1e3),
    ("m", 1e6),
    ("million", 1e6),
    ("millions", 1e6),
    ("billion", 1e9),
];

/// Number that a word of thousands or more stands for.
pub(super) fn scale(word: &str) -> Option<f64> {
    let found = SCALES.iter().find(|(name, _)| *name == word);
    found.map(|(_, scale)| *scale)
}

/// Tokens of a name with a number in it: `SPC-1`, `PCIe-3`, `RAID-10`.
pub(super) fn named(tokens: &[Token], at: usize) -> Option<usize> {
    const VALUES: [&str; 8] = [
        "sub", "qd", "p", "depth", "iodepth", "bs", "jobs", "threads",
    ];
    let name =
        word(tokens, at).filter(|name| name.len() > 1 && !VALUES.contains(&name.as_str()))?;
    let [_, hyphen, number, ..] = &tokens[at..] else {
        return None;
    };
    let is_glued = hyphen.kind == TokenKind::Mark('-') && hyphen.glued && number.glued;
    let is_factor = is_count(&name) || is_factor(&name);
    (is_glued && !is_factor && matches!(number.kind, TokenKind::Number(_))).then_some(3)
}

/// True for a number word.
pub(super) fn is_count(word: &str) -> bool {
    COUNTS.iter().any(|(count, _)| *count == word)
}

/// Number words, and of how many there are of each.
const COUNTS: [(&str, f64); 16] = [
    ("one", 1.0),
    ("single", 1.0),
    ("two", 2.0),
    ("dual", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("quad", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("twelve", 12.0),
    ("sixteen", 16.0),
    ("twenty", 20.0),
];

/// Number of tokens from `at` on that are these words, in any case; none where they are not.
pub(super) fn words(tokens: &[Token], at: usize, words: &[&str]) -> Option<usize> {
    let is = |token: &Token, word: &str| match token.kind {
        TokenKind::Word(w) => w.to_lowercase() == word,
        TokenKind::Mark(c) => word.len() == c.len_utf8() && word.starts_with(c),
        TokenKind::Number(_) => false,
    };
    let all = words.iter().enumerate();
    let mut all = all.map(|(i, word)| tokens.get(at + i).is_some_and(|t| is(t, word)));
    all.all(|is| is).then_some(words.len())
}

/// The word at a place, in small letters.
pub(super) fn word(tokens: &[Token], at: usize) -> Option<String> {
    match tokens.get(at)?.kind {
        TokenKind::Word(w) => Some(w.to_lowercase()),
        _ => None,
    }
}

/// The number at a place; a count may be a word.
pub(super) fn number(tokens: &[Token], at: usize) -> Option<Number> {
    if let TokenKind::Number(number) = tokens.get(at)?.kind {
        return Some(number);
    }
    let word = word(tokens, at)?;
    let (_, value) = COUNTS.iter().find(|(name, _)| *name == word)?;
    Some(Number {
        value: *value,
        half: 0.0,
        dotted: false,
    })
}

/// Numbers in a row that are looked at to tell whether the first has its unit before or behind it: one decides, but for `ops: 1 ops/sec: 2`.
const LOOKS: u8 = 3;

/// The number at a place with its unit.
pub(super) fn amount(tokens: &[Token], at: usize) -> Option<Amount> {
    amount_within(tokens, at, LOOKS)
}

/// The same, with at most so many looks at other numbers.
fn amount_within(tokens: &[Token], at: usize, looks: u8) -> Option<Amount> {
    let n = number(tokens, at)?;
    let of = |unit, factor: f64, length| Amount {
        value: n.value * factor,
        half: n.half * factor,
        unit,
        factor,
        next: at + 1 + length,
    };
    if let Some((scale, length)) = rate(tokens, at + 1, looks) {
        // 264.000 IOPS are no 264 of three decimals.
        let dotted = if n.dotted && scale == 1.0 && n.value < 1000.0 {
            1000.0
        } else {
            1.0
        };
        return Some(of(Unit::Rate, scale * dotted, length));
    }
    if words(tokens, at + 1, &["%"])
        .or(words(tokens, at + 1, &["percent"]))
        .is_some()
    {
        return Some(of(Unit::Percent, 0.01, 1));
    }
    let Some(Token {
        kind: TokenKind::Word(written),
        ..
    }) = tokens.get(at + 1)
    else {
        // `8-KB blocks`.
        let unit = words(tokens, at + 1, &["-"]).and_then(|_| word(tokens, at + 2));
        let size = unit.filter(|u| u.len() > 1).and_then(|u| size(&u));
        return Some(size.map_or(of(Unit::Bare, 1.0, 0), |f| of(Unit::Size, f, 2)));
    };
    let lower = written.to_lowercase();
    let behind = ["s", "sec", "secs", "second", "seconds"];
    let each = behind.iter().find_map(|s| words(tokens, at + 2, &["/", s]));
    let each = each.or(words(tokens, at + 2, &["per", "second"]));
    Some(
        match (
            transfer(written, each.is_some()),
            size(&lower),
            time(&lower),
        ) {
            (Some((unit, factor)), ..) => of(unit, factor, 1 + each.unwrap_or(0)),
            (_, _, Some((unit, factor))) => of(unit, factor, 1),
            (_, Some(factor), _) if matches!(lower.as_str(), "k" | "m") => {
                let thousands = if lower == "k" { 1e3 } else { 1e6 };
                let bytes = n.value * factor;
                of(Unit::Scaled { bytes }, thousands, 1)
            }
            // What stands before a slash is no size.
            (_, Some(_), _) if each.is_some_and(|n| is_heading(tokens, at + 2 + n, looks)) => {
                of(Unit::Bare, 1.0, 0)
            }
            (_, Some(factor), _) if each.is_some() => {
                let unit = Unit::Bandwidth {
                    binary: 1.0,
                    certain: true,
                };
                of(unit, factor, 1 + each.unwrap_or(0))
            }
            (_, Some(factor), _) => of(Unit::Size, factor, 1),
            _ => of(Unit::Bare, 1.0, 0),
        },
    )
}

/// The factor of a rate's unit behind a number, and how many tokens it has.
fn rate(tokens: &[Token], at: usize, looks: u8) -> Option<(f64, usize)> {
    let plain = |at| RATES.iter().find_map(|unit| words(tokens, at, unit));
    let told = number(tokens, at.checked_sub(1)?)?.value;
    // `26,834 SPC-1 IOPS`.
    let name = named(tokens, at).unwrap_or(0);
    if let Some(length) = plain(at + name) {
        // `ops: 262144 ops/sec: 10300` has a heading for each.
        let is_told = at > 1
            && [":", "="]
                .iter()
                .any(|sign| words(tokens, at - 2, &[sign]).is_some());
        let is_heading =
            (told < 1000.0 || is_told) && is_heading(tokens, at + name + length, looks);
        return (!is_heading).then_some((1.0, name + length));
    }
    let scale = match word(tokens, at).as_deref() {
        Some("kiops") => return Some((1e3, 1)),
        Some("miops") => return Some((1e6, 1)),
        Some(word) => self::scale(word),
        None => None,
    };
    let length = usize::from(scale.is_some());
    let scale = scale.or(Some(1.0).filter(|_| told >= 1000.0))?;
    // `1,2 Mio. IOPS`.
    let dot = words(tokens, at + length, &["."]).unwrap_or(0);
    if let Some(unit) = plain(at + length + dot) {
        // `670K 4K IOPS` has its rate before.
        let is_size = stands_behind_rate(tokens, at - 1, looks);
        return (!is_size).then_some((scale, length + dot + unit));
    }
    // `2.7 million random read IOPS`: the words between are read by themselves.
    // `4K random read IOPS` has its rate elsewhere, and so has `1M sequential read IOPS: 7000`.
    let is_size = told.fract() == 0.0 && (told as u64).is_power_of_two();
    if is_size && scale == 1e3 {
        return None;
    }
    let mut end = at + length;
    for _ in 0..KINDS.len() {
        end += match (number(tokens, end), word(tokens, end)) {
            // A size: `1.5 million 4K random read IOPS`.
            (Some(_), _) if word(tokens, end + 1).is_some_and(|w| size(&w).is_some()) => 2,
            (_, Some(kind)) if KINDS.contains(&kind.as_str()) => 1,
            _ if words(tokens, end, &["/"]).is_some() => 1,
            _ => break,
        };
    }
    let is_elsewhere = is_size && words(tokens, end + 1, &[":"]).is_some();
    let is_rate = end > at + length && plain(end).is_some();
    (is_rate && !is_elsewhere).then_some((scale, length))
}

/// Number of tokens of a rate's unit of several words, behind which its number may stand: `ops/sec: 42145.24`.
pub(super) fn rate_heading(tokens: &[Token], at: usize) -> Option<usize> {
    let mut units = RATES.iter().filter(|unit| unit.len() > 2);
    let length = units.find_map(|unit| words(tokens, at, unit))?;
    let sign = words(tokens, at + length, &[":"]).or(words(tokens, at + length, &["="]));
    sign.map(|sign| length + sign)
}

/// `run 2 IOPS: 100000`, `qd=32 iops=310k`: the rate stands behind its unit.
fn is_heading(tokens: &[Token], at: usize, looks: u8) -> bool {
    let Some(looks) = looks.checked_sub(1) else {
        return false;
    };
    let equals = words(tokens, at, &["="]);
    let sign = equals.or(words(tokens, at, &[":"])).unwrap_or(0);
    amount_within(tokens, at + sign, looks).is_some_and(|next| match next.unit {
        _ if equals.is_some() => true,
        Unit::Bare => next.value >= 1000.0 || next.value.fract() != 0.0,
        Unit::Scaled { bytes } => bytes % 512.0 != 0.0 || !(bytes as u64).is_power_of_two(),
        _ => false,
    })
}

/// Whether the words of a rate end before this number, without its unit.
fn stands_behind_rate(tokens: &[Token], at: usize, looks: u8) -> bool {
    let Some(looks) = looks.checked_sub(1) else {
        return false;
    };
    let ends_here = |begin: usize| {
        let unit = number(tokens, begin).and_then(|_| rate(tokens, begin + 1, looks));
        unit.is_some_and(|(_, length)| begin + 1 + length == at)
    };
    (1..=2).any(|back| at.checked_sub(back).is_some_and(ends_here))
}

/// Words for a load that may stand between a rate's number and its unit.
const KINDS: [&str; 8] = [
    "random",
    "rand",
    "sequential",
    "seq",
    "read",
    "reads",
    "write",
    "writes",
];

/// Bytes or bits each second, where the word alone or what follows it says so.
fn transfer(written: &str, each: bool) -> Option<(Unit, f64)> {
    let lower = written.to_lowercase();
    let stem = match lower.strip_suffix("ps") {
        Some(stem) => stem,
        None if each => lower.as_str(),
        None => return None,
    };
    let mut letters = stem.chars();
    let power = match letters.next()? {
        'k' => 1,
        'm' => 2,
        'g' => 3,
        't' => 4,
        _ => return None,
    };
    let (decimal, binary) = (1000_f64.powi(power), 1024_f64.powi(power));
    // `gb/s` in small letters may be either; a speed of a port is read before this.
    let is_bits = match letters.as_str() {
        "bit" | "bits" => true,
        "b" => {
            let capital = written.starts_with(['K', 'M', 'G', 'T']);
            written.chars().nth(1) == Some('b')
                && (capital || matches!(lower.as_str(), "kbps" | "mbps" | "gbps"))
        }
        "ib" | "byte" | "bytes" => false,
        _ => return None,
    };
    if is_bits {
        return Some((Unit::Bits, decimal));
    }
    let certain = letters.as_str() == "ib";
    let factor = if certain { binary } else { decimal };
    let binary = binary / factor;
    Some((Unit::Bandwidth { binary, certain }, factor))
}

fn size(lower: &str) -> Option<f64> {
    let power = match lower {
        "b" | "byte" | "bytes" => 0,
        "k" | "kb" | "kib" | "kbyte" | "kbytes" => 1,
        "m" | "mb" | "mib" | "mbyte" | "mbytes" => 2,
        "g" | "gb" | "gib" | "gbyte" | "gbytes" => 3,
        "t" | "tb" | "tib" => 4,
        _ => return None,
    };
    Some(1024_f64.powi(power))
}

fn time(lower: &str) -> Option<(Unit, f64)> {
    Some(match lower {
        "ns" | "nsec" => (Unit::Time, 1.0),
        "us" | "µs" | "μs" | "usec" | "usecs" | "microsecond" | "microseconds" => {
            (Unit::Time, 1e3)
        }
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => (Unit::Time, 1e6),
        "s" | "sec" | "secs" | "second" | "seconds" => (Unit::Time, 1e9),
        "min" | "mins" | "minute" | "minutes" => (Unit::Long, 60e9),
        "h" | "hr" | "hrs" | "hour" | "hours" => (Unit::Long, 3600e9),
        "day" | "days" => (Unit::Long, 86_400e9),
        _ => return None,
    })
}
