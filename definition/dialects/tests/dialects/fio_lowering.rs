//! What jobs become: streams, steps, targets, ends.

use plimsoll_dialects::fio::engine::Engine;
use plimsoll_dialects::fio::{self, Input, Lowered};
use plimsoll_plan::*;

fn lower(text: &str) -> Lowered {
    let parsed = fio::parse(&Input::text("a.fio", text)).unwrap_or_else(|e| panic!("{e}"));
    parsed.plan().unwrap_or_else(|e| panic!("{e:#?}"))
}

fn refused(text: &str) -> String {
    let parsed = fio::parse(&Input::text("a.fio", text)).unwrap_or_else(|e| panic!("{e}"));
    let errors = parsed.plan().expect_err(text);
    errors.iter().map(|e| e.message.clone() + "\n").collect()
}

fn step(text: &str) -> Step {
    let lowered = lower(text);
    lowered.plan.steps().next().expect("a step").clone()
}

/// One job on the null engine.
fn stream(options: &str) -> Stream {
    let step = step(&format!("[x]\nioengine=null\nsize=1m\n{options}\n"));
    assert_eq!(step.streams.len(), 1, "{options}");
    step.streams[0].clone()
}

fn refused_job(options: &str) -> String {
    refused(&format!("[x]\nioengine=null\nsize=1m\n{options}\n"))
}

const ENDLESS: &str = "time_based\nruntime=10\n";

#[test]
fn operations_and_orders_are_those_of_rw() {
    let of = |rw: &str| {
        let s = stream(&format!("{ENDLESS}rw={rw}"));
        (s.mix, s.address.pattern)
    };
    let mix = |read, write, trim| Mix { read, write, trim };
    let random = |coverage| Pattern::Random {
        distribution: Distribution::Uniform,
        coverage,
    };
    assert_eq!(of("read"), (Mix::READS, Pattern::IN_ORDER));
    assert_eq!(of("write"), (Mix::WRITES, Pattern::IN_ORDER));
    assert_eq!(of("randtrim"), (mix(0.0, 0.0, 100.0), random(true)));
    assert_eq!(
        of("randrw\nrwmixread=70"),
        (mix(70.0, 30.0, 0.0), random(true))
    );
    assert_eq!(of("randrw\nrwmixread=70\nrwmixwrite=40").0.read, 60.0);
    assert_eq!(of("randread\nnorandommap").1, random(false));
    assert_eq!(of("randread\nba=4k").1, random(false));
    assert_eq!(
        of("randread\npercentage_random=30\nnorandommap").1,
        Pattern::PercentRandom(30.0)
    );
    let stride = |gap| Pattern::Stride {
        min: Bytes(gap),
        max: Bytes(gap),
    };
    assert_eq!(of("write:8k").1, stride(8192));
    assert_eq!(
        of("read\nzonemode=strided\nzonesize=4k\nzoneskip=12k").1,
        stride(12288)
    );
    for (text, distribution) in [
        ("zipf:0.9", Distribution::Zipf(0.9)),
        ("zipf", Distribution::Zipf(1.1)),
        ("pareto:0.3", Distribution::Pareto(0.3)),
        ("normal:20", Distribution::Normal(20.0)),
        (
            "zoned:60/10:40/",
            Distribution::Zoned(vec![(60.0, 10.0), (40.0, 90.0)]),
        ),
        (
            "zoned_abs:60/256k:40/768k",
            Distribution::Zoned(vec![(60.0, 25.0), (40.0, 75.0)]),
        ),
    ] {
        let expected = Pattern::Random {
            distribution,
            coverage: false,
        };
        assert_eq!(
            of(&format!("randread\nrandom_distribution={text}")).1,
            expected
        );
    }
    let back = Pattern::Backward { step: Bytes(8192) };
    assert_eq!(of("read:-8k").1, back);
    let runs = |ios, repeat| Pattern::Runs { ios, repeat };
    assert_eq!(of("randread:8").1, runs(8, false));
    assert_eq!(of("randread:8\nrw_sequencer=identical").1, runs(8, true));
    assert_eq!(of("randread:1\nnorandommap").1, random(false));
    let zones = |range, random| Pattern::Zones {
        size: Bytes(64 << 10),
        range: Bytes(range),
        skip: Bytes(4096),
        random,
    };
    let strided = "zonemode=strided\nzonesize=64k\nzoneskip=4k";
    assert_eq!(of(&format!("read\n{strided}")).1, zones(64 << 10, false));
    assert_eq!(
        of(&format!("randread\n{strided}\nzonerange=128k")).1,
        zones(128 << 10, true)
    );
    for (options, word) in [
        ("rw=trimwrite", "rw=trimwrite"),
        ("rw=read:-2k", "less than one of its I/Os"),
        ("rw=randread:-8", "after -8 I/Os"),
        ("rw=randread:8\npercentage_random=5", "leaps"),
        ("rw=read:8k\nzonesize=64k", "leaps in its zones"),
        ("rw=randread\nrandom_distribution=zipf:1.2:0.5", "hottest"),
        (
            "rw=read\nzonemode=strided\nzonesize=1k\nzoneskip=1m",
            "has 1024 bytes",
        ),
        ("rw=randrw\npercentage_random=10,20", "differently"),
    ] {
        let error = refused_job(&format!("{ENDLESS}{options}"));
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn sizes_are_of_each_operation() {
    let of = |options: &str| stream(&format!("{ENDLESS}rw=randrw\n{options}")).size;
    let fixed = |k: u64| SizeSpec::Fixed(Bytes(k << 10));
    assert_eq!(of("bs=8k"), fixed(8));
    assert_eq!(
        of("bs=8k,64k"),
        SizeSpec::of_operations([fixed(8), fixed(64), fixed(64)])
    );
    assert_eq!(
        of("bs=,64k"),
        SizeSpec::of_operations([fixed(4), fixed(64), fixed(64)])
    );
    let split = SizeSpec::Weighted(vec![
        (Bytes(4096), 60.0),
        (Bytes(8192), 20.0),
        (Bytes(16384), 20.0),
    ]);
    assert_eq!(of("bssplit=4k/60:8k/:16k/"), split);
    let range = SizeSpec::Range {
        min: Bytes(4096),
        max: Bytes(65536),
        align: Bytes(4096),
    };
    assert_eq!(of("bsrange=4k-64k"), range);
    // Of which nothing is said between commas is of the usual size.
    let writes = |size| SizeSpec::of_operations([fixed(4), size, fixed(4)]);
    assert_eq!(of("bssplit=,8k/100,"), writes(fixed(8)));
    assert_eq!(
        of("bs=,16k,\nbssplit=4k,,"),
        SizeSpec::of_operations([fixed(4), fixed(16), fixed(4)])
    );
    assert_eq!(*of("bsrange=4k-64k,8k-8k,").by_operation()[1], fixed(8));
}

#[test]
fn a_job_ends_by_its_size_as_fio_counts_it() {
    let quota = |options: &str| stream(options).quota;
    let bytes = |bytes| Quota {
        bytes: Some(Bytes(bytes)),
        ..Quota::default()
    };
    let ios = |ios| Quota {
        ios: Some(ios),
        ..Quota::default()
    };
    assert_eq!(stream("rw=read").address.pattern, Pattern::ONE_PASS);
    assert_eq!(quota("rw=randread"), bytes(1 << 20));
    assert_eq!(quota("rw=read\nloops=3"), bytes(3 << 20));
    assert_eq!(quota("rw=read\nio_size=300k"), bytes(300 << 10));
    // fio 3.33 makes 86 I/Os of this: it stops at the file's end.
    assert_eq!(quota("rw=write:8k"), ios(86));
    // Strided zones start again, until all bytes are moved.
    let strided = "rw=read\nzonemode=strided\nzonesize=4k\nzoneskip=12k";
    assert_eq!(quota(strided), bytes(1 << 20));
    assert_eq!(quota("rw=randread\nfilesize=8m"), bytes(1 << 20));
    let limited = quota("rw=randread\nnumber_ios=10");
    assert_eq!(
        (limited.ios, limited.bytes),
        (Some(10), Some(Bytes(1 << 20)))
    );
    assert!(quota(&format!("{ENDLESS}rw=randread")).is_none());
    // fio does not begin a pass for less than an I/O.
    assert_eq!(quota("rw=read\nsize=64k\nio_size=130k"), bytes(128 << 10));
    // Up to the I/O with which so much is moved.
    assert_eq!(quota("rw=randread\nio_size=100k\nbs=64k"), bytes(128 << 10));
    assert_eq!(
        quota("rw=randread\nnorandommap\nbs=12k"),
        bytes(86 * (12 << 10))
    );
    assert_eq!(quota("rw=randread\nbs=12k"), bytes(1 << 20));
    let both = quota("rw=randread\nnumber_ios=10\nloops=2");
    assert_eq!((both.ios, both.bytes), (Some(20), Some(Bytes(2 << 20))));
    let whole = step("[x]\nfilename=/dev/x\nrw=randread\ndirect=1\nloops=2\n");
    assert_eq!(whole.streams[0].quota.passes, Some(2));
}

#[test]
fn clones_have_slots_of_their_own_and_one_report_where_that_is_asked_for() {
    let clones = |options: &str| {
        step(&format!(
            "[x]\nioengine=libaio\ndirect=1\niodepth=8\nnumjobs=3\n{options}\n"
        ))
    };
    let files = clones("size=1m\nrw=read");
    assert_eq!(files.streams.len(), 3);
    let names: Vec<&str> = files.streams.iter().map(|s| s.workload.as_str()).collect();
    assert_eq!(names, ["x.0", "x.1", "x.2"]);
    assert!(files.streams.iter().all(|s| s.depth == Some(8)));
    let shifted = clones("filename=f\nsize=1m\nrw=read\noffset_increment=2m\ngroup_reporting");
    let ranges: Vec<RangeSpec> = shifted.streams.iter().map(|s| s.address.range).collect();
    let mib = |n: u64| Bytes(n << 20);
    assert_eq!(ranges[1], RangeSpec::Bytes(mib(2), mib(3)));
    assert_eq!(ranges[2], RangeSpec::Bytes(mib(4), mib(5)));
    assert!(shifted.streams.iter().all(|s| s.workload == "x"));
    // Each draws its own addresses: together they are one, with all slots.
    let one = clones(
        "filename=f\nsize=1m\nrw=randread\nnorandommap\ngroup_reporting\ntime_based\nruntime=9",
    );
    assert_eq!((one.streams.len(), one.streams[0].depth), (1, Some(24)));
    // With a map each visits each block once.
    let maps = clones("filename=f\nsize=1m\nrw=randread\ngroup_reporting\ntime_based\nruntime=9");
    assert_eq!(maps.streams.len(), 3);
}

#[test]
fn engines_are_backends_and_synchronous_ones_have_a_depth_of_one() {
    let with = |engine: &str| {
        lower(&format!(
            "[x]\nioengine={engine}\nfilename=f\nsize=1m\ndirect=1\niodepth=16\n"
        ))
    };
    let polled =
        lower("[x]\nioengine=io_uring\nfilename=f\nsize=1m\ndirect=1\nhipri\nsqthread_poll\n");
    let both = Polling {
        completions: true,
        submissions: true,
    };
    assert_eq!(polled.engines, [Some(Engine::Uring(both))]);
    assert!(polled.warnings.is_empty(), "{:?}", polled.warnings);
    for (name, engine, depth) in [
        ("libaio", Engine::Libaio, 16),
        ("io_uring", Engine::Uring(Polling::NONE), 16),
        ("posixaio", Engine::Threads, 16),
        ("pvsync2", Engine::Threads, 1),
        ("mmap", Engine::Mmap, 1),
    ] {
        let lowered = with(name);
        assert_eq!(lowered.engines, [Some(engine)], "{name}");
        let step = lowered.plan.steps().next().expect("a step");
        assert_eq!(step.streams[0].depth, Some(depth), "{name}");
        let said = lowered.warnings.iter().any(|w| w.code == "F0143");
        assert_eq!(said, depth == 1, "{name}");
    }
}

#[test]
fn jobs_of_several_engines_start_together_each_on_its_own() {
    let text = "[global]\nfilename=f\nsize=1m\n[a]\nioengine=libaio\n[b]\nioengine=io_uring\n[c]\nioengine=libaio\n[d]\nioengine=null\n";
    let lowered = lower(text);
    let step = lowered.plan.steps().next().expect("a step");
    let engine = |s: &Stream| lowered.engines[s.target.0 as usize];
    let each: Vec<_> = step.streams.iter().map(engine).collect();
    let (aio, uring) = (Some(Engine::Libaio), Some(Engine::Uring(Polling::NONE)));
    assert_eq!(each, [aio, uring, aio, None]);
    // Those of one engine have the file in common.
    assert_eq!(step.streams[0].target, step.streams[2].target);
    let paths: Vec<String> = lowered
        .plan
        .targets
        .iter()
        .map(|t| t.location.text())
        .collect();
    assert_eq!(paths.iter().filter(|p| *p == "f").count(), 2, "{paths:?}");
    let weighted = text.replace("size=1m", "size=1m\nflow=2");
    assert!(refused(&weighted).contains("the jobs with weights have several engines"));
}

#[test]
fn a_map_is_the_page_cache_and_no_flag_makes_its_writes_durable() {
    let map =
        |options: &str| format!("[x]\nioengine=mmap\nfilename=f\nsize=1m\nrw=write\n{options}\n");
    let lowered = lower(&map("direct=1\natomic=1"));
    assert_eq!(lowered.plan.targets[0].caching, Caching::Buffered);
    let said = |what: &str| lowered.warnings.iter().any(|w| w.message.contains(what));
    assert!(
        said("never goes around it") && said("`atomic`"),
        "{:?}",
        lowered.warnings
    );
    assert!(refused(&map("sync=1")).contains("whatever sync= says"));
    assert_eq!(
        lower(&map("fsync=4")).plan.targets[0].durability,
        Durability::FsyncEvery(4)
    );
    assert!(refused("[x]\nioengine=libaio\nsize=1m\natomic=1\n").contains("`atomic`"));
}

#[test]
fn of_different_ramps_the_longest_counts_for_all() {
    let with = |ramps: [u32; 2], runtime: u32| {
        format!(
            "[global]\nioengine=null\nsize=1m\ntime_based\nruntime={runtime}\n[a]\nramp_time={}\n[b]\nramp_time={}\n",
            ramps[0], ramps[1]
        )
    };
    let lowered = lower(&with([2, 5], 10));
    let step = lowered.plan.steps().next().expect("a step");
    assert_eq!(
        (step.warmup, step.elapsed),
        (Nanos::secs(5), Nanos::secs(10))
    );
    // The first is through when fio's would be.
    assert_eq!(step.streams[0].window.until, Some(Nanos::secs(12)));
    assert!(
        lowered
            .warnings
            .iter()
            .any(|w| w.message.contains("the longest ramp"))
    );
    assert!(refused(&with([0, 20], 10)).contains("ramp"));
    let by_size = with([0, 2], 10).replace("time_based\n", "");
    assert!(refused(&by_size).contains("ramp"));
}

#[test]
fn rates_are_schedules_and_pauses_are_thoughts() {
    let s = stream(&format!("{ENDLESS}rw=randread\nrate_iops=500\niodepth=4"));
    assert_eq!(
        (s.fixed_rate, s.arrival),
        (Some(Rate(500.0)), Some(Arrival::Even))
    );
    let s = stream(&format!(
        "{ENDLESS}rw=randread\nrate=1m\nbs=4k\nrate_process=poisson"
    ));
    assert_eq!(
        (s.fixed_rate, s.arrival),
        (Some(Rate(256.0)), Some(Arrival::Exponential))
    );
    // fio gives each direction the rate: 500 reads and 500 writes.
    let both = step(&format!(
        "[x]\nioengine=null\nsize=1m\n{ENDLESS}rw=randrw\nrate_iops=500\n"
    ));
    let rates: Vec<_> = both.streams.iter().map(|s| (s.mix, s.fixed_rate)).collect();
    assert_eq!(
        rates,
        [
            (Mix::READS, Some(Rate(500.0))),
            (Mix::WRITES, Some(Rate(500.0)))
        ]
    );
    let ended = step("[x]\nioengine=null\nsize=8m\nrw=randrw\nrate_iops=300,100\n");
    let quotas: Vec<_> = ended.streams.iter().map(|s| s.quota.bytes).collect();
    assert_eq!(quotas, [Some(Bytes(6 << 20)), Some(Bytes(2 << 20))]);
    let think = stream(&format!("{ENDLESS}thinktime=2ms\nthinktime_blocks=4"))
        .throttle
        .think;
    let expected = Think {
        time: Nanos(2_000_000),
        every: 4,
        spread: Arrival::Even,
    };
    assert_eq!(think, Some(expected));
    // All come back before a pause, so no more are out than are done before one.
    let slots = |options: &str| {
        let s = stream(&format!("{ENDLESS}thinktime=2ms\n{options}"));
        let think = s.throttle.think.map(|t| t.every);
        (s.depth, think, s.fixed_rate)
    };
    assert_eq!(slots("iodepth=4"), (Some(1), Some(1), None));
    let blocks = |options: &str| slots(&format!("thinktime_blocks=6\n{options}"));
    assert_eq!(blocks("iodepth=3"), (Some(3), Some(2), None));
    assert_eq!(blocks("iodepth=4"), (Some(3), Some(2), None));
    assert_eq!(blocks("iodepth=8"), (Some(6), Some(1), None));
    // Of a rate and pauses the slower counts, or both.
    let rate = |rate: f64| Some(Rate(rate));
    assert_eq!(slots("rate_iops=100"), (Some(1), None, rate(100.0)));
    assert_eq!(slots("rate_iops=1000"), (Some(1), Some(1), None));
    let both = slots("rate_iops=500\nrate_ignore_thinktime=1");
    assert_eq!(both, (Some(1), None, rate(250.0)));
    // One direction as fast as it may.
    let one = format!("[x]\nioengine=null\nsize=1m\nrw=randrw\nrate_iops=,100\n{ENDLESS}");
    let rates: Vec<_> = step(&one).streams.iter().map(|s| s.fixed_rate).collect();
    assert_eq!(rates, [None, rate(100.0)]);
    refused_job("rw=randrw\nrate_iops=,100");
    refused_job(&format!("{ENDLESS}rate=1m\nrate_iops=10"));
}

#[test]
fn times_are_windows_of_a_step() {
    let text = "[global]\nioengine=null\nsize=1m\ntime_based\nramp_time=2\n[a]\nruntime=10\n[b]\nstartdelay=4\nruntime=3\n";
    let step = step(text);
    assert_eq!(
        (step.warmup, step.elapsed),
        (Nanos::secs(2), Nanos::secs(10))
    );
    assert!(step.streams[0].window.is_whole());
    let window = Window {
        from: Nanos::secs(4),
        until: Some(Nanos::secs(9)),
    };
    assert_eq!(step.streams[1].window, window);
    let flows =
        "[global]\nioengine=null\nsize=1m\ntime_based\nruntime=5\n[a]\nflow=8\n[b]\nflow=1\n";
    let step = self::step(flows);
    assert_eq!(step.load, Load::MaxShared);
    assert_eq!((step.streams[0].share, step.streams[1].share), (8.0, 1.0));
}

#[test]
fn content_and_durability_are_what_the_options_say() {
    let content = |options: &str| stream(&format!("rw=write\n{options}")).content;
    assert_eq!(content(""), ContentSpec::Unique);
    assert_eq!(content("zero_buffers"), ContentSpec::Zeros);
    assert_eq!(
        content("buffer_pattern=0xdead"),
        ContentSpec::Pattern(vec![0xde, 0xad])
    );
    let ContentSpec::Reducible {
        compress,
        dedupe: Some(dedupe),
    } = content("buffer_compress_percentage=75\ndedupe_percentage=50")
    else {
        panic!("not reducible")
    };
    assert_eq!(
        (compress, dedupe.ratio, dedupe.unit),
        (4.0, 2.0, Bytes(4096))
    );
    let durability = |options: &str| {
        lower(&format!("[x]\nsize=1m\nrw=write\n{options}\n"))
            .plan
            .targets[0]
            .durability
    };
    assert_eq!(durability("sync=1"), Durability::Sync);
    assert_eq!(durability("fsync=32"), Durability::FsyncEvery(32));
    assert_eq!(durability("end_fsync=1"), Durability::FsyncAtEnd);
    assert!(refused("[x]\nsize=1m\nrw=write\nfsync=1\nend_fsync=1\n").contains("two ways"));
}

#[test]
fn parts_of_files_are_ranges_of_targets() {
    let of = |options: &str| {
        let lowered = lower(&format!(
            "[x]\nfilename=/dev/x\ndirect=1\n{ENDLESS}{options}\n"
        ));
        let stream = lowered.plan.steps().next().expect("a step").streams[0].clone();
        let target = lowered.plan.targets[0].clone();
        (stream.address.range, target.size, target.offset)
    };
    let (m, none) = (|n: u64| Bytes(n << 20), Bytes(0));
    assert_eq!(of(""), (RangeSpec::Whole, None, none));
    assert_eq!(of("size=100%"), (RangeSpec::Whole, None, none));
    assert_eq!(of("size=4m"), (RangeSpec::Whole, Some(m(4)), none));
    assert_eq!(
        of("size=4m\noffset=2m"),
        (RangeSpec::Bytes(m(2), m(6)), Some(m(6)), none)
    );
    assert_eq!(of("offset=2m"), (RangeSpec::Whole, None, m(2)));
    assert_eq!(
        of("size=25%\noffset=50%"),
        (RangeSpec::Percent(50.0, 75.0), None, none)
    );
    assert!(
        refused(&format!(
            "[x]\nfilename=/dev/x\ndirect=1\n{ENDLESS}size=25%\noffset=1m\n"
        ))
        .contains("percentage")
    );
    // Two jobs on one file: as much of it as the larger needs.
    let both = lower("[global]\nfilename=f\nrw=randread\n[a]\nsize=4m\n[b]\nsize=8m\n");
    assert_eq!(both.plan.targets.len(), 1);
    assert_eq!(both.plan.targets[0].size, Some(m(8)));
    let names = lower("[x]\ndirectory=/a:/b\nnrfiles=2\nnumjobs=2\nsize=1m\nrw=randread\n");
    let files: Vec<String> = names
        .plan
        .targets
        .iter()
        .map(|t| t.location.text())
        .collect();
    assert_eq!(files, ["/a/x.0.0 + /a/x.0.1", "/b/x.1.0 + /b/x.1.1"]);
}

#[test]
fn jobs_begin_behind_those_that_they_wait_for() {
    let with = |of_a: &str, of_b: &str| {
        step(&format!(
            "[global]\nioengine=null\nsize=1m\n[a]\nnumjobs=2\n{of_a}\n[b]\nwait_for=a\n{of_b}\n[c]\nwait_for=b\n"
        ))
    };
    // When the first is over is known, and when the second is not.
    let known = with("time_based\nruntime=10\nstartdelay=1", "runtime=5");
    let window = |n: usize| known.streams[n].window;
    assert_eq!(known.streams[2].dependency, Dependency::default());
    assert_eq!(window(2).from, Nanos::secs(11));
    assert_eq!(window(2).until, Some(Nanos::secs(16)));
    assert_eq!(
        (known.streams[3].dependency.after.clone(), window(3).from),
        (vec![2], Nanos(0))
    );
    assert_eq!(known.elapsed, NO_TIME_LIMIT);
    let both = with("time_based\nruntime=10", "time_based\nruntime=5");
    assert_eq!(both.streams[3].window.from, Nanos::secs(15));
    let unknown = with("", "time_based\nruntime=5\nstartdelay=2");
    assert_eq!(unknown.streams[2].dependency.after, [0, 1]);
    let own = Window {
        from: Nanos::secs(2),
        until: Some(Nanos::secs(7)),
    };
    assert_eq!(unknown.streams[2].window, own);
    // One that is over when the step begins is not waited for.
    let over = lower("[global]\nioengine=null\nsize=1m\n[a]\n[b]\nstonewall\nwait_for=a\n");
    let streams = || over.plan.steps().flat_map(|s| &s.streams);
    assert!(streams().all(|s| s.dependency.is_none() && s.window.is_whole()));
    let text = "[global]\nioengine=null\nsize=1m\n[b]\nwait_for=a\n[a]\n";
    assert!(refused(text).contains("no job above b is called a"));
    let text = "[global]\nioengine=null\nsize=1m\n[x]\nname=a\n[y]\nname=a\n[b]\nwait_for=a\n";
    assert!(refused(text).contains("several jobs above b are called a"));
    let text = "[global]\nioengine=null\nsize=1m\n[a]\n[b]\nwait_for=a\nrate_iops=10\n";
    assert!(refused(text).contains("waits for the end of others"));
}

#[test]
fn the_end_of_a_job_ends_its_group_or_its_step_or_all() {
    let with = |what: &str| {
        lower(&format!(
            "[global]\nioengine=null\nsize=1m\n[a]\nexitall\n{what}\n[b]\n[c]\nnew_group\n[d]\nstonewall\n"
        ))
    };
    let turns = |lowered: &Lowered| -> Vec<(u32, Ends)> {
        let streams = lowered.plan.steps().flat_map(|s| s.streams.clone());
        streams
            .map(|s| (s.dependency.group, s.dependency.ends))
            .collect()
    };
    let (group, step, itself) = (Ends::Group, Ends::Step, Ends::Itself);
    assert_eq!(
        turns(&with("")),
        [(0, group), (0, group), (1, group), (0, itself)]
    );
    assert_eq!(
        turns(&with("exit_what=stonewall"))[..2],
        [(0, step), (0, group)]
    );
    // What comes behind a job whose end ends all never runs.
    let all = with("exit_what=all");
    assert_eq!(turns(&all), [(0, step), (0, group), (1, group)]);
    assert!(
        all.warnings
            .iter()
            .any(|w| w.message.contains("never runs"))
    );
    assert!(
        refused(
            "[a]\nioengine=null\nsize=1m\nexitall\nexit_what=some\n[b]\nioengine=null\nsize=1m\n"
        )
        .contains("exit_what=some")
    );
}

#[test]
fn a_start_within_two_times_is_another_for_each_clone_and_the_same_each_time() {
    let text = "[x]\nioengine=null\nsize=1m\ntime_based\nruntime=10\nnumjobs=20\nstartdelay=5-9\n";
    let one = step(text);
    let from: Vec<u64> = one
        .streams
        .iter()
        .map(|s| s.window.from.0 / 1_000_000)
        .collect();
    assert!(from.iter().all(|ms| (5000..=9000).contains(ms)), "{from:?}");
    let spread = from.iter().max().expect("some") - from.iter().min().expect("some");
    assert!(spread > 2000, "{from:?}");
    assert!(
        one.streams
            .iter()
            .all(|s| s.window.until == Some(Nanos(s.window.from.0 + 10_000_000_000)))
    );
    assert_eq!((step(text), one.elapsed), (one.clone(), Nanos::secs(19)));
    refused_job("startdelay=9-5");
}

#[test]
fn errors_by_their_numbers_change_nothing_where_all_may_come() {
    assert!(refused_job("ignore_error=EIO").contains("numbers"));
    let lowered =
        lower("[x]\nioengine=null\nsize=1m\nignore_error=,ENOSPC\ncontinue_on_error=write\n");
    assert_eq!(lowered.plan.max_errors, u64::MAX);
    assert!(
        lowered
            .warnings
            .iter()
            .any(|w| w.message.contains("counted all the same"))
    );
}

const SEARCH: &str = "time_based\nruntime=10\nlatency_target=5ms\nlatency_window=1s\n";

#[test]
fn a_depth_that_is_searched_for_is_one_worker_s_and_each_clone_s_own() {
    let text = format!(
        "[global]\nioengine=null\nsize=1m\niodepth=8\nnumjobs=2\nrw=randread\nnorandommap\ngroup_reporting\n{SEARCH}[x]\n"
    );
    let searched = step(&text);
    assert_eq!(searched.workers.count, Some(1));
    assert_eq!(searched.interval, Nanos(100_000_000));
    let depths: Vec<_> = searched.streams.iter().map(|s| s.depth).collect();
    assert_eq!(depths, [Some(8), Some(8)]);
    // Without a search the same clones are one stream.
    let usual = step(&text.replace("latency_target=5ms\n", ""));
    assert_eq!((usual.streams.len(), usual.workers.count), (1, None));
}

#[test]
fn a_depth_is_searched_for_by_all_jobs_that_start_together_and_beside_no_rate() {
    let two = |first: &str, second: &str| {
        format!("[global]\nioengine=null\nsize=1m\n[x]\n{first}[y]\n{second}")
    };
    assert!(refused(&two(SEARCH, "")).contains("only some of them search"));
    let other = SEARCH.replace("5ms", "6ms");
    assert!(refused(&two(SEARCH, &other)).contains("different latencies"));
    lower(&two(SEARCH, &format!("iodepth=4\n{SEARCH}")));
    lower(&two(SEARCH, "stonewall\n"));
    for beside in ["rate_iops=100", "thinktime=5", "flow=2", "startdelay=1"] {
        let said = refused_job(&format!("{SEARCH}{beside}"));
        assert!(said.contains("is searched for"), "{beside}: {said}");
    }
    assert!(refused_job(&format!("{SEARCH}latency_percentile=101")).contains("latency_percentile"));
}

#[test]
fn cpus_are_named_or_are_those_of_a_mask() {
    let pin = |options: &str| {
        step(&format!("[x]\nioengine=null\nsize=1m\n{options}\n"))
            .workers
            .pin
    };
    assert_eq!(pin("cpus_allowed=0-1,4"), Some(vec![0, 1, 4]));
    assert_eq!(pin("cpumask=0x13"), Some(vec![0, 1, 4]));
    assert_eq!(pin("cpumask=5"), Some(vec![0, 2]));
    assert_eq!(pin("rw=read"), None);
    assert!(refused_job("cpumask=0").contains("cpumask"));
    assert!(refused_job("cpumask=1\ncpus_allowed=0").contains("two ways"));
    let two = "[global]\nioengine=null\nsize=1m\n[x]\ncpumask=3\n[y]\n";
    assert!(refused(&format!("{two}cpus_allowed=2\n")).contains("different CPUs"));
    assert_eq!(
        step(&format!("{two}cpus_allowed=0,1\n")).workers.pin,
        Some(vec![0, 1])
    );
}

#[test]
fn blocks_between_pauses_are_those_that_have_completed() {
    let thinks = "thinktime=100\nthinktime_blocks=4\n";
    let usual = stream(thinks).throttle;
    assert_eq!(
        stream(&format!("{thinks}thinktime_blocks_type=complete")).throttle,
        usual
    );
    let said = refused_job(&format!("{thinks}thinktime_blocks_type=issue"));
    assert!(said.contains("when an I/O has completed"), "{said}");
    // Where there is no pause it says nothing.
    assert!(
        stream("thinktime_blocks_type=issue")
            .throttle
            .think
            .is_none()
    );
}

#[test]
fn rates_of_each_direction_and_pauses_come_to_what_fio_does_of_them() {
    let of = |rates: &str, reads: u32, pause_ms: u32| {
        let text = format!(
            "[x]\nioengine=null\nsize=64m\nbs=4k\nrw=randrw\nrwmixread={reads}\nrate_iops={rates}\nthinktime={pause_ms}ms\n\
             thinktime_blocks=4\nruntime=2\ntime_based\n"
        );
        let lowered = lower(&text);
        let step = lowered.plan.steps().next().expect("a step").clone();
        let pauses = step.streams[0].throttle.think.is_some();
        let rates: Vec<u64> = step
            .streams
            .iter()
            .filter_map(|s| s.fixed_rate)
            .map(|r| r.0.round() as u64)
            .collect();
        (rates, pauses)
    };
    // fio 3.33 on its null engine for 2 s: 200 reads and 80 writes; 200 and 1328 (of 1600 that the pauses let through); 77 and 83
    // (160); 117 and 43 (160).
    assert_eq!(of("100,40", 50, 10), (vec![100, 40], false));
    assert_eq!(of("100,", 80, 5), (vec![100, 700], false));
    assert_eq!(of("100,100", 50, 50), (vec![], true));
    assert_eq!(of("100,100", 80, 50), (vec![], true));
}
