//! Runs as the definitions are expanded to them: their work, their loops and their rates.

use super::model::{LoopKey, LoopValue, MAX_LISTED};
use std::rc::Rc;

/// One run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its name, as `rd1`, `rd1_sd1` or `rd1_(10%)`.
    pub name: String,
    /// The index of its definition.
    pub definition: usize,
    /// What it works on.
    pub work: Work,
    /// The loop values that it runs with, outermost first.
    pub loops: Rc<Vec<(LoopKey, LoopValue)>>,
    /// How much is asked for.
    pub rate: RunRate,
}

/// What a run works on.
#[derive(Debug, Clone)]
pub enum Work {
    /// Workloads on storage.
    Raw(Rc<Vec<Assignment>>),
    /// File-system workloads, by index; `None`: the default one.
    Files(Rc<Vec<Option<usize>>>),
    /// The format of the file systems that these workloads use.
    Format(Rc<Vec<Option<usize>>>),
}

/// One workload and its storage.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The workload; `None`: the default workload.
    pub workload: Option<usize>,
    /// The storage, by index.
    pub storages: Vec<usize>,
}

/// How much a run asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum RunRate {
    /// As fast as it goes.
    Max,
    /// The same, for a curve's points to be percentages of.
    CurveMax,
    /// A percentage of the curve's maximum.
    CurvePoint(u32),
    /// So many per second.
    Fixed(f64),
    /// One of a list of rates.
    Listed {
        /// The rate; [`MAX_LISTED`](super::model::MAX_LISTED) is the maximum.
        rate: f64,
        /// The first of the list, which Vdbench's simulation prints for all.
        first: f64,
    },
    /// A percentage of what the run before reached.
    PercentOfLast {
        /// The percentage.
        percent: f64,
        /// The first of its list, which Vdbench's simulation prints for all.
        first: f64,
        /// It is one of a list.
        listed: bool,
    },
    /// Rates one after the other.
    Schedule,
    /// Not asked: a format.
    Format,
}

impl RunRate {
    /// As fast as it goes, in a run of its own or as one of a list.
    pub fn is_max(&self) -> bool {
        match self {
            RunRate::Max => true,
            RunRate::Listed { rate, .. } => *rate == MAX_LISTED,
            _ => false,
        }
    }
}
