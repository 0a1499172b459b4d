//! Writers of a file or device beside this process, while it writes there itself.
//!
//! Whoever closes what it had open for writing is told by the kernel (inotify), whatever was written and where; who has it open yet is
//! seen by its descriptors. The kernel does not say whose descriptor was closed, so this process keeps a share of each of its own
//! until the watch ends.

use rustix::fs::inotify::{
    CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch,
};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The one queue of this process: a user may have few.
static QUEUE: Mutex<Option<Queue>> = Mutex::new(None);

#[derive(Debug)]
struct Queue {
    inotify: OwnedFd,
    watched: HashMap<i32, Watched>,
}

/// One file or device.
#[derive(Debug, Default)]
struct Watched {
    watches: usize,
    /// True where somebody has closed what it had open for writing.
    is_written: bool,
}

/// Watch for other writers of one file or device.
#[derive(Debug)]
pub(crate) struct WriterWatch {
    /// `None` where the kernel grants none.
    number: Option<i32>,
    /// Shares of this process's own descriptors.
    own: Vec<File>,
}

impl WriterWatch {
    /// Watch that begins now.
    pub(crate) fn begin(held: impl AsFd) -> Self {
        WriterWatch {
            number: watch(held).ok(),
            own: Vec::new(),
        }
    }

    /// Shares a descriptor by which this process may write.
    pub(crate) fn share(&mut self, own: &File) -> io::Result<()> {
        self.own.push(own.try_clone()?);
        Ok(())
    }

    /// Gives up this process's descriptors. What is closed from now on may be one of its own.
    pub(crate) fn release(&mut self) {
        self.own.clear();
    }

    /// Whether somebody else had it open for writing and has closed it since the watch began; `None` where the kernel doesn't tell.
    pub(crate) fn has_seen_one(&self) -> Option<bool> {
        self.look(|watched| watched.is_written)
    }

    /// Forgets whom it has seen so far.
    pub(crate) fn forget(&self) {
        self.look(|watched| watched.is_written = false);
    }

    fn look<T>(&self, look: impl FnOnce(&mut Watched) -> T) -> Option<T> {
        let mut queue = queue();
        let queue = queue.as_mut()?;
        queue.read().ok()?;
        queue.watched.get_mut(&self.number?).map(look)
    }
}

impl Drop for WriterWatch {
    fn drop(&mut self) {
        let (Some(number), Some(queue)) = (self.number, &mut *queue()) else {
            return;
        };
        if let Some(watched) = queue.watched.get_mut(&number) {
            watched.watches -= 1;
            if watched.watches == 0 {
                queue.watched.remove(&number);
                // Where what it watched is gone, so is the watch.
                let _ = remove_watch(&queue.inotify, number);
            }
        }
    }
}

fn queue() -> MutexGuard<'static, Option<Queue>> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch(held: impl AsFd) -> io::Result<i32> {
    let mut queue = queue();
    let queue = match &mut *queue {
        Some(queue) => queue,
        none => none.insert(Queue {
            inotify: init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            watched: HashMap::new(),
        }),
    };
    // That very file, whatever its name leads to.
    let path = format!("/proc/self/fd/{}", held.as_fd().as_raw_fd());
    let number = add_watch(&queue.inotify, path, WatchFlags::CLOSE_WRITE)?;
    queue.watched.entry(number).or_default().watches += 1;
    Ok(number)
}

impl Queue {
    /// Takes in what the kernel has to tell.
    fn read(&mut self) -> io::Result<()> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.inotify, &mut buffer);
        loop {
            match events.next() {
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => {
                    for watched in self.watched.values_mut() {
                        watched.is_written = true;
                    }
                }
                Ok(event) if event.events().contains(ReadFlags::CLOSE_WRITE) => {
                    if let Some(watched) = self.watched.get_mut(&event.wd()) {
                        watched.is_written = true;
                    }
                }
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn write(path: &Path) -> File {
        File::options().write(true).open(path).unwrap()
    }

    fn watched() -> (tempfile::TempDir, std::path::PathBuf, WriterWatch) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "x").unwrap();
        let watch = WriterWatch::begin(File::open(&path).unwrap());
        (folder, path, watch)
    }

    #[test]
    fn who_closes_what_was_open_for_writing_is_seen_by_whatever_name_and_a_reader_is_not() {
        let (folder, path, watch) = watched();
        drop(File::open(&path).unwrap());
        std::fs::write(folder.path().join("other"), "x").unwrap();
        assert_eq!(watch.has_seen_one(), Some(false));
        let hard = folder.path().join("hard");
        std::fs::hard_link(&path, &hard).unwrap();
        drop(write(&hard));
        assert_eq!(watch.has_seen_one(), Some(true));
        watch.forget();
        assert_eq!(watch.has_seen_one(), Some(false));
        drop(write(&path));
        assert_eq!(watch.has_seen_one(), Some(true));
    }

    #[test]
    fn a_descriptor_that_is_shared_is_no_other_writer() {
        let (_folder, path, mut watch) = watched();
        let own = write(&path);
        watch.share(&own).unwrap();
        drop(own);
        assert_eq!(watch.has_seen_one(), Some(false));
    }

    #[test]
    fn each_watch_has_its_own_and_a_later_one_begins_anew() {
        let (_folder, path, watch) = watched();
        let (_other_folder, _, other) = watched();
        drop(write(&path));
        assert_eq!(watch.has_seen_one(), Some(true));
        assert_eq!(other.has_seen_one(), Some(false));
        drop(watch);
        let again = WriterWatch::begin(File::open(&path).unwrap());
        assert_eq!(again.has_seen_one(), Some(false));
    }
}
