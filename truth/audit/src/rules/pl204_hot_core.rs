use crate::{RuleAnswer, RuleFinding, RunView, arrays, findings, repair};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    204 "hot-core" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [62] {
        summary: "One core of the array had much more to do than the others.",
        why: "Where addresses, or paths, bring the work to one core, the array is as fast as that core. The others wait, and \
            their capacity is in no result.",
        threshold: "The busiest core was busy at least half of the time, and at least 1.5 times as much as the mean core.",
        source: "Published: one core at twice the median and more is the sign; 75 % of the hits on one slice gave 78.1 % to one \
            core.",
        example: "The busiest of 8 cores 97 % busy, the mean 26 %.",
        remedy: "Spread the hits (no `placement`), change strides and streams (PL016, PL017), and see whether the paths are \
            used alike.",
    }
    fires: |o| cores(o, 0.97),
    clean: |o| cores(o, 0.52),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reported = arrays::telling(
        view,
        "the cores of the array: it does not tell of them",
        |a| a.cores.len() > 1,
    )?;
    findings(reported.into_iter().filter_map(|(step, array)| {
        let (number, core) = array.busiest_core()?;
        let mean = array.mean_core()?;
        let hot = core.utilisation >= BUSY && core.utilisation >= HOT * mean;
        hot.then(|| {
            let message = format!(
                "Core {number} of {} was {} busy, the mean core {}.",
                array.name,
                human::percent(core.utilisation),
                human::percent(mean)
            );
            RuleFinding::new(message)
                .step(step.number)
                .judged("busiest", Quantity::Share(core.utilisation), BUSY)
                .value("mean", Quantity::Share(mean))
                .judged("factor", Quantity::Number(core.utilisation / mean), HOT)
                .repaired(&repair::even_owner(step, array))
        })
    }))
}

const BUSY: f64 = 0.5;
const HOT: f64 = 1.5;

#[cfg(test)]
fn cores(o: &mut crate::known::Observed, first: f64) {
    arrays::with(o, |a| {
        a.cores = vec![plimsoll_evidence::CoreUse::default(); 8];
        for (n, core) in a.cores.iter_mut().enumerate() {
            core.utilisation = if n == 0 { first } else { 0.5 };
        }
    });
}
