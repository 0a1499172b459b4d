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

/// The table of one kind; a share that is more than one percent off the one asked for is marked.
pub(super) fn table(title: &str, shares: &[Share], seconds: f64, mb: f64) -> Vec<String> {
    let total: u64 = shares.iter().map(|s| s.tally.all().ios).sum();
    let mut lines = vec![format!(
        "{title:<20} {:>10} {:>8} {:>10} {:>10} {:>8}",
        "i/o rate", "MB/sec", "requested", "observed", "delta"
    )];
    for share in shares {
        let figures = Figures {
            tally: share.tally,
            seconds,
            depth: 0.0,
            cpu: None,
        };
        let observed = match total {
            0 => 0.0,
            total => 100.0 * share.tally.all().ios as f64 / total as f64,
        };
        let delta = share.wanted.map(|wanted| observed - wanted);
        let mark = match delta {
            Some(delta) if delta.abs() > 1.0 => " *",
            _ => "",
        };
        let percent =
            |value: Option<f64>| value.map_or_else(|| "n/a".into(), |v| format!("{v:.2}%"));
        lines.push(format!(
            "{:<20} {:>10.1} {:>8.2} {:>10} {:>10} {:>8}{mark}",
            share.name,
            figures.rate(),
            figures.mb_per_s(mb),
            percent(share.wanted),
            percent(Some(observed)),
            percent(delta),
        ));
    }
    lines.push(String::new());
    lines
}
