//! Runs on the lab: what stands for the host, its devices and their content there.

use crate::{RigError, RunOptions, environment};
use plimsoll_engine::OpenTarget;
use plimsoll_evidence::{Environment, EnvironmentTarget, HostFacts, ZerosLeft};
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Plan, TargetId};
use plimsoll_sim::{Lab, REPEATING_FILL_MAX};
use std::sync::Arc;

/// The arrays of a plan; `used` says which of its targets a step uses. `None` where the plan is of storage.
pub(crate) fn open(
    plan: &Plan,
    used: &[bool],
    options: &RunOptions,
    seed: u64,
) -> Result<Option<Lab>, RigError> {
    let lab = arrays(plan, used, seed)?;
    match (&lab, options.backend) {
        (Some(_), Some(kind)) => Err(RigError::Plan(vec![Problem {
            message: format!("{kind} issues I/O to storage, and the targets are simulated"),
            remedy: "leave --backend out".into(),
            span: None,
        }])),
        _ => Ok(lab),
    }
}

/// The same, whatever is wanted of the run.
pub(crate) fn arrays(plan: &Plan, used: &[bool], seed: u64) -> Result<Option<Lab>, RigError> {
    Lab::open(&plan.targets, used, seed).map_err(|(id, error)| {
        RigError::Plan(vec![Problem {
            message: error.to_string(),
            remedy: error.remedy(),
            span: plan.target(id).origins.of("path"),
        }])
    })
}

/// The plan's targets.
pub(crate) fn targets(plan: &Plan, lab: &Lab) -> Vec<Arc<OpenTarget>> {
    let ids = (0..plan.targets.len() as u32).map(TargetId);
    ids.map(|id| Arc::new(lab.target(id, plan.target(id))))
        .collect()
}

/// The environment of a run on the lab. Of the host nothing is said: it has no part in what is measured.
pub(crate) fn describe(
    plan: &Plan,
    lab: &Lab,
    open: &[Arc<OpenTarget>],
    filled: &[TargetId],
    options: &RunOptions,
    seed: u64,
) -> Environment {
    let both = plan.targets.iter().zip(open);
    let described = |(id, (target, open)): (u32, (&plimsoll_plan::Target, &Arc<OpenTarget>))| {
        EnvironmentTarget {
            persona: lab.persona_hash(TargetId(id)),
            slices: lab.slices(TargetId(id)).filter(|_| target.stripe.is_none()),
            zeros: target.as_made.then(|| zeros_left(options)),
            name: target.name.clone(),
            location: target.location.text(),
            kind: match (target.location.tree(), target.stripe) {
                (Some(_), _) => "simulated tree".into(),
                (None, Some(_)) => "stripe".into(),
                (None, None) => "simulated LUN".into(),
            },
            size_bytes: open.size,
            logical_block_bytes: open.logical_block,
            ..EnvironmentTarget::default()
        }
    };
    let mut notes = lab.notes();
    if !filled.is_empty() {
        let names: Vec<&str> = filled
            .iter()
            .map(|id| plan.target(*id).name.as_str())
            .collect();
        notes.push(format!(
            "{} held data from start to end before the run, so that reads find some; it took no time",
            names.join(", ")
        ));
    }
    Environment {
        tool_version: env!("CARGO_PKG_VERSION").into(),
        started: environment::now_rfc3339(),
        command: options.command.clone(),
        seed,
        host: HostFacts::default(),
        more_hosts: Vec::new(),
        backend: "simulated".into(),
        backend_reason: String::new(),
        submit_batch: options.submit_batch as u32,
        reap_batch: options.reap_batch,
        clock: "virtual".into(),
        targets: (0..).zip(both).map(described).collect(),
        simulated: true,
        notes,
    }
}

/// Zeros that the making of a file leaves, as the user sees them.
pub(crate) fn zeros_left(options: &RunOptions) -> ZerosLeft {
    match options.allow_unwritten {
        true => ZerosLeft::Meant,
        false => ZerosLeft::Found,
    }
}

/// Sentence that a target was too large to be filled with what its workloads write.
pub(crate) fn filled_otherwise(plan: &Plan, id: TargetId) -> String {
    format!(
        "{} is larger than {}, so what it held before the run does not repeat as its workloads' data does; give it a \
         smaller size, or write it first",
        plan.target(id).name,
        REPEATING_FILL_MAX
    )
}
