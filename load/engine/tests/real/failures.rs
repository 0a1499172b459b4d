//! What the kernel refuses.

use super::run::*;
use plimsoll_engine::backend::Action;
use plimsoll_engine::worker::FailureKind;
use plimsoll_plan::*;
use std::os::fd::AsRawFd;
use std::path::Path;

/// True where the file refuses direct I/O that is not a multiple of its blocks.
fn refuses_misaligned(path: &Path) -> bool {
    let Ok(open) = open(&target(path), false) else {
        return false;
    };
    let mut buffer = [0u8; 8192];
    let at = buffer.as_ptr().align_offset(4096);
    let file = open.opened.members()[0].file.as_raw_fd();
    // SAFETY: the kernel writes at most 512 bytes into 8192, from an aligned place within the first 4096.
    let n = unsafe { libc::pread(file, buffer.as_mut_ptr().add(at).cast(), 512, 100) };
    n < 0
}

#[test]
fn misaligned_ios_fail_and_are_located() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        if !refuses_misaligned(&scratch.path) {
            plimsoll_skipped::skipped!("the file system takes misaligned direct I/O");
            return;
        }
        let mut t = target(&scratch.path);
        t.offset = Bytes(100);
        let mut run = Run::new(kind, vec![t], READS, one_pass());
        run.options.max_errors = 20;
        let done = run.go();
        assert!(
            done.outcome.too_many_errors && !done.outcome.limit,
            "{kind}: {done:?}"
        );
        assert_eq!(done.stats.ios(), 0);
        // What was out with the twentieth, on either worker, fails as well, and is not counted.
        assert_eq!(done.outcome.errors, 20, "{kind}: {done:?}");
        assert_eq!(done.failures.len(), 20, "{kind}: {done:?}");
        assert_eq!(done.stats.errors(), done.outcome.errors);
        let first = &done.failures[0];
        assert_eq!(first.kind, FailureKind::Errno(libc::EINVAL));
        assert_eq!(first.action, Action::Read);
        assert_eq!(first.length, 4096);
        assert_eq!(first.offset % 4096, 0);
        assert_eq!(first.target, run.targets[0].name);
    });
}

#[test]
fn a_file_that_shrinks_gives_short_reads() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        let run = Run::new(kind, vec![target(&scratch.path)], READS, one_pass());
        let targets = run.open();
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(&scratch.path)
            .expect("opens");
        file.set_len(MIB - 3 * 4096).expect("shrinks");
        let mut failures = Vec::new();
        let control = plimsoll_engine::Control::default();
        let outcome =
            plimsoll_engine::run_step(&run.step, &targets, &run.options, &control, |merged| {
                failures.extend(merged.failures);
            });
        assert_eq!(outcome.expect("runs").errors, 3);
        let places: Vec<u64> = failures.iter().map(|f| (MIB - f.offset) / 4096).collect();
        assert_eq!((places.iter().sum::<u64>(), places.len()), (3 + 2 + 1, 3));
        assert!(failures.iter().all(|f| f.kind == FailureKind::Short(0)));
    });
}

#[test]
fn writing_what_was_opened_for_reading_fails_and_changes_nothing() {
    by_each(|kind| {
        let scratch = Scratch::new(MIB);
        let before = std::fs::read(&scratch.path).expect("reads");
        let run = Run::new(kind, vec![target(&scratch.path)], WRITES, one_pass());
        let read_only = open(&run.targets[0], false).expect("opens");
        let control = plimsoll_engine::Control::default();
        let mut failures = Vec::new();
        let targets = [std::sync::Arc::new(read_only)];
        let outcome =
            plimsoll_engine::run_step(&run.step, &targets, &run.options, &control, |merged| {
                failures.extend(merged.failures);
            })
            .expect("runs");
        assert!(outcome.too_many_errors);
        assert!(
            failures
                .iter()
                .all(|f| f.kind == FailureKind::Errno(libc::EBADF))
        );
        assert!(std::fs::read(&scratch.path).expect("reads") == before);
    });
}
