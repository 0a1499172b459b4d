use crate::{
    PlanView, RuleAnswer, RuleFinding, RunView, applies, findings, host_facts, observable, queue,
};
use plimsoll_evidence::{BlockLayer, Quantity};
use plimsoll_plan::{Caching, Plan};

rule! {
    307 "read-ahead" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [1] {
        summary: "The kernel reads ahead.",
        why: "A buffered read makes the kernel read on, up to this size. Sequential readers find their next blocks in \
            memory; random ones make the device move what nobody asked for.",
        threshold: "Buffered reads on a device with read_ahead_kb above 128, a note; from 1024 on it is suspect.",
        source: "The kernel's default is 128; cloud images have been seen with 8192.",
        example: "read_ahead_kb = 8192: one buffered read of 4 KiB may move 8 MiB.",
        remedy: "Use caching = \"direct\", or set read_ahead_kb to what production has.",
    }
    fires: |o| {
        o.plan.targets[0].caching = Caching::Buffered;
        o.queue("read_ahead_kb", "8192");
    },
    clean: |o| o.plan.targets[0].caching = Caching::Buffered,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reads_buffered = |p: &Plan| {
        let mut streams = PlanView::new(p, None).streams();
        streams.any(|s| s.stream.mix.read > 0.0 && s.opening().caching == Caching::Buffered)
    };
    applies(view.is_real() && view.plan.is_some_and(reads_buffered))?;
    let leaves = || view.environment.targets.iter().flat_map(queue::leaves);
    let ahead = |l: &BlockLayer| queue::number(l, "read_ahead_kb");
    observable(
        leaves().any(|l| ahead(l).is_some()),
        "no device below the targets tells its read-ahead",
    )?;
    findings(leaves().filter_map(|l| {
        let kib = ahead(l)?;
        let at_most = host_facts::read_ahead(i64::try_from(kib).unwrap_or(i64::MAX))?;
        let message = format!("Up to {kib} KiB are read ahead from {}.", l.name);
        Some(
            RuleFinding::new(message)
                .text("device", &l.name)
                .judged(
                    "read_ahead",
                    Quantity::Bytes(kib << 10),
                    host_facts::READ_AHEAD_KIB as f64 * 1024.0,
                )
                .at_most(at_most),
        )
    }))
}

#[test]
fn what_only_writes_reads_nothing_ahead() {
    let run = crate::known::changed(|o| {
        o.plan.targets[0].caching = Caching::Buffered;
        crate::known::writing(&mut o.plan);
        crate::known::stream_of(&mut o.plan).mix = plimsoll_plan::Mix::of_reads(0.0);
        o.queue("read_ahead_kb", "8192");
    });
    assert!(matches!(check(&run.view()), Err(crate::NotApplicable)));
}
