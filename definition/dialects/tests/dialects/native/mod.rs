//! The native language as its users write it.

mod complaints;

use plimsoll_dialects::native::{self, Native};
use plimsoll_plan::*;

fn read(text: &str) -> Native {
    native::parse("test.toml", text).unwrap_or_else(|failure| panic!("{failure}"))
}

/// A definition of one target and one workload, with these keys in the run.
fn run(keys: &str) -> String {
    format!("[target.disk]\npath = \"null:1g\"\n\n[workload.oltp]\nread = 70\n\n[[run]]\n{keys}\n")
}

fn steps(native: &Native) -> Vec<&Step> {
    native.plan.steps().collect()
}

#[test]
fn the_smallest_definition_has_the_documented_defaults() {
    let native = read("[target.disk]\npath = \"null:1g\"\n[workload.all]\n[[run]]\n");
    let step = steps(&native)[0];
    let stream = &step.streams[0];
    assert_eq!(native.plan.max_errors, 50);
    assert_eq!((step.name.as_str(), &step.load), ("run1", &Load::Max));
    assert_eq!(step.elapsed, Nanos::secs(30));
    assert_eq!(step.warmup, Nanos::secs(5));
    assert_eq!(step.interval, Nanos::secs(1));
    assert_eq!(step.depths, [Depth::new(TargetId(0), 32)]);
    assert_eq!(stream.size, SizeSpec::Fixed(Bytes(4096)));
    assert_eq!(stream.mix.read, 100.0);
    assert_eq!(stream.mix.write, 0.0);
    assert_eq!(stream.mix.trim, 0.0);
    assert_eq!(stream.content, ContentSpec::Unique);
    assert_eq!(stream.address.range, RangeSpec::Whole);
}

/// Every kind of thing that a plan may hold, in words of the language.
#[test]
fn a_plan_goes_through_text_whole() {
    let loads = [
        "\"max\"",
        "\"max_shared\"",
        "1234.5",
        "\"33.5%\"",
        "\"curve\"",
        "{ schedule = \"5k:10s 100:5s\" }",
    ];
    let shapes = [
        "block = \"4k=37.5,64k=62.5\"\ndistribution = \"zipf=1.1\"\nread = 33.25",
        "block = \"4k-64k\"\naccess = \"streams=3\"\nrange = \"10%-90%\"",
        "access = \"sequential\"\ncontent = \"compress=2.5\"\nread = 0",
        "depth = 7\nstart = \"1500ms\"\nstop = \"9s\"",
        "rate = 77.7\npriority = 2\nstart = \"3s\"",
    ];
    for load in loads {
        for shape in shapes {
            let native = read(&format!(
                "seed = 7\n[target.d]\npath = \"null:1g\"\n[workload.w]\n{shape}\n[workload.v]\n[[run]]\nload = \"max\"\n[[run]]\nload = {load}\n"
            ));
            let written = serde_json::to_string(&native.plan).expect("text");
            assert_eq!(
                serde_json::from_str::<Plan>(&written).expect("a plan"),
                native.plan
            );
            for step in native.plan.steps() {
                let written = serde_json::to_string(step).expect("text");
                assert_eq!(
                    serde_json::from_str::<Step>(&written).expect("a step"),
                    *step
                );
            }
        }
    }
}

#[test]
fn loops_nest_in_order_of_appearance_and_the_load_is_innermost() {
    let native = read(&run(
        "load = [100, 200]\nblock = [\"4k\", \"8k\"]\ndepth = [1, 2]",
    ));
    let names: Vec<&str> = steps(&native).iter().map(|s| s.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "run1_(block=4k,depth=1,load=100)",
            "run1_(block=4k,depth=1,load=200)",
            "run1_(block=4k,depth=2,load=100)",
            "run1_(block=4k,depth=2,load=200)",
            "run1_(block=8k,depth=1,load=100)",
            "run1_(block=8k,depth=1,load=200)",
            "run1_(block=8k,depth=2,load=100)",
            "run1_(block=8k,depth=2,load=200)",
        ]
    );
}

#[test]
fn a_run_replaces_what_its_workloads_say() {
    let native = read(&run("read = 0\nblock = \"64k\""));
    let stream = &steps(&native)[0].streams[0];
    assert_eq!((stream.mix.write, stream.size.max()), (100.0, Bytes(65536)));
    assert!(steps(&native)[0].loops.is_empty());
}

#[test]
fn a_single_run_may_be_a_plain_table() {
    assert_eq!(
        read(&run("").replace("[[run]]", "[run]")).plan.items.len(),
        1
    );
}

#[test]
fn a_curve_carries_its_points_and_limits() {
    let native = read(&run(
        "load = \"curve\"\npercents = [50, 100]\nslo = [\"p99=2ms\", \"mean=1ms\"]\nstop_service = \"20ms\"\narrival = \"even\"",
    ));
    let Item::Curve(curve) = &native.plan.items[0] else {
        panic!("no curve")
    };
    assert_eq!(curve.percents, [50, 100]);
    assert_eq!(
        curve
            .slos
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["p99=2ms", "mean=1ms"]
    );
    assert_eq!(curve.stop_service, Some(Nanos(20_000_000)));
    assert_eq!(curve.arrival, Arrival::Even);
    assert_eq!(curve.base.load, Load::Max);
}

#[test]
fn every_load_can_be_asked_for() {
    let arrival = Arrival::Exponential;
    let native = read(&run(
        "load = [\"max\", \"max_shared\", 5000, \"10k\", \"50%\", { schedule = \"5k:10s 100:5s\" }]",
    ));
    let loads: Vec<Load> = steps(&native).iter().map(|s| s.load.clone()).collect();
    let segment = |rate, s| RateSegment::new(Rate(rate), Nanos::secs(s));
    assert_eq!(
        loads,
        [
            Load::Max,
            Load::MaxShared,
            Load::rate(Rate(5000.0), arrival),
            Load::rate(Rate(10_000.0), arrival),
            Load::percent(50.0, arrival),
            Load::schedule(vec![segment(5000.0, 10), segment(100.0, 5)], arrival),
        ]
    );
}

/// Lines: what is written, and what it means.
macro_rules! reads {
    ($of:expr; $($text:literal => $meant:expr;)*) => {{
        let of = $of;
        $(assert_eq!(of($text), $meant, "{}", $text);)*
    }};
}

fn address(access: &str) -> AddressSpec {
    let native = read(&run(access));
    steps(&native)[0].streams[0].address.clone()
}

#[test]
fn every_order_of_addresses_can_be_asked_for() {
    let random = |distribution, coverage| Pattern::Random {
        distribution,
        coverage,
    };
    let sequential = |once, random_start| Pattern::Sequential {
        once,
        random_start,
        whole: false,
    };
    reads! { |keys| address(keys).pattern;
        "access = \"random\"" => random(Distribution::Uniform, false);
        "access = \"coverage\"" => random(Distribution::Uniform, true);
        "access = \"sequential\"" => sequential(false, false);
        "access = { sequential = \"once\" }" => sequential(true, false);
        "access = \"sequential=once random_start\"" => sequential(true, true);
        "access = { percent_random = 30 }" => Pattern::PercentRandom(30.0);
        "access = { stride = \"64k\" }" => Pattern::Stride { min: Bytes(65536), max: Bytes(65536) };
        "access = \"stride=64k-1m\"" => Pattern::Stride { min: Bytes(65536), max: Bytes(1 << 20) };
        "access = { streams = 4 }" => Pattern::Streams(4);
        "distribution = { zipf = 1.1 }" => random(Distribution::Zipf(1.1), false);
        "distribution = \"pareto=0.2\"" => random(Distribution::Pareto(0.2), false);
        "distribution = { normal = 10 }" => random(Distribution::Normal(10.0), false);
        "distribution = { poisson = 3 }" => random(Distribution::Poisson(3.0), false);
        "distribution = { zoned = \"50:5 50:95\" }" => random(Distribution::Zoned(vec![(50.0, 5.0), (50.0, 95.0)]), false);
        "distribution = \"hotband\"" => random(Distribution::Hotband(HotbandMode::Corrected), false);
        "distribution = { hotband = \"observed\" }" => random(Distribution::Hotband(HotbandMode::Observed), false);
    }
}

#[test]
fn ranges_and_hit_sets_can_be_asked_for() {
    reads! { |keys| address(keys).range;
        "range = \"10%-20%\"" => RangeSpec::Percent(10.0, 20.0);
        "range = { from = \"1m\", to = \"2m\" }" => RangeSpec::Bytes(Bytes(1 << 20), Bytes(2 << 20));
    }
    let hits = address("hits = { read = 75 }")
        .hits
        .expect("there are hits");
    assert_eq!(hits.read_percent, 75.0);
    assert_eq!(hits.write_percent, 0.0);
    assert_eq!(hits.area, Bytes(1 << 20));
    assert_eq!(hits.placement, HitPlacement::Scattered);
    let hits = address("hits = \"write=10,area=4m,placement=contiguous\"")
        .hits
        .expect("there are hits");
    assert_eq!(hits.write_percent, 10.0);
    assert_eq!(hits.area, Bytes(4 << 20));
    assert_eq!(hits.placement, HitPlacement::Contiguous);
    assert_eq!(address("hits = \"none\"").hits, None);
}

#[test]
fn every_size_and_content_can_be_asked_for() {
    let stream = |keys: &str| steps(&read(&run(keys)))[0].streams[0].clone();
    let range = |min, max, align| SizeSpec::range(Bytes(min), Bytes(max), Bytes(align));
    reads! { |keys| stream(keys).size;
        "block = 8192" => SizeSpec::Fixed(Bytes(8192));
        "block = \"4k-64k\"" => range(4096, 65536, 4096);
        "block = { from = \"4k\", to = \"6k\", step = \"512\" }" => range(4096, 6144, 512);
        "block = { 4k = 50, 64k = 50 }" => SizeSpec::Weighted(vec![(Bytes(4096), 50.0), (Bytes(65536), 50.0)]);
    }
    reads! { |keys| stream(keys).content;
        "content = \"zeros\"" => ContentSpec::Zeros;
        "content = { pattern = \"0xdeadbeef\" }" => ContentSpec::Pattern(vec![0xde, 0xad, 0xbe, 0xef]);
        "content = { pattern = \"ab\" }" => ContentSpec::Pattern(b"ab".to_vec());
        "content = { file = \"a, b=c\" }" => ContentSpec::File("a, b=c".into());
        "content = { compress = 2.5, dedupe = 3, unit = \"8k\", sets = 7, flip_flop = true }" =>
            ContentSpec::Reducible {
                compress: 2.5,
                dedupe: Some(DedupeSpec {
                    sets: Some(7),
                    flip_flop: true,
                    ..DedupeSpec::new(3.0, Bytes(8192), DedupePlacement::Scattered)
                }),
            };
    }
}

#[test]
fn a_part_of_the_blocks_may_be_zeros() {
    let half = |text: &str| {
        let keys = format!("content = {{ {text} }}");
        steps(&read(&run(&keys)))[0].streams[0].content.clone()
    };
    reads! { half;
        "zeros = 50, compress = 2" => ContentSpec::PartZero { zeros: 50.0, compress: 2.0, dedupe: None };
        "zeros = 100" => ContentSpec::Zeros;
        "zeros = 0, compress = 3" => ContentSpec::Reducible { compress: 3.0, dedupe: None };
    }
}

#[test]
fn several_ways_to_one_volume_are_one_target() {
    let native = read(
        "[target.lun]\npaths = [\"nbd://a/x\", \"nbd+unix:///x?socket=/s\"]\nselector = \"round-robin\"\n\
         path_deadline = \"2s\"\nno_path_retry = 0\n[target.one]\npath = \"nbd://a/y\"\n[workload.w]\n[[run]]\n",
    );
    let [lun, one] = [0, 1].map(|i| match &native.plan.targets[i].location {
        Location::Nbd(nbd) => nbd,
        other => panic!("{other:?}"),
    });
    assert_eq!(lun.paths.len(), 2);
    assert_eq!(lun.selector, Selector::RoundRobin);
    assert_eq!(lun.deadline(), Nanos::secs(2));
    assert_eq!(lun.no_path_retry, Nanos(0));
    assert_eq!(one.selector, Selector::ServiceTime);
    assert_eq!(one.deadline(), Nanos::secs(30));
    assert_eq!(one.no_path_retry, Nanos::secs(30));
}

#[test]
fn targets_can_be_files_devices_joined_ones_and_the_engine_alone() {
    let native = read(
        "[target.b]\npath = [\"./a b.dat\", \"/dev/c\"]\nsize = \"1g\"\noffset = \"1m\"\nalign = \"64k\"\ncaching = \"buffered\"\ndurability = { fsync_every = 8 }\n\
         [target.a]\npath = \"null:64GiB\"\ndurability = \"fsync_at_end\"\n[workload.w]\n[[run]]\ndepth = { a = 1, b = 2 }\n",
    );
    let [b, a] = native.plan.targets.as_slice() else {
        panic!("not two targets")
    };
    assert_eq!(b.name.as_str(), "b", "in order of appearance");
    assert_eq!(a.name.as_str(), "a", "in order of appearance");
    assert_eq!(
        b.location,
        Location::Concat(vec!["./a b.dat".into(), "/dev/c".into()])
    );
    assert_eq!(b.size, Some(Bytes(1 << 30)));
    assert_eq!(b.offset, Bytes(1 << 20));
    assert_eq!(b.align, Some(Bytes(65536)));
    assert_eq!(b.caching, Caching::Buffered);
    assert_eq!(b.durability, Durability::FsyncEvery(8));
    assert_eq!(a.caching, Caching::Direct);
    assert_eq!(a.durability, Durability::FsyncAtEnd);
    let slots: Vec<u32> = steps(&native)[0].depths.iter().map(|d| d.slots).collect();
    assert_eq!(slots, [2, 1]);
}

#[test]
fn a_workload_on_two_targets_divides_its_share_and_its_rate() {
    let native = read(
        "[target.a]\npath = \"null:1g\"\n[target.b]\npath = \"null:1g\"\n\
         [workload.x]\nshare = 60\n[workload.y]\ntargets = \"b\"\nshare = 40\n[workload.z]\nrate = 100\npriority = 1\n[[run]]\n",
    );
    let streams: Vec<(f64, Option<Rate>)> = steps(&native)[0]
        .streams
        .iter()
        .map(|s| (s.share, s.fixed_rate))
        .collect();
    let half = Some(Rate(50.0));
    assert_eq!(
        streams,
        [
            (30.0, None),
            (30.0, None),
            (40.0, None),
            (0.5, half),
            (0.5, half)
        ]
    );
    assert_eq!(
        steps(&native)[0].load,
        Load::MaxShared,
        "shares are kept at the maximum too"
    );
}

#[test]
fn what_surrounds_a_run_can_be_said() {
    let native = read(&format!(
        "title = \"t\"\nseed = 7\nmax_errors = 3\nstart_commands = \"sync\"\n{}",
        run(
            "name = \"r\"\nworkers = 2\npin = [0, 2]\nwaiting = \"punctual\"\npause = \"1s\"\nlimits = { written = \"1g\", ios = 5 }\npurpose = \"fill\"\n\
             end_commands = [\"a\", { run = \"b\", output = \"log\" }]"
        )
    ));
    let plan = &native.plan;
    let step = steps(&native)[0];
    assert_eq!(plan.title.as_deref(), Some("t"));
    assert_eq!(plan.seed, Some(7));
    assert_eq!(plan.max_errors, 3);
    assert_eq!(plan.start_commands[0].line, "sync");
    assert_eq!(step.workers.count, Some(2));
    assert_eq!(step.workers.pin.as_deref(), Some([0, 2].as_slice()));
    assert!(step.workers.punctual);
    assert_eq!(step.limits.written_bytes, Some(Bytes(1 << 30)));
    assert_eq!(step.limits.ios, Some(5));
    assert_eq!((step.purpose, step.pause), (Purpose::Fill, Nanos::secs(1)));
    assert_eq!(step.end_commands[1].line.as_str(), "b");
    assert_eq!(step.end_commands[1].output.as_str(), "log");
}

#[test]
fn a_run_shorter_than_a_second_is_one_interval() {
    let interval = |text: &str| steps(&read(&run(text)))[0].interval;
    assert_eq!(interval("for = \"500ms\""), Nanos(500_000_000));
    assert_eq!(interval("for = \"30s\""), Nanos::secs(1));
}

#[test]
fn a_fill_has_no_warm_up_unless_it_says_so() {
    let warmup = |text: &str| steps(&read(&run(text)))[0].warmup;
    assert_eq!(warmup("purpose = \"fill\""), Nanos(0));
    assert_eq!(
        warmup("warmup = \"5s\"\npurpose = \"fill\""),
        Nanos::secs(5)
    );
    assert_eq!(warmup("purpose = \"measure\""), Nanos::secs(5));
}
