//! The wall: rights to write, and what they are granted on.

mod strength;

pub use strength::{Strength, strength};

use crate::calls;
use crate::devices::HARMLESS;
use landlock::{
    ABI, AccessFs, BitFlags, PathBeneath, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus,
};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;

/// Newest version of Landlock whose rights were considered here: a later one may have more.
const KNOWN: ABI = ABI::V5;

/// Wall around programs: they may write nothing until something is opened to them.
#[derive(Debug, Default)]
pub struct Wall {
    openings: Vec<(OwnedFd, BitFlags<AccessFs>)>,
}

impl Wall {
    /// Opens a file or device, or all that is below a folder: the one that the descriptor leads to, whatever its name
    /// leads to later. Device nodes cannot be made there.
    pub fn may_write(&mut self, what: impl AsFd) -> io::Result<()> {
        let file = File::from(held(what)?);
        let rights = match file.metadata()?.is_dir() {
            true => writing() & !nodes(),
            false => writing() & AccessFs::from_file(KNOWN),
        };
        self.openings.push((file.into(), rights));
        Ok(())
    }

    /// Allows writing to whatever lies at a path now, as [`Self::may_write`] does for a file.
    pub fn may_write_path(&mut self, path: &Path) -> io::Result<()> {
        self.may_write(look_up(path)?)
    }

    /// Lets a device be asked what it is, its size for instance, without letting it be written.
    pub fn may_ask(&mut self, device: impl AsFd) -> io::Result<()> {
        let rights = AccessFs::IoctlDev.into();
        self.openings.push((held(device)?, rights));
        Ok(())
    }

    /// Starts a program behind the wall, which cannot gain rights by a set-user-ID bit either. Where the kernel has no wall,
    /// it is started as it is; see [`strength`].
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        if strength() == Strength::None {
            return command.spawn();
        }
        in_a_thread(|| {
            self.shut().map_err(io::Error::other)?;
            calls::forbid()?;
            command.spawn()
        })
    }

    /// Strength of the wall that this kernel builds.
    pub(crate) fn try_out(&self) -> io::Result<Strength> {
        in_a_thread(|| {
            let built = self.shut().map_err(io::Error::other)?;
            Ok(match built.ruleset {
                RulesetStatus::FullyEnforced => Strength::Whole,
                RulesetStatus::PartiallyEnforced => Strength::Partial,
                RulesetStatus::NotEnforced => Strength::None,
            })
        })
    }

    /// Shuts the calling thread in, for as long as it lives.
    fn shut(&self) -> Result<RestrictionStatus, RulesetError> {
        let mut rules = Ruleset::default().handle_access(writing())?.create()?;
        for (what, rights) in &self.openings {
            rules = rules.add_rule(PathBeneath::new(what, *rights))?;
        }
        for path in HARMLESS {
            let Ok(device) = look_up(Path::new(path)) else {
                continue;
            };
            let rights = AccessFs::WriteFile | AccessFs::Truncate;
            rules = rules.add_rule(PathBeneath::new(device, rights))?;
        }
        rules.restrict_self()
    }
}

/// All rights that change something. Commands to devices are among them: a SCSI command writes through a descriptor that
/// was opened for reading, where the program is root's.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_write(KNOWN)
}

/// Making a device's node is opened to nobody: below a folder that may be written, it would open any device.
fn nodes() -> BitFlags<AccessFs> {
    AccessFs::MakeBlock | AccessFs::MakeChar
}

/// Duplicate of a descriptor that neither reads nor writes: a target that the wall knows isn't open for writing by it.
fn held(what: impl AsFd) -> io::Result<OwnedFd> {
    look_up(&Path::new("/proc/self/fd").join(what.as_fd().as_raw_fd().to_string()))
}

fn look_up(path: &Path) -> io::Result<OwnedFd> {
    let found = landlock::PathFd::new(path).map_err(|error| match error {
        landlock::PathFdError::OpenCall { source, .. } => source,
        error => io::Error::other(error),
    })?;
    found.as_fd().try_clone_to_owned()
}

/// Thread of its own for what binds a thread for good.
fn in_a_thread<T: Send>(act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let started = thread::Builder::new()
            .name("wall".into())
            .spawn_scoped(scope, act)?;
        let ended = started.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("the thread that starts it panicked")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_holds_nothing_open_for_writing() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut wall = Wall::default();
        wall.may_write(file.as_file()).expect("opened");
        wall.may_ask(file.as_file()).expect("opened");
        wall.may_write_path(file.path()).expect("opened");
        for (held, _) in &wall.openings {
            let fdinfo = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", held.as_raw_fd()));
            let fdinfo = fdinfo.expect("its flags");
            let flags = fdinfo.lines().find_map(|line| line.strip_prefix("flags:"));
            let flags = u32::from_str_radix(flags.expect("flags").trim(), 8).expect("octal");
            assert_eq!(flags & libc::O_PATH as u32, libc::O_PATH as u32);
        }
        assert_eq!(wall.openings.len(), 3);
    }
}
