//! A program whose C library hands out another time than the kernel's, as under faketime.

use crate::place::{Done, TestFolder};
use std::process::{Command, Stdio};

/// The monotonic clock of the C library at twice its speed; all others are the kernel's.
const TWICE: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long began;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int result = syscall(SYS_clock_gettime, clock, t);
    if (result == 0 && clock == CLOCK_MONOTONIC) {
        long long now = t->tv_sec * 1000000000LL + t->tv_nsec;
        if (!began)
            began = now;
        now += now - began;
        t->tv_sec = now / 1000000000;
        t->tv_nsec = now % 1000000000;
    }
    return result;
}
";

/// The library, made in a place; `None`, and a reason said, where there is no compiler, or none for what the program is linked with.
fn library(place: &TestFolder) -> Option<std::path::PathBuf> {
    if cfg!(not(target_env = "gnu")) {
        plimsoll_skipped::skipped!("the program is linked with its C library, and takes no other");
        return None;
    }
    let (source, library) = (place.text("twice.c", TWICE), place.path("twice.so"));
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source);
    match compiler.status() {
        Ok(status) if status.success() => Some(library),
        _ => {
            plimsoll_skipped::skipped!("no C compiler is here");
            None
        }
    }
}

#[test]
fn a_clock_at_twice_its_speed_is_seen_by_the_kernels() {
    let place = TestFolder::new();
    let Some(library) = library(&place) else {
        return;
    };
    let words = "run file --size 8m --read 100 --depth 1 --for 2s --warmup 0s --claim burst --json --no-record";
    let run = |preload: Option<&std::path::Path>| {
        let mut program = place.command(words);
        program.stdin(Stdio::null());
        if let Some(library) = preload {
            program.env("LD_PRELOAD", library);
        }
        let output = program.output().expect("it runs");
        let done = Done::new(&output, &[words]);
        let rules = done.json()["findings"].clone();
        let rules = rules.as_array().into_iter().flatten();
        let found = rules.filter(|f| f["rule"] == "PL155");
        let said: Vec<String> = found.map(|f| f["message"].to_string()).collect();
        said
    };
    assert_eq!(run(None), [""; 0]);
    let [said] = &run(Some(&library))[..] else {
        panic!("one finding");
    };
    let speed = said
        .split(" ran ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let speed: f64 = speed.and_then(|speed| speed.parse().ok()).expect(said);
    // The two clocks are read one after the other, and the process may have to wait between.
    assert!((1.5..2.5).contains(&speed), "{said}");
}
