use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::witnessed::MediaState;
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    137 "drive-hot" Run(check) [NOTE, NOTE, SUSPECT, INVALID, NOTE] pitfalls [19] {
        summary: "A drive was as hot as it warns of.",
        why: "A drive that reaches its limit makes itself slower, in steps that its maker does not tell. What it does then is \
            not what it does cool, and the next run depends on how long it was left to cool.",
        threshold: "A drive's highest temperature reached the one from which on it warns, its critical warning says so, or it made itself \
            slower between the step's beginning and its end, warm-up and all.",
        source: "The drive's own sensor, as hwmon has it: temp1_input, temp1_max (NVMe's WCTEMP) and temp1_alarm (bit 1 of NVMe's critical \
            warning); NVMe's health log: transitions of thermal management and the time in it.",
        example: "An M.2 drive without a heat sink: 81 of 80 degrees after two minutes of writes, and from 2.9 to 1.1 GB/s.",
        remedy: "Cool it, wait between runs, and record the temperature with the result.",
    }
    fires: |o| o.witnessed().media[0].celsius_max = Some(70.0),
    clean: |o| o.witnessed().media[0].celsius_max = Some(69.9),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reported = |seen: &Witnessed| {
        let reported = |m: &&MediaState| {
            (m.celsius_max.or(m.celsius).is_some() && m.celsius_warning.is_some())
                || m.critical_warning.is_some()
                || m.health.is_some()
        };
        let drives: Vec<MediaState> = seen.media.iter().filter(reported).cloned().collect();
        (!drives.is_empty()).then_some(drives)
    };
    others::ask(
        view,
        "what the drives tell of themselves",
        reported,
        |_, _, drives| {
            let each = drives.iter();
            each.flat_map(|d| hot(d).into_iter().chain(slowed(d)))
                .collect()
        },
    )
}

fn hot(drive: &MediaState) -> Option<RuleFinding> {
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
    let found = RuleFinding::new(message);
    Some(match (most, drive.celsius_warning) {
        (Some(most), Some(limit)) => found.judged("celsius", Quantity::Number(most), limit),
        (Some(most), None) => found.value("celsius", Quantity::Number(most)),
        (None, _) => found.text("drive", &drive.name),
    })
}

/// What the drive itself says that it did against the heat.
fn slowed(drive: &MediaState) -> Option<RuleFinding> {
    let health = drive.health?;
    let more = |(first, last): (u64, u64)| last.saturating_sub(first);
    let (times, for_s) = (more(health.slowed), more(health.slowed_s));
    (times > 0 || for_s > 0).then(|| {
        let message = format!(
            "{} made itself slower to stay cool: {} {}, {} s in all.",
            drive.name,
            human::count(times),
            if times == 1 { "time" } else { "times" },
            human::count(for_s)
        );
        RuleFinding::new(message)
            .judged("slowed", Quantity::Count(times), 1.0)
            .value("slowed_s", Quantity::Seconds(for_s as f64))
    })
}

/// NVMe's critical warning: a temperature is beyond its threshold.
const TOO_HOT: u32 = 2;

#[test]
fn a_drive_that_made_itself_slower_while_it_ran_is_told_and_one_that_did_long_ago_is_not() {
    let with = |slowed, slowed_s| {
        let case = crate::known::changed(|o| {
            let health = o.witnessed().media[0].health.as_mut().expect("a log");
            (health.slowed, health.slowed_s) = (slowed, slowed_s);
        });
        check(&case.view())
    };
    assert_eq!(with((7, 7), (900, 900)), Ok(vec![]));
    let message = &crate::known::found(with((7, 10), (900, 940)))[0].message;
    assert_eq!(
        message,
        "sdx made itself slower to stay cool: 3 times, 40 s in all."
    );
    // It was slow from before the step on, and still is.
    let message = &crate::known::found(with((7, 7), (900, 960)))[0].message;
    assert!(message.contains("0 times, 60 s"), "{message}");
}
