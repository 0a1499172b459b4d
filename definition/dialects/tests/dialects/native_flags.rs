//! The simple case without a file.

use plimsoll_dialects::native::{self, DirectFlags, Method, direct};
use plimsoll_plan::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_string())
}

fn on(target: &str) -> DirectFlags {
    DirectFlags {
        targets: vec![target.to_string()],
        ..DirectFlags::default()
    }
}

fn step(flags: &DirectFlags) -> Step {
    let plan = direct(flags).unwrap_or_else(|e| panic!("{e}"));
    plan.steps().next().expect("there is one step").clone()
}

#[test]
fn flags_and_a_file_make_the_same_plan() {
    let flags = DirectFlags {
        read: some("70"),
        block: some("8k"),
        rate: some("max"),
        duration: some("30s"),
        workers: some("2"),
        depth: some("32"),
        ..on("null:1g")
    };
    let text = "[target.\"null:1g\"]\npath = \"null:1g\"\n[workload.run]\n[[run]]\nname = \"run\"\nread = 70\nblock = \"8k\"\nworkers = 2\n";
    let file = native::parse("x", text).unwrap_or_else(|f| panic!("{f}"));
    let mut of_file = file.plan;
    of_file.dialect = "command line".to_string();
    assert_eq!(
        describe(&direct(&flags).expect("the flags are good")),
        describe(&of_file)
    );
}

#[test]
fn without_flags_the_languages_defaults_hold() {
    let step = step(&on("null:1g"));
    assert_eq!(
        (step.elapsed, step.total_depth(), &step.load),
        (Nanos::secs(30), 32, &Load::Max)
    );
    assert_eq!(step.streams[0].size, SizeSpec::Fixed(Bytes(4096)));
}

#[test]
fn a_curve_takes_points_and_limits() {
    let flags = DirectFlags {
        method: Method::Curve,
        percents: some("50,100"),
        slos: vec!["p99=2ms".to_string(), "mean=1ms".to_string()],
        ..on("./x")
    };
    let plan = direct(&flags).expect("the flags are good");
    let [Item::Curve(curve)] = plan.items.as_slice() else {
        panic!("no curve")
    };
    assert_eq!(
        (curve.percents.as_slice(), curve.slos.len()),
        ([50, 100].as_slice(), 2)
    );
    assert_eq!(curve.base.name, "curve");
}

#[test]
fn every_flag_reaches_the_plan() {
    let flags = DirectFlags {
        trim: some("5%"),
        read: some("50"),
        access: some("streams=4"),
        range: some("0%-50%"),
        hits: some("read=75,area=8m"),
        content: some("compress=2"),
        rate: some("10k"),
        arrival: some("even"),
        warmup: some("0"),
        interval: some("500ms"),
        pin: some("0, 1"),
        waiting: some("punctual"),
        caching: some("buffered"),
        durability: some("fsync_every=8"),
        size: some("1g"),
        max_errors: Some(1),
        seed: Some(9),
        ..on("./a file")
    };
    let plan = direct(&flags).expect("the flags are good");
    let step = step(&flags);
    let stream = &step.streams[0];
    let target = &plan.targets[0];
    assert_eq!((plan.seed, plan.max_errors), (Some(9), 1));
    assert_eq!(
        (target.size, target.caching, target.durability),
        (
            Some(Bytes(1 << 30)),
            Caching::Buffered,
            Durability::FsyncEvery(8)
        )
    );
    assert_eq!(
        (stream.mix.read, stream.mix.write, stream.mix.trim),
        (50.0, 45.0, 5.0)
    );
    assert_eq!(
        (&stream.address.pattern, stream.address.range),
        (&Pattern::Streams(4), RangeSpec::Percent(0.0, 50.0))
    );
    assert_eq!(stream.address.hits.map(|h| h.area), Some(Bytes(8 << 20)));
    assert_eq!(
        stream.content,
        ContentSpec::Reducible {
            compress: 2.0,
            dedupe: None
        }
    );
    assert_eq!(
        step.load,
        Load::Rate {
            rate: Rate(10_000.0),
            arrival: Arrival::Even
        }
    );
    assert!(step.workers.punctual);
    assert_eq!(
        (step.warmup, step.interval, step.workers.pin),
        (Nanos(0), Nanos(500_000_000), Some(vec![0, 1]))
    );
}

#[test]
fn errors_name_the_flag_and_the_remedy() {
    let with = |change: fn(&mut DirectFlags)| {
        let mut flags = on("null:1g");
        change(&mut flags);
        direct(&flags).expect_err("the flags are bad").to_string()
    };
    for (said, parts) in [
        (with(|f| f.targets.clear()), ["TARGET", "null:64GiB"]),
        (
            with(|f| f.targets.push("null:1g".into())),
            ["TARGET", "named twice"],
        ),
        (
            with(|f| f.targets = vec!["null:lots".into()]),
            ["TARGET", "null:64GiB"],
        ),
        (with(|f| f.block = some("8x")), ["--block", "unknown unit"]),
        (with(|f| f.read = some("170")), ["--read", "0 to 100"]),
        (with(|f| f.rate = some("0")), ["--rate", "max"]),
        (with(|f| f.rate = some("fast")), ["--rate", "5000"]),
        (
            with(|f| f.access = some("randm")),
            ["--access", "`random` is near"],
        ),
        (
            with(|f| f.hits = some("raed=5")),
            ["--hits", "`read` is near"],
        ),
        (
            with(|f| f.duration = some("soon")),
            ["--for", "does not start with a number"],
        ),
        (with(|f| f.depth = some("0")), ["--depth", "at least 1"]),
        (with(|f| f.slos = vec!["p99".into()]), ["--slo", "p99=2ms"]),
        (
            with(|f| f.workers = some("40")),
            ["40 workers", "at most 32 workers"],
        ),
        (
            with(|f| {
                f.method = Method::Curve;
                f.rate = some("5k");
            }),
            ["--rate", "leave --rate out"],
        ),
        (
            with(|f| {
                f.access = some("sequential");
                f.distribution = some("zipf=1.1");
            }),
            ["--distribution", "--access"],
        ),
    ] {
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}
