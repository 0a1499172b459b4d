//! `plimsoll diskspd`: DiskSPD's flags, results and exit codes; and its profiles in the other commands.

use crate::place::{Done, MIB, TestFolder, typed};
use crate::serving::Lab;
use serde_json::Value;

/// DiskSPD's exit code for a command line that it refuses.
const REFUSED: Option<i32> = Some(3);

fn diskspd(place: &TestFolder, words: &[&str]) -> Done {
    place.plimsoll(&[&["diskspd"][..], words].concat())
}

/// The numbers of a `total:` line: bytes, I/Os, MiB/s, I/Os per second.
fn total(text: &str, table: &str) -> Vec<f64> {
    let (_, rest) = text.split_once(&format!("\n{table}\n")).expect("the table");
    let line = rest
        .lines()
        .find(|l| l.starts_with("total:"))
        .expect("its total");
    let cells = line.trim_start_matches("total:").split('|');
    cells.map(|c| c.trim().parse().expect("a number")).collect()
}

#[test]
fn a_seed_that_the_clock_gave_is_told_so_that_the_run_can_be_repeated() {
    let place = TestFolder::new();
    let words = typed("-z -c1M -b4K -r -W0 -d1 --record r.plim t.dat");
    let done = diskspd(&place, &words).ok();
    let reported = done
        .err
        .split("random seed is ")
        .nth(1)
        .expect("the seed is told");
    let reported: u64 = reported
        .split(';')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number");
    let shown = place.plimsoll("show r.plim --json").ok();
    let shown: Value = serde_json::from_str(&shown.out).expect("JSON");
    assert_eq!(shown["environment"]["seed"], reported, "{}", done.err);
}

#[test]
fn a_seed_of_the_clock_is_in_the_profile_that_is_printed() {
    let place = TestFolder::new();
    let done = diskspd(&place, &["-z", "-Rpxml", "t.dat"]).ok();
    let reported = done
        .err
        .split("random seed is ")
        .nth(1)
        .expect("it is told");
    let reported = reported.split(';').next().expect("a number");
    // Without it a profile would say 0.
    let element = format!("<RandSeed>{reported}</RandSeed>");
    done.says(&[&element]);
    place.text("p.xml", &done.out);
    let again = diskspd(&place, &["-Xp.xml", "-Rpxml"]).ok();
    assert_eq!(again.out, done.out);
}

#[test]
fn what_is_written_before_anything_is_measured_is_said() {
    let place = TestFolder::new();
    let made = std::fs::File::create(place.path("t.dat")).and_then(|file| file.set_len(1 << 20));
    made.expect("a file of one hole");
    let words = typed("-b4K -t1 -r -W0 -d1 --no-record t.dat");
    let first = diskspd(&place, &words).ok();
    first.warns(&["is written first"]);
    let again = diskspd(&place, &words).ok();
    assert!(!again.err.contains("is written first"), "{}", again.err);
}

#[test]
fn mapped_files_are_mapped() {
    let place = TestFolder::new();
    let words = typed("-c1M -b4K -Sm -t2 -r -w50 -Zr -W0 -d1 --record r.plim t.dat");
    let done = diskspd(&place, &words).ok();
    assert!(total(&done.out, "Total IO")[1] > 0.0, "{}", done.out);
    let shown = place.plimsoll("show r.plim --json").ok().json();
    assert_eq!(shown["environment"]["backend"], "mmap", "{shown:#}");
    let measured = shown["steps"].as_array().expect("steps").iter();
    let workers: Vec<&Value> = measured
        .filter(|s| s["fill"] == false)
        .map(|s| &s["workers"])
        .collect();
    assert_eq!(workers, [2], "a thread each");
}

#[test]
fn a_text_result_adds_up_and_is_what_the_record_says() {
    let place = TestFolder::new();
    let words = typed("-c8M -b4K -t2 -r -o4 -W0 -d1 -w30 -Zr -L -D250");
    let done = diskspd(
        &place,
        &[&words[..], &["--record", "r.plim", "t.dat"]].concat(),
    )
    .ok();
    let [all, read, write] = ["Total IO", "Read IO", "Write IO"].map(|t| total(&done.out, t));
    for at in 0..2 {
        assert_eq!(all[at], read[at] + write[at], "{}", done.out);
    }
    assert_eq!(all[0], all[1] * 4096.0, "bytes are I/Os of 4 KiB");
    let share = write[1] / all[1];
    assert!((0.2..0.4).contains(&share), "{share}");
    done.says(&[
        "Command Line: diskspd -c8M -b4K",
        "thread count:\t\t2\n",
        "\n9-nines |",
    ]);
    let shown = place.plimsoll("show r.plim --json").ok().json();
    let steps = shown["steps"].as_array().expect("steps");
    let measured = steps.iter().filter(|s| s["fill"] == false);
    let ios: f64 = measured.filter_map(|s| s["ios"].as_f64()).sum();
    assert_eq!(ios, all[1], "{shown:#}");
}

#[test]
fn results_are_read_back_by_the_audit_as_diskspd_s() {
    let place = TestFolder::new();
    let words = typed("-c8M -b8K -t2 -s -T4M -o1 -W0 -d1 -L -D200 -Su");
    for (form, name) in [("-Rtext", "out.txt"), ("-Rxml", "out.xml")] {
        let last = [form, "--no-record", "t.dat"];
        let done = diskspd(&place, &[&words[..], &last].concat()).ok();
        place.text(name, &done.out);
        let audited = place.plimsoll(&format!("audit {name} --json")).json();
        let result = &audited["results"][0];
        assert_eq!(result["tool"], "DiskSPD", "{audited:#}");
        assert_eq!(result["runs"], 1, "{audited:#}");
        let remarks = result["remarks"].as_array().expect("remarks");
        assert!(remarks.is_empty(), "{audited:#}");
        let text = place.plimsoll(&format!("audit {name}"));
        text.says(&["DiskSPD", "too-short"]);
        // Two threads in order, each with a line of its own, that begin apart.
        let threads = match form {
            "-Rxml" => done.out.matches("<Thread>").count(),
            _ => {
                done.out
                    .lines()
                    .filter(|l| l.contains("| t.dat (8MiB)"))
                    .count()
                    / 3
            }
        };
        assert_eq!(threads, 2, "{}", done.out);
        assert!(!text.out.contains("same-place"), "{text:#?}");
    }
}

#[test]
fn what_diskspd_refuses_exits_as_diskspd_does_and_touches_nothing() {
    let place = TestFolder::new();
    place.text("bad.xml", "<Profile><TimeSpans/></Profile>");
    for words in [
        &["-r", "-s", "-c1M", "t.dat"][..],
        &["-b4K", "-c1M"],
        &["-k", "-c1M", "t.dat"],
        &["-Xbad.xml"],
        &["-Xmissing.xml"],
        &["-c1M", "-Smw", "t.dat"],
        &["-c1M", "-ysgo", "t.dat"],
        &[],
    ] {
        let done = diskspd(&place, words);
        assert_eq!(done.code, REFUSED, "{done:#?}");
        assert!(!done.err.contains("panicked"), "{done:#?}");
        assert!(!format!("{}{}", done.out, done.err).is_empty());
    }
    assert_eq!(place.names(), ["bad.xml"]);
}

#[test]
fn data_of_others_is_safe_from_diskspd_s_lines_too() {
    let place = TestFolder::new();
    let path = place.foreign("mine", 4 << 20);
    let before = std::fs::read(&path).expect("readable");
    let words = ["-b4K", "-r", "-w100", "-W0", "-d1", "--no-record"];
    let done = diskspd(&place, &[&words[..], &["mine"]].concat()).exits(1);
    done.warns(&["--destroy"]);
    assert_eq!(std::fs::read(&path).expect("readable"), before);
    diskspd(
        &place,
        &[&words[..], &["--destroy", "mine", "mine"]].concat(),
    )
    .ok();
    assert_ne!(std::fs::read(&path).expect("readable"), before);
}

const PROFILE: &str = "<Profile>\n<TimeSpans>\n<TimeSpan>\n<Duration>1</Duration>\n<Warmup>0</Warmup>\n<Targets>\n<Target>\n\
                       <Path>*1</Path>\n<BlockSize>4096</BlockSize>\n<FileSize>4194304</FileSize>\n<Random>4096</Random>\n\
                       <WriteRatio>100</WriteRatio>\n<DisableOSCache>true</DisableOSCache>\n<IoRing>true</IoRing>\n\
                       <WriteBufferContent>\n<Pattern>zero</Pattern>\n</WriteBufferContent>\n</Target>\n</Targets>\n\
                       </TimeSpan>\n</TimeSpans>\n</Profile>\n";

#[test]
fn a_profile_runs_is_planned_and_linted_with_its_lines() {
    let place = TestFolder::new();
    place.text("p.xml", PROFILE);
    let planned = place.plimsoll("plan -f p.xml t.dat").ok();
    planned.warns(&["a DiskSPD profile", "<IoRing>"]);
    planned.says(&["t.dat"]);
    let linted = place.plimsoll("lint -f p.xml t.dat --format json").exits(1);
    let findings: Value = linted.json();
    let zeros = findings["findings"].as_array().expect("findings").iter();
    let zeros = zeros.filter(|f| f["rule"] == "PL012").collect::<Vec<_>>();
    assert_eq!(zeros.len(), 1, "{findings:#}");
    assert!(
        zeros[0].to_string().contains("16"),
        "its line: {}",
        zeros[0]
    );
    let done = diskspd(&place, &["-d1", "-Xp.xml", "--no-record", "t.dat"]).ok();
    assert!(total(&done.out, "Write IO")[1] > 0.0, "{done:#?}");
    let run = place.plimsoll("run -f p.xml t.dat --json --no-record");
    assert!(run.json()["steps"].is_array(), "{run:#?}");
    let none = place.plimsoll("plan -f p.xml");
    none.refused(&["template `*1`"]);
}

/// The trap of DiskSPD's own content: what it writes where nothing is said.
#[test]
fn content_that_was_left_out_is_found_at_its_target() {
    let place = TestFolder::new();
    place.text(
        "p.xml",
        &PROFILE.replace("<Pattern>zero</Pattern>", "<Pattern>sequential</Pattern>"),
    );
    let linted = place.plimsoll("lint -f p.xml t.dat");
    linted.says(&["PL013"]);
    let content = "<WriteBufferContent>\n<Pattern>zero</Pattern>\n</WriteBufferContent>\n";
    place.text("q.xml", &PROFILE.replace(content, ""));
    let linted = place.plimsoll("lint -f q.xml t.dat");
    linted.says(&["PL013", "q.xml:8"]);
}

#[test]
fn a_line_is_printed_as_a_profile_that_says_the_same() {
    let place = TestFolder::new();
    let line = typed("-c8M -b8K -t2 -rs80 -rdpct95/5 -w100 -o4 -g50i -Sh -Zr -W1 -d7");
    let printed = diskspd(&place, &[&line[..], &["-Rpxml", "t.dat"]].concat()).ok();
    place.text("p.xml", &printed.out);
    let again = diskspd(&place, &["-Xp.xml", "-Rp"]).ok();
    assert_eq!(again.out, printed.out);
    let planned = place.plimsoll("plan -f p.xml").ok();
    planned.says(&["80%"]);
    assert_eq!(place.names(), ["p.xml"]);
}

/// An array that refuses a block in the middle: DiskSPD ends with the first I/O that fails.
#[test]
fn the_first_failed_io_ends_it_and_is_named() {
    let place = TestFolder::new();
    let bad = 4 * MIB;
    let fault = format!(
        "[[faults]]\nat = \"0s\"\nfault = \"io-errors\"\nlun = 0\nfrom = {bad}\nto = {}\nop = \"read\"\n",
        bad + 4096
    );
    place.text("faults.toml", &fault);
    let array = typed("single-ssd --size 64m --no-timing --socket s");
    let _lab = Lab::serve(&place, &[&array[..], &["--faults", "faults.toml"]].concat());
    let words = typed("-b4K -s -o1 -W0 -d600 -Su -Rxml --no-record");
    let target = "nbd+unix:///single-ssd/lun0?socket=s";
    let flags = [&words[..], &["--allow-unwritten", target]].concat();
    let done = diskspd(&place, &flags).exits(1);
    done.warns(&[&format!("read of 4096 at {bad}")]);
    // What was measured before that is shown, or that nothing was.
    assert!(done.out.ends_with("</Results>\n"), "{done:#?}");
}

#[test]
fn help_lists_every_flag() {
    let place = TestFolder::new();
    for word in ["-?", "--help"] {
        let done = diskspd(&place, &[word]).ok();
        for flag in [
            "-bSIZE",
            "-rsPERCENT",
            "-R[p]text",
            "--destroy NAME",
            "-SSIZE",
        ] {
            assert_eq!(
                done.out.contains(flag),
                flag != "-SSIZE",
                "{flag}: {}",
                done.out
            );
        }
    }
}

/// The published trap: a file that -c made is all zeros, and its reader is told so until he says that he knows.
#[test]
fn a_new_file_is_left_with_zeros_and_its_reads_are_doubted_until_they_are_meant() {
    let place = TestFolder::new();
    let read = |more: &str| {
        place
            .plimsoll(&format!(
                "diskspd -c1M -b4K -r -W0 -d1 --record r.plim --overwrite {more} t.dat"
            ))
            .ok()
    };
    let first = read("");
    first.warns(&["is written first, with zeros", "PL012", "--allow-unwritten"]);
    assert!(!first.err.contains("D0152"), "{}", first.err);
    let bytes = std::fs::read(place.path("t.dat")).expect("readable");
    assert!(bytes.len() == 1 << 20 && bytes.iter().all(|b| *b == 0));
    // The file of an earlier run is looked at.
    let again = read("");
    again.warns(&["PL012"]);
    assert!(!again.err.contains("is written first"), "{}", again.err);
    let is_note = || {
        let audited = place.plimsoll("audit r.plim --json").json().to_string();
        let found = audited.split_once("\"rule\":\"PL012\",\"severity\":\"");
        found.expect("the finding").1.starts_with("note")
    };
    assert!(!is_note());
    read("--allow-unwritten");
    assert!(is_note());
}
