//! Doubts about one step, each a sentence with what to do.

use crate::series::{SAMPLE_NS, Series};
use crate::stillness::{Unsteady, unsteady};
use crate::wording::{percent, time};
use plimsoll_evidence::{End, StepEvidence};
use plimsoll_plan::{Purpose, Step};

/// The generator's own lateness may be this share of the response time, at their 99th percentiles.
const MAX_LATENESS: f64 = 0.10;
/// A closed loop stands still where nothing completes for so long, s.
const STANDSTILL_S: f64 = 1.0;
/// And for so many mean response times: a slow target does not stand still.
const STANDSTILL_RESPONSES: f64 = 10.0;
/// Worker threads busier than this are what limits a closed loop.
const BUSY_WORKERS: f64 = 0.95;

/// All doubts about a step that is judged but for its notes; `busy` is the worker threads' mean busy share, 0..=1.
pub fn remarks(
    step: &Step,
    busy: Option<f64>,
    series: &Series,
    evidence: &StepEvidence,
) -> Vec<String> {
    if step.purpose == Purpose::Fill {
        return Vec::new();
    }
    let mut notes = Vec::new();
    notes.extend(cut_short(step, evidence));
    if evidence.counted_s == 0.0 {
        notes.push("Nothing was counted: the step ended in its warm-up.".to_string());
        return notes;
    }
    if evidence.ios == 0 {
        notes.push("No I/O completed in the counted time.".to_string());
        return notes;
    }
    notes.extend(failures(evidence));
    notes.extend(standstill(series, evidence).or_else(|| unsteadiness(series, evidence)));
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

fn failures(evidence: &StepEvidence) -> Option<String> {
    (evidence.errors > 0).then(|| {
        format!(
            "{} I/Os failed (warm-up included); they are in no rate and in no response time.",
            evidence.errors
        )
    })
}

/// In a closed loop I/Os are out all the time. A slot waits for a standstill once, however long it is, so that response times
/// show next to nothing of it, and nothing of one that lasts past the end; a longer warm-up is no remedy.
fn standstill(series: &Series, evidence: &StepEvidence) -> Option<String> {
    if evidence.offered.is_some() {
        return None;
    }
    let (mut longest, mut now) = (0.0_f64, 0.0);
    for (seconds, ios) in series.seconds.iter().zip(&series.ios) {
        now = if *ios == 0.0 { now + seconds } else { 0.0 };
        longest = longest.max(now);
    }
    let slow = STANDSTILL_RESPONSES * evidence.response_mean_ns.mean / 1e9;
    if longest < STANDSTILL_S.max(slow) {
        return None;
    }
    Some(if now == longest {
        format!(
            "No I/O completed in the last {longest:.1} s: those that were out then are in no response time. See what the \
             target did."
        )
    } else {
        format!(
            "No I/O completed for {longest:.1} s at a stretch: the rate has that time in it, but few I/Os waited for its \
             end, so that percentiles hardly show it. See what the target did."
        )
    })
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
    let response = || unsteady(&series.response_ns, &series.ios).map(|u| ("mean response", u));
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
