use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_plan::Caching;

rule! {
    19 "buffered-io" Plan(check) [NOTE, SUSPECT, SUSPECT, INVALID, NOTE] pitfalls [1, 10] {
        summary: "I/O goes through the page cache of the host.",
        why: "A buffered read that the kernel holds never reaches the storage, and a buffered write is done when it is in \
            memory. What is measured is the memory of the host, read-ahead, and how the kernel writes back.",
        threshold: "Caching `buffered` on a file or device, without a durability that makes each write, or each few, wait.",
        source: "Measured here: one thread reads 195,000 blocks/s through the page cache from a disk that gives 97,000.",
        example: "DiskSPD without -Sh and fio without direct=1 do this unless told otherwise.",
        remedy: "Use caching = \"direct\", which is the default, or claim cached.",
    }
    fires: |p| p.targets[0].caching = Caching::Buffered,
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let streams = some_of(view.streams())?;
    let waits = |s: &StreamAt<'_>| s.stream.mix.read == 0.0 && s.opening().durability.waits();
    // A socket and a model have no page cache of this host in the way.
    let local = |s: &StreamAt<'_>| s.target.location.has_page_cache();
    let buffered = |s: &StreamAt<'_>| {
        s.opening().caching == Caching::Buffered && local(s) && !waits(s) && s.moves_bytes()
    };
    findings(streams.filter(buffered).map(|s| {
        let message = format!("{} goes through the page cache of the host.", s.who());
        RuleFinding::new(message)
            .text("workload", &s.stream.workload)
            .at(s
                .written("caching")
                .or_else(|| s.written("openflags"))
                .or_else(|| s.written("path")))
    }))
}

#[test]
fn what_waits_for_its_writes_or_has_no_page_cache_here_is_not_meant() {
    let with = |change: fn(&mut plimsoll_plan::Plan)| {
        let case = crate::known::changed(|o| {
            o.plan.targets[0].caching = Caching::Buffered;
            crate::known::writing(&mut o.plan);
            crate::known::stream_of(&mut o.plan).mix = plimsoll_plan::Mix::of_reads(0.0);
            change(&mut o.plan);
        });
        check(&PlanView::new(&case.plan, None))
    };
    assert!(crate::known::fires(with(|_| {})));
    let synced = |p: &mut plimsoll_plan::Plan| {
        p.targets[0].durability = plimsoll_plan::Durability::FdatasyncEvery(1);
    };
    assert_eq!(with(synced), Ok(vec![]));
    let model = |p: &mut plimsoll_plan::Plan| {
        p.targets[0].location = plimsoll_plan::Location::parse("lab:curve-8k").expect("a target");
    };
    assert_eq!(with(model), Ok(vec![]));
}
