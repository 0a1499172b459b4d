//! The console and the report folder of `plimsoll vdbench`, as scripts read them.

mod fixture;

use jiff::{SignedDuration, Zoned};
use plimsoll_evidence::{End, Interval, OpSummary, StepEvidence};
use plimsoll_measure::{Histogram, IntervalStats, Op};
use plimsoll_permit::output::{OutputPermit, Rules};
use plimsoll_report::vdbench::*;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn at(seconds: i64) -> Zoned {
    fixture::noon() + SignedDuration::from_millis(seconds * 1000 + 11)
}

fn run(name: &str, rate: RequestedRate) -> RunDefinition {
    RunDefinition {
        name: name.into(),
        rate,
        elapsed_s: Some(3),
        warmup_s: 0,
        interval_s: 1,
        loops: vec![
            ("threads".into(), "8".into()),
            ("xfersize".into(), "4k".into()),
        ],
        streams: vec![StreamLabel {
            sd: "sd1".into(),
            lun: "/dev/sdz".into(),
            wd: "wd1".into(),
            skew: Some(100.0),
        }],
        requested: Requested {
            xfersize: Some(4096.0),
            threads: Some(8.0),
            rdpct: Some(75.0),
            seekpct: Some(100.0),
            lunsize: Some(16 << 30),
            ..Requested::default()
        },
        max_data: MaxData::default(),
    }
}

/// The step that those intervals add up to; errors are the model's.
fn evidence_of(intervals: &[Interval], model: StepEvidence) -> StepEvidence {
    let mut sum = IntervalStats::default();
    intervals.iter().for_each(|i| sum.merge(&i.stats));
    let ops = [Op::Read, Op::Write].map(|op| {
        let stats = &sum.streams[0].ops[op as usize];
        OpSummary {
            op,
            ios: stats.ios,
            bytes: stats.bytes,
            errors: stats.errors,
            response: stats.response.clone(),
            service: stats.service.clone(),
        }
    });
    StepEvidence {
        counted_intervals: (2, 3),
        ios: sum.ios(),
        bytes: sum.bytes(),
        ops: ops.into(),
        depth_mean: sum.depth_integral_ns as f64 / 2e9,
        ..model
    }
}

/// Asks for leave to write into the folder, and opens a report there.
fn create(folder: &Path, options: &Options) -> Result<VdbenchWriter, VdbenchError> {
    VdbenchWriter::create(permit(folder, &Rules::default())?, options, &at(0))
}

/// A run of three intervals, the first not counted, and then one at a rate with errors; returns the console.
fn execute(folder: &Path) -> String {
    let options = Options {
        parameter_files: vec![(
            "t.parm".into(),
            "sd=sd1,lun=/dev/sdz\nwd=wd1,sd=sd1\n".into(),
        )],
        ..Options::default()
    };
    let mut report = create(folder, &options).expect("a report");
    let mut console = Vec::new();
    for (start, step, rate) in [
        (1, 1, RequestedRate::UncontrolledMax),
        (5, 2, RequestedRate::PerSecond(13_100.0)),
    ] {
        console.extend(
            report
                .starting(run(&format!("rd{step}"), rate), &at(start))
                .expect("a start"),
        );
        let mut counted = Vec::new();
        for (number, reads) in [(1, 9000), (2, 1500), (3, 1700)] {
            let interval = fixture::interval(number, number == 1, reads, 500);
            let now = at(start + i64::from(number));
            console.extend(report.interval(&interval, &now).expect("an interval"));
            counted.extend(interval.counts().then_some(interval));
        }
        let evidence = evidence_of(&counted, fixture::steps().swap_remove(step));
        console.extend(
            report
                .averages(&evidence, &at(start + 3))
                .expect("averages"),
        );
    }
    console.extend(report.finish(&Ending::Completed, &at(9)).expect("an end"));
    console.join("\n")
}

fn read(folder: &Path, page: &str) -> String {
    fs::read_to_string(folder.join(page)).expect(page)
}

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

/// As scripts do it: the line of titles gives each column its place.
fn scrape(flatfile: &str) -> Vec<HashMap<&str, &str>> {
    let mut lines = flatfile
        .lines()
        .filter(|l| !l.starts_with('*') && !l.starts_with('<'));
    let titles: Vec<&str> = lines.next().expect("titles").split_whitespace().collect();
    lines
        .map(|l| {
            let values: Vec<&str> = l.split_whitespace().collect();
            assert_eq!(values.len(), titles.len(), "{l}");
            titles.iter().copied().zip(values).collect()
        })
        .collect()
}

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
    assert_eq!(
        (second["MB/sec"], second["bytes/io"], second["read%"]),
        ("7.8125", "4096", "75")
    );
    assert_eq!(
        (second["threads"], second["lunsize"], second["rhpct"]),
        ("8", "16", "n/a")
    );
    assert_eq!(
        (second["cpu_used"], second["cpu_user"], second["cpu_idle"]),
        ("37.5", "12.5", "12.5")
    );
    assert_eq!(
        (rows[4]["reqrate"], rows[7]["Interval"]),
        ("13100", "avg_2-3")
    );
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
fn the_histogram_has_a_block_for_all_for_reads_and_for_writes() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    insta::assert_snapshot!(read(folder.path(), "histogram.html"));
}

#[test]
fn the_other_pages_are_as_they_were() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    let pages = [
        "summary",
        "totals",
        "status",
        "errorlog",
        "skew",
        "parmfile",
        "sd1",
        "sd1.histogram",
    ];
    let text: Vec<String> = pages
        .iter()
        .map(|page| {
            format!(
                "== {page}.html\n{}",
                read(folder.path(), &format!("{page}.html"))
            )
        })
        .collect();
    insta::assert_snapshot!(
        text.join("\n")
            .replace(&folder.path().display().to_string(), "DIR")
    );
}

#[test]
fn a_plus_takes_the_next_free_folder_and_tod_the_time() {
    let place = TempDir::new().expect("a folder");
    let base = place.path().join("out").display().to_string();
    let chosen = |word: &str| choose_folder(word, &fixture::noon()).display().to_string();
    assert_eq!(chosen(&base), base);
    assert_eq!(chosen(&format!("{base}+")), format!("{base}001"));
    fs::create_dir(format!("{base}001")).expect("a folder");
    assert_eq!(chosen(&format!("{base}+")), format!("{base}002"));
    assert_eq!(
        chosen(&format!("{base}.tod")),
        format!("{base}.260321.120000")
    );
}

/// True where the folder's file system keeps marks; else says that the test is skipped.
fn marks_are_kept(folder: &Path) -> bool {
    let page = folder.join("probe.html");
    let ask = || OutputPermit::ask(&page, &Rules::default());
    ask().expect("free").write(b"probe").expect("written");
    let kept = ask().is_ok();
    fs::remove_file(page).expect("removed");
    if !kept {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
    }
    kept
}

#[test]
fn an_earlier_report_is_replaced_and_other_files_stay() {
    let folder = TempDir::new().expect("a folder");
    if !marks_are_kept(folder.path()) {
        return;
    }
    let create = || create(folder.path(), &Options::default()).expect("a report");
    create()
        .starting(run("rd1", RequestedRate::ControlledMax), &at(0))
        .expect("a start");
    fs::write(folder.path().join("notes.txt"), "mine").expect("a file");
    assert!(folder.path().join("sd1.html").exists());
    create();
    assert!(
        !folder.path().join("sd1.html").exists(),
        "the earlier report's pages are gone"
    );
    assert!(folder.path().join("notes.txt").exists());
}

#[test]
fn a_folder_with_files_and_without_a_report_is_refused() {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in [
        ("thesis.html", "mine"),
        ("notes.txt", "mine"),
        // What the real Vdbench left is somebody's measurement.
        ("summary.html", "<title>Vdbench summary report</title><pre>"),
    ] {
        let mine = folder.path().join(name);
        fs::write(&mine, text).expect("a file");
        let refused = create(folder.path(), &Options::default()).expect_err("refused");
        assert!(refused.to_string().contains("-o"), "{refused}");
        assert_eq!(fs::read_to_string(&mine).expect("there"), text);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        fs::remove_file(mine).expect("removed");
    }
}

#[test]
fn a_page_that_was_edited_since_is_not_replaced() {
    let folder = TempDir::new().expect("a folder");
    if !marks_are_kept(folder.path()) {
        return;
    }
    create(folder.path(), &Options::default()).expect("a report");
    let page = folder.path().join("totals.html");
    let edited = read(folder.path(), "totals.html") + "and what I make of it\n";
    fs::write(&page, &edited).expect("edited");
    let refused = create(folder.path(), &Options::default()).expect_err("refused");
    assert!(refused.to_string().contains("totals.html"), "{refused}");
    assert_eq!(read(folder.path(), "totals.html"), edited);
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    let told = permit(folder.path(), &rules).expect("told to");
    VdbenchWriter::create(told, &Options::default(), &at(0)).expect("a report");
    assert!(!read(folder.path(), "totals.html").contains("what I make"));
}

#[test]
fn a_link_among_the_pages_leads_nobody_out_of_the_folder() {
    let place = TempDir::new().expect("a folder");
    let (folder, mine) = (place.path().join("out"), place.path().join("precious"));
    fs::create_dir(&folder).expect("a folder");
    fs::write(&mine, "mine").expect("a file");
    let link = folder.join("logfile.html");
    std::os::unix::fs::symlink(&mine, &link).expect("a link");
    for overwrite in [false, true] {
        let rules = Rules {
            overwrite,
            ..Rules::default()
        };
        let made = permit(&folder, &rules)
            .and_then(|told| VdbenchWriter::create(told, &Options::default(), &at(0)));
        assert!(made.is_err(), "{overwrite}");
        assert_eq!(fs::read_to_string(&mine).expect("there"), "mine");
        assert!(link.is_symlink());
    }
}

#[test]
fn a_target_cannot_write_over_a_page_or_outside_the_folder() {
    let place = TempDir::new().expect("a folder");
    let folder = place.path().join("out");
    let mut report = create(&folder, &Options::default()).expect("a report");
    let mut odd = run("rd1", RequestedRate::ControlledMax);
    odd.streams[0].sd = "flatfile".into();
    odd.streams[0].wd = "../escaped".into();
    report.starting(odd, &at(1)).expect("a start");
    assert!(read(&folder, "flatfile.html").contains("queue_depth"));
    assert!(folder.join("flatfile_.html").exists());
    assert!(folder.join("_.._escaped.html").exists());
    assert_eq!(fs::read_dir(place.path()).expect("a folder").count(), 1);
}

/// Names that are markup, lines of their own, or orders to a terminal.
#[test]
fn what_a_page_quotes_is_text_in_it() {
    const HOSTILE: &str = "x\"'><script>alert(1)</script>&amp;\u{1b}[2J\nrd=forged";
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let options = Options {
        parameter_files: vec![(
            HOSTILE.into(),
            "* <script>document.title='ran'</script>\n\tsd=a&b\r\n".into(),
        )],
        ..Options::default()
    };
    let told = permit(folder, &Rules::default()).unwrap();
    let mut writer = VdbenchWriter::create(told, &options, &at(0)).unwrap();
    let mut run = run(HOSTILE, RequestedRate::UncontrolledMax);
    run.streams[0].sd = HOSTILE.into();
    run.streams[0].wd = format!("w{HOSTILE}");
    run.streams[0].lun = HOSTILE.into();
    run.loops = vec![(HOSTILE.into(), HOSTILE.into())];
    writer.starting(run, &at(0)).unwrap();
    let interval = fixture::interval(1, false, 10, 5);
    writer.interval(&interval, &at(1)).unwrap();
    writer.message(HOSTILE, &at(1)).unwrap();
    let mut evidence = evidence_of(&[interval], fixture::steps().swap_remove(0));
    evidence.error_samples = vec![plimsoll_evidence::ErrorSample {
        target: HOSTILE.into(),
        op: plimsoll_evidence::FailedOp::Read,
        offset: 0,
        length: 512,
        at_ns: 1,
        what: HOSTILE.into(),
    }];
    writer.averages(&evidence, &at(2)).unwrap();
    let ending = Ending::Failed(HOSTILE.into());
    writer.finish(&ending, &at(3)).unwrap();

    let mut pages = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        pages += 1;
        let tags = page
            .replace("<title>Vdbench ", "")
            .replace("</title><pre>", "");
        let tags = tags.replace("<A HREF=\"", "").replace("</A>", "");
        let tags = tags.replace("<a name=\"_1\"></a><i><b>", "");
        let tags = tags.replace("</b></i>", "");
        // What is left begins no element: "min(ms) <  max(ms)" is the histogram's own.
        let markup = tags
            .match_indices('<')
            .find(|(i, _)| !tags[i + 1..].starts_with("  "));
        assert_eq!(markup, None, "{path:?}: {page}");
        assert!(!page.contains("\nrd=forged"), "{path:?}: {page}");
        let control = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!page.contains(control), "{path:?}: {page:?}");
        for link in page.split("<A HREF=\"").skip(1) {
            let file = link.split_once("\">").unwrap().0;
            assert!(!file.contains(['"', '\'', '<', '/', ':']), "{file}");
        }
    }
    assert!(pages > 11, "{pages}");
    let parameters = read(folder, "parmfile.html");
    assert!(
        parameters.contains("* &lt;script&gt;document.title='ran'&lt;/script&gt;\n\tsd=a&amp;b\n"),
        "{parameters}"
    );
    let flat = read(folder, "flatfile.html");
    let lines: Vec<&str> = flat
        .lines()
        .filter(|l| !l.starts_with(['*', '<']))
        .collect();
    let columns: Vec<usize> = lines.iter().map(|l| l.split_whitespace().count()).collect();
    assert!(columns.iter().all(|c| *c == columns[0]), "{columns:?}");
}

#[test]
fn an_execution_that_fails_says_why_and_never_that_it_completed() {
    let folder = TempDir::new().expect("a folder");
    let report = create(folder.path(), &Options::default()).expect("a report");
    let why = Ending::Failed("sd1 did not answer.".into());
    let line = report.finish(&why, &at(1)).expect("an end").join("\n");
    assert!(line.starts_with(
        "12:00:01.011 Vdbench execution failed: sd1 did not answer. Output directory: "
    ));
    assert!(read(folder.path(), "errorlog.html").contains("sd1 did not answer"));
    assert!(!read(folder.path(), "logfile.html").contains("successfully"));
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
fn a_folder_that_cannot_be_made_is_an_error_that_names_it() {
    let place = TempDir::new().expect("a folder");
    let file = place.path().join("file");
    fs::write(&file, "").expect("a file");
    let error = create(&file.join("out"), &Options::default()).expect_err("no folder");
    assert!(error.to_string().contains("file/out"), "{error}");
}

/// Two workloads on two targets, with these counted I/Os of each: reads in the first, writes in the second.
fn uneven(folder: &Path, rate: RequestedRate, ios: [u64; 2], max_data: MaxData) -> Vec<String> {
    let mut report = create(folder, &Options::default()).expect("a report");
    let mut two = run("rd1", rate);
    two.max_data = max_data;
    two.streams = [("sd1", "wd1"), ("sd2", "wd2")]
        .map(|(sd, wd)| StreamLabel {
            sd: sd.into(),
            lun: format!("/dev/{sd}"),
            wd: wd.into(),
            skew: Some(50.0),
        })
        .into();
    let mut lines = report.starting(two, &at(1)).expect("a start");
    let mut interval = fixture::interval(1, false, ios[0], 0);
    let other = fixture::interval(1, false, 0, ios[1]);
    interval.stats.streams.push(other.stats.streams[0].clone());
    lines.extend(report.interval(&interval, &at(2)).expect("an interval"));
    let mut evidence = fixture::steps().swap_remove(2);
    evidence.counted_intervals = (1, 1);
    evidence.workers = 2;
    evidence.end = match max_data.transfer {
        0 => End::Elapsed,
        _ => End::Limit,
    };
    lines.extend(report.averages(&evidence, &at(3)).expect("averages"));
    lines
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

/// As Vdbench 5.04.07 lists them: a run of the same name as the one before with its loop values alone, below the others'.
#[test]
fn the_runs_are_listed_first_and_each_line_leads_to_its_run() {
    let folder = TempDir::new().expect("a folder");
    let planned = [
        ("rd1", "threads=1"),
        ("rd1", "threads=2"),
        ("never", "None"),
        ("rd<2>", "None"),
    ];
    let options = Options {
        planned: planned
            .map(|(name, loops)| PlannedRun {
                name: name.into(),
                loops: loops.into(),
            })
            .into(),
        ..Options::default()
    };
    let mut report = create(folder.path(), &options).expect("a report");
    // A format comes first, of which the definition says nothing; a curve that ends early leaves points out.
    for (second, name) in ["SD_format", "rd1", "rd1", "rd<2>"].iter().enumerate() {
        let at = at(second as i64);
        let start = report.starting(run(name, RequestedRate::UncontrolledMax), &at);
        start.expect("a start");
    }
    let finished = report.finish(&Ending::Completed, &at(9));
    finished.expect("an end");
    let list = "Link to Run Definitions:         <A HREF=\"#_1\">rd1 For loops: threads=1</A>\n\
                \x20                                               <A HREF=\"#_2\">threads=2</A>\n\
                \x20                                <A HREF=\"#_3\">never For loops: None</A>\n\
                \x20                                <A HREF=\"#_4\">rd&lt;2&gt; For loops: None</A>\n";
    for page in [
        "summary",
        "totals",
        "histogram",
        "skew",
        "localhost",
        "localhost-0",
        "sd1",
        "sd1.histogram",
    ] {
        let text = read(folder.path(), &format!("{page}.html"));
        let listed = text.find(list).unwrap_or_else(|| panic!("{page}: {text}"));
        let places: Vec<usize> = [5, 1, 2, 4]
            .iter()
            .map(|n| text.find(&format!("<a name=\"_{n}\">")).expect("its place"))
            .collect();
        assert!(listed < places[0] && places.is_sorted(), "{page}: {text}");
    }
}

/// What Vdbench's own programs do with the folder: `parseflat` takes the first line that begins with a blank for the
/// titles; `compare` reads every run's name and anchor from the summary.
#[test]
fn vdbench_s_own_programs_find_their_way() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    let flat = read(folder.path(), "flatfile.html");
    let mut lines = flat.lines().skip_while(|l| !l.starts_with(' '));
    let titles = lines.next().expect("titles").split_whitespace().count();
    assert!(lines.all(|l| l.split_whitespace().count() == titles));
    for page in ["summary.html", "totals.html"] {
        let text = read(folder.path(), page);
        let runs: Vec<(&str, &str)> = text
            .lines()
            .filter(|l| l.contains("Starting RD"))
            .map(|l| {
                let name = l
                    .split_once("RD=")
                    .and_then(|(_, rest)| rest.split_once(';'));
                (
                    l.split('"').nth(1).expect("an anchor"),
                    name.expect("a name").0,
                )
            })
            .collect();
        assert_eq!(runs, [("_1", "rd1"), ("_2", "rd2")], "{page}");
    }
}
