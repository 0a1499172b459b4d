use crate::{NotApplicable, RuleAnswer, RuleFinding, RunView, applies, findings};
use plimsoll_evidence::{OpSummary, Quantity, Severity, StepEvidence};
use plimsoll_measure::Op;
use plimsoll_plan::{IoSource, Step};
use plimsoll_printable::human;
use std::collections::BTreeMap;

rule! {
    153 "few-read-back" Run(check) SUSPECT pitfalls [] {
        summary: "Verification read back a part only of what was written.",
        why: "A place that was written again holds what was written last, and nothing can be said of the writes before; of a place to \
            which two writes were out at once nobody knows which of them it holds. What was not read back was not verified: it may be \
            wrong without a word.",
        threshold: "Less than 99 % of the bytes that were written were read back. A note down to half.",
        source: "Counts of the two steps. fio visits each block once by default, and reads back all of it; with norandommap, sizes that \
            differ or a time it has the same gap, and says nothing.",
        example: "91,936 writes of 4 to 256 KiB at random into 16 MiB for 2 s, of which 12 were read back: 0.01 % are verified.",
        remedy: "Write each block once (one size, no norandommap, no time_based), or read back as you go, from a larger area.",
    }
    fires: |o| verifying(o, 1 << 30, 1 << 20),
    clean: |o| verifying(o, 1 << 30, 1 << 30),
}

/// What is as good as all.
const ALL: f64 = 0.99;
const HALF: f64 = 0.5;

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.plan.ok_or(NotApplicable)?;
    let steps: Vec<&Step> = plan.steps().collect();
    let pairs = steps.windows(2).filter_map(|pair| {
        let named = |step: &Step| view.steps.iter().find(|e| e.name == step.name);
        let read = read_back(pair[1]);
        (!read.is_empty()).then_some((named(pair[0])?, named(pair[1])?, read))
    });
    let pairs: Vec<_> = pairs.collect();
    applies(!pairs.is_empty())?;
    findings(pairs.into_iter().flat_map(|(written, back, read)| {
        let each = read.into_iter();
        let seen = each.filter_map(|(of, readers)| part(written, back, of, &readers));
        seen.collect::<Vec<_>>()
    }))
}

/// The workloads whose writes a step reads back, each with those that read them.
fn read_back(step: &Step) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for stream in &step.streams {
        if let Some(IoSource::ReadBack(of)) = &stream.source {
            all.entry(of).or_default().push(&stream.workload);
        }
    }
    all
}

fn part(
    written: &StepEvidence,
    back: &StepEvidence,
    workload: &str,
    readers: &[&str],
) -> Option<RuleFinding> {
    let (wrote, writes) = moved(written, &[workload], Op::Write);
    let (read, reads) = moved(back, readers, Op::Read);
    // What the warm-up wrote is in no count, and is read back as well.
    let share = (read as f64 / wrote.max(1) as f64).min(1.0);
    if wrote == 0 || share >= ALL {
        return None;
    }
    let message = format!(
        "{} of {} writes of {workload} were read back and verified, {} of their bytes: the others were written over, or two were out \
         at once to the same place.",
        human::count(reads),
        human::count(writes),
        human::percent(share)
    );
    let at_most = match share < HALF {
        true => Severity::Suspect,
        false => Severity::Note,
    };
    Some(
        RuleFinding::new(message)
            .step(back.number)
            .at_most(at_most)
            .judged("read_back", Quantity::Share(share), ALL)
            .value("written", Quantity::Bytes(wrote)),
    )
}

/// Bytes and I/Os of an operation of some workloads; a step of one workload may have no more than its own counts.
fn moved(step: &StepEvidence, workloads: &[&str], op: Op) -> (u64, u64) {
    let sum = |ops: &[OpSummary]| {
        let own = ops.iter().filter(|o| o.op == op);
        own.fold((0, 0), |sum: (u64, u64), o| {
            (sum.0 + o.bytes, sum.1 + o.ios)
        })
    };
    if step.streams.is_empty() {
        return sum(&step.ops);
    }
    let own = step
        .streams
        .iter()
        .filter(|s| s.host == 0 && workloads.contains(&s.workload.as_str()));
    own.fold((0, 0), |all, s| {
        let (bytes, ios) = sum(&s.ops);
        (all.0 + bytes, all.1 + ios)
    })
}

#[cfg(test)]
fn verifying(o: &mut crate::known::Observed, written: u64, read: u64) {
    let plimsoll_plan::Item::Step(step) = &mut o.plan.items[0] else {
        return;
    };
    step.streams[0].mix = plimsoll_plan::Mix::WRITES;
    let mut back = step.clone();
    back.name = format!("{} (read back)", step.name);
    back.streams[0].mix = plimsoll_plan::Mix::READS;
    back.streams[0].source = Some(IoSource::ReadBack(step.streams[0].workload.clone()));
    o.plan.items.push(plimsoll_plan::Item::Step(back.clone()));
    let mut evidence = o.steps[0].clone();
    evidence.name = back.name;
    evidence.number += 1;
    o.steps.push(evidence);
    for (step, op, bytes) in [(0, Op::Write, written), (1, Op::Read, read)] {
        let step = &mut o.steps[step];
        step.streams.clear();
        step.ops.truncate(1);
        step.ops[0].op = op;
        step.ops[0].bytes = bytes;
    }
}

#[test]
fn what_a_workload_of_another_name_reads_back_was_read_back() {
    let found = |read: u64| {
        let o = crate::known::changed(|o| {
            verifying(o, 1 << 20, read);
            if let plimsoll_plan::Item::Step(back) = &mut o.plan.items[1] {
                back.streams[0].workload = "check".into();
            }
            for (step, name) in o.steps.iter_mut().zip(["oltp", "check"]) {
                step.streams = vec![plimsoll_evidence::StreamSummary {
                    workload: name.into(),
                    ops: step.ops.clone(),
                    ..plimsoll_evidence::StreamSummary::default()
                }];
            }
        });
        crate::known::found(check(&o.view())).len()
    };
    assert_eq!((found(1 << 20), found(1 << 10)), (0, 1));
}
