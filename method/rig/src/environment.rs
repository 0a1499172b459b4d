//! What is written down of host, targets and backends before the first step.

use crate::RunOptions;
use plimsoll_engine::backend::choose::{BackendKind, Choice};
use plimsoll_engine::clock::{RealClock, tsc_refusal};
use plimsoll_engine::{OpenTarget, Opened};
use plimsoll_evidence::{Environment, EnvironmentTarget};
use plimsoll_plan::Target;
use plimsoll_witness::{Root, block, host, reached_over, target};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The environment of a run.
pub(crate) fn describe(
    targets: &[Target],
    open: &[std::sync::Arc<OpenTarget>],
    choices: &[Option<Choice>],
    options: &RunOptions,
    seed: u64,
) -> Environment {
    let root = Root::system();
    let mut described: Vec<EnvironmentTarget> = targets
        .iter()
        .zip(open)
        .map(|(plan, open)| describe_target(&root, plan, open))
        .collect();
    let mut kinds: Vec<BackendKind> = choices.iter().flatten().map(|c| c.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut notes = Vec::new();
    for (target, choice) in described.iter_mut().zip(choices) {
        let Some(choice) = choice else { continue };
        if kinds.len() > 1 {
            target.backend = Some(choice.kind.to_string());
        }
        if !choice.reason.is_empty() && !choice.reason.starts_with(Choice::DEMANDED) {
            notes.push(format!(
                "{} uses {}: {}",
                target.name, choice.kind, choice.reason
            ));
        }
        if let (BackendKind::Null, Some(asked)) = (choice.kind, options.backend)
            && asked != BackendKind::Null
        {
            notes.push(format!(
                "{} is a null target, which completes its I/Os at once: {asked} was asked for and has nothing to do there",
                target.name
            ));
        }
    }
    for (target, open) in targets.iter().zip(open) {
        if target.is_buffered() && !open.opened.members().is_empty() {
            notes.push(format!(
                "{} is reached through the page cache: what is measured is memory as well as storage",
                target.name
            ));
        }
    }
    for (target, found) in targets.iter().zip(&described) {
        let Some(path) = target.location.paths().first() else {
            continue;
        };
        let over = reached_over(&root, path, &found.stack);
        notes.extend(
            over.iter()
                .map(|one| format!("{} is reached over {one}", target.name)),
        );
    }
    if let Some(reason) = tsc_refusal() {
        notes.push(format!("the clock is clock_gettime: {reason}"));
    }
    if let Some(record) = &options.record
        && let Some(device) = record_shares_device(&root, record, &described)
    {
        notes.push(format!(
            "the record lies on the tested device {device}; its own writes are part of what is measured"
        ));
    }
    let given = || choices.iter().flatten().filter(|c| !c.reason.is_empty());
    let reason = given().find(|c| c.shortfall().is_some()).or(given().next());
    let reason = reason.map(|c| c.reason.clone()).unwrap_or_default();
    Environment {
        tool_version: env!("CARGO_PKG_VERSION").into(),
        started: now_rfc3339(),
        command: options.command.clone(),
        seed,
        host: host::facts(&root),
        more_hosts: Vec::new(),
        backend: kinds
            .iter()
            .map(BackendKind::to_string)
            .collect::<Vec<_>>()
            .join(", "),
        backend_reason: reason,
        submit_batch: options.submit_batch as u32,
        reap_batch: options.reap_batch,
        clock: RealClock::name().into(),
        targets: described,
        simulated: false,
        notes,
    }
}

fn describe_target(root: &Root, plan: &Target, open: &OpenTarget) -> EnvironmentTarget {
    let mut described = match plan.location.paths().first() {
        Some(path) => target::facts(root, &plan.name, path).unwrap_or_default(),
        None => EnvironmentTarget {
            kind: match open.opened {
                Opened::Volume(_) => "NBD export".into(),
                Opened::Tree(_) => "directories and files".into(),
                _ => "null".into(),
            },
            ..EnvironmentTarget::default()
        },
    };
    described.name = plan.name.clone();
    described.location = plan.location.text();
    described.counted = plan.location.counted();
    described.size_bytes = open.size;
    described.logical_block_bytes = open.logical_block;
    described.files = open
        .opened
        .members()
        .iter()
        .filter_map(|m| file_id(&m.file))
        .collect();
    if plan.location.is_joined() {
        described.kind = match plan.stripe {
            Some(_) => "stripe".into(),
            None => "concatenation".into(),
        };
    }
    described
}

/// Identity of a regular file, different from every other's as long as it lives: its inode, and when it was born where that is known.
fn file_id(file: &std::fs::File) -> Option<String> {
    let found = file.metadata().ok().filter(|m| m.is_file())?;
    let born = found.created().ok();
    let since = born.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    Some(match since {
        Some(since) => format!("inode {}, born {}", found.ino(), since.as_nanos()),
        None => format!("inode {}", found.ino()),
    })
}

/// The name of a disk that both the record and a target lie on.
fn record_shares_device(
    root: &Root,
    record: &Path,
    targets: &[EnvironmentTarget],
) -> Option<String> {
    let folder = match record.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let device = block::device_of_path(root, folder).ok().flatten()?;
    let stack = block::stack(root, &device);
    targets
        .iter()
        .find_map(|t| block::share_a_disk(&stack, &t.stack))
}

/// The wall clock, UTC.
pub(crate) fn now_rfc3339() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}
