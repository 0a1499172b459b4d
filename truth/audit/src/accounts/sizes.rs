//! In which sizes requests reached the disks.

use super::{Account, Moved, READ, WRITE, judged, of};
use crate::{RuleAnswer, RuleFinding, RunView, applies, observable};

/// One direction of an account whose bytes reconcile: what was asked for, and what reached the disks of it.
pub struct Sizes<'a> {
    /// The account.
    pub account: &'a Account<'a>,
    /// I/Os that were asked for.
    pub asked: Moved,
    /// I/Os that the disks at the bottom did.
    pub done: Moved,
    /// True where requests of a file system are among them.
    pub is_loose: bool,
    direction: usize,
}

/// Hardly anybody asks for less, bytes.
const SMALLEST: f64 = 4096.0;
/// The part of the requests that are missing of which it has to be known that they were joined.
const EXPLAINED: f64 = 0.9;
/// Bytes that differ by more are not of the same I/Os.
const RECONCILED: f64 = 0.05;

impl Sizes<'_> {
    /// Requests of the disks for each that was asked for.
    pub fn each(&self) -> f64 {
        self.done.ios / self.asked.ios
    }

    /// Requests for each I/O, at least: without what the looks may be apart, and without small requests of others, whose bytes are too many.
    pub fn each_at_least(&self) -> f64 {
        let of_others = (self.done.bytes - self.asked.bytes).max(0.0) / SMALLEST;
        (self.done.ios - of_others) / self.asked.ios - self.apart()
    }

    /// Requests for each I/O, at most.
    pub fn each_at_most(&self) -> f64 {
        self.each() + self.apart()
    }

    /// Requests that the kernel joined to others on the way, as the devices of all layers counted them.
    pub fn joined(&self) -> f64 {
        let layers = self.account.layers().filter(|l| l.kind != "partition");
        let mut names: Vec<&str> = layers.map(|l| l.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let seen = names.iter().filter_map(|n| self.account.seen.device(n));
        seen.map(|d| match self.direction {
            READ => d.reads_merged as f64,
            _ => d.writes_merged as f64,
        })
        .sum()
    }

    /// True where joined requests are the reason why fewer arrived than were asked for.
    pub fn is_joined(&self) -> bool {
        let missing = self.asked.ios - self.done.ios;
        self.joined() + self.apart() * self.asked.ios >= EXPLAINED * missing
    }

    /// By which part of them the counts may be apart.
    fn apart(&self) -> f64 {
        self.account.blur(self.direction) / self.asked.bytes
    }

    /// `Reads` or `Writes`.
    pub fn what(&self) -> &'static str {
        match self.direction {
            READ => "Reads",
            _ => "Writes",
        }
    }

    /// The names of the disks.
    pub fn devices(&self) -> String {
        Account::names(&self.account.leaves)
    }
}

/// Asks each direction of direct I/O whose bytes reconcile.
pub fn of_sizes(view: &RunView<'_>, say: impl Fn(&Sizes<'_>) -> Option<RuleFinding>) -> RuleAnswer {
    let accounts = of(view)?;
    let direct: Vec<Account<'_>> = accounts.into_iter().filter(|a| !a.is_buffered()).collect();
    applies(!direct.is_empty())?;
    let sizes: Vec<Sizes<'_>> = direct
        .iter()
        .flat_map(|a| [READ, WRITE].into_iter().filter_map(|d| reconciled(a, d)))
        .collect();
    observable(
        !sizes.is_empty(),
        "a direction whose bytes at the disks are those that were asked for",
    )?;
    judged(
        view,
        sizes
            .iter()
            .filter_map(|s| Some(say(s)?.step(s.account.step.number))),
    )
}

fn reconciled<'a>(account: &'a Account<'a>, direction: usize) -> Option<Sizes<'a>> {
    let asked = account.asked[direction];
    let done = Account::done(&account.leaves, direction);
    let off = (done.bytes - asked.bytes).abs();
    let near = asked.ios > 0.0 && off <= RECONCILED * asked.bytes + account.blur(direction);
    near.then_some(Sizes {
        account,
        asked,
        done,
        is_loose: direction == WRITE && account.on_files(),
        direction,
    })
}
