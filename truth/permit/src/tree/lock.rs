//! Locks of a root: one run changes it, or several hosts of one run do, or any number read it.

use super::{MARK_MAX, TreeRoot};
use rustix::fs::{FlockOperation, XattrFlags, fgetxattr, flock, fremovexattr, fsetxattr};
use rustix::io::Errno;
use std::time::Duration;

/// Name of the attribute that says which run of several hosts holds the root.
pub(super) const RUN: &str = "user.plimsoll.tree.run";

/// Times that a host tries to join its run on a root, and the time between two.
const JOIN_TRIES: u32 = 50;
const JOIN_PAUSE: Duration = Duration::from_millis(10);

/// Words and remedy of a root that somebody else has.
pub const HELD: (&str, &str) = (
    "another run works on this tree, or another program has it locked",
    "wait for its end, or name another directory; where hosts of one run share it, say shared = true of the target",
);

/// Way in which a run holds a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeLock<'r> {
    /// Alone: it changes what is below.
    Alone,
    /// With others who change nothing.
    Reading,
    /// With the other hosts of a run, by its name.
    Together(&'r str),
    /// With them, or with others who change nothing.
    ReadingTogether(&'r str),
}

impl TreeRoot {
    /// Locks the root until this is dropped; false where somebody has it. File systems without locks keep nobody away.
    pub fn lock(&self, lock: TreeLock<'_>) -> bool {
        let is_had = |how| flock(&self.folder, how) != Err(Errno::WOULDBLOCK);
        let alone = FlockOperation::NonBlockingLockExclusive;
        let shared = FlockOperation::NonBlockingLockShared;
        match lock {
            TreeLock::Alone => is_had(alone),
            TreeLock::Reading => self.tries(|| {
                // Who has it alone finds what a run that is over has left.
                if is_had(alone) {
                    let _ = fremovexattr(&self.folder, RUN);
                    return is_had(shared);
                }
                is_had(shared) && self.run().is_none()
            }),
            // The first host has it alone for a moment and writes down whose it is; the others read that.
            TreeLock::Together(run) | TreeLock::ReadingTogether(run) => self.tries(|| {
                if is_had(alone) {
                    let _ = fsetxattr(&self.folder, RUN, run.as_bytes(), XattrFlags::empty());
                    return is_had(shared);
                }
                // A reader may have been the first where nothing can be written down: on a file system that is mounted to be read.
                let reads = matches!(lock, TreeLock::ReadingTogether(_));
                is_had(shared) && self.run().map_or(reads, |own| own == run.as_bytes())
            }),
        }
    }

    /// True where one of several tries of a lock has it: another process has it alone for the moment of its own.
    fn tries(&self, mut lock: impl FnMut() -> bool) -> bool {
        (0..JOIN_TRIES).any(|at| {
            if at > 0 {
                std::thread::sleep(JOIN_PAUSE);
            }
            let has_it = lock();
            if !has_it {
                // What was had and is somebody else's all the same is given back.
                let _ = flock(&self.folder, FlockOperation::NonBlockingUnlock);
            }
            has_it
        })
    }

    /// Run of several hosts that the root is marked as having.
    pub(super) fn run(&self) -> Option<Vec<u8>> {
        let mut buffer = [0u8; MARK_MAX];
        let length = fgetxattr(&self.folder, RUN, &mut buffer[..]).ok()?;
        buffer.get(..length).map(<[u8]>::to_vec)
    }
}
