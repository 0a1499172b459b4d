//! A drive was as hot as it warns of.

use crate::others;
use crate::{Answer, Check, INVALID, NOTE, Page, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_evidence::witnessed::MediaState;
use plimsoll_evidence::{Quantity, Witnessed};

pub const RULE: Rule = Rule {
    number: 137,
    name: "drive-hot",
    summary: "A drive was as hot as it warns of.",
    severity: Severities::of([NOTE, NOTE, SUSPECT, INVALID, NOTE]),
    pitfalls: &[19],
    page: Page {
        why: "A drive that reaches its limit makes itself slower, in steps that its maker does not tell. What it does then is \
            not what it does cool, and the next run depends on how long it was left to cool.",
        threshold: "A drive's highest temperature reached the one from which on it warns, or its critical warning says so.",
        source: "The drive's own sensor, as hwmon has it: temp1_input, temp1_max (NVMe's WCTEMP) and temp1_alarm (bit 1 of NVMe's critical \
            warning).",
        example: "An M.2 drive without a heat sink: 81 of 80 degrees after two minutes of writes, and from 2.9 to 1.1 GB/s.",
        remedy: "Cool it, wait between runs, and record the temperature with the result.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let told = |seen: &Witnessed| {
        let told = |m: &&MediaState| {
            (m.celsius_max.or(m.celsius).is_some() && m.celsius_warning.is_some())
                || m.critical_warning.is_some()
        };
        let drives: Vec<MediaState> = seen.media.iter().filter(told).cloned().collect();
        (!drives.is_empty()).then_some(drives)
    };
    others::ask(
        view,
        "what the drives tell of themselves",
        told,
        |_, _, drives| drives.iter().filter_map(hot).collect(),
    )
}

fn hot(drive: &MediaState) -> Option<Seen> {
    let most = drive.celsius_max.or(drive.celsius);
    let reached = most
        .zip(drive.celsius_warning)
        .filter(|(most, limit)| most >= limit);
    let says = drive
        .critical_warning
        .is_some_and(|bits| bits & TOO_HOT != 0);
    let message = match (reached, says) {
        (Some((most, limit)), _) => {
            format!(
                "{} reached {most:.0} degrees Celsius, and warns from {limit:.0} on.",
                drive.name
            )
        }
        (None, true) => format!("{} says that it is too hot, or too cold.", drive.name),
        (None, false) => return None,
    };
    let found = Seen::new(message);
    Some(match most {
        Some(most) => found.value("celsius", Quantity::Number(most)),
        None => found,
    })
}

/// NVMe's critical warning: a temperature is beyond its threshold.
const TOO_HOT: u32 = 2;

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| o.witnessed().media[0].celsius_max = Some(70.0),
    clean: |o| o.witnessed().media[0].celsius_max = Some(69.9),
};
