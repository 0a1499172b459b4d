//! One result that stands in an input twice, or in two inputs: no two measurements have the same figures to the last digit.

use crate::asked::AskedSettings;
use crate::model::{ForeignResult, InputPlace, Latency, Remark, Row, Run, Side};
use std::collections::HashMap;

/// Names each run whose figures are those of an earlier one.
pub fn remark(result: &mut ForeignResult) {
    let mut seen: HashMap<(u64, u64), Vec<&Run>> = HashMap::new();
    let mut found = Vec::new();
    for run in &result.runs {
        let Some((key, row)) = telling(run) else {
            continue;
        };
        let alike = seen.entry(key).or_default();
        let earlier = alike.iter().take(MOST).find(|earlier| {
            let other = telling(earlier).map(|(_, row)| row);
            other.is_some_and(|other| figures(other) == figures(row))
        });
        match earlier {
            Some(earlier) => found.push(Remark {
                at: row.at,
                text: format!(
                    "the figures of `{}` are those of `{}` in line {}, to the last digit: one result that was copied twice, the status \
                     of a job that had ended, or figures that are not of this run",
                    run.name, earlier.name, earlier.at.line
                ),
            }),
            None => alike.push(run),
        }
    }
    found.truncate(MOST);
    result.remarks.extend(found);
}

/// Runs that are compared with one, and remarks.
const MOST: usize = 20;

/// The row of a run that has so many figures that no other run has them all by chance: a rate, a mean, a largest time and a spread.
fn telling(run: &Run) -> Option<((u64, u64), &Row)> {
    let row = run.whole()?;
    let rate = row.iops().filter(|rate| *rate > 0.0)?;
    let sides = [&row.all, &row.reads, &row.writes];
    let times = sides
        .into_iter()
        .map(|side| side.completion.as_ref().unwrap_or(&side.latency));
    let is_full = |of: &Latency| {
        of.mean.is_some() && of.max.is_some() && (of.sd.is_some() || of.percentiles.len() > 2)
    };
    let mut full = times.filter(|of| is_full(of));
    let mean = full.next()?.mean?.0;
    Some(((rate.to_bits(), mean), row))
}

/// The figures of a row, without its place and its words.
fn figures(row: &Row) -> Row {
    Row {
        label: String::new(),
        // Some are told of the last job alone.
        pairs: Vec::new(),
        at: InputPlace::default(),
        ..row.clone()
    }
}

/// True where two results are of one run, wherever their lines stand: all figures of a format are the same, and of two formats of a tool
/// those that both tell, but for their rounding.
pub fn is_one_run(one: &ForeignResult, other: &ForeignResult) -> bool {
    let is_copy = |a: &Run, b: &Run| {
        let figures = |run: &Run| run.rows.iter().map(figures).collect::<Vec<_>>();
        // Which began together is known by the lines that they stand in.
        let asked = |run: &Run| AskedSettings {
            began_with: None,
            ..run.asked.clone()
        };
        a.name == b.name && asked(a) == asked(b) && figures(a) == figures(b)
    };
    let same = |(a, b): (&Run, &Run)| match one.format == other.format {
        true => is_copy(a, b),
        false => a
            .whole()
            .zip(b.whole())
            .is_some_and(|(a, b)| tells_the_same(a, b)),
    };
    one.tool == other.tool
        && !one.runs.is_empty()
        && one.runs.len() == other.runs.len()
        && one.runs.iter().zip(&other.runs).all(same)
}

/// Figures of times that two formats have to tell alike before they are of one run: no other run has so many by chance.
const TELLING: usize = 3;
/// Largest effect on a time of rounding to four digits, as a share.
const ROUNDED: f64 = 1e-3;

/// True where two formats tell the same of a run.
fn tells_the_same(one: &Row, other: &Row) -> bool {
    let pairs: [(&Side, &Side); 3] = [
        (&one.all, &other.all),
        (&one.reads, &other.reads),
        (&one.writes, &other.writes),
    ];
    let mut counts = pairs.iter().filter_map(|(a, b)| a.ios.zip(b.ios));
    let times: Vec<bool> = pairs
        .iter()
        .flat_map(|(a, b)| {
            let completion = a.completion.as_ref().zip(b.completion.as_ref());
            std::iter::once((&a.latency, &b.latency)).chain(completion)
        })
        .flat_map(|(a, b)| times_alike(a, b))
        .collect();
    let seconds = one.seconds.zip(other.seconds);
    seconds.is_some_and(|(a, b)| (a - b).abs() < 5e-4)
        && counts.all(|(a, b)| a == b)
        && times.len() >= TELLING
        && times.into_iter().all(|same| same)
}

/// Of each time that both tell, whether it is the same.
fn times_alike(one: &Latency, other: &Latency) -> impl Iterator<Item = bool> {
    let unit = one.rounded.0.max(other.rounded.0) as f64;
    let told = |of: &Latency| [of.mean, of.sd, of.min, of.max];
    let both = told(one).into_iter().zip(told(other));
    both.filter_map(|(a, b)| a.zip(b)).map(move |(a, b)| {
        let (a, b) = (a.0 as f64, b.0 as f64);
        (a - b).abs() <= unit.max(ROUNDED * a.max(b))
    })
}
