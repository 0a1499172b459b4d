//! Earlier outputs of fio's and of Plimsoll's: a new one replaces one unasked, and nothing else.
//!
//! All of a file is looked at, because a beginning proves nothing of what somebody added behind it. What is written differently
//! from what fio writes, if only by a word, is somebody's own.

mod doubles;
mod results;
mod text;

pub use results::is_results;

use super::bins::BINS;
use std::io::{BufRead, Read};

/// The longest line that is read, with its end: one of a histogram has 1,859 numbers of up to 20 digits.
const LINE_MAX: u64 = 64 << 10;
/// The groups of buckets of fio's histograms before 3.0; each has 64.
const OLD_BINS: usize = 19 * 64;
/// The directions that a log tells apart: reads, writes, trims.
const DIRECTIONS: [&str; 3] = ["0", "1", "2"];

/// Jobs that a log is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogOf {
    /// One: its times never run backwards, whatever directions it has.
    OneJob,
    /// Several: fio puts their lines one job after the other (`per_job_logs=0`), or mixes them up (`write_iolog`).
    SeveralJobs,
}

/// Logs of bandwidth, I/Os or latencies: whether all of a file is one. Lines have a time, a value (a second where `log_window_value=both`), the
/// direction and the block size; then an offset, a priority and the time of issue, as far as they were asked for.
pub fn is_log(file: impl BufRead, of: LogOf) -> bool {
    let (mut first, mut is_in_time) = (None, in_time(of));
    all_lines(file, |line| {
        let fields: Vec<&str> = line.split(", ").collect();
        let is_value = |at: usize, field: &&str| is_number(field) || at > 3 && is_hex(field);
        let direction = |at: usize| fields.get(at).is_some_and(|f| DIRECTIONS.contains(f));
        let known = *first.get_or_insert(fields.len()) == fields.len()
            && (4..=8).contains(&fields.len())
            && (direction(2) || fields.len() > 5 && direction(3));
        known && fields.iter().enumerate().all(|(at, f)| is_value(at, f)) && is_in_time(fields[0])
    })
}

/// Logs of histograms: whether all of a file is one. Lines have a time, the direction, the block size and each bucket's count.
pub fn is_histogram_log(file: impl BufRead, of: LogOf) -> bool {
    let mut is_in_time = in_time(of);
    all_lines(file, |line| {
        let fields: Vec<&str> = line.split(", ").collect();
        let buckets = fields.len().saturating_sub(3);
        let joined = |all: usize| (0..=6).any(|coarseness| buckets == all >> coarseness);
        fields.iter().all(|f| is_number(f))
            && DIRECTIONS.contains(&fields[1.min(fields.len() - 1)])
            && (joined(BINS) || joined(OLD_BINS))
            && is_in_time(fields[0])
    })
}

/// Logs of each I/O: whether all of a file is one, in version 2 or 3. Stricter than who replays one, because fio leaves out what
/// stands behind the words of a line.
pub fn is_iolog(file: impl BufRead, of: LogOf) -> bool {
    let (mut timed, mut is_in_time) = (None, in_time(of));
    all_lines(file, |line| match timed {
        None => {
            timed = Some(line == super::iolog::IOLOG_3);
            line == super::iolog::IOLOG_3 || line == super::iolog::IOLOG_2
        }
        Some(timed) => {
            let words: Vec<&str> = line.split(' ').collect();
            let rest = match timed {
                true if is_number(words[0]) && is_in_time(words[0]) => &words[1..],
                true => return false,
                false => &words[..],
            };
            match rest {
                [file, "add" | "open" | "close"] => !file.is_empty(),
                [file, action, offset, length] => {
                    !file.is_empty()
                        && IOLOG_ACTIONS.contains(action)
                        && is_number(offset)
                        && is_number(length)
                }
                _ => false,
            }
        }
    })
}

/// Words of fio for an I/O (`io_ddir_name` of its `io_ddir.h`).
const IOLOG_ACTIONS: [&str; 7] = [
    "read",
    "write",
    "trim",
    "sync",
    "datasync",
    "sync_file_range",
    "syncfs",
];

/// True where each line of a file is one of these, and has an end. One that has none was cut off, or is text that somebody added.
fn all_lines(mut file: impl BufRead, mut is_one: impl FnMut(&str) -> bool) -> bool {
    let mut line = Vec::new();
    loop {
        line.clear();
        match file.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
        let whole = line.strip_suffix(b"\n");
        let text = whole.and_then(|whole| std::str::from_utf8(whole).ok());
        if !text.is_some_and(&mut is_one) {
            return false;
        }
    }
}

/// True where the time of a line is not before that of the line above.
fn in_time(of: LogOf) -> impl FnMut(&str) -> bool {
    let mut last = 0;
    move |time| {
        let time: Option<u64> = time.parse().ok();
        let above = std::mem::replace(&mut last, time.unwrap_or(u64::MAX));
        time.is_some_and(|time| of == LogOf::SeveralJobs || time >= above)
    }
}

fn is_number(text: &str) -> bool {
    (1..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_hex(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::LogOf::{OneJob, SeveralJobs};
    use super::*;

    #[test]
    fn logs_of_every_form_are_known_and_nothing_else() {
        for log in [
            "",
            "1, 250, 0, 4096\n2, 1, 2, 512\n",
            "1000, 500, 1, 0, 0\n",
            "1000, 500, 0, 4096, 8192, 0x0000\n",
            "1000, 500, 900, 0, 4096, 8192, 0x6004, 17\n",
        ] {
            assert!(is_log(log.as_bytes(), OneJob), "{log}");
        }
        for other in [
            "\n",
            "1, 2, 3\n",
            "1, 2, 3, 4\n",
            "1,2,0,4096\n",
            "1, 250, 0, 4096",
            "1, 250, 0, 4096\n\n",
            "1, 250, 0, 4096\nbefore the update\n",
            "1, 250, 0, 4096\n1, 250, 0, 4096, 0\n",
            "1, 250, 0, 4096 # mine\n",
            "1, 0x0001, 0, 4096, 0\n",
            "123456789012345678901, 250, 0, 4096\n",
            "1, -250, 0, 4096\n",
        ] {
            assert!(!is_log(other.as_bytes(), OneJob), "{other}");
        }
    }

    #[test]
    fn histograms_have_as_many_buckets_as_fio_s() {
        let line = |buckets: usize| format!("500, 1, 4096{}\n", ", 7".repeat(buckets));
        for buckets in [BINS, BINS >> 6, OLD_BINS, OLD_BINS >> 3] {
            let text = line(buckets).repeat(2);
            assert!(is_histogram_log(text.as_bytes(), OneJob), "{buckets}");
        }
        for buckets in [0, 1, BINS - 1, BINS + 1, BINS * 100] {
            assert!(
                !is_histogram_log(line(buckets).as_bytes(), OneJob),
                "{buckets}"
            );
        }
        assert!(!is_histogram_log(b"\n".as_slice(), OneJob));
        assert!(!is_histogram_log(b"notes\n".as_slice(), OneJob));
    }

    #[test]
    fn a_log_of_ios_has_nothing_but_its_words() {
        let head = "fio version 3 iolog\n0 /a add\n0 /a open\n";
        for rest in ["", "17 /a write 4096 512\n18 /a sync 0 0\n19 /a close\n"] {
            assert!(
                is_iolog(format!("{head}{rest}").as_bytes(), OneJob),
                "{rest}"
            );
        }
        let old = "fio version 2 iolog\nb add\nb open\nb read 0 512\n";
        assert!(is_iolog(old.as_bytes(), OneJob));
        for rest in [
            "17 /a write 4096 512 the slow one\n",
            "17 /a write 4096\n",
            "17 /a wait 5 0\n",
            "/a write 4096 512\n",
            "17 /a write 4096 512",
            "# notes\n",
            "\n",
        ] {
            assert!(
                !is_iolog(format!("{head}{rest}").as_bytes(), OneJob),
                "{rest}"
            );
        }
        assert!(!is_iolog(
            b"fio version 3 iolog of mine\n".as_slice(),
            OneJob
        ));
        assert!(!is_iolog(format!("{old}b wait 5 0\n").as_bytes(), OneJob));
    }

    #[test]
    fn times_run_backwards_only_where_several_jobs_write_one_log() {
        let log = |times: [u32; 3]| times.map(|at| format!("{at}, 250, 0, 4096\n")).concat();
        let buckets = format!("1, 4096{}\n", ", 7".repeat(BINS));
        let histograms = |times: [u32; 3]| times.map(|at| format!("{at}, {buckets}")).concat();
        let ios = |times: [u32; 3]| {
            let lines = times.map(|at| format!("{at} /a write 0 512\n")).concat();
            format!("fio version 3 iolog\n0 /a add\n0 /a open\n{lines}")
        };
        for (times, is_of_one) in [([1, 1, 7], true), ([5, 6, 1], false), ([5, 1, 6], false)] {
            for (of, known) in [(OneJob, is_of_one), (SeveralJobs, true)] {
                assert_eq!(is_log(log(times).as_bytes(), of), known, "{times:?}");
                let histograms = histograms(times);
                assert_eq!(
                    is_histogram_log(histograms.as_bytes(), of),
                    known,
                    "{times:?}"
                );
                assert_eq!(is_iolog(ios(times).as_bytes(), of), known, "{times:?}");
            }
        }
    }
}
