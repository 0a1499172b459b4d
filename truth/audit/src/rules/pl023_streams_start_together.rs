use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, applies, findings};
use plimsoll_plan::Pattern;

rule! {
    23 "streams-start-together" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [39] {
        summary: "Several sequential workloads start at the same place of a target.",
        why: "The first one reads from the medium, and those behind it find in the cache what it has just read. The sum \
            looks like several streams and is one.",
        threshold: "Two or more sequential workloads of one step, on one target, with the same beginning.",
        source: "DiskSPD with -s and several threads does this by default; duplicate offsets within a second above 1 % are our \
            threshold for a run.",
        example: "Four sequential readers from byte 0 of one LUN: 4 GB/s at the host, 1 GB/s from the media.",
        remedy: "Give each workload a range of its own, or use one workload with access = \"streams=N\".",
    }
    fires: |p| {
        let stream = crate::known::stream_of(p);
        stream.address.pattern = SEQUENTIAL;
        let mut second = stream.clone();
        second.workload = "scan".into();
        crate::known::step_of(p).streams.push(second);
    },
    clean: |p| {
        let stream = crate::known::stream_of(p);
        stream.address.pattern = SEQUENTIAL;
        let mut second = stream.clone();
        second.address.range = plimsoll_plan::RangeSpec::Percent(50.0, 100.0);
        crate::known::step_of(p).streams.push(second);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    // On a tree each takes a file of its own.
    let sequential = |s: &StreamAt<'_>| {
        let on_tree = s.target.location.tree().is_some();
        !on_tree
            && matches!(
                s.stream.address.pattern,
                Pattern::Sequential {
                    random_start: false,
                    ..
                }
            )
    };
    let all: Vec<StreamAt<'_>> = view.streams().filter(sequential).collect();
    applies(!all.is_empty())?;
    let same = |a: &StreamAt<'_>, b: &StreamAt<'_>| {
        std::ptr::eq(a.at.step, b.at.step)
            && a.stream.target == b.stream.target
            && a.stream.address.range == b.stream.address.range
    };
    findings(all.iter().enumerate().filter_map(|(i, s)| {
        let mut before = all[..i].iter().filter(|other| same(other, s));
        let other = &before.next()?.stream.workload;
        let own = &s.stream.workload;
        let written = || s.written("range").or_else(|| s.written("access"));
        let (message, span) = match other == own {
            // Of all clones it is said once.
            true if before.any(|b| b.stream.workload == *own) => return None,
            true => (
                format!("{}: its clones all start at the same place.", s.who()),
                s.written("clones").or_else(written),
            ),
            false => (
                format!(
                    "{} starts where {other} starts, and both are sequential.",
                    s.who()
                ),
                written(),
            ),
        };
        let found = RuleFinding::new(message).at(span);
        Some(found.text("workload", own))
    }))
}

#[cfg(test)]
const SEQUENTIAL: Pattern = Pattern::IN_ORDER;
