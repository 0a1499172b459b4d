use crate::accounts::{self, Sizes};
use crate::{RuleAnswer, RuleFinding, RunView};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

rule! {
    126 "requests-split" Run(check) [NOTE, NOTE, NOTE, SUSPECT, NOTE] pitfalls [40] {
        summary: "Requests reached the disks in smaller pieces.",
        why: "The kernel cuts a request that is longer, or has more pieces of memory, than the device takes; stripes cut it at \
            their borders. The disk then does more and smaller I/Os than the result says, and the last piece decides when \
            the whole is done.",
        threshold: "In a direction whose bytes reconcile to 5 %, the disks at the bottom did more than 1.02 requests for each that \
            was asked for; a note up to 1.1. Of writes to files more than 1.5, for a file system writes of its own.",
        source: "/proc/diskstats. Measured: 4 MiB reads become 6 to 7 at max_sectors_kb 4096 and 254 segments. A published case \
            had 1 MiB arrive as 256 KiB.",
        example: "block = \"1m\": 400/s were asked for, and the disk did 1,600/s of 256 KiB.",
        remedy: "Raise max_sectors_kb up to max_hw_sectors_kb, use huge pages, or report the size that arrives.",
    }
    fires: |o| o.device().reads = 24_000_000,
    clean: |o| o.device().reads = 6_050_000,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    accounts::of_sizes(view, |sizes: &Sizes<'_>| {
        let least = if sizes.is_loose { LOOSE } else { SPLIT };
        (sizes.each_at_least() > least).then(|| {
            let message = format!(
                "{} of {} arrive at {} as requests of {}: {} for each.",
                sizes.what(),
                human::bytes(sizes.asked.size().unwrap_or(0.0) as u64),
                sizes.devices(),
                human::bytes(sizes.done.size().unwrap_or(0.0) as u64),
                human::number(sizes.each()),
            );
            let at_most = match sizes.each_at_least() > MUCH {
                true => Severity::Invalid,
                false => Severity::Note,
            };
            RuleFinding::new(message)
                .at_most(at_most)
                .judged("requests_for_each", Quantity::Number(sizes.each()), least)
                .value(
                    "arrives",
                    Quantity::Bytes(sizes.done.size().unwrap_or(0.0) as u64),
                )
        })
    })
}

const SPLIT: f64 = 1.02;
const MUCH: f64 = 1.1;
const LOOSE: f64 = 1.5;

#[test]
fn it_says_into_what_they_were_split_and_only_where_the_bytes_reconcile() {
    let with = |bytes: u64| {
        let case = crate::known::changed(|o| {
            (o.device().reads, o.device().read_bytes) = (24_000_000, bytes);
        });
        check(&case.view())
    };
    let found = crate::known::found(with(49_152_000_000));
    assert_eq!(
        found[0].message,
        "Reads of 8.00 KiB arrive at sdx as requests of 2.00 KiB: 4.00 for each."
    );
    assert!(matches!(with(60_000_000_000), Err(crate::NotObservable(_))));
}

#[test]
fn small_requests_of_others_are_not_taken_for_pieces() {
    let case = crate::known::changed(|o| {
        let others = 488_281;
        o.device().reads += others;
        o.device().read_bytes += others * 4096;
    });
    assert_eq!(check(&case.view()), Ok(vec![]));
}
