//! A step's evidence as JSON without its histograms, which have rows of their own.

use crate::histogram_rows::{self as histograms, ALL_OPS, LATENESS, Owner, RESPONSE, SERVICE};
use plimsoll_evidence::StepEvidence;
use plimsoll_measure::Histogram;
use rusqlite::Connection;
use serde_json::Value;

/// The evidence with `null` for every histogram. An error names a value that would not come back: JSON has no NaN.
pub(crate) fn detach(step: &StepEvidence) -> Result<String, serde_json::Error> {
    let mut body = serde_json::to_value(step)?;
    visit(&mut body, |_, place| *place = Value::Null);
    let mut again = body.clone();
    let empty = serde_json::to_value(Histogram::new())?;
    visit(&mut again, |_, place| *place = empty.clone());
    serde_json::from_value::<StepEvidence>(again)?;
    Ok(body.to_string())
}

/// The histograms of a step with their owners.
pub(crate) fn histograms(
    step: &StepEvidence,
) -> impl Iterator<Item = (Owner<'static>, &Histogram)> {
    let owner = |op, quantity| owner(step.number, op, quantity);
    let all = [
        (owner(ALL_OPS, RESPONSE), &step.response),
        (owner(ALL_OPS, SERVICE), &step.service),
        (owner(ALL_OPS, LATENESS), &step.lateness),
    ];
    let by_op = step.ops.iter().flat_map(move |op| {
        [
            (owner(op.op.name(), RESPONSE), &op.response),
            (owner(op.op.name(), SERVICE), &op.service),
        ]
    });
    all.into_iter().chain(by_op)
}

/// The evidence with its histograms back.
pub(crate) fn attach(
    db: &Connection,
    number: u32,
    body: &str,
) -> Result<StepEvidence, AttachError> {
    let mut body: Value = serde_json::from_str(body)?;
    let mut failed = None;
    visit(&mut body, |(op, quantity), place| {
        let read = histograms::read(db, owner(number, &op, quantity)).map_err(AttachError::from);
        match read.and_then(|h| Ok(serde_json::to_value(h)?)) {
            Ok(value) => *place = value,
            Err(e) => failed = Some(e),
        }
    });
    match failed {
        Some(e) => Err(e),
        None => Ok(serde_json::from_value(body)?),
    }
}

/// Why the evidence cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AttachError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

fn owner<'a>(step: u32, op: &'a str, quantity: &'static str) -> Owner<'a> {
    Owner {
        step,
        interval: 0,
        stream: 0,
        op,
        quantity,
    }
}

/// Calls `each` with every place of a histogram, and with (operation, quantity) of it.
fn visit(body: &mut Value, mut each: impl FnMut((String, &'static str), &mut Value)) {
    for quantity in [RESPONSE, SERVICE, LATENESS] {
        if let Some(place) = body.get_mut(quantity) {
            each((ALL_OPS.to_string(), quantity), place);
        }
    }
    for op in body
        .get_mut("ops")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let name = op["op"].as_str().unwrap_or_default().to_string();
        for quantity in [RESPONSE, SERVICE] {
            if let Some(place) = op.get_mut(quantity) {
                each((name.clone(), quantity), place);
            }
        }
    }
}
