//! What a step came to, of what each host says of its part.

use super::course::{FleetStep, HostEnd};
use plimsoll_evidence::balance::said_of;
use plimsoll_evidence::{End, ErrorSample, HostPart, LostHost, StartTogether, StepEvidence};
use plimsoll_rig::CrewOutcome;

/// Number of failed I/Os that a step's evidence lists, as on one host.
const SAMPLES_KEPT: usize = 50;

/// Knowledge of the hosts beside their reports.
pub struct Known<'a> {
    /// Their names.
    pub names: &'a [String],
    /// Start of each host.
    pub starts: &'a [StartTogether],
    /// The controller stopped the step.
    pub stopped: bool,
    /// Number of errors that ends the step.
    pub max_errors: u64,
    /// The run goes on without those that were lost.
    pub continues: bool,
    /// The step is measured again, where nothing but lost hosts keeps it from being whole.
    pub repeats: bool,
}

/// Puts the hosts' parts together.
pub fn outcome(course: &FleetStep, known: &Known<'_>) -> CrewOutcome {
    let ends = course.ends().iter().enumerate();
    let done: Vec<(usize, &StepEvidence, u64)> = ends
        .filter_map(|(host, end)| match end {
            Some(HostEnd::Done(evidence, late)) => Some((host, &**evidence, *late)),
            _ => None,
        })
        .collect();
    let hosts: Vec<HostPart> = done
        .iter()
        .map(|(host, evidence, late)| {
            let start = StartTogether {
                late_ns: *late,
                ..known.starts[*host]
            };
            HostPart::of(*host as u32 + 1, &known.names[*host], evidence, start)
        })
        .collect();
    let all_errors: u64 = done.iter().map(|(_, e, _)| e.errors).sum();
    let fsyncs: u64 = done.iter().map(|(_, e, _)| e.fsync_errors()).sum();
    let lost = |(host, end): (usize, &HostEnd)| LostHost {
        host: host as u32 + 1,
        name: known.names[host].clone(),
        why: why(end).to_string(),
    };
    let lost: Vec<LostHost> = course.broken().map(lost).collect();
    let broken = lost.iter().map(|l| format!("{}: {}", l.name, l.why));
    let broken: Vec<String> = broken.collect();
    let mut notes = said_of(&hosts, known.names.len());
    notes.extend(broken.iter().map(|b| format!("its part is missing: {b}")));
    let end = end(&done, all_errors, known);
    // What ends the run by itself is told, and not measured again.
    let repeats = known.repeats && !matches!(end, End::Hung | End::Errors);
    CrewOutcome {
        workers: course.workers(),
        end,
        error_samples: samples(&done, known.names),
        errors_after: all_errors.saturating_sub(course.errors()),
        fsync_errors_after: fsyncs.saturating_sub(course.failed_syncs()),
        unfinished: done.iter().map(|(_, e, _)| e.unfinished).sum(),
        hosts,
        lost,
        notes,
        set_aside: repeats.then(|| broken.join("; ")),
        failed: (!broken.is_empty() && !known.continues && !repeats).then(|| {
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
        HostEnd::NoPart => "it has nothing to do",
        HostEnd::NotBegun => "it was stopped before it began",
        HostEnd::Failed(why) | HostEnd::Lost(why) => why,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Report;
    use plimsoll_evidence::{Estimate, OpSummary, Saturation};
    use plimsoll_measure::{Histogram, Op};

    fn evidence(rate: f64, saturated: bool, end: End) -> StepEvidence {
        StepEvidence {
            rate: Estimate::bare(rate),
            saturation: Some(Saturation {
                saturated,
                ..Saturation::default()
            }),
            end,
            ..StepEvidence::new(1, "s")
        }
    }

    fn of(parts: Vec<StepEvidence>, max_errors: u64) -> CrewOutcome {
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let mut course = FleetStep::new(1, parts.len(), &[]);
        let count = parts.len();
        for (host, evidence) in parts.into_iter().enumerate() {
            let evidence = Box::new(evidence);
            let (number, late_ns) = (1, 0);
            course.on_report(
                host,
                Report::Done {
                    number,
                    evidence,
                    late_ns,
                },
            );
        }
        outcome(
            &course,
            &Known {
                names: &names[..count],
                starts: &vec![StartTogether::default(); count],
                stopped: false,
                max_errors,
                continues: false,
                repeats: false,
            },
        )
    }

    #[test]
    fn the_saturated_and_the_uneven_are_named() {
        let all = of(
            vec![
                evidence(100.0, false, End::Elapsed),
                evidence(60.0, true, End::Elapsed),
            ],
            50,
        );
        assert_eq!(all.failed, None);
        assert_eq!(all.end, End::Elapsed);
        assert_eq!(
            all.notes,
            [
                "the load is past what 1 of 2 hosts carry: b",
                "the hosts did not do alike: b did 60 I/Os per second and a 100",
            ]
        );
        let alike = of(vec![evidence(100.0, false, End::Elapsed); 2], 50);
        assert_eq!(alike.notes, [] as [&str; 0]);
    }

    #[test]
    fn the_gravest_end_is_the_end_of_all_and_errors_add_up_over_hosts() {
        let ends = |ends: &[End]| {
            let parts = ends.iter().map(|e| evidence(1.0, false, *e)).collect();
            of(parts, 50).end
        };
        assert_eq!(ends(&[End::Elapsed, End::Limit]), End::Limit);
        assert_eq!(ends(&[End::Limit, End::Interrupted]), End::Interrupted);
        assert_eq!(ends(&[End::Errors, End::Interrupted]), End::Errors);
        assert_eq!(ends(&[End::Elapsed, End::Hung, End::Errors]), End::Hung);
        let failing = |at_ns| StepEvidence {
            errors: 30,
            error_samples: vec![ErrorSample {
                target: "t".into(),
                op: Op::Read,
                offset: 0,
                length: 512,
                at_ns,
                what: "EIO".into(),
            }],
            ..evidence(1.0, false, End::Elapsed)
        };
        let all = of(vec![failing(9), failing(3)], 50);
        assert_eq!((all.end, all.errors_after), (End::Errors, 60));
        assert_eq!(all.fsync_errors_after, 0);
        let sync = OpSummary {
            op: Op::Sync,
            ios: 0,
            bytes: 0,
            errors: 2,
            response: Histogram::empty(),
            service: Histogram::empty(),
        };
        let unsynced = StepEvidence {
            errors: 2,
            syncs: Some(Box::new(sync)),
            ..evidence(1.0, false, End::Elapsed)
        };
        let synced = of(vec![unsynced.clone(), unsynced], 50);
        assert_eq!((synced.errors_after, synced.fsync_errors_after), (4, 4));
        let named: Vec<&str> = all
            .error_samples
            .iter()
            .map(|s| s.target.as_str())
            .collect();
        assert_eq!(named, ["b: t", "a: t"]);
    }

    #[test]
    fn a_part_that_is_missing_fails_the_run_by_name() {
        let names = ["a".to_string(), "b".to_string()];
        let mut course = FleetStep::new(1, 2, &[]);
        let done = Report::Done {
            number: 1,
            evidence: Box::new(evidence(1.0, false, End::Elapsed)),
            late_ns: 0,
        };
        course.on_report(0, done);
        course.end(1, HostEnd::Lost("silent".into()));
        let starts = [StartTogether::default(); 2];
        let known = |continues| Known {
            names: &names,
            starts: &starts,
            stopped: false,
            max_errors: 50,
            continues,
            repeats: false,
        };
        let failed = outcome(&course, &known(false)).failed.expect("failed");
        assert!(failed.contains("b: silent"), "{failed}");
        let goes_on = outcome(&course, &known(true));
        assert_eq!(goes_on.failed, None);
        assert_eq!(goes_on.notes, ["its part is missing: b: silent"]);
        assert_eq!(goes_on.hosts.len(), 1);
        let lost = LostHost {
            host: 2,
            name: "b".into(),
            why: "silent".into(),
        };
        assert_eq!(goes_on.lost, [lost]);
        let again = |course: &FleetStep| {
            let known = Known {
                repeats: true,
                ..known(false)
            };
            let outcome = outcome(course, &known);
            (outcome.set_aside, outcome.failed.is_some())
        };
        assert_eq!(again(&course), (Some("b: silent".into()), false));
    }

    #[test]
    fn only_a_loss_is_measured_again() {
        let of = |ends: [HostEnd; 3]| {
            let mut course = FleetStep::new(1, 3, &[]);
            for (host, end) in ends.into_iter().enumerate() {
                course.end(host, end);
            }
            course.only_lost()
        };
        let done = || HostEnd::Done(Box::new(evidence(1.0, false, End::Elapsed)), 0);
        let (lost, failed) = (|| HostEnd::Lost("x".into()), || HostEnd::Failed("x".into()));
        assert!(of([done(), lost(), done()]));
        assert!(of([HostEnd::NotBegun, lost(), HostEnd::NotBegun]));
        assert!(!of([done(), lost(), failed()]));
        assert!(!of([done(), done(), done()]));
        assert!(!of([
            HostEnd::NotBegun,
            HostEnd::NotBegun,
            HostEnd::NotBegun
        ]));
    }
}
