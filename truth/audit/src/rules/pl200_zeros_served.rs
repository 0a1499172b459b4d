use crate::{Dialect, RuleAnswer, RuleFinding, RunView, arrays, repair, sizing};
use plimsoll_evidence::{ArrayEvidence, Quantity, Severity, StepEvidence, ZerosLeft};
use plimsoll_measure::Op;
use plimsoll_printable::human;

rule! {
    200 "zeros-served" Run(check) [NOTE, INVALID, INVALID, INVALID, NOTE] pitfalls [5, 4, 2] {
        summary: "The array answered from its map: the blocks hold nothing.",
        why: "A block of zeros is an entry in a map. To read or to write it takes the array no medium, and a fraction of the \
            work.",
        threshold: "More than 5 % of the chunks read or written were zeros, or read where nothing is stored: invalid; more than 1 %: suspect. \
            A note where a sweep compares contents, and zeros are among them, and of reads where a target is meant to be left as its making leaves it.",
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
        let stored = sizing::were_all_stored(array, reported[0].2, reported[1].2);
        let left = left(view, array);
        let much = reported.into_iter().filter(|(.., share, _)| *share > SOME);
        much.enumerate().map(|(n, (op, what, share, unmapped))| {
            let sizing = stored.as_deref().filter(|_| n == 0);
            let left = left.filter(|_| op == Op::Read);
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
                _ if left == Some(ZerosLeft::Meant) => Severity::Note,
                share if share > MUCH => Severity::Invalid,
                _ => Severity::Suspect,
            };
            RuleFinding::new(message)
                .step(step.number)
                .at_most(severity)
                .judged("zeros", Quantity::Share(share), SOME)
                .remedy(remedy(view, trims, left))
                .repaired(&repair::misses(step, array, op, share))
        })
        .collect::<Vec<_>>()
    });
    arrays::of_places(view, &[Op::Read, Op::Write], seen)
}

/// What helps where neither content nor a fill is at fault.
fn remedy(view: &RunView<'_>, trims: bool, left: Option<ZerosLeft>) -> Option<&'static str> {
    let is_diskspd = view
        .plan
        .is_some_and(|p| matches!(Dialect::of(p), Dialect::DiskSpd));
    match (trims, left, is_diskspd) {
        (true, ..) => Some(
            "Trim in a run of its own, or with as many writes of the same addresses; and fill the target before reads are measured.",
        ),
        (_, Some(ZerosLeft::Found), true) => Some(
            "-c leaves a new file empty: fill it before it is read (-w100 -si over all of it), or say with --allow-unwritten that it is meant.",
        ),
        (_, Some(ZerosLeft::Found), false) => Some(
            "Leave `made` out, so that the target holds data, or say with --allow-unwritten that it is meant.",
        ),
        _ => None,
    }
}

/// Zeros that the making of the array's targets leaves, as the user sees them.
fn left(view: &RunView<'_>, array: &ArrayEvidence) -> Option<ZerosLeft> {
    let on_it = |t: &&plimsoll_evidence::EnvironmentTarget| array.targets.contains(&t.name);
    view.environment
        .targets
        .iter()
        .filter(on_it)
        .find_map(|t| t.zeros)
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

/// Places of an array for chunks that hold no data.
const NOTHING_THERE: &[&str] = &["zero", "journal zero", "unmapped"];
const SOME: f64 = 0.01;
const MUCH: f64 = 0.05;

#[test]
fn what_the_zeros_would_take_is_said_in_media_and_reads_beside_them_count() {
    let said = |scale: Option<f64>, count: u64| {
        let case = crate::known::changed(|o| {
            arrays::with(o, |a| {
                a.write_destination = arrays::buckets(&[("journal zero", 60), ("journal", 40)]);
                a.scale = scale;
                a.back_end = Some(plimsoll_evidence::BackEndUse {
                    reads: 60_000,
                    writes: 24_000,
                });
                a.media = vec![plimsoll_evidence::MediaUse {
                    kind: "disks".into(),
                    count,
                    utilisation: 0.4,
                    ..Default::default()
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
    // 180 reads a second, and 40 % of 420 writes; of the media's writes 2.5 times as many.
    let real = said(None, 24);
    assert!(
        real.contains("348/s of 600/s moved data. Were all of it stored, its media would have to do 200/s in place of 140/s at the same rate, \
                       1.43 times the work: 11 more disks beside the 24 that are there, to be no busier."),
        "{real}"
    );
    let scaled = said(Some(100.0), 1);
    assert!(
        scaled.contains("43 more disks for each 100 that are there"),
        "{scaled}"
    );
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

#[test]
fn what_a_new_file_leaves_is_a_note_where_it_is_meant() {
    let found = |left: Option<ZerosLeft>| {
        let case = crate::known::changed(|o| {
            arrays::with(o, |a| {
                a.read_source = arrays::buckets(&[("unmapped", 36), ("flash", 64)]);
                a.targets = vec!["lun".to_string()];
            });
            o.environment.targets[0].name = "lun".to_string();
            o.environment.targets[0].zeros = left;
        });
        crate::known::found(check(&case.view()))[0].clone()
    };
    assert_eq!(found(None).at_most, Severity::Invalid);
    assert_eq!(found(Some(ZerosLeft::Found)).at_most, Severity::Invalid);
    let meant = found(Some(ZerosLeft::Meant));
    assert_eq!(meant.at_most, Severity::Note);
    assert!(meant.message.starts_with("36% of the reads"), "{meant:?}");
}
