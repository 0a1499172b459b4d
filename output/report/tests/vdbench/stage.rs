//! Runs and folders for the tests.

use crate::fixture;
use jiff::{SignedDuration, Zoned};
use plimsoll_evidence::{End, Interval, OpSummary, StepEvidence};
use plimsoll_measure::{IntervalStats, Op};
use plimsoll_permit::output::{OutputPermit, Rules};
use plimsoll_report::vdbench::*;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

pub fn at(seconds: i64) -> Zoned {
    fixture::noon() + SignedDuration::from_millis(seconds * 1000 + 11)
}

pub fn run(name: &str, rate: RequestedRate) -> RunDefinition {
    RunDefinition {
        name: name.into(),
        rate,
        elapsed_s: Some(3),
        is_limited: false,
        warmup_s: 0,
        interval_s: 1,
        loops: vec![
            ("threads".into(), "8".into()),
            ("xfersize".into(), "4k".into()),
        ],
        streams: vec![StreamLabel {
            sd: "sd1".into(),
            lun: "/dev/sdz".into(),
            wd: "wd1".into(),
            skew: Some(100.0),
        }],
        requested: Requested {
            xfersize: Some(4096.0),
            threads: Some(8.0),
            rdpct: Some(75.0),
            seekpct: Some(100.0),
            lunsize: Some(16 << 30),
            ..Requested::default()
        },
        operations: None,
        max_data: MaxData::default(),
    }
}

/// The step that those intervals add up to; errors are the model's.
pub fn evidence_of(intervals: &[Interval], model: StepEvidence) -> StepEvidence {
    let mut sum = IntervalStats::default();
    intervals.iter().for_each(|i| sum.merge(&i.stats));
    let ops = [Op::Read, Op::Write].map(|op| {
        let stats = &sum.streams[0].ops[op as usize];
        OpSummary::of(op, stats)
    });
    StepEvidence {
        counted_intervals: (2, 3),
        ios: sum.ios(),
        bytes: sum.bytes(),
        ops: ops.into(),
        depth_mean: sum.depth_integral_ns as f64 / 2e9,
        ..model
    }
}

/// Asks for leave to write into the folder, and opens a report there.
pub fn create(folder: &Path, options: &Options) -> Result<VdbenchWriter, VdbenchError> {
    VdbenchWriter::create(permit(folder, &Rules::default())?, options, &at(0))
}

/// A run of three intervals, the first not counted, and then one at a rate with errors; returns the console.
pub fn execute(folder: &Path) -> String {
    let options = Options {
        parameter_files: vec![(
            "t.parm".into(),
            "sd=sd1,lun=/dev/sdz\nwd=wd1,sd=sd1\n".into(),
        )],
        ..Options::default()
    };
    let mut report = create(folder, &options).expect("a report");
    let mut console = Vec::new();
    for (start, step, rate) in [
        (1, 1, RequestedRate::UncontrolledMax),
        (5, 2, RequestedRate::PerSecond(13_100.0)),
    ] {
        console.extend(
            report
                .starting(run(&format!("rd{step}"), rate), &at(start))
                .expect("a start"),
        );
        let mut counted = Vec::new();
        for (number, reads) in [(1, 9000), (2, 1500), (3, 1700)] {
            let interval = fixture::interval(number, number == 1, reads, 500);
            let now = at(start + i64::from(number));
            console.extend(report.interval(&interval, &now).expect("an interval"));
            counted.extend(interval.counts().then_some(interval));
        }
        let evidence = evidence_of(&counted, fixture::steps().swap_remove(step));
        console.extend(
            report
                .averages(&evidence, &at(start + 3))
                .expect("averages"),
        );
    }
    console.extend(report.finish(&Ending::Completed, &at(9)).expect("an end"));
    console.join("\n")
}

pub fn read(folder: &Path, page: &str) -> String {
    fs::read_to_string(folder.join(page)).expect(page)
}

/// Values of the flat file as scripts read them: the line of titles gives each column its place.
pub fn scrape(flatfile: &str) -> Vec<HashMap<&str, &str>> {
    let mut lines = flatfile
        .lines()
        .filter(|l| !l.starts_with('*') && !l.starts_with('<'));
    let titles: Vec<&str> = lines.next().expect("titles").split_whitespace().collect();
    lines
        .map(|l| {
            let values: Vec<&str> = l.split_whitespace().collect();
            assert_eq!(values.len(), titles.len(), "{l}");
            titles.iter().copied().zip(values).collect()
        })
        .collect()
}

/// True where the folder's file system keeps marks; else says that the test is skipped.
pub fn marks_are_kept(folder: &Path) -> bool {
    let page = folder.join("probe.html");
    let ask = || OutputPermit::ask(&page, &Rules::default());
    ask().expect("free").write(b"probe").expect("written");
    let kept = ask().is_ok();
    fs::remove_file(page).expect("removed");
    if !kept {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
    }
    kept
}

/// Two workloads on two targets, with these counted I/Os of each: reads in the first, writes in the second.
pub fn uneven(folder: &Path, rate: RequestedRate, ios: [u64; 2], max_data: MaxData) -> Vec<String> {
    let mut report = create(folder, &Options::default()).expect("a report");
    let mut two = run("rd1", rate);
    two.max_data = max_data;
    two.streams = [("sd1", "wd1"), ("sd2", "wd2")]
        .map(|(sd, wd)| StreamLabel {
            sd: sd.into(),
            lun: format!("/dev/{sd}"),
            wd: wd.into(),
            skew: Some(50.0),
        })
        .into();
    let mut lines = report.starting(two, &at(1)).expect("a start");
    let mut interval = fixture::interval(1, false, ios[0], 0);
    let other = fixture::interval(1, false, 0, ios[1]);
    interval.stats.streams.push(other.stats.streams[0].clone());
    lines.extend(report.interval(&interval, &at(2)).expect("an interval"));
    let mut evidence = fixture::steps().swap_remove(2);
    evidence.counted_intervals = (1, 1);
    evidence.workers = 2;
    evidence.end = match max_data.transfer {
        0 => End::Elapsed,
        _ => End::Limit,
    };
    lines.extend(report.averages(&evidence, &at(3)).expect("averages"));
    lines
}
