//! io_uring: single issuer, deferred task run, registered ring, files and buffers.

use super::psync::carry_out;
use super::{Action, Backend, Completion, FileTable, Request, Wait};
use crate::buffers::Arena;
use io_uring::{Builder, EnterFlags, IoUring, opcode, squeue, types};
use plimsoll_plan::Polling;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

/// The io_uring backend.
pub struct Uring {
    ring: IoUring,
    gate: Gate,
    files: FileTable,
    fixed_files: bool,
    fixed_buffers: bool,
    /// Further flags of a wait: NO_IOWAIT, where the kernel knows it.
    wait_flags: EnterFlags,
    polling: Polling,
    queued: u32,
    /// I/Os in the ring whose completions are not seen yet; kept where completions are polled for.
    out: usize,
    /// Requests that a polled ring does not take, and that were carried out by a call.
    done: Vec<Completion>,
}

/// The way into the ring: its descriptor, or its number in this thread's table of registered rings, which saves the
/// look-up of the descriptor in each call. (The crate's own registration lasts as long as a borrow of the ring.)
#[derive(Debug, Clone, Copy)]
struct Gate {
    ring: RawFd,
    flags: EnterFlags,
}

/// The kernel's `struct io_uring_rsrc_update`.
#[repr(C)]
struct ResourceUpdate {
    offset: u32,
    reserved: u32,
    data: u64,
}

const IORING_REGISTER_RING_FDS: libc::c_uint = 20;

impl Gate {
    fn new(ring: &IoUring) -> Self {
        let fd = ring.as_raw_fd();
        let mut update = ResourceUpdate {
            offset: u32::MAX,
            reserved: 0,
            data: fd as u64,
        };
        // SAFETY: `update` is one valid entry and lives through the call; the kernel writes the number into it.
        let registered = unsafe {
            libc::syscall(
                libc::SYS_io_uring_register,
                fd,
                IORING_REGISTER_RING_FDS,
                &raw mut update,
                1,
            )
        };
        if registered == 1 {
            Gate {
                ring: update.offset as RawFd,
                flags: EnterFlags::REGISTERED_RING,
            }
        } else {
            Gate {
                ring: fd,
                flags: EnterFlags::empty(),
            }
        }
    }

    /// io_uring_enter(2): how many entries were taken.
    ///
    /// # Safety
    ///
    /// The buffers and descriptors of the queued entries stay valid until their completions, and so does what `argument`
    /// points to until the call returns.
    #[inline(always)]
    unsafe fn enter(
        self,
        submit: u32,
        least: u32,
        flags: EnterFlags,
        argument: Option<&WaitArgument>,
    ) -> io::Result<u32> {
        let (pointer, size) = match argument {
            Some(argument) => (std::ptr::from_ref(argument), size_of::<WaitArgument>()),
            None => (std::ptr::null(), 0),
        };
        // SAFETY: as the caller promises.
        let taken = unsafe {
            libc::syscall(
                libc::SYS_io_uring_enter,
                self.ring,
                submit,
                least,
                (flags | self.flags).bits(),
                pointer,
                size,
            )
        };
        if taken < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(taken as u32)
        }
    }
}

/// The kernel's `struct io_uring_getevents_arg`.
#[repr(C)]
struct WaitArgument {
    signal_mask: u64,
    signal_mask_size: u32,
    min_wait_us: u32,
    timeout: u64,
}

/// The kernel's `struct __kernel_timespec`.
#[repr(C)]
struct Timeout {
    seconds: i64,
    ns: i64,
}

/// A ring with the newest flags that the kernel has. A polled ring has none of them: nobody runs completions for its owner.
fn build(entries: u32, polling: Polling) -> io::Result<IoUring> {
    let newest: [fn(&mut Builder); 3] = [
        |b| {
            b.setup_single_issuer()
                .setup_defer_taskrun()
                .setup_taskrun_flag();
        },
        |b| {
            b.setup_coop_taskrun().setup_taskrun_flag();
        },
        |_| {},
    ];
    let first = if polling == Polling::NONE { 0 } else { 2 };
    let mut tried = Err(io::Error::from_raw_os_error(libc::EINVAL));
    for flags in &newest[first..] {
        let mut builder = IoUring::builder();
        builder.setup_clamp();
        if polling.completions {
            builder.setup_iopoll();
        }
        if polling.submissions {
            builder.setup_sqpoll(IDLE_MS);
        }
        flags(&mut builder);
        tried = builder.build(entries);
        match &tried {
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => {}
            _ => break,
        }
    }
    tried
}

/// Time for which the kernel's thread looks for submissions before it sleeps; fio's own number.
const IDLE_MS: u32 = 1000;

/// Tries whether a read of this file can be polled for.
pub fn try_polled(file: RawFd, logical_block: u32) -> io::Result<()> {
    let polling = Polling {
        completions: true,
        submissions: false,
    };
    let length = logical_block.max(512);
    let arena = Arena::new(length as usize).map_err(io::Error::other)?;
    let mut ring = build(2, polling)?;
    let read = opcode::Read::new(types::Fd(file), arena.at(0), length).build();
    // SAFETY: the arena and the file live until the completion, for which the call below waits.
    let pushed = unsafe { ring.submission().push(&read) };
    pushed.map_err(|_| io::Error::from_raw_os_error(libc::ENOSPC))?;
    ring.submit_and_wait(1)?;
    match ring.completion().next().map(|c| c.result()) {
        Some(result) if result < 0 => Err(io::Error::from_raw_os_error(-result)),
        _ => Ok(()),
    }
}

/// Tries whether a usable ring can be had at all: waiting with a time-out needs Linux 5.11, and a filter of system calls may let
/// a ring be made and then let nothing be asked of it.
pub fn probe() -> io::Result<()> {
    let mut ring = build(2, Polling::NONE)?;
    if !ring.params().is_feature_ext_arg() {
        return Err(io::Error::from_raw_os_error(libc::ENOSYS));
    }
    // SAFETY: an entry that does nothing has no buffer and no descriptor.
    let pushed = unsafe { ring.submission().push(&opcode::Nop::new().build()) };
    pushed.map_err(|_| io::Error::from_raw_os_error(libc::ENOSPC))?;
    ring.submit_and_wait(1).map(drop)
}

/// Tries whether rings of so many slots each can be had all at once.
pub fn try_rings(slots: &[usize]) -> io::Result<()> {
    let rings: Result<Vec<IoUring>, _> = (slots
        .iter()
        .map(|slots| build_patiently(*slots, Polling::NONE)))
    .collect();
    rings.map(drop).map_err(|error| match error.raw_os_error() {
        Some(libc::ENOMEM) => io::Error::new(
            io::ErrorKind::OutOfMemory,
            "its rings take more locked memory than this user may have (ulimit -l)",
        ),
        _ => error,
    })
}

/// Attempts at a ring where memory is short, and the time between them: the kernel gives back the memory of earlier rings only
/// some time after they are closed.
const LOOKS: u32 = 25;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// A ring for so many slots.
fn build_patiently(slots: usize, polling: Polling) -> io::Result<IoUring> {
    let entries = u32::try_from(slots)
        .unwrap_or(u32::MAX)
        .clamp(2, 32768)
        .next_power_of_two();
    for _ in 1..LOOKS {
        match build(entries, polling) {
            Err(e) if e.raw_os_error() == Some(libc::ENOMEM) => std::thread::sleep(BETWEEN_LOOKS),
            other => return other,
        }
    }
    build(entries, polling)
}

impl Uring {
    /// A ring for `slots` requests on these files. To be called on the thread that will use it.
    pub fn new(
        files: FileTable,
        slots: usize,
        arena: &Arena,
        polling: Polling,
    ) -> io::Result<Self> {
        let ring = build_patiently(slots, polling)?;
        let fixed_files = ring.submitter().register_files(&files).is_ok();
        // Locked memory may be short (RLIMIT_MEMLOCK without CAP_IPC_LOCK): then plain buffers do.
        let fixed_buffers = match arena.iovec() {
            // SAFETY: the arena outlives the ring: a worker drops its backend first.
            Some(region) => unsafe { ring.submitter().register_buffers(&[region]) }.is_ok(),
            None => false,
        };
        let wait_flags = if ring.params().is_feature_no_iowait() {
            EnterFlags::NO_IOWAIT
        } else {
            EnterFlags::empty()
        };
        Ok(Uring {
            gate: Gate::new(&ring),
            ring,
            files,
            fixed_files,
            fixed_buffers,
            wait_flags,
            polling,
            queued: 0,
            out: 0,
            done: Vec::new(),
        })
    }

    #[inline(always)]
    fn entry(&self, r: &Request) -> squeue::Entry {
        let file = if self.fixed_files {
            types::Fd(r.file as i32)
        } else {
            types::Fd(self.files[r.file as usize])
        };
        let entry = match (r.action, self.fixed_buffers) {
            (Action::Read, true) => opcode::ReadFixed::new(file, r.buffer, r.length, 0)
                .offset(r.offset)
                .build(),
            (Action::Read, false) => opcode::Read::new(file, r.buffer, r.length)
                .offset(r.offset)
                .build(),
            (Action::Write, true) => {
                opcode::WriteFixed::new(file, r.buffer.cast_const(), r.length, 0)
                    .offset(r.offset)
                    .build()
            }
            (Action::Write, false) => opcode::Write::new(file, r.buffer.cast_const(), r.length)
                .offset(r.offset)
                .build(),
            (Action::Trim, _) => opcode::Fallocate::new(file, u64::from(r.length))
                .offset(r.offset)
                .mode(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE)
                .build(),
            (Action::Sync, _) => opcode::Fsync::new(file).build(),
            (Action::DataSync, _) => opcode::Fsync::new(file)
                .flags(types::FsyncFlags::DATASYNC)
                .build(),
            // A file or device has no names.
            _ => opcode::Nop::new().build(),
        };
        let flags = if self.fixed_files {
            squeue::Flags::FIXED_FILE
        } else {
            squeue::Flags::empty()
        };
        entry.user_data(u64::from(r.slot)).flags(flags)
    }

    /// Hands over what is queued, and waits where that is given: for up to so many ns, for so many completions.
    fn enter(&mut self, wait: Option<(u64, u32)>) -> io::Result<()> {
        let result = match wait {
            None => {
                let flags = EnterFlags::GETEVENTS | self.waking();
                // SAFETY: the entries' buffers and descriptors stay valid until their completions (see `Request`).
                unsafe { self.gate.enter(self.queued, 0, flags, None) }
            }
            Some((ns, least)) => {
                let timeout = Timeout {
                    seconds: (ns / 1_000_000_000) as i64,
                    ns: (ns % 1_000_000_000) as i64,
                };
                let argument = WaitArgument {
                    signal_mask: 0,
                    signal_mask_size: 0,
                    min_wait_us: 0,
                    timeout: &raw const timeout as u64,
                };
                let flags =
                    EnterFlags::GETEVENTS | EnterFlags::EXT_ARG | self.wait_flags | self.waking();
                // SAFETY: as above, and `argument` and `timeout` live through the call.
                unsafe { self.gate.enter(self.queued, least, flags, Some(&argument)) }
            }
        };
        match result {
            Ok(taken) => {
                self.queued -= taken.min(self.queued);
                Ok(())
            }
            // The kernel says so only when it took nothing: time is up, a signal came, or it is short for the moment.
            Err(e) => match e.raw_os_error() {
                Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(()),
                _ => Err(e),
            },
        }
    }

    /// Wakes the kernel's thread that looks for submissions, where it has gone to sleep.
    #[inline(always)]
    fn waking(&mut self) -> EnterFlags {
        if self.polling.submissions && self.ring.submission().need_wakeup() {
            EnterFlags::SQ_WAKEUP
        } else {
            EnterFlags::empty()
        }
    }

    /// True where completions are there only once this thread has looked for them at the device.
    #[inline(always)]
    fn looks_itself(&self) -> bool {
        self.polling.completions && !self.polling.submissions
    }

    #[inline(always)]
    fn drain(&mut self, out: &mut Vec<Completion>) {
        let before = out.len();
        out.extend(self.ring.completion().map(|c| Completion {
            slot: c.user_data() as u32,
            result: c.result(),
        }));
        if self.polling.completions {
            self.out -= out.len() - before;
            out.append(&mut self.done);
        }
    }
}

impl Backend for Uring {
    const NAME: &'static str = "io_uring";

    #[inline(always)]
    fn queue(&mut self, request: Request) -> io::Result<()> {
        if self.polling.completions {
            if !matches!(request.action, Action::Read | Action::Write) {
                let result = carry_out(self.files[request.file as usize], &request);
                self.done.push(Completion {
                    slot: request.slot,
                    result,
                });
                return Ok(());
            }
            self.out += 1;
        }
        let entry = self.entry(&request);
        loop {
            // SAFETY: the entry's buffer and descriptor stay valid until its completion (see `Request`).
            if unsafe { self.ring.submission().push(&entry) }.is_ok() {
                self.queued += 1;
                return Ok(());
            }
            self.enter(None)?;
        }
    }

    #[inline(always)]
    fn flush(&mut self) -> io::Result<()> {
        if self.polling.submissions && self.waking().is_empty() {
            self.queued = 0;
            return Ok(());
        }
        while self.queued > 0 {
            let flags = self.waking();
            // SAFETY: as in `enter`. Without GETEVENTS: completions are left for `poll`.
            let result = unsafe { self.gate.enter(self.queued, 0, flags, None) };
            match result {
                Ok(taken) => self.queued -= taken.min(self.queued),
                Err(e) => match e.raw_os_error() {
                    // The completion ring is full, or memory is short: let completions through, then go on.
                    Some(libc::EINTR | libc::EBUSY | libc::EAGAIN) => return self.enter(None),
                    _ => return Err(e),
                },
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        match wait {
            _ if !self.done.is_empty() => self.flush()?,
            // No wait of the kernel's for polled completions ends by time: whoever waits looks again and again.
            Wait::For { ns, .. } if self.looks_itself() => match self.out {
                0 => std::thread::sleep(Duration::from_nanos(ns)),
                _ => self.enter(None)?,
            },
            Wait::None if self.looks_itself() && self.out > 0 => self.enter(None)?,
            Wait::For { ns, least } if self.ring.completion().len() < least as usize => {
                self.enter(Some((ns, least)))?
            }
            _ if self.polling.submissions => self.flush()?,
            _ if self.queued > 0 || self.ring.submission().taskrun() => self.enter(None)?,
            _ => {}
        }
        self.drain(out);
        Ok(())
    }
}
