//! Records of every format that was ever released stay readable.

use crate::sample;
use plimsoll_evidence::{Environment, Interval, StepEvidence};
use plimsoll_record::{Record, RunStatus};
use std::path::{Path, PathBuf};

fn fixture(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/compat/v{version}.plim"))
}

/// Writes the fixture of the current format; for whoever raises the format's number.
#[test]
#[ignore = "it writes a file that is committed"]
fn write_the_current_fixture() {
    sample::write(&fixture(plimsoll_record::schema::SCHEMA_VERSION as u32));
}

#[test]
fn a_record_of_format_1_reads_as_if_written_today() {
    let record = Record::open(&fixture(1)).unwrap();
    let environment = Environment {
        // Not recorded then, as what is empty below.
        submit_batch: 0,
        reap_batch: 0,
        ..sample::environment()
    };
    assert_eq!(record.environment(), &environment);
    assert_eq!(record.status(), &RunStatus::Completed);
    let step = |number, name| StepEvidence {
        paths: Vec::new(),
        arrays: Vec::new(),
        ..sample::step(number, name, 1.0)
    };
    let steps = vec![step(1, "rd1_(10%)"), step(2, "rd1_(20%)")];
    assert_eq!(record.steps().unwrap(), steps);
    for step in 1..=2 {
        let interval = |number| Interval {
            arrays: Vec::new(),
            ..sample::interval(step, number)
        };
        let intervals: Vec<_> = (1..=3).map(interval).collect();
        assert_eq!(record.intervals(step).unwrap(), intervals);
    }
    assert_eq!(record.verdicts().unwrap(), vec![sample::verdict()]);
    assert_eq!(record.findings().unwrap(), vec![sample::finding()]);
}

#[test]
fn a_record_of_format_2_reads_as_if_written_today() {
    let record = Record::open(&fixture(2)).unwrap();
    assert_eq!(record.environment(), &sample::environment());
    assert_eq!(record.status(), &RunStatus::Completed);
    let step = |number, name| sample::step(number, name, 1.0);
    let steps = vec![step(1, "rd1_(10%)"), step(2, "rd1_(20%)")];
    assert_eq!(record.steps().unwrap(), steps);
    for step in 1..=2 {
        let intervals: Vec<_> = (1..=3).map(|i| sample::interval(step, i)).collect();
        assert_eq!(record.intervals(step).unwrap(), intervals);
    }
    assert_eq!(record.verdicts().unwrap(), vec![sample::verdict()]);
    assert_eq!(record.findings().unwrap(), vec![sample::finding()]);
}
