//! A step's evidence as JSON without its histograms, which have rows of their own.

use crate::error::damaged;
use crate::histogram_rows::{self as histograms, ALL_OPS, LATENESS, Owner, RESPONSE, SERVICE};
use crate::reading::Room;
use crate::record::check_name;
use plimsoll_evidence::StepEvidence;
use plimsoll_measure::{Histogram, Op};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::Value;

/// The evidence with `null` for every histogram. An error names a value that would not come back: JSON has no NaN.
pub(crate) fn detach(step: &StepEvidence) -> Result<String, serde_json::Error> {
    let mut body = serde_json::to_value(step)?;
    visit(&mut body, |place| *place = Value::Null);
    let body = body.to_string();
    serde_json::from_str::<StepEvidence>(&body)?;
    Ok(body)
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
    room: &mut Room,
) -> rusqlite::Result<StepEvidence> {
    let garbled = |e: serde_json::Error| {
        damaged(format!("the evidence of step {number} cannot be read: {e}"))
    };
    let outline: Outline = serde_json::from_str(body).map_err(garbled)?;
    outline.check(number)?;
    let mut step: StepEvidence = serde_json::from_str(body).map_err(garbled)?;
    let mut read = |op: &str, quantity| histograms::read(db, owner(number, op, quantity), room);
    step.response = read(ALL_OPS, RESPONSE)?;
    step.service = read(ALL_OPS, SERVICE)?;
    step.lateness = read(ALL_OPS, LATENESS)?;
    for op in &mut step.ops {
        op.response = read(op.op.name(), RESPONSE)?;
        op.service = read(op.op.name(), SERVICE)?;
    }
    for name in [&step.name, &step.run, &step.load] {
        check_name(name)?;
    }
    Ok(step)
}

/// What is looked at before a step is read whole.
#[derive(Deserialize)]
struct Outline {
    number: u32,
    ops: Vec<OutlineOp>,
}

#[derive(Deserialize)]
struct OutlineOp {
    op: Op,
}

impl Outline {
    /// A step is the one that its row says, and has each operation once.
    fn check(&self, number: u32) -> rusqlite::Result<()> {
        if self.number != number {
            let other = self.number;
            return Err(damaged(format!(
                "step {number} says that it is step {other}"
            )));
        }
        if !self.ops.is_sorted_by(|a, b| a.op < b.op) {
            return Err(damaged(format!("step {number} has an operation twice")));
        }
        Ok(())
    }
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

/// Calls `each` with every place of a histogram.
fn visit(body: &mut Value, mut each: impl FnMut(&mut Value)) {
    for quantity in [RESPONSE, SERVICE, LATENESS] {
        if let Some(place) = body.get_mut(quantity) {
            each(place);
        }
    }
    for op in body
        .get_mut("ops")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        for quantity in [RESPONSE, SERVICE] {
            if let Some(place) = op.get_mut(quantity) {
                each(place);
            }
        }
    }
}
