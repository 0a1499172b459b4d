//! Formats: runs that make the trees of others first.

use super::files::{file_systems, open_flags, target};
use super::stream::transfer;
use super::target::Targets;
use crate::vdbench::definition::Definition;
use crate::vdbench::run::Run;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{AddressSpec, Bytes, FileWork, Making, Mix, Pattern, SizeSpec, Step, Stream};

/// Threads and transfer size of a format where no `fwd=format` says otherwise.
const FORMAT_THREADS: u32 = 8;
const FORMAT_TRANSFER: SizeSpec = SizeSpec::Fixed(Bytes(128 << 10));

/// The run that makes the trees of a run first.
pub(super) fn format(
    definition: &Definition,
    run: &Run,
    workloads: &[Option<usize>],
    targets: &mut Targets,
) -> Result<Step, Vec<Diagnostic>> {
    let from = &definition.runs[run.definition];
    let own = definition
        .file_workloads
        .iter()
        .rfind(|w| w.name == "format");
    let threads = own.map_or(FORMAT_THREADS, |w| {
        u32::try_from(w.threads).unwrap_or(u32::MAX)
    });
    let size = own.map_or(FORMAT_TRANSFER, |w| transfer(&w.sizes));
    let makes = match (from.format.deletes, from.format.directories) {
        _ if from.format.clean => Making::Deleted,
        (true, true) => Making::DirectoriesAnew,
        (true, false) => Making::Anew,
        (false, true) => Making::Directories,
        (false, false) => Making::Missing,
    };
    let mut streams: Vec<Stream> = Vec::new();
    for at in workloads {
        let workload = definition.file_workload(*at);
        for file_system in file_systems(definition, from, workload) {
            let own = own
                .and_then(|w| w.open_flags)
                .filter(|_| from.open_flags.is_none());
            let flags = own.or_else(|| open_flags(from, workload, file_system));
            let tree =
                target(run, from, (file_system, flags), workload, targets).map_err(|e| vec![*e])?;
            if streams.iter().any(|s| s.target == tree.target) {
                continue;
            }
            streams.push(Stream {
                files: FileWork {
                    makes: Some(makes),
                    opening: tree.opening,
                    ..FileWork::default()
                },
                ..Stream::new(
                    "format",
                    tree.target,
                    Mix::WRITES,
                    size.clone(),
                    AddressSpec::whole(Pattern::IN_ORDER),
                )
            });
        }
    }
    let mut fill = Step::fill(run.name.clone(), streams, threads);
    // Each host that shares a tree has as many.
    for depth in &mut fill.depths {
        let hosts = targets.hosts(depth.target).len().max(1);
        depth.slots = depth.slots.saturating_mul(hosts as u32);
    }
    // Operations are the run's own, and not the format's.
    let of_format = from.origins.iter().filter(|(key, _)| key != "operations");
    let origins = of_format.cloned().collect();
    Ok(Step {
        interval: super::step::seconds(from.interval),
        origins,
        elapsed: match from.format.limited {
            true => super::step::seconds(from.elapsed),
            false => fill.elapsed,
        },
        ..fill
    })
}
