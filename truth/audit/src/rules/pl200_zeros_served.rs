use crate::{RuleAnswer, RuleFinding, RunView, arrays, repair};
use plimsoll_evidence::{ArrayEvidence, Bucket, Quantity, Severity, StepEvidence};
use plimsoll_measure::Op;
use plimsoll_printable::human;

rule! {
    200 "zeros-served" Run(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [5, 4, 2] {
        summary: "The array answered from its map: the blocks hold nothing.",
        why: "A block of zeros is an entry in a map. To read or to write it takes the array no medium, and a fraction of the \
            work.",
        threshold: "More than 5 % of the chunks read or written were zeros, or read where nothing is stored: invalid; more than 1 %: suspect. \
            A note where a sweep compares contents, and zeros are among them.",
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
        let reported = ways.map(|(op, what, buckets)| {
            let [share, unmapped] = [NOTHING_THERE, &["unmapped"]].map(|places| arrays::share(buckets, places));
            (op, what, share, unmapped)
        });
        let much = reported.into_iter().filter(|(.., share, _)| *share > SOME);
        much.enumerate().map(|(n, (op, what, share, unmapped))| {
            let sizing = if n == 0 { sizing(array) } else { None };
            let trims = op == Op::Read && step.ops.iter().any(|o| o.op == Op::Trim && o.ios > 0);
            let message = format!(
                "{} of the {what} of {} were of zeros, or of what holds nothing: {}/s of {}/s moved data.{}{}",
                human::percent(share),
                array.name,
                human::rate(step.rate.mean * (1.0 - share * part_of(step, op))),
                human::rate(step.rate.mean),
                if trims { " The run trims, too, and what it trimmed holds nothing." } else { "" },
                sizing.unwrap_or_default()
            );
            let severity = match share {
                _ if unmapped <= SOME && is_asked(view, step) => Severity::Note,
                share if share > MUCH => Severity::Invalid,
                _ => Severity::Suspect,
            };
            RuleFinding::new(message)
                .step(step.number)
                .at_most(severity)
                .judged("zeros", Quantity::Share(share), SOME)
                .remedy(trims.then_some("Trim in a run of its own, or with as many writes of the same addresses; and fill the target before reads are measured."))
                .repaired(&repair::misses(step, array, op, share))
        })
        .collect::<Vec<_>>()
    });
    arrays::of_places(view, &[Op::Read, Op::Write], seen)
}

/// Whether the definition asks what such content does, so that zeros are what is measured.
fn is_asked(view: &RunView<'_>, step: &StepEvidence) -> bool {
    let mut planned = view.plan_view().into_iter().flat_map(|plan| plan.steps());
    planned.any(|at| at.step.run == step.run && at.asks_of_content())
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
    assert!(said(false).contains("348/s of 600/s moved data. Were all of it stored, the disks would have 2.50 times the work at the same rate."), "{}", said(false));
    assert!(!said(true).contains("the work"), "{}", said(true));
}

#[test]
fn zeros_that_a_sweep_asks_for_are_a_note_and_reads_of_what_nobody_wrote_are_not() {
    use plimsoll_plan::{ContentSpec, Item, MethodSpec, Question, SweepOrder, SweepSpec};
    let severity = |place: &str, other: ContentSpec| {
        let case = crate::known::changed(|o| {
            arrays::with(o, |a| {
                a.read_source = arrays::buckets(&[(place, 50), ("flash", 50)]);
            });
            let cell = crate::known::step_of(&mut o.plan).clone();
            let mut second = cell.clone();
            second.streams[0].content = other;
            o.plan.items = vec![Item::Method(MethodSpec {
                steps: vec![cell, second],
                question: Question::Sweep(SweepSpec {
                    repeats: 3,
                    order: SweepOrder::Random,
                }),
            })];
        });
        crate::known::found(check(&case.view()))[0].at_most
    };
    assert_eq!(severity("zero", ContentSpec::Zeros), Severity::Note);
    assert_eq!(severity("unmapped", ContentSpec::Zeros), Severity::Invalid);
    assert_eq!(
        severity("zero", crate::known::stream().content),
        Severity::Invalid
    );
}

#[test]
fn reads_of_what_the_run_itself_trims_have_a_remedy_that_can_help() {
    let case = crate::known::changed(|o| {
        arrays::with(o, |a| {
            a.read_source = arrays::buckets(&[("unmapped", 3), ("flash", 197)]);
        });
        let mut trims = o.step().ops[0].clone();
        trims.op = Op::Trim;
        o.step().ops.push(trims);
    });
    let found = &crate::known::found(check(&case.view()))[0];
    assert!(found.message.contains("The run trims"), "{found:?}");
    let remedy = found.remedy.expect("one of its own");
    assert!(remedy.starts_with("Trim in a run of its own"), "{remedy}");
}
