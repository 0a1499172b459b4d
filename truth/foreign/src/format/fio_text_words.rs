//! Words of fio's text for people: amounts with prefixes, times with units, `key=value`.

use super::fio_node::{BUCKETS, DEPTHS, Filling};
use crate::text;
use std::borrow::Cow;

/// A number in any locale, perhaps with a unit, without marks of thousands and with a point: fio tells no three decimals.
fn plain(word: &str) -> Cow<'_, str> {
    let Some((_, behind)) = word.rsplit_once(',') else {
        return Cow::Borrowed(word);
    };
    let end = behind.find(|c: char| !c.is_ascii_digit());
    let is_thousands = end.unwrap_or(behind.len()) == 3 && !word.starts_with('0');
    Cow::Owned(word.replace(',', if is_thousands { "" } else { "." }))
}

/// Such a number without a unit.
pub fn number(word: &str) -> Option<f64> {
    text::amount(&plain(word))
}

/// A number with a prefix and perhaps a unit, as fio prints it: `1629k`, `63.6MiB`, `4096B/s`, `50.9Mbit/s`. Amounts are in bytes.
/// `kib` is what `K` and `M` without an `i` are powers of.
pub fn amount(word: &str, kib: f64) -> Option<f64> {
    let word = plain(word.trim().trim_end_matches("/s"));
    let (word, bits) = match word.strip_suffix("bit") {
        Some(rest) => (rest, 8.0),
        None => (word.trim_end_matches('B'), 1.0),
    };
    let (word, base) = match word.strip_suffix('i') {
        Some(rest) => (rest, 1024.0),
        None => (word, kib),
    };
    let (digits, power) = match word.chars().last()? {
        'k' | 'K' => (&word[..word.len() - 1], 1),
        'M' => (&word[..word.len() - 1], 2),
        'G' => (&word[..word.len() - 1], 3),
        'T' => (&word[..word.len() - 1], 4),
        'P' => (&word[..word.len() - 1], 5),
        'E' => (&word[..word.len() - 1], 6),
        _ => (word, 0),
    };
    let value = text::amount(digits)? * base.powi(power) / bits;
    (value < 1e18).then_some(value)
}

/// Unit of an amount's last digit: 0.1 MiB of `63.6MiB`.
pub fn last_digit(word: &str, kib: f64) -> Option<f64> {
    let word = plain(word.trim());
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let (digits, unit) = word.split_at(end.unwrap_or(word.len()));
    let decimals = digits.split_once('.').map_or(0, |(_, d)| d.len().min(9));
    Some(amount(&format!("1{unit}"), kib)? / 10_f64.powi(decimals as i32))
}

/// An amount one unit higher, where its decimals are zeros: fio rounds decimals by themselves and drops what they carry, so that it prints
/// 22.97 as `22.0`.
pub fn carried(word: &str, kib: f64) -> Option<f64> {
    let word = &*plain(word);
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let (digits, unit) = word.split_at(end.unwrap_or(word.len()));
    let (_, decimals) = digits.split_once('.')?;
    let zeros = !decimals.is_empty() && decimals.bytes().all(|b| b == b'0');
    let (reported, one) = (amount(word, kib)?, amount(&format!("1{unit}"), kib)?);
    zeros.then_some(reported + one)
}

/// Value that an amount stands for, by others that have to be the same: as it is told, unless none of them agrees and all that do say that
/// its carry was lost.
pub fn told_or_carried(reported: f64, carried: Option<f64>, others: &[f64]) -> f64 {
    const CLOSE: f64 = 0.006;
    let agrees = |value: f64| others.iter().any(|o| (value - o).abs() <= CLOSE * o);
    match carried {
        Some(carried) if !agrees(reported) && agrees(carried) => carried,
        _ => reported,
    }
}

/// A count: `1629k` is 1,629,000.
pub fn count(word: &str) -> Option<f64> {
    amount(word, 1000.0)
}

/// Text that follows `key` and `=`, up to a comma that is none of a number, a blank that no unit follows, or a bracket.
pub fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let found = line.match_indices(key).find_map(|(at, _)| {
        let starts = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>');
        line[at + key.len()..].strip_prefix('=').filter(|_| starts)
    })?;
    let found = found.trim_start();
    let is_digit = |c: char| c.is_ascii_digit();
    let is_inner =
        |at: usize| found[..at].ends_with(is_digit) && found[at + 1..].starts_with(is_digit);
    let ends = |at: usize, c: char| match c {
        ',' => !is_inner(at),
        _ => matches!(c, '(' | ')' | ';') || c.is_whitespace(),
    };
    let mut places = found.char_indices();
    let end = places.find(|(at, c)| ends(*at, *c));
    let (word, behind) = found.split_at(end.map_or(found.len(), |(at, _)| at));
    // `max=14393 k,`.
    let unit = behind.trim_start();
    let is_unit = unit.starts_with(['k', 'M', 'G']) && unit[1..].starts_with([',', ')']);
    let whole = found.len() - unit.len() + usize::from(is_unit);
    Some(if is_unit { &found[..whole] } else { word })
}

/// The numbers behind `key=` that commas or slashes part: `total=1,2,0`, `total=r=1/w=2/d=0`.
pub fn several(line: &str, key: &str) -> Vec<Option<f64>> {
    let Some(at) = line.find(&format!("{key}=")) else {
        return Vec::new();
    };
    let rest = &line[at + key.len() + 1..];
    let rest = rest.split_whitespace().next().unwrap_or_default();
    let parts = rest.trim_end_matches(',').split([',', '/']);
    let numbers = parts.map(|part| text::amount(part.trim_start_matches(['r', 'w', 'd', '='])));
    let numbers: Vec<Option<f64>> = numbers.take_while(Option::is_some).collect();
    // Of more than four some commas part thousands.
    if numbers.len() > 4 {
        return Vec::new();
    }
    numbers
}

/// Number of ns in a unit in brackets: `clat (usec): …`.
pub fn unit(line: &str) -> Option<f64> {
    [("(nsec)", 1.0), ("(usec)", 1e3), ("(msec)", 1e6)]
        .into_iter()
        .find(|(name, _)| line.contains(name))
        .map(|(_, ns)| ns)
}

/// Number of jobs in `Starting 4 threads`, `Starting 2 threads and 1 process`.
pub fn started(line: &str) -> Option<f64> {
    let words: Vec<&str> = line.strip_prefix("Starting ")?.split_whitespace().collect();
    let parts = words.chunks(3).map(|part| match part {
        [n, what] | [n, what, "and"]
            if what.starts_with("thread") || what.starts_with("process") =>
        {
            number(n)
        }
        _ => None,
    });
    parts.sum()
}

/// Pairs of `key=share%`, shares in percent: `250=72.49%, >=2000=0.10%`.
pub fn shares(text: &str) -> impl Iterator<Item = (&str, Option<f64>)> {
    let mut rest = Some(text);
    let parts = std::iter::from_fn(move || {
        let all = rest?;
        let mut commas = all.match_indices(',').map(|(at, _)| at);
        let at = commas.find(|at| {
            !all[at + 1..].starts_with(|c: char| c.is_ascii_digit()) || has_key(&all[at + 1..])
        });
        rest = at.map(|at| &all[at + 1..]);
        Some(at.map_or(all, |at| &all[..at]))
    });
    parts.filter_map(|part| {
        let (key, share) = part.rsplit_once('=')?;
        Some((key.trim(), number(share)))
    })
}

/// True where the text before the next comma is a pair.
fn has_key(text: &str) -> bool {
    let next = text.split(',').next();
    next.is_some_and(|next| next.contains('='))
}

/// Levels of depths in percent, as a line tells them, under the keys of the JSON.
pub(super) fn levels(line: u32, reported: &str) -> Filling {
    let mut of = Filling::default();
    for (key, share) in shares(reported).take(DEPTHS.len()) {
        of.number(key, line, share);
    }
    of
}

/// Shares of times of a unit, under the keys of the JSON; zeros for those that are not told.
pub(super) fn filled(line: u32, reported: &Filling, bounds: &[&str]) -> Filling {
    let mut of = Filling::default();
    for bound in bounds {
        of.number(bound, line, Some(reported.get(bound).unwrap_or(0.0)));
    }
    of
}

/// Buckets by the unit that a line names: `lat (usec)`.
pub(super) fn bucket_of(unit_ns: f64) -> Option<usize> {
    BUCKETS.iter().position(|(_, ns, _)| *ns == unit_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_prefixes_of_all_versions() {
        for (word, kib, value) in [
            ("1629k", 1000.0, 1_629_000.0),
            ("4507.7k", 1000.0, 4_507_700.0),
            ("63.6MiB", 1000.0, 63.6 * 1_048_576.0),
            ("4096kB/s", 1000.0, 4_096_000.0),
            ("1024.0KB", 1024.0, 1_048_576.0),
            ("4096B/s", 1000.0, 4096.0),
            ("80.0Mbit/s", 1000.0, 10_000_000.0),
            ("853", 1000.0, 853.0),
        ] {
            let read = amount(word, kib).expect(word);
            assert!((read - value).abs() < 1e-6 * value, "{word}: {read}");
        }
        for word in ["", "k", "-5", "nan", "1.2.3k", "9e99E"] {
            assert_eq!(amount(word, 1000.0), None, "{word}");
        }
    }

    #[test]
    fn zeros_behind_the_point_may_have_lost_their_carry() {
        assert_eq!(carried("22.0MiB/s", 1000.0), amount("23MiB", 1000.0));
        assert_eq!(carried("27.0k", 1000.0), Some(28_000.0));
        for word in ["22.1MiB/s", "22MiB/s", "853", "", ".", "-"] {
            assert_eq!(carried(word, 1000.0), None, "{word}");
        }
        assert_eq!(told_or_carried(22.0, Some(23.0), &[22.98]), 23.0);
        assert_eq!(told_or_carried(22.0, Some(23.0), &[22.02, 22.98]), 22.0);
        assert_eq!(told_or_carried(22.0, Some(23.0), &[30.0]), 22.0);
    }

    #[test]
    fn values_stand_behind_their_keys() {
        let line = "bw (  KiB/s): min= 4008, max=4009, per=100.00%, avg=4008.00, samples=1";
        assert_eq!(value(line, "min"), Some("4008"));
        assert_eq!(value(line, "samples"), Some("1"));
        assert_eq!(value(line, "stdev"), None);
        let issued = "issued    : total=r=1/w=256/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0";
        assert_eq!(
            several(issued, "total"),
            [Some(1.0), Some(256.0), Some(0.0)]
        );
        assert_eq!(several(issued, "drop").len(), 3);
    }
}
