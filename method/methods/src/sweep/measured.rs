//! Cells of a sweep with what their repeats came to.

use plimsoll_evidence::StepEvidence;
use plimsoll_plan::LoopValue;

/// A mean over the repeats of a cell, with its 95 % interval where there are two or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OverRepeats {
    pub(super) mean: f64,
    pub(super) half_width: Option<f64>,
    /// Variance of the repeats, and how many there are.
    pub(super) variance: f64,
    pub(super) count: usize,
}

/// A cell with what its repeats came to.
pub(super) struct Measured<'a> {
    pub(super) index: usize,
    pub(super) loops: &'a [LoopValue],
    pub(super) repeats: &'a [&'a StepEvidence],
    pub(super) rate: OverRepeats,
}
