//! One line of fio's log of I/Os, versions 2 and 3.
//!
//! Version 2 has `FILE ACTION` and `FILE ACTION OFFSET LENGTH`; version 3 the same behind a time in microseconds. As fio reads
//! them (`iolog.c`), words are parted by blanks, and what stands behind the last of them is no part of the line.

use plimsoll_operation::Op;
use std::io;

/// What fio reads of a file's name (`%256s`); what is longer would fall into the next word.
pub(super) const NAME_MAX: usize = 255;

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Something in it.
    #[error("line {line}: {what}")]
    Line {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it, and what to do.
        what: String,
    },
    /// All of it.
    #[error("{0}")]
    Whole(String),
}

/// One I/O of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogIo {
    /// From the beginning, ns.
    pub due_ns: u64,
    /// Which of the files, counted from 0.
    pub file: u32,
    /// What it does.
    pub op: Op,
    /// Where in the file, bytes.
    pub offset: u64,
    /// Bytes; 0 for a sync.
    pub length: u32,
    /// Where it stands.
    pub line: u64,
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogAction<'t> {
    /// A file is there, opened or closed.
    Add(&'t str),
    Open(&'t str),
    Close(&'t str),
    /// I/O in a file, at an offset, so long.
    Io(Op, &'t str, u64, u32),
    /// Nothing goes on before this time, ms from the beginning.
    Wait(u64),
}

/// The time, us, and what is said. Version 2 has no times.
pub(super) fn parse(text: &str, version: u32) -> Result<(Option<u64>, LogAction<'_>), String> {
    let mut words = text.split_ascii_whitespace();
    let time = match version {
        3 => {
            let word = words.next().unwrap_or_default();
            let time = word.parse();
            Some(time.map_err(|_| format!("{} is no time in microseconds", shown(word)))?)
        }
        _ => None,
    };
    let (Some(file), Some(action)) = (words.next(), words.next()) else {
        return Err("it ends before its action: FILE ACTION is the least".to_string());
    };
    if file.len() > NAME_MAX {
        return Err(format!(
            "the name of its file is longer than the {NAME_MAX} bytes that fio reads"
        ));
    }
    let action = match action {
        "add" => LogAction::Add(file),
        "open" => LogAction::Open(file),
        "close" => LogAction::Close(file),
        "wait" if version == 3 => {
            return Err(
                "a wait is of no use in version 3, whose lines have times; take it out".to_string(),
            );
        }
        "wait" => LogAction::Wait(number(words.next(), "time")?),
        other => {
            let op = match other {
                "datasync" => Some(Op::Sync),
                word => Op::of_log_word(word),
            };
            let op = op.ok_or_else(|| {
                format!(
                    "{} is no action; known are add, open, close, read, write, trim, sync, datasync and, in version 2, wait",
                    shown(other)
                )
            })?;
            let offset = number(words.next(), "offset")?;
            let length = number(words.next(), "length")?;
            let length = u32::try_from(length)
                .map_err(|_| format!("{length} bytes are more than one I/O can have"))?;
            match op {
                Op::Sync => LogAction::Io(op, file, 0, 0),
                _ if length == 0 => return Err("it has no bytes".to_string()),
                _ => LogAction::Io(op, file, offset, length),
            }
        }
    };
    Ok((time, action))
}

fn number(word: Option<&str>, what: &str) -> Result<u64, String> {
    let Some(word) = word else {
        return Err(format!("it ends before its {what}"));
    };
    word.parse()
        .map_err(|_| format!("{} is no {what}", shown(word)))
}

/// A word that came from a file, fit to be shown.
pub(super) fn shown(word: &str) -> String {
    let short: String = word.chars().take(40).collect();
    format!("`{}`", plimsoll_printable::line_of(&short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_versions_differ_by_their_times() {
        let io = LogAction::Io(Op::Write, "/a", 4096, 512);
        assert_eq!(parse("/a write 4096 512", 2), Ok((None, io)));
        assert_eq!(parse("17 /a write 4096 512", 3), Ok((Some(17), io)));
        assert_eq!(
            parse("  17\t/a  write 4096 512 and more\r", 3),
            Ok((Some(17), io))
        );
        assert_eq!(parse("0 b add", 3), Ok((Some(0), LogAction::Add("b"))));
        assert_eq!(parse("b close", 2), Ok((None, LogAction::Close("b"))));
        assert_eq!(parse("x wait 250 0", 2), Ok((None, LogAction::Wait(250))));
        let sync = LogAction::Io(Op::Sync, "b", 0, 0);
        assert_eq!(parse("b datasync 8192 4096", 2), Ok((None, sync)));
    }

    #[test]
    fn what_cannot_be_carried_out_says_why() {
        for (version, text, word) in [
            (3, "/a write 0 512", "`/a` is no time"),
            (2, "a", "ends before its action"),
            (2, "a write", "ends before its offset"),
            (2, "a write 0", "ends before its length"),
            (2, "a write -1 512", "`-1` is no offset"),
            (2, "a write 0 4294967296", "more than one I/O"),
            (2, "a write 0 0", "no bytes"),
            (2, "a erase 0 512", "`erase` is no action"),
            (3, "1 a wait 5 0", "of no use in version 3"),
        ] {
            let message = parse(text, version).expect_err(text);
            assert!(message.contains(word), "{text}: {message}");
        }
        let long = format!("{} add", "n".repeat(256));
        assert!(parse(&long, 2).is_err());
    }
}
