//! What jobs become: streams, their sizes, orders and content, and targets.

use plimsoll_dialects::fio::engine::Engine;
use plimsoll_dialects::fio::{self, Input, Lowered};
use plimsoll_plan::*;

pub fn lower(text: &str) -> Lowered {
    let parsed = fio::parse(&Input::text("a.fio", text)).unwrap_or_else(|e| panic!("{e}"));
    parsed.plan().unwrap_or_else(|e| panic!("{e:#?}"))
}

pub fn refused(text: &str) -> String {
    let parsed = fio::parse(&Input::text("a.fio", text)).unwrap_or_else(|e| panic!("{e}"));
    let errors = parsed.plan().expect_err(text);
    errors.iter().map(|e| e.message.clone() + "\n").collect()
}

pub fn step(text: &str) -> Step {
    let lowered = lower(text);
    lowered.plan.steps().next().expect("a step").clone()
}

/// One job on the null engine.
pub fn stream(options: &str) -> Stream {
    let step = step(&format!("[x]\nioengine=null\nsize=1m\n{options}\n"));
    assert_eq!(step.streams.len(), 1, "{options}");
    step.streams[0].clone()
}

pub fn refused_job(options: &str) -> String {
    refused(&format!("[x]\nioengine=null\nsize=1m\n{options}\n"))
}

pub const ENDLESS: &str = "time_based\nruntime=10\n";

#[test]
fn operations_and_orders_are_those_of_rw() {
    let of = |rw: &str| {
        let s = stream(&format!("{ENDLESS}rw={rw}"));
        (s.mix, s.address.pattern)
    };
    let mix = |read, write, trim| Mix::from([read, write, trim]);
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
        let expected = Pattern::random(distribution);
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
    // Of shares that are not 100 together the last has the rest, or is cut.
    assert_eq!(of("bssplit=4k/60:8k/20:16k/9"), split);
    assert_eq!(of("bssplit=4k/60:8k/20:16k/90"), split);
    let range = SizeSpec::range(Bytes(4096), Bytes(65536), Bytes(4096));
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
    assert_eq!(quota("rw=randread\nbs=12k"), bytes(85 * (12 << 10)));
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
fn trims_of_libaio_are_one_by_one_whatever_the_depth() {
    for (engine, rw, depth) in [
        ("libaio", "randtrim", 1),
        ("libaio", "trim", 1),
        ("libaio", "randwrite", 128),
        ("io_uring", "randtrim", 128),
    ] {
        let lowered = lower(&format!(
            "[x]\nioengine={engine}\nfilename=/dev/x\nsize=1g\ndirect=1\nrw={rw}\niodepth=128\nruntime=9\ntime_based\n"
        ));
        let step = lowered.plan.steps().next().expect("a step");
        assert_eq!(step.streams[0].depth, Some(depth), "{engine} {rw}");
        let said = lowered.warnings.iter().any(|w| w.code == "F0143");
        assert_eq!(said, depth == 1, "{engine} {rw}");
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
    // A sync behind each write leaves none for the end.
    assert_eq!(
        durability("fsync=1\nend_fsync=1"),
        Durability::FsyncEvery(1)
    );
    assert!(refused("[x]\nsize=1m\nrw=write\nfsync=2\nend_fsync=1\n").contains("two ways"));
    // By strace of fio 3.33: of 64 writes in 4 loops with either option it syncs behind the 16th, 32nd, 48th and 64th.
    for option in ["end_fsync=1", "fsync_on_close=1"] {
        let synced = durability(&format!("size=64k\nbs=4k\nloops=4\n{option}"));
        assert_eq!(synced, Durability::FsyncEvery(16));
        let unknown = lower(&format!(
            "[x]\nsize=64k\nbsrange=4k-8k\nrw=write\nloops=4\n{option}\n"
        ));
        assert_eq!(unknown.plan.targets[0].durability, Durability::FsyncAtEnd);
        let said = unknown.warnings.iter().map(|w| &w.message);
        assert_eq!(
            said.filter(|m| m.contains("behind each of its 4 loops"))
                .count(),
            1
        );
    }
}

#[test]
fn libaio_on_the_page_cache_waits_while_it_submits() {
    let said = |options: &str| {
        let lowered = lower(&format!(
            "[x]\nfilename=f\nsize=1m\nrw=randread\n{options}\n"
        ));
        let depth = lowered.plan.steps().next().expect("a step").streams[0].depth;
        (
            depth,
            lowered
                .warnings
                .iter()
                .filter(|w| w.code == "F0143")
                .count(),
        )
    };
    let libaio = "ioengine=libaio\niodepth=32";
    assert_eq!(said(libaio), (Some(32), 1));
    assert_eq!(said(&format!("{libaio}\ndirect=1")), (Some(32), 0));
    assert_eq!(said("ioengine=libaio\niodepth=1"), (Some(1), 0));
    assert_eq!(said("ioengine=io_uring\niodepth=32"), (Some(32), 0));
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
fn of_a_file_whose_size_is_said_percentages_are_bytes() {
    let range = |options: &str| {
        let text = format!("[x]\nioengine=null\nbs=4k\n{options}\n");
        step(&text).streams[0].address.range
    };
    let bytes = |from: u64, to: u64| RangeSpec::Bytes(Bytes(from), Bytes(to));
    assert_eq!(
        range("filesize=1m\nsize=50%\noffset=50%"),
        bytes(512 << 10, 1 << 20)
    );
    // fio 3.33 begins at the next whole I/O: 84 of them from 348160.
    assert_eq!(
        range("filesize=1m\nsize=33%\noffset=33%"),
        bytes(348_160, 348_160 + 84 * 4096)
    );
}

#[test]
fn a_percentage_where_fio_takes_a_number_is_refused_with_what_to_write() {
    let text = "[x]\nioengine=null\nsize=1m\nrw=randrw\nrwmixwrite=10%\n";
    let refusal = fio::parse(&Input::text("a.fio", text)).expect_err("a percentage");
    assert!(
        refusal.to_string().contains("write rwmixwrite=10:"),
        "{refusal}"
    );
}
