//! Numbers as notes and findings print them: as all output has them.

use plimsoll_printable::human;
pub use plimsoll_printable::human::{percent, time};

/// `13,100/s`.
pub fn rate(per_second: f64) -> String {
    format!("{}/s", human::rate(per_second))
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
