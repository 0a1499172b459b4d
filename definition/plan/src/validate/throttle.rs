//! Rules for what holds a closed loop back.

use super::{Found, place, written_at};
use crate::bounds::{RATE_MAX, TIME_MAX};
use crate::{Bytes, CurveSpec, Load, Nanos, Step, Stream};

/// A stream's throttle, by itself and with the step's load.
pub(super) fn check(step: &Step, stream: &Stream, found: &mut Found) {
    if stream.throttle.is_none() {
        return;
    }
    check_caps(step, stream, found);
    check_think(step, stream, found);
    check_load(step, stream, found);
}

fn check_caps(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let throttle = &stream.throttle;
    if throttle.max_rate.is_some() && throttle.max_bandwidth.is_some() {
        found.add(
            format!("workload `{name}` has both a `max_rate` and a `max_bandwidth`"),
            "keep the one that is meant",
            place(step, name, "max_bandwidth"),
        );
    }
    if let Some(rate) = throttle.max_rate
        && !(rate.0 > 0.0 && rate <= RATE_MAX)
    {
        found.add(
            format!("workload `{name}` has a `max_rate` of {rate}"),
            format!("give a rate above 0, {RATE_MAX} or less"),
            place(step, name, "max_rate"),
        );
    }
    if throttle.max_bandwidth == Some(Bytes(0)) {
        found.add(
            format!("workload `{name}` has a `max_bandwidth` of 0"),
            "give the bytes of a second, as 100m",
            place(step, name, "max_bandwidth"),
        );
    }
}

fn check_think(step: &Step, stream: &Stream, found: &mut Found) {
    let Some(think) = stream.throttle.think else {
        return;
    };
    let name = &stream.workload;
    let at = place(step, name, "think");
    if think.time == Nanos(0) || think.time > TIME_MAX || think.every == 0 {
        found.add(
            format!(
                "workload `{name}` thinks {} after every {} I/Os",
                think.time, think.every
            ),
            format!("give a time above 0, {TIME_MAX} or less, and at least 1 I/O"),
            at,
        );
    }
    let scheduled = |s: &&Stream| s.target == stream.target && s.fixed_rate.is_some();
    if stream.fixed_rate.is_none()
        && let Some(other) = step.streams.iter().find(scheduled)
    {
        found.add(
            format!(
                "workload `{name}` thinks in slots that workload `{}` needs for its rate",
                other.workload
            ),
            "let them run on different targets, or in different runs",
            at,
        );
    }
}

/// What has a rate does not run as fast as it may, and shares are kept by all streams going on together.
fn check_load(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let at = ["think", "max_rate", "max_bandwidth"]
        .into_iter()
        .find_map(|field| place(step, name, field));
    let held = &stream.throttle;
    if stream.fixed_rate.is_some() {
        found.add(
            format!("workload `{name}` has a rate of its own and is held back: {held}"),
            "leave `rate` out for a closed loop, or leave out what holds it back",
            at,
        );
        return;
    }
    let run = &step.run;
    match &step.load {
        Load::Max => {}
        Load::MaxShared => found.add(
            format!("run `{run}` keeps shares, and workload `{name}` is held back: {held}"),
            "leave the shares out: each workload then goes as fast as it may",
            at,
        ),
        Load::Rate { .. } | Load::PercentOfLast { .. } | Load::Schedule { .. } => found.add(
            format!("run `{run}` asks for a rate, and workload `{name}` is held back: {held}"),
            "let the load be the maximum (a closed loop), or leave out what holds it back",
            at.or(written_at(&step.origins, "load")),
        ),
    }
}

/// A curve asks for what the targets carry.
pub(super) fn check_curve(curve: &CurveSpec, found: &mut Found) {
    let held = curve.base.streams.iter().find(|s| !s.throttle.is_none());
    if let Some(stream) = held {
        found.add(
            format!(
                "the curve `{}` looks for the most that its targets carry, and workload `{}` is held back: {}",
                curve.base.run, stream.workload, stream.throttle
            ),
            "leave out what holds it back, or let the load be the maximum",
            written_at(&curve.base.origins, "load"),
        );
    }
}
