use crate::accounts::{self, Account, READ, WRITE};
use crate::{RuleAnswer, RuleFinding, RunView, applies, clean_unless, findings, others};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

rule! {
    124 "layers-answered" Run(check) [NOTE, SUSPECT, SUSPECT, INVALID, NOTE] pitfalls [6, 58] {
        summary: "A layer between the target and its disks answered for them.",
        why: "What the target's device took and what the disks below it did should reconcile. Where the disks did less, \
            something in between has answered: the page cache under a loop device, a cache of device mapper or bcache, a map \
            that knows of no block there, deduplication.",
        threshold: "In a direction that moved something, the disks at the bottom moved less than 98 % of the bytes of the devices at \
            the top (of one that is a target and lies below another target too, of what was asked of itself; no more than the load asked for), by more than what may be out at both ends. Suspect at most while at least half came through. Not observable where the disks read more than that.",
        source: "/proc/diskstats of both; the 98 % are those of the catalogue.",
        example: "A loop device over a file that lies in memory: 2 GB/s at loop0, and 3 MB/s at the disk below.",
        remedy: "Test the disks themselves, or a loop device with direct I/O (`losetup --direct-io=on`), or name the layer with \
            the result.",
    }
    fires: |o| looped(o, 3_000_000_000),
    clean: |o| looped(o, 49_152_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let accounts = accounts::of(view)?;
    let layered: Vec<Account<'_>> = accounts.into_iter().filter(Account::is_layered).collect();
    applies(!layered.is_empty())?;
    let answer = findings(layered.iter().flat_map(|account| {
        [(READ, "read"), (WRITE, "written")]
            .into_iter()
            .filter_map(|(direction, word)| answered(account, direction, word))
    }));
    clean_unless(
        answer,
        layered.iter().any(has_other_readers),
        "how much of the reads came down to disks that were read for others, or by layers, as well",
    )
}

/// What came to the targets of an account for this load, bytes: what others ask of the same device they may ask of where nothing is
/// stored. Of a load through the page cache the kernel tells how much it fetched; what it wrote down for it nobody does.
fn front(account: &Account<'_>, direction: usize) -> f64 {
    let all = Account::done(&account.tops, direction).bytes + account.beneath_bytes[direction];
    let own = match direction {
        READ => account.fetched_bytes(),
        _ => (!account.is_buffered()).then_some(account.asked[WRITE].bytes),
    };
    own.map_or(all, |own| own.min(all))
}

/// Whether the disks read more than came to the targets: then what a layer answered does not show.
fn has_other_readers(account: &Account<'_>) -> bool {
    let back = Account::done(&account.leaves, READ).bytes;
    let front = front(account, READ);
    front > 0.0 && WHOLE * back > front + account.blur(READ)
}

fn answered(account: &Account<'_>, direction: usize, word: &str) -> Option<RuleFinding> {
    let front = front(account, direction);
    let back = Account::done(&account.leaves, direction).bytes;
    let through = others::share(back, front);
    if front <= 0.0 || back + account.blur(direction) >= WHOLE * front {
        return None;
    }
    // Some of what the disks did may have been others'.
    let message = format!(
        "{} were {word} at {}, and {} at {} below it, for whomever: at least {} did not come down.",
        human::bytes(front as u64),
        Account::names(&account.fronts),
        human::bytes(back as u64),
        Account::names(&account.leaves),
        human::percent(1.0 - through),
    );
    let at_most = match through < HALF {
        true => Severity::Invalid,
        false => Severity::Suspect,
    };
    let each_s = back / account.seen.observed_s;
    Some(
        RuleFinding::new(message)
            .step(account.step.number)
            .at_most(at_most)
            .judged("came_down", Quantity::Share(through), WHOLE)
            .value("at_the_bottom", Quantity::BytesPerSecond(each_s)),
    )
}

const WHOLE: f64 = 0.98;
const HALF: f64 = 0.5;

#[cfg(test)]
fn looped(o: &mut crate::known::Observed, disk_bytes: u64) {
    let disk = o.layer().clone();
    let mut front = o.device().clone();
    *o.layer() = plimsoll_evidence::BlockLayer {
        name: "loop7".into(),
        kind: "loop".into(),
        ..disk.clone()
    };
    o.environment.targets[0].stack.push(disk);
    front.name = "loop7".into();
    o.device().read_bytes = disk_bytes;
    o.witnessed().devices.push(front);
}

#[test]
fn a_disk_alone_has_no_layers_to_reconcile() {
    assert_eq!(
        check(&crate::known::observed().view()),
        Err(crate::NotApplicable)
    );
}

/// A loop device over a file on a disk that is a target as well, of which so much was asked for itself; the loop device took as much as
/// the sound run reads.
#[cfg(test)]
fn beside_its_disk(o: &mut crate::known::Observed, own_bytes: u64, disk_bytes: u64) {
    looped(o, disk_bytes);
    let mut disk = o.environment.targets[0].clone();
    disk.name = "bare".into();
    disk.kind = "block device".into();
    disk.stack.remove(0);
    o.environment.targets.push(disk);
    let mut target = o.plan.targets[0].clone();
    target.name = "bare".into();
    o.plan.targets.push(target);
    let step = o.step();
    let stream = |target, bytes| {
        let ops = step.ops.clone();
        plimsoll_evidence::StreamSummary {
            workload: "w".into(),
            target,
            host: 0,
            syncs: None,
            offered: None,
            ios: bytes / 8192,
            bytes,
            errors: 0,
            rate: step.rate,
            counted_s: None,
            response_mean_ns: step.response_mean_ns,
            service_mean_ns: step.service_mean_ns,
            ops: ops
                .into_iter()
                .map(|op| plimsoll_evidence::OpSummary {
                    ios: bytes / 8192,
                    bytes,
                    ..op
                })
                .collect(),
            saturation: None,
        }
    };
    step.streams = vec![stream(0, 49_152_000_000), stream(1, own_bytes)];
    o.own().read_bytes = 49_152_000_000 + own_bytes;
}

#[test]
fn a_device_and_its_own_layers_as_targets_count_each_byte_once() {
    let found = |own, disk| {
        let changed = crate::known::changed(|o| beside_its_disk(o, own, disk));
        crate::known::found(check(&changed.view()))
    };
    const LOOP: u64 = 49_152_000_000;
    // All that the loop device took came down, and what was asked of the disk besides.
    assert_eq!(found(10_000_000_000, LOOP + 10_000_000_000), []);
    // What was asked of the disk itself does not pass for what did not come down.
    let seen = found(LOOP, LOOP + 1_000_000_000);
    assert_eq!(seen.len(), 1);
    assert!(seen[0].message.contains("at loop7"), "{}", seen[0].message);
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: u64 = 49_152_000_000;

    fn answer(front: u64, back: u64) -> RuleAnswer {
        let case = crate::known::changed(|o| {
            looped(o, back);
            let loops = o.witnessed().devices.iter_mut();
            let device = loops.into_iter().find(|d| d.name == "loop7");
            device.expect("a loop device").read_bytes = front;
        });
        check(&case.view())
    }

    #[test]
    fn what_others_read_of_the_target_where_nothing_is_stored_is_not_this_loads() {
        // All of this load's came down, and others read as much from holes.
        assert_eq!(answer(2 * LOOP, LOOP), Ok(vec![]));
        let seen = crate::known::found(answer(2 * LOOP, LOOP / 4));
        assert!(
            seen[0].message.contains("at least 75% did not come down"),
            "{}",
            seen[0].message
        );
    }

    #[test]
    fn disks_that_others_read_hide_what_did_not_come_down() {
        assert!(matches!(
            answer(LOOP, 2 * LOOP),
            Err(crate::NotObservable(_))
        ));
        assert_eq!(answer(LOOP, LOOP), Ok(vec![]));
    }
}
