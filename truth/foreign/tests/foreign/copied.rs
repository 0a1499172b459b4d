//! Lines of results as people copied them into notes, mails and reports of faults, and what they mean.

use crate::corpus::{ids, judged, result, try_bytes};
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::{Asked, Caching, Load, Scope};
use plimsoll_foreign::{Format, Tool};
use plimsoll_plan::{Bytes, Rate};

const MIB: f64 = 1_048_576.0;

/// fio 3.1 printed 4096 MiB in 341.704 s, 11.987 MiB/s, as `11.0MiB/s (12.6MB/s)`.
const CARRY: &str = "\
myjob: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=4
fio-3.1
Starting 1 process
myjob: (groupid=0, jobs=1): err= 0: pid=21461: Fri Oct  6 05:21:27 2017
  write: IOPS=3068, BW=11.0MiB/s (12.6MB/s)(4096MiB/341704msec)
    slat (usec): min=2, max=1841, avg= 7.63, stdev= 5.14
    clat (usec): min=359, max=45445, avg=1294.12, stdev=1983.67
     lat (usec): min=371, max=45453, avg=1301.99, stdev=1983.73
";

#[test]
fn a_bandwidth_that_lost_its_carry_is_read_as_what_was_done() {
    let read = result(CARRY);
    let row = read.runs[0].whole().expect("a row");
    let told = row.bandwidth.expect("a bandwidth").0 as f64;
    let done = 4096.0 * MIB / 341.704;
    assert!((told - done).abs() < 0.005 * done, "{told}");
    assert_eq!(ids(&judged(CARRY), Severity::Suspect), [""; 0]);
    // Where nothing says so, it stays as it is told.
    let plain = CARRY.replace(
        "BW=11.0MiB/s (12.6MB/s)(4096MiB",
        "BW=11.0MiB/s (11.5MB/s)(3759MiB",
    );
    let row = result(&plain).runs[0].whole().cloned().expect("a row");
    assert_eq!(row.bandwidth, Some(Bytes(11 << 20)));
}

#[test]
fn a_rate_that_lost_its_carry_is_what_its_count_and_time_make() {
    let text = CARRY.replace("IOPS=3068", "IOPS=27.0k")
        + "     issued rwts: total=0,9574546,0,0 short=0,0,0,0\n";
    let rate = result(&text).runs[0].whole().and_then(|r| r.iops());
    let made = 9_574_546.0 / 341.704;
    assert!((rate.expect("a rate") - made).abs() < 0.01, "{rate:?}");
}

#[test]
fn a_line_before_the_run_that_was_broken_in_two_is_put_together() {
    let broken = CARRY.replace("(W) 4096B-4096B, (T)", "(W) 4096B-4096B,\n(T)");
    let (one, two) = (result(CARRY), result(&broken));
    assert_eq!(one.runs[0].asked, two.runs[0].asked);
    assert_eq!(one.runs[0].asked.block, Some((Bytes(4096), Bytes(4096))));
    // Without its end nobody knows size, engine and depth: fio's defaults are not what was asked.
    let cut = CARRY.replace(
        ", (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=4",
        ",",
    );
    let read = result(&cut);
    assert_eq!(read.runs[0].asked, Asked::default());
    assert_eq!(read.version.as_deref(), Some("3.1"));
}

#[test]
fn marks_of_markdown_around_a_result_are_no_lines_of_it() {
    let fenced = format!("```log\n{CARRY}```\n");
    let remarks = result(&fenced).remarks;
    assert!(
        remarks.iter().all(|r| !r.text.contains("not of fio")),
        "{remarks:?}"
    );
}

#[test]
fn the_command_above_a_text_says_what_the_text_leaves_out() {
    let asked = |command: &str| result(&format!("{command}\n{CARRY}")).runs[0].asked.clone();
    let typed = "[root@host ~]# fio --filename=t --rw=write --ioengine=libaio --bs=4k --size=4G --iodepth=4 --group_reporting --name=myjob";
    assert_eq!(asked("").cache, None);
    assert_eq!(asked(typed).cache, Some(Caching::Buffered));
    assert_eq!(
        asked(&format!("{typed} -direct=1")).cache,
        Some(Caching::Direct)
    );
    assert_eq!(asked(typed).load, Some(Load::Max));
    assert_eq!(
        asked(&format!(
            "{typed} --eta-newline 1 --output=o.txt --direct=1"
        ))
        .cache,
        Some(Caching::Direct)
    );
    let limited = asked(&format!("{typed} --rate_iops=300")).load;
    let rate = match limited {
        Some(Load::Limited { rate, .. }) => Some(rate),
        _ => None,
    };
    assert_eq!(rate, Some(Rate(300.0)));
    let two_lines = typed.replace(" --bs", " \\\n  --bs");
    assert_eq!(asked(&two_lines).cache, Some(Caching::Buffered));
    // That of another job, or of another depth, is of another run.
    for other in [
        typed.replace("=myjob", "=other"),
        typed.replace("iodepth=4", "iodepth=8"),
    ] {
        assert_eq!(asked(&other), asked(""), "{other}");
    }
}

#[test]
fn a_command_is_of_the_run_below_it_alone() {
    let direct =
        "$ fio --direct=1 --rw=write --ioengine=libaio --bs=4k --size=4G --iodepth=4 --name=myjob";
    let buffered = direct.replace("--direct=1 ", "");
    let read = result(&format!(
        "{direct}\n{CARRY}\n{buffered}\n{CARRY}\n\n{CARRY}"
    ));
    let caches: Vec<_> = read.runs.iter().map(|r| r.asked.cache).collect();
    assert_eq!(
        caches,
        [Some(Caching::Direct), Some(Caching::Buffered), None]
    );
}

#[test]
fn a_mail_in_quoted_printable_has_the_figures_of_its_text() {
    let coded = CARRY.replace('=', "=3D").replace("avg=3D", "avg=\n=3D");
    let coded: String = coded
        .lines()
        .map(|l| format!("> {l}\n").replace("> =3D", "=3D"))
        .collect();
    let (one, two) = (result(CARRY), result(&coded));
    let figures = |r: &plimsoll_foreign::ForeignResult| {
        let row = r.runs[0].whole().expect("a row");
        (
            row.iops(),
            row.bandwidth,
            row.all.latency.mean,
            row.all.latency.max,
        )
    };
    assert_eq!(figures(&one), figures(&two));
    assert_eq!(one.runs[0].asked, two.runs[0].asked);
}

/// A table before 2.0, whose times have their unit in the title.
const OLD_TABLE: &str = "\
[root@node sweep]# elbencho -w -t 56 --nolive -F -s 512g -b 16m --direct --dropcache ./2x512GiB/f0
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
DROPCACHE Elapsed ms       :       2746       3071
---
WRITE     Elapsed ms       :      99757     116077
          IOPS             :        571        564
          Throughput MiB/s :       9136       9033
          Total MiB        :     911424    1048576
---
RMFILES   Elapsed ms       :          0          1
---
";

#[test]
fn tables_of_elbencho_before_2_are_read() {
    let read = result(OLD_TABLE);
    let [run] = &read.runs[..] else {
        panic!("{:?}", read.runs)
    };
    let row = run.whole().expect("a row");
    assert_eq!((run.name.as_str(), row.seconds), ("WRITE", Some(116.077)));
    assert_eq!(row.iops(), Some(564.0));
    assert_eq!(run.asked.cache, Some(Caching::Direct));
    assert_eq!(run.asked.block, Some((Bytes(16 << 20), Bytes(16 << 20))));
    assert_eq!(ids(&judged(OLD_TABLE), Severity::Suspect), [""; 0]);
}

#[test]
fn a_phase_has_the_command_above_it_and_no_word_of_the_text_below() {
    let end = OLD_TABLE.find("---\nRMFILES").expect("a line");
    let told = format!(
        "{}\nThe mode of several hosts (`elbencho --hosts ...`) is less exact.\n",
        &OLD_TABLE[..end]
    );
    assert_eq!(result(&told).runs[0].asked.cache, Some(Caching::Direct));
    // Of a command that somebody shortened nothing is known: its other half may say --direct.
    let shortened = OLD_TABLE.replace(
        " -F -s 512g -b 16m --direct --dropcache ./2x512GiB/f0",
        " ...",
    );
    assert_eq!(result(&shortened).runs[0].asked.cache, None);
}

#[test]
fn live_statistics_under_the_titles_of_a_table_are_read() {
    let text = "\
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
ISO Date,Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes,MiB/s,IOPS,Entries,Entries/s,Lat Ent us,Lat IO us,Active,CPU,Service,
2025-12-17T11:58:08.821-0600,,READ,1001,Total,,35,49416241152,47127,94254,0,0,0,10549,128,5,,
2025-12-17T11:58:09.821-0600,,READ,2001,Total,,73,100924391424,49122,98244,0,0,0,10380,128,5,,
";
    let read = result(text);
    assert_eq!(
        (read.tool, read.format),
        (Tool::Elbencho, Format::ElbenchoLive)
    );
    assert_eq!(read.runs[0].rows.len(), 2);
}

#[test]
fn what_vdbench_wrote_to_make_its_file_is_no_run() {
    let text = "\
16:24:29.004 Starting RD=SD_format; I/O rate: Uncontrolled MAX; elapsed=(none); For loops: threads=2 iorate=max

Jan 24, 2019    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue  cpu%  cpu%
                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth sys+u   sys
16:24:30.156           1      320.0    40.00  131072   0.00    0.739    0.000    0.739     0.00    32.50    2.466    0.2  36.5  25.0
16:24:30.181     avg_2-1        0.0     0.00       0   0.00    0.000    0.000    0.000     0.00     0.00    0.000    0.0   NaN   NaN
16:24:31.001 Starting RD=rd1; I/O rate: 100; elapsed=5; For loops: None
16:24:36.053     avg_2-5      104.5     0.10    1024  50.72    0.012    0.010    0.015     0.05     0.12    0.007    0.0   4.6   0.9
";
    let read = result(text);
    let names: Vec<_> = read.runs.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["rd1"]);
    assert!(
        read.remarks
            .iter()
            .any(|r| r.at.line == 1 && r.text.starts_with("SD_format"))
    );
    assert_eq!(ids(&judged(text), Severity::Invalid), [""; 0]);
}

#[test]
fn an_interval_that_maxdata_cut_short_is_no_fall_of_the_rate() {
    let text = "\
Dec 11, 2020  interval        i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue  cpu%  cpu%
                             rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth sys+u   sys
16:35:20.063        31  312322.60  2440.02    8192  70.06    0.198    0.253    0.069    6.746    0.262  61.7  35.9   6.6
16:35:25.061        32  311582.60  2434.24    8192  70.01    0.198    0.252    0.072   19.997    0.254  61.8  35.6   6.2
16:35:40.061        35  312312.20  2439.94    8192  70.06    0.197    0.252    0.069   19.005    0.259  61.7  36.0   6.6
16:35:45.067        36  311911.20  2436.81    8192  69.97    0.199    0.253    0.074   10.799    0.260  62.2  35.6   6.5
16:35:45.075 Reached maxdata=300g. rd=run1 shutting down after next interval.
16:35:46.075        37   61272.40   478.69    8192  70.02    0.193    0.245    0.070    2.571    0.236  11.8  36.1   7.2
16:35:46.092  avg_7-37  256348.49  2002.72    8192  70.00    0.177    0.224    0.068   30.083    0.241  45.3  35.8   6.1
";
    let read = result(text);
    let intervals = read.runs[0]
        .rows
        .iter()
        .filter(|r| matches!(r.scope, Scope::Interval(_)));
    assert_eq!(intervals.count(), 4);
    assert!(
        read.remarks
            .iter()
            .any(|r| r.text.contains("interval 37 ended after 1 of 5 s"))
    );
    // A last interval of full length stays.
    let whole = text.replace("16:35:46.0", "16:35:50.0");
    assert_eq!(result(&whole).runs[0].rows.len(), 6);
}

#[test]
fn the_columns_of_a_file_system_run_are_known_without_its_parameters() {
    let text = "\
Dec 11, 2020 .Interval. .ReqstdOps... ...cpu%...  read ....read..... ....write.... ..mb/sec... mb/sec .xfer..
                          rate   resp total  sys   pct   rate   resp   rate   resp  read write  total    size
16:19:08.082    avg_600 3492.2 18.300  29.6 3.52  60.0 2096.2  7.228 1396.0 34.925  2096  1395 3492.2 1048578
";
    let said = try_bytes(text.as_bytes())
        .expect_err("not read")
        .to_string();
    assert!(said.contains("a file system run"), "{said}");
}

#[test]
fn more_threads_than_the_parameters_have_are_of_targets_that_were_cut_out() {
    let text = "\
Command Line: diskspd.exe -c496G -b4K -r4K -t160 -o3 -w100 -d900 -Suw -W15 -L D:\\test.dat

Results for timespan 1:
*******************************************************************************

actual test time:    900.00s
thread count:        800

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  |  file
-----------------------------------------------------------------------------------
total:     8265251819520 |   2017883745 |    8758.14 | 2242082.85 |    0.861

Read IO
";
    let read = result(text);
    assert_eq!(read.runs[0].asked.threads, Some(800));
    assert_eq!(read.runs[0].asked.in_flight, Some(2400));
    assert!(
        read.remarks
            .iter()
            .any(|r| r.text.contains("800 threads ran"))
    );
    // 2,242,083/s of 861 us take 1,930 of them.
    assert_eq!(ids(&judged(text), Severity::Invalid), [""; 0]);
    let one = text.replace("count:        800", "count:        160");
    assert_eq!(ids(&judged(&one), Severity::Invalid), ["littles-law"]);
}
