//! Loads that are carried, loads that are not, stalls, and hosts that stand still: each from a queue of which all is known.

use crate::synthetic::queue::{Course, Law, Sim, run};
use crate::synthetic::*;
use plimsoll_evidence::{SaturationCause, Severity, StepEvidence};
use plimsoll_methods::{Standstill, StepFacts, judge};

fn judged(sim: &Sim, course: &Course) -> StepEvidence {
    judged_of(sim, course, &sim.absences)
}

/// Judged by someone who saw the host stand still at these times only.
fn judged_of(sim: &Sim, course: &Course, seen: &[(f64, f64)]) -> StepEvidence {
    let facts = StepFacts {
        standstills: seen
            .iter()
            .map(|(from, to)| Standstill {
                at_ns: sim.warmup_s * SECOND_NS + (from * 1e9) as u64,
                length_ns: ((to - from) * 1e9) as u64,
            })
            .collect(),
        ..StepFacts::clean(2)
    };
    let mut s = step(open(sim.rate));
    s.depths[0].slots = sim.slots as u32;
    judge(&s, 1, &course.intervals, &facts)
}

fn evidence(sim: &Sim) -> StepEvidence {
    judged(sim, &run(sim))
}

/// (servers, slots): a target with one server and many, and slots fewer and more than it needs.
const SHAPES: [(usize, usize); 6] = [(1, 1), (8, 8), (1, 8), (1, 32), (32, 32), (32, 1024)];

#[test]
fn a_load_that_is_carried_is_hardly_ever_called_saturated() {
    let (mut runs, mut saturated, mut undecided, mut stalls) = (0, 0, 0, 0);
    for (servers, slots) in SHAPES {
        for (load, rate, seconds) in [
            (0.7, 1000.0, 10),
            (0.9, 1000.0, 10),
            (0.7, 20.0, 60),
            (0.9, 20.0, 60),
            (0.9, 8000.0, 3),
        ] {
            for seed in 0..40 {
                let sim = Sim::at(load, rate, servers, slots, seconds, seed);
                let e = evidence(&sim);
                let s = e.saturation.unwrap();
                runs += 1;
                saturated += u32::from(s.saturated);
                undecided += u32::from(s.undecided);
                stalls += u32::from(!e.stalls.is_empty());
                if s.saturated {
                    println!("{load} of {servers} servers, {slots} slots, {rate}/s: {s:?}");
                }
            }
        }
    }
    println!("{runs} runs: {saturated} saturated, {undecided} undecided, {stalls} with stalls");
    assert!(saturated * 100 < runs, "{saturated} of {runs}");
    assert!(undecided * 20 < runs, "{undecided} of {runs}");
    assert!(stalls * 100 < runs * 2, "{stalls} of {runs}");
}

#[test]
fn two_percent_too_much_is_always_found_whatever_the_slots() {
    for (servers, slots) in SHAPES {
        for load in [1.02, 1.1, 2.0] {
            for seed in 0..4 {
                let sim = Sim::at(load, 30_000.0, servers, slots, 10, seed);
                let s = evidence(&sim).saturation.unwrap();
                assert!(
                    s.saturated && !s.undecided,
                    "{load} of {servers} servers, {slots} slots: {s:?}"
                );
                assert_eq!(s.cause, Some(SaturationCause::BacklogGrows), "{s:?}");
                let grows = sim.rate * (1.0 - 1.0 / load);
                assert!(
                    (s.backlog_growth - grows).abs() < 0.3 * grows + 100.0,
                    "{grows}: {s:?}"
                );
            }
        }
    }
}

#[test]
fn half_a_percent_too_much_is_found_where_it_is_all_in_flight() {
    for (rate, seconds) in [(400_000.0, 10), (60_000.0, 60)] {
        for (load, servers, service) in [
            (1.005, 1, Law::Even),
            (1.01, 1, Law::Even),
            (1.005, 8, Law::Random),
            (1.01, 8, Law::Random),
        ] {
            let sim = Sim {
                service,
                ..Sim::at(load, rate, servers, 100_000, seconds, 7)
            };
            let s = evidence(&sim).saturation.unwrap();
            assert!(s.saturated, "{load}, {rate}/s for {seconds} s: {s:?}");
            assert_eq!(s.no_slot_share, 0.0);
        }
    }
}

#[test]
fn the_same_load_on_a_target_that_carries_it_is_not_saturated_however_deep() {
    for seed in 0..10 {
        let sim = Sim::at(0.97, 60_000.0, 8, 100_000, 10, seed);
        let s = evidence(&sim).saturation.unwrap();
        assert!(!s.saturated, "{s:?}");
    }
}

/// 500/s on a target that carries 5000/s a slot and stands still for a while.
fn frozen(slots: usize, from: f64, length: f64, seed: u64) -> Sim {
    Sim {
        service_s: 0.0002,
        freezes: vec![(from, from + length)],
        interval_s: 1,
        ..Sim::at(0.1, 500.0, slots, slots, 60, seed)
    }
}

#[test]
fn a_stall_is_found_wherever_it_is_with_those_who_waited() {
    for slots in [1, 8, 32, 1024] {
        for (n, length) in [0.2, 0.35, 1.0, 3.0].into_iter().enumerate() {
            for place in 0..12u32 {
                let from = 1.0 + f64::from(place) * 4.83;
                let sim = frozen(slots, from, length, u64::from(place) + 100 * n as u64);
                let course = run(&sim);
                let e = judged(&sim, &course);
                let s = e.saturation.unwrap();
                let what = format!("{length} s at {from}, {slots} slots: {:?} {s:?}", e.stalls);
                assert!(!s.saturated && !s.undecided, "{what}");
                let [stall] = e.stalls[..] else {
                    panic!("{what}")
                };
                let start = stall.start_ns as f64 / 1e9 - 2.0;
                let found = stall.length_ns as f64 / 1e9;
                assert!((start - from).abs() < 0.1, "{what}");
                // One slot has to make good what gathered.
                assert!(
                    found > length - 0.11 && found < length * 1.15 + 0.16,
                    "{what}"
                );
                let waited = course.longer_than(0.01);
                assert!(stall.ios.abs_diff(waited) <= 75, "{waited} waited, {what}");
                // Its latency stays, and is that of all that was due.
                assert_eq!(e.response.count(), course.responses.len() as u64);
                let mean = e.response_mean_ns.mean;
                assert!((mean / course.mean_ns() - 1.0).abs() < 1e-6, "{mean}");
                // 30,000 I/Os of 0.2 ms take 6 s, and those of the longer stalls wait for 30 s and more.
                let worst = [Severity::Note, Severity::Suspect][usize::from(length > 0.2)];
                assert!(said_of_stall(&e) >= Some(worst), "{what}");
            }
        }
    }
    // 175 I/Os wait for 0.175 s, and all 30,000 take 20 ms.
    let slow = Sim {
        service_s: 0.02,
        ..frozen(200, 20.0, 0.35, 1)
    };
    assert_eq!(said_of_stall(&evidence(&slow)), Some(Severity::Note));
}

fn said_of_stall(e: &StepEvidence) -> Option<Severity> {
    let said = e.findings.iter().find(|f| f.rule == "target-stalled");
    said.map(|f| f.severity)
}

#[test]
fn a_standstill_that_lasts_to_the_end_is_a_stall_and_no_saturation_and_is_named() {
    for rate in [20.0, 500.0, 5000.0] {
        for slots in [1, 32, 1024] {
            let sim = Sim {
                service_s: 0.0002,
                freezes: vec![(57.0, 62.0)],
                interval_s: 1,
                ..Sim::at(0.1, rate, slots, slots, 60, 3)
            };
            let e = evidence(&sim);
            let s = e.saturation.unwrap();
            assert!(
                !s.saturated && !s.undecided,
                "{rate}/s, {slots} slots: {s:?}"
            );
            assert!((s.shortfall - 0.05).abs() < 0.02, "{s:?}");
            let [stall] = e.stalls[..] else {
                panic!("{rate}/s, {slots} slots: {:?}", e.stalls)
            };
            // Its beginning is known by what came due: at 20/s that is as much as chance has it.
            let length_s = stall.length_ns as f64 / 1e9;
            let chance = 4.0 / rate;
            assert!((length_s - 3.0).abs() < 0.1 + chance, "{rate}/s: {stall:?}");
            let named = |n: &&String| n.starts_with("No I/O completed in the last 3.0 s");
            assert_eq!(
                e.remarks().iter().filter(named).count(),
                1,
                "{:?}",
                e.remarks()
            );
            // Their waiting is in the response times: the last came 57 s in and waited 5 s.
            assert!(e.response.max_ns() > Some(4_000_000_000));
        }
    }
}

#[test]
fn a_standstill_in_the_last_second_is_a_stall() {
    for from in [59.1, 59.13, 59.17] {
        let e = evidence(&Sim {
            service_s: 0.0002,
            freezes: vec![(from, 62.0)],
            interval_s: 1,
            ..Sim::at(0.1, 10_000.0, 64, 64, 60, 3)
        });
        let [stall] = e.stalls[..] else {
            panic!("from {from}: {:?}", e.stalls)
        };
        let length_s = stall.length_ns as f64 / 1e9;
        assert!((length_s - (60.0 - from)).abs() < 0.02, "{stall:?}");
        assert!(
            stall.ios.abs_diff((length_s * 10_000.0) as u64) < 300,
            "{stall:?}"
        );
    }
}

#[test]
fn an_idle_end_is_no_standstill() {
    let sim = Sim {
        arrival: Law::Even,
        service_s: 0.001,
        interval_s: 1,
        ..Sim::at(0.1, 0.2, 1, 32, 60, 3)
    };
    let e = evidence(&sim);
    assert!(
        !e.remarks().iter().any(|n| n.contains("No I/O completed")),
        "{:?}",
        e.remarks()
    );
}

#[test]
fn a_freeze_through_most_of_the_step_is_not_carried() {
    let e = evidence(&frozen(1024, 2.0, 58.5, 3));
    assert!(e.saturation.unwrap().saturated);
    assert_eq!(e.stalls, []);
}

#[test]
fn a_target_that_slowed_down_for_most_of_the_step_is_saturated() {
    // Frozen for 8 of each 10 ms from the 10th second on: it carries 1000/s of the 2000/s.
    let sim = Sim {
        service_s: 0.0002,
        freezes: (0..5000)
            .map(|n| 10.0 + f64::from(n) * 0.01)
            .map(|at| (at, at + 0.008))
            .collect(),
        interval_s: 1,
        ..Sim::at(0.1, 2000.0, 1, 32, 60, 5)
    };
    let s = evidence(&sim).saturation.unwrap();
    assert!(s.saturated, "{s:?}");
}

#[test]
fn a_rate_that_falls_short_by_leaps_is_short() {
    // Frozen for 4 of each 5 s; what gathered is not made good in the fifth.
    let sim = Sim {
        service_s: 0.0002,
        freezes: (0..12)
            .map(|n| f64::from(n) * 5.0)
            .map(|at| (at, at + 4.0))
            .collect(),
        interval_s: 1,
        ..Sim::at(0.1, 2000.0, 1, 1024, 60, 5)
    };
    let s = evidence(&sim).saturation.unwrap();
    assert!(s.saturated && s.shortfall > 0.3, "{s:?}");
}

#[test]
fn slots_that_are_short_through_the_whole_step_leave_no_latency() {
    // 99.9 % of what one server does: it keeps up, and is never idle once it is behind.
    let found = (0..20)
        .map(|seed| {
            evidence(&Sim::at(0.999, 50_000.0, 1, 8, 5, seed))
                .saturation
                .unwrap()
        })
        .filter(|s| s.cause == Some(SaturationCause::SlotsShort))
        .inspect(|s| assert!(s.short_samples > 0.5 && s.no_slot_share > 0.5, "{s:?}"))
        .count();
    assert!(found > 0);
}

#[test]
fn a_step_that_is_too_short_says_so() {
    let steps: Vec<StepEvidence> = (0..200)
        .map(|seed| evidence(&Sim::at(1.02, 500.0, 1, 1024, 10, seed)))
        .collect();
    let count = |of: fn(&StepEvidence) -> bool| steps.iter().filter(|e| of(e)).count();
    let saturated = count(|e| e.saturation.unwrap().saturated);
    let undecided = count(|e| e.saturation.unwrap().undecided);
    println!(
        "{saturated} saturated, {undecided} undecided of {}",
        steps.len()
    );
    assert!(saturated > 20 && undecided > 20);
    for e in steps.iter().filter(|e| e.saturation.unwrap().undecided) {
        assert!(
            e.remarks()[0].starts_with("Whether this load is carried cannot be told"),
            "{:?}",
            e.remarks()
        );
    }
}

#[test]
fn a_host_that_stood_still_is_not_a_saturated_target() {
    let absences = |length: f64| -> Vec<(f64, f64)> {
        (0..15)
            .map(|n| 0.5 + 2.0 * f64::from(n))
            .map(|at| (at, at + length))
            .collect()
    };
    for length in [0.02, 0.1, 0.3, 0.7] {
        for slots in [32, 1024] {
            let sim = Sim {
                absences: absences(length),
                interval_s: 1,
                ..Sim::at(0.05, 5000.0, 1, slots, 30, 9)
            };
            let course = run(&sim);
            let e = judged(&sim, &course);
            let s = e.saturation.unwrap();
            assert!(
                !s.saturated && !s.undecided,
                "{length} s, {slots} slots: {s:?}"
            );
            assert_eq!(e.stalls, [], "{length} s, {slots} slots");
            assert_eq!(e.late_by_host.len(), 15);
            let late: u64 = e.late_by_host.iter().map(|l| l.ios).sum();
            let asleep = 15.0 * length * sim.rate;
            assert!(
                (late as f64 / asleep - 1.0).abs() < 0.05,
                "{late} of {asleep}"
            );
        }
    }
    // And it does not hide one that is.
    let sim = Sim {
        absences: absences(0.3),
        interval_s: 1,
        ..Sim::at(1.05, 5000.0, 1, 32, 30, 9)
    };
    assert!(evidence(&sim).saturation.unwrap().saturated);
}

#[test]
fn what_a_busy_host_sends_in_the_next_sample_is_no_backlog_that_grows() {
    // Late by up to 25 ms around each third sample's edge: some come due in a sample that is clean and come back in one that is
    // spoiled. In the second host's case it is away at the end as well, so that something is out then.
    let late: Vec<(f64, f64)> = (0..490)
        .map(|n| 0.295 + 0.3 * f64::from(n))
        .map(|at| (at, at + 0.025))
        .collect();
    let end = vec![(149.25, 151.0)];
    for seen in [Vec::new(), end] {
        for seed in 0..5 {
            let sim = Sim {
                absences: [late.clone(), seen.clone()].concat(),
                interval_s: 1,
                ..Sim::at(0.002, 500.0, 1, 512, 150, seed)
            };
            let e = judged_of(&sim, &run(&sim), &seen);
            let ios: u64 = e.late_by_host.iter().map(|l| l.ios).sum();
            assert!(ios > 5000, "{ios}");
            let s = e.saturation.unwrap();
            assert!(!s.saturated, "{s:?}");
            assert!(s.backlog_growth < 0.5, "{s:?}");
        }
    }
}

#[test]
fn a_target_that_answers_nothing_stalls_however_late_its_host_is() {
    // Each sample has I/Os that are sent late; for one second nothing comes back.
    let absences: Vec<(f64, f64)> = (0..300)
        .map(|n| 0.095 + 0.1 * f64::from(n))
        .map(|at| (at, at + 0.025))
        .collect();
    for from in [5.0, 12.34, 20.07] {
        let sim = Sim {
            absences: absences.clone(),
            freezes: vec![(from, from + 1.0)],
            interval_s: 1,
            ..Sim::at(0.02, 500.0, 1, 512, 30, 11)
        };
        let e = judged_of(&sim, &run(&sim), &[]);
        let [stall] = e.stalls[..] else {
            panic!("from {from}: {:?}", e.stalls)
        };
        let (start, length) = (
            stall.start_ns as f64 / 1e9 - 2.0,
            stall.length_ns as f64 / 1e9,
        );
        assert!((start - from).abs() < 0.15, "{stall:?}");
        assert!((length - 1.0).abs() < 0.3, "{stall:?}");
    }
}

#[test]
fn a_worker_without_cpu_is_no_target_that_stalls() {
    // Nobody saw the process stand still, for its other threads ran.
    for length in [0.2, 0.4, 1.0] {
        for from in [5.0, 12.34, 20.07] {
            let sim = Sim {
                absences: vec![(from, from + length)],
                interval_s: 1,
                ..Sim::at(0.02, 500.0, 1, 512, 30, 11)
            };
            let e = judged_of(&sim, &run(&sim), &[]);
            assert_eq!(e.stalls, [], "{length} s from {from}");
            assert!(!e.late_by_host.is_empty());
            // The same of the target.
            let sim = Sim {
                freezes: sim.absences.clone(),
                absences: Vec::new(),
                ..sim
            };
            let e = judged_of(&sim, &run(&sim), &[]);
            assert_eq!(e.stalls.len(), 1, "{length} s from {from}");
        }
    }
}

#[test]
fn a_host_that_stops_at_the_very_end_is_none_either() {
    let sim = Sim {
        absences: vec![(27.0, 31.0)],
        interval_s: 1,
        ..Sim::at(0.05, 5000.0, 1, 32, 30, 9)
    };
    let e = evidence(&sim);
    let s = e.saturation.unwrap();
    assert!(!s.saturated && !s.undecided, "{s:?}");
    assert!(
        e.remarks()[0].starts_with("Plimsoll itself did not run for 3.0 s"),
        "{:?}",
        e.remarks()
    );
    assert!(
        !e.remarks()
            .iter()
            .any(|n| n.contains("See what the target did")),
        "{:?}",
        e.remarks()
    );
}

#[test]
fn a_schedule_that_rises_by_plan_is_no_backlog_that_grows() {
    // Rates of 1000/s to 8000/s on a target that takes 50 ms for each I/O, however many there are: more and more are out.
    let part = |n: u32| {
        let sim = Sim {
            service_s: 0.05,
            warmup_s: 0,
            interval_s: 1,
            ..Sim::at(0.1, 1000.0 * f64::from(n), 4096, 4096, 5, n.into())
        };
        run(&sim).intervals
    };
    let parts: Vec<_> = (1..=8).map(part).collect();
    let mut all = Vec::new();
    for (n, intervals) in parts.into_iter().enumerate() {
        let (drained, counted) = intervals.split_last().unwrap();
        let mut counted = counted.to_vec();
        for i in &mut counted {
            i.start_ns += n as u64 * 5 * SECOND_NS;
            i.number += n as u32 * 5;
        }
        // What one part leaves comes back in the next one's first sample.
        if let Some(first) = counted.first_mut().filter(|_| n > 0) {
            let left: u64 = 50 * n as u64;
            first.stats.samples[0].ios += left;
            first.stats.streams[0].ops[0].ios += left;
        }
        all.extend(counted);
        if n == 7 {
            let mut last = drained.clone();
            last.start_ns = 40 * SECOND_NS;
            all.push(last);
        }
    }
    let segment = |n: u32| {
        plimsoll_plan::RateSegment::new(
            plimsoll_plan::Rate(1000.0 * f64::from(n)),
            plimsoll_plan::Nanos::secs(5),
        )
    };
    let load = plimsoll_plan::Load::schedule(
        (1..=8).map(segment).collect(),
        plimsoll_plan::Arrival::Exponential,
    );
    let e = judge(&step(load), 1, &all, &StepFacts::clean(2));
    let s = e.saturation.unwrap();
    assert!(!s.saturated && !s.undecided, "{s:?}");
    assert_eq!(e.stalls, []);
}
