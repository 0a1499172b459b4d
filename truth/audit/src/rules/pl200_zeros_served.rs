use crate::{RuleAnswer, RuleFinding, RunView};
use crate::{arrays, repair};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::Op;
use plimsoll_printable::human;

rule! {
    200 "zeros-served" Run(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [5, 4, 2] {
        summary: "The array answered from its map: the blocks hold nothing.",
        why: "A block of zeros is an entry in a map. To read or to write it takes the array no medium, and a fraction of the \
            work.",
        threshold: "More than 5 % of the chunks read or written were zeros, or read where nothing is stored: invalid; more than 1 %: suspect.",
        source: "Proposal of the catalogue: more than 1 % zero blocks in a probe of a target that was to be full.",
        example: "60 % of the writes are zeros: of 30,000/s at the front end 12,000 reach the media.",
        remedy: "Write unique data (leave `content` out), and fill the target before reads are measured.",
    }
    fires: |o| {
        arrays::with(o, |a| {
            a.write_destination = arrays::buckets(&[("zero", 60), ("flash", 40)])
        })
    },
    clean: |o| {
        arrays::with(o, |a| {
            a.read_source = arrays::buckets(&[("flash", 100)]);
            a.write_destination = arrays::buckets(&[("flash", 100)]);
        })
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let arrays = match arrays::of(view) {
        Ok(arrays) => arrays,
        Err(answer) => return answer,
    };
    let seen = arrays.into_iter().flat_map(|(step, array)| {
        let ways = [
            (Op::Read, "reads", &array.read_source),
            (Op::Write, "writes", &array.write_destination),
        ];
        let reported = ways.map(|(op, what, buckets)| (op, what, arrays::share(buckets, NOTHING_THERE)));
        let much = reported.into_iter().filter(|(.., share)| *share > SOME);
        much.map(|(op, what, share)| {
            let message = format!(
                "{} of the {what} of {} were of zeros, or of what holds nothing: without them it is {}/s of {}/s that the media had a part in.",
                human::percent(share),
                array.name,
                human::rate(step.rate.mean * (1.0 - share)),
                human::rate(step.rate.mean)
            );
            let severity = if share > MUCH { Severity::Invalid } else { Severity::Suspect };
            RuleFinding::new(message).step(step.number).at_most(severity).judged("zeros", Quantity::Share(share), SOME).repaired(&repair::misses(step, array, op, share))
        })
        .collect::<Vec<_>>()
    });
    arrays::of_places(view, &[Op::Read, Op::Write], seen)
}

/// Where an array puts and finds what is nothing.
const NOTHING_THERE: &[&str] = &["zero", "journal zero", "unmapped"];
const SOME: f64 = 0.01;
const MUCH: f64 = 0.05;
