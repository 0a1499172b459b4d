//! Rules for times, loads, limits and curves.

use super::{Found, written_at};
use crate::bounds::PERCENT_MAX;
use crate::{AdaptiveSpec, CurveSpec, LEAST_BUDGET, Load, MethodSpec, Nanos, Slo, Statistic, Step};

/// Elapsed, interval.
pub(super) fn check_times(step: &Step, found: &mut Found) {
    let elapsed = written_at(&step.origins, "for");
    if step.elapsed == Nanos(0) {
        found.add(
            format!("run `{}` lasts no time", step.run),
            "give it a time of at least one interval",
            elapsed,
        );
    }
    let interval = written_at(&step.origins, "interval");
    if step.interval == Nanos(0) {
        found.add(
            format!("the interval of run `{}` is 0", step.run),
            "give it an interval, as 1s",
            interval,
        );
    } else if step.interval > step.elapsed && step.elapsed > Nanos(0) {
        found.add(
            format!(
                "run `{}` lasts {} but its interval is {}",
                step.run, step.elapsed, step.interval
            ),
            "make the run longer or the interval shorter",
            interval.or(elapsed),
        );
    }
}

/// Rates, percentages and schedules.
pub(super) fn check_load(step: &Step, found: &mut Found) {
    let at = written_at(&step.origins, "load");
    let bad = |r: f64| !(r > 0.0 && r.is_finite());
    match &step.load {
        Load::Max | Load::MaxShared => {}
        Load::Rate { rate, .. } if bad(rate.0) => {
            found.add(
                format!("run `{}` asks for a rate of {}", step.run, rate),
                "ask for a rate above 0, or the maximum",
                at,
            );
        }
        Load::PercentOfLast { percent, .. } if bad(*percent) => {
            found.add(
                format!("run `{}` asks for {percent} % of the last", step.run),
                "ask for more than 0 %",
                at,
            );
        }
        Load::Schedule { segments, .. } => {
            let idle = segments.iter().all(|s| s.rate.0 == 0.0);
            let odd = segments
                .iter()
                .any(|s| s.length == Nanos(0) || s.rate.0 < 0.0 || !s.rate.0.is_finite());
            if idle || odd {
                found.add(
                    format!(
                        "the schedule of run `{}` asks for nothing, or for no time",
                        step.run
                    ),
                    "give each part a time, and at least one part a rate above 0",
                    at,
                );
            }
        }
        _ => {}
    }
}

/// Limits of nothing.
pub(super) fn check_limits(step: &Step, found: &mut Found) {
    let limits = &step.limits;
    let bytes = [limits.bytes, limits.read_bytes, limits.written_bytes];
    if bytes.iter().flatten().any(|b| b.0 == 0) || limits.ios == Some(0) {
        found.add(
            format!(
                "a limit of run `{}` is 0, so that it ends before it starts",
                step.run
            ),
            "raise the limit or leave it out",
            written_at(&step.origins, "limits"),
        );
    }
    let writes = step.streams.iter().any(|s| s.mix.write > 0.0);
    let reads = step.streams.iter().any(|s| s.mix.read > 0.0);
    for (limit, happens, word) in [
        (limits.written_bytes, writes, "written"),
        (limits.read_bytes, reads, "read"),
    ] {
        if limit.is_some() && !happens && !step.streams.is_empty() {
            found.add(
                format!(
                    "run `{}` is limited by the bytes {word}, and none are",
                    step.run
                ),
                "limit something that happens",
                written_at(&step.origins, "limits"),
            );
        }
    }
}

/// Time and load of an adaptive curve.
pub(super) fn check_adaptive(method: &MethodSpec, spec: &AdaptiveSpec, found: &mut Found) {
    let Some(base) = method.steps.first() else {
        return;
    };
    let run = &base.run;
    let at = |key| written_at(&base.origins, key);
    check_limits_of_response(&spec.slos, base, found);
    if spec.budget < LEAST_BUDGET {
        found.add(
            format!(
                "the curve `{run}` has a budget of {}, which is too short to find anything",
                spec.budget
            ),
            format!("give it {LEAST_BUDGET} or more"),
            at("budget"),
        );
    }
    if !base.streams.is_empty() && base.streams.iter().all(|s| s.fixed_rate.is_some()) {
        found.add(
            format!(
                "the curve `{run}` has no rate to look for: all its workloads have one of their own"
            ),
            "leave out the rate of one of them",
            at("workloads"),
        );
    }
}

/// Points, load and limits of a curve.
pub(super) fn check_curve(curve: &CurveSpec, found: &mut Found) {
    let run = &curve.base.run;
    let at = written_at(&curve.base.origins, "percents");
    if curve.percents.is_empty() {
        found.add(
            format!("the curve `{run}` has no points"),
            "give it percentages of the maximum",
            at,
        );
    }
    for percent in &curve.percents {
        if *percent == 0 || *percent > PERCENT_MAX {
            found.add(
                format!("the curve `{run}` has a point at {percent} %"),
                format!("give percentages from 1 to {PERCENT_MAX}"),
                at,
            );
        }
    }
    if !matches!(curve.base.load, Load::Max | Load::MaxShared) {
        found.add(
            format!("the curve `{run}` does not start at the maximum"),
            "let its load be the maximum",
            written_at(&curve.base.origins, "load"),
        );
    }
    if curve.stop_service == Some(Nanos(0)) {
        found.add(
            format!("the curve `{run}` ends at a service time of 0"),
            "give a time above 0 or leave it out",
            written_at(&curve.base.origins, "stop_service"),
        );
    }
    check_limits_of_response(&curve.slos, &curve.base, found);
}

fn check_limits_of_response(slos: &[Slo], base: &Step, found: &mut Found) {
    for slo in slos {
        let odd = matches!(slo.statistic, Statistic::Quantile(q) if !(q > 0.0 && q < 1.0));
        if odd || slo.limit == Nanos(0) {
            found.add(
                format!("`{slo}` is no limit of response time"),
                "write a percentile between p0 and p100, or mean, and a time above 0",
                written_at(&base.origins, "slo"),
            );
        }
    }
}
