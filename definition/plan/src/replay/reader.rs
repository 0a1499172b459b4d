//! A whole log, line by line.

use super::line::{LogAction, LogError, LogIo, parse, shown};
use super::{LOG_IOS_MAX, LogFacts, LogSizes, ReplayOptions};
use crate::{Bytes, Nanos};
use plimsoll_operation::Op;
use std::collections::HashMap;
use std::io::{BufRead, Read};

/// The longest line, with its end; fio reads no longer ones.
const LINE_MAX: u64 = 4096;
/// The most files of a log.
const FILES_MAX: usize = 1024;
/// Later than this nothing is due, ns: 36 years.
const LATEST_NS: u128 = 1 << 60;

/// The files of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names<'n> {
    /// All that it names are one.
    One,
    /// These, and those that it adds. Others are mistakes.
    These(&'n [String]),
}

/// A file of a log, with what is done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogName {
    /// Its name; empty where all names are one.
    pub name: String,
    /// Where the last I/O on it ends.
    pub end: Bytes,
    /// Whether anything is done to it.
    pub is_used: bool,
}

/// What a log says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogSummary {
    /// In sum.
    pub facts: LogFacts,
    /// How large its I/Os are.
    pub sizes: LogSizes,
    /// Its files: those that were given, then those that it adds, in their order.
    pub names: Vec<LogName>,
    /// Whether a line waits, of version 2.
    pub waits: bool,
}

/// Reads a log from its first line, and gives each I/O to `each`, in order. Nothing of it is kept.
///
/// Times of version 3 count from the first line's. A line whose time is before that of the line above follows it at once.
///
/// # Errors
/// A log that cannot be read, with the line; what `each` says.
pub fn read_log(
    mut log: impl BufRead,
    options: &ReplayOptions,
    names: Names<'_>,
    mut each: impl FnMut(LogIo) -> Result<(), String>,
) -> Result<LogSummary, LogError> {
    let mut line = Vec::new();
    next_line(&mut log, &mut line, 1)?;
    let version = version(&line)?;
    let mut reader = Reader::new(version, options, names);
    loop {
        reader.line += 1;
        if !next_line(&mut log, &mut line, reader.line)? {
            break;
        }
        let at = reader.line;
        let failed = |what| LogError::Line { line: at, what };
        let text = std::str::from_utf8(&line).map_err(|_| failed("it is no text".to_string()))?;
        if text.trim_ascii().is_empty() {
            continue;
        }
        if let Some(io) = reader.read(text).map_err(failed)? {
            each(io).map_err(failed)?;
        }
    }
    match reader.summary.facts.all_ios() {
        0 => Err(LogError::Whole(
            "no line of it reads, writes or trims".to_string(),
        )),
        _ => Ok(reader.summary),
    }
}

/// The next line, without its end; false behind the last one.
fn next_line(log: &mut impl BufRead, line: &mut Vec<u8>, number: u64) -> Result<bool, LogError> {
    line.clear();
    let read = log.by_ref().take(LINE_MAX).read_until(b'\n', line)?;
    if read as u64 == LINE_MAX && line.last() != Some(&b'\n') {
        return Err(LogError::Line {
            line: number,
            what: format!("it is longer than the {LINE_MAX} bytes that fio reads"),
        });
    }
    Ok(read > 0)
}

fn version(first: &[u8]) -> Result<u32, LogError> {
    let whole = |text: &str| Err(LogError::Whole(text.to_string()));
    // fio compares the beginning of the line.
    if first.starts_with(b"fio version 2 iolog") {
        return Ok(2);
    }
    if first.starts_with(b"fio version 3 iolog") {
        return Ok(3);
    }
    // The magic number of blktrace, 0x65617400 with a version in its last byte, in either order of bytes.
    let magic = |bytes: [u8; 4]| bytes[..3] == *b"eat" || (bytes[1..] == *b"tae" && bytes[0] < 32);
    if first.first_chunk().is_some_and(|head| magic(*head)) {
        return whole(
            "it is a binary trace of blktrace, which is not replayed; convert it, as with blkparse, to fio's text of version 3",
        );
    }
    whole("its first line is neither `fio version 2 iolog` nor `fio version 3 iolog`")
}

struct Reader<'o> {
    version: u32,
    options: &'o ReplayOptions,
    /// None where all names are one.
    numbers: Option<HashMap<String, u32>>,
    summary: LogSummary,
    line: u64,
    /// The time of the line above, us.
    last_us: Option<u64>,
    /// The gaps so far, us.
    gone_us: u128,
}

impl<'o> Reader<'o> {
    fn new(version: u32, options: &'o ReplayOptions, names: Names<'_>) -> Self {
        let mut reader = Reader {
            version,
            options,
            numbers: None,
            summary: LogSummary::default(),
            line: 1,
            last_us: None,
            gone_us: 0,
        };
        match names {
            Names::One => reader.push(""),
            Names::These(names) => {
                reader.numbers = Some(HashMap::new());
                names.iter().for_each(|name| reader.add(name));
            }
        }
        reader
    }

    fn push(&mut self, name: &str) {
        self.summary.names.push(LogName {
            name: name.to_string(),
            end: Bytes(0),
            is_used: false,
        });
    }

    /// A file that is there; one that is already, is no other.
    fn add(&mut self, name: &str) {
        let number = self.summary.names.len() as u32;
        let Some(numbers) = &mut self.numbers else {
            return;
        };
        if !numbers.contains_key(name) {
            numbers.insert(name.to_string(), number);
            self.push(name);
        }
    }

    /// The number of a file. fio ends with a segmentation fault where it was not added.
    fn number(&self, name: &str) -> Result<u32, String> {
        let Some(numbers) = &self.numbers else {
            return Ok(0);
        };
        numbers.get(name).copied().ok_or_else(|| {
            format!(
                "no line above adds the file {}, and the definition does not name it",
                shown(name)
            )
        })
    }

    fn read(&mut self, text: &str) -> Result<Option<LogIo>, String> {
        let (time, summary) = parse(text, self.version)?;
        if let Some(time) = time {
            let gap = time.saturating_sub(self.last_us.unwrap_or(time));
            (self.last_us, self.gone_us) = (Some(time), self.gone_us + u128::from(gap));
        }
        match summary {
            LogAction::Add(name) => {
                self.add(name);
                if self.summary.names.len() > FILES_MAX {
                    return Err(format!("more than {FILES_MAX} files cannot be replayed"));
                }
                Ok(None)
            }
            LogAction::Open(name) | LogAction::Close(name) => self.number(name).map(|_| None),
            LogAction::Wait(ms) => {
                self.summary.waits = true;
                self.gone_us = self.gone_us.max(u128::from(ms) * 1000);
                Ok(None)
            }
            LogAction::Io(op, name, offset, length) => {
                let file = self.number(name)?;
                if self.options.skip.contains(&op) {
                    return Ok(None);
                }
                self.io(op, file, offset, length).map(Some)
            }
        }
    }

    fn io(&mut self, op: Op, file: u32, offset: u64, length: u32) -> Result<LogIo, String> {
        let ReplayOptions {
            at_once,
            speed,
            scale,
            align,
            skip: _,
        } = self.options;
        let offset = offset / u64::from((*scale).max(1));
        let offset = offset & !u64::from(align.saturating_sub(1));
        let due_ns = self.gone_us * 100_000 / u128::from((*speed).max(1));
        if due_ns > LATEST_NS {
            return Err("it is due in more than 36 years".to_string());
        }
        let io = LogIo {
            due_ns: if *at_once { 0 } else { due_ns as u64 },
            file,
            op,
            offset,
            length,
            line: self.line,
        };
        let end = offset.saturating_add(u64::from(length));
        if end > i64::MAX as u64 {
            return Err(format!("it ends at {end}, where no file does"));
        }
        self.count(&io, Bytes(end))?;
        Ok(io)
    }

    fn count(&mut self, io: &LogIo, end: Bytes) -> Result<(), String> {
        let LogSummary {
            facts,
            sizes,
            names,
            ..
        } = &mut self.summary;
        if let Some(own) = names.get_mut(io.file as usize) {
            (own.end, own.is_used) = (own.end.max(end), true);
        }
        if end > facts.end {
            (facts.end, facts.end_line) = (end, io.line);
        }
        sizes.add(io.op, io.length);
        match facts.ios.get_mut(io.op as usize) {
            Some(ios) => {
                *ios += 1;
                let bytes = &mut facts.bytes[io.op as usize];
                *bytes = bytes.saturating_add(io.length.into());
            }
            None => facts.syncs += 1,
        }
        facts.length = Nanos(io.due_ns);
        let words = [
            io.due_ns,
            io.offset,
            u64::from(io.length) << 8 | io.op as u64,
        ];
        facts.digest = words.into_iter().fold(facts.digest, folded);
        if facts.all_ios() + facts.syncs > LOG_IOS_MAX {
            return Err(format!(
                "more than {LOG_IOS_MAX} I/Os of one log are not held in memory; split the log, and replay its parts one after \
                 the other"
            ));
        }
        Ok(())
    }
}

/// A sum with one more number in it (FNV-1a of 64 bits, by words).
fn folded(sum: u64, word: u64) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mixed = (sum ^ word).wrapping_mul(PRIME);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, options: &ReplayOptions) -> Result<(LogSummary, Vec<LogIo>), String> {
        let mut ios = Vec::new();
        let summary = read_log(text.as_bytes(), options, Names::These(&[]), |io| {
            ios.push(io);
            Ok(())
        });
        summary
            .map(|summary| (summary, ios))
            .map_err(|e| e.to_string())
    }

    fn dues(text: &str, options: &ReplayOptions) -> Vec<u64> {
        let (_, ios) = read(text, options).expect("a log");
        ios.iter().map(|io| io.due_ns / 1000).collect()
    }

    const TIMED: &str = "fio version 3 iolog\n1000 a add\n1000 a open\n1500 a read 0 512\n3500 a write 4096 512\n\
                         3000 a read 512 512\n3250 a sync 0 0\n5000 a close\n";

    #[test]
    fn times_count_from_the_first_line_and_never_go_back() {
        let usual = ReplayOptions::default();
        assert_eq!(dues(TIMED, &usual), [500, 2500, 2500, 2750]);
        let twice = ReplayOptions {
            speed: 200,
            ..usual.clone()
        };
        assert_eq!(dues(TIMED, &twice), [250, 1250, 1250, 1375]);
        let at_once = ReplayOptions {
            at_once: true,
            ..usual.clone()
        };
        assert_eq!(dues(TIMED, &at_once), [0; 4]);
        let without = ReplayOptions {
            skip: vec![Op::Write, Op::Sync],
            ..usual
        };
        assert_eq!(dues(TIMED, &without), [500, 2500]);
    }

    #[test]
    fn a_wait_of_version_2_is_a_time_from_the_beginning() {
        let text = "fio version 2 iolog\na add\na read 0 512\na wait 300 0\na read 512 512\na wait 200 0\na read 1024 512\n";
        assert_eq!(dues(text, &ReplayOptions::default()), [0, 300_000, 300_000]);
        let (summary, _) = read(text, &ReplayOptions::default()).expect("a log");
        assert!(summary.waits);
        assert_eq!(summary.facts.length, Nanos(300_000_000));
    }

    #[test]
    fn a_log_is_summed_up() {
        let (summary, ios) = read(TIMED, &ReplayOptions::default()).expect("a log");
        let facts = summary.facts;
        assert_eq!((facts.ios, facts.bytes), ([2, 1, 0], [1024, 512, 0]));
        assert_eq!((facts.syncs, facts.length.0), (1, 2_750_000));
        assert_eq!((facts.end, facts.end_line), (Bytes(4608), 5));
        let names = vec![LogName {
            name: "a".to_string(),
            end: Bytes(4608),
            is_used: true,
        }];
        assert_eq!(summary.names, names);
        assert_eq!(
            ios.iter().map(|io| io.line).collect::<Vec<_>>(),
            [4, 5, 6, 7]
        );
        let other = TIMED.replace("read 512 512", "read 1024 512");
        let (other, _) = read(&other, &ReplayOptions::default()).expect("a log");
        assert_ne!(other.facts.digest, facts.digest);
    }

    #[test]
    fn offsets_are_divided_and_then_rounded_down() {
        let text = "fio version 2 iolog\na add\na read 10240 512\na trim 1049600 4096\n";
        let options = ReplayOptions {
            scale: 2,
            align: 4096,
            ..ReplayOptions::default()
        };
        let (_, ios) = read(text, &options).expect("a log");
        assert_eq!(
            ios.iter().map(|io| io.offset).collect::<Vec<_>>(),
            [4096, 524_288]
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let usual = ReplayOptions::default();
        for (text, summary) in [
            ("", "its first line is neither"),
            ("fio version 4 iolog\n", "its first line is neither"),
            ("\u{7}tae\n", "binary trace of blktrace"),
            ("fio version 2 iolog\na add\n", "no line of it reads"),
            (
                "fio version 2 iolog\na read 0 512\n",
                "line 2: no line above adds the file `a`",
            ),
            (
                "fio version 2 iolog\na add\n\nb open\n",
                "line 4: no line above adds",
            ),
            (
                "fio version 2 iolog\na add\na read 9223372036854775807 512\n",
                "line 3: it ends at",
            ),
            (
                "fio version 3 iolog\n0 a add\n18446744073709551615 a read 0 512\n",
                "line 3: it is due in more",
            ),
        ] {
            let found = read(text, &usual).expect_err(text);
            assert!(
                found.starts_with(summary) || found.contains(summary),
                "{text}: {found}"
            );
        }
        let long = format!("fio version 2 iolog\na add {}\n", "x".repeat(5000));
        let found = read(&long, &usual).expect_err("too long");
        assert!(found.starts_with("line 2: it is longer"), "{found}");
    }

    #[test]
    fn where_all_names_are_one_no_name_is_unknown() {
        let text = "fio version 2 iolog\na read 0 512\nb write 512 512\n";
        let mut files = Vec::new();
        let summary = read_log(
            text.as_bytes(),
            &ReplayOptions::default(),
            Names::One,
            |io| {
                files.push(io.file);
                Ok(())
            },
        );
        assert_eq!(files, [0, 0]);
        assert_eq!(summary.expect("a log").names.len(), 1);
    }
}
