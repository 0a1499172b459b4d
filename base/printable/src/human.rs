//! Numbers as people read them, the same everywhere: in tables and sentences, in plans and in notes.
//!
//! Counts and rates have thousands separators and are never shortened to k or M; times have three significant digits
//! and the unit (ns, us, ms, s) that keeps them between 1 and 1000; sizes are binary (KiB, MiB, GiB, TiB); shares are
//! percentages with a digit behind the point below 10. The page of the HTML report does the same in `viewer/src/format.ts`;
//! `tests/numbers.json` is the test of both.

/// A whole number with thousands separators: `130,848`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with all its digits and thousands separators: `1,234.5`. For what somebody asked for.
pub fn exact(value: f64) -> String {
    let text = value.abs().to_string();
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if value < 0.0 { "-" } else { "" };
    match whole.parse() {
        Ok(whole) => format!("{sign}{}{rest}", count(whole)),
        // Past 2^64, or no number.
        Err(_) => value.to_string(),
    }
}

/// A share of 0..=1 in percent: `31%`, and below 10 `1.3%`; `<0.1%` where it would be nothing and is not.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "n/a".into();
    }
    let percent = share.abs() * 100.0;
    let sign = if share < 0.0 { "-" } else { "" };
    match percent {
        0.0 => "0%".into(),
        p if p < 0.05 => format!("{sign}<0.1%"),
        p if p < 9.95 || (99.5..99.95).contains(&p) => format!("{sign}{p:.1}%"),
        p => format!("{sign}{p:.0}%"),
    }
}

/// A rate: whole with separators from 100 on, one decimal from 10 on, two below; `0` where it's nothing.
pub fn rate(value: f64) -> String {
    if !value.is_finite() {
        return "n/a".into();
    }
    let size = value.abs();
    let sign = if value < 0.0 { "-" } else { "" };
    if size == 0.0 {
        "0".into()
    } else if size >= 99.95 {
        format!("{sign}{}", count(size.round() as u64))
    } else if size >= 9.995 {
        format!("{sign}{size:.1}")
    } else {
        format!("{sign}{size:.2}")
    }
}

/// A plain number: as a rate, but with three significant digits below 1, for a ratio may be small: `0.0123`, `1.2e-5`.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !size.is_finite() || size == 0.0 || size >= 0.9995 {
        return rate(value);
    }
    if size < 1e-4 {
        return format!("{value:.1e}");
    }
    // Rounded first, so that 0.0009996 is 0.00100.
    let rounded: f64 = format!("{size:.2e}").parse().unwrap_or(size);
    let decimals = 2 - rounded.log10().floor() as i32;
    format!("{value:.*}", decimals.unsigned_abs() as usize)
}

/// A time of `ns` nanoseconds, three significant digits: `98.4us`, `1.02ms`.
pub fn time(ns: f64) -> String {
    if !ns.is_finite() {
        return "n/a".into();
    }
    if ns < 0.0 {
        return format!("-{}", time(-ns));
    }
    for (unit, length) in [("ns", 1.0), ("us", 1e3), ("ms", 1e6)] {
        let value = ns / length;
        // Rounded first, so that 999.7 us is 1.00ms and never 1000us.
        if value < 999.5 {
            return if unit == "ns" {
                format!("{value:.0}ns")
            } else {
                format!("{}{unit}", three_digits(value))
            };
        }
    }
    format!("{}s", three_digits(ns / 1e9))
}

/// A time in a sentence: `2ms`, where a table has `2.00ms`.
pub fn time_in_text(ns: f64) -> String {
    let text = time(ns);
    let unit = text.find(char::is_alphabetic).unwrap_or(text.len());
    let (digits, unit) = text.split_at(unit);
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    };
    if digits.is_empty() {
        return unit.to_owned();
    }
    format!("{digits}{unit}")
}

/// A size in bytes: `512 B`, `4.00 KiB`, `64.0 GiB`.
pub fn bytes(value: u64) -> String {
    let mut size = value as f64;
    if size < 1024.0 {
        return format!("{value} B");
    }
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    size /= 1024.0;
    let mut unit = 0;
    while size >= 1023.5 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{} {}", three_digits(size), units[unit])
}

/// A size as DiskSPD writes it: whole in the largest unit that divides it, else with two digits behind the point: `64KiB`,
/// `1.95MiB`; below 1 KiB the number alone.
pub fn joined_bytes(value: u64) -> String {
    for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
        let size = 1u64 << shift;
        if value >= size {
            return match value.is_multiple_of(size) {
                true => format!("{}{unit}", value >> shift),
                false => format!("{:.2}{unit}", value as f64 / size as f64),
            };
        }
    }
    value.to_string()
}

/// A length of `seconds`: `0.5s`, `42s`, `2m10s`, `1h02m`.
pub fn duration(seconds: f64) -> String {
    if seconds < 10.0 && seconds.fract() != 0.0 {
        return format!("{seconds:.1}s");
    }
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{whole}s"),
        60..3600 => format!("{}m{:02}s", whole / 60, whole % 60),
        _ => format!("{}h{:02}m", whole / 3600, whole % 3600 / 60),
    }
}

/// A quantile's usual name: 0.5 is `p50`, 0.999 is `p99.9`.
pub fn quantile(q: f64) -> String {
    let percent = format!("{:.7}", q * 100.0);
    format!("p{}", percent.trim_end_matches('0').trim_end_matches('.'))
}

fn three_digits(value: f64) -> String {
    if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        count(value.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_keep_about_three_digits_and_separate_thousands() {
        let cases = [
            (0.0, "0"),
            (0.5, "0.50"),
            (9.999, "10.0"),
            (99.96, "100"),
            (1400.4, "1,400"),
            (130_848.0, "130,848"),
            (12_345_678.0, "12,345,678"),
            (-2900.0, "-2,900"),
            (f64::NAN, "n/a"),
        ];
        for (value, text) in cases {
            assert_eq!(rate(value), text);
        }
    }

    #[test]
    fn plain_numbers_keep_three_digits_however_small() {
        let cases = [
            (0.9996, "1.00"),
            (0.99, "0.990"),
            (0.1, "0.100"),
            (0.000_999_6, "0.00100"),
            (-1e-9, "-1.0e-9"),
            (f64::NAN, "n/a"),
            (f64::INFINITY, "n/a"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text, "{value}");
        }
    }

    #[test]
    fn times_never_round_to_a_thousand_of_a_unit() {
        let cases = [
            (0.0, "0ns"),
            (640.0, "640ns"),
            (999.7, "1.00us"),
            (98_400.0, "98.4us"),
            (999_700.0, "1.00ms"),
            (1_020_000.0, "1.02ms"),
            (12_300_000_000.0, "12.3s"),
            (3_600_000_000_000.0, "3,600s"),
            (-1_500_000.0, "-1.50ms"),
            (f64::NAN, "n/a"),
        ];
        for (ns, text) in cases {
            assert_eq!(time(ns), text);
        }
    }

    #[test]
    fn times_in_sentences_have_no_zeros_that_say_nothing() {
        let cases = [
            (0.0, "0ns"),
            (999.0, "999ns"),
            (98_400.0, "98.4us"),
            (999_700.0, "1ms"),
            (1_500_000.0, "1.5ms"),
            (90_000_000_000.0, "90s"),
            (f64::NAN, "n/a"),
        ];
        for (ns, text) in cases {
            assert_eq!(time_in_text(ns), text);
        }
    }

    #[test]
    fn sizes_and_lengths_choose_their_unit() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(4096), "4.00 KiB");
        assert_eq!(bytes(64 << 30), "64.0 GiB");
        assert_eq!(bytes(1 << 50), "1.00 PiB");
        assert_eq!(duration(0.5), "0.5s");
        assert_eq!(duration(59.6), "1m00s");
        assert_eq!(duration(3725.0), "1h02m");
    }

    #[test]
    fn what_was_asked_for_keeps_its_digits() {
        let cases = [
            (0.0, "0"),
            (100.0, "100"),
            (1234.5, "1,234.5"),
            (130_848.0, "130,848"),
            (0.25, "0.25"),
            (-2900.125, "-2,900.125"),
            (1e22, "10000000000000000000000"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(exact(value), text);
        }
    }

    #[test]
    fn shares_have_two_digits_and_are_nothing_only_where_they_are() {
        let cases = [
            (0.0, "0%"),
            (0.000_01, "<0.1%"),
            (0.0005, "0.1%"),
            (0.0131, "1.3%"),
            (0.0996, "10%"),
            (0.31, "31%"),
            (1.0, "100%"),
            (-0.057, "-5.7%"),
            (f64::NAN, "n/a"),
        ];
        for (share, text) in cases {
            assert_eq!(percent(share), text, "{share}");
        }
    }

    #[test]
    fn quantiles_have_their_usual_names() {
        for (q, name) in [
            (0.5, "p50"),
            (0.99, "p99"),
            (0.999, "p99.9"),
            (0.9999, "p99.99"),
            (0.999_999_999, "p99.9999999"),
        ] {
            assert_eq!(quantile(q), name);
        }
    }
}
