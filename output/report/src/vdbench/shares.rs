//! The skew report: which share of the I/Os each target and each workload had, beside the one asked for.

use super::figures::Figures;
use super::run::RunDefinition;
use super::tally::ReadsWrites;

/// One target's or one workload's part of a run.
pub(super) struct Share {
    pub(super) name: String,
    pub(super) tally: ReadsWrites,
    /// Percent asked for; `None` where shares aren't kept.
    pub(super) wanted: Option<f64>,
}

/// Adds up streams by a name of theirs, in order of first appearance.
pub(super) fn by_name(
    run: &RunDefinition,
    streams: &[ReadsWrites],
    name: impl Fn(&super::StreamLabel) -> &str,
) -> Vec<Share> {
    let mut shares: Vec<Share> = Vec::new();
    for (label, tally) in run.streams.iter().zip(streams) {
        let wanted = label.skew;
        match shares.iter_mut().find(|s| s.name == name(label)) {
            Some(share) => {
                share.tally.add(tally);
                share.wanted = share.wanted.zip(wanted).map(|(a, b)| a + b);
            }
            None => shares.push(Share {
                name: name(label).to_owned(),
                tally: *tally,
                wanted,
            }),
        }
    }
    shares
}

/// Each one's percentage of all I/Os.
pub(super) fn observed(shares: &[Share]) -> Vec<f64> {
    let total: u64 = shares.iter().map(|s| s.tally.all().ios).sum();
    let percent = |s: &Share| match total {
        0 => 0.0,
        total => 100.0 * s.tally.all().ios as f64 / total as f64,
    };
    shares.iter().map(percent).collect()
}

/// The smallest width of a name's column: the name that Vdbench gives its own process.
const NAME_WIDTH: usize = "localhost-0".len();

/// The table of one kind, with a line for all together; `skewed` adds the share asked for, the one observed, and by how
/// much the first is larger where that is a tenth of a percent or more.
pub(super) fn table(
    title: &str,
    shares: &[Share],
    seconds: f64,
    mb: f64,
    skewed: bool,
) -> Vec<String> {
    let longest = shares.iter().map(|s| s.name.chars().count()).max();
    let width = longest.unwrap_or(0).max(NAME_WIDTH);
    let titles = |name: &str, t: [&str; 10], skew: [&str; 3]| {
        let plain = format!(
            "{name:<width$} {:>10} {:>8} {:>7} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>5} ",
            t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9]
        );
        match skewed {
            true => format!("{plain} {:>9} {:>8} {:>7} ", skew[0], skew[1], skew[2]),
            false => plain,
        }
    };
    let mut lines = vec![
        String::new(),
        titles(
            "",
            [
                "i/o", "MB/sec", "bytes", "read", "resp", "read", "write", "resp", "resp", "queue",
            ],
            ["skew", "skew", "skew"],
        ),
        titles(
            title,
            [
                "rate", "1024**2", "i/o", "pct", "time", "resp", "resp", "max", "stddev", "depth",
            ],
            ["requested", "observed", "delta"],
        ),
    ];
    let mut all = ReadsWrites::default();
    let mut wanted_all = 0.0;
    for (share, observed) in shares.iter().zip(observed(shares)) {
        all.add(&share.tally);
        wanted_all += share.wanted.unwrap_or(0.0);
        let mut line = row(&share.name, width, share.tally, seconds, mb);
        if skewed {
            let wanted = share
                .wanted
                .map_or_else(|| "n/a".to_owned(), |w| format!("{w:.2}%"));
            let delta = share
                .wanted
                .map(|w| w - observed)
                .filter(|d| d.abs() >= 0.1);
            let delta = delta.map_or_else(String::new, |d| format!("{d:.2}%"));
            line.push_str(&format!(" {wanted:>9} {observed:>7.2}% {delta:>7}"));
        }
        lines.push(line.trim_end().to_owned());
    }
    let mut total = row("Total", width, all, seconds, mb);
    if skewed {
        total.push_str(&format!("    100.00% {wanted_all:>7.2}%"));
    }
    lines.push(total.trim_end().to_owned());
    lines
}

fn row(name: &str, width: usize, tally: ReadsWrites, seconds: f64, mb: f64) -> String {
    let all = tally.all();
    let figures = Figures {
        tally,
        seconds,
        depth: if seconds > 0.0 {
            all.busy_s() / seconds
        } else {
            0.0
        },
        cpu: None,
    };
    format!(
        "{name:<width$} {:>10.2} {:>8.2} {:>7.0} {:>6.2} {:>8.3} {:>8.3} {:>8.3} {:>8.3} {:>8.3} {:>5.1} ",
        figures.rate(),
        figures.mb_per_s(mb),
        figures.bytes_per_io(),
        figures.read_pct(),
        all.mean_ms(),
        figures.tally.reads.mean_ms(),
        figures.tally.writes.mean_ms(),
        all.max_ms(),
        all.std_ms(),
        figures.depth,
    )
}
