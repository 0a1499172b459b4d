//! Each rule fires on its case, and none on a clean plan.

use super::*;
use crate::*;

fn stream() -> Stream {
    Stream::new(
        "w",
        TargetId(0),
        Mix::of_reads(70.0),
        SizeSpec::Fixed(Bytes(8192)),
        AddressSpec::whole(Pattern::RANDOM),
    )
}

/// A plan without fault: one step of one workload on 1 GiB.
pub(crate) fn plan() -> Plan {
    let step = Step {
        warmup: Nanos::secs(1),
        ..Step::new(
            "r",
            vec![stream()],
            Depth::each([TargetId(0)], 8),
            Load::Max,
            Nanos::secs(10),
        )
    };
    Plan::new(
        vec![Target {
            size: Some(Bytes(1 << 30)),
            ..Target::new("t", Location::Path("f".into()))
        }],
        vec![Item::Step(step)],
    )
}

fn step_of(plan: &mut Plan) -> &mut Step {
    match &mut plan.items[0] {
        Item::Step(step) => step,
        Item::Curve(curve) => &mut curve.base,
        Item::Method(method) => &mut method.steps[0],
    }
}

fn curve(plan: &mut Plan, percents: &[u32]) {
    plan.items = vec![Item::Curve(CurveSpec {
        base: step_of(plan).clone(),
        percents: percents.to_vec(),
        arrival: Arrival::Exponential,
        stop_service: None,
        slos: vec![],
        search: None,
    })];
}

type Case = (&'static str, fn(&mut Plan));

/// Cases as lines: a part of the complaint, and what spoils a sound plan so.
macro_rules! cases {
    ($($complaint:literal $spoil:expr;)*) => { &[$(($complaint, $spoil)),*] };
}

fn stream_of(plan: &mut Plan) -> &mut Stream {
    &mut step_of(plan).streams[0]
}

fn random(distribution: Distribution, coverage: bool) -> Pattern {
    Pattern::Random {
        distribution,
        coverage,
    }
}

fn hits(area: u64, placement: HitPlacement) -> Option<HitSpec> {
    Some(HitSpec::reads(75.0, Bytes(area), placement))
}

#[test]
fn a_clean_plan_has_no_problems() {
    assert_eq!(validate(&plan()), []);
    let mut curved = plan();
    curve(&mut curved, &[10, 50, 100]);
    assert_eq!(validate(&curved), []);
}

#[test]
fn each_rule_fires_once_on_its_case() {
    let cases: &[Case] = cases! {
        "nothing to run" |p| p.items.clear();
        "no target" |p| {
            p.targets.clear();
            p.items.truncate(1);
            step_of(p).streams[0].target = TargetId(0);
        };
        "two targets have the name" |p| p.targets.push(p.targets[0].clone());
        "has a size of 0" |p| {
            p.targets[0].size = Some(Bytes(0));
            stream_of(p).target = TargetId(1);
            p.targets.push(Target {
                name: "u".into(),
                size: None,
                ..p.targets[0].clone()
            });
            step_of(p).depths[0].target = TargetId(1);
        };
        "starts at 2MiB but has only 1MiB" |p| {
            p.targets[0].location = Location::Null(Bytes(1 << 20));
            p.targets[0].size = Some(Bytes(1 << 20));
            p.targets[0].offset = Bytes(2 << 20);
        };
        "is to use 2MiB but has only 1MiB" |p| {
            p.targets[0].location = Location::Null(Bytes(1 << 20));
            p.targets[0].size = Some(Bytes(2 << 20));
        };
        "the offset of target `t`, 100B" |p| p.targets[0].offset = Bytes(100);
        "the align of target `t`, 100B" |p| p.targets[0].align = Some(Bytes(100));
        "aligns to 0" |p| p.targets[0].align = Some(Bytes(0));
        "after every 0 writes" |p| p.targets[0].durability = Durability::FsyncEvery(0);
        "joins nothing" |p| p.targets[0].location = Location::Concat(vec![]);
        "does nothing" |p| step_of(p).streams.clear();
        "has a depth of 0" |p| step_of(p).depths[0].slots = 0;
        "has a depth of 4294967295" |p| step_of(p).depths[0].slots = u32::MAX;
        "has two depths" |p| {
            let depth = step_of(p).depths[0];
            step_of(p).depths.push(depth);
        };
        "has no depth" |p| step_of(p).depths.clear();
        "no worker" |p| step_of(p).workers.count = Some(0);
        "9 workers would share 8" |p| step_of(p).workers.count = Some(9);
        "the list of CPUs is empty" |p| step_of(p).workers.pin = Some(vec![]);
        "lasts no time" |p| step_of(p).elapsed = Nanos(0);
        "the interval of run `r` is 0" |p| step_of(p).interval = Nanos(0);
        "its interval is 11s" |p| step_of(p).interval = Nanos::secs(11);
        "asks for a rate of 0" |p| step_of(p).load = Load::rate(Rate(0.0), Arrival::Even);
        "asks for NaN %" |p| step_of(p).load = Load::percent(f64::NAN, Arrival::Even);
        "the schedule of run" |p| step_of(p).load = Load::Schedule { segments: vec![], arrival: Arrival::Even, };
        "ends before it starts" |p| step_of(p).limits.ios = Some(0);
        "limited by the bytes written" |p| {
            step_of(p).limits.written_bytes = Some(Bytes(1));
            stream_of(p).mix = Mix::READS;
        };
        "has no points" |p| curve(p, &[]);
        "has a point at 0 %" |p| curve(p, &[0, 50]);
        "does not start at the maximum" |p| {
            step_of(p).load = Load::rate(Rate(5.0), Arrival::Even);
            curve(p, &[50]);
        };
        "has a share of 0" |p| stream_of(p).share = 0.0;
        "ends after 100B, before its first I/O" |p| stream_of(p).quota.bytes = Some(Bytes(100));
        "ends after 0 I/Os" |p| stream_of(p).quota.ios = Some(0);
        "and has no rate of its own" |p| stream_of(p).arrival = Some(Arrival::Even);
        "asks for a rate of -1" |p| stream_of(p).fixed_rate = Some(Rate(-1.0));
        "reads 80 %, writes 30 %" |p| stream_of(p).mix.read = 80.0;
        "I/Os of 0 bytes" |p| stream_of(p).size = SizeSpec::Fixed(Bytes(0));
        "sum to 50" |p| stream_of(p).size = SizeSpec::Weighted(vec![(Bytes(4096), 50.0)]);
        "in steps of 4KiB" |p| stream_of(p).size = SizeSpec::Range { min: Bytes(4096), max: Bytes(5120), align: Bytes(4096), };
        "not a multiple of the 512 bytes" |p| stream_of(p).size = SizeSpec::Fixed(Bytes(1000));
        "to cover all blocks, and to prefer" |p| stream_of(p).address.pattern = random(Distribution::Zipf(1.0), true);
        "is impossible" |p| stream_of(p).address.pattern = random(Distribution::Zoned(vec![(50.0, 50.0)]), false);
        "the stride of workload" |p| stream_of(p).address.pattern = Pattern::Stride { min: Bytes(100), max: Bytes(100), };
        "goes from 50 % to 20 %" |p| stream_of(p).address.range = RangeSpec::Percent(50.0, 20.0);
        "ends at 2GiB" |p| stream_of(p).address.range = RangeSpec::Bytes(Bytes(0), Bytes(2 << 30));
        "does not hold one I/O" |p| stream_of(p).address.hits = hits(4096, HitPlacement::Contiguous);
        "to miss" |p| stream_of(p).address.hits = hits(1 << 30, HitPlacement::Contiguous);
        "cannot be made" |p| stream_of(p).content = ContentSpec::Reducible { compress: 0.5, dedupe: None, };
        "the time of run `r`, 36501d, is too long" |p| step_of(p).elapsed = Nanos::secs(36_501 * 86_400);
        "the warm-up of run `r`, 18446744073709551615ns" |p| step_of(p).warmup = Nanos(u64::MAX);
        "the pause of run `r`, 18446744073709551615ns" |p| step_of(p).pause = Nanos(u64::MAX);
        "the interval of run `r`, 9999us, is too short" |p| step_of(p).interval = Nanos(9_999_000);
        "would have 4320000000 intervals" |p| {
            step_of(p).interval = Nanos(10_000_000);
            step_of(p).elapsed = Nanos::secs(500 * 86_400);
            step_of(p).warmup = Nanos(0);
        };
        "asks for 4097 workers" |p| {
            step_of(p).depths[0].slots = 5000;
            step_of(p).workers.count = Some(4097);
        };
        "a rate of 1,000,000,001/s, which is too high" |p| step_of(p).load = Load::rate(Rate(1_000_000_001.0), Arrival::Even);
        "a rate of 2,000,000,000/s, which is too high" |p| {
            let segment = |rate| RateSegment::new(Rate(rate), Nanos::secs(1));
            step_of(p).load = Load::schedule(vec![segment(1.0), segment(2e9), segment(1.0)], Arrival::Even);
        };
        "asks for 1000.5 % of the last" |p| step_of(p).load = Load::percent(1000.5, Arrival::Even);
        "workload `w` asks for a rate of 1,000,000,000.5/s" |p| stream_of(p).fixed_rate = Some(Rate(1_000_000_000.5));
        "has I/Os of 1048577KiB, which is too much" |p| {
            p.targets[0].size = Some(Bytes(8 << 30));
            stream_of(p).size = SizeSpec::Fixed(Bytes((1 << 30) + 1024));
        };
        "has 4294967295 streams" |p| {
            p.targets[0].size = Some(Bytes(1 << 60));
            stream_of(p).address.pattern = Pattern::Streams(u32::MAX);
        };
        "has 1001 points" |p| curve(p, &[50; 1001]);
        "has 101 limits of response time" |p| {
            curve(p, &[50]);
            if let Item::Curve(curve) = &mut p.items[0] {
                curve.slos = vec![default_slos()[0]; 101];
            }
        };
        "have 500001 streams" |p| {
            let streams = vec![stream(); 500_001];
            step_of(p).streams = streams;
        };
    };
    for &(expected, spoil) in cases {
        let mut spoilt = plan();
        spoil(&mut spoilt);
        let found: Vec<String> = validate(&spoilt).into_iter().map(|p| p.message).collect();
        let hits = found.iter().filter(|m| m.contains(expected)).count();
        assert_eq!(hits, 1, "{expected}: {found:?}");
    }
}

#[test]
fn what_lies_at_the_ends_is_carried_out() {
    let mut far = plan();
    far.targets[0].size = Some(Bytes(8 << 30));
    stream_of(&mut far).size = SizeSpec::Fixed(Bytes(1 << 30));
    let step = step_of(&mut far);
    step.load = Load::rate(Rate(1e9), Arrival::Even);
    step.elapsed = Nanos::secs(36_500 * 86_400);
    step.depths[0].slots = 1 << 20;
    step.workers.count = Some(4096);
    assert_eq!(validate(&far), []);
    let mut short = plan();
    step_of(&mut short).interval = Nanos(10_000_000);
    assert_eq!(validate(&short), []);
}

#[test]
fn a_problem_in_every_turn_of_a_loop_is_named_once() {
    let mut looped = plan();
    stream_of(&mut looped).share = -1.0;
    looped.items = vec![looped.items[0].clone(); 100];
    assert_eq!(validate(&looped).len(), 1);
}

#[test]
fn buffered_and_null_targets_take_any_size() {
    for change in [
        |p: &mut Plan| p.targets[0].caching = Caching::Buffered,
        |p: &mut Plan| p.targets[0].location = Location::Null(Bytes(1 << 30)),
    ] {
        let mut odd = plan();
        change(&mut odd);
        stream_of(&mut odd).size = SizeSpec::Fixed(Bytes(1000));
        assert_eq!(validate(&odd), []);
    }
}

#[test]
fn real_targets_are_checked_by_their_sectors_and_their_sizes() {
    let mut unsized_plan = plan();
    unsized_plan.targets[0].size = None;
    stream_of(&mut unsized_plan).size = SizeSpec::Fixed(Bytes(512));
    stream_of(&mut unsized_plan).address.hits = hits(1 << 20, HitPlacement::Sliced(Bytes(1 << 20)));
    let against = |size, block| {
        let facts = TargetFacts {
            size: Bytes(size),
            logical_block: Bytes(block),
        };
        check_against(&unsized_plan, &[facts])
            .into_iter()
            .map(|p| p.message)
            .collect::<Vec<_>>()
    };
    assert_eq!(against(1 << 30, 512), Vec::<String>::new());
    assert!(against(1 << 30, 4096)[0].contains("4096 bytes"));
    assert!(against(1 << 20, 512)[0].contains("to miss"));
    assert!(against(0, 512)[0].contains("has only 0B"));
}
