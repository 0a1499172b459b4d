//! When a file was made, which no copy takes along.

use rustix::fs::{AtFlags, StatxFlags, statx};
use std::os::fd::AsFd;

/// The time of a file's birth as text; empty where its file system keeps none. An inode's number comes again on another
/// file system, and in time on the same one; its birth doesn't.
pub(crate) fn birth(file: impl AsFd) -> String {
    match statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME) {
        Ok(found) if found.stx_mask & StatxFlags::BTIME.bits() != 0 => {
            let born = found.stx_btime;
            format!(", born {}.{:09}", born.tv_sec, born.tv_nsec)
        }
        _ => String::new(),
    }
}
