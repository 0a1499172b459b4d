//! What `plimsoll fio` leaves beside the targets replaces the like that the real fio or Plimsoll made, and nothing else.

use crate::place::TestFolder;
use std::process::Command;

/// Jobs with every kind of output, and which files these are. Reads are slow enough for a second line in a log.
const JOBS: &str = "[x]\nfilename=f\nsize=64k\nbs=4k\nrw=write\nverify=crc32c\ndo_verify=0\nverify_state_save=1\nwrite_bw_log=x\nwrite_lat_log=x\n\
    write_hist_log=x\nlog_hist_msec=500\nlog_hist_coarseness=6\nwrite_iolog=log\n";
const LEFT: [&str; 8] = [
    "out",
    "log",
    "local-x-0-verify.state",
    "x_bw.1.log",
    "x_lat.1.log",
    "x_clat.1.log",
    "x_slat.1.log",
    "x_clat_hist.1.log",
];
const FORMS: [&str; 5] = ["normal", "terse", "json", "json+", "normal,terse,json"];
const NOTE: &[u8] = b"before the update\n";

fn read(place: &TestFolder, name: &str) -> Vec<u8> {
    std::fs::read(place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn write(place: &TestFolder, name: &str, bytes: &[u8]) {
    std::fs::write(place.path(name), bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
}

/// A folder in which the real fio has left all of this; `None` where it is not here.
fn left_by_fio(form: &str) -> Option<TestFolder> {
    let place = TestFolder::new();
    place.text("jobs.fio", JOBS);
    let mut fio = Command::new("fio");
    fio.arg("--output=out")
        .arg(format!("--output-format={form}"));
    let out = fio.arg("jobs.fio").current_dir(place.folder()).output();
    let out = out.ok()?;
    assert!(out.status.success(), "{out:?}");
    Some(place)
}

/// Runs the jobs here.
fn run(place: &TestFolder, form: &str, more: &[&str]) -> crate::place::Done {
    let form = format!("--output-format={form}");
    let words = ["fio", "--no-record", "--destroy=f", "--output=out", &form];
    place.plimsoll(&[&words, more, &["jobs.fio"]].concat())
}

#[test]
fn all_that_the_real_fio_leaves_is_replaced_unasked() {
    for form in FORMS {
        let Some(place) = left_by_fio(form) else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        let before = LEFT.map(|name| read(&place, name));
        run(&place, form, &[]).ok();
        for (name, before) in LEFT.iter().zip(before) {
            // The state has the same I/Os, and nothing is handed over apart in synchronous I/O.
            if !["local-x-0-verify.state", "x_slat.1.log"].contains(name) {
                assert_ne!(read(&place, name), before, "{form}: {name}");
            }
        }
    }
}

#[test]
fn what_begins_as_an_output_and_goes_on_otherwise_is_kept() {
    let Some(place) = left_by_fio("normal") else {
        return plimsoll_skipped::skipped!("fio is not installed");
    };
    for name in LEFT {
        let as_left = read(&place, name);
        for noted in [
            [&as_left[..], NOTE].concat(),
            [&as_left[..], NOTE.trim_ascii_end()].concat(),
            [NOTE, &as_left[..]].concat(),
        ] {
            write(&place, name, &noted);
            let refused = run(&place, "normal", &[]).exits(1);
            assert!(refused.err.contains(name), "{name}: {}", refused.err);
            assert!(
                refused.err.contains("--overwrite"),
                "{name}: {}",
                refused.err
            );
            assert!(read(&place, name) == noted, "{name} has changed");
        }
        write(&place, name, &as_left);
    }
    for name in LEFT {
        write(&place, name, NOTE);
    }
    run(&place, "normal", &["--overwrite"]).ok();
    assert!(LEFT.iter().all(|name| read(&place, name) != NOTE));
}

#[test]
fn what_was_left_here_is_known_again_by_its_content_alone() {
    let place = TestFolder::new();
    place.text("jobs.fio", JOBS);
    write(&place, "f", &[7; 64 << 10]);
    for form in FORMS {
        run(&place, form, &[]).ok();
        for name in LEFT {
            // A copy has no mark.
            let bytes = read(&place, name);
            std::fs::remove_file(place.path(name)).expect("removed");
            write(&place, name, &bytes);
        }
        run(&place, form, &[]).ok();
        let noted = [read(&place, "out"), NOTE.to_vec()].concat();
        write(&place, "out", &noted);
        run(&place, form, &[]).exits(1);
        assert!(read(&place, "out") == noted, "{form}");
        std::fs::remove_file(place.path("out")).expect("removed");
    }
}

#[test]
fn times_of_the_real_fio_run_backwards_in_logs_of_several_jobs_alone() {
    let logs = "write_bw_log=x\nwrite_lat_log=x\nwrite_hist_log=x\nlog_hist_msec=50\n";
    let one = ["x_bw.1.log", "x_lat.1.log", "x_clat_hist.1.log", "log"];
    let joint = ["x_bw.log", "x_lat.log", "x_clat_hist.log"];
    for (options, names) in [
        ("write_iolog=log", &one[..]),
        (
            "write_iolog=log\nlog_unix_epoch=1\nlog_avg_msec=50\nioengine=libaio\niodepth=8",
            &one[..],
        ),
        ("numjobs=3\nper_job_logs=0", &joint[..]),
        ("numjobs=3\nper_job_logs=0\nlog_avg_msec=50", &joint[..]),
    ] {
        let place = TestFolder::new();
        let job = "[x]\nfilename=f\nsize=64k\nbs=4k\nrw=randrw\ntime_based\nruntime=1\nrate_iops=100,100\n";
        place.text("jobs.fio", &format!("{job}{logs}{options}\n"));
        let fio = Command::new("fio")
            .args(["--output=out", "jobs.fio"])
            .current_dir(place.folder())
            .output();
        let Ok(done) = fio else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        assert!(done.status.success(), "{done:?}");
        let words = "fio --no-record --destroy=f jobs.fio";
        // Somebody's table is no log of one job, though every line could be one's.
        for name in names.iter().filter(|_| names == one) {
            let as_left = read(&place, name);
            let mut lines: Vec<&[u8]> = as_left.split_inclusive(|byte| *byte == b'\n').collect();
            let first = usize::from(*name == "log");
            lines[first..].reverse();
            write(&place, name, &lines.concat());
            let refused = place.plimsoll(words).exits(1);
            assert!(refused.err.contains(name), "{name}: {}", refused.err);
            assert!(read(&place, name) == lines.concat(), "{name} has changed");
            write(&place, name, &as_left);
        }
        let before = names
            .iter()
            .map(|name| read(&place, name))
            .collect::<Vec<_>>();
        place.plimsoll(words).ok();
        for (name, before) in names.iter().zip(before) {
            assert!(read(&place, name) != before, "{options}: {name}");
        }
    }
}

#[test]
fn no_output_is_what_the_run_reads_or_another_output() {
    let place = TestFolder::new();
    place.text("jobs.fio", JOBS);
    write(&place, "f", &[7; 64 << 10]);
    run(&place, "normal", &[]).ok();
    let log = read(&place, "log");
    std::fs::hard_link(place.path("log"), place.path("same")).expect("a link");
    for (job, words, said) in [
        (
            "read_iolog=log\nwrite_iolog=log",
            "",
            "a log that is replayed",
        ),
        (
            "read_iolog=log\nwrite_iolog=same",
            "",
            "a log that is replayed",
        ),
        ("read_iolog=log", "--output=log", "a log that is replayed"),
        (
            "read_iolog=log\nwrite_iolog=new",
            "--output=new",
            "what --output names",
        ),
        (
            "read_iolog=log\nwrite_bw_log=n",
            "--output=n_bw.1.log",
            "what --output names",
        ),
        (
            "read_iolog=log\nwrite_bw_log=n\nwrite_iolog=n_bw.1.log",
            "",
            "the log of another job",
        ),
    ] {
        place.text("again.fio", &format!("[x]\nfilename=f\n{job}\n"));
        let words = [
            "fio --no-record --destroy=f --overwrite",
            words,
            "again.fio",
        ]
        .join(" ");
        let refused = place.plimsoll(&words).exits(1);
        assert!(refused.err.contains(said), "{job} {words}: {}", refused.err);
        assert!(read(&place, "log") == log, "{job} {words}");
        assert!(!place.path("n_bw.1.log").exists() && !place.path("new").exists());
    }
}
