//! Results in the forms in which people have them: fio's text and terse lines, copied with what stood around them, and cut.

use crate::cases::case;
use crate::corpus::{ids, judged, result, said, text};
use plimsoll_evidence::Severity;
use plimsoll_foreign::ForeignResult;
use plimsoll_foreign::model::{Caching, Load};
use plimsoll_plan::Bytes;

fn iops(result: &ForeignResult) -> Vec<f64> {
    let rows = result.runs.iter().filter_map(|r| r.whole()?.iops());
    rows.map(f64::round).collect()
}

/// The layout is that of `stat.c` in fio 2.2.10; the figures agree with each other by arithmetic.
#[test]
fn text_before_3_has_its_own_words_and_the_same_meaning() {
    let read = result(&text("fio/text-2.2.10.txt"));
    let [run] = &read.runs[..] else { panic!() };
    let row = run.whole().expect("a row");
    assert_eq!(read.version.as_deref(), Some("2.2.10"));
    assert_eq!(run.name, "base");
    assert_eq!(row.writes.ios, Some(937_800));
    assert!((row.iops().expect("a rate") - 937_800.0 / 60.016).abs() < 0.01);
    assert_eq!(row.bandwidth, Some(Bytes(62_504 * 1024)));
    assert_eq!(row.mean_ns(), Some(8_183_410.0));
    assert_eq!(run.asked.in_flight, Some(128));
    assert_eq!(run.asked.block, Some((Bytes(4096), Bytes(4096))));
    // Nothing but the command shows whether it went through the page cache, and how fast it was to go.
    assert_eq!(
        (run.asked.cache, run.asked.load),
        (Some(Caching::Direct), Some(Load::Max))
    );
    let whole = text("fio/text-2.2.10.txt");
    let (_, bare) = whole.split_once('\n').expect("lines");
    let asked = &result(bare).runs[0].asked;
    assert_eq!((asked.cache, asked.load), (None, None));
    assert_eq!(ids(&judged(&whole), Severity::Note), ["no-warm-up"]);
    assert_eq!(ids(&judged(bare), Severity::Note), [""; 0]);
}

#[test]
fn a_rate_that_times_and_depth_do_not_allow_is_found_in_text_too() {
    let whole = text("fio/text-2.2.10.txt");
    let one = whole.replace("...\n", "").replace("jobs=4", "jobs=1");
    let (sentence, lines) = said(&judged(&one), "littles-law");
    assert!(sentence.contains("128 I/Os in flight"), "{sentence}");
    assert_eq!(lines, [6]);
}

#[test]
fn text_without_the_lines_before_it_is_read_without_what_was_asked() {
    for (name, jobs) in [("fio/text-3.33.txt", 2), ("fio/text-2.2.10.txt", 1)] {
        let whole = text(name);
        let bare = &whole[whole.find("(groupid=").expect("a header") - 7..];
        let bare = &bare[bare.find('\n').expect("a line") + 1..];
        let read = result(bare);
        assert_eq!(read.runs.len(), jobs, "{name}");
        assert_eq!(iops(&read), iops(&result(&whole)), "{name}");
        assert_eq!(read.runs[0].asked.in_flight, None, "{name}");
        assert_eq!(ids(&judged(bare), Severity::Invalid), [""; 0], "{name}");
    }
}

#[test]
fn what_is_cut_off_and_what_is_not_fios_is_said_with_its_line() {
    let whole = text("fio/text-3.33.txt");
    let cut = &whole[..whole.find("  IO depths").expect("a line")];
    let remarks = result(cut).remarks;
    assert!(
        remarks
            .iter()
            .any(|r| r.text.contains("ends here before its end") && r.at.line == 37),
        "{remarks:?}"
    );
    let strange = whole.replacen("  cpu  ", "kernel: I/O error\n  cpu  ", 1);
    let remarks = result(&strange).remarks;
    assert!(
        remarks
            .iter()
            .any(|r| r.text.contains("1 line within") && r.at.line == 37),
        "{remarks:?}"
    );
    assert_eq!(result(&whole).remarks, []);
}

#[test]
fn indentation_prompts_and_prefixes_change_nothing() {
    let whole = text("fio/text-3.33.txt");
    let lines = |put: &dyn Fn(&str) -> String| -> String { whole.lines().map(put).collect() };
    for bent in [
        format!("$ fio j.fio\n{whole}\n$ \n"),
        lines(&|l| format!("        {}\n", l.trim_start())),
        lines(&|l| format!("node3: {l}\n")),
        lines(&|l| format!("2026-11-26T08:42:36.1{}Z {l}\n", l.len())),
        lines(&|l| format!("<node3> {l}\n")),
        whole.replace('\n', "\r\n"),
    ] {
        assert_eq!(iops(&result(&bent)), iops(&result(&whole)), "{bent}");
        assert_eq!(
            ids(&judged(&bent), Severity::Note),
            ids(&judged(&whole), Severity::Note)
        );
    }
}

#[test]
fn two_runs_in_one_text_are_two_and_a_status_is_a_part_of_its_run() {
    let whole = text("fio/text-2.2.10.txt");
    let later = whole
        .replace("pid=2817", "pid=3000")
        .replace("60016", "60020");
    assert_eq!(result(&format!("{whole}{later}")).runs.len(), 2);
    let half = whole.replace("937800", "468900").replace("60016", "30008");
    let read = result(&format!(
        "{half}{}",
        &whole[whole.find("base: (groupid").expect("there")..]
    ));
    let [run] = &read.runs[..] else {
        panic!("{} runs", read.runs.len())
    };
    assert_eq!(run.intervals().count(), 2);
}

#[test]
fn json_inside_of_another_document_and_behind_prefixes_is_found() {
    for name in [
        "fio-in-another-document.json",
        "fio-with-times-before-lines.json",
    ] {
        let whole = case(name);
        assert_eq!(iops(&result(&whole)), [63_875.0], "{name}");
        assert_eq!(ids(&judged(&whole), Severity::Suspect), [""; 0], "{name}");
    }
    let one = text("fio/honest.json");
    let alone = iops(&result(&one));
    for around in [
        format!("RESULT={one}"),
        format!("[\n{one},\n{one}\n]\n"),
        format!("{{\"runs\": [{{\"host\": \"a\", \"out\": {one}}}]}}"),
    ] {
        let read = iops(&result(&around));
        assert!(
            !read.is_empty() && read.iter().all(|r| *r == alone[0]),
            "{read:?}"
        );
    }
}

#[test]
fn both_directions_as_one_are_read() {
    let read = result(&case("fio-unified.json"));
    let row = read.runs[0].whole().expect("a row");
    assert_eq!((row.all.ios, row.reads.ios), (Some(140_798), None));
    let found = judged(&case("fio-unified.json"));
    assert_eq!(ids(&found, Severity::Invalid), [""; 0]);
}

#[test]
fn microseconds_of_old_versions_are_not_nanoseconds() {
    let whole = case("fio-microseconds.json");
    let row = result(&whole).runs[0].whole().expect("a row").clone();
    assert_eq!(row.mean_ns(), Some(8_182_260.0));
    assert_eq!(row.bandwidth, Some(Bytes(62_499 * 1024)));
    let (sentence, _) = said(&judged(&whole), "littles-law");
    assert!(sentence.contains("128 I/Os in flight"), "{sentence}");
    assert_eq!(result(&whole).remarks, []);
}

#[test]
fn terse_lines_that_are_cut_are_left_out_and_said() {
    let whole = text("fio/terse-v3.txt");
    let cut = &whole[..whole.len() - 900];
    let read = result(cut);
    assert_eq!((read.runs.len(), read.remarks[0].at.line), (1, 2));
    assert!(read.remarks[0].text.contains("cut off"));
}

#[test]
fn the_average_of_vdbench_is_found_where_nothing_parts_it_from_its_time() {
    let whole = case("vdbench-excerpt.txt");
    let read = result(&whole);
    let [run] = &read.runs[..] else { panic!() };
    let row = run.whole().expect("an average");
    assert_eq!((row.iops(), row.covers), (Some(2232.21), Some((31, 150))));
    assert_eq!(run.intervals().count(), 7);
    let said: Vec<_> = read
        .remarks
        .iter()
        .map(|r| (r.at.line, r.text.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (
                7,
                "intervals 1 to 139 are not there: cut out above this line"
            ),
            (
                13,
                "intervals 146 to 149 are not there: cut out above this line"
            ),
        ]
    );
    assert_eq!(ids(&judged(&whole), Severity::Invalid), [""; 0]);
}

#[test]
fn vdbench_without_a_column_of_times_is_read() {
    let read = result(&case("vdbench-without-times.txt"));
    let [run] = &read.runs[..] else { panic!() };
    assert_eq!(run.intervals().count(), 6);
    let rates: Vec<f64> = run.intervals().filter_map(|(_, r)| r.iops()).collect();
    let mean = rates[1..].iter().sum::<f64>() / 5.0;
    assert!((run.whole().expect("an average").iops().expect("a rate") / mean - 1.0).abs() < 1e-3);
    assert_eq!(run.whole().expect("an average").seconds, Some(25.0));
    assert!(
        read.remarks.iter().all(|r| r.text.contains("interval")),
        "{:?}",
        read.remarks
    );
}

#[test]
fn elbenchos_table_says_what_its_csv_would_say() {
    let read = result(&case("elbencho-table.txt"));
    let [run] = &read.runs[..] else { panic!() };
    let row = run.whole().expect("a row");
    assert_eq!((row.iops(), row.seconds), (Some(291.0), Some(30.196)));
    assert_eq!(run.asked.in_flight, Some(4));
    assert_eq!(run.asked.block, Some((Bytes(131_072), Bytes(131_072))));
    assert_eq!(
        run.asked.cache,
        Some(plimsoll_foreign::model::Caching::Buffered)
    );
    let found = judged(&case("elbencho-table.txt"));
    assert!(ids(&found, Severity::Suspect).contains(&"buffered-io"));
}

#[test]
fn reads_and_writes_of_elbenchos_table_are_told_apart() {
    let read = result(&case("elbencho-mixed-table.txt"));
    let row = read.runs[0].whole().expect("a row");
    let rates = [&row.all, &row.reads, &row.writes].map(|s| s.iops.expect("a rate").0);
    assert_eq!(rates, [40_000.0, 28_000.0, 12_000.0]);
    assert_eq!(row.mean_ns(), Some(799_900.0));
    assert_eq!(read.runs[0].asked.in_flight, Some(32));
    let whole = case("elbencho-mixed-table.txt");
    assert_eq!(ids(&judged(&whole), Severity::Invalid), [""; 0]);
    for (from, to, id) in [
        (" 13126", " 23126", "fields-disagree"),
        ("avg=757us", "avg=1757us", "littles-law"),
        ("max=20.3ms", "max=0.3ms", "mean-outside"),
    ] {
        let found = ids(&judged(&whole.replace(from, to)), Severity::Invalid);
        assert!(found.contains(&id), "{to}: {found:?}");
    }
}

#[test]
fn a_console_without_its_command_says_nothing_of_what_was_asked() {
    let whole = case("elbencho-table.txt");
    let bare = &whole[whole.find("OPERATION").expect("titles")..];
    let asked = &result(bare).runs[0].asked;
    assert_eq!((asked.cache, asked.load, asked.content), (None, None, None));
}

#[test]
fn elbenchos_live_statistics_are_intervals() {
    let read = result(&case("elbencho-live.csv"));
    let of: Vec<_> = read
        .runs
        .iter()
        .map(|r| (r.name.as_str(), r.intervals().count()))
        .collect();
    assert_eq!(of, [("base WRITE", 3), ("base READ", 1)]);
    let row = &read.runs[0].rows[1];
    assert_eq!(
        (row.seconds, row.iops(), row.mean_ns()),
        (Some(2.0), Some(10_240.0), Some(98_000.0))
    );
}

/// The published page prints interval=5,elapsed=30 above a log of intervals of 2 s in 10 s, and an installer's failure above both.
#[test]
fn a_page_that_speaks_against_its_own_log_is_said_with_its_lines() {
    let log = text("vdbench/collapse.txt");
    let page = |definition: &str, above: &str| {
        format!("{above}\nsd=sd0,lun=/dev/dm-39,openflags=o_direct\n{definition}\n\n{log}")
    };
    let said = |page: &str| {
        let remarks = result(page).remarks;
        remarks
            .iter()
            .map(|r| (r.at.line, r.text.clone()))
            .collect::<Vec<_>>()
    };
    let published = page(
        "rd=run1,wd=wd1,interval=5,iorate=max,elapsed=30,forthreads=(32)",
        "mvapich_gcc RPM\nFailed to install RPMs",
    );
    let [(2, failed), (4, other)] = &said(&published)[..] else {
        panic!("{:?}", said(&published));
    };
    assert!(failed.contains("`Failed to install RPMs`"), "{failed}");
    assert!(
        other.contains("interval=5 is written here, and the log has 2 s")
            && other.contains("elapsed=30 is written here, and the log has 10 s"),
        "{other}"
    );
    // What agrees, and the definition of another run, says nothing.
    for definition in [
        "rd=run1,wd=wd1,interval=2,elapsed=10",
        "rd=run2,wd=wd1,interval=5,elapsed=30",
    ] {
        assert_eq!(said(&page(definition, "RPMs installed")), []);
    }
}
