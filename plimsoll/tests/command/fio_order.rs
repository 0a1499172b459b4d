//! Jobs that wait for others, and whose end ends others.

use crate::place::TestFolder;

#[test]
fn a_job_that_waits_writes_over_what_the_other_wrote() {
    let place = TestFolder::new();
    // The first takes long, and would overwrite what the second writes at once if that did not wait.
    place.text(
        "jobs.fio",
        "[global]\nioengine=psync\nfilename=f\nsize=1m\nbs=4k\nrw=write\n[a]\nbuffer_pattern=0x61\nthinktime=1ms\n\
         [b]\nwait_for=a\nbuffer_pattern=0x62\n[c]\nwait_for=b\nrw=read\nnumjobs=3\n",
    );
    let document = place
        .plimsoll("fio --output-format=json --no-record jobs.fio")
        .ok()
        .json();
    let bytes = std::fs::read(place.path("f")).expect("a file");
    assert!(bytes.len() == 1 << 20 && bytes.iter().all(|b| *b == b'b'));
    let jobs = document["jobs"].as_array().expect("jobs");
    let ios = |n: usize, direction: &str| jobs[n][direction]["total_ios"].as_u64();
    assert_eq!(
        (ios(0, "write"), ios(1, "write"), ios(4, "read")),
        (Some(256), Some(256), Some(256))
    );
    let planned = place.plimsoll("plan jobs.fio").ok();
    planned.says(&["begins when `a` has ended"]);
}

#[test]
fn one_that_is_through_ends_what_would_go_on() {
    let place = TestFolder::new();
    // Only the first ends by itself in anybody's lifetime; the last never begins.
    place.text(
        "jobs.fio",
        "[global]\nioengine=null\nsize=1g\nexitall\n[a]\nnumber_ios=200\nthinktime=1ms\nexit_what=all\n\
         [b]\ntime_based\nruntime=1000h\nrate_iops=1000\n[c]\ntime_based\nruntime=1000h\nnew_group\n[d]\nstonewall\n",
    );
    let document = place
        .plimsoll("fio --output-format=json --no-record jobs.fio")
        .ok()
        .json();
    let jobs = document["jobs"].as_array().expect("jobs");
    assert_eq!(jobs.len(), 3);
    assert_eq!(jobs[0]["read"]["total_ios"], 200);
    assert!(
        jobs[1..]
            .iter()
            .all(|job| job["read"]["total_ios"].as_u64() > Some(0))
    );
}
