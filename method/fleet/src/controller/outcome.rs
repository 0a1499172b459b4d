//! What a step came to, of what each host says of its part.

use super::course::{Course, HostEnd};
use plimsoll_evidence::{End, ErrorSample, HostPart, StartTogether, StepEvidence};
use plimsoll_rig::CrewOutcome;

/// How many failed I/Os a step's evidence lists, as of one host.
const SAMPLES_KEPT: usize = 50;
/// Hosts whose rates are so far apart are said to be: a share of the mean.
const UNEVEN: f64 = 0.1;

/// What is known of the hosts beside their reports.
pub struct Known<'a> {
    /// Their names.
    pub names: &'a [String],
    /// When each began.
    pub starts: &'a [StartTogether],
    /// The controller stopped the step.
    pub stopped: bool,
    /// It was to end with this error.
    pub max_errors: u64,
    /// The run goes on without those that were lost.
    pub continues: bool,
}

/// Puts the hosts' parts together.
pub fn outcome(course: &Course, known: &Known<'_>) -> CrewOutcome {
    let ends = course.ends().iter().enumerate();
    let done: Vec<(usize, &StepEvidence, u64)> = ends
        .filter_map(|(host, end)| match end {
            Some(HostEnd::Done(evidence, late)) => Some((host, &**evidence, *late)),
            _ => None,
        })
        .collect();
    let hosts: Vec<HostPart> = done
        .iter()
        .map(|(host, evidence, late)| part(*host, evidence, *late, known))
        .collect();
    let all_errors: u64 = done.iter().map(|(_, e, _)| e.errors).sum();
    let broken: Vec<String> = course
        .broken()
        .map(|(host, end)| format!("{}: {}", known.names[host], why(end)))
        .collect();
    let mut notes = notes(&hosts, known);
    notes.extend(broken.iter().map(|b| format!("its part is missing: {b}")));
    CrewOutcome {
        workers: course.workers(),
        end: end(&done, all_errors, known),
        error_samples: samples(&done, known.names),
        errors_after: all_errors.saturating_sub(course.errors()),
        unfinished: done.iter().map(|(_, e, _)| e.unfinished).sum(),
        hosts,
        notes,
        failed: (!broken.is_empty() && !known.continues).then(|| {
            format!(
                "the step is not whole, {}; its load was given to no other host. Mend that and run it again, or let the others go \
                 on with --on-lost continue",
                broken.join("; ")
            )
        }),
    }
}

fn why(end: &HostEnd) -> &str {
    match end {
        HostEnd::Done(..) => "done",
        HostEnd::Failed(why) | HostEnd::Lost(why) => why,
    }
}

fn part(host: usize, evidence: &StepEvidence, late_ns: u64, known: &Known<'_>) -> HostPart {
    let responses = &evidence.response;
    HostPart {
        host: host as u32 + 1,
        name: known.names[host].clone(),
        workers: evidence.workers,
        offered: evidence.offered,
        ios: evidence.ios,
        bytes: evidence.bytes,
        errors: evidence.errors,
        rate: evidence.rate,
        response_mean_ns: evidence.response_mean_ns,
        response_p99_ns: responses.supported_quantile_ns(0.99),
        response_max_ns: responses.max_ns(),
        service_mean_ns: evidence.service_mean_ns,
        depth_mean: evidence.depth_mean,
        saturation: evidence.saturation,
        late_by_host: evidence.late_by_host.iter().map(|s| s.ios).sum(),
        end: evidence.end,
        start: StartTogether {
            late_ns,
            ..known.starts[host]
        },
        findings: evidence.findings.clone(),
    }
}

/// The gravest of the hosts' ends.
fn end(done: &[(usize, &StepEvidence, u64)], errors: u64, known: &Known<'_>) -> End {
    let any = |end: End| done.iter().any(|(_, e, _)| e.end == end);
    if any(End::Hung) {
        End::Hung
    } else if any(End::Errors) || errors >= known.max_errors {
        End::Errors
    } else if known.stopped || any(End::Interrupted) {
        End::Interrupted
    } else if !done.is_empty() && done.iter().all(|(_, e, _)| e.end == End::Elapsed) {
        End::Elapsed
    } else {
        End::Limit
    }
}

fn samples(done: &[(usize, &StepEvidence, u64)], names: &[String]) -> Vec<ErrorSample> {
    let of_host = |(host, evidence, _): &(usize, &StepEvidence, u64)| {
        let name = names[*host].clone();
        let named = move |sample: &ErrorSample| ErrorSample {
            target: format!("{name}: {}", sample.target),
            ..sample.clone()
        };
        evidence.error_samples.iter().map(named).collect::<Vec<_>>()
    };
    let mut all: Vec<ErrorSample> = done.iter().flat_map(of_host).collect();
    all.sort_by_key(|s| s.at_ns);
    all.truncate(SAMPLES_KEPT);
    all
}

/// What the sum of the hosts hides.
fn notes(hosts: &[HostPart], known: &Known<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let saturated: Vec<&str> = hosts
        .iter()
        .filter(|h| h.saturation.is_some_and(|s| s.saturated))
        .map(|h| h.name.as_str())
        .collect();
    if !saturated.is_empty() {
        notes.push(format!(
            "the load is past what {} of {} hosts carry: {}",
            saturated.len(),
            known.names.len(),
            saturated.join(", ")
        ));
    }
    let late: Vec<String> = hosts
        .iter()
        .filter(|h| h.late_by_host > 0 || h.start.late_ns > 0)
        .map(|h| format!("{} ({} I/Os)", h.name, h.late_by_host))
        .collect();
    if !late.is_empty() {
        notes.push(format!(
            "the generator itself was late on {}",
            late.join(", ")
        ));
    }
    notes.extend(uneven(hosts));
    notes
}

/// Hosts of one plan are to do alike.
fn uneven(hosts: &[HostPart]) -> Option<String> {
    let rate = |h: &HostPart| h.rate.mean;
    let mean = hosts.iter().map(rate).sum::<f64>() / hosts.len().max(1) as f64;
    let least = hosts.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    let most = hosts.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    let apart = rate(most) - rate(least);
    (mean > 0.0 && apart > UNEVEN * mean).then(|| {
        format!(
            "the hosts did not do alike: {} did {:.0} I/Os per second and {} {:.0}",
            least.name,
            rate(least),
            most.name,
            rate(most)
        )
    })
}
