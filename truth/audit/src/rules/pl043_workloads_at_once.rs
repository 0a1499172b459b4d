use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, applies, findings};
use plimsoll_evidence::Quantity;
use plimsoll_plan::{Load, Location, Pattern};
use std::path::Path;

rule! {
    43 "workloads-at-once" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [39] {
        summary: "Different workloads go as fast as they can at once on the same storage.",
        why: "Each gets what the others leave it. Their rates belong to that one mixture, whose proportions nobody chose, and none is \
            what the storage carries of that workload.",
        threshold: "Two or more workloads of one step that differ in operations, sizes or order, each with a depth of its own, without \
            a rate, from the same beginning, on one target, one folder or one simulated array.",
        source: "Sections of a fio file run at once unless stonewall= parts them; published files have four of them, for reads and \
            writes of two sizes, and take each for the storage's maximum.",
        example: "A storage that carries 100,000 reads/s of 4 KiB reports 31,000/s beside a writer and two streams of 128 KiB.",
        remedy: "Give each workload a run of its own, or say which part of one load each has (share =).",
    }
    fires: |p| {
        let mut second = second(p);
        second.mix = plimsoll_plan::Mix::WRITES;
        let step = crate::known::step_of(p);
        step.load = Load::Max;
        step.streams.push(second);
    },
    clean: |p| {
        let second = second(p);
        let step = crate::known::step_of(p);
        step.load = Load::Max;
        step.streams.push(second);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let free: Vec<StreamAt<'_>> = view.streams().filter(is_free).collect();
    applies(!free.is_empty())?;
    let mut seen = Vec::new();
    let mut compared: Vec<*const plimsoll_plan::Step> = Vec::new();
    for first in &free {
        let step = std::ptr::from_ref(first.at.step);
        if compared.contains(&step) {
            continue;
        }
        let mut names: Vec<&str> = vec![&first.stream.workload];
        let others = free.iter().filter(|other| meets(first, other));
        for other in others.filter(|other| !names_same(first, other)) {
            if !names.contains(&other.stream.workload.as_str()) {
                names.push(&other.stream.workload);
            }
        }
        if names.len() < 2 {
            continue;
        }
        compared.push(step);
        let message = format!(
            "{} run at once on the same storage, each as fast as it can: none of them shows what the storage carries of it alone.",
            listed(&names)
        );
        let place = first.written("name").or_else(|| first.at.near("name"));
        seen.push(
            RuleFinding::new(message)
                .at(place)
                .text("workload", names[0])
                .judged("workloads", Quantity::Count(names.len() as u64), 2.0),
        );
    }
    findings(seen)
}

/// One whose rate is what it gets: a closed loop on slots of its own that nothing holds back, from the step's beginning.
fn is_free(s: &StreamAt<'_>) -> bool {
    s.at.step.load == Load::Max
        && s.stream.depth.is_some()
        && s.stream.fixed_rate.is_none()
        && s.stream.throttle.is_none()
        && s.stream.source.is_none()
        && s.stream.window.from.0 == 0
        && !s.stream.dependency.waits()
}

/// Whether two run at once on the same storage and are different loads.
fn meets(a: &StreamAt<'_>, b: &StreamAt<'_>) -> bool {
    let random = |s: &StreamAt<'_>| matches!(s.stream.address.pattern, Pattern::Random { .. });
    std::ptr::eq(a.at.step, b.at.step)
        && is_same_storage(&a.target.location, &b.target.location)
        && (a.stream.mix != b.stream.mix
            || a.stream.size != b.stream.size
            || random(a) != random(b))
}

fn names_same(a: &StreamAt<'_>, b: &StreamAt<'_>) -> bool {
    a.stream.workload == b.stream.workload
}

/// As far as names tell: one target, files of one folder, LUNs of one simulated array.
fn is_same_storage(a: &Location, b: &Location) -> bool {
    let folder = |location: &Location| {
        let paths = location.paths();
        let parent = paths
            .first()
            .and_then(|path| path.parent())
            .map(Path::to_owned);
        parent.filter(|parent| !parent.starts_with("/dev"))
    };
    let is_one_array = match (a, b) {
        (Location::Lab(a), Location::Lab(b)) => a.array == b.array,
        _ => false,
    };
    a == b || is_one_array || (folder(a).is_some() && folder(a) == folder(b))
}

fn listed(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.join(", "),
    }
}

#[cfg(test)]
fn second(plan: &mut plimsoll_plan::Plan) -> plimsoll_plan::Stream {
    let stream = crate::known::stream_of(plan);
    stream.depth = Some(8);
    let mut second = stream.clone();
    second.workload = "writer".into();
    second
}
