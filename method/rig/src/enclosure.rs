//! The wall around a program that is started on a plan's targets: what it may write is what the plan's permits name.

use crate::allowed::{Access, Allowed};
use crate::plan_check::{allowed, missing};
use crate::scratch::Scratch;
use crate::uses::{Use, uses};
use crate::{RigError, RunOptions, marks};
use plimsoll_engine::OpenTarget;
use plimsoll_plan::Plan;
use plimsoll_sandbox::{CONTROLS, Strength, Wall, strength};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;

/// Wall around a foreign program, with the permits that it is built of; such a program is started by it.
#[derive(Debug)]
pub struct Enclosure {
    /// `None` where the user took it away.
    walled: Option<Walled>,
    /// Permits: the targets stay this process's own while the program runs.
    _held: Option<Access>,
}

#[derive(Debug)]
struct Walled {
    wall: Wall,
    /// Scratch folder with its temporary files, which goes with this.
    scratch: Scratch,
}

impl Enclosure {
    /// Wall for a program that has nothing to do with any target.
    pub fn without_targets(options: &RunOptions) -> Result<Enclosure, RigError> {
        Ok(Enclosure {
            walled: Walled::new()?.open_if_allowed(options)?,
            _held: None,
        })
    }

    /// Wall for a tool that does to the plan's targets what a run would do: they are judged as for one, held for as long as
    /// this lives, and marked with what is on them then. Where commands are allowed, it may run some.
    pub fn around_tool(plan: &Plan, options: &RunOptions) -> Result<Enclosure, RigError> {
        let mut walled = Walled::new()?;
        let (held, uses) = (allowed(plan, options)?, uses(plan));
        if let Some(access) = &held {
            open_targets(access, &uses, &mut walled.wall)?;
        }
        let walled = walled.open_if_allowed(options)?;
        // After all that may refuse: from here on the marks say that the targets are being written.
        if let Some(access) = &held {
            access.begin(&marks::hint(plan), &uses)?;
        }
        Ok(Enclosure {
            walled,
            _held: held,
        })
    }

    /// Wall for the commands of a definition, beside targets that a run has opened.
    pub(crate) fn around_commands(
        plan: &Plan,
        targets: &[Arc<OpenTarget>],
        options: &RunOptions,
    ) -> Result<Enclosure, RigError> {
        let mut walled = Walled::new()?;
        for (target, used) in targets.iter().zip(uses(plan)) {
            for member in target.opened.members() {
                let file = &member.file;
                let is_device = file
                    .metadata()
                    .is_ok_and(|m| m.file_type().is_block_device());
                // One path of a target has no permit, whatever its steps ask for.
                let writes = used.writes && member.hold.is_some();
                open_target(&mut walled.wall, file, is_device, writes)?;
            }
        }
        Ok(Enclosure {
            walled: walled.open_if_allowed(options)?,
            _held: None,
        })
    }

    /// Opens an output of the program, a file or a folder, which is there.
    pub fn may_write(&mut self, output: &Path) -> Result<(), RigError> {
        match &mut self.walled {
            Some(walled) => walled.wall.may_write_path(output).map_err(unbuilt),
            None => Ok(()),
        }
    }

    /// A folder for what the program needs while it runs; `None` where it has the user's.
    pub fn scratch(&self) -> Option<&Path> {
        self.walled.as_ref().map(|w| w.scratch.path())
    }

    /// Starts the program.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        match &self.walled {
            None => command.spawn(),
            Some(walled) => {
                command.env("TMPDIR", walled.scratch.path());
                walled.wall.spawn(command)
            }
        }
    }

    /// Limits that a program which failed may have met.
    pub(crate) fn bounds(&self) -> Option<&'static str> {
        let stands = self.walled.is_some() && strength() != Strength::None;
        stands.then_some(
            "it may write only to the targets, to $TMPDIR and to kernel controls, and to what --commands-may-write PATH names",
        )
    }
}

/// Opens the targets to another program as far as the plan uses them: to be written, or just asked. An error where a file
/// that the plan writes is not there.
fn open_targets(access: &Access, uses: &[Use], wall: &mut Wall) -> Result<(), RigError> {
    for (allowed, used) in access.targets.iter().zip(uses) {
        match allowed {
            // Nothing of a tree is opened to other programs.
            Allowed::Unused | Allowed::Export { .. } | Allowed::Tree { .. } | Allowed::Turn => {}
            Allowed::Reading(held) => {
                for held in held {
                    open_target(wall, held, held.is_device(), false)?;
                }
            }
            Allowed::Members { members, .. } => {
                for member in members {
                    let held = member.held()?;
                    open_target(wall, held, held.is_device(), used.writes)?;
                }
            }
        }
    }
    Ok(())
}

impl Walled {
    fn new() -> Result<Walled, RigError> {
        let scratch = Scratch::new().map_err(|source| RigError::Prepare {
            path: std::env::temp_dir().display().to_string(),
            source,
        })?;
        let mut wall = Wall::default();
        wall.may_write_path(scratch.path()).map_err(unbuilt)?;
        Ok(Walled { wall, scratch })
    }

    /// Opens the files that control the kernel where commands are allowed, and what the user opens to them. `None` where that is
    /// everything.
    fn open_if_allowed(mut self, options: &RunOptions) -> Result<Option<Walled>, RigError> {
        if !options.allow_commands {
            return Ok(Some(self));
        }
        for path in &options.commands_may_write {
            let found = path.canonicalize().map_err(|error| missing(path, &error))?;
            if found == Path::new("/") {
                return Ok(None);
            }
            let opened = self.wall.may_write_path(&found);
            opened.map_err(|error| missing(path, &error))?;
        }
        for path in CONTROLS {
            match self.wall.may_write_path(Path::new(path)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(unbuilt(error));
                }
                _ => {}
            }
        }
        Ok(Some(self))
    }
}

/// Opens a file or device as far as the plan uses it.
pub(crate) fn open_target(
    wall: &mut Wall,
    target: impl AsFd,
    is_device: bool,
    writes: bool,
) -> Result<(), RigError> {
    let opened = match (writes, is_device) {
        (true, _) => wall.may_write(target),
        (false, true) => wall.may_ask(target),
        (false, false) => Ok(()),
    };
    opened.map_err(unbuilt)
}

fn unbuilt(error: io::Error) -> RigError {
    RigError::Refused(format!(
        "the wall around other programs cannot be built: {error}"
    ))
}

/// Sentence on what this kernel lacks for walls around other programs; `None` where that is nothing.
pub fn doubt() -> Option<&'static str> {
    match strength() {
        Strength::Whole => None,
        Strength::Partial => Some(
            "this kernel guards what other programs open for writing, but not all that they can do to files and devices: Linux 6.10 \
             does",
        ),
        Strength::None => Some(
            "this kernel does not keep other programs from writing beside the targets: Landlock is missing, switched off or forbidden \
             here",
        ),
    }
}
