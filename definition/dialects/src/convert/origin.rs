//! Where a part of the original was written, for comments.

use plimsoll_diagnostic::{Sources, Span};
use plimsoll_plan::Origins;

/// `oltp.parm, line 3`, `oltp.parm, lines 3 to 9`: of the first text among the places.
pub(super) fn of(sources: &Sources, spans: impl IntoIterator<Item = Span>) -> Option<String> {
    let spans: Vec<Span> = spans
        .into_iter()
        .filter(|span| sources.find(span.file).is_some())
        .collect();
    let file = spans.first()?.file;
    // Each line is counted from the text's beginning, so that only these two are: the text may have thousands of jobs.
    let starts = || spans.iter().filter(|s| s.file == file).map(|s| s.start);
    let line = |byte| sources.line_column(file, byte).0;
    let (first, last) = (line(starts().min()?), line(starts().max()?));
    let name = &sources.get(file).name;
    Some(match first == last {
        true => format!("{name}, line {first}"),
        false => format!("{name}, lines {first} to {last}"),
    })
}

/// The places of a workload's parts among those of its step.
pub(super) fn of_workload(origins: &Origins, workload: &str) -> Vec<Span> {
    let origin = origins.iter().filter(|(field, _)| {
        field
            .strip_prefix(workload)
            .is_some_and(|rest| rest.starts_with('.'))
    });
    origin.map(|(_, span)| *span).collect()
}

/// The place of a part of a workload, else of the same part of its step, else of anything of the workload.
pub(super) fn of_part(origins: &Origins, workload: &str, field: &str) -> Option<Span> {
    let origin = origins.of(&format!("{workload}.{field}"));
    let any = || of_workload(origins, workload).first().copied();
    origin.or_else(|| origins.of(field)).or_else(any)
}
