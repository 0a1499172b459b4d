//! Who submits what.

use plimsoll_engine::OpenTarget;
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::footprint::footprint;
use plimsoll_engine::layout::{PoolShare, WorkerLayout, layout};
use plimsoll_plan::*;
use proptest::prelude::*;
use std::sync::Arc;

fn stream(target: u32, pattern: Pattern) -> Stream {
    Stream::new(
        "w",
        TargetId(target),
        Mix::READS,
        SizeSpec::Fixed(Bytes(4096)),
        AddressSpec::whole(pattern),
    )
}

/// Targets in words, `8` for random access with 8 slots, `8s` for sequential access, `8x` for three sequential streams.
fn step(targets: &str, load: Load) -> Step {
    let words: Vec<&str> = targets.split_whitespace().collect();
    let of = |w: &str| match w.chars().last() {
        Some('s') => Pattern::IN_ORDER,
        Some('x') => Pattern::Streams(3),
        _ => Pattern::RANDOM,
    };
    Step::new(
        "s",
        (0..words.len())
            .map(|i| stream(i as u32, of(words[i])))
            .collect(),
        (0..words.len())
            .map(|i| {
                Depth::new(
                    TargetId(i as u32),
                    words[i]
                        .trim_end_matches(['s', 'x'])
                        .parse()
                        .expect("slots"),
                )
            })
            .collect(),
        load,
        Nanos::secs(1),
    )
}

fn kinds(words: &str) -> Vec<BackendKind> {
    let kind = |w| match w {
        "u" => BackendKind::Uring(Polling::NONE),
        "a" => BackendKind::Libaio,
        "p" => BackendKind::Psync,
        "b" => BackendKind::Nbd,
        "1" => BackendKind::NbdAlone,
        "t" => BackendKind::Tree,
        _ => BackendKind::Null,
    };
    words.split_whitespace().map(kind).collect()
}

/// Layouts in words: `u 0:4 1:4 | u 0:4 1:4` are two io_uring workers with 4 slots of each target.
fn words(layouts: &[WorkerLayout]) -> String {
    let worker = |w: &WorkerLayout| {
        let kind = match w.kind {
            BackendKind::Uring(_) => "u",
            BackendKind::Libaio => "a",
            BackendKind::Psync => "p",
            BackendKind::Mmap => "m",
            BackendKind::Tree => "t",
            BackendKind::Null => "n",
            BackendKind::Nbd => "b",
            BackendKind::NbdAlone => "1",
        };
        let pools = w.pools.iter().map(|p| format!(" {}:{}", p.target, p.slots));
        format!("{kind}{}", pools.collect::<String>())
    };
    layouts.iter().map(worker).collect::<Vec<_>>().join(" | ")
}

/// Layouts: what it is about; targets; backends; CPUs; workers that were asked for; load (`max`, `shares`, or I/Os per second); layout.
const DEALT: &str = "\
a worker per CPU                                        ; 8     ; u     ; 2 ; - ; max    ; u 0:4 | u 0:4
an export that takes one connection has one worker      ; 8 4   ; 1 b   ; 2 ; - ; max    ; b 1:2 | b 1:2 | 1 0:8
operations on a tree have a thread each                 ; 3     ; t     ; 2 ; - ; max    ; t 0:1 | t 0:1 | t 0:1
no more workers than slots                              ; 2     ; u     ; 8 ; - ; max    ; u 0:1 | u 0:1
as many as asked                                        ; 8     ; u     ; 2 ; 4 ; max    ; u 0:2 | u 0:2 | u 0:2 | u 0:2
odd slots                                               ; 5     ; a     ; 2 ; - ; max    ; a 0:3 | a 0:2
odd slots of several targets spread                     ; 3 3   ; u     ; 2 ; - ; max    ; u 0:2 1:1 | u 0:1 1:2
fewer slots than workers                                ; 1 1 1 ; u u u ; 2 ; - ; max    ; u 0:1 2:1 | u 1:1
a target in order belongs to one worker                 ; 8s    ; u     ; 4 ; - ; max    ; u 0:8
several orders belong to as many workers                ; 8x    ; u     ; 4 ; - ; max    ; u 0:3 | u 0:3 | u 0:2
each order has a worker of its own, beyond the CPUs too ; 8x 2s ; u u   ; 2 ; - ; max    ; u 0:3 1:2 | u 0:3 | u 0:2
what needs none is dealt over as many as there are CPUs ; 3x 8  ; a a   ; 2 ; - ; max    ; a 0:1 1:4 | a 0:1 1:4 | a 0:1
an export gets no more connections than there are CPUs  ; 8x    ; b     ; 2 ; - ; max    ; b 0:4 | b 0:4
a number that was asked for counts                      ; 8x    ; u     ; 1 ; 2 ; max    ; u 0:4 | u 0:4
no more orders at a time than slots                     ; 2x    ; u     ; 1 ; - ; max    ; u 0:1 | u 0:1
a schedule has as many workers as its rate wants        ; 8x    ; u     ; 2 ; - ; 900000 ; u 0:4 | u 0:4
and one where that is enough                            ; 8     ; u     ; 2 ; - ; 500000 ; u 0:8
synchronously one at a time in each order               ; 8x    ; p     ; 4 ; - ; max    ; p 0:1 | p 0:1 | p 0:1
targets in order take turns                             ; 8s 4s ; u u   ; 2 ; - ; max    ; u 0:8 | u 1:4
beside one in order                                     ; 4s 4  ; u u   ; 2 ; - ; max    ; u 0:4 1:2 | u 1:2
synchronously a worker for each slot                    ; 3     ; p     ; 1 ; 1 ; max    ; p 0:1 | p 0:1 | p 0:1
synchronously in order one at a time                    ; 8s 2  ; p p   ; 4 ; - ; max    ; p 0:1 | p 1:1 | p 1:1
each backend its own workers                            ; 4 2   ; u p   ; 2 ; - ; max    ; u 0:2 | u 0:2 | p 1:1 | p 1:1
shares: a slot of each for every worker                 ; 8 2   ; u u   ; 4 ; - ; shares ; u 0:4 1:1 | u 0:4 1:1
shares: one worker where one is in order                ; 8s 8  ; u u   ; 4 ; - ; shares ; u 0:8 1:8
shares over backends are kept synchronously             ; 2 2   ; u a   ; 4 ; - ; shares ; p 0:1 1:1 | p 0:1 1:1
on schedule no more than the rate wants                 ; 8     ; u     ; 2 ; - ; 1000   ; u 0:8
on schedule as many connections as without              ; 8     ; b     ; 2 ; - ; 1000   ; b 0:4 | b 0:4
null and real                                           ; 2 1   ; n u   ; 1 ; - ; max    ; u 1:1 | n 0:2";

#[test]
fn slots_are_dealt_over_workers() {
    for line in DEALT.lines() {
        let cells: Vec<&str> = line.split(';').map(str::trim).collect();
        let [what, targets, backends, cpus, asked, load, expected] = cells[..] else {
            panic!("{line}");
        };
        let load = match load {
            "max" => Load::Max,
            "shares" => Load::MaxShared,
            rate => Load::rate(Rate(rate.parse().expect("a rate")), Arrival::Even),
        };
        let mut step = step(targets, load);
        step.workers.count = asked.parse().ok();
        let mut kinds = kinds(backends);
        kinds.resize(step.depths.len(), kinds[0]);
        assert_eq!(
            words(&layout(&step, &kinds, cpus.parse().expect("CPUs"))),
            expected,
            "{what}"
        );
    }
}

/// Where each stream has a worker of its own none waits for another's turn; beyond a limit they share again.
#[test]
fn streams_run_freely_up_to_a_limit() {
    for (streams, workers) in [(8, 8), (64, 64), (200, 64)] {
        let mut step = step("256", Load::Max);
        step.streams[0].address.pattern = Pattern::Streams(streams);
        assert_eq!(layout(&step, &kinds("u"), 2).len(), workers, "{streams}");
    }
}

#[test]
fn workers_are_pinned_in_turn() {
    let mut step = step("8", Load::Max);
    step.workers = Workers {
        count: Some(5),
        pin: Some(vec![3, 1]),
        punctual: false,
    };
    let cpus: Vec<_> = layout(&step, &kinds("u"), 8)
        .iter()
        .map(|w| w.cpu)
        .collect();
    assert_eq!(cpus, [Some(3), Some(1), Some(3), Some(1), Some(3)]);
}

#[test]
fn workers_of_a_stream_are_numbered_from_zero() {
    let step = step("2s 3 1", Load::Max);
    let layouts = layout(&step, &kinds("u u u"), 3);
    for stream in 0..3 {
        let shares: Vec<_> = layouts
            .iter()
            .flat_map(|w| w.streams.iter().filter(|s| s.stream == stream))
            .collect();
        let ranks: Vec<u32> = shares.iter().map(|s| s.rank).collect();
        assert_eq!(ranks, (0..shares.len() as u32).collect::<Vec<_>>());
        assert!(shares.iter().all(|s| s.of == shares.len() as u32));
    }
}

proptest! {
    #[test]
    fn no_slot_is_lost_or_doubled(
        slots in proptest::collection::vec((1u32..70, any::<bool>()), 1..6),
        cpus in 1u32..20,
        asked in proptest::option::of(1u32..20),
        shared in any::<bool>(),
        kind in prop_oneof![Just(BackendKind::Uring(Polling::NONE)), Just(BackendKind::Libaio), Just(BackendKind::Psync)],
    ) {
        let text: Vec<String> = slots
            .iter()
            .map(|(n, seq)| format!("{n}{}", if *seq { "s" } else { "" }))
            .collect();
        let load = if shared { Load::MaxShared } else { Load::Max };
        let mut step = step(&text.join(" "), load);
        step.workers.count = asked;
        let layouts = layout(&step, &vec![kind; slots.len()], cpus);
        for (target, (slots, seq)) in slots.iter().enumerate() {
            let own: Vec<u32> = layouts
                .iter()
                .flat_map(|w| w.pools.iter().filter(|p| p.target == target))
                .map(|p| p.slots)
                .collect();
            let expected = if *seq && kind == BackendKind::Psync { 1 } else { *slots };
            prop_assert_eq!(own.iter().sum::<u32>(), expected);
            if *seq {
                prop_assert_eq!(own.len(), 1);
            }
        }
        for worker in &layouts {
            prop_assert!(!worker.pools.is_empty() && worker.pools.iter().all(|p| p.slots > 0));
            if shared {
                prop_assert_eq!(worker.pools.len(), slots.len());
            } else if kind == BackendKind::Psync {
                prop_assert_eq!((worker.pools.len(), worker.pools[0].slots), (1, 1));
            }
            // Its streams are those of its targets.
            let targets: Vec<usize> = worker.streams.iter().map(|s| s.stream).collect();
            let mut pools: Vec<usize> = worker.pools.iter().map(|p| p.target).collect();
            pools.sort_unstable();
            prop_assert_eq!(targets, pools);
        }
    }
}

#[test]
fn what_a_step_takes_is_known_before_it_is_taken() {
    let null = |n: u32| {
        (0..n)
            .map(|_| Arc::new(OpenTarget::unused("t")))
            .collect::<Vec<_>>()
    };
    let read = step("32 8s", Load::Max);
    let takes = footprint(&read, &null(2), &kinds("n n"), 2);
    // A null target's reads need no buffers; two histograms of 4864 buckets and a heat map for each stream of a worker.
    assert_eq!((takes.workers, takes.buffers), (2, 0));
    assert_eq!(takes.counters, 3 * (2 * 4864 * 8 + 256 * 4));
    let mut write = read.clone();
    for stream in &mut write.streams {
        stream.mix = Mix::WRITES;
        stream.size = SizeSpec::Fixed(Bytes(1 << 30));
    }
    assert_eq!(
        footprint(&write, &null(2), &kinds("n n"), 2).buffers,
        40 << 30
    );
    let takes = footprint(&write, &null(2), &kinds("p p"), 2);
    assert_eq!(
        takes.workers,
        32 + 1,
        "a thread for each I/O in flight, but one for what is in order"
    );
    let many = step("1048576 1048576", Load::Max);
    assert_eq!(
        footprint(&many, &null(2), &kinds("p p"), 2).workers,
        2 << 20
    );
}

/// The rooms in words: `0:4/32 | 0:4/32` are two workers with 4 slots and room for 32 I/Os each.
fn rooms(layouts: &[WorkerLayout]) -> String {
    let worker = |w: &WorkerLayout| {
        let pool = |p: &PoolShare| format!("{}:{}/{}", p.target, p.slots, p.room);
        w.pools.iter().map(pool).collect::<Vec<_>>().join(" ")
    };
    layouts.iter().map(worker).collect::<Vec<_>>().join(" | ")
}

#[test]
fn on_schedule_a_worker_has_room_for_more_than_its_part_of_the_slots() {
    let rate = Load::rate(Rate(8e6), Arrival::Even);
    // (targets, backends, load, transfer size, rooms)
    let cases = [
        ("8", "u", Load::Max, 4096, "0:4/4 | 0:4/4"),
        ("8", "u", rate.clone(), 4096, "0:4/8 | 0:4/8"),
        // 16 MiB for each worker, or four times its part and a few.
        ("64", "u", rate.clone(), 1 << 20, "0:32/64 | 0:32/64"),
        ("256", "u", rate.clone(), 1 << 30, "0:128/256 | 0:128/256"),
        (
            "2 3",
            "u",
            rate.clone(),
            1 << 30,
            "0:1/2 1:2/3 | 0:1/2 1:1/3",
        ),
        // A target in order has one worker, and one worker has what the target has.
        ("8s", "u", rate.clone(), 4096, "0:8/8"),
        // Synchronously there is one worker unless asked, whose calls are made by threads.
        ("8", "p", rate.clone(), 4096, "0:8/8"),
        ("8s", "p", rate.clone(), 4096, "0:8/8"),
    ];
    for (targets, backends, load, size, expected) in cases {
        let mut step = step(targets, load);
        for stream in &mut step.streams {
            stream.size = SizeSpec::Fixed(Bytes(size));
        }
        let kinds = vec![kinds(backends)[0]; step.depths.len()];
        assert_eq!(
            rooms(&layout(&step, &kinds, 2)),
            expected,
            "{targets} {size}"
        );
    }
    let mut many = step("256", rate);
    many.streams[0].size = SizeSpec::Fixed(Bytes(1 << 30));
    let layouts = layout(&many, &kinds("u"), 16);
    assert!(layouts.iter().all(|w| w.pools[0].room == 4 * 16 + 4));
}

#[test]
fn shares_beside_a_schedule_are_kept_by_one_worker() {
    let mut step = step("8 2", Load::MaxShared);
    step.streams[0].fixed_rate = Some(Rate(10.0));
    let all = layout(&step, &kinds("u u"), 4);
    assert_eq!(rooms(&all), "0:8/8 1:2/2");
}

#[test]
fn threads_for_synchronous_io_on_schedule_are_counted() {
    let target = Arc::new(OpenTarget::unused("t"));
    let mut step = step("32", Load::Max);
    assert_eq!(
        footprint(&step, std::slice::from_ref(&target), &kinds("p"), 2).workers,
        32
    );
    step.streams[0].fixed_rate = Some(Rate(10.0));
    assert_eq!(
        footprint(&step, std::slice::from_ref(&target), &kinds("p"), 2).workers,
        1 + 32
    );
    // Workers that share slots have buffers for more than their part, and no more calls at once than there are slots.
    step.workers.count = Some(16);
    assert_eq!(footprint(&step, &[target], &kinds("p"), 2).workers, 16 + 32);
}
