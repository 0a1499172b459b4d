use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_plan::{Location, Purpose};
use std::path::Path;

rule! {
    11 "never-filled" Plan(check) [NOTHING, NOTE, NOTE, NOTE, NOTHING] pitfalls [2, 3, 4] {
        summary: "Reads go to a target that this plan does not write, and none says that it is filled.",
        why: "A part of a target that was never written is not read from a medium: the file system, the thin pool or the \
            flash translation layer knows that nothing is there and answers with zeros from memory. Measured here: a \
            fallocated file gave 732,000 reads/s where the same file filled gave 110,000.",
        threshold: "A read workload on a file, device or export for which the plan has no fill, no precondition and no workload \
            that writes, before it or with it.",
        source: "Measured (dev/app read ratio 0.015 on unwritten extents, 0.000 on holes); the refusal at the start of a run is \
            the stronger check.",
        example: "A plan that reads 100 % of /dev/sdx: where the LUN is thin and new, it measures how fast the array says \
            \"nothing there\".",
        remedy: "Fill the target first (`--fill`, or a run with purpose = \"fill\"); Plimsoll refuses reads of what it can see \
            was never written, but it cannot see into a thin LUN.",
    }
    fires: |p| p.targets[0].location = Location::Path("/dev/sdx".into()),
    clean: |p| p.targets[0].location = Location::Lab("single-ssd".parse().expect("a LUN")),
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let reads = |s: &StreamAt<'_>| s.stream.mix.read > 0.0 && written(view, s) != Written::Before;
    let readers = some_of(view.streams().filter(|s| s.stream.mix.read > 0.0))?;
    // A simulated LUN is full from its start, and a file that is missing or too short is filled before it is read.
    let device = |s: &StreamAt<'_>| match &s.target.location {
        // Once it was opened, it is known what it is.
        Location::Path(_) if view.kind(s) == Some("file") => false,
        Location::Path(path) => is_device(path),
        Location::Concat(paths) => paths.iter().any(|p| is_device(p)),
        Location::Nbd(_) => true,
        Location::Null(_) | Location::Lab(_) | Location::Tree(_) => false,
    };
    findings(readers.filter(reads).filter(device).map(|s| {
        let message = match written(view, &s) {
            Written::After => format!("{} reads what this plan writes only afterwards.", s.who()),
            _ => format!("{} reads what nothing in this plan writes.", s.who()),
        };
        RuleFinding::new(message)
            .at(s.written("read").or_else(|| s.written("path")))
            .text("workload", &s.stream.workload)
    }))
}

/// Whether a path leads to a device by its name: what lies in /dev/shm are files in memory.
fn is_device(path: &Path) -> bool {
    path.starts_with("/dev") && !path.starts_with("/dev/shm")
}

/// When a plan writes what a workload reads.
#[derive(PartialEq)]
enum Written {
    Never,
    /// In a step before its own, or in that.
    Before,
    After,
}

fn written(view: &PlanView<'_>, reader: &StreamAt<'_>) -> Written {
    let on_it = |step: &plimsoll_plan::Step| {
        let fills = step.purpose == Purpose::Fill;
        let mut own = step
            .streams
            .iter()
            .filter(|s| s.target == reader.stream.target);
        own.any(|s| fills || s.mix.write > 0.0)
    };
    let first = view.plan.steps().position(on_it);
    let own = view
        .plan
        .steps()
        .position(|step| std::ptr::eq(step, reader.at.step));
    match first {
        Some(first) if own.is_none_or(|own| first <= own) => Written::Before,
        Some(_) => Written::After,
        None => Written::Never,
    }
}

#[test]
fn a_file_under_dev_is_no_device_and_what_was_opened_is_what_it_is() {
    use crate::known::observed;
    let mut case = observed();
    let finds = |case: &crate::known::Observed, opened: bool| {
        let mut view = PlanView::new(&case.plan, None);
        view.environment = opened.then_some(&case.environment);
        crate::known::fires(check(&view))
    };
    case.plan.targets[0].location = Location::Path("/dev/shm/x".into());
    assert!(!finds(&case, false));
    case.plan.targets[0].location = Location::Path("/dev/sdx".into());
    assert!(finds(&case, false) && finds(&case, true));
    case.environment.targets[0].kind = "file".into();
    assert!(!finds(&case, true));
}

#[test]
fn what_is_written_after_it_was_read_fills_nothing() {
    let mut plan = crate::known::observed().plan;
    plan.targets[0].location = Location::Path("/dev/sdx".into());
    let mut other = plan.clone();
    crate::known::step_of(&mut other).streams[0].mix.write = 1.0;
    let writes = other.items.remove(0);
    let said = |plan: &plimsoll_plan::Plan| {
        let found = check(&PlanView::new(plan, None)).expect("an answer");
        found
            .first()
            .map(|found| found.message.clone())
            .unwrap_or_default()
    };
    plan.items.push(writes.clone());
    assert!(said(&plan).contains("only afterwards"));
    plan.items.insert(0, writes);
    assert_eq!(said(&plan), "");
}
