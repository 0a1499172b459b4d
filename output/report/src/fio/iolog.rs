//! fio's log of each I/O, version 3: what `read_iolog` of fio and of this take.
//!
//! Lines are `TIME FILE ACTION [OFFSET LENGTH]`; times are us. A file is added first, opened before its first I/O and closed at
//! the end.

use std::io::{self, Write};

/// The first line of a log of version 3.
pub const IOLOG_3: &str = "fio version 3 iolog";
/// Header of version 2, which fio wrote before 3.27.
pub(super) const IOLOG_2: &str = "fio version 2 iolog";

/// One I/O of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IologLine {
    /// Since the log's beginning, ns.
    pub at_ns: u64,
    /// Index of the file.
    pub file: u32,
    /// `read`, `write`, `trim`, `sync` or `datasync`.
    pub action: &'static str,
    /// Offset in the file, bytes.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

/// Writes a log of these files; `lines` come by rising time.
///
/// # Errors
/// Those of `out`.
pub fn write_iolog(
    out: &mut dyn Write,
    files: &[String],
    lines: impl IntoIterator<Item = IologLine>,
) -> io::Result<()> {
    writeln!(out, "{IOLOG_3}")?;
    for file in files {
        writeln!(out, "0 {file} add")?;
    }
    let mut open = vec![false; files.len()];
    let mut end_us = 0;
    for line in lines {
        let (at_us, at) = (line.at_ns / 1000, line.file as usize);
        let (Some(file), Some(open)) = (files.get(at), open.get_mut(at)) else {
            continue;
        };
        if !std::mem::replace(open, true) {
            writeln!(out, "{at_us} {file} open")?;
        }
        let IologLine {
            action,
            offset,
            length,
            ..
        } = line;
        writeln!(out, "{at_us} {file} {action} {offset} {length}")?;
        end_us = at_us;
    }
    let mut used = files.iter().zip(open).filter(|(_, open)| *open);
    used.try_for_each(|(file, _)| writeln!(out, "{end_us} {file} close"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_added_and_opened_when_they_are_used() {
        let line = |at_ns, file, action, offset, length| IologLine {
            at_ns,
            file,
            action,
            offset,
            length,
        };
        let mut out = Vec::new();
        let files = ["/a".to_string(), "b".to_string(), "c".to_string()];
        let lines = [
            line(1_999, 1, "write", 4096, 512),
            line(5_000, 0, "trim", 0, 1 << 20),
            line(7_000, 1, "sync", 0, 0),
        ];
        write_iolog(&mut out, &files, lines).expect("memory");
        assert_eq!(
            String::from_utf8(out).expect("text"),
            "fio version 3 iolog\n0 /a add\n0 b add\n0 c add\n1 b open\n1 b write 4096 512\n5 /a open\n5 /a trim 0 1048576\n\
             7 b sync 0 0\n7 /a close\n7 b close\n"
        );
    }
}
