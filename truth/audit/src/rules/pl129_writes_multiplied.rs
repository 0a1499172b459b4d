use crate::accounts::{self, Account, WRITE};
use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, others};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    129 "writes-multiplied" Run(check) NOTE pitfalls [41, 58] {
        summary: "The disks wrote more than was asked for.",
        why: "Copies and parity of a RAID, and the journal of a file system before each durable write, make several writes of \
            one. The disks do that work, and the result shows a part of it.",
        threshold: "Below RAID, several members, a loop device or durable writes to files, the disks at the bottom wrote more than \
            1.1 times the bytes that were asked for, by more than what may be out at both ends. Somebody else's writes are \
            among it: there they cannot be told apart.",
        source: "/proc/diskstats. Measured: 2,000 writes with an fsync each are 4,070 of the disk.",
        example: "RAID 5 of four disks: 100 MB/s of small writes are 200 MB/s of the disks, and as much of reads.",
        remedy: "Report both numbers: what the application gets, and what the disks do for it.",
    }
    fires: |o| raid(o, 98_304_000_000),
    clean: |o| raid(o, 50_000_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let accounts = accounts::of(view)?;
    let several =
        |a: &Account<'_>| !a.writes_are_plain() && !a.is_buffered() && a.asked[WRITE].bytes > 0.0;
    let several: Vec<Account<'_>> = accounts.into_iter().filter(several).collect();
    applies(!several.is_empty())?;
    findings(several.iter().filter_map(|account| {
        let (asked, done) = (
            account.asked[WRITE].bytes,
            Account::done(&account.leaves, WRITE).bytes,
        );
        let factor = others::share(done, asked);
        let sure = done - account.blur(WRITE) - account.record_bytes() > MORE * asked;
        sure.then(|| {
            let message = format!(
                "{} were written to {}, and {} by {} for it: {} times as much.",
                human::bytes(asked as u64),
                account.of_what(),
                human::bytes(done as u64),
                Account::names(&account.leaves),
                human::number(factor)
            );
            RuleFinding::new(message).step(account.step.number).judged(
                "factor",
                Quantity::Number(factor),
                MORE,
            )
        })
    }))
}

const MORE: f64 = 1.1;

#[cfg(test)]
fn raid(o: &mut crate::known::Observed, written_bytes: u64) {
    crate::known::writing(&mut o.plan);
    o.step().ops[0].op = plimsoll_measure::Op::Write;
    o.layer().kind = "md".into();
    (o.device().read_bytes, o.device().written_bytes) = (0, written_bytes);
}
