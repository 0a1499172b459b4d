//! What others had the devices do.

use super::{LimitView, Looked, blocks};
use crate::accounts::{self, Account, Foreign};
use crate::others;
use plimsoll_evidence::LimitCause;
use plimsoll_printable::human;

/// Less is rounding, and what a file system writes beside the data.
const LEAST: f64 = 0.1;

/// Others are in the way only where the device had always something to do.
const BUSY: f64 = 0.9;

/// Looks at what went through the devices that was not the load's, by the accounts from which the rules have it.
pub fn look(view: &LimitView<'_>) -> Looked {
    if blocks::leaves(view).is_empty() {
        return Looked::default();
    }
    let unseen = || Looked::unseen(&[LimitCause::ForeignIo]);
    let step = view.step;
    let Some(seen) = step.witnessed.as_ref().filter(|w| w.observed_s > 0.0) else {
        return unseen();
    };
    // What copies, stripes with parity or keeps a journal makes I/O of its own of each write, and nobody tells how much.
    let writes = step.written_bytes() > 0;
    let on_files = view.targets().any(|t| t.filesystem.is_some());
    let mut layers = view.targets().flat_map(|t| &t.stack);
    if writes && (on_files || layers.any(accounts::multiplies)) {
        return unseen();
    }
    let accounts = accounts::of_step(view.environment, view.planned, step, seen);
    if accounts.is_empty() {
        return unseen();
    }
    let mut looked = Looked::default();
    let asked = |a: &Account<'_>| a.asked.iter().map(|m| m.bytes).sum::<f64>();
    let all: f64 = accounts.iter().map(asked).sum();
    for account in &accounts {
        // What waits above a layer waits for nothing below it, whoever is there.
        let reached = blocks::within_loops(view).map_or(1.0, |inside| inside.clamp(0.0, 1.0));
        let on_tops = Account {
            leaves: account.tops.clone(),
            ..account.clone()
        };
        let places = [(account, reached), (&on_tops, 1.0)];
        let in_the_way = places.into_iter().filter_map(|(place, reached)| {
            let busy = place.leaves.iter().map(|d| d.busy_ms).max()?;
            let share = Foreign::of(place).share();
            let is_busy = busy as f64 / 1e3 / seen.observed_s >= BUSY;
            (share >= LEAST && is_busy).then(|| (share.min(reached), share, place))
        });
        let Some((waits, share, place)) = in_the_way.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            continue;
        };
        let words = format!(
            "{} of the bytes that {} moved were not this load's",
            human::percent(share),
            Account::names(&place.leaves)
        );
        // Of targets on several disks those alone wait that are on this one.
        let here = match accounts.len() {
            1 => 1.0,
            _ => others::share(asked(account), all),
        };
        looked.add(LimitCause::ForeignIo, waits * here, words);
    }
    looked
}
