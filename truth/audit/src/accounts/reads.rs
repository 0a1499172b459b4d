//! Which part of what was read the kernel fetched from devices.

use super::{Account, READ, of};
use crate::{RuleAnswer, RuleFinding, RunView, applies, clean_unless, findings};

/// The reads of an account, of which devices were asked for less than all.
pub struct Reads<'a> {
    /// The account.
    pub account: &'a Account<'a>,
    /// The part of the bytes that the kernel fetched from devices, 0..=1.
    pub fetched: f64,
    /// Bytes that were asked for each second.
    pub asked_each_s: f64,
}

/// Share of what was asked for: where less was fetched, some is said to be missing.
pub const WHOLE: f64 = 0.98;

/// Asks of each step's reads, on accounts of a kind, how much of them devices were asked for, and lets `say` speak of those that
/// were not all.
pub fn of_reads(
    view: &RunView<'_>,
    which: impl Fn(&Account<'_>) -> bool,
    say: impl Fn(&Reads<'_>) -> RuleFinding,
) -> RuleAnswer {
    let accounts = of(view)?;
    let reads = |a: &Account<'_>| which(a) && a.asked[READ].bytes > 0.0;
    let accounts: Vec<Account<'_>> = accounts.into_iter().filter(reads).collect();
    applies(!accounts.is_empty())?;
    let reported: Vec<(&Account<'_>, f64)> = accounts
        .iter()
        .filter_map(|a| Some((a, fetched(a)?)))
        .collect();
    let all_told = reported.len() == accounts.len();
    let answer = findings(reported.into_iter().filter_map(|(account, own)| {
        let asked = account.asked[READ].bytes;
        (own + account.blur(READ) < WHOLE * asked).then(|| {
            let reads = Reads {
                account,
                fetched: own / asked,
                asked_each_s: asked / account.step.counted_s,
            };
            say(&reads).step(account.step.number)
        })
    }));
    clean_unless(
        answer,
        !all_told,
        "what the kernel fetched from devices for this process, for these targets alone",
    )
}

/// Bytes of an account's reads that devices were asked for; `None` where nobody told. The kernel's account is of the process: it
/// is of these reads where there are no others. A direct I/O that finds no tag free it charges twice, so no more counts than
/// the devices did that the I/Os were given to, where these count at all.
fn fetched(account: &Account<'_>) -> Option<f64> {
    let own = account.seen.own.filter(|_| account.is_all)?;
    let did = Account::done(&account.fronts, READ);
    let own = own.read_bytes as f64;
    Some(if did.ios > 0.0 {
        own.min(did.bytes)
    } else {
        own
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{Observed, changed, on_two_disks};

    fn ask(change: impl FnOnce(&mut Observed)) -> RuleAnswer {
        let case = changed(change);
        of_reads(
            &case.view(),
            |_| true,
            |reads| RuleFinding::new(format!("{:.2}.", reads.fetched)),
        )
    }

    #[test]
    fn reads_of_which_the_kernels_account_tells_nothing_are_not_clean() {
        assert_eq!(ask(|_| ()), Ok(vec![]));
        let apart = ask(|o| on_two_disks(o, 0.5));
        assert!(matches!(apart, Err(crate::NotObservable(_))), "{apart:?}");
        // Nor is a step that nothing was told of beside one that is.
        let second = ask(|o| {
            let mut second = o.steps[0].clone();
            second.witnessed.as_mut().expect("seen").own = None;
            o.steps.push(second);
        });
        assert!(matches!(second, Err(crate::NotObservable(_))), "{second:?}");
    }

    #[test]
    fn who_looks_late_has_missed_nothing() {
        let some_missing = |o: &mut Observed| {
            o.own().read_bytes = o.own().read_bytes / 100 * 94;
            o.step().service.record(30_000_000_000);
        };
        assert!(crate::known::fires(ask(some_missing)));
        let starved = ask(|o| {
            some_missing(o);
            o.witnessed().threads[0].waited_s = 300.0;
        });
        assert_eq!(starved, Ok(vec![]));
    }

    #[test]
    fn what_the_kernel_charges_twice_hides_nothing() {
        let half = |o: &mut Observed| o.device().read_bytes /= 2;
        let Ok(seen) = ask(half) else {
            panic!("half was not fetched")
        };
        assert_eq!(seen[0].message, "0.50.");
        // A device that counts nothing says nothing.
        let nothing = |o: &mut Observed| (o.device().reads, o.device().read_bytes) = (0, 0);
        assert_eq!(ask(nothing), Ok(vec![]));
    }
}
