//! A file that is being written, and has no name of its own yet.

use super::error::OutputError;
use super::found::{Found, stat_within};
use super::judge::{OutputPermit, check_unused};
use super::mark;
use super::place::OutputPlace;
use super::swap::{self, Judged, Swapped};
use super::temporary;
use plimsoll_witness::content::Digest;
use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid, fchmod, fchown, fstat, fsync, openat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

/// What is new under a name; until it is committed the name has what it had. Dropped, nothing is left of it.
#[derive(Debug)]
pub struct OutputFile {
    place: OutputPlace,
    file: Option<File>,
    temporary: OsString,
    /// Bytes written so far, and their digest.
    size: u64,
    digest: Digest,
    /// Whether what it replaces must be as Plimsoll wrote it.
    replaces_ours: bool,
}

impl OutputPermit {
    /// Opens the file for its content, from the first byte on.
    pub fn open(self) -> Result<OutputFile, OutputError> {
        // What replaces a file that others may not read may not be read by them either, at no time.
        let mode = match &self.place.there {
            None => 0o666,
            Some(_) => 0o600,
        };
        let output = self.begin(mode)?;
        if let (Some(file), Some(judged)) = (&output.file, &output.place.there) {
            take_after(file, judged).map_err(|e| OutputError::system(&output.place.path, e))?;
        }
        Ok(output)
    }

    /// Opens the file for what nobody but its owner may read, whatever it replaces.
    pub fn open_private(self) -> Result<OutputFile, OutputError> {
        self.begin(0o600)
    }

    fn begin(self, mode: u32) -> Result<OutputFile, OutputError> {
        let place = self.place;
        let failed = |e: Errno| OutputError::system(&place.path, e);
        let (temporary, file) = create(&place, Mode::from_raw_mode(mode)).map_err(failed)?;
        Ok(OutputFile {
            place,
            file: Some(file),
            temporary,
            size: 0,
            digest: Digest::default(),
            replaces_ours: self.is_ours,
        })
    }

    /// Opens the file, writes all of its content and commits it.
    pub fn write(self, content: &[u8]) -> Result<(), OutputError> {
        let path = self.place.path.clone();
        let mut file = self.open()?;
        file.write_all(content)
            .map_err(|e| OutputError::system(&path, e))?;
        file.commit()
    }
}

impl OutputFile {
    /// Puts the content on the medium, marks it as Plimsoll's, and gives it its name.
    pub fn commit(mut self) -> Result<(), OutputError> {
        let done = self.finish();
        done.map_err(|e| OutputError::system(&self.place.path, e))?;
        let folder = self.place.folder.try_clone();
        self.publish()?;
        // The name too, where the folder can be synced; the file is whole in any case.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if let Ok(folder) = folder
            && let Ok(folder) = openat(folder, ".", flags, Mode::empty())
        {
            let _ = fsync(folder);
        }
        Ok(())
    }

    /// Gives the file its name as it is, unmarked; it stays open.
    pub fn publish(mut self) -> Result<File, OutputError> {
        let failed = |e: io::Error| OutputError::system(&self.place.path, e);
        let (folder, name) = (&self.place.folder, &self.place.name);
        let swapped = match &self.place.there {
            None => swap::give(folder, &self.temporary, name).map_err(failed)?,
            Some(judged) => {
                check_unused(&self.place)?;
                let judged = Judged {
                    file: judged,
                    is_ours: self.replaces_ours,
                };
                swap::replace(folder, &self.temporary, name, &judged).map_err(failed)?
            }
        };
        if swapped == Swapped::Other {
            return Err(OutputError::refused(
                &self.place.path,
                "it was made or changed by somebody else meanwhile",
                "name another file",
            ));
        }
        self.file
            .take()
            .ok_or_else(|| OutputError::system(&self.place.path, Errno::BADF))
    }

    /// Where the content is until it has its name.
    pub fn temporary_path(&self) -> PathBuf {
        self.place.real_folder.join(&self.temporary)
    }

    fn finish(&mut self) -> io::Result<()> {
        let file = self.file.as_ref().ok_or(Errno::BADF)?;
        file.sync_all()?;
        mark::set_written(file, self.size, &self.digest);
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.as_ref().ok_or(Errno::BADF)?.write(bytes)?;
        self.digest.write_all(&bytes[..written])?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        // Published, or its name was taken over by something else: then it's not ours to remove.
        let Some(file) = &self.file else { return };
        let (folder, name) = (&self.place.folder, &self.temporary);
        let is_it = |(ours, there): (rustix::fs::Stat, rustix::fs::Stat)| {
            (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)
        };
        if fstat(file)
            .and_then(|ours| Ok((ours, stat_within(folder, name)?)))
            .is_ok_and(is_it)
        {
            let _ = unlinkat(folder, name, AtFlags::empty());
        }
    }
}

/// A new file with a name that nobody has, in the folder of the place.
fn create(place: &OutputPlace, mode: Mode) -> rustix::io::Result<(OsString, File)> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    loop {
        let name = temporary::name();
        match openat(&place.folder, &name, flags, mode) {
            Err(Errno::EXIST) => {}
            other => return other.map(|fd| (name, fd.into())),
        }
    }
}

/// Gives a new file the owner and the mode of the one that it will replace.
fn take_after(file: &File, old: &Found) -> rustix::io::Result<()> {
    let (new, old) = (fstat(file)?, old.stat());
    if new.st_uid != old.st_uid {
        // Only root may; else it belongs to whoever wrote it, as any new file does.
        let _ = fchown(file, Some(Uid::from_raw(old.st_uid)), None);
    }
    if new.st_gid != old.st_gid {
        let _ = fchown(file, None, Some(Gid::from_raw(old.st_gid)));
    }
    // What was for the old group is not for another one.
    let is_same_group = fstat(file)?.st_gid == old.st_gid;
    let bits = old.st_mode & if is_same_group { 0o777 } else { 0o707 };
    fchmod(file, Mode::from_raw_mode(bits))
}
