//! How much of a file or device is in the page cache, page by page (mincore(2)). Kernels before cachestat(2) tell nothing else. Of
//! much data a sample is looked at.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

/// Pages that are looked at by one call.
const AT_ONCE: u64 = 256;
/// Calls at most: 64 Ki pages, 256 MiB, in some milliseconds.
const CALLS: u64 = 256;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resident {
    /// Bytes in the cache; reckoned from the sample where it is one.
    pub bytes: u64,
    /// Bytes that were looked at; `None`: all.
    pub sampled: Option<u64>,
}

/// Looks at a file of so many bytes; `None` where the kernel does not tell this process.
pub fn resident(file: &File, bytes: u64, page_bytes: u64) -> Option<Resident> {
    if bytes == 0 || !is_told(file) {
        return (bytes == 0).then_some(Resident {
            bytes: 0,
            sampled: None,
        });
    }
    let pages = bytes.div_ceil(page_bytes);
    let (mut looked, mut found) = (0, 0);
    for first in windows(pages) {
        let many = AT_ONCE.min(pages - first);
        found += in_memory(file, first, many, page_bytes)?;
        looked += many;
    }
    let share = found as f64 / looked as f64;
    let is_all = looked == pages;
    Some(Resident {
        bytes: match is_all {
            // The last page may be longer than what is left of the file.
            true => (found * page_bytes).min(bytes),
            false => (share * bytes as f64) as u64,
        },
        sampled: (!is_all).then(|| looked * page_bytes),
    })
}

/// The kernel calls all pages cached for whoever may not write to the file, and does not own it (since Linux 5.2).
fn is_told(file: &File) -> bool {
    let Ok(metadata) = file.metadata() else {
        return false;
    };
    let user = rustix::process::geteuid();
    user.is_root() || user.as_raw() == metadata.uid()
}

/// The first pages of what is looked at: all of it, or so many pieces evenly spread, from the beginning to the end.
fn windows(pages: u64) -> impl Iterator<Item = u64> {
    let needed = pages.div_ceil(AT_ONCE);
    let many = needed.min(CALLS);
    let last = pages.saturating_sub(AT_ONCE);
    (0..many).map(move |n| match needed > CALLS {
        true => (u128::from(last) * u128::from(n) / u128::from(CALLS - 1)) as u64,
        false => n * AT_ONCE,
    })
}

/// How many of these pages are in memory.
fn in_memory(file: &File, first: u64, many: u64, page_bytes: u64) -> Option<u64> {
    let offset = libc::off_t::try_from(first.checked_mul(page_bytes)?).ok()?;
    let length = usize::try_from(many * page_bytes).ok()?;
    let mut each = vec![0u8; usize::try_from(many).ok()?];
    // SAFETY: a new mapping that nothing of ours points into, and of which nothing is read or written: mincore(2) writes one byte
    // for each page into `each`, which has as many; then the mapping goes, by the address and length that it was made with.
    let told = unsafe {
        let kind = libc::PROT_NONE;
        let map = libc::mmap(
            std::ptr::null_mut(),
            length,
            kind,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            offset,
        );
        if map == libc::MAP_FAILED {
            return None;
        }
        let told = libc::mincore(map, length, each.as_mut_ptr().cast());
        libc::munmap(map, length);
        told
    };
    (told == 0).then(|| each.iter().filter(|page| *page & 1 == 1).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    const PAGE: u64 = 4096;

    /// A file that is not made of memory, whose pages are clean, and none of them cached.
    fn dropped(bytes: usize) -> File {
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&vec![7; bytes]).unwrap();
        file.sync_all().unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        file
    }

    #[test]
    fn what_was_read_is_in_memory_and_what_was_dropped_is_not() {
        let bytes = 600 * PAGE as usize - 100;
        let mut file = dropped(bytes);
        let of = |file: &File| resident(file, bytes as u64, PAGE).unwrap();
        let nothing = of(&file);
        assert_eq!((nothing.bytes, nothing.sampled), (0, None));
        std::io::Seek::rewind(&mut file).unwrap();
        file.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(of(&file).bytes, bytes as u64);
        // Its second half is dropped.
        let half = 300 * PAGE;
        rustix::fs::fadvise(&file, half, None, rustix::fs::Advice::DontNeed).unwrap();
        assert_eq!(of(&file).bytes, half);
        assert_eq!(resident(&file, 0, PAGE).unwrap().bytes, 0);
    }

    #[test]
    fn of_much_an_even_sample_is_looked_at() {
        let small: Vec<u64> = windows(600).collect();
        assert_eq!(small, [0, 256, 512]);
        for pages in [AT_ONCE * CALLS + 1, 1 << 32] {
            let all: Vec<u64> = windows(pages).collect();
            assert_eq!(all.len() as u64, CALLS);
            assert_eq!((all[0], all[255]), (0, pages - AT_ONCE));
            let gaps: Vec<u64> = all.windows(2).map(|w| w[1] - w[0]).collect();
            let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
            assert!(most - least <= 1, "{least} {most}");
        }
        assert_eq!(windows(AT_ONCE * CALLS).count() as u64, CALLS);
    }

    #[test]
    fn half_of_a_large_hole_that_was_read_is_found_by_the_sample() {
        let bytes = 2 * AT_ONCE * CALLS * PAGE;
        let file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.set_len(bytes).unwrap();
        // What is behind it is not read ahead.
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random).unwrap();
        let mut half = (&file).take(bytes / 2);
        std::io::copy(&mut half, &mut std::io::sink()).unwrap();
        let found = resident(&file, bytes, PAGE).unwrap();
        assert_eq!(found.sampled, Some(AT_ONCE * CALLS * PAGE));
        let share = found.bytes as f64 / bytes as f64;
        assert!((share - 0.5).abs() < 0.01, "{share}");
    }
}
