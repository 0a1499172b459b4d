//! The verdict in a sentence: what a reader should remember.

use crate::human::{self, time_in_text as time};
use crate::saturation::Cause;
use plimsoll_evidence::wording;
use plimsoll_evidence::{
    Capacity, CurveVerdict, End, Environment, EnvironmentTarget, Estimate, LimitCause,
    StepEvidence, Verdict,
};
use plimsoll_measure::Op;

/// Sentences of a verdict, one or two.
pub(crate) fn of_verdict(
    verdict: &Verdict,
    environment: &Environment,
    steps: &[StepEvidence],
) -> String {
    match verdict {
        Verdict::Curve(curve) => {
            let maximum = curve.points.iter().find(|p| p.percent.is_none());
            let step = maximum.and_then(|p| steps.iter().find(|s| s.number == p.step));
            match step.filter(|s| s.counted_s == 0.0) {
                Some(step) => nothing_counted(step, environment),
                None => of_curve(curve, environment),
            }
        }
        Verdict::Method(method) => method.sentence.clone(),
    }
}

/// Sentence of the steps where no method concluded anything.
pub(crate) fn of_steps(steps: &[StepEvidence], environment: &Environment) -> String {
    let measured: Vec<&StepEvidence> = steps.iter().filter(|s| !s.fill).collect();
    let counted: Vec<&StepEvidence> = measured
        .iter()
        .copied()
        .filter(|s| s.counted_s > 0.0)
        .collect();
    match (counted.as_slice(), measured.last()) {
        ([], None) => "Nothing was measured.".to_owned(),
        ([], Some(last)) => nothing_counted(last, environment),
        ([step], _) => of_step(step, environment),
        (many, _) => of_many(many, environment),
    }
}

/// A step that ended in its warm-up says nothing of the storage.
fn nothing_counted(step: &StepEvidence, environment: &Environment) -> String {
    let why = match step.end {
        End::Interrupted => "was interrupted",
        End::Errors => "ended, after too many errors,",
        End::Hung => "was given up, its I/Os not coming back,",
        End::Elapsed | End::Limit => "ended",
    };
    format!(
        "The run on {} {why} before anything was counted.",
        object(environment)
    )
}

fn of_curve(curve: &CurveVerdict, environment: &Environment) -> String {
    let subject = subject(environment);
    if curve.maximum.mean <= 0.0 {
        let one = environment.counted().one();
        return format!("{subject} completed no {one} at its maximum load.");
    }
    let carries = format!("{subject} {}", verb(environment));
    let lasts = !curve.findings.iter().any(|f| f.rule == "maximum-not-held");
    let whose = match environment.targets.len() {
        0 | 1 => "its",
        _ => "their",
    };
    let is_lower = is_lower_bound(curve);
    let maximum = estimate(&curve.maximum);
    let most = match (lasts, is_lower) {
        (true, true) => format!("and at least {maximum} at {whose} maximum"),
        (true, false) => format!("{maximum} at most"),
        (false, _) => format!("and {whose} maximum of {maximum} did not last"),
    };
    let mut text = match telling_capacity(curve) {
        Some((capacity, reached)) => format!(
            "{carries} {}{} within {} ({}), {most}",
            if capacity.at_least { "at least " } else { "" },
            rate(reached, environment),
            time(capacity.limit_ns as f64),
            capacity.statistic
        ),
        None if !lasts => format!(
            "{subject} did {} in {whose} maximum run, which did not last{}",
            rate(&curve.maximum, environment),
            kept_by_none(curve)
        ),
        None => format!(
            "{carries} {} {}{}",
            if is_lower { "at least" } else { "at most" },
            rate(&curve.maximum, environment),
            kept_by_none(curve)
        ),
    };
    let given = curve
        .findings
        .iter()
        .find(|f| f.rule == "curve-depth-given");
    let slots = given.and_then(|f| f.values.iter().find(|v| v.name == "slots"));
    if let Some(slots) = slots.and_then(|v| v.quantity.number()) {
        text += &format!(" with {} in flight", human::count(slots as u64));
    }
    if let Some(knee) = curve.knee.as_ref().filter(|_| !of_slots(curve)) {
        // What it may be off is no 95 % interval, as the other ± are.
        let at = estimate(&Estimate::bare(knee.mean));
        text += &format!("; {whose} knee is at {at}");
    }
    text += ".";
    let open = curve.findings.iter().find(|f| f.rule == "curve-undecided");
    if let Some(open) = open {
        text += &format!(" {}", open.message);
    }
    text
}

/// True where something other than the storage limited the maximum, or a point went beyond it.
fn is_lower_bound(curve: &CurveVerdict) -> bool {
    let says = |rule: &str| curve.findings.iter().any(|f| f.rule == rule);
    let is_not_its_own = |cause| {
        use LimitCause::{
            BlockQueue, ForeignIo, HostCpu, Lateness, Network, OneCpu, SetLimit, Slots,
        };
        match cause {
            HostCpu | OneCpu | BlockQueue | Network | Lateness | ForeignIo | SetLimit => true,
            // Of a depth that was given the sentence is about that depth.
            Slots => !says("curve-depth-given"),
            _ => false,
        }
    };
    says("maximum-exceeded")
        || curve
            .limit
            .as_ref()
            .is_some_and(|l| is_not_its_own(l.cause))
}

/// True where the slots may be what limits it: then so is its knee.
fn of_slots(curve: &CurveVerdict) -> bool {
    let limit = curve.limit.as_ref();
    limit.is_some_and(|l| match l.cause {
        LimitCause::NotAttributable => l.runner_up == Some(LimitCause::Slots),
        cause => cause == LimitCause::Slots,
    })
}

/// `, and the lowest load does not stay within 5ms (p99)`: of the loosest limit, where none is kept.
fn kept_by_none(curve: &CurveVerdict) -> String {
    let loosest = curve.capacities.iter().max_by_key(|c| c.limit_ns);
    match loosest.filter(|_| curve.decided) {
        Some(c) => format!(
            ", and the lowest load does not stay within {} ({})",
            time(c.limit_ns as f64),
            c.statistic
        ),
        None => String::new(),
    }
}

/// The capacity that says most: the tightest limit that the storage holds up to half its maximum, else the one with
/// the highest rate.
fn telling_capacity(curve: &CurveVerdict) -> Option<(&Capacity, &Estimate)> {
    let held = || {
        let all = curve.capacities.iter();
        all.filter_map(|c| Some((c, c.rate.as_ref()?)))
    };
    held()
        .filter(|(_, rate)| rate.mean >= curve.maximum.mean / 2.0)
        .min_by_key(|(c, _)| c.limit_ns)
        .or_else(|| held().max_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean)))
}

fn of_step(step: &StepEvidence, environment: &Environment) -> String {
    if step.ios == 0 {
        let one = environment.counted().one();
        return format!("No {one} completed on {}.", object(environment));
    }
    let mut text = format!(
        "{} did {} for {}",
        subject(environment),
        rate(&step.rate, environment),
        time(step.counted_s * 1e9)
    );
    if let Some(cause) = Cause::of_step(step) {
        if let Some(still) = step.still_at_end_s() {
            return format!(
                "{text}: nothing completed in its last {still:.1} s, and so it has no latency."
            );
        }
        let (what, has) = match step.slots {
            _ if !step.slots_hold_it_back() => ("it is saturated".to_owned(), "has"),
            1 => ("its one slot is saturated".to_owned(), "it has"),
            n => (
                format!("its {} slots are saturated", human::count(n)),
                "it has",
            ),
        };
        return format!(
            "{text}: {what}, for {}, and so {has} no latency.",
            cause.clause()
        );
    }
    text += &format!(
        " at a mean response of {}",
        time(step.response_mean_ns.mean)
    );
    if let Some(p99) = step.response.supported_quantile_ns(0.99) {
        text += &format!(" and a p99 of {}", time(p99 as f64));
    }
    text + &syncs(step) + "."
}

/// `, each write followed by a sync of 1.76ms (p99 4.1ms)`: a sync is no part of its write's response time.
fn syncs(step: &StepEvidence) -> String {
    let Some((syncs, mean_ns)) = step
        .syncs
        .as_ref()
        .and_then(|s| Some((s, s.service.mean_ns()?)))
    else {
        return String::new();
    };
    let writes = step
        .ops
        .iter()
        .filter(|o| o.op == Op::Write)
        .map(|o| o.ios)
        .sum();
    let after = match syncs.ios >= writes {
        true => "each write".to_owned(),
        false => format!(
            "{} of {} writes",
            human::count(syncs.ios),
            human::count(writes)
        ),
    };
    let p99 = syncs.service.supported_quantile_ns(0.99);
    let p99 = p99.map_or(String::new(), |ns| format!(" (p99 {})", time(ns as f64)));
    format!(", {after} followed by a sync of {}{p99}", time(mean_ns))
}

fn of_many(steps: &[&StepEvidence], environment: &Environment) -> String {
    let rates = || steps.iter().map(|s| s.rate.mean);
    let highest = rates().fold(0.0, f64::max);
    if highest <= 0.0 {
        return format!(
            "{} steps, and no {} completed on {}.",
            steps.len(),
            environment.counted().one(),
            object(environment)
        );
    }
    let lowest = human::rate(rates().fold(f64::INFINITY, f64::min));
    let highest = human::rate(highest);
    let each = |s: &&StepEvidence| format!("{} did {}", s.name, human::rate(s.rate.mean));
    let did = match steps {
        _ if lowest == highest => format!(", each with {highest}"),
        few if few.len() <= NAMED => {
            let each: Vec<String> = few.iter().map(each).collect();
            format!(": {}", each.join(", "))
        }
        _ => format!(", from {lowest} to {highest}"),
    };
    let (place, per_second) = (object(environment), environment.counted().per_second());
    format!("{} steps on {place}{did} {per_second}.", steps.len())
}

/// So many steps are named one by one.
const NAMED: usize = 3;

fn subject(environment: &Environment) -> String {
    match environment.targets.as_slice() {
        [] => "The storage".to_owned(),
        [one] => place(one),
        many => format!("The {} targets together", many.len()),
    }
}

fn object(environment: &Environment) -> String {
    match environment.targets.as_slice() {
        [] => "the storage".to_owned(),
        [one] => place(one),
        many => format!("{} targets", many.len()),
    }
}

/// Of several ways to one volume, which stand in a row in its location, the first and their number.
fn place(target: &EnvironmentTarget) -> String {
    let location = &target.location;
    match location.split_once(',') {
        Some((first, others)) if location.starts_with("nbd") && location.contains("://") => {
            format!("{first} over {} paths", others.split(',').count() + 1)
        }
        _ => location.clone(),
    }
}

fn verb(environment: &Environment) -> &'static str {
    if environment.targets.len() > 1 {
        "carry"
    } else {
        "carries"
    }
}

fn rate(rate: &Estimate, environment: &Environment) -> String {
    format!("{} {}", estimate(rate), environment.counted().per_second())
}

fn estimate(of: &Estimate) -> String {
    wording::estimate(of.mean, of.half_width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::data::fixture;
    use plimsoll_evidence::{CurvePoint, Limit, Saturation, SaturationCause, SloStatistic};

    fn one_target() -> Environment {
        Environment {
            targets: vec![EnvironmentTarget {
                location: "/dev/sdx".to_owned(),
                ..Default::default()
            }],
            ..Default::default()
        }
    }

    fn capacity(limit_ms: u64, rate: Option<f64>, at_least: bool) -> Capacity {
        Capacity {
            statistic: SloStatistic::Quantile(0.99),
            limit_ns: limit_ms * 1_000_000,
            rate: rate.map(Estimate::bare),
            response_mean_ns: None,
            at_least,
        }
    }

    fn curve(capacities: Vec<Capacity>) -> Verdict {
        Verdict::Curve(CurveVerdict {
            run: "rd1".to_owned(),
            decided: true,
            maximum: Estimate {
                mean: 60_412.4,
                half_width: Some(480.2),
                batches: 30,
            },
            limit: None,
            points: Vec::new(),
            knee: Some(Estimate::bare(48_000.0)),
            capacities,
            findings: Vec::new(),
        })
    }

    #[test]
    fn a_curve_names_its_maximum_its_knee_and_the_tightest_limit_that_half_of_it_holds() {
        let verdict = curve(vec![
            capacity(1, Some(9_000.0), false),
            capacity(2, Some(41_200.0), false),
            capacity(5, Some(52_000.0), true),
        ]);
        assert_eq!(
            of_verdict(&verdict, &one_target(), &[]),
            "/dev/sdx carries 41,200 I/Os per second within 2ms (p99), 60,412\u{a0}±\u{a0}480 at most; its knee is at 48,000."
        );
    }

    #[test]
    fn several_targets_have_their_knee() {
        let mut two = one_target();
        two.targets.push(two.targets[0].clone());
        let text = of_verdict(&curve(Vec::new()), &two, &[]);
        assert!(
            text.starts_with("The 2 targets together carry") && text.contains("; their knee is at"),
            "{text}"
        );
    }

    #[test]
    fn a_limit_that_every_point_holds_is_a_lower_bound() {
        let text = of_verdict(
            &curve(vec![capacity(5, Some(52_000.0), true)]),
            &one_target(),
            &[],
        );
        assert!(
            text.starts_with(
                "/dev/sdx carries at least 52,000 I/Os per second within 5ms (p99), 60,412"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_maximum_that_something_else_than_the_storage_ended_is_a_lower_bound() {
        let at_the_end = |cause| {
            let Verdict::Curve(mut verdict) = curve(Vec::new()) else {
                panic!("a curve");
            };
            verdict.limit = Some(Limit {
                cause,
                sentence: String::new(),
                for_it: Vec::new(),
                runner_up: None,
                against: None,
                explains: 0.5,
                not_observable: Vec::new(),
            });
            of_verdict(&Verdict::Curve(verdict), &one_target(), &[])
        };
        let of = |text: String| text.contains("carries at least 60,412");
        assert!(of(at_the_end(LimitCause::HostCpu)) && of(at_the_end(LimitCause::Slots)));
        assert!(at_the_end(LimitCause::Media).contains("carries at most 60,412"));
    }

    #[test]
    fn where_the_lowest_point_breaks_a_limit_that_is_said_of_the_loosest() {
        let none = vec![capacity(1, None, false), capacity(5, None, false)];
        let text = of_verdict(&curve(none), &one_target(), &[]);
        assert_eq!(
            text,
            "/dev/sdx carries at most 60,412\u{a0}±\u{a0}480 I/Os per second, and the lowest load does not stay within 5ms (p99); its knee is at 48,000."
        );
    }

    #[test]
    fn steps_without_a_method_speak_for_themselves() {
        let empty = fixture::step(1, 10);
        assert_eq!(of_steps(&[], &one_target()), "Nothing was measured.");
        assert_eq!(
            of_steps(std::slice::from_ref(&empty), &one_target()),
            "No I/O completed on /dev/sdx."
        );
        let mut fast = empty.clone();
        fast.ios = 100;
        fast.rate = Estimate::bare(12_345.6);
        fast.response_mean_ns = Estimate::bare(81_234.0);
        let text = of_steps(std::slice::from_ref(&fast), &one_target());
        assert_eq!(
            text,
            "/dev/sdx did 12,346 I/Os per second for 10s at a mean response of 81.2us."
        );
        assert_eq!(
            of_steps(&[empty, fast], &one_target()),
            "2 steps on /dev/sdx: step1 did 0, step1 did 12,346 I/Os per second."
        );
    }

    #[test]
    fn several_ways_to_one_volume_are_named_by_the_first() {
        let of = |location: &str| {
            let mut environment = one_target();
            environment.targets[0].location = location.to_owned();
            of_steps(&[fixture::step(1, 10)], &environment)
        };
        assert_eq!(
            of("nbd://a:10809/x,nbd://b:10809/x,nbd+unix:///x?socket=s"),
            "No I/O completed on nbd://a:10809/x over 3 paths."
        );
        assert_eq!(
            of("nbd://a:10809/x"),
            "No I/O completed on nbd://a:10809/x."
        );
        assert_eq!(of("/a,b/file"), "No I/O completed on /a,b/file.");
    }

    #[test]
    fn a_run_that_ended_in_its_warm_up_says_nothing_of_the_storage() {
        let mut cut = fixture::step(1, 0);
        cut.end = End::Interrupted;
        let expected = "The run on /dev/sdx was interrupted before anything was counted.";
        assert_eq!(
            of_steps(std::slice::from_ref(&cut), &one_target()),
            expected
        );
        let Verdict::Curve(mut verdict) = curve(Vec::new()) else {
            unreachable!("it is a curve's");
        };
        verdict.maximum = Estimate::bare(0.0);
        verdict.points = vec![CurvePoint {
            step: 1,
            name: "rd1".to_owned(),
            percent: None,
            offered: None,
            achieved: Estimate::bare(0.0),
            saturated: false,
            response_mean_ns: Estimate::bare(0.0),
            service_mean_ns: Estimate::bare(0.0),
            response_p50_ns: None,
            response_p99_ns: None,
            response_p999_ns: None,
            depth_mean: 0.0,
            backlog_growth: None,
            saturation: None,
        }];
        let verdict = Verdict::Curve(verdict);
        assert_eq!(
            of_verdict(&verdict, &one_target(), std::slice::from_ref(&cut)),
            expected
        );
        let idle = fixture::step(1, 3);
        assert_eq!(
            of_verdict(&verdict, &one_target(), &[idle]),
            "/dev/sdx completed no I/O at its maximum load."
        );
    }

    #[test]
    fn a_saturated_step_says_what_shows_it() {
        let mut step = fixture::step(1, 10);
        step.ios = 1000;
        step.rate = Estimate::bare(100.0);
        step.saturation = Some(Saturation {
            saturated: true,
            cause: Some(SaturationCause::SlotsShort),
            no_slot_share: 0.13,
            shortfall: 0.0,
            backlog_growth: -762.0,
            backlog_end: 0,
            short_samples: 1.0,
            ..Saturation::default()
        });
        assert!(
            of_steps(&[step], &one_target()).ends_with(
                "it is saturated, for 13 % of its I/Os found no free slot when they were due, and so has no latency."
            )
        );
    }
}
