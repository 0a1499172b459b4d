use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::witnessed::{DeviceUse, RecordKeeping};
use plimsoll_evidence::{Quantity, Severity, Witnessed};
use plimsoll_printable::human;

rule! {
    128 "record-on-the-disk" Run(check) SUSPECT pitfalls [47, 50] {
        summary: "Plimsoll's own record is written to a disk below the target.",
        why: "Each interval is written to the record. Where that lies on the tested disk, its writes are among the test's: \
            few, but with flushes and a journal, and at every interval's end.",
        threshold: "The record lies on a disk of a target's stack. A note while its bytes are no more than 2 % of what the disk \
            moved.",
        source: "The record's size as it grew, against /proc/diskstats.",
        example: "A record in the folder of the tested file: 400 KB/s of it, and 0.2 % of what the disk did.",
        remedy: "Write the record elsewhere (`--record /dev/shm/run.plim`), and copy it afterwards.",
    }
    fires: |o| record(o, 1_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let record = |seen: &Witnessed| seen.record.clone();
    others::ask(
        view,
        "where the record is written to, and how much",
        record,
        |_, seen, record| {
            let shared = seen
                .devices
                .iter()
                .filter(|d| record.disks.contains(&d.name));
            shared.map(|disk| on(disk, &record)).collect()
        },
    )
}

fn on(disk: &DeviceUse, record: &RecordKeeping) -> RuleFinding {
    let share = others::share(record.written_bytes as f64, disk.bytes() as f64).min(1.0);
    let message = format!(
        "The record lies on {}, and took {} there, {} of what the disk moved.",
        disk.name,
        human::bytes(record.written_bytes),
        human::percent(share)
    );
    let at_most = match share > SOME {
        true => Severity::Suspect,
        false => Severity::Note,
    };
    RuleFinding::new(message)
        .at_most(at_most)
        .value("record", Quantity::Bytes(record.written_bytes))
        .judged("share", Quantity::Share(share), SOME)
}

const SOME: f64 = 0.02;

#[cfg(test)]
fn record(o: &mut crate::known::Observed, written_bytes: u64) {
    let disks = vec!["sdx".to_string()];
    o.witnessed().record = Some(RecordKeeping {
        disks,
        written_bytes,
    });
}

#[test]
fn a_record_that_is_two_percent_of_it_is_more_than_a_note() {
    let worst = |bytes| {
        crate::known::found(check(&crate::known::changed(|o| record(o, bytes)).view()))[0].at_most
    };
    assert_eq!(worst(980_000_000), Severity::Note);
    assert_eq!(worst(990_000_000), Severity::Suspect);
}
