//! What is doubtful of a curve, or to be known of it, in words.

use super::template::{Said, sentences};
use super::{Make, Values};
use crate::wording::{list, percent, rate, time};

/// Sentences, with places for the values.
pub(super) const SAID: &[Said] = sentences! {
    "closed-loop-maximum":
        "The maximum's response time is that of a closed loop, its {slots:count} slots over its rate. No latency curve shows it.";
    "more-in-flight-than-needed":
        "The maximum has {most:depth} I/Os in flight, and in {step} {in_flight:depth} carried {share:percent} of its rate: more than it \
         needs, and their wait is most of its response time.";
    "curve-ios-failed": "{ios:1 I/O} failed in {step:list}: in no rate and in no response time of this curve. See why before you trust it.";
    "maximum-exceeded":
        "The maximum was not the maximum: {step} reached {reached:rate}, the maximum run {maximum:rate}. Warm up longer, or use more slots.";
    "all-points-saturated": "Every point is saturated: there is no latency to show. Add lower percentages, or more slots.";
    "no-knee-too-few": "No knee: {points:1 unsaturated point} with different rates, and at least {needed:count} are needed.";
    "no-knee-straight": "No knee: the mean response rises without a bend that these points could show; points at more percentages may.";
    "interval-missing": "Interval not available for {step:list}: the series is too short for its autocorrelation. Run longer.";
    "curve-depth-given":
        "The maximum is what {slots:count} slots carry, as many as were asked for: whether more would carry more was not tried. Give more, or no \
         depth at all, and the curve looks for it.";
    "maximum-unlike-search":
        "The search reached {search:rate} at that depth and the maximum {maximum:rate}: the target changed in between, and another depth may \
         carry more now. Give a longer warm-up, or a depth.";
    "maximum-not-held":
        "The maximum was {maximum:rate}, and {step} carried {reached:rate}: the target changed in between, and the percentages are of a rate \
         that it does not carry any more. Precondition it, or give a longer warm-up.";
    "curve-stopped": "Stopped after {step}: its mean service time is past the curve's limit of {limit:time}; {missing:count} points did not run.";
    "curve-cut-short":
        "The curve ended early, after {step}: {missing:count} of {points:count} points were not measured. Limits that none of the others holds \
         are left out.";
};

/// The rules of curves.
pub(super) const RULES: &[(&str, Make)] = &[
    ("same-rate-twice", same_rate_twice),
    ("points-saturated", points_saturated),
    ("no-knee-flat", no_knee_flat),
    ("response-falls", response_falls),
    ("percentile-unsupported", percentile_unsupported),
    ("curve-depth-found", depth_found),
    ("curve-depth-at-limit", depth_at_limit),
    ("curve-undecided", undecided),
];

fn same_rate_twice(v: &Values) -> Option<String> {
    let [first, second] = &v.texts("step")?[..] else {
        return None;
    };
    Some(format!(
        "{first} and {second} asked for the same rate: the maximum is too small for the rounding of rates."
    ))
}

fn points_saturated(v: &Values) -> Option<String> {
    // Where I/Os wait for slots and the rate is kept all the same, nothing grows.
    let growth = match v.text("backlog") {
        Some("grows") => " Their backlog grows as long as they run.",
        _ => "",
    };
    Some(format!(
        "Saturated, and so not in the latency curve: {}.{growth}",
        list(&v.texts("step")?)
    ))
}

fn no_knee_flat(v: &Values) -> Option<String> {
    let step_up = match &v.texts("step").unwrap_or_default()[..] {
        [sound, saturated] => format!(
            " It lies between {sound} ({}) and {saturated}, where saturation starts.",
            rate(v.number("sound_rate")?)
        ),
        _ => String::new(),
    };
    Some(format!(
        "No knee among the unsaturated points: their mean response rises by only {}, or by no more than its \
         uncertainty.{step_up}",
        percent(v.number("rise")?)
    ))
}

fn response_falls(v: &Values) -> Option<String> {
    let ([from, to], [low, high]) = (&v.numbers("response")[..], &v.numbers("rate")[..]) else {
        return None;
    };
    Some(format!(
        "The response falls with more load, from {} at {} to {} at {}: something warmed up or changed between the \
         points. Repeat the curve with a longer warm-up, or in another order.",
        time(*from),
        rate(*low),
        time(*to),
        rate(*high)
    ))
}

fn percentile_unsupported(v: &Values) -> Option<String> {
    Some(format!(
        "{} of {} too few I/Os for {} (10 must lie beyond it) and so no part in its capacity; run longer.",
        v.count("points")?,
        match v.count("unsaturated")? {
            1 => "1 unsaturated point has".to_string(),
            n => format!("{n} unsaturated points have"),
        },
        v.text("statistic")?
    ))
}

fn depth_found(v: &Values) -> Option<String> {
    Some(format!(
        "A depth of {} on each target carries the most, or within {:.0} % of it: {}.",
        v.count("depth")?,
        v.number("worth")? * 100.0,
        tried(v)
    ))
}

fn depth_at_limit(v: &Values) -> Option<String> {
    Some(format!(
        "The rate still grew at the greatest depth that was tried, {} on each target ({}): it may carry \
         more. Give a greater depth.",
        v.count("depth")?,
        tried(v)
    ))
}

/// Rates that a search reached, each with its depth.
fn tried(v: &Values) -> String {
    let at = v.numbers("tried_depth").into_iter();
    let all: Vec<String> = at
        .zip(v.numbers("tried_rate"))
        .map(|(depth, reached)| format!("{} at {depth}", rate(reached)))
        .collect();
    all.join(", ")
}

/// Remedy for a question that a curve has no answer to: that for the first reason, in the order of this list, that holds.
pub(super) fn mend(v: &Values) -> Option<&'static str> {
    const MENDS: [(&str, &str); 9] = [
        ("cut_short", "Go on with `plimsoll resume RECORD`."),
        ("no_latency", "Measure lower rates: --percents 10,30,50."),
        ("host_late", FREE_CPUS),
        ("host_breaks", FREE_CPUS),
        ("not_kept", "Measure lower rates: --percents 1,2,5,10."),
        (
            "not_broken",
            "Measure greater rates: --percents 90,95,100, with a greater --depth.",
        ),
        (
            "unsupported",
            "Measure each point longer: --for 60s, or more.",
        ),
        (
            "unconfirmed",
            "Give it more time: --budget, twice of what it had.",
        ),
        (
            "rough",
            "Give it more time: --budget, twice of what it had.",
        ),
    ];
    let open = |name: &str| v.count(name).is_some() || v.texts(name).is_some();
    let found = MENDS.iter().find(|(name, _)| open(name));
    found.map(|(_, mend)| *mend)
}

const FREE_CPUS: &str = "Give the generator CPUs that nothing else uses (--pin LIST), or measure from a host with nothing else to do.";

fn undecided(v: &Values) -> Option<String> {
    let is = |name: &str, why: &str| v.count(name).map(|_| why.to_string());
    let of = |name: &str, before: &str, after: &str| {
        Some(format!("{before} {}{after}", list(&v.texts(name)?)))
    };
    let why: Vec<String> = [
        is("cut_short", "the curve ended before all of it was measured"),
        is(
            "no_latency",
            "the target kept up with no point, so that there is no latency",
        ),
        is(
            "host_late",
            "most response times are the generator's own lateness: give it CPUs that nothing else uses",
        ),
        of(
            "host_breaks",
            "the generator itself was late where the load first breaks",
            ": give it CPUs that nothing else uses",
        ),
        of(
            "not_kept",
            "no rate that was measured keeps",
            ", and a smaller one might: measure smaller ones",
        ),
        of(
            "not_broken",
            "every rate that was measured keeps",
            ", and the target carries more: measure greater ones",
        ),
        of(
            "unsupported",
            "no point has I/Os enough for",
            ": run longer",
        ),
        of(
            "unconfirmed",
            "there was no time to see whether the capacity at",
            " lasts behind a full load: give a longer budget",
        ),
        of(
            "rough",
            "the capacity at",
            " is not known to within 3%: give a longer budget",
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!why.is_empty()).then(|| format!("Undecided: {}.", why.join("; ")))
}
