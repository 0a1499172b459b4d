//! Numbers as the notes print them.

/// `13100/s`; with a decimal below 100.
pub fn rate(per_second: f64) -> String {
    if per_second.abs() < 100.0 {
        format!("{per_second:.1}/s")
    } else {
        format!("{per_second:.0}/s")
    }
}

/// `850 ns`, `12.3 us`, `1.23 ms`, `2.50 s`.
pub fn time(ns: f64) -> String {
    match ns.abs() {
        n if n < 1e3 => format!("{ns:.0} ns"),
        n if n < 1e6 => format!("{:.1} us", ns / 1e3),
        n if n < 1e9 => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

/// `12 %`; with a decimal below 10.
pub fn percent(share: f64) -> String {
    let p = share * 100.0;
    if p.abs() < 10.0 {
        format!("{p:.1} %")
    } else {
        format!("{p:.0} %")
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
