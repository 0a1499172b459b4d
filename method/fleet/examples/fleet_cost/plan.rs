//! What all hosts are asked for: mixed I/O on schedule, on a target that does nothing.

use plimsoll_plan::{
    AddressSpec, Arrival, Bytes, Depth, Item, Load, Location, Mix, Nanos, Pattern, Plan, Rate,
    SizeSpec, Step, Stream, Target, TargetId,
};

/// I/Os per second of each host.
pub const RATE: f64 = 2_000.0;

/// One step of so long, of `hosts` hosts together.
pub fn plan(hosts: u32, seconds: u32) -> Plan {
    let id = TargetId(0);
    let mix = Mix::of_reads(70.0);
    let size = SizeSpec::Fixed(Bytes(8192));
    let address = AddressSpec::whole(Pattern::RANDOM);
    let stream = Stream::new("oltp", id, mix, size, address);
    let depth = Depth::new(id, 32);
    let load = Load::rate(Rate(RATE * f64::from(hosts)), Arrival::Exponential);
    let length = Nanos::secs(u64::from(seconds));
    let step = Step::new("s", vec![stream], vec![depth], load, length);
    Plan {
        seed: Some(1),
        ..Plan::new(
            vec![Target::new("null", Location::Null(Bytes(1 << 40)))],
            vec![Item::Step(step)],
        )
    }
}
