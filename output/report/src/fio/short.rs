//! Numbers of at most four characters and a unit, as fio's text has them.

/// `22.9k`, `1455MiB/s`: at most four digits or three and a point; powers of 1000, or of 1024 with an `i`.
pub(super) fn short(value: f64, base: u32, unit: &str) -> String {
    const PREFIXES: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];
    let mut scaled = value.max(0.0);
    let mut power = 0;
    while scaled.trunc() >= 10_000.0 && power + 1 < PREFIXES.len() {
        scaled /= f64::from(base);
        power += 1;
    }
    let prefix = match (PREFIXES[power], base, unit.is_empty()) {
        ("K", 1000, _) => "k".to_string(),
        ("", ..) | (_, 1000, _) => PREFIXES[power].to_string(),
        (prefix, ..) => format!("{prefix}i"),
    };
    let decimals = match scaled {
        _ if power == 0 => 0,
        s if s < 9.995 => 2,
        s if s < 99.95 => 1,
        _ => 0,
    };
    match power {
        // What needs no prefix is cut, as integers are.
        0 => format!("{}{unit}", scaled.trunc()),
        _ => format!("{scaled:.decimals$}{prefix}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn as_fio_writes_them() {
        // Lines of fio 3.33 on this: IOPS, then BW in powers of 1024 and of 1000.
        assert_eq!(short(22_890.1, 1000, ""), "22.9k");
        assert_eq!(short(372_363.6, 1000, ""), "372k");
        assert_eq!(short(93_851_648.0, 1024, "B/s"), "89.5MiB/s");
        assert_eq!(short(93_851_648.0, 1000, "B/s"), "93.9MB/s");
        assert_eq!(short(1_525_201_454.0, 1024, "B/s"), "1455MiB/s");
        assert_eq!(short(1_525_201_454.0, 1000, "B/s"), "1525MB/s");
        assert_eq!(short(16_777_216.0, 1024, "B"), "16.0MiB");
        assert_eq!(short(16_777_216.0, 1000, "B"), "16.8MB");
        assert_eq!(short(999.9, 1000, ""), "999");
    }
}
