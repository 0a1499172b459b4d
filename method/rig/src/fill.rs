//! Steps that write a target once, from its start to its end.

use plimsoll_plan::{Bytes, ContentSpec, Step, Stream, TargetId};

/// The largest transfer of a fill: Vdbench's `formatxfersize` default.
const TRANSFER_BITS: u32 = 17;
/// I/Os in flight while filling.
const SLOTS: u32 = 8;

/// The run of a fill that no plan asked for: a plan may have one of the same name.
pub(crate) const OWN: &str = "(before the plan)";

/// Filling of a target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filling {
    pub target: TargetId,
    /// The target's size, bytes.
    pub size: u64,
    /// Sizes of its files, where it is made of several.
    pub files: Vec<u64>,
    /// Stripe unit of the target, where it has one: no transfer is longer.
    pub stripe: Option<u64>,
    pub content: ContentSpec,
}

/// A step that fills targets, each sequentially.
pub(crate) fn fill_step(name: &str, fillings: &[Filling]) -> Step {
    Step {
        run: OWN.into(),
        ..Step::fill(name, fillings.iter().map(stream).collect(), SLOTS)
    }
}

fn stream(filling: &Filling) -> Stream {
    // The largest power of two that divides the size, so that nothing is left over at the end, of no file either.
    let all = filling
        .files
        .iter()
        .chain(&filling.stripe)
        .fold(filling.size, |all, part| all | part);
    let transfer = Bytes(1 << all.trailing_zeros().clamp(9, TRANSFER_BITS));
    Stream::fill("fill", filling.target, transfer, filling.content.clone())
}
