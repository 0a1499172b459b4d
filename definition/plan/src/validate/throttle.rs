//! Rules for what holds a closed loop back.

use super::{Found, place, written_at};
use crate::bounds::{RATE_MAX, TIME_MAX};
use crate::{Bytes, Item, Load, Nanos, Question, Step, Stream};

/// A stream's throttle, by itself and with the step's load.
pub(super) fn check(step: &Step, stream: &Stream, found: &mut Found) {
    if stream.throttle.is_none() {
        return;
    }
    check_caps(step, stream, found);
    check_think(step, stream, found);
    check_load(step, stream, found);
}

fn check_caps(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let throttle = &stream.throttle;
    if throttle.max_rate.is_some() && throttle.max_bandwidth.is_some() {
        found.add(
            format!("workload `{name}` has both a `max_rate` and a `max_bandwidth`"),
            "keep the one that is meant",
            place(step, name, "max_bandwidth"),
        );
    }
    if let Some(rate) = throttle.max_rate
        && !(rate.0 > 0.0 && rate <= RATE_MAX)
    {
        found.add(
            format!("workload `{name}` has a `max_rate` of {rate}"),
            format!("give a rate above 0, {RATE_MAX} or less"),
            place(step, name, "max_rate"),
        );
    }
    if throttle.max_bandwidth == Some(Bytes(0)) {
        found.add(
            format!("workload `{name}` has a `max_bandwidth` of 0"),
            "give the bytes of a second, as 100m",
            place(step, name, "max_bandwidth"),
        );
    }
}

fn check_think(step: &Step, stream: &Stream, found: &mut Found) {
    let Some(think) = stream.throttle.think else {
        return;
    };
    let name = &stream.workload;
    let at = place(step, name, "think");
    if think.time == Nanos(0) || think.time > TIME_MAX || think.every == 0 {
        found.add(
            format!(
                "workload `{name}` thinks {} after every {} I/Os",
                think.time, think.every
            ),
            format!("give a time above 0, {TIME_MAX} or less, and at least 1 I/O"),
            at,
        );
    }
    let shares = |s: &Stream| s.target == stream.target && s.depth.is_none();
    let scheduled = |s: &&Stream| shares(s) && s.fixed_rate.is_some();
    if stream.fixed_rate.is_none()
        && shares(stream)
        && let Some(other) = step.streams.iter().find(scheduled)
    {
        found.add(
            format!(
                "workload `{name}` thinks in slots that workload `{}` needs for its rate",
                other.workload
            ),
            "let them run on different targets, or in different runs",
            at,
        );
    }
}

/// What has a rate does not run as fast as it may, and shares are kept by all streams going on together.
fn check_load(step: &Step, stream: &Stream, found: &mut Found) {
    let name = &stream.workload;
    let at = ["think", "max_rate", "max_bandwidth"]
        .into_iter()
        .find_map(|field| place(step, name, field));
    let held = &stream.throttle;
    if stream.fixed_rate.is_some() {
        found.add(
            format!("workload `{name}` has a rate of its own and is held back: {held}"),
            "leave `rate` out for a closed loop, or leave out what holds it back",
            at,
        );
        return;
    }
    let run = &step.run;
    match &step.load {
        Load::Max => {}
        Load::MaxShared => found.add(
            format!("run `{run}` keeps shares, and workload `{name}` is held back: {held}"),
            "leave the shares out: each workload then goes as fast as it may",
            at,
        ),
        Load::Rate { .. } | Load::PercentOfLast { .. } | Load::Schedule { .. } => found.add(
            format!("run `{run}` asks for a rate, and workload `{name}` is held back: {held}"),
            "let the load be the maximum (a closed loop), or leave out what holds it back",
            at.or(written_at(&step.origins, "load")),
        ),
    }
}

/// A curve, and methods that choose their loads, ask for what the targets carry.
pub(super) fn check_item(item: &Item, found: &mut Found) {
    let method = match item {
        Item::Step(_) => return,
        Item::Curve(_) => "curve",
        Item::Method(method) => match &method.question {
            Question::Adaptive(_) => "curve",
            Question::Saturate(_) | Question::Soak(_) | Question::Pts(_) => {
                method.question.method()
            }
            // Their loads are those that were written, rates, or their own.
            Question::Sweep(_) | Question::Disturb(_) | Question::Fingerprint(_) => return,
        },
    };
    let mut streams = item.steps().iter().flat_map(|step| &step.streams);
    let held = streams.find(|s| !s.throttle.is_none());
    if let (Some(stream), Some(step)) = (held, item.steps().first()) {
        found.add(
            format!(
                "the {method} `{}` looks for the most that its targets carry, and workload `{}` is held back: {}",
                step.run, stream.workload, stream.throttle
            ),
            "leave out what holds it back, or measure it in a run with load = \"max\"",
            written_at(&step.origins, "load"),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::tests::plan;
    use crate::validate::validate;
    use crate::*;

    fn think() -> Throttle {
        Throttle::think(Think::new(Nanos(1_000_000), 1, Arrival::Even))
    }

    fn at_most(rate: f64) -> Throttle {
        Throttle::rate(Rate(rate))
    }

    /// What is wrong with a plan of which `change` changes the only step.
    fn wrong(change: impl FnOnce(&mut Step)) -> Vec<String> {
        let mut plan = plan();
        let Item::Step(step) = &mut plan.items[0] else {
            panic!("a step")
        };
        change(step);
        validate(&plan).into_iter().map(|p| p.message).collect()
    }

    /// Seen to be one message, with these words in it.
    #[track_caller]
    fn one(found: Vec<String>, words: &str) {
        assert!(found.len() == 1 && found[0].contains(words), "{found:?}");
    }

    #[test]
    fn a_closed_loop_may_be_held_back_and_nothing_else() {
        for throttle in [think(), at_most(1000.0)] {
            assert_eq!(wrong(|s| s.streams[0].throttle = throttle), [""; 0]);
            let held = |load: Load| {
                wrong(|s| {
                    s.streams[0].throttle = throttle;
                    s.load = load;
                })
            };
            one(held(Load::MaxShared), "keeps shares");
            one(
                held(Load::rate(Rate(100.0), Arrival::Even)),
                "asks for a rate",
            );
            let own = wrong(|s| {
                s.streams[0].throttle = throttle;
                s.streams[0].fixed_rate = Some(Rate(100.0));
            });
            one(own, "a rate of its own and is held back");
            let mut curved = plan();
            let mut base = curved.steps().next().expect("a step").clone();
            base.streams[0].throttle = throttle;
            curved.items = vec![Item::Curve(CurveSpec {
                base,
                percents: vec![50],
                arrival: Arrival::Exponential,
                stop_service: None,
                slos: Vec::new(),
                search: None,
            })];
            let found = validate(&curved).into_iter().map(|p| p.message).collect();
            one(found, "looks for the most");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 2e9] {
            one(wrong(|s| s.streams[0].throttle = at_most(rate)), "max_rate");
        }
        let bytes = |max_bandwidth| Throttle {
            max_bandwidth: Some(Bytes(max_bandwidth)),
            ..at_most(100.0)
        };
        one(wrong(|s| s.streams[0].throttle = bytes(4096)), "both");
        let none = Throttle {
            max_rate: None,
            ..bytes(0)
        };
        one(wrong(|s| s.streams[0].throttle = none), "max_bandwidth");
        for (time, every) in [(0, 1), (u64::MAX, 1), (1, 0)] {
            let think = Some(Think::new(Nanos(time), every, Arrival::Even));
            let throttle = Throttle {
                think,
                ..Throttle::default()
            };
            one(wrong(|s| s.streams[0].throttle = throttle), "thinks");
        }
    }

    #[test]
    fn nobody_thinks_in_slots_that_a_rate_needs() {
        let beside = |throttle: Throttle| {
            wrong(|s| {
                let mut other = s.streams[0].clone();
                s.streams[0].throttle = throttle;
                (other.workload, other.fixed_rate) = ("other".to_string(), Some(Rate(100.0)));
                s.streams.push(other);
            })
        };
        one(beside(think()), "that workload `other` needs for its rate");
        assert_eq!(beside(at_most(100.0)), [""; 0]);
        // Slots that are a workload's own are nobody else's.
        for own in 0..2 {
            let found = wrong(|s| {
                let mut other = s.streams[0].clone();
                s.streams[0].throttle = think();
                (other.workload, other.fixed_rate) = ("other".to_string(), Some(Rate(100.0)));
                s.streams.push(other);
                s.streams[own].depth = Some(4);
            });
            assert_eq!(found, [""; 0], "own slots of {own}");
        }
    }

    #[test]
    fn what_has_a_window_may_be_held_back() {
        for throttle in [think(), at_most(1000.0)] {
            let found = wrong(|s| {
                s.streams[0].throttle = throttle;
                s.streams[0].window = Window {
                    from: Nanos(2_000_000_000),
                    until: Some(Nanos(4_000_000_000)),
                    ..Window::default()
                };
            });
            assert_eq!(found, [""; 0]);
        }
    }

    #[test]
    fn what_is_written_at_most_is_known_of_a_most_per_second() {
        let written = |throttle| {
            let mut step = plan().steps().next().expect("a step").clone();
            step.streams[0].throttle = throttle;
            estimate::written(&plan(), &step)
        };
        assert_eq!(written(think()), estimate::Written::Unknown);
        // 11 s with the warm-up, of which 30 % are writes of 8 KiB.
        let most = Bytes((1000.0 * 11.0 * 0.3 * 8192.0) as u64);
        assert_eq!(written(at_most(1000.0)), estimate::Written::AtMost(most));
        let bandwidth = Throttle::bandwidth(Bytes(1 << 20));
        let most = Bytes(11 << 20);
        assert_eq!(written(bandwidth), estimate::Written::AtMost(most));
    }
}
