//! The lines on the console and in the log.

use crate::fixture;
use crate::stage::{at, create, execute, read, run, uneven};
use jiff::SignedDuration;
use plimsoll_report::vdbench::*;
use tempfile::TempDir;

#[test]
fn the_console_has_vdbench_s_lines_and_widths() {
    let folder = TempDir::new().expect("a folder");
    let console = execute(folder.path());
    insta::assert_snapshot!(console.replace(&folder.path().display().to_string(), "DIR"));
}

#[test]
fn what_users_grep_for_is_there() {
    let folder = TempDir::new().expect("a folder");
    let console = execute(folder.path());
    let found = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|l| l.contains("Starting") || l.contains("avg_"))
            .map(|l| {
                // Vdbench puts an anchor before the start of a run.
                let l = l.rsplit_once("<b>").map_or(l, |(_, rest)| rest);
                l.split_whitespace()
                    .skip(1)
                    .take(2)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    };
    let wanted = found(&console);
    assert_eq!(wanted[0], "Starting RD=rd1;");
    assert!(wanted[1].starts_with("avg_2-3 "));
    assert_eq!(wanted.len(), 4);
    for page in [
        "summary.html",
        "totals.html",
        "logfile.html",
        "sd1.html",
        "wd1.html",
        "localhost.html",
        "localhost-0.html",
    ] {
        assert_eq!(found(&read(folder.path(), page)).len(), 4, "{page}");
    }
    assert!(console.ends_with(&format!(
        "Vdbench execution completed successfully. Output directory: {}",
        folder.path().display()
    )));
}

#[test]
fn the_header_comes_back_every_thirty_intervals() {
    let folder = TempDir::new().expect("a folder");
    let mut report = create(folder.path(), &Options::default()).expect("a report");
    report
        .starting(run("rd1", RequestedRate::ControlledMax), &at(1))
        .expect("a start");
    let mut at_interval = Vec::new();
    for number in 1..=61 {
        let lines = report
            .interval(&fixture::interval(number, false, 5, 5), &at(number.into()))
            .expect("lines");
        if lines.len() > 1 {
            at_interval.push(number);
        }
    }
    assert_eq!(at_interval, [1, 31, 61]);
}

#[test]
fn start_lines_are_as_vdbench_writes_them() {
    let mut rd = run("rd1_(10%)", RequestedRate::PerSecond(13_100.0));
    rd.warmup_s = 10;
    assert_eq!(
        rd.to_string(),
        "Starting RD=rd1_(10%); I/O rate: 13100; elapsed=3 warmup=10; For loops: threads=8 xfersize=4k"
    );
    rd.loops.clear();
    rd.warmup_s = 0;
    for (rate, text) in [
        (RequestedRate::UncontrolledMax, "Uncontrolled MAX"),
        (RequestedRate::ControlledMax, "Controlled MAX"),
        (RequestedRate::UncontrolledCurve, "Uncontrolled curve"),
        (RequestedRate::ControlledCurve, "Controlled curve"),
        (RequestedRate::Variable, "Variable"),
    ] {
        rd.rate = rate;
        let wanted = format!("Starting RD=rd1_(10%); I/O rate: {text}; elapsed=3; For loops: None");
        assert_eq!(rd.to_string(), wanted);
    }
}

#[test]
fn an_average_of_a_busy_host_carries_a_warning() {
    let folder = TempDir::new().expect("a folder");
    let mut report = create(folder.path(), &Options::default()).expect("a report");
    report
        .starting(run("rd1", RequestedRate::ControlledMax), &at(0))
        .expect("a start");
    let mut interval = fixture::interval(1, false, 10, 10);
    interval.cpu.iter_mut().for_each(|c| c.user = 0.7);
    report.interval(&interval, &at(1)).expect("an interval");
    let lines = report
        .averages(&fixture::step(1, "rd1", None, 20, 1000), &at(2))
        .expect("averages");
    // Scripts look for these words; the box round them is as wide as its longest line.
    let text = "* Warning for host=localhost: average processor utilization 95.0% ";
    assert!(lines.iter().any(|l| l.contains(text)), "{lines:?}");
    let width = |l: &String| l.chars().count();
    let boxed = &lines[2..lines.len() - 1];
    assert!(
        boxed.iter().all(|l| width(l) == width(&boxed[0])),
        "{lines:?}"
    );
    let summary = read(folder.path(), "summary.html");
    assert!(summary.contains(text) && summary.contains(&boxed[0]));
}

#[test]
fn a_missed_share_is_told_where_shares_are_kept_and_the_table_has_what_was_asked_less_what_was_observed()
 {
    let warned = |rate, ios| {
        let folder = TempDir::new().expect("a folder");
        let lines = uneven(folder.path(), rate, ios, MaxData::default());
        let skew = read(folder.path(), "skew.html");
        let words = "Observed Workload skew for wd=";
        (lines.iter().any(|l| l.contains(words)), skew)
    };
    let (told, skew) = warned(RequestedRate::ControlledMax, [600, 400]);
    assert!(told);
    let row = |name: &str| -> Vec<String> {
        let found = skew
            .lines()
            .rfind(|l| l.split_whitespace().nth(1) == Some(name));
        let row = found.unwrap_or_else(|| panic!("{skew}"));
        row.split_whitespace().map(str::to_owned).collect()
    };
    // Time, name, ten figures; then the share asked for, the one observed, and the difference.
    assert_eq!(row("wd1")[12..], ["50.00%", "60.00%", "-10.00%"]);
    assert_eq!(row("wd2")[12..], ["50.00%", "40.00%", "10.00%"]);
    assert_eq!(row("wd1")[2], "600.00");
    assert_eq!(row("sd2").len(), 12);
    assert!(
        warned(RequestedRate::PerSecond(1000.0), [505, 495])
            .1
            .contains("50.50%")
    );
    assert!(!warned(RequestedRate::PerSecond(1000.0), [505, 495]).0);
    assert!(!warned(RequestedRate::UncontrolledMax, [600, 400]).0);
}

#[test]
fn an_amount_of_data_that_ended_a_run_is_said() {
    let said = |max_data| -> Vec<String> {
        let folder = TempDir::new().expect("a folder");
        let lines = uneven(
            folder.path(),
            RequestedRate::ControlledMax,
            [600, 400],
            max_data,
        );
        let reached = |l: &String| Some(l.split_once("Reached ")?.1.to_owned());
        lines.iter().filter_map(reached).collect()
    };
    // 600 reads and 400 writes of 4 KiB by two workers, each of which may have had less left than it takes for one more.
    let some = |bytes| MaxData {
        total: Some(bytes),
        transfer: 4096,
        ..MaxData::default()
    };
    assert_eq!(
        said(some(1000 * 4096)),
        ["maxdata=3.906m. rd=rd1 shutting down."]
    );
    assert_eq!(said(some(1001 * 4096 + 512)).len(), 1);
    assert_eq!(said(some(1002 * 4096)), [""; 0]);
    let in_time = MaxData {
        transfer: 0,
        ..some(1000 * 4096)
    };
    assert_eq!(said(in_time), [""; 0]);
    let written = MaxData {
        written: Some(1 << 20),
        transfer: 4096,
        ..MaxData::default()
    };
    assert_eq!(
        said(written),
        ["maxdatawritten=1.562m. rd=rd1 shutting down."]
    );
}

#[test]
fn each_error_bears_the_time_at_which_it_happened() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    let step = &fixture::steps()[2];
    let log = read(folder.path(), "errorlog.html");
    // When it was told comes first.
    let own_time = |l: &str| {
        let (_, rest) = l.split_once("localhost-0: ").expect("a time of its own");
        rest[..12].to_owned()
    };
    let times: Vec<String> = log
        .lines()
        .filter(|l| l.contains("errno"))
        .map(own_time)
        .collect();
    let wanted: Vec<String> = step
        .error_samples
        .iter()
        .map(|e| {
            let when = at(5) + SignedDuration::from_nanos(e.at_ns as i64);
            when.strftime("%H:%M:%S.%3f").to_string()
        })
        .collect();
    assert!(!wanted.is_empty());
    assert_eq!(times, wanted);
}
