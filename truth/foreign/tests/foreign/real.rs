//! Results of the fio of this machine, as it writes them: an undisturbed run is never invalid.

use crate::corpus::{ids, judge, result};
use plimsoll_evidence::Severity;
use plimsoll_foreign::Judgement;
use plimsoll_foreign::model::Row;
use plimsoll_foreign::{ForeignResult, Run};
use plimsoll_plan::Rate;
use std::process::Command;

/// fio's JSON of a job file; `None` where there is no fio.
pub fn fio(job: &str, words: &[&str]) -> Option<String> {
    outputs(job, "json", words)
}

/// Output of fio for a job file in these formats; `None` where there is no fio.
pub fn outputs(job: &str, formats: &str, words: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("job.fio");
    std::fs::write(&file, job).expect("written");
    let mut command = Command::new("fio");
    command.arg(format!("--output-format={formats}"));
    command.args(words).arg(&file);
    let done = command.current_dir(folder.path()).output().ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success(),
        "{job}\n{text}\n{}",
        String::from_utf8_lossy(&done.stderr)
    );
    Some(text)
}

/// The result of a job file and what is said of it.
fn of(job: &str, words: &[&str]) -> Option<(ForeignResult, Judgement)> {
    let text = fio(job, words)?;
    let result = result(&text);
    let judgement = judge(&result);
    Some((result, judgement))
}

/// All that is at least suspect, but what is true of each of these short runs without any I/O, and of a machine that stands still or
/// is too busy for a rate.
fn doubts(judgement: &Judgement) -> Vec<&'static str> {
    const TRUE: [&str; 6] = [
        "stall-hidden",
        "rate-missed",
        "null-engine",
        "too-short",
        "workers-busy",
        "faster-than-storage",
    ];
    let mut found = ids(judgement, Severity::Suspect);
    found.retain(|id| !TRUE.contains(id));
    found
}

macro_rules! fio_or_skip {
    ($($of:tt)*) => {
        match of($($of)*) {
            Some(found) => found,
            None => return plimsoll_skipped::skipped!("fio is not installed"),
        }
    };
}

const NULL: &str = "[global]\nioengine=null\nsize=1g\nrw=randread\ntime_based\n";

#[test]
fn sections_that_fio_reports_as_one_are_asked_for_something_unknown() {
    // 300 of 1.5 s beside as fast as it goes for 0.5 s: times that add up to no whole number of jobs.
    let text = format!(
        "{NULL}group_reporting\n[b]\niodepth=64\nruntime=500ms\n[a]\niodepth=1\nrate_iops=300\nruntime=1500ms\n"
    );
    let (result, judgement) = fio_or_skip!(&text, &[]);
    let asked = &result.runs[0].asked;
    assert_eq!(
        (result.runs.len(), asked.in_flight, asked.load),
        (1, None, None)
    );
    assert!(
        result
            .remarks
            .iter()
            .any(|r| r.text.contains("several sections"))
    );
    // Of all I/Os over the time of the longer one that may be said.
    let mut found = doubts(&judgement);
    found.retain(|id| *id != "rate-over-the-longest");
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_status_of_a_job_that_begins_later_is_a_part_of_its_run() {
    let text = format!("{NULL}rate_iops=1000\nstartdelay=2\nruntime=2\n[a]\n");
    let (result, judgement) = fio_or_skip!(&text, &["--status-interval=1"]);
    let [run] = &result.runs[..] else {
        panic!("{} runs", result.runs.len())
    };
    assert!(run.intervals().count() >= 1);
    assert_eq!(doubts(&judgement), [""; 0]);
}

/// A rate that came, and the one that was asked for of all I/Os of a run.
fn rates(run: &Run) -> [Option<f64>; 2] {
    run.asked.sides.map(|side| side.map(|r| r.0))
}

#[test]
fn rates_of_reads_and_writes_are_read_as_fio_keeps_them() {
    for (options, asked) in [
        ("rw=randread\nrate_iops=1000,5000", [Some(1000.0), None]),
        (
            "rw=randrw\nbs=4k,64k\nrate=10m",
            [Some(2560.0), Some(160.0)],
        ),
        ("rw=randrw\nrate_iops=500,", [Some(500.0), None]),
        ("rw=randrw\nrate_iops=,500", [None, Some(500.0)]),
    ] {
        let text = format!("{NULL}runtime=1\n[a]\n{options}\n");
        let (result, judgement) = fio_or_skip!(&text, &[]);
        assert_eq!(rates(&result.runs[0]), asked, "{options}");
        assert_eq!(doubts(&judgement), [""; 0], "{options}");
    }
}

#[test]
fn a_job_that_pauses_was_not_asked_for_its_whole_depth() {
    let text = format!("{NULL}group_reporting\nnumjobs=4\nthinktime=1000\nruntime=1\n[a]\n");
    let (result, judgement) = fio_or_skip!(&text, &[]);
    // Where a busy host lets the clones end apart, nobody knows that the result is the sum of them all.
    assert_eq!(result.runs[0].asked.in_flight.unwrap_or(4), 4);
    assert_eq!(doubts(&judgement), [""; 0]);
}

#[test]
fn writes_that_are_synced_are_durable_and_their_syncs_are_judged() {
    let text = "[a]\nrw=write\nioengine=sync\nfdatasync=1\nsize=256k\nbs=2300\n";
    let (result, judgement) = fio_or_skip!(text, &[]);
    let syncs = &result.runs[0].whole().expect("a row").syncs;
    assert!(
        syncs.mean.is_some() && syncs.percentiles.len() > 5,
        "{syncs:?}"
    );
    let found = ids(&judgement, Severity::Suspect);
    assert!(!found.contains(&"buffered-io"), "{found:?}");
    assert_eq!(ids(&judgement, Severity::Invalid), [""; 0]);
}

#[test]
fn a_small_file_is_read_without_a_doubt_that_it_does_not_deserve() {
    let text = "[global]\nsize=8m\nrw=randread\nioengine=libaio\ndirect=1\niodepth=8\nruntime=1\ntime_based\n[a]\nfilename=f\n[b]\nstonewall\niodepth=1\nfilename=f\n";
    // Where the temporary folder's file system has no direct I/O, there is nothing to be read.
    let Some(json) = fio(&text.replace("direct=1", "direct=0"), &[]) else {
        return plimsoll_skipped::skipped!("fio is not installed");
    };
    let found = judge(&result(&json));
    assert_eq!(
        ids(&found, Severity::Invalid),
        [""; 0],
        "{:#?}",
        found.audit.findings
    );
}

#[test]
fn options_are_not_believed_that_what_was_done_contradicts() {
    // The first has done all of it before the second has its first I/O: their times add up to those of the second alone.
    let head = "[global]\nioengine=null\ngroup_reporting\n";
    let rated = "[b]\nrw=randread\nsize=64m\nrate_iops=500\ntime_based\nruntime=500ms\n";
    for other in ["rw=write\nsize=64k", "rw=read\nbs=16k\nsize=1m"] {
        let text = format!("{head}[a]\n{other}\n{rated}");
        let (result, _) = fio_or_skip!(&text, &[]);
        let asked = &result.runs[0].asked;
        assert_eq!((asked.load, asked.block), (None, None), "{other}");
    }
}

#[test]
fn syncs_among_the_short_ones_of_fios_text_are_no_lost_ios() {
    // 3335 writes of 4 KiB are 13.03 MiB, which the text tells as 13.0.
    for sync in ["sync_file_range=write:8", "fsync=8", "fdatasync=8"] {
        let job = format!("[a]\nrw=randwrite\nioengine=psync\nsize=13340k\nbs=4k\n{sync}\n");
        let Some(text) = outputs(&job, "normal", &[]) else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        let read = result(&text);
        let row = read.runs[0].whole().expect("a row");
        assert_eq!((row.errors, row.all.ios), (0, Some(3335)), "{sync}");
    }
}

#[test]
fn times_of_what_is_read_back_without_a_stamp_are_the_tools_defect() {
    let job = "[a]\nfilename=f\nsize=1m\nbs=4k\nrw=randwrite\nioengine=psync\nverify=crc32c\n";
    let (_, sound) = fio_or_skip!(job, &[]);
    assert!(!ids(&sound, Severity::Suspect).contains(&"known-defect"));
    let (_, found) = fio_or_skip!(&format!("{job}disable_slat=1\n"), &[]);
    assert!(ids(&found, Severity::Suspect).contains(&"known-defect"));
    assert_eq!(ids(&found, Severity::Invalid), [""; 0]);
}

#[test]
fn rates_beside_times_that_begin_too_early_are_judged_by_the_others() {
    let job = "[a]\nfilename=f\nsize=8m\nbs=16k\nrw=randwrite\nioengine=libaio\niodepth=4\nverify=crc32c\ndisable_slat=1\n";
    let (mut result, _) = fio_or_skip!(job, &[]);
    // Its JSON does not say that its reads are those of one job; a definition beside it does.
    let asked = &mut result.runs[0].asked;
    (asked.threads, asked.in_flight) = (Some(1), Some(4));
    // A count that contradicts a rate would be named alone.
    result.runs[0]
        .rows
        .iter_mut()
        .for_each(|row| row.all.ios = None);
    let changed = |change: fn(&mut Row)| {
        let mut result = result.clone();
        result.runs[0].rows.iter_mut().for_each(change);
        ids(&judge(&result), Severity::Invalid).contains(&"littles-law")
    };
    assert!(!changed(|_| {}));
    assert!(changed(
        |row| row.writes.iops = row.writes.iops.map(|r| Rate(1000.0 * r.0))
    ));
    assert!(changed(
        |row| row.reads.iops = row.reads.iops.map(|r| Rate(1000.0 * r.0))
    ));
}

#[test]
fn what_ends_in_its_ramp_is_counted_and_not_timed() {
    // The second has done all of it before its ramp is over; its thousand I/Os are with the thirty of the first.
    let text = format!(
        "{NULL}group_reporting\nrate_iops=100\nruntime=300ms\n[a]\n\
         [b]\nrate_iops=10000\ntime_based=0\nnumber_ios=1000\nramp_time=20\n"
    );
    let (result, judgement) = fio_or_skip!(&text, &[]);
    let reads = &result.runs[0].whole().expect("a row").reads;
    assert!(reads.ios > reads.latency.count, "{reads:?}");
    // Shares are of all I/Os, so that as few of them have one.
    let mut other = result.clone();
    let shares = &mut other.runs[0].rows[0].shares;
    shares.iter_mut().for_each(|(_, sum)| *sum = 1.0);
    assert!(ids(&judge(&other), Severity::Invalid).contains(&"shares-of-nothing"));
    assert_eq!(ids(&judgement, Severity::Invalid), [""; 0]);
}

#[test]
fn a_job_that_ran_alone_has_a_time_for_each_io_though_nobody_says_what_it_was_asked() {
    let found = |timed: u64, all_ms: u64| {
        let text = format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "read": {{"total_ios": 100000, "runtime": 1000, "iops": 100000,
                "io_bytes": 409600000, "bw_bytes": 409600000, "lat_ns": {{"mean": 9000, "min": 100, "max": 90000, "N": {timed}}}}},
                "job_runtime": {all_ms}}}]}}"#
        );
        ids(&judge(&result(&text)), Severity::Invalid).contains(&"timed-against-counted")
    };
    assert!(!found(100_000, 1000) && found(1000, 1000));
    // Of several some may have ended in their warm-up.
    assert!(!found(1000, 1700));
}

/// A job of 64 KiB blocks with so many I/Os in a millisecond, of which one is not in the bandwidth.
fn one_short(ios: u64) -> String {
    let bytes = (ios - 1) * 65536 * 1000;
    let rate = ios * 1000;
    format!(
        r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "job options": {{"rw": "read", "bs": "64k", "iodepth": "1"}},
            "read": {{"total_ios": {ios}, "runtime": 1, "iops": {rate}, "bw_bytes": {bytes}}}, "job_runtime": 1}}]}}"#
    )
}

#[test]
fn one_io_at_an_end_is_in_one_of_two_counts() {
    let found = |text: &str| ids(&judge(&result(text)), Severity::Suspect);
    assert!(!found(&one_short(25)).contains(&"bandwidth-disagrees"));
    let off = one_short(250).replace("16318464000", "15000000000");
    assert_ne!(off, one_short(250));
    assert!(found(&off).contains(&"bandwidth-disagrees"));
}
