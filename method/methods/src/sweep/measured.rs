//! Cells of a sweep with what their repeats came to.

use crate::over_repeats::OverRepeats;
use plimsoll_evidence::StepEvidence;
use plimsoll_plan::LoopValue;

/// A cell with what its repeats came to.
pub(super) struct Measured<'a> {
    pub(super) index: usize,
    pub(super) loops: &'a [LoopValue],
    pub(super) repeats: &'a [&'a StepEvidence],
    pub(super) rate: OverRepeats,
}
