//! Words of fio's text for people: amounts with prefixes, times with units, `key=value`.

use super::fio_node::{BUCKETS, DEPTHS, Filling};
use crate::text;

/// A number with a prefix and perhaps a unit, as fio prints it: `1629k`, `63.6MiB`, `4096B/s`, `50.9Mbit/s`. Amounts are in bytes.
/// `kib` is what `K` and `M` without an `i` are powers of.
pub fn amount(word: &str, kib: f64) -> Option<f64> {
    let word = word.trim().trim_end_matches("/s");
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

/// What the last digit of an amount stands for: 0.1 MiB of `63.6MiB`.
pub fn last_digit(word: &str, kib: f64) -> Option<f64> {
    let word = word.trim();
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let (digits, unit) = word.split_at(end.unwrap_or(word.len()));
    let decimals = digits.split_once('.').map_or(0, |(_, d)| d.len().min(9));
    Some(amount(&format!("1{unit}"), kib)? / 10_f64.powi(decimals as i32))
}

/// A count: `1629k` is 1,629,000.
pub fn count(word: &str) -> Option<f64> {
    amount(word, 1000.0)
}

/// What follows `key` and `=`, up to a comma, a blank or a bracket.
pub fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let found = line.match_indices(key).find_map(|(at, _)| {
        let starts = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>');
        line[at + key.len()..].strip_prefix('=').filter(|_| starts)
    })?;
    let found = found.trim_start();
    let end = found.find(|c: char| matches!(c, ',' | '(' | ')' | ';') || c.is_whitespace());
    Some(&found[..end.unwrap_or(found.len())])
}

/// The numbers behind `key=` that commas or slashes part: `total=1,2,0`, `total=r=1/w=2/d=0`.
pub fn several(line: &str, key: &str) -> Vec<Option<f64>> {
    let Some(at) = line.find(&format!("{key}=")) else {
        return Vec::new();
    };
    let rest = &line[at + key.len() + 1..];
    let rest = rest.split_whitespace().next().unwrap_or_default();
    let parts = rest.trim_end_matches(',').split([',', '/']).take(4);
    parts
        .map(|part| text::amount(part.trim_start_matches(['r', 'w', 'd', '='])))
        .collect()
}

/// What a unit in brackets is in ns: `clat (usec): …`.
pub fn unit(line: &str) -> Option<f64> {
    [("(nsec)", 1.0), ("(usec)", 1e3), ("(msec)", 1e6)]
        .into_iter()
        .find(|(name, _)| line.contains(name))
        .map(|(_, ns)| ns)
}

/// Pairs of `key=share%`, shares in percent: `250=72.49%, >=2000=0.10%`.
pub fn shares(text: &str) -> impl Iterator<Item = (&str, Option<f64>)> {
    let parts = text.split(',').map(str::trim).filter(|p| !p.is_empty());
    parts.filter_map(|part| {
        let (key, share) = part.rsplit_once('=')?;
        Some((key.trim(), text::amount(share)))
    })
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
