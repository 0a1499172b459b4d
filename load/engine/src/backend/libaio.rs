//! Linux native AIO, by its five system calls: for hosts that forbid io_uring.

use super::{Action, Backend, Completion, FileTable, Request, Wait, last_errno, punch};
use std::collections::VecDeque;
use std::io;

/// The kernel's `struct iocb` (include/uapi/linux/aio_abi.h), little-endian layout.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Iocb {
    data: u64,
    key: u32,
    rw_flags: i32,
    opcode: u16,
    priority: i16,
    fd: u32,
    buffer: u64,
    length: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    result_fd: u32,
}

/// The kernel's `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Event {
    data: u64,
    object: u64,
    result: i64,
    result2: i64,
}

const PREAD: u16 = 0;
const PWRITE: u16 = 1;
const FSYNC: u16 = 2;
const FDSYNC: u16 = 3;

/// The libaio backend.
pub struct Libaio {
    context: u64,
    files: FileTable,
    /// One per slot; the kernel copies it at submission.
    blocks: Vec<Iocb>,
    queued: Vec<u32>,
    /// AIO has no such operation: they are carried out one by one, when nothing else has come back.
    trims: VecDeque<Request>,
    pointers: Vec<*mut Iocb>,
    done: Vec<Completion>,
    events: Vec<Event>,
    in_flight: usize,
}

// SAFETY: the pointers lead into `blocks`, which moves with this struct and never reallocates after `new`, and into the
// arena of the worker that owns this backend, and moves with it.
unsafe impl Send for Libaio {}

impl Libaio {
    /// For `slots` requests on these files. Fails where the kernel has no AIO, or /proc/sys/fs/aio-max-nr is used up.
    pub fn new(files: FileTable, slots: usize) -> io::Result<Self> {
        let mut context: u64 = 0;
        // SAFETY: io_setup writes one aio_context_t (an unsigned long) to the pointer.
        let r = unsafe {
            libc::syscall(
                libc::SYS_io_setup,
                slots.max(1) as libc::c_long,
                &mut context,
            )
        };
        if r < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Libaio {
            context,
            files,
            blocks: vec![Iocb::default(); slots],
            queued: Vec::with_capacity(slots),
            trims: VecDeque::new(),
            pointers: Vec::with_capacity(slots),
            done: Vec::with_capacity(slots),
            events: vec![Event::default(); slots.clamp(1, 256)],
            in_flight: 0,
        })
    }
}

impl Drop for Libaio {
    fn drop(&mut self) {
        // SAFETY: the context is ours and is not used again. io_destroy waits for what is in flight.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
    }
}

impl Backend for Libaio {
    const NAME: &'static str = "libaio";

    fn queue(&mut self, r: Request) -> io::Result<()> {
        let fd = self.files[r.file as usize];
        let opcode = match r.action {
            Action::Read => PREAD,
            Action::Write => PWRITE,
            Action::Sync => FSYNC,
            Action::DataSync => FDSYNC,
            Action::Trim => {
                self.trims.push_back(r);
                return Ok(());
            }
            _ => return Err(super::not_on_names()),
        };
        self.blocks[r.slot as usize] = Iocb {
            data: u64::from(r.slot),
            opcode,
            fd: fd as u32,
            buffer: if r.action.is_sync() {
                0
            } else {
                r.buffer as u64
            },
            length: if r.action.is_sync() {
                0
            } else {
                u64::from(r.length)
            },
            offset: if r.action.is_sync() {
                0
            } else {
                r.offset as i64
            },
            ..Iocb::default()
        };
        self.queued.push(r.slot);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let base = self.blocks.as_mut_ptr();
        self.pointers.clear();
        for slot in self.queued.drain(..) {
            // SAFETY: `slot` indexes `blocks`.
            self.pointers.push(unsafe { base.add(slot as usize) });
        }
        let mut sent = 0;
        while sent < self.pointers.len() {
            let rest = &mut self.pointers[sent..];
            // SAFETY: `rest` points to valid iocbs in `blocks`, whose buffers stay valid until their completions.
            let n = unsafe {
                libc::syscall(
                    libc::SYS_io_submit,
                    self.context,
                    rest.len() as libc::c_long,
                    rest.as_mut_ptr(),
                )
            };
            if n > 0 {
                sent += n as usize;
                self.in_flight += n as usize;
                continue;
            }
            let errno = last_errno();
            if n == 0 || errno == libc::EINTR || errno == libc::EAGAIN {
                std::thread::yield_now();
                continue;
            }
            // The first of the rest is refused for itself (EINVAL, EBADF): it fails, the others go on.
            // SAFETY: the pointer was made above from `blocks`.
            let slot = unsafe { (*self.pointers[sent]).data as u32 };
            self.done.push(Completion {
                slot,
                result: -errno,
            });
            sent += 1;
        }
        Ok(())
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        self.flush()?;
        out.append(&mut self.done);
        if out.is_empty()
            && let Some(r) = self.trims.pop_front()
        {
            let result = punch(self.files[r.file as usize], r.offset, r.length);
            out.push(Completion {
                slot: r.slot,
                result,
            });
        }
        let (min, ns) = match wait {
            Wait::For { ns, least } if out.len() < least as usize => {
                (least as usize - out.len(), ns)
            }
            _ => (0, 0),
        };
        let min = min.min(self.in_flight);
        if self.in_flight == 0 {
            if ns > 0 && out.is_empty() {
                std::thread::sleep(std::time::Duration::from_nanos(ns));
            }
            return Ok(());
        }
        let mut timeout = libc::timespec {
            tv_sec: (ns / 1_000_000_000) as _,
            tv_nsec: (ns % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: `events` has room for as many as are asked for, and `timeout` lives through the call.
        let n = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context,
                min as libc::c_long,
                self.events.len() as libc::c_long,
                self.events.as_mut_ptr(),
                &mut timeout,
            )
        };
        if n < 0 {
            return match last_errno() {
                libc::EINTR => Ok(()),
                e => Err(io::Error::from_raw_os_error(e)),
            };
        }
        self.in_flight -= n as usize;
        out.extend(self.events[..n as usize].iter().map(|e| Completion {
            slot: e.data as u32,
            result: e.result as i32,
        }));
        Ok(())
    }
}
