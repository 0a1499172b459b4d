//! System calls of operations on trees.

use crate::backend::{Action, Brought, Request, last_errno};
use plimsoll_permit::tree::TreeRoot;
use plimsoll_plan::Op;
use rustix::fs::OFlags;
use std::fs::File;
use std::io;
use std::time::Instant;

/// An operation that has ended and moved nothing.
pub(super) fn brought(op: Op, begun: Instant) -> Brought {
    let ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
    Brought { op, ns, bytes: 0 }
}

/// Closes a file, flushed where it is to be. A network's file system tells only then of what it could not write, or had no room for.
pub(super) fn close(file: File, syncs: bool) -> io::Result<()> {
    if syncs {
        file.sync_all()?;
    }
    Ok(nix::unistd::close(file)?)
}

/// Carries an operation on a name out; a create opens and closes the file.
pub(super) fn carry_out(
    root: &TreeRoot,
    op: Op,
    path: &str,
    with_it: &mut Vec<Brought>,
) -> io::Result<()> {
    match op {
        Op::Mkdir => root.make_directory(path),
        Op::Rmdir => root.remove_directory(path),
        Op::Create => {
            let begun = Instant::now();
            root.create(path, OFlags::empty()).and_then(|file| {
                with_it.push(brought(Op::Open, begun));
                let begun = Instant::now();
                close(file, false)?;
                with_it.push(brought(Op::Close, begun));
                Ok(())
            })
        }
        Op::Stat => root.stat(path).map(drop),
        Op::Readdir => root.read_directory(path).map(drop),
        Op::Delete => root.delete(path),
        Op::Setattr => root.set_time(path),
        // That it may not be read is an answer, too.
        Op::Access => root.may_read(path).map(drop),
        _ => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
    }
}

/// True for the error of a directory that another host has made or removed first, or that still has files of another, which removes it later.
pub(super) fn another_host_does(op: Op, error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotFound};
    match op {
        Op::Mkdir => error.kind() == AlreadyExists,
        Op::Rmdir => matches!(error.kind(), NotFound | DirectoryNotEmpty),
        _ => false,
    }
}

/// Moves bytes at a place of a file; how many, or -errno.
pub(super) fn move_at(fd: i32, action: Action, r: &Request, at: u64, bytes: usize) -> i32 {
    // SAFETY: `buffer` points to at least `length` bytes of the worker's arena, which nothing else touches until the completion, and
    // `bytes` are no more; the file is open.
    let moved = unsafe {
        match action {
            Action::Read => libc::pread64(fd, r.buffer.cast(), bytes, at as i64),
            _ => libc::pwrite64(fd, r.buffer.cast_const().cast(), bytes, at as i64),
        }
    };
    if moved < 0 {
        -last_errno()
    } else {
        moved as i32
    }
}

pub(super) fn code(error: &io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(libc::EIO)
}
