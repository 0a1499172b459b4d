//! What DiskSPD's command lines and profiles become.

use plimsoll_dialects::diskspd::{self, Lowered, Parsed};
use plimsoll_plan::{
    Bytes, Caching, ContentSpec, Distribution, Durability, Item, Nanos, Pattern, RangeSpec, Rate,
    SizeSpec, Step, Stream,
};

const K: u64 = 1 << 10;
const G: u64 = 1 << 30;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_string).collect()
}

fn parsed(line: &str) -> Parsed {
    diskspd::parse_command(&words(line)).unwrap_or_else(|refusal| panic!("{line}\n{refusal}"))
}

fn lowered(line: &str) -> Lowered {
    parsed(line)
        .plan()
        .unwrap_or_else(|refused| panic!("{line}\n{refused:#?}"))
}

fn step(line: &str) -> Step {
    lowered(line).plan.steps().next().expect("a step").clone()
}

fn stream(line: &str) -> Stream {
    let step = step(line);
    assert_eq!(step.streams.len(), 1, "{line}");
    step.streams[0].clone()
}

/// The complaints of a line that cannot be read, or not be run.
fn refused(line: &str) -> String {
    match diskspd::parse_command(&words(line)) {
        Err(refusal) => refusal.to_string(),
        Ok(parsed) => match parsed.plan() {
            Ok(lowered) => panic!("{line} became {:#?}", lowered.plan),
            Err(found) => found.iter().map(|d| format!("{}\n", d.message)).collect(),
        },
    }
}

#[test]
fn a_common_line_becomes_what_it_says() {
    let line = "-c2G -b4K -t8 -r -o32 -W60 -d90 -Sh -w30 -Zr -D500 -z7 test.dat";
    let lowered = lowered(line);
    let plan = &lowered.plan;
    assert_eq!((plan.dialect.as_str(), plan.seed), ("diskspd", Some(7)));
    let target = &plan.targets[0];
    assert_eq!(target.name.as_str(), "test.dat");
    assert_eq!(target.size, Some(Bytes(2 * G)));
    let opened = (target.caching, target.durability);
    assert_eq!(opened, (Caching::Direct, Durability::Dsync));
    let step = step(line);
    assert_eq!(step.warmup, Nanos::secs(60));
    assert_eq!(step.elapsed, Nanos::secs(90));
    assert_eq!(step.interval, Nanos(500_000_000));
    assert_eq!(step.workers.count, Some(8));
    let stream = &step.streams[0];
    assert_eq!((stream.depth, stream.mix.write), (Some(256), 30.0));
    assert_eq!(stream.size, SizeSpec::Fixed(Bytes(4 * K)));
    assert_eq!(stream.content, ContentSpec::Unique);
    assert_eq!(stream.address.pattern, Pattern::RANDOM);
}

#[test]
fn the_defaults_are_diskspd_s() {
    let lowered = lowered("data");
    assert_eq!(lowered.plan.targets[0].caching, Caching::Buffered);
    assert_eq!(lowered.plan.targets[0].durability, Durability::None);
    let step = step("data");
    assert_eq!(step.warmup, Nanos::secs(5));
    assert_eq!(step.elapsed, Nanos::secs(10));
    let stream = &step.streams[0];
    assert_eq!((stream.depth, stream.mix.read), (Some(2), 100.0));
    assert_eq!(stream.size, SizeSpec::Fixed(Bytes(64 * K)));
    assert_eq!(stream.address.pattern, Pattern::IN_ORDER);
    let ramp: Vec<u8> = (0..=255).collect();
    assert_eq!(stream.content, ContentSpec::Pattern(ramp));
}

#[test]
fn threads_in_order_walk_by_themselves_and_interlocked_ones_together() {
    let apart = step("-t3 -o4 -s -b8K -c1G data");
    assert_eq!(apart.streams.len(), 3);
    for stream in &apart.streams {
        assert_eq!(stream.depth, Some(4));
        assert_eq!(stream.address.pattern, Pattern::IN_ORDER);
        assert_eq!(stream.address.range, RangeSpec::Whole);
    }
    let together = stream("-t3 -o4 -si -b8K -c1G data");
    assert_eq!(together.depth, Some(12));
    let parallel = step("-t2 -o3 -p -b8K -c1G data");
    assert_eq!(parallel.streams.len(), 6);
    assert!(parallel.streams.iter().all(|s| s.depth == Some(1)));
    let strided = stream("-s64K -b8K -c1G data");
    let gap = Bytes(56 * K);
    assert_eq!(
        strided.address.pattern,
        Pattern::Stride { min: gap, max: gap }
    );
}

/// Threads that begin apart come round to where DiskSPD's do: (from, ahead) of each.
#[test]
fn threads_begin_where_they_are_told_to() {
    let begins = |line| -> Vec<(u64, u64)> {
        let of = |s: &Stream| match s.address.range {
            RangeSpec::Whole => (0, 0),
            RangeSpec::Clipped { from, ahead, .. } => (from.0, ahead.0),
            other => panic!("{other:?}"),
        };
        step(line).streams.iter().map(of).collect()
    };
    let m = 1 << 20;
    assert_eq!(
        begins("-t3 -T1m -b4K -s data"),
        [(0, 0), (0, m), (0, 2 * m)]
    );
    assert_eq!(
        begins("-t3 -T1b -b4K -s3b data"),
        [(0, 0), (4 * K, 0), (8 * K, 0)]
    );
    assert_eq!(
        begins("-t2 -T5b -b4K -s3b -B1m data"),
        [(m, 0), (m + 8 * K, 12 * K)]
    );
}

#[test]
fn the_part_that_is_used_ends_where_it_says_or_where_the_target_does() {
    let range = |line| stream(line).address.range;
    let clipped = |from, until: Option<u64>| RangeSpec::Clipped {
        from: Bytes(from),
        until: until.map(Bytes),
        ahead: Bytes(0),
    };
    assert_eq!(range("-b8K -r -B5g data"), clipped(5 * G, None));
    assert_eq!(range("-b8K -r -B1g:2g data"), clipped(G, Some(3 * G)));
    assert_eq!(range("-b8K -r -f10g data"), clipped(0, Some(10 * G)));
    assert_eq!(range("-b4K -r -B10b data"), clipped(40 * K, None));
}

#[test]
fn distributions_are_zones_of_what_is_used() {
    let pattern = |line| stream(line).address.pattern;
    let zoned = |zones: &[(f64, f64)]| Distribution::Zoned(zones.to_vec());
    let random = |zones: &[(f64, f64)]| Pattern::random(zoned(zones));
    assert_eq!(
        pattern("-r -rdpct95/5:4/10 data"),
        random(&[(95.0, 5.0), (4.0, 10.0), (1.0, 85.0)])
    );
    let absolute = pattern("-r -b4K -rdabs90/1G:0/1G -f10G data");
    assert_eq!(absolute, random(&[(90.0, 10.0), (0.0, 10.0), (10.0, 80.0)]));
    let mixed = |percent, whole_runs| Pattern::PartRandom {
        percent,
        distribution: zoned(&[(95.0, 5.0), (5.0, 95.0)]),
        whole_runs,
    };
    assert_eq!(pattern("-rs20 -rdpct95/5 -w100 data"), mixed(20.0, false));
    assert_eq!(pattern("-rs80 -rdpct95/5 -w30 data"), mixed(80.0, true));
    assert!(refused("-r -rdabs50/1G data").contains("where the target ends"));
}

/// The rates are what was said: 10 I/Os of 128 KiB are not the 1310 bytes per millisecond that DiskSPD makes of them.
#[test]
fn a_limit_is_each_threads_and_as_it_was_said() {
    let throttle = |line| stream(line).throttle;
    assert_eq!(
        throttle("-b128K -g10i -r -t4 data").max_rate,
        Some(Rate(40.0))
    );
    let bytes = throttle("-r -t2 -g80 data").max_bandwidth;
    assert_eq!(bytes, Some(Bytes(160_000)));
    let thread = step("-s -t3 -g5i data");
    assert!(
        thread
            .streams
            .iter()
            .all(|s| s.throttle.max_rate == Some(Rate(5.0)))
    );
    let think = throttle("-o1 -i8 -j20 data").think.expect("a pause");
    assert_eq!((think.time, think.every), (Nanos(20_000_000), 8));
    assert!(refused("-o2 -i8 -j20 data").contains("bursts"));
}

#[test]
fn content_is_what_dash_z_says() {
    let content = |line: &str| stream(&format!("-w100 -r {line} data")).content;
    assert_eq!(content("-Z"), ContentSpec::Zeros);
    assert_eq!(content("-Zz"), ContentSpec::Zeros);
    assert_eq!(content("-Zr"), ContentSpec::Unique);
    assert_eq!(content("-Z10m"), ContentSpec::Unique);
    assert_eq!(
        content("-Z1m,/tmp/words"),
        ContentSpec::File("/tmp/words".into())
    );
    let message = |line: &str| {
        let warnings = lowered(line).warnings;
        warnings
            .iter()
            .map(|w| w.message.clone())
            .collect::<Vec<_>>()
    };
    let source = message("-w100 -r -Z10m data");
    assert!(
        source.len() == 1 && source[0].contains("`-Z10m`"),
        "{source:?}"
    );
    assert!(
        message("-w0 -r -Z10m data").is_empty(),
        "nothing is written"
    );
}

#[test]
fn caching_modes_are_open_flags() {
    let opened = |line: &str| {
        let plan = lowered(&format!("-r {line} data")).plan;
        (plan.targets[0].caching, plan.targets[0].durability)
    };
    use Caching::{Buffered, Direct};
    use Durability::{Dsync, None, Sync};
    for (line, expected) in [
        ("-Sb", (Buffered, None)),
        ("-S", (Direct, None)),
        ("-Su", (Direct, None)),
        ("-Sd", (Direct, None)),
        ("-Sw", (Buffered, Dsync)),
        ("-Sbw", (Buffered, Dsync)),
        ("-Sw -Su", (Direct, Dsync)),
        ("-Sh", (Direct, Dsync)),
        ("-h", (Direct, Dsync)),
        ("-Ss", (Buffered, Sync)),
        ("-Sds", (Direct, Sync)),
    ] {
        assert_eq!(opened(line), expected, "{line}");
    }
    for (line, words) in [
        ("-Sm -Nv", "not flushed"),
        ("-Smw", "with write-through"),
        ("-Sr", "local cache"),
        ("-Sbu", "second time"),
        ("-h -Sw", "second time"),
        ("-Sm -Su", "mapped"),
        ("-Sx", "none of b, h, m"),
    ] {
        let message = refused(&format!("-r {line} data"));
        assert!(message.contains(words), "{line}: {message}");
    }
}

#[test]
fn mapped_targets_have_one_io_of_each_thread_out() {
    let mapped = lowered("-Sm -t3 -o8 -r -b4K data");
    assert_eq!(mapped.mapped, [true]);
    assert_eq!(mapped.plan.targets[0].caching, Caching::Buffered);
    assert_eq!(stream("-Sm -t3 -o8 -r -b4K data").depth, Some(3));
    let message = |line: &str| {
        lowered(line)
            .warnings
            .iter()
            .any(|w| w.message.contains("whatever -o"))
    };
    assert!(message("-Sm -o8 -r data"));
    assert!(!message("-Sm -o1 -r data") && !message("-o8 -r data"));
    assert_eq!(lowered("-r data").mapped, [false]);
}

#[test]
fn one_path_named_twice_is_one_target() {
    let profile = |second: &str| {
        format!(
            "<Profile><TimeSpans><TimeSpan><Targets>\
             <Target><Path>*1</Path><BlockSize>32768</BlockSize><DisableOSCache>true</DisableOSCache>\
             <RequestCount>8</RequestCount></Target>\
             <Target><Path>*1</Path><BlockSize>8192</BlockSize>{second}<Random>8192</Random></Target>\
             </Targets></TimeSpan></TimeSpans></Profile>"
        )
    };
    let plan = |second: &str| {
        let parsed = diskspd::parse_text("p.xml", &profile(second), &["data".to_string()]);
        parsed.expect("it reads").plan()
    };
    let both = plan("<DisableOSCache>true</DisableOSCache>")
        .expect("a plan")
        .plan;
    assert_eq!(both.targets.len(), 1);
    let step = both.steps().next().expect("a step");
    assert_eq!(step.streams.len(), 2);
    assert_eq!(
        [step.streams[0].depth, step.streams[1].depth],
        [Some(8), Some(2)]
    );
    // Opened in two ways, it is two targets on one file.
    let ways = plan("").expect("a plan").plan.targets;
    assert_eq!(
        ways.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(),
        ["data", "data (2)"]
    );
    assert_eq!(ways[0].location, ways[1].location);
    let refused = plan("<FileSize>1048576</FileSize>").expect_err("two sizes");
    assert!(refused[0].message.contains("two sizes"), "{refused:?}");
}

#[test]
fn time_spans_are_steps_with_their_own_times() {
    let span = |d: u32, w: u32| {
        format!(
            "<TimeSpan><Warmup>{w}</Warmup><Targets><Target><Path>data</Path></Target></Targets>\
             <Duration>{d}</Duration></TimeSpan>"
        )
    };
    let text = format!(
        "<Profile><TimeSpans>{}{}</TimeSpans></Profile>",
        span(20, 1),
        span(30, 2)
    );
    let plan = diskspd::parse_text("p.xml", &text, &[])
        .expect("it reads")
        .plan()
        .expect("a plan")
        .plan;
    let times: Vec<(Nanos, Nanos)> = plan.steps().map(|s| (s.warmup, s.elapsed)).collect();
    assert_eq!(
        times,
        [
            (Nanos::secs(1), Nanos::secs(20)),
            (Nanos::secs(2), Nanos::secs(30))
        ]
    );
    assert!(plan.items.iter().all(|i| matches!(i, Item::Step(_))));
}

#[test]
fn what_cannot_be_said_is_refused_by_name() {
    for (line, words) in [
        ("-r -b4K #1", "a Windows drive"),
        ("-r -b4K c:", "a Windows volume"),
        ("-r c:\\testfile", "a Windows path"),
        ("-r c:testfile", "a Windows path"),
        ("-r test\\file.dat", "a Windows path"),
        ("-r #1\\testfile.dat", "a Windows path"),
        ("-ysstart data", "`-ysstart` cannot be used: named events"),
        ("-F4 -O8 -r a b", "by their weights"),
        ("-ag1,0 -r data", "processor group 1"),
        ("-rs50 -r8K -b4K data", "sequences (-rs)"),
        ("-s6K -b4K data", "a stride of 6144 bytes"),
        ("-t2 -T13k -s -b4K data", "13312 bytes apart"),
        ("-r -b8K -B4K data", "the base of 4096 bytes"),
        ("-c1G /dev/sdx", "only files are made"),
        ("-Zs -w100 data", "`-Zs` cannot be used"),
        ("-p -o4 -g10i data", "a limit (-g)"),
    ] {
        let message = refused(line);
        assert!(message.contains(words), "{line}: {message}");
    }
}

#[test]
fn what_has_no_effect_says_so_by_name() {
    let message = |line: &str| {
        let warnings = lowered(line).warnings;
        warnings
            .iter()
            .map(|w| w.message.clone())
            .collect::<Vec<_>>()
    };
    for flag in [
        "-l",
        "-x",
        "-xk",
        "-I1",
        "-eDISK_IO",
        "-P",
        "-v",
        "-vs",
        "-C5",
        "-ag",
        "-frs",
        "-:1",
    ] {
        let found = message(&format!("-r {flag} data"));
        let named = format!("`{flag}` has no effect");
        assert!(
            found.len() == 1 && found[0].starts_with(&named),
            "{flag}: {found:?}"
        );
    }
    for flag in ["-I3", "-C0", "-n", "-L", "-D"] {
        assert!(message(&format!("-r {flag} data")).is_empty(), "{flag}");
    }
    let text = "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>data</Path><IOPriority>1</IOPriority>\
                <UseLargePages>false</UseLargePages></Target></Targets></TimeSpan></TimeSpans></Profile>";
    let lowered = diskspd::parse_text("p.xml", text, &[])
        .expect("it reads")
        .plan()
        .expect("a plan");
    let found: Vec<&str> = lowered
        .warnings
        .iter()
        .map(|w| w.message.as_str())
        .collect();
    assert!(
        found.len() == 1 && found[0].contains("<IOPriority>1</IOPriority>"),
        "{found:?}"
    );
}
