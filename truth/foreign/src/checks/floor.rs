//! Times that no storage behind a bus or a network has.

use super::{About, Answer, Check, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Run};
use plimsoll_evidence::Severity;

const MEMORY: About = About {
    id: "answered-by-memory",
    threshold: "a mean below 5 us",
    source: "the quickest drive known, polled, takes 3.4 us for 512 bytes; flash takes 10 us and more",
    remedy: "Go around the page cache (direct=1, o_direct, -Sh), write the target before it is read, and use more of it than any \
             cache holds. If the target is meant to be memory, say so beside the result.",
};

const MINIMUM: About = About {
    id: "minimum-impossible",
    threshold: "a smallest time below 1 us beside a mean above 5 us",
    source: "a read that crosses into the kernel and back takes a microsecond or more",
    remedy: "Take the smallest time for none. Smaller batches have less of this error.",
};

/// Below 5 us.
const FLOOR_NS: f64 = 5_000.0;
/// Below 1 us.
const CALL_NS: f64 = 1_000.0;

/// How small times are.
pub const CHECK: Check = Check {
    name: "the floor of latency",
    rules: &[MEMORY, MINIMUM],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut memory, mut minimum) = (0, Vec::new(), Vec::new());
    for run in result
        .runs
        .iter()
        .filter(|r| r.asked.engine.as_deref() != Some("null"))
    {
        let Some(row) = run.whole() else { continue };
        let Some(mean) = row.mean_ns() else { continue };
        seen += 1;
        if mean < FLOOR_NS {
            memory.push(hit(run, mean, None));
        } else if let Some(min) = row
            .all
            .latency
            .min
            .map(|m| m.0 as f64)
            .filter(|m| (1.0..CALL_NS).contains(m))
        {
            minimum.push(hit(run, mean, Some(min)));
        }
    }
    answer(
        seen,
        "a mean time",
        [
            doubt(&MEMORY, Severity::Suspect, memory),
            doubt(&MINIMUM, Severity::Note, minimum),
        ],
    )
}

fn hit(run: &Run, mean: f64, min: Option<f64>) -> Hit<'_> {
    let place = run.whole().map_or(run.at, |r| r.at);
    let values = [Some(("mean", ns(mean))), min.map(|m| ("min", ns(m)))];
    Hit::new(
        run,
        place,
        1.0 / mean.max(1.0),
        values.into_iter().flatten(),
    )
}
