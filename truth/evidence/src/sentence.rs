//! Findings in words: a function for each rule, and the list of them.

mod adaptive;
mod carried;
mod curve;
mod disturb;
mod foreign;
mod template;

use crate::wording::{percent, plural, rate, time};
use crate::{Quantity, Value};

/// Sentence that a rule's values make; `None` for a rule that is not known here, or whose values are not all there: its message was written
/// by whoever knew it.
pub fn sentence(rule: &str, values: &[Value]) -> Option<String> {
    let values = Values(values);
    let mut said = OWN_SAID.iter().chain(&foreign::SAID).copied().flatten();
    if let Some((_, text)) = said.find(|(name, _)| *name == rule) {
        return template::filled(text, &values);
    }
    let mut made = OWN_MADE.iter().copied().flatten().chain(foreign::RULES);
    let (_, make) = made.find(|(name, _)| *name == rule)?;
    make(&values)
}

/// Remedy for a finding, where its values give a better one than its rule; `None` for most.
pub fn mend(rule: &str, values: &[Value]) -> Option<&'static str> {
    match rule {
        "curve-undecided" => curve::mend(&Values(values)),
        _ => None,
    }
}

/// The names of all findings whose sentences are made here.
pub fn names() -> impl Iterator<Item = &'static str> {
    let said = OWN_SAID.iter().copied().flatten().map(|(name, _)| *name);
    let made = OWN_MADE.iter().copied().flatten().map(|(name, _)| *name);
    said.chain(made)
}

/// Rules of steps and of methods whose sentences are texts.
const OWN_SAID: [&[template::Said]; 5] = [
    SAID,
    adaptive::SAID,
    carried::SAID,
    curve::SAID,
    disturb::SAID,
];

/// Rules whose sentences are made by a function.
const OWN_MADE: [&[(&str, Make)]; 4] = [SENTENCES, adaptive::RULES, carried::RULES, curve::RULES];

type Make = fn(&Values) -> Option<String>;

/// Sentences, with places for the values.
const SAID: &[template::Said] = template::sentences! {
    "ios-failed": "{ios:1 I/O} failed, those of the warm-up included: in no rate and in no response time.";
    "fsyncs-failed": "{fsyncs:1 fsync} failed: what was written before may be lost, though the writes themselves were answered well.";
    "nothing-counted": "Nothing was counted: the step ended in its warm-up.";
    "nothing-completed": "No I/O completed in the counted time.";
    "target-stood-still":
        "No I/O completed for {length:.1} s at a stretch: the rate has that time in it, but few I/Os waited for its end, so that percentiles \
         hardly show it. See what the target did.";
    "generator-late":
        "The generator itself was late, and its lateness is in the response times: p99 of it is {lateness_p99:time}, of the response time \
         {response_p99:time}. Judge by service times.";
    "workers-busy":
        "The worker threads were busy {busy:percent} of the time: this rate is what the host can issue, the target may carry more. Use more \
         workers.";
    "campaign-cut-short": "Only {done:count} of {planned:count} combinations were measured to their end. Go on with `plimsoll resume`.";
    "depth-at-limit":
        "{cell}: the rate still grew at the greatest depth that was tried, {depth:count} on each target: it may carry more, and its least \
         concurrency is not known. Allow more in flight with --depth.";
    "workers-at-limit":
        "{cell}: the rate still grew with the most workers that were tried, {workers:count}: more of them may carry more. Give a number of \
         workers.";
    "less-than-in-search":
        "{cell}: the search reached {searched:rate} and the longer measurement only {reached:rate}: what was seen in a few seconds does not \
         last, or the target changed. Measure longer, or see how it changes with time (plimsoll soak).";
    "sweep-cut-short": "Only {done:count} of {planned:count} steps were measured. Go on with `plimsoll resume`.";
    "single-repeats":
        "Each cell was measured once: how far repeats lie apart is not known, so that no difference can be told from chance. Give at least 2 \
         repeats, better 5.";
    "saturated-cells": "{cells:1 cell} asked for more than the target carries: no response time is shown there.";
    "cap-reached": "Workload `{workload}` reached its most of {most:per second}: the plan held it back, and the target may carry more.";
    "soak-cut-short": "It did not come to its end: {step} was cut short. `plimsoll resume` goes on with it.";
    "soak-few-overwrites":
        "The targets were written {overwrites:.2} times. Garbage collection begins only when they and their spare were written once, and is \
         settled after three: nothing is said about a cliff that comes later. Soak longer; a file or device with --overwrites 3.";
    "soak-writes-nothing": "Nothing was written, so there was nothing to collect: this says nothing of a write cliff.";
    "soak-not-settled": "What comes after the cliff found no level that stayed, or is too short for one: soak longer to learn what is sustained.";
    "soak-rounds-unsteady": "The preconditioning ended after {rounds:1 round} without having been steady.";
    "soak-overloaded":
        "The rate that was asked for was not done from the start: the response times say how long the test was, not how fast the target is. Ask \
         for less, or soak at `max`.";
    "soak-host-late": "For {time:.1} s in all the host kept the generator from its CPU; that is not the target's doing.";
    "pts-style": "PTS-style, not compliant: {why}.";
    "pts-cut-short": "It did not come to its end: {step} was cut short. `plimsoll resume` goes on with it.";
};

/// Rules of steps whose sentences have to be made.
const SENTENCES: &[(&str, Make)] = &[
    ("cut-short", cut_short),
    ("host-stood-still", host_stood_still),
    ("nothing-to-do", nothing_to_do),
    ("warm-up-short", warm_up_short),
    ("never-steady", never_steady),
    ("load-undecided", load_undecided),
    ("target-stood-still-at-end", target_stood_still_at_end),
    ("target-stalled", target_stalled),
    ("target-changed", target_changed),
    ("cap-not-reached", cap_not_reached),
    ("disturb-errors", disturb::errors),
];

/// A finding's values by name.
struct Values<'a>(&'a [Value]);

impl Values<'_> {
    fn quantity(&self, name: &str) -> Option<&Quantity> {
        let value = self.0.iter().find(|v| v.name == name)?;
        Some(&value.quantity)
    }

    /// A number, whatever its unit.
    fn number(&self, name: &str) -> Option<f64> {
        self.quantity(name)?.number()
    }

    /// All of a name, in order.
    fn all(&self, name: &str) -> impl Iterator<Item = &Quantity> {
        let named = self.0.iter().filter(move |v| v.name == name);
        named.map(|v| &v.quantity)
    }

    /// The numbers of a name, in order.
    fn numbers(&self, name: &str) -> Vec<f64> {
        self.all(name).filter_map(Quantity::number).collect()
    }

    /// The words of a name, in order; `None` where there are none.
    fn texts(&self, name: &str) -> Option<Vec<String>> {
        let words = self.all(name).filter_map(|quantity| match quantity {
            Quantity::Text(text) => Some(text.clone()),
            _ => None,
        });
        Some(words.collect::<Vec<_>>()).filter(|all| !all.is_empty())
    }

    fn count(&self, name: &str) -> Option<usize> {
        match self.quantity(name)? {
            Quantity::Count(n) => usize::try_from(*n).ok(),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.quantity(name)? {
            Quantity::Text(text) => Some(text),
            _ => None,
        }
    }
}

fn cut_short(v: &Values) -> Option<String> {
    let why = match v.text("end")? {
        "interrupted" => "it was interrupted",
        "errors" => "too many I/Os failed",
        "hung" => "I/Os did not come back",
        _ => return None,
    };
    let ran = v.number("ran")?;
    Some(match v.number("planned") {
        Some(planned) => format!("Ended after {ran:.1} s of {planned:.1} s: {why}."),
        None => format!("Ended after {ran:.1} s, before all was done: {why}."),
    })
}

fn nothing_to_do(v: &Values) -> Option<String> {
    let operations = v.count("operations")?;
    let left = v.texts("ended").map(|names| {
        let ended = names.iter().map(|name| format!("`{name}`"));
        format!(
            "{} ended when nothing was left to do: no file or directory was in a state that its operations need, and no other workload brings one there.",
            ended.collect::<Vec<_>>().join(" and ")
        )
    });
    let blocked = (operations > 0).then(|| {
        format!(
            "{} on trees were not carried out: no file or directory was in the state that they need, or all of those were in use. They are in \
             no rate and no response time.",
            plural(operations, "operation")
        )
    });
    let said: Vec<String> = left.into_iter().chain(blocked).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

fn host_stood_still(v: &Values) -> Option<String> {
    let times = match v.count("times")? {
        0 | 1 => String::new(),
        n => format!(
            " ({}, {:.1} s in all{})",
            plural(n, "time"),
            v.number("all")?,
            // Records of earlier versions have none.
            v.number("share").map_or_else(String::new, |share| format!(
                ", {} of the time",
                percent(share)
            ))
        ),
    };
    let longest = match v.number("longest")? {
        short if short < 0.95 => time(short * 1e9),
        long => format!("{long:.1} s"),
    };
    Some(format!(
        "Plimsoll itself did not run for {longest} at a stretch{times}: it was stopped, or the host gave it no CPU. That \
         is not the target's doing, but it is in the rate and in the times of I/Os that were out or due then. Measure again \
         where the host lets it run.{}",
        without_pauses(v).unwrap_or_default()
    ))
}

/// Sentence on the result without the pauses; `None` where a step had several loads.
fn without_pauses(v: &Values) -> Option<String> {
    let left = v.number("left")?;
    let Some(clean) = v.quantity("clean") else {
        let why = "what is left of the time is too little, or scatters too much";
        return Some(format!(
            " What it would be without that cannot be computed: {why}."
        ));
    };
    let (what, half) = (clean.number()?, v.number("clean_half_width")?);
    let figure = match clean {
        Quantity::Ns(_) => format!("the mean response would be {} ± {}", time(what), time(half)),
        _ => format!("it would be {} ± {}", rate(what), rate(half)),
    };
    Some(format!(
        " Without that {figure} (the mean of the other {left:.1} s)."
    ))
}

fn load_undecided(v: &Values) -> Option<String> {
    let (whose, time) = match v.text("workload").unwrap_or("") {
        "" => ("this load".to_string(), "the step is"),
        name => (format!("the load of workload `{name}`"), "its time is"),
    };
    Some(format!(
        "Whether {whose} is carried cannot be told: {} of what came due was not done at the end, and {time} too short, \
         or the host was too much in the way, to tell that from chance. Run it longer.",
        percent(v.number("shortfall")?)
    ))
}

fn target_stood_still_at_end(v: &Values) -> Option<String> {
    let shown = match v.text("loop")? {
        "open" => {
            "what came due then is in the response times with what it waited until it came back, or was given up"
        }
        _ => "only the few that were out then show it in their response times",
    };
    Some(format!(
        "No I/O completed in the last {:.1} s: {shown}. See what the target did.",
        v.number("length")?
    ))
}

fn target_stalled(v: &Values) -> Option<String> {
    let (at, longest) = (v.number("at")?, v.number("longest")?);
    let stalled = match v.count("times")? {
        1 => format!("It stalled at {at:.1} s for {longest:.1} s"),
        n => format!("It stalled {n} times, the longest at {at:.1} s for {longest:.1} s"),
    };
    Some(format!(
        "{stalled}: {} waited. Their waiting is in the response times, for the load went on. See what the target did.",
        plural(v.count("ios")?, "I/O")
    ))
}

fn warm_up_short(v: &Values) -> Option<String> {
    let (first, rest) = (v.number("first"), v.number("rest"));
    // What begins better than it goes on is no warm-up that is left out for the sake of the rest.
    if let Some((first, rest)) = first
        .zip(rest)
        .filter(|(f, r)| f > r && v.text("series") == Some("rate"))
    {
        return Some(format!(
            "The first {:.1} s that were counted did {}, and the rest {}: the beginning is a state that does not last, as of a burst or of a \
             cache that fills up, or was taken away. If the storage itself used something up, the rest is what lasts: count it alone with a warm-up of \
             {:.0} s.",
            v.number("cold")?,
            rate(first),
            rate(rest),
            v.number("needed")?
        ));
    }
    Some(format!(
        "The first {:.1} s that were counted still look like warm-up by their {}: warm up for {:.0} s.",
        v.number("cold")?,
        v.text("series")?,
        v.number("needed")?
    ))
}

/// A drift that SNIA's window no longer takes for steady.
const RISES: f64 = 0.1;

fn never_steady(v: &Values) -> Option<String> {
    let (series, rise) = (v.text("series")?, v.number("rise")?);
    let likely = match (series, v.text("reads")) {
        ("rate", Some("no")) => "",
        ("rate", _) if rise > RISES => " It rose from the start, as where a cache warms or fills.",
        _ => "",
    };
    let drifts = if rise < 0.0 { "falls" } else { "rises" };
    Some(format!(
        "Never got steady: over five equal parts the {series} spans {} of its mean and {drifts} by {} (20 % and 10 % are the most of what is \
         steady); run it longer, with a longer warm-up.{likely}",
        percent(v.number("range")?),
        percent(rise.abs())
    ))
}

fn target_changed(v: &Values) -> Option<String> {
    let change = v.number("change")?;
    let more = if change > 0.0 { "more" } else { "less" };
    Some(format!(
        "From the first step to the last the target came to carry {} {more}: it changed while it was measured. A drawn order, or \
         there and back, keeps that from favouring a cell, but the intervals are wider for it.",
        percent(change.abs())
    ))
}

fn cap_not_reached(v: &Values) -> Option<String> {
    let limit = match v.text("thinks")? {
        "yes" => "its think times and the target",
        _ => "the target, with the slots that it had,",
    };
    Some(format!(
        "Workload `{}` came to {} of its most of {}: {limit} held it back, not the plan's most.",
        v.text("workload")?,
        per_second(v, "came_to")?,
        per_second(v, "most")?
    ))
}

/// I/Os or bytes of a second.
fn per_second(v: &Values, name: &str) -> Option<String> {
    let amount = v.number(name)?;
    Some(match v.text("of")? {
        "bytes" => format!("{:.1} MiB/s", amount / f64::from(1 << 20)),
        _ => rate(amount),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finding, Severity};

    #[test]
    fn a_sentence_has_the_values_and_the_values_come_back() {
        let finding = Finding::of_step(
            3,
            "host-stood-still",
            Severity::Suspect,
            [
                ("longest", Quantity::Seconds(2.04)),
                ("times", Quantity::Count(2)),
                ("all", Quantity::Seconds(3.0)),
            ],
        );
        assert!(
            finding.message.starts_with(
                "Plimsoll itself did not run for 2.0 s at a stretch (2 times, 3.0 s in all): "
            ),
            "{}",
            finding.message
        );
        let json = serde_json::to_string(&finding).unwrap();
        assert!(
            json.contains(r#"{"name":"longest","quantity":{"unit":"seconds","value":2.04}}"#),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<Finding>(&json).unwrap(), finding);
    }

    #[test]
    fn what_is_gathered_is_what_each_said_and_of_the_others_what_is_new() {
        use crate::{CurveVerdict, Estimate, Verdict, gathered};
        let doubt = Finding::of_method("all-points-saturated", Severity::Suspect, []);
        let curve = |run: &str| {
            Verdict::Curve(CurveVerdict {
                run: run.into(),
                decided: true,
                maximum: Estimate::bare(1.0),
                limit: None,
                points: Vec::new(),
                knee: None,
                capacities: Vec::new(),
                findings: vec![doubt.clone()],
            })
        };
        let new = Finding {
            rule: "PL012".into(),
            ..doubt.clone()
        };
        // Two curves may doubt the same; a record has both again.
        let others = [doubt.clone(), doubt.clone(), new.clone()];
        let all = gathered(&[], &[curve("a"), curve("b")], &others);
        assert_eq!(all, [doubt.clone(), doubt, new]);
    }

    #[test]
    fn every_rule_of_a_curve_and_of_a_step_carried_out_has_a_name_of_its_own() {
        let foreign = foreign::SAID.iter().copied().flatten();
        let foreign = foreign.map(|(name, _)| *name);
        let foreign = foreign.chain(foreign::RULES.iter().map(|(name, _)| *name));
        let mut names: Vec<&str> = names().chain(foreign).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    fn said(rule: &str, values: Vec<(&str, Quantity)>) -> String {
        Finding::of_step(1, rule, Severity::Suspect, values).message
    }

    #[test]
    fn a_step_without_a_time_of_its_own_is_cut_short_of_what_it_was_to_do() {
        let ran = ("ran", Quantity::Seconds(2.0));
        let end = ("end", Quantity::Text("errors".into()));
        let planned = ("planned", Quantity::Seconds(60.0));
        assert_eq!(
            said("cut-short", vec![ran.clone(), end.clone()]),
            "Ended after 2.0 s, before all was done: too many I/Os failed."
        );
        assert_eq!(
            said("cut-short", vec![ran, planned, end]),
            "Ended after 2.0 s of 60.0 s: too many I/Os failed."
        );
    }

    #[test]
    fn a_beginning_that_does_not_last_is_told_from_a_warm_up_and_a_rise_from_a_fall() {
        let cold = |first: f64, rest: f64| {
            said(
                "warm-up-short",
                vec![
                    ("series", Quantity::Text("rate".into())),
                    ("cold", Quantity::Seconds(14.0)),
                    ("needed", Quantity::Seconds(17.0)),
                    ("first", Quantity::PerSecond(first)),
                    ("rest", Quantity::PerSecond(rest)),
                ],
            )
        };
        assert!(
            cold(31_000.0, 105_000.0)
                .ends_with("look like warm-up by their rate: warm up for 17 s.")
        );
        let fell = cold(105_000.0, 31_000.0);
        assert!(
            fell.contains("did 105,000/s, and the rest 31,000/s"),
            "{fell}"
        );
        assert!(fell.contains("the rest is what lasts"), "{fell}");
        let drifts = |rise: f64| {
            said(
                "never-steady",
                vec![
                    ("series", Quantity::Text("rate".into())),
                    ("range", Quantity::Share(0.4)),
                    ("rise", Quantity::Share(rise)),
                ],
            )
        };
        assert!(drifts(0.3).contains("a cache warms or fills"));
        let falls = drifts(-0.3);
        assert!(falls.contains("of its mean and falls by 30%"), "{falls}");
        assert!(!falls.contains("a cache warms or fills"), "{falls}");
    }

    #[test]
    fn a_late_generator_is_named_without_a_guess_at_who_kept_it() {
        let late = said(
            "generator-late",
            vec![
                ("lateness_p99", Quantity::Ns(38_000.0)),
                ("response_p99", Quantity::Ns(200_000.0)),
            ],
        );
        assert!(
            late.contains("Judge by service times") && !late.contains("host"),
            "{late}"
        );
    }

    #[test]
    fn every_place_in_a_sentence_has_a_form_that_is_known() {
        for (rule, text) in OWN_SAID.iter().chain(&foreign::SAID).copied().flatten() {
            let places = text
                .split('{')
                .skip(1)
                .map(|p| p.split_once('}').expect(rule).0);
            let mut values = vec![Value::new("of", Quantity::Text("bytes".into()))];
            values.extend(places.map(|place| match place.split_once(':') {
                None | Some((_, "list")) => {
                    let name = place.split(':').next().expect("a name");
                    let name = if name == "who" { "run" } else { name };
                    Value::new(name, Quantity::Text("words".into()))
                }
                Some((name, _)) => Value::new(name, Quantity::Count(2)),
            }));
            let said = sentence(rule, &values).unwrap_or_else(|| panic!("{rule}: {text}"));
            assert!(!said.contains(['{', '}']), "{said}");
        }
    }

    #[test]
    fn what_is_not_known_or_not_whole_has_no_sentence() {
        assert_eq!(sentence("PL999", &[]), None);
        assert_eq!(sentence("host-stood-still", &[]), None);
        // A finding without values keeps its message.
        let early = r#"{"rule":"PL012","severity":"note","step":1,"message":"seen"}"#;
        let finding: Finding = serde_json::from_str(early).unwrap();
        assert_eq!(finding.values.len(), 0);
        assert_eq!(finding.message.as_str(), "seen");
    }
}
