//! Numbers that no host could carry out are refused with the limit; those within it are carried out.

use crate::place::{QUICK, TestFolder, typed};

/// Flags, and parts of the sentence that refuses them.
const REFUSED: &str = "\
--rate 10000M => 10,000,000,000/s | 1,000,000,000/s or less
--rate 1e400 => --rate
--interval 10us => 10us, is too short | 10ms or more
--interval 9999us => 10ms or more
--for 1000000h => is too long | 36500d or less
--warmup 99999999999999999d => too large
--warmup 1000000h => warm-up | 36500d or less
--depth 1000000000 => 1000000000 | 1048576 or less
--depth 200000 --workers 100000 => 100000 workers | 4096 or fewer
--block 2g => I/Os of 2GiB | 1GiB or less
--read 0 --block 1g --depth 100000 => needs 102400000 MiB of memory | are available
--for 100000000000s --interval 1s => too large
--for 36500d --interval 10ms => intervals | 4294967295 or fewer";

#[test]
fn what_no_host_could_do_is_refused_with_the_limit() {
    let place = TestFolder::new();
    for line in REFUSED.lines() {
        let (flags, parts) = line.split_once(" => ").expect("two sides");
        let parts: Vec<&str> = parts.split(" | ").collect();
        let done = place.plimsoll(&format!("run null:8g --no-record {flags}"));
        assert!(!done.err.contains("panicked"), "{done:#?}");
        done.refused(&parts);
        assert_eq!(place.names(), Vec::<String>::new());
    }
    // Each synchronous I/O in flight is a thread; the file that would have been made for them is not.
    let words = ["run", "data", "--size", "1m", "--backend", "psync"];
    place
        .plimsoll(&[&words[..], &["--block", "4k", "--depth", "100000"]].concat())
        .refused(&["100000 threads", "4096 or less"]);
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn both_languages_name_the_place_and_the_limit() {
    let place = TestFolder::new();
    let native = |run: &str| {
        format!("[target.t]\npath = \"null:8g\"\n[workload.w]\nblock = \"4k\"\n[[run]]\n{run}\n")
    };
    for (run, parts) in [
        (
            "load = [\"100\", \"2000M\"]",
            &["a.toml:6", "1,000,000,000/s or less"][..],
        ),
        (
            "load = \"max\"\ninterval = \"1ms\"",
            &["a.toml:7", "10ms or more"],
        ),
        (
            "load = \"max\"\nfor = \"90000d\"",
            &["a.toml:7", "36500d or less"],
        ),
        (
            "load = \"max\"\ndepth = 4000000000",
            &["a.toml:7", "1048576 or less"],
        ),
    ] {
        place.text("a.toml", &native(run));
        place.plimsoll("run a.toml --no-record").refused(parts);
        place.plimsoll("plan a.toml").refused(parts);
    }
    let vdbench = |wd: &str, rd: &str| {
        format!("sd=sd1,lun=null:8g\nwd=wd1,sd=sd1,xfersize=4k{wd}\nrd=rd1,wd=wd1,{rd}\n")
    };
    for (wd, rd, parts) in [
        (
            "",
            "iorate=2000000000,elapsed=4,interval=1",
            &["a.parm:3", "1,000,000,000/s or less"][..],
        ),
        (
            "",
            "iorate=max,elapsed=99999999999,interval=1",
            &["a.parm:3", "36500d or less"],
        ),
        (
            ",threads=9999999",
            "iorate=max,elapsed=4,interval=1",
            &["a.parm:2", "must be 1 to 1000000"],
        ),
        (
            ",xfersize=2g",
            "iorate=max,elapsed=4,interval=1",
            &["a.parm:2", "1GiB or less"],
        ),
        (
            "",
            "iorate=max,elapsed=4,interval=1,forxfersize=(512-1m,1)",
            &["a.parm:3", "100000"],
        ),
        (
            "",
            "iorate=max,elapsed=4,interval=1,forthreads=(1-1000,1),forrdpct=(1-100,1),forxfersize=(4k,8k,16k)",
            &["200000"],
        ),
    ] {
        place.text("a.parm", &vdbench(wd, rd));
        let done = place.plimsoll("vdbench -f a.parm -o out").exits(157);
        for part in parts {
            assert!(done.err.contains(part), "`{part}`: {done:#?}");
        }
        assert_eq!(place.names(), ["a.parm", "a.toml"], "{done:#?}");
    }
}

#[test]
fn loops_over_many_streams_are_refused_before_they_are_made() {
    let place = TestFolder::new();
    let mut text = String::new();
    for n in 0..100 {
        text += &format!("[target.t{n}]\npath = \"null:1g\"\n[workload.w{n}]\nblock = \"4k\"\n");
    }
    let depths: Vec<String> = (1..=100).map(|n| n.to_string()).collect();
    text += &format!("[[run]]\nload = \"max\"\ndepth = [{}]\n", depths.join(", "));
    place.text("a.toml", &text);
    place.plimsoll("plan a.toml").refused(&[
        "1000000 streams",
        "500000 or fewer",
        "looped over here",
    ]);
}

#[test]
fn a_schedule_far_above_what_can_be_issued_ends_in_time() {
    let place = TestFolder::new();
    let words = typed("run null:1GiB --rate 1000M --workers 1 --json");
    let words = [&words[..], &QUICK, &["--record", "r.plim"]].concat();
    let document = place.plimsoll(&words).ok().json();
    let step = &document["steps"][0];
    assert_eq!(step["end"], "elapsed", "{step:#}");
    assert_eq!(step["offered_iops"], 1e9, "{step:#}");
    let record = plimsoll_record::Record::open(&place.path("r.plim")).expect("a record");
    let intervals = record.intervals(1).expect("intervals");
    for interval in intervals.iter().filter(|i| i.counts()) {
        let due = interval.stats.streams[0].due as f64 / interval.length_ns as f64;
        assert!((due - 1.0).abs() < 0.001, "due {due} a nanosecond");
    }
}
