use crate::{RuleAnswer, RuleFinding, RunView, arrays, findings};
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

rule! {
    205 "journal-full" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTE] pitfalls [11] {
        summary: "Writes waited for room in the array's journal.",
        why: "A journal takes a burst of writes at the speed of memory, and empties at the speed of the media. When it is \
            full, a write is as slow as what makes room for it; before that it is as fast as memory. Neither is the other.",
        threshold: "Writes waited for the journal, by more than 5 % of their time.",
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
        let (journal, writes) = (array.journal?, array.front_end?.writes);
        let all_ns = writes.mean_ns? * writes.count as f64;
        let part = journal.waited_ns as f64 / all_ns;
        (all_ns > 0.0 && part > WAITED).then(|| {
            let message = format!(
                "{} of the time of its writes they waited for room in the journal of {}.",
                human::percent(part.min(1.0)),
                array.name
            );
            RuleFinding::new(message).step(step.number).judged(
                "waited",
                Quantity::Share(part.min(1.0)),
                WAITED,
            )
        })
    }))
}

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
