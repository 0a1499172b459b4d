//! What others had the devices do.

use super::{LimitView, Looked, blocks};
use crate::accounts;
use plimsoll_evidence::LimitCause;
use plimsoll_printable::human;

/// Less is rounding, and what a file system writes beside the data.
const LEAST: f64 = 0.1;

/// Others are in the way only where the device had always something to do.
const BUSY: f64 = 0.9;

/// Looks at what went through the devices that was not the load's.
pub fn look(view: &LimitView<'_>) -> Looked {
    let leaves = blocks::leaves(view);
    if leaves.is_empty() {
        return Looked::default();
    }
    let step = view.step;
    let Some(seen) = step.witnessed.as_ref().filter(|w| w.observed_s > 0.0) else {
        return Looked::unseen(&[LimitCause::ForeignIo]);
    };
    let uses: Vec<_> = leaves.iter().filter_map(|l| seen.device(&l.name)).collect();
    if uses.len() < leaves.len() {
        return Looked::unseen(&[LimitCause::ForeignIo]);
    }
    // What copies, stripes with parity or keeps a journal makes I/O of its own of each write, and nobody tells how much.
    let writes = step.written_bytes() > 0;
    let on_files = view.targets().any(|t| t.filesystem.is_some());
    let mut layers = view.targets().flat_map(|t| &t.stack);
    if writes && (on_files || layers.any(accounts::multiplies)) {
        return Looked::unseen(&[LimitCause::ForeignIo]);
    }
    let mut looked = Looked::default();
    let busy = uses.iter().map(|d| d.busy_ms).max().unwrap_or(0) as f64 / 1e3 / seen.observed_s;
    let names: Vec<&str> = leaves.iter().map(|l| l.name.as_str()).collect();
    // What the keeping of the record wrote is its own, not others'.
    let kept = seen.record.as_ref().filter(|r| {
        let on = |disk: &String| names.iter().any(|n| n == disk);
        r.disks.iter().any(on)
    });
    let kept = kept.map_or(0, |r| r.written_bytes);
    let all: u64 = uses.iter().map(|d| d.bytes()).sum();
    let asked = step.bytes as f64 / step.counted_s * seen.observed_s;
    // Where the page cache reads ahead, more is fetched for this process than it asked for.
    let fetched = seen.own.map_or(0.0, |own| own.read_bytes as f64);
    let own = asked.max(fetched);
    let share = 1.0 - (own + kept as f64) / (all as f64).max(1.0);
    if share < LEAST || busy < BUSY {
        return looked;
    }
    let words = format!(
        "{} of the bytes that {} moved were not this load's",
        human::percent(share),
        names.join(", ")
    );
    looked.add(LimitCause::ForeignIo, share, words);
    looked
}
