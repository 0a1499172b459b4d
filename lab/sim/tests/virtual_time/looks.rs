//! Each interval comes with a look at the arrays at its very end.

use crate::stage::{MS, PLAIN, PersonaFile, Stage, rate};
use plimsoll_plan::{Load, Nanos};

#[test]
fn looks_are_taken_when_an_interval_ends_and_not_when_it_is_told() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.fill();
    stage.lab.pass(Nanos::secs(1));
    let before = stage.lab.look();
    let done = stage.run(&stage.step(Load::Max));
    assert_eq!(done.looks.len(), 10);
    // Four reads of 100 us at a time: 4,000 have been submitted in each 100 ms.
    for (number, looks) in (1..).zip(&done.looks) {
        assert_eq!(looks[0].at_ns, 1_000 * MS + number * 100 * MS);
        let counters = looks[0].counters.since(&before[0].counters);
        assert_eq!(counters.reads.count, number * 4_000);
    }
}

#[test]
fn a_step_that_ends_inside_an_interval_is_looked_at_when_all_is_back() {
    let file = PersonaFile::new(PLAIN);
    let mut stage = Stage::new(&[&file.lab("")]);
    let mut step = stage.pass(&plimsoll_plan::ContentSpec::Unique, 65_536);
    step.interval = Nanos(100 * MS);
    let done = stage.run(&step);
    assert_eq!(done.looks.len(), done.intervals.len());
    let last = &done.looks[done.looks.len() - 1][0];
    assert_eq!(last.at_ns, stage.lab.now_ns());
    assert_eq!(last.counters.writes.bytes, stage.targets[0].size);
}

#[test]
fn looking_changes_nothing() {
    let file = PersonaFile::new(PLAIN);
    let ios = |interval_ns| {
        let mut stage = Stage::new(&[&file.lab("")]);
        stage.fill();
        let mut step = stage.step(rate(20_000.0));
        step.interval = Nanos(interval_ns);
        let done = stage.run(&step);
        (done.ios(), done.looks[done.looks.len() - 1].clone())
    };
    assert_eq!(ios(100 * MS), ios(1_000 * MS));
}

#[test]
fn a_step_on_two_arrays_looks_at_both() {
    let (one, other) = (PersonaFile::new(PLAIN), PersonaFile::new(PLAIN));
    let mut stage = Stage::new(&[&one.lab("/lun0"), &one.lab("/lun1"), &other.lab("")]);
    let arrays = stage.lab.arrays();
    assert_eq!(
        [&arrays[0].name, &arrays[1].name],
        [&one.lab(""), &other.lab("")]
    );
    let targets = |array: usize| {
        arrays[array]
            .targets
            .iter()
            .map(|t| t.0)
            .collect::<Vec<_>>()
    };
    assert_eq!((targets(0), targets(1)), (vec![0, 1], vec![2]));
    stage.fill();
    let done = stage.run(&stage.step(Load::Max));
    let reads = |looks: &[plimsoll_sim::Look]| [0, 1].map(|a| looks[a].counters.reads.count);
    let [of_two, of_one] = reads(&done.looks[9]);
    assert!(of_one > 0 && of_two > of_one, "{of_two} {of_one}");
}
