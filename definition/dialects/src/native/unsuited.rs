//! Complaints about runs whose keys do not suit each other, or their workloads.

use super::host;
use super::method::{METHOD, methods_of};
use super::report::Report;
use super::run::Run;
use super::workload::Workload;
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{Item, Load};

pub(super) fn idle_thought(report: &mut Report<'_>, run: &Run, idle: (&str, &str), items: &[Item]) {
    let (workload, key) = idle;
    let message = format!(
        "workload `{workload}` in run `{}` has `{key}`, but does not think",
        run.name
    );
    let diagnostic = Diagnostic::error("bad-value", message)
        .help(format!("add think = TIME, or leave `{key}` out"));
    let step = items.first().and_then(|i| i.steps().first());
    let origins = step.map(|s| &s.origins);
    let span = origins.and_then(|o| o.of(key).or_else(|| o.of(&format!("{workload}.{key}"))));
    report.push(match span {
        Some(span) => diagnostic.at(span, "goes with `think`"),
        None => diagnostic,
    });
}

/// A workload that has operations on a tree does those, whatever is said of reads and trims.
pub(super) fn idle_read(report: &mut Report<'_>, run: &Run, idle: (&str, &str), items: &[Item]) {
    let (workload, key) = idle;
    let message = format!(
        "workload `{workload}` in run `{}` has `operations`, and `{key}` beside them",
        run.name
    );
    let diagnostic = Diagnostic::error("bad-value", message).help(format!(
        "leave `{key}` out, and write reads among the operations"
    ));
    let step = items.first().and_then(|i| i.steps().first());
    let origins = step.map(|s| &s.origins);
    let span = origins.and_then(|o| o.of(key).or_else(|| o.of(&format!("{workload}.{key}"))));
    report.push(diagnostic.at_known(span));
}

/// A workload that replays a log does what that says, whatever its run says.
pub(super) fn said_by_log(report: &mut Report<'_>, run: &Run, (workload, key): (&str, &str)) {
    let message = format!(
        "run `{}` has `{key}`, and its workload `{workload}` replays a log",
        run.name
    );
    let diagnostic = Diagnostic::error("bad-value", message).help(format!(
        "leave `{key}` out, or give the workload a run of its own"
    ));
    report.push(match place(run, key) {
        Some(span) => diagnostic.at(span, "the log says it"),
        None => diagnostic,
    });
}

pub(super) fn idle_distribution(
    report: &mut Report<'_>,
    run: &Run,
    workload: &str,
    items: &[Item],
) {
    let message = format!(
        "workload `{workload}` in run `{}` has a distribution, but no random addresses",
        run.name
    );
    let diagnostic = Diagnostic::error("bad-value", message)
        .help("leave `distribution` out, or write access = \"random\"");
    let origins = items
        .first()
        .and_then(|i| i.steps().first())
        .map(|s| &s.origins);
    let span = origins.and_then(|o| {
        o.of("distribution")
            .or_else(|| o.of(&format!("{workload}.distribution")))
    });
    report.push(match span {
        Some(span) => diagnostic.at(span, "not used by this order of addresses"),
        None => diagnostic,
    });
}

/// What is said of a curve that is none would never be looked at.
pub(super) fn without_curve(report: &mut Report<'_>, run: &Run, items: &[Item]) {
    if items.iter().any(|i| matches!(i, Item::Curve(_))) {
        return;
    }
    let adaptive = run.method.method == Some("adaptive");
    for key in ["slo", "percents", "stop_service"] {
        if adaptive && key == "slo" {
            continue;
        }
        let Some(span) = place(run, key) else {
            continue;
        };
        let message = format!("run `{}` has `{key}`, but no curve", run.name);
        report.push(
            Diagnostic::error("bad-value", message)
                .at(span, "only a curve has it")
                .help("write load = \"curve\", or leave it out"),
        );
    }
}

/// What is said of a method that it is not would never be looked at.
pub(super) fn without_method(report: &mut Report<'_>, run: &Run) {
    for key in &METHOD {
        let having = methods_of(key.name);
        let Some(span) = place(run, key.name) else {
            continue;
        };
        if run.method.method.is_some_and(|m| having.contains(&m)) {
            continue;
        }
        let message = format!(
            "run `{}` has `{}`, but is no {}",
            run.name,
            key.name,
            having.join(" or ")
        );
        report.push(
            Diagnostic::error("bad-value", message)
                .at(span, format!("only a {} has it", having.join(" or a ")))
                .help(format!("write method = \"{}\", or leave it out", having[0])),
        );
    }
}

/// What a method cannot do without, and what it would do otherwise than was written.
pub(super) fn incomplete_method(report: &mut Report<'_>, run: &Run) {
    let at = place(run, "method");
    let mut complain = |message: String, help: &str, span: Option<Span>| {
        let diagnostic = Diagnostic::error("bad-value", message).help(help);
        report.push(diagnostic.at_known(span));
    };
    if let Some((lacks, help)) = run.method.missing() {
        complain(format!("run `{}`: {lacks}", run.name), help, at);
    }
    if let Some(method) = run.method.method.filter(|m| *m != "soak")
        && let Some(span) = place(run, "actions")
    {
        complain(
            format!(
                "run `{}` is a {method}, which decides itself what is done when",
                run.name
            ),
            "leave `actions` out, or `method`",
            Some(span),
        );
    }
}

/// The first step of a plan has no last one to take a percentage of.
pub(super) fn percent_of_nothing(report: &mut Report<'_>, items: &[Item]) {
    let Some(Item::Step(step)) = items.first() else {
        return;
    };
    if !matches!(step.load, Load::PercentOfLast { .. }) {
        return;
    }
    let diagnostic = Diagnostic::error(
        "bad-value",
        "the first step asks for a percentage of the last",
    )
    .help("put a run with load = \"max\" before it, or write load = \"curve\"");
    report.push(match step.origins.of("load") {
        Some(span) => diagnostic.at(span, "there is no step before this"),
        None => diagnostic,
    });
}

/// A workload of some hosts in a run of others would be carried out by nobody.
pub(super) fn nobodys(report: &mut Report<'_>, run: &Run, workloads: &[Workload]) {
    let used = run.workloads.iter().map(|i| &workloads[*i]);
    for workload in used.filter(|w| host::of_both(&w.hosts, &run.hosts).is_none()) {
        let message = format!(
            "run `{}` and its workload `{}` have no host in common",
            run.name, workload.name
        );
        let diagnostic = Diagnostic::error("bad-value", message)
            .help("name a host in both, or leave `hosts` out of one of them");
        report.push(match place(run, "hosts") {
            Some(span) => diagnostic.at(span, "not the workload's"),
            None => diagnostic,
        });
    }
}

/// Whoever is waited for has to be in the run, and to come before.
pub(super) fn turns(report: &mut Report<'_>, run: &Run, workloads: &[Workload]) {
    for (at, index) in run.workloads.iter().enumerate() {
        let workload = &workloads[*index];
        let before = &run.workloads[..at];
        let is_before = |name: &String| before.iter().any(|i| workloads[*i].name == *name);
        let Some(name) = workload.after.iter().find(|name| !is_before(name)) else {
            continue;
        };
        let message = format!(
            "workload `{}` begins after `{name}`, which does not come before it in run `{}`",
            workload.name, run.name
        );
        let diagnostic = Diagnostic::error("bad-value", message)
            .help("name workloads of the run that come before it, in `workloads` or in the file");
        let place = workload.places.iter().find(|(key, _)| *key == "after");
        report.push(diagnostic.at_known(place.map(|(_, span)| *span)));
    }
}

/// Shares are relative, so that one alone says nothing.
pub(super) fn shares(report: &mut Report<'_>, run: &Run, workloads: &[Workload]) {
    let sharing = || {
        run.workloads
            .iter()
            .map(|i| &workloads[*i])
            .filter(|w| w.rate.is_none())
    };
    let without = sharing().find(|w| w.share.is_none());
    let with = sharing().find(|w| w.share.is_some());
    if let (Some(with), Some(without)) = (with, without) {
        let message = format!(
            "in run `{}` workload `{}` has a share and `{}` has none",
            run.name, with.name, without.name
        );
        let mut diagnostic = Diagnostic::error("bad-value", message);
        if let Some((_, span)) = with.places.iter().find(|(k, _)| *k == "share") {
            diagnostic = diagnostic.at(*span, "relative to the others'");
        }
        report.push(diagnostic.help("give each workload of the run a share, or none of them"));
    }
}

pub(super) fn place(run: &Run, key: &str) -> Option<Span> {
    run.places
        .iter()
        .find(|(k, _)| *k == key)
        .map(|(_, span)| *span)
}
