//! Rules for numbers that no host could carry out; see [`crate::bounds`].

use super::{Found, block_place, place, written_at};
use crate::bounds::{
    INTERVAL_MIN, INTERVALS_MAX, IO_MAX, PERCENT_MAX, POINTS_MAX, RATE_MAX, SEQUENCES_MAX,
    SLOS_MAX, STREAMS_MAX, TIME_MAX, WORKERS_MAX,
};
use crate::{CurveSpec, Load, Nanos, Pattern, Plan, Rate, Slo, Step, Stream};

/// How many streams there are in all.
pub(super) fn check_plan(plan: &Plan, found: &mut Found) {
    let streams: usize = plan.steps().map(|step| step.streams.len()).sum();
    if streams > STREAMS_MAX {
        found.add(
            format!("the steps have {streams} streams (workloads on targets) together"),
            format!(
                "make it {STREAMS_MAX} or fewer: loop over fewer values, or name fewer targets"
            ),
            None,
        );
    }
}

/// Times, the number of intervals, and workers.
pub(super) fn check_step(step: &Step, found: &mut Found) {
    let run = &step.run;
    for (key, what, time) in [
        ("for", "time", step.elapsed),
        ("warmup", "warm-up", step.warmup),
        ("pause", "pause", step.pause),
    ] {
        if time > TIME_MAX {
            found.add(
                format!("the {what} of run `{run}`, {time}, is too long"),
                format!("make it {TIME_MAX} or less"),
                written_at(&step.origins, key),
            );
        }
    }
    check_interval(step, found);
    if let Some(workers) = step.workers.count.filter(|n| *n > WORKERS_MAX) {
        found.add(
            format!("run `{run}` asks for {workers} workers, which are threads"),
            format!("make it {WORKERS_MAX} or fewer; one for each CPU is usual"),
            written_at(&step.origins, "workers"),
        );
    }
}

fn check_interval(step: &Step, found: &mut Found) {
    let (run, interval) = (&step.run, step.interval);
    if interval == Nanos(0) {
        return;
    }
    let at = written_at(&step.origins, "interval").or(written_at(&step.origins, "for"));
    let whole = step.warmup.0.saturating_add(step.elapsed.0);
    let too_long = step.elapsed.max(step.warmup) > TIME_MAX;
    if interval < INTERVAL_MIN {
        found.add(
            format!("the interval of run `{run}`, {interval}, is too short"),
            format!("make it {INTERVAL_MIN} or more"),
            at,
        );
    } else if !too_long && whole / interval.0 > INTERVALS_MAX {
        found.add(
            format!("run `{run}` would have {} intervals", whole / interval.0),
            format!("make the interval longer, so that there are {INTERVALS_MAX} or fewer"),
            at,
        );
    }
}

/// Rates and percentages of a load.
pub(super) fn check_load(step: &Step, found: &mut Found) {
    let at = written_at(&step.origins, "load");
    let run = &step.run;
    let highest = match &step.load {
        Load::Max | Load::MaxShared => return,
        Load::PercentOfLast { percent, .. } => {
            if *percent > f64::from(PERCENT_MAX) {
                found.add(
                    format!("run `{run}` asks for {percent} % of the last"),
                    format!("make it {PERCENT_MAX} % or less"),
                    at,
                );
            }
            return;
        }
        Load::Rate { rate, .. } => *rate,
        Load::Schedule { segments, .. } => segments
            .iter()
            .map(|s| s.rate)
            .fold(Rate(0.0), |a, b| if b > a { b } else { a }),
    };
    if highest > RATE_MAX {
        found.add(
            format!("run `{run}` asks for a rate of {highest}, which is too high"),
            too_high(),
            at,
        );
    }
}

/// A stream's own rate, the size of its I/Os, and how many sequences it follows.
pub(super) fn check_stream(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    if let Some(rate) = stream.fixed_rate.filter(|rate| *rate > RATE_MAX) {
        found.add(
            format!("workload `{name}` asks for a rate of {rate}, which is too high"),
            too_high(),
            place(step, name, "rate"),
        );
    }
    let largest = stream.largest();
    if largest > IO_MAX {
        found.add(
            format!("workload `{name}` has I/Os of {largest}, which is too much for one"),
            format!("make them {IO_MAX} or less"),
            block_place(step, stream),
        );
    }
    if let Pattern::Streams(count) = stream.address.pattern
        && count > SEQUENCES_MAX
    {
        found.add(
            format!("workload `{name}` has {count} streams"),
            format!("make it {SEQUENCES_MAX} or fewer"),
            place(step, name, "access"),
        );
    }
}

fn too_high() -> String {
    format!("make it {RATE_MAX} or less, or ask for the maximum")
}

/// Points, and limits of response time.
pub(super) fn check_curve(curve: &CurveSpec, found: &mut Found) {
    let base = &curve.base;
    few(
        base,
        ("percents", "points", curve.percents.len(), POINTS_MAX),
        found,
    );
    check_slos(&curve.slos, std::slice::from_ref(base), found);
}

/// Limits of response time of the curve that is made of these steps.
pub(super) fn check_slos(slos: &[Slo], steps: &[Step], found: &mut Found) {
    if let Some(base) = steps.first() {
        few(
            base,
            ("slo", "limits of response time", slos.len(), SLOS_MAX),
            found,
        );
    }
}

fn few(base: &Step, (key, what, count, most): (&str, &str, usize, usize), found: &mut Found) {
    if count > most {
        found.add(
            format!("the curve `{}` has {count} {what}", base.run),
            format!("make it {most} or fewer"),
            written_at(&base.origins, key),
        );
    }
}
