//! Arithmetic of one claim: its rate and time against the I/Os that could be out, its bytes against its ports.

use super::{Check, CheckAnswer, Doubt, Hit, answer, doubt, ns};
use crate::claim::busier_direction;
use crate::claimed::{Claimed, OpenFactors, Slots, Span};
use crate::model::{ForeignResult, Row, Run};
use plimsoll_evidence::wording::rate;
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

/// Little's law, with what rounding leaves open.
pub const CONCURRENCY: Check = Check {
    rules: &[105, 114, 502],
    look: concurrency,
};

/// Bytes and ports.
pub const PORTS: Check = Check {
    rules: &[550],
    look: ports,
};

/// Gap between rate times mean and the claimed concurrency, beyond rounding, up to which nothing is said.
const SLACK: f64 = 0.02;
/// From here on it is no slip of the last digit.
const FAR: f64 = 0.10;
/// Numbers of targets or hosts that a claim may have left unsaid; a greater number nobody would forget to name.
const UNNAMED: [f64; 5] = [2.0, 3.0, 4.0, 8.0, 16.0];

fn concurrency(result: &ForeignResult) -> CheckAnswer {
    let judged = |run: &'_ Run| {
        let claimed = run.claimed.as_ref()?;
        Some((claimed.in_flight()?, claimed.slots.clone()?))
    };
    let seen = result.runs.iter().filter(|r| judged(r).is_some()).count();
    let mut doubts: Vec<Option<Doubt>> = Vec::new();
    for run in &result.runs {
        let Some((span, slots)) = judged(run) else {
            continue;
        };
        // Reads and writes of one mix share what is out.
        let claimed = |other: &Run| {
            let claimed = other
                .claimed
                .as_ref()
                .filter(|_| other.asked.block == run.asked.block);
            let own = claimed.and_then(|c| c.slots.as_ref());
            claimed
                .filter(|_| own.is_none_or(|own| own.most == slots.most))
                .and_then(Claimed::in_flight)
        };
        let halves = result.runs.iter().filter_map(claimed);
        let halves = halves.filter(|_| result.runs.len() == 2);
        let none = Span {
            low: 0.0,
            high: 0.0,
        };
        let together = halves.fold(none, |all, one| Span {
            low: all.low + one.low,
            high: all.high + one.high,
        });
        let most = slots.most as f64;
        if span.high >= most || !fits(together, most) {
            doubts.push(of_one(run, span, &slots));
        }
    }
    answer(
        seen,
        "rate, mean time and how many I/Os could be out",
        doubts,
    )
}

/// Doubt about one claim, under its rule.
fn of_one(run: &Run, span: Span, slots: &Slots) -> Option<Doubt> {
    let most = slots.most as f64;
    let above = span.low > most * (1.0 + SLACK);
    let held = run.claimed.as_ref().is_some_and(|c| c.held);
    let below = !held && most >= 2.0 && span.high < most * (1.0 - SLACK);
    if !above && !below {
        return None;
    }
    let fits = |n: f64| fits(span, n);
    // Some of them may have been free.
    let holds = |n: f64| fits(n) || above && (span.high..1.25 * span.high).contains(&n);
    if let Some((other, how)) = slots.others.iter().find(|(n, _)| holds(*n as f64)) {
        let how = Quantity::Text(how.clone());
        return said(
            run,
            502,
            "claim-other-slots",
            Severity::Note,
            slots,
            [("how", how), ("other", Quantity::Number(*other as f64))],
        );
    }
    let widest = run.claimed.as_ref().and_then(|c| c.widest);
    if widest.is_some_and(|span| self::fits(span, most)) {
        let rule = if above { 105 } else { 114 };
        return said(run, rule, "claim-rounded", Severity::Note, slots, []);
    }
    if above
        && slots.others.is_empty()
        && let Some(times) = UNNAMED.iter().find(|n| fits(**n * most))
    {
        return said(
            run,
            502,
            "claim-unnamed-targets",
            Severity::Suspect,
            slots,
            [("times", Quantity::Count(*times as u64))],
        );
    }
    disagree(run, above, slots)
}

impl OpenFactors {
    /// True where it may make the slots those that were busy.
    fn explains(&self, span: Span, most: f64) -> bool {
        self.each || self.times || self.words && span.low > most
    }
}

/// True where a number of I/Os lies in a span, with what is left open.
fn fits(span: Span, n: f64) -> bool {
    span.low <= n * (1.0 + SLACK) && span.high >= n * (1.0 - SLACK)
}

/// A rate and a time that the slots do not make, and what would.
fn disagree(run: &Run, above: bool, slots: &Slots) -> Option<Doubt> {
    let (row, most) = (run.whole()?, slots.most as f64);
    let (iops, mean, in_flight) = (row.iops()?, row.mean_ns()?, row.in_flight()?);
    let values = [
        ("possible_mean", ns(most / iops * 1e9)),
        ("possible_rate", Quantity::PerSecond(most / mean * 1e9)),
        ("off", Quantity::Share(in_flight / most - 1.0)),
        ("times", Quantity::Number(in_flight / most)),
    ];
    let far = in_flight < (1.0 - FAR) * most;
    match (above, far) {
        (true, _) => said(
            run,
            105,
            "claim-above-slots",
            Severity::Invalid,
            slots,
            values,
        ),
        (_, true) => said(
            run,
            114,
            "claim-below-slots",
            Severity::Suspect,
            slots,
            values,
        ),
        _ => said(run, 114, "claim-below-slots", Severity::Note, slots, values),
    }
}

fn said(
    run: &Run,
    rule: u16,
    sentence: &str,
    at_most: Severity,
    slots: &Slots,
    values: impl IntoIterator<Item = (&'static str, Quantity)>,
) -> Option<Doubt> {
    let row = run.whole()?;
    // What was not understood may be what is missing.
    let is_open = run.claimed.as_ref().is_some_and(|c| {
        let span = c.in_flight();
        span.is_some_and(|span| c.open.explains(span, slots.most as f64))
    });
    let at_most = if is_open { Severity::Note } else { at_most };
    let common = [
        ("rate", Quantity::PerSecond(row.iops()?)),
        ("mean", ns(row.mean_ns()?)),
        ("in_flight", Quantity::Number(row.in_flight()?.round())),
        ("asked", Quantity::Number(slots.most as f64)),
        ("slots", Quantity::Text(slots.words.clone())),
    ];
    let hit = Hit::new(run, row.at, 1.0, common.into_iter().chain(values));
    doubt(rule, sentence, at_most, vec![hit])
}

fn ports(result: &ForeignResult) -> CheckAnswer {
    let (mut seen, mut beyond, mut one_way, mut open) = (0, Vec::new(), Vec::new(), Vec::new());
    for run in &result.runs {
        let Some(claimed) = run.claimed.as_ref().filter(|c| !c.ports.is_empty()) else {
            continue;
        };
        let Some((bytes, least)) = bytes(run, claimed) else {
            continue;
        };
        seen += 1;
        let share = run.asked.read_share;
        for ports in &claimed.ports {
            let hit = |part: f64| {
                let times = bytes * part / ports.line;
                let what = format!("{} x {}", ports.count, ports.what);
                let possible = match run.whole().and_then(Row::iops) {
                    Some(said) => rate(said / times),
                    None => format!("{}/s", human::bytes((bytes / times) as u64)),
                };
                let values = [
                    ("bytes", Quantity::BytesPerSecond(bytes * part)),
                    ("line", Quantity::BytesPerSecond(ports.line)),
                    ("ports", Quantity::Text(what)),
                    ("times", Quantity::Number(times)),
                    ("possible", Quantity::Text(possible)),
                ];
                Hit::new(run, run.at, times, values)
            };
            let larger = busier_direction(share);
            // There may be more of them than were understood.
            let is_open = claimed.open.each || claimed.open.words;
            if least * larger > ports.line && is_open {
                open.push(hit(larger));
            } else if least * larger > ports.line {
                beyond.push(hit(larger));
            } else if share.is_none() && least > ports.line {
                one_way.push(hit(1.0));
            }
        }
    }
    answer(
        seen,
        "a bandwidth, or a rate with its transfer size, and ports with their speed",
        [
            doubt(550, "beyond-the-ports", Severity::Invalid, beyond),
            doubt(550, "beyond-the-ports", Severity::Note, open),
            doubt(550, "beyond-the-ports-one-way", Severity::Suspect, one_way),
        ],
    )
}

/// Bytes each second that the claim comes to: as it is said, and at least.
fn bytes(run: &Run, claimed: &Claimed) -> Option<(f64, f64)> {
    let row = run.whole()?;
    match (run.asked.block, row.iops(), claimed.rate) {
        (Some((block, _)), Some(said), Some(rate)) => {
            Some((said * block.0 as f64, rate.low * block.0 as f64))
        }
        _ => Some((row.bandwidth?.0 as f64, claimed.bandwidth?.low)),
    }
}
