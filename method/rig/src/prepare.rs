//! Everything before the first step: checks first, then what changes something.

use crate::coverage::{self, Readiness};
use crate::fill::fill_step;
use crate::safety::{self, WritePermit};
use crate::session::{Ground, Session};
use crate::{Event, RigError, RunOptions, environment, files, pinning, simulated};
use plimsoll_engine::backend::choose::{Choice, Host, Kind};
use plimsoll_engine::{Control, OpenTarget};
use plimsoll_evidence::Environment;
use plimsoll_plan::validate::{TargetFacts, check_against, validate};
use plimsoll_plan::{Bytes, Location, Plan, Step, Target, TargetId};
use plimsoll_record::{CreateOptions, Recorder};
use plimsoll_sim::Lab;
use std::path::Path;
use std::sync::Arc;

/// A run that may begin.
pub(crate) struct Prepared {
    pub session: Session,
    /// Steps that fill what was never written.
    pub fills: Vec<Step>,
    /// Held while the run goes on: devices stay claimed.
    pub permits: Vec<WritePermit>,
}

/// A name that means nothing here is a slip of the pen, and what it was to allow would be refused later or, worse, be
/// another target.
fn check_destroy_names(plan: &Plan, options: &RunOptions) -> Result<(), RigError> {
    let is_meant = |given: &String| {
        plan.targets.iter().any(|target| {
            let paths = target.location.paths();
            let is_volume = match &target.location {
                Location::Nbd(volume) => safety::export::is_meant(given, volume),
                _ => false,
            };
            is_volume
                || *given == target.location.text()
                || paths.iter().any(|path| safety::is_meant(given, path))
        })
    };
    match options.destroy.iter().find(|given| !is_meant(given)) {
        None => Ok(()),
        Some(given) => Err(RigError::Refused(format!(
            "--destroy {given} names no target of this plan; `plimsoll plan` prints the name of each"
        ))),
    }
}

/// What the plan does with a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Use {
    reads: bool,
    writes: bool,
}

/// Checks the plan, the targets and the record's place, and makes them ready. Where that fails, no file is left that was
/// not there before, and none is changed.
pub(crate) fn prepare(
    plan: &Plan,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<Prepared, RigError> {
    if plan.items.is_empty() {
        return Err(RigError::Empty);
    }
    let mut problems = validate(plan);
    problems.extend(pinning::check(plan));
    if !problems.is_empty() {
        return Err(RigError::Plan(problems));
    }
    check_destroy_names(plan, options)?;
    let uses = uses(plan);
    let seed = options.seed.or(plan.seed).unwrap_or_else(drawn_seed);
    if let Some(lab) = simulated::open(plan, &used(&uses), options, seed)? {
        return prepare_simulated(plan, &uses, lab, options, control, seed);
    }
    let mut permits = Vec::new();
    let mut to_make = Vec::new();
    let mut to_fill = Vec::new();
    for (index, (target, used)) in plan.targets.iter().zip(&uses).enumerate() {
        let id = TargetId(index as u32);
        if *used == Use::default() {
            continue;
        }
        if let (Location::Nbd(volume), true) = (&target.location, used.writes) {
            safety::export::assess(volume, &options.destroy)
                .map_err(|refusal| RigError::Refused(refusal.to_string()))?;
        }
        for path in target.location.paths() {
            let make = files::missing(path, target)?;
            if let Some(make) = make {
                if make.extends() {
                    permits.push(permit(path, options)?);
                }
                to_make.push(make);
                to_fill.push(id);
            } else if used.writes {
                permits.push(permit(path, options)?);
            }
        }
    }
    for (index, (target, used)) in plan.targets.iter().zip(&uses).enumerate() {
        let id = TargetId(index as u32);
        if !used.reads || to_fill.contains(&id) || options.allow_unwritten {
            continue;
        }
        if needs_fill(plan, id, target, options, &mut permits)? {
            to_fill.push(id);
        }
    }
    let mut made = files::Made::default();
    for make in to_make {
        made.create(make)?;
    }
    let (targets, choices) = open_all(plan, &uses, &to_fill, options)?;
    let environment = environment::describe(&plan.targets, &targets, &choices, options, seed);
    let fills = fills(plan, &targets, &to_fill);
    let recorder = record(plan, options, &environment)?;
    for make in made.keep()? {
        watch(Event::Note(format!(
            "made {} ({})",
            make.path.display(),
            Bytes(make.size)
        )));
    }
    let ground = Ground {
        kinds: choices
            .iter()
            .map(|c| c.as_ref().map_or(Kind::Null, |c| c.kind))
            .collect(),
        targets,
        lab: None,
        environment,
        recorder,
    };
    Ok(Prepared {
        session: Session::new(plan, options, control, ground),
        fills,
        permits,
    })
}

/// The same for simulated targets: nothing there is to be protected, made or claimed. What is read and was never written
/// is filled in no time.
fn prepare_simulated(
    plan: &Plan,
    uses: &[Use],
    mut lab: Lab,
    options: &RunOptions,
    control: &Control,
    seed: u64,
) -> Result<Prepared, RigError> {
    let targets = simulated::targets(plan, &lab);
    check_open(plan, &targets, uses)?;
    let ids = (0..plan.targets.len() as u32).map(TargetId);
    let to_fill: Vec<TargetId> = ids
        .filter(|id| uses[id.0 as usize].reads && !options.allow_unwritten)
        .filter(|id| !written_first(plan, *id))
        .collect();
    let environment = simulated::describe(plan, &lab, &targets, &to_fill, options, seed);
    let recorder = record(plan, options, &environment)?;
    for id in to_fill {
        lab.fill(id, &targets[id.0 as usize], seed);
    }
    let ground = Ground {
        kinds: vec![Kind::Null; targets.len()],
        targets,
        lab: Some(lab),
        environment,
        recorder,
    };
    Ok(Prepared {
        session: Session::new(plan, options, control, ground),
        fills: Vec::new(),
        permits: Vec::new(),
    })
}

/// The run's record, begun.
fn record(
    plan: &Plan,
    options: &RunOptions,
    environment: &Environment,
) -> Result<Option<Recorder>, RigError> {
    let Some(path) = &options.record else {
        return Ok(None);
    };
    let json = serde_json::to_string(plan).unwrap_or_default();
    let how = CreateOptions {
        overwrite: options.overwrite_record,
    };
    Ok(Some(Recorder::create_with(path, environment, &json, how)?))
}

fn uses(plan: &Plan) -> Vec<Use> {
    let mut uses = vec![Use::default(); plan.targets.len()];
    for step in plan.steps() {
        for stream in &step.streams {
            let used = &mut uses[stream.target.0 as usize];
            used.reads |= stream.mix.read > 0.0;
            used.writes |= stream.mix.write > 0.0 || stream.mix.trim > 0.0;
        }
    }
    uses
}

fn used(uses: &[Use]) -> Vec<bool> {
    uses.iter().map(|u| *u != Use::default()).collect()
}

/// Whether the arrays of a plan on the lab are there, with the LUNs that it names. There is nothing to look at in a plan
/// of storage: that would be I/O.
pub fn check_arrays(plan: &Plan) -> Result<(), RigError> {
    simulated::arrays(plan, &used(&uses(plan)), 0).map(|_| ())
}

fn permit(path: &Path, options: &RunOptions) -> Result<WritePermit, RigError> {
    safety::assess(path, &options.destroy).map_err(|refusal| RigError::Refused(refusal.to_string()))
}

/// True where a target must be filled before it's read; an error where it must, and may not.
fn needs_fill(
    plan: &Plan,
    id: TargetId,
    target: &Target,
    options: &RunOptions,
    permits: &mut Vec<WritePermit>,
) -> Result<bool, RigError> {
    // A plan that fills the target itself, before it reads, needs no help.
    if written_first(plan, id) {
        return Ok(false);
    }
    let size = target.size.map(|s| s.0);
    if let Location::Nbd(volume) = &target.location {
        let found = coverage::export::readiness(volume, target.offset.0, size, &options.destroy);
        return match found? {
            Readiness::Readable => Ok(false),
            Readiness::FillNeeded => Ok(true),
            Readiness::Refused(why) => Err(RigError::Refused(why)),
        };
    }
    for path in target.location.paths() {
        let found = coverage::readiness(path, target.offset.0, size, &options.destroy);
        match found {
            Ok(Readiness::Readable) => {}
            Ok(Readiness::FillNeeded) => {
                permits.push(permit(path, options)?);
                return Ok(true);
            }
            Ok(Readiness::Refused(why)) => return Err(RigError::Refused(why)),
            Err(source) => {
                return Err(RigError::Prepare {
                    path: path.display().to_string(),
                    source,
                });
            }
        }
    }
    Ok(false)
}

/// True where the plan's first step on a target writes all of it, one pass.
fn written_first(plan: &Plan, id: TargetId) -> bool {
    let first = plan
        .steps()
        .find(|s| s.streams.iter().any(|t| t.target == id));
    first.is_some_and(|step| {
        step.streams.iter().filter(|s| s.target == id).all(|s| {
            s.mix.write == 100.0
                && matches!(
                    s.address.pattern,
                    plimsoll_plan::Pattern::Sequential { once: true, .. }
                )
        })
    })
}

type Opened = (Vec<Arc<OpenTarget>>, Vec<Option<Choice>>);

fn open_all(
    plan: &Plan,
    uses: &[Use],
    to_fill: &[TargetId],
    options: &RunOptions,
) -> Result<Opened, RigError> {
    let host = Host::probe();
    let mut targets = Vec::new();
    let mut choices = Vec::new();
    for (index, (target, used)) in plan.targets.iter().zip(uses).enumerate() {
        if *used == Use::default() {
            targets.push(Arc::new(OpenTarget::unused(&target.name)));
            choices.push(None);
            continue;
        }
        let write = used.writes || to_fill.contains(&TargetId(index as u32));
        let open = OpenTarget::open(target, write)?;
        choices.push(Some(host.choose(&open, options.backend)?));
        targets.push(Arc::new(open));
    }
    check_open(plan, &targets, uses)?;
    Ok((targets, choices))
}

/// Whether the plan fits its targets as they were found.
fn check_open(plan: &Plan, open: &[Arc<OpenTarget>], uses: &[Use]) -> Result<(), RigError> {
    let facts = |((target, open), used): ((&Target, &Arc<OpenTarget>), &Use)| {
        if *used == Use::default() {
            return TargetFacts {
                size: target.size.unwrap_or_default(),
                logical_block: Bytes(1),
            };
        }
        TargetFacts {
            size: Bytes(open.size),
            logical_block: Bytes(u64::from(open.logical_block)),
        }
    };
    let all = plan.targets.iter().zip(open).zip(uses);
    let problems = check_against(plan, &all.map(facts).collect::<Vec<_>>());
    if problems.is_empty() {
        Ok(())
    } else {
        Err(RigError::Plan(problems))
    }
}

fn fills(plan: &Plan, targets: &[Arc<OpenTarget>], to_fill: &[TargetId]) -> Vec<Step> {
    if to_fill.is_empty() {
        return Vec::new();
    }
    let sized: Vec<(TargetId, u64)> = to_fill
        .iter()
        .map(|id| (*id, targets[id.0 as usize].size))
        .collect();
    let name = if plan.dialect == "vdbench" {
        "SD_format"
    } else {
        "fill"
    };
    vec![fill_step(name, &sized)]
}

fn drawn_seed() -> u64 {
    let clock = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64);
    // 53 bits, so that JSON readers that know only doubles keep it whole.
    plimsoll_engine::seed_for(clock, &[u64::from(std::process::id())]) >> 11
}
