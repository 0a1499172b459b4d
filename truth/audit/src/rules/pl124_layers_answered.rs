//! A layer between the target and its disks answered for them.

use crate::accounts::{self, Account, READ, WRITE};
use crate::others;
use crate::{Answer, Check, INVALID, NOTE, Page, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 124,
    name: "layers-answered",
    summary: "A layer between the target and its disks answered for them.",
    severity: Severities::of([NOTE, SUSPECT, SUSPECT, INVALID, NOTE]),
    pitfalls: &[6, 58],
    page: Page {
        why: "What the target's device took and what the disks below it did should reconcile. Where the disks did less, \
            something in between has answered: the page cache under a loop device, a cache of device mapper or bcache, a map \
            that knows of no block there, deduplication.",
        threshold: "In a direction that moved something, the disks at the bottom moved less than 98 % of the bytes of the device at \
            the top, by more than what may be out at both ends. Suspect at most while at least half came through.",
        source: "/proc/diskstats of both; the 98 % are those of the catalogue.",
        example: "A loop device over a file that lies in memory: 2 GB/s at loop0, and 3 MB/s at the disk below.",
        remedy: "Test the disks themselves, or a loop device with direct I/O (`losetup --direct-io=on`), or name the layer with \
            the result.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let accounts = match accounts::of(view) {
        Ok(accounts) => accounts,
        Err(answer) => return answer,
    };
    let layered = |a: &Account<'_>| {
        a.layers()
            .any(|l| l.kind != "partition" && !below_none(l, a))
    };
    let layered: Vec<Account<'_>> = accounts.into_iter().filter(layered).collect();
    if layered.is_empty() {
        return Answer::NotApplicable;
    }
    Answer::of(layered.iter().flat_map(|account| {
        [(READ, "read"), (WRITE, "written")]
            .into_iter()
            .filter_map(|(direction, word)| answered(account, direction, word))
    }))
}

/// Whether a layer is one of the disks at the bottom.
fn below_none(layer: &plimsoll_evidence::BlockLayer, account: &Account<'_>) -> bool {
    account.leaves.iter().any(|d| d.name == layer.name)
}

fn answered(account: &Account<'_>, direction: usize, word: &str) -> Option<Seen> {
    let front = Account::done(&account.fronts, direction).bytes;
    let back = Account::done(&account.leaves, direction).bytes;
    let through = others::share(back, front);
    if front <= 0.0 || back + account.blur(direction) >= WHOLE * front {
        return None;
    }
    let message = format!(
        "{} were {word} at {} and {} at {} below it: {} did not come down.",
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
        Seen::new(message)
            .step(account.step.number)
            .at_most(at_most)
            .value("came_down", Quantity::Share(through))
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

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| looped(o, 3_000_000_000),
    clean: |o| looped(o, 49_152_000_000),
};

#[cfg(test)]
#[test]
fn a_disk_alone_has_no_layers_to_reconcile() {
    assert_eq!(
        check(&crate::known::observed().view()),
        Answer::NotApplicable
    );
}
