//! Made-up steps in which it is known what is the limit.

mod foreign;
mod real;

use super::*;
use crate::known;
use plimsoll_evidence::{
    ArrayEvidence, CoreUse, Estimate, Finding, FrontEndUse, JournalUse, MediaUse, OpSummary,
    PortUse, Quantity, Requests, Saturation, Severity,
};
use plimsoll_measure::{Histogram, Op};
use plimsoll_plan::{Caching, Pattern};

/// A closed loop of 32 on an array of which every part is known and has room: the slots are the limit.
fn roomy() -> StepEvidence {
    let mut case = known::observed();
    let step = case.step();
    step.slots = 32;
    step.depth_mean = 32.0;
    step.saturation = None;
    step.offered = None;
    step.service_mean_ns = Estimate::bare(3_200_000.0);
    step.rate = Estimate::bare(10_000.0);
    step.ops = vec![OpSummary {
        op: Op::Read,
        ios: step.ios,
        bytes: step.bytes,
        errors: 0,
        response: Histogram::empty(),
        service: Histogram::empty(),
    }];
    step.arrays = vec![ArrayEvidence {
        name: "array".into(),
        observed_s: step.counted_s,
        front_end: Some(FrontEndUse {
            reads: Requests {
                count: step.ios,
                bytes: step.bytes,
                mean_ns: Some(3_200_000.0),
            },
            ..FrontEndUse::default()
        }),
        cores: (0..8).map(|_| core(0.2, 0.05)).collect(),
        ports: vec![PortUse { utilisation: 0.1 }; 2],
        media: vec![media(0.1)],
        ..ArrayEvidence::default()
    }];
    step.clone()
}

fn core(utilisation: f64, owner_bound: f64) -> CoreUse {
    CoreUse {
        controller: None,
        utilisation,
        owner_bound: Some(owner_bound),
        content_bound: None,
    }
}

fn media(utilisation: f64) -> MediaUse {
    MediaUse {
        kind: "flash dies".into(),
        count: 16,
        utilisation,
        busiest: None,
        drives: None,
    }
}

fn simulated() -> Environment {
    let mut environment = known::observed().environment;
    environment.simulated = true;
    environment.targets[0].stack.clear();
    environment
}

fn of(step: &StepEvidence, environment: &Environment, others: &[StepEvidence]) -> Limit {
    of_planned(step, environment, others, Caching::Direct)
}

fn of_planned(
    step: &StepEvidence,
    environment: &Environment,
    others: &[StepEvidence],
    caching: Caching,
) -> Limit {
    let mut plan = known::plan();
    plan.targets[0].caching = caching;
    limit(&LimitView {
        step,
        environment,
        planned: &plan.targets,
        others,
        streams: &[],
    })
    .expect("a limit")
}

fn named(change: impl FnOnce(&mut StepEvidence)) -> Limit {
    let mut step = roomy();
    change(&mut step);
    of(&step, &simulated(), &[])
}

#[test]
fn where_every_part_has_room_the_slots_are_the_limit() {
    let limit = named(|_| {});
    assert_eq!(limit.cause, LimitCause::Slots, "{}", limit.sentence);
    assert!(
        limit
            .sentence
            .starts_with("Limited by the generator's slots: all 32 slots"),
        "{}",
        limit.sentence
    );
    assert!(limit.explains > 0.7);
}

#[test]
fn slots_are_not_named_where_a_path_was_slow() {
    let with = |state: &str| {
        named(|step| {
            step.arrays[0].paths = vec![plimsoll_evidence::ArrayPath {
                state: state.into(),
                ..Default::default()
            }];
        })
        .cause
    };
    assert_eq!(with("slow"), LimitCause::NotAttributable);
    assert_eq!(with("up"), LimitCause::Slots);
}

/// 8 cores are busy for 20 % of the time each, half of it with owners' work. One owner that met all of that alone would be busy for 90 %.
#[test]
fn slots_are_not_named_where_the_addresses_meet_few_owners_at_a_time() {
    let cause = |streams: bool, owner_bound: f64| {
        let mut step = roomy();
        let cores = step.arrays[0].cores.iter_mut();
        cores.for_each(|core| core.owner_bound = Some(owner_bound));
        let mut plan = known::plan();
        if streams {
            known::stream_of(&mut plan).address.pattern = Pattern::Streams(8);
        }
        let limit = limit(&LimitView {
            step: &step,
            environment: &simulated(),
            planned: &plan.targets,
            others: &[],
            streams: &known::step_of(&mut plan.clone()).streams,
        });
        limit.expect("a limit").cause
    };
    assert_eq!(cause(false, 0.1), LimitCause::Slots);
    assert_eq!(cause(true, 0.1), LimitCause::NotAttributable);
    // A tenth of it: 8 % and the other 19 % of each core.
    assert_eq!(cause(true, 0.01), LimitCause::Slots);
}

#[test]
fn a_full_core_is_the_limit_and_a_hot_owner_only_where_owners_work_is_uneven() {
    let hot = |bound: f64| {
        named(|s| {
            s.arrays[0].cores[3] = core(0.97, bound);
            s.arrays[0].media = vec![media(0.5)];
        })
    };
    let limit = hot(0.7);
    assert_eq!(limit.cause, LimitCause::HotOwner, "{}", limit.sentence);
    holds!(limit.sentence, "core 3 of array was 97% busy");
    assert_eq!(hot(0.05).cause, LimitCause::ArrayCores);
    let all = named(|s| s.arrays[0].cores = vec![core(0.97, 0.3); 8]);
    assert_eq!(all.cause, LimitCause::ArrayCores, "{}", all.sentence);
}

#[test]
fn being_busy_is_no_cause_where_something_else_is_what_ios_wait_for() {
    // The media is half busy; the one port is what everything queues at.
    let limit = named(|s| {
        s.arrays[0].media = vec![media(0.6)];
        s.arrays[0].ports = vec![PortUse { utilisation: 0.98 }];
    });
    assert_eq!(limit.cause, LimitCause::Port, "{}", limit.sentence);
    assert_eq!(limit.runner_up, Some(LimitCause::Media));
}

#[test]
fn two_that_are_alike_are_not_attributable() {
    let limit = named(|s| {
        s.arrays[0].cores = vec![core(0.96, 0.3); 8];
        s.arrays[0].media = vec![media(0.955)];
    });
    assert_eq!(
        limit.cause,
        LimitCause::NotAttributable,
        "{}",
        limit.sentence
    );
    assert!(limit.sentence.contains("too close"), "{}", limit.sentence);
}

#[test]
fn a_journal_without_room_and_garbage_collection_are_told_from_the_media() {
    let journal = named(|s| {
        s.arrays[0].journal = Some(JournalUse {
            fill_bytes: 100,
            capacity_bytes: 100,
            // Of 32 slots 30 wait all the time.
            waited_ns: (s.counted_s * 30.0 * 1e9) as u64,
        });
    });
    assert_eq!(journal.cause, LimitCause::Journal, "{}", journal.sentence);
    let collects = |amplification| {
        named(|s| {
            let array = &mut s.arrays[0];
            array.media = vec![media(0.97)];
            array.write_amplification = Some(amplification);
            let front = array.front_end.as_mut().unwrap();
            std::mem::swap(&mut front.reads, &mut front.writes);
        })
    };
    assert_eq!(collects(2.5).cause, LimitCause::GarbageCollection);
    assert_eq!(collects(1.1).cause, LimitCause::Media);
}

/// So few in flight, which keep little busy.
fn few(step: &mut StepEvidence, depth: u32) {
    (step.slots, step.depth_mean) = (depth.into(), depth.into());
    let array = &mut step.arrays[0];
    array.cores = vec![core(0.05, 0.01); 8];
    array.ports = vec![PortUse { utilisation: 0.05 }; 2];
    array.media = vec![media(0.01)];
}

#[test]
fn a_journal_that_is_full_takes_in_what_it_drains_whatever_is_in_flight() {
    let one = |fill_bytes| {
        named(|s| {
            few(s, 1);
            let array = &mut s.arrays[0];
            let front = array.front_end.as_mut().unwrap();
            std::mem::swap(&mut front.reads, &mut front.writes);
            array.journal = Some(JournalUse {
                fill_bytes,
                capacity_bytes: 100,
                // A tenth of the time of the writes, which is a hundredth of all: most of it is theirs anyway.
                waited_ns: (s.counted_s * 0.1 * 1e9) as u64,
            });
            let mean_ns = s.counted_s * 1e9 / front.writes.count as f64;
            front.writes.mean_ns = Some(mean_ns);
            s.service_mean_ns = Estimate::bare(mean_ns);
        })
    };
    assert_eq!(one(100).cause, LimitCause::Journal, "{}", one(100).sentence);
    // It had been full and has room: for most of the time it was the one slot.
    assert_eq!(one(50).cause, LimitCause::Slots, "{}", one(50).sentence);
}

#[test]
fn where_one_part_takes_most_of_each_ios_time_slots_are_not_blamed_for_it() {
    let with = |utilisation: f64| {
        named(|s| {
            few(s, 1);
            s.arrays[0].ports = vec![PortUse { utilisation }; 2];
        })
    };
    // Two ports in turn, each I/O at one of them for 80 % of its time.
    assert_eq!(
        with(0.4).cause,
        LimitCause::NotAttributable,
        "{}",
        with(0.4).sentence
    );
    assert_eq!(with(0.1).cause, LimitCause::Slots, "{}", with(0.1).sentence);
}

#[test]
fn nobody_waits_behind_more_than_are_in_flight() {
    // Each I/O keeps several cores busy at once, so half busy cores say nothing of waiting.
    let limit = named(|s| {
        few(s, 3);
        s.arrays[0].cores = vec![core(0.5, 0.1); 8];
    });
    assert_eq!(limit.cause, LimitCause::Slots, "{}", limit.sentence);
}

#[test]
fn what_the_array_did_not_have_went_by_in_the_host() {
    let with = |inside_ns: f64| {
        named(|s| s.arrays[0].front_end.as_mut().unwrap().reads.mean_ns = Some(inside_ns))
    };
    assert_eq!(with(300_000.0).cause, LimitCause::HostCpu);
    // A third of 32 are many for one thread to issue: it may have no more to give, and more slots may bring nothing.
    assert_eq!(with(2_400_000.0).cause, LimitCause::NotAttributable);
    assert_eq!(with(3_199_000.0).cause, LimitCause::Slots);
}

#[test]
fn what_an_array_does_not_tell_makes_slots_no_answer_unless_another_depth_was_tried() {
    let mut step = roomy();
    step.arrays[0].cores.clear();
    let alone = of(&step, &simulated(), &[]);
    assert_eq!(
        alone.cause,
        LimitCause::NotAttributable,
        "{}",
        alone.sentence
    );
    assert!(alone.not_observable.contains(&LimitCause::Slots));
    let tried = |rate: f64| {
        let half = StepEvidence {
            number: 7,
            depth_mean: 16.0,
            rate: Estimate::bare(rate),
            ..step.clone()
        };
        of(&step, &simulated(), &[half])
    };
    // Twice as much in flight did as much: the target is full. It did twice as much: the slots are short.
    assert_eq!(
        tried(9_900.0).cause,
        LimitCause::Target,
        "{}",
        tried(9_900.0).sentence
    );
    assert_eq!(
        tried(5_050.0).cause,
        LimitCause::Slots,
        "{}",
        tried(5_050.0).sentence
    );
    // In between it is neither.
    assert_eq!(tried(7_000.0).cause, LimitCause::NotAttributable);
}

#[test]
fn only_a_closed_loop_and_a_saturated_load_have_a_limit() {
    let mut step = roomy();
    step.offered = Some(10_000.0);
    step.saturation = Some(Saturation::default());
    let view = |step: &StepEvidence| {
        let environment = simulated();
        limit(&LimitView {
            step,
            environment: &environment,
            planned: &[],
            others: &[],
            streams: &[],
        })
    };
    assert_eq!(view(&step), None);
    step.saturation = Some(Saturation {
        saturated: true,
        ..Saturation::default()
    });
    assert!(view(&step).is_some());
    step.end = End::Interrupted;
    assert_eq!(view(&step), None);
}

#[test]
fn a_cap_is_told_in_the_unit_that_it_was_set_in() {
    let capped = |of: &str, most: f64| {
        named(|s| {
            s.depth_mean = 0.3;
            let values = [
                ("workload", Quantity::Text("w".into())),
                ("of", Quantity::Text(of.into())),
                ("most", Quantity::PerSecond(most)),
            ];
            let finding = Finding::of_step(s.number, "cap-reached", Severity::Note, values);
            s.findings = vec![finding];
        })
    };
    let bytes = capped("bytes", 20.0 * 1_048_576.0);
    assert_eq!(bytes.cause, LimitCause::SetLimit);
    holds!(bytes.sentence, "cap of 20.0 MiB/s");
    let ios = capped("I/Os", 500.0);
    assert!(ios.sentence.contains("cap of 500/s"), "{}", ios.sentence);
}
