//! Whether more I/Os in flight would have done more: the generator's slots.

use super::{Candidate, LimitView, Looked, array};
use crate::limit::device;
use plimsoll_evidence::{LimitCause, StepEvidence};
use plimsoll_printable::human;

/// A closed loop has its slots busy where so many are in flight of them; what is missing are turns of the generator.
const ALL_BUSY: f64 = 0.9;

/// Slots are what is left: more of them bring as much as the busiest place has room for. Where it is not known how busy the target is,
/// they are not named.
pub fn look(view: &LimitView<'_>, others: &[Candidate]) -> Looked {
    let step = view.step;
    if step.depth_mean < ALL_BUSY * step.slots as f64 {
        // They have room themselves.
        return Looked::default();
    }
    let Some((used, seen)) = used(view) else {
        return Looked::unseen(&[LimitCause::Slots]);
    };
    // What holds I/Os up before they reach the target would hold up more of them, too.
    let outside = |c: &&Candidate| !array_is_told(c.cause);
    let held: f64 = others
        .iter()
        .filter(outside)
        .map(|c| c.explains)
        .fold(0.0, f64::max);
    let mut looked = Looked::default();
    let slots = match step.slots {
        1 => "the one slot was".to_string(),
        n => format!("all {} slots were", human::count(n)),
    };
    looked.add(
        LimitCause::Slots,
        1.0 - used.max(held),
        format!("{slots} always busy, and {seen}"),
    );
    looked
}

/// Whether how busy it is says how much more it could do.
fn array_is_told(cause: LimitCause) -> bool {
    matches!(
        cause,
        LimitCause::Media
            | LimitCause::HotOwner
            | LimitCause::ArrayCores
            | LimitCause::Port
            | LimitCause::GarbageCollection
            | LimitCause::Target
    )
}

/// How much of what the target can do it did, and how that shows.
fn used(view: &LimitView<'_>) -> Option<(f64, String)> {
    let step = view.step;
    let told = array::busiest(step).map(|(busy, what)| {
        (
            busy,
            format!("{what} had {} room", human::percent((1.0 - busy).max(0.0))),
        )
    });
    let tried = device::ceiling(view).map(|ceiling| {
        let used = (step.rate.mean / ceiling.most).min(1.0);
        (used, ceiling.seen)
    });
    match (told, tried) {
        (Some(told), Some(tried)) => Some(if tried.0 > told.0 { tried } else { told }),
        (None, tried) => tried,
        (Some(told), None) => tells_all(step).then_some(told),
    }
}

/// An array that tells of its cores tells of all that works in it; of one that does not, something that is not told may be
/// what takes the time.
fn tells_all(step: &StepEvidence) -> bool {
    step.arrays.iter().all(|a| !a.cores.is_empty())
}
