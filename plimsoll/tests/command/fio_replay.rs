//! Logs of I/Os that are replayed: what is issued is what the log says, with the real fio beside it, and every guard of a target
//! holds for what a log names.

use crate::place::TestFolder;
use std::process::Command;

/// The I/Os of a log of version 3, without their times.
fn ios(text: &str) -> Vec<String> {
    let untimed = text.lines().skip(1).filter_map(|line| line.split_once(' '));
    let is_io = |rest: &&str| rest.split(' ').count() == 4;
    let ios = untimed.map(|(_, rest)| rest).filter(is_io);
    ios.map(str::to_string).collect()
}

fn times(text: &str) -> Vec<u64> {
    let ios = text.lines().skip(1).filter(|l| l.split(' ').count() == 5);
    let time = |line: &str| line.split(' ').next().and_then(|t| t.parse().ok());
    ios.filter_map(time).collect()
}

fn read(place: &TestFolder, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Replays `log` with these options and returns what was issued.
fn replayed(place: &TestFolder, log: &str, options: &str, flags: &[&str]) -> String {
    place.text(
        "replay.fio",
        &format!("[r]\nread_iolog={log}\nwrite_iolog=again\n{options}\n"),
    );
    let words = [&["fio", "--no-record", "replay.fio"], flags].concat();
    place.plimsoll(&words).ok();
    read(place, "again")
}

const LOG: &str = "fio version 3 iolog\n0 data add\n0 data open\n1000 data write 8192 4096\n1500 data read 0 512\n\
                   30000 data sync 0 0\n31000 data write 512 1024\n120000 data trim 4096 4096\n250000 data read 12288 8192\n250000 data close\n";

#[test]
fn what_was_written_down_is_done_again() {
    let place = TestFolder::new();
    place.text(
        "a.fio",
        "[global]\nsize=256k\nwrite_iolog=log\n[mixed]\nrw=randrw\nbsrange=512-16k\nfilename=one:two\nfsync=7\nioengine=libaio\niodepth=4\n",
    );
    place.plimsoll("fio --no-record a.fio").ok();
    let log = read(&place, "log");
    assert!(ios(&log).len() > 20, "{log}");
    for options in [
        "",
        "replay_no_stall=1",
        "ioengine=libaio\niodepth=1\nreplay_no_stall=1",
    ] {
        let again = replayed(&place, "log", options, &[]);
        assert_eq!(ios(&again), ios(&log), "{options}");
    }
}

#[test]
fn a_log_takes_its_time_and_a_part_of_it_where_that_is_asked_for() {
    let place = TestFolder::new();
    place.text("log", LOG);
    place.foreign("data", 64 << 10);
    let due = [1000, 1500, 30_000, 31_000, 120_000, 250_000];
    for (options, percent) in [("", 100), ("replay_time_scale=200", 200)] {
        let again = replayed(&place, "log", options, &["--destroy=data"]);
        assert_eq!(ios(&again), ios(LOG));
        // Never before its time; how long after is the host's doing.
        let early = times(&again)
            .iter()
            .zip(due)
            .any(|(at, due)| *at < due * 100 / percent);
        assert!(!early, "{again}");
    }
    let again = replayed(
        &place,
        "log",
        "replay_skip=trim,sync\nreplay_scale=2\nreplay_align=512",
        &["--destroy=data"],
    );
    let expected = [
        "write 4096 4096",
        "read 0 512",
        "write 0 1024",
        "read 6144 8192",
    ];
    assert_eq!(ios(&again), expected.map(|io| format!("data {io}")));
    let null = LOG.replace("0 data add", "0 none add\n0 data add");
    place.text("null", &null);
    let again = replayed(&place, "null", "ioengine=null", &[]);
    assert_eq!(ios(&again), ios(&LOG.replace(" data ", " r.0.0 ")));
    let again = replayed(&place, "log", "replay_redirect=other", &[]);
    assert_eq!(ios(&again), ios(&LOG.replace(" data ", " other ")));
    assert_eq!(
        std::fs::metadata(place.path("other")).expect("made").len(),
        20_480
    );
}

/// I/Os that the real fio has issued: its debug output says each I/O of a log as it takes it.
fn real(place: &TestFolder, log: &str, options: &[&str]) -> Option<Vec<String>> {
    let out = Command::new("fio")
        .args(["--name=r", "--thread", "--debug=io", "--bs=64k"])
        .arg(format!("--read_iolog={log}"))
        .args(options)
        .current_dir(place.folder())
        .output()
        .ok()?;
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let io = |line: &str| {
        let (_, rest) = line.split_once("iolog: get ")?;
        let mut parts = rest.trim().splitn(3, '/');
        let (offset, length, file) = (parts.next()?, parts.next()?, parts.next()?);
        Some(format!("{file} {offset} {length}"))
    };
    Some(text.lines().filter_map(io).collect())
}

#[test]
fn the_real_fio_takes_the_same_from_the_same_logs() {
    let place = TestFolder::new();
    place.foreign("a", 1 << 20);
    place.foreign("b", 1 << 20);
    // What a log only adds is no target.
    place.foreign("c", 4096);
    let two = "fio version 2 iolog\na add\nb add\na open\na write 4096 8192\nb open\nb read 0 512\na sync 0 0\nb wait 60 0\n\
               b write 65536 4096\na read 131072 65536\nb close\na close\n";
    let three = "fio version 3 iolog\n0 c add\n0 a add\n0 a open\n0 b add\n0 b open\n100 b read 512 1024\n900 a write 8192 512\n\
                 2000 b datasync 0 0\n2500 a read 20480 4096\n2600 a close\n2700 b close\n";
    place.text("two", two);
    place.text("three", three);
    for (log, files, options) in [
        ("two", 2, vec![]),
        ("three", 2, vec![]),
        ("three", 2, vec!["--replay_no_stall=1"]),
        ("two", 2, vec!["--replay_scale=2", "--replay_align=4k"]),
        ("three", 1, vec!["--replay_redirect=a"]),
    ] {
        let Some(truth) = real(&place, log, &options) else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        let leave: &[&str] = match files {
            1 => &["--destroy=a"],
            _ => &["--destroy=a", "--destroy=b"],
        };
        let job: Vec<&str> = options.iter().map(|o| o.trim_start_matches('-')).collect();
        let again = replayed(&place, log, &job.join("\n"), leave);
        let own = ios(&again).into_iter().map(|io| {
            let words: Vec<&str> = io.split(' ').collect();
            format!("{} {} {}", words[0], words[2], words[3])
        });
        assert_eq!(own.collect::<Vec<_>>(), truth, "{log} {options:?}");
    }
}

#[test]
fn each_clone_does_all_of_its_log_once() {
    let place = TestFolder::new();
    let read_only = LOG.replace("write", "read").replace("trim", "read");
    place.text("log", &read_only);
    place.foreign("data", 64 << 10);
    let again = replayed(&place, "log", "numjobs=3", &[]);
    let mut thrice = [ios(&read_only), ios(&read_only), ios(&read_only)].concat();
    let mut own = ios(&again);
    thrice.sort();
    own.sort();
    assert_eq!(own, thrice);
}

#[test]
fn what_a_log_names_is_guarded_as_any_target() {
    let place = TestFolder::new();
    let job = |log: &str| {
        place.text("log", log);
        place.text("r.fio", "[r]\nread_iolog=log\n");
        place.plimsoll("fio --no-record r.fio")
    };
    let writes = |name: &str| format!("fio version 2 iolog\n{name} add\n{name} write 0 4096\n");
    let bytes = std::fs::read(place.foreign("precious", 64 << 10)).expect("there");
    std::fs::hard_link(place.path("precious"), place.path("hard")).expect("a link");
    std::os::unix::fs::symlink(place.path("precious"), place.path("soft")).expect("a link");
    for name in ["precious", "hard", "soft"] {
        let done = job(&writes(name)).exits(1);
        assert!(done.err.contains("--destroy"), "{name}: {}", done.err);
    }
    let passwd = std::fs::read("/etc/passwd").expect("there");
    let done = job(&writes("/etc/passwd")).exits(1);
    done.warns(&["/etc/passwd"]);
    assert_eq!(std::fs::read("/etc/passwd").expect("there"), passwd);
    // A device is judged as a device; one that is no target at all is refused.
    let done = job(&writes("/dev/null")).exits(1);
    done.warns(&["/dev/null"]);
    // Of several files the one that nobody gave leave for stops all.
    place.foreign("mine", 64 << 10);
    let both =
        "fio version 2 iolog\nmine add\nprecious add\nmine write 0 4096\nprecious write 0 4096\n";
    place.text("log", both);
    let done = place
        .plimsoll("fio --no-record --destroy=mine r.fio")
        .exits(1);
    done.warns(&["precious"]);
    assert_eq!(std::fs::read(place.path("precious")).expect("there"), bytes);
    // To read it needs no leave; beyond its end there is nothing to read.
    job("fio version 2 iolog\nprecious add\nprecious read 0 4096\n").ok();
    let done = job("fio version 2 iolog\nprecious add\nprecious read 65536 4096\n").exits(1);
    done.warns(&["precious"]);
    assert_eq!(std::fs::read(place.path("precious")).expect("there"), bytes);
}

#[test]
fn a_log_is_shown_before_it_is_replayed_and_measured_by_plimsoll_run() {
    let place = TestFolder::new();
    place.text("log", LOG);
    place.text("r.fio", "[r]\nread_iolog=log\n");
    let shown = place.plimsoll("plan r.fio").ok();
    for part in [
        "as in log, at its times, in 250ms",
        "1 sync",
        "until 5 I/Os",
    ] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    let run = place.plimsoll("run --no-record --json -f r.fio").ok();
    let steps = run.json()["steps"].clone();
    let last = steps
        .as_array()
        .and_then(|s| s.last())
        .expect("a step")
        .clone();
    assert_eq!(last["name"], "r", "{last}");
    let toml = place.plimsoll("convert --to toml r.fio").ok();
    place.text("r.toml", &toml.out);
    let again = place.plimsoll("plan r.toml").ok();
    again.says(&["as in log, at its times, in 250ms"]);
    let bad = LOG.replace("31000 data write 512 1024", "31000 data write 512");
    place.text("log", &bad);
    let done = place.plimsoll("lint r.fio").exits(2);
    done.warns(&["r.fio:2:1", "line 7"]);
}

#[test]
fn several_files_that_are_not_there_are_made_and_filled_before_a_log_reads_them() {
    let place = TestFolder::new();
    place.text(
        "log",
        "fio version 3 iolog\n0 m1 add\n0 m2 add\n0 m1 read 0 4096\n5 m2 write 0 4096\n9 m2 read 61440 4096\n",
    );
    place.text("r.fio", "[r]\nread_iolog=log\n");
    let done = place.plimsoll("fio --no-record r.fio").exits(1);
    done.warns(&["m1 does not exist"]);
    place.text("r.fio", "[r]\nread_iolog=log\nfilesize=64k\n");
    place.plimsoll("fio --no-record r.fio").ok();
    for name in ["m1", "m2"] {
        let bytes = std::fs::read(place.path(name)).expect("made");
        assert_eq!(bytes.len(), 64 << 10, "{name}");
        let empty = bytes
            .chunks(4096)
            .position(|block| block.iter().all(|b| *b == 0));
        assert_eq!(empty, None, "{name}");
    }
}
