//! Checks of runs on files.

use super::checks::{Skewed, missing_rate, skew};
use super::codes;
use super::definition::Definition;
use super::model::{DataLimit, FileSystem, FileWorkload, Operation, RateRequest, RunDefinition};
use super::report::Report;
use plimsoll_diagnostic::Diagnostic;

/// A mix of reads and writes is one operation, whatever the run asks for.
fn operations(run: &RunDefinition, workloads: &[&FileWorkload], report: &mut Report) {
    let mixable = match run.operations[..] {
        [] => true,
        [one] => matches!(one, Operation::Read | Operation::Write),
        _ => false,
    };
    let mixed = workloads.iter().find(|w| w.read_percent.is_some());
    if let (false, Some(workload)) = (mixable, mixed) {
        report.add(
            Diagnostic::error(
                codes::CONFLICT,
                "`rdpct=` allows one operation, read or write",
            )
            .at(
                run.origins.of("operations").unwrap_or(run.span),
                "others are asked for here",
            )
            .at(workload.span, "this workload has rdpct="),
        );
    }
}

/// `format=once` is for the first of several.
fn once(run: &RunDefinition, report: &mut Report) {
    if let Some(span) = run
        .format
        .span
        .filter(|_| run.format.once && run.loops.is_empty())
    {
        report.add(
            Diagnostic::error(
                codes::FORMAT,
                format!("rd={}: format=once without a loop", run.name),
            )
            .at(span, "it formats before the first of a loop only")
            .help("write format=yes, or add a loop"),
        );
    }
}

/// `format=limited` is for a run that does nothing else.
fn limited(run: &RunDefinition, report: &mut Report) {
    if let Some(span) = run
        .format
        .span
        .filter(|_| run.format.limited && !run.format.only)
    {
        report.add(
            Diagnostic::error(
                codes::FORMAT,
                format!("rd={}: format=limited without only", run.name),
            )
            .at(
                span,
                "what it leaves undone would be missing in the run behind it",
            )
            .help("write format=(limited,only), and give the run behind it an rd of its own"),
        );
    }
}

/// Up to 100 an amount of data is a multiple of the size of all storage, and files have none.
fn amount(run: &RunDefinition, report: &mut Report) {
    let limits = [run.max_data, run.max_read, run.max_written];
    // Exactly 100 passes Vdbench's test.
    let below = |l: &DataLimit| matches!(l, DataLimit::Times(times) if *times < 100.0);
    if !limits.iter().flatten().any(below) {
        return;
    }
    let names = [
        "maxdata",
        "maxdataread",
        "maxdata_read",
        "maxdatawritten",
        "maxdata_written",
    ];
    let span = names.iter().find_map(|n| run.origins.of(n));
    report.add(
        Diagnostic::error(
            codes::VALUE,
            format!("rd={}: an amount of data below 100", run.name),
        )
        .at(
            span.unwrap_or(run.span),
            "up to 100 it counts the size of all sds, and there are none",
        )
        .help("give bytes, as maxdata=10g"),
    );
}

/// One tree may be used from several hosts only where it says so; and shares are kept only among workloads that run on
/// the same hosts.
fn hosts(
    definition: &Definition,
    run: &RunDefinition,
    workloads: &[&FileWorkload],
    report: &mut Report,
) {
    let skewed = workloads.iter().any(|w| w.skew.is_some());
    let patterns =
        |w: &FileWorkload| -> Vec<String> { w.hosts.iter().map(|h| h.pattern.clone()).collect() };
    let first = workloads.first().map(|w| patterns(w));
    if let Some(other) = workloads
        .iter()
        .find(|w| skewed && Some(patterns(w)) != first)
    {
        report.add(
            Diagnostic::error(
                codes::SKEW,
                format!("rd={}: shares among workloads on different hosts", run.name),
            )
            .at(other.span, "runs on other hosts than the first")
            .help("give all workloads of the run the same host="),
        );
    }
    for workload in workloads {
        if definition.host_count(&workload.hosts) < 2 {
            continue;
        }
        let references = run.file_systems.as_ref().unwrap_or(&workload.file_systems);
        let own = |f: &&FileSystem| !f.shared && references.iter().any(|r| r.matches(&f.name));
        if report
            .charge(
                (references.len() * definition.file_systems.len()) as u64,
                workload.span,
            )
            .is_err()
        {
            return;
        }
        if let Some(file_system) = definition.file_systems.iter().find(own) {
            report.add(
                Diagnostic::error(
                    codes::CONFLICT,
                    format!(
                        "rd={}: fsd={} would be used from several hosts",
                        run.name, file_system.name
                    ),
                )
                .at(file_system.span, "not shared")
                .at(workload.span, "runs on several hosts")
                .help("add shared=yes to the fsd, or host= with one host to the fwd"),
            );
            return;
        }
    }
}

/// Checks a run on files; its rate where there is one.
pub(crate) fn run<'r>(
    definition: &Definition,
    run: &'r RunDefinition,
    workloads: &[Option<usize>],
    report: &mut Report,
) -> Option<&'r RateRequest> {
    let used: Vec<&FileWorkload> = workloads
        .iter()
        .map(|at| definition.file_workload(*at))
        .collect();
    let skewed: Vec<Skewed> = used
        .iter()
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
    operations(run, &used, report);
    once(run, report);
    limited(run, report);
    amount(run, report);
    hosts(definition, run, &used, report);
    shared_format(definition, run, &used, report);
    if run.file_rate.is_none() && run.origins.of("fwdrate").is_none() {
        report.add(missing_rate(run, "fwdrate", "iorate"));
    }
    run.file_rate.as_ref()
}

/// Two hosts cannot clean and make one tree at the same time.
fn shared_format(
    definition: &Definition,
    run: &RunDefinition,
    workloads: &[&FileWorkload],
    report: &mut Report,
) {
    let makes_anew = run.format.deletes && !run.format.clean;
    let Some(span) = run.format.span.filter(|_| makes_anew) else {
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
    for workload in workloads {
        let references = run.file_systems.as_ref().unwrap_or(&workload.file_systems);
        let used = |f: &&FileSystem| references.iter().any(|r| r.matches(&f.name));
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
