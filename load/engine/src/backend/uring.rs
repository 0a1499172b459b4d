//! io_uring: single issuer, deferred task run, registered ring, files and buffers.

use super::{Action, Backend, Completion, FileTable, Request, Wait};
use crate::buffers::Arena;
use io_uring::{EnterFlags, IoUring, opcode, squeue, types};
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
    queued: u32,
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

/// The flags that the kernel lacks are left out, newest first.
fn build(entries: u32) -> io::Result<IoUring> {
    let newest = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .setup_clamp()
        .build(entries);
    match newest {
        Err(e) if e.raw_os_error() == Some(libc::EINVAL) => {}
        other => return other,
    }
    let coop = IoUring::builder()
        .setup_coop_taskrun()
        .setup_taskrun_flag()
        .setup_clamp()
        .build(entries);
    match coop {
        Err(e) if e.raw_os_error() == Some(libc::EINVAL) => {
            IoUring::builder().setup_clamp().build(entries)
        }
        other => other,
    }
}

/// Tries whether a usable ring can be had at all: waiting with a time-out needs Linux 5.11, and a filter of system calls may let
/// a ring be made and then let nothing be asked of it.
pub fn probe() -> io::Result<()> {
    let mut ring = build(2)?;
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
    let rings: Result<Vec<IoUring>, _> =
        slots.iter().map(|slots| build_patiently(*slots)).collect();
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
fn build_patiently(slots: usize) -> io::Result<IoUring> {
    let entries = u32::try_from(slots)
        .unwrap_or(u32::MAX)
        .clamp(2, 32768)
        .next_power_of_two();
    for _ in 1..LOOKS {
        match build(entries) {
            Err(e) if e.raw_os_error() == Some(libc::ENOMEM) => std::thread::sleep(BETWEEN_LOOKS),
            other => return other,
        }
    }
    build(entries)
}

impl Uring {
    /// A ring for `slots` requests on these files. To be called on the thread that will use it.
    pub fn new(files: FileTable, slots: usize, arena: &Arena) -> io::Result<Self> {
        let ring = build_patiently(slots)?;
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
            queued: 0,
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
                // SAFETY: the entries' buffers and descriptors stay valid until their completions (see `Request`).
                unsafe { self.gate.enter(self.queued, 0, EnterFlags::GETEVENTS, None) }
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
                let flags = EnterFlags::GETEVENTS | EnterFlags::EXT_ARG | self.wait_flags;
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

    #[inline(always)]
    fn drain(&mut self, out: &mut Vec<Completion>) {
        out.extend(self.ring.completion().map(|c| Completion {
            slot: c.user_data() as u32,
            result: c.result(),
        }));
    }
}

impl Backend for Uring {
    const NAME: &'static str = "io_uring";

    #[inline(always)]
    fn queue(&mut self, request: Request) -> io::Result<()> {
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
        while self.queued > 0 {
            // SAFETY: as in `enter`. Without GETEVENTS: completions are left for `poll`.
            let result = unsafe { self.gate.enter(self.queued, 0, EnterFlags::empty(), None) };
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
            Wait::For { ns, least } if self.ring.completion().len() < least as usize => {
                self.enter(Some((ns, least)))?
            }
            _ if self.queued > 0 || self.ring.submission().taskrun() => self.enter(None)?,
            _ => {}
        }
        self.drain(out);
        Ok(())
    }
}
