use crate::{RuleAnswer, RuleFinding, RunView, arrays, repair};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::Op;
use plimsoll_printable::human;

rule! {
    202 "cache-answered" Run(check) [NOTHING, NOTE, SUSPECT, NOTE, NOTHING] pitfalls [6] {
        summary: "A cache of the array answered the reads.",
        why: "What a cache holds is read at the speed of memory. The result is that of the cache as long as the working set \
            fits, and another one as soon as it does not.",
        threshold: "More than half of the chunks read came from a cache; between 10 % and half it is a note.",
        source: "Proposal; two modes that share the reads 5:95 to 95:5 are the catalogue's sign.",
        example: "97 % from the cache: the LUN of 1 GiB fits into 3 GiB of it.",
        remedy: "Use a working set of at least twice the cache, or claim cached.",
    }
    fires: |o| {
        arrays::with(o, |a| {
            a.read_source = arrays::buckets(&[("cache", 90), ("flash", 10)])
        })
    },
    clean: |o| {
        arrays::with(o, |a| {
            a.read_source = arrays::buckets(&[("cache", 3), ("flash", 97)])
        })
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let arrays = arrays::of(view)?;
    let seen = arrays.into_iter().filter_map(|(step, array)| {
        let share = arrays::share(&array.read_source, CACHES);
        let severity = match share {
            s if s > MOST => Severity::Invalid,
            s if s > SOME => Severity::Note,
            _ => return None,
        };
        let asked = asked_share(view);
        let meant = asked.map_or(String::new(), |asked| {
            format!(", where {} were meant to hit", human::percent(asked))
        });
        let message = format!(
            "A cache of {} answered {} of its reads{meant}.",
            array.name,
            human::percent(share)
        );
        let finding = RuleFinding::new(message)
            .step(step.number)
            .at_most(severity)
            .judged("cached", Quantity::Share(share), SOME)
            .repaired(&repair::misses(step, array, Op::Read, share));
        Some(match asked {
            Some(asked) => finding.value("asked", Quantity::Share(asked)),
            None => finding,
        })
    });
    arrays::of_places(view, &[Op::Read], seen)
}

/// The share of reads that were to go to a hit set, where all workloads that read ask for the same.
fn asked_share(view: &RunView<'_>) -> Option<f64> {
    let plan = view.plan_view()?;
    let mut shares = plan.streams().filter(|s| s.stream.mix.read > 0.0).map(|s| {
        let hits = s.stream.address.hits;
        hits.map_or(0.0, |hits| hits.read_percent / 100.0)
    });
    let first = shares.next().filter(|share| *share > 0.0)?;
    shares.all(|share| share == first).then_some(first)
}

const CACHES: &[&str] = &["cache"];
const MOST: f64 = 0.5;
const SOME: f64 = 0.1;
