//! How fast content is made on one core: `cargo run --release -p plimsoll-content --example fill_speed`.
//!
//! 128 KiB writes, each with fresh data, into a ring of buffers that stays in the cache, as an engine at a depth of 2
//! writes.

use plimsoll_content::{ContentPlan, DedupePlan, Filler, Noise, Placement, Rewrites};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const WRITE: usize = 128 << 10;
const SLOTS: usize = 2;
const TARGET: u64 = 64 << 30;

fn main() {
    println!("path: {}", Noise::new(0).path_name());
    let dedupe = DedupePlan {
        ratio: 2.0,
        unit: 4096,
        sets: TARGET / 4096 / 20,
        units: TARGET / 4096,
        flip_flop: false,
        placement: Placement::Scattered,
        seed: 42,
    };
    let in_runs = DedupePlan {
        placement: Placement::Runs,
        ..dedupe
    };
    let alternating = DedupePlan {
        flip_flop: true,
        ..in_runs
    };
    let reducible = |dedupe| ContentPlan::Reducible {
        compress: 1.0,
        dedupe: Some(dedupe),
    };
    let cases = [
        ("unique", ContentPlan::Unique),
        ("zeros", ContentPlan::Zeros),
        (
            "repeat of 8 bytes",
            ContentPlan::Repeat(b"plimsoll".to_vec().into()),
        ),
        (
            "compress 2",
            ContentPlan::Reducible {
                compress: 2.0,
                dedupe: None,
            },
        ),
        (
            "compress 2, dedupe 2",
            ContentPlan::Reducible {
                compress: 2.0,
                dedupe: Some(dedupe),
            },
        ),
        ("dedupe 2", reducible(dedupe)),
        ("dedupe 2, in runs", reducible(in_runs)),
        ("the same, alternating", reducible(alternating)),
    ];
    for (name, plan) in cases {
        for write in [WRITE, 4096] {
            println!(
                "{name:24} {:4} KiB  {:6.1} GB/s",
                write >> 10,
                speed(plan.clone(), write)
            );
        }
    }
}

/// The best of several rounds, in 10^9 bytes per second.
fn speed(plan: ContentPlan, write: usize) -> f64 {
    let rewrites = Rewrites::new(TARGET / 4096).expect("so many blocks can be kept");
    let filler = Filler::new(plan, 42).with_rewrites(Arc::new(rewrites));
    let mut buffers = vec![0; write * SLOTS];
    let mut generation = 0;
    let mut best = 0f64;
    for _ in 0..7 {
        let started = Instant::now();
        let writes = (1 << 30) / write;
        for i in 0..writes {
            let buffer = &mut buffers[i % SLOTS * write..][..write];
            let offset = (i * write) as u64 % TARGET;
            filler.count_write(offset, write as u64);
            filler.fill(black_box(buffer), offset, generation);
            black_box(&buffer);
            generation += 1;
        }
        best = best.max((writes * write) as f64 / started.elapsed().as_secs_f64() / 1e9);
    }
    best
}
