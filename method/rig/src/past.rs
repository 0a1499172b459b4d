//! What a run that did not come to its end left, and going on from there.
//!
//! A method is a function of completed steps, so to resume is to ask it again with those that the record holds. A step that
//! did not run its time is repeated, with the number and so with the random choices that it had.

use crate::environment::now_rfc3339;
use crate::{RigError, RunOptions, courses, owed};
use plimsoll_audit::StepCourse;
use plimsoll_engine::backend::choose::Choice;
use plimsoll_evidence::{End, Environment, EnvironmentTarget, StepEvidence};
use plimsoll_plan::Plan;
use plimsoll_record::{RESUMED, Record, RecordError, RunStatus};
use std::fmt;
use std::path::{Path, PathBuf};

/// The past of a run that is resumed.
#[derive(Debug)]
pub struct Past {
    /// Plan that the run carries out.
    pub plan: Plan,
    /// The steps that are done.
    pub steps: Vec<StepEvidence>,
    /// Failures in steps that are no results.
    pub(crate) errors_aside: u64,
    /// The number of the last step that stays, 0 where none does.
    last: u32,
    /// Courses of the steps.
    pub(crate) courses: Vec<StepCourse>,
    path: PathBuf,
    environment: Environment,
    /// Changes that the run may not have put back.
    owed: Vec<String>,
}

/// Reason why the run cannot be gone on with here, if so: this host alone would do another one.
fn of_many(environment: &Environment) -> Option<&'static str> {
    let command = &environment.command;
    let by_hosts = |w: &String| w == "--hosts" || w.starts_with("--hosts=");
    if environment.simulated && !environment.more_hosts.is_empty() {
        return Some(
            "its hosts are simulated, and what they have in the arrays is not kept: run it again",
        );
    }
    if !environment.more_hosts.is_empty() || command.iter().any(by_hosts) {
        return Some(
            "it is of several hosts: while their lease lasts `plimsoll attach` goes on with it, and then they have \
             forgotten it, and it is to be run again",
        );
    }
    let is_part = command.get(1).is_some_and(|w| w == "agent");
    is_part.then_some("it is one host's part of a run of several: run that again instead")
}

impl Past {
    /// Reads the record of an unfinished run.
    ///
    /// # Errors
    /// [`RigError::Resume`] where the run came to its end, or the record does not tell what it was to do.
    pub fn read(path: &Path) -> Result<Self, RigError> {
        Self::of(path, of_many)
    }

    /// The same of a run of several hosts.
    pub fn read_of_many(path: &Path) -> Result<Self, RigError> {
        let one = "it is of one host: `plimsoll resume` goes on with it";
        Self::of(path, |environment| {
            of_many(environment).is_none().then_some(one)
        })
    }

    fn of(
        path: &Path,
        refuse: impl Fn(&Environment) -> Option<&'static str>,
    ) -> Result<Self, RigError> {
        let record = Record::open(path)?;
        let refused = |why: String| RigError::Resume {
            path: path.display().to_string(),
            why,
        };
        if *record.status() == RunStatus::Completed {
            return Err(refused(
                "its run is complete: there is nothing left to do".into(),
            ));
        }
        if let Some(why) = refuse(record.environment()) {
            return Err(refused(why.into()));
        }
        let plan: Plan = serde_json::from_str(record.plan_json()).map_err(|e| {
            refused(format!(
                "its plan cannot be read ({e}): run it again instead"
            ))
        })?;
        let mut steps = record.steps()?;
        let aside = record.steps_set_aside()?;
        let mut last = keep(&mut steps, &aside);
        let failed = matches!(record.status(), RunStatus::Failed(_));
        if plan.dialect == "vdbench" && failed && steps.last().is_some_and(|s| s.errors > 0) {
            // Vdbench runs nothing after a run with errors: it is that one which has to be measured again.
            last = steps.pop().map_or(last, |popped| popped.number - 1);
        }
        let stays = aside.iter().filter(|s| s.number <= last);
        Ok(Past {
            errors_aside: stays.map(|s| s.errors).sum(),
            last,
            plan,
            courses: courses::courses(&record, &steps)?,
            steps,
            path: path.into(),
            environment: record.environment().clone(),
            owed: owed::notes(&record)?,
        })
    }

    /// Options as the run had them, where they decide what is measured: its seed, its batches, its record.
    pub fn options(&self, options: RunOptions) -> RunOptions {
        let recorded = |n: u32, else_: usize| match n {
            0 => else_,
            n => n as usize,
        };
        let was = &self.environment;
        let demanded = was.backend_reason.starts_with(Choice::DEMANDED);
        let own = |name: &Option<String>| name.as_ref()?.parse().ok();
        RunOptions {
            record: Some(self.path.clone()),
            record_is_unnamed: false,
            overwrite_record: true,
            seed: Some(was.seed),
            // What was demanded by name is what it was measured with.
            backend: options
                .backend
                .or_else(|| demanded.then(|| was.backend.parse().ok()).flatten()),
            backends: match demanded {
                true => was.targets.iter().map(|t| own(&t.backend)).collect(),
                false => Vec::new(),
            },
            submit_batch: recorded(was.submit_batch, options.submit_batch),
            reap_batch: recorded(was.reap_batch, options.reap_batch as usize) as u32,
            ..options
        }
    }

    /// A record in use is one of a run that was not cut off.
    pub(crate) fn busy(&self, error: RecordError) -> RigError {
        match error {
            RecordError::InUse { path } => RigError::Resume {
                path: path.display().to_string(),
                why: "its run still goes on, or somebody reads it".into(),
            },
            error => error.into(),
        }
    }

    /// The record's last step that stays, 0 where none does.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// Environment that is recorded of a run of several hosts that goes on under another controller.
    pub(crate) fn attached(&self) -> Environment {
        let mut environment = self.environment.clone();
        environment.notes.push(format!(
            "its controller was killed; another went on with it at {}, behind step {}",
            now_rfc3339(),
            self.last()
        ));
        environment
    }

    /// Environment that is recorded of a run that goes on where it is now: as it was, with what is different now.
    ///
    /// # Errors
    /// [`RigError::Resume`] where a target is another one than the steps so far were measured on.
    pub(crate) fn environment(&self, now: &Environment) -> Result<Environment, RigError> {
        for (was, is) in self.environment.targets.iter().zip(&now.targets) {
            if let Some(how) = another(was, is) {
                return Err(RigError::Resume {
                    path: self.path.display().to_string(),
                    why: format!(
                        "{} is not the target that its steps so far were measured on: {how}",
                        was.name
                    ),
                });
            }
        }
        let mut environment = self.environment.clone();
        environment
            .notes
            .push(format!("{RESUMED} {} at {}", self.last(), now.started));
        environment.notes.extend(self.owed.iter().cloned());
        environment.notes.extend(changes(&self.environment, now));
        // What is found now is what the rest is measured with: names of disks change with each start of a host.
        environment.targets.clone_from(&now.targets);
        environment.host.cpus_available = now.host.cpus_available;
        if self.steps.is_empty() {
            environment.backend.clone_from(&now.backend);
            environment.backend_reason.clone_from(&now.backend_reason);
        } else if environment.backend != now.backend {
            environment.backend = format!("{}, then {}", environment.backend, now.backend);
        }
        let known = |note: &&String| !self.environment.notes.contains(note);
        environment
            .notes
            .extend(now.notes.iter().filter(known).cloned());
        if now.simulated && self.last() > 0 {
            environment.notes.push(
                "the array was made anew when the run was resumed: what its steps until then had left in it is gone".into(),
            );
        }
        Ok(environment)
    }
}

/// Keeps the steps that are done, and of those each only where all before it are done or set aside; the number of the last of all.
fn keep(steps: &mut Vec<StepEvidence>, aside: &[StepEvidence]) -> u32 {
    let mut last = 0;
    let mut kept = 0;
    loop {
        let next = last + 1;
        let is_done =
            |s: &&StepEvidence| s.number == next && matches!(s.end, End::Elapsed | End::Limit);
        if steps.get(kept).filter(is_done).is_some() {
            kept += 1;
        } else if !aside.iter().any(|s| s.number == next) {
            break;
        }
        last = next;
    }
    steps.truncate(kept);
    last
}

impl fmt::Display for Past {
    /// Place where the run goes on, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.steps.last() {
            None => write!(f, "resuming {path}: no step of it was done"),
            Some(last) => write!(
                f,
                "resuming {path} behind step {}, {}",
                last.number, last.name
            ),
        }
    }
}

/// Difference by which a target is another than it was; `None` where it is the same.
fn another(was: &EnvironmentTarget, is: &EnvironmentTarget) -> Option<String> {
    if was.size_bytes != is.size_bytes {
        return Some(format!(
            "it had {} bytes and has {}",
            was.size_bytes, is.size_bytes
        ));
    }
    if was.kind != is.kind || was.filesystem != is.filesystem {
        let on = |t: &EnvironmentTarget| match &t.filesystem {
            Some(fs) => format!("a {} on {fs}", t.kind),
            None => format!("a {}", t.kind),
        };
        return Some(format!("it was {} and is {}", on(was), on(is)));
    }
    if !was.files.is_empty() && was.files != is.files {
        return Some(
            "another file has its name here; go to the folder in which the run was started, if the name is relative"
                .into(),
        );
    }
    let name = |t: &EnvironmentTarget| {
        let device = t.stack.first()?;
        device.wwn.clone().or_else(|| device.serial.clone())
    };
    match (name(was), name(is)) {
        (Some(old), Some(new)) if old != new => Some(format!("it was {old} and is {new}")),
        _ => None,
    }
}

/// Other differences, for which the results so far may not be comparable with those to come.
fn changes(was: &Environment, now: &Environment) -> Vec<String> {
    let facts = [
        ("host", &was.host.hostname, &now.host.hostname),
        ("kernel", &was.host.kernel, &now.host.kernel),
        ("version of plimsoll", &was.tool_version, &now.tool_version),
        ("backend", &was.backend, &now.backend),
    ];
    facts
        .into_iter()
        .filter(|(_, was, now)| was != now)
        .map(|(what, was, now)| format!("the {what} was {was} until then and is {now} since"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::BlockLayer;

    fn target(size_bytes: u64, serial: Option<&str>) -> EnvironmentTarget {
        EnvironmentTarget {
            name: "sd1".into(),
            size_bytes,
            stack: vec![BlockLayer {
                serial: serial.map(String::from),
                ..BlockLayer::default()
            }],
            ..EnvironmentTarget::default()
        }
    }

    #[test]
    fn another_disk_of_the_same_name_is_noticed() {
        let was = target(100, Some("A"));
        assert_eq!(another(&was, &target(100, Some("A"))), None);
        assert_eq!(another(&was, &target(100, None)), None);
        assert!(another(&was, &target(101, Some("A"))).is_some());
        assert!(another(&was, &target(100, Some("B"))).is_some());
        let file = |id: &str| EnvironmentTarget {
            files: vec![id.into()],
            ..target(100, None)
        };
        assert_eq!(another(&file("inode 5"), &file("inode 5")), None);
        assert!(another(&file("inode 5"), &file("inode 6")).is_some());
    }
}
