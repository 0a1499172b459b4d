//! Numbers with their units, as people read them.

use crate::human;
use plimsoll_evidence::{AxisUnit, ChartAxis, Quantity};
use plimsoll_printable::Printable;

/// From here on a time is read better in minutes.
const MINUTES_S: f64 = 120.0;

/// A quantity.
pub(crate) fn quantity(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Count(n) => human::count(*n),
        Quantity::Bytes(n) => human::bytes(*n),
        Quantity::Text(text) => word(text),
        Quantity::Seconds(n)
        | Quantity::Ns(n)
        | Quantity::Share(n)
        | Quantity::PerSecond(n)
        | Quantity::BytesPerSecond(n)
        | Quantity::Number(n) => number(quantity, *n),
    }
}

/// Letters of a word that are shown: it stands in tables, whose every line is as wide as the widest.
const LONGEST: usize = 400;

/// A word of somebody else's, fit to be shown.
pub(crate) fn word(text: &str) -> String {
    let shown: String = text.chars().take(LONGEST).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{}{more}", Printable(&shown))
}

/// A number in the unit of a quantity: the end of its interval.
pub(crate) fn number(of: &Quantity, n: f64) -> String {
    let unit = match of {
        Quantity::Seconds(_) => AxisUnit::Seconds,
        Quantity::Ns(_) => AxisUnit::Ns,
        Quantity::Share(_) => AxisUnit::Share,
        Quantity::PerSecond(_) => AxisUnit::PerSecond,
        Quantity::BytesPerSecond(_) => AxisUnit::BytesPerSecond,
        Quantity::Bytes(_) => AxisUnit::Bytes,
        Quantity::Count(_) | Quantity::Number(_) | Quantity::Text(_) => AxisUnit::Number,
    };
    in_unit(unit, n)
}

/// The ends of a 95 % interval: `1,200/s to 1,260/s`.
pub(crate) fn interval(of: &Quantity, (low, high): (f64, f64)) -> String {
    format!("{} to {}", number(of, low), number(of, high))
}

/// A place on an axis: its name where it has one.
pub(crate) fn on_axis(axis: &ChartAxis, at: f64) -> String {
    let index = (at >= 0.0 && at.fract() == 0.0).then_some(at as usize);
    match index.and_then(|i| axis.categories.get(i)) {
        Some(name) => word(name),
        // Zero has no unit, and a depth of 8 no digits behind the point.
        None if at == 0.0 => "0".into(),
        None if axis.unit == AxisUnit::Number && at.fract() == 0.0 && at.abs() < 1e15 => {
            human::exact(at)
        }
        None => in_unit(axis.unit, at),
    }
}

fn in_unit(unit: AxisUnit, n: f64) -> String {
    // Bytes have no sign of their own.
    let bytes = |n: f64| match n < 0.0 {
        true => format!("-{}", human::bytes(-n as u64)),
        false => human::bytes(n as u64),
    };
    match unit {
        AxisUnit::Seconds if n.abs() >= MINUTES_S && n > 0.0 => human::duration(n),
        AxisUnit::Seconds => human::time(n * 1e9),
        AxisUnit::Ns => human::time(n),
        AxisUnit::Share => human::percent(n),
        AxisUnit::PerSecond => format!("{}/s", human::rate(n)),
        AxisUnit::BytesPerSecond => format!("{}/s", bytes(n)),
        AxisUnit::Bytes => bytes(n),
        AxisUnit::Number | AxisUnit::Name => human::number(n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_has_its_unit() {
        let cases = [
            (Quantity::Seconds(1.5), "1.50s"),
            (Quantity::Seconds(4520.0), "1h15m"),
            (Quantity::Ns(1_500_000.0), "1.50ms"),
            (Quantity::Share(0.125), "12%"),
            (Quantity::PerSecond(1234.4), "1,234/s"),
            (Quantity::Count(1234), "1,234"),
            (Quantity::Bytes(8192), "8.00 KiB"),
            (Quantity::BytesPerSecond(-8192.0), "-8.00 KiB/s"),
            (Quantity::Number(0.0123), "0.0123"),
            (Quantity::Text("a\x1b".into()), "a\\x1b"),
        ];
        for (of, text) in cases {
            assert_eq!(quantity(&of), text, "{of:?}");
        }
        let long = quantity(&Quantity::Text("é".repeat(1000)));
        assert_eq!(long.chars().count(), LONGEST + 1);
        let rate = Quantity::PerSecond(0.0);
        assert_eq!(interval(&rate, (1200.0, 1260.0)), "1,200/s to 1,260/s");
    }

    #[test]
    fn zero_and_whole_numbers_on_an_axis_are_short() {
        let on = |unit: AxisUnit, at: f64| on_axis(&ChartAxis::of("x", unit), at);
        assert_eq!(on(AxisUnit::Ns, 0.0), "0");
        assert_eq!(on(AxisUnit::Number, 64.0), "64");
        assert_eq!(on(AxisUnit::Number, -0.5), "-0.500");
        assert_eq!(on(AxisUnit::Bytes, 4096.0), "4.00 KiB");
    }

    #[test]
    fn an_axis_of_names_has_names_and_no_place_is_too_far() {
        let axis = ChartAxis::names("phase", vec!["fresh".into(), "after".into()]);
        assert_eq!(on_axis(&axis, 1.0), "after");
        for at in [-1.0, 0.5, 2.0, 1e300, f64::NAN] {
            assert!(!["fresh", "after"].contains(&on_axis(&axis, at).as_str()));
        }
    }
}
