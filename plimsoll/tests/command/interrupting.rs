//! The first SIGINT finishes the interval and writes everything down; a second leaves at once.

use crate::place::{TestFolder, soon, typed};
use crate::underway::Underway;
use rustix::process::Signal;

#[test]
fn an_interrupt_finishes_the_interval_and_reports_what_there_is() {
    let place = TestFolder::new();
    let words = typed(
        "run null:1GiB --rate 1000 --workers 1 --for 60s --warmup 0s --interval 100ms \
         --record r.plim",
    );
    let mut run = Underway::start(&place, &words);
    run.until_interval(2);
    run.interrupt();
    let done = run.end().exits(2);
    done.says(&["achieved"]);
    done.warns(&["interrupted"]);
    let record = plimsoll_record::Record::open(&place.path("r.plim")).expect("a record");
    assert_eq!(record.status(), &plimsoll_record::RunStatus::Interrupted);
    let intervals = record.intervals(1).expect("intervals");
    assert!(
        intervals.len() >= 3,
        "the one that was going on is kept, too: {}",
        intervals.len()
    );
    assert!(
        // What a busy host had still in flight then has a drain behind them.
        (intervals.iter().filter(|i| i.counts())).all(|i| i.length_ns >= 99_000_000),
        "an interval was cut short"
    );
    let document = place.plimsoll("show --json r.plim").ok().json();
    assert_eq!(document["status"], "interrupted");
    assert_eq!(document["steps"][0]["end"], "interrupted");
}

/// Ten million times as much as can be issued: counting what is missed does not keep the worker from seeing the order.
#[test]
fn a_schedule_that_nothing_can_keep_is_interrupted_as_any_other() {
    let place = TestFolder::new();
    let words = typed("run null:1GiB --rate 1000M --workers 1 --for 60s");
    let words = [
        &words[..],
        &["--warmup", "0s", "--interval", "100ms", "--no-record"],
    ]
    .concat();
    let mut run = Underway::start(&place, &words);
    run.until_interval(2);
    run.signal(Signal::TERM);
    let done = run.end().exits(2);
    done.says(&["achieved"]);
    done.warns(&["interrupted"]);
}

#[test]
fn an_interrupt_in_the_warm_up_shows_no_numbers_of_nothing() {
    let place = TestFolder::new();
    let words = typed(
        "run null:1GiB --rate 1000 --workers 1 --for 60s --warmup 60s --interval 100ms \
         --record r.plim",
    );
    let mut run = Underway::start(&place, &words);
    run.until(|line| line.split_whitespace().nth(1) == Some("w2"));
    run.interrupt();
    let done = run.end().exits(2);
    done.says(&["run: nothing was counted"]);
    let at = done.out.find("run: nothing was counted").unwrap_or(0);
    // Neither here nor in what the record shows later.
    for text in [
        done.out[at..].to_string(),
        place.plimsoll("show r.plim").out,
    ] {
        let row = text
            .lines()
            .find(|l| l.starts_with("run "))
            .expect("the step's row");
        let numbers: Vec<&str> = row
            .split_whitespace()
            .filter(|w| w.starts_with(|c: char| c.is_ascii_digit()))
            .collect();
        // What was offered, and no errors.
        assert_eq!(numbers, ["1,000", "0"], "{text}");
        assert!(!text.contains("0/s") && !text.contains("0ns"), "{text}");
    }
}

#[test]
fn an_interrupted_run_still_prints_its_one_json_document() {
    let place = TestFolder::new();
    let words = typed(
        "run null:1GiB --rate 1000 --for 60s --warmup 0s --interval 100ms --json --record r.plim",
    );
    let run = Underway::start(&place, &words);
    // It prints nothing of its intervals; its record has them.
    soon(|| {
        let record = plimsoll_record::Record::open(&place.path("r.plim"));
        record.is_ok_and(|r| r.intervals(1).is_ok_and(|i| !i.is_empty()))
    });
    run.interrupt();
    // Both are short: neither pipe fills while the other is read.
    let document = run.end().exits(2).json();
    crate::measuring::assert_valid(&document);
    assert_eq!(document["status"], "interrupted");
    assert!(
        document["steps"][0]["ios"].as_u64() > Some(0),
        "{document:#}"
    );
}

#[test]
fn an_interrupted_curve_keeps_its_points_and_measures_no_more() {
    let place = TestFolder::new();
    let words = typed(
        "curve null:1GiB -v --percents 1,2 --for 60s --warmup 0s --interval 100ms --depth 1 \
         --workers 1 --record r.plim",
    );
    let mut run = Underway::start(&place, &words);
    run.until_interval(1);
    run.interrupt();
    run.end().exits(2);
    let document = place.plimsoll("show --json r.plim").ok().json();
    assert_eq!(document["status"], "interrupted");
    assert_eq!(
        document["steps"].as_array().map(Vec::len),
        Some(1),
        "{document:#}"
    );
}

#[test]
fn a_curve_that_is_interrupted_in_its_maximum_has_no_verdict() {
    let place = TestFolder::new();
    let words = typed(
        "curve null:1GiB -v --for 60s --warmup 60s --interval 100ms --depth 1 --workers 1 \
         --record r.plim",
    );
    let mut run = Underway::start(&place, &words);
    run.until_interval(1);
    run.interrupt();
    let out = run.end().exits(2).out;
    assert!(!out.contains("Maximum"), "{out}");
    let document = place.plimsoll("show --json r.plim").ok().json();
    assert_eq!(document["verdicts"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_second_interrupt_leaves_at_once() {
    let place = TestFolder::new();
    // Finishing the interval would take an hour.
    let words = typed("run null:1GiB --rate 10 --for 2h --warmup 0s --interval 1h --record r.plim");
    let mut run = Underway::start(&place, &words);
    run.until(|line| line.starts_with("[1/1]"));
    run.interrupt();
    run.until_told("once more");
    run.interrupt();
    run.end().exits(130);
    place.plimsoll("show r.plim").ok();
}
