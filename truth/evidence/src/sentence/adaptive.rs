//! What is to be known of an adaptive curve, in words.

use super::template::{Said, sentences};
use super::{Make, Values};
use crate::Quantity;
use crate::wording::{list, percent, plural, rate, time};

/// Sentences, with places for the values.
pub(super) const SAID: &[Said] = sentences! {
    "adaptive-cut-short": "The curve ended early: what it says is what its whole points say.";
    "capacity-between":
        "The response leaps past {limit:list}: the capacity lies between the last rate that keeps the limit and the first that does not, and its \
         ± is half of that gap.";
};

/// The rules of adaptive curves, beside those of curves.
pub(super) const RULES: &[(&str, Make)] = &[
    ("adaptive-budget", budget),
    ("adaptive-budget-short", budget_short),
    ("burst-allowance", burst_allowance),
    ("hysteresis", hysteresis),
    ("no-hysteresis", no_hysteresis),
];

fn budget(v: &Values) -> Option<String> {
    let seconds = |name: &str| Some(time(v.number(name)? * 1e9));
    let cut = match v.number("asked") {
        Some(_) => format!(
            " No point was longer than {}, though {} was asked for: a longer budget allows longer ones.",
            seconds("longest")?,
            seconds("asked")?
        ),
        None => String::new(),
    };
    Some(format!(
        "{} of I/O in {}, of a budget of {}.{cut}",
        seconds("spent")?,
        plural(v.count("steps")?, "step"),
        seconds("budget")?
    ))
}

fn budget_short(v: &Values) -> Option<String> {
    let stages = v.texts("stage").unwrap_or_default();
    let limits = v.texts("limit").unwrap_or_default();
    let within = v.number("within")?;
    let wide = (!limits.is_empty()).then(|| {
        format!(
            "an interval within {} for {}",
            percent(within),
            list(&limits)
        )
    });
    let left: Vec<String> = stages.into_iter().chain(wide).collect();
    Some(format!(
        "Not reached in the budget: {}. Give a longer one.",
        left.join("; ")
    ))
}

fn burst_allowance(v: &Values) -> Option<String> {
    let rates: Vec<String> = v.numbers("rate").into_iter().map(rate).collect();
    (!rates.is_empty()).then(|| {
        format!(
            "More is carried for a while than all the time: {} looked as if it were carried, and was not right behind a full \
             load, when nothing was saved up. The capacity is what was carried there.",
            rates.join(", ")
        )
    })
}

fn hysteresis(v: &Values) -> Option<String> {
    let (rates, up, down) = (v.numbers("rate"), v.numbers("up"), v.numbers("down"));
    let each: Vec<String> = rates
        .iter()
        .zip(&up)
        .zip(&down)
        .map(|((at, up), down)| {
            format!(
                "at {} it was {} on the way up and {} on the way down",
                rate(*at),
                time(*up),
                time(*down)
            )
        })
        .collect();
    (!each.is_empty()).then(|| {
        format!(
            "Hysteresis: the same rate has another response after a higher load, by more than its confidence: {}. What the \
             target carries depends on what it carried before.",
            each.join("; ")
        )
    })
}

fn no_hysteresis(v: &Values) -> Option<String> {
    let number = |q: &Quantity| q.number().map(rate);
    let rates: Vec<String> = v.all("rate").filter_map(number).collect();
    (!rates.is_empty()).then(|| {
        format!(
            "No hysteresis: on the way down, at {}, the response was what it had been on the way up, within its confidence.",
            rates.join(" and ")
        )
    })
}
