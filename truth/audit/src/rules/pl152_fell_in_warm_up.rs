use crate::accounts;
use crate::blame::{self, Blame};
use crate::judge::limit_of;
use crate::{Part, RuleAnswer, RuleFinding, RunView, applies, findings};
use plimsoll_evidence::{LimitCause, Quantity, Severity, StepEvidence};
use plimsoll_measure::{COLLAPSED, fell_before};
use plimsoll_printable::human;

rule! {
    152 "fell-in-warm-up" Run(check) [NOTHING, SUSPECT, SUSPECT, INVALID, NOTE] pitfalls [14, 24, 45] {
        summary: "The rate fell in the warm-up, which hides it.",
        why: "What is left out at the beginning is not looked at again. Where the storage, or the host, gave far more there than it did \
            from then on, the counted rate is what was left after something was used up or taken away: what lasts, but neither the \
            burst nor what the device can do.",
        threshold: "The median of the counted intervals is less than 70 % of the best rate that 3 s of the warm-up had, in a closed \
            loop, and the first of them lies nearer to it: a fall that is counted is not hidden. A note where the disks are seen to have taken as much longer as the rate \
            fell, or where a part of the target is known to be what limits it since: then the warm-up has done what it is for.",
        source: "The limit of PL108, for what comes before the counted time.",
        example: "105,000/s for the first 3 s of a warm-up of 5 s, 31,000/s in the minute that is counted.",
        remedy: "Find out what changed, and measure again. What was counted lasts only if the storage itself used something up.",
    }
    fires: |o| o.courses = vec![warmed(30_000)],
    clean: |o| o.courses = vec![warmed(11_000)],
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let closed = |s: &&StepEvidence| {
        let windows = s.streams.iter().any(|stream| stream.counted_s.is_some());
        s.offered.is_none() && s.actions.is_empty() && !windows
    };
    let warmed: Vec<_> = view
        .results()
        .filter(closed)
        .filter_map(|step| Some((step, view.course(step.number)?)))
        .filter(|(_, course)| !course.warm_up.is_empty())
        .collect();
    applies(!warmed.is_empty())?;
    findings(warmed.into_iter().filter_map(|(step, course)| {
        let beginning = |p: &Part| (p.rate(), p.seconds());
        let beginning: Vec<(f64, f64)> = course.warm_up.iter().map(beginning).collect();
        let counted: Vec<f64> = course.parts.iter().map(Part::rate).collect();
        let (before, after) = fell_before(&beginning, &counted)?;
        let targets = view.environment.targets.iter();
        let disks: Vec<&str> = targets.flat_map(accounts::bottom).collect();
        // Most of a warm-up may be behind the fall.
        let is_before = |p: &&Part| p.rate() >= (before + after) / 2.0;
        let first: Vec<Part> = course.warm_up.iter().filter(is_before).cloned().collect();
        let blame = blame::of_fall(step, &first, &course.parts, &disks);
        let cause = limit_of(view, step).map(|limit| limit.cause);
        let cause = cause.filter(|cause| *cause != LimitCause::NotAttributable);
        let why = match (&blame, cause) {
            (Blame::NotAttributable, Some(cause)) => {
                format!("What limits it now is {}.", cause.words())
            }
            _ => blame.sentence(),
        };
        let message = format!(
            "The warm-up had {}/s for a while, and what was counted has {}/s. {why}",
            human::rate(before),
            human::rate(after),
        );
        // What the target does once something is used up is what a warm-up is to come to.
        let is_targets = cause.is_some_and(LimitCause::is_of_target);
        let (at_most, remedy) = match blame {
            Blame::Devices(_) => (Severity::Note, None),
            Blame::NotAttributable if is_targets => (
                Severity::Note,
                Some("Say beside the number that the beginning, which is not in it, was faster."),
            ),
            Blame::Host(_) | Blame::NotAttributable => (Severity::Invalid, None),
        };
        Some(
            RuleFinding::new(message)
                .step(step.number)
                .at_most(at_most)
                .remedy(remedy)
                .judged("after", Quantity::PerSecond(after), COLLAPSED * before)
                .value("before", Quantity::PerSecond(before))
                .value("blame", Quantity::Text(blame.word().into())),
        )
    }))
}

/// A steady course of 10,000/s behind a warm-up of 5 s at another rate.
#[cfg(test)]
fn warmed(ios: u64) -> crate::StepCourse {
    let mut course = crate::known::course(|_| 10_000);
    course.warm_up = course.parts[..5].to_vec();
    for part in &mut course.warm_up {
        part.ios = ios;
    }
    course
}

#[test]
fn a_warm_up_in_which_the_target_itself_fell_is_what_it_is_for() {
    let worst = |core_busy: f64| {
        let mut case = crate::known::observed();
        case.courses = vec![warmed(30_000)];
        let step = case.step();
        (step.saturation, step.offered) = (None, None);
        (step.slots, step.depth_mean) = (32, 32.0);
        crate::arrays::with(&mut case, |array| {
            array.cores = (0..8)
                .map(|_| plimsoll_evidence::CoreUse {
                    utilisation: core_busy,
                    ..Default::default()
                })
                .collect();
        });
        crate::known::found(check(&case.view()))[0].at_most
    };
    assert_eq!(worst(0.9999), Severity::Note);
    assert_eq!(worst(0.1), Severity::Invalid);
}
