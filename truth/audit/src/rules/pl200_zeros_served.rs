//! The array answered from its map: the blocks hold nothing.

use crate::arrays;
use crate::{Answer, Check, INVALID, NOTE, Page, Rule, RunView, Seen, Severities};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 200,
    name: "zeros-served",
    summary: "The array answered from its map: the blocks hold nothing.",
    severity: Severities::of([NOTE, INVALID, INVALID, INVALID, NOTE]),
    pitfalls: &[5, 4, 2],
    page: Page {
        why: "A block of zeros is an entry in a map. To read or to write it takes the array no medium, and a fraction of the \
            work.",
        threshold: "More than 5 % of the chunks read or written were zeros: invalid; more than 1 %: suspect.",
        source: "Proposal of the catalogue: more than 1 % zero blocks in a probe of a target that was to be full.",
        example: "60 % of the writes are zeros: of 30,000/s at the front end 12,000 reach the media.",
        remedy: "Write unique data (leave `content` out), and fill the target before reads are measured.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let arrays = match arrays::of(view) {
        Ok(arrays) => arrays,
        Err(answer) => return answer,
    };
    Answer::of(arrays.into_iter().flat_map(|(step, array)| {
        let ways = [("reads", &array.read_source), ("writes", &array.write_destination)];
        let told = ways.map(|(what, buckets)| (what, arrays::share(buckets, &["zero"])));
        let much = told.into_iter().filter(|(_, share)| *share > SOME);
        much.map(|(what, share)| {
            let message = format!(
                "{} of the {what} of {} were of zeros: without them it is {}/s of {}/s that the media had a part in.",
                human::percent(share),
                array.name,
                human::rate(step.rate.mean * (1.0 - share)),
                human::rate(step.rate.mean)
            );
            let severity = if share > MUCH { Severity::Invalid } else { Severity::Suspect };
            Seen::new(message).step(step.number).at_most(severity).value("zeros", Quantity::Share(share))
        })
        .collect::<Vec<_>>()
    }))
}

const SOME: f64 = 0.01;
const MUCH: f64 = 0.05;

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| {
        arrays::with(o, |a| {
            a.write_destination = arrays::buckets(&[("zero", 60), ("flash", 40)])
        })
    },
    clean: |o| {
        arrays::with(o, |a| {
            a.write_destination = arrays::buckets(&[("flash", 100)])
        })
    },
};
