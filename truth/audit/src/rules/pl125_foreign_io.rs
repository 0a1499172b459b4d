use crate::accounts::{self, Account, Foreign};
use crate::{RuleAnswer, RuleFinding, RunView, clean_unless, others};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

rule! {
    125 "foreign-io" Run(check) [SUSPECT, SUSPECT, SUSPECT, INVALID, SUSPECT] pitfalls [50] {
        summary: "Somebody else used a disk below the target.",
        why: "A disk has one queue. What another process, the journal of a file system or another guest asks of it takes its \
            time and moves its heads; the target's I/Os wait behind it, and their number and their times are those of both \
            together.",
        threshold: "On the disks at the bottom of a target's stack more bytes were moved than Plimsoll asked for and its record \
            took, by more than 2 % (suspect) or 10 % (invalid) of all that was moved, and of all that the step asked for where \
            that is more, and 256 KiB/s, after the uncertainty is taken off. Writes, and reads beside them, are not judged where layers make more of them (RAID, loop devices, copies, \
            snapshots, journals of durable writes).",
        source: "/proc/diskstats against the step's own bytes; shares of the catalogue, measured up to 84 %. 256 KiB/s is what an \
            idle system's log may write.",
        example: "`dd if=/dev/sda of=/dev/null` beside the run: 400 of 900 MB/s were not asked for by Plimsoll.",
        remedy: "Find who it is (`pidstat -d 1`, `biotop`), stop it, and measure again.",
    }
    fires: |o| o.device().read_bytes = 90_000_000_000,
    clean: |o| o.device().written_bytes = 50_000_000,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let accounts = accounts::of(view)?;
    clean_unless(
        accounts::judged(view, accounts.iter().filter_map(foreign)),
        accounts.iter().any(Account::may_hide_readers),
        "whose the reads at the disks were, where a layer above them answered for some of this load's",
    )
}

fn foreign(account: &Account<'_>) -> Option<RuleFinding> {
    let found = Foreign::of(account);
    // Beside what came from memory, a disk that did next to nothing changes nothing.
    let asked: f64 = account.asked.iter().map(|m| m.bytes).sum();
    let all = found.moved_bytes.max(asked);
    let (extra, blur) = (found.bytes(), found.blur_bytes);
    let sure = extra - blur;
    let share = others::share(sure, all);
    if share <= SOME || sure / account.seen.observed_s < LEAST_EACH_S {
        return None;
    }
    let each_s = |bytes: f64| human::bytes((bytes / account.seen.observed_s) as u64);
    let wrote = match found.written_bytes {
        Some(written) => format!(" and wrote {}/s", each_s(written)),
        None => String::new(),
    };
    let message = format!(
        "{} of what {} moved was not asked for by Plimsoll: others read {}/s{wrote} there, give or take {}/s.",
        human::percent(found.share()),
        Account::names(&account.leaves),
        each_s(found.read_bytes),
        each_s(blur),
    );
    let at_most = match share > MUCH {
        true => Severity::Invalid,
        false => Severity::Suspect,
    };
    Some(
        RuleFinding::new(message)
            .step(account.step.number)
            .at_most(at_most)
            .judged("foreign_for_sure", Quantity::Share(share), SOME)
            .value("foreign", Quantity::Share(found.share()))
            .value("uncertainty", Quantity::Share(others::share(blur, all))),
    )
}

const SOME: f64 = 0.02;
const MUCH: f64 = 0.10;
/// Bytes a second.
const LEAST_EACH_S: f64 = 262_144.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{Observed, changed, found, writing};

    fn of(change: impl FnOnce(&mut Observed)) -> Vec<RuleFinding> {
        found(check(&changed(change).view()))
    }

    #[test]
    fn the_edges_are_at_two_and_ten_percent_after_the_uncertainty() {
        let with = |extra: u64| of(|o| o.device().read_bytes += extra);
        assert_eq!(with(1_000_000_000), []);
        assert_eq!(with(1_020_000_000)[0].at_most, Severity::Suspect);
        assert_eq!(with(5_450_000_000)[0].at_most, Severity::Suspect);
        assert_eq!(with(5_480_000_000)[0].at_most, Severity::Invalid);
    }

    #[test]
    fn what_the_kernel_charges_twice_for_want_of_a_tag_hides_nobody() {
        let twice = |others: u64| {
            of(|o| {
                o.own().read_bytes *= 2;
                o.device().read_bytes += others;
            })
        };
        assert_eq!(twice(0), []);
        assert_eq!(twice(40_000_000_000)[0].at_most, Severity::Invalid);
    }

    #[test]
    fn a_nearly_idle_disk_beside_io_from_memory_is_measured_by_what_was_asked_for() {
        let with = |read: u64| {
            of(|o| {
                o.plan.targets[0].caching = plimsoll_plan::Caching::Buffered;
                o.own().read_bytes = 0;
                o.device().read_bytes = read;
            })
        };
        // All that the disk moved was others', and 1.8 % of what was asked for.
        assert_eq!(with(900_000_000), []);
        assert_eq!(with(1_100_000_000)[0].at_most, Severity::Suspect);
        assert_eq!(with(6_000_000_000)[0].at_most, Severity::Invalid);
    }

    #[test]
    fn where_a_device_counts_nothing_in_a_step_nobody_says_that_all_is_clean() {
        let case = changed(|o| {
            let mut second = o.steps[0].clone();
            second.number = 2;
            if let Some(seen) = &mut second.witnessed {
                seen.devices.clear();
            }
            o.steps.push(second);
        });
        assert!(matches!(check(&case.view()), Err(crate::NotObservable(_))));
    }

    #[test]
    fn what_was_written_to_the_record_is_told_apart_and_makes_it_less_sure() {
        let with = |disk: &str| {
            of(|o| {
                o.device().written_bytes = 3_000_000_000;
                let record = o.witnessed().record.as_mut().expect("a record");
                (record.disks, record.written_bytes) = (vec![disk.into()], 2_000_000_000);
            })
        };
        assert_eq!(with("sdx"), []);
        assert!(
            with("sdq")[0].message.contains("wrote 4.77 MiB/s"),
            "{:?}",
            with("sdq")
        );
    }

    #[test]
    fn the_writes_of_a_raid_are_not_taken_for_somebody_elses() {
        let written = |o: &mut Observed| {
            writing(&mut o.plan);
            o.step().ops[0].op = plimsoll_measure::Op::Write;
            (o.device().read_bytes, o.device().written_bytes) = (0, 98_304_000_000);
        };
        assert_eq!(of(written).len(), 1);
        let raid = |o: &mut Observed| {
            written(o);
            o.layer().kind = "md".into();
        };
        assert_eq!(of(raid), []);
    }

    #[test]
    fn what_is_copied_for_a_snapshot_is_nobodys() {
        let copied = |below: &'static str| {
            of(move |o| {
                writing(&mut o.plan);
                o.step().ops[0].op = plimsoll_measure::Op::Write;
                (o.device().read_bytes, o.device().written_bytes) = (0, 98_304_000_000);
                let disk = o.layer().clone();
                let volume = |name: &str, model: &str, below: &str| plimsoll_evidence::BlockLayer {
                    name: name.into(),
                    kind: "dm".into(),
                    model: Some(model.into()),
                    slaves: vec![below.into()],
                    ..disk.clone()
                };
                let mut counted = o.device().clone();
                counted.name = "dm-1".into();
                o.witnessed().devices.push(counted);
                let stack = &mut o.environment.targets[0].stack;
                stack.insert(0, volume("dm-0", below, "sdx"));
                stack.insert(0, volume("dm-1", "lvm vg0-data", "dm-0"));
            })
        };
        assert_eq!(copied("lvm vg0-data-real"), []);
        assert_eq!(copied("crypt data").len(), 1);
    }

    #[test]
    fn what_a_raid_reads_for_its_parity_is_nobodys() {
        let parity = |kind: &'static str| {
            of(move |o| {
                writing(&mut o.plan);
                o.step().ops[0].op = plimsoll_measure::Op::Write;
                o.layer().kind = kind.into();
                o.own().read_bytes = 0;
                o.device().written_bytes = 49_152_000_000;
            })
        };
        assert_eq!(parity("md"), []);
        assert_eq!(parity("disk").len(), 1);
    }

    #[test]
    fn a_log_that_writes_now_and_then_is_nobody() {
        let slow = |o: &mut Observed| {
            o.step().ops[0].bytes = 49_152_000;
            (o.device().read_bytes, o.device().written_bytes) = (49_152_000, 12_000_000);
            o.own().read_bytes = 49_152_000;
        };
        assert_eq!(of(slow), []);
    }
}
