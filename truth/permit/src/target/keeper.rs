//! Keeper of a target's mark: while this process writes to the target, the mark says so; when the last permit or hold on it
//! is dropped, the mark gets the content that is there then.
//!
//! Several targets may be parts of one file or device, so all permits for it share one keeper. A process that is killed
//! leaves the mark as it was while it wrote, and the next look goes by the content alone. So does one beside which somebody else has
//! written.

use super::device::DeviceFacts;
use super::permit::Ground;
use super::{label, mark};
use crate::PathHandle;
use crate::path_handle::Identity;
use crate::removal;
use crate::writers::WriterWatch;
use plimsoll_witness::{Root, lease, lease::Lease, occupancy};
use rustix::fs::{OFlags, Stat};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The longest hint: a device's label has room for it.
const HINT_MAX: usize = 200;

const WRITTEN: &str = "another program had it open for writing meanwhile";
const UNTOLD: &str = "the kernel doesn't tell whether another program wrote to it meanwhile";
const RENAMED: &str = "it doesn't have that name any more";
const REPLACED: &str = "another file took its name: it lies beside that as .plimsoll-*.part.moved";

/// Keepers in use, by what they keep.
static KEEPERS: Mutex<Vec<(Identity, Weak<Keeper>)>> = Mutex::new(Vec::new());

/// The mark of one file or device that this process may write to.
#[derive(Debug)]
pub(super) struct Keeper {
    held: PathHandle,
    device: Option<DeviceFacts>,
    state: Mutex<State>,
    ending: Ending,
}

/// End of the hold on a target: what is known then of other writers.
#[derive(Debug, Clone, Default)]
pub struct Ending(Arc<Mutex<Option<&'static str>>>);

impl Ending {
    /// Why not all that is on it counts as the run's own; `None` where it does, or the hold hasn't ended.
    pub fn doubt(&self) -> Option<&'static str> {
        *lock(&self.0)
    }

    /// True where both are of one file or device.
    pub fn is_same(&self, other: &Ending) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Debug)]
struct State {
    /// The hint by which the content can be recognised.
    hint: String,
    /// True where the mark says that it is being written.
    is_begun: bool,
    /// Other writers since before it was looked at.
    others: WriterWatch,
    /// True where a closed descriptor of the run's own is not told from those of others: another program is to write to it, or this
    /// process has given its own up.
    is_own_untold: bool,
}

impl Keeper {
    /// The one keeper of what is held.
    pub(super) fn of(held: &PathHandle, device: Option<&DeviceFacts>) -> io::Result<Arc<Self>> {
        let mut keepers = lock(&KEEPERS);
        keepers.retain(|(_, keeper)| keeper.strong_count() > 0);
        let same = keepers.iter().find(|(of, _)| *of == held.identity());
        if let Some(keeper) = same.and_then(|(_, keeper)| keeper.upgrade()) {
            return Ok(keeper);
        }
        let keeper = Arc::new(Keeper {
            held: held.try_clone()?,
            device: device.cloned(),
            state: Mutex::new(State {
                hint: String::new(),
                is_begun: false,
                others: WriterWatch::begin(held),
                is_own_untold: false,
            }),
            ending: Ending::default(),
        });
        keepers.push((held.identity(), Arc::downgrade(&keeper)));
        Ok(keeper)
    }

    /// Notes a descriptor by which this process may write: it is none of somebody else's.
    pub(super) fn share(&self, own: &File) -> io::Result<()> {
        lock(&self.state).others.share(own)
    }

    /// True where somebody is known to have written to it since this began.
    pub(super) fn has_seen_a_writer(&self) -> bool {
        lock(&self.state).others.has_seen_one() == Some(true)
    }

    /// Says that another program is to write to it.
    pub(super) fn lend(&self) {
        lock(&self.state).is_own_untold = true;
    }

    /// Marks it as being written where nothing but Plimsoll's data will be lost, and remembers the hint. Where `--destroy` named
    /// it, somebody else's data may stay between the writes, so there a mark is taken away.
    pub(super) fn begin_on(&self, ground: Ground, hint: &str) -> io::Result<()> {
        {
            let mut state = lock(&self.state);
            state.hint = match ground {
                // What earlier runs wrote may stay between the writes.
                Ground::Made => joined(hint, &self.said()?),
                _ => hint.to_string(),
            };
            // A device's last writer is not waited for, and the kernel may close its descriptor some time after it has ended.
            if self.device.is_some() && !state.is_begun {
                state.others.forget();
            }
        }
        match ground {
            Ground::New | Ground::NoData | Ground::Made | Ground::Blank => self.begin(0),
            Ground::Named => match &self.device {
                None => mark::void(&self.held.reopen(OFlags::RDONLY)?),
                Some(device) => {
                    let file = self.writable(&mut lock(&self.state))?;
                    label::void(&self.held, &file, device)
                }
            },
        }
    }

    /// Marks it as being written. On a device, what lies between the label and byte `spare` is filled with something that is
    /// not zeros.
    pub(super) fn begin(&self, spare: u64) -> io::Result<()> {
        let mut state = lock(&self.state);
        match &self.device {
            // Where the file system keeps no marks the next run asks for --destroy; that's no reason not to run now.
            None => mark::begin(&self.held.reopen(OFlags::RDONLY)?, &state.hint).map(drop)?,
            Some(device) => {
                let file = self.writable(&mut state)?;
                label::begin(&file, device, &state.hint, spare)?;
            }
        }
        state.is_begun = true;
        Ok(())
    }

    /// Marks a file anew that is as the last run left it, but for its inode, so that the next look need not read all of it.
    pub(super) fn renew(&self) -> io::Result<()> {
        let file = self.held.open_to_read()?;
        let is_left_alone = || lock(&self.state).others.has_seen_one() == Some(false);
        match mark::of(&file) {
            Some(mark) if mark.is_stale(&file)? && is_left_alone() => {
                mark.renew(&file, is_left_alone)
            }
            _ => Ok(()),
        }
    }

    /// The hint that its mark has now.
    fn said(&self) -> io::Result<String> {
        Ok(match &self.device {
            None => mark::of(&self.held.open_to_read()?)
                .map_or_else(String::new, |mark| mark.hint().to_string()),
            Some(device) => label::of(&self.held, device)?
                .map_or_else(String::new, |content| content.hint().to_string()),
        })
    }

    /// The file or device, open for writing a label or making it longer.
    pub(super) fn open(&self) -> io::Result<File> {
        self.writable(&mut lock(&self.state))
    }

    fn writable(&self, state: &mut State) -> io::Result<File> {
        let file = self.held.reopen(OFlags::RDWR)?;
        state.others.share(&file)?;
        Ok(file)
    }

    /// Removes a file that this process has closed and that nobody else has written to, by its name in a folder; returns why it stays.
    /// Until it is gone, whoever opens it for writing waits.
    pub(super) fn remove(&self, folder: &OwnedFd, name: &OsStr) -> Option<&'static str> {
        let mut state = lock(&self.state);
        if let Some(others) = self.others(&mut state) {
            return Some(others);
        }
        let Ok(file) = self.held.open_to_read() else {
            return Some(UNTOLD);
        };
        let lease = Lease::take(&file);
        // Who opened it since is what keeps a lease from being granted.
        if lease.is_none() && lease::has_writer(&file) == Some(true) {
            return Some(WRITTEN);
        }
        let has_a_writer = || {
            // Of who came and went before the lease, inotify tells.
            (state.others.has_seen_one() == Some(true) && !state.is_own_untold)
                || lease.as_ref().is_some_and(Lease::is_in_the_way)
        };
        let is_own = |there: &Stat| {
            let (dev, inode) = (there.st_dev, there.st_ino);
            Identity::File { dev, inode } == self.held.identity()
        };
        let stays = match removal::remove(folder, name, is_own, || !has_a_writer()) {
            Ok(true) => None,
            Ok(false) if has_a_writer() => Some(WRITTEN),
            Ok(false) => Some(RENAMED),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Some(REPLACED),
            Err(_) => Some("its folder doesn't let it go"),
        };
        state.is_begun &= stays.is_some();
        stays
    }

    /// What will be known of other writers when this is dropped.
    pub(super) fn ending(&self) -> Ending {
        self.ending.clone()
    }

    /// Gives the mark the content that is there, unless somebody else has written to it meanwhile or may do so yet: then it stays that
    /// of a run that was cut off.
    fn end(&self, state: &mut State) -> io::Result<()> {
        let hint = state.hint.clone();
        let own = match self.device {
            None => None,
            Some(_) => Some(self.writable(state)?),
        };
        let is_left_alone = || {
            let others = self.others(state);
            *lock(&self.ending.0) = others;
            others.is_none()
        };
        match (&self.device, own) {
            (Some(device), Some(own)) => label::end(&self.held, &own, device, &hint, is_left_alone),
            _ => mark::end(&self.held, &hint, is_left_alone),
        }
    }

    /// What others did while this process wrote to it, or may do yet; `None` where it was left alone.
    fn others(&self, state: &mut State) -> Option<&'static str> {
        let root = Root::system();
        let Ok(file) = self.held.open_to_read() else {
            return Some(UNTOLD);
        };
        let uses = match &self.device {
            None => occupancy::visible_uses_of_file(&root, &file, self.held.resolved()),
            Some(device) => device.uses(&root),
        };
        if !uses.is_empty() {
            return Some(WRITTEN);
        }
        // Asked after the uses: who closes it in between is in the queue.
        match state.others.has_seen_one() {
            Some(false) => {}
            _ if state.is_own_untold => {}
            Some(true) => return Some(WRITTEN),
            None => return Some(UNTOLD),
        }
        if self.device.is_some() {
            return None;
        }
        // The kernel counts this process's own descriptors, too. Where it says that they are closed, it has told of that as well.
        state.others.release();
        match lease::has_writer(&file) {
            Some(true) => return Some(WRITTEN),
            Some(false) => state.others.forget(),
            None => state.is_own_untold = true,
        }
        None
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let keepers = lock(&KEEPERS);
        let is_of_another = |(of, keeper): &(Identity, Weak<Keeper>)| {
            *of == self.held.identity() && keeper.strong_count() > 0
        };
        let mut state = lock(&self.state);
        if state.is_begun && !keepers.iter().any(is_of_another) {
            // Without it the mark stays one of a run that was cut off, and the next look goes by the content.
            let _ = self.end(&mut state);
        }
    }
}

/// The words of both hints, as far as a mark has room for them.
fn joined(hint: &str, earlier: &str) -> String {
    let mut all = hint.to_string();
    for word in earlier.split_whitespace() {
        let is_there = all.split_whitespace().any(|one| one == word);
        if !is_there && all.len() + 1 + word.len() <= HINT_MAX {
            if !all.is_empty() {
                all.push(' ');
            }
            all.push_str(word);
        }
    }
    all
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
