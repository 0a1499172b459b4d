//! Errors are told as they happen, not only at the end. The truth is the fault's own time, on an array in virtual time.

use crate::place::{TestFolder, holds, typed};
use std::fs::File;

/// An array whose reads fail from 1.5 s to 2.5 s. A hundred are asked for each second, so 50 fail in the second interval
/// and 50 in the third.
fn failing(place: &TestFolder) {
    place.text(
        "mine.toml",
        "name = \"mine\"\nabout = \"Fails for a second\"\nscale = 1.0\n[luns]\ncount = 1\ngib = 0.25\n\
         [ports]\ncount = 1\npaths = 1\nmib_s = 1e9\ncommand_us = 0.0\n\
         [latency]\nread_us = 250.0\nwrite_us = 250.0\n\
         [[faults]]\nat = \"1.5s\"\nfault = \"io-errors\"\nfor = \"1s\"\n",
    );
}

/// Standard output and standard error as they come, in one text.
fn together(place: &TestFolder, words: &[&str]) -> String {
    let log = File::create(place.path("log")).expect("a file");
    let mut command = place.command(words);
    command.stdout(log.try_clone().expect("the same file"));
    command.stderr(log);
    command.status().expect("it ran");
    std::fs::read_to_string(place.path("log")).expect("text")
}

/// `i` for an interval's line, `f` for a failure's with its place, `c` for a count of them.
fn order(text: &str, failure: &str, is_interval: impl Fn(&str) -> bool) -> String {
    let letter = |line: &str| match line {
        l if l.contains(failure) && l.contains("EIO") => Some('f'),
        l if l.contains("so far") || l.contains("are listed") => Some('c'),
        l if is_interval(l) => Some('i'),
        _ => None,
    };
    text.lines().filter_map(letter).collect()
}

#[test]
fn a_run_tells_the_first_failures_before_their_interval_and_then_their_number() {
    let place = TestFolder::new();
    failing(&place);
    let words = typed(
        "run lab:./mine.toml --rate 100 --arrival even --for 4s --warmup 0s --max-errors 500 \
         --no-record",
    );
    let interval = |l: &str| crate::underway::interval_number(l).is_some();
    let text = together(&place, &words);
    assert_eq!(order(&text, "failed: ", interval), "ifffciii", "{text}");
    let quiet = together(&place, &[&words[..], &["--quiet"]].concat());
    let reported = quiet.lines().filter(|l| l.starts_with("failed: "));
    assert_eq!(reported.count(), 4, "{quiet}");
}

#[test]
fn vdbench_s_console_and_log_have_each_error_before_its_interval_with_its_own_time() {
    let place = TestFolder::new();
    failing(&place);
    place.text(
        "job.parm",
        "data_errors=500\nsd=sd1,lun=lab:./mine.toml,threads=4\nwd=wd1,sd=sd1,xfersize=4k,rdpct=100\n\
         rd=rd1,wd=wd1,iorate=100,distribution=deterministic,elapsed=4,interval=1\n",
    );
    let text = together(&place, &["vdbench", "-f", "job.parm", "-o", "out"]);
    let interval = |l: &str| {
        l.split_whitespace()
            .nth(1)
            .is_some_and(|n| n.parse::<u32>().is_ok())
    };
    let reported = order(&text, "op: read", interval);
    assert_eq!(reported, format!("i{}iiic", "f".repeat(50)), "{text}");
    holds!(text, "100 I/Os of RD=rd1 failed; the first 50 are listed");
    let log = std::fs::read_to_string(place.path("out/errorlog.html")).expect("a log");
    let errors: Vec<&str> = log.lines().filter(|l| l.contains("op: read")).collect();
    assert_eq!(errors.len(), 50);
    for line in errors {
        let (reported, rest) = line.split_once(" localhost-0: ").expect("two times");
        assert!(
            &rest[..12] <= reported,
            "it happened before it was told: {line}"
        );
        assert!(
            rest[12..].starts_with(" op: read   lun: lab:./mine.toml"),
            "{line}"
        );
    }
}
