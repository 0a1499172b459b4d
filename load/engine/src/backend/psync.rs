//! pread and pwrite: one I/O at a time, in the caller's thread.
//!
//! The honest path where a device lacks NOWAIT (zram): io_uring would hand each I/O to a kernel thread.

use super::{Action, Backend, Completion, FileTable, Request, Wait, last_errno, punch};
use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The I/O that a synchronous worker is in, for whoever must say where it's stuck. Plain stores by the worker; nothing
/// but a message depends on their order.
#[derive(Debug, Default)]
pub struct Current {
    busy: AtomicBool,
    file: AtomicU32,
    action: AtomicU32,
    length: AtomicU32,
    offset: AtomicU64,
}

/// One I/O as [`Current`] shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck {
    /// Index into the worker's file table.
    pub file: u32,
    /// Action of the I/O.
    pub action: Action,
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

impl Current {
    fn enter(&self, r: &Request) {
        self.file.store(r.file, Ordering::Relaxed);
        self.action.store(r.action as u32, Ordering::Relaxed);
        self.length.store(r.length, Ordering::Relaxed);
        self.offset.store(r.offset, Ordering::Relaxed);
        self.busy.store(true, Ordering::Relaxed);
    }

    fn leave(&self) {
        self.busy.store(false, Ordering::Relaxed);
    }

    /// The I/O that the worker is in; `None` between two.
    pub fn stuck(&self) -> Option<Stuck> {
        self.busy.load(Ordering::Relaxed).then(|| Stuck {
            file: self.file.load(Ordering::Relaxed),
            action: Action::ALL[self.action.load(Ordering::Relaxed) as usize],
            offset: self.offset.load(Ordering::Relaxed),
            length: self.length.load(Ordering::Relaxed),
        })
    }
}

/// Medium of synchronous I/O.
pub trait Medium {
    /// True where a request's address is that of its I/O; else the medium finds one.
    const ADDRESSED: bool = true;

    /// Carries a request out; bytes moved, or -errno.
    fn carry_out(&mut self, r: &Request) -> i32;
}

/// By system calls.
impl Medium for FileTable {
    fn carry_out(&mut self, r: &Request) -> i32 {
        carry_out(self[r.file as usize], r)
    }
}

/// The synchronous backend. A request is carried out by [`Backend::flush`] or [`Backend::poll`].
#[derive(Debug)]
pub struct Psync<M = FileTable> {
    medium: M,
    queued: VecDeque<Request>,
    done: Vec<Completion>,
    current: Arc<Current>,
}

// The requests' pointers lead into the arena of the worker that owns this backend, and move with it.
// SAFETY: see above; nothing else reaches those bytes.
unsafe impl<M: Send> Send for Psync<M> {}

impl<M: Medium> Psync<M> {
    /// Backend on these files, or what stands for them; `current` shows what it is in.
    pub fn new(medium: M, current: Arc<Current>) -> Self {
        Psync {
            medium,
            queued: VecDeque::new(),
            done: Vec::new(),
            current,
        }
    }

    fn carry_out(&mut self, r: Request) {
        let (offset, length) = if M::ADDRESSED {
            (r.offset, r.length)
        } else {
            (0, 0)
        };
        self.current.enter(&Request {
            offset,
            length,
            ..r
        });
        let result = self.medium.carry_out(&r);
        self.current.leave();
        self.done.push(Completion {
            slot: r.slot,
            result,
        });
    }
}

/// Makes the system call of a request on this file; bytes moved, or -errno.
pub(crate) fn carry_out(fd: RawFd, r: &Request) -> i32 {
    match r.action {
        Action::Read => {
            // SAFETY: `buffer` points to at least `length` bytes of the worker's arena, which nothing else touches until
            // the completion.
            let n =
                unsafe { libc::pread64(fd, r.buffer.cast(), r.length as usize, r.offset as i64) };
            if n < 0 { -last_errno() } else { n as i32 }
        }
        Action::Write => {
            // SAFETY: as above; the kernel only reads the buffer.
            let n =
                unsafe { libc::pwrite64(fd, r.buffer.cast(), r.length as usize, r.offset as i64) };
            if n < 0 { -last_errno() } else { n as i32 }
        }
        Action::Trim => punch(fd, r.offset, r.length),
        // SAFETY: a plain system call on an open descriptor.
        Action::Sync => done(unsafe { libc::fsync(fd) }),
        // SAFETY: as above.
        Action::DataSync => done(unsafe { libc::fdatasync(fd) }),
        _ => -libc::EOPNOTSUPP,
    }
}

/// The result of a call that moves no bytes: 0 or -errno.
fn done(result: libc::c_int) -> i32 {
    if result < 0 { -last_errno() } else { 0 }
}

impl<M: Medium> Backend for Psync<M> {
    const NAME: &'static str = "psync";
    const SERIAL: bool = true;

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.queued.push_back(request);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        while let Some(r) = self.queued.pop_front() {
            self.carry_out(r);
        }
        Ok(())
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        // One at a time, so that each gets its own completion stamp.
        if self.done.is_empty()
            && let Some(r) = self.queued.pop_front()
        {
            self.carry_out(r);
        }
        if self.done.is_empty() {
            if let Wait::For { ns, .. } = wait {
                std::thread::sleep(std::time::Duration::from_nanos(ns));
            }
            return Ok(());
        }
        out.append(&mut self.done);
        Ok(())
    }
}
