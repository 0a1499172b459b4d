//! Checks of a workload on files by itself.

use super::codes;
use super::model::{FileWorkload, Operation};
use super::report::Report;
use plimsoll_diagnostic::Diagnostic;

/// Checks a workload by itself.
pub(crate) fn check(workload: &FileWorkload, report: &mut Report) {
    if Operation::named(&workload.name) {
        report.add(
            Diagnostic::error(
                codes::NAME,
                format!("a fwd may not be called `{}`", workload.name),
            )
            .at(workload.span, "this is the name of an operation"),
        );
    }
    target(workload, report);
    if workload.file_systems.is_empty() {
        report.add(
            Diagnostic::error(codes::REQUIRED, format!("fwd={} has no fsd", workload.name))
                .at(workload.span, "needs fsd="),
        );
    }
    if workload.read_percent.is_some()
        && workload.sequential
        && workload.origins.of("fileio").is_some()
    {
        let span = workload
            .origins
            .of("rdpct")
            .or(workload.origins.of("readpct"));
        report.add(
            Diagnostic::error(
                codes::CONFLICT,
                "`rdpct=` cannot be used with `fileio=sequential`",
            )
            .at(
                span.unwrap_or(workload.span),
                "a file is read or written from start to end, not both",
            )
            .help("use fileio=random, or two fwds with operation=read and operation=write"),
        );
    }
}

/// `target=` is where files are copied or moved to, and nothing else.
fn target(workload: &FileWorkload, report: &mut Report) {
    let moves = |o: &Operation| matches!(o, Operation::Copy | Operation::Move);
    let span = workload.origins.of("target");
    if let Some(span) = span.filter(|_| !workload.operations.iter().any(moves)) {
        report.add(
            Diagnostic::error(
                codes::CONFLICT,
                format!("fwd={} has a target but copies nothing", workload.name),
            )
            .at(span, "only operation=copy and operation=move have a target"),
        );
    }
}
