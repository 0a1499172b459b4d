//! The block stack of the host: queues that are shorter than what is in flight, and requests that are cut small.

use super::{LimitView, Looked, ramp};
use crate::queue;
use plimsoll_evidence::{BlockLayer, LimitCause, Witnessed};
use plimsoll_printable::human;

/// A queue is short where it has no more than this share of what is in flight.
const SHORT: f64 = 0.8;

/// And it is used where so much of it is, on average.
const USED: f64 = 0.5;

/// Somebody cut requests small where they may have no more than this share of what the hardware takes, and no more than so
/// many KiB.
const CUT: (u64, u64) = (4, 64);

/// I/Os that are cut into so many requests cost what requests cost, and no more what bytes do.
const PIECES: (f64, f64) = (3.0, 12.0);

/// What an I/O's time is put down to that at most.
const OF_PIECES: f64 = 0.7;

/// Looks at the devices at the bottom of the targets' stacks.
pub fn look(view: &LimitView<'_>) -> Looked {
    let leaves = leaves(view);
    if leaves.is_empty() {
        return Looked::default();
    }
    let Some(seen) = view.step.witnessed.as_ref().filter(|w| w.observed_s > 0.0) else {
        return Looked::unseen(&[LimitCause::BlockQueue]);
    };
    if leaves.iter().any(|l| seen.device(&l.name).is_none()) {
        return Looked::unseen(&[LimitCause::BlockQueue]);
    }
    let mut looked = Looked::default();
    short_queue(view, seen, &leaves, &mut looked);
    for leaf in &leaves {
        cut_small(view, seen, leaf, &mut looked);
    }
    // A device that is made of others, such as a loop device over a disk, has a queue of its own.
    for top in tops(view, &leaves) {
        short_queue(view, seen, &[top], &mut looked);
        cut_small(view, seen, top, &mut looked);
    }
    looked
}

/// Of what is in flight, the share that is in the devices that the I/Os come to first; `None` where there are none, or nobody
/// looked.
pub fn in_the_device(view: &LimitView<'_>) -> Option<f64> {
    let seen = view
        .step
        .witnessed
        .as_ref()
        .filter(|w| w.observed_s > 0.0)?;
    let firsts = firsts(view);
    let uses: Option<Vec<_>> = firsts.iter().map(|l| seen.device(&l.name)).collect();
    let uses = uses.filter(|uses| !uses.is_empty())?;
    let ms = uses.iter().map(|d| d.read_ms.saturating_add(d.write_ms));
    Some(ms.sum::<u64>() as f64 / 1e3 / seen.observed_s / view.step.depth_mean)
}

/// Of what is in flight, the share that is in loop devices, where all I/Os come to such first: what waits before them waits for nothing
/// that is below. `None` where they come to others, which may have no place because of what is below, or where nobody counted.
pub fn within_loops(view: &LimitView<'_>) -> Option<f64> {
    let seen = view.step.witnessed.as_ref()?;
    let counts = |l: &&BlockLayer| seen.device(&l.name).is_some_and(|d| d.reads + d.writes > 0);
    let loops = |l: &&BlockLayer| l.kind == "loop" && counts(l);
    firsts(view)
        .iter()
        .all(loops)
        .then(|| in_the_device(view))?
}

/// The device that each target's I/Os come to first, each once. A partition's are its disk's.
fn firsts<'a>(view: &LimitView<'a>) -> Vec<&'a BlockLayer> {
    let mut firsts: Vec<&BlockLayer> = Vec::new();
    for target in view.targets() {
        let first = target.stack.iter().find(|l| l.kind != "partition");
        let is_new = |l: &&BlockLayer| firsts.iter().all(|f| f.name != l.name);
        if let Some(first) = first.filter(is_new) {
            firsts.push(first);
        }
    }
    firsts
}

/// The devices that the I/Os come to first, where they are not the last, and the step has one.
fn tops<'a>(view: &LimitView<'a>, leaves: &[&BlockLayer]) -> Vec<&'a BlockLayer> {
    let mut tops: Vec<&BlockLayer> = view.targets().filter_map(|t| t.stack.first()).collect();
    let is_other =
        |l: &&BlockLayer| l.kind != "partition" && leaves.iter().all(|o| o.name != l.name);
    tops.retain(is_other);
    // Of several it is not known how much was in flight on each.
    if tops.len() > 1 { Vec::new() } else { tops }
}

/// The devices at the bottom of what the step's streams use.
pub fn leaves<'a>(view: &LimitView<'a>) -> Vec<&'a BlockLayer> {
    let mut leaves: Vec<&BlockLayer> = Vec::new();
    for target in view.targets() {
        let all = queue::leaves(target);
        // A loop device names no slaves; what its file lies on stands beside it.
        let is_over = |l: &&BlockLayer| l.kind == "loop" && all.iter().any(|o| o.kind != "loop");
        for leaf in all.iter().filter(|l| !is_over(l)) {
            if !leaves.iter().any(|l| l.name == leaf.name) {
                leaves.push(leaf);
            }
        }
    }
    leaves
}

/// I/Os that wait in the host for a place in the device's queue. The kernel counts a request's time from when it has one.
fn short_queue(
    view: &LimitView<'_>,
    seen: &Witnessed,
    leaves: &[&BlockLayer],
    looked: &mut Looked,
) {
    let Some(places) = queue::places(leaves).map(|p| p as f64) else {
        return;
    };
    let uses = leaves.iter().filter_map(|l| seen.device(&l.name));
    let in_them = uses
        .map(|d| d.read_ms.saturating_add(d.write_ms))
        .sum::<u64>() as f64
        / 1e3
        / seen.observed_s;
    let depth = view.step.depth_mean;
    if places > SHORT * depth || in_them < USED * places {
        return;
    }
    let names: Vec<&str> = leaves.iter().map(|l| l.name.as_str()).collect();
    let seen = format!(
        "of {depth:.1} I/Os in flight {in_them:.1} were in {}, whose queue has {places} places (nr_requests)",
        names.join(", ")
    );
    looked.add(LimitCause::BlockQueue, 1.0 - in_them / depth, seen);
}

/// I/Os that are cut into many requests because somebody set `max_sectors_kb` low.
fn cut_small(view: &LimitView<'_>, seen: &Witnessed, leaf: &BlockLayer, looked: &mut Looked) {
    let (Some(most), Some(hardware), Some(used)) = (
        queue::number(leaf, "max_sectors_kb"),
        queue::number(leaf, "max_hw_sectors_kb"),
        seen.device(&leaf.name),
    ) else {
        return;
    };
    let (parts, kib) = CUT;
    let request = used.bytes() as f64 / 1024.0 / used.ios().max(1) as f64;
    let io = view.step.mean_size().unwrap_or(0.0) / 1024.0;
    let set = most * parts <= hardware && most <= kib && request > 0.5 * most as f64;
    let pieces = io / request.max(0.5);
    if !set || request > 1.05 * most as f64 {
        return;
    }
    let seen = format!(
        "each I/O of {} was cut into {pieces:.0} requests: max_sectors_kb of {} is {most}, and the hardware takes {hardware}",
        human::bytes((io * 1024.0) as u64),
        leaf.name
    );
    let (from, to) = PIECES;
    looked.add(
        LimitCause::BlockQueue,
        ramp(pieces, from, to, OF_PIECES),
        seen,
    );
}
