//! The simple case without a file.

use plimsoll_dialects::native::{self, DirectFlags, Method, direct};
use plimsoll_plan::*;

fn on(target: &str) -> DirectFlags {
    DirectFlags {
        targets: vec![target.to_string()],
        ..DirectFlags::default()
    }
}

/// The same with these flags.
fn with(target: &str, flags: &[(&'static str, &str)]) -> DirectFlags {
    let mut all = on(target);
    let typed = flags.iter().map(|(flag, value)| (*flag, value.to_string()));
    all.typed.extend(typed);
    all
}

fn step(flags: &DirectFlags) -> Step {
    let plan = direct(flags).unwrap_or_else(|e| panic!("{e}"));
    plan.steps().next().expect("there is one step").clone()
}

#[test]
fn flags_and_a_file_make_the_same_plan() {
    let flags = with(
        "null:1g",
        &[
            ("--read", "70"),
            ("--block", "8k"),
            ("--rate", "max"),
            ("--for", "30s"),
            ("--workers", "2"),
            ("--depth", "32"),
        ],
    );
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
    assert_eq!(step.elapsed, Nanos::secs(30));
    assert_eq!(step.total_depth(), 32);
    assert_eq!(step.load, Load::Max);
    assert_eq!(step.streams[0].size, SizeSpec::Fixed(Bytes(4096)));
}

#[test]
fn a_curve_takes_points_and_limits() {
    let flags = DirectFlags {
        method: Method::Curve,
        ..with(
            "./x",
            &[
                ("--percents", "50,100"),
                ("--slo", "p99=2ms"),
                ("--slo", "mean=1ms"),
            ],
        )
    };
    let plan = direct(&flags).expect("the flags are good");
    let [Item::Curve(curve)] = plan.items.as_slice() else {
        panic!("no curve")
    };
    assert_eq!(curve.percents.as_slice(), [50, 100].as_slice());
    assert_eq!(curve.slos.len(), 2);
    assert_eq!(curve.base.name, "curve");
}

#[test]
fn every_flag_reaches_the_plan() {
    let flags = DirectFlags {
        max_errors: Some(1),
        seed: Some(9),
        ..with(
            "./a file",
            &[
                ("--trim", "5%"),
                ("--read", "50"),
                ("--access", "streams=4"),
                ("--range", "0%-50%"),
                ("--hits", "read=75,area=8m"),
                ("--content", "compress=2"),
                ("--rate", "10k"),
                ("--arrival", "even"),
                ("--warmup", "0"),
                ("--interval", "500ms"),
                ("--pin", "0, 1"),
                ("--waiting", "punctual"),
                ("--caching", "buffered"),
                ("--durability", "fsync_every=8"),
                ("--size", "1g"),
            ],
        )
    };
    let plan = direct(&flags).expect("the flags are good");
    let step = step(&flags);
    let stream = &step.streams[0];
    let target = &plan.targets[0];
    assert_eq!((plan.seed, plan.max_errors), (Some(9), 1));
    assert_eq!(target.size, Some(Bytes(1 << 30)));
    assert_eq!(target.caching, Caching::Buffered);
    assert_eq!(target.durability, Durability::FsyncEvery(8));
    assert_eq!(stream.mix.read, 50.0);
    assert_eq!(stream.mix.write, 45.0);
    assert_eq!(stream.mix.trim, 5.0);
    assert_eq!(stream.address.pattern, Pattern::Streams(4));
    assert_eq!(stream.address.range, RangeSpec::Percent(0.0, 50.0));
    assert_eq!(stream.address.hits.map(|h| h.area), Some(Bytes(8 << 20)));
    assert_eq!(
        stream.content,
        ContentSpec::Reducible {
            compress: 2.0,
            dedupe: None
        }
    );
    assert_eq!(step.load, Load::rate(Rate(10_000.0), Arrival::Even));
    assert!(step.workers.punctual);
    assert_eq!(step.warmup, Nanos(0));
    assert_eq!(step.interval, Nanos(500_000_000));
    assert_eq!(step.workers.pin, Some(vec![0, 1]));
}

#[test]
fn errors_name_the_flag_and_the_remedy() {
    let refused = |flags: &DirectFlags| direct(flags).expect_err("the flags are bad").to_string();
    let message = |flag: &'static str, value: &str| refused(&with("null:1g", &[(flag, value)]));
    let targets = |targets: &[&str]| DirectFlags {
        targets: targets.iter().map(|t| t.to_string()).collect(),
        ..DirectFlags::default()
    };
    let curve = DirectFlags {
        method: Method::Curve,
        ..with("null:1g", &[("--rate", "5k")])
    };
    let uneven = [("--access", "sequential"), ("--distribution", "zipf=1.1")];
    for (message, parts) in [
        (refused(&targets(&[])), ["TARGET", "null:64GiB"]),
        (
            refused(&targets(&["null:1g"; 2])),
            ["TARGET", "named twice"],
        ),
        (refused(&on("null:lots")), ["TARGET", "null:64GiB"]),
        (message("--block", "8x"), ["--block", "unknown unit"]),
        (message("--read", "170"), ["--read", "0 to 100"]),
        (message("--rate", "0"), ["--rate", "max"]),
        (message("--rate", "fast"), ["--rate", "5000"]),
        (
            message("--access", "randm"),
            ["--access", "`random` is near"],
        ),
        (message("--hits", "raed=5"), ["--hits", "`read` is near"]),
        (
            message("--for", "soon"),
            ["--for", "does not start with a number"],
        ),
        (message("--depth", "0"), ["--depth", "at least 1"]),
        (message("--slo", "p99"), ["--slo", "p99=2ms"]),
        (
            message("--workers", "40"),
            ["40 workers", "at most 32 workers"],
        ),
        (refused(&curve), ["--rate", "leave --rate out"]),
        (
            refused(&with("null:1g", &uneven)),
            ["--distribution", "--access"],
        ),
    ] {
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}
