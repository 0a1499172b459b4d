//! Numbers, lists of numbers and ranges, as Vdbench's one converter reads them.

use super::codes;
use super::parameter::{Item, Value};
use plimsoll_diagnostic::{Diagnostic, Span};

/// The most values that one list may expand to.
const MAX_VALUES: usize = 100_000;

/// How suffixes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// `k m g t` are powers of 1024, `h` is 3600.
    Plain,
    /// The same, but `m` is 60: elapsed, interval, warmup, pause.
    Seconds,
}

/// One number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    /// Its value, the suffix applied.
    pub value: f64,
    /// It was followed by `%`.
    pub percent: bool,
    /// It is all that is left of a range that runs backwards.
    pub cut: bool,
    /// Where it is.
    pub span: Span,
}

/// The number that an item is.
pub(crate) fn number(item: &Item, unit: Unit) -> Result<Number, Box<Diagnostic>> {
    let (value, percent) =
        scalar(&item.text, unit).map_err(|problem| problem.diagnostic(item, unit))?;
    Ok(Number {
        value,
        percent,
        cut: false,
        span: item.span,
    })
}

/// Why a text is no number.
enum Problem {
    None,
    Suffix { digits: String, suffix: String },
}

fn scalar(text: &str, unit: Unit) -> Result<(f64, bool), Problem> {
    let (digits, suffix) = text.split_at(end_of_number(text));
    let value: f64 = match digits.parse() {
        Ok(value) if digits != "." => value,
        _ => return Err(Problem::None),
    };
    let lower = suffix.to_ascii_lowercase();
    // Of kb, mb, gb and tb Vdbench heeds the first letter.
    let letter = lower.strip_suffix('b').filter(|rest| rest.len() == 1);
    let factor = match (letter.unwrap_or(&lower), unit) {
        // d and f are Java's own, of a number in floating point.
        ("" | "d" | "f", _) => 1.0,
        ("%", _) => return Ok((value, true)),
        ("m", Unit::Seconds) => 60.0,
        ("k", _) => 1024.0,
        ("m", _) => 1_048_576.0,
        ("g", _) => 1_073_741_824.0,
        ("t", _) => 1_099_511_627_776.0,
        ("h", _) => 3600.0,
        _ => {
            return Err(Problem::Suffix {
                digits: digits.to_string(),
                suffix: suffix.to_string(),
            });
        }
    };
    Ok((value * factor, false))
}

/// End of the digits: behind an exponent, too, which Java reads.
fn end_of_number(text: &str) -> usize {
    let past = |from: usize, of: fn(char) -> bool| {
        text[from..]
            .find(|c: char| !of(c))
            .map_or(text.len(), |at| from + at)
    };
    let end = past(0, |c| c.is_ascii_digit() || c == '.');
    let power = match text[end..].starts_with(['e', 'E']) {
        true => past(end + 1, |c| c.is_ascii_digit()),
        false => end,
    };
    match end > 0 && power > end + 1 {
        true => power,
        false => end,
    }
}

impl Problem {
    fn diagnostic(self, item: &Item, unit: Unit) -> Box<Diagnostic> {
        let shown: String = item.text.chars().take(60).collect();
        let (is, expected) = match item.text.strip_prefix('-').map(str::parse::<f64>) {
            Some(Ok(_)) => ("is below 0", "expected a number from 0 on"),
            _ => ("is not a number", "expected a number"),
        };
        let message = format!("`{shown}` {is}");
        let diagnostic = Diagnostic::error(codes::NUMBER, message).at(item.span, expected);
        Box::new(match self {
            Problem::None if item.text.starts_with(['$', '!']) => diagnostic
                .note("this looks like a word that the command line should replace")
                .help(format!("add {}=VALUE to the command line", &item.text[1..])),
            Problem::None => diagnostic,
            Problem::Suffix { digits, suffix } => {
                let lower = suffix.to_ascii_lowercase();
                let meant = match (lower.as_str(), unit) {
                    ("s" | "sec" | "secs" | "seconds", Unit::Seconds) => Some(String::new()),
                    ("min" | "mins" | "minutes", Unit::Seconds) => Some("m".to_string()),
                    ("hours" | "hrs" | "hour", Unit::Seconds) => Some("h".to_string()),
                    ("kib" | "mib" | "gib" | "tib", Unit::Plain) => Some(lower[..1].to_string()),
                    _ => None,
                };
                let known = match unit {
                    Unit::Plain => "suffixes are k, m, g and t (powers of 1024)",
                    Unit::Seconds => "a time is in seconds; suffixes are m (60) and h (3600)",
                };
                let diagnostic = diagnostic.note(known);
                match meant {
                    Some(suffix) => diagnostic
                        .help(format!("write {digits}{suffix}"))
                        .patch(item.span, format!("{digits}{suffix}")),
                    None => diagnostic,
                }
            }
        })
    }
}

/// All numbers of a list, its ranges expanded: `(1-10,2)`, `(1-64,d)` doubling, `(64-1,d)` halving. Of a range that runs
/// backwards by a step, `(100-0,10)`, Vdbench takes the first value and no other.
pub(crate) fn numbers(value: &Value, unit: Unit) -> Result<Vec<Number>, Box<Diagnostic>> {
    let mut out = Vec::with_capacity(value.items.len());
    let mut items = value.items.iter().enumerate();
    while let Some((index, item)) = items.next() {
        let Some(dash) = item.dash else {
            if index > 0 && item.text.eq_ignore_ascii_case("d") {
                return Err(doubling_without_range(value, item));
            }
            out.push(number(item, unit)?);
            continue;
        };
        let end = |text: &str| {
            number(
                &Item {
                    text: text.to_string(),
                    dash: None,
                    span: item.span,
                },
                unit,
            )
        };
        let from = end(&item.text[..dash])?;
        let to = end(&item.text[dash + 1..])?;
        let Some((_, step)) = items.next() else {
            return Err(Box::new(
                Diagnostic::error(codes::RANGE, "a range without a step")
                    .at(item.span, "a range needs a step, or d to double")
                    .help(format!("write ({},STEP) or ({},d)", item.text, item.text)),
            ));
        };
        range(from, to, step, unit, &mut out)?;
    }
    Ok(out)
}

/// `(64,1,d)`, which Vdbench's manual has and its code rejects.
fn doubling_without_range(value: &Value, d: &Item) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error(codes::RANGE, "`d` follows no range")
        .at(d.span, "doubling needs from-to");
    Box::new(match &value.items[..] {
        [from, to, _] => {
            let meant = format!("({}-{},d)", from.text, to.text);
            diagnostic
                .note("Vdbench's manual shows this form; Vdbench itself rejects it")
                .help(format!("write {meant}"))
                .patch(value.span, meant)
        }
        _ => diagnostic,
    })
}

fn range(
    from: Number,
    to: Number,
    step: &Item,
    unit: Unit,
    out: &mut Vec<Number>,
) -> Result<(), Box<Diagnostic>> {
    let refuse = |why: &str| {
        Box::new(
            Diagnostic::error(codes::RANGE, "a range that cannot be expanded")
                .at(from.span, why)
                .at(step.span, "with this step"),
        )
    };
    let mut push = |value: f64| match out.len() < MAX_VALUES {
        true => {
            out.push(Number { value, ..from });
            Ok(())
        }
        false => Err(refuse("it has more than 100000 values")),
    };
    if step.text.eq_ignore_ascii_case("d") {
        if from.value <= 0.0 || to.value <= 0.0 {
            return Err(refuse("doubling needs ends above 0"));
        }
        let factor = if from.value <= to.value { 2.0 } else { 0.5 };
        let mut value = from.value;
        while (factor > 1.0 && value <= to.value) || (factor < 1.0 && value >= to.value) {
            push(value)?;
            value *= factor;
        }
        return Ok(());
    }
    let step_value = number(step, unit)?.value;
    if step_value <= 0.0 {
        return Err(refuse("the step must be above 0"));
    }
    if from.value > to.value {
        out.push(Number { cut: true, ..from });
        return Ok(());
    }
    if (to.value - from.value) / step_value >= MAX_VALUES as f64 {
        return Err(refuse("it has more than 100000 values"));
    }
    let mut index = 0.0;
    while from.value + index * step_value <= to.value {
        push(from.value + index * step_value)?;
        index += 1.0;
    }
    Ok(())
}

/// A number as Vdbench prints it in loops: below 1024 without its fraction, above in the largest unit that it reaches,
/// with three decimals unless they are all zero.
pub(crate) fn display(value: f64) -> String {
    const UNITS: [(f64, &str); 5] = [
        (1_125_899_906_842_624.0, "p"),
        (1_099_511_627_776.0, "t"),
        (1_073_741_824.0, "g"),
        (1_048_576.0, "m"),
        (1024.0, "k"),
    ];
    let Some((size, suffix)) = UNITS.into_iter().find(|(size, _)| value >= *size) else {
        return (value as i64).to_string();
    };
    let number = format!("{:.3}", value / size);
    format!("{}{suffix}", number.strip_suffix(".000").unwrap_or(&number))
}

/// Short text of a number where nothing is lost by it, else all digits: what names a step must tell 2 from 2.5.
pub(crate) fn exact(value: f64) -> String {
    let text = display(value);
    match scalar(&text, Unit::Plain) {
        Ok((read, false)) if read == value => text,
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_diagnostic::FileId;

    const NOWHERE: Span = Span {
        file: FileId(0),
        start: 0,
        end: 0,
    };

    fn list(items: &[&str]) -> Value {
        Value {
            items: items
                .iter()
                .map(|t| Item {
                    text: t.to_string(),
                    dash: t.find('-').filter(|at| *at > 0),
                    span: NOWHERE,
                })
                .collect(),
            list: true,
            span: NOWHERE,
        }
    }

    fn values(items: &[&str], unit: Unit) -> Option<Vec<f64>> {
        numbers(&list(items), unit)
            .ok()
            .map(|n| n.iter().map(|n| n.value).collect())
    }

    #[test]
    fn suffixes_are_powers_of_1024_and_m_is_a_minute_in_times() {
        assert_eq!(values(&["5k"], Unit::Plain), Some(vec![5120.0]));
        assert_eq!(values(&["1M"], Unit::Plain), Some(vec![1048576.0]));
        assert_eq!(
            values(&["30m", "6H"], Unit::Seconds),
            Some(vec![1800.0, 21600.0])
        );
        assert_eq!(
            values(&[".5", "14.2857"], Unit::Plain),
            Some(vec![0.5, 14.2857])
        );
        assert_eq!(values(&["10s"], Unit::Seconds), None);
        assert_eq!(values(&["400GiB"], Unit::Plain), None);
    }

    #[test]
    fn numbers_are_read_as_java_reads_them() {
        let taken = ["400GB", "1e3", "1E1k", "8d", "2.5f"];
        let bytes = [400.0 * 1_073_741_824.0, 1000.0, 10_240.0, 8.0, 2.5];
        assert_eq!(values(&taken, Unit::Plain), Some(bytes.to_vec()));
        for text in ["8b", "1e", "e3", "8dd", "8kd", "1e3e3"] {
            assert_eq!(values(&[text], Unit::Plain), None, "{text}");
        }
    }

    #[test]
    fn ranges_step_double_and_halve() {
        assert_eq!(
            values(&["1-10", "3"], Unit::Plain),
            Some(vec![1.0, 4.0, 7.0, 10.0])
        );
        assert_eq!(
            values(&["1k-4k", "d"], Unit::Plain),
            Some(vec![1024.0, 2048.0, 4096.0])
        );
        assert_eq!(
            values(&["8-1", "d"], Unit::Plain),
            Some(vec![8.0, 4.0, 2.0, 1.0])
        );
        assert_eq!(
            values(&["1", "4-8", "4", "20"], Unit::Plain),
            Some(vec![1.0, 4.0, 8.0, 20.0])
        );
    }

    #[test]
    fn ranges_that_cannot_be_expanded_are_refused_at_once() {
        for items in [
            vec!["1-1000000000", "1"],
            vec!["1-10", "0"],
            vec!["1-10"],
            vec!["64", "1", "d"],
            vec!["0-10", "d"],
        ] {
            assert_eq!(values(&items, Unit::Plain), None, "{items:?}");
        }
    }

    #[test]
    fn a_range_that_runs_backwards_is_its_first_value() {
        let cut = |items: &[&str]| {
            numbers(&list(items), Unit::Plain)
                .map(|n| n.iter().map(|n| (n.value, n.cut)).collect::<Vec<_>>())
                .unwrap_or_default()
        };
        assert_eq!(cut(&["100-0", "10"]), [(100.0, true)]);
        assert_eq!(cut(&["10-1", "2", "3"]), [(10.0, true), (3.0, false)]);
        assert_eq!(cut(&["8-4", "d"]), [(8.0, false), (4.0, false)]);
    }

    #[test]
    fn loop_values_print_in_the_largest_unit_that_they_reach() {
        for (value, text) in [
            (4096.0, "4k"),
            (512000.0, "500k"),
            (1048576.0, "1m"),
            (999.0, "999"),
            (0.0, "0"),
            (2.5, "2"),
            (1536.0, "1.500k"),
            (1e6, "976.562k"),
        ] {
            assert_eq!(display(value), text);
        }
        for (value, text) in [(1536.0, "1.500k"), (2.5, "2.5"), (1_049_088.0, "1049088")] {
            assert_eq!(exact(value), text);
        }
    }
}
