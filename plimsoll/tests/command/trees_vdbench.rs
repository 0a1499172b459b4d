//! `plimsoll vdbench` on file systems: lines, columns and pages, beside the real Vdbench.

use crate::beside_vdbench::real;
use crate::place::TestFolder;
use crate::trees::{count, found, run_real};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// Four reads at random places of a file at a time, writes of whole files, and names; then creates.
fn parameters(anchor: &str) -> String {
    format!(
        "fsd=f1,anchor={anchor}1,depth=2,width=2,files=10,size=64k\n\
         fsd=f2,anchor={anchor}2,depth=1,width=2,files=5000,size=4k\n\
         fwd=default,fsd=f1,xfersize=4k,threads=2\n\
         fwd=w1,operation=read,fileio=random,fileselect=random,stopafter=4\n\
         fwd=w2,operation=write,fileio=sequential,fileselect=sequential\n\
         fwd=w3,operation=getattr\nfwd=w4,operation=setattr\nfwd=w5,operation=access\n\
         fwd=w6,fsd=f2,operation=create\n\
         rd=default,elapsed=4,interval=1,distribution=deterministic\n\
         rd=r1,fwd=(w1-w5),fwdrate=1000,format=yes\n\
         rd=r2,fwd=w6,fwdrate=400,format=directories\n"
    )
}

/// Words of a line, by the titles of their columns.
type Row = BTreeMap<String, String>;

/// Words of the average line of each run in a flat file, by the titles of their columns.
fn averages(folder: &Path) -> BTreeMap<String, Row> {
    let text = std::fs::read_to_string(folder.join("flatfile.html")).expect("a flat file");
    let mut lines = text.lines();
    let is_titles = |l: &&str| l.trim_start().starts_with("tod ");
    let titles: Vec<&str> = lines
        .by_ref()
        .find(is_titles)
        .expect("titles")
        .split_whitespace()
        .collect();
    let row = |l: &str| -> Row {
        let words = titles.iter().zip(l.split_whitespace());
        words.map(|(t, w)| (t.to_string(), w.to_string())).collect()
    };
    let averages = lines.filter(|l| l.contains(" avg_")).map(row);
    averages.map(|row| (row["Run"].clone(), row)).collect()
}

fn number(row: &Row, title: &str) -> f64 {
    row[title].parse().unwrap_or(f64::NAN)
}

/// Lines of titles that a run's console begins with, without the date.
fn titles(console: &str) -> Vec<String> {
    let mut lines = console
        .lines()
        .skip_while(|l| !l.contains(" Starting RD=r1;"));
    let first = lines.find(|l| l.contains("..Interval..")).expect("titles");
    [first, lines.next().expect("titles")]
        .map(|line| line[12..].to_string())
        .to_vec()
}

fn starts(console: &str) -> Vec<String> {
    let starting = console
        .lines()
        .filter_map(|l| l.split_once(" Starting RD="));
    starting.map(|(_, run)| run.to_string()).collect()
}

const OPERATIONS: [&str; 5] = ["Read", "Write", "Getattr", "Setattr", "Access"];

/// Seconds by which the times of a tree's files are ahead of now.
fn ahead(root: &Path) -> Vec<f64> {
    let entries = std::fs::read_dir(root.join("vdb.1_1.dir")).expect("a directory");
    let now = SystemTime::now();
    let of = |entry: std::io::Result<std::fs::DirEntry>| {
        let time = entry.and_then(|e| e.metadata()).and_then(|m| m.modified());
        let ahead = time.expect("a time").duration_since(now);
        ahead.map_or(0.0, |ahead| ahead.as_secs_f64())
    };
    entries.map(of).collect()
}

/// Vdbench means a year, and counts its seconds as milliseconds.
#[test]
fn setattr_sets_the_time_that_the_real_vdbench_sets() {
    let place = TestFolder::new();
    let text = |anchor: &str| {
        format!(
            "fsd=f1,anchor={},depth=1,width=1,files=3,size=4k\n\
             fwd=w1,fsd=f1,operation=setattr,fileselect=sequential\n\
             rd=r1,fwd=w1,fwdrate=50,elapsed=2,interval=1,format=yes\n",
            place.path(anchor).display()
        )
    };
    place.text("ours.parm", &text("ours"));
    place
        .plimsoll(&["vdbench", "-f", "ours.parm", "-o", "out"])
        .ok();
    // An hour either way is no matter: it is not now, nor in a year.
    let is_as_set = |root: &str| {
        let ahead = ahead(&place.path(root));
        ahead.len() == 3 && ahead.iter().all(|s| (s - 31_536.0).abs() < 3_600.0)
    };
    assert!(is_as_set("ours"), "{:?}", ahead(&place.path("ours")));
    let Some(program) = real() else {
        plimsoll_skipped::skipped!("Vdbench is not installed");
        return;
    };
    std::fs::create_dir(place.path("theirs")).expect("a folder");
    place.text("theirs.parm", &text("theirs"));
    run_real(&place, &program, "theirs.parm", "real");
    assert!(is_as_set("theirs"), "{:?}", ahead(&place.path("theirs")));
}

/// Each copy of a file of four transfers deletes the one in whose place it is put. The real Vdbench copies only what it verifies.
#[test]
fn copies_are_counted_as_the_real_vdbench_counts_them() {
    let place = TestFolder::new();
    let text = |anchor: &str| {
        let fsd = |n: u8| {
            let anchor = place.path(anchor).display().to_string();
            format!("fsd=f{n},anchor={anchor}{n},depth=1,width=2,files=5,size=64k\n")
        };
        format!(
            "{}{}fwd=w1,fsd=f2,operation=getattr\n\
             fwd=w2,fsd=f1,target=f2,operation=copy,xfersize=16k,threads=2,fileselect=random\n\
             rd=default,elapsed=3,interval=1\n\
             rd=r1,fwd=w1,fwdrate=10,format=(yes,only)\nrd=r2,fwd=w2,fwdrate=50,format=yes\n",
            fsd(1),
            fsd(2)
        )
    };
    place.text("ours.parm", &text("ours"));
    let ours = place
        .plimsoll(&["vdbench", "-f", "ours.parm", "-o", "out"])
        .ok();
    let is_as_it_is = |row: &Row| {
        let each = [
            ("Read", 4.0),
            ("Write", 4.0),
            ("Open", 2.0),
            ("Close", 2.0),
            ("Delete", 1.0),
            ("Create", 0.0),
        ];
        for (operation, each) in each {
            let part = number(row, &format!("{operation}_rate")) / number(row, "Rate");
            assert!((part - each).abs() <= 0.05 * each, "{operation}: {row:?}");
        }
    };
    is_as_it_is(&averages(&place.path("out"))["r2"]);
    let files = |root: &str| -> Vec<Vec<u8>> {
        let file = |n: u8| {
            place
                .path(root)
                .join(format!("vdb.1_1.dir/vdb_f000{n}.file"))
        };
        (0..5)
            .map(|n| std::fs::read(file(n)).expect("a file"))
            .collect()
    };
    // Of a hundred and fifty draws among ten files, some of five have come.
    let same = files("ours1").into_iter().zip(files("ours2"));
    assert!(same.filter(|(one, other)| one == other).count() > 0);
    let Some(program) = real() else {
        plimsoll_skipped::skipped!("Vdbench is not installed");
        return;
    };
    for tree in ["theirs1", "theirs2"] {
        std::fs::create_dir(place.path(tree)).expect("a folder");
    }
    place.text("theirs.parm", &format!("validate=yes\n{}", text("theirs")));
    let theirs = run_real(&place, &program, "theirs.parm", "real");
    is_as_it_is(&averages(&place.path("real"))["r2"]);
    assert_eq!(starts(&ours.out), starts(&theirs));
    let of_copies =
        |console: &str| titles(&console.replace(" Starting RD=r2;", " Starting RD=r1;"));
    assert_eq!(of_copies(&ours.out), of_copies(&theirs));
}

#[test]
fn operations_are_counted_as_the_real_vdbench_counts_them() {
    let place = TestFolder::new();
    let anchor = |whose: &str| place.path(whose).display().to_string();
    place.text("ours.parm", &parameters(&anchor("ours")));
    let ours = place
        .plimsoll(&["vdbench", "-f", "ours.parm", "-o", "out"])
        .ok();
    let own = averages(&place.path("out"));
    // By their part of the rate: how much of the rate a busy machine lets through is no matter of the counts.
    let part = |row: &Row, title: &str| number(row, title) / number(row, "Rate");
    // A column that is 0 there is 0 here.
    let near = |a: f64, b: f64| (a - b).abs() <= 0.02 * b + if b > 0.0 { 0.004 } else { 0.0 };
    let first = &own["r1"];
    for operation in OPERATIONS {
        let rate = part(first, &format!("{operation}_rate"));
        assert!(near(rate, 0.2), "{operation}: {first:?}");
        assert!(
            number(first, &format!("{operation}_resp")) > 0.0,
            "{first:?}"
        );
    }
    // A reader leaves a file after 4 transfers, and a writer after its 16 blocks; each thread may be in a file when an interval ends.
    for handle in ["Open_rate", "Close_rate"] {
        let expected = 0.2 / 4.0 + 0.2 / 16.0;
        assert!(near(part(first, handle), expected), "{first:?}");
    }
    let rate = number(first, "Rate");
    assert!(rate > 0.0, "{first:?}");
    assert!(
        near(number(first, "MB_read"), 0.2 * rate / 256.0),
        "{first:?}"
    );
    let second = &own["r2"];
    for title in ["Create_rate", "Open_rate", "Close_rate"] {
        assert!(near(part(second, title), 1.0), "{title}: {second:?}");
    }
    // Of 40 files, made and filled once each.
    assert!(
        ours.out.contains("Starting RD=format_for_r1\n"),
        "{ours:#?}"
    );
    let files = std::fs::read_to_string(place.path("out/f1.html")).expect("a page");
    assert!(files.contains("avg_2-4"), "{files}");

    let Some(program) = real() else {
        plimsoll_skipped::skipped!("Vdbench is not installed");
        return;
    };
    for tree in ["theirs1", "theirs2"] {
        std::fs::create_dir(place.path(tree)).expect("a folder");
    }
    place.text("theirs.parm", &parameters(&anchor("theirs")));
    let theirs = run_real(&place, &program, "theirs.parm", "real");
    assert_eq!(titles(&ours.out), titles(&theirs));
    assert_eq!(starts(&ours.out), starts(&theirs));
    let real = averages(&place.path("real"));
    for (run, row) in [("r1", first), ("r2", second)] {
        let told = &real[run];
        let titles: Vec<&String> = told.keys().collect();
        assert_eq!(row.keys().collect::<Vec<_>>(), titles);
        for (title, _) in told.iter().filter(|(t, _)| t.ends_with("_rate")) {
            let (a, b) = (part(row, title), part(told, title));
            assert!(near(a, b), "{run}, {title}: {a} here, {b} there");
        }
        assert_eq!(row["Interval"], told["Interval"]);
        assert_eq!(row["Reqrate"], told["Reqrate"]);
        assert_eq!(row["Xfersize"], told["Xfersize"]);
    }

    // Its own reader reads ours.
    let read = Command::new(&program)
        .args([
            "parseflat",
            "-i",
            "out/flatfile.html",
            "-o",
            "read.csv",
            "-a",
        ])
        .args(["-c", "run", "rate", "Write_rate", "Access_resp"])
        .current_dir(place.folder())
        .output()
        .expect("it starts");
    let csv = std::fs::read_to_string(place.path("read.csv")).unwrap_or_default();
    let line = csv.lines().find(|l| l.starts_with("r1,"));
    let line = line.unwrap_or_else(|| panic!("{csv}\n{read:?}"));
    let words: Vec<&str> = line.split(',').collect();
    assert_eq!(
        words[1].parse::<f64>().ok(),
        Some(number(first, "Rate")),
        "{csv}"
    );
}

/// A file of 16 transfers, by fours: the real Vdbench leaves one out each time that it goes on, so that the fourth open does one.
#[test]
fn a_file_that_is_gone_on_with_is_opened_as_often_as_by_the_real_vdbench() {
    let place = TestFolder::new();
    let text = |anchor: &str| {
        format!(
            "fsd=f1,anchor={},depth=1,width=2,files=10,size=64k\n\
             fwd=w1,fsd=f1,operation=read,fileio=sequential,fileselect=sequential,xfersize=4k,stopafter=4\n\
             rd=r1,fwd=w1,fwdrate=300,format=yes,elapsed=4,interval=1\n",
            place.path(anchor).display()
        )
    };
    let is_as_it_is = |folder: &str| {
        let row = &averages(&place.path(folder))["r1"];
        let transfers = number(row, "Read_rate") / number(row, "Open_rate");
        assert!((transfers - 13.0 / 4.0).abs() < 0.4, "{folder}: {row:?}");
    };
    place.text("ours.parm", &text("ours"));
    let words = ["vdbench", "-f", "ours.parm", "-o", "out"];
    place.plimsoll(&words).ok();
    is_as_it_is("out");
    let Some(program) = real() else {
        plimsoll_skipped::skipped!("Vdbench is not installed");
        return;
    };
    std::fs::create_dir(place.path("theirs")).expect("a folder");
    place.text("theirs.parm", &text("theirs"));
    run_real(&place, &program, "theirs.parm", "real");
    is_as_it_is("real");
}

/// Vdbench says so of each such format, complete or not.
#[test]
fn a_limited_format_ends_as_that_of_the_real_vdbench() {
    let place = TestFolder::new();
    let text = |anchor: &str| {
        format!(
            "fsd=f1,anchor={},depth=1,width=2,files=5,size=64k\nfwd=w1,fsd=f1,operation=read\n\
             rd=r1,fwd=w1,fwdrate=100,format=(restart,limited,only),elapsed=3,interval=1\n",
            place.path(anchor).display()
        )
    };
    let says = "Format run terminated because of 'format=(only,limited)' request";
    place.text("ours.parm", &text("ours"));
    let ours = place
        .plimsoll(&["vdbench", "-f", "ours.parm", "-o", "out"])
        .ok();
    assert!(ours.out.contains(says), "{ours:#?}");
    let page = std::fs::read_to_string(place.path("out/logfile.html")).expect("a page");
    assert!(page.contains(says), "{page}");
    let Some(program) = real() else {
        plimsoll_skipped::skipped!("Vdbench is not installed");
        return;
    };
    std::fs::create_dir(place.path("theirs")).expect("a folder");
    place.text("theirs.parm", &text("theirs"));
    let theirs = run_real(&place, &program, "theirs.parm", "real");
    assert!(theirs.contains(says), "{theirs}");
    assert_eq!(starts(&ours.out), starts(&theirs));
}

/// The real Vdbench's slave stops at the first copy: `open failed`.
#[test]
fn copies_into_a_file_system_that_nobody_formats_are_refused() {
    let place = TestFolder::new();
    let fsd = |n: u8| {
        let anchor = place.path(&format!("t{n}")).display().to_string();
        format!("fsd=f{n},anchor={anchor},depth=1,width=2,files=5,size=64k\n")
    };
    let text = format!(
        "{}{}fwd=w1,fsd=f1,target=f2,operation=copy,xfersize=16k\nrd=r1,fwd=w1,fwdrate=50,elapsed=2,interval=1,format=yes\n",
        fsd(1),
        fsd(2)
    );
    place.text("a.parm", &text);
    let told = place
        .plimsoll(&["vdbench", "-f", "a.parm", "-o", "out"])
        .exits(157);
    assert!(
        told.err.contains("t2 lacks directories") && told.err.contains("open failed"),
        "{told:#?}"
    );
    assert!(!place.path("t2").exists());
}

/// Files are taken in order where nobody says otherwise, and in order each is copied once: ten copies, and the run is over.
#[test]
fn copies_in_the_usual_order_end_when_each_file_was_copied_as_those_of_the_real_vdbench() {
    let place = TestFolder::new();
    let text = |anchor: &str| {
        let fsd = |n: u8| {
            let anchor = place.path(anchor).display().to_string();
            format!("fsd=f{n},anchor={anchor}{n},depth=1,width=2,files=5,size=64k\n")
        };
        format!(
            "{}{}fwd=w1,fsd=f2,operation=getattr\nfwd=w2,fsd=f1,target=f2,operation=copy,xfersize=16k\n\
             rd=default,interval=1\nrd=r1,fwd=w1,fwdrate=10,format=(yes,only),elapsed=3\n\
             rd=r2,fwd=w2,fwdrate=50,format=yes,elapsed=600\n",
            fsd(1),
            fsd(2)
        )
    };
    // Who is not through waits ten minutes.
    let are_alike = |root: &str| {
        let files = |n: u8| -> Vec<Vec<u8>> {
            let of = |file: u8| {
                let directory = place.path(&format!("{root}{n}/vdb.1_1.dir"));
                std::fs::read(directory.join(format!("vdb_f000{file}.file"))).expect("a file")
            };
            (0..5).map(of).collect()
        };
        assert_eq!(files(1), files(2));
    };
    place.text("ours.parm", &text("ours"));
    place
        .plimsoll(&["vdbench", "-f", "ours.parm", "-o", "out"])
        .ok();
    are_alike("ours");
    let Some(program) = real() else {
        plimsoll_skipped::skipped!("Vdbench is not installed");
        return;
    };
    for tree in ["theirs1", "theirs2"] {
        std::fs::create_dir(place.path(tree)).expect("a folder");
    }
    place.text("theirs.parm", &format!("validate=yes\n{}", text("theirs")));
    let told = run_real(&place, &program, "theirs.parm", "real");
    assert!(
        told.contains("Files copied:") && told.contains(" 10 "),
        "{told}"
    );
}

/// One file, of which a reader and a writer never let go: each does all that it is asked, as in the real Vdbench, where the file is
/// shared. Where it is not, one of them finds nothing to work on.
#[test]
fn a_file_is_shared_by_threads_where_fileio_says_so_and_else_is_one_threads() {
    let place = TestFolder::new();
    let counted = |fileio: &str, anchor: &str| {
        let text = format!(
            "fsd=f1,anchor={},depth=1,width=1,files=1,size=64k\n\
             fwd=default,fsd=f1,xfersize=4k,fileio={fileio},fileselect=random,stopafter=100000\n\
             fwd=w1,operation=read\nfwd=w2,operation=write\n\
             rd=r1,fwd=w*,fwdrate=200,format=yes,elapsed=3,interval=1,distribution=deterministic\n",
            place.path(anchor).display()
        );
        place.text("a.parm", &text);
        let words = ["run", "a.parm", "--json", "--no-record", "-q"];
        let done = place.plimsoll(&words).ok().json();
        // The first of three seconds does not count.
        ["read", "write"].map(|op| count(&done["steps"][1], op))
    };
    // A machine that others keep busy ends some of them late.
    let shared = counted("(random,shared)", "shared");
    assert!(shared.iter().all(|n| (150..=200).contains(n)), "{shared:?}");
    assert!(counted("random", "alone").contains(&0));
}

/// A mebibyte a second, of which the first does not count: the third second passes one and a half, and the fourth is the last. The real
/// Vdbench ends so too, `after next interval`.
#[test]
fn an_amount_of_data_ends_a_run_with_the_interval_behind_the_one_that_passes_it() {
    let place = TestFolder::new();
    let text = format!(
        "fsd=f1,anchor={},depth=1,width=1,files=4,size=64k\n\
         fwd=w1,fsd=f1,operation=write,xfersize=16k,fileio=sequential,fileselect=sequential,threads=2\n\
         rd=r1,fwd=w1,fwdrate=64,format=yes,elapsed=30,interval=1,distribution=deterministic,maxdata=1536k\n",
        place.path("t").display()
    );
    place.text("a.parm", &text);
    let words = ["run", "a.parm", "--json", "--no-record", "-q"];
    let done = place.plimsoll(&words).ok().json();
    let written = count(&done["steps"][1], "write");
    // On a busy machine what was due in the first second may be done in the second one, which passes the amount then; and whoever is told
    // late of an interval's end ends the run later.
    assert!(
        written % 64 == 0 && (128..=640).contains(&written),
        "{written}"
    );
    std::fs::remove_dir_all(place.path("t")).expect("removed");
    let told = place
        .plimsoll(&["vdbench", "-f", "a.parm", "-o", "out"])
        .ok();
    assert!(told.out.contains(" rd=r1 shutting down."), "{told:#?}");
}

/// Whoever waits for more waits ten minutes.
#[test]
fn a_workload_that_will_find_nothing_more_to_do_ends_as_in_the_real_vdbench() {
    let place = TestFolder::new();
    let says = "ended when nothing was left to do";
    let parameters = |anchor: &str, operations: &[&str], format: &str| {
        let anchor = place.path(anchor).display().to_string();
        let mut text = format!("fsd=f1,anchor={anchor},depth=1,width=2,files=20,size=4k\n");
        for (at, operation) in operations.iter().enumerate() {
            text += &format!("fwd=w{at},fsd=f1,operation={operation},threads=2\n");
        }
        text + &format!("rd=r1,fwd=*,fwdrate=max,format={format},elapsed=600,interval=1\n")
    };
    for (operations, format) in [
        (&["delete"][..], "yes"),
        (&["delete", "getattr"], "yes"),
        (&["rmdir"], "directories"),
        (&["create"], "directories"),
        (&["create"], "yes"),
        (&["mkdir"], "yes"),
    ] {
        let anchor = format!("{}-{format}", operations.join("-"));
        place.text("ours.parm", &parameters(&anchor, operations, format));
        let told = place.plimsoll(&["vdbench", "-f", "ours.parm", "-o", "out"]);
        let told = told.exits(0);
        let hangs = told.err.contains("PL403");
        assert!(
            told.err.contains(says) && !hangs,
            "{operations:?}: {told:#?}"
        );
        std::fs::remove_dir_all(place.path("out")).expect("removed");
        let Some(program) = real() else {
            plimsoll_skipped::skipped!("Vdbench is not installed");
            continue;
        };
        std::fs::create_dir_all(place.path("theirs")).expect("a folder");
        place.text("theirs.parm", &parameters("theirs", operations, format));
        let theirs = run_real(&place, &program, "theirs.parm", "real");
        assert!(theirs.contains("Shutting down threads"), "{theirs}");
        assert_eq!(found(&place.path(&anchor)), found(&place.path("theirs")));
    }
    place.text("none.parm", &parameters("none", &["read"], "no"));
    let told = place.plimsoll(&["vdbench", "-f", "none.parm", "-o", "out"]);
    let says_where = [
        "no format= makes it",
        "none.parm:1:8",
        "say format=yes once",
    ];
    told.exits(157).warns(&says_where);
    let words = "run t --tree files=9 --operations delete=50,stat=50 --for 10m --caching buffered";
    let told = place.plimsoll(&words.split(' ').collect::<Vec<_>>());
    assert!(told.out.contains(says), "{told:#?}");
    assert_eq!(found(&place.path("t")).len(), 1);
}

#[test]
fn a_run_formats_the_tree_whose_numbers_it_gives() {
    let place = TestFolder::new();
    let text = format!(
        "fsd=f1,anchor={},depth=1,width=1\nfwd=w1,fsd=f1,operation=getattr\n\
         rd=r1,fwd=w1,fwdrate=50,format=yes,elapsed=2,interval=1,depth=2,width=3,files=2,sizes=8k\n",
        place.path("t").display()
    );
    place.text("a.parm", &text);
    place.plimsoll(&["run", "a.parm", "--no-record", "-q"]).ok();
    let there = found(&place.path("t"));
    let files = there.values().filter(|size| **size == Some(8 << 10));
    // Three directories with three in each, which have two files each.
    assert_eq!((there.len(), files.count()), (3 + 9 + 18, 18));
}

/// Files of a tree by a trace of system calls: (opened to be read, all of them with O_DIRECT), (opened to be written, any of them with
/// O_DIRECT), and flushed.
fn opened(trace: &str) -> ((usize, bool), (usize, bool), usize) {
    let of_files = |calls: &[&str]| -> Vec<&str> {
        let lines = trace.lines().filter(|line| line.contains("/vdb_f0"));
        lines
            .filter(|line| calls.iter().any(|call| line.contains(call)))
            .collect()
    };
    let is_direct = |line: &&str| line.contains("O_DIRECT");
    let opens = of_files(&[" openat(", " openat2("]);
    let (reads, writes): (Vec<&str>, Vec<&str>) =
        opens.iter().partition(|line| line.contains("O_RDONLY"));
    (
        (reads.len(), reads.iter().all(&is_direct)),
        (writes.len(), writes.iter().any(is_direct)),
        of_files(&[" fsync("]).len(),
    )
}

/// Written files are flushed whenever they are closed, but for one that is only made; reads go around the page cache.
#[test]
fn workloads_of_one_fsd_open_its_files_each_in_its_own_way_as_in_the_real_vdbench() {
    let place = TestFolder::new();
    if !crate::syncs::may_trace() {
        return;
    }
    let traced = |name: &str, before: &[&str], program: &str, words: &[&str]| {
        let anchor = place.path(name).display().to_string();
        let text = format!(
            "fsd=f1,anchor={anchor},depth=1,width=1,files=4,size=64k\n\
             fwd=default,fsd=f1,xfersize=16k,fileio=sequential,fileselect=sequential\n\
             fwd=w1,operation=write,openflags=fsync\nfwd=w2,operation=read,openflags=o_direct\n\
             rd=r1,fwd=w*,fwdrate=40,format=yes,elapsed=2,interval=1\n"
        );
        place.text(&format!("{name}.parm"), &text);
        let trace = format!("{name}.trace");
        let file = format!("{name}.parm");
        let done = Command::new("env")
            .args(before)
            .args(["strace", "-f", "-y", "-e", "trace=openat,openat2,fsync"])
            .args(["-o", &trace, program])
            .args(words)
            .args(["-f", &file, "-o", &format!("out.{name}")])
            .current_dir(place.folder())
            .output()
            .expect("it starts");
        assert!(done.status.success(), "{done:?}");
        let trace = std::fs::read_to_string(place.path(&trace)).expect("a trace");
        let ((reads, reads_are_direct), (writes, any_write_is_direct), flushed) = opened(&trace);
        assert!(reads > 0 && reads_are_direct, "{name}: {trace}");
        assert!(writes > 8 && !any_write_is_direct, "{name}: {trace}");
        assert_eq!(flushed, writes - 4, "{name}: {trace}");
    };
    traced("ours", &[], env!("CARGO_BIN_EXE_plimsoll"), &["vdbench"]);
    let Some(program) = real() else {
        plimsoll_skipped::skipped!("Vdbench is not installed");
        return;
    };
    std::fs::create_dir(place.path("theirs")).expect("a folder");
    let apart = [
        "unshare",
        "-n",
        "sh",
        "-c",
        "ip link set lo up; exec \"$@\"",
        "sh",
    ];
    traced("theirs", &apart, &program.to_string_lossy(), &[]);
}
