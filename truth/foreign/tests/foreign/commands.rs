//! Commands above results that were broken into lines, or cut off: they are this run's, and what they leave out is unknown.

use crate::corpus::{ids, judged, result};
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::Caching;

/// Output of fio 3.17, with a line for a command above it.
fn under(command: &str) -> String {
    format!(
        "{command}
read: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=16
fio-3.17
Starting 1 process
read: (groupid=0, jobs=1): err= 0: pid=34282: Mon Jan 27 01:04:55 2020
  read: IOPS=36.7k, BW=144MiB/s (150MB/s)(2048MiB/14271msec)
    slat (nsec): min=1305, max=135688k, avg=106650.48, stdev=493480.73
     lat (usec): min=3, max=136625, avg=435.29, stdev=2772.32
"
    )
}

/// True where lines of remarks have these words.
fn remarks(text: &str, words: &str) -> bool {
    let read = result(text);
    read.remarks.iter().any(|r| r.text.contains(words))
}

#[test]
fn a_command_that_a_mail_or_a_shell_broke_is_one_of_its_run() {
    let head = "host:~> fio --name=read --ioengine=libaio --iodepth=16";
    for command in [
        format!("{head} --rw=randread --bs=4k --direct=0"),
        format!("{head}\n--rw=randread --bs=4k\n--direct=0"),
        format!("{head}\n\n--rw=randread --bs=4k --\n\ndirect=0\n"),
        format!("{head} \\\n  --rw=randread --bs=4k \\\n  --direct=0"),
        format!("{head} \\\n> --rw=randread --bs=4k \\\n> --direct=0"),
    ] {
        let text = under(&command);
        assert_eq!(
            ids(&judged(&text), Severity::Suspect),
            ["buffered-io"],
            "{command}"
        );
        assert!(!remarks(&text, "another run's"), "{command}");
        // As a mail quotes it.
        let quoted: String = text.lines().map(|l| format!("> {l}\n")).collect();
        assert_eq!(
            ids(&judged(&quoted), Severity::Suspect),
            ["buffered-io"],
            "{command}"
        );
    }
}

#[test]
fn what_a_cut_command_leaves_out_is_no_default() {
    let head = "$ fio --name=read --ioengine=libaio --iodepth=16 --rw=randread --bs=4k";
    assert_eq!(
        ids(&judged(&under(head)), Severity::Suspect),
        ["buffered-io"]
    );
    for end in [" --dire", " --runtime", " \\", " --filename=\"/mnt/a"] {
        let text = under(&format!("{head}{end}"));
        assert_eq!(ids(&judged(&text), Severity::Suspect), [""; 0], "{end}");
        assert!(remarks(&text, "ends here before its end"), "{end}");
    }
    // A terminal of so many columns cut all of its lines.
    let text = under(&format!(
        "{head} --size=64m --time_based --runtime=14 --direct=1"
    )) + &"a line of something else, ".repeat(5);
    let cut = |columns: usize| -> String {
        let lines = text.lines().map(|l| l.get(..columns).unwrap_or(l));
        lines.map(|l| format!("{l}\n")).collect()
    };
    let caches = |text: &str| result(text).runs[0].asked.cache;
    assert_eq!(caches(&text), Some(Caching::Direct));
    assert_eq!(caches(&cut(head.len() + 11)), None);
}

#[test]
fn a_job_has_its_own_part_of_a_command_with_several() {
    let command = "/ # fio --ioengine=libaio --iodepth=16 --rw=randread --size=128m";
    let asked = |names: &str| {
        result(&under(&format!("{command} {names}"))).runs[0]
            .asked
            .clone()
    };
    let alone = asked("--name=read");
    assert_eq!(alone.cache, Some(Caching::Buffered));
    assert_eq!(asked("--name=read --name=second"), alone);
    assert_eq!(asked("--name=first --direct=1 --name=read"), alone);
    let own = asked("--name=first --name=read --direct=1").cache;
    assert_eq!(own, Some(Caching::Direct));
    // Of those that are reported as one nobody knows which of two it was.
    let two = |names: &str| {
        let text = under(&format!("{command} {names}"));
        let second = text
            .lines()
            .nth(1)
            .expect("a job")
            .replace("read:", "second:");
        let text = text.replace("jobs=1)", "jobs=2)");
        let text = text.replace("fio-3.17", &format!("{second}\nfio-3.17"));
        result(&text).runs[0].asked.cache
    };
    assert_eq!(two("--name=read --name=second"), alone.cache);
    assert_eq!(two("--name=read --name=second --direct=1"), None);
}

#[test]
fn sizes_before_a_base_of_units_are_of_1024_bytes() {
    let head = "$ fio --name=read --ioengine=libaio --iodepth=16 --rw=randread --direct=1";
    let other = |options: &str| remarks(&under(&format!("{head} {options}")), "another run's");
    assert!(!other("--bs=4k --kb_base=1000"));
    assert!(other("--kb_base=1000 --bs=4k"));
}

/// 52,754/s of 4 KiB are 206 MiB/s.
fn elbencho(command: &str) -> String {
    format!(
        "{command}

OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
WRITE     Elapsed ms       :      45247      45249
          IOPS             :      52278      52754
          Throughput MiB/s :        204        206
          Total MiB        :       9240       9324
---
"
    )
}

#[test]
fn a_command_of_elbencho_is_put_together_or_says_nothing() {
    let whole = "COMMAND LINE: \"/opt/bin/elbencho\" \"--hosts\" \"n1,n2\" \"--threads\" \"16\" \"--size\" \"1t\" \"--block\" \"4k\" \"--write\" \
                 \"--rand\" \"--direct\" \"/vast/a\" ";
    let broken = whole
        .replace(" \"--size", "\n\"--size")
        .replace("\"--block", "\"--\nblock");
    let typed = "$ elbencho --hosts n1,n2 --threads 16 --size 1t --block 4k --write --rand \\\n  --direct \\\n  /vast/a";
    let asked = |command: &str| result(&elbencho(command)).runs[0].asked.clone();
    for command in [whole, broken.trim_end(), typed] {
        let asked = asked(command);
        assert_eq!(asked.cache, Some(Caching::Direct), "{command}");
        assert_eq!(asked.threads, Some(32), "{command}");
        assert_eq!(asked.block.map(|b| b.0.0), Some(4096), "{command}");
        assert_eq!(ids(&judged(&elbencho(command)), Severity::Suspect), [""; 0]);
    }
    // As a word processor or a blog makes it.
    let smart = whole
        .replace(" \"", " \u{201c}")
        .replace("\" ", "\u{201d} ");
    for dash in ["\u{2013}", "\u{2212}\u{2212}", "\u{2014}"] {
        assert_eq!(asked(&smart.replace("--", dash)), asked(whole), "{dash}");
    }
    let quoted: String = elbencho(&broken)
        .lines()
        .map(|l| format!("> {l}\n"))
        .collect();
    assert_eq!(result(&quoted).runs[0].asked, asked(whole));
    for columns in [48, 60, 75, 88] {
        let text = elbencho(&whole[..columns]);
        assert_eq!(ids(&judged(&text), Severity::Suspect), [""; 0], "{columns}");
        assert!(remarks(&text, "ends here before its end"), "{columns}");
    }
}

#[test]
fn a_run_that_had_no_result_leaves_nothing_to_the_next_one() {
    // As somebody posted it: the first was stopped, and of the second the command is not shown, or has something for a shell in it.
    let stopped = "# fio --name=read --ioengine=libaio --iodepth=16 --rw=randread --bs=512 --direct=0
read: (g=0): rw=randread, bs=(R) 512B-512B, (W) 512B-512B, (T) 512B-512B, ioengine=libaio, iodepth=16
fio-3.17
";
    for command in ["", "# fio --name=read --bs=$((4 * 1024))"] {
        let asked = &result(&format!("{stopped}\n{}", under(command))).runs[0].asked;
        assert_eq!(asked.block.map(|(_, most)| most.0), Some(4096), "{command}");
        assert_eq!(asked.cache, None, "{command}");
    }
}

#[test]
fn what_a_command_of_elbencho_leaves_to_others_is_unknown() {
    // 7,800/s at 2.04 ms are 15.9 in flight.
    let under = |options: &str| {
        format!(
            "$ elbencho -r -b 1m {options} --lat --direct -s 1g /mnt/storage/file[1-4]
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
READ        Elapsed time     :      8.211s      8.402s
            IOPS             :        7800        7800
            Throughput MiB/s :        7800        7800
            Total MiB        :       64046       65536
            IO latency       : [ min=151us avg=2.04ms max=12.8ms ]
---
"
        )
    };
    for told in ["-t 16", "-t16", "--threads=16"] {
        let asked = result(&under(told)).runs[0].asked.clone();
        assert_eq!(
            (asked.threads, asked.target_size),
            (Some(16), None),
            "{told}"
        );
    }
    assert_eq!(
        ids(&judged(&under("-t 1")), Severity::Invalid),
        ["littles-law"]
    );
    for open in [
        "-t $THREADS",
        "-t \"${t}\"",
        "-t <threads>",
        "-t {{ threads }}",
        "-t %t%",
        "-t l6",
        "--threads=$(nproc)",
        "$OPTS",
        "[options]",
        "-c my.conf",
        "--configfile my.conf",
    ] {
        let text = under(open);
        assert_eq!(ids(&judged(&text), Severity::Suspect), [""; 0], "{open}");
        assert!(
            remarks(&text, "it is unknown, and the command is not used"),
            "{open}"
        );
    }
    let broken = under("-t 1\n6");
    assert!(remarks(&broken, "ends here before its end"));
    assert_eq!(ids(&judged(&broken), Severity::Suspect), [""; 0]);
    // The size is that of one file.
    for (path, size) in [
        ("/mnt/storage/file", Some(1 << 30)),
        ("/mnt/v{1..128}", None),
        ("/a /b", None),
        ("-N 9 /a", None),
    ] {
        let text = under("-t 16").replace("/mnt/storage/file[1-4]", path);
        let read = result(&text).runs[0].asked.target_size;
        assert_eq!(read.map(|size| size.0), size, "{path}");
    }
}
