//! One result that stands in an input twice: no two measurements have the same figures to the last digit.

use crate::model::{ForeignResult, InputPlace, Remark, Row, Run};
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
    let is_full = |of: &crate::model::Latency| {
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
