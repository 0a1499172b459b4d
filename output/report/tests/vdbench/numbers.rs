//! What the numbers are: rates, times, the flat file, histograms.

use crate::fixture;
use crate::stage::{at, create, evidence_of, execute, read, run, scrape, uneven};
use plimsoll_measure::Histogram;
use plimsoll_report::vdbench::*;
use tempfile::TempDir;

#[test]
fn the_flat_file_is_read_by_column_name() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    let text = read(folder.path(), "flatfile.html");
    let rows = scrape(&text);
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|row| row.len() == 34));
    let second = &rows[1];
    assert_eq!(second["tod"], "12:00:03.011");
    assert_eq!(second["timestamp"], "03/21/2026-12:00:03-UTC");
    assert_eq!((second["Run"], second["Interval"]), ("rd1", "2"));
    assert_eq!((second["reqrate"], second["rate"]), ("9999988", "2000"));
    assert_eq!(second["MB/sec"], "7.8125");
    assert_eq!(second["bytes/io"], "4096");
    assert_eq!(second["read%"], "75");
    assert_eq!(second["threads"], "8");
    assert_eq!(second["lunsize"], "16");
    assert_eq!(second["rhpct"], "n/a");
    assert_eq!(second["cpu_used"], "37.5");
    assert_eq!(second["cpu_user"], "12.5");
    assert_eq!(second["cpu_idle"], "12.5");
    assert_eq!(rows[4]["reqrate"], "13100");
    assert_eq!(rows[7]["Interval"], "avg_2-3");
    insta::assert_snapshot!(text);
}

#[test]
fn resp_is_service_time_and_not_response_time() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    let text = read(folder.path(), "flatfile.html");
    let interval = fixture::interval(2, false, 1500, 500);
    let reads = &interval.stats.streams[0].ops[0];
    let of = |h: &Histogram| h.mean_ns().expect("reads") / 1e6;
    let shown: f64 = scrape(&text)[1]["read_resp"].parse().expect("a number");
    assert!((shown - of(&reads.service)).abs() < 1e-4);
    assert!((shown - of(&reads.response)).abs() > 1e-3);
}

#[test]
fn rates_divide_by_the_configured_seconds_even_where_an_interval_was_longer() {
    let folder = TempDir::new().expect("a folder");
    let mut report = create(folder.path(), &Options::default()).expect("a report");
    let mut two_seconds = run("rd1", RequestedRate::UncontrolledMax);
    two_seconds.interval_s = 2;
    report.starting(two_seconds, &at(1)).expect("a start");
    let mut interval = fixture::interval(1, false, 1500, 500);
    interval.length_ns = 2_100_000_000;
    let console = report
        .interval(&interval, &at(3))
        .expect("an interval")
        .join("\n");
    assert!(console.contains(" 1000.0 "), "{console}");
}

#[test]
fn the_average_depth_divides_by_the_same_seconds_as_the_rate() {
    let folder = TempDir::new().expect("a folder");
    let mut report = create(folder.path(), &Options::default()).expect("a report");
    let mut format = run("SD_format", RequestedRate::UncontrolledMax);
    format.elapsed_s = None;
    report.starting(format, &at(1)).expect("a start");
    // Through after 90 ms of its only interval: 512 I/Os of 1.4 ms each.
    let mut interval = fixture::interval(1, false, 512, 0);
    interval.length_ns = 90_000_000;
    interval.stats.depth_integral_ns = 716_800_000;
    report.interval(&interval, &at(2)).expect("an interval");
    let mut evidence = evidence_of(&[interval], fixture::fill());
    evidence.counted_intervals = (1, 1);
    evidence.depth_mean = 7.96;
    report.averages(&evidence, &at(2)).expect("averages");
    let text = read(folder.path(), "flatfile.html");
    let rows = scrape(&text);
    assert_eq!(rows[1]["Interval"], "avg_1-1");
    // Data ended it, so that its interval is as long as it was: Little's law holds for both.
    for row in [&rows[0], &rows[1]] {
        let [rate, depth] =
            ["rate", "queue_depth"].map(|c| row[c].parse::<f64>().expect("a number"));
        assert!((rate - 512.0 / 0.09).abs() < 0.01, "{rate}");
        assert!((depth - 0.7168 / 0.09).abs() < 0.001, "{depth}");
    }
}

#[test]
fn what_comes_back_after_the_end_is_in_the_averages_times_and_no_line() {
    let folder = TempDir::new().expect("a folder");
    let mut report = create(folder.path(), &Options::default()).expect("a report");
    let rd = run("rd1", RequestedRate::PerSecond(100.0));
    report.starting(rd, &at(1)).expect("a start");
    let counted = fixture::interval(1, false, 100, 0);
    let mut drain = fixture::interval(2, false, 100, 0);
    drain.phase = plimsoll_evidence::Phase::Drain;
    drain.stats.streams[0].ops[0].service = plimsoll_measure::Histogram::new();
    drain.stats.streams[0].ops[0]
        .service
        .record_many(5_000_000, 100);
    report.interval(&counted, &at(2)).expect("an interval");
    let shown = report.interval(&drain, &at(3)).expect("nothing");
    assert_eq!(shown, Vec::<String>::new());
    let mut evidence = evidence_of(std::slice::from_ref(&counted), fixture::fill());
    evidence.counted_intervals = (1, 1);
    let service = &mut evidence.ops[0].service;
    service.merge(&drain.stats.streams[0].ops[0].service);
    let mean_ms = service.mean_ns().expect("a mean") / 1e6;
    report.averages(&evidence, &at(3)).expect("averages");
    let text = read(folder.path(), "flatfile.html");
    let rows = scrape(&text);
    assert_eq!((rows.len(), rows[1]["rate"]), (2, "100"));
    let resp: f64 = rows[1]["resp"].parse().expect("a number");
    assert!(
        (resp - mean_ms).abs() < 1e-3 && mean_ms > 2.0,
        "{resp} {mean_ms}"
    );
}

#[test]
fn a_run_that_ended_in_its_first_interval_reports_zeros_and_no_cpu() {
    let folder = TempDir::new().expect("a folder");
    let mut report = create(folder.path(), &Options::default()).expect("a report");
    let mut format = run("SD_format", RequestedRate::UncontrolledMax);
    format.elapsed_s = None;
    format.loops = vec![
        ("threads".into(), "2".into()),
        ("iorate".into(), "max".into()),
    ];
    let mut console = report.starting(format, &at(1)).expect("a start");
    let mut evidence = fixture::step(1, "SD_format", None, 0, 1000);
    evidence.counted_intervals = (2, 1);
    evidence.depth_mean = 0.0;
    console.extend(report.averages(&evidence, &at(2)).expect("averages"));
    insta::assert_snapshot!(console.join("\n"));
}

#[test]
fn the_histogram_has_a_block_for_all_for_reads_and_for_writes() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    insta::assert_snapshot!(read(folder.path(), "histogram.html"));
}

#[test]
fn each_target_and_workload_has_its_own_histogram() {
    let folder = TempDir::new().expect("a folder");
    uneven(
        folder.path(),
        RequestedRate::ControlledMax,
        [600, 400],
        MaxData::default(),
    );
    let total = |page: &str| -> u64 {
        let text = read(folder.path(), page);
        let rows = text
            .lines()
            .filter(|l| l.contains(" < ") && !l.contains("count"));
        rows.filter_map(|l| l.split_whitespace().nth(3)?.parse::<u64>().ok())
            .sum()
    };
    for (page, ios, kind) in [
        ("sd1.histogram.html", 600, "Only reads"),
        ("wd1.histogram.html", 600, "Only reads"),
        ("sd2.histogram.html", 400, "Only writes"),
        ("wd2.histogram.html", 400, "Only writes"),
    ] {
        assert_eq!(total(page), ios, "{page}");
        assert!(read(folder.path(), page).contains(kind), "{page}");
    }
}
