//! What a program left beside a place that died before its file was whole.

use super::found::Found;
use super::judge::OutputPermit;
use super::temporary;
use rustix::fs::{Dir, FileType, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::process::{Pid, geteuid, test_kill_process};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

impl OutputPermit {
    /// Files beside the place under names as unfinished files have them, of programs that run no more: the user's own, and
    /// what SQLite kept beside one. Where another host or container shares the folder, one of them may be of a program
    /// that runs there; without its file that one refuses to go on, and what has a name is as it was.
    pub fn leftovers(&self) -> io::Result<Vec<Found>> {
        let mut all = Vec::new();
        // The held folder can't be read through its own descriptor (O_PATH).
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(&self.place.folder, ".", flags, Mode::empty())?;
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if !temporary::maker(name).is_some_and(is_dead) {
                continue;
            }
            let found = Found::within(&self.place.folder, name)?;
            let own = |f: &Found| {
                f.file_type() == FileType::RegularFile && f.stat().st_uid == geteuid().as_raw()
            };
            all.extend(found.filter(own));
        }
        Ok(all)
    }
}

fn is_dead(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}
