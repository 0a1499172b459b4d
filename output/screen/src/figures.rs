//! Figures as they look on the screen; a dash where there is none.

use plimsoll_report::human;

/// None, or not known.
const NONE: &str = "—";

pub(crate) fn rate(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.into(), human::rate)
}

/// Bytes each second.
pub(crate) fn bandwidth(value: Option<f64>) -> String {
    let of = |bytes: f64| format!("{}/s", human::bytes(bytes.max(0.0) as u64));
    value.map_or_else(|| NONE.into(), of)
}

/// A time of so many microseconds.
pub(crate) fn time(us: Option<f64>) -> String {
    us.map_or_else(|| NONE.into(), |us| human::time(us * 1e3))
}

pub(crate) fn depth(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.into(), |depth| format!("{depth:.1}"))
}

pub(crate) fn share(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.into(), human::percent)
}
