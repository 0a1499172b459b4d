//! Keeper of a target's mark: while this process writes to the target, the mark says so; when the last permit or hold on it
//! is dropped, the mark gets the content that is there then.
//!
//! Several targets may be parts of one file or device, so all permits for it share one keeper. A process that is killed
//! leaves the mark as it was while it wrote, and the next look goes by the content alone.

use super::device::DeviceFacts;
use super::permit::Ground;
use super::{label, mark};
use crate::PathHandle;
use crate::path_handle::Identity;
use rustix::fs::OFlags;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Keepers in use, by what they keep.
static KEEPERS: Mutex<Vec<(Identity, Weak<Keeper>)>> = Mutex::new(Vec::new());

/// The mark of one file or device that this process may write to.
#[derive(Debug)]
pub(super) struct Keeper {
    held: PathHandle,
    device: Option<DeviceFacts>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The hint by which the content can be recognised.
    hint: String,
    /// True where the mark says that it is being written.
    is_begun: bool,
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
            state: Mutex::default(),
        });
        keepers.push((held.identity(), Arc::downgrade(&keeper)));
        Ok(keeper)
    }

    /// Marks it as being written where nothing but Plimsoll's data will be lost, and remembers the hint. Where `--destroy` named
    /// it, somebody else's data may stay between the writes, so there a mark is taken away.
    pub(super) fn begin_on(&self, ground: Ground, hint: &str) -> io::Result<()> {
        lock(&self.state).hint = hint.to_string();
        match ground {
            Ground::New | Ground::NoData | Ground::Made | Ground::Blank => self.begin(0),
            Ground::Named => match &self.device {
                None => mark::void(&self.held.reopen(OFlags::RDONLY)?),
                Some(device) => label::void(&self.held, device),
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
            Some(device) => label::begin(&self.held, device, &state.hint, spare)?,
        }
        state.is_begun = true;
        Ok(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let keepers = lock(&KEEPERS);
        let is_begun = lock(&self.state).is_begun;
        let is_of_another = |(of, keeper): &(Identity, Weak<Keeper>)| {
            *of == self.held.identity() && keeper.strong_count() > 0
        };
        if !is_begun || keepers.iter().any(is_of_another) {
            return;
        }
        // Without it the mark stays one of a run that was cut off, and the next look goes by the content.
        let _ = match &self.device {
            None => mark::end(&self.held),
            Some(device) => label::end(&self.held, device),
        };
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
