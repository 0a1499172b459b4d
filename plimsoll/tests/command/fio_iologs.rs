//! Logs of each I/O, in fio's words, beside those of the real fio.

use crate::place::TestFolder;
use std::process::Command;

/// Rest of a log's lines, behind their times.
fn untimed(text: &str) -> Vec<String> {
    let rest = |line: &str| {
        line.split_once(' ')
            .map_or("", |(_, rest)| rest)
            .to_string()
    };
    text.lines().skip(1).map(rest).collect()
}

fn times(text: &str) -> Vec<u64> {
    let first = |line: &str| line.split(' ').next().and_then(|t| t.parse().ok());
    text.lines().skip(1).filter_map(first).collect()
}

fn read(place: &TestFolder, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Output of the real fio for a job file; `None` where it is not here.
fn real(place: &TestFolder, words: &[&str]) -> Option<String> {
    let out = Command::new("fio")
        .args(words)
        .current_dir(place.folder())
        .output()
        .ok()?;
    assert!(out.status.success(), "{words:?}: {out:?}");
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

#[test]
fn a_log_of_each_io_has_the_lines_of_the_real_fio_s() {
    for (job, name) in [
        ("rw=write\nfsync=4\nend_fsync=0", "writes and syncs"),
        ("rw=read:8k", "gaps"),
        ("rw=write\noffset=64k\nverify=crc32c", "read back"),
    ] {
        let (ours, theirs) = (TestFolder::new(), TestFolder::new());
        let text = format!("[x]\nfilename=data\nsize=128k\nbs=4k\n{job}\nwrite_iolog=log\n");
        for place in [&ours, &theirs] {
            place.text("a.fio", &text);
            std::fs::write(place.path("data"), vec![7; 256 << 10]).expect("a file");
        }
        ours.plimsoll("fio --no-record --destroy=data a.fio").ok();
        let own = read(&ours, "log");
        assert!(
            own.starts_with("fio version 3 iolog\n0 data add\n"),
            "{own}"
        );
        assert!(times(&own).is_sorted(), "{own}");
        if real(&theirs, &["a.fio"]).is_none() {
            return plimsoll_skipped::skipped!("fio is not installed");
        }
        // fio opens and closes a file as it syncs and verifies, gives a sync the address before it, and reads back in another order.
        let ios = |text: &str| {
            let line = |l: String| match l.contains(" sync ") {
                true => "data sync".to_string(),
                false => l,
            };
            let is_io = |l: &String| l.split(' ').count() == 4;
            let mut all: Vec<String> = untimed(text).into_iter().filter(is_io).map(line).collect();
            if name == "read back" {
                all.sort();
            }
            // fio syncs before the next write, so that none follows the last.
            all.pop_if(|last| last == "data sync");
            all
        };
        assert_eq!(ios(&own), ios(&read(&theirs, "log")), "{name}");
    }
}

#[test]
fn the_real_fio_replays_what_several_jobs_on_several_files_have_done() {
    let place = TestFolder::new();
    place.text(
        "a.fio",
        "[global]\nsize=64k\nbs=4k\nwrite_iolog=log\n[w]\nrw=write\nfilename=one:two\n[r]\nstonewall\nrw=randread\nfilename=one\nfilesize=32k\n\
         size=32k\nnumjobs=2\nioengine=libaio\niodepth=4\n",
    );
    let run = place.plimsoll("fio --no-record a.fio").ok();
    run.warns(&["3 jobs write log"]);
    let log = read(&place, "log");
    assert!(times(&log).is_sorted(), "{log}");
    let count = |word: &str| log.matches(&format!(" {word} ")).count();
    assert_eq!((count("write"), count("read")), (16, 16), "{log}");
    place.text("r.fio", "[r]\nread_iolog=log\n");
    let Some(done) = real(&place, &["r.fio"]) else {
        return plimsoll_skipped::skipped!("fio is not installed");
    };
    assert!(done.contains("issued rwts: total=16,16,0,0"), "{done}");
}

#[test]
fn a_log_of_each_io_replaces_its_like_and_nothing_else() {
    let place = TestFolder::new();
    let job = |log: &str| {
        let text = format!("[x]\nioengine=null\nsize=64k\nwrite_iolog={log}\n");
        place.text("jobs.fio", &text);
    };
    let run = || place.plimsoll("fio --no-record jobs.fio");
    job("log");
    run().ok();
    run().ok();
    assert_eq!(read(&place, "log").lines().count(), 20);
    place.text("log", "what somebody wrote\n");
    let refused = run().exits(1);
    refused.warns(&["log: it is there"]);
    assert_eq!(read(&place, "log"), "what somebody wrote\n");
    place.text(
        "jobs.fio",
        "[x]\nfilename=data\nsize=64k\nrw=write\nwrite_iolog=data\n",
    );
    let refused = run().exits(1);
    refused.warns(&["it is a target"]);
    place.text(
        "jobs.fio",
        "[x]\nfilename=da ta\nsize=64k\nrw=write\nwrite_iolog=l\n",
    );
    let refused = run().exits(1);
    refused.warns(&["has blanks"]);
    assert!(!place.path("l").exists() && !place.path("da ta").exists());
    job("");
    let refused = run().exits(1);
    refused.warns(&["has no value"]);
    job("log2");
    let done = place.plimsoll("run jobs.fio --no-record").ok();
    done.warns(&["written by plimsoll fio"]);
}

/// Of a file of 1 MiB a tenth is 25 blocks and a half.
#[test]
fn a_percentage_of_a_file_of_unknown_size_is_read_in_whole_blocks_as_fio_does() {
    for (part, blocks) in [
        ("size=10%", 25),
        ("size=33%", 84),
        ("size=33%\noffset=33%", 84),
    ] {
        let place = TestFolder::new();
        std::fs::write(place.path("data"), vec![7; 1 << 20]).expect("a file");
        let text =
            |log: &str| format!("[x]\nfilename=data\nbs=4k\nrw=read\n{part}\nwrite_iolog={log}\n");
        place.text("ours.fio", &text("ours"));
        place.text("theirs.fio", &text("theirs"));
        place.plimsoll("fio --no-record ours.fio").ok();
        let reads = |log: &str| -> Vec<String> {
            let lines = untimed(&read(&place, log)).into_iter();
            lines.filter(|line| line.contains(" read ")).collect()
        };
        let own = reads("ours");
        assert!(
            own.len() == blocks && own.iter().all(|line| line.ends_with(" 4096")),
            "{part}: {own:?}"
        );
        // Behind an offset the real one begins a block later.
        if real(&place, &["theirs.fio"]).is_some() {
            let theirs = reads("theirs");
            let skipped = usize::from(part.contains("offset"));
            assert_eq!(own[skipped..], theirs[..theirs.len() - skipped], "{part}");
        }
    }
}
