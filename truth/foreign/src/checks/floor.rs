//! Times that no storage behind a bus or a network has.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use crate::format::fio_defects::stamps_behind_syncs;
use crate::model::{Caching, ForeignResult, Latency, Run};
use plimsoll_evidence::{Quantity, Severity};

/// Below 5 us.
const FLOOR_NS: f64 = 5_000.0;
/// Below 1 us.
const CALL_NS: f64 = 1_000.0;

/// Check of how small times are.
pub const CHECK: Check = Check {
    rules: &[106, 519],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut memory, mut minimum) = (0, Vec::new(), Vec::new());
    let (mut undone, mut quick) = (Vec::new(), Vec::new());
    for run in result
        .runs
        .iter()
        .filter(|r| r.asked.engine.as_deref() != Some("null") && !r.asked.is_memory)
    {
        let Some(row) = run.whole() else { continue };
        // What was written past the page cache may have nothing left to sync.
        let is_buffered = run.asked.cache == Some(Caching::Buffered);
        let is_timed = !stamps_behind_syncs(run, result.version.as_deref());
        let syncs = row.syncs.mean.map(|mean| mean.0 as f64);
        if let Some(mean) = syncs.filter(|mean| is_buffered && is_timed && *mean < FLOOR_NS) {
            let of = ("times_of", Quantity::Text("the syncs".to_string()));
            let values = [("mean", ns(mean)), of];
            undone.push(Hit::new(run, row.at, 1.0 / mean.max(1.0), values));
        }
        // Trims beside writes have times of their own.
        let side = match row.trims.is_empty() {
            false if row.writes.latency.mean.is_some() => &row.writes,
            _ => &row.all,
        };
        let Some(mean) = side.latency.mean.map(|mean| mean.0 as f64) else {
            continue;
        };
        seen += 1;
        // Who sends one at a time stamps none together, so that the least time is a memory's; and what completes it is all of it.
        let waits = run.asked.synchronous == Some(true);
        let times = match &side.completion {
            Some(completion) if waits => completion,
            _ => &side.latency,
        };
        if mean < FLOOR_NS {
            memory.push(hit(run, mean, None));
        } else if let Some((quantile, time)) = in_no_time(times) {
            let values = [
                ("percentile", Quantity::Number(quantile)),
                ("value", ns(time)),
            ];
            quick.push(Hit::new(run, row.at, quantile, values));
        } else if let Some(min) = side
            .latency
            .min
            .map(|m| m.0 as f64)
            .filter(|m| (1.0..CALL_NS).contains(m) && !waits)
        {
            minimum.push(hit(run, mean, Some(min)));
        }
    }
    answer(
        seen,
        "a mean time",
        [
            doubt(106, "answered-by-memory", Severity::Suspect, memory),
            doubt(106, "percentile-of-memory", Severity::Suspect, quick),
            doubt(106, "durable-in-memory", Severity::Suspect, undone),
            doubt(519, "minimum-impossible", Severity::Note, minimum),
        ],
    )
}

/// The highest percentile that is less than a call takes, where a quarter of the I/Os are below it; or than storage takes, where half of them
/// are.
fn in_no_time(times: &Latency) -> Option<(f64, f64)> {
    let percentiles = times.percentiles.iter();
    let found = percentiles.map(|(quantile, time)| (*quantile, time.0 as f64));
    found
        .filter(|(quantile, time)| {
            let least = [(0.25, CALL_NS), (0.5, FLOOR_NS)];
            least
                .iter()
                .any(|(from, below)| quantile >= from && time < below)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
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
