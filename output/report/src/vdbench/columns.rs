//! The columns of the console, the summary, and the pages of targets, workloads and the host.

use super::figures::Figures;
use jiff::Zoned;

/// Bytes of a megabyte: 1024^2, or 10^6 with `-mb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Megabyte {
    Binary,
    Decimal,
}

impl Megabyte {
    pub(super) fn bytes(self) -> f64 {
        match self {
            Megabyte::Binary => 1024.0 * 1024.0,
            Megabyte::Decimal => 1e6,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Megabyte::Binary => "1024**2",
            Megabyte::Decimal => "1000**2",
        }
    }
}

/// The time before each line: `HH:mm:ss.SSS`.
pub(super) fn time_of_day(now: &Zoned) -> String {
    now.strftime("%H:%M:%S.%3f").to_string()
}

/// The empty line and the two lines of titles, above the first interval of a run and every thirtieth.
pub(super) fn header(now: &Zoned, mb: Megabyte) -> Vec<String> {
    let titles = |first: String, t: [&str; 14]| {
        format!(
            "{first:<12}{:>12}{:>11}{:>9}{:>8}{:>7}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>7}{:>6}{:>6}",
            t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10], t[11], t[12], t[13]
        )
    };
    vec![
        String::new(),
        titles(
            now.strftime("%b %d, %Y").to_string(),
            [
                "interval", "i/o", "MB/sec", "bytes", "read", "resp", "read", "write", "read",
                "write", "resp", "queue", "cpu%", "cpu%",
            ],
        ),
        titles(
            String::new(),
            [
                "",
                "rate",
                mb.title(),
                "i/o",
                "pct",
                "time",
                "resp",
                "resp",
                "max",
                "max",
                "stddev",
                "depth",
                "sys+u",
                "sys",
            ],
        ),
    ]
}

/// One line: `label` is the interval's number, or `avg_a-b`.
pub(super) fn line(now: &Zoned, label: &str, f: &Figures, mb: Megabyte) -> String {
    let all = f.tally.all();
    // Vdbench prints NaN where it has no CPU figures, and scripts expect a column there.
    let (used, kernel) = f.cpu.map_or((f64::NAN, f64::NAN), |c| (c.used(), c.kernel));
    format!(
        "{:<12}{label:>12} {:>10.1} {:>8.2} {:>7.0} {:>6.2} {:>8.3} {:>8.3} {:>8.3} {:>8.2} {:>8.2} {:>8.3} {:>6.1} \
         {used:>5.1} {kernel:>5.1}",
        time_of_day(now),
        f.rate(),
        f.mb_per_s(mb.bytes()),
        f.bytes_per_io(),
        f.read_pct(),
        all.mean_ms(),
        f.tally.reads.mean_ms(),
        f.tally.writes.mean_ms(),
        f.tally.reads.max_ms(),
        f.tally.writes.max_ms(),
        all.std_ms(),
        f.depth,
    )
}
