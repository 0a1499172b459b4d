//! What a record's environment says of a comparison: where it was measured, which may differ, and how, which may not.

use super::asked;
use super::facts::Fact;
use crate::environment_rows::facts;
use plimsoll_evidence::{BlockLayer, Environment, EnvironmentTarget};

/// Facts that each run has for itself.
const OF_ONE_RUN: [&str; 5] = ["started", "command", "seed", "notes", "backend_reason"];

/// Prefix of the facts of drivers.
const DRIVER: &str = "driver ";

/// Each driver is a fact of its own.
const AS_A_LIST: &str = "drivers";

/// Facts of how I/O was issued: neither build, nor host, nor target.
const OF_MEASURING: [&str; 4] = ["backend", "submit_batch", "reap_batch", "simulated"];

/// Facts of build, host and targets. Targets and their layers are numbered: two devices compared have two names.
pub(super) fn of_place(environment: &Environment) -> Vec<Fact> {
    let own =
        |key: &str| OF_ONE_RUN.contains(&key) || OF_MEASURING.contains(&key) || key == AS_A_LIST;
    let mut all: Vec<Fact> = facts(environment)
        .into_iter()
        .filter(|(key, _)| !own(key))
        .map(|(key, value)| Fact::plain(key.replace('_', " "), value.unwrap_or_default()))
        .collect();
    let drivers = environment.host.drivers.iter();
    all.extend(drivers.map(|(name, version)| Fact::plain(format!("{DRIVER}{name}"), version)));
    for (index, target) in environment.targets.iter().enumerate() {
        all.extend(of_target(index + 1, target));
    }
    all
}

/// Facts that tell a target from another one with its name: runs on either can be compared, but a host on which it changed is another.
pub(super) fn of_identity(environment: &Environment) -> Vec<Fact> {
    let mut all = Vec::new();
    for (index, target) in environment.targets.iter().enumerate() {
        let mut fact = |key: &str, value: String| {
            let name = format!("target {}: {key}", index + 1);
            all.push(Fact::plain(name, value));
        };
        fact("files (inode and birth)", target.files.join(", "));
        fact("persona's file", target.persona.clone().unwrap_or_default());
        let names = target.stack.iter().filter_map(|layer| layer.wwn.clone());
        fact("world-wide names", names.collect::<Vec<_>>().join(", "));
    }
    all
}

/// Facts of how all steps were measured: how I/O was issued, whether any of it was real, and what the plan asked of each
/// target.
pub(super) fn of_measuring(environment: &Environment, plan: &str) -> Vec<Fact> {
    let mut all: Vec<Fact> = facts(environment)
        .into_iter()
        .filter(|(key, _)| OF_MEASURING.contains(key))
        .map(|(key, value)| Fact::plain(key.replace('_', " "), value.unwrap_or_default()))
        .collect();
    let backends = environment.targets.iter().enumerate();
    all.extend(backends.filter_map(|(index, target)| {
        let backend = target.backend.clone()?;
        Some(Fact::plain(
            format!("target {}: backend", index + 1),
            backend,
        ))
    }));
    all.extend(asked::of_plan(plan));
    all
}

fn of_target(number: usize, target: &EnvironmentTarget) -> Vec<Fact> {
    let fact = |key: &str, value: String| Fact::plain(format!("target {number}: {key}"), value);
    let mut all = vec![
        fact("name", target.name.clone()),
        fact("location", target.location.clone()),
        fact("kind", target.kind.clone()),
        fact("size bytes", target.size_bytes.to_string()),
        fact("file system", target.filesystem.clone().unwrap_or_default()),
    ];
    for (index, layer) in target.stack.iter().enumerate() {
        let prefix = match index {
            0 => String::new(),
            below => format!("layer {below} below it: "),
        };
        let of_layer = of_layer(layer).into_iter();
        all.extend(of_layer.map(|(key, value)| fact(&format!("{prefix}{key}"), value)));
    }
    all
}

fn of_layer(layer: &BlockLayer) -> Vec<(String, String)> {
    let known = |value: &Option<String>| value.clone().unwrap_or_default();
    let mut all = vec![
        ("device".to_string(), layer.name.clone()),
        ("model".to_string(), known(&layer.model)),
        ("serial".to_string(), known(&layer.serial)),
        ("firmware".to_string(), known(&layer.firmware)),
        ("scheduler".to_string(), known(&layer.scheduler)),
    ];
    all.extend(layer.queue.iter().cloned());
    all
}
