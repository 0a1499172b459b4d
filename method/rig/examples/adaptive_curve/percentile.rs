//! The same with a limit of the 99th percentile; and how often the knee's interval holds it.

use crate::drive::{self, Came};
use crate::truth::{self, Limited, Truth};
use crate::variant::Variant;
use crate::{Found, IOS, found_of};
use plimsoll_plan::{Nanos, Slo, Statistic};
use std::ops::Range;
use std::path::Path;

/// The limit is what the response is at this share of the most that the array's rows come to.
const AT: f64 = 0.85;

/// I/Os by which the limit is set, and at each rate of the true knee.
const LIMIT_IOS: u64 = 500_000;
const KNEE_IOS: u64 = 100_000;

/// A knee that was found, the true one, and the standard error of that.
type Bend = (Found, f64, f64);

struct Row {
    truth: Truth,
    found: Option<Found>,
    decided: bool,
    knee: Option<Bend>,
}

/// Prints a row for each array, and what they come to.
pub fn table(arrays: Range<u64>, place: &Path) {
    println!("array  limit  truth/s  adaptive  error   interval  cost   knee  truth");
    let mut rows = Vec::new();
    for n in arrays {
        let variant = match n {
            0 => Variant::itself(1.0),
            n => Variant::drawn(n),
        };
        let persona = place.join("variant.toml");
        std::fs::write(&persona, variant.toml()).expect("a file");
        rows.push(row(n, &variant, &persona));
    }
    summary(&rows);
}

fn row(n: u64, variant: &Variant, persona: &Path) -> Row {
    let rate = AT * variant.most();
    let limit_us = truth::response_us(variant, Limited::P99, rate, LIMIT_IOS, 31 + n).round();
    let slo = Slo {
        statistic: Statistic::Quantile(0.99),
        limit: Nanos(limit_us as u64 * 1000),
    };
    let came = drive::adaptive(persona, vec![slo], 9000 + n);
    let found = Found::of(&came);
    let wanted = found.as_ref().map_or(0.001, Found::wanted_of_truth);
    let truth = truth::capacity(variant, (Limited::P99, limit_us), IOS, wanted, 77 + n);
    let knee = knee(variant, &came, n);
    let words = found.as_ref().map_or("none".into(), |f| {
        format!(
            "{:>8.0} {:>+6.2}% ±{:.2}%{}",
            f.rate,
            100.0 * f.off(truth.rate),
            100.0 * f.half_width / f.rate,
            if f.covers(truth.rate) { " " } else { "!" }
        )
    });
    let bend = knee.as_ref().map_or("none".into(), |(k, truth, error)| {
        format!(
            "{:>8.0} ±{:.0} {truth:.0} ±{error:.0}{}",
            k.rate,
            k.half_width,
            if k.covers(*truth) { "" } else { "!" }
        )
    });
    println!(
        "{n:>5} {limit_us:>7.0} {:>8.0} {words} {:>5.0}s {bend}{}",
        truth.rate,
        came.spent_s,
        if came.verdict.decided {
            ""
        } else {
            " undecided"
        }
    );
    Row {
        truth,
        found,
        decided: came.verdict.decided,
        knee,
    }
}

/// The knee that was found, and where it is on the true curve between the same two ends.
fn knee(variant: &Variant, came: &Came, n: u64) -> Option<Bend> {
    let found = came.verdict.knee?;
    let points = came.verdict.points.iter();
    let open = points.filter(|p| p.percent.is_some() && !p.saturated);
    let rates: Vec<f64> = open.map(|p| p.achieved.mean).collect();
    let ends = (
        rates.iter().copied().fold(f64::INFINITY, f64::min),
        rates.iter().copied().fold(0.0, f64::max),
    );
    let (truth, error) = truth::knee(variant, ends, KNEE_IOS, 500 + n);
    let knee = Found {
        rate: found.mean,
        half_width: found.half_width?,
    };
    Some((knee, truth, error))
}

fn summary(rows: &[Row]) {
    let seen: Vec<(&Found, Truth)> = rows
        .iter()
        .filter_map(|r| Some((r.found.as_ref()?, r.truth)))
        .collect();
    println!("p99: {}", found_of(&seen, rows.len()));
    println!("undecided: {}", rows.iter().filter(|r| !r.decided).count());
    let knees: Vec<&Bend> = rows.iter().filter_map(|r| r.knee.as_ref()).collect();
    let inside = knees.iter().filter(|(k, t, _)| k.covers(*t)).count();
    let mean = |of: fn(&Bend) -> f64| {
        100.0 * knees.iter().map(|k| of(k)).sum::<f64>() / knees.len() as f64
    };
    println!(
        "knee: found {}, covered {inside}, ± {:.1} % in the mean, off by {:.1} %, of which the truth's own are {:.2} %",
        knees.len(),
        mean(|(k, _, _)| k.half_width / k.rate),
        mean(|(k, t, _)| (k.rate / t - 1.0).abs()),
        mean(|(_, t, error)| error / t),
    );
}
