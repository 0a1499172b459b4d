//! A record that is taken away while the run writes it.

use crate::place::{Done, TestFolder, holds, typed};
use crate::underway::{Underway, interval_number};
use std::path::Path;

/// Runs for a while, harms the record once the fifth interval was shown, and lets the run end.
fn run_and(place: &TestFolder, harm: impl FnOnce(&Path)) -> Done {
    let words =
        typed("run null:1GiB --rate 1000 --for 4s --warmup 0s --interval 100ms --record r.plim");
    let mut run = Underway::start(place, &words);
    run.until_interval(5);
    harm(&place.path("r.plim"));
    run.end()
}

/// Every interval line without its time of day.
fn lines(text: &str) -> Vec<&str> {
    let is_line = |line: &&str| interval_number(line).is_some();
    let all = text.lines().filter(is_line);
    all.filter_map(|line| Some(line.split_once(' ')?.1))
        .collect()
}

/// The run went on in `r-rescued.plim`, which has every interval that was shown, and said so once.
fn assert_rescued(place: &TestFolder, done: &Done, why: &str) {
    assert_eq!(done.code, Some(0), "{done:#?}");
    let notes: Vec<&str> = done
        .err
        .lines()
        .filter(|l| l.starts_with("note: r.plim"))
        .collect();
    assert_eq!(notes.len(), 1, "{done:#?}");
    assert!(
        notes[0].contains(why) && notes[0].contains("saved in r-rescued.plim"),
        "{done:#?}"
    );
    let kept = place.plimsoll("show --intervals r-rescued.plim").ok();
    assert_eq!(lines(&kept.out), lines(&done.out));
    assert_eq!(lines(&kept.out).len(), 40, "{kept:#?}");
    assert!(!kept.out.contains("unfinished"), "{kept:#?}");
    // Why the record has another name is in it.
    let document = place.plimsoll("show --json r-rescued.plim").ok().json();
    let notes = document["environment"]["notes"].to_string();
    assert!(notes.contains(why), "{notes}");
    for name in place.names() {
        assert!(
            !name.ends_with("-wal") && !name.ends_with("-shm"),
            "{:?}",
            place.names()
        );
    }
}

fn beside(record: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = record.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

fn cut(path: &Path) {
    let file = std::fs::OpenOptions::new().write(true).open(path);
    file.expect("opens").set_len(0).expect("cut");
}

#[test]
fn a_record_that_is_removed_goes_on_beside_it() {
    let place = TestFolder::new();
    let done = run_and(&place, |r| std::fs::remove_file(r).expect("removed"));
    assert_rescued(&place, &done, "was removed or renamed");
}

#[test]
fn a_record_that_is_renamed_goes_on_beside_it() {
    let place = TestFolder::new();
    let done = run_and(&place, |r| {
        std::fs::rename(r, r.with_file_name("mine.plim")).expect("renamed");
    });
    assert_rescued(&place, &done, "was removed or renamed");
    assert!(place.path("mine.plim").exists());
}

#[test]
fn a_record_that_is_cut_short_goes_on_beside_it() {
    let place = TestFolder::new();
    let done = run_and(&place, cut);
    assert_rescued(&place, &done, "was cut from");
}

#[test]
fn a_file_that_took_the_records_place_is_left_as_it_is() {
    let place = TestFolder::new();
    place.quick("run null:1GiB -q --record other.plim").ok();
    let other = std::fs::read(place.path("other.plim")).expect("a record");
    // Both ways of replacing: another file under the name, and other bytes in the same file.
    for in_place in [false, true] {
        let done = run_and(&place, |r| match in_place {
            true => std::fs::write(r, &other).expect("written"),
            false => {
                std::fs::write(place.path("new"), &other).expect("written");
                std::fs::rename(place.path("new"), r).expect("renamed");
            }
        });
        let why = if in_place {
            "r.plim was "
        } else {
            "was replaced by another file"
        };
        assert_rescued(&place, &done, why);
        assert_eq!(std::fs::read(place.path("r.plim")).expect("there"), other);
        std::fs::remove_file(place.path("r.plim")).expect("removed");
        std::fs::remove_file(place.path("r-rescued.plim")).expect("removed");
    }
}

#[test]
fn a_record_that_is_only_touched_stays_where_it_is() {
    let place = TestFolder::new();
    let done = run_and(&place, |r| {
        let file = std::fs::File::options()
            .append(true)
            .open(r)
            .expect("opens");
        file.set_modified(std::time::SystemTime::UNIX_EPOCH)
            .expect("touched");
    });
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{done:#?}");
    assert_eq!(place.names(), ["r.plim"]);
    let kept = place.plimsoll("show --intervals r.plim").ok();
    assert_eq!(lines(&kept.out), lines(&done.out));
}

#[test]
fn a_log_or_an_index_that_is_taken_away_loses_nothing() {
    for (suffix, why) in [("-wal", "r.plim-wal was"), ("-shm", "r.plim-shm was")] {
        for remove in [true, false] {
            let place = TestFolder::new();
            let done = run_and(&place, |r| match remove {
                true => std::fs::remove_file(beside(r, suffix)).expect("removed"),
                false => cut(&beside(r, suffix)),
            });
            assert_rescued(&place, &done, why);
        }
    }
}

#[test]
fn a_log_that_somebody_writes_over_does_not_go_into_the_record_unseen() {
    let place = TestFolder::new();
    let done = run_and(&place, |r| {
        use std::os::unix::fs::FileExt;
        let log = std::fs::File::options().write(true).open(beside(r, "-wal"));
        let junk = vec![0xA5; 100_000];
        log.expect("opens")
            .write_all_at(&junk, 5000)
            .expect("written");
    });
    // What SQLite still holds decides whether it can be saved; it is said, and never 0 without a whole record.
    done.warns(&["r.plim-wal was overwritten"]);
    let is_saved = done.err.contains("saved in r-rescued.plim");
    assert_eq!(done.code, Some(if is_saved { 0 } else { 2 }), "{done:#?}");
    if is_saved {
        let shown = place.plimsoll("show --intervals r-rescued.plim").ok();
        assert_eq!(lines(&shown.out).len(), 40);
    }
}

#[test]
fn a_rescued_record_never_takes_a_name_that_is_there() {
    let place = TestFolder::new();
    place.text("r-rescued.plim", "mine");
    let done = run_and(&place, |r| std::fs::remove_file(r).expect("removed")).ok();
    done.warns(&["saved in r-rescued-2.plim"]);
    let kept = place.plimsoll("show --intervals r-rescued-2.plim").ok();
    assert_eq!(lines(&kept.out).len(), 40);
    assert_eq!(
        std::fs::read_to_string(place.path("r-rescued.plim")).expect("there"),
        "mine"
    );
}

/// Runs with its record in the folder `gone`, takes the folder away once that interval was shown, and lets the run end.
fn run_and_take_all(place: &TestFolder, words: &[&str], interval: &str) -> Done {
    std::fs::create_dir(place.path("gone")).expect("a folder");
    let words = [words, &["--record", "gone/r.plim"]].concat();
    let mut run = Underway::start(place, &words);
    run.until(|line| line.split_whitespace().nth(1) == Some(interval));
    std::fs::remove_dir_all(place.path("gone")).expect("removed");
    run.end()
}

#[test]
fn a_record_that_cannot_be_saved_is_said_and_the_run_does_not_end_well() {
    let place = TestFolder::new();
    let words = "run null:1GiB --rate 1000 --for 2s --warmup 0s --interval 100ms";
    let words: Vec<&str> = words.split(' ').collect();
    let done = run_and_take_all(&place, &words, "3").exits(2);
    done.warns(&[
        "the record ends here",
        "gone/r.plim was removed",
        "could not be saved",
    ]);
    // The measurement is worth more than its file.
    assert_eq!(lines(&done.out).len(), 20, "{done:#?}");
    done.says(&["\nrun "]);
}

#[test]
fn nor_does_a_vdbench_file_whose_record_cannot_be_saved() {
    let place = TestFolder::new();
    let job =
        "sd=sd1,lun=null:1GiB\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=100,elapsed=3,interval=1\n";
    place.text("job.parm", job);
    let words = ["vdbench", "-f", "job.parm", "-o", "out"];
    let done = run_and_take_all(&place, &words, "1").exits(157);
    done.warns(&[
        "error: not all of the run is in its record",
        "gone/r.plim was removed",
    ]);
    done.says(&["avg_2-3"]);
    let log = std::fs::read_to_string(place.path("out/logfile.html")).expect("written");
    for printed in [&done.out, &log] {
        holds!(printed, "Vdbench execution failed: not all");
        assert!(!printed.contains("completed successfully"), "{printed}");
    }
}
