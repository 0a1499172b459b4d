//! Numbers as notes and findings print them: as all output has them.

use plimsoll_printable::human;
pub use plimsoll_printable::human::{percent, time};

/// `13,100/s`.
pub fn rate(per_second: f64) -> String {
    format!("{}/s", human::rate(per_second))
}

/// A number with half of its confidence interval, where one is known; no line breaks inside: `62,747 ± 592`.
pub fn estimate(mean: f64, half_width: Option<f64>) -> String {
    let half_width = half_width.map(|half| format!("\u{a0}±\u{a0}{}", human::rate(half)));
    human::rate(mean) + &half_width.unwrap_or_default()
}

/// `4.9% more`, `2.00 times as much`, `1/1,024 of it`: how a figure stands to what it should be.
pub fn apart(ratio: f64) -> String {
    match ratio {
        _ if !ratio.is_finite() => "where it is none".to_string(),
        _ if ratio <= 0.0 => "nothing of it".to_string(),
        _ if ratio >= 1.1 => format!("{} times as much", times(ratio)),
        _ if ratio >= 1.0 => format!("{} more", percent(ratio - 1.0)),
        _ if ratio > 0.9 => format!("{} less", percent(1.0 - ratio)),
        _ if ratio > 0.1 => format!("{} of it", percent(ratio)),
        _ => format!("1/{} of it", times(1.0 / ratio)),
    }
}

fn times(ratio: f64) -> String {
    match ratio < 100.0 {
        true => format!("{ratio:.2}"),
        false => human::count(ratio.round() as u64),
    }
}

/// `1 point`, `2 points`.
pub fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `rd1_(10%), rd1_(90%)`, and past four only how many more.
pub fn list(names: &[String]) -> String {
    const SHOWN: usize = 4;
    if names.len() > SHOWN + 1 {
        format!(
            "{} and {} more",
            names[..SHOWN].join(", "),
            names.len() - SHOWN
        )
    } else {
        names.join(", ")
    }
}
