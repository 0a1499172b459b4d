//! A run that is killed keeps every interval whose line was shown.

use crate::place::TestFolder;
use crate::underway::{Underway, interval_number};

/// An interval line without its time of day.
fn counts(line: &str) -> Vec<&str> {
    line.split_whitespace().skip(1).collect()
}

#[test]
fn every_interval_that_was_shown_is_in_the_record_of_a_killed_run() {
    let place = TestFolder::new();
    for (round, kill_after) in [1, 2, 3, 5, 8, 11, 13, 17, 19, 23, 29, 31]
        .into_iter()
        .enumerate()
    {
        let record = format!("{round}.plim");
        let line = format!(
            "run null:1GiB --rate 2000 --workers 1 --for 60s --warmup 0s --interval 10ms \
             --record {record}"
        );
        let mut run = Underway::start(&place, &line);
        assert!(run.shows_intervals(kill_after), "ended early");
        // A different part of the next interval each time.
        std::thread::sleep(std::time::Duration::from_micros(round as u64 * 1_700));
        let shown = run.kill().out;
        let kept = place.plimsoll(&format!("show {record} --intervals")).ok();
        kept.says(&["unfinished"]);
        // The last line may have been cut off by the kill.
        let whole = shown.rsplit_once('\n').map_or("", |(whole, _)| whole);
        for line in whole.lines().filter(|l| interval_number(l).is_some()) {
            let found = kept.out.lines().any(|k| counts(k) == counts(line));
            assert!(
                found,
                "round {round}: `{line}` was shown and is not in\n{}",
                kept.out
            );
        }
    }
}

#[test]
fn a_killed_runs_record_can_be_exported_and_is_not_taken_for_a_result() {
    let place = TestFolder::new();
    let line = "run null:1GiB --rate 1000 --for 60s --interval 10ms --record r.plim";
    let mut run = Underway::start(&place, line);
    run.until(|line| interval_number(line).is_some());
    run.kill();
    let document = place.plimsoll("show --json r.plim").ok().json();
    crate::measuring::assert_valid(&document);
    assert_eq!(document["status"], "unfinished");
    assert_eq!(document["steps"].as_array().map(Vec::len), Some(0));
    let rows = place.plimsoll("export --csv --rows intervals r.plim").ok();
    assert!(rows.out.lines().count() >= 2, "{rows:#?}");
}
