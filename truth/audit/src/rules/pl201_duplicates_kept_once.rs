use crate::{RuleAnswer, RuleFinding, RunView, arrays, repair};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::Op;
use plimsoll_plan::ContentSpec;
use plimsoll_printable::human;

rule! {
    201 "duplicates-kept-once" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [5] {
        summary: "The array had most of the data already.",
        why: "A deduplicating array keeps one copy of equal blocks. A write of a duplicate costs it a look into a table and \
            no medium.",
        threshold: "More than 5 % of the chunks written were duplicates, where the definition does not ask for any.",
        source: "Proposal; unique content has none by its making.",
        example: "A pattern of 512 bytes: after the first chunk everything is a duplicate.",
        remedy: "Write unique data (leave `content` out), or say in the definition which ratio is meant.",
    }
    fires: |o| {
        arrays::with(o, |a| {
            a.write_destination = arrays::buckets(&[("duplicate", 60), ("flash", 40)])
        })
    },
    clean: |o| {
        arrays::with(o, |a| {
            a.write_destination = arrays::buckets(&[("flash", 100)])
        })
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let arrays = arrays::of(view)?;
    let reduces = |s: &plimsoll_plan::Stream| {
        matches!(
            s.content,
            ContentSpec::Reducible {
                dedupe: Some(_),
                ..
            }
        )
    };
    let meant = view
        .plan
        .is_some_and(|p| p.steps().flat_map(|s| &s.streams).any(reduces));
    let severity = if meant {
        Severity::Note
    } else {
        Severity::Invalid
    };
    let seen = arrays.into_iter().filter_map(|(step, array)| {
        let share = arrays::share(&array.write_destination, &["duplicate"]);
        (share > MUCH).then(|| {
            let message = format!(
                "{} of what was written to {} it had already.",
                human::percent(share),
                array.name
            );
            RuleFinding::new(message)
                .step(step.number)
                .at_most(severity)
                .judged("duplicates", Quantity::Share(share), MUCH)
                .repaired(&repair::misses(step, array, Op::Write, share))
        })
    });
    arrays::of_places(view, &[Op::Write], seen)
}

const MUCH: f64 = 0.05;
