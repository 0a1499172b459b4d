//! Operations: what storage is asked to do, and in one table all that the rest has to know of each.
//!
//! A new operation is a variant of [`Op`], a row of the table, and a way to issue it. What counts, times, judges, records and shows
//! operations goes over [`Op::ALL`].

use serde::{Deserialize, Serialize};

/// An operation: what storage is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Op {
    /// Read.
    Read = 0,
    /// Write.
    Write = 1,
    /// Trim: discard or punch a hole.
    Trim = 2,
    /// fsync or fdatasync of a file or device, or a flush of an export. Writes make it due; it is no I/O in rates and limits.
    #[serde(rename = "fsync")]
    Sync = 3,
}

/// Operations that streams issue, and that count as I/Os: the first of the table.
pub const OP_COUNT: usize = 3;

/// One operation's row.
struct Row {
    op: Op,
    name: &'static str,
    plural: &'static str,
    log: &'static str,
    moves: bool,
    changes: bool,
}

const TABLE: [Row; OP_COUNT + 1] = [
    Row {
        op: Op::Read,
        name: "read",
        plural: "reads",
        log: "read",
        moves: true,
        changes: false,
    },
    Row {
        op: Op::Write,
        name: "write",
        plural: "writes",
        log: "write",
        moves: true,
        changes: true,
    },
    Row {
        op: Op::Trim,
        name: "trim",
        plural: "trims",
        log: "trim",
        moves: false,
        changes: true,
    },
    Row {
        op: Op::Sync,
        name: "fsync",
        plural: "fsyncs",
        log: "sync",
        moves: false,
        changes: false,
    },
];

impl Op {
    /// Operations that streams issue and that count as I/Os, in the order of their numbers.
    pub const ALL: [Op; OP_COUNT] = {
        let mut all = [Op::Read; OP_COUNT];
        let mut at = 0;
        while at < OP_COUNT {
            all[at] = TABLE[at].op;
            at += 1;
        }
        all
    };

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The operation of this word, as [`Op::log_word`] has it.
    pub fn of_log_word(word: &str) -> Option<Op> {
        TABLE.iter().find(|row| row.log == word).map(|row| row.op)
    }

    /// Name of one: `read`, `write`, `trim` or `fsync`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Name of several: `reads`.
    pub fn plural(self) -> &'static str {
        self.row().plural
    }

    /// Word for it in fio's logs of I/Os, and wherever those are spoken of: `sync` for an fsync.
    pub fn log_word(self) -> &'static str {
        self.row().log
    }

    /// True where bytes go between host and target, so that it takes a buffer, and has succeeded when all of them are there. Else it
    /// has succeeded when it did not fail.
    pub fn moves_bytes(self) -> bool {
        self.row().moves
    }

    /// True where it changes what the target holds, so that it needs leave.
    pub fn changes_data(self) -> bool {
        self.row().changes
    }

    /// True for what streams issue and rates count; false for what writes make due.
    #[inline(always)]
    pub fn is_io(self) -> bool {
        (self as usize) < OP_COUNT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_stands_at_its_number_and_is_found_by_its_words() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.op as usize, at, "{}", row.name);
            assert_eq!(Op::of_log_word(row.log), Some(row.op));
            assert_eq!(row.op.is_io(), at < OP_COUNT);
        }
        assert_eq!(Op::of_log_word("stat"), None);
        assert_eq!(Op::ALL, [Op::Read, Op::Write, Op::Trim]);
    }

    #[test]
    fn records_have_an_operations_name() {
        for op in TABLE.iter().map(|row| row.op) {
            let text = serde_json::to_string(&op).expect("it is written");
            assert_eq!(text, format!("\"{}\"", op.name()));
            assert_eq!(serde_json::from_str::<Op>(&text).expect("it is read"), op);
        }
    }
}
