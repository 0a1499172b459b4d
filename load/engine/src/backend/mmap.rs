//! Maps of files in memory: bytes are copied to and from them, one I/O at a time, in the caller's thread.
//!
//! Where a page of the file cannot be had (it was cut off meanwhile, or its device fails), the kernel answers the copy with SIGBUS,
//! which would end the process. A handler puts an empty page there, so that the copy goes on, and says so; the I/O has failed then,
//! and the file's own page comes back behind it. Maps belong to one thread, so nobody else can take the empty page for the file's.

use super::psync::Medium;
use super::{Action, FileTable, Request, last_errno, punch};
use std::cell::Cell;
use std::io;
use std::os::fd::RawFd;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A worker's files, each as a map of all of it.
#[derive(Debug)]
pub struct Maps(Vec<Map>);

impl Maps {
    /// Maps all of these files.
    ///
    /// # Errors
    /// What the kernel says: a file that is no memory's, or too many of them for the address space.
    pub fn new(files: &FileTable) -> io::Result<Maps> {
        watch_faults()?;
        let maps = files.iter().map(|fd| Map::new(*fd));
        maps.collect::<io::Result<_>>().map(Maps)
    }
}

impl Medium for Maps {
    fn carry_out(&mut self, r: &Request) -> i32 {
        let map = &self.0[r.file as usize];
        match r.action {
            Action::Read | Action::Write => map.copy(r),
            Action::Trim => punch(map.fd, r.offset, r.length),
            Action::Sync | Action::DataSync => map.sync(),
            _ => -libc::EOPNOTSUPP,
        }
    }
}

/// One file's map.
#[derive(Debug)]
struct Map {
    fd: RawFd,
    start: *mut u8,
    length: usize,
    protection: i32,
}

// The map is the process's, and whoever has this has it alone.
// SAFETY: see above.
unsafe impl Send for Map {}

impl Map {
    fn new(fd: RawFd) -> io::Result<Map> {
        // SAFETY: plain system calls on an open descriptor. Nothing here reads or writes by its position.
        let (length, flags) = unsafe {
            (
                libc::lseek64(fd, 0, libc::SEEK_END),
                libc::fcntl(fd, libc::F_GETFL),
            )
        };
        if length < 0 || flags < 0 {
            return Err(io::Error::last_os_error());
        }
        let length = usize::try_from(length).unwrap_or(0);
        let protection = match flags & libc::O_ACCMODE {
            libc::O_RDONLY => libc::PROT_READ,
            _ => libc::PROT_READ | libc::PROT_WRITE,
        };
        if length == 0 {
            return Err(io::Error::other("the file is empty"));
        }
        // SAFETY: a new mapping, at a place of the kernel's choice.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), length, protection, libc::MAP_SHARED, fd, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Map {
            fd,
            start: start.cast(),
            length,
            protection,
        })
    }

    /// Copies a read's or a write's bytes; how many, or -errno.
    fn copy(&self, r: &Request) -> i32 {
        let length = r.length as usize;
        let Some(offset) = usize::try_from(r.offset)
            .ok()
            .filter(|at| at.checked_add(length).is_some_and(|end| end <= self.length))
        else {
            return -libc::EINVAL;
        };
        if r.action == Action::Write && self.protection & libc::PROT_WRITE == 0 {
            return -libc::EBADF;
        }
        // SAFETY: the range lies in the map, as was just looked at.
        let at = unsafe { self.start.add(offset) };
        let guard = Guard::over(at as usize, length);
        match r.action {
            // SAFETY: `buffer` points to at least `length` bytes of the worker's arena, which nothing else touches until the
            // completion, and `at` to as many of the map; where the file has none any more, the handler has put some there.
            Action::Read => unsafe { ptr::copy_nonoverlapping(at.cast_const(), r.buffer, length) },
            // SAFETY: as above, and the map may be written.
            _ => unsafe { ptr::copy_nonoverlapping(r.buffer.cast_const(), at, length) },
        }
        match guard.failed() {
            false => r.length as i32,
            true => self.put_back(offset, length),
        }
    }

    /// A copy has met an empty page: the file's own come back. Gives the copy's -errno.
    #[cold]
    fn put_back(&self, offset: usize, length: usize) -> i32 {
        let from = offset - offset % page();
        let end = (offset + length).next_multiple_of(page());
        // SAFETY: these pages are of this map, and nobody else has it.
        let put = unsafe {
            libc::mmap(
                self.start.add(from).cast(),
                end - from,
                self.protection,
                libc::MAP_SHARED | libc::MAP_FIXED,
                self.fd,
                from as libc::off_t,
            )
        };
        match put == libc::MAP_FAILED {
            // It would be taken for the file's.
            true => std::process::abort(),
            false => -libc::EIO,
        }
    }

    fn sync(&self) -> i32 {
        // SAFETY: the whole of this map.
        match unsafe { libc::msync(self.start.cast(), self.length, libc::MS_SYNC) } {
            0 => 0,
            _ => -last_errno(),
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the map is this one's, and nothing points into it any more.
        unsafe { libc::munmap(self.start.cast(), self.length) };
    }
}

thread_local! {
    /// The addresses that this thread copies from or to (first, one past the last), and whether a page of them was not there.
    static COPIED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, a page that cannot be had is an empty one.
struct Guard;

impl Guard {
    fn over(at: usize, length: usize) -> Guard {
        FAILED.set(false);
        COPIED.set((at, at + length));
        // The copy is not to be moved before this, nor behind what follows it.
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
        Guard
    }

    fn failed(self) -> bool {
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
        COPIED.set((0, 0));
        FAILED.get()
    }
}

static PAGE: AtomicUsize = AtomicUsize::new(4096);
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

fn page() -> usize {
    PAGE.load(Ordering::Relaxed)
}

/// From now on SIGBUS in a copy does not end the process.
fn watch_faults() -> io::Result<()> {
    static DONE: OnceLock<i32> = OnceLock::new();
    let errno = *DONE.get_or_init(|| {
        PAGE.store(rustix::param::page_size(), Ordering::Relaxed);
        // SAFETY: all zeros is a valid `sigaction`; it is filled by the first call, which changes nothing.
        let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before) } != 0 {
            return last_errno();
        }
        BEFORE.get_or_init(|| before);
        // SAFETY: all zeros is a valid `sigaction`.
        let mut own: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = on_fault;
        own.sa_sigaction = handler as usize;
        own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        // SAFETY: the handler only calls what may be called in one: mmap, sigaction and raise are plain system calls.
        match unsafe { libc::sigaction(libc::SIGBUS, &raw const own, ptr::null_mut()) } {
            0 => 0,
            _ => last_errno(),
        }
    });
    match errno {
        0 => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}

/// Puts an empty page where a copy meets none. Any other SIGBUS is what it was before.
extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel hands over a valid one.
    let (address, by_kernel) = unsafe { ((*info).si_addr() as usize, (*info).si_code > 0) };
    let (from, to) = COPIED.get();
    let page = page();
    let first = address - address % page;
    if by_kernel && first < to && address.saturating_add(page) > from && to > from {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the page is of a map that this thread copies from or to, and has alone.
        let put = unsafe { libc::mmap(first as *mut _, page, protection, flags, -1, 0) };
        if put != libc::MAP_FAILED {
            FAILED.set(true);
            return;
        }
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: it is what was there before. The access is made again behind this and finds it; a signal that somebody sent is
        // sent again.
        unsafe {
            libc::sigaction(signal, before, ptr::null_mut());
            if !by_kernel {
                libc::raise(signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, SeekFrom, Write};
    use std::os::fd::AsRawFd;

    fn request(action: Action, offset: u64, buffer: &mut [u8]) -> Request {
        Request {
            slot: 0,
            file: 0,
            action,
            offset,
            length: buffer.len() as u32,
            buffer: buffer.as_mut_ptr(),
        }
    }

    fn file(bytes: usize) -> std::fs::File {
        let mut file = tempfile::tempfile().expect("a file");
        let content: Vec<u8> = (0..bytes).map(|n| (n / 512) as u8).collect();
        file.write_all(&content).expect("written");
        file
    }

    #[test]
    fn bytes_are_those_of_the_file() {
        let mut file = file(64 << 10);
        let mut maps = Maps::new(&vec![file.as_raw_fd()]).expect("a map");
        let mut bytes = vec![0; 4096];
        assert_eq!(
            maps.carry_out(&request(Action::Read, 8192, &mut bytes)),
            4096
        );
        assert_eq!((bytes[0], bytes[4095]), (16, 23));
        let mut own = vec![7; 512];
        assert_eq!(maps.carry_out(&request(Action::Write, 1024, &mut own)), 512);
        assert_eq!(maps.carry_out(&request(Action::Sync, 0, &mut [])), 0);
        file.seek(SeekFrom::Start(512)).expect("there");
        let mut read = vec![0; 1536];
        file.read_exact(&mut read).expect("read");
        assert_eq!((read[0], read[512], read[1023], read[1024]), (1, 7, 7, 3));
        let past = request(Action::Read, (64 << 10) - 100, &mut own);
        assert_eq!(maps.carry_out(&past), -libc::EINVAL);
    }

    #[test]
    fn a_file_that_is_cut_off_fails_its_io_and_nothing_else() {
        let file = file(64 << 10);
        let mut maps = Maps::new(&vec![file.as_raw_fd()]).expect("a map");
        let mut bytes = vec![0; 16 << 10];
        file.set_len(8 << 10).expect("cut");
        for _ in 0..2 {
            // It is not there the second time either: the empty page is not taken for the file's.
            let read = request(Action::Read, 0, &mut bytes);
            assert_eq!(maps.carry_out(&read), -libc::EIO);
            let write = request(Action::Write, 32 << 10, &mut bytes);
            assert_eq!(maps.carry_out(&write), -libc::EIO);
        }
        assert_eq!(
            maps.carry_out(&request(Action::Read, 0, &mut bytes[..8192])),
            8192
        );
        file.set_len(64 << 10).expect("grown");
        assert_eq!(
            maps.carry_out(&request(Action::Read, 0, &mut bytes)),
            16 << 10
        );
        assert_eq!((bytes[0], bytes[8191], bytes[8192]), (0, 15, 0));
    }
}
