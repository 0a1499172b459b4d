//! Coordinated omission: waits that a generator does not count because it waited, too.

use super::{About, Answer, Check, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Load, Pace, Row, Run};
use plimsoll_evidence::{Quantity, Severity};

const HIDDEN: About = About {
    id: "stall-hidden",
    threshold: "the largest time S is 10 times p99.9 (or 20 times the mean, where no percentile is known), more came due in it than \
                there are slots, and S^2/2T is more than 10 % of the mean",
    source: "Tene, How NOT to Measure Latency: of a stall S in a time T, I/Os that are due wait S/2 on average",
    remedy: "Measure at a rate with times from the intended start (plimsoll run --rate), and find the stall.",
};

const SENT: About = About {
    id: "sent-not-intended",
    threshold: "a limited rate, with any of these tools",
    source: "fio's manual on rate_process and its issue 1394; Vdbench's, DiskSPD's and elbencho's stamps are taken at the call",
    remedy: "Take the percentiles as the service's, not as what a user of that rate sees.",
};

const SQUARE: About = About {
    id: "square-wave-limit",
    threshold: "a rate limited by --limitread or --limitwrite",
    source: "elbencho's rate limiter: 2,000/s had a mean of 619 us where an even rate has 76 us",
    remedy: "Measure at an even or random rate with another tool.",
};

const THROTTLE: About = About {
    id: "throttle-in-latency",
    threshold: "a limited rate that was kept within 2 %, and at least 0.9 of all slots busy",
    source: "diskspd-for-linux -g: 2,000/s with 32 slots had a mean of 15.975 ms where the kernel saw 0.1 ms",
    remedy: "Do not use these times. Measure the rate with another tool.",
};

/// Limited rates and stalls.
pub const CHECK: Check = Check {
    name: "coordinated omission",
    rules: &[HIDDEN, SENT, SQUARE, THROTTLE],
    look,
};

fn look(result: &ForeignResult) -> Answer {
    let (mut seen, mut sent, mut square, mut throttle) = (0, Vec::new(), Vec::new(), Vec::new());
    let (mut limited, mut closed) = (Vec::new(), Vec::new());
    for run in &result.runs {
        let Some(row) = run.whole() else { continue };
        seen += usize::from(run.asked.load.is_some());
        let hit = stall(run, row);
        let Some(Load::Limited { rate, pace }) = run.asked.load else {
            closed.extend(hit.filter(|_| run.asked.load.is_some()));
            continue;
        };
        limited.extend(hit);
        let tool = ("tool", Quantity::Text(result.tool.name().into()));
        match pace {
            Pace::SquareWave => square.push(Hit::new(
                run,
                row.at,
                rate.0,
                [tool, ("asked", Quantity::PerSecond(rate.0))],
            )),
            _ => sent.push(Hit::new(run, row.at, rate.0, [tool])),
        }
        throttle.extend(throttled(run, row, rate.0));
    }
    answer(
        seen,
        "whether the rate was limited",
        [
            doubt(&HIDDEN, Severity::Suspect, limited),
            doubt(&THROTTLE, Severity::Suspect, throttle),
            doubt(&SQUARE, Severity::Suspect, square),
            doubt(&SENT, Severity::Note, sent),
            doubt(&HIDDEN, Severity::Note, closed),
        ],
    )
}

fn stall<'r>(run: &'r Run, row: &Row) -> Option<Hit<'r>> {
    let (rate, mean) = (row.iops()?, row.mean_ns()?);
    let max = row.all.latency.max?.0 as f64;
    let length_ns = run.counted_s().filter(|s| *s > 0.0)? * 1e9;
    let (beside, value, times) = match p999(row) {
        Some(value) => ("p99.9", value, 10.0),
        None => ("mean", mean, 20.0),
    };
    let slots = run.asked.in_flight.or(run.asked.depth).unwrap_or(1) as f64;
    let due = rate * max / 1e9;
    let added = max * max / (2.0 * length_ns);
    // What is longer than the run is wrong, and said elsewhere.
    let hidden = max <= length_ns && max >= times * value && due > slots && added > 0.1 * mean;
    let limited = matches!(run.asked.load, Some(Load::Limited { .. }));
    hidden.then(|| {
        Hit::new(
            run,
            row.at,
            added / mean,
            [
                ("max", ns(max)),
                ("beside", Quantity::Text(beside.into())),
                ("beside_value", ns(value)),
                ("due", Quantity::Count((due - slots) as u64)),
                ("mean_intended", ns(mean + added)),
                ("mean", ns(mean)),
                (
                    "loop",
                    Quantity::Text(if limited { "limited" } else { "closed" }.into()),
                ),
            ],
        )
    })
}

/// p99.9 of all, or the larger one of those of reads and writes.
fn p999(row: &Row) -> Option<f64> {
    let of = |side: &crate::model::Side| {
        let latencies = std::iter::once(&side.latency).chain(&side.completion);
        latencies
            .flat_map(|l| &l.percentiles)
            .find(|(q, _)| (q - 0.999).abs() < 1e-6)
            .map(|(_, t)| t.0 as f64)
    };
    of(&row.all).or_else(|| {
        [&row.reads, &row.writes]
            .into_iter()
            .filter_map(of)
            .reduce(f64::max)
    })
}

fn throttled<'r>(run: &'r Run, row: &Row, asked_rate: f64) -> Option<Hit<'r>> {
    let slots = run.asked.in_flight.filter(|n| *n >= 2)? as f64;
    let (rate, mean, in_flight) = (row.iops()?, row.mean_ns()?, row.in_flight()?);
    let kept = (rate / asked_rate - 1.0).abs() <= 0.02;
    // What is above is impossible, and said elsewhere.
    (kept && (0.9 * slots..1.05 * slots + 0.5).contains(&in_flight)).then(|| {
        Hit::new(
            run,
            row.at,
            in_flight / slots,
            [
                ("rate", Quantity::PerSecond(rate)),
                ("asked", Quantity::Number(slots)),
                ("mean", ns(mean)),
            ],
        )
    })
}
