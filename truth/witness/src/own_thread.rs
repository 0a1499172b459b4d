//! What the calling thread has written.

use std::fs::File;
use std::io::Read;

/// Bytes that the calling thread's system calls have written since it began, into a cache too, from `/proc/thread-self/io`.
/// `None` where the kernel does not tell.
pub fn written_bytes() -> Option<u64> {
    let mut text = [0; 512];
    let mut file = File::open("/proc/thread-self/io").ok()?;
    let length = file.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let mut lines = text.lines();
    let written = lines.find_map(|line| line.strip_prefix("wchar:"))?;
    written.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_this_thread_writes_counts_and_what_another_one_writes_does_not() {
        let Some(before) = written_bytes() else {
            plimsoll_skipped::skipped!("this kernel does not count what a thread writes");
            return;
        };
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 12_345]).unwrap();
        std::thread::spawn(move || file.write_all(&[1; 54_321]).unwrap())
            .join()
            .unwrap();
        assert_eq!(written_bytes(), Some(before + 12_345));
    }
}
