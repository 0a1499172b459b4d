//! Caches that may have answered in the target's place.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{Caching, ForeignResult, Run};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_plan::{Bytes, Durability};

/// Caches.
pub const CHECK: Check = Check {
    rules: &[15, 16, 19, 124],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut buffered, mut small, mut hits) = (0, Vec::new(), Vec::new(), Vec::new());
    let mut above = Vec::new();
    for run in result
        .runs
        .iter()
        .filter(|r| r.asked.engine.as_deref() != Some("null"))
    {
        let asked = &run.asked;
        seen += usize::from(asked.cache.is_some() || asked.hits.is_some());
        let size = asked.target_size.filter(|s| s.0 > 0);
        match asked.cache {
            Some(Caching::Buffered) if is_durable(run) => {}
            Some(Caching::Buffered) => buffered.push(through(run, size)),
            Some(Caching::Direct) => {
                if let Some(Bytes(size)) = size.filter(|s| s.0 < 4 << 30) {
                    small.push(Hit::new(
                        run,
                        run.at,
                        -(size as f64),
                        [("size", Quantity::Bytes(size))],
                    ));
                }
            }
            None => {}
        }
        hits.extend(area(run));
        above.extend(answered_above(run));
    }
    answer(
        seen,
        "whether the page cache was used",
        [
            doubt(19, "through-page-cache", Severity::Invalid, buffered),
            doubt(124, "answered-above-disk", Severity::Invalid, above),
            doubt(16, "hit-area", Severity::Suspect, hits),
            doubt(15, "small-target", Severity::Note, small),
        ],
    )
    .needing(
        124,
        result
            .runs
            .iter()
            .any(|r| r.whole().is_some_and(|w| w.reached.is_some())),
        "what the host's disks did meanwhile",
    )
    .needing(
        15,
        result.runs.iter().any(|r| r.asked.target_size.is_some()),
        "how large the target is",
    )
    .needing(
        16,
        result.runs.iter().any(|r| r.asked.hits.is_some()),
        "a part of the accesses that goes to a small area",
    )
}

/// True where the run only wrote, and each write, or each few, was durable before the next.
fn is_durable(run: &Run) -> bool {
    let waits = run.asked.durability.is_some_and(Durability::waits);
    waits && run.writes() && !run.reads()
}

fn through(run: &Run, size: Option<Bytes>) -> Hit<'_> {
    let does = match (run.reads(), run.writes()) {
        (true, true) => "both",
        (false, true) if run.asked.durability == Some(Durability::FsyncAtEnd) => {
            "synced at the end"
        }
        (false, true) => "writes",
        _ => "reads",
    };
    // What no host's memory would hold needs no word.
    let size = size
        .filter(|s| s.0 < 1 << 40)
        .map(|s| ("size", Quantity::Bytes(s.0)));
    let values = std::iter::once(("does", Quantity::Text(does.into()))).chain(size);
    Hit::new(run, run.at, 1.0, values)
}

/// Time of a run of which the disks' counts may know nothing, s.
const UNSEEN_S: f64 = 0.5;

fn answered_above(run: &Run) -> Option<Hit<'_>> {
    let row = run.whole()?;
    let (made, reached) = row.reached.filter(|(made, _)| *made >= 1000)?;
    let share = reached as f64 / made as f64;
    // fio looks at the disks' counts four times a second, and not at the ends.
    let unseen = UNSEEN_S / run.counted_s().filter(|s| *s > 0.0)?;
    (share + unseen < 0.5).then(|| {
        let values = [
            ("reads", Quantity::Count(made)),
            ("reached", Quantity::Count(reached)),
        ];
        Hit::new(run, row.at, 1.0 - share, values)
    })
}

fn area(run: &Run) -> Option<Hit<'_>> {
    let hits = run.asked.hits.filter(|h| h.area.0 < 1 << 30)?;
    let reads = run.asked.read_share.unwrap_or(0.5);
    let share = reads * hits.reads + (1.0 - reads) * hits.writes;
    (share >= 0.1).then(|| {
        Hit::new(
            run,
            run.at,
            share,
            [
                ("share", Quantity::Share(share)),
                ("area", Quantity::Bytes(hits.area.0)),
                ("hottest", Quantity::Share(share + (1.0 - share) / 8.0)),
            ],
        )
    })
}
