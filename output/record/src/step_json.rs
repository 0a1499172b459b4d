//! A step's evidence as JSON without its histograms, which have rows of their own.

use crate::error::damaged;
use crate::histogram_rows::{self as histograms, ALL_OPS, LATENESS, Owner, RESPONSE, SERVICE};
use crate::reading::Room;
use crate::row::{IntervalPlace, check_name};
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
    let number = step.number;
    let owner = move |op, quantity| owner(number, 0, op, quantity);
    let all = [
        (owner(ALL_OPS, RESPONSE), &step.response),
        (owner(ALL_OPS, SERVICE), &step.service),
        (owner(ALL_OPS, LATENESS), &step.lateness),
    ];
    let of_streams = step.streams.iter().zip(1..);
    let by_op = std::iter::once((&step.ops, &step.syncs, 0))
        .chain(of_streams.map(|(stream, at)| (&stream.ops, &stream.syncs, at)))
        .flat_map(move |(ops, syncs, stream)| {
            let all = ops.iter().chain(syncs.as_deref());
            all.map(move |op| (op, stream))
        })
        .flat_map(move |(op, stream)| {
            let owner = |quantity| self::owner(number, stream, op.op.name(), quantity);
            [
                (owner(RESPONSE), &op.response),
                (owner(SERVICE), &op.service),
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
    let mut read = |stream, op: &str, quantity| {
        histograms::read(db, owner(number, stream, op, quantity), room)
    };
    step.response = read(0, ALL_OPS, RESPONSE)?;
    step.service = read(0, ALL_OPS, SERVICE)?;
    step.lateness = read(0, ALL_OPS, LATENESS)?;
    for op in step.ops.iter_mut().chain(step.syncs.as_deref_mut()) {
        op.response = read(0, op.op.name(), RESPONSE)?;
        op.service = read(0, op.op.name(), SERVICE)?;
    }
    for (stream, at) in step.streams.iter_mut().zip(1..) {
        check_name(&stream.workload)?;
        for op in stream.ops.iter_mut().chain(stream.syncs.as_deref_mut()) {
            op.response = read(at, op.op.name(), RESPONSE)?;
            op.service = read(at, op.op.name(), SERVICE)?;
        }
    }
    for name in [&step.name, &step.run, &step.load] {
        check_name(name)?;
    }
    Ok(step)
}

/// Outline of a step, which is looked at before the step is read whole.
#[derive(Deserialize)]
struct Outline {
    number: u32,
    ops: Vec<OutlineOp>,
    streams: Vec<OutlineStream>,
}

#[derive(Deserialize)]
struct OutlineStream {
    ops: Vec<OutlineOp>,
}

#[derive(Deserialize)]
struct OutlineOp {
    op: Op,
}

impl Outline {
    /// A step is the one that its row says, and has each operation once, as each of its streams has.
    fn check(&self, number: u32) -> rusqlite::Result<()> {
        if self.number != number {
            let other = self.number;
            return Err(damaged(format!(
                "step {number} says that it is step {other}"
            )));
        }
        let streams = self.streams.iter().map(|s| &s.ops);
        if streams
            .chain([&self.ops])
            .any(|ops| !ops.is_sorted_by(|a, b| a.op < b.op))
        {
            return Err(damaged(format!("step {number} has an operation twice")));
        }
        Ok(())
    }
}

fn owner<'a>(step: u32, stream: u32, op: &'a str, quantity: &'static str) -> Owner<'a> {
    Owner {
        place: IntervalPlace {
            step,
            host: 0,
            interval: 0,
        },
        stream,
        op,
        quantity,
    }
}

/// Calls `each` with every place of a histogram.
fn visit(body: &mut Value, mut each: impl FnMut(&mut Value)) {
    for quantity in [RESPONSE, SERVICE, LATENESS] {
        body.get_mut(quantity).map(&mut each);
    }
    for op in list(body, "ops") {
        visit_op(op, &mut each);
    }
    if let Some(syncs) = body.get_mut("syncs") {
        visit_op(syncs, &mut each);
    }
    for stream in list(body, "streams") {
        for op in list(stream, "ops") {
            visit_op(op, &mut each);
        }
        if let Some(syncs) = stream.get_mut("syncs") {
            visit_op(syncs, &mut each);
        }
    }
}

fn visit_op(op: &mut Value, each: &mut impl FnMut(&mut Value)) {
    for quantity in [RESPONSE, SERVICE] {
        op.get_mut(quantity).map(&mut *each);
    }
}

fn list<'v>(of: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    let found = of.get_mut(key).and_then(Value::as_array_mut);
    found.into_iter().flatten()
}
