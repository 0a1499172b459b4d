//! What a step's intervals come to.

use crate::synthetic::*;
use plimsoll_evidence::{
    CpuInterval, End, Finding, Interval, Phase, Quantity, SaturationCause, Severity,
};
use plimsoll_measure::Op;
use plimsoll_methods::{Standstill, StepFacts, judge};
use plimsoll_plan::{Arrival, Load, Nanos, Purpose, Rate, RateSegment, Step};

const CALM: Queue = Queue::new(1000.0, 200_000.0, 0.0);

fn judged(step: &Step, intervals: &[Interval]) -> plimsoll_evidence::StepEvidence {
    judge(step, 1, intervals, &StepFacts::clean(2))
}

#[test]
fn warm_up_is_left_out_of_everything_but_the_errors() {
    let mut all = intervals(CALM, 30);
    all[0].stats.streams[0].ops[0].errors = 3;
    let e = judged(&step(open(1000.0)), &all);
    assert_eq!(e.counted_intervals, (3, 32));
    assert_eq!((e.warmup_s, e.counted_s), (2.0, 30.0));
    assert_eq!(e.errors, 3);
    let counted: u64 = all[2..].iter().map(|i| i.stats.ios()).sum();
    assert_eq!((e.ios, e.bytes), (counted, counted * 4096));
    assert_eq!(e.streams.len(), 1);
    assert_eq!(e.streams[0].ios, counted);
    assert_eq!(e.streams[0].bytes, counted * 4096);
    assert_eq!(e.response.count(), counted);
    assert!((e.rate.mean - 1000.0).abs() < 10.0, "{:?}", e.rate);
    assert!((e.depth_mean - 0.2).abs() < 1e-6);
}

#[test]
fn rates_and_means_carry_narrow_intervals_about_the_truth() {
    let e = judged(&step(open(1000.0)), &intervals(CALM, 30));
    for (estimate, truth) in [
        (e.rate, 1000.0),
        (e.response_mean_ns, 200_000.0),
        (e.service_mean_ns, 180_000.0),
    ] {
        let half = estimate.half_width.unwrap();
        assert!((20..=40).contains(&estimate.batches));
        // Twice, for one draw of three may lie outside of 95 %; their coverage is tested where they are made.
        assert!((estimate.mean - truth).abs() <= 2.0 * half, "{estimate:?}");
        assert!(half < 0.01 * truth, "{estimate:?}");
    }
    // One second holds ten samples: too few for an interval, but not for a mean.
    let short = judged(&step(open(1000.0)), &intervals(CALM, 1));
    assert_eq!(short.rate.half_width, None);
    assert!((short.rate.mean - 1000.0).abs() < 20.0);
}

#[test]
fn operations_are_summed_apart_and_those_that_did_not_occur_are_left_out() {
    let mut all = intervals(CALM, 5);
    all[3].stats.streams[0].ops[Op::Write as usize].errors = 1;
    let e = judged(&step(open(1000.0)), &all);
    let ops: Vec<(Op, u64)> = e.ops.iter().map(|o| (o.op, o.errors)).collect();
    assert_eq!(ops, [(Op::Read, 0), (Op::Write, 1)]);
    assert!(
        e.remarks().iter().any(|n| n.starts_with("1 I/O failed")),
        "{:?}",
        e.remarks()
    );
}

#[test]
fn a_calm_step_needs_no_words() {
    assert_eq!(
        judged(&step(open(1000.0)), &intervals(CALM, 30)).remarks(),
        [""; 0]
    );
    assert_eq!(
        judged(&step(Load::Max), &intervals(CALM, 30)).remarks(),
        [""; 0]
    );
}

#[test]
fn a_drawn_schedule_that_missed_its_nominal_rate_is_not_saturated() {
    // 4 % fewer I/Os came due than the nominal rate says; all of them were done.
    let e = judged(&step(open(1040.0)), &intervals(CALM, 30));
    let s = e.saturation.unwrap();
    assert!(!s.saturated && s.shortfall == 0.0, "{s:?}");
    assert_eq!(e.offered, Some(1040.0));
}

#[test]
fn ios_that_found_no_slot_now_and_then_are_told_and_are_no_saturation() {
    let mut all = intervals(CALM, 30);
    for i in &mut all {
        i.stats.streams[0].late_for_slot = 30;
    }
    let s = judged(&step(open(1000.0)), &all).saturation.unwrap();
    assert!(!s.saturated && s.cause.is_none(), "{s:?}");
    assert!((s.no_slot_share - 0.03).abs() < 1e-3, "{s:?}");
}

#[test]
fn a_backlogs_growth_is_its_slope_over_the_counted_time() {
    let queue = Queue {
        backlog_growth: 250.0,
        ..CALM
    };
    let s = judged(&step(open(1250.0)), &intervals(queue, 30))
        .saturation
        .unwrap();
    assert!(s.saturated);
    assert_eq!(s.cause, Some(SaturationCause::BacklogGrows));
    assert!((s.backlog_growth - 250.0).abs() < 1.0, "{s:?}");
    assert_eq!(s.backlog_end, 250 * 32);
    assert!((s.shortfall - 0.2).abs() < 0.01, "{s:?}");
}

#[test]
fn a_closed_loop_is_never_called_saturated() {
    let e = judged(&step(Load::Max), &intervals(CALM, 5));
    assert_eq!((e.saturation, e.offered), (None, None));
    assert_eq!(e.load, "max");
}

#[test]
fn the_offered_rate_is_that_of_all_streams() {
    let mut s = step(open(1000.0));
    s.streams.push(stream("wd2", 0.0));
    s.streams[1].fixed_rate = Some(Rate(50.0));
    assert_eq!(judged(&s, &[]).offered, Some(1050.0));
    s.streams.remove(0);
    assert_eq!(judged(&s, &[]).offered, Some(50.0));
    s.load = Load::Max;
    let e = judged(&s, &[]);
    assert_eq!(e.offered, Some(50.0));
    assert_eq!(e.load.as_str(), "50/s of its own");
    s.streams.push(stream("wd3", 100.0));
    let e = judged(&s, &[]);
    assert_eq!(e.offered, None);
    assert_eq!(e.load, "max, beside 50/s of their own");
    assert_eq!(e.streams[0].offered, Some(50.0));
    assert_eq!(e.streams[1].offered, None);
    let segment = |rate, s| RateSegment::new(Rate(rate), Nanos::secs(s));
    let schedule = step(Load::schedule(
        vec![segment(100.0, 1), segment(400.0, 2)],
        Arrival::Even,
    ));
    let e = judged(&schedule, &[]);
    assert_eq!(e.offered, Some(300.0));
    assert_eq!(e.load, "schedule of 2 rates, even");
    assert_eq!(judged(&step(open(5000.0)), &[]).load, "5,000/s exponential");
}

#[test]
fn cpu_per_io_is_given_only_where_every_interval_knows_it() {
    let mut all = intervals(CALM, 3);
    for i in &mut all {
        i.cpu = Some(CpuInterval {
            process_ns: i.stats.ios() * 1500,
            workers: vec![0.5, 0.4],
            ..CpuInterval::default()
        });
    }
    assert_eq!(judged(&step(Load::Max), &all).cpu_ns_per_io, Some(1500.0));
    all[4].cpu = None;
    assert_eq!(judged(&step(Load::Max), &all).cpu_ns_per_io, None);
}

#[test]
fn busy_workers_limit_a_closed_loop_and_may_spin_in_an_open_one() {
    let mut all = intervals(CALM, 3);
    for i in &mut all {
        i.cpu = Some(CpuInterval {
            workers: vec![0.99, 0.97],
            ..CpuInterval::default()
        });
    }
    let says_busy = |load| {
        judged(&step(load), &all)
            .remarks()
            .iter()
            .any(|n| n.contains("busy"))
    };
    assert!(says_busy(Load::Max));
    assert!(!says_busy(open(1000.0)));
}

#[test]
fn a_rate_that_falls_all_the_time_never_got_steady() {
    let all: Vec<Interval> = (1..=30)
        .map(|n| {
            let rate = 2000.0 - 50.0 * f64::from(n);
            second(Queue { rate, ..CALM }, n, false)
        })
        .collect();
    let e = judged(&step(Load::Max), &all);
    assert!(
        e.remarks()[0].starts_with("Never got steady: over five equal parts the rate"),
        "{:?}",
        e.remarks()
    );
    // A saturated point says by its backlog that it isn't steady.
    let mut late = all.clone();
    for i in &mut late {
        i.stats.streams[0].due = 2000;
    }
    assert_eq!(judged(&step(open(2000.0)), &late).remarks(), [""; 0]);
}

#[test]
fn a_closed_loop_that_stood_still_says_for_how_long_and_not_to_warm_up() {
    let notes = |load, still: std::ops::RangeInclusive<u32>| {
        let rate = |n| if still.contains(&n) { 0.0 } else { 1000.0 };
        let all: Vec<Interval> = (1..=30)
            .map(|n| {
                let rate = rate(n);
                second(Queue { rate, ..CALM }, n, false)
            })
            .collect();
        judged(&step(load), &all).remarks()
    };
    let between = notes(Load::Max, 11..=16);
    assert!(
        between[0].starts_with("No I/O completed for 6.0 s at a stretch"),
        "{between:?}"
    );
    let to_the_end = notes(Load::Max, 7..=30);
    assert!(
        to_the_end[0].starts_with("No I/O completed in the last 24.0 s"),
        "{to_the_end:?}"
    );
    assert_eq!((between.len(), to_the_end.len()), (1, 1));
    // Nothing was due.
    let open_loop = notes(open(1000.0), 11..=16);
    assert!(
        !open_loop.iter().any(|n| n.contains("No I/O completed")),
        "{open_loop:?}"
    );
}

/// 30 seconds of which some complete nothing, while the process did not run from `at_s` on for `length_s`.
fn with_absence(
    load: Load,
    still: std::ops::RangeInclusive<u32>,
    at_s: f64,
    length_s: f64,
) -> Vec<String> {
    let all: Vec<Interval> = (1..=30)
        .map(|n| {
            let rate = if still.contains(&n) { 0.0 } else { 1000.0 };
            second(Queue { rate, ..CALM }, n, false)
        })
        .collect();
    judge(&step(load), 1, &all, &absent(&[(at_s, length_s)])).remarks()
}

/// The process did not run: from, for so long, s.
fn absent(pauses: &[(f64, f64)]) -> StepFacts {
    let standstill = |(at_s, length_s): &(f64, f64)| Standstill {
        at_ns: (at_s * 1e9) as u64,
        length_ns: (length_s * 1e9) as u64,
    };
    StepFacts {
        standstills: pauses.iter().map(standstill).collect(),
        ..StepFacts::clean(2)
    }
}

#[test]
fn short_pauses_add_up() {
    let all = intervals(CALM, 30);
    let said = |pauses: u32, load: Load| {
        let pauses: Vec<_> = (0..pauses)
            .map(|n| (2.0 + 0.59 * f64::from(n), 0.4))
            .collect();
        judge(&step(load), 1, &all, &absent(&pauses)).remarks()
    };
    for load in [Load::Max, open(1000.0)] {
        let most = said(50, load.clone());
        let expected = "Plimsoll itself did not run for 400ms at a stretch (50 times, 20.0 s in all, 67% of the time): ";
        assert!(most[0].starts_with(expected), "{most:?}");
        // Less than 5 % of 30 s.
        assert_eq!(said(3, load.clone()), Vec::<String>::new());
        assert_eq!(said(4, load).len(), 1);
    }
}

#[test]
fn a_process_that_was_stopped_names_the_host_and_not_the_target() {
    for load in [Load::Max, open(1000.0)] {
        // Nothing came back in the seconds 11 to 16, which is from 10.0 s on.
        let notes = with_absence(load, 11..=16, 9.95, 6.05);
        assert!(
            notes[0].starts_with(
                "Plimsoll itself did not run for 6.1 s at a stretch: it was stopped, or the host"
            ),
            "{notes:?}"
        );
        assert!(
            !notes.iter().any(|n| n.contains("See what the target did")),
            "{notes:?}"
        );
    }
}

#[test]
fn a_target_that_stood_still_for_longer_than_the_process_is_named_too() {
    let notes = with_absence(Load::Max, 11..=16, 10.0, 2.0);
    assert!(
        notes[0].starts_with("Plimsoll itself did not run for 2.0 s"),
        "{notes:?}"
    );
    assert!(
        notes[1].starts_with("No I/O completed for 4.0 s at a stretch"),
        "{notes:?}"
    );
    // Elsewhere it explains nothing.
    let notes = with_absence(Load::Max, 11..=16, 20.0, 6.0);
    assert!(
        notes[1].starts_with("No I/O completed for 6.0 s at a stretch"),
        "{notes:?}"
    );
}

#[test]
fn an_absence_outside_of_the_counted_time_or_of_a_moment_is_nothing_to_say() {
    let calm = |at_s, length_s| with_absence(Load::Max, 0..=0, at_s, length_s);
    assert_eq!(calm(30.0, 5.0), Vec::<String>::new());
    assert_eq!(calm(10.0, 0.4), Vec::<String>::new());
    assert_eq!(calm(29.8, 5.0), Vec::<String>::new());
    assert_eq!(calm(10.0, 0.5).len(), 1);
}

#[test]
fn failed_fsyncs_are_errors_of_their_own_kind() {
    let mut all = intervals(CALM, 5);
    all[0].stats.streams[0].syncs.get_or_insert_default().errors = 2;
    all[4].stats.streams[0].syncs.get_or_insert_default().errors = 3;
    all[4].stats.streams[0].ops[Op::Write as usize].errors = 1;
    let facts = StepFacts {
        errors_after: 2,
        fsync_errors_after: 1,
        ..StepFacts::clean(2)
    };
    let e = judge(&step(open(1000.0)), 1, &all, &facts);
    assert_eq!((e.errors, e.fsync_errors()), (8, 6));
    assert!(
        e.remarks().iter().any(|n| n.starts_with("2 I/Os failed")),
        "{:?}",
        e.remarks()
    );
    assert!(
        e.remarks().iter().any(|n| n.starts_with("6 fsyncs failed")),
        "{:?}",
        e.remarks()
    );
    // They are no I/Os that were due.
    assert_eq!(
        e.saturation.map(|s| s.shortfall),
        judged(&step(open(1000.0)), &intervals(CALM, 5))
            .saturation
            .map(|s| s.shortfall)
    );
}

#[test]
fn a_target_that_is_slow_does_not_stand_still() {
    let all: Vec<Interval> = (1..=30)
        .map(|n| {
            let slow = Queue {
                rate: f64::from(n % 2) * 20.0,
                response_ns: 2e9,
                ..CALM
            };
            second(slow, n, false)
        })
        .collect();
    let notes = judged(&step(Load::Max), &all).remarks();
    assert!(
        !notes.iter().any(|n| n.contains("No I/O completed")),
        "{notes:?}"
    );
}

#[test]
fn a_late_generator_is_named() {
    let mut all = intervals(CALM, 30);
    for i in &mut all {
        (0..1000).for_each(|_| i.stats.lateness.record(400_000));
    }
    let e = judged(&step(open(1000.0)), &all);
    assert!(
        e.remarks()[0].starts_with("The generator itself was late"),
        "{:?}",
        e.remarks()
    );
}

#[test]
fn a_step_that_ended_early_says_why_and_one_without_intervals_is_whole() {
    let facts = StepFacts {
        end: End::Hung,
        errors_after: 4,
        findings: vec![Finding::of_step(
            7,
            "workers-stuck",
            Severity::Suspect,
            [("workers", Quantity::Count(3))],
        )],
        ..StepFacts::clean(2)
    };
    let e = judge(&step(open(1000.0)), 7, &intervals(CALM, 30)[..2], &facts);
    assert_eq!(
        (e.number, e.ios, e.errors, e.counted_intervals),
        (7, 0, 4, (0, 0))
    );
    assert_eq!(e.rate, plimsoll_evidence::Estimate::bare(0.0));
    assert_eq!(
        e.remarks(),
        [
            "3 worker threads did not come back from a system call by the drain deadline",
            "Ended after 2.0 s of 35.0 s: I/Os did not come back.",
            "4 I/Os failed, those of the warm-up included: in no rate and in no response time.",
            "Nothing was counted: the step ended in its warm-up.",
        ]
    );
}

#[test]
fn a_fill_is_marked_and_not_judged() {
    let mut fill = step(Load::Max);
    fill.purpose = Purpose::Fill;
    let e = judged(&fill, &[]);
    assert!(e.fill);
    assert_eq!(e.remarks(), [""; 0]);
}

#[test]
fn what_comes_back_after_the_end_has_times_and_no_part_in_the_rate() {
    let mut all = intervals(CALM, 30);
    let before = judged(&step(open(1000.0)), &all);
    let mut drain = second(CALM, 33, false);
    drain.phase = Phase::Drain;
    drain.length_ns = 3 * SECOND_NS;
    drain.stats.samples.clear();
    let reads = &mut drain.stats.streams[0].ops[0];
    *reads = Default::default();
    reads.ios = 30;
    (0..30).for_each(|_| reads.response.record(3_000_000_000));
    (0..30).for_each(|_| reads.service.record(1_000_000_000));
    drain.stats.streams[0].due = 0;
    all.push(drain);
    let e = judged(&step(open(1000.0)), &all);
    assert_eq!(e.ios, before.ios);
    assert_eq!(e.bytes, before.bytes);
    assert_eq!(e.rate, before.rate);
    assert_eq!((e.counted_s, e.counted_intervals), (30.0, (3, 32)));
    assert_eq!(e.depth_mean, before.depth_mean);
    assert_eq!(e.response.count(), before.response.count() + 30);
    let ios = before.ios as f64;
    let expected = (before.response_mean_ns.mean * ios + 30.0 * 3e9) / (ios + 30.0);
    assert!(
        (e.response_mean_ns.mean / expected - 1.0).abs() < 1e-3,
        "{expected}"
    );
    assert_eq!(e.streams[0].response_mean_ns, e.response_mean_ns);
    assert!(e.service_mean_ns.mean > before.service_mean_ns.mean);
}

#[test]
fn what_was_due_before_the_counted_time_is_in_its_rate_and_in_no_time() {
    let mut all = intervals(CALM, 30);
    let before = judged(&step(open(1000.0)), &all);
    // Fifty more came back, of which the times are not known.
    all[2].stats.samples[0].ios += 50;
    all[2].stats.streams[0].ops[0].ios += 50;
    let e = judged(&step(open(1000.0)), &all);
    assert_eq!(e.ios, before.ios + 50);
    assert_eq!(e.response_mean_ns.mean, before.response_mean_ns.mean);
    assert!(!e.saturation.unwrap().saturated);
}

#[test]
fn what_comes_back_after_the_end_is_in_the_times_and_in_no_rate() {
    let step = step(open(1000.0));
    let mut all = intervals(CALM, 20);
    let alone = judged(&step, &all);
    // A hundred came back three seconds late; twenty more never went out.
    let mut drain = second(CALM, 21, false);
    drain.phase = Phase::Drain;
    drain.stats.samples.clear();
    let reads = &mut drain.stats.streams[0].ops[0];
    (reads.ios, reads.bytes, reads.errors) = (100, 100 * 4096, 1);
    reads.response = Default::default();
    reads.service = Default::default();
    reads.response.record_many(3_000_000_000, 120);
    reads.service.record_many(3_000_000_000, 100);
    all.push(drain);
    let followed = judged(&step, &all);
    assert_eq!((followed.ios, followed.bytes), (alone.ios, alone.bytes));
    assert_eq!(followed.rate, alone.rate);
    assert_eq!(followed.depth_mean, alone.depth_mean);
    assert_eq!(followed.counted_s, alone.counted_s);
    assert_eq!(followed.counted_intervals, alone.counted_intervals);
    assert_eq!(followed.errors, alone.errors + 1);
    assert_eq!(followed.response.count(), alone.response.count() + 120);
    assert_eq!(followed.streams[0].ops[0].response, followed.response);
    // Each mean is of the same I/Os as its histogram.
    for (mean, of) in [
        (followed.response_mean_ns, &followed.response),
        (followed.service_mean_ns, &followed.service),
    ] {
        let truth = of.mean_ns().unwrap();
        assert!(
            (mean.mean / truth - 1.0).abs() < 0.01,
            "{} {truth}",
            mean.mean
        );
    }
}

#[test]
fn trims_are_in_the_rate_and_move_no_bytes() {
    let with = |trims: u64| {
        let mut all = intervals(CALM, 5);
        for interval in &mut all {
            let trim = &mut interval.stats.streams[0].ops[Op::Trim as usize];
            (trim.ios, trim.bytes) = (trims, trims << 20);
        }
        judge(&step(Load::Max), 1, &all, &StepFacts::clean(2))
    };
    let (none, some) = (with(0), with(10));
    assert_eq!(some.ios, none.ios + 5 * 10);
    assert_eq!(
        (some.bytes, some.streams[0].bytes),
        (none.bytes, none.streams[0].bytes)
    );
    assert_eq!(some.mean_size(), none.mean_size());
    let trims = some.ops.iter().find(|o| o.op == Op::Trim).expect("trims");
    assert_eq!(trims.bytes, 50 << 20);
}
