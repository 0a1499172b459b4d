//! What lies beside a record: its log and the log's index, or files of somebody else that only have such names.

use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A record's log, as a reader needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Log {
    /// There is none, or what is there is no log: SQLite would take nothing from it.
    None,
    /// Empty log: of a run that has just moved all into the file.
    Empty,
    /// There is something in it.
    Full,
}

/// The name of a neighbour: `-wal`, `-shm`.
pub(crate) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

/// Looks at the log of a record.
pub(super) fn log_of(file: &Path) -> Log {
    let path = beside(file, "-wal");
    // Not through a link, and no pipe, which would never be read to its end.
    match std::fs::symlink_metadata(&path) {
        Ok(there) if !there.is_file() => Log::None,
        Ok(there) if there.len() == 0 => Log::Empty,
        Ok(_) if begins_as_log(&path) => Log::Full,
        _ => Log::None,
    }
}

/// True where SQLite may open the index beside the log: it is the record's, and nothing is written to it. Where there is
/// none it would be made; that of another owner would be given to the record's owner.
pub(super) fn may_use_index(file: &Path) -> bool {
    let index = std::fs::symlink_metadata(beside(file, "-shm"));
    let owner = |of: &Metadata| (of.uid(), of.gid());
    match (index, std::fs::metadata(file)) {
        (Ok(index), Ok(main)) => {
            index.is_file() && index.nlink() == 1 && owner(&index) == owner(&main)
        }
        _ => false,
    }
}

/// Checks the first 32 bytes: magic, version, and the checksum of the header
/// (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>).
fn begins_as_log(path: &Path) -> bool {
    const VERSION: u32 = 3_007_000;
    let mut header = [0; 32];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    if read.is_err() {
        return false;
    }
    let words = header.as_chunks::<4>().0;
    let big = |at: usize| u32::from_be_bytes(words[at]);
    let little_endian_sums = match big(0) {
        0x377f_0682 => true,
        0x377f_0683 => false,
        _ => return false,
    };
    let word = |at: usize| match little_endian_sums {
        true => u32::from_le_bytes(words[at]),
        false => big(at),
    };
    let (mut even, mut odd) = (0u32, 0u32);
    for at in [0, 2, 4] {
        even = even.wrapping_add(word(at)).wrapping_add(odd);
        odd = odd.wrapping_add(word(at + 1)).wrapping_add(even);
    }
    big(1) == VERSION && (big(6), big(7)) == (even, odd)
}
