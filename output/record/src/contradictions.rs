//! Contradictions of a record, what it says twice and differently: the columns of a step and of its parts beside its evidence, and both
//! beside its intervals. A record that was changed by hand shows so, unless all of it was changed alike.

use crate::row::Column;
use crate::{part_rows, step_rows};
use plimsoll_evidence::StepEvidence;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter};

/// Two places of a record that do not agree.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// The step.
    pub step: u32,
    /// The one place: `steps.iops`.
    pub one: String,
    /// Value of the one.
    pub says: f64,
    /// The other.
    pub other: String,
    /// Value that the other implies for it.
    pub should_say: f64,
}

/// Difference by rounding and by a histogram's stored form, as a share.
const TOLERANCE: f64 = 0.01;

/// All of the steps, the first of each kind of place for each step.
pub(crate) fn of(db: &Connection, steps: &[StepEvidence]) -> rusqlite::Result<Vec<Contradiction>> {
    let mut found = Vec::new();
    for step in steps {
        found.extend(columns(db, step)?);
        found.extend(sums(db, step)?);
        found.extend(rates(db, step.number)?);
    }
    Ok(found)
}

fn differ(a: f64, b: f64, tolerance: f64) -> bool {
    match a.is_finite() && b.is_finite() {
        true => (a - b).abs() > tolerance * a.abs().max(b.abs()) + 1e-6,
        false => a != b,
    }
}

/// A number of a value; a text or nothing is none.
fn number(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Integer(n) => Some(n as f64),
        ValueRef::Real(n) => Some(n),
        _ => None,
    }
}

fn number_of(value: &dyn ToSql) -> Option<f64> {
    match value.to_sql().ok()? {
        ToSqlOutput::Borrowed(value) => number(value),
        ToSqlOutput::Owned(ref value) => number(value.into()),
        _ => None,
    }
}

/// The columns of `steps`, and of a step's parts, beside what they were written from.
fn columns(db: &Connection, step: &StepEvidence) -> rusqlite::Result<Vec<Contradiction>> {
    let mut found = Vec::new();
    let number: [Column; 1] = [("step", &step.number)];
    step_rows::with_totals(step, |columns| {
        found.extend(differing(db, "steps", &number, columns)?);
        Ok::<(), rusqlite::Error>(())
    })?;
    part_rows::each(step, |table, keys, columns| {
        // One of a step's parts is enough.
        if found.is_empty() {
            found.extend(differing(db, table, keys, columns)?);
        }
        Ok(())
    })?;
    let contradiction = |(one, says, should_say)| Contradiction {
        step: step.number,
        one,
        says,
        other: "its evidence".into(),
        should_say,
    };
    Ok(found.into_iter().map(contradiction).collect())
}

/// The first column of a row that differs from the evidence: its name, what it says, and what it should say.
fn differing(
    db: &Connection,
    table: &str,
    keys: &[Column],
    columns: &[Column],
) -> rusqlite::Result<Option<(String, f64, f64)>> {
    let wanted: Vec<String> = keys.iter().map(|(name, _)| format!("{name}=?")).collect();
    let sql = format!("SELECT * FROM {table} WHERE {}", wanted.join(" AND "));
    let values = keys.iter().map(|(_, value)| value);
    db.prepare_cached(&sql)?
        .query_row(params_from_iter(values), |row| {
            for (name, value) in columns {
                let evidence = number_of(*value);
                // A column may be missing, or NULL.
                let stored = row.get_ref(*name).ok().and_then(number);
                if let (Some(evidence), Some(stored)) = (evidence, stored)
                    && differ(stored, evidence, TOLERANCE)
                {
                    return Ok(Some((format!("{table}.{name}"), stored, evidence)));
                }
            }
            Ok(None)
        })
        .optional()
        .map(Option::flatten)
}

/// Contradiction between a step's counts and those of the intervals that it was counted in.
fn sums(db: &Connection, step: &StepEvidence) -> rusqlite::Result<Option<Contradiction>> {
    let (first, last) = step.counted_intervals;
    if step.ios == 0 || last < first {
        return Ok(None);
    }
    for (name, says) in [("ios", step.ios), ("bytes", step.bytes)] {
        // `total` is a sum that does not overflow.
        let sql = format!(
            "SELECT total({name}) FROM intervals WHERE step=? AND host=0 AND warmup=0 AND interval BETWEEN ? AND ?"
        );
        let sum: f64 = db
            .prepare_cached(&sql)?
            .query_row((step.number, first, last), |row| row.get(0))?;
        if differ(says as f64, sum, 1e-6) {
            return Ok(Some(Contradiction {
                step: step.number,
                one: format!("{name} of the evidence"),
                says: says as f64,
                other: "its counted intervals together".into(),
                should_say: sum,
            }));
        }
    }
    Ok(None)
}

/// An interval's rate beside its I/Os and its length.
fn rates(db: &Connection, step: u32) -> rusqlite::Result<Option<Contradiction>> {
    db.prepare_cached(
        "SELECT interval, iops, ios * 1e9 / length_ns AS made FROM intervals
         WHERE step=? AND host=0 AND length_ns>0 AND iops IS NOT NULL
         AND abs(iops - made) > 0.01 * max(iops, made) + 1e-6 ORDER BY interval LIMIT 1",
    )?
    .query_row([step], |row| {
        let interval: i64 = row.get(0)?;
        Ok(Contradiction {
            step,
            one: format!("intervals.iops of interval {interval}"),
            says: number(row.get_ref(1)?).unwrap_or(f64::NAN),
            other: "its I/Os and its length".into(),
            should_say: row.get(2)?,
        })
    })
    .optional()
}
