//! A step that ends before its time, and what was to happen after it.

use crate::stage::{MS, PLAIN, PersonaFile, Stage};
use plimsoll_plan::{Load, Nanos};

const SECOND: u64 = 1_000 * MS;

fn plain() -> Stage {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.fill();
    stage
}

#[test]
fn whoever_has_seen_enough_ends_this_step_and_no_other() {
    let mut stage = plain();
    let mut step = stage.step(Load::Max);
    step.elapsed = Nanos(10 * SECOND);
    step.interval = Nanos(SECOND);
    let control = stage.control.clone();
    let targets = stage.targets.clone();
    let options = plimsoll_engine::Options {
        kinds: Vec::new(),
        ..stage.options.clone()
    };
    let mut seen = 0;
    let outcome = stage
        .lab
        .run_step(&step, &targets, &options, &control, &mut |merged, _| {
            seen += u32::from(!merged.drain);
            if merged.number == 3 {
                control.end_step();
            }
        })
        .unwrap();
    assert!((3..=5).contains(&seen), "{seen}");
    assert!(outcome.limit && !outcome.stopped);
    let whole = stage.run(&step);
    assert_eq!(whole.intervals.iter().filter(|i| !i.drain).count(), 10);
    assert!(!whole.outcome.limit);
}

#[test]
fn a_fault_that_was_taken_back_does_not_happen_and_one_that_happened_stays() {
    let mut stage = plain();
    let faults = stage.lab.faults();
    let soon = faults.enter("path-down path=0", SECOND / 2).unwrap();
    let late = faults.enter("path-down path=1", 3 * SECOND).unwrap();
    let step = stage.step(Load::Max);
    let first = stage.run(&step);
    assert!(!faults.withdraw(&soon), "it has happened");
    assert!(faults.withdraw(&late));
    assert!(!faults.withdraw(&late), "only once");
    let mut long = stage.step(Load::Max);
    long.elapsed = Nanos(5 * SECOND);
    let second = stage.run(&long);
    // The host gave the first path up when a request was refused; nothing happened to the others.
    let told = |done: &crate::stage::Done| -> Vec<(usize, bool)> {
        let events = done.outcome.volumes.iter().flat_map(|v| &v.events);
        let up = plimsoll_engine::export::ClientPathState::Up;
        events.map(|e| (e.path, e.state == up)).collect()
    };
    assert_eq!(told(&first), [(0, false)]);
    assert_eq!(told(&second), []);
    let event = &first.outcome.volumes[0].events[0];
    assert!((500 * MS..501 * MS).contains(&event.at_ns), "{event:?}");
    assert_eq!(first.outcome.volumes[0].paths[0].moved, 1);
}
