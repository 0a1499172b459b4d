use super::pl203_still_warming::{rises, without_medium};
use crate::{RuleAnswer, RuleFinding, RunView, arrays, repair, sizing};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::Op;
use plimsoll_plan::ContentSpec;
use plimsoll_printable::human;

rule! {
    201 "duplicates-kept-once" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [5] {
        summary: "The array had most of the data already.",
        why: "A deduplicating array keeps one copy of equal blocks. A write of a duplicate costs it a look into a table and \
            no medium.",
        threshold: "More than 5 % of the chunks written were duplicates, where the definition does not ask for any; where it does a note, and \
            suspect where nothing is read and their share still rises, by what its media are asked for (as PL203).",
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
    let seen = arrays.into_iter().filter_map(|(step, array)| {
        let share = arrays::share(&array.write_destination, &["duplicate"]);
        (share > MUCH).then(|| {
            // Of reads it may be a cache that fills.
            let reads = step.ops.iter().any(|o| o.op == Op::Read && o.ios > 0);
            let course = view.course(step.number).filter(|_| !reads);
            let parts = course.into_iter().flat_map(|course| &course.parts);
            let rise = rises(&parts.filter_map(without_medium).collect::<Vec<_>>());
            let more = rise.map_or(String::new(), |(from, to)| {
                format!(
                    " Their share still rises: for each request its media did {} I/Os in the first third of the step, and {} in the last.",
                    human::number(1.0 - from),
                    human::number(1.0 - to)
                )
            });
            let stored = sizing::were_all_stored(array, 0.0, share);
            let message = format!(
                "{} of what was written to {} it had already.{more}{}",
                human::percent(share),
                array.name,
                stored.unwrap_or_default()
            );
            let severity = match (meant, rise) {
                (true, None) => Severity::Note,
                (true, Some(_)) => Severity::Suspect,
                (false, _) => Severity::Invalid,
            };
            let longer = rise.filter(|_| meant).map(|_| "Warm up until their share stays.");
            RuleFinding::new(message)
                .remedy(longer)
                .step(step.number)
                .at_most(severity)
                .judged("duplicates", Quantity::Share(share), MUCH)
                .repaired(&repair::misses(step, array, Op::Write, share))
        })
    });
    arrays::of_places(view, &[Op::Write], seen)
}

const MUCH: f64 = 0.05;

#[test]
fn duplicates_that_were_asked_for_are_suspect_while_they_become_more() {
    let with = |by: f64| {
        let mut case = crate::known::changed(|o| {
            let dedupe =
                plimsoll_plan::DedupeSpec::new(4.0, plimsoll_plan::Bytes(4096), Default::default());
            crate::known::writing(&mut o.plan).content = ContentSpec::Reducible {
                compress: 1.0,
                dedupe: Some(dedupe),
            };
            super::pl203_still_warming::warming(o, by);
        });
        case.step().ops.retain(|o| o.op == Op::Write);
        case.step().arrays[0].write_destination =
            arrays::buckets(&[("duplicate", 60), ("flash", 40)]);
        crate::known::found(check(&case.view()))[0].clone()
    };
    assert_eq!(with(0.0).at_most, Severity::Note);
    let rising = with(3.0);
    assert_eq!(rising.at_most, Severity::Suspect);
    holds!(rising.message, "Their share still rises");
}
