//! Steps that write targets once, from their start to their end.

use crate::{
    AddressSpec, Bytes, ContentSpec, Depth, Load, Mix, Nanos, Pattern, Purpose, SizeSpec, Step,
    Stream, TargetId,
};

/// What ends when it is through, and not by the clock: ten years.
pub const NO_TIME_LIMIT: Nanos = Nanos::secs(10 * 365 * 86_400);

impl Step {
    /// Fills the targets of these streams, which are [`Stream::fill`]'s, with so many I/Os in flight on each. Its run has its name.
    pub fn fill(name: impl Into<String>, streams: Vec<Stream>, slots: u32) -> Step {
        let depths = Depth::each(streams.iter().map(|s| s.target), slots);
        Step {
            purpose: Purpose::Fill,
            ..Step::new(name, streams, depths, Load::Max, NO_TIME_LIMIT)
        }
    }
}

impl Stream {
    /// Writes all of a target once, in pieces of `transfer`.
    pub fn fill(workload: &str, target: TargetId, transfer: Bytes, content: ContentSpec) -> Stream {
        let address = AddressSpec::whole(Pattern::ONE_PASS);
        Stream {
            content,
            ..Stream::new(
                workload,
                target,
                Mix::WRITES,
                SizeSpec::Fixed(transfer),
                address,
            )
        }
    }
}
