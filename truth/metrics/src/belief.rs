//! Whether what an array told of a step can be of that step.

use plimsoll_evidence::{ArrayEvidence, FrontEndUse, OpSummary, StepEvidence};
use plimsoll_measure::Op;

/// From so many own I/Os on they are held against the array's count: fewer may lie at the edges.
const MANY: u64 = 300;
/// An array that counted less than this part of them did not count them.
const COUNTED: f64 = 0.8;
/// Figures are of a step where they were seen for this part of its counted time.
const MOST: f64 = 0.8;

/// Removes the figures that cannot be of the step: of a part of its time, or of counters that did not count what Plimsoll
/// asked for. An array stays, with its name and for how long it was seen, so that others keep their places; where none of them
/// has figures and none was seen in part, none stays. Says what was taken away. `targets` are the names of the step's targets,
/// by their index in the plan.
pub fn disbelieve(step: &mut StepEvidence, targets: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut arrays = std::mem::take(&mut step.arrays);
    for array in &mut arrays {
        let doubt = short(step, array).or_else(|| uncounted(step, array, targets));
        if let Some(doubt) = doubt {
            notes.push(format!("{doubt}: what it tells is not observable"));
            *array = ArrayEvidence {
                name: std::mem::take(&mut array.name),
                targets: std::mem::take(&mut array.targets),
                observed_s: if is_short(step, array) {
                    array.observed_s
                } else {
                    0.0
                },
                ..ArrayEvidence::default()
            };
        }
    }
    if arrays.iter().any(|array| array.observed_s > 0.0) {
        step.arrays = arrays;
    }
    notes
}

fn is_short(step: &StepEvidence, array: &ArrayEvidence) -> bool {
    array.observed_s < MOST * step.counted_s
}

fn short(step: &StepEvidence, array: &ArrayEvidence) -> Option<String> {
    // One that told nothing at all has its note already.
    (array.observed_s > 0.0 && is_short(step, array)).then(|| {
        format!(
            "{} told of {:.2} s of the {:.2} s that were counted, which is too little of them",
            array.name, array.observed_s, step.counted_s
        )
    })
}

fn uncounted(step: &StepEvidence, array: &ArrayEvidence, targets: &[String]) -> Option<String> {
    let (ios, bytes) = own(step, array, targets);
    let seen = array.observed_s / step.counted_s;
    let (ios, bytes) = (ios as f64 * seen, bytes as f64 * seen);
    if !seen.is_finite() || ios < MANY as f64 {
        return None;
    }
    match array.front_end {
        Some(front) => {
            let (count, moved) = asked(front);
            // Neighbours may be merged on their way, which leaves their bytes.
            let few = (count as f64) < COUNTED * ios && (moved as f64) < COUNTED * bytes;
            few.then(|| {
                format!(
                    "{} counted {count} requests while Plimsoll had {ios:.0} I/Os done there: its counters stand still or come late, \
                     they are of something else, or a cache on the way answered",
                    array.name
                )
            })
        }
        None => {
            let idle = array.cores.iter().all(|core| core.utilisation == 0.0);
            (idle && !array.cores.is_empty()).then(|| {
                format!(
                    "no core of {} did anything while Plimsoll had {ios:.0} I/Os done there: its counters stand still",
                    array.name
                )
            })
        }
    }
}

fn asked(front: FrontEndUse) -> (u64, u64) {
    let (reads, writes) = (front.reads, front.writes);
    (
        reads.count.saturating_add(writes.count),
        reads.bytes.saturating_add(writes.bytes),
    )
}

/// The reads and writes of a step on an array's targets, and their bytes.
fn own(step: &StepEvidence, array: &ArrayEvidence, targets: &[String]) -> (u64, u64) {
    let there = |target: u32| {
        let name = targets.get(target as usize);
        name.is_some_and(|name| array.targets.contains(name))
    };
    let streams = step.streams.iter().filter(|s| there(s.target));
    let moved = streams.flat_map(|s| s.ops.iter()).map(moved);
    moved.fold((0, 0), |(ios, bytes), own| {
        (ios.saturating_add(own.0), bytes.saturating_add(own.1))
    })
}

/// The reads and writes of an operation on its stream's target, and their bytes. A copy reads there, each file once or more, and
/// writes elsewhere.
fn moved(op: &OpSummary) -> (u64, u64) {
    match op.op {
        Op::Copy => {
            let read = op.bytes.saturating_sub(op.op.written(op.bytes));
            (op.ios.min(read), read)
        }
        moves if moves.moves_bytes() => (op.ios, op.bytes),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::{CoreUse, Estimate, Requests, StreamSummary};
    use plimsoll_measure::Histogram;

    /// Ten seconds in which so many reads of 4 KiB were done on `a`, and 9,000 on `b`.
    fn step(ios: u64) -> StepEvidence {
        let stream = |target, ios| StreamSummary {
            workload: "w".into(),
            target,
            ios,
            bytes: 4096 * ios,
            rate: Estimate::default(),
            response_mean_ns: Estimate::default(),
            service_mean_ns: Estimate::default(),
            ops: vec![OpSummary {
                op: plimsoll_measure::Op::Read,
                ios,
                bytes: 4096 * ios,
                errors: 0,
                response: Histogram::empty(),
                service: Histogram::empty(),
            }],
            ..StreamSummary::default()
        };
        StepEvidence {
            counted_s: 10.0,
            streams: vec![stream(0, ios), stream(1, 9_000)],
            arrays: vec![array(10.0, ios, 4096 * ios)],
            ..StepEvidence::new(1, "s")
        }
    }

    /// What `a` lies on told.
    fn array(observed_s: f64, count: u64, bytes: u64) -> ArrayEvidence {
        ArrayEvidence {
            name: "acme".into(),
            targets: vec!["a".into()],
            observed_s,
            front_end: Some(FrontEndUse {
                reads: Requests {
                    count,
                    bytes,
                    mean_ns: None,
                },
                ..FrontEndUse::default()
            }),
            cores: vec![CoreUse::default()],
            ..ArrayEvidence::default()
        }
    }

    fn judged(mut step: StepEvidence) -> (Vec<ArrayEvidence>, Vec<String>) {
        let notes = disbelieve(&mut step, &["a".into(), "b".into()]);
        (step.arrays, notes)
    }

    /// Its figures are believed of so many own I/Os.
    fn believed(ios: u64, reported: ArrayEvidence) -> bool {
        let step = StepEvidence {
            arrays: vec![reported.clone()],
            ..step(ios)
        };
        let (arrays, notes) = judged(step);
        assert_eq!(arrays == [reported], notes.is_empty(), "{notes:?}");
        notes.is_empty()
    }

    #[test]
    fn counters_that_stand_still_beside_own_ios_are_not_believed() {
        let mut stale = step(5_000);
        stale.arrays = vec![array(10.0, 0, 0)];
        let (arrays, notes) = judged(stale);
        assert_eq!(arrays, []);
        assert!(notes[0].contains("acme counted 0 requests while Plimsoll had 5000 I/Os"));
        assert!(believed(5_000, array(10.0, 4_990, 4096 * 4_990)));
        assert!(!believed(5_000, array(10.0, 2_490, 4096 * 2_490)));
        // Eight neighbours came as one.
        assert!(believed(5_000, array(10.0, 625, 4096 * 5_000)));
        // Few, and all of them may lie at the edges.
        assert!(believed(299, array(10.0, 0, 0)));
        assert!(!believed(300, array(10.0, 0, 0)));
    }

    #[test]
    fn a_copy_reads_its_files_and_writes_them_elsewhere() {
        let believed = |count, bytes| {
            let mut step = step(5_000);
            step.streams[0].ops[0].op = Op::Copy;
            step.arrays = vec![array(10.0, count, bytes)];
            judged(step).1.is_empty()
        };
        let read = 4096 * 5_000 / 2;
        assert!(!believed(0, 0));
        assert!(!believed(3_900, read / 100 * 79));
        assert!(believed(5_000, read));
    }

    #[test]
    fn cores_that_did_nothing_are_not_believed_where_requests_are_not_told() {
        let of = |utilisation| ArrayEvidence {
            front_end: None,
            cores: vec![CoreUse {
                utilisation,
                ..CoreUse::default()
            }],
            ..array(10.0, 0, 0)
        };
        assert!(!believed(5_000, of(0.0)));
        assert!(believed(5_000, of(0.001)));
    }

    #[test]
    fn a_part_of_the_time_is_not_the_step_s() {
        let mut died = step(5_000);
        died.arrays = vec![array(1.02, 510, 4096 * 510)];
        let (arrays, notes) = judged(died);
        assert_eq!(arrays.len(), 1);
        assert_eq!((arrays[0].observed_s, arrays[0].front_end), (1.02, None));
        assert!(arrays[0].cores.is_empty());
        assert!(notes[0].contains("1.02 s of the 10.00 s"), "{notes:?}");
        assert!(believed(5_000, array(8.1, 4_050, 4096 * 4_050)));
        assert!(!believed(5_000, array(7.9, 3_950, 4096 * 3_950)));
        // Its counters stood still for the last quarter.
        assert!(!believed(5_000, array(10.0, 3_750, 4096 * 3_750)));
        assert!(believed(5_000, array(10.0, 4_500, 4096 * 4_500)));
    }

    #[test]
    fn one_that_is_not_believed_takes_no_other_along() {
        let mut both = step(5_000);
        let other = ArrayEvidence {
            targets: vec!["b".into()],
            ..array(10.0, 9_000, 4096 * 9_000)
        };
        both.arrays = vec![array(10.0, 0, 0), other.clone()];
        let (arrays, notes) = judged(both);
        assert_eq!((arrays.len(), &arrays[1]), (2, &other));
        assert_eq!((arrays[0].front_end, notes.len()), (None, 1));
    }
}
