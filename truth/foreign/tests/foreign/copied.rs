//! Lines of results as people copied them into notes, mails and reports of faults, and what they mean.

use crate::corpus::{ids, judged, result, try_bytes};
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::{AskedSettings, Caching, Load, Scope};
use plimsoll_foreign::{ForeignResult, Format, Tool};
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
    let reported = row.bandwidth.expect("a bandwidth").0 as f64;
    let done = 4096.0 * MIB / 341.704;
    assert!((reported - done).abs() < 0.005 * done, "{reported}");
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

/// What a result's first run was asked, wherever it stands.
fn asked(result: &ForeignResult) -> AskedSettings {
    AskedSettings {
        began_with: None,
        ..result.runs[0].asked.clone()
    }
}

#[test]
fn a_line_before_the_run_that_was_broken_in_two_is_put_together() {
    let broken = CARRY.replace("(W) 4096B-4096B, (T)", "(W) 4096B-4096B,\n(T)");
    let (one, two) = (result(CARRY), result(&broken));
    assert_eq!(asked(&one), asked(&two));
    assert_eq!(one.runs[0].asked.block, Some((Bytes(4096), Bytes(4096))));
    // Without its end nobody knows size, engine and depth: fio's defaults are not what was asked.
    let cut = CARRY.replace(
        ", (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=4",
        ",",
    );
    let read = result(&cut);
    assert_eq!(asked(&read), AskedSettings::default());
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

#[test]
fn a_mail_that_codes_its_blanks_is_read_too() {
    let coded = "\
journal-test: (g=3D0): rw=3Drandwrite, bs=3D(R) 512B-512B, (W) 512B-512B, (=
T) 512B-512B, ioengine=3Dlibaio, iodepth=3D1
fio-3.12
journal-test: (groupid=3D0, jobs=3D1): err=3D 0: pid=3D1715926: Mon May 23 =
14:05:28 2022
=C2=A0 write: IOPS=3D2087, BW=3D1044KiB/s (1069kB/s)(5220KiB/5001msec); 0 z=
one resets
=C2=A0=C2=A0=C2=A0=C2=A0 lat (usec): min=3D46, max=3D953, avg=3D467.16, std=
ev=3D27.79
=C2=A0=C2=A0=C2=A0 clat percentiles (usec):
=C2=A0=C2=A0=C2=A0=C2=A0 |=C2=A0 1.00th=3D[=C2=A0 404],=C2=A0 5.00th=3D[=C2=
=A0 420], 10.00th=3D[=C2=A0 429], 20.00th=3D[=C2=A0 433]
";
    let read = result(coded);
    let row = read.runs[0].whole().expect("a row");
    assert_eq!(
        (row.iops().map(f64::round), row.mean_ns()),
        (Some(2088.0), Some(467_160.0))
    );
    assert_eq!(read.runs[0].asked.block, Some((Bytes(512), Bytes(512))));
    assert_eq!(read.remarks.len(), 1, "its end: {:?}", read.remarks);
}

#[test]
fn lines_that_a_search_left_are_a_run_each() {
    let text = "\
[root@host ~]# cat report | grep -i iops
  write: io=282164KB, bw=9385.8KB/s, iops=2346, runt= 30063msec
  write: io=281960KB, bw=9382.1KB/s, *iops=2345*, runt= 30053msec
  read : io=141200KB, bw=4691.7KB/s, iops=1172, runt= 30096msec
  write: io=141248KB, bw=4693.3KB/s, iops=1173, runt= 30096msec
  read : io=141196KB, bw=4692.4KB/s, iops=1173, runt= 30091msec
";
    let rates: Vec<_> = result(text)
        .runs
        .iter()
        .filter_map(|r| r.whole()?.iops())
        .collect();
    assert_eq!(rates, [2346.0, 2345.0, 2345.0, 1173.0]);
}

#[test]
fn reads_that_nobody_asked_for_came_after_the_writes() {
    let text = "\
verify: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=16
fio-3.27
verify: (groupid=0, jobs=1): err= 0: pid=181274: Tue Nov 15 11:40:08 2022
  read: IOPS=272k, BW=1064MiB/s (1115MB/s)(2529MiB/2378msec)
     lat (usec): min=3, max=241, avg=58.00, stdev= 7.17
  write: IOPS=74.8k, BW=292MiB/s (306MB/s)(4000MiB/13688msec); 0 zone resets
     lat (usec): min=7, max=1077, avg=213.56, stdev=45.83
";
    // 272,000/s of 58 us are 15.8 in flight, and 74,800/s of 214 us 16.0: of 16, one after the other.
    assert_eq!(ids(&judged(text), Severity::Invalid), [""; 0]);
    let mixed = text.replace("rw=randwrite", "rw=randrw");
    assert_eq!(ids(&judged(&mixed), Severity::Invalid), ["littles-law"]);
}

#[test]
fn the_port_of_diskspd_to_linux_is_read_with_totals_in_bold() {
    let text = "\
Command Line: diskspd -c50G -b64K -F4 -r -o128 -W60 -d30 -Sh /data/testfile.dat
Results for job 1:
test time: 30s
Total IO
thread | bytes | I/Os | MB/s | I/O per s | file
 - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
 0 | 12241797120 | 186795 | 389.16 | 6226.50 | /data/testfile.dat (53687091200B)
*total: 48959979520 | 747070 | 1556.40 | 24902.33*
Read IO
*total: 48959979520 | 747070 | 1556.40 | 24902.33*
";
    let read = result(text);
    let row = read.runs[0].whole().expect("a row");
    assert_eq!((row.iops(), row.all.ios), (Some(24_902.33), Some(747_070)));
    assert_eq!(row.seconds, Some(30.0));
    assert_eq!(read.runs[0].asked.in_flight, Some(512));
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
    let reported = format!(
        "{}\nThe mode of several hosts (`elbencho --hosts ...`) is less exact.\n",
        &OLD_TABLE[..end]
    );
    assert_eq!(result(&reported).runs[0].asked.cache, Some(Caching::Direct));
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
    assert_eq!(read.runs[0].intervals().count(), 2);
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

#[test]
fn a_line_with_fios_name_that_ends_in_a_backslash_takes_no_line_of_a_result_with_it() {
    let alone = result(CARRY);
    for head in [
        "That is what fio said \\",
        "$ fio --name=other --rw=read \\",
        "C:\\tools\\fio\\",
    ] {
        let read = result(&format!("{head}\n{CARRY}"));
        assert_eq!(asked(&read), asked(&alone), "{head}");
        assert_eq!(read.runs.len(), alone.runs.len(), "{head}");
    }
}

#[test]
fn a_second_result_of_diskspd_has_its_own_parameters_or_none() {
    let one = crate::corpus::text("diskspd/clean.txt");
    let at = one.find("Input parameters:").expect("parameters");
    let asked = |second: &str| {
        let read = result(&format!("{one}\n{second}"));
        let asked: Vec<_> = read
            .runs
            .iter()
            .map(|r| (r.asked.in_flight, r.asked.block))
            .collect();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[0], (Some(32), Some((Bytes(8192), Bytes(8192)))));
        asked[1]
    };
    let size = |bytes| Some((Bytes(bytes), Bytes(bytes)));
    // Another depth and size, with their command and without.
    let other = one.replace("-o8", "-o16").replace("-b8K", "-b64K");
    let other = other
        .replace("per thread: 8", "per thread: 16")
        .replace("block size: 8KiB", "block size: 64KiB");
    assert_eq!(asked(&other), (Some(64), size(65536)));
    let at_other = other.find("Input parameters:").expect("parameters");
    assert_eq!(asked(&other[at_other..]), (Some(64), size(65536)));
    // Its results alone.
    let results = other.find("Results for").expect("results");
    assert_eq!(asked(&other[results..]), (None, None));
    assert_eq!(asked(&one[at..]), (Some(32), size(8192)));
}
