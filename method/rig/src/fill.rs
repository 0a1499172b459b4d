//! Steps that write a target once, from its start to its end.

use plimsoll_plan::{
    AddressSpec, Bytes, ContentSpec, Depth, Limits, Load, Mix, Nanos, Origins, Pattern, Purpose,
    RangeSpec, SizeSpec, Step, Stream, TargetId, Throttle, Window, Workers,
};

/// The largest transfer of a fill: Vdbench's `formatxfersize` default.
const TRANSFER_BITS: u32 = 17;
/// I/Os in flight while filling.
const SLOTS: u32 = 8;
/// A fill ends when it's through, not by the clock.
const NO_TIME_LIMIT: Nanos = Nanos::secs(10 * 365 * 86_400);

/// The run of a fill that no plan asked for: a plan may have one of the same name.
const OWN: &str = "(before the plan)";

/// What a target is filled with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filling {
    pub target: TargetId,
    /// The target's size, bytes.
    pub size: u64,
    pub content: ContentSpec,
}

/// A step that fills targets, each sequentially.
pub(crate) fn fill_step(name: &str, fillings: &[Filling]) -> Step {
    Step {
        name: name.into(),
        run: OWN.into(),
        loops: Vec::new(),
        streams: fillings.iter().map(stream).collect(),
        depths: fillings
            .iter()
            .map(|filling| Depth {
                target: filling.target,
                slots: SLOTS,
            })
            .collect(),
        load: Load::Max,
        warmup: Nanos(0),
        elapsed: NO_TIME_LIMIT,
        interval: Nanos::secs(1),
        pause: Nanos(0),
        limits: Limits::default(),
        workers: Workers::default(),
        purpose: Purpose::Fill,
        start_commands: Vec::new(),
        end_commands: Vec::new(),
        actions: Vec::new(),
        origins: Origins::default(),
    }
}

fn stream(filling: &Filling) -> Stream {
    Stream {
        workload: "fill".into(),
        target: filling.target,
        share: 1.0,
        fixed_rate: None,
        priority: None,
        throttle: Throttle::default(),
        depth: None,
        window: Window::default(),
        mix: Mix {
            read: 0.0,
            write: 100.0,
            trim: 0.0,
        },
        // The largest power of two that divides the size, so that nothing is left over at the end.
        size: SizeSpec::Fixed(Bytes(
            1 << filling.size.trailing_zeros().clamp(9, TRANSFER_BITS),
        )),
        address: AddressSpec {
            range: RangeSpec::Whole,
            pattern: Pattern::Sequential {
                once: true,
                random_start: false,
                whole: false,
            },
            hits: None,
        },
        content: filling.content.clone(),
    }
}
