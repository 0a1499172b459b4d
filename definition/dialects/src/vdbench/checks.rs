//! What must hold of a run before it is expanded: Vdbench's own checks, with more to say.

use super::codes;
use super::definition::Definition;
use super::model::{LoopKey, LoopValue, RateRequest, RunDefinition, SECTOR, Sizes, Workload};
use super::report::Report;
use super::run::Assignment;
use super::simulation;
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
        format!("rd={} has neither wd= nor sd=, nor fwd= or fsd=", run.name),
    )
    .at(run.span, "what should be run?")
    .help("add wd= for workloads on storage, or fwd= for workloads on files; sd= alone reads 4k at random")
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
        .filter_map(|a| simulation::workload(definition, a.workload))
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
    sizes(definition, run, assignments, report);
    hosts(definition, run, assignments, report);
    let looped = run.loops.iter().any(|l| l.key == LoopKey::Threads);
    if definition.general.concatenate && !looped {
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

pub(crate) fn missing_rate(run: &RunDefinition, wanted: &str, other: &str) -> Diagnostic {
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
pub(crate) struct Skewed<'a> {
    pub name: &'a str,
    pub skew: Option<f64>,
    pub place: Span,
}

/// Shares must come to 100 where all are given, and leave something where some are not.
pub(crate) fn skew(run: &RunDefinition, workloads: &[Skewed], report: &mut Report) {
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

/// Where any workload has a priority or a rate of its own, each needs a priority, all different, and those with a rate
/// come first.
fn priorities(run: &RunDefinition, workloads: &[&Workload], report: &mut Report) {
    let mut complain = |workload: &Workload, field: &str, what: &str, help: &str| {
        report.add(
            Diagnostic::error(codes::PRIORITY, format!("rd={}: {what}", run.name))
                .at(
                    workload.origins.of(field).unwrap_or(workload.span),
                    format!("wd={}", workload.name),
                )
                .help(help),
        );
    };
    if !workloads
        .iter()
        .any(|w| w.priority.is_some() || w.rate.is_some())
    {
        return;
    }
    if let Some(workload) = workloads.iter().find(|w| w.priority.is_none()) {
        let what = match workload.rate {
            Some(_) => "a workload with iorate= needs a priority",
            None => "one workload has a priority, so all need one",
        };
        return complain(
            workload,
            "iorate",
            what,
            "add priority=1, priority=2 and so on",
        );
    }
    let mut sorted: Vec<&Workload> = workloads.to_vec();
    sorted.sort_by_key(|w| w.priority);
    if let Some(pair) = sorted.windows(2).find(|p| p[0].priority == p[1].priority) {
        return complain(
            pair[1],
            "priority",
            "two workloads have the same priority",
            "give each its own",
        );
    }
    let free = sorted.iter().position(|w| w.rate.is_none());
    let late = free.and_then(|at| sorted[at..].iter().find(|w| w.rate.is_some()));
    if let Some(workload) = late {
        complain(
            workload,
            "priority",
            "workloads with iorate= come before those without",
            "give it a lower number",
        );
    }
}

/// Sizes drawn from a range start at multiples of its step, which the storage must be told; and every size on storage is
/// made of sectors.
fn sizes(
    definition: &Definition,
    run: &RunDefinition,
    assignments: &[Assignment],
    report: &mut Report,
) {
    let looped = run.loops.iter().find(|l| l.key == LoopKey::TransferSize);
    if let Some(one) = looped {
        let odd = |v: &LoopValue| !(v.number() as u64).is_multiple_of(SECTOR);
        if let Some(value) = one.values.iter().find(|v| odd(v)) {
            report.add(
                Diagnostic::error(
                    codes::VALUE,
                    format!("a transfer of {} bytes on storage", value.number()),
                )
                .at(one.span, "must be a multiple of 512"),
            );
        }
        return;
    }
    for assignment in assignments {
        let Some(workload) = simulation::workload(definition, assignment.workload) else {
            continue;
        };
        let Sizes::Range { align, .. } = workload.sizes else {
            continue;
        };
        let storages = assignment
            .storages
            .iter()
            .map(|at| &definition.storages[*at]);
        if let Some(storage) = storages.into_iter().find(|s| s.align != Some(align)) {
            report.add(
                Diagnostic::error(
                    codes::REQUIRED,
                    format!("sd={} needs align={align}", storage.name),
                )
                .at(
                    workload.origins.of("xfersize").unwrap_or(workload.span),
                    format!("sizes in steps of {align}"),
                )
                .at(
                    storage.origins.of("align").unwrap_or(storage.span),
                    "addresses must be multiples of the same step",
                )
                .help(format!("add align={align} to the sd")),
            );
            return;
        }
    }
}

/// A workload must have a host in common with its storage.
fn hosts(
    definition: &Definition,
    run: &RunDefinition,
    assignments: &[Assignment],
    report: &mut Report,
) {
    let labels: Vec<&str> = definition.hosts.iter().map(|h| h.label.as_str()).collect();
    // With clients there are more hosts than are written.
    if definition.hosts.iter().any(|h| h.clients.is_some()) {
        return;
    }
    for assignment in assignments {
        let Some(workload) = simulation::workload(definition, assignment.workload) else {
            continue;
        };
        if workload.hosts.is_empty() || assignment.storages.is_empty() {
            continue;
        }
        let cost = labels.len() * (1 + assignment.storages.len());
        if report.charge(cost as u64, workload.span).is_err() {
            return;
        }
        let own: Vec<&str> = labels
            .iter()
            .copied()
            .filter(|l| workload.hosts.iter().any(|r| r.matches(l)))
            .collect();
        let has = |at: &usize| {
            let storage = &definition.storages[*at];
            let paired = storage.luns.iter().filter_map(|l| l.host.as_deref());
            let paired: Vec<&str> = paired.collect();
            let known = |label: &&str| {
                paired.contains(label) || storage.hosts.iter().any(|r| r.matches(label))
            };
            (paired.is_empty() && storage.hosts.is_empty()) || own.iter().any(known)
        };
        if !own.is_empty() && !assignment.storages.iter().any(has) {
            report.add(
                Diagnostic::error(
                    codes::CONFLICT,
                    format!(
                        "rd={}: no host of wd={} has any of its storage",
                        run.name, workload.name
                    ),
                )
                .at(
                    workload.origins.of("host").unwrap_or(workload.span),
                    "the workload is to run here",
                )
                .help("give the sd the same host="),
            );
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
