use crate::{RuleAnswer, RuleFinding, RunView, arrays, repair};
use plimsoll_evidence::{ArrayEvidence, Bucket, Quantity, Severity};
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
                "{} of the {what} of {} were of zeros, or of what holds nothing: without them it is {}/s of {}/s that the media had a part in.{}",
                human::percent(share),
                array.name,
                human::rate(step.rate.mean * (1.0 - share)),
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

/// Sizing for the same load of data that has to be stored: the number of further media that it would take.
fn sizing(array: &ArrayEvidence) -> Option<String> {
    let sum = |of: &dyn Fn(&Bucket) -> bool| {
        let all = array.read_source.iter().chain(&array.write_destination);
        all.filter(|b| of(b)).map(|b| b.chunks).sum::<u64>() as f64
    };
    let (all, stored) = (
        sum(&|_| true),
        sum(&|b| !NOTHING_THERE.contains(&b.place.as_str())),
    );
    let media = array.media.iter().filter(|m| m.utilisation > 0.0);
    let media = media.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation))?;
    let times = all / stored;
    // A single division, so that a result that is a whole number stays one.
    let more = (media.count as f64 * (all - stored) / stored).ceil();
    (stored > SOME * all && more >= 1.0).then(|| {
        format!(
            " Were it all data that has to be stored, the load would be {} times the work for the {} {}; {} more would keep each as busy as now.",
            human::number(times),
            media.count,
            media.kind,
            human::count(more as u64)
        )
    })
}

/// Places of an array for chunks that hold no data.
const NOTHING_THERE: &[&str] = &["zero", "journal zero", "unmapped"];
const SOME: f64 = 0.01;
const MUCH: f64 = 0.05;

#[test]
fn what_the_zeros_would_take_is_said_in_what_the_data_is_on() {
    let case = crate::known::changed(|o| {
        arrays::with(o, |a| {
            a.write_destination = arrays::buckets(&[("zero", 60), ("disk", 40)]);
            a.media = vec![plimsoll_evidence::MediaUse {
                kind: "disks".into(),
                count: 24,
                utilisation: 0.4,
                busiest: None,
                drives: None,
            }];
        })
    });
    let message = &crate::known::found(check(&case.view()))[0].message;
    assert!(
        message.contains(
            "Were it all data that has to be stored, the load would be 2.50 times the work for the 24 disks; 36 more would keep each as busy as now."
        ),
        "{message}"
    );
}
