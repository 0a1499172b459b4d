//! Results from public reports that were called false once, and are true.

use crate::corpus::{ids, judged, result};
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::{Caching, Load};
use plimsoll_plan::Nanos;

/// 16 jobs of fio 3.7 at 64 each, nearly all of whose I/Os took longer than a second: 540/s times 1.834 s is 991 of 1,024.
const LONG: &str = "\
job: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=64
...
fio-3.7
Starting 16 processes

job: (groupid=0, jobs=16): err= 0: pid=264848: Thu Aug 13 14:41:16 2020
   read: IOPS=540, BW=2162KiB/s (2214kB/s)(65.0MiB/30788msec)
    slat (usec): min=3, max=215915, avg=28813.30, stdev=40110.38
    clat (usec): min=1993, max=3694.6k, avg=1805451.99, stdev=439004.53
     lat (msec): min=2, max=3808, avg=1834.27, stdev=444.83
    clat percentiles (msec):
     |  1.00th=[  268],  5.00th=[ 1083], 10.00th=[ 1334], 20.00th=[ 1519],
     | 30.00th=[ 1653], 40.00th=[ 1754], 50.00th=[ 1838], 60.00th=[ 1921],
     | 70.00th=[ 2022], 80.00th=[ 2140], 90.00th=[ 2299], 95.00th=[ 2433],
     | 99.00th=[ 2735], 99.50th=[ 2869], 99.90th=[ 3104], 99.95th=[ 3239],
     | 99.99th=[ 3540]
   bw (  KiB/s): min=    7, max= 1208, per=6.23%, avg=134.74, stdev=54.93, samples=927
   iops        : min=    1, max=  302, avg=33.61, stdev=13.74, samples=927
  lat (msec)   : 2=0.01%, 4=0.02%, 10=0.05%, 20=0.07%, 50=0.17%
  lat (msec)   : 100=0.28%, 250=0.37%, 500=0.75%, 750=1.26%, 1000=1.33%
  cpu          : usr=0.04%, sys=0.18%, ctx=7891, majf=0, minf=1173
  IO depths    : 1=0.1%, 2=0.2%, 4=0.4%, 8=0.8%, 16=1.5%, 32=3.1%, >=64=93.9%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=99.9%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.1%, >=64=0.0%
     issued rwts: total=16641,0,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=64
";

#[test]
fn shares_by_time_that_lack_all_long_ios_are_a_defect_of_old_versions() {
    let judgement = judged(LONG);
    assert_eq!(ids(&judgement, Severity::Suspect), [""; 0]);
    assert!(ids(&judgement, Severity::Note).contains(&"known-defect"));
    // A version without the defect has no such shares.
    let newer = LONG.replace("fio-3.7", "fio-3.33");
    assert!(ids(&judged(&newer), Severity::Invalid).contains(&"shares-of-nothing"));
}

/// One job of fio 3.7: 23,230 I/Os in 30.145 s are 771/s, and times 83.0 ms they are the 64 that were asked for.
const SAMPLED: &str = "\
read4k-rand: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=64
fio-3.7
Starting 1 process

read4k-rand: (groupid=0, jobs=1): err= 0: pid=233742: Tue Aug 11 22:32:34 2020
   read: IOPS=770, BW=3082KiB/s (3156kB/s)(90.7MiB/30145msec)
    slat (usec): min=4, max=345, avg=42.36, stdev= 5.63
    clat (usec): min=318, max=1324.7k, avg=82992.68, stdev=103519.97
     lat (usec): min=361, max=1324.8k, avg=83036.05, stdev=103519.98
   bw (  KiB/s): min= 2129, max= 3129, per=73.62%, avg=2268.92, stdev=123.97, samples=59
   iops        : min=  532, max=  782, avg=566.85, stdev=31.03, samples=59
  cpu          : usr=1.34%, sys=3.67%, ctx=23205, majf=0, minf=75
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=0.1%, >=64=99.7%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.1%, >=64=0.0%
     issued rwts: total=23230,0,0,0 short=0,0,0,0 dropped=0,0,0,0
";

#[test]
fn samples_of_versions_that_count_their_time_wrongly_are_held_against_nothing() {
    assert_eq!(ids(&judged(SAMPLED), Severity::Suspect), [""; 0]);
    let newer = SAMPLED.replace("fio-3.7", "fio-3.33");
    assert!(ids(&judged(&newer), Severity::Invalid).contains(&"fields-disagree"));
}

#[test]
fn samples_of_several_jobs_reported_as_one_are_no_samples_of_their_rate() {
    let several = SAMPLED
        .replace("jobs=1", "jobs=16")
        .replace("fio-3.7", "fio-3.33")
        .replace("stdev=31.03", "stdev=400.0");
    assert!(!ids(&judged(&several), Severity::Suspect).contains(&"never-steady"));
}

/// fio 3.7 printed 19,968/s, 312 MiB/s of 16 KiB, as `19.0k`.
const CARRIED: &str = "\
mytest: (g=0): rw=randread, bs=(R) 16.0KiB-16.0KiB, (W) 16.0KiB-16.0KiB, (T) 16.0KiB-16.0KiB, ioengine=psync, iodepth=1
fio-3.7
Starting 1 process
mytest: (groupid=0, jobs=1): err= 0: pid=1: Thu Aug 13 14:41:16 2020
   read: IOPS=19.0k, BW=312MiB/s (327MB/s)(18.3GiB/60001msec)
";

#[test]
fn a_rate_that_lost_its_carry_is_no_doubt_of_the_bandwidth() {
    assert_eq!(ids(&judged(CARRIED), Severity::Suspect), [""; 0]);
    let other = CARRIED.replace("19.0k", "18.0k");
    assert!(ids(&judged(&other), Severity::Suspect).contains(&"bandwidth-disagrees"));
}

#[test]
fn a_percentile_that_was_cut_off_within_its_figure_is_left_out() {
    let cut = "\
a: (groupid=0, jobs=4): err= 0: pid=71890: Thu Mar 28 10:25:35 2019
  read: IOPS=3671, BW=14.4MiB/s (15.1MB/s)(862MiB/60014msec)
    clat (usec): min=1000, max=99000, avg=15000.00, stdev=1000.00
    clat percentiles (msec):
     |  1.00th=[   13],  5.00th=[   13], 50.00th=[   15],
     | 60.00th=[   1
";
    let read = result(cut);
    let row = read.runs[0].whole().expect("a row");
    let times = row.reads.completion.as_ref().unwrap_or(&row.reads.latency);
    assert_eq!(times.percentiles.len(), 3, "{times:?}");
    assert_eq!(times.percentiles[2].1, Nanos(15_000_000));
}

#[test]
fn a_mix_that_was_cut_off_behind_its_reads_says_nothing_of_all_that_was_in_flight() {
    let half = "\
t: (g=0): rw=randrw, bs=(R) 16.0KiB-16.0KiB, (W) 16.0KiB-16.0KiB, (T) 16.0KiB-16.0KiB, ioengine=libaio, iodepth=20
fio-3.7
t: (groupid=0, jobs=1): err= 0: pid=2: Thu Aug 13 14:41:16 2020
   read: IOPS=988, BW=15.4MiB/s (16.2MB/s)(926MiB/60001msec)
     lat (usec): min=100, max=9000, avg=1743.00, stdev=100.00
";
    assert_eq!(ids(&judged(half), Severity::Suspect), [""; 0]);
}

#[test]
fn what_an_article_shows_of_another_result_is_no_part_of_the_first() {
    let text = "
Its reads:
  read : io=10240MB, bw=63317KB/s, iops=15829, runt=165607msec
    clat (usec): min=1, max=18600, avg=51.29, stdev=16.79
    clat percentiles (usec):
     |  1.00th=[   42], 50.00th=[   49], 99.00th=[   78], 99.99th=[  112]
And the same of a slow drive:
    clat percentiles (usec):
     |  1.00th=[ 3952], 50.00th=[12608], 99.00th=[23424], 99.99th=[30080]
";
    let read = result(text);
    let row = read.runs[0].whole().expect("a row");
    let times = row.reads.completion.as_ref().unwrap_or(&row.reads.latency);
    assert_eq!(times.percentiles.len(), 4, "{times:?}");
    assert_eq!(times.percentiles[3].1, Nanos(112_000));
    assert!(
        read.remarks.iter().any(|r| r.text.contains("not of fio")),
        "{:?}",
        read.remarks
    );
}

#[test]
fn marks_of_code_around_each_line_are_nobodys() {
    let line = "`  **write**: IOPS=1879, BW=7518KiB/s (7698kB/s)(514MiB/70001msec)`\n";
    let rate = result(line).runs[0].whole().and_then(|r| r.iops());
    assert_eq!(rate, Some(1879.0));
    let terse = crate::corpus::text("fio/terse-v3.txt");
    let marked: String = terse.lines().map(|l| format!("`{l}`\n\n")).collect();
    let runs = |text: &str| {
        let read = result(text);
        read.runs
            .iter()
            .filter_map(|r| r.whole()?.iops())
            .collect::<Vec<_>>()
    };
    assert_eq!(runs(&marked), runs(&terse));
}

#[test]
fn a_container_of_elbencho_is_its_program_and_its_help_is_no_run() {
    let text = "\
See all available options (e.g. csv file output):
  $ elbencho --help-all
# docker run -t --rm --device /dev/sda somebody/elbencho:v1.8-1 -r -b 4K --lat --direct --rand --size 1g /dev/sda
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
READ      Elapsed ms       :       6001       6001
          IOPS             :       8219       8219
          Throughput MiB/s :         32         32
          IO latency us    : [ min=91 avg=120 max=1583 ]
---
";
    assert_eq!(result(text).runs[0].asked.cache, Some(Caching::Direct));
}

/// A table of percentiles, and behind it the beginning of another result without its heading.
#[test]
fn cpus_of_a_diskspd_result_below_another_are_no_percentiles_of_the_first() {
    let text = "\
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
total:       23692500992 |      5784302 |     188.29 |   48202.48 |    1.327 |     0.959

total:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.190 |      0.100 |      0.100
   25th |      1.011 |      0.729 |      0.841
    max |    145.285 |    135.744 |    145.285

CPU |  Usage |  User  |  Kernel |  Idle
-------------------------------------------
   0|   6.08%|   1.03%|    5.05%|  93.92%
   1|   4.75%|   2.25%|    2.50%|  95.25%
-------------------------------------------
avg.|   5.42%|   1.64%|    3.78%|  94.58%

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
total:          57729024 |        14094 |       0.46 |     117.45 |  507.274 |  1808.311
";
    let read = result(text);
    let rates: Vec<f64> = read.runs.iter().filter_map(|r| r.whole()?.iops()).collect();
    assert_eq!(rates, [48202.48, 117.45]);
    let busy: Vec<_> = read
        .runs
        .iter()
        .map(|r| r.whole().and_then(|w| w.cpu).map(|c| c.busy))
        .collect();
    assert_eq!(busy[0], None);
    assert!((busy[1].expect("a share") - 0.0542).abs() < 1e-9);
    let first = read.runs[0].whole().expect("a row");
    assert_eq!(first.writes.latency.percentiles, [(0.25, Nanos(729_000))]);
    assert_eq!(ids(&judged(text), Severity::Invalid), [""; 0]);
}

#[test]
fn the_words_for_a_maximum_in_older_flat_files_are_no_rate() {
    let line = |rate: &str| {
        format!(
            "tod timestamp Run Interval reqrate rate MB/sec bytes/io read% resp resp_max resp_std xfersize threads rdpct lunsize version\n\
         15:28:37 x a 1 {rate} 62.1 0.2 4096 100 128.8 1000.0 100.0 4096 8 100 10 50403\n\
         15:28:38 x a avg_1-1 {rate} 62.1 0.2 4096 100 128.8 1000.0 100.0 4096 8 100 10 50403\n"
        )
    };
    let load = |rate: &str| result(&line(rate)).runs[0].asked.load;
    assert_eq!(load("999988.0"), Some(Load::Max));
    assert_eq!(load("999977.0"), Some(Load::CurveMax));
    assert!(matches!(load("500"), Some(Load::Limited { .. })));
}

/// One job of fio 3.7 with `ramp_time=5`, whose depths have the I/Os of the ramp among them, as fio's commit 8eb142dd shows them.
const RAMPED: &str = "\
test: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.7
Starting 1 process
test: (groupid=0, jobs=1): err= 0: pid=1: Thu Aug 13 14:41:16 2020
   read: IOPS=5000, BW=19.5MiB/s (20.5MB/s)(1172MiB/60001msec)
     lat (usec): min=100, max=9000, avg=199.00, stdev=100.00
  cpu          : usr=1.34%, sys=3.67%, ctx=300000, majf=0, minf=75
  IO depths    : 1=184.7%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     issued rwts: total=300005,0,0,0 short=0,0,0,0 dropped=0,0,0,0
";

#[test]
fn depths_with_those_of_the_ramp_are_a_defect_of_old_versions() {
    let judgement = judged(RAMPED);
    assert_eq!(ids(&judgement, Severity::Suspect), [""; 0]);
    assert!(ids(&judgement, Severity::Note).contains(&"known-defect"));
    // It was mended in 3.12, and no version has fewer depths than I/Os.
    for other in [
        RAMPED.replace("fio-3.7", "fio-3.12"),
        RAMPED.replace("1=184.7%", "1=50.0%"),
    ] {
        assert!(ids(&judged(&other), Severity::Invalid).contains(&"shares-of-nothing"));
    }
    // All options are known, and no ramp is among them.
    let typed = format!(
        "$ fio --name=test --rw=randread --bs=4k --ioengine=libaio --iodepth=1 --runtime=60\n{RAMPED}"
    );
    assert!(ids(&judged(&typed), Severity::Invalid).contains(&"shares-of-nothing"));
}

/// 41 writes of 16 MiB in 20 s by four jobs that all ran to the end, as real fio 3.33 told them: of 160 half seconds 40 had an I/O.
const SPARSE: &str = "\
spar: (g=0): rw=write, bs=(R) 16.0MiB-16.0MiB, (W) 16.0MiB-16.0MiB, (T) 16.0MiB-16.0MiB, ioengine=posixaio, iodepth=1
...
fio-3.33
Starting 4 processes
spar: (groupid=0, jobs=4): err= 0: pid=20248: Fri Nov 27 00:35:44 2026
  write: IOPS=2, BW=32.8MiB/s (34.4MB/s)(656MiB/20009msec); 0 zone resets
   bw (  KiB/s): min=130745, max=131267, per=100.00%, avg=131065.10, stdev=45.70, samples=40
   iops        : min=    6, max=    8, avg= 7.60, stdev= 0.28, samples=40
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     issued rwts: total=0,41,0,0 short=0,0,0,0 dropped=0,0,0,0
";

#[test]
fn samples_of_few_ios_are_of_the_moments_that_had_some() {
    assert_eq!(ids(&judged(SPARSE), Severity::Suspect), [""; 0]);
}

#[test]
fn samples_that_leave_out_pauses_are_no_level_of_the_run() {
    let paused = SAMPLED.replace("fio-3.7", "fio-3.33").replace(
        "avg=566.85, stdev=31.03, samples=59",
        "avg=1570.00, stdev=600.00, samples=29",
    );
    let judgement = judged(&paused);
    assert!(!ids(&judgement, Severity::Suspect).contains(&"never-steady"));
    let all = paused.replace("avg=1570.00", "avg=770.00");
    assert!(ids(&judged(&all), Severity::Suspect).contains(&"never-steady"));
}

#[test]
fn threads_that_poll_are_busy_at_any_load() {
    let busy = SAMPLED
        .replace("fio-3.7", "fio-3.18")
        .replace("usr=1.34%, sys=3.67%", "usr=99.00%, sys=1.00%");
    assert!(ids(&judged(&busy), Severity::Suspect).contains(&"workers-busy"));
    let command = "$ fio --name=read4k-rand --rw=randread --bs=4k --ioengine=libaio --iodepth=64";
    for polling in [
        busy.replace("libaio", "spdk"),
        format!("{command} --hipri\n{busy}"),
    ] {
        let judgement = judged(&polling);
        assert!(
            !ids(&judgement, Severity::Note).contains(&"workers-busy"),
            "{polling}"
        );
    }
    assert!(
        ids(&judged(&format!("{command}\n{busy}")), Severity::Suspect).contains(&"workers-busy")
    );
}

/// Vdbench 5.04.07 names of `xfersize=(512,4,1k,1,4k,67,8k,10,…)` the first: 26,487.8/s of 7,832 bytes are 197.85 MiB/s.
/// What people paste of a client of several servers.
#[test]
fn a_stream_that_ran_alone_shares_its_addresses_with_nobody() {
    let text = |clones: u32| {
        let command = format!(
            "# fio -name=test -group_reporting -ioengine=libaio -numjobs={clones} -direct=1 -iodepth=128 -rw=read -bs=1M -filename=/mnt/a -runtime=60"
        );
        format!(
            "{command}
test: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=libaio, iodepth=128
fio-3.12
Starting 1 process
test: (groupid=0, jobs=1): err= 0: pid=51529: Fri Jun  9 13:10:31 2023
  read: IOPS=12.9k, BW=12.6GiB/s (13.5GB/s)(128GiB/10191msec)
     lat (usec): min=1136, max=24354, avg=9934.88, stdev=469.54
  cpu          : usr=7.26%, sys=62.74%, ctx=19, majf=0, minf=1050
     issued rwts: total=131072,0,0,0 short=0,0,0,0 dropped=0,0,0,0
"
        )
    };
    let shares =
        |text: &str| ids(&judged(text), Severity::Note).contains(&"streams-start-together");
    assert!(!shares(&text(16)));
    assert_eq!(result(&text(16)).runs[0].asked.cache, Some(Caching::Direct));
    let sixteen = text(16)
        .replace("jobs=1)", "jobs=16)")
        .replace("fio-3.12", "...\nfio-3.12");
    assert!(shares(&sixteen));
}

/// Output of real fio 3.33 for a steady state (`--ss=iops:0.01%`) that it did not come to. 128 threads with a depth of 8 each: 94,254/s of
/// 10.549 ms are 994 of 1,024 in flight, and of 105.49 ms more than there can be.
#[test]
fn a_command_that_asks_for_something_else_is_said_to_be_another_runs() {
    let said = |size: &str| {
        let command = format!(
            "fio --name=read4k-rand --ioengine=libaio --rw=randread --bs={size} --iodepth=64 --runtime=60"
        );
        let read = result(&format!("{command}\n{SAMPLED}"));
        read.remarks
            .iter()
            .any(|r| r.text.contains("another run's"))
    };
    assert_eq!((said("4k"), said("128k")), (false, true));
}
