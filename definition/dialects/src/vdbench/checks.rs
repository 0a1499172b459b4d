//! What must hold of a run before it is expanded: Vdbench's own checks, with more to say.

use super::codes;
use super::definition::Definition;
use super::expansion::Assignment;
use super::model::{FileSystem, RateRequest, RunDefinition, Workload};
use super::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};

/// Intervals must divide the times.
pub(crate) fn times(run: &RunDefinition, report: &mut Report) {
    let place = |name: &str| run.origins.of(name).unwrap_or(run.span);
    if run.interval <= 0.0 {
        report.add(
            Diagnostic::error(
                codes::TIMES,
                format!("rd={} has an interval of 0", run.name),
            )
            .at(place("interval"), "must be above 0"),
        );
        return;
    }
    if (run.elapsed / run.interval).floor() < 2.0 {
        report.add(
            Diagnostic::error(
                codes::TIMES,
                format!(
                    "rd={}: elapsed={} has fewer than two intervals",
                    run.name, run.elapsed
                ),
            )
            .at(
                place("elapsed"),
                format!("needs at least twice interval={}", run.interval),
            )
            .note("the first interval of a run without warmup is not counted"),
        );
    } else {
        divides(run, "elapsed", run.elapsed, report);
    }
    divides(run, "warmup", run.warmup, report);
}

fn divides(run: &RunDefinition, name: &str, seconds: f64, report: &mut Report) {
    if seconds % run.interval == 0.0 {
        return;
    }
    let nearest = ((seconds / run.interval).round() * run.interval).max(2.0 * run.interval);
    report.add(
        Diagnostic::error(
            codes::TIMES,
            format!(
                "rd={}: {name}={seconds} is no multiple of interval={}",
                run.name, run.interval
            ),
        )
        .at(
            run.origins.of(name).unwrap_or(run.span),
            "the last interval would be cut short",
        )
        .help(format!("write {name}={nearest}")),
    );
}

/// A run that names nothing to do.
pub(crate) fn no_work(run: &RunDefinition) -> Diagnostic {
    Diagnostic::error(
        codes::REQUIRED,
        format!("rd={} has neither wd= nor fwd=", run.name),
    )
    .at(run.span, "what should be run?")
    .help("add wd= for workloads on storage, or fwd= for workloads on files")
}

/// Checks a run on storage; its rate where there is one.
pub(crate) fn raw<'r>(
    definition: &Definition,
    run: &'r RunDefinition,
    assignments: &[Assignment],
    report: &mut Report,
) -> Option<&'r RateRequest> {
    let workloads: Vec<&Workload> = assignments
        .iter()
        .filter_map(|a| match a.workload {
            Some(at) => definition.workloads.get(at),
            None => definition.default_workload.as_ref(),
        })
        .collect();
    let skewed: Vec<Skewed> = workloads
        .iter()
        .filter(|w| w.rate.is_none())
        .map(|w| Skewed {
            name: &w.name,
            skew: w.skew,
            place: w.origins.of("skew").unwrap_or(w.span),
        })
        .collect();
    skew(run, &skewed, report);
    priorities(run, &workloads, report);
    streams(&workloads, report);
    if definition.general.concatenate {
        for workload in workloads.iter().filter(|w| w.threads.is_none()) {
            report.add(
                Diagnostic::error(
                    codes::REQUIRED,
                    format!("wd={} has no threads", workload.name),
                )
                .at(workload.span, "with concatenatesds=yes a wd needs threads=")
                .help("add threads="),
            );
        }
    }
    if run.rate.is_none() && run.origins.of("iorate").is_none() {
        report.add(missing_rate(run, "iorate", "fwdrate"));
    }
    run.rate.as_ref()
}

fn missing_rate(run: &RunDefinition, wanted: &str, other: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::RATE, format!("rd={} has no {wanted}", run.name));
    match run.origins.of(other) {
        Some(span) => diagnostic
            .at(
                span,
                format!("this is for the other kind of workload; here it is {wanted}="),
            )
            .help(format!("write {wanted}= instead of {other}=")),
        None => diagnostic
            .at(run.span, format!("needs {wanted}="))
            .help(format!(
                "add {wanted}=max, {wanted}=curve, or a number per second"
            )),
    }
}

/// A workload that takes part in the shares of a run.
struct Skewed<'a> {
    name: &'a str,
    skew: Option<f64>,
    place: Span,
}

/// Shares must come to 100 where all are given, and leave something where some are not.
fn skew(run: &RunDefinition, workloads: &[Skewed], report: &mut Report) {
    let given: Vec<&Skewed> = workloads.iter().filter(|w| w.skew.is_some()).collect();
    let Some(first) = given.first() else {
        return;
    };
    let total: f64 = given.iter().filter_map(|w| w.skew).sum();
    let complete = given.len() == workloads.len();
    // Vdbench compares after rounding to two decimals.
    let wrong = match complete {
        true => (total - 100.0).abs() >= 0.01,
        false => total >= 100.0,
    };
    if !wrong {
        return;
    }
    let mut diagnostic = Diagnostic::error(
        codes::SKEW,
        format!("rd={}: total skew must add up to 100: {total:.2}", run.name),
    )
    .at(first.place, format!("wd={} takes part", first.name));
    for other in given.iter().skip(1).take(4) {
        diagnostic = diagnostic.at(other.place, format!("wd={} takes part", other.name));
    }
    report.add(match complete {
        true if given.len() == 1 => diagnostic.help("a workload alone needs no skew="),
        true => diagnostic.help("change the skews, or leave one out: it takes the rest"),
        false => diagnostic.help("leave something for the workloads without skew="),
    });
}

/// Fixed rates are kept in the order 1, 2, 3.
fn priorities(run: &RunDefinition, workloads: &[&Workload], report: &mut Report) {
    let mut given: Vec<(u32, &Workload)> = workloads
        .iter()
        .filter_map(|w| Some((w.priority?, *w)))
        .collect();
    given.sort_by_key(|(priority, _)| *priority);
    for (at, (priority, workload)) in given.iter().enumerate() {
        if *priority as usize != at + 1 {
            report.add(
                Diagnostic::error(
                    codes::PRIORITY,
                    format!("rd={}: priorities must be 1, 2, 3 and so on", run.name),
                )
                .at(
                    workload.origins.of("priority").unwrap_or(workload.span),
                    format!("expected priority={}", at + 1),
                ),
            );
            return;
        }
    }
}

/// Streams belong to a run of one workload.
fn streams(workloads: &[&Workload], report: &mut Report) {
    if workloads.len() < 2 {
        return;
    }
    if let Some(workload) = workloads.iter().find(|w| w.streams.is_some()) {
        report.add(
            Diagnostic::error(
                codes::CONFLICT,
                format!("wd={} has streams=", workload.name),
            )
            .at(
                workload.origins.of("streams").unwrap_or(workload.span),
                "a workload with streams must be alone in its run",
            )
            .help("give it an rd of its own"),
        );
    }
}

/// Checks a run on files; its rate where there is one.
pub(crate) fn files<'r>(
    definition: &Definition,
    run: &'r RunDefinition,
    workloads: &[usize],
    report: &mut Report,
) -> Option<&'r RateRequest> {
    let skewed: Vec<Skewed> = workloads
        .iter()
        .map(|at| &definition.file_workloads[*at])
        .map(|w| Skewed {
            name: &w.name,
            skew: w.skew,
            place: w.origins.of("skew").unwrap_or(w.span),
        })
        .collect();
    match &skewed[..] {
        [one] => {
            if let Some(percent) = one.skew.filter(|s| *s != 100.0) {
                report.add(
                    Diagnostic::warning(codes::NO_EFFECT, format!("skew={percent} has no effect"))
                        .at(one.place, "a workload alone gets everything"),
                );
            }
        }
        _ => skew(run, &skewed, report),
    }
    shared_format(definition, run, workloads, report);
    if run.file_rate.is_none() && run.origins.of("fwdrate").is_none() {
        report.add(missing_rate(run, "fwdrate", "iorate"));
    }
    run.file_rate.as_ref()
}

/// Two hosts cannot clean and make one tree at the same time.
fn shared_format(
    definition: &Definition,
    run: &RunDefinition,
    workloads: &[usize],
    report: &mut Report,
) {
    let Some(span) = run.format.span.filter(|_| run.format.full) else {
        return;
    };
    let candidates: Vec<&FileSystem> = definition
        .file_systems
        .iter()
        .filter(|f| f.shared)
        .collect();
    if report
        .charge((workloads.len() * candidates.len()) as u64, span)
        .is_err()
    {
        return;
    }
    for workload in workloads.iter().map(|at| &definition.file_workloads[*at]) {
        let used = |f: &&FileSystem| workload.file_systems.iter().any(|r| r.matches(&f.name));
        let shared = candidates.iter().copied().find(used);
        if let Some(shared) = shared {
            report.add(
                Diagnostic::error(
                    codes::FORMAT,
                    format!("rd={}: a shared fsd cannot have format=yes", run.name),
                )
                .at(span, "one host would delete what another has just made")
                .at(
                    shared.origins.of("shared").unwrap_or(shared.span),
                    "shared here",
                )
                .help("use two runs: format=(clean,only), then format=(restart,only)"),
            );
            return;
        }
    }
}
