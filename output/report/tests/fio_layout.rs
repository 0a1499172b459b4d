//! fio's layout, beside what the real fio writes.

use plimsoll_evidence::{
    Environment, Estimate, Interval, OpSummary, Phase, StepEvidence, StreamSummary,
};
use plimsoll_measure::{Histogram, IntervalStats, Op};
use plimsoll_report::fio::{FioJob, FioRun, Form, Samples, TerseVersion, document, normal, terse};
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
        ios: 500,
        bytes: 500 * 4096,
        rate: Estimate::bare(250.0),
        response_mean_ns: Estimate::bare(105_000.0),
        service_mean_ns: Estimate::bare(85_000.0),
        ops: vec![summary],
        ..StreamSummary::default()
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
        // The writer is through after a quarter of the second second.
        stats.streams[0].busy_ns = 1_000_000_000;
        stats.streams[1].busy_ns = [1_000_000_000, 250_000_000][number as usize - 1];
        let second = 1_000_000_000 * u64::from(number);
        let time = second - 1_000_000_000..second;
        samples.add(&Interval::new(1, number, time, Phase::Counted, stats));
    }
    let job = |name: &str, workload: &str| FioJob {
        on_names: Vec::new(),
        read_back: None,
        shown: plimsoll_report::fio::Shown::default(),
        failed: None,
        steady: None,
        found: None,
        name: name.into(),
        group: 0,
        options: vec![("rw".into(), "randread".into()), ("bs".into(), "4k".into())],
        step: 1,
        workloads: vec![workload.into()],
        iodepth: 4,
        depth: 4,
        clones: 1,
        counts_syncs: false,
        percentiles: FioJob::PERCENTILES.into(),
    };
    let run = FioRun {
        environment: &Environment::default(),
        steps: &[step],
        jobs: &[job("reader", "a"), job("writer", "b")],
        samples: &samples,
        global_options: &[("direct".into(), "1".into())],
        ended: jiff::Timestamp::from_second(1_700_000_000).expect("a time"),
        idle: None,
    };
    document(&run, form)
}

/// Fields that fio has and this has not, or has of another kind.
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
    assert_eq!(writer["write"]["iops"], 400.0);
    assert_eq!(
        (&reader["job_runtime"], &writer["job_runtime"]),
        (&2000.into(), &1250.into())
    );
    let read = &reader["read"];
    assert_eq!(read["iops_min"], 200);
    assert_eq!(read["iops_max"], 300);
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

/// Output of fio for one run in three forms, if it is here: text, terse lines of this version, document.
fn three_forms(version: &str) -> Option<(String, String, Value)> {
    let folder = tempfile::tempdir().expect("a folder");
    let words = [
        "--size=4m",
        "--filename=f",
        "--output-format=terse,json,normal",
        "--name=mixed",
        "--rw=randrw",
        "--ioengine=libaio",
        "--iodepth=4",
        "--time_based",
        "--runtime=1",
        "--name=after",
        "--stonewall",
        "--rw=write",
        "--ioengine=psync",
    ];
    let done = Command::new("fio")
        .arg(format!("--terse-version={version}"))
        .args(words)
        .current_dir(folder.path())
        .output();
    let out = match done {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).into_owned(),
        other => {
            plimsoll_skipped::skipped!("fio: {other:?}");
            return None;
        }
    };
    let (text, document) = out.split_once("\n{\n").expect("a document");
    let (lines, rest): (Vec<&str>, Vec<&str>) = text
        .lines()
        .partition(|l| l.starts_with(&format!("{version};fio-")));
    // Behind the document there may be the text, or before it.
    let (document, behind) = document.rsplit_once("\n}\n").expect("its end");
    let document = serde_json::from_str(&format!("{{{document}}}")).expect("fio's document");
    Some((rest.join("\n") + behind, lines.join("\n") + "\n", document))
}

/// Equal, but for numbers that differ in their last place: fio rounds its document's figures, and shows a share below a hundredth as one.
fn alike(real: &str, ours: &str) -> bool {
    let parts = |text: &str| {
        text.split([';', ',', '=', '%', '[', ']', ' ', '-', '(', ')', '/'])
            .filter(|p| !p.is_empty())
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let (real, ours) = (parts(real), parts(ours));
    // A number and the unit behind it.
    let number = |text: &str| {
        let end = text
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(text.len());
        Some((text[..end].parse::<f64>().ok()?, text[end..].to_string()))
    };
    let near = |(a, b): (&String, &String)| match (number(a), number(b)) {
        (Some((a, of)), Some((b, unit))) => {
            of == unit && (a - b).abs() <= 1.0_f64.min(0.11 + 1e-3 * a.abs()) + 1e-6 * a.abs()
        }
        _ => a == b,
    };
    real.len() == ours.len() && real.iter().zip(&ours).all(near)
}

#[test]
fn of_fio_s_own_document_the_terse_lines_are_fio_s() {
    for version in ["3", "4", "5"] {
        let Some((_, lines, document)) = three_forms(version) else {
            return;
        };
        let ours = terse(&document, TerseVersion::of(version).expect("a version"));
        assert_eq!((ours.lines().count(), lines.lines().count()), (2, 2));
        for (real, ours) in lines.lines().zip(ours.lines()) {
            assert!(alike(real, ours), "\n{real}\n{ours}");
        }
    }
}

#[test]
fn of_fio_s_own_document_the_text_is_fio_s() {
    let Some((text, _, document)) = three_forms("3") else {
        return;
    };
    // What is not told here: who counted it, how many were handed over at once, and zones.
    let untold = ["     submit", "     complete"];
    let real: Vec<&str> = text
        .lines()
        .skip_while(|l| !l.starts_with("mixed: (groupid"))
        .filter(|l| !untold.iter().any(|u| l.starts_with(u)))
        .collect();
    let ours = normal(&document, &[]);
    let ours: Vec<&str> = ours.lines().collect();
    let plain = |line: &str| {
        let line = line.replace("; 0 zone resets", "");
        match (line.find("pid="), line.find("err=")) {
            (Some(pid), Some(_)) => line[..pid].to_string(),
            _ => line,
        }
    };
    for (real, ours) in real.iter().zip(&ours) {
        let real = plain(real);
        let ours = if ours.contains("err=") {
            &ours[..real.trim_end().len().min(ours.len())]
        } else {
            ours
        };
        assert!(
            alike(real.trim_end(), ours.trim_end()),
            "\n{real}\n{ours}\n{text}"
        );
    }
    assert_eq!(ours.len(), real.len(), "{text}\n----\n{}", ours.join("\n"));
}

#[test]
fn a_steady_state_stands_in_the_text_as_in_fio_s() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "--size=1m --filename=f --name=s --rw=randread --ioengine=psync --time_based --runtime=5 --ss=iops_slope:90% --ss_dur=2 \
                 --output-format=normal,json";
    let out = match Command::new("fio")
        .args(words.split_whitespace())
        .current_dir(folder.path())
        .output()
    {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).into_owned(),
        other => return plimsoll_skipped::skipped!("fio: {other:?}"),
    };
    let (begin, end) = (
        out.find("\n{\n").expect("a document"),
        out.rfind("\n}\n").expect("its end"),
    );
    let document = serde_json::from_str(&out[begin..end + 2]).expect("fio's document");
    let line = |text: &str| {
        let line = text.lines().find(|l| l.starts_with("  steadystate  : "));
        let line = line.unwrap_or_else(|| panic!("{text}")).to_string();
        // fio takes its KiB for kB there.
        let (from, to) = (
            line.find('(').expect("a bracket"),
            line.find(')').expect("its end"),
        );
        line[..from].to_string() + &line[to..]
    };
    let (real, ours) = (line(&out), line(&normal(&document, &[])));
    assert!(alike(&real, &ours), "{real}\n{ours}");
}
