//! Records of every format that was ever released stay readable.

use crate::sample;
use plimsoll_evidence::{
    CurveVerdict, Environment, HostFacts, HostInterval, Interval, Phase, Saturation, StepEvidence,
    Verdict,
};
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

/// The environment as formats up to 5 had it: of one host, without a key.
fn early_environment() -> Environment {
    let now = sample::environment();
    Environment {
        host: HostFacts {
            key: String::new(),
            ..now.host
        },
        more_hosts: Vec::new(),
        ..now
    }
}

/// A step as it was before anything was done in one, and before doubts had values.
fn without_actions(number: u32, name: &str) -> StepEvidence {
    StepEvidence {
        actions: Vec::new(),
        findings: Vec::new(),
        ..unwitnessed(number, name)
    }
}

/// A step as it was before anybody looked at the host beside it.
fn unwitnessed(number: u32, name: &str) -> StepEvidence {
    StepEvidence {
        witnessed: None,
        ..sample::step(number, name, 1.0)
    }
}

/// The sample's curve as it was before doubts had values.
fn early_verdict() -> Verdict {
    let Verdict::Curve(curve) = sample::verdict() else {
        unreachable!("the sample's is a curve");
    };
    Verdict::Curve(CurveVerdict {
        findings: Vec::new(),
        ..curve
    })
}

/// A step as formats 1 and 2 had it: what is left out here was not recorded then.
fn early_step(number: u32, name: &str) -> StepEvidence {
    let step = without_actions(number, name);
    StepEvidence {
        streams: Vec::new(),
        stalls: Vec::new(),
        late_by_host: Vec::new(),
        unfinished: 0,
        saturation: step.saturation.map(|s| Saturation {
            short_samples: 0.0,
            ..s
        }),
        ..step
    }
}

/// An interval as formats up to 6 had it: what came back of a stream was not told by sample.
fn without_done(interval: Interval) -> Interval {
    let mut interval = Interval {
        witnessed: None,
        ..interval
    };
    for stream in &mut interval.stats.streams {
        stream.demand.iter_mut().for_each(|d| d.done = 0);
    }
    interval
}

/// An interval as formats 1 and 2 had it: there was no drain, and every I/O's times were in a sample's sums.
fn early_interval(step: u32, number: u32) -> Interval {
    let mut interval = Interval {
        witnessed: None,
        ..sample::interval(step, number)
    };
    if interval.phase == Phase::Drain {
        interval.phase = Phase::Counted;
    }
    for sample in &mut interval.stats.samples {
        sample.timed = sample.ios;
    }
    for stream in &mut interval.stats.streams {
        stream.late_by_host = 0;
        stream.demand.clear();
    }
    interval
}

#[test]
fn a_record_of_format_1_reads_as_if_written_today() {
    let record = Record::open(&fixture(1)).unwrap();
    let environment = Environment {
        // Not recorded then, as what is empty below.
        submit_batch: 0,
        reap_batch: 0,
        ..early_environment()
    };
    assert_eq!(record.environment(), &environment);
    assert_eq!(record.status(), &RunStatus::Completed);
    let step = |number, name| StepEvidence {
        paths: Vec::new(),
        arrays: Vec::new(),
        ..early_step(number, name)
    };
    let steps = vec![step(1, "rd1_(10%)"), step(2, "rd1_(20%)")];
    assert_eq!(record.steps().unwrap(), steps);
    for step in 1..=2 {
        let interval = |number| Interval {
            arrays: Vec::new(),
            ..early_interval(step, number)
        };
        let intervals: Vec<_> = (1..=3).map(interval).collect();
        assert_eq!(record.intervals(step).unwrap(), intervals);
    }
    assert_eq!(record.verdicts().unwrap(), vec![early_verdict()]);
    assert_eq!(
        record.findings().unwrap(),
        vec![sample::bare(sample::finding())]
    );
}

#[test]
fn a_record_of_format_2_reads_as_if_written_today() {
    let record = Record::open(&fixture(2)).unwrap();
    assert_eq!(record.environment(), &early_environment());
    assert_eq!(record.status(), &RunStatus::Completed);
    let steps = vec![early_step(1, "rd1_(10%)"), early_step(2, "rd1_(20%)")];
    assert_eq!(record.steps().unwrap(), steps);
    for step in 1..=2 {
        let intervals: Vec<_> = (1..=3).map(|i| early_interval(step, i)).collect();
        assert_eq!(record.intervals(step).unwrap(), intervals);
    }
    assert_eq!(record.verdicts().unwrap(), vec![early_verdict()]);
    assert_eq!(
        record.findings().unwrap(),
        vec![sample::bare(sample::finding())]
    );
}

#[test]
fn a_record_of_format_5_reads_as_if_written_today() {
    let record = Record::open(&fixture(5)).unwrap();
    assert_eq!(record.environment(), &early_environment());
    assert_eq!(record.status(), &RunStatus::Completed);
    let steps = vec![
        without_actions(1, "rd1_(10%)"),
        without_actions(2, "rd1_(20%)"),
    ];
    assert_eq!(record.steps().unwrap(), steps);
    for step in 1..=2 {
        let intervals: Vec<_> = (1..=3)
            .map(|i| without_done(sample::interval(step, i)))
            .collect();
        assert_eq!(record.intervals(step).unwrap(), intervals);
    }
    assert_eq!(record.verdicts().unwrap(), vec![early_verdict()]);
    assert_eq!(
        record.findings().unwrap(),
        vec![sample::bare(sample::finding())]
    );
    let texts = record.definition_texts().unwrap();
    assert_eq!(texts, vec![sample::definition_text()]);
}

#[test]
fn a_record_of_format_6_reads_as_if_written_today() {
    reads_as_written(6, unwitnessed, without_done);
}

#[test]
fn a_record_of_format_7_reads_as_if_written_today() {
    reads_as_written(7, unwitnessed, |interval| Interval {
        witnessed: None,
        ..interval
    });
}

#[test]
fn a_record_of_format_8_reads_as_if_written_today() {
    let step = |number, name: &str| sample::step(number, name, 1.0);
    reads_as_written(8, step, |interval| interval);
}

#[test]
fn a_record_of_format_9_reads_as_if_written_today() {
    let step = |number, name: &str| sample::step(number, name, 1.0);
    reads_as_written(9, step, |interval| interval);
}

/// What the sample's record of a format holds; `as_it_was` makes of today's intervals those of then.
fn reads_as_written(
    version: u32,
    step: fn(u32, &str) -> StepEvidence,
    as_it_was: fn(Interval) -> Interval,
) {
    let record = Record::open(&fixture(version)).unwrap();
    let interval = |step, i| as_it_was(sample::interval(step, i));
    let of_host = |step, host, i| as_it_was(sample::of_host(step, host, i));
    assert_eq!(record.environment(), &sample::environment());
    assert_eq!(record.status(), &RunStatus::Completed);
    let steps = vec![step(1, "rd1_(10%)"), step(2, "rd1_(20%)")];
    assert_eq!(record.steps().unwrap(), steps);
    for step in 1..=2 {
        let intervals: Vec<_> = (1..=3).map(|i| interval(step, i)).collect();
        assert_eq!(record.intervals(step).unwrap(), intervals);
        // Those of each host lie beside those of all of them.
        for host in 0..=3 {
            let mut found = Vec::new();
            record
                .each_interval_of(step, host, |i| found.push(i))
                .unwrap();
            let expected: Vec<_> = match host {
                0 => (1..=3).map(|i| interval(step, i)).collect(),
                3 => Vec::new(),
                _ => (1..=3).map(|i| of_host(step, host, i)).collect(),
            };
            assert_eq!(found, expected, "host {host}");
        }
        let mut found = Vec::new();
        record.each_host_interval(step, |i| found.push(i)).unwrap();
        let all = (1..=2).flat_map(|host| (1..=3).map(move |i| (host, i)));
        let expected: Vec<_> = all
            .map(|(host, i)| HostInterval::of(&of_host(step, host, i)))
            .collect();
        assert_eq!(found, expected);
    }
    let verdicts = vec![sample::verdict(), sample::answer()];
    assert_eq!(record.verdicts().unwrap(), verdicts);
    let as_they_were = match version {
        ..9 => sample::bare,
        9.. => |finding| finding,
    };
    let findings: Vec<_> = sample::rows_of_findings()
        .into_iter()
        .map(as_they_were)
        .collect();
    assert_eq!(record.findings().unwrap(), findings);
    let texts = record.definition_texts().unwrap();
    assert_eq!(texts, vec![sample::definition_text()]);
}

#[test]
fn the_only_host_of_an_early_record_is_its_first() {
    for version in [1, 2, 5] {
        let record = Record::open(&fixture(version)).unwrap();
        assert_eq!(record.environment().hosts().count(), 1);
        let mut of_host = 0;
        record.each_interval_of(1, 1, |_| of_host += 1).unwrap();
        assert_eq!((of_host, record.interval_count(1).unwrap()), (0, 3));
    }
}
