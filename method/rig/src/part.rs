//! One host's part of a run whose steps somebody else asks for: all checks of a run here, and a record of its own.

use crate::courses::Courses;
use crate::in_common::{InCommon, WorkerPlaces, caps, own_part};
use crate::run::close;
use crate::session::Session;
use crate::uses::{self, Use};
use crate::{Event, RigError, RunOptions, RunResult, marks, prepare, run_step, settle};
use plimsoll_engine::Control;
use plimsoll_engine::layout::layout;
use plimsoll_engine::ranks::Ranks;
use plimsoll_evidence::{End, Environment, EnvironmentTarget, StepEvidence};
use plimsoll_plan::{Location, Nanos, Plan, Step};
use plimsoll_record::RunStatus;
use plimsoll_witness::{Root, host, target};
use std::os::unix::fs::MetadataExt;

/// A target as a host finds it, before anything is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// Bytes; `None` where it is not there yet, or does not tell without being asked.
    pub size: Option<u64>,
    /// Identity of the target, wherever it is seen from: a WWN, a serial number, a file of a host, an address.
    pub identity: Vec<String>,
}

/// Look at each target of a plan on this host; nothing is said of one that no step uses. Nothing is opened for writing, made or changed.
pub fn look(plan: &Plan) -> Vec<LookedAt> {
    let root = Root::system();
    let key = kernel(&root);
    let uses = uses::uses(plan);
    plan.targets
        .iter()
        .zip(uses)
        .map(|(t, used)| match &t.location {
            _ if used == Use::default() => LookedAt {
                size: None,
                identity: Vec::new(),
            },
            Location::Nbd(nbd) => LookedAt {
                size: None,
                identity: nbd.paths.iter().map(ToString::to_string).collect(),
            },
            Location::Null(size) => LookedAt {
                size: Some(size.0),
                identity: Vec::new(),
            },
            Location::Lab(_) => LookedAt {
                size: None,
                identity: Vec::new(),
            },
            // Hosts may each have numbered names in one directory.
            Location::Tree(tree) => LookedAt {
                size: None,
                identity: (tree.names.is_none())
                    .then(|| inode(&key, "directory", &tree.root))
                    .flatten()
                    .into_iter()
                    .collect(),
            },
            Location::Path(_) | Location::Concat(_) => joined(&root, &key, t.location.paths()),
        })
        .collect()
}

/// Name of the kernel that gives numbers to devices and files here: containers of one host may have names of their own, and have one
/// kernel.
fn kernel(root: &Root) -> String {
    match root.word("/proc/sys/kernel/random/boot_id") {
        Some(boot) if !boot.is_empty() => format!("kernel booted as {boot},"),
        _ => host::facts(root).key,
    }
}

fn joined(root: &Root, key: &str, paths: &[std::path::PathBuf]) -> LookedAt {
    let mut size = Some(0);
    let mut identity = Vec::new();
    for path in paths {
        let Ok(facts) = target::facts(root, "", path) else {
            size = None;
            continue;
        };
        size = size.map(|all: u64| all.saturating_add(facts.size_bytes));
        identity.extend(identities(key, path, &facts));
    }
    LookedAt { size, identity }
}

/// A file's or directory's number here; `None` where it is missing.
fn inode(key: &str, what: &str, path: &std::path::Path) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(format!(
        "{key} {what} {}:{}",
        metadata.dev(),
        metadata.ino()
    ))
}

/// A device's names that other hosts would see too, else its number here; a file's is its inode here.
fn identities(key: &str, path: &std::path::Path, facts: &EnvironmentTarget) -> Vec<String> {
    if facts.kind != "block device" {
        return inode(key, "file", path).into_iter().collect();
    }
    let Ok(metadata) = std::fs::metadata(path) else {
        return Vec::new();
    };
    let mut found = vec![format!("{key} device {}", metadata.rdev())];
    let own = facts.stack.first().into_iter();
    found.extend(own.flat_map(|l| l.wwn.iter().map(|w| format!("WWN {w}"))));
    found
}

/// A run whose steps are asked for from elsewhere.
pub struct Part {
    session: Session,
    plan: Plan,
    courses: Courses,
}

impl Part {
    /// Checks, makes ready and fills as a run of this host's own would; begins its record.
    pub fn begin(
        plan: &Plan,
        options: &RunOptions,
        control: &Control,
        watch: &mut dyn FnMut(Event),
    ) -> Result<Part, RigError> {
        if let (Some(command), false) = (
            crate::plan_check::first_command(plan),
            options.allow_commands,
        ) {
            return Err(RigError::CommandNotAllowed(command.line.clone()));
        }
        let ready = prepare::prepare(plan, None, options, control, watch)?;
        let mut part = Part {
            session: ready.session,
            plan: plan.clone(),
            courses: Courses::default(),
        };
        for fill in &ready.fills {
            let filled = part.see(watch, |session, watch| {
                run_step::carry_out(session, fill, watch)
            });
            let done = match filled {
                Ok(evidence) => part.keep(fill, evidence).map(|e| e.end == End::Limit),
                Err(error) => Err(error),
            };
            if !matches!(done, Ok(true)) {
                let why = match done {
                    Err(error) => error.to_string(),
                    Ok(_) => "the fill did not come to its end".into(),
                };
                part.finish(RunStatus::Failed(why.clone()), watch);
                return Err(RigError::Hosts(why));
            }
        }
        Ok(part)
    }

    /// Environment that was found here.
    pub fn environment(&self) -> &Environment {
        &self.session.environment
    }

    /// Path of its own record.
    pub fn record(&self) -> Option<&std::path::Path> {
        self.session.record_path.as_deref()
    }

    /// The number that the next step has in its own record.
    pub fn next_step(&self) -> u32 {
        self.session.step_number + 1
    }

    /// Sizes and logical blocks of the targets as they were opened.
    pub fn targets(&self) -> Vec<(u64, u32)> {
        let of = |t: &std::sync::Arc<plimsoll_engine::OpenTarget>| (t.size, t.logical_block);
        self.session.targets.iter().map(of).collect()
    }

    /// Workers of this host for a step of all hosts.
    pub fn place(&self, step: &Step) -> WorkerPlaces {
        let workers = layout(step, &self.session.kinds, self.session.cpus());
        let alone = Ranks::alone(step, &workers);
        WorkerPlaces {
            workers: alone.workers.of,
            sharers: alone.streams.iter().map(|r| r.of).collect(),
        }
    }

    /// Waits until the targets have come to rest; false where they had not within the limit.
    pub fn settle(&mut self, step: &Step) -> bool {
        settle::wait(&mut self.session, step)
    }

    /// Carries out this host's part of a step; also says how much later than it was to it began.
    pub fn carry_out(
        &mut self,
        mut in_common: InCommon,
        watch: &mut dyn FnMut(Event),
    ) -> Result<(StepEvidence, Nanos), RigError> {
        let place = self.place(&in_common.whole);
        caps(&mut in_common, &place);
        let own = own_part(&in_common, &place);
        self.session.in_common = Some(in_common);
        let carried = self.see(watch, |session, watch| {
            run_step::carry_out(session, &own, watch)
        });
        self.session.in_common = None;
        let evidence = self.keep(&own, carried?)?;
        Ok((evidence, self.session.late_start))
    }

    fn see<T>(
        &mut self,
        watch: &mut dyn FnMut(Event),
        go: impl FnOnce(&mut Session, &mut dyn FnMut(Event)) -> T,
    ) -> T {
        let courses = &mut self.courses;
        go(&mut self.session, &mut |event| {
            courses.see(&event);
            watch(event);
        })
    }

    fn keep(&mut self, step: &Step, evidence: StepEvidence) -> Result<StepEvidence, RigError> {
        marks::filled(step, &evidence, &self.session.targets)?;
        self.session.steps.push(evidence.clone());
        Ok(evidence)
    }

    /// Judges it and closes the record.
    pub fn finish(self, status: RunStatus, watch: &mut dyn FnMut(Event)) -> RunResult {
        close(self.session, &self.plan, &self.courses, status, watch)
    }
}

/// The names of `--destroy` that mean a target of the plan here.
pub fn meant_here(plan: &Plan, names: &[String]) -> Vec<String> {
    let means = |name: &&String| uses::is_meant(plan, name);
    names.iter().filter(means).cloned().collect()
}
