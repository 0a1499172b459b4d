//! What a plan does to an area before it reads it.

use crate::{PlanView, StreamAt};
use plimsoll_plan::Mix;

/// A workload that reads, and what an earlier step did to what it reads.
pub struct Touched<'a> {
    /// The workload that reads.
    pub reader: StreamAt<'a>,
    /// The run that the earlier step belongs to.
    pub before: &'a str,
    /// Bytes of the area that both use; none where they use all of a target whose size is not known.
    pub bytes: Option<u64>,
    /// True where a step between them writes to the same target.
    pub written_between: bool,
}

/// The workloads that read what an earlier step of such a mix touched; `None` where no step has such a mix, or where no later one
/// reads.
pub fn touched_before<'a>(
    view: &PlanView<'a>,
    mix: impl Fn(&Mix) -> bool,
) -> Option<Vec<Touched<'a>>> {
    let steps: Vec<_> = view.plan.steps().collect();
    let place = |s: &StreamAt<'_>| steps.iter().position(|step| std::ptr::eq(*step, s.at.step));
    let all: Vec<(usize, StreamAt<'a>)> = view
        .streams()
        .filter_map(|s| Some((place(&s)?, s)))
        .collect();
    let touching = || all.iter().filter(|(_, s)| mix(&s.stream.mix));
    let mut pairs = Vec::new();
    let mut any = false;
    for (at, reader) in all.iter().filter(|(_, s)| s.stream.mix.read > 0.0) {
        for (earlier, toucher) in touching().filter(|(earlier, _)| earlier < at) {
            any = true;
            let writes = |step: &&&plimsoll_plan::Step| {
                let mut own = step.streams.iter();
                own.any(|s| s.target == reader.stream.target && s.mix.write > 0.0)
            };
            let bytes = overlap(view, reader, toucher);
            if reader.stream.target == toucher.stream.target && bytes != Some(0) {
                pairs.push(Touched {
                    reader: *reader,
                    before: &toucher.at.step.run,
                    bytes,
                    written_between: steps[earlier + 1..*at].iter().any(|s| writes(&s)),
                });
            }
        }
    }
    any.then_some(pairs)
}

/// Bytes that both use; none where they use the same of a target whose size is not known.
fn overlap(view: &PlanView<'_>, a: &StreamAt<'_>, b: &StreamAt<'_>) -> Option<u64> {
    match (view.range(a), view.range(b)) {
        (Some(a), Some(b)) => Some(a.1.min(b.1).saturating_sub(a.0.max(b.0))),
        _ if a.stream.address.range == b.stream.address.range => None,
        _ => Some(0),
    }
}
