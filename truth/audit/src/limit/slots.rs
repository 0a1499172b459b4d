//! Whether more I/Os in flight would have done more: the generator's slots.

use super::{Candidate, LEAD, LEAST_GAIN, LimitView, Looked, array};
use crate::limit::device;
use plimsoll_evidence::{LimitCause, StepEvidence};
use plimsoll_printable::human;

/// A closed loop has its slots busy where so many are in flight of them; what is missing are turns of the generator.
const ALL_BUSY: f64 = 0.9;

/// Slots are what is left: more of them bring as much as the busiest place has room for. Where it is not known how busy the target is,
/// they are not named.
pub fn look(view: &LimitView<'_>, others: &Looked) -> Looked {
    let step = view.step;
    if step.depth_mean < ALL_BUSY * step.slots as f64 {
        // They have room themselves.
        return Looked::default();
    }
    let Some(used) = used(view) else {
        return Looked::unseen(&[LimitCause::Slots]);
    };
    // What holds I/Os up before they reach the target would hold up more of them, too.
    let outside = |c: &&Candidate| !array_is_told(c.cause);
    let held = others.candidates.iter().filter(outside);
    let held = held.map(|c| busy_with(c.explains * step.depth_mean));
    let held = held.fold(0.0, f64::max);
    let slots = match step.slots {
        1 => "the one slot was".to_string(),
        n => format!("all {} slots were", human::count(n)),
    };
    let seen = format!("{slots} always busy, and {}", used.seen);
    let share = 1.0 - used.share.max(held);
    let mut looked = Looked::default();
    // Where most of an I/O's time is that of one part, a faster part would do as much as more slots.
    let one_part = 1.0 / (1.0 - array::longest(step)).max(1e-3);
    let stands_out = 1.0 / (1.0 - share).max(1e-3) >= LEAD * one_part;
    let meets_one = view.is_in_turn() && 1.0 - array::one_owner(step) < 1.0 - 1.0 / LEAST_GAIN;
    let doubt = match (used.was_tried, used.is_all) {
        (true, _) => None,
        (false, _) if has_slow_path(step) => {
            Some("a path was slow, and how long it had each I/O is not told")
        }
        (false, _) if meets_one => Some(
            "its addresses follow each other: where few owners of slices have all the work at a time, more slots would only wait for the same ones",
        ),
        (false, false) => Some("what else the target is busy with is not told"),
        (false, true) if stands_out => None,
        (false, true) => Some(
            "one part of the target has each I/O for most of its time, and a faster one would do as much",
        ),
    };
    if !used.is_all {
        looked.unseen.push(LimitCause::Slots);
    }
    match doubt {
        None => looked.add(LimitCause::Slots, share, seen),
        Some(doubt) => looked.add_possible(LimitCause::Slots, share, seen, doubt),
    }
    looked
}

fn has_slow_path(step: &StepEvidence) -> bool {
    let mut paths = step.arrays.iter().flat_map(|a| &a.paths);
    paths.any(|path| path.state == "slow")
}

/// Busy share at most of a single server that has so many I/Os on average: no more than it has; from 0.75 on as one with even times and
/// independent arrivals (Pollaczek-Khinchine: L = U + U²/(2 − 2U)).
pub fn busy_with(ios: f64) -> f64 {
    ios.min(0.75).max(1.0 + ios - (1.0 + ios * ios).sqrt())
}

/// Whether how busy it is says how much more it could do.
fn array_is_told(cause: LimitCause) -> bool {
    cause.is_of_target() && cause != LimitCause::Journal
}

/// How much of what the target can do it did.
struct Used {
    share: f64,
    seen: String,
    /// False where there may be something in it that did more.
    is_all: bool,
    /// More, or less, in flight was tried.
    was_tried: bool,
}

fn used(view: &LimitView<'_>) -> Option<Used> {
    let step = view.step;
    let reported = array::busiest(step).map(|(busy, what)| {
        let room = human::percent((1.0 - busy).max(0.0));
        // What is in no place that is told is in one that is not. Where that is one I/O at most, it is busy for no more than
        // that part of the time.
        let elsewhere = match tells_all(step) {
            true => 0.0,
            false => step.depth_mean - array::held(step),
        };
        Used {
            share: if elsewhere < 1.0 {
                busy.max(elsewhere)
            } else {
                busy
            },
            seen: format!("{what} had {room} room"),
            is_all: elsewhere < 1.0,
            was_tried: false,
        }
    });
    let tried = device::ceiling(view).map(|ceiling| Used {
        share: (step.rate.mean / ceiling.most).min(1.0),
        seen: ceiling.seen,
        is_all: true,
        was_tried: true,
    });
    match (reported, tried) {
        (Some(reported), Some(tried)) if reported.share > tried.share => Some(Used {
            is_all: true,
            was_tried: true,
            ..reported
        }),
        (reported, tried) => tried.or(reported),
    }
}

/// An array that tells of its cores tells of all that works in it; of one that does not, something that is not told may be
/// what takes the time.
fn tells_all(step: &StepEvidence) -> bool {
    step.arrays.iter().all(|a| !a.cores.is_empty())
}
