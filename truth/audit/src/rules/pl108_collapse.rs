use crate::{
    Part, RuleAnswer, RuleFinding, RunView, StepCourse, accounts, applies, blame, findings,
    observable, repair,
};
use plimsoll_evidence::{ArrayInterval, LimitCause, PathState, Quantity, StepEvidence};
use plimsoll_measure::{Collapse, collapse, shows_collapse};
use plimsoll_printable::human;
use std::collections::BTreeSet;

rule! {
    108 "collapse" Run(check) [SUSPECT, SUSPECT, INVALID, INVALID, SUSPECT] pitfalls [14, 24, 11] {
        summary: "The rate fell during the run and stayed down.",
        why: "What storage gives at first, it may take back: a write cache is full, an SLC window ends, garbage collection \
            begins, burst credits are spent; or the host lost its CPU. The mean over both is a rate that was never there.",
        threshold: "A point from which on the median rate is less than 70 % of that before, with at least a tenth of the time, \
            two intervals and 3 s on each side, three quarters of the later intervals below three quarters of the \
            earlier ones, and as many nearer to the later median. The host is blamed where steal, throttling or waiting for a CPU grew by \
            5 points of the time, or where the disks took no longer for a request (1.2 times); the disks where they took as much longer \
            as the rate fell.",
        source: "SNIA and vendors call a fall of 20 % a cliff; 30 % and the separation are our proposal, to leave out what only \
            scatters. A published run fell from 105,000 to 31,000/s.",
        example: "105,000/s for 20 minutes, then 31,000/s: the mean of 68,000 was at no time the rate.",
        remedy: "Report both levels, and let it run until it has found its own; `plimsoll soak` measures such a course.",
    }
    fires: |o| {
        o.courses = vec![crate::known::course(
            |n| if n < 300 { 105_000 } else { 31_000 },
        )]
    },
    clean: |o| o.courses = vec![crate::known::course(|n| 10_000 + n * 37 % 4_000)],
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let plain = |s: &&StepEvidence| {
        let windows = s.streams.iter().any(|stream| stream.counted_s.is_some());
        let own = view.verdicts.iter().any(|v| v.run() == s.run);
        s.offered.is_none() && s.actions.is_empty() && !windows && !own
    };
    let steps: Vec<&StepEvidence> = view.measured().filter(plain).collect();
    applies(!steps.is_empty())?;
    let known = |s: &&StepEvidence| {
        view.course(s.number).is_some_and(|c| {
            let lengths: Vec<f64> = c.parts.iter().map(Part::seconds).collect();
            shows_collapse(&lengths)
        })
    };
    observable(
        steps.iter().any(known),
        "a step of at least four intervals and 6 s",
    )?;
    findings(steps.into_iter().filter_map(|step| {
        let course = view.course(step.number)?;
        let rates: Vec<f64> = course.parts.iter().map(Part::rate).collect();
        let lengths = course.parts.iter().map(Part::seconds);
        let rated: Vec<(f64, f64)> = rates.iter().copied().zip(lengths).collect();
        let Collapse { at, before, after } = collapse(&rated)?;
        let (first, second) = course.parts.split_at(at);
        let disks: Vec<&str> = view
            .environment
            .targets
            .iter()
            .flat_map(accounts::bottom)
            .collect();
        let blame = blame::of_fall(step, first, second, &disks);
        let seen = match blame {
            blame::Blame::NotAttributable => changed_with(step, first, second),
            _ => None,
        };
        let foreign = !matches!(blame, blame::Blame::Host(_)) && is_foreign(view, step);
        let message = format!(
            "{}, before that {}/s: the mean of {}/s was at no time the rate. {}",
            fallen(&course.parts, at, &rates, (before, after)),
            human::rate(before),
            human::rate(step.rate.mean),
            match foreign {
                true => "What limited it is foreign I/O on the same devices.".to_string(),
                false => seen.clone().unwrap_or_else(|| blame.sentence()),
            }
        );
        Some(
            RuleFinding::new(message)
                .step(step.number)
                .judged(
                    "after",
                    Quantity::PerSecond(after),
                    plimsoll_measure::COLLAPSED * before,
                )
                .value("before", Quantity::PerSecond(before))
                .text(
                    "blame",
                    match foreign {
                        true => "foreign I/O",
                        false => seen.map_or(blame.word(), |_| "target"),
                    },
                )
                .remedy(foreign.then_some("Stop what else uses the devices, and measure again."))
                .repaired(&repair::before_fall(step, first, &blame)),
        )
    }))
}

/// Whether the limit of the whole step is what others had the devices do.
fn is_foreign(view: &RunView<'_>, step: &StepEvidence) -> bool {
    let limit = crate::judge::limit_of(view, step);
    limit.is_some_and(|limit| limit.cause == LimitCause::ForeignIo)
}

/// What was seen of the target that changed with a fall which is not known to be the host's or the disks'.
fn changed_with(step: &StepEvidence, first: &[Part], second: &[Part]) -> Option<String> {
    // A path that answers no more is given up later.
    let from_ns = first.last().map_or(0, |part| part.start_ns);
    let mut lost = BTreeSet::new();
    for (target, paths) in step.paths.iter().enumerate() {
        let down =
            |e: &&plimsoll_evidence::PathEvent| e.state == PathState::Down && e.at_ns >= from_ns;
        lost.extend(paths.events.iter().filter(down).map(|e| (target, e.path)));
    }
    match lost.len() {
        0 => {}
        1 => return Some("A path to the target went down then or later.".into()),
        n => {
            return Some(format!("{n} paths to the target went down then or later."));
        }
    }
    let both = |of: fn(&ArrayInterval) -> Option<f64>| {
        let most = |p: &Part| p.arrays.iter().filter_map(of).reduce(f64::max);
        StepCourse::mean(first, most).zip(StepCourse::mean(second, most))
    };
    if let Some((before, after)) = both(|a| a.write_amplification).filter(|(b, a)| *a > GREW * b) {
        return Some(format!(
            "The flash had to make room: for each page written it programmed {after:.2}, and {before:.2} before."
        ));
    }
    let (before, after) = both(|a| a.journal_fill).filter(|(b, a)| *b < FULL && *a >= FULL)?;
    Some(format!(
        "The array's journal was {} full, and {} before: writes waited for room.",
        human::percent(after.min(1.0)),
        human::percent(before)
    ))
}

/// Pages programmed for each that is written grew where they are so many times as many.
const GREW: f64 = 1.1;
/// A journal is full from here on: what is being drained still takes some.
const FULL: f64 = 0.95;

/// From when on it did how much, and until when: a load that comes back by the end has not fallen for good.
fn fallen(parts: &[Part], at: usize, rates: &[f64], (before, after): (f64, f64)) -> String {
    let seconds = |part: usize| human::duration(parts[part].start_ns as f64 / 1e9);
    let half = (before + after) / 2.0;
    let down = rates.iter().rposition(|rate| *rate < half).unwrap_or(at);
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
    match rates.get(down + 1..) {
        Some(back) if !back.is_empty() && down >= at => format!(
            "From {} to {} it did {}/s, behind that {}/s",
            seconds(at),
            seconds(down + 1),
            human::rate(mean(&rates[at..=down])),
            human::rate(mean(back))
        ),
        _ => format!("From {} on it did {}/s", seconds(at), human::rate(after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{changed, course, found};
    use plimsoll_evidence::Witnessed;

    #[test]
    fn what_the_target_told_of_the_fall_is_its_cause() {
        let said = |tells: fn(&mut ArrayInterval, bool)| {
            let case = changed(|o| {
                o.courses = vec![course(|n| if n < 300 { 90_000 } else { 30_000 })];
                for (n, part) in o.courses[0].parts.iter_mut().enumerate() {
                    let mut array = ArrayInterval::default();
                    tells(&mut array, n >= 300);
                    part.arrays = vec![array];
                }
            });
            found(check(&case.view()))[0].message.clone()
        };
        let garbage = said(|a, late| a.write_amplification = Some(if late { 2.4 } else { 1.0 }));
        holds!(garbage, "it programmed 2.40, and 1.00 before");
        let journal = said(|a, late| a.journal_fill = Some(if late { 1.01 } else { 0.5 }));
        holds!(journal, "journal was 100% full, and 50% before");
        let nothing = said(|a, _| a.journal_fill = Some(0.5));
        assert!(nothing.contains("not attributable"), "{nothing}");
    }

    #[test]
    fn a_path_that_went_down_long_before_the_fall_is_not_its_cause_and_each_counts_once() {
        let said = |seconds: &[u64]| {
            let case = changed(|o| {
                o.courses = vec![course(|n| if n < 300 { 90_000 } else { 30_000 })];
                let start_ns = o.courses[0].parts[0].start_ns;
                let down = |s: &u64| plimsoll_evidence::PathEvent {
                    at_ns: start_ns + s * 1_000_000_000,
                    path: 0,
                    state: PathState::Down,
                    why: "no answer".into(),
                };
                o.step().paths = vec![plimsoll_evidence::TargetPaths {
                    target: "t".into(),
                    paths: Vec::new(),
                    events: seconds.iter().map(down).collect(),
                    unconfirmed_writes: 0,
                }];
            });
            found(check(&case.view()))[0].message.clone()
        };
        let later = said(&[300, 330]);
        holds!(later, "A path to the target went down then or later");
        let before = said(&[10]);
        assert!(before.contains("not attributable"), "{before}");
    }

    #[test]
    fn a_load_that_comes_back_has_not_fallen_for_good() {
        let case = changed(|o| {
            o.courses = vec![course(|n| match n {
                300..580 => 0,
                _ => 10_000,
            })]
        });
        let message = &found(check(&case.view()))[0].message;
        assert!(
            message.starts_with(
                "From 6m00s to 10m40s it did 0/s, behind that 10,000/s, before that 10,000/s"
            ),
            "{message}"
        );
    }

    #[test]
    fn four_intervals_of_a_second_are_not_called_clean() {
        let parts = |count: usize| {
            let case = changed(|o| {
                let mut of = course(|_| 10_000);
                of.parts.truncate(count);
                o.courses = vec![of];
            });
            check(&case.view())
        };
        assert!(matches!(parts(4), Err(crate::NotObservable(_))));
        assert!(found(parts(6)).is_empty());
    }

    /// A fall to a third, of which each part before and after has seen this.
    fn with(seen: impl Fn(bool) -> (Option<f64>, Witnessed)) -> RuleFinding {
        let case = changed(|o| {
            o.courses = vec![course(|n| if n < 300 { 90_000 } else { 30_000 })];
            for (n, part) in o.courses[0].parts.iter_mut().enumerate() {
                let (steal, witnessed) = seen(n >= 300);
                (part.steal, part.witnessed) = (steal, Some(witnessed));
            }
        });
        found(check(&case.view()))[0].clone()
    }

    /// One second in which 32 requests were in the disk, of so many.
    fn disk(reads: u64, read_ms: u64) -> Witnessed {
        let device = plimsoll_evidence::witnessed::DeviceUse {
            name: "sdx".into(),
            reads,
            read_ms,
            ..Default::default()
        };
        Witnessed {
            observed_s: 1.0,
            devices: vec![device],
            ..Witnessed::default()
        }
    }

    fn blamed(seen: &RuleFinding) -> &Quantity {
        &seen.values[2].quantity
    }

    #[test]
    fn the_host_is_blamed_only_for_what_was_seen_of_it() {
        let text = |word: &str| Quantity::Text(word.into());
        let nothing = with(|_| (Some(0.0), Witnessed::default()));
        assert_eq!(blamed(&nothing), &text("not attributable"));
        let stolen = with(|late| (Some(if late { 0.4 } else { 0.01 }), Witnessed::default()));
        assert_eq!(blamed(&stolen), &text("host"));
        assert!(
            stolen
                .message
                .contains("hypervisor took 40% of the time, and 1.0% before"),
            "{}",
            stolen.message
        );
        // Steal that was there before as well is not why it fell.
        assert!(
            nothing
                .message
                .contains("the fall is not known to be the host's"),
            "{}",
            nothing.message
        );
        let always = with(|_| (Some(0.4), Witnessed::default()));
        assert_eq!(blamed(&always), &text("not attributable"));
        let starved = with(|late| {
            let waited_s = if late { 0.6 } else { 0.0 };
            let thread = plimsoll_evidence::witnessed::ThreadUse {
                ran_s: 0.1,
                waited_s,
            };
            (
                None,
                Witnessed {
                    observed_s: 1.0,
                    threads: vec![thread; 2],
                    ..Witnessed::default()
                },
            )
        });
        assert_eq!(blamed(&starved), &text("host"));
    }

    #[test]
    fn a_fall_beside_others_that_are_the_limit_is_laid_to_them() {
        let fall = |moved: u64| {
            let case = changed(|o| {
                o.courses = vec![course(|n| if n < 300 { 90_000 } else { 30_000 })];
                o.device().read_bytes *= moved;
            });
            found(check(&case.view()))[0].clone()
        };
        // Of three bytes that the disk moved two were not the load's.
        let beside = fall(3);
        let said = "foreign I/O on the same devices.";
        assert!(beside.message.contains(said), "{beside:?}");
        assert!(beside.remedy.is_some(), "{beside:?}");
        let alone = fall(1);
        assert!(alone.message.contains("not attributable"), "{alone:?}");
        assert_eq!(alone.remedy, None);
    }

    #[test]
    fn the_disks_times_tell_whose_fall_it_is() {
        let text = |word: &str| Quantity::Text(word.into());
        let flat = with(|late| {
            (
                None,
                if late {
                    disk(30_000, 9_000)
                } else {
                    disk(90_000, 27_000)
                },
            )
        });
        assert_eq!(blamed(&flat), &text("host"));
        holds!(flat.message, "took as long for a request as before");
        let slower = with(|late| {
            (
                None,
                if late {
                    disk(30_000, 27_000)
                } else {
                    disk(90_000, 27_000)
                },
            )
        });
        assert_eq!(blamed(&slower), &text("devices"));
        // Longer, but by far less than the rate lost: neither shows it.
        let between = with(|late| {
            (
                None,
                if late {
                    disk(30_000, 13_500)
                } else {
                    disk(90_000, 27_000)
                },
            )
        });
        assert_eq!(blamed(&between), &text("not attributable"));
    }
}
