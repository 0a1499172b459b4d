use crate::{NotApplicable, RuleAnswer, RuleFinding, RunView, arrays, findings};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::Op;
use plimsoll_plan::Claim;
use plimsoll_printable::human;

rule! {
    211 "attributes-cached" Run(check) SUSPECT pitfalls [6] {
        summary: "The client answered stats by itself, from what it had been told before.",
        why: "A client of a file server goes by a file's attributes for some seconds (acregmin to acregmax, or actimeo, of nfs(5)). A stat \
            within that time is answered at the speed of memory, and the server never hears of it: the rate is the client's.",
        threshold: "More than half of the stats and accesses were answered by the client; between 10 % and half, and for another claim than \
            sustained, it is a note.",
        source: "Proposal, as for reads that a cache answers. Where a file is asked for by chance r times a second and the time-out is T, a \
            client answers the share r T / (1 + r T).",
        example: "100 files, 10,000 stats a second, 3 s: the client answers 99.7 %.",
        remedy: "Mount with actimeo=0 (of the lab: lab:filer?actimeo=0), ask for more files than come round within the time-out, or claim cached.",
    }
    fires: |o| asked(o, 900),
    clean: |o| asked(o, 20),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let asks = |op: Op| matches!(op, Op::Stat | Op::Access);
    let mut ops = view.results().flat_map(|step| &step.ops);
    if !ops.any(|o| asks(o.op) && o.ios > 0) {
        return Err(NotApplicable);
    }
    let told = arrays::telling(
        view,
        "which stats the client answered by itself: nobody tells",
        |array| array.filer.is_some(),
    )?;
    findings(told.into_iter().filter_map(|(step, array)| {
        let filer = array.filer.filter(|filer| filer.asked > 0)?;
        let share = filer.by_client as f64 / filer.asked as f64;
        let message = format!(
            "The client of {} answered {} of its stats and accesses by itself, within the attribute time-out.",
            array.name,
            human::percent(share)
        );
        let finding = RuleFinding::new(message)
            .step(step.number)
            .at_most(severity(view.claim, share)?)
            .judged("by_client", Quantity::Share(share), SOME);
        Some(finding)
    }))
}

fn severity(claim: Claim, share: f64) -> Option<Severity> {
    match claim {
        Claim::Cached | Claim::Host => None,
        Claim::Sustained if share > MOST => Some(Severity::Suspect),
        _ => (share > SOME).then_some(Severity::Note),
    }
}

const MOST: f64 = 0.5;
const SOME: f64 = 0.1;

/// A run of stats, of so many in a thousand of which the client answered.
#[cfg(test)]
fn asked(o: &mut crate::known::Observed, by_client: u64) {
    arrays::with(o, |array| {
        array.filer = Some(plimsoll_evidence::FilerUse {
            asked: 1000,
            by_client,
            ..Default::default()
        });
    });
    o.step().ops[0].op = Op::Stat;
}
