//! On storage of this host or its network, by what everyone else saw.

use super::*;
use plimsoll_evidence::Witnessed;
use plimsoll_evidence::witnessed::{
    CgroupUse, CpuUse, DeviceUse, LinkUse, OwnIo, RoundTrip, TcpUse, ThreadUse,
};

/// A closed loop of 32 on a disk of this host, of which half was tried and did as much: but for what is seen, the target is full.
pub(super) fn real(
    seen: Witnessed,
    change: impl FnOnce(&mut StepEvidence, &mut Environment),
) -> Limit {
    real_as(seen, Caching::Direct, change)
}

fn real_as(
    seen: Witnessed,
    caching: Caching,
    change: impl FnOnce(&mut StepEvidence, &mut Environment),
) -> Limit {
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
    of_planned(&step, &environment, &[half], caching)
}

pub(super) fn seen(step_s: f64) -> Witnessed {
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

pub(super) const S: f64 = 600.0;

/// The disk below the target, with all of the load in it, and so many requests at a time.
pub(super) fn disk(in_device: f64) -> DeviceUse {
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
    holds!(limit.sentence, "it may be the target itself");
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
    // Of many workers each runs and waits for a part of its time, and together they have all four.
    let mut many = hogged.clone();
    many.threads = vec![thread(S, 0.06, 0.45); 64];
    assert_eq!(real(hogged, unknown).cause, LimitCause::HostCpu);
    assert_eq!(real(many.clone(), unknown).cause, LimitCause::HostCpu);
    many.threads.truncate(30);
    assert_eq!(real(many, unknown).cause, LimitCause::NotAttributable);
    let mut one = seen(S);
    one.threads = vec![thread(S, 0.99, 0.0)];
    assert_eq!(real(one, unknown).cause, LimitCause::OneCpu);
    let mut stolen = seen(S);
    stolen.cpus[1] = cpu(S, 0.1, 0.85);
    assert_eq!(real(stolen, unknown).cause, LimitCause::OneCpu);
}

/// What the target does with more was not tried.
pub(super) fn unknown(step: &mut StepEvidence, _: &mut Environment) {
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
    holds!(limit.sentence, "were in loop0");
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
            ..TcpUse::default()
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
    // What the other side had already was not lost; and what carries more than it can has no such speed.
    let probed = over(|s| {
        let tcp = s.tcp.as_mut().unwrap();
        (tcp.sent_again, tcp.sent_in_vain) = (30_000, Some(30_000));
    });
    assert_eq!(
        probed.cause,
        LimitCause::NotAttributable,
        "{}",
        probed.sentence
    );
    let nominal = over(|s| s.links[0].in_bytes = (125e6 * S * 1.7) as u64);
    assert_eq!(
        nominal.cause,
        LimitCause::NotAttributable,
        "{}",
        nominal.sentence
    );
    assert_eq!(over(|_| {}).cause, LimitCause::NotAttributable);
}

/// A step on an export behind a network, whose I/Os take 3.2 ms, with ways of these times without load and with it, ms.
fn behind(ways: &[(f64, f64)], flat: bool, change: impl FnOnce(&mut Witnessed)) -> Limit {
    let way = |(n, (idle, mean)): (usize, &(f64, f64))| RoundTrip {
        address: format!("10.0.0.{n}:10809"),
        targets: vec![known::observed().environment.targets[0].name.clone()],
        idle_s: Some(idle / 1e3),
        answered: 4,
        sum_s: 4.0 * mean / 1e3,
        ..RoundTrip::default()
    };
    let mut seen = seen(S);
    seen.devices.clear();
    seen.round_trips = ways.iter().enumerate().map(way).collect();
    seen.tcp = Some(TcpUse {
        sent: 1_000_000,
        received: Some(1_000_000),
        out_of_order: Some(0),
        ..TcpUse::default()
    });
    change(&mut seen);
    real(seen, |step, environment| {
        if !flat {
            unknown(step, environment);
        }
        let target = &mut environment.targets[0];
        target.kind = "NBD export".into();
        target.location = "nbd://10.0.0.0:10809".into();
        target.stack.clear();
    })
}

#[test]
fn a_long_way_is_the_network_and_a_short_one_leaves_the_server() {
    // Packets wait for nearly all of the time, whatever more in flight brought.
    for flat in [true, false] {
        let queued = behind(&[(0.2, 3.0)], flat, |_| {});
        assert_eq!(queued.cause, LimitCause::Network, "{}", queued.sentence);
        let said = &queued.sentence;
        holds!(said, "took 3.00ms (200us without load: packets waited)");
    }
    // What waits in the sender's own buffers no handshake sees.
    let third = behind(&[(0.01, 1.0)], true, |_| {});
    assert_eq!(third.cause, LimitCause::Network, "{}", third.sentence);
    // So does a host answer late that has no CPU to spare.
    let busy = behind(&[(0.2, 3.0)], true, |s| s.cpus = vec![cpu(S, 1.0, 0.0); 4]);
    assert_eq!(busy.cause, LimitCause::NotAttributable, "{}", busy.sentence);
    // A long line, and half an I/O behind it at a time.
    let long = behind(&[(3.15, 3.15)], false, |_| {});
    assert_eq!(long.cause, LimitCause::Network, "{}", long.sentence);
    holds!(long.sentence, "3.15ms without load)");
    // More in flight brought no more, and the way is no part of it.
    let server = behind(&[(0.1, 0.1)], true, |_| {});
    assert_eq!(server.cause, LimitCause::Target, "{}", server.sentence);
    holds!(server.sentence, "the way to 10.0.0.0:10809");
    // Whether it would bring more was not tried.
    let untried = behind(&[(0.1, 0.1)], false, |_| {});
    assert_eq!(
        untried.cause,
        LimitCause::NotAttributable,
        "{}",
        untried.sentence
    );
}

#[test]
fn behind_a_way_of_which_too_little_is_known_nothing_is_named() {
    let unknown = LimitCause::NotAttributable;
    assert_eq!(behind(&[], true, |_| {}).cause, unknown);
    let silent = behind(&[(0.1, 0.1)], true, |s| s.round_trips[0].answered = 0);
    assert_eq!(silent.cause, unknown, "{}", silent.sentence);
    let other = behind(&[(0.1, 0.1)], true, |s| {
        s.round_trips[0].targets = vec!["another".into()];
    });
    assert_eq!(other.cause, unknown, "{}", other.sentence);
    // Half are behind the line, and what that would do with more is not known; or it is, and it is full.
    let half = behind(&[(1.6, 1.6)], false, |_| {});
    assert_eq!(half.cause, unknown, "{}", half.sentence);
    let full = behind(&[(1.6, 1.6)], true, |_| {});
    assert_eq!(full.cause, LimitCause::Target, "{}", full.sentence);
    // A line that more in flight did not fill, though it is long, is not what they wait for.
    let flat = behind(&[(3.0, 3.0)], true, |_| {});
    assert_eq!(flat.cause, unknown, "{}", flat.sentence);
    // Which of two ways they took is not told.
    let either = behind(&[(0.1, 0.1), (3.0, 3.0)], true, |_| {});
    assert_eq!(either.cause, unknown, "{}", either.sentence);
    // What came in was lost on the way, or overtaken.
    let lossy = behind(&[(0.1, 0.1)], true, |s| {
        s.tcp.as_mut().expect("told").out_of_order = Some(170_000);
    });
    assert_eq!(lossy.cause, unknown, "{}", lossy.sentence);
    let overtaken = behind(&[(0.1, 0.1)], true, |s| {
        s.tcp.as_mut().expect("told").out_of_order = Some(15_000);
    });
    assert_eq!(
        overtaken.cause,
        LimitCause::Target,
        "{}",
        overtaken.sentence
    );
    // A link's own kernels take a tenth of a millisecond to wake.
    let short = behind(&[(0.3, 0.3)], true, |s| {
        s.tcp = None;
    });
    assert_eq!(short.cause, LimitCause::Target, "{}", short.sentence);
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
    holds!(limit.sentence, "out of sight");
}

/// The disk moved twice what this load asked for, and had always something to do.
pub(super) fn moved_twice(op: Op) -> Witnessed {
    let mut seen = seen(S);
    let mut device = disk(31.0);
    let bytes = (2.0 * known::observed().step().bytes as f64 * S / roomy().counted_s) as u64;
    (device.read_bytes, device.written_bytes) = match op {
        Op::Read => (bytes, 0),
        _ => (0, bytes),
    };
    device.busy_ms = (S * 1e3) as u64;
    seen.devices = vec![device];
    seen
}

#[test]
fn what_mirrors_journals_and_read_ahead_move_is_not_somebody_elses() {
    let with = |op: Op, mut seen: Witnessed, kind: &str, filesystem: Option<&str>| {
        let top = DeviceUse {
            name: "top".into(),
            ..seen.devices[0].clone()
        };
        seen.devices.push(top);
        let ahead = seen.own.is_some();
        let caching = if ahead {
            Caching::Buffered
        } else {
            Caching::Direct
        };
        real_as(seen, caching, |step, environment| {
            unknown(step, environment);
            step.ops[0].op = op;
            environment.targets[0].filesystem = filesystem.map(Into::into);
            let mut top = environment.targets[0].stack[0].clone();
            (top.name, top.kind) = ("top".into(), kind.into());
            top.slaves = vec![environment.targets[0].stack[0].name.clone()];
            environment.targets[0].stack.insert(0, top);
        })
    };
    let accused = |limit: Limit| {
        let said = [Some(limit.cause), limit.runner_up];
        let unseen = limit.not_observable.contains(&LimitCause::ForeignIo);
        (said.contains(&Some(LimitCause::ForeignIo)), unseen)
    };
    let plain = "partition";
    for op in [Op::Read, Op::Write] {
        let limit = with(op, moved_twice(op), plain, None);
        assert_eq!(accused(limit), (true, false), "{op:?}");
    }
    let write = moved_twice(Op::Write);
    assert_eq!(
        accused(with(Op::Write, write.clone(), "md", None)),
        (false, true)
    );
    assert_eq!(
        accused(with(Op::Write, write, plain, Some("ext4"))),
        (false, true)
    );
    // A mirror reads each block once.
    assert!(accused(with(Op::Read, moved_twice(Op::Read), "md", None)).0);
    let mut ahead = moved_twice(Op::Read);
    ahead.own = Some(OwnIo {
        read_bytes: ahead.devices[0].read_bytes,
        ..OwnIo::default()
    });
    assert_eq!(
        accused(with(Op::Read, ahead, plain, Some("ext4"))),
        (false, false)
    );
}

#[test]
fn a_cpu_that_was_taken_away_far_from_the_work_is_no_limit() {
    let mut far = seen(S);
    far.cpus = vec![cpu(S, 0.01, 0.0); 64];
    far.cpus[1] = cpu(S, 0.9, 0.0);
    far.cpus[2] = cpu(S, 0.9, 0.0);
    far.cpus[7] = cpu(S, 0.05, 0.45);
    let limit = real(far, unknown);
    assert_ne!(limit.cause, LimitCause::OneCpu, "{}", limit.sentence);
}

#[test]
fn what_is_behind_a_network_is_not_named_whatever_brings_it_there() {
    let with = |change: fn(&mut Environment)| real(seen(S), |_, environment| change(environment));
    assert_eq!(with(|_| {}).cause, LimitCause::Target);
    let files = with(|e| e.targets[0].filesystem = Some("nfs4".into()));
    assert_eq!(
        files.cause,
        LimitCause::NotAttributable,
        "{}",
        files.sentence
    );
    let mut seen = seen(S);
    seen.devices[0].name = "nbd0".into();
    let device = real(seen, |_, e| e.targets[0].stack[0].name = "nbd0".into());
    assert_eq!(
        device.cause,
        LimitCause::NotAttributable,
        "{}",
        device.sentence
    );
}

#[test]
fn what_is_in_a_raw_disk_beside_a_stacked_target_has_reached_a_device() {
    let mut environment = known::observed().environment;
    let disk_of = disk;
    let disk = environment.targets[0].stack[0].clone();
    let device = |name: &str, in_it: f64| DeviceUse {
        name: name.into(),
        ..disk_of(in_it)
    };
    let layer = |name: &str, kind: &str| plimsoll_evidence::BlockLayer {
        name: name.into(),
        kind: kind.into(),
        ..disk.clone()
    };
    // A loop device over sda, and beside it sdb with a partition, twice.
    let mut looped = environment.targets[0].clone();
    looped.stack = vec![layer("loop0", "loop"), layer("sda", "disk")];
    let mut raw = looped.clone();
    raw.stack = vec![layer("sdb1", "partition"), layer("sdb", "disk")];
    environment.targets = vec![looped, raw.clone(), raw];
    let mut step = roomy();
    step.witnessed = Some(Witnessed {
        devices: vec![
            device("loop0", 8.0),
            device("sda", 1.0),
            device("sdb", 16.0),
        ],
        ..seen(S)
    });
    let view = LimitView {
        step: &step,
        environment: &environment,
        planned: &[],
        others: &[],
        streams: &[],
    };
    let inside = blocks::in_the_device(&view).expect("seen");
    assert!((inside - 24.0 / 32.0).abs() < 1e-9, "{inside}");
}
