use crate::{RuleAnswer, RuleFinding, RunView, findings, some_of};
use plimsoll_evidence::{End, Quantity, StepEvidence};

rule! {
    114 "depth-not-reached" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [32] {
        summary: "Fewer I/Os were in flight than slots were given.",
        why: "A slot that is free in a closed loop is one that the generator, or the kernel, did not fill. The result is of \
            the depth that was reached, not of the one that was asked for.",
        threshold: "The mean I/Os in flight are less than 90 % of the slots, in a closed loop that nothing holds back. Not of \
            null targets: they answer at once, so that no slot can be in use.",
        source: "Little's law; the threshold is that of the catalogue. DiskSPD had this as an error of its own.",
        example: "depth = 64, of which 41 were in flight: the submitting thread could not keep up.",
        remedy: "Use more workers, or fewer slots, and state the depth that was reached.",
    }
    fires: |o| o.step().depth_mean = 20.0,
    clean: |o| o.step().depth_mean = 31.5,
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plan = view.recorded_plan()?;
    let held = |run: &str| {
        let mut streams = plan
            .steps()
            .filter(|s| s.run == run)
            .flat_map(|s| &s.streams);
        streams.any(|s| !s.throttle.is_none() || s.fixed_rate.is_some() || !s.window.is_whole())
    };
    let full = |s: &&StepEvidence| {
        s.offered.is_none()
            && s.end == End::Elapsed
            && s.slots > 1
            && s.load == "max"
            && !held(&s.run)
            && s.late_by_host.is_empty()
    };
    // A null target answers at once: none of its slots is ever in use.
    let nothing = view.environment.targets.iter().all(|t| t.kind == "null");
    let full = |s: &&StepEvidence| !nothing && full(s);
    let steps = some_of(view.measured().filter(full))?;
    findings(
        steps
            .filter(|s| s.depth_mean < REACHED * s.slots as f64)
            .map(|step| {
                let message = format!(
                    "Of {} slots {:.1} were in use on average.",
                    step.slots, step.depth_mean
                );
                RuleFinding::new(message).step(step.number).judged(
                    "depth",
                    Quantity::Number(step.depth_mean),
                    REACHED * step.slots as f64,
                )
            }),
    )
}

const REACHED: f64 = 0.9;

#[test]
fn a_null_target_uses_no_slots() {
    let mut case = crate::known::observed();
    case.step().depth_mean = 7.9;
    assert!(crate::known::fires(check(&case.view())));
    case.environment.targets[0].kind = "null".into();
    assert_eq!(check(&case.view()), Err(crate::NotApplicable));
}
