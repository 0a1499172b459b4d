//! Operations: what storage is asked to do, and in one table all that the rest has to know of each.
//!
//! A new operation is a variant of [`Op`], a row of the table, and a way to issue it. What counts, times, judges, records and shows
//! operations on blocks goes over [`Op::ALL`], and what does so with those on names over [`Op::ON_NAMES`].

mod counted;

pub use counted::Counted;
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
    /// Make a directory.
    Mkdir = 4,
    /// Remove an empty directory.
    Rmdir = 5,
    /// Make an empty file.
    Create = 6,
    /// Open a file that is there.
    Open = 7,
    /// Close an open file.
    Close = 8,
    /// Ask for a name's attributes.
    Stat = 9,
    /// Read all entries of a directory.
    Readdir = 10,
    /// Delete a file's name.
    Delete = 11,
    /// Set a file's time of modification.
    Setattr = 12,
    /// Ask whether a file may be read.
    Access = 13,
    /// Copy a file into another tree, in the place of the one that it has there.
    Copy = 14,
    /// Rename a file into another tree that does not have it.
    Move = 15,
}

/// Operations on blocks that streams issue: the first of the table.
pub const OP_COUNT: usize = 3;

/// Operations on names, of directories and files: the last of the table.
pub const NAME_OP_COUNT: usize = 12;

/// Place of the first operation on names.
const FIRST_ON_NAMES: usize = OP_COUNT + 1;

/// One operation's row.
struct Row {
    op: Op,
    name: &'static str,
    plural: &'static str,
    /// Empty: those logs have no such line.
    log: &'static str,
    moves: bool,
    changes: bool,
}

const TABLE: [Row; FIRST_ON_NAMES + NAME_OP_COUNT] = [
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
    on_names(Op::Mkdir, "mkdir", "mkdirs", true),
    on_names(Op::Rmdir, "rmdir", "rmdirs", true),
    on_names(Op::Create, "create", "creates", true),
    on_names(Op::Open, "open", "opens", false),
    on_names(Op::Close, "close", "closes", false),
    on_names(Op::Stat, "stat", "stats", false),
    on_names(Op::Readdir, "readdir", "readdirs", false),
    on_names(Op::Delete, "delete", "deletes", true),
    on_names(Op::Setattr, "setattr", "setattrs", true),
    on_names(Op::Access, "access", "accesses", false),
    // What a copy changes is the other tree.
    on_names(Op::Copy, "copy", "copies", false),
    on_names(Op::Move, "move", "moves", true),
];

const fn on_names(op: Op, name: &'static str, plural: &'static str, changes: bool) -> Row {
    Row {
        op,
        name,
        plural,
        log: "",
        moves: false,
        changes,
    }
}

/// The operations of so many rows of the table.
const fn ops<const COUNT: usize>(first: usize) -> [Op; COUNT] {
    let mut all = [Op::Read; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = TABLE[first + at].op;
        at += 1;
    }
    all
}

impl Op {
    /// Operations on blocks that streams issue, in the order of their numbers.
    pub const ALL: [Op; OP_COUNT] = ops(0);

    /// Operations on names of a tree that streams issue, in the order of their numbers.
    pub const ON_NAMES: [Op; NAME_OP_COUNT] = ops(FIRST_ON_NAMES);

    /// Every operation, by its number.
    pub const EVERY: [Op; FIRST_ON_NAMES + NAME_OP_COUNT] = ops(0);

    /// Operations on a tree's files that others bring with them: a transfer the open and the close of its file, a copy all of them.
    pub const BROUGHT: [Op; 5] = [Op::Open, Op::Close, Op::Read, Op::Write, Op::Delete];

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The operation of this word, as [`Op::log_word`] has it.
    pub fn of_log_word(word: &str) -> Option<Op> {
        let mut logged = TABLE.iter().filter(|row| !row.log.is_empty());
        logged.find(|row| row.log == word).map(|row| row.op)
    }

    /// The operation of this name, as [`Op::name`] has it.
    pub fn of_name(name: &str) -> Option<Op> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.op)
    }

    /// Name of one: `read`, `fsync`, `create`.
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

    /// Bytes written, of those that it moved: of a copy, which reads as many, half.
    pub fn written(self, bytes: u64) -> u64 {
        match self {
            Op::Write => bytes,
            Op::Copy => bytes / 2,
            _ => 0,
        }
    }

    /// True where it changes what the target holds, so that it needs leave.
    pub fn changes_data(self) -> bool {
        self.row().changes
    }

    /// True for what streams issue and rates count; false for what writes make due.
    #[inline(always)]
    pub fn is_io(self) -> bool {
        self as usize != OP_COUNT
    }

    /// Place among [`Op::ON_NAMES`], where it is one of them.
    #[inline(always)]
    pub fn place_on_names(self) -> Option<usize> {
        (self as usize).checked_sub(FIRST_ON_NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_stands_at_its_number_and_is_found_by_its_words() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.op as usize, at, "{}", row.name);
            assert_eq!(Op::of_name(row.name), Some(row.op));
            let logged = (!row.log.is_empty()).then_some(row.op);
            assert_eq!(Op::of_log_word(row.log), logged);
            assert_eq!(row.op.is_io(), row.op != Op::Sync);
        }
        for (at, op) in Op::ON_NAMES.into_iter().enumerate() {
            assert_eq!(op.place_on_names(), Some(at));
        }
        assert_eq!(Op::Sync.place_on_names(), None);
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
