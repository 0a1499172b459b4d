use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{Quantity, Severity, StepEvidence};
use plimsoll_printable::human;

rule! {
    111 "lopsided-targets" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [62] {
        summary: "One target did much more than another that was asked for the same.",
        why: "The sum over targets hides that one of them is slow, that paths or controllers are loaded unequally, or that \
            one holds no data.",
        threshold: "Targets of one workload at its maximum whose rates differ by more than 1.5 times; a note up to 3 times.",
        source: "Proposal; the catalogue has max/min above 1.2 or Jain's index below 0.9, which small samples pass by chance.",
        example: "Eight LUNs, one of them at 40 % of the others: it lies on the tier of disks.",
        remedy: "Look at the targets one by one.",
    }
    fires: |o| two(o, 2_000.0),
    clean: |o| two(o, 6_500.0),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let together = |s: &StepEvidence| s.offered.is_none() && s.streams.len() > 1;
    let steps = some_of(view.measured().filter(|s| together(s)))?;
    findings(steps.filter_map(|step| {
        let first = step.streams.first()?;
        let same = step
            .streams
            .iter()
            .filter(|s| s.workload == first.workload && s.host == first.host);
        let rates: Vec<f64> = same.map(|s| s.rate.mean).collect();
        let (low, high) = rates
            .iter()
            .fold((f64::MAX, 0.0f64), |(l, h), r| (l.min(*r), h.max(*r)));
        (rates.len() > 1 && high > LOPSIDED * low).then(|| {
            let message = format!(
                "Of {}'s targets one did {}/s and another {}/s.",
                first.workload,
                human::rate(high),
                human::rate(low)
            );
            let seen = RuleFinding::new(message).step(step.number);
            let at_most = match high > FAR * low {
                true => Severity::Suspect,
                false => Severity::Note,
            };
            let seen = seen.at_most(at_most);
            seen.judged("most", Quantity::PerSecond(high), LOPSIDED * low)
                .value("least", Quantity::PerSecond(low))
        })
    }))
}

const LOPSIDED: f64 = 1.5;
/// Times that a rate is another, beyond which it is neither chance nor small: the sum is then that of the fast one.
const FAR: f64 = 3.0;

#[cfg(test)]
fn two(o: &mut crate::known::Observed, second: f64) {
    let stream = |rate: f64| plimsoll_evidence::StreamSummary {
        workload: "oltp".into(),
        rate: plimsoll_evidence::Estimate::bare(rate),
        ..Default::default()
    };
    o.step().streams = vec![stream(7_000.0), stream(second)];
}
