//! Rules for what a stream has for itself: its depth and its window.

use super::{Found, names};
use crate::{Load, Nanos, Step, Stream};
use plimsoll_diagnostic::Span;

/// A depth of nothing, an end before the beginning, and windows in which nothing can be.
pub(super) fn check(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    if stream.depth == Some(0) {
        found.add(
            format!("workload `{name}` has a depth of 0"),
            "give it a depth of at least 1, or leave it out to share the run's",
            written_at(step, stream, "depth"),
        );
    }
    let quota = stream.quota;
    if quota.bytes.is_some_and(|b| b < stream.smallest())
        || quota.ios == Some(0)
        || quota.passes == Some(0)
    {
        found.add(
            format!("workload `{name}` ends after {quota}, before its first I/O"),
            "let it do at least one I/O",
            written_at(step, stream, "limits"),
        );
    }
    if stream.arrival.is_some() && stream.fixed_rate.is_none() {
        found.add(
            format!("workload `{name}` says how its I/Os arrive, and has no rate of its own"),
            "give it a rate, or leave the arrival out",
            written_at(step, stream, "rate"),
        );
    }
    dependency(step, stream, found);
    let window = stream.window;
    let end = Nanos(step.warmup.0.saturating_add(step.elapsed.0));
    let start = written_at(step, stream, "start");
    let stop = written_at(step, stream, "stop");
    if window.until.is_some_and(|until| until <= window.from) {
        let until = window.until.unwrap_or_default();
        found.add(
            format!(
                "workload `{name}` stops at {until}, and starts at {}",
                window.from
            ),
            "let it stop after its start; both count from the beginning of the run",
            stop.or(start),
        );
    } else if window.from >= end && end > Nanos(0) && !window.is_whole() {
        found.add(
            format!(
                "workload `{name}` starts at {}, and run `{}` has ended by then: it lasts {end} with its warm-up",
                window.from, step.run
            ),
            "let it start earlier, or make the run longer",
            start,
        );
    } else if window.until.is_some_and(|until| until <= step.warmup) {
        found.add(
            format!(
                "workload `{name}` stops at {}, and nothing of it is counted: the warm-up of run `{}` lasts {}",
                window.until.unwrap_or_default(),
                step.run,
                step.warmup
            ),
            "let it stop later, or make the warm-up shorter; both count from the beginning of the run",
            stop,
        );
    }
}

/// Streams that wait in a circle, or for what is not there, and schedules whose beginning nobody knows.
fn dependency(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let own = step.streams.iter().position(|s| std::ptr::eq(s, stream));
    let own = own.unwrap_or(step.streams.len()) as u32;
    if stream.dependency.after.iter().any(|before| *before >= own) {
        found.add(
            format!("workload `{name}` waits for one that does not come before it"),
            "let it wait for workloads above it in the run",
            written_at(step, stream, "start"),
        );
    }
    if stream.dependency.waits() && (stream.fixed_rate.is_some() || !is_closed(&step.load)) {
        found.add(
            format!("workload `{name}` has a schedule, and waits for the end of others, which nobody knows before"),
            "give it a start, or no rate",
            written_at(step, stream, "rate"),
        );
    }
}

fn is_closed(load: &Load) -> bool {
    matches!(load, Load::Max | Load::MaxShared)
}

/// The place of what the workload says of itself; a run's `depth` is another thing.
fn written_at(step: &Step, stream: &Stream, field: &str) -> Option<Span> {
    let own = |name| step.origins.of(&format!("{}.{name}", stream.workload));
    names(field).find_map(own)
}
