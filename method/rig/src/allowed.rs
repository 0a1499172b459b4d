//! What is allowed of each target, and what is made and opened by it.

use crate::RigError;
use crate::uses::Use;
use plimsoll_engine::Permits;
use plimsoll_engine::tree::FoundTree;
use plimsoll_permit::target::{Created, Extended, FoundPath, NewFile, WritePermit};
use plimsoll_permit::{PathHandle, Refusal};
use plimsoll_plan::{Bytes, Making, TargetId};
use std::path::PathBuf;

/// Permits that were given, before anything was changed.
#[derive(Debug)]
pub(crate) struct Access {
    pub targets: Vec<Allowed>,
}

/// Use that a target may be put to.
#[derive(Debug)]
pub(crate) enum Allowed {
    /// No use by any step.
    Unused,
    /// For reading only: those of its files and devices that are there.
    Reading(Vec<PathHandle>),
    /// For writing: each of its files and devices.
    Members { members: Vec<Member>, fill: bool },
    /// For writing: an export.
    Export { permit: Permits, fill: bool },
    /// A tree, and what is to be made of it first.
    Tree {
        found: Box<FoundTree>,
        making: Option<Making>,
        /// Sentence that its results have to be read with.
        said: Option<String>,
    },
    /// A tree in a root that another one has, and that both use by turns.
    Turn,
}

#[derive(Debug)]
pub(crate) enum Member {
    /// A file or device that is there, and how long it is to become.
    There {
        permit: Box<WritePermit>,
        extend_to: Option<u64>,
    },
    /// A file that is yet to be made, and its size.
    New { new: NewFile, size: u64 },
}

impl Member {
    pub fn held(&self) -> Result<&PathHandle, RigError> {
        match self {
            Member::There { permit, .. } => Ok(permit.held()),
            Member::New { new, .. } => Err(refused(Refusal {
                path: new.path().to_path_buf(),
                why: "it was there when this began, and now it is not".to_string(),
                remedy: "find out who removed it, and begin again".to_string(),
            })),
        }
    }
}

/// Preparations: permits to open each target with, and what undoes them.
#[derive(Debug)]
pub(crate) struct Ready {
    /// One for each target.
    pub permits: Vec<Permits>,
    /// The targets to be filled before anything is measured.
    pub to_fill: Vec<TargetId>,
    /// The trees to be made before anything is measured.
    pub to_make: Vec<(TargetId, Making)>,
    /// Sentences that the results have to be read with.
    pub said: Vec<String>,
    /// Files that were made; they go again unless they are kept.
    pub created: Vec<Created>,
    /// Files that were made longer; they become as they were unless they are kept.
    pub extended: Vec<Extended>,
}

impl Allowed {
    pub fn reading(places: impl IntoIterator<Item = FoundPath>) -> Allowed {
        let held = places.into_iter().filter_map(|place| match place {
            FoundPath::There(held) => Some(held),
            FoundPath::Missing(_) => None,
        });
        Allowed::Reading(held.collect())
    }
}

impl Access {
    /// Marks what is there and will be written by another program, as far as the plan writes to it: what it only reads stays as it is.
    pub fn begin(&self, hint: &str, uses: &[Use]) -> Result<(), RigError> {
        let members = (self.targets.iter().zip(uses)).flat_map(|(allowed, used)| match allowed {
            Allowed::Members { members, .. } if used.writes => &members[..],
            _ => &[],
        });
        for member in members {
            if let Member::There { permit, .. } = member {
                permit.begin(hint).map_err(|source| RigError::Prepare {
                    path: permit.path().display().to_string(),
                    source,
                })?;
            }
        }
        Ok(())
    }

    /// Makes and lengthens files.
    pub fn make_ready(self) -> Result<Ready, RigError> {
        let mut ready = Ready {
            permits: Vec::new(),
            to_fill: Vec::new(),
            to_make: Vec::new(),
            said: Vec::new(),
            created: Vec::new(),
            extended: Vec::new(),
        };
        for (index, allowed) in self.targets.into_iter().enumerate() {
            let (permits, fill) = match allowed {
                Allowed::Unused | Allowed::Reading(_) | Allowed::Turn => (Permits::ReadOnly, false),
                Allowed::Export { permit, fill } => (permit, fill),
                Allowed::Tree {
                    found,
                    making,
                    said,
                } => {
                    ready.said.extend(said);
                    let id = TargetId(index as u32);
                    ready.to_make.extend(making.map(|making| (id, making)));
                    (Permits::Tree(found), false)
                }
                Allowed::Members { members, fill } => {
                    let permits: Result<Vec<_>, _> = members
                        .into_iter()
                        .map(|member| ready.member(member))
                        .collect();
                    (Permits::Members(permits?), fill)
                }
            };
            ready.permits.push(permits);
            if fill {
                ready.to_fill.push(TargetId(index as u32));
            }
        }
        Ok(ready)
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        // The last one first: each knows how long its file was before it.
        while let Some(last) = self.extended.pop() {
            drop(last);
        }
    }
}

impl Ready {
    fn member(&mut self, member: Member) -> Result<WritePermit, RigError> {
        let failed = |path: &std::path::Path| {
            let path = path.display().to_string();
            move |source| RigError::Prepare { path, source }
        };
        match member {
            Member::There { permit, extend_to } => {
                if let Some(size) = extend_to {
                    let extended = permit.extend(size).map_err(failed(permit.path()))?;
                    self.extended.push(extended);
                }
                Ok(*permit)
            }
            Member::New { new, size } => {
                let path = new.path().to_path_buf();
                // Another target may be a part of the same file.
                let at = match self.created.iter().position(|made| made.is(&new)) {
                    Some(at) => at,
                    None => {
                        self.created.push(new.create().map_err(failed(&path))?);
                        self.created.len() - 1
                    }
                };
                let made = &mut self.created[at];
                made.grow(size).map_err(failed(&path))?;
                made.permit(&path).map_err(failed(&path))
            }
        }
    }

    /// Lets the files stay; says what was made. Those of `leaving` stay as long as what is given back.
    pub fn keep(
        mut self,
        leaving: &[PathBuf],
        mut made: impl FnMut(String),
    ) -> Result<Vec<Created>, RigError> {
        let mut kept = Vec::new();
        for created in std::mem::take(&mut self.created) {
            let leaves = leaving.iter().any(|path| path == created.path());
            let path = created.path().display().to_string();
            let until = if leaves {
                ", until the run is over"
            } else {
                ""
            };
            made(format!("made {path} ({}){until}", Bytes(created.size())));
            let failed = |source| RigError::Prepare { path, source };
            match leaves {
                true => {
                    created.keep_meanwhile().map_err(failed)?;
                    kept.push(created);
                }
                false => created.keep().map_err(failed)?,
            }
        }
        for extended in std::mem::take(&mut self.extended) {
            let path = extended.path().display().to_string();
            made(format!("made {path} longer ({})", Bytes(extended.size())));
            extended.keep();
        }
        Ok(kept)
    }
}

/// A refusal as the rig tells of it.
pub(crate) fn refused(refusal: Refusal) -> RigError {
    RigError::Refused(refusal.to_string())
}
