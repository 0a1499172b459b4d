//! The numbers of two tools that did the same definition on the same target, beside each other: how far they differ, how
//! sure that is, and what explains it.
//!
//! Latencies are lined up by what they mean. Our service time is from just before the submitting call to the completion; fio's `lat`
//! begins when it has made an I/O, its `clat` after the submitting call; Vdbench's `resp` is the time in its system call. Our response time
//! is from the intended start: no other tool has it.

mod fio;
mod histogram;
mod reasons;
mod table;
mod vdbench;
mod vdbench_reasons;

pub use fio::of_fio;
pub use reasons::{Facts, reasons};
pub use table::{difference, table};
pub use vdbench::{busy_cpus, of_vdbench};
pub use vdbench_reasons::vdbench_reasons;

use plimsoll_evidence::StepEvidence;
use plimsoll_measure::{Histogram, Op};

/// The quantiles that are shown.
pub const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// Part of a run: what a tool did in one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The step, or its jobs.
    pub name: String,
    /// Each operation that occurred.
    pub ops: Vec<Numbers>,
}

/// Figures of one operation in a part.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// Operation.
    pub op: Op,
    /// I/Os that were counted.
    pub ios: u64,
    /// I/Os per second; `None` of several steps together.
    pub iops: Option<f64>,
    /// Bytes per second; `None` of several steps, and where the tool tells those of all operations together only.
    pub bandwidth: Option<f64>,
    /// The mean service time, ns.
    pub mean_ns: f64,
    /// Quantiles; `None` where fewer than ten I/Os lie beyond.
    pub quantiles_ns: [Option<Told>; 3],
    /// The same of response times, which the other tool has none of; `None` where nothing had a schedule.
    pub response_ns: Option<[Option<f64>; 3]>,
}

/// Figure as a tool tells it: a value, or a bucket that it lies in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told {
    /// The value is not below this.
    pub from: f64,
    /// Nor above this, which is the same where the tool tells a value; `None` in a bucket without an end.
    pub to: Option<f64>,
}

impl Told {
    /// A value.
    pub fn of(ns: f64) -> Told {
        Told {
            from: ns,
            to: Some(ns),
        }
    }

    /// The value, where it is one.
    pub fn value(&self) -> Option<f64> {
        self.to.filter(|to| *to == self.from)
    }
}

/// Parts of a run of ours, fills left out.
pub fn of_ours(steps: &[StepEvidence]) -> Vec<Part> {
    let measured = steps.iter().filter(|step| !step.fill);
    measured
        .map(|step| Part {
            name: step.name.clone(),
            ops: step
                .ops
                .iter()
                .filter(|op| op.ios > 0)
                .map(|op| {
                    let per_second = |n: u64| match step.counted_s > 0.0 {
                        true => n as f64 / step.counted_s,
                        false => 0.0,
                    };
                    Numbers {
                        op: op.op,
                        ios: op.ios,
                        iops: Some(per_second(op.ios)),
                        bandwidth: Some(per_second(op.bytes)),
                        mean_ns: op.service.mean_ns().unwrap_or(0.0),
                        quantiles_ns: quantiles(&op.service).map(|q| q.map(Told::of)),
                        response_ns: step.offered.map(|_| quantiles(&op.response)),
                    }
                })
                .collect(),
        })
        .collect()
}

fn quantiles(histogram: &Histogram) -> [Option<f64>; 3] {
    QUANTILES.map(|q| histogram.supported_quantile_ns(q).map(|ns| ns as f64))
}
