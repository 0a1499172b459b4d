//! Which part of what was read the kernel fetched from devices.

use super::{Account, READ, of};
use crate::{Answer, RunView, Seen};

/// The reads of an account, of which devices were asked for less than all.
pub struct Reads<'a> {
    /// The account.
    pub account: &'a Account<'a>,
    /// The part of the bytes that the kernel fetched from devices, 0..=1.
    pub fetched: f64,
    /// Bytes that were asked for each second.
    pub asked_each_s: f64,
}

/// Of what is fetched less is said to be missing.
const WHOLE: f64 = 0.98;

/// Asks of each step's reads, on accounts of a kind, how much of them devices were asked for, and lets `say` speak of those that
/// were not all.
pub fn of_reads(
    view: &RunView<'_>,
    which: impl Fn(&Account<'_>) -> bool,
    say: impl Fn(&Reads<'_>) -> Seen,
) -> Answer {
    let accounts = match of(view) {
        Ok(accounts) => accounts,
        Err(answer) => return answer,
    };
    let reads = |a: &Account<'_>| which(a) && a.asked[READ].bytes > 0.0;
    let accounts: Vec<Account<'_>> = accounts.into_iter().filter(reads).collect();
    if accounts.is_empty() {
        return Answer::NotApplicable;
    }
    // The kernel's account is of the process: it is of these reads where there are no others.
    let told: Vec<(&Account<'_>, f64)> = accounts
        .iter()
        .filter(|a| a.is_all)
        .filter_map(|a| Some((a, a.seen.own?.read_bytes as f64)))
        .collect();
    if told.is_empty() {
        return Answer::NotObservable(
            "what the kernel fetched from devices for this process, for these targets alone",
        );
    }
    Answer::of(told.into_iter().filter_map(|(account, own)| {
        let asked = account.asked[READ].bytes;
        (own + account.blur(READ) < WHOLE * asked).then(|| {
            let reads = Reads {
                account,
                fetched: own / asked,
                asked_each_s: asked / account.step.counted_s,
            };
            say(&reads).step(account.step.number)
        })
    }))
}
