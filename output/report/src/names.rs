//! What targets are called.

use plimsoll_evidence::EnvironmentTarget;

/// The name of the target at `index`; its number, from 1, where the environment has no such target.
pub(crate) fn target_name(targets: &[EnvironmentTarget], index: u32) -> String {
    match targets.get(index as usize) {
        Some(target) => target.name.clone(),
        None => format!("target {}", u64::from(index) + 1),
    }
}
