use crate::{Part, RuleAnswer, RuleFinding, RunView, StepCourse, arrays, findings};
use plimsoll_evidence::{Quantity, Severity, Verdict};

rule! {
    206 "amplification-rising" Run(check) [NOTHING, NOTE, SUSPECT, SUSPECT, NOTHING] pitfalls [14, 15] {
        summary: "Each write cost the flash more and more: garbage collection has not settled.",
        why: "Until flash has been written once and more, there is free space at hand. Then each write has to make room by \
            moving what is still needed, and the more of that there is, the slower it gets. While that number rises, the \
            rate is on its way down.",
        threshold: "Pages programmed for each page written rise from the first tenth of a step, or three intervals, to its last third by more than 10 %. A note in a soak: its \
            answer says when that ended.",
        source: "Greedy garbage collection: 1 until all of the flash was written once, then a jump, settled after 2.5 to 3 \
            times.",
        example: "From 1.0 to 2.3 within the step: twice the work for the same write.",
        remedy: "Precondition, or soak until it has settled (`plimsoll soak --overwrites 3`).",
    }
    fires: |o| amplified(o, 0.002),
    clean: |o| amplified(o, 0.0),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reported = arrays::telling(
        view,
        "what the flash of the array wrote: it does not tell of it",
        |a| a.write_amplification.is_some(),
    )?;
    findings(reported.into_iter().filter_map(|(step, _)| {
        let is_soak = |v: &Verdict| matches!(v, Verdict::Method(m) if m.method == "soak" && m.run == step.run);
        let at_most = match view.verdicts.iter().any(is_soak) {
            true => Severity::Note,
            false => Severity::Invalid,
        };
        let step = step.number;
        let parts = &view.course(step)?.parts;
        let third = parts.len() / 3;
        let worst = |p: &Part| p.arrays.iter().filter_map(|a| a.write_amplification).reduce(f64::max);
        let beginning = parts.len().div_ceil(10).max(FEW).min(third);
        let first = StepCourse::mean(&parts[..beginning], worst)?;
        let last = StepCourse::mean(&parts[parts.len() - third..], worst)?;
        (last > RISES * first).then(|| {
            let message = format!(
                "Pages programmed for each page written rose from {first:.2} to {last:.2} within the step."
            );
            RuleFinding::new(message)
                .step(step)
                .at_most(at_most)
                .value("first", Quantity::Number(first))
                .judged("last", Quantity::Number(last), RISES * first)
        })
    }))
}

const RISES: f64 = 1.1;
/// The number of fewer intervals scatters.
const FEW: usize = 3;

#[cfg(test)]
fn amplified(o: &mut crate::known::Observed, by: f64) {
    arrays::with(o, |a| a.write_amplification = Some(1.5));
    for (n, part) in o.courses[0].parts.iter_mut().enumerate() {
        part.arrays = vec![plimsoll_evidence::ArrayInterval {
            write_amplification: Some(1.0 + by * n as f64),
            ..Default::default()
        }];
    }
}

#[test]
fn a_jump_soon_after_the_beginning_is_a_rise() {
    let case = crate::known::changed(|o| {
        amplified(o, 0.0);
        for part in &mut o.courses[0].parts[65..] {
            part.arrays[0].write_amplification = Some(2.4);
        }
    });
    let message = &crate::known::found(check(&case.view()))[0].message;
    assert!(message.contains("from 1.00 to 2.40"), "{message}");
}
