//! Errors of operations on trees.

use plimsoll_plan::Op;
use std::io;

/// True for the error of a directory that another host has made or removed first, or that still has files of another, which removes it later.
pub(super) fn another_host_does(op: Op, error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotFound};
    match op {
        Op::Mkdir => error.kind() == AlreadyExists,
        Op::Rmdir => matches!(error.kind(), NotFound | DirectoryNotEmpty),
        _ => false,
    }
}

pub(super) fn code(error: &io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(libc::EIO)
}
