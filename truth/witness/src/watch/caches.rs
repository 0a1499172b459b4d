//! How much of a file or device is in the page cache, asked of the kernel by cachestat(2), which came with Linux 6.5. Older
//! ones tell by mincore(2) what is cached, and not what of it is dirty.

use super::Watched;
use super::resident::resident;
use crate::Root;
use plimsoll_evidence::witnessed::CacheUse;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

/// The same number on every architecture but Alpha.
const CACHESTAT: libc::c_long = 451;
/// The kernel counts what is cached page by page. Of the time, it may cost one part in so many.
const SELDOM: u32 = 200;

/// Looks at the page cache.
#[derive(Debug)]
pub(super) struct CachesSampler {
    targets: Vec<Target>,
    page_bytes: u64,
    /// The call's number.
    cachestat: libc::c_long,
}

#[derive(Debug)]
struct Target {
    name: String,
    file: File,
    bytes: u64,
    /// Bytes in the cache at first.
    first: Option<u64>,
    /// Bytes for which it had blocks at first.
    allocated: Option<u64>,
    /// Before this it is not asked again.
    rests_until: Option<Instant>,
}

/// `struct cachestat_range` of <linux/mman.h>, bytes; a length of 0: to the end.
#[repr(C)]
struct Range {
    from: u64,
    length: u64,
}

/// `struct cachestat`, pages.
#[repr(C)]
#[derive(Debug, Default, PartialEq, Eq)]
struct Pages {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

impl CachesSampler {
    /// Opens each target that is a file or a device, to read it, and looks at it. A captured tree has no cache.
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        CachesSampler::with(root, what, CACHESTAT)
    }

    fn with(root: &Root, what: &[Watched], cachestat: libc::c_long) -> Self {
        let page_bytes = page_bytes();
        let target = |w: &Watched| {
            let mut file = open(w.path.as_deref()?)?;
            let mut target = Target {
                name: w.name.clone(),
                bytes: file.seek(SeekFrom::End(0)).ok()?,
                allocated: allocated(&file),
                file,
                first: None,
                rests_until: None,
            };
            let first = target.cached(cachestat, page_bytes);
            target.first = first.map(|cache| cache.cached_bytes);
            Some(target)
        };
        let targets = match root.is_system() {
            true => what.iter().filter_map(target).collect(),
            false => Vec::new(),
        };
        CachesSampler {
            targets,
            page_bytes,
            cachestat,
        }
    }

    /// Each target of which the kernel tells, and was not asked too often.
    pub fn look(&mut self) -> Vec<CacheUse> {
        let mut all = Vec::new();
        for target in &mut self.targets {
            let begun = Instant::now();
            if target.rests_until.is_some_and(|until| begun < until) {
                continue;
            }
            let seen = target.cached(self.cachestat, self.page_bytes);
            target.rests_until = Some(begun + rest(begun.elapsed()));
            all.extend(seen);
        }
        all
    }

    /// Each target that was asked so seldom that it may have been some time ago. What of it is dirty by now is of another time.
    pub fn end(&mut self) -> Vec<CacheUse> {
        let now = Instant::now();
        let rests = |t: &&Target| t.rests_until.is_some_and(|until| now < until);
        let resting = self.targets.iter().filter(rests);
        let seen = resting.filter_map(|t| t.cached(self.cachestat, self.page_bytes));
        let clean = |cache| CacheUse {
            dirty_bytes: None,
            writeback_bytes: None,
            ..cache
        };
        seen.map(clean).collect()
    }
}

impl Target {
    /// What the kernel tells of it now; `None` where it tells nothing.
    fn cached(&self, cachestat: libc::c_long, page_bytes: u64) -> Option<CacheUse> {
        let cache = CacheUse {
            target: self.name.clone(),
            target_bytes: self.bytes,
            cached_before_bytes: self.first,
            allocated_bytes: allocated(&self.file),
            allocated_before_bytes: self.allocated,
            ..CacheUse::default()
        };
        let Some(pages) = counted(&self.file, cachestat) else {
            let seen = resident(&self.file, self.bytes, page_bytes)?;
            return Some(CacheUse {
                cached_bytes: seen.bytes,
                sampled_bytes: seen.sampled,
                ..cache
            });
        };
        // The last page may be longer than what is left of the file.
        let bytes = |pages: u64| pages.saturating_mul(page_bytes).min(self.bytes);
        Some(CacheUse {
            cached_bytes: bytes(pages.cached),
            dirty_bytes: Some(bytes(pages.dirty)),
            writeback_bytes: Some(bytes(pages.writeback)),
            ..cache
        })
    }
}

/// Bytes for which a file has blocks; `None` of a device.
fn allocated(file: &File) -> Option<u64> {
    const BLOCK: u64 = 512;
    let told = file.metadata().ok().filter(|m| m.is_file())?;
    Some(told.blocks().saturating_mul(BLOCK))
}

/// How long one rests that took so long.
fn rest(took: Duration) -> Duration {
    match took > Duration::from_millis(5) {
        true => took.saturating_mul(SELDOM),
        false => Duration::ZERO,
    }
}

/// What is neither a file nor a device has no cache, and opening it may do something.
fn open(path: &Path) -> Option<File> {
    let kind = std::fs::metadata(path).ok()?.file_type();
    if !kind.is_file() && !kind.is_block_device() {
        return None;
    }
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK);
    options.open(path).ok()
}

fn page_bytes() -> u64 {
    // SAFETY: it reads a number that does not change, and touches no memory of ours.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(4096)
}

/// What cachestat(2) counts; `None` where the kernel does not know the call, or does not tell this process.
fn counted(file: &File, cachestat: libc::c_long) -> Option<Pages> {
    let all = Range { from: 0, length: 0 };
    let mut pages = Pages::default();
    let no_flags: libc::c_uint = 0;
    // SAFETY: the descriptor is open; the kernel reads the range and writes the pages, both of which have its layout and live
    // until the call is over.
    let result = unsafe {
        libc::syscall(
            cachestat,
            file.as_raw_fd(),
            &raw const all,
            &raw mut pages,
            no_flags,
        )
    };
    (result == 0).then_some(pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_was_written_through_the_cache_is_in_it() {
        // One that memory is made of would be in the cache whatever is done.
        let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&[7; 1_000_000]).unwrap();
        file.flush().unwrap();
        let what = Watched {
            name: "sd1".into(),
            path: Some(file.path().to_owned()),
            ..Watched::default()
        };
        let mut sampler = CachesSampler::new(&Root::system(), std::slice::from_ref(&what));
        let seen = sampler.look();
        let [cache] = &seen[..] else {
            panic!("nobody tells of it");
        };
        assert_eq!(
            (cache.target.as_str(), cache.target_bytes),
            ("sd1", 1_000_000)
        );
        assert_eq!(cache.cached_bytes, 1_000_000);
        assert_eq!(cache.cached_before_bytes, Some(1_000_000));
        if cache.dirty_bytes.is_none() {
            plimsoll_skipped::skipped!("this kernel has no cachestat(2)");
            return;
        }
        // What is on the medium is clean, and may be dropped.
        file.as_file().sync_all().unwrap();
        rustix::fs::fadvise(file.as_file(), 0, None, rustix::fs::Advice::DontNeed).unwrap();
        let seen = sampler.look();
        assert_eq!(seen[0].dirty_bytes, Some(0));
        assert!(seen[0].cached_bytes < 1_000_000, "{seen:?}");
        assert_eq!(
            CachesSampler::new(&Root::at("/nowhere"), &[what]).look(),
            []
        );
    }

    /// A call that no kernel has.
    const NO_CALL: libc::c_long = 99_999;

    #[test]
    fn an_older_kernel_tells_what_is_cached_and_not_what_is_dirty() {
        let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&[7; 1_000_000]).unwrap();
        file.as_file().sync_all().unwrap();
        let what = Watched {
            name: "sd1".into(),
            path: Some(file.path().to_owned()),
            ..Watched::default()
        };
        let mut sampler = CachesSampler::with(&Root::system(), &[what], NO_CALL);
        rustix::fs::fadvise(file.as_file(), 0, None, rustix::fs::Advice::DontNeed).unwrap();
        let seen = sampler.look().remove(0);
        assert_eq!((seen.dirty_bytes, seen.writeback_bytes), (None, None));
        let share = (seen.cached_before_bytes, seen.cached_bytes);
        assert_eq!((share, seen.sampled_bytes), ((Some(1_000_000), 0), None));
        // At a step's end only who rests is asked.
        sampler.targets[0].rests_until = None;
        assert_eq!(sampler.end(), []);
        sampler.targets[0].rests_until = Some(Instant::now() + Duration::from_secs(600));
        assert_eq!((sampler.look(), sampler.end().len()), (vec![], 1));
    }

    #[test]
    fn what_has_no_cache_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [
            folder.path(),
            Path::new("/dev/zero"),
            &socket,
            Path::new("/nowhere"),
        ] {
            assert!(open(path).is_none(), "{path:?}");
        }
    }

    #[test]
    fn a_look_that_takes_long_is_rare() {
        assert_eq!(rest(Duration::from_millis(1)), Duration::ZERO);
        assert_eq!(rest(Duration::from_millis(100)), Duration::from_secs(20));
    }
}
