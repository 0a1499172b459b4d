//! Warnings as Vdbench shows them: in a box of stars, in its own words, so that what looks for them finds them.

use super::columns::time_of_day;
use super::cpu::Cpu;
use super::run::RunDefinition;
use super::shares::Share;
use jiff::Zoned;

/// Above this use of all CPUs, percent, Vdbench warns.
const BUSY_PERCENT: f64 = 80.0;

/// A share that is more off than this, percent, is worth a warning.
const OFF_PERCENT: f64 = 1.0;

/// A box round `text`, each line with the time before it.
fn boxed(text: &[String], now: &Zoned) -> Vec<String> {
    let width = text.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let stars = "*".repeat(width + 4);
    let mut lines = vec!["*".to_owned(), stars.clone()];
    lines.extend(text.iter().map(|t| format!("* {t:<width$} *")));
    lines.extend([stars, "*".to_owned()]);
    let time = time_of_day(now);
    lines.into_iter().map(|l| format!("{time} {l}")).collect()
}

/// Notices on where this host was busy.
pub(super) fn busy(cpu: Option<Cpu>, now: &Zoned) -> Vec<String> {
    let Some(used) = cpu.map(|c| c.used()).filter(|used| *used > BUSY_PERCENT) else {
        return Vec::new();
    };
    let text = [
        format!("Warning for host=localhost: average processor utilization {used:.1}% "),
        "Any processor utilization over 80% could mean that your system".to_owned(),
        "does not have enough cycles to run the highest rate possible. ".to_owned(),
    ];
    boxed(&text, now)
}

/// Notice that a format ended with its time, and may not be complete; `None` where it was not limited.
pub(super) fn limited(run: &RunDefinition, now: &Zoned) -> Option<String> {
    run.is_limited.then(|| {
        let time = time_of_day(now);
        format!("{time} Format run terminated because of 'format=(only,limited)' request")
    })
}

/// Notice on the workload whose share is furthest off the one that was asked for.
pub(super) fn missed(workloads: &[Share], now: &Zoned) -> Vec<String> {
    let observed = super::shares::observed(workloads);
    let off = workloads
        .iter()
        .zip(observed)
        .filter_map(|(share, observed)| Some((share, (share.wanted? - observed).abs())))
        .max_by(|(_, a), (_, b)| a.total_cmp(b));
    match off {
        Some((share, off)) if off > OFF_PERCENT => {
            let text = format!(
                "Observed Workload skew for wd={} delta greater than 1% ({off:.2}). See skew.html for details",
                share.name
            );
            boxed(&[text], now)
        }
        _ => Vec::new(),
    }
}
