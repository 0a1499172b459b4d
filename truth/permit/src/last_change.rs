//! Size and last change of a file, as marks on files hold them.

use rustix::fs::Stat;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Units in which file systems keep times, ns: from 1 ns (all of it) to 1 s.
const GRAINS: [i64; 5] = [1, 100, 1000, 1_000_000, 1_000_000_000];

/// Size of a file, bytes, and the time of its last change: seconds and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastChange {
    pub size: u64,
    changed: (i64, i64),
}

impl LastChange {
    pub fn of(stat: &Stat) -> Self {
        LastChange {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            changed: (stat.st_mtime, stat.st_mtime_nsec as i64),
        }
    }

    /// Waits until a change from now on has another time, where the file system keeps whole seconds alone (ext4 with inodes of 128 bytes).
    pub fn let_its_second_pass(self) {
        let (seconds, nanoseconds) = self.changed;
        let over = u64::try_from(seconds).map(|s| UNIX_EPOCH + Duration::from_secs(s + 1));
        if let (0, Ok(over)) = (nanoseconds, over) {
            // A time that lies ahead, on a server whose clock does, is not waited for.
            let left = over.duration_since(SystemTime::now()).unwrap_or_default();
            std::thread::sleep(left.min(Duration::from_secs(1)));
        }
    }

    pub fn text(self) -> String {
        let (seconds, nanoseconds) = self.changed;
        format!("{} bytes, changed {seconds}.{nanoseconds:09}", self.size)
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (size, changed) = text.split_once(" bytes, changed ")?;
        let (seconds, nanoseconds) = changed.split_once('.')?;
        Some(LastChange {
            size: size.parse().ok()?,
            changed: (seconds.parse().ok()?, nanoseconds.parse().ok()?),
        })
    }

    /// True where nobody has written since; `now` may lack what the file system or its server doesn't keep of a time.
    pub fn is_last(self, now: LastChange) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let kept = |grain: &i64| (seconds, nanoseconds / grain * grain) == now.changed;
        self.size == now.size && GRAINS.iter().any(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_may_lose_what_a_file_system_does_not_keep() {
        let at = |seconds, nanoseconds| LastChange {
            size: 9,
            changed: (seconds, nanoseconds),
        };
        let left = at(7, 123_456_789);
        assert_eq!(LastChange::parse(&left.text()), Some(left));
        for kept in [123_456_789, 123_456_700, 123_456_000, 123_000_000, 0] {
            assert!(left.is_last(at(7, kept)), "{kept}");
        }
        for (seconds, nanoseconds) in [(7, 123_456_790), (7, 1), (8, 0), (6, 123_456_789)] {
            assert!(
                !left.is_last(at(seconds, nanoseconds)),
                "{seconds}.{nanoseconds}"
            );
        }
        assert!(!left.is_last(LastChange { size: 8, ..left }));
    }
}
