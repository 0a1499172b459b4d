use crate::{RuleAnswer, RuleFinding, RunView, findings, others, some_of};
use plimsoll_evidence::{Quantity, Severity, StepEvidence};
use plimsoll_measure::Op;
use plimsoll_printable::human;

rule! {
    150 "trims-of-nothing" Run(check) [NOTE, SUSPECT, SUSPECT, INVALID, NOTE] pitfalls [4] {
        summary: "Trims went to where nothing was.",
        why: "A trim takes an entry out of a map: of a file system, of a thin pool, of a flash translation layer. Where there is none, \
            a hole or what was trimmed before, there is nothing to do, and the answer is a look into the map.",
        threshold: "More than a tenth of the bytes that were trimmed in the counted time cannot have held anything: at most all of the area \
            did when it began (of a file, what its file system had blocks for, less what is left at the end), and what was written \
            meanwhile. Suspect at most up to half.",
        source: "Arithmetic: each byte can be trimmed once each time that it is written. What a thin LUN or a drive holds is not told, so \
            it may be more than that.",
        example: "A file of 256 MiB without data, of which 880 MiB are trimmed in 2 s: 113,000 trims/s of holes.",
        remedy: "Write what is trimmed: fill the target before, trim each block once (`access = { sequential = \"once\" }`), or mix in as many writes as trims.",
    }
    fires: |o| trimming(o, 0, 0),
    clean: |o| trimming(o, 1 << 40, (1 << 40) - 49_152_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let trims = |s: &&StepEvidence| moved(s, None, Op::Trim) > 0.0;
    let steps = some_of(view.results().filter(trims))?;
    let targets = view.environment.targets.len();
    findings(steps.flat_map(|step| {
        let each = (0..targets).filter_map(move |target| nothing(view, step, target));
        each.collect::<Vec<_>>()
    }))
}

/// Bytes of an operation in a step, on one target or on all.
fn moved(step: &StepEvidence, target: Option<usize>, op: Op) -> f64 {
    let bytes = |ops: &[plimsoll_evidence::OpSummary]| -> f64 {
        let of = ops.iter().filter(|o| o.op == op);
        of.map(|o| o.bytes as f64).sum()
    };
    let on = |t: u32| target.is_none_or(|n| t as usize == n);
    match step.streams.is_empty() {
        true => bytes(&step.ops),
        false => {
            let own = step.streams.iter().filter(|s| s.host == 0 && on(s.target));
            own.map(|s| bytes(&s.ops)).sum()
        }
    }
}

fn nothing(view: &RunView<'_>, step: &StepEvidence, target: usize) -> Option<RuleFinding> {
    let trimmed = moved(step, Some(target), Op::Trim);
    let written = moved(step, Some(target), Op::Write);
    // What the warm-up wrote is not counted.
    let before = written * step.warmup_s / step.counted_s;
    let place = &view.environment.targets[target];
    let area = area(view, target).unwrap_or(place.size_bytes) as f64;
    let mut most = area + written;
    // Of several hosts only the first was looked at.
    let alone = view.environment.more_hosts.is_empty();
    let cache = step.witnessed.as_ref().filter(|_| alone).and_then(|w| {
        let mut caches = w.caches.iter();
        caches.find(|c| c.target == place.name)
    });
    let blocks = cache.and_then(|c| Some((c.allocated_before_bytes?, c.allocated_bytes?)));
    if let Some((first, last)) = blocks {
        most = most.min((first as f64 - last as f64).max(0.0) + written + before);
    }
    let share = 1.0 - others::share(most, trimmed);
    if trimmed <= 0.0 || share <= SOME {
        return None;
    }
    let at_most = match share > HALF {
        true => Severity::Invalid,
        false => Severity::Suspect,
    };
    let message = format!(
        "{} of {} were trimmed, and {} at most can have held anything: at least {} of the trims had nothing to do.",
        human::bytes(trimmed as u64),
        place.name,
        human::bytes(most as u64),
        human::percent(share)
    );
    Some(
        RuleFinding::new(message)
            .step(step.number)
            .at_most(at_most)
            .judged("of_nothing", Quantity::Share(share), SOME)
            .value("trimmed", Quantity::Bytes(trimmed as u64))
            .value("held_at_most", Quantity::Bytes(most as u64)),
    )
}

/// The bytes that any workload of the plan trims of a target; `None` where no plan tells.
fn area(view: &RunView<'_>, target: usize) -> Option<u64> {
    let plan = view.plan_view()?;
    let trims =
        |s: &crate::StreamAt<'_>| s.stream.mix.trim > 0.0 && s.stream.target.0 as usize == target;
    let ranges: Option<Vec<(u64, u64)>> = plan
        .streams()
        .filter(trims)
        .map(|s| plan.range(&s))
        .collect();
    let ranges = ranges.filter(|r| !r.is_empty())?;
    let from = ranges.iter().map(|r| r.0).min()?;
    let to = ranges.iter().map(|r| r.1).max()?;
    Some(to - from)
}

const SOME: f64 = 0.1;
const HALF: f64 = 0.5;

#[cfg(test)]
fn trimming(o: &mut crate::known::Observed, before: u64, after: u64) {
    crate::known::stream_of(&mut o.plan).mix = plimsoll_plan::Mix::TRIMS;
    o.step().ops[0].op = Op::Trim;
    let cache = &mut o.witnessed().caches[0];
    cache.allocated_before_bytes = Some(before);
    cache.allocated_bytes = Some(after);
}

// The sound run moves 49 GB of a TiB.
#[test]
fn an_area_can_be_trimmed_once_and_again_what_was_written() {
    use crate::known::{changed, found};
    let with = |area: u64, written: u64| {
        let case = changed(|o| {
            trimming(o, 0, 0);
            o.witnessed().caches.clear();
            o.plan.targets[0].size = Some(plimsoll_plan::Bytes(area));
            o.environment.targets[0].size_bytes = area;
            let mut writes = o.step().ops[0].clone();
            writes.op = Op::Write;
            writes.bytes = written;
            o.step().ops.push(writes);
        });
        found(check(&case.view()))
    };
    assert_eq!(with(49_152_000_000, 0), []);
    assert_eq!(with(40_000_000_000, 0)[0].at_most, Severity::Suspect);
    let few = with(10_000_000_000, 0);
    assert_eq!(few[0].at_most, Severity::Invalid);
    assert!(
        few[0].message.contains("at least 80% of the trims"),
        "{}",
        few[0].message
    );
    assert_eq!(with(10_000_000_000, 39_152_000_000), []);
}
