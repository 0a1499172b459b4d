//! Results in the forms in which people post them: among words, quoted, folded, behind labels, of jobs that failed.

use crate::corpus::{ids, judged, result, said, text, try_bytes};
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::{Caching, Row};
use plimsoll_plan::Claim;

/// 40 jobs of an hour: 12,042,333,583 I/Os less two times 2^32 are 28.67 % of them.
const LONG_COUNTS: &str = "\
test: (groupid=0, jobs=40): err= 0: pid=14225: Mon Dec  7 20:09:57 2020
  write: IOPS=3345k, BW=12.8GiB/s (13.7GB/s)(44.9TiB/3600002msec)
    clat (usec): min=2, max=91343, avg=371.79, stdev=119.52
     lat (usec): min=5, max=91358, avg=381.31, stdev=122.45
  lat (usec)   : 4=0.01%, 10=0.01%, 20=0.01%, 50=0.01%, 100=0.01%
  lat (usec)   : 250=8.04%, 500=6.79%, 750=13.75%, 1000=0.09%
  lat (msec)   : 2=0.01%, 4=0.01%, 10=0.01%, 20=0.01%, 50=0.01%
  lat (msec)   : 100=0.01%
  cpu          : usr=29.14%, sys=70.83%, ctx=320219, majf=0, minf=13056
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=28.7%, >=64=0.0%
     issued rwts: total=0,12042333583,0,0 short=0,0,0,0 dropped=0,0,0,0
";

#[test]
fn shares_of_more_ios_than_32_bits_count_are_a_defect_of_old_versions() {
    let judgement = judged(LONG_COUNTS);
    assert_eq!(ids(&judgement, Severity::Invalid), [""; 0]);
    let (sentence, _) = said(&judgement, "known-defect");
    assert!(sentence.contains("4,294,967,296"), "{sentence}");
    // Neither a version without it nor another share is excused.
    let newer = format!("fio-3.6\n{LONG_COUNTS}");
    let other = LONG_COUNTS.replace("32=28.7%", "32=38.7%");
    for text in [newer, other] {
        let found = ids(&judged(&text), Severity::Invalid);
        assert_eq!(found, ["shares-of-nothing"]);
    }
}

#[test]
fn a_job_that_an_error_ended_is_accused_of_nothing_else() {
    // 35 writes were submitted, one came back; shares are of all 64 I/Os.
    let text = "\
f: (g=0): rw=randrw, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=io_uring_cmd, iodepth=64
fio-3.38
f: (groupid=0, jobs=1): err=14 (file:io_u.c:1976, func=io_u error, error=Bad address): pid=112524: Mon Nov 11 02:05:53 2024
  write: IOPS=35.0k, BW=8000KiB/s (8192kB/s)(8192B/1msec); 0 zone resets
    slat (nsec): min=576, max=20959, avg=1331.14, stdev=3417.56
    clat (nsec): min=59294, max=59294, avg=59294.00, stdev= 0.00
     lat (nsec): min=80253, max=80253, avg=80253.00, stdev= 0.00
  lat (usec)   : 100=1.56%
  cpu          : usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=9
  IO depths    : 1=1.6%, 2=3.1%, 4=6.2%, 8=12.5%, 16=25.0%, 32=50.0%, >=64=1.6%
     issued rwts: total=29,35,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    let judgement = judged(text);
    assert_eq!(ids(&judgement, Severity::Invalid), ["ios-failed"]);
    let (sentence, _) = said(&judgement, "ios-failed");
    assert!(sentence.contains("fio's error 14"), "{sentence}");
    let sound = text.replace("err=14 (", "err= 0 (");
    let found = ids(&judged(&sound), Severity::Invalid);
    assert_eq!(found, ["fields-disagree", "shares-of-nothing"]);
}

/// A run of 2,000 ms whose lines a mail folded.
const FOLDED: &str = "\
fio-3.19
job: (groupid=0, jobs=1): err= 0: pid=6104: Wed Mar  6
18:29:13 2024
  write: IOPS=1000, BW=4000KiB/s (4096kB/s)(7.81MiB/2000msec); 0 zone
resets
   bw (  KiB/s): min= 3900, max= 4100, per=100.00%, avg=4000.00, \nstdev=10.00, samples=4
  lat (msec)   : 500=0.06%, 750=0.14%, 1000=0.93%, 2000=85.32%, \n >=2000=13.55%
  cpu          : usr=0.08%, sys=0.16%, ctx=1096948, majf=0, minf=1995
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=0.1%, \n >=64=99.5%
     issued rwts: total=0,2000,0,0 short=0,0,0,0
dropped=0,0,0,0
";

#[test]
fn lines_that_a_mail_folded_are_whole_lines() {
    for text in [
        FOLDED.to_string(),
        format!("> {}", FOLDED.trim_end().replace('\n', "\n> ") + "\n"),
    ] {
        let read = result(&text);
        assert_eq!(read.remarks, [], "{text}");
        let shares = &read.runs[0].rows[0].shares;
        assert!(
            shares.iter().all(|(_, sum)| (sum - 1.0).abs() < 0.01),
            "{shares:?}"
        );
        assert_eq!(shares.len(), 2);
    }
    let edited = FOLDED.replace("=13.55%", "=1.55%");
    assert_eq!(
        ids(&judged(&edited), Severity::Invalid),
        ["shares-of-nothing"]
    );
}

#[test]
fn completion_times_that_begin_with_fio_are_not_held_against_the_others() {
    // io_uring with sqthread_poll, 600 s behind a ramp of 30 s: clat is 30.3 s to 630.3 s, all of which is fio's own age.
    let text = "\
fio-3.30
job0: (groupid=0, jobs=1): err= 0: pid=37255: Wed Jun 22 03:44:23 2022
   read: IOPS=596k, BW=291MiB/s (305MB/s)(171GiB/600001msec)
     clat (msec): min=30343, max=630343, avg=369885.75, stdev=164921.26
      lat (usec): min=14, max=1802, avg=53.23, stdev=18.84
     clat percentiles (msec):
      |  1.00th=[17113],  5.00th=[17113], 50.00th=[17113], 99.99th=[17113]
   lat (msec)   : >=2000=100.00%
   cpu          : usr=99.98%, sys=0.01%, ctx=1096, majf=0, minf=1995
   IO depths    : 1=0.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=100.0%, >=64=0.0%
      issued rwts: total=357661967,0,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    let judgement = judged(text);
    assert_eq!(ids(&judgement, Severity::Invalid), [""; 0]);
    let (sentence, _) = said(&judgement, "known-defect");
    assert!(sentence.contains("sqthread_poll"), "{sentence}");
    // A version that stamps them has no such times, nor has a run of another length.
    let newer = text.replace("fio-3.30", "fio-3.34");
    let other = text.replace("max=630343", "max=130343");
    for text in [newer, other] {
        assert!(ids(&judged(&text), Severity::Invalid).contains(&"fields-disagree"));
    }
}

#[test]
fn syncs_have_a_depth_and_are_no_ramp() {
    // fio 3.7 with fsync=1: 2,736 writes and 2,735 syncs are 199.96 % of the writes.
    let text = "\
fio-3.7
t: (groupid=0, jobs=1): err= 0: pid=1: Wed Jun 22 03:44:23 2022
  write: IOPS=45, BW=182KiB/s (187kB/s)(10.7MiB/60015msec)
     lat (msec): min=1, max=80, avg=20.00, stdev=18.84
  IO depths    : 1=200.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     issued rwts: total=0,2736,0,2735 short=0,0,0,0 dropped=0,0,0,0
";
    let ramp = |text: &str| {
        let judgement = judged(text);
        let mut found = judgement.audit.findings.iter();
        found.any(|f| f.finding.message.contains("ramp_time"))
    };
    assert!(!ramp(text));
    assert!(ramp(&text.replace("0,2735", "0,0")));
}

/// The text of a whole run of fio, and that of its job alone.
fn whole() -> String {
    text("fio/text-3.33.txt")
}

fn rates(text: &str) -> Vec<f64> {
    let runs = result(text).runs.into_iter();
    runs.map(|run| run.whole().and_then(Row::iops).expect("a rate"))
        .collect()
}

#[test]
fn a_result_among_many_words_is_read_whatever_stands_before_its_lines() {
    let whole = whole();
    let words: String = (0..90)
        .map(|n| format!("some words {n} of a mail\n"))
        .collect();
    for prefix in [
        "> ",
        ">> ",
        "fio-1 | ",
        "[12:01:02] ",
        "2024-05-01T10:00:01.5Z ",
        "# ",
        "\u{2502} ",
    ] {
        let lines = whole.lines().map(|line| format!("{prefix}{line}\n"));
        let text = words.clone() + &lines.collect::<String>();
        assert_eq!(rates(&text), rates(&whole), "{prefix}");
    }
}

#[test]
fn an_earlier_result_that_is_quoted_below_is_another_run() {
    let whole = whole();
    let earlier = whole.replace("pid=", "pid=9");
    let quoted: String = earlier.lines().map(|line| format!("> {line}\n")).collect();
    let both = format!("{whole}\n{quoted}\nwords\n\nwords\n");
    assert_eq!(rates(&both), rates(&whole).repeat(2));
}

#[test]
fn a_second_result_without_its_header_is_another_run() {
    let whole = whole();
    let at = whole.find("(groupid=").expect("a header");
    let body = whole[at..].split_once('\n').expect("lines").1;
    assert_eq!(
        rates(&format!("before:\n{body}\nafter:\n{body}")).len(),
        2 * rates(&whole).len()
    );
}

#[test]
fn letters_of_windows_are_read_as_such() {
    // A mail from Outlook has hard blanks of one byte, and so has its quoted-printable.
    let whole = whole();
    let hard: Vec<u8> = whole
        .replace("    ", "\u{a0} \u{a0} ")
        .chars()
        .map(|c| c as u8)
        .collect();
    let read = try_bytes(&hard).expect("a result");
    assert_eq!(read.runs[0].rows[0].all, result(&whole).runs[0].rows[0].all);
    let marks = [
        b"\x80\x85\x95\x99 are marks\n\n".as_slice(),
        whole.as_bytes(),
    ]
    .concat();
    let read = try_bytes(&marks).expect("a result");
    assert_eq!(read.runs[0].rows[0].all, result(&whole).runs[0].rows[0].all);
    let coded = whole.replace('=', "=3D").replace("    ", "=A0 =A0 ");
    let read = try_bytes(coded.as_bytes()).expect("a result");
    assert_eq!(read.runs[0].rows[0].all, result(&whole).runs[0].rows[0].all);
}

#[test]
fn lines_behind_labels_are_runs_of_these_names() {
    let text = "\
qmode-0-fio-1.log:  read: IOPS=1295k, BW=5058MiB/s (5304MB/s)(296GiB/60001msec)
qmode-1-fio-1.log:  read: IOPS=1265k, BW=4941MiB/s (5181MB/s)(290GiB/60001msec)
v6.2 (patched):\twrite: IOPS=801k, BW=3129MiB/s (3281MB/s)(183GiB/60001msec)
";
    let read = result(text);
    let runs = read
        .runs
        .iter()
        .map(|run| (run.name.as_str(), run.whole().and_then(Row::iops)));
    let expected = [
        ("qmode-0-fio-1.log", Some(1_295_000.0)),
        ("qmode-1-fio-1.log", Some(1_265_000.0)),
        ("v6.2 (patched)", Some(801_000.0)),
    ];
    assert_eq!(runs.collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_refused_is_refused_for_its_true_reason() {
    for (text, reason) in [
        (
            "IOPS=7322112, BW=3575MiB/s, IOS/call=32/31, inflight=(110 71)\n",
            "t/io_uring",
        ),
        (
            "Run status group 0 (all jobs):\n   READ: bw=4109MiB/s (4308MB/s), 4109MiB/s-4109MiB/s (4308MB/s-4308MB/s), io=482GiB (517GB), \
             run=120001-120001msec\n",
            "only lines of groups",
        ),
    ] {
        let error = try_bytes(text.as_bytes())
            .expect_err("a reason")
            .to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// A job file with its result, as it was posted.
const WITH_FILE: &str = "\
[global]
filename=w
rw=write
bs=4k
direct=0

[file1]
size=1G
ioengine=libaio
iodepth=16

$ fio ./4k-write.fio
file1: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=16
fio-3.27
Starting 1 process
file1: (groupid=0, jobs=1): err= 0: pid=10056: Wed Jul 20 12:28:21 2022
  write: IOPS=96.3k, BW=376MiB/s (394MB/s)(110GiB/300001msec); 0 zone resets
     lat (usec): min=3, max=2146.5k, avg=158.03, stdev=15568.00
     issued rwts: total=0,28889786,0,0 short=0,0,0,0 dropped=0,0,0,0
";

#[test]
fn a_job_file_above_its_result_says_whether_the_page_cache_was_in_the_way() {
    let cache = |text: &str| result(text).runs[0].asked.cache;
    assert_eq!(cache(WITH_FILE), Some(Caching::Buffered));
    assert_eq!(ids(&judged(WITH_FILE), Severity::Suspect), ["buffered-io"]);
    assert_eq!(
        cache(&WITH_FILE.replace("direct=0", "direct=1")),
        Some(Caching::Direct)
    );
    // Of what a part of a file does not say, or another job's or another load's, nothing is known.
    for (said, other) in [
        ("direct=0\n", ""),
        ("[file1]", "[file2]"),
        ("iodepth=16\n\n", "iodepth=32\n\n"),
    ] {
        assert_eq!(cache(&WITH_FILE.replace(said, other)), None, "{other}");
    }
}

#[test]
fn each_of_two_results_has_the_job_file_above_it() {
    let direct = WITH_FILE.replace("direct=0", "direct=1");
    let caches = |text: &str| -> Vec<_> {
        let runs = result(text).runs.into_iter();
        runs.map(|run| run.asked.cache).collect()
    };
    let (buffered, direct_io) = (Some(Caching::Buffered), Some(Caching::Direct));
    let both = format!("{WITH_FILE}\n\n{direct}");
    assert_eq!(caches(&both), [buffered, direct_io]);
    let both = format!("{direct}\n\n{WITH_FILE}");
    assert_eq!(caches(&both), [direct_io, buffered]);
    // What somebody wrote between the lines is no job, nor does it end a result.
    let whole = whole();
    let snipped = whole.replace("\nRun status group 0", "\n[snip]\nRun status group 0");
    assert_eq!(result(&snipped).runs.len(), result(&whole).runs.len());
    for words in ["[...]", "[1]", "[snip]"] {
        let text = WITH_FILE.replace("\n\n", &format!("\n\n{words}\n"));
        assert_eq!(caches(&text), [buffered], "{words}");
    }
}

/// The lines of a job and of its group say its time.
const GROUP: &str = "\
m: (groupid=0, jobs=1): err= 0: pid=2130392: Sat Sep  2 08:21:39 2023
  write: IOPS=18.5k, BW=290MiB/s (304MB/s)(8200MiB/28321msec); 0 zone resets
     lat (usec): min=6, max=746, avg=12.47, stdev= 7.34

Run status group 0 (all jobs):
  WRITE: bw=290MiB/s (304MB/s), 290MiB/s-290MiB/s (304MB/s-304MB/s), io=8200MiB (8598MB), run=28321-28321msec
";

#[test]
fn the_line_of_a_group_and_that_of_its_only_job_are_of_one_time() {
    let found = |text: &str| ids(&judged(text), Severity::Invalid);
    assert_eq!(found(GROUP), [""; 0]);
    let other = GROUP.replace("(8200MiB/28321", "(8200MiB/20000").replace(
        ": IOPS=18.5k, BW=290MiB/s (304MB/s)",
        ": IOPS=26.2k, BW=410MiB/s (430MB/s)",
    );
    assert_eq!(found(&other), ["fields-disagree"]);
    // Of other bytes it is that of more jobs than were copied.
    let of_more = other.replace("io=8200MiB", "io=32800MiB");
    assert_eq!(found(&of_more), [""; 0]);
}

#[test]
fn percentiles_between_marks_of_code_are_read() {
    let plain = "\
a: (groupid=0, jobs=1): err= 0: pid=1: Sat Sep  2 08:21:39 2023
  read: IOPS=18.5k, BW=72.3MiB/s (75.8MB/s)(8200MiB/28321msec)
     lat (usec): min=6, max=2000, avg=300.00, stdev= 90.00
    clat percentiles (usec):
     | 99.00th=[  717], 99.50th=[  766], 99.90th=[ 1020], 99.95th=[ 1500],
";
    let marked = plain.replace("], 99.50th=[  766],", "],` _**`99.50th=[  766]`**_`,");
    assert_ne!(marked, plain);
    assert_eq!(result(&marked).runs[0].rows, result(plain).runs[0].rows);
}

#[test]
fn bare_lines_of_rates_have_nothing_before_them() {
    // As `grep IOPS=` leaves them: what they begin with is fio's own.
    let line = "  read: IOPS=16.1k, BW=63.0MiB/s (66.1MB/s)(63.2MiB/1002msec)\n";
    let rates = rates(&line.repeat(5)).into_iter().map(f64::round);
    assert_eq!(rates.collect::<Vec<_>>(), [16_100.0; 5]);
}

#[test]
fn two_results_side_by_side_are_refused_as_such() {
    let columns: String = whole()
        .lines()
        .map(|line| format!("{line}\t{line}\n"))
        .collect();
    let error = try_bytes(columns.as_bytes())
        .expect_err("columns")
        .to_string();
    assert!(error.contains("side by side"), "{error}");
}

#[test]
fn a_job_that_failed_beside_another_is_a_run_that_failed() {
    let failed = "\
fio: io_u error on file t: Invalid argument: write offset=794877952, buflen=4096
fio: io_u error on file t: Invalid argument: write offset=794882048, buflen=4096
fio: pid=3075, err=22/file:io_u.c:1787, func=io_u error, error=Invalid argument

t: (groupid=0, jobs=1): err=22 (file:io_u.c:1787, func=io_u error, error=Invalid argument): pid=3075: Fri Sep 13 12:45:19 2019
";
    let both = result(&format!("{}\n{failed}", whole()));
    let last = both.runs.last().and_then(|run| run.whole()).expect("a run");
    assert_eq!(
        (last.all.ios, last.errors, last.errno),
        (Some(0), 1, Some(22))
    );
    let told =
        |remark: &plimsoll_foreign::model::Remark| remark.text.contains("and 1 line more like it");
    assert!(both.remarks.iter().any(told), "{:?}", both.remarks);
    let alone = try_bytes(failed.as_bytes())
        .expect_err("no figures")
        .to_string();
    assert!(alone.contains("the run of fio failed"), "{alone}");
}

#[test]
fn results_of_several_versions_have_each_the_defects_of_its_own() {
    let one =
        |version: &str, name: &str| whole().replace("fio-3.33", version).replace("mixed", name);
    let samples = |text: &str| {
        let runs = result(text).runs.into_iter();
        let log = runs.filter(|run| run.name == "log");
        log.map(|run| run.rows[0].samples.is_some())
            .collect::<Vec<_>>()
    };
    assert_eq!(samples(&one("fio-3.33", "a")), [true]);
    let both = one("fio-3.1", "a") + &one("fio-3.33", "b");
    assert_eq!(samples(&both), [false, true]);
    assert_eq!(result(&both).version, None);
}

#[test]
fn times_of_syncs_that_begin_behind_them_are_a_defect_of_old_versions() {
    let text = "\
fio-3.19
j: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
j: (groupid=0, jobs=1): err= 0: pid=6164: Wed Mar  6 17:58:33 2024
  write: IOPS=1884, BW=7536KiB/s (7717kB/s)(4415MiB/600319msec); 0 zone resets
     lat (msec): min=9, max=4973, avg=16.00, stdev=342.19
  fsync/fdatasync/sync_file_range:
    sync (nsec): min=10, max=57940, avg=104.23, stdev=498.86
";
    let is_told = |text: &str| {
        let judgement = judged(text);
        let mut found = judgement.audit.findings.iter();
        found.any(|f| f.finding.message.contains("stamps a sync"))
    };
    assert!(is_told(text));
    for other in [
        text.replace("3.19", "3.31"),
        text.replace("libaio", "psync"),
    ] {
        assert!(!is_told(&other));
    }
}

#[test]
fn pauses_are_no_jobs_that_ended_early() {
    // Three jobs of 6.15 s that paused: each was sampled in 4 half seconds of 12.
    let text = "\
fio-3.33
j: (groupid=0, jobs=3): err= 0: pid=1: Fri Nov 27 21:21:29 2026
  read: IOPS=3902, BW=15.2MiB/s (16.0MB/s)(93.7MiB/6150msec)
     lat (usec): min=9, max=4973, avg=160.00, stdev=42.19
   iops        : min=11000, max=13000, avg=11977.00, stdev=500.00, samples=12
     issued rwts: total=23998,0,0,0 short=0,0,0,0 dropped=0,0,0,0
";
    let judgement = judged(text);
    let (sentence, _) = said(&judgement, "rate-over-the-longest");
    assert!(sentence.contains("or stood still"), "{sentence}");
}

#[test]
fn a_result_that_tells_no_length_is_judged_as_a_burst() {
    let two = "  read: IOPS=36.5k, BW=142MiB/s\n  write: IOPS=18.3k, BW=71.4MiB/s\n";
    assert_eq!(judged(two).audit.claim, Claim::Burst);
    let one = "  read : io=256.00MiB, bw=142.8MiB/s, iops=36.5k, runt= 1792ms\n";
    assert_eq!(result(one).runs[0].length_s(), Some(1.792));
}

#[test]
fn a_job_whose_beginning_was_not_copied_is_named() {
    let whole = whole();
    let (_, cut) = whole.split_once("  lat (nsec)").expect("shares");
    let both = format!("  lat (nsec){cut}\n{whole}");
    let read = result(&both);
    assert_eq!(read.runs.len(), 1 + result(&whole).runs.len());
    let remark = &read.remarks[0].text;
    assert!(
        remark.contains("whose beginning was not copied"),
        "{remark}"
    );
}

#[test]
fn a_phase_of_elbencho_is_read_without_its_titles() {
    let text = "\
WRITE       Elapsed time     :        82ms        82ms
            Files/s          :          12          12
            IOPS             :        9690        9690
            Throughput MiB/s :        1211        1211
            Total MiB        :         100         100
";
    assert_eq!(rates(text), [9690.0]);
    let net = try_bytes(text.replace("WRITE ", "NETBENCH ").as_bytes());
    assert!(net.is_err(), "a network is no storage");
}

#[test]
fn an_error_log_of_vdbench_is_called_one() {
    let log = "<pre>\nError log. If there is no data beyond this line then there were no Data validation or I/O errors.\n\n";
    let why = try_bytes(log.as_bytes())
        .expect_err("no figures")
        .to_string();
    assert!(
        why.contains("an error log of Vdbench without an error"),
        "{why}"
    );
    let log =
        format!("{log}10:42:41.671 localhost-0: At least one Data Validation error detected.\n");
    let why = try_bytes(log.as_bytes())
        .expect_err("no figures")
        .to_string();
    assert!(why.contains(":4: the run of Vdbench failed"), "{why}");
}

#[test]
fn writes_that_wait_for_syncs_are_told_with_their_syncs() {
    let text = "\
e: (groupid=0, jobs=1): err= 0: pid=2589: Fri Sep  8 07:53:08 2023
  write: IOPS=58, BW=132KiB/s (135kB/s)(21.0MiB/170299msec); 0 zone resets
     lat (usec): min=2, max=167032, avg=53.64, stdev=1687.69
  fsync/fdatasync/sync_file_range:
    sync (usec): min=399, max=5729.7k, avg=16924.38, stdev=135471.87
";
    let told = judged(text).measured;
    assert!(told.contains("and 16.9ms for each sync"), "{told}");
}

#[test]
fn what_a_page_holds_is_read_without_its_tags() {
    let whole = whole();
    let coloured = whole.replace("read", "<span class=\"hljs\">read</span>");
    let broken = whole.replace('\n', "<br/>\n");
    for text in [coloured, broken] {
        let (read, wanted) = (result(&text), result(&whole));
        assert_eq!(read.version, wanted.version);
        assert_eq!(read.runs[0].rows[0].all, wanted.runs[0].rows[0].all);
        assert_eq!(read.runs[0].asked, wanted.runs[0].asked);
    }
    let json = text("fio/seq.json");
    let coded = result(&json.replace('"', "&quot;"));
    assert_eq!(coded.runs.len(), result(&json).runs.len());
}
