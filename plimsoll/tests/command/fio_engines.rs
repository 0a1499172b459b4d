//! Jobs of several of fio's engines in one step, and maps of files.

use crate::place::{TestFolder, holds, typed};
use serde_json::Value;
use std::process::Command;

const JOBS: &str = "[global]\nsize=1m\nbs=4k\nrw=write\n\
                    [a]\nioengine=psync\nfilename=f\nbuffer_pattern=0x61\n\
                    [b]\nioengine=mmap\nfilename=g\nbuffer_pattern=0x62\nfsync=16\n\
                    [c]\nioengine=libaio\nfilename=h\ndirect=1\nbuffer_pattern=0x63\n\
                    [d]\nstonewall\nioengine=mmap\nfilename=f\nrw=randread\nnumjobs=2\nrate_iops=2000\n";

fn backends(document: &Value) -> Vec<(String, String)> {
    let targets = document["environment"]["targets"]
        .as_array()
        .expect("targets");
    let word = |target: &Value, key: &str| target[key].as_str().unwrap_or_default().to_string();
    targets
        .iter()
        .map(|t| (word(t, "location"), word(t, "backend")))
        .collect()
}

#[test]
fn each_job_is_done_by_its_own_engine() {
    let place = TestFolder::new();
    place.text("jobs.fio", JOBS);
    let document = place
        .plimsoll(&["fio", "--output-format=json", "--record=r.plim", "jobs.fio"])
        .ok()
        .json();
    for (job, direction, ios) in [
        (0, "write", 256),
        (1, "write", 256),
        (2, "write", 256),
        (3, "read", 256),
        (4, "read", 256),
    ] {
        assert_eq!(document["jobs"][job][direction]["total_ios"], ios, "{job}");
        assert_eq!(document["jobs"][job]["error"], 0, "{job}");
    }
    for (file, byte) in [("f", b'a'), ("g", b'b'), ("h", b'c')] {
        let bytes = std::fs::read(place.path(file)).expect("a file");
        assert!(
            bytes.len() == 1 << 20 && bytes.iter().all(|b| *b == byte),
            "{file}"
        );
    }
    let shown = place.plimsoll(&["show", "r.plim", "--json"]).ok().json();
    let each = backends(&shown);
    let backend = |of: &str| {
        let own = each.iter().filter(|(at, _)| at.ends_with(of));
        own.map(|(_, name)| name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(backend("g"), ["mmap"], "{each:?}");
    assert_eq!(backend("h"), ["libaio"], "{each:?}");
    assert_eq!(backend("f"), ["psync", "mmap"], "{each:?}");
}

#[test]
fn a_file_that_is_cut_off_under_its_map_ends_the_run_and_not_the_process() {
    let place = TestFolder::new();
    // 4 MiB are there, and the command takes half of them away before anything is read.
    place.text(
        "jobs.fio",
        "[x]\nioengine=mmap\nfilename=f\nsize=4m\nbs=4k\nrw=read\nthinktime=2ms\n[y]\nioengine=null\nsize=4k\n\
         exec_prerun=(sleep 0.5 && truncate -s 2m f) > /dev/null 2>&1 &\n",
    );
    let done = place
        .plimsoll(
            "fio --output-format=json --no-record --allow-commands --commands-may-write . jobs.fio",
        )
        .exits(1);
    done.warns(&["1 I/O failed"]);
}

/// The flags with which a program sets its rings up, as strace shows them.
fn ring_flags(place: &TestFolder, program: &str, words: &[&str]) -> Option<(String, String)> {
    let traced = Command::new("strace")
        .args(["-f", "-e", "trace=io_uring_setup", "-o", "trace", program])
        .args(words)
        .current_dir(place.folder())
        .output();
    let traced = traced.ok().filter(|out| out.status.success())?;
    let calls = std::fs::read_to_string(place.path("trace")).ok()?;
    let printed = [traced.stdout, traced.stderr].concat();
    Some((calls, String::from_utf8_lossy(&printed).into_owned()))
}

const POLLED: &str = "--name=j --filename=f --size=1m --bs=4k --rw=randread --ioengine=io_uring --direct=1 --iodepth=4 --fixedbufs";

#[test]
fn the_kernels_thread_takes_submissions_where_a_job_asks_for_it_as_fios_does() {
    let place = TestFolder::new();
    std::fs::write(place.path("f"), vec![7; 1 << 20]).expect("writable");
    let job = [&typed(POLLED)[..], &["--sqthread_poll", "--registerfiles"]].concat();
    let own = env!("CARGO_BIN_EXE_plimsoll");
    let ours = ring_flags(&place, own, &[&["fio"], &job[..]].concat());
    let (Some((ours, printed)), Some((real, _))) = (ours, ring_flags(&place, "fio", &job)) else {
        return plimsoll_skipped::skipped!("strace or fio: neither of both is to be traced here");
    };
    for calls in [&ours, &real] {
        assert!(calls.contains("IORING_SETUP_SQPOLL"), "{calls}");
    }
    holds!(printed, "issued rwts: total=256,0,0,0");
    assert!(!printed.contains("warning"), "{printed}");
}

#[test]
fn a_job_polls_for_completions_where_its_device_can_be_polled_and_says_so_where_not() {
    let place = TestFolder::new();
    std::fs::write(place.path("f"), vec![7; 1 << 20]).expect("writable");
    let job = [&["fio"], &typed(POLLED)[..], &["--hipri"]].concat();
    let Some((calls, printed)) = ring_flags(&place, env!("CARGO_BIN_EXE_plimsoll"), &job) else {
        return plimsoll_skipped::skipped!("strace or fio: neither of both is to be traced here");
    };
    // The real fio fails each I/O on a device that cannot be polled.
    let real = Command::new("fio")
        .args(&job[1..])
        .current_dir(place.folder())
        .output();
    let is_polled = match real {
        Ok(out) => out.status.success(),
        Err(error) => return plimsoll_skipped::skipped!("fio: {error}"),
    };
    // The first ring of all asks what the kernel has, the last ones do the I/O.
    let last = calls
        .lines()
        .rfind(|call| call.contains("io_uring_setup"))
        .expect("a ring");
    assert_eq!(last.contains("IORING_SETUP_IOPOLL"), is_polled, "{calls}");
    assert_eq!(
        printed.contains("f cannot be polled"),
        !is_polled,
        "{printed}"
    );
    holds!(printed, "issued rwts: total=256,0,0,0");
}
