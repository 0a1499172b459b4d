//! Rules for logs that are replayed: the log alone says what is done and when, and its places are there.

use super::geometry::Geometry;
use super::{Found, place};
use crate::{Item, Load, Plan, Replay, Step, Stream};
use plimsoll_printable::line_of;

/// What a run says beside its logs.
pub(super) fn check_item(plan: &Plan, item: &Item, found: &mut Found) {
    for step in item.steps() {
        for stream in &step.streams {
            if let Some(replay) = stream.replayed() {
                alone(plan, item, (step, stream), found);
                options(step, stream, replay, found);
            }
        }
    }
}

/// What would say something else than the log.
fn alone(plan: &Plan, item: &Item, (step, stream): (&Step, &Stream), found: &mut Found) {
    let name = &stream.workload;
    let at = place(step, name, "replay");
    let mut wrong = |what: &str, remedy: &str| {
        found.add(
            format!("workload `{name}` replays a log, {what}"),
            remedy,
            at,
        );
    };
    if !matches!(item, Item::Step(_)) {
        wrong(
            "whose load no method can change",
            "replay it in a run of its own",
        );
    } else if step.load != Load::Max {
        wrong(
            "and its run asks for a load",
            "leave the load out: the log's times say it",
        );
    }
    if !stream.throttle.is_none() {
        wrong("and is held back", "leave out what holds it back");
    }
    if stream.verify.is_some() {
        wrong(
            "and what it reads cannot be verified",
            "leave verify out, or write and read data of known content",
        );
    }
    if plan.hosts_of(stream).len() > 1 {
        wrong(
            "which only one host can do in its order",
            "name one host for it",
        );
    }
}

fn options(step: &Step, stream: &Stream, replay: &Replay, found: &mut Found) {
    let name = &stream.workload;
    let at = place(step, name, "replay");
    let options = &replay.options;
    for (what, value) in [("speed", options.speed), ("scale", options.scale)] {
        if value == 0 {
            found.add(
                format!("workload `{name}` replays a log with a {what} of 0"),
                "make it 1 or more",
                at,
            );
        }
    }
    if !options.align.is_power_of_two() {
        found.add(
            format!(
                "workload `{name}` replays a log with offsets that are multiples of {}",
                options.align
            ),
            "give a power of two",
            at,
        );
    }
}

/// The places of the log on its target.
pub(super) fn check_places(
    step: &Step,
    stream: &Stream,
    replay: &Replay,
    geometry: &Geometry<'_>,
    found: &mut Found,
) {
    let facts = &replay.facts;
    if let Some(extent) = geometry.extent
        && facts.end > extent
    {
        found.add(
            format!(
                "line {} of {} ends at byte {} of target `{}`, which has {extent}",
                facts.end_line,
                line_of(&replay.log.display().to_string()),
                facts.end.0,
                geometry.target.name
            ),
            "make the target larger, or divide the log's offsets",
            place(step, &stream.workload, "replay"),
        );
    }
}
