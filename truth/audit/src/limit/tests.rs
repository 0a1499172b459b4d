//! Made-up steps in which it is known what is the limit.

use super::*;
use crate::known;
use plimsoll_evidence::witnessed::{CgroupUse, CpuUse, DeviceUse, LinkUse, TcpUse, ThreadUse};
use plimsoll_evidence::{
    ArrayEvidence, CoreUse, Estimate, FrontEndUse, JournalUse, MediaUse, OpSummary, PortUse,
    Requests, Saturation, Witnessed,
};
use plimsoll_measure::{Histogram, Op};

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
    }
}

fn media(utilisation: f64) -> MediaUse {
    MediaUse {
        kind: "flash dies".into(),
        count: 16,
        utilisation,
    }
}

fn simulated() -> Environment {
    let mut environment = known::observed().environment;
    environment.simulated = true;
    environment.targets[0].stack.clear();
    environment
}

fn of(step: &StepEvidence, environment: &Environment, others: &[StepEvidence]) -> Limit {
    limit(&LimitView {
        step,
        environment,
        others,
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
fn a_full_core_is_the_limit_and_a_hot_owner_only_where_owners_work_is_uneven() {
    let hot = |bound: f64| {
        named(|s| {
            s.arrays[0].cores[3] = core(0.97, bound);
            s.arrays[0].media = vec![media(0.5)];
        })
    };
    let limit = hot(0.7);
    assert_eq!(limit.cause, LimitCause::HotOwner, "{}", limit.sentence);
    assert!(
        limit.sentence.contains("core 3 of array was 97% busy"),
        "{}",
        limit.sentence
    );
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
            others: &[],
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

/// A closed loop of 32 on a disk of this host, of which half was tried and did as much: but for what is seen, the target is full.
fn real(seen: Witnessed, change: impl FnOnce(&mut StepEvidence, &mut Environment)) -> Limit {
    let mut step = roomy();
    let mut environment = known::observed().environment;
    step.arrays.clear();
    step.witnessed = Some(seen);
    let half = StepEvidence {
        number: 7,
        depth_mean: 16.0,
        rate: Estimate::bare(9_000.0),
        ..step.clone()
    };
    change(&mut step, &mut environment);
    of(&step, &environment, &[half])
}

fn seen(step_s: f64) -> Witnessed {
    Witnessed {
        observed_s: step_s,
        cpus: vec![cpu(step_s, 0.2, 0.0); 4],
        threads: vec![thread(step_s, 0.2, 0.01); 2],
        cgroup: Some(CgroupUse::default()),
        devices: vec![disk(31.0)],
        ..Witnessed::default()
    }
}

fn cpu(of_s: f64, busy: f64, steal: f64) -> CpuUse {
    CpuUse {
        busy_s: of_s * busy,
        steal_s: of_s * steal,
        all_s: of_s,
        ..CpuUse::default()
    }
}

fn thread(of_s: f64, ran: f64, waited: f64) -> ThreadUse {
    ThreadUse {
        ran_s: of_s * ran,
        waited_s: of_s * waited,
    }
}

const S: f64 = 600.0;

/// The disk below the target, with all of the load in it, and so many requests at a time.
fn disk(in_device: f64) -> DeviceUse {
    DeviceUse {
        name: known::observed().layer().name.clone(),
        reads: 6_000_000,
        read_bytes: 6_000_000 * 8192,
        read_ms: (in_device * S * 1e3) as u64,
        ..DeviceUse::default()
    }
}

#[test]
fn a_disk_that_does_no_more_with_more_is_the_target_itself() {
    let limit = real(seen(S), |_, _| {});
    assert_eq!(limit.cause, LimitCause::Target, "{}", limit.sentence);
    assert!(limit.not_observable.contains(&LimitCause::HotOwner));
    // What holds I/Os before they reach the disk is not the disk; and behind what nobody saw anything may be.
    let mut held = seen(S);
    held.devices = vec![disk(3.0)];
    assert_eq!(real(held, |_, _| {}).cause, LimitCause::NotAttributable);
    let mut unseen = seen(S);
    unseen.cgroup = None;
    let limit = real(unseen, |_, _| {});
    assert_eq!(limit.cause, LimitCause::NotAttributable);
    assert!(
        limit.sentence.contains("it may be the target itself"),
        "{}",
        limit.sentence
    );
}

#[test]
fn a_limit_of_the_control_group_is_named_only_where_it_was_met() {
    let with = |riops: u64| {
        let mut seen = seen(S);
        seen.cgroup = Some(CgroupUse {
            io_limits: vec![format!("8:0 rbps=max wbps=max riops={riops} wiops=max")],
            ..CgroupUse::default()
        });
        real(seen, |_, _| {})
    };
    let limit = with(10_000);
    assert_eq!(limit.cause, LimitCause::SetLimit, "{}", limit.sentence);
    assert!(limit.sentence.contains("riops=10000"), "{}", limit.sentence);
    assert_eq!(with(50_000).cause, LimitCause::Target);
    assert_eq!(with(5_000).cause, LimitCause::Target);
    // By its timer the kernel gives less than it allows; then I/Os wait before the device.
    let held = |in_device: f64| {
        let mut seen = seen(S);
        seen.devices = vec![disk(in_device)];
        seen.cgroup = Some(CgroupUse {
            io_limits: vec!["8:0 riops=15000".into()],
            ..CgroupUse::default()
        });
        real(seen, |_, _| {})
    };
    assert_eq!(
        held(0.5).cause,
        LimitCause::SetLimit,
        "{}",
        held(0.5).sentence
    );
    assert_eq!(held(31.0).cause, LimitCause::Target);
}

#[test]
fn threads_that_are_kept_from_running_are_held_by_cpu_max_by_the_host_or_by_their_own_cpu() {
    let mut limited = seen(S);
    limited.cgroup = Some(CgroupUse {
        cpu_limit: Some(0.2),
        throttled_periods: 5_000,
        throttled_s: 2.0 * S * 0.8,
        ..CgroupUse::default()
    });
    assert_eq!(real(limited, |_, _| {}).cause, LimitCause::SetLimit);
    let mut hogged = seen(S);
    hogged.cpus = vec![cpu(S, 1.0, 0.0); 4];
    hogged.threads = vec![thread(S, 0.45, 0.5); 2];
    assert_eq!(real(hogged, unknown).cause, LimitCause::HostCpu);
    let mut one = seen(S);
    one.threads = vec![thread(S, 0.99, 0.0)];
    assert_eq!(real(one, unknown).cause, LimitCause::OneCpu);
    let mut stolen = seen(S);
    stolen.cpus[1] = cpu(S, 0.1, 0.85);
    assert_eq!(real(stolen, unknown).cause, LimitCause::OneCpu);
}

/// What the target does with more was not tried.
fn unknown(step: &mut StepEvidence, _: &mut Environment) {
    step.run = "another".into();
}

#[test]
fn a_queue_of_two_places_holds_ios_in_the_host() {
    let with = |nr_requests: &str, in_device: f64| {
        let mut seen = seen(S);
        seen.devices = vec![disk(in_device)];
        real(seen, |step, environment| {
            unknown(step, environment);
            let queue = &mut environment.targets[0].stack[0].queue;
            queue.retain(|(n, _)| n != "nr_requests" && n != "nr_hw_queues");
            queue.push(("nr_requests".into(), nr_requests.into()));
        })
    };
    let limit = with("2", 1.9);
    assert_eq!(limit.cause, LimitCause::BlockQueue, "{}", limit.sentence);
    // All of them are in the device, or the queue is not what is full.
    assert_eq!(with("256", 31.0).cause, LimitCause::NotAttributable);
    assert_eq!(with("2", 0.3).cause, LimitCause::NotAttributable);
}

#[test]
fn a_loop_device_has_a_queue_of_its_own_and_its_bytes_are_not_counted_twice() {
    let limit = real(
        {
            let mut seen = seen(S);
            let upper = DeviceUse {
                name: "loop0".into(),
                ..disk(3.0)
            };
            let mut lower = disk(2.0);
            lower.busy_ms = (S * 1e3) as u64;
            seen.devices = vec![upper, lower];
            seen
        },
        |step, environment| {
            unknown(step, environment);
            let stack = &mut environment.targets[0].stack;
            let mut upper = stack[0].clone();
            (upper.name, upper.kind) = ("loop0".into(), "loop".into());
            upper.queue = vec![("nr_requests".into(), "4".into())];
            stack.insert(0, upper);
        },
    );
    assert_eq!(limit.cause, LimitCause::BlockQueue, "{}", limit.sentence);
    assert!(
        limit.sentence.contains("were in loop0"),
        "{}",
        limit.sentence
    );
    assert_ne!(limit.runner_up, Some(LimitCause::ForeignIo));
}

#[test]
fn a_link_that_is_full_or_loses_packets_is_the_network() {
    let over = |change: fn(&mut Witnessed)| {
        let mut seen = seen(S);
        seen.links = vec![LinkUse {
            name: "eth0".into(),
            speed: Some(125_000_000),
            in_bytes: 1_000_000,
            ..LinkUse::default()
        }];
        seen.tcp = Some(TcpUse {
            sent: 1_000_000,
            sent_again: 10,
        });
        change(&mut seen);
        real(seen, |step, environment| {
            unknown(step, environment);
            environment.targets[0].kind = "NBD export".into();
            environment.targets[0].stack.clear();
        })
    };
    let full = over(|s| s.links[0].in_bytes = (125e6 * S * 0.95) as u64);
    assert_eq!(full.cause, LimitCause::Network, "{}", full.sentence);
    let lossy = over(|s| s.tcp.as_mut().unwrap().sent_again = 30_000);
    assert_eq!(lossy.cause, LimitCause::Network, "{}", lossy.sentence);
    assert_eq!(over(|_| {}).cause, LimitCause::NotAttributable);
}

#[test]
fn what_nobody_looked_at_is_said() {
    let mut step = roomy();
    step.arrays.clear();
    step.witnessed = None;
    let limit = of(&step, &known::observed().environment, &[]);
    assert_eq!(limit.cause, LimitCause::NotAttributable);
    for cause in [
        LimitCause::HostCpu,
        LimitCause::Media,
        LimitCause::ForeignIo,
    ] {
        assert!(
            limit.not_observable.contains(&cause),
            "{:?}",
            limit.not_observable
        );
    }
    assert!(
        limit.sentence.contains("out of sight"),
        "{}",
        limit.sentence
    );
}
