//! fio's layout, beside what the real fio writes.

use plimsoll_evidence::{
    Environment, Estimate, Interval, OpSummary, Phase, StepEvidence, StreamSummary,
};
use plimsoll_measure::{Histogram, IntervalStats, Op};
use plimsoll_report::fio::{FioJob, FioRun, Form, Samples, document};
use serde_json::Value;
use std::process::Command;

/// Names that each run has of its own.
const FREE: [&str; 4] = ["percentile", "bins", "job options", "disk_util"];

fn times(from_ns: u64) -> Histogram {
    let mut times = Histogram::new();
    (0..500).for_each(|n| times.record(from_ns + n * 100));
    times
}

fn stream(workload: &str, op: Op) -> StreamSummary {
    let summary = OpSummary {
        op,
        ios: 500,
        bytes: 500 * 4096,
        errors: 0,
        response: times(80_000),
        service: times(60_000),
    };
    StreamSummary {
        workload: workload.into(),
        target: 0,
        host: 0,
        offered: None,
        ios: 500,
        bytes: 500 * 4096,
        errors: 0,
        rate: Estimate::bare(250.0),
        counted_s: None,
        response_mean_ns: Estimate::bare(105_000.0),
        service_mean_ns: Estimate::bare(85_000.0),
        ops: vec![summary],
        saturation: None,
    }
}

fn ours(form: Form) -> Value {
    let step = StepEvidence {
        counted_s: 2.0,
        streams: vec![stream("a", Op::Read), stream("b", Op::Write)],
        ..StepEvidence::new(1, "jobs")
    };
    let mut samples = Samples::default();
    for number in 1..=2 {
        let mut stats = IntervalStats::new(2);
        let ios = [200, 300][number as usize - 1];
        stats.streams[0].ops[Op::Read as usize].ios = ios;
        stats.streams[0].ops[Op::Read as usize].bytes = ios * 4096;
        let second = 1_000_000_000 * u64::from(number);
        let time = second - 1_000_000_000..second;
        samples.add(&Interval::new(1, number, time, Phase::Counted, stats));
    }
    let job = |name: &str, workload: &str| FioJob {
        name: name.into(),
        group: 0,
        options: vec![("rw".into(), "randread".into()), ("bs".into(), "4k".into())],
        step: 1,
        workloads: vec![workload.into()],
        depth: 4,
        percentiles: FioJob::PERCENTILES.into(),
    };
    let run = FioRun {
        environment: &Environment::default(),
        steps: &[step],
        jobs: &[job("reader", "a"), job("writer", "b")],
        samples: &samples,
        global_options: &[("direct".into(), "1".into())],
        ended: jiff::Timestamp::from_second(1_700_000_000).expect("a time"),
    };
    document(&run, form)
}

/// What fio has and this has not, or has of another kind.
fn missing(path: &str, real: &Value, ours: &Value, out: &mut Vec<String>) {
    match (real, ours) {
        (Value::Object(real), Value::Object(ours)) => {
            for (key, value) in real {
                match ours.get(key) {
                    None => out.push(format!("{path}.{key}")),
                    Some(_) if FREE.contains(&key.as_str()) => {}
                    Some(own) => missing(&format!("{path}.{key}"), value, own, out),
                }
            }
        }
        (Value::Array(real), Value::Array(ours)) => {
            if let (Some(real), Some(ours)) = (real.first(), ours.first()) {
                missing(&format!("{path}[]"), real, ours, out);
            }
        }
        (Value::Number(_), Value::Number(_)) | (Value::String(_), Value::String(_)) => {}
        _ => out.push(format!("{path}: {real} beside {ours}")),
    }
}

#[test]
fn every_name_that_fio_writes_is_there_and_of_the_same_kind() {
    let folder = tempfile::tempdir().expect("a folder");
    for (form, asked) in [(Form::Json, "json"), (Form::JsonPlus, "json+")] {
        let words = [
            "--name=reader",
            "--filename=f",
            "--size=1m",
            "--rw=randread",
            "--ioengine=psync",
        ];
        let fio = Command::new("fio")
            .args(words)
            .arg(format!("--output-format={asked}"))
            .current_dir(folder.path())
            .output();
        let out = match fio {
            Ok(out) if out.status.success() => out,
            other => {
                plimsoll_skipped::skipped!("fio: {other:?}");
                return;
            }
        };
        let real: Value = serde_json::from_slice(&out.stdout).expect("fio's document");
        let mut wrong = Vec::new();
        missing("", &real, &ours(form), &mut wrong);
        // With a global section fio has "global options" too; here it has none.
        assert!(wrong.is_empty(), "{wrong:#?}");
        let has_bins = |d: &Value| d["jobs"][0]["read"]["clat_ns"].get("bins").is_some();
        assert_eq!(has_bins(&real), has_bins(&ours(form)));
    }
}

#[test]
fn a_job_has_its_own_streams_and_their_course() {
    let document = ours(Form::Json);
    let (reader, writer) = (&document["jobs"][0], &document["jobs"][1]);
    assert_eq!(reader["read"]["total_ios"], 500);
    assert_eq!(reader["read"]["iops"], 250.0);
    assert_eq!(reader["read"]["bw_bytes"], 250 * 4096);
    assert_eq!(reader["read"]["bw"], 1000);
    assert_eq!(reader["write"]["total_ios"], 0);
    assert_eq!(reader["write"]["lat_ns"]["N"], 0);
    assert_eq!(writer["write"]["total_ios"], 500);
    let read = &reader["read"];
    assert_eq!(
        (&read["iops_min"], &read["iops_max"]),
        (&200.into(), &300.into())
    );
    assert_eq!(read["iops_mean"], 250.0);
    assert!((read["iops_stddev"].as_f64().expect("a number") - 70.710_678).abs() < 1e-5);
    assert_eq!(read["iops_samples"], 2);
    let mean = |block: &str| read[block]["mean"].as_f64().expect("a mean");
    assert!(mean("lat_ns") > mean("clat_ns"));
    assert_eq!(reader["iodepth_level"]["4"], 100.0);
    assert_eq!(document["timestamp"], 1_700_000_000);
    assert_eq!(document["time"], "Tue Nov 14 22:13:20 2023");
    assert_eq!(document["global options"]["direct"], "1");
}
