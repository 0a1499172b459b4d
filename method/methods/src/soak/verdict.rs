//! What a soak found out.

use super::course::SoakCourse;
use super::drop::{Drop, lasting_drop};
use super::findings;
use super::judged::{Judged, SoakOutcome};
use super::pictures;
use super::power::visible_drop;
use super::still::{Stillness, settled, stillness};
use super::wave::wave;
use crate::average::{mean, median};
use crate::method::ran_its_time;
use plimsoll_evidence::wording::estimate;
use plimsoll_evidence::{Figure, MethodVerdict, Quantity, StepEvidence};
use plimsoll_measure::ratio_confidence;
use plimsoll_printable::human;

/// A smaller loss of rate is no cliff.
const LEAST: f64 = 0.10;
/// A response time that grows by less than half is none either: the speed of an answer falls by a third.
const LEAST_SPEED: f64 = 1.0 / 3.0;
/// Fewer values than this have no course.
const VALUES_MIN: usize = 48;
/// Longest time without next to any completion at the end that is a stall which was going on, and no cliff, s.
const STANDSTILL_S: f64 = 30.0;
/// Less than this share of the rate is next to nothing.
const NOTHING: f64 = 0.05;
/// Least visible drop beyond which nothing is said about cliffs.
const BLIND: f64 = 0.5;

/// The verdict on these parts of a soak, and on what went before them.
pub fn verdict(run: &str, before: &[&StepEvidence], parts: &[&StepEvidence]) -> MethodVerdict {
    let judged = judge(SoakCourse::of(parts));
    let is_whole = parts.last().is_some_and(|p| ran_its_time(p));
    let open_question = matches!(
        judged.answer,
        SoakOutcome::Short | SoakOutcome::Standstill(_) | SoakOutcome::Noisy
    );
    let is_cliff = matches!(
        judged.answer,
        SoakOutcome::RateCliff(_) | SoakOutcome::ResponseCliff(_)
    );
    MethodVerdict {
        method: "soak".into(),
        run: run.to_string(),
        class: class(&judged.answer).into(),
        // A cliff is one, whatever would have come after it.
        decided: is_cliff || (is_whole && !open_question),
        sentence: sentence(&judged),
        figures: figures(&judged),
        tables: pictures::tables(&judged),
        charts: pictures::charts(&judged),
        findings: findings::findings(&judged, before, parts),
    }
}

/// Judges a course.
pub fn judge(course: SoakCourse) -> Judged {
    let (rates, responses) = (course.rates(), course.responses());
    let mut judged = Judged {
        course,
        rates,
        responses,
        answer: SoakOutcome::Short,
        steady_from: None,
        wave: None,
        visible: None,
    };
    if judged.rates.len() < VALUES_MIN {
        return judged;
    }
    let cliff = cliff(&judged);
    // What comes after a cliff, or a fall at the very beginning, is judged by itself.
    let from = match &cliff {
        Some(SoakOutcome::RateCliff(drop) | SoakOutcome::ResponseCliff(drop)) => drop.to,
        Some(_) => 0,
        None => early_fall(&judged.rates).map_or(0, |(from, ..)| from),
    };
    let rest = &judged.rates[from..];
    // Behind a cliff the level may settle for long: it is its end that counts.
    let still = match from > 0 && cliff.is_some() {
        false => stillness(rest),
        true => settled(rest),
    };
    let mut level = rest;
    if let Stillness::Steady(start) = still {
        judged.steady_from = Some(from + start);
        judged.wave = wave(&rest[start..]);
        if from > 0 {
            level = &rest[start..];
        }
    }
    judged.visible = visible_drop(level, judged.wave.is_some(), (LEAST, BLIND));
    judged.answer = match (cliff, still) {
        (Some(cliff), _) => cliff,
        (None, Stillness::Drifts(share)) => SoakOutcome::NeverSteady(Some(share)),
        (None, Stillness::Never) => SoakOutcome::NeverSteady(None),
        (None, Stillness::Unknown) => SoakOutcome::Short,
        (None, Stillness::Steady(_)) if judged.visible.is_none() => SoakOutcome::Noisy,
        (None, Stillness::Steady(_)) => SoakOutcome::NoCliff,
    };
    judged
}

/// The cliff: of the rate or, where a rate that was asked for is still done, of the response time.
fn cliff(judged: &Judged) -> Option<SoakOutcome> {
    let course = &judged.course;
    if let Some(drop) = lasting_drop(&judged.rates, LEAST) {
        let after_s = course.seconds() - course.start_s(drop.to);
        let stalls = drop.after < NOTHING * drop.before && after_s <= STANDSTILL_S;
        return Some(match stalls {
            true => SoakOutcome::Standstill(drop),
            false => SoakOutcome::RateCliff(drop),
        });
    }
    if !course.is_open {
        return None;
    }
    let speeds: Vec<f64> = judged
        .responses
        .iter()
        .map(|ns| 1e9 / ns.max(1.0))
        .collect();
    let drop = lasting_drop(&speeds, LEAST_SPEED)?;
    // Past what the target carries the response time says how long the test is.
    course
        .is_carried(drop.at)
        .then_some(SoakOutcome::ResponseCliff(drop))
}

fn class(answer: &SoakOutcome) -> &'static str {
    match answer {
        SoakOutcome::RateCliff(_) | SoakOutcome::ResponseCliff(_) => "cliff",
        SoakOutcome::NeverSteady(_) => "never-steady",
        SoakOutcome::NoCliff => "no-cliff",
        SoakOutcome::Short | SoakOutcome::Standstill(_) | SoakOutcome::Noisy => "undecided",
    }
}

fn sentence(judged: &Judged) -> String {
    let course = &judged.course;
    let all = spoken(course.seconds());
    let over = match course.overwrites() {
        Some(n) => format!("{n:.2} overwrites in {all}"),
        None => all.clone(),
    };
    match &judged.answer {
        SoakOutcome::Short => format!(
            "Too short to tell: {} of the {VALUES_MIN} values that a course takes at least.",
            judged.rates.len()
        ),
        SoakOutcome::RateCliff(drop) => format!(
            "A cliff {}: the rate falls by {}, from {}/s to {}/s, and does not come back.",
            place(course, drop),
            human::percent(drop.lost()),
            human::rate(drop.before),
            human::rate(drop.after)
        ),
        SoakOutcome::ResponseCliff(drop) => format!(
            "A cliff {}: at the same rate the mean response time rises from {} to {}, and does not come back.",
            place(course, drop),
            human::time(1e9 / drop.before),
            human::time(1e9 / drop.after)
        ),
        SoakOutcome::Standstill(drop) => format!(
            "It ended in a standstill: next to nothing completed after {} of {all}, too late to tell whether that is a stall \
             or a cliff.",
            spoken(course.start_s(drop.to))
        ),
        SoakOutcome::NeverSteady(Some(share)) => format!(
            "Never steady: the rate {} all the while, by {} over {over}.",
            match *share < 0.0 {
                true => "falls",
                false => "rises",
            },
            human::percent(share.abs())
        ),
        SoakOutcome::NeverSteady(None) => {
            format!("Never steady: the rate found no level that stayed, over {over}.")
        }
        SoakOutcome::Noisy => format!(
            "No cliff was seen over {over}, but the rate varies so much that one might have been missed."
        ),
        SoakOutcome::NoCliff => match early_fall(&judged.rates) {
            Some((from, before, after)) => format!(
                "The rate fell within the first {}, from {}/s to {}/s, and did not come back; no cliff since then, over {over}{}.",
                spoken(course.start_s(from)),
                human::rate(before),
                human::rate(after),
                sustained_words(judged)
            ),
            None => format!("No cliff over {over}{}.", sustained_words(judged)),
        },
    }
}

/// A fall too near to the beginning for a cliff: the first value behind it, and the rates before and from then on. Each value before is
/// above all later ones, by more than the least that a cliff loses.
fn early_fall(rates: &[f64]) -> Option<(usize, f64, f64)> {
    let fallen = median(rates) / (1.0 - LEAST);
    let from = rates.iter().position(|rate| *rate <= fallen)?;
    let (before, rest) = rates.split_at(from);
    let stays = rest.iter().all(|rate| *rate <= fallen);
    (from > 0 && from <= rates.len() / 5 && stays).then(|| (from, mean(before), mean(rest)))
}

fn sustained_words(judged: &Judged) -> String {
    let (Some(from), Some(visible)) = (judged.steady_from, judged.visible) else {
        return String::new();
    };
    let rate = mean_rate(&judged.course, from);
    let known = sustained(judged)
        .into_iter()
        .next()
        .and_then(|f| f.interval);
    let half_width = known.map(|(low, high)| (high - low) / 2.0);
    format!(
        ": {}/s were sustained, and a drop of {} that lasted for the last {} would have been seen",
        estimate(rate, half_width),
        human::percent(visible.drop),
        visible.last
    )
}

/// `after 1.28 overwrites (13.7 s)`.
fn place(course: &SoakCourse, drop: &Drop) -> String {
    let at = spoken(course.start_s(drop.at));
    match course.overwrites_at(drop.at) {
        Some(n) => format!("after {n:.2} overwrites ({at})"),
        None => format!("after {at}"),
    }
}

fn spoken(seconds: f64) -> String {
    human::duration(seconds)
}

fn mean_rate(course: &SoakCourse, from: usize) -> f64 {
    let (ios, ns) = course.parts[from..]
        .iter()
        .fold((0.0, 0.0), |(ios, ns), p| {
            (ios + p.ios as f64, ns + p.length_ns as f64)
        });
    ios * 1e9 / f64::max(ns, 1.0)
}

fn figures(judged: &Judged) -> Vec<Figure> {
    let course = &judged.course;
    let mut figures = Vec::new();
    match &judged.answer {
        SoakOutcome::RateCliff(drop) => {
            place_figures(course, drop, &mut figures);
            let levels = [
                ("rate_before", "rate before", drop.before),
                ("rate_after", "rate after", drop.after),
            ];
            for (name, label, rate) in levels {
                figures.push(Figure::new(name, label, Quantity::PerSecond(rate)));
            }
        }
        SoakOutcome::ResponseCliff(drop) => {
            place_figures(course, drop, &mut figures);
            let levels = [
                ("response_before", "response before", drop.before),
                ("response_after", "response after", drop.after),
            ];
            for (name, label, speed) in levels {
                figures.push(Figure::new(name, label, Quantity::Ns(1e9 / speed)));
            }
        }
        _ => {}
    }
    figures.extend(sustained(judged));
    let over = course.overwrites().map(Quantity::Number);
    figures.push(match over {
        Some(over) => Figure::new("overwrites", "overwrites", over),
        None => Figure::unknown("overwrites", "overwrites", "nothing was written"),
    });
    figures.push(Figure::new(
        "time",
        "time",
        Quantity::Seconds(course.seconds()),
    ));
    figures.extend(oscillation(judged));
    figures.push(match judged.visible {
        Some(visible) => Figure::new(
            "visible_drop",
            "drop that would be seen",
            Quantity::Share(visible.drop),
        )
        .remarked(format!(
            "in 19 of 20 tries, where it lasts for the last {} of the time",
            visible.last
        )),
        None => Figure::unknown(
            "visible_drop",
            "drop that would be seen",
            "in so short a time the rate wanders or varies too much",
        ),
    });
    figures
}

fn place_figures(course: &SoakCourse, drop: &Drop, figures: &mut Vec<Figure>) {
    let (first, last) = (
        drop.at.saturating_sub(drop.give_or_take),
        (drop.at + drop.give_or_take).min(course.parts.len()),
    );
    let at = Quantity::Seconds(course.start_s(drop.at));
    figures.push(
        Figure::new("cliff_time", "cliff after", at)
            .within(course.start_s(first), course.start_s(last)),
    );
    let overwrites = |part| course.overwrites_at(part);
    if let (Some(at), Some(first), Some(last)) =
        (overwrites(drop.at), overwrites(first), overwrites(last))
    {
        figures.push(
            Figure::new(
                "cliff_overwrites",
                "cliff after overwrites",
                Quantity::Number(at),
            )
            .within(first, last),
        );
    }
    figures.push(
        Figure::new("cliff_drop", "drop", Quantity::Share(drop.lost()))
            .within(drop.share.0, drop.share.1)
            .remarked("not chance: at most 1 soak in 100 without a cliff had such a drop"),
    );
}

/// The level that stays, with what it was taken from.
fn sustained(judged: &Judged) -> Vec<Figure> {
    let (name, label) = ("sustained_rate", "sustained rate");
    let Some(from) = judged.steady_from else {
        return vec![Figure::unknown(name, label, "no level stayed")];
    };
    let parts = &judged.course.parts[from..];
    let column = |of: fn(&plimsoll_evidence::TimelinePart) -> f64| -> Vec<f64> {
        parts.iter().map(of).collect()
    };
    let seconds = column(|p| p.length_ns as f64 / 1e9);
    let (ios, timed, ns) = (
        column(|p| p.ios as f64),
        column(|p| p.timed as f64),
        column(|p| p.response_ns as f64),
    );
    let figure = |name, label, sums: &[f64], over: &[f64], unit: fn(f64) -> Quantity| {
        let mean = sums.iter().sum::<f64>() / over.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let figure = Figure::new(name, label, unit(mean));
        match ratio_confidence(sums, over, 0.95) {
            Ok(c) => figure.within(c.low, c.high),
            Err(_) => figure.remarked("too short for an interval"),
        }
    };
    vec![
        figure(name, label, &ios, &seconds, Quantity::PerSecond),
        figure(
            "sustained_response",
            "response then",
            &ns,
            &timed,
            Quantity::Ns,
        ),
        Figure::new(
            "steady_from",
            "steady from",
            Quantity::Seconds(judged.course.start_s(from)),
        ),
    ]
}

fn oscillation(judged: &Judged) -> Vec<Figure> {
    let Some(wave) = judged.wave else {
        let (name, label) = ("oscillation_period", "oscillation");
        let why = match judged.steady_from {
            Some(_) => "none was seen",
            None => "no level stayed",
        };
        return vec![Figure::unknown(name, label, why)];
    };
    let period = wave.period * judged.course.part_s();
    vec![
        Figure::new(
            "oscillation_period",
            "oscillation's period",
            Quantity::Seconds(period),
        ),
        Figure::new(
            "oscillation_amplitude",
            "up and down by",
            Quantity::Share(wave.amplitude),
        ),
    ]
}

#[cfg(test)]
#[test]
fn a_fall_at_the_beginning_is_one_that_does_not_come_back() {
    let of = |high: usize, back: usize| {
        let mut rates = vec![30.0; 60];
        rates[..high].fill(100.0);
        rates[60 - back..].fill(100.0);
        early_fall(&rates)
    };
    assert_eq!(of(6, 0), Some((6, 100.0, 30.0)));
    assert_eq!([of(0, 0), of(6, 1), of(20, 0)], [None; 3]);
}
