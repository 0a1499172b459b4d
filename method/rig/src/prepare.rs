//! Everything before the first step: checks first, then what changes something.

use crate::fill::{Filling, fill_step};
use crate::plan_check::{allowed, check_plan, first_command, refuse, used};
use crate::session::{Carrier, Session, Testbed};
use crate::shell::Launcher;
use crate::uses::{self, Use};
use crate::{
    Enclosure, Event, Past, RigError, RunOptions, environment, marks, record_place, room,
    simulated, step_arrays, trees, wall_doubt,
};
use crate::{access, actions};
use plimsoll_engine::backend::choose::{BackendKind, Choice, Host, poll_all_or_none};
use plimsoll_engine::{Control, OpenTarget, Permits};
use plimsoll_evidence::Environment;
use plimsoll_permit::target::{Created, Ending};
use plimsoll_plan::validate::{TargetFacts, check_against};
use plimsoll_plan::{Bytes, ContentSpec, Plan, Step, Target, TargetId, Tree, fill_content};
use plimsoll_record::RecordPermit;
use plimsoll_sim::Lab;
use plimsoll_witness::{Root, host};
use std::sync::Arc;

/// A run that may begin.
pub(crate) struct ReadyRun {
    pub session: Session,
    /// Steps that fill what was never written.
    pub fills: Vec<Step>,
    /// Files that this run made, and that go when these are dropped.
    pub leaving: Vec<Created>,
    /// Files and devices that it writes, and what is known of other writers at its end.
    pub endings: Vec<(String, Ending)>,
}

/// Checks that the plan would be carried out, as far as a look at its targets tells. Nothing is made, and nothing is changed: for whoever
/// has something of their own to write before they run it.
pub fn check(plan: &Plan, options: &RunOptions) -> Result<(), RigError> {
    allowed(plan, options).map(drop)
}

/// Checks the plan, the targets and the record's place, and makes them ready. Where that fails, no file is left that was
/// not there before, and none is changed.
pub(crate) fn prepare(
    plan: &Plan,
    past: Option<&Past>,
    options: &RunOptions,
    control: &Control,
    watch: &mut dyn FnMut(Event),
) -> Result<ReadyRun, RigError> {
    check_plan(plan, options)?;
    let asked = RunRequest {
        plan,
        past,
        options,
        control,
        place: record_place::permit(plan, options)?,
        uses: uses::uses(plan),
        seed: options.seed.or(plan.seed).unwrap_or_else(drawn_seed),
    };
    match simulated::open(plan, &used(&asked.uses), options, asked.seed)? {
        Some(lab) => prepare_simulated(asked, lab, watch),
        None => prepare_storage(asked, watch),
    }
}

/// A run that could be carried out, as far as its plan alone says.
struct RunRequest<'a> {
    plan: &'a Plan,
    past: Option<&'a Past>,
    options: &'a RunOptions,
    control: &'a Control,
    /// Leave to make the record, where one is kept.
    place: Option<RecordPermit>,
    /// Uses that the steps make of each target.
    uses: Vec<Use>,
    seed: u64,
}

/// Targets that are files, devices or exports.
fn prepare_storage(
    asked: RunRequest<'_>,
    watch: &mut dyn FnMut(Event),
) -> Result<ReadyRun, RigError> {
    let RunRequest {
        plan,
        past,
        options,
        control,
        place,
        uses,
        seed,
    } = asked;
    if options.simulated_hosts.is_some() {
        return refuse(crate::simulated_run::none_of(plan, &uses)).and(Err(RigError::Empty));
    }
    let metrics = step_arrays::metrics(plan, &uses)?;
    let mut ready = access::judge(plan, &uses, options)?.make_ready()?;
    let targets = open_all(plan, &uses, std::mem::take(&mut ready.permits))?;
    check_open(plan, &targets, &uses)?;
    let mut kernel = Host::probe();
    let mut choices = choose(&kernel, &targets, &uses, options)?;
    let mut fills = fills(plan, &targets, &ready.to_fill);
    fills.extend(trees::making_step(&ready.to_make));
    let widest = room::widest(plan);
    let steps = || plan.steps().chain(&widest).chain(&fills);
    let cpus = host::facts(&Root::system()).cpus_available.max(1);
    room::check(steps(), &targets, &kinds(&choices), cpus)?;
    if !kernel.has_rings(steps(), &kinds(&choices), cpus) {
        choices = choose(&kernel, &targets, &uses, options)?;
        room::check(steps(), &targets, &kinds(&choices), cpus)?;
    }
    for shortfall in choices.iter().flatten().filter_map(Choice::shortfall) {
        watch(Event::Note(shortfall.to_string()));
    }
    let kinds = kinds(&choices);
    let mut environment = environment::describe(&plan.targets, &targets, &choices, options, seed);
    for said in std::mem::take(&mut ready.said) {
        watch(Event::Note(said.clone()));
        environment.notes.push(said);
    }
    tell_of_zeros(plan, &uses, &ready.to_fill, options, &mut environment)?;
    let launcher = launcher(plan, &targets, options, &mut environment)?;
    let environment = record_place::environment(past, environment)?;
    let recorder = record_place::begin(place, plan, past, &environment, options, watch)?;
    let endings = marks::endings(&targets);
    let leaving = ready.keep(&options.unlink, |what| watch(Event::Note(what)))?;
    marks::begin(plan, &targets)?;
    let testbed = Testbed {
        kinds,
        targets,
        carrier: Carrier::Here,
        metrics,
        environment,
        recorder,
        launcher,
    };
    Ok(ReadyRun {
        session: Session::new(plan, options, control, testbed),
        fills,
        leaving,
        endings,
    })
}

/// Says what of the targets reads will find that nobody wrote: what was allowed, and zeros that the making of a file leaves.
fn tell_of_zeros(
    plan: &Plan,
    uses: &[Use],
    to_fill: &[TargetId],
    options: &RunOptions,
    environment: &mut Environment,
) -> Result<(), RigError> {
    let as_made = |id: &TargetId| plan.target(*id).as_made && uses[id.0 as usize].reads;
    let mut with_zeros: Vec<TargetId> = to_fill.iter().copied().filter(as_made).collect();
    if options.allow_unwritten || plan.targets.iter().any(|target| target.as_made) {
        for (id, why) in access::unwritten(plan, uses, to_fill)? {
            if as_made(&id) {
                with_zeros.push(id);
            }
            if options.allow_unwritten {
                environment.notes.push(format!(
                    "{}: {why}, and was read all the same (--allow-unwritten): where nothing is stored, no medium answers",
                    plan.target(id).name
                ));
            }
        }
    }
    for id in with_zeros {
        environment.targets[id.0 as usize].zeros = Some(simulated::zeros_left(options));
    }
    Ok(())
}

/// Launcher of the plan's commands, where they are allowed.
fn launcher(
    plan: &Plan,
    targets: &[Arc<OpenTarget>],
    options: &RunOptions,
    environment: &mut Environment,
) -> Result<Launcher, RigError> {
    if !options.allow_commands {
        return Ok(Launcher::new(&options.at_work, None));
    }
    if first_command(plan).is_some() {
        environment.notes.extend(wall_doubt().map(str::to_string));
    }
    let enclosure = Enclosure::around_commands(plan, targets, options)?;
    Ok(Launcher::new(&options.at_work, Some(enclosure)))
}

/// Each target's backend; what no step uses has none.
fn kinds(choices: &[Option<Choice>]) -> Vec<BackendKind> {
    let kind = |c: &Option<Choice>| c.as_ref().map_or(BackendKind::Null, |c| c.kind);
    choices.iter().map(kind).collect()
}

/// The same for simulated targets: nothing there is to be protected, made or claimed. What is read and was never written
/// is filled in no time.
fn prepare_simulated(
    asked: RunRequest<'_>,
    mut lab: Lab,
    watch: &mut dyn FnMut(Event),
) -> Result<ReadyRun, RigError> {
    let RunRequest {
        plan,
        past,
        options,
        control,
        place,
        uses,
        seed,
    } = asked;
    refuse(actions::check(plan, &lab))?;
    let targets = simulated::targets(plan, &lab);
    check_open(plan, &targets, &uses)?;
    let ids = (0..plan.targets.len() as u32).map(TargetId);
    let to_fill: Vec<TargetId> = ids
        .filter(|id| uses[id.0 as usize].reads && !options.allow_unwritten)
        .filter(|id| !uses::written_first(plan, *id) && !plan.is_path(*id))
        .filter(|id| !plan.target(*id).as_made)
        .filter(|id| plan.target(*id).location.tree().is_none())
        .collect();
    let trees = uses.iter().zip(0..).filter(|(u, _)| **u != Use::default());
    for id in trees.map(|(_, id)| TargetId(id)) {
        let making = trees::making(plan, id).filter(|_| !options.allow_unwritten);
        if let (Some(making), Some(_)) = (making, plan.target(id).location.tree()) {
            lab.make_tree(id, &targets[id.0 as usize], making, seed);
        }
    }
    let mut environment = simulated::describe(plan, &lab, &targets, &to_fill, options, seed);
    for id in to_fill {
        let content = fill_content(plan.steps(), id);
        if !lab.fill(id, &targets[id.0 as usize], &content, seed)? {
            environment
                .notes
                .push(simulated::filled_otherwise(plan, id));
        }
    }
    if let Some(hosts) = &options.simulated_hosts {
        hosts.check(plan)?;
        hosts.describe(&mut environment);
    }
    let launcher = launcher(plan, &targets, options, &mut environment)?;
    let environment = record_place::environment(past, environment)?;
    let recorder = record_place::begin(place, plan, past, &environment, options, watch)?;
    let testbed = Testbed {
        kinds: vec![BackendKind::Null; targets.len()],
        targets,
        carrier: Carrier::Simulated(Box::new(lab), options.simulated_hosts.clone()),
        metrics: None,
        environment,
        recorder,
        launcher,
    };
    Ok(ReadyRun {
        session: Session::new(plan, options, control, testbed),
        fills: Vec::new(),
        leaving: Vec::new(),
        endings: Vec::new(),
    })
}

/// Checks that the arrays of a plan on the lab are there, with the LUNs that it names. Targets of storage are not looked at, for that would
/// be I/O.
pub fn check_arrays(plan: &Plan) -> Result<(), RigError> {
    let lab = simulated::arrays(plan, &used(&uses::uses(plan)), 0)?;
    refuse(lab.map_or_else(Vec::new, |lab| actions::check(plan, &lab)))
}

/// Opens what the steps use.
fn open_all(
    plan: &Plan,
    uses: &[Use],
    permits: Vec<Permits>,
) -> Result<Vec<Arc<OpenTarget>>, RigError> {
    let mut open: Vec<Arc<OpenTarget>> = Vec::new();
    let all = plan.targets.iter().zip(uses).zip(permits);
    for (id, ((target, used), permits)) in (0..).map(TargetId).zip(all) {
        let first = uses::first_in_turn(plan, uses, id);
        open.push(Arc::new(match open.get(first.0 as usize) {
            _ if *used == Use::default() => OpenTarget::unused(&target.name),
            Some(first) => {
                let others: Vec<&Tree> = plan.turns(id).map(|(_, tree)| tree).collect();
                OpenTarget::in_turn(target, first, &others)?
            }
            None => OpenTarget::open(target, permits)?,
        }));
    }
    Ok(open)
}

/// Each target's backend; what no step uses has none.
fn choose(
    host: &Host,
    targets: &[Arc<OpenTarget>],
    uses: &[Use],
    options: &RunOptions,
) -> Result<Vec<Option<Choice>>, RigError> {
    let all = targets.iter().zip(uses).enumerate();
    let choice = |(number, (open, used)): (usize, (&Arc<OpenTarget>, &Use))| {
        let is_used = *used != Use::default();
        let choice = is_used.then(|| host.choose(open, options.backend_of(number)));
        Ok(choice.transpose()?)
    };
    let mut choices: Vec<Option<Choice>> = all.map(choice).collect::<Result<_, RigError>>()?;
    // Jobs of fio, each with its own backend, are polled one by one.
    if options.backends.is_empty() {
        poll_all_or_none(&mut choices);
    }
    Ok(choices)
}

/// Checks that the plan fits its targets as they were found.
pub(crate) fn check_open(
    plan: &Plan,
    open: &[Arc<OpenTarget>],
    uses: &[Use],
) -> Result<(), RigError> {
    let facts = |((target, open), used): ((&Target, &Arc<OpenTarget>), &Use)| {
        if *used == Use::default() {
            return TargetFacts {
                size: target.size.unwrap_or_default(),
                logical_block: Bytes(1),
            };
        }
        TargetFacts {
            // What was opened begins at the offset; the facts are of the whole.
            size: Bytes(open.size.saturating_add(target.offset.0)),
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
    let filling = |id: &TargetId| {
        let target = &targets[id.0 as usize];
        let several = target.opened.members();
        let several = several.iter().filter(|_| several.len() > 1);
        Filling {
            target: *id,
            size: target.size,
            files: several.map(|file| file.size).collect(),
            stripe: target.opened.stripe(),
            content: match plan.target(*id).as_made {
                true => ContentSpec::Zeros,
                false => fill_content(plan.steps(), *id),
            },
        }
    };
    let fillings: Vec<Filling> = to_fill.iter().map(filling).collect();
    let name = if plan.dialect == "vdbench" {
        "SD_format"
    } else {
        "fill"
    };
    vec![fill_step(name, &fillings)]
}

pub(crate) fn drawn_seed() -> u64 {
    let clock = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64);
    // 53 bits, so that JSON readers that know only doubles keep it whole.
    plimsoll_engine::seed_for(clock, &[u64::from(std::process::id())]) >> 11
}
