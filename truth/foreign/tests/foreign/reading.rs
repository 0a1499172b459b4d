//! How inputs are known, and what becomes of what is around them.

use crate::corpus::{ids, judge, judged, path, result, said, text, try_bytes};
use plimsoll_evidence::Severity;
use plimsoll_foreign::Input;
use plimsoll_foreign::Judgement;
use plimsoll_foreign::model::{Caching, Load, Scope};
use plimsoll_foreign::read::read_folder;
use plimsoll_foreign::{Format, Tool, intake};
use plimsoll_plan::{Bytes, Rate};

/// The judgement of an output folder with these files.
pub fn folder(files: &[(&str, &str)]) -> Judgement {
    let inputs: Vec<Input> = files
        .iter()
        .map(|(name, text)| Input {
            name: format!("out/{name}"),
            bytes: text.as_bytes().to_vec(),
        })
        .collect();
    let (results, errors) = read_folder(&inputs);
    assert!(errors.is_empty(), "{errors:?}");
    judge(&results[0])
}

#[test]
fn every_sample_is_known_by_its_content() {
    for (name, text) in crate::corpus::all() {
        let result = result(&text);
        let expected = match (name.split('/').next(), name.rsplit('.').next()) {
            (Some("fio"), Some("json")) => (Tool::Fio, Format::FioJson),
            (Some("fio"), _) if name.contains("terse") => (Tool::Fio, Format::FioTerse),
            (Some("fio"), _) => (Tool::Fio, Format::FioText),
            (Some("vdbench"), _) => (Tool::Vdbench, Format::VdbenchText),
            (Some("diskspd"), Some("xml")) => (Tool::DiskSpd, Format::DiskSpdXml),
            (Some("diskspd"), _) => (Tool::DiskSpd, Format::DiskSpdText),
            _ => (Tool::Elbencho, Format::ElbenchoCsv),
        };
        assert_eq!((result.tool, result.format), expected, "{name}");
    }
}

#[test]
fn fios_jobs_have_their_figures_and_what_they_were_asked() {
    let merged = result(&text("fio/merged.json"));
    let [run] = &merged.runs[..] else {
        panic!("{:?}", merged.runs)
    };
    assert_eq!(merged.version.as_deref(), Some("3.33"));
    // Four jobs of four, as the running times of all show.
    assert_eq!(
        (run.asked.threads, run.asked.in_flight),
        (Some(4), Some(16))
    );
    assert_eq!(run.asked.block, Some((Bytes(8192), Bytes(8192))));
    assert_eq!(run.asked.cache, Some(Caching::Direct));
    let row = run.whole().expect("a row");
    assert_eq!(row.iops(), Some(66_743.812_809));
    assert_eq!(row.mean_ns(), Some(239_457.0));
    assert!((row.in_flight().expect("known") - 15.98).abs() < 0.01);
    assert_eq!(
        (
            run.at.line,
            row.all.completion.as_ref().map(|c| c.percentiles.len())
        ),
        (14, Some(17))
    );
    // Three of them apart are three runs with one job's depth each.
    let many = result(&text("fio/many.json"));
    assert_eq!(many.runs.len(), 3);
    assert!(many.runs.iter().all(|r| r.asked.in_flight == Some(4)));
    // Two sections as one have the options of the second only: nothing is known of both.
    let two = result(&text("fio/two.json"));
    assert_eq!(
        (two.runs[0].asked.threads, two.runs[0].asked.depth),
        (None, None)
    );
    assert!(
        two.remarks[0].text.contains("several sections"),
        "{:?}",
        two.remarks
    );
    let rated = result(&text("fio/rated.json"));
    assert!(matches!(
        rated.runs[0].asked.load,
        Some(Load::Limited {
            rate: Rate(2000.0),
            ..
        })
    ));
}

#[test]
fn fios_status_documents_are_intervals_of_one_run() {
    let status = result(&text("fio/status.json"));
    let [run] = &status.runs[..] else {
        panic!("{} runs", status.runs.len())
    };
    let intervals: Vec<_> = run
        .intervals()
        .map(|(n, r)| (n, r.seconds.expect("known"), r.all.ios.expect("known")))
        .collect();
    assert!(intervals.len() >= 5, "{intervals:?}");
    let sum: u64 = intervals.iter().map(|i| i.2).sum();
    let all = run.whole().and_then(|w| w.all.ios).expect("a sum");
    // The last 0.1 s make no interval.
    assert!(sum < all && sum > all / 100 * 98, "{sum} of {all}");
    assert!(
        intervals.iter().all(|i| (1.0..3.0).contains(&i.1)),
        "{intervals:?}"
    );
}

#[test]
fn messages_around_and_in_fios_json_do_not_hide_it() {
    let plain = result(&text("fio/merged.json"));
    let broken = text("fio/merged.json").replace(
        "      \"groupid\" : 0,",
        "fio: pid=77, err=5/file:io_u.c:1803, func=io_u error\n      \"groupid\" : 0,",
    );
    let noisy = format!("fio: job startup hung?\n{{not json}}\n{broken}\nfio: done {{}}\n");
    let noisy = result(&noisy);
    assert_eq!(
        noisy.runs[0].whole().map(|r| r.iops()),
        plain.runs[0].whole().map(|r| r.iops())
    );
    assert_eq!(noisy.runs[0].at.line, 14 + 2);
    let reported: Vec<&str> = noisy.remarks.iter().map(|r| r.text.as_str()).collect();
    assert!(
        reported.iter().any(|t| t.contains("1 line inside")),
        "{reported:?}"
    );
}

#[test]
fn several_results_in_one_text_are_several_runs() {
    let both = format!("{}\n{}", text("fio/merged.json"), text("fio/seq.json"));
    let both = result(&both);
    let names: Vec<&str> = both.runs.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["merged", "seq"]);
}

#[test]
fn a_console_text_from_a_mail_is_read_through_its_quoting_and_broken_lines() {
    let plain = result(&text("vdbench/collapse.txt"));
    let rates = |r: &plimsoll_foreign::ForeignResult| {
        r.runs[0].rows.iter().map(|r| r.iops()).collect::<Vec<_>>()
    };
    let quoted: String = text("vdbench/collapse.txt")
        .lines()
        .map(|l| format!("> > {l}\n"))
        .collect();
    assert_eq!(rates(&result(&quoted)), rates(&plain));
    let broken: String = text("vdbench/collapse.txt")
        .lines()
        .map(|l| match l.len() > 90 && !l.contains("Starting") {
            true => format!("{}\n{}\n", &l[..79], &l[79..]),
            false => format!("{l}\n"),
        })
        .collect();
    assert_eq!(rates(&result(&broken)), rates(&plain));
    assert_eq!(ids(&judged(&broken), Severity::Suspect), ["collapse"]);
    let german = text("vdbench/collapse.txt")
        .replace("0.", "0,")
        .replace('.', ",")
        .replace(":02,05", ":02.05");
    assert_eq!(rates(&result(&german)), rates(&plain));
}

#[test]
fn a_log_that_ends_after_an_announcement_is_read_to_there() {
    let cut = text("vdbench/repaired.txt")
        + "17:20:00.000 Starting RD=run2; I/O rate: Uncontrolled MAX; elapsed=10; For loops: threads=64\n";
    let result = result(&cut);
    assert_eq!(result.runs.len(), 1);
    let half: String = text("vdbench/repaired.txt")
        .lines()
        .take(7)
        .map(|l| format!("{l}\n"))
        .collect();
    let half = crate::corpus::result(&half);
    assert_eq!(half.runs[0].intervals().count(), 3);
    assert!(
        half.remarks
            .iter()
            .any(|r| r.text.contains("without an average")),
        "{:?}",
        half.remarks
    );
}

#[test]
fn newer_columns_have_the_maxima_of_reads_and_writes_and_runs_without_names_are_told_by_their_numbers()
 {
    let line = |n: u32, rate: f64| {
        format!(
            "10:00:{n:02}.000 {n} {rate:.1} 40.0 4096 70.00 0.800 0.700 1.033 5.50 7.25 0.400 8.0 20.0 10.0\n"
        )
    };
    let text: String = (1..=4)
        .map(|n| line(n, 10_000.0))
        .chain((1..=4).map(|n| line(n, 9_000.0)))
        .collect();
    let result = result(&text);
    assert_eq!(result.runs.len(), 2);
    let row = &result.runs[0].rows[0];
    assert_eq!(row.scope, Scope::Interval(1));
    assert_eq!(
        row.writes.latency.max,
        Some(plimsoll_plan::Nanos(7_250_000))
    );
    assert_eq!(row.all.latency.max, Some(plimsoll_plan::Nanos(7_250_000)));
    assert_eq!(
        (row.queue_depth, row.cpu.map(|c| c.busy)),
        (Some(8.0), Some(0.2))
    );
}

#[test]
fn a_folder_joins_its_pages_and_the_parameter_file_says_the_conditions() {
    let flat = "* comment\ntod Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp resp_max resp_std xfersize threads rdpct lunsize queue_depth cpu_used cpu_kernel\n\
        17:10:02.000 run1 1 9999988 75897 296.4727 4096 100 0.38 0.38 0 80.3 0.2 4096 32 100 10 29 24 20\n\
        17:10:04.000 run1 2 9999988 101608 396.9 4096 100 0.302 0.302 0 16 0.1 4096 32 100 10 30.7 30 25\n\
        17:10:04.010 run1 avg_2-2 9999988 101608 396.9 4096 100 0.302 0.302 0 16 0.1 4096 32 100 10 30.7 30 25\n";
    let parm = "* note\nsd=sd1,lun=/mnt/a,threads=32\nwd=wd1,sd=sd1,xfersize=4k\nrd=run1,wd=wd1,iorate=max,elapsed=4,interval=2\n";
    let found = folder(&[
        ("flatfile.html", flat),
        ("parmfile.html", parm),
        ("errorlog.html", ""),
    ]);
    assert_eq!(found.sources.len(), 2);
    let (sentence, _) = said(&found, "buffered-io");
    assert!(
        sentence.contains("All of its 10.0 GiB may fit"),
        "{sentence}"
    );
    let direct = parm.replace("threads=32", "threads=32,openflags=o_direct");
    let found = folder(&[("flatfile.html", flat), ("parmfile.html", &direct)]);
    assert!(!ids(&found, Severity::Note).contains(&"buffered-io"));
    let several = parm.replace(
        "sd=sd1,lun=/mnt/a,threads=32",
        "sd=sd1,lun=/mnt/a,threads=16,count=(1,2)",
    );
    let summary = text("vdbench/repaired.txt").replace("threads=32", "None");
    let found = folder(&[("summary.html", &summary), ("parmfile.html", &several)]);
    assert!(
        !ids(&found, Severity::Note).contains(&"depth-above-threads"),
        "two targets have 32"
    );
}

#[test]
fn a_flat_file_s_bandwidth_is_its_rate_times_its_bytes_also_of_mixed_sizes() {
    let line = |mb: f64| {
        format!(
            "tod Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp resp_max resp_std xfersize threads rdpct lunsize\n\
             17:10:04.010 run1 avg_2-2 9999988 1000 {mb} 20480 100 0.302 0.302 0 16 0.1 4096 32 100 10\n"
        )
    };
    let spoke = |mb: f64| {
        let found = folder(&[("flatfile.html", &line(mb))]);
        ids(&found, Severity::Note).contains(&"fields-disagree")
    };
    // 1,000 of 20 KiB are 19.53 MiB.
    assert!(!spoke(19.53));
    assert!(spoke(39.06));
}

#[test]
fn what_is_no_result_is_refused_with_what_it_is_and_what_to_do() {
    let refused = |bytes: &[u8]| try_bytes(bytes).expect_err("refused").to_string();
    assert!(refused(b"").contains("is empty"));
    assert!(refused(b"SQLite format 3\0rest").contains("Plimsoll's own records"));
    assert!(refused(b"hello\nworld\n").contains("is no result that is known"));
    assert!(refused(&[0, 1, 2, 0xFF, 0, 0, 9]).contains("no text at all"));
    let terse = "3;fio-3.33;job;0;0;4096;100;25;40";
    assert!(refused(terse.as_bytes()).contains("no line in it is whole"));
    let people = "a: (groupid=0, jobs=1): err= 0: pid=1\n";
    assert!(refused(people.as_bytes()).contains("no line of reads, writes or trims"));
    assert!(refused(b"sd=sd1,lun=/dev/sdb\nwd=wd1,sd=sd1\n").contains("parameter file of Vdbench"));
    assert!(refused(b"{\"fio version\" : \"fio-3.33\", \"jobs\" : []}").contains("no job in it"));
    let files = "Starting RD=rd1; elapsed=10; fwdrate=max. For loops: None\n";
    assert!(refused(files.as_bytes()).contains("file system run"));
    assert!(refused(b"<Results><Profile></Profile>").contains("no time span"));
}

#[test]
fn devices_and_missing_files_are_refused_by_name() {
    let refused = |path: &str| intake::take(path).expect_err("refused").to_string();
    assert!(refused("/dev/zero").contains("is a device"));
    assert!(refused("/nowhere/at/all.json").contains("cannot be read"));
    let corpus = path("fio");
    let taken = intake::take(corpus.to_str().expect("text")).expect("a folder of results");
    assert!(taken.results.len() > 10 && taken.passed_over.is_empty());
    assert!(refused(path("").to_str().expect("text")).contains("no files, only 4 folders"));
}

/// `-D` prints how the rates of its intervals scatter, and the deviation of a sum is no larger than those of its parts together.
#[test]
fn diskspds_deviation_of_its_rate_is_read_and_judged() {
    let told = |deviation: &str, intervals: &str| {
        let (mut out, mut of_all) = (String::new(), true);
        for line in text("diskspd/clean.txt").lines() {
            // Behind AvgLat, where DiskSPD has it.
            let titles = line.starts_with("thread |");
            let line = match (titles, of_all && line.starts_with("total:")) {
                (true, _) => line.replace("AvgLat  |", "AvgLat  | IopsStdDev |"),
                (_, true) => line.replace("    0.779 |", &format!("    0.779 | {deviation} |")),
                _ => line.replace("    0.779 |", "    0.779 | 10.00 |"),
            };
            of_all &= !line.starts_with("total:");
            out += &line.replace(
                "\tmeasuring latency",
                &format!("\tmeasuring latency\n{intervals}"),
            );
            out += "\n";
        }
        out
    };
    let every_second = "\tgathering IOPS at intervals of 1000ms";
    let read = result(&told("20090.00", every_second));
    let samples = read.runs[0].whole().and_then(|row| row.samples);
    let (count, sd) = samples.map(|s| (s.count, s.sd)).expect("samples");
    assert_eq!((count, sd), (60, 20090.0));
    assert_eq!(
        read.runs[0].whole().and_then(|row| row.iops()),
        Some(41_000.0)
    );
    let (said, _) = said(&judged(&told("20090.00", every_second)), "never-steady");
    assert!(
        said.contains("standard deviation of 49% around 41,000/s"),
        "{said}"
    );
    let found = |text: &str| ids(&judged(text), Severity::Suspect);
    assert_eq!(found(&told("4100.00", every_second)), [""; 0]);
    // Three intervals say nothing.
    assert_eq!(
        found(&told("20090.00", &every_second.replace("1000", "20000"))),
        [""; 0]
    );
    // In XML each target has its own, of its buckets until its last I/O: no sum of them is held against that of all.
    let xml = text("diskspd/clean.xml");
    let of_target = |deviation: &str| {
        xml.replace("<Path>t.dat</Path>\n        <BytesCount>", &format!("<Path>t.dat</Path>\n        <Iops><IopsStdDev>{deviation}</IopsStdDev></Iops>\n        <BytesCount>"))
    };
    assert_ne!(of_target("500.000"), xml);
    assert_eq!(found(&of_target("500.000")), [""; 0]);
    assert_eq!(found(&of_target("0.000")), [""; 0]);
}

/// DiskSPD's buckets have I/Os per second, also where -D makes them shorter than one.
#[test]
fn diskspds_series_is_of_rates() {
    let whole = text("diskspd/clean.xml");
    let bucket =
        |ms: u32, rate: u32| format!("<Bucket SampleMillisecond=\"{ms}\" Total=\"{rate}\"/>");
    let series = format!(
        "<Iops>{}{}</Iops>",
        bucket(500, 40_000),
        bucket(1000, 50_000)
    );
    let span = whole.rfind("<TimeSpan>").expect("a time span") + "<TimeSpan>".len();
    let (before, after) = whole.split_at(span);
    let mut changed = format!("{before}{series}{after}");
    if let Some(own) = after.find("<Iops>") {
        let end = after.find("</Iops>").expect("its end") + "</Iops>".len();
        changed = format!("{before}{series}{}{}", &after[..own], &after[end..]);
    }
    let read = result(&changed);
    let rows = read.runs[0].rows.iter();
    let seen: Vec<_> = rows
        .filter(|r| matches!(r.scope, Scope::Interval(_)))
        .map(|r| (r.iops(), r.all.ios))
        .collect();
    assert_eq!(
        seen,
        [
            (Some(40_000.0), Some(20_000)),
            (Some(50_000.0), Some(25_000))
        ]
    );
}

#[test]
fn a_figure_that_is_none_is_named_with_its_line() {
    let honest = text("fio/honest.json");
    for (from, to, said) in [
        (
            "\"iops\" : 29829.564881",
            "\"iops\" : nan",
            "`read.iops`: what is there is no figure, and left out",
        ),
        (
            "\"total_ios\" : 924806",
            "\"total_ios\" : \"12k\"",
            "`read.total_ios`: `12k` is no figure, and left out",
        ),
        (
            "\"max\" : 24570791",
            "\"max\" : -5",
            "`read.clat_ns.max`: `-5` is less than nothing, and left out",
        ),
        (
            "\"99.900000\" : 4554752",
            "\"99.900000\" : null",
            "`read.clat_ns.percentile.99.900000`: what is there is no figure, and left out",
        ),
    ] {
        assert!(honest.contains(from), "{from}");
        let line = honest[..honest.find(from).expect("there")].lines().count();
        let read = result(&honest.replacen(from, to, 1));
        let found: Vec<_> = read.remarks.iter().filter(|r| r.text == said).collect();
        assert_eq!(found.len(), 1, "{said}: {:?}", read.remarks);
        assert_eq!(found[0].at.line as usize, line, "{said}");
    }
    assert!(result(&honest).remarks.is_empty());
}

#[test]
fn a_run_of_diskspd_that_failed_says_why() {
    let failed = |text: &str| {
        let input = Input {
            name: "out.txt".into(),
            bytes: text.as_bytes().to_vec(),
        };
        let why = plimsoll_foreign::read::read(&input).expect_err("no figures");
        why.to_string()
    };
    let at_once = "Command Line: diskspd -b8K x.dat\n\nError opening file: x.dat [2]\nThere has been an error during threads execution\n\
                   Error generating I/O requests\n";
    assert!(
        failed(at_once).starts_with("out.txt:3: the run of DiskSPD failed, and there are no figures to judge: `Error opening file: x.dat [2]`"),
        "{}",
        failed(at_once)
    );
    let alone = "t[0] waiting for a signal\nError generating I/O requests\n";
    assert!(
        failed(alone).starts_with("out.txt:2: "),
        "{}",
        failed(alone)
    );
    // What it was asked stands before that, and no table behind it.
    let clean = text("diskspd/clean.txt");
    let head = &clean[..clean.find("Results for timespan").expect("there")];
    let after =
        format!("{head}\nt[0:0] error during overlapped I/O: 5\nError generating I/O requests\n");
    assert!(
        failed(&after).contains("error during overlapped I/O: 5"),
        "{}",
        failed(&after)
    );
}
