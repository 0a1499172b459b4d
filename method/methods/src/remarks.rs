//! Doubts about one step, each a sentence with what to do.

use crate::judge::Standstill;
use crate::pieces::SAMPLE_NS;
use crate::series::Series;
use crate::standstill::{absences, absent, standstill};
use crate::stillness::{Unsteady, unsteady};
use crate::wording::{percent, plural, time};
use plimsoll_evidence::{End, StepEvidence};
use plimsoll_plan::{Purpose, Step};

/// The generator's own lateness may be this share of the response time, at their 99th percentiles.
const MAX_LATENESS: f64 = 0.10;
/// Worker threads busier than this are what limits a closed loop.
const BUSY_WORKERS: f64 = 0.95;

/// All doubts about a step that is judged but for its notes; `busy` is the worker threads' mean busy share, 0..=1;
/// in `standstills` the process did not run.
pub fn remarks(
    step: &Step,
    busy: Option<f64>,
    series: &Series,
    standstills: &[Standstill],
    evidence: &StepEvidence,
) -> Vec<String> {
    if step.purpose == Purpose::Fill {
        return failures(evidence).collect();
    }
    let mut notes = Vec::new();
    notes.extend(cut_short(step, evidence));
    notes.extend(failures(evidence));
    if evidence.counted_s == 0.0 {
        notes.push("Nothing was counted: the step ended in its warm-up.".to_string());
        return notes;
    }
    let absences = absences(series, standstills);
    let absent = absent(&absences);
    let was_absent = absent.is_some();
    notes.extend(absent);
    if evidence.ios == 0 {
        notes.push("No I/O completed in the counted time.".to_string());
        return notes;
    }
    notes.extend(undecided(evidence));
    let held_up = standstill(series, &absences, evidence).or_else(|| stalled(evidence));
    notes.extend(held_up.or_else(|| {
        // An absence makes any rate unsteady, and is said already.
        (!was_absent)
            .then(|| unsteadiness(series, evidence))
            .flatten()
    }));
    notes.extend(late_generator(evidence));
    notes.extend(busy_workers(busy, evidence));
    notes
}

fn cut_short(step: &Step, evidence: &StepEvidence) -> Option<String> {
    let why = match evidence.end {
        End::Elapsed | End::Limit => return None,
        End::Interrupted => "it was interrupted",
        End::Errors => "too many I/Os failed",
        End::Hung => "I/Os did not come back",
    };
    Some(format!(
        "Ended after {:.1} s of {}: {why}.",
        evidence.warmup_s + evidence.counted_s,
        plimsoll_plan::Nanos(step.warmup.0 + step.elapsed.0)
    ))
}

fn failures(evidence: &StepEvidence) -> impl Iterator<Item = String> {
    let fsyncs = evidence.fsync_errors;
    let ios = evidence.errors.saturating_sub(fsyncs);
    let ios = (ios > 0).then(|| {
        format!(
            "{} failed, those of the warm-up included: in no rate and in no response time.",
            plural(ios as usize, "I/O")
        )
    });
    let fsyncs = (fsyncs > 0).then(|| {
        format!(
            "{} failed: what was written before may be lost, though the writes themselves were answered well.",
            plural(fsyncs as usize, "fsync")
        )
    });
    ios.into_iter().chain(fsyncs)
}

/// Whether the load is carried cannot be said.
fn undecided(evidence: &StepEvidence) -> Option<String> {
    let saturation = evidence.saturation.filter(|s| s.undecided)?;
    Some(format!(
        "Whether this load is carried cannot be told: {} of what came due was not done at the end, and the step is too short, \
         or the host was too much in the way, to tell that from chance. Run it longer.",
        percent(saturation.shortfall)
    ))
}

/// A backlog that came and went.
fn stalled(evidence: &StepEvidence) -> Option<String> {
    let longest = evidence.stalls.iter().max_by_key(|s| s.length_ns)?;
    let ios: u64 = evidence.stalls.iter().map(|s| s.ios).sum();
    let (seconds, at) = (
        longest.length_ns as f64 / 1e9,
        longest.start_ns as f64 / 1e9,
    );
    let held_up = match evidence.stalls.len() {
        1 => format!("It stalled at {at:.1} s for {seconds:.1} s"),
        n => format!("It stalled {n} times, the longest at {at:.1} s for {seconds:.1} s"),
    };
    Some(format!(
        "{held_up}: {} waited. Their waiting is in the response times, for the load went on. See what the target did.",
        plural(ios as usize, "I/O")
    ))
}

/// Of a closed loop the rate shows it, of any loop the response time; a saturated one's backlog says it already.
fn unsteadiness(series: &Series, evidence: &StepEvidence) -> Option<String> {
    if evidence.saturation.is_some_and(|s| s.saturated) {
        return None;
    }
    let rate = || {
        evidence
            .offered
            .is_none()
            .then(|| unsteady(&series.ios, &series.seconds))
            .flatten()
            .map(|u| ("rate", u))
    };
    let response = || unsteady(&series.response_ns, &series.timed).map(|u| ("mean response", u));
    let (what, how) = rate().or_else(response)?;
    Some(match how {
        Unsteady::UntilSample(n) => {
            let seconds = n as f64 * SAMPLE_NS as f64 / 1e9;
            format!(
                "The first {seconds:.1} s that were counted still look like warm-up by their {what}: warm up for {:.0} s.",
                (evidence.warmup_s + seconds).ceil()
            )
        }
        Unsteady::Throughout(window) => format!(
            "Never got steady: over five equal parts the {what} spans {} and drifts by {} of its mean (at most 20 % and \
             10 % are steady); run it longer, with a longer warm-up.",
            percent(window.range),
            percent(window.rise)
        ),
    })
}

fn late_generator(evidence: &StepEvidence) -> Option<String> {
    let late = evidence.lateness.supported_quantile_ns(0.99)? as f64;
    let response = evidence.response.supported_quantile_ns(0.99)? as f64;
    (late > MAX_LATENESS * response).then(|| {
        format!(
            "The generator itself was late, and its lateness is in the response times: p99 of it is {}, of the response \
             time {}. The host did not let it keep the schedule: give it CPUs that nothing else uses, and judge by \
             service times.",
            time(late),
            time(response)
        )
    })
}

/// An open loop may spin until its next I/O is due, so that only a closed one says anything.
fn busy_workers(busy: Option<f64>, evidence: &StepEvidence) -> Option<String> {
    if evidence.offered.is_some() {
        return None;
    }
    let mean = busy?;
    (mean >= BUSY_WORKERS).then(|| {
        format!(
            "The worker threads were busy {} of the time: this rate is what the host can issue, the target may carry \
             more. Use more workers.",
            percent(mean)
        )
    })
}
