use crate::{RuleAnswer, RuleFinding, RunView, clean_unless, others};
use plimsoll_evidence::witnessed::MediaState;
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    138 "drive-worn" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTE] pitfalls [23] {
        summary: "A drive says that it is worn out or ill.",
        why: "Worn flash needs more passes to program, more correction to read and more room for spare blocks; a drive that \
            has gone over to read-only, or lost its power-loss protection, answers like none of its kind.",
        threshold: "More than all of its rated life is used, a critical warning other than of heat is on, it says that it will fail, or while \
            the step ran it met data that it could not read back or keep, gave up sectors, or got transfers with a wrong checksum. Not \
            observable where a drive's health is not in the record.",
        source: "An NVMe drive's health log, a SATA drive's SMART status and data, a SCSI drive's log pages of informational exceptions, \
            errors and wear. All but the last take root. Each maker of SATA drives counts otherwise, so only attributes that mean the same \
            for all that are known are read: `smartctl -a` has the others.",
        example: "Percentage used 107: reads at 0.3 ms where its sisters take 0.09.",
        remedy: "Measure another drive of the kind, or name the drive's age with the result.",
    }
    fires: |o| o.witnessed().media[0].used = Some(1.07),
    clean: |o| o.witnessed().media[0].critical_warning = Some(2),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let answer = others::ask(view, LACKS, drives, |_, _, drives| {
        drives
            .iter()
            .flat_map(|d| {
                let own = worn(d).into_iter().chain(ill(d)).chain(failing(d));
                own.chain(gives_up(d)).chain(grew(d))
            })
            .collect()
    });
    // A warning of heat, or that none is on, is what sensors tell too: it says nothing of wear.
    let mut seen = view.measured().filter_map(|s| s.witnessed.as_ref());
    let is_silent = |d: &MediaState| d.used.is_none() && d.disk.is_none();
    clean_unless(answer, seen.any(|w| w.media.iter().any(is_silent)), LACKS)
}

fn gives_up(drive: &MediaState) -> Option<RuleFinding> {
    (drive.disk?.failing == Some(true)).then(|| {
        let message = format!("{} says that it will fail soon.", drive.name);
        RuleFinding::new(message).text("drive", &drive.name)
    })
}

/// What a SATA or SCSI drive counted while the step ran.
fn grew(drive: &MediaState) -> Vec<RuleFinding> {
    let Some(disk) = drive.disk else {
        return Vec::new();
    };
    let counts = [
        (
            "uncorrected",
            disk.uncorrected,
            "errors that it could not correct",
        ),
        (
            "pending",
            disk.pending,
            "more sectors that it could not read",
        ),
        (
            "reallocated",
            disk.reallocated,
            "more sectors that it keeps elsewhere, because their place became bad",
        ),
        (
            "link_errors",
            disk.link_errors,
            "transfers with a wrong checksum, which are the cable's",
        ),
    ];
    let more = counts.into_iter().filter_map(|(name, count, what)| {
        let (first, last) = count?;
        let more = last.checked_sub(first).filter(|more| *more > 0)?;
        let message = format!(
            "{} counted {} {what} while the step ran.",
            drive.name,
            human::count(more)
        );
        Some(RuleFinding::new(message).judged(name, Quantity::Count(more), 1.0))
    });
    more.collect()
}

/// What is missing where nobody read a drive's health.
const LACKS: &str = "the drives' health: the share of their life that is used, and their warnings";

fn drives(seen: &Witnessed) -> Option<&[MediaState]> {
    others::some(&seen.media)
}

fn worn(drive: &MediaState) -> Option<RuleFinding> {
    let used = drive.used.filter(|used| *used > 1.0)?;
    let message = format!(
        "{} has used {} of the life that its maker promised.",
        drive.name,
        human::percent(used)
    );
    Some(RuleFinding::new(message).judged("used", Quantity::Share(used), 1.0))
}

fn ill(drive: &MediaState) -> Option<RuleFinding> {
    let bits = drive.critical_warning?;
    let says: Vec<&str> = WARNINGS
        .iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, says)| *says)
        .collect();
    (!says.is_empty()).then(|| {
        let found = RuleFinding::new(format!("{} warns: {}.", drive.name, says.join(", ")));
        found.value("critical_warning", Quantity::Count(bits.into()))
    })
}

/// Data that it lost while the step ran.
fn failing(drive: &MediaState) -> Option<RuleFinding> {
    let (first, last) = drive.health?.media_errors;
    let more = last.checked_sub(first).filter(|more| *more > 0)?;
    let message = format!(
        "{} met data that it could not read back or keep while the step ran: {} more errors of its media.",
        drive.name,
        human::count(more)
    );
    Some(RuleFinding::new(message).judged("media_errors", Quantity::Count(more), 1.0))
}

/// NVMe's critical warning, bit by bit, without that of the temperature.
const WARNINGS: [(u32, &str); 5] = [
    (1, "its spare blocks run out"),
    (4, "it has become unreliable"),
    (8, "it is read-only"),
    (16, "its cache would not survive a power cut"),
    (32, "its persistent memory has become unreliable"),
];

#[test]
fn each_warning_is_said() {
    let case = crate::known::changed(|o| o.witnessed().media[0].critical_warning = Some(0b1001));
    let seen = &crate::known::found(check(&case.view()))[0];
    assert_eq!(
        seen.message,
        "sdx warns: its spare blocks run out, it is read-only."
    );
}

#[test]
fn a_drive_of_which_only_the_sensors_were_read_is_not_called_sound() {
    let with = |warning: Option<u32>| {
        let case = crate::known::changed(|o| {
            let drive = &mut o.witnessed().media[0];
            (drive.used, drive.critical_warning) = (None, warning);
        });
        check(&case.view())
    };
    for of_sensors in [None, Some(0), Some(2)] {
        assert_eq!(with(of_sensors), Err(crate::NotObservable(LACKS)));
    }
    assert!(crate::known::fires(with(Some(8))));
}

#[test]
fn a_disk_without_a_life_to_use_up_is_judged_by_what_it_counts() {
    use plimsoll_evidence::witnessed::DiskHealth;
    let with = |disk: DiskHealth| {
        let case = crate::known::changed(|o| {
            let drive = &mut o.witnessed().media[0];
            (drive.used, drive.health, drive.critical_warning) = (None, None, None);
            drive.disk = Some(disk);
        });
        check(&case.view())
    };
    let old = DiskHealth {
        failing: Some(false),
        reallocated: Some((12, 12)),
        link_errors: Some((7, 7)),
        ..DiskHealth::default()
    };
    assert_eq!(with(old), Ok(vec![]));
    let message = |disk| crate::known::found(with(disk))[0].message.clone();
    let failing = Some(true);
    assert_eq!(
        message(DiskHealth { failing, ..old }),
        "sdx says that it will fail soon."
    );
    let pending = Some((0, 3));
    let more = message(DiskHealth { pending, ..old });
    holds!(more, "counted 3 more sectors that it could not read");
    let link_errors = Some((7, 9));
    assert!(message(DiskHealth { link_errors, ..old }).contains("the cable's"));
}

#[test]
fn errors_of_the_media_count_where_they_are_of_this_step() {
    let with = |errors| {
        let case = crate::known::changed(|o| {
            let health = o.witnessed().media[0].health.as_mut().expect("a log");
            health.media_errors = errors;
        });
        check(&case.view())
    };
    assert_eq!(with((12, 12)), Ok(vec![]));
    let message = &crate::known::found(with((12, 15)))[0].message;
    holds!(message, "sdx met data", ": 3 more");
}
