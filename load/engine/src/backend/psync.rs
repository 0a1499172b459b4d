//! pread and pwrite: one I/O at a time, in the caller's thread.
//!
//! The honest path where a device lacks NOWAIT (zram): io_uring would hand each I/O to a kernel thread.

use super::{Action, Backend, Completion, FileTable, Request, Wait, last_errno, punch};
use std::collections::VecDeque;
use std::io;

/// The synchronous backend. A request is carried out by [`Backend::flush`] or [`Backend::poll`].
#[derive(Debug)]
pub struct Psync {
    files: FileTable,
    queued: VecDeque<Request>,
    done: Vec<Completion>,
}

// The requests' pointers lead into the arena of the worker that owns this backend, and move with it.
// SAFETY: see above; nothing else reaches those bytes.
unsafe impl Send for Psync {}

impl Psync {
    /// On these files.
    pub fn new(files: FileTable) -> Self {
        Psync {
            files,
            queued: VecDeque::new(),
            done: Vec::new(),
        }
    }

    fn carry_out(&mut self, r: Request) {
        let fd = self.files[r.file as usize];
        let result = match r.action {
            Action::Read => {
                // SAFETY: `buffer` points to at least `length` bytes of the worker's arena, which nothing else
                // touches until the completion.
                let n = unsafe {
                    libc::pread64(fd, r.buffer.cast(), r.length as usize, r.offset as i64)
                };
                if n < 0 { -last_errno() } else { n as i32 }
            }
            Action::Write => {
                // SAFETY: as above; the kernel only reads the buffer.
                let n = unsafe {
                    libc::pwrite64(fd, r.buffer.cast(), r.length as usize, r.offset as i64)
                };
                if n < 0 { -last_errno() } else { n as i32 }
            }
            Action::Trim => punch(fd, r.offset, r.length),
            Action::Sync => {
                // SAFETY: a plain system call on an open descriptor.
                if unsafe { libc::fdatasync(fd) } < 0 {
                    -last_errno()
                } else {
                    0
                }
            }
        };
        self.done.push(Completion {
            slot: r.slot,
            result,
        });
    }
}

impl Backend for Psync {
    const NAME: &'static str = "psync";

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
            if let Wait::Ns(ns) = wait {
                std::thread::sleep(std::time::Duration::from_nanos(ns));
            }
            return Ok(());
        }
        out.append(&mut self.done);
        Ok(())
    }
}
