//! Sentences as texts with places for values: `{steps:1 step} came to {rate:rate}`.

use super::{Values, per_second};
use crate::wording::{apart, list, percent, plural, rate, time};
use plimsoll_printable::human;

/// A rule and its sentence.
pub(super) type Said = (&'static str, &'static str);

/// Rules and their sentences, as lines: `"rule": "sentence";`
macro_rules! sentences {
    ($($rule:literal: $text:literal;)*) => {
        &[$(($rule, $text),)*]
    };
}
pub(super) use sentences;

/// A sentence with the values in their places; `None` where one is missing.
pub(super) fn filled(text: &str, v: &Values) -> Option<String> {
    let mut parts = text.split('{');
    let mut sentence = parts.next()?.to_owned();
    for part in parts {
        let (place, rest) = part.split_once('}')?;
        sentence += &value(place, v)?;
        sentence += rest;
    }
    Some(sentence)
}

/// A value as its place asks for it: `NAME` is a text, `who` the runs of another tool, `NAME:FORM` anything else.
fn value(place: &str, v: &Values) -> Option<String> {
    let Some((name, form)) = place.split_once(':') else {
        return match place {
            "who" => who(v),
            name => v.text(name).map(str::to_owned),
        };
    };
    if let Some(what) = form.strip_prefix("1 ") {
        return Some(plural(v.count(name)?, what));
    }
    match form {
        "count" => return v.count(name).map(|n| n.to_string()),
        "list" => return v.texts(name).map(|names| list(&names)),
        _ => {}
    }
    let number = v.number(name)?;
    Some(match form {
        ".0" => format!("{number:.0}"),
        ".1" => format!("{number:.1}"),
        ".2" => format!("{number:.2}"),
        "rate" => rate(number),
        "time" => time(number),
        "seconds" => time(number * 1e9),
        "percent" => percent(number),
        "off" => percent(number.abs()),
        "apart" => apart(number),
        "fine percent" => format!("{:.2}%", 100.0 * number),
        "depth" => depth(number),
        "bytes" => human::bytes(number as u64),
        "rate of bytes" => format!("{}/s", human::bytes(number as u64)),
        "whole" => human::count(number.round() as u64),
        "quantile" => human::quantile(number),
        "number" => human::number(number),
        "per second" => per_second(v, name)?,
        _ => return None,
    })
}

/// The runs that a finding is about, or what it is about of them.
pub(super) fn who(v: &Values) -> Option<String> {
    let runs = v.texts("run")?;
    let first = runs.first()?;
    let runs = match runs.len() {
        1 => format!("`{first}`"),
        2 if first == &runs[1] => format!("`{first}` and another `{first}`"),
        2 => format!("`{first}` and `{}`", runs[1]),
        n => format!("`{first}` and {} others", n - 1),
    };
    Some(match v.text("times_of") {
        Some(part) => format!("{part} of {runs}"),
        None => runs,
    })
}

/// I/Os in flight: whole ones without decimals.
pub(super) fn depth(number: f64) -> String {
    match (number - number.round()).abs() < 0.005 {
        true => human::count(number.round() as u64),
        false => human::number(number),
    }
}
