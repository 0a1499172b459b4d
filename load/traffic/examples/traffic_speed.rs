//! What an I/O's address and arrival cost: `cargo run --release -p plimsoll-traffic --example traffic_speed`.

use plimsoll_plan::{
    AddressSpec, Arrival, Bytes, Distribution, HitPlacement, HitSpec, HotbandMode, Mix, Pattern,
    RangeSpec, SizeSpec, Stream, TargetId,
};
use plimsoll_traffic::{Arrivals, Chooser, Deficit, StreamSource};
use std::hint::black_box;
use std::time::Instant;

const TARGET: u64 = 64 << 30;
const ROUNDS: u32 = 7;
const EACH: u32 = 4_000_000;

fn main() {
    let random = |distribution, coverage| Pattern::Random {
        distribution,
        coverage,
    };
    let reads = Mix::READS;
    let mixed = Mix::of_reads(70.0);
    let hits = HitSpec {
        read_percent: 75.0,
        write_percent: 0.0,
        area: Bytes(1 << 20),
        placement: HitPlacement::Sliced(Bytes(1 << 20)),
    };
    let sequential = Pattern::IN_ORDER;
    let cases = [
        ("uniform", random(Distribution::Uniform, false), reads, None),
        (
            "uniform, covering",
            random(Distribution::Uniform, true),
            reads,
            None,
        ),
        (
            "uniform, covering, 70 % reads",
            random(Distribution::Uniform, true),
            mixed,
            None,
        ),
        (
            "uniform, 75 % scattered hits",
            random(Distribution::Uniform, false),
            reads,
            Some(hits),
        ),
        ("sequential", sequential, reads, None),
        (
            "zipf 1.1",
            random(Distribution::Zipf(1.1), false),
            reads,
            None,
        ),
        (
            "pareto 0.2",
            random(Distribution::Pareto(0.2), false),
            reads,
            None,
        ),
        (
            "normal 10 %",
            random(Distribution::Normal(10.0), false),
            reads,
            None,
        ),
        (
            "hotband",
            random(Distribution::Hotband(HotbandMode::Observed), false),
            reads,
            None,
        ),
    ];
    for (name, pattern, mix, hits) in cases {
        let stream = stream(pattern, mix, hits);
        // Just above a power of two a covering order walks the most steps.
        for target in [TARGET, TARGET + 4096] {
            let mut source =
                StreamSource::new(&stream, target, 512, None, false, 1, 0, 2).expect("a stream");
            report(&format!("{name}, {} blocks", target / 4096), || {
                black_box(source.next());
            });
        }
    }
    for arrival in [Arrival::Even, Arrival::Exponential, Arrival::Uniform] {
        let mut arrivals = Arrivals::new(1e6, arrival, 1, 0, 2);
        report(&format!("{arrival:?} arrivals"), || {
            black_box(arrivals.next_ns());
        });
    }
    let mut chooser = Chooser::new(&[1.0, 2.0, 3.0], 1);
    report("chooser of 3", || {
        black_box(chooser.next());
    });
    let mut deficit = Deficit::new(&[1.0, 2.0, 3.0]);
    report("deficit of 3", || {
        black_box(deficit.next());
    });
}

fn report(name: &str, mut step: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        for _ in 0..EACH {
            step();
        }
        best = best.min(started.elapsed().as_secs_f64() * 1e9 / f64::from(EACH));
    }
    println!("{name:50} {best:6.1} ns");
}

fn stream(pattern: Pattern, mix: Mix, hits: Option<HitSpec>) -> Stream {
    Stream::new(
        "speed",
        TargetId(0),
        mix,
        SizeSpec::Fixed(Bytes(4096)),
        AddressSpec {
            range: RangeSpec::Whole,
            pattern,
            hits,
        },
    )
}
