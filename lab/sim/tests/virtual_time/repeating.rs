//! A plan and a seed have one result.

use crate::stage::{Done, Stage, mix, rate};
use plimsoll_measure::IntervalStats;
use plimsoll_plan::{Arrival, Load, Rate, RateSegment, Step, Workers};

const TARGETS: [&str; 2] = [
    "lab:scale-out-flash-8/lun0?size=64m",
    "lab:scale-out-flash-8/lun5?size=64m",
];

/// Everything that was counted: (number, start, length, counters) of each interval.
type Counted = Vec<(u32, u64, u64, IntervalStats)>;

fn counted(done: Done) -> Counted {
    let all = done.intervals.into_iter();
    all.map(|i| (i.number, i.start_ns, i.length_ns, i.stats))
        .collect()
}

fn all_loads() -> [Load; 4] {
    let segment =
        |per_second| RateSegment::new(Rate(per_second), plimsoll_plan::Nanos(500_000_000));
    [
        Load::Max,
        Load::MaxShared,
        rate(4_000.0),
        Load::schedule(vec![segment(1_000.0), segment(6_000.0)], Arrival::Uniform),
    ]
}

fn play(load: &Load, seed: u64, change: impl Fn(&mut Step, &mut Stage)) -> Counted {
    let targets = TARGETS.map(crate::stage::target).to_vec();
    let mut stage = Stage::of(targets, seed);
    stage.fill();
    let mut step = stage.step(load.clone());
    for stream in &mut step.streams {
        stream.mix = mix(60.0, 40.0);
    }
    change(&mut step, &mut stage);
    // The second of two, so that it depends on what the first left behind.
    stage.run(&step);
    counted(stage.run(&step))
}

#[test]
fn the_number_of_workers_and_of_cpus_changes_nothing() {
    for load in all_loads() {
        let once = play(&load, 7, |_, _| ());
        for count in [1, 2, 7] {
            let again = play(&load, 7, |step, stage| {
                step.workers = Workers {
                    count: Some(count),
                    pin: Some(vec![0]),
                    punctual: false,
                };
                stage.options.cpus = count;
            });
            assert!(once == again, "{load:?} with {count} workers");
        }
    }
}

#[test]
fn the_seed_changes_everything() {
    for load in all_loads() {
        assert!(play(&load, 7, |_, _| ()) != play(&load, 8, |_, _| ()));
    }
}
