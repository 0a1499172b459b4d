//! Size and last changes of a file, as marks on files hold them.
//!
//! Any program can put back the time when a file was last written (mtime); none can put back the time when its inode was last
//! changed (ctime). But a mark changes the inode itself. So it names a span of time that it is written within, and is
//! written again where that took longer.
//!
//! Whoever changes the file within the span, too, is not seen by its times. Until the span is over nobody can open the file for writing,
//! and this process looks for those who did; but it may be killed. So the span ends a moment after the mark is written: with the
//! tick of the kernel's clock for files, at whose end the mark is written.

use plimsoll_witness::lease::Lease;
use rustix::fs::{Stat, fstat};
use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};
use std::fmt;
use std::fs::File;
use std::io;
use std::time::{Duration, Instant};

/// Time in nanoseconds since 1970.
type Time = i128;

/// Units in which file systems keep times, ns: from 1 ns (all of it) to 1 s.
const GRAINS: [Time; 5] = [1, 100, 1000, 1_000_000, NS_PER_S];
const NS_PER_S: Time = 1_000_000_000;

/// When before the end of a tick a mark is written, ns, and when its span is over: the kernel's ticks are not as even as that.
const AT_THE_END: Time = 200_000;
const OVER: Time = 100_000;
/// The longest that a sleep takes too long, ns, where nothing else wants the CPU.
const OVERSLEPT: Time = 300_000;
/// How many ticks are tried, and how long one is waited for.
const TICKS: usize = 12;
const PATIENCE: Duration = Duration::from_secs(2);
/// Longer spans after those, ns, for a file system that is busy with what a run left to it, or whose times are a server's.
const SPANS: [Time; 4] = [20_000_000, 20_000_000, 200_000_000, 2 * NS_PER_S];
/// The longest time by which the kernel's clock for files lags behind, ns.
const TICK: Time = 10_000_000;

/// Size of a file, bytes, the time of the last change of its content (mtime), and the span in which its inode was last changed (ctime).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastChange {
    pub size: u64,
    content: Time,
    inode: (Time, Time),
}

/// Change of a file since it was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    None,
    /// Of its name, mode, owner or attributes; or of its content by somebody who put the time back.
    Inode,
    Content,
}

impl LastChange {
    /// Mark of how `file` is left, as it was when it had these facts: `mark` writes it, again where the span that it names didn't hold,
    /// and says whether the file takes it. When this returns, any later change is outside of the span.
    ///
    /// Nothing is written where somebody else has written to the file, for whoever is killed from then on leaves the mark. That is asked
    /// once more at last, and where somebody has, `mark` is to take back what it wrote (`None`).
    pub fn put_down(
        file: &File,
        left: &Stat,
        mut is_left_alone: impl FnMut() -> bool,
        mut mark: impl FnMut(Option<Self>) -> io::Result<bool>,
    ) -> io::Result<()> {
        if !is_left_alone() {
            return Ok(());
        }
        let lease = Lease::take(file);
        // Between the question and the lease somebody may have come.
        if lease.is_some() && !is_left_alone() {
            return Ok(());
        }
        let content = time(left.st_mtime, left.st_mtime_nsec as i64);
        let mut is_written_within = |inode: (Time, Time)| -> io::Result<Option<bool>> {
            let size = size_of(left);
            let is_taken = mark(Some(LastChange {
                size,
                content,
                inode,
            }))?;
            let changed = inode_time(&fstat(file)?);
            Ok(is_taken.then(|| (inode.0..=inode.1).contains(&changed)))
        };
        put_down_within_spans(file, &mut is_written_within)?;
        // Whoever waited may go on; that is later than the span.
        drop(lease);
        // Where it never held, the content decides.
        if !is_left_alone() {
            mark(None)?;
        }
        Ok(())
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (size, changes) = text.split_once(" bytes, changed ")?;
        let (content, inode) = changes.split_once(", inode ")?;
        let (from, to) = inode.split_once(" to ")?;
        Some(LastChange {
            size: size.parse().ok()?,
            content: parse_time(content)?,
            inode: (parse_time(from)?, parse_time(to)?),
        })
    }

    /// Change since; `now` may lack what the file system or its server doesn't keep of a time.
    pub fn since(self, now: &Stat) -> Change {
        let written = time(now.st_mtime, now.st_mtime_nsec as i64);
        let changed = inode_time(now);
        let (from, to) = self.inode;
        let is_kept = |grain: &Time| written == floor(self.content, *grain);
        let is_within = |grain: &Time| {
            floor(changed, *grain) == changed && (floor(from, *grain)..=to).contains(&changed)
        };
        if self.size != size_of(now) || !GRAINS.iter().any(is_kept) {
            Change::Content
        } else if GRAINS.iter().any(is_within) {
            Change::None
        } else {
            Change::Inode
        }
    }
}

/// Has a mark written within a span, the shortest in which it holds, and waits until that is over. `write` says whether it
/// holds; `None` where the file takes none.
fn put_down_within_spans(
    file: &File,
    write: &mut dyn FnMut((Time, Time)) -> io::Result<Option<bool>>,
) -> io::Result<()> {
    for _ in 0..TICKS {
        let Some(span) = rest_of_tick(inode_time(&fstat(file)?)) else {
            break;
        };
        match write(span)? {
            Some(true) => {
                wait_for_end(span.1);
                return Ok(());
            }
            Some(false) => {}
            None => return Ok(()),
        }
    }
    for span in SPANS {
        let (before, began) = (inode_time(&fstat(file)?), Instant::now());
        if write((before, before + span))? != Some(false) {
            let second = if is_whole(before) { NS_PER_S } else { 0 };
            let over = Duration::from_nanos((span + TICK + second) as u64);
            std::thread::sleep(over.saturating_sub(began.elapsed()));
            break;
        }
    }
    Ok(())
}

/// Span of the times that changes of a file get from now on until the kernel's clock for files goes on, which is in a moment: this
/// waits for it; `None` where it misses that for too long. `earlier`: a time that the file system keeps, which shows whether it keeps whole seconds alone (ext4 with inodes of
/// 128 bytes).
fn rest_of_tick(earlier: Time) -> Option<(Time, Time)> {
    let tick = of_clock(clock_getres(ClockId::RealtimeCoarse)).max(1_000_000);
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let coarse = of_clock(clock_gettime(ClockId::RealtimeCoarse));
        let (from, end, to) = match is_whole(earlier) {
            true => {
                let second = floor(coarse, NS_PER_S);
                (second, second + NS_PER_S, second + NS_PER_S - 1)
            }
            // Some file systems keep milliseconds.
            false => (
                floor(coarse, 1_000_000),
                coarse + tick,
                coarse + tick - OVER,
            ),
        };
        let ahead = end - AT_THE_END - OVERSLEPT - now();
        if ahead > 0 {
            std::thread::sleep(Duration::from_nanos(ahead.min(NS_PER_S) as u64));
        }
        while now() < end - AT_THE_END && began.elapsed() < PATIENCE {
            std::hint::spin_loop();
        }
        if (end - AT_THE_END..end - OVER).contains(&now()) {
            return Some((from, to));
        }
        // It overslept, or the clock was set.
        std::thread::sleep(Duration::from_micros(100));
    }
    None
}

/// Waits until changes of files get later times than `end`, unless the clock is set back.
fn wait_for_end(end: Time) {
    let began = Instant::now();
    while of_clock(clock_gettime(ClockId::RealtimeCoarse)) <= end && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn now() -> Time {
    of_clock(clock_gettime(ClockId::Realtime))
}

fn of_clock(at: Timespec) -> Time {
    time(at.tv_sec, at.tv_nsec)
}

fn is_whole(at: Time) -> bool {
    at.rem_euclid(NS_PER_S) == 0
}

impl fmt::Display for LastChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |time: Time| {
            let (seconds, rest) = (time.div_euclid(NS_PER_S), time.rem_euclid(NS_PER_S));
            format!("{seconds}.{rest:09}")
        };
        let ([content, from, to], size) = (
            [self.content, self.inode.0, self.inode.1].map(text),
            self.size,
        );
        write!(f, "{size} bytes, changed {content}, inode {from} to {to}")
    }
}

fn size_of(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

fn inode_time(stat: &Stat) -> Time {
    time(stat.st_ctime, stat.st_ctime_nsec as i64)
}

fn time(seconds: i64, nanoseconds: i64) -> Time {
    Time::from(seconds) * NS_PER_S + Time::from(nanoseconds)
}

fn parse_time(text: &str) -> Option<Time> {
    let (seconds, nanoseconds) = text.split_once('.')?;
    Some(time(seconds.parse().ok()?, nanoseconds.parse().ok()?))
}

fn floor(time: Time, grain: Time) -> Time {
    time.div_euclid(grain) * grain
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::os::unix::fs::OpenOptionsExt;

    fn stat(size: i64, content: (i64, i64), inode: (i64, i64)) -> Stat {
        let mut stat = fstat(tempfile::tempfile().unwrap()).unwrap();
        stat.st_size = size;
        (stat.st_mtime, stat.st_mtime_nsec) = (content.0, content.1 as _);
        (stat.st_ctime, stat.st_ctime_nsec) = (inode.0, inode.1 as _);
        stat
    }

    fn left() -> LastChange {
        LastChange {
            size: 9,
            content: time(7, 123_456_789),
            inode: (time(8, 123_456_789), time(8, 143_456_789)),
        }
    }

    #[test]
    fn a_time_may_lose_what_a_file_system_does_not_keep() {
        assert_eq!(LastChange::parse(&left().to_string()), Some(left()));
        for kept in [123_456_789, 123_456_700, 123_456_000, 123_000_000, 0] {
            assert_eq!(
                left().since(&stat(9, (7, kept), (8, kept))),
                Change::None,
                "{kept}"
            );
        }
        for (seconds, nanoseconds) in [(7, 123_456_790), (7, 1), (8, 0), (6, 123_456_789)] {
            let now = stat(9, (seconds, nanoseconds), (8, 123_456_789));
            assert_eq!(
                left().since(&now),
                Change::Content,
                "{seconds}.{nanoseconds}"
            );
        }
        let shorter = stat(8, (7, 123_456_789), (8, 123_456_789));
        assert_eq!(left().since(&shorter), Change::Content);
    }

    #[test]
    fn a_change_of_the_inode_before_or_after_the_span_is_one() {
        for (at, change) in [
            ((8, 123_456_788), Change::Inode),
            ((8, 123_456_789), Change::None),
            ((8, 143_456_789), Change::None),
            ((8, 143_456_790), Change::Inode),
            ((8, 144_000_000), Change::Inode),
            ((7, 0), Change::Inode),
            ((9, 0), Change::Inode),
        ] {
            assert_eq!(
                left().since(&stat(9, (7, 123_456_789), at)),
                change,
                "{at:?}"
            );
        }
    }

    #[test]
    fn what_is_put_down_holds_and_nothing_later_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = File::create_new(&path).unwrap();
        let change_inode = || file.set_permissions(file.metadata().unwrap().permissions());
        let said = Cell::new(None);
        let mark = |left| {
            said.set(left);
            change_inode().map(|()| true)
        };
        LastChange::put_down(&file, &fstat(&file).unwrap(), || true, mark).unwrap();
        let left = said.get().unwrap();
        assert_eq!(left.since(&fstat(&file).unwrap()), Change::None);
        change_inode().unwrap();
        assert_eq!(left.since(&fstat(&file).unwrap()), Change::Inode);
    }

    #[test]
    fn who_wrote_is_asked_before_a_mark_is_put_down_and_again_after_it() {
        let file = tempfile::tempfile().unwrap();
        let steps = |answers: [bool; 2]| {
            let (steps, mut answers) = (RefCell::new(Vec::new()), answers.into_iter());
            let is_left_alone = || {
                steps.borrow_mut().push("asked");
                answers.next().unwrap()
            };
            let mark = |left: Option<LastChange>| {
                let done = left.map_or("taken back", |_| "marked");
                steps.borrow_mut().push(done);
                Ok(false)
            };
            LastChange::put_down(&file, &fstat(&file).unwrap(), is_left_alone, mark).unwrap();
            steps.into_inner()
        };
        assert_eq!(steps([true, true]), ["asked", "marked", "asked"]);
        assert_eq!(
            steps([true, false]),
            ["asked", "marked", "asked", "taken back"]
        );
        assert_eq!(steps([false, true]), ["asked"]);
    }

    #[test]
    fn nobody_opens_the_file_for_writing_from_the_last_question_on() {
        let made = tempfile::NamedTempFile::new().unwrap();
        let path = made.into_temp_path();
        let file = File::open(&path).unwrap();
        if Lease::take(&file).is_none() {
            plimsoll_skipped::skipped!("the temporary folder's file system knows no leases");
            return;
        }
        let open = || {
            let mut options = File::options();
            options.write(true);
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
            options.open(&path)
        };
        let (mut asked, mut opened) = (0, Vec::new());
        let is_left_alone = || {
            asked += 1;
            true
        };
        let mark = |_| {
            opened.push(open().is_ok());
            Ok(true)
        };
        LastChange::put_down(&file, &fstat(&file).unwrap(), is_left_alone, mark).unwrap();
        assert_eq!(asked, 3);
        assert!(!opened.is_empty() && !opened.contains(&true), "{opened:?}");
        open().unwrap();
    }
}
