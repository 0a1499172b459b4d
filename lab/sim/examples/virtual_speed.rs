//! How fast virtual time passes without statistics over intervals, record or terminal: nanoseconds of CPU for each I/O.
//!
//! `cargo run --release -p plimsoll-sim --example virtual_speed [TARGET] [READ PERCENT] [VIRTUAL SECONDS]`

use plimsoll_engine::{Control, Options};
use plimsoll_plan::*;
use plimsoll_sim::Lab;
use std::sync::Arc;

fn main() {
    let mut words = std::env::args().skip(1);
    let text = words
        .next()
        .unwrap_or_else(|| "lab:scale-out-flash-8?scale=64".into());
    let read: f64 = words.next().and_then(|w| w.parse().ok()).unwrap_or(100.0);
    let seconds: u64 = words.next().and_then(|w| w.parse().ok()).unwrap_or(1_000);
    let target = Target::new(text.clone(), Location::parse(&text).expect("a target"));
    let targets = [target];
    let mut lab = Lab::open(&targets, &[true], 1)
        .unwrap_or_else(|(_, e)| panic!("{e}"))
        .expect("a target of the lab");
    let open = [Arc::new(lab.target(TargetId(0), &targets[0]))];
    let begun = cpu_ns();
    lab.fill(TargetId(0), &open[0], &ContentSpec::Unique, 1)
        .unwrap_or_else(|e| panic!("{e}"));
    println!("filled in {:.3} s", (cpu_ns() - begun) / 1e9);
    let options = Options {
        max_errors: 1,
        ..Options::new(1)
    };
    let begun = cpu_ns();
    let mut ios = 0;
    let mut sink = |merged: plimsoll_engine::MergedInterval, _: Vec<_>| ios += merged.stats.ios();
    lab.run_step(
        &step(read, seconds),
        &open,
        &options,
        &Control::default(),
        &mut sink,
    )
    .expect("a step that runs");
    let ns = (cpu_ns() - begun) / ios as f64;
    println!(
        "{text}, {read} % reads: {ios} I/Os, {ns:.0} ns each, {:.2} million a second",
        1e3 / ns
    );
}

/// Time that this process has spent on a CPU, ns: others on the machine are not in it.
fn cpu_ns() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux says it");
    let first = text.split_whitespace().next().expect("a number");
    first.parse().expect("a number")
}

/// 4 KiB random I/O in a closed loop of 32.
fn step(read: f64, seconds: u64) -> Step {
    Step {
        interval: Nanos::secs(10),
        ..Step::new(
            "speed",
            vec![Stream::new(
                "speed",
                TargetId(0),
                Mix::of_reads(read),
                SizeSpec::Fixed(Bytes(4096)),
                AddressSpec::whole(Pattern::RANDOM),
            )],
            Depth::each([TargetId(0)], 32),
            Load::Max,
            Nanos::secs(seconds),
        )
    }
}
