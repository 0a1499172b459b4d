use crate::accounts::{self, Sizes};
use crate::{RuleAnswer, RuleFinding, RunView};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

rule! {
    127 "requests-merged" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [40] {
        summary: "Requests reached the disks joined together.",
        why: "Neighbouring requests that wait at the same time are joined before they reach the device. The disk does fewer \
            and longer I/Os than the result says: a rate of 4 KiB may be that of 128 KiB, cut up by the tool and put \
            together again by the kernel.",
        threshold: "In a direction whose bytes reconcile to 5 %, the disks at the bottom did less than 0.98 requests for each that \
            was asked for, and what is missing was counted as joined (reads_merged, writes_merged); a note down to 0.9.",
        source: "/proc/diskstats; the 2 % are those of the catalogue.",
        example: "Sequential reads of 4 KiB at depth 32: 200,000/s were asked for, and the disk did 12,000/s of 64 KiB.",
        remedy: "Use the size that production uses, or echo 2 > /sys/block/DISK/queue/nomerges for the run, or report both \
            counts.",
    }
    fires: |o| merged(o, 5_600_000),
    clean: |o| o.device().reads = 5_950_000,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    accounts::of_sizes(view, |sizes: &Sizes<'_>| {
        (sizes.each_at_most() < MERGED && sizes.is_joined()).then(|| {
            let message = format!(
                "{} of {} arrive at {} joined to requests of {}: {} for each, or {}/s.",
                sizes.what(),
                human::bytes(sizes.asked.size().unwrap_or(0.0) as u64),
                sizes.devices(),
                human::bytes(sizes.done.size().unwrap_or(0.0) as u64),
                human::number(sizes.each()),
                human::rate(sizes.done.ios / sizes.account.seen.observed_s),
            );
            let at_most = match sizes.each_at_most() < MUCH {
                true => Severity::Invalid,
                false => Severity::Note,
            };
            RuleFinding::new(message).at_most(at_most).judged(
                "requests_for_each",
                Quantity::Number(sizes.each()),
                MERGED,
            )
        })
    })
}

const MERGED: f64 = 0.98;
const MUCH: f64 = 0.9;

#[cfg(test)]
fn merged(o: &mut crate::known::Observed, merged: u64) {
    (o.device().reads, o.device().reads_merged) = (400_000, merged);
}

#[test]
fn what_nobody_counted_as_joined_is_not_said_to_be() {
    let with = |count: u64| check(&crate::known::changed(|o| merged(o, count)).view());
    assert_eq!(with(0), Ok(vec![]));
    assert_eq!(with(2_800_000), Ok(vec![]));
    assert_eq!(crate::known::found(with(5_600_000)).len(), 1);
}
