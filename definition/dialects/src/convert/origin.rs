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
    let lines = spans.iter().filter(|s| s.file == file);
    let mut lines: Vec<u32> = lines
        .map(|s| sources.line_column(file, s.start).0)
        .collect();
    lines.sort_unstable();
    let (first, last) = (*lines.first()?, *lines.last()?);
    let name = &sources.get(file).name;
    Some(match first == last {
        true => format!("{name}, line {first}"),
        false => format!("{name}, lines {first} to {last}"),
    })
}

/// The places of a workload's parts among those of its step.
pub(super) fn of_workload(origins: &Origins, workload: &str) -> Vec<Span> {
    let own = origins.0.iter().filter(|(field, _)| {
        field
            .strip_prefix(workload)
            .is_some_and(|rest| rest.starts_with('.'))
    });
    own.map(|(_, span)| *span).collect()
}

/// The place of a part of a workload, else of the same part of its step, else of anything of the workload.
pub(super) fn of_part(origins: &Origins, workload: &str, field: &str) -> Option<Span> {
    let own = origins.of(&format!("{workload}.{field}"));
    let any = || of_workload(origins, workload).first().copied();
    own.or_else(|| origins.of(field)).or_else(any)
}
