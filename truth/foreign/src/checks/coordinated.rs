//! Coordinated omission: waits that a generator does not count because it waited, too.

use super::{Check, CheckAnswer, Hit, answer, doubt, ns};
use crate::model::{ForeignResult, Load, Pace, Row, Run};
use plimsoll_evidence::{Quantity, Severity};

/// Limited rates and stalls.
pub const CHECK: Check = Check {
    rules: &[540, 541, 542, 543],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut sent, mut square, mut throttle) = (0, Vec::new(), Vec::new(), Vec::new());
    let (mut limited, mut closed, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for run in &result.runs {
        let Some(row) = run.whole() else { continue };
        seen += usize::from(run.asked.load.is_some());
        let hit = stall(run, row);
        let Some(Load::Limited { rate, pace }) = run.asked.load else {
            let hit = hit.filter(|_| run.asked.load.is_some());
            match stood_still(run, row) {
                true => alone.extend(hit),
                false => closed.extend(hit),
            }
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
            doubt(540, "stall-hidden", Severity::Suspect, limited),
            doubt(540, "stall-hidden", Severity::Suspect, alone),
            doubt(543, "throttle-in-latency", Severity::Suspect, throttle),
            doubt(542, "square-wave-limit", Severity::Suspect, square),
            doubt(541, "sent-not-intended", Severity::Note, sent),
            doubt(540, "stall-hidden", Severity::Note, closed),
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
    // I/Os that are due while all slots wait; what was sent before has its own wait in the times.
    let due = rate * max / 1e9 - slots;
    let blocked_ns = (due / rate * 1e9).max(0.0);
    let added = blocked_ns * blocked_ns / (2.0 * length_ns);
    // What is longer than the run is wrong, and said elsewhere.
    let hidden = max <= length_ns && max >= times * value && due >= 1.0 && added > 0.1 * mean;
    let hidden = hidden && !went_on(run, max / 1e9);
    let kind = match run.asked.load {
        Some(Load::Limited { .. }) => "limited",
        _ if stood_still(run, row) => "alone",
        _ => "closed",
    };
    hidden.then(|| {
        Hit::new(
            run,
            row.at,
            added / mean,
            [
                ("max", ns(max)),
                ("beside", Quantity::Text(beside.into())),
                ("beside_value", ns(value)),
                ("due", Quantity::Count(due as u64)),
                ("mean_intended", ns(mean + added)),
                ("mean", ns(mean)),
                ("length", Quantity::Seconds(length_ns / 1e9)),
                ("loop", Quantity::Text(kind.into())),
            ],
        )
    })
}

/// True where intervals show that others completed all along, of which a standstill of so many seconds would have left one empty.
fn went_on(run: &Run, longest_s: f64) -> bool {
    let Some(rows) = run.course().filter(|_| run.skipped() == 0) else {
        return false;
    };
    let rates: Option<Vec<f64>> = rows.iter().map(|row| row.iops()).collect();
    let Some(mut rates) = rates.filter(|rates| !rates.is_empty()) else {
        return false;
    };
    rates.sort_by(f64::total_cmp);
    let are_short = |row: &&Row| row.seconds.is_some_and(|s| 2.0 * s <= longest_s);
    rows.iter().all(are_short) && rates[0] >= 0.5 * rates[rates.len() / 2]
}

/// True where nothing at all completed in the longest time, as where one I/O is in flight, and that was a large part of the run.
fn stood_still(run: &Run, row: &Row) -> bool {
    let longest = row.all.latency.max.map(|max| max.0 as f64 / 1e9);
    let length = run.counted_s().unwrap_or(f64::INFINITY);
    run.asked.in_flight == Some(1) && longest.is_some_and(|s| s >= LONG_S && s >= LONG * length)
}

/// A standstill is a doubt where it is at least so long, s…
const LONG_S: f64 = 1.0;
/// …and this share of the run.
const LONG: f64 = 0.1;

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

#[test]
fn intervals_that_have_their_rate_say_that_no_standstill_was() {
    use crate::model::{InputPlace, Scope};
    use plimsoll_plan::Rate;
    let with = |least: f64, seconds: f64| {
        let mut run = crate::model::Run {
            name: "r".into(),
            ..Run::default()
        };
        for n in 0..20_u32 {
            let mut row = Row::new(Scope::Interval(n), "", InputPlace::default());
            row.seconds = Some(seconds);
            row.all.iops = Some(Rate(if n == 9 { least } else { 1000.0 }));
            run.rows.push(row);
        }
        went_on(&run, 4.0)
    };
    assert!(with(900.0, 1.0));
    // One that is empty, or too long to show it.
    assert!(!with(0.0, 1.0) && !with(900.0, 3.0));
}

#[test]
fn one_io_in_flight_that_takes_long_is_a_standstill() {
    use crate::model::{AskedSettings, InputPlace, Scope};
    use plimsoll_plan::Nanos;
    let stood = |in_flight: u64, longest_s: f64| {
        let mut row = Row::new(Scope::Whole, "all", InputPlace::default());
        row.seconds = Some(10.0);
        row.all.latency.max = Some(Nanos((longest_s * 1e9) as u64));
        let run = Run {
            name: "r".into(),
            asked: AskedSettings {
                in_flight: Some(in_flight),
                ..AskedSettings::default()
            },
            rows: vec![row],
            ..Run::default()
        };
        stood_still(&run, &run.rows[0])
    };
    assert!(stood(1, 3.0));
    assert!(!stood(1, 0.5) && !stood(4, 3.0));
}
