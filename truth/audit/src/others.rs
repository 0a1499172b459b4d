//! What everyone else saw of a run, as the rules look for it.

use crate::{NoAnswer, RuleAnswer, RuleFinding, RunView, applies, findings, observable};
use plimsoll_evidence::{EnvironmentTarget, StepEvidence, Witnessed};

/// The measured steps of which somebody else saw something; else why there is nothing to look at.
pub fn of<'a>(view: &RunView<'a>) -> Result<Vec<(&'a StepEvidence, &'a Witnessed)>, NoAnswer> {
    applies(view.is_real() && view.measured().next().is_some())?;
    let seen = view
        .measured()
        .filter_map(|s| Some((s, s.witnessed.as_ref()?)))
        .filter(|(_, w)| w.observed_s > 0.0);
    let seen: Vec<_> = seen.collect();
    observable(
        !seen.is_empty(),
        "what everyone else saw while it ran: the kernel's counters, interval by interval",
    )?;
    Ok(seen)
}

/// Asks each step for a part that may not have been seen, and judges where it was. `lacks` says what that is.
pub fn ask<'a, T>(
    view: &RunView<'a>,
    lacks: &'static str,
    part: impl Fn(&'a Witnessed) -> Option<T>,
    judge: impl Fn(&'a StepEvidence, &'a Witnessed, T) -> Vec<RuleFinding>,
) -> RuleAnswer {
    let seen = of(view)?;
    let parts = seen
        .into_iter()
        .filter_map(|(step, w)| Some((step, w, part(w)?)));
    let parts: Vec<_> = parts.collect();
    observable(!parts.is_empty(), lacks)?;
    let found = parts.into_iter().flat_map(|(step, w, part)| {
        judge(step, w, part)
            .into_iter()
            .map(|s| s.step(step.number))
    });
    findings(found)
}

/// A list as a part: what is empty was not seen.
pub fn some<T>(list: &[T]) -> Option<&[T]> {
    (!list.is_empty()).then_some(list)
}

/// A part of a whole; nothing of nothing.
pub fn share(part: f64, whole: f64) -> f64 {
    match whole > 0.0 {
        true => part / whole,
        false => 0.0,
    }
}

/// True of a target that a network may lie before: an export, a file of a network's file system, the kernel's NBD device. What transport is
/// below another disk (iSCSI, NVMe over TCP, Fibre Channel) is not told.
pub fn is_remote(target: &EnvironmentTarget) -> bool {
    const FILE_SYSTEMS: [&str; 6] = ["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs"];
    let files = target.filesystem.as_deref();
    target.kind == "NBD export"
        || files.is_some_and(|fs| FILE_SYSTEMS.contains(&fs))
        || target.stack.iter().any(|l| l.name.starts_with("nbd"))
}

/// True where any target is reached over a network.
pub fn has_network(view: &RunView<'_>) -> bool {
    let linked = |s: &StepEvidence| s.witnessed.as_ref().is_some_and(|w| !w.links.is_empty());
    let far = view.environment.targets.iter().any(is_remote);
    view.is_real() && (far || view.steps.iter().any(linked))
}
