//! Where a record was made, in a few lines.

use super::style::{Paint, Style};
use crate::human;
use plimsoll_evidence::{Environment, EnvironmentTarget, HostFacts};
use plimsoll_printable::printable;

/// Words about a run in virtual time, wherever its numbers are shown.
pub const SIMULATED: &str = "a model of storage in virtual time; nothing real was measured";

/// Host, targets, engine and notes, a line each.
pub fn environment(environment: &Environment, style: &Style) -> String {
    let mut lines = Vec::new();
    if environment.simulated {
        lines.push(("simulated", SIMULATED.to_owned()));
    } else {
        lines.push(("host", host(&environment.host)));
    }
    for target in &environment.targets {
        lines.push(("target", describe(target)));
    }
    lines.push(("engine", engine(environment)));
    lines.push(("started", environment.started.clone()));
    for note in &environment.notes {
        lines.push(("note", note.clone()));
    }
    let width = if environment.simulated { 11 } else { 8 };
    let mut out = String::new();
    for (label, text) in lines.into_iter().filter(|(_, text)| !text.is_empty()) {
        out.push_str(&style.paint(Paint::Dim, &format!("{label:<width$}")));
        out.push_str(&style.sentence(width, &printable(&text)));
        out.push('\n');
    }
    style.characters(out)
}

fn host(host: &HostFacts) -> String {
    let cpus = if host.cpus_available == host.cpus_online {
        format!("{} CPUs", host.cpus_online)
    } else {
        format!("{} of {} CPUs", host.cpus_available, host.cpus_online)
    };
    let nodes = (host.numa_nodes > 1).then(|| format!("{} NUMA nodes", host.numa_nodes));
    let kernel = (!host.kernel.is_empty()).then(|| format!("Linux {}", host.kernel));
    listed([
        Some(host.hostname.clone()),
        host.distribution.clone(),
        kernel,
        Some(cpus),
        host.cpu_model.clone(),
        nodes,
        (host.memory_bytes > 0).then(|| human::bytes(host.memory_bytes)),
        host.virtualization.clone(),
        host.governor.as_ref().map(|g| format!("governor {g}")),
    ])
}

fn describe(target: &EnvironmentTarget) -> String {
    let name = if target.name == target.location {
        target.location.clone()
    } else {
        format!("{} = {}", target.name, target.location)
    };
    let disks: Vec<String> = target
        .stack
        .iter()
        .map(|layer| {
            let facts = listed([
                layer.model.clone(),
                layer.firmware.as_ref().map(|f| format!("firmware {f}")),
                layer.scheduler.as_ref().map(|s| format!("scheduler {s}")),
            ]);
            if facts.is_empty() {
                layer.name.clone()
            } else {
                format!("{} ({facts})", layer.name)
            }
        })
        .collect();
    let filesystem = target
        .filesystem
        .as_ref()
        .map(|f| format!(" on {f}"))
        .unwrap_or_default();
    let block = target.logical_block_bytes;
    listed([
        Some(name),
        Some(format!("{}{filesystem}", target.kind)),
        Some(human::bytes(target.size_bytes)),
        (block > 1).then(|| format!("{block}-byte blocks")),
        target.backend.as_ref().map(|b| format!("by {b}")),
        (!disks.is_empty()).then(|| disks.join(" over ")),
    ])
}

fn engine(environment: &Environment) -> String {
    let reason = if environment.backend_reason.is_empty() {
        String::new()
    } else {
        format!(" ({})", environment.backend_reason)
    };
    listed([
        Some(format!("Plimsoll {}", environment.tool_version)),
        (!environment.backend.is_empty()).then(|| format!("{}{reason}", environment.backend)),
        (environment.submit_batch > 0).then(|| {
            format!(
                "submit {}, reap {}",
                environment.submit_batch, environment.reap_batch
            )
        }),
        (!environment.clock.is_empty()).then(|| format!("clock {}", environment.clock)),
        Some(format!("seed {}", environment.seed)),
    ])
}

/// The facts that are known, in one line.
fn listed<const N: usize>(facts: [Option<String>; N]) -> String {
    let known: Vec<String> = facts
        .into_iter()
        .flatten()
        .filter(|f| !f.is_empty())
        .collect();
    known.join(", ")
}
