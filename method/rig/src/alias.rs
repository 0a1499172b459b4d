//! One file or device under two names.

use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Plan, Stream, Target};
use std::fmt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Two names, of two targets that have places in common, which lead to one file or device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    one: PathBuf,
    other: PathBuf,
    /// The place of the second of the targets in the plan.
    second: usize,
    /// Both targets are written to in one step, so that what one writes the other overwrites. That is no measurement.
    pub both_written: bool,
}

/// Targets of the plan that are one and the same, in the order in which they were named.
pub fn aliases(plan: &Plan) -> Vec<Alias> {
    let mut seen: Vec<(Inode, usize, &Path)> = Vec::new();
    let mut found = Vec::new();
    for (index, target) in plan.targets.iter().enumerate() {
        for path in target.location.paths() {
            let Some(inode) = Inode::of(path) else {
                continue;
            };
            let same = seen
                .iter()
                .filter(|(i, at, _)| *i == inode && overlap(plan, *at, index));
            // One name that is opened in another way by a later step is no alias.
            let odd = same.filter(|(_, at, one)| *one != path || at_once(plan, *at, index, used));
            let pairs = odd.map(|(_, at, one)| Alias {
                one: one.to_path_buf(),
                other: path.to_owned(),
                second: index,
                both_written: at_once(plan, *at, index, written),
            });
            found.extend(pairs.max_by_key(|alias| alias.both_written));
            seen.push((inode, index, path));
        }
    }
    found
}

impl Alias {
    /// The refusal of what both would be written to.
    pub fn problem(&self, plan: &Plan) -> Problem {
        let remedy = match self.one == self.other {
            true => {
                "open it in one way, with the same files in both (a filename= of [global] adds to those of a job), or put stonewall between them"
            }
            false => {
                "name it once with the depth of both, or in a definition give each an offset and a size of its own"
            }
        };
        Problem {
            message: self.to_string(),
            remedy: remedy.into(),
            span: plan.targets[self.second].origins.of("path"),
        }
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, other) = (self.one.display(), self.other.display());
        match self.one == self.other {
            true => write!(
                f,
                "{one} is one and the same in two targets, opened in two ways or joined with other files"
            )?,
            false => write!(f, "{one} and {other} are one and the same")?,
        }
        f.write_str(match self.both_written {
            true => ", and as two targets both would be written to: what one writes the other overwrites",
            false => ": their depths add up there, and a cache serves one what the other has read",
        })
    }
}

/// Identity of what a name leads to: a file by its inode, a device by its number.
#[derive(PartialEq, Eq)]
enum Inode {
    File(u64, u64),
    Device(u64),
}

impl Inode {
    fn of(path: &Path) -> Option<Self> {
        let there = std::fs::metadata(path).ok()?;
        Some(if there.file_type().is_block_device() {
            Inode::Device(there.rdev())
        } else {
            Inode::File(there.dev(), there.ino())
        })
    }
}

/// True where the parts that two targets use have anything in common. Of joined files nobody knows yet where each begins.
fn overlap(plan: &Plan, one: usize, other: usize) -> bool {
    let (one, other) = (&plan.targets[one], &plan.targets[other]);
    let alone = |t: &Target| t.location.paths().len() == 1;
    if !alone(one) || !alone(other) {
        return true;
    }
    let end = |t: &Target| t.size.map_or(u64::MAX, |s| t.offset.0.saturating_add(s.0));
    one.offset.0 < end(other) && other.offset.0 < end(one)
}

/// True where some step does with both targets what `done` asks of its streams.
fn at_once(plan: &Plan, one: usize, other: usize, done: fn(&Stream) -> bool) -> bool {
    plan.steps().any(|step| {
        let has = |target: usize| {
            let mut own = step.streams.iter().filter(|s| done(s));
            own.any(|s| s.target.0 as usize == target)
        };
        has(one) && has(other)
    })
}

fn used(_: &Stream) -> bool {
    true
}

fn written(stream: &Stream) -> bool {
    stream.mix.changes_data()
}
