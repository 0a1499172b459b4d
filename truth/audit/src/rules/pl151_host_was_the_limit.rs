use crate::judge::limit_of;
use crate::{RuleAnswer, RuleFinding, RunView, applies, findings, limit};
use plimsoll_evidence::{LimitCause, Quantity};
use plimsoll_printable::human;

rule! {
    151 "host-was-the-limit" Run(check) [SUSPECT, SUSPECT, SUSPECT, INVALID, NOTHING] pitfalls [27, 51] {
        summary: "The host that asks was the limit, not what was asked.",
        why: "Where an I/O spends most of its time before it leaves the host, or waits for a CPU to take its answer, the rate is what \
            the host can issue. The device or array would give more to another host.",
        threshold: "Without the host's CPUs, or the one CPU of a worker, at least 1.5 times as much would be done, and at least 1.25 \
            times what would be without the next cause; see docs/limits.md.",
        source: "Little's law: what a cause explains is the share of an I/O's time that passes there.",
        example: "An array has each I/O for 234 us of the 1.02 ms that it takes: the host explains 77 %.",
        remedy: "Give the host CPUs that nothing else uses, use more hosts, or claim host.",
    }
    fires: |o| in_the_array(o, 300_000.0),
    clean: |o| in_the_array(o, 3_200_000.0),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let asked: Vec<_> = view
        .results()
        .filter_map(|step| Some((step.number, limit_of(view, step)?)))
        .collect();
    applies(!asked.is_empty())?;
    let host = |cause| matches!(cause, LimitCause::HostCpu | LimitCause::OneCpu);
    let found = asked.into_iter().filter(|(_, limit)| host(limit.cause));
    findings(found.map(|(step, limit)| {
        let message = format!(
            "Limited by {}, which explains {} of an I/O's time: {}.",
            limit.cause.words(),
            human::percent(limit.explains),
            limit.for_it.join("; ")
        );
        RuleFinding::new(message).step(step).judged(
            "explains",
            Quantity::Share(limit.explains),
            LEAST,
        )
    }))
}

/// Without it at least 1.5 times as much.
const LEAST: f64 = 1.0 - 1.0 / limit::LEAST_GAIN;

/// A closed loop of 32 whose I/Os take 3.2 ms, of which an array has them for so long.
#[cfg(test)]
fn in_the_array(o: &mut crate::known::Observed, mean_ns: f64) {
    use plimsoll_evidence::{Estimate, FrontEndUse, OpSummary, Requests};
    use plimsoll_measure::{Histogram, Op};
    o.environment.simulated = true;
    o.environment.targets[0].stack.clear();
    let step = o.step();
    (step.slots, step.depth_mean) = (32, 32.0);
    (step.saturation, step.offered) = (None, None);
    step.service_mean_ns = Estimate::bare(3_200_000.0);
    step.rate = Estimate::bare(10_000.0);
    let (ios, bytes) = (step.ios, step.bytes);
    step.ops = vec![OpSummary {
        op: Op::Read,
        ios,
        bytes,
        errors: 0,
        response: Histogram::empty(),
        service: Histogram::empty(),
    }];
    crate::arrays::with(o, |array| {
        let reads = Requests {
            count: ios,
            bytes,
            mean_ns: Some(mean_ns),
        };
        array.front_end = Some(FrontEndUse {
            reads,
            ..FrontEndUse::default()
        });
    });
}
