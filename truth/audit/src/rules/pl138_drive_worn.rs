//! A drive says that it is worn out or ill.

use crate::others;
use crate::{Answer, Check, NOTE, Page, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_evidence::witnessed::MediaState;
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 138,
    name: "drive-worn",
    summary: "A drive says that it is worn out or ill.",
    severity: Severities::of([NOTE, NOTE, SUSPECT, SUSPECT, NOTE]),
    pitfalls: &[23],
    page: Page {
        why: "Worn flash needs more passes to program, more correction to read and more room for spare blocks; a drive that \
            has gone over to read-only, or lost its power-loss protection, answers like none of its kind.",
        threshold: "More than all of its rated life is used, or a critical warning other than of heat is on.",
        source: "NVMe's health log: percentage used, critical warning.",
        example: "Percentage used 107: reads at 0.3 ms where its sisters take 0.09.",
        remedy: "Measure another drive of the kind, or name the drive's age with the result.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let told = |seen: &Witnessed| {
        let told = |m: &&MediaState| m.used.is_some() || m.critical_warning.is_some();
        let drives: Vec<MediaState> = seen.media.iter().filter(told).cloned().collect();
        (!drives.is_empty()).then_some(drives)
    };
    others::ask(
        view,
        "what the drives tell of themselves",
        told,
        |_, _, drives| {
            drives
                .iter()
                .flat_map(|d| worn(d).into_iter().chain(ill(d)))
                .collect()
        },
    )
}

fn worn(drive: &MediaState) -> Option<Seen> {
    let used = drive.used.filter(|used| *used > 1.0)?;
    let message = format!(
        "{} has used {} of the life that its maker promised.",
        drive.name,
        human::percent(used)
    );
    Some(Seen::new(message).value("used", Quantity::Share(used)))
}

fn ill(drive: &MediaState) -> Option<Seen> {
    let bits = drive.critical_warning?;
    let says: Vec<&str> = WARNINGS
        .iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, says)| *says)
        .collect();
    (!says.is_empty()).then(|| {
        let found = Seen::new(format!("{} warns: {}.", drive.name, says.join(", ")));
        found.value("critical_warning", Quantity::Count(bits.into()))
    })
}

/// NVMe's critical warning, bit by bit, without that of the temperature.
const WARNINGS: [(u32, &str); 5] = [
    (1, "its spare blocks run out"),
    (4, "it has become unreliable"),
    (8, "it is read-only"),
    (16, "its cache would not survive a power cut"),
    (32, "its persistent memory has become unreliable"),
];

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| o.witnessed().media[0].used = Some(1.07),
    clean: |o| o.witnessed().media[0].critical_warning = Some(2),
};

#[cfg(test)]
#[test]
fn each_warning_is_said() {
    let case = crate::known::changed(|o| o.witnessed().media[0].critical_warning = Some(0b1001));
    let seen = &crate::known::found(check(&case.view()))[0];
    assert_eq!(
        seen.message,
        "sdx warns: its spare blocks run out, it is read-only."
    );
}
