//! Writers that the descriptors of a process's first thread don't show, held by a program that knows nothing of ours.

use plimsoll_witness::Root;
use plimsoll_witness::occupancy::{Subject, Use};
use plimsoll_witness::openers::{self, Key};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const PRELUDE: &str = "
import ctypes, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
path = sys.argv[1]
def mapped(modes, protection, flags):
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    file = os.open(path, modes)
    at = libc.mmap(None, 4096, protection, flags, file, 0)
    assert at != ctypes.c_void_p(-1).value
    os.close(file)
def held():
    print('held', flush=True)
    sys.stdin.read()
";

/// A program in Python that goes on until this is dropped.
struct Holder(Child);

impl Holder {
    fn start(text: &str, path: &Path) -> Option<Self> {
        let started = Command::new("python3")
            .args(["-c", &format!("{PRELUDE}{text}")])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = started else {
            plimsoll_skipped::skipped!("there is no python3 here");
            return None;
        };
        let mut printed = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out)
            .read_line(&mut printed)
            .expect("readable");
        let holder = Holder(child);
        assert_eq!(printed, "held\n");
        Some(holder)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

fn uses(path: &Path) -> Vec<Use> {
    let metadata = path.metadata().expect("there");
    let wanted = [(Key::file(&metadata), Subject::itself("file"))];
    openers::of(&Root::system(), &wanted)
}

fn file() -> tempfile::TempPath {
    let file = tempfile::NamedTempFile::new().expect("a file");
    file.as_file().set_len(4096).expect("long enough");
    file.into_temp_path()
}

#[test]
fn a_shared_mapping_of_a_closed_descriptor_writes_and_a_private_or_read_one_does_not() {
    for (modes, protection, flags, writes) in [
        ("os.O_RDWR", "3", "1", true),
        // Read only, until mprotect(2) says otherwise.
        ("os.O_RDWR", "1", "1", true),
        ("os.O_RDWR", "3", "2", false),
        ("os.O_RDONLY", "1", "1", false),
    ] {
        let path = file();
        let text = format!("mapped({modes}, {protection}, {flags})\nheld()");
        let Some(holder) = Holder::start(&text, &path) else {
            return;
        };
        let pid = holder.0.id();
        let seen = uses(&path);
        let expected = |used: &Use| matches!(used, Use::Mapped { pid: of, .. } if *of == pid);
        assert_eq!(seen.iter().any(expected), writes, "{text}: {seen:?}");
        assert_eq!(seen.len(), usize::from(writes), "{text}: {seen:?}");
    }
}

#[test]
fn a_thread_with_descriptors_of_its_own_is_a_writer() {
    // The threads that have one table, before and after it, are passed over, and so is the one that ended.
    let text = "
ready = threading.Barrier(4)
def own():
    assert libc.unshare(0x400) == 0
    os.open(path, os.O_WRONLY)
    ready.wait()
    threading.Event().wait()
def other():
    ready.wait()
    threading.Event().wait()
for run in [other, own, other]:
    threading.Thread(target=run, daemon=True).start()
ready.wait()
held()";
    let path = file();
    let Some(holder) = Holder::start(text, &path) else {
        return;
    };
    let pid = holder.0.id();
    assert!(
        std::fs::read_dir(format!("/proc/{pid}/fd"))
            .expect("its descriptors")
            .filter_map(|fd| std::fs::read_link(fd.ok()?.path()).ok())
            .all(|to| to != *path),
        "the first thread has it, too"
    );
    let seen = uses(&path);
    assert!(
        matches!(seen[..], [Use::Opened { pid: of, .. }] if of == pid),
        "{seen:?}"
    );
}

#[test]
fn a_process_whose_first_thread_has_ended_is_seen() {
    let text = "
def stay():
    mapped(os.O_RDWR, 3, 1)
    held()
    os._exit(0)
threading.Thread(target=stay).start()
libc.pthread_exit(None)";
    let path = file();
    let Some(holder) = Holder::start(text, &path) else {
        return;
    };
    let seen = uses(&path);
    let pid = holder.0.id();
    assert!(
        matches!(seen[..], [Use::Mapped { pid: of, .. }] if of == pid),
        "{seen:?}"
    );
}

#[test]
fn a_lock_through_a_descriptor_for_reading_is_a_use_and_a_plain_reader_is_none() {
    for (lock, is_use) in [
        ("pass", false),
        ("fcntl.flock(file, fcntl.LOCK_SH)", true),
        // As udev does while it looks at a disk.
        (
            "fcntl.flock(file, fcntl.LOCK_SH)\nlibc.prctl(15, b'(udev-worker)')",
            false,
        ),
        ("fcntl.lockf(file, fcntl.LOCK_SH, 1, 201)", true),
        (
            "fcntl.fcntl(file, 37, struct.pack('hhqqi', 0, 0, 100, 1, 0))",
            true,
        ),
    ] {
        let path = file();
        let text =
            format!("import fcntl, struct\nfile = os.open(path, os.O_RDONLY)\n{lock}\nheld()");
        let Some(holder) = Holder::start(&text, &path) else {
            return;
        };
        let pid = holder.0.id();
        let seen = uses(&path);
        let expected =
            |used: &Use| matches!(used, Use::Locked { by: Some(by), .. } if by.pid == pid);
        assert_eq!(seen.iter().any(expected), is_use, "{lock}: {seen:?}");
        assert_eq!(seen.len(), usize::from(is_use), "{lock}: {seen:?}");
    }
}

#[test]
#[ignore = "a measurement: cargo test -p plimsoll-witness --release --test openers -- --ignored --nocapture"]
fn what_a_look_at_thousands_of_threads_costs() {
    let text = "
threading.stack_size(65536)
count = int(os.environ.get('THREADS', '4000'))
ready = threading.Barrier(count + 1)
def stay():
    ready.wait()
    threading.Event().wait()
for _ in range(count):
    threading.Thread(target=stay, daemon=True).start()
for _ in range(200):
    os.open('/etc/hostname', os.O_RDONLY)
ready.wait()
held()";
    let path = file();
    let before = Instant::now();
    uses(&path);
    let without = before.elapsed();
    let Some(_holder) = Holder::start(text, &path) else {
        return;
    };
    let before = Instant::now();
    uses(&path);
    println!("{without:?} without it, {:?} with it", before.elapsed());
}
