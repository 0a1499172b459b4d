use super::pl203_still_warming::rises;
use crate::{Part, RuleAnswer, RuleFinding, RunView, arrays, findings};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    205 "journal-full" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTE] pitfalls [11] {
        summary: "Writes waited for room in the array's journal, or it filled all the while.",
        why: "A journal takes a burst of writes at the speed of memory, and empties at the speed of the media. When it is \
            full, a write is as slow as what makes room for it; before that it is as fast as memory. Neither is the other.",
        threshold: "Writes waited for the journal, by more than 5 % of their time; or from third to third of the step it was fuller by 2 points and \
            three times its scatter, and in the last third it rose by at least half as much as before.",
        source: "Of a hybrid array it is published that random writes go through such a log and fall to the media's speed when \
            it is full.",
        example: "4 GiB of journal at 500 MB/s against media of 150 MB/s: 12 s of 0.3 ms, then 4 ms.",
        remedy: "Report both levels; measure for several times as long as it takes to fill.",
    }
    fires: |o| journal(o, 500_000_000),
    clean: |o| journal(o, 0),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reported = arrays::telling(
        view,
        "the journal of the array: it does not tell of it",
        |a| a.journal.is_some(),
    )?;
    findings(reported.into_iter().filter_map(|(step, array)| {
        let name = &array.name;
        let at = step.arrays.iter().position(|a| a.name == *name);
        let (journal, writes) = (array.journal?, array.front_end?.writes);
        let all_ns = writes.mean_ns? * writes.count as f64;
        let part = journal.waited_ns as f64 / all_ns;
        if all_ns > 0.0 && part > WAITED {
            let message = format!(
                "{} of the time of its writes they waited for room in the journal of {name}.",
                human::percent(part.min(1.0)),
            );
            let share = Quantity::Share(part.min(1.0));
            return Some(RuleFinding::new(message).step(step.number).judged("waited", share, WAITED));
        }
        let (from, to) = fills(&view.course(step.number)?.parts, at?)?;
        let message = format!(
            "The journal of {name} was {} full in the first third of the step and {} in the last, and goes on filling: what it takes is not what lasts.",
            human::percent(from),
            human::percent(to)
        );
        let found = RuleFinding::new(message).step(step.number);
        let found = found.value("first", Quantity::Share(from)).value("last", Quantity::Share(to));
        Some(found.remedy(Some("Measure for several times as long as the journal takes to fill.")))
    }))
}

/// How full the journal of an array was in the first third and in the last, where it filled to the end.
fn fills(parts: &[Part], array: usize) -> Option<(f64, f64)> {
    let filled = |p: &Part| p.arrays.get(array)?.journal_fill;
    let fill: Vec<f64> = parts.iter().filter_map(filled).collect();
    let (first, last) = rises(&fill)?;
    let third = fill.len() / 3;
    let middle = fill[third..2 * third].iter().sum::<f64>() / third as f64;
    (last - middle >= STILL * (middle - first)).then_some((first, last))
}

/// A rise that is less than this part of what it was comes to its end.
const STILL: f64 = 0.5;

const WAITED: f64 = 0.05;

#[cfg(test)]
fn journal(o: &mut crate::known::Observed, waited_ns: u64) {
    arrays::with(o, |a| {
        a.journal = Some(plimsoll_evidence::JournalUse {
            waited_ns,
            ..Default::default()
        });
        a.front_end = Some(plimsoll_evidence::FrontEndUse {
            writes: plimsoll_evidence::Requests {
                count: 1000,
                bytes: 4_096_000,
                mean_ns: Some(1e6),
            },
            ..Default::default()
        });
    });
}

#[test]
fn a_journal_that_fills_to_the_end_has_not_shown_what_lasts() {
    let fires = |fill: fn(f64) -> f64| {
        let case = crate::known::changed(|o| {
            journal(o, 0);
            let all = o.courses[0].parts.len() as f64;
            for (n, part) in o.courses[0].parts.iter_mut().enumerate() {
                part.arrays = vec![plimsoll_evidence::ArrayInterval {
                    journal_fill: Some(fill(n as f64 / all)),
                    ..Default::default()
                }];
            }
        });
        crate::known::fires(check(&case.view()))
    };
    assert!(fires(|at| 0.3 * at));
    assert!(!fires(|_| 0.3));
    // It came to rest: of 0.4 nearly all is there by the middle.
    assert!(!fires(|at| 0.4 * (1.0 - (-6.0 * at).exp())));
}
