use crate::{RuleAnswer, RuleFinding, RunView, arrays, repair};
use plimsoll_evidence::{ArrayEvidence, Bucket, Quantity, Severity, StepEvidence};
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
    let arrays = arrays::of(view)?;
    let seen = arrays.into_iter().flat_map(|(step, array)| {
        let ways = [
            (Op::Read, "reads", &array.read_source),
            (Op::Write, "writes", &array.write_destination),
        ];
        let reported = ways.map(|(op, what, buckets)| (op, what, arrays::share(buckets, NOTHING_THERE)));
        let much = reported.into_iter().filter(|(.., share)| *share > SOME);
        much.enumerate().map(|(n, (op, what, share))| {
            let sizing = if n == 0 { sizing(array) } else { None };
            let message = format!(
                "{} of the {what} of {} were of zeros, or of what holds nothing: without them it is {}/s of {}/s.{}",
                human::percent(share),
                array.name,
                human::rate(step.rate.mean * (1.0 - share * part_of(step, op))),
                human::rate(step.rate.mean),
                sizing.unwrap_or_default()
            );
            let severity = if share > MUCH { Severity::Invalid } else { Severity::Suspect };
            RuleFinding::new(message).step(step.number).at_most(severity).judged("zeros", Quantity::Share(share), SOME).repaired(&repair::misses(step, array, op, share))
        })
        .collect::<Vec<_>>()
    });
    arrays::of_places(view, &[Op::Read, Op::Write], seen)
}

/// The share of a step's reads and writes that are of a kind.
fn part_of(step: &StepEvidence, op: Op) -> f64 {
    let sum = |of: &dyn Fn(Op) -> bool| {
        let ops = step.ops.iter().filter(|o| of(o.op));
        ops.map(|o| o.ios).sum::<u64>() as f64
    };
    match sum(&Op::moves_bytes) {
        0.0 => 1.0,
        all => sum(&|o| o == op) / all,
    }
}

/// Work of the media were all of the data stored. Where a journal takes the writes, what they would cost the media is not known.
fn sizing(array: &ArrayEvidence) -> Option<String> {
    let is_empty = |b: &&Bucket| NOTHING_THERE.contains(&b.place.as_str());
    let all = || array.read_source.iter().chain(&array.write_destination);
    if array.journal.is_some() && array.write_destination.iter().any(|b| is_empty(&b)) {
        return None;
    }
    let of_media = |b: &&Bucket| b.place.contains("flash") || b.place.contains("disk");
    let stored = all().filter(of_media).map(|b| b.chunks).sum::<u64>() as f64;
    let empty = all().filter(is_empty).map(|b| b.chunks).sum::<u64>() as f64;
    let used = array.media.iter().filter(|m| m.utilisation > 0.0);
    let media = used.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation))?;
    (stored > SOME * (stored + empty)).then(|| {
        format!(
            " Were all of it stored, the {} would have {} times the work at the same rate.",
            media.kind,
            human::number((stored + empty) / stored)
        )
    })
}

/// Places of an array for chunks that hold no data.
const NOTHING_THERE: &[&str] = &["zero", "journal zero", "unmapped"];
const SOME: f64 = 0.01;
const MUCH: f64 = 0.05;

#[test]
fn what_the_zeros_would_take_is_said_in_what_the_data_is_on_and_reads_beside_them_count() {
    let said = |journal: bool| {
        let case = crate::known::changed(|o| {
            arrays::with(o, |a| {
                a.write_destination = arrays::buckets(&[("zero", 60), ("disk", 40)]);
                a.journal = journal.then(Default::default);
                a.media = vec![plimsoll_evidence::MediaUse {
                    kind: "disks".into(),
                    count: 24,
                    utilisation: 0.4,
                    busiest: None,
                    drives: None,
                }];
            });
            let step = o.step();
            step.rate = plimsoll_evidence::Estimate::bare(600.0);
            let of = |(op, ios)| plimsoll_evidence::OpSummary {
                op,
                ios,
                bytes: ios << 12,
                errors: 0,
                response: plimsoll_measure::Histogram::empty(),
                service: plimsoll_measure::Histogram::empty(),
            };
            step.ops = [(Op::Read, 300), (Op::Write, 700)].map(of).to_vec();
        });
        crate::known::found(check(&case.view()))[0].message.clone()
    };
    // 180 reads a second, and 40 % of 420 writes.
    assert!(said(false).contains("without them it is 348/s of 600/s. Were all of it stored, the disks would have 2.50 times the work at the same rate."), "{}", said(false));
    assert!(!said(true).contains("the work"), "{}", said(true));
}
