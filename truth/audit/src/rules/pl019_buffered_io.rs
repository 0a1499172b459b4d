use crate::{Answer, PlanView, Rule, Seen, StreamAt};
use plimsoll_plan::{Caching, Durability};

pub const RULE: Rule = rule! {
    19 "buffered-io" Plan(check) [NOTE, SUSPECT, SUSPECT, INVALID, NOTE] pitfalls [1, 10] {
        summary: "I/O goes through the page cache of the host.",
        why: "A buffered read that the kernel holds never reaches the storage, and a buffered write is done when it is in \
            memory. What is measured is the memory of the host, read-ahead, and how the kernel writes back.",
        threshold: "Caching `buffered` on a target, without a durability that makes each write wait.",
        source: "Measured here: one thread reads 195,000 blocks/s through the page cache from a disk that gives 97,000.",
        example: "DiskSPD without -Sh and fio without direct=1 do this unless told otherwise.",
        remedy: "Use caching = \"direct\", which is the default, or claim cached.",
    }
};

fn check(view: &PlanView<'_>) -> Answer {
    let mut streams = view.streams().peekable();
    if streams.peek().is_none() {
        return Answer::NotApplicable;
    }
    let waits = |s: &StreamAt<'_>| {
        s.stream.mix.read == 0.0
            && matches!(s.target.durability, Durability::Dsync | Durability::Sync)
    };
    let buffered = |s: &StreamAt<'_>| s.target.caching == Caching::Buffered && !waits(s);
    Answer::of(streams.filter(buffered).map(|s| {
        let message = format!("{} goes through the page cache of the host.", s.who());
        Seen::new(message).text("workload", &s.stream.workload).at(s
            .written("caching")
            .or_else(|| s.written("openflags"))
            .or_else(|| s.written("path")))
    }))
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Plan {
    fires: |p| p.targets[0].caching = Caching::Buffered,
    clean: |p| {
        crate::known::stream_of(p);
    },
};
