//! Numbers as fio reads them, and where that is not what they look like.
//!
//! fio reads digits, then a suffix by its first letters. What it does not know it takes for a factor of one, without a word;
//! each such case is a [`Misreading`].

use super::arithmetic;
use super::reading::is_blank;

/// A number, and what is odd about how fio reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    /// What fio takes it for: bytes, a count, or microseconds.
    pub value: i64,
    /// It is a percentage.
    pub percent: bool,
    /// It is a number of zones.
    pub zones: bool,
    /// What was probably meant, where it is something else.
    pub misreading: Option<Misreading>,
}

/// Misreading: a number that fio takes for another than it looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Misreading {
    /// A fraction: it and the suffix are dropped.
    Fraction {
        /// What to write for what was meant.
        instead: String,
    },
    /// `KiB` is 1000 where `kb` is 1024, and the other way round.
    Swapped {
        /// What fio makes of the unit.
        factor: u64,
        /// What to write for what was meant.
        instead: String,
    },
    /// A suffix that stands for nothing.
    Unknown {
        /// The suffix.
        suffix: String,
        /// What to write, where that can be told.
        instead: Option<String>,
    },
    /// A blank before it, for which the unit does not count.
    Blank {
        /// The number without the blank.
        instead: String,
    },
    /// Several numbers where one is taken.
    Several {
        /// The one that counts.
        instead: String,
    },
}

/// A size or a count; `kb` is what `k` stands for, 1024 or 1000. `None` where it begins with no digit, or is too large.
pub(super) fn size(text: &str, kb: u64) -> Option<Number> {
    let text = text.trim_end();
    if let Some(bare) = behind_blank(text) {
        return read_without_unit(bare, size(bare, kb)?, 1);
    }
    if let Some(value) = computed(text, &|s| Some(size_factor(s, kb)?.0 as f64)) {
        return Some(plain(value));
    }
    let zones = text
        .strip_suffix(['z', 'Z'])
        .filter(|t| !t.is_empty() && t.chars().all(|c| c.is_ascii_digit()));
    let split = Split::of(text)?;
    if let Some(number) = zones {
        return Some(Number {
            zones: true,
            ..plain(number.parse().ok()?)
        });
    }
    let meant = |unit: &str| format!("{}{unit}", split.written);
    if let Some(fraction) = split.fraction {
        let instead =
            fraction_of(fraction, split.suffix, kb).unwrap_or_else(|| "a whole number".into());
        return Some(Number {
            misreading: Some(Misreading::Fraction { instead }),
            ..plain(split.value)
        });
    }
    if split.suffix.is_empty() {
        return Some(plain(split.value));
    }
    if split.suffix.starts_with('%') {
        return Some(Number {
            percent: true,
            ..plain(split.value)
        });
    }
    let Some((factor, swapped)) = size_factor(split.suffix, kb) else {
        return Some(Number {
            misreading: Some(Misreading::Unknown {
                suffix: split.suffix.to_string(),
                instead: size_factor(split.suffix.trim_start(), kb)
                    .map(|_| meant(split.suffix.trim_start())),
            }),
            ..plain(split.value)
        });
    };
    let factor_signed = i64::try_from(factor).ok()?;
    let letter = split.suffix[..1].to_ascii_lowercase();
    Some(Number {
        misreading: swapped.then(|| Misreading::Swapped {
            factor,
            instead: meant(&letter),
        }),
        ..plain(split.value.checked_mul(factor_signed)?)
    })
}

/// A time; `unit` is what a bare number counts, microseconds. The value is in microseconds.
pub(super) fn time(text: &str, unit: i64) -> Option<Number> {
    let text = text.trim_end();
    if let Some(bare) = behind_blank(text) {
        return read_without_unit(bare, time(bare, unit)?, unit);
    }
    if let Some(value) = computed(text, &|s| time_factor(s).map(|f| f as f64)) {
        return Some(plain(value));
    }
    let split = Split::of(text)?;
    if split.fraction.is_some() {
        return Some(Number {
            misreading: Some(Misreading::Fraction {
                instead: "a whole number of a smaller unit, as 1500ms for 1.5s".to_string(),
            }),
            ..plain(split.value.checked_mul(unit)?)
        });
    }
    if split.suffix.is_empty() {
        return Some(plain(split.value.checked_mul(unit)?));
    }
    // fio looks for a unit only where a letter follows the digits at once.
    if !split.suffix.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let meant = split.suffix.trim_start();
        let is_same = time_factor(meant) == Some(unit);
        return Some(Number {
            misreading: (!is_same).then(|| Misreading::Unknown {
                suffix: split.suffix.to_string(),
                instead: meant_time(meant).map(|unit| format!("{}{unit}", split.written)),
            }),
            ..plain(split.value.checked_mul(unit)?)
        });
    }
    match time_factor(split.suffix) {
        Some(factor) => Some(plain(split.value.checked_mul(factor)?)),
        None => Some(Number {
            misreading: Some(Misreading::Unknown {
                suffix: split.suffix.to_string(),
                instead: meant_time(split.suffix.trim_start())
                    .map(|unit| format!("{}{unit}", split.written)),
            }),
            ..plain(split.value)
        }),
    }
}

/// Last of several numbers with commas, colons or dashes between them, where the option takes one and fio hands it each in turn.
/// `None` where there is one.
pub(super) fn last_of_several(text: &str, kb: u64) -> Option<Number> {
    let (mut rest, mut read) = (text, Vec::new());
    loop {
        let separator = match [',', ':'].into_iter().find_map(|c| rest.find(c)) {
            // A dash that begins a number is its sign.
            None => rest.get(1..).and_then(|r| r.find('-')).map(|at| at + 1),
            found => found,
        };
        let end = separator.unwrap_or(rest.len());
        read.extend(size(&rest[..end], kb).map(|number| (&rest[..end], number)));
        match separator {
            Some(at) => rest = &rest[at + 1..],
            None => break,
        }
    }
    let (written, last) = read.pop().filter(|_| !read.is_empty())?;
    Some(Number {
        misreading: Some(Misreading::Several {
            instead: written.trim().to_string(),
        }),
        ..last
    })
}

/// Text behind leading blanks; `None` where there are none.
fn behind_blank(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches(is_blank);
    (bare.len() < text.len()).then_some(bare)
}

/// A number behind a blank as fio reads it: it looks for a unit only where the text begins with the number. `meant` is what it
/// would be without the blank.
fn read_without_unit(bare: &str, meant: Number, unit: i64) -> Option<Number> {
    let value = Split::of(bare)?.value.checked_mul(unit)?;
    match meant.zones || meant.value == value && !meant.percent {
        true => Some(meant),
        false => Some(Number {
            misreading: Some(Misreading::Blank {
                instead: bare.to_string(),
            }),
            ..plain(value)
        }),
    }
}

fn plain(value: i64) -> Number {
    Number {
        value,
        percent: false,
        zones: false,
        misreading: None,
    }
}

/// What stands in parentheses.
fn computed(text: &str, unit: &dyn Fn(&str) -> Option<f64>) -> Option<i64> {
    if !text.starts_with('(') {
        return None;
    }
    let value = arithmetic::evaluate(text, unit)?.trunc();
    (value.abs() < 9e18).then_some(value as i64)
}

/// The parts of a number.
struct Split<'t> {
    written: &'t str,
    value: i64,
    /// Digits with their fraction, where there is one.
    fraction: Option<&'t str>,
    suffix: &'t str,
}

impl<'t> Split<'t> {
    fn of(text: &'t str) -> Option<Split<'t>> {
        let unsigned = text.trim_start_matches(['+', '-']);
        let sign = &text[..text.len() - unsigned.len()];
        if sign.len() > 1 {
            return None;
        }
        let hexadecimal = unsigned
            .strip_prefix("0x")
            .or_else(|| unsigned.strip_prefix("0X"));
        let (digits, base) = hexadecimal.map_or((unsigned, 10), |hex| (hex, 16));
        let end = digits
            .find(|c: char| !c.is_digit(base))
            .unwrap_or(digits.len());
        let value = i64::from_str_radix(&digits[..end], base).ok()?;
        let value = if sign == "-" { -value } else { value };
        let rest = &digits[end..];
        let after = rest.strip_prefix('.').map(|r| {
            let end = r.find(|c: char| !c.is_ascii_digit()).unwrap_or(r.len());
            (end, &r[end..])
        });
        let (fraction, suffix) = match after {
            Some((length, suffix)) => (Some(&digits[..end + 1 + length]), suffix),
            None => (None, rest),
        };
        let written = &text[..text.len() - rest.len()];
        // Behind a hexadecimal number fio looks for no unit.
        let suffix = if base == 16 { "" } else { suffix };
        // `4b` is 4 bytes, as it looks.
        let suffix = if suffix.eq_ignore_ascii_case("b") {
            ""
        } else {
            suffix
        };
        Some(Split {
            written,
            value,
            fraction,
            suffix,
        })
    }
}

const LETTERS: [&str; 5] = ["k", "m", "g", "t", "p"];

/// What a suffix multiplies by, and whether it is one of those whose meaning is swapped.
fn size_factor(suffix: &str, kb: u64) -> Option<(u64, bool)> {
    let lower = suffix.to_ascii_lowercase();
    let power = LETTERS.iter().position(|l| lower.starts_with(l))? as u32 + 1;
    let binary = lower[1..].starts_with("ib");
    let base = match (binary, kb) {
        (false, kb) => kb,
        (true, 1024) => 1000,
        (true, _) => 1024,
    };
    Some((base.checked_pow(power)?, binary && kb == 1024))
}

/// `1.5k` as bytes; `None` where that is no whole number.
fn fraction_of(number: &str, suffix: &str, kb: u64) -> Option<String> {
    let factor = match suffix {
        "" => 1,
        suffix => size_factor(suffix, kb)?.0,
    };
    let bytes = number.parse::<f64>().ok()? * factor as f64;
    (bytes.fract() == 0.0 && bytes < 9e15).then(|| format!("{bytes}"))
}

fn time_factor(suffix: &str) -> Option<i64> {
    Some(match suffix.to_ascii_lowercase().as_str() {
        unit if unit.starts_with("us") => 1,
        unit if unit.starts_with("ms") => 1000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    })
}

/// The unit that a word was probably meant for.
fn meant_time(suffix: &str) -> Option<&'static str> {
    let lower = suffix.to_ascii_lowercase();
    Some(match lower.as_str() {
        l if l.starts_with("sec") => "s",
        l if l.starts_with("min") => "m",
        l if l.starts_with("hour") || l == "hr" || l == "hrs" => "h",
        l if l.starts_with("day") => "d",
        l if l.starts_with("milli") => "ms",
        l if l.starts_with("micro") || l.starts_with("us") => "us",
        l if l.starts_with("ms") => "ms",
        "s" => "s",
        "m" => "m",
        "h" => "h",
        "d" => "d",
        _ => return None,
    })
}
