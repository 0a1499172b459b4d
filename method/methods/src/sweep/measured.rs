//! Cells of a sweep with what their repeats came to.

use crate::over_repeats::OverRepeats;
use plimsoll_evidence::{Counted, StepEvidence};
use plimsoll_plan::LoopValue;

/// A cell with what its repeats came to.
pub(super) struct Measured<'a> {
    pub(super) index: usize,
    pub(super) loops: &'a [LoopValue],
    pub(super) repeats: &'a [&'a StepEvidence],
    pub(super) rate: OverRepeats,
}

/// Counted I/Os and time of all the cells.
pub(super) fn counted<'m, 'a: 'm>(measured: impl IntoIterator<Item = &'m Measured<'a>>) -> Counted {
    Counted::of(
        measured
            .into_iter()
            .flat_map(|m| m.repeats.iter().map(|step| step.counted)),
    )
}
