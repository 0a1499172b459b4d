//! Runs on arrays that tell of themselves, and over several paths.

use crate::synthetic::{Ask, measure};
use plimsoll_draw::Draw;
use plimsoll_evidence::{
    ArrayEvidence, ArrayInterval, ArrayPath, BackEndUse, Bucket, CoreUse, FrontEndUse, Interval,
    JournalUse, MediaUse, PathEvent, PathState, PathUse, PortUse, Reduction, Requests,
    StepEvidence, TargetPaths,
};

/// Shape of the load: how it falls on the cores, and what it does to the media.
struct Shape {
    name: &'static str,
    maximum: f64,
    write_share: f64,
    hot_share: f64,
    /// Utilisation of the hot core and of the others; how much of either is the owner's.
    hot: (f64, f64),
    others: (f64, f64),
}

const SHAPES: [Shape; 3] = [
    Shape {
        name: "contiguous",
        maximum: 8_300.0,
        write_share: 0.0,
        hot_share: 0.75,
        hot: (1.0, 0.88),
        others: (0.28, 0.035),
    },
    Shape {
        name: "scattered",
        maximum: 22_700.0,
        write_share: 0.0,
        hot_share: 0.0,
        hot: (0.99, 0.33),
        others: (0.99, 0.33),
    },
    Shape {
        name: "soak",
        maximum: 12_000.0,
        write_share: 0.6,
        hot_share: 0.0,
        hot: (0.71, 0.24),
        others: (0.68, 0.22),
    },
];

/// Three steps on one array: a hot core, an even load, and writes that fill the journal and the flash.
pub fn on_an_array() -> (Vec<StepEvidence>, Vec<Vec<Interval>>) {
    let mut random = Draw(5);
    let steps = (1..).zip(&SHAPES).map(|(number, shape)| {
        let (mut step, mut intervals) = measure(&ask(number, shape), &mut random);
        step.arrays = vec![array(shape, &step)];
        let last = intervals.len() as f64;
        for interval in &mut intervals {
            let done = f64::from(interval.number) / last;
            interval.arrays = vec![course(shape, interval, done)];
        }
        (step, intervals)
    });
    steps.unzip()
}

/// The same, with the last step on an array of its own.
pub fn on_two_arrays() -> (Vec<StepEvidence>, Vec<Vec<Interval>>) {
    let (mut steps, intervals) = on_an_array();
    for array in steps.iter_mut().skip(2).flat_map(|s| &mut s.arrays) {
        array.name = "lab:scale-out-flash-4".to_owned();
    }
    (steps, intervals)
}

fn ask(number: u32, shape: &Shape) -> Ask {
    Ask {
        warmup: 2,
        intervals: 30,
        write_share: shape.write_share,
        hot_share: shape.hot_share,
        ..Ask::new(number, shape.name.to_owned(), shape.maximum)
    }
}

fn array(shape: &Shape, step: &StepEvidence) -> ArrayEvidence {
    let writes = (step.ios as f64 * shape.write_share) as u64;
    let reads = step.ios - writes;
    let core = |at: u32| {
        let (utilisation, owner_bound) = if at == 3 { shape.hot } else { shape.others };
        CoreUse {
            controller: Some(at / 4),
            utilisation,
            owner_bound: Some(owner_bound),
            content_bound: None,
        }
    };
    let requests = |count: u64, mean_ns: f64| Requests {
        count,
        bytes: count * 8192,
        mean_ns: (count > 0).then_some(mean_ns),
    };
    let bucket = |place: &str, share: f64, of: u64| Bucket {
        place: place.to_owned(),
        chunks: (of as f64 * 2.0 * share) as u64,
    };
    let soak = shape.write_share > 0.0;
    ArrayEvidence {
        name: "lab:scale-out-flash-8".to_owned(),
        scale: Some(20.0),
        targets: vec!["sd1".to_owned()],
        observed_s: 30.0,
        front_end: Some(FrontEndUse {
            reads: requests(reads, 410_000.0),
            writes: requests(writes, 690_000.0),
            failed: 0,
        }),
        back_end: Some(BackEndUse {
            reads: reads / 4,
            writes: writes * 2,
        }),
        read_source: vec![
            bucket("unmapped", 0.004, reads),
            bucket("cache", 0.748, reads),
            bucket("local flash", 0.248, reads),
        ],
        write_destination: if soak {
            vec![
                bucket("zero", 0.4, writes),
                bucket("duplicate", 0.1, writes),
                bucket("journal", 0.5, writes),
            ]
        } else {
            Vec::new()
        },
        cores: (0..8).map(core).collect(),
        ports: vec![PortUse { utilisation: 0.12 }; 4],
        paths: (0..4)
            .map(|port| ArrayPath {
                port: Some(port),
                state: if port == 2 && soak { "down" } else { "up" }.to_owned(),
                requests: step.ios / 4,
                failed: if port == 2 && soak { 17 } else { 0 },
            })
            .collect(),
        media: vec![MediaUse {
            kind: "flash dies".to_owned(),
            count: 480,
            utilisation: 0.31,
            busiest: None,
            drives: None,
        }],
        journal: soak.then_some(JournalUse {
            fill_bytes: 900 << 20,
            capacity_bytes: 1 << 30,
            waited_ns: 3_200_000_000,
        }),
        write_amplification: soak.then_some(1.62),
        reduction: soak.then_some(Reduction {
            new_bytes: writes * 4096,
            stored_bytes: writes * 2048,
            distinct_bytes: Some(40 << 30),
        }),
        ..ArrayEvidence::default()
    }
}

fn course(shape: &Shape, interval: &Interval, done: f64) -> ArrayInterval {
    let front = interval.stats.ios() as f64 / (interval.length_ns as f64 / 1e9);
    let soak = shape.write_share > 0.0;
    ArrayInterval {
        core_max: Some(shape.hot.0),
        core_mean: Some((shape.hot.0 + 7.0 * shape.others.0) / 8.0),
        front_end_iops: Some(front),
        back_end_iops: Some(front * if soak { 1.3 } else { 0.25 }),
        journal_fill: soak.then_some(done.sqrt()),
        write_amplification: soak.then_some(1.0 + (done - 0.3).max(0.0)),
    }
}

/// One step over two paths, of which the second was pulled, came back, and failed again.
pub fn over_two_paths() -> (Vec<StepEvidence>, Vec<Vec<Interval>>) {
    let (mut step, intervals) = measure(&ask(1, &SHAPES[1]), &mut Draw(6));
    let path = |host: &str, state, ios, errors, reissued, service_mean_ns| PathUse {
        uri: format!("nbd://{host}:10809/scale-out-flash-8/lun0"),
        state,
        ios,
        errors,
        reissued,
        read_bytes: 0,
        hole_bytes: 0,
        service_mean_ns,
    };
    let event = |at_ns, state, why: &str| PathEvent {
        at_ns,
        path: 1,
        state,
        why: why.to_owned(),
    };
    step.paths = vec![TargetPaths {
        target: "sd1".to_owned(),
        paths: vec![
            path("array-a", PathState::Up, 480_000, 2, 0, Some(402_000.0)),
            path("array-b", PathState::Down, 200_000, 0, 64, Some(417_000.0)),
            path("array-c", PathState::Down, 0, 0, 0, None),
        ],
        events: vec![
            event(8_120_000_000, PathState::Down, "no answer in 500 ms"),
            event(13_250_000_000, PathState::Up, ""),
            event(29_400_000_000, PathState::Down, "the server hung up"),
        ],
        unconfirmed_writes: 0,
    }];
    (vec![step], vec![intervals])
}
