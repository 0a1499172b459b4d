//! fio's logs, beside those of the real fio and read by its own parser where they are here.

use crate::place::TestFolder;
use std::process::Command;

const JOBS: &str = "[global]\nioengine=null\nsize=1g\nbs=4k\ntime_based\nruntime=2\nrate_iops=500\n\
    write_bw_log=x\nwrite_lat_log=x\nwrite_iops_log=x\nwrite_hist_log=x\nlog_hist_msec=500\nlog_avg_msec=250\n\
    [a]\nrw=randrw\nrate_iops=500,500\nnumjobs=2\ngroup_reporting\n\
    [b]\nstonewall\nrw=randread\nlog_unix_epoch=1\nlog_offset=1\nper_job_logs=0\nwrite_bw_log=y\nwrite_iops_log\n";

/// A log's lines, each as its fields.
fn lines(place: &TestFolder, name: &str) -> Vec<Vec<u64>> {
    let text = std::fs::read_to_string(place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let fields = |line: &str| line.split(", ").map(|n| n.parse().expect(line)).collect();
    text.lines().map(fields).collect()
}

fn logs(place: &TestFolder) -> Vec<String> {
    let names = place.names().into_iter();
    names.filter(|n| n.ends_with(".log")).collect()
}

#[test]
fn logs_have_the_names_fields_and_directions_of_the_real_fio_s() {
    let (ours, real) = (TestFolder::new(), TestFolder::new());
    ours.text("jobs.fio", JOBS);
    real.text("jobs.fio", JOBS);
    ours.plimsoll("fio --no-record jobs.fio").ok();
    for job in 1..=2 {
        let bw = lines(&ours, &format!("x_bw.{job}.log"));
        // Eight times a quarter of a second, reads and writes; the last may have a part of its own.
        assert!((15..=18).contains(&bw.len()), "{bw:?}");
        let iops = lines(&ours, &format!("x_iops.{job}.log"));
        let reads: Vec<u64> = iops.iter().filter(|l| l[2] == 0).map(|l| l[1]).collect();
        let mean = reads.iter().sum::<u64>() as f64 / reads.len() as f64;
        assert!((400.0..=600.0).contains(&mean), "{reads:?}");
        let counts = lines(&ours, &format!("x_clat_hist.{job}.log"));
        let count: u64 = counts.iter().flat_map(|l| &l[3..]).sum();
        assert!((1800..=2002).contains(&count), "{count}");
    }
    assert!(lines(&ours, "y_bw.log")[0][0] > 1_700_000_000_000);
    let out = Command::new("fio")
        .arg("jobs.fio")
        .current_dir(real.folder())
        .output();
    match out {
        Ok(out) if out.status.success() => {}
        other => return plimsoll_skipped::skipped!("fio: {other:?}"),
    }
    assert_eq!(logs(&ours), logs(&real));
    for name in logs(&real).iter().filter(|n| !n.contains("slat")) {
        let (own, its) = (lines(&ours, name), lines(&real, name));
        let kinds = |all: &[Vec<u64>]| -> Vec<(usize, u64)> {
            let mut kinds: Vec<_> = all
                .iter()
                .map(|l| (l.len(), l[1].min(u64::from(name.contains("hist")))))
                .collect();
            let directions = all
                .iter()
                .map(|l| (usize::MAX, if name.contains("hist") { l[1] } else { l[2] }));
            kinds = kinds
                .into_iter()
                .map(|(fields, _)| (fields, 0))
                .chain(directions)
                .collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        };
        assert_eq!(kinds(&own), kinds(&its), "{name}");
        assert!(
            own.len().abs_diff(its.len()) <= 3,
            "{name}: {} and {}",
            own.len(),
            its.len()
        );
    }
}

#[test]
fn a_log_replaces_a_log_and_nothing_else() {
    let place = TestFolder::new();
    place.text(
        "jobs.fio",
        "[x]\nioengine=null\nsize=64k\nwrite_iops_log=notes\n",
    );
    let run = || place.plimsoll("fio --no-record jobs.fio");
    let first = run().ok();
    first.warns(&["I/Os are not logged one by one"]);
    run().ok();
    place.text("notes_iops.1.log", "what somebody wrote\n");
    let refused = run().exits(1);
    refused.warns(&["notes_iops.1.log"]);
    assert_eq!(
        std::fs::read_to_string(place.path("notes_iops.1.log")).expect("there"),
        "what somebody wrote\n"
    );
    let done = place.plimsoll("run jobs.fio --no-record").ok();
    done.warns(&["written by plimsoll fio"]);
}
