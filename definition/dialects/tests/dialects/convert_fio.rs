//! Plans become job files that read back as the same load, and that say what fio has no word for.

use crate::corpora::{Read, read_all, read_own};
use plimsoll_diagnostic::{Sources, render_all};
use plimsoll_dialects::convert::{Engine, Original, to_fio};
use plimsoll_dialects::fio::{self, Input};
use plimsoll_dialects::native;
use plimsoll_plan::*;
use proptest::prelude::*;

const ENGINE: Engine<'_> = Engine {
    of_targets: &[],
    name: "libaio",
    batch: 1,
    reap: 1,
};

fn job_file(plan: &Plan, sources: &Sources) -> Result<String, String> {
    let original = Original {
        plan,
        sources,
        beside: &[],
    };
    to_fio(&original, ENGINE).map_err(|d| render_all(&d[..d.len().min(3)], sources))
}

fn read(name: &str, text: &str) -> Plan {
    let parsed = fio::parse(&Input::text(name, text));
    let parsed = parsed.unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let lowered = parsed.plan();
    let lowered = lowered.unwrap_or_else(|d| panic!("{}\n{text}", render_all(&d, &parsed.sources)));
    lowered.plan
}

/// How many slots a stream has to itself; `None` where it shares them with others, which no job does.
fn own_depth(step: &Step, stream: &Stream) -> Option<u32> {
    let shares = |s: &&Stream| s.target == stream.target && s.depth.is_none();
    let is_alone = step.streams.iter().filter(shares).count() < 2;
    stream.depth.or(is_alone.then(|| step.depth_for(stream)))
}

/// The load that a plan asks for, in the terms that fio has: each stream has slots of its own and a rate, jobs have their names,
/// and what is written matters where something is.
fn load(plan: &Plan) -> Plan {
    let mut plan = plan.normalized();
    plan.title = None;
    plan.max_errors = plan.max_errors.min(2);
    for target in &mut plan.targets {
        target.name = String::new();
        if target.location.paths().is_empty() {
            target.caching = Caching::Direct;
        }
    }
    let Plan { targets, items, .. } = &mut plan;
    for item in items {
        let Item::Step(step) = item else {
            panic!("fio has steps only")
        };
        (step.name, step.run) = (String::new(), String::new());
        step.loops.clear();
        step.workers.count = None;
        step.interval = Nanos::secs(1);
        let shares = step.shares();
        let depths: Vec<Option<u32>> = step.streams.iter().map(|s| own_depth(step, s)).collect();
        for (stream, depth) in step.streams.iter_mut().zip(depths) {
            stream.workload = String::new();
            stream.depth = depth;
            if let SizeSpec::Weighted(list) = &stream.size
                && let [(only, _)] = list[..]
            {
                stream.size = SizeSpec::Fixed(only);
            }
            let largest = stream.largest().0;
            if let Quota {
                bytes: Some(bytes),
                ios: Some(ios),
                ..
            } = stream.quota
                && bytes.0 >= ios * largest
            {
                stream.quota.bytes = None;
            }
            if stream.mix.write == 0.0 {
                stream.content = ContentSpec::Unique;
            }
            if let (Load::Rate { rate, arrival }, None) = (&step.load, stream.fixed_rate) {
                stream.fixed_rate = Some(Rate(rate.0 * stream.share / shares));
                stream.arrival = Some(*arrival);
                stream.share = 1.0;
            }
            let target = &targets[stream.target.0 as usize];
            if let (RangeSpec::Whole, Some(size)) = (stream.address.range, target.size) {
                stream.address.range = RangeSpec::Bytes(Bytes(0), size);
            }
        }
        step.streams = step.streams.iter().flat_map(split).collect();
        if step.streams.iter().all(|s| s.depth.is_some()) {
            step.depths.iter_mut().for_each(|d| d.slots = 0);
        }
        if matches!(step.load, Load::Rate { .. }) || step.streams.len() == 1 {
            step.load = Load::Max;
        }
    }
    plan
}

/// Random arrivals of reads and writes together are those of reads, and those of writes.
fn split(stream: &Stream) -> Vec<Stream> {
    let (Some(rate), true) = (
        stream.fixed_rate,
        stream.mix.read > 0.0 && stream.mix.write > 0.0,
    ) else {
        return vec![stream.clone()];
    };
    let part = |mix: Mix, percent: f64| Stream {
        mix,
        fixed_rate: Some(Rate((rate.0 * percent / 100.0).round())),
        content: if mix == Mix::READS {
            ContentSpec::Unique
        } else {
            stream.content.clone()
        },
        ..stream.clone()
    };
    vec![
        part(Mix::READS, stream.mix.read),
        part(Mix::WRITES, stream.mix.write),
    ]
}

fn same(name: &str, plan: &Plan, text: &str) {
    let back = read(name, text);
    let (was, is) = (load(plan), load(&back));
    assert!(was == is, "{name}\n{text}\n{}", difference(&was, &is));
}

/// The lines that are not the same in both.
fn difference(was: &Plan, is: &Plan) -> String {
    let (was, is) = (format!("{was:#?}"), format!("{is:#?}"));
    let pairs = was.lines().zip(is.lines()).filter(|(a, b)| a != b);
    let shown = pairs.take(12).map(|(a, b)| format!("- {a}\n+ {b}\n"));
    shown.collect()
}

#[test]
fn job_files_of_others_say_the_same_again() {
    let all = read_all();
    let jobs: Vec<&Read> = all.iter().filter(|r| r.plan.dialect == "fio").collect();
    if jobs.is_empty() {
        return plimsoll_skipped::skipped!("no job files of other people are here");
    }
    let mut refused = Vec::new();
    for Read {
        name,
        plan,
        sources,
    } in &jobs
    {
        match job_file(plan, sources) {
            Ok(text) => same(name, plan, &text),
            // What no other dialect has words for either.
            Err(why) if why.contains("which is not converted") => {}
            Err(why) => refused.push(format!("{name}: {why}")),
        }
    }
    // What is read of fio has fio's words; but not each order of several files, nor percentages of parts.
    assert!(
        refused.len() * 20 < jobs.len(),
        "{} of {}: {}",
        refused.len(),
        jobs.len(),
        refused.join("\n")
    );
}

#[test]
fn what_other_dialects_say_is_the_same_load_or_refused_by_name() {
    let mut written = 0;
    for Read {
        name,
        plan,
        sources,
    } in read_own().iter().chain(&read_all())
    {
        match job_file(plan, sources) {
            Ok(text) => {
                written += 1;
                same(name, plan, &text);
            }
            Err(why) => {
                let words = ["fio has no word for", "which is not converted"];
                assert!(words.iter().any(|w| why.contains(w)), "{name}: {why}");
            }
        }
    }
    assert!(written > 5, "{written}");
}

#[test]
fn synchronous_jobs_with_clones_stay_clones() {
    let text = |rest: &str| {
        format!(
            "[j]\nfilename=/tmp/x\nsize=1m\nioengine=psync\nrw=randread\nnorandommap=1\nnumjobs=4\ngroup_reporting\n{rest}\n"
        )
    };
    for (rest, clones) in [("runtime=1\ntime_based", true), ("number_ios=100", false)] {
        let plan = read("a.fio", &text(rest));
        let original = Original {
            plan: &plan,
            sources: &Sources::default(),
            beside: &[],
        };
        let psync = Engine {
            name: "psync",
            ..ENGINE
        };
        let written = to_fio(&original, psync)
            .unwrap_or_else(|d| panic!("{}", render_all(&d, &Sources::default())));
        same(rest, &plan, &written);
        assert_eq!(written.contains("numjobs=4\n"), clones, "{written}");
        assert!(!written.contains("posixaio"), "{written}");
    }
}

#[test]
fn orders_that_leap_are_written_as_fio_says_them() {
    for order in [
        "rw=read:-8k",
        "rw=randwrite:4",
        "rw=randread:16\nrw_sequencer=identical",
        "rw=read\nzonemode=strided\nzonesize=16k\nzonerange=64k\nzoneskip=4k",
        "rw=randread\nzonemode=strided\nzonesize=16k\nzonerange=64k",
    ] {
        let text = format!("[j]\nfilename=/tmp/x\nsize=1m\nruntime=1\ntime_based\n{order}\n");
        let plan = read("a.fio", &text);
        let written =
            job_file(&plan, &Sources::default()).unwrap_or_else(|e| panic!("{order}: {e}"));
        same(order, &plan, &written);
        assert!(
            order
                .lines()
                .skip(1)
                .all(|o| o.ends_with('k') || written.contains(o)),
            "{written}"
        );
    }
}

const HEAD: &str = "[target.disk]\npath = \"/dev/x\"\n[workload.w]\n";

fn refused(workload: &str, run: &str) -> String {
    let text = format!("{HEAD}{workload}\n[[run]]\n{run}\n");
    let native = native::parse("a.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    job_file(&native.plan, &native.sources).expect_err(&text)
}

#[test]
fn what_fio_has_no_word_for_is_shown_at_its_place() {
    let cases = [
        ("hits = { read = 50 }", "", "a hit set", 4),
        ("", "load = \"curve\"", "a curve", 5),
        ("max_rate = 5000", "", "most per second", 4),
        (
            "distribution = \"hotband\"",
            "",
            "distribution of Vdbench",
            4,
        ),
        ("priority = 1\nrate = 5", "", "priority", 4),
        (
            "read = 70\nrate = 50\narrival = \"even\"",
            "",
            "one rate of reads and writes",
            5,
        ),
        (
            "",
            "load = { schedule = \"5:1s\" }",
            "rates one after the other",
            6,
        ),
        ("read = 33.3", "", "not whole", 4),
        (
            "read = 70\naccess = \"sequential\"",
            "",
            "follow each other in one order of addresses",
            5,
        ),
        (
            "content = { file = \"/x\" }\nread = 0",
            "",
            "a file's bytes",
            4,
        ),
    ];
    for (workload, run, what, line) in cases {
        let message = refused(workload, run);
        assert!(message.contains(what), "{workload}{run}: {message}");
        assert!(
            message.contains(&format!("a.toml:{line}")) || line == 5 || line == 6,
            "{message}"
        );
    }
}

#[test]
fn slots_that_two_workloads_share_are_refused_and_those_of_each_are_not() {
    let text = |of_each: &str, of_run: &str| {
        format!(
            "[target.d]\npath = \"/dev/x\"\nsize = \"1g\"\n[workload.a]\n{of_each}\n[workload.b]\nread = 0\n{of_each}\n\
             [[run]]\nload = 1000\n{of_run}\n"
        )
    };
    let written = |text: &str| {
        let native = native::parse("a.toml", text).unwrap_or_else(|e| panic!("{e}"));
        (native.plan.clone(), job_file(&native.plan, &native.sources))
    };
    let (_, shared) = written(&text("", "depth = 32"));
    let refusal = shared.expect_err("no two jobs share slots");
    assert!(
        refusal.contains("it shares 32 slots of target `d` with others"),
        "{refusal}"
    );
    let (plan, apart) = written(&text("depth = 16", ""));
    let apart = apart.expect("a job file");
    same("a depth each", &plan, &apart);
    assert_eq!(apart.matches("\niodepth=16\n").count(), 2, "{apart}");
}

#[test]
fn reads_and_writes_that_go_through_a_file_each_are_a_job_of_both() {
    let text =
        format!("{HEAD}read = 70\naccess = {{ sequential = \"each\" }}\n[[run]]\nfor = \"5s\"\n");
    let native = native::parse("a.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    let written = job_file(&native.plan, &native.sources).expect("a job file");
    assert!(written.contains("\nrw=rw\nrwmixread=70\n"), "{written}");
    same("each", &native.plan, &written);
}

#[test]
fn a_name_that_fio_would_take_for_another_is_refused() {
    let convert = |path: &str| {
        let text = format!("[target.d]\npath = '{path}'\nsize = \"1m\"\n[workload.w]\n[[run]]\n");
        let native = native::parse("a.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        job_file(&native.plan, &native.sources)
    };
    for path in [
        "/tmp/a#b",
        "/tmp/a;b",
        "/tmp/${HOME}",
        "/tmp/a\\b",
        " a",
        "/tmp/\"a\"",
    ] {
        let refused = convert(path).expect_err(path);
        assert!(refused.contains("the name"), "{refused}");
    }
    let colon = convert("/dev/disk/by-path/pci-0000:00:1f.2").expect("a job file");
    assert!(colon.contains("pci-0000\\:00\\:1f.2"), "{colon}");
}

/// What a job may say.
const OPTIONS: [&str; 64] = [
    "rw=read",
    "rw=write",
    "rw=randread",
    "rw=randwrite",
    "rw=rw",
    "rw=randrw",
    "rw=randtrim",
    "rw=read:8k",
    "rwmixread=0",
    "rwmixread=30",
    "rwmixread=100",
    "bs=8k",
    "bs=512",
    "bs=4k,16k",
    "bs=64k",
    "bssplit=4k/60:64k/40",
    "bssplit=4k/10:8k/90,16k",
    "bsrange=4k-64k",
    "bsrange=4k-16k,8k-8k",
    "iodepth=1",
    "iodepth=4",
    "iodepth=32",
    "numjobs=1",
    "numjobs=3",
    "filename=/tmp/a",
    "filename=/tmp/b\\:c",
    "filename=/tmp/a:/tmp/b",
    "offset=1m",
    "offset=64k",
    "io_size=3m",
    "io_size=100k",
    "number_ios=10",
    "loops=2",
    "direct=1",
    "norandommap=1",
    "random_distribution=zipf:1.2",
    "random_distribution=pareto:0.3",
    "random_distribution=normal:10",
    "random_distribution=zoned:60/10:40/90",
    "percentage_random=20",
    "rate_iops=100",
    "rate_iops=100,50",
    "rate_process=poisson",
    "thinktime=100",
    "thinktime=5ms",
    "runtime=10",
    "runtime=1500ms",
    "time_based=1",
    "ramp_time=2",
    "startdelay=3",
    "sync=dsync",
    "sync=sync",
    "fsync=8",
    "buffer_compress_percentage=50",
    "buffer_compress_percentage=30",
    "dedupe_percentage=20",
    "zero_buffers=1",
    "buffer_pattern=0xdeadbeef",
    "buffer_pattern=\"abc\"",
    "zonemode=strided\nzonesize=4k\nzoneskip=12k",
    "cpus_allowed=0-1",
    "flow=3",
    "stonewall=1",
    "group_reporting=1",
];

fn job() -> impl Strategy<Value = String> {
    proptest::sample::subsequence(&OPTIONS[..], 0..7).prop_map(|lines| {
        let lines = lines.into_iter().map(|line| format!("{line}\n"));
        lines.collect()
    })
}

/// How many of the drawn files were planned.
static PLANNED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

#[test]
fn drawn_job_files_say_the_same_again() {
    let config = ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        max_global_rejects: 100_000,
        ..ProptestConfig::default()
    };
    proptest!(config, |(first in job(), second in job())| {
        let text = format!("[global]\nioengine=libaio\nsize=16m\nfilename=/tmp/x\n[a]\n{first}[b]\n{second}");
        let Ok(parsed) = fio::parse(&Input::text("drawn.fio", &text)) else {
            return Ok(());
        };
        let Ok(lowered) = parsed.plan() else {
            return Ok(());
        };
        if let Ok(again) = job_file(&lowered.plan, &parsed.sources) {
            PLANNED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            same(&text, &lowered.plan, &again);
        }
    });
    let planned = PLANNED.load(std::sync::atomic::Ordering::Relaxed);
    assert!(planned > 40, "{planned}");
}

#[test]
fn a_rate_that_is_no_whole_number_of_ios_is_one_of_bytes() {
    // As diskplorer of ScyllaDB writes its jobs.
    let text = "[x]\nfilename=/tmp/x\nsize=1g\nioengine=libaio\nbs=131072\nrw=write\nrate=160076021\ntime_based\nruntime=10\n";
    let parsed = fio::parse(&Input::text("a.fio", text)).expect("a job");
    let plan = parsed.plan().expect("a plan").plan;
    let again = job_file(&plan, &parsed.sources).unwrap_or_else(|e| panic!("{e}"));
    assert!(again.contains("rate=160076021\n"), "{again}");
    same(text, &plan, &again);
}
