//! Logs of I/Os in jobs and in TOML: what the plan knows of them, and where a mistake is shown.

use plimsoll_dialects::convert::{Original, to_native};
use plimsoll_dialects::fio::{self, Input, Lowered};
use plimsoll_dialects::native;
use plimsoll_plan::*;
use std::path::PathBuf;

/// Two files, four I/Os, a sync.
const LOG: &str = "fio version 3 iolog\n0 /t/a add\n0 /t/b add\n0 /t/a open\n0 /t/b open\n1000 /t/a write 0 4096\n\
                   2000 /t/b read 8192 512\n2000 /t/a sync 0 0\n3000 /t/a read 4096 4096\n500000 /t/a trim 65536 8192\n";

struct Logs(tempfile::TempDir);

impl Logs {
    fn new() -> Self {
        Logs(tempfile::tempdir().expect("a folder"))
    }

    fn add(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("a log");
        path
    }
}

fn lower(text: &str) -> Result<Lowered, String> {
    let parsed = fio::parse(&Input::text("a.fio", text)).unwrap_or_else(|e| panic!("{e}"));
    parsed.plan().map_err(|errors| {
        let one = |e: &plimsoll_diagnostic::Diagnostic| {
            let place = e
                .labels
                .first()
                .map(|l| parsed.sources.line_column(l.span.file, l.span.start));
            format!("{:?} {}\n", place.map(|(line, _)| line), e.message)
        };
        errors.iter().map(one).collect()
    })
}

fn job(log: &str, options: &str) -> String {
    format!("[x]\ndirect=1\niodepth=8\nioengine=libaio\nread_iolog={log}\n{options}\n")
}

fn streams(text: &str) -> (Plan, Vec<Stream>) {
    let plan = lower(text).unwrap_or_else(|e| panic!("{e}")).plan;
    let streams = plan.steps().flat_map(|s| s.streams.clone()).collect();
    (plan, streams)
}

#[test]
fn a_job_does_what_its_log_says() {
    let logs = Logs::new();
    let log = logs.add("log", LOG).display().to_string();
    let (plan, streams) = streams(&job(&log, "rw=randwrite\nbs=1m\nsize=1k"));
    let [stream] = &streams[..] else {
        panic!("{streams:#?}")
    };
    let target = &plan.targets[0];
    let files = vec!["/t/a".into(), "/t/b".into()];
    assert_eq!(target.location, Location::Concat(files));
    assert_eq!(target.size, None);
    let replay = stream.replayed().expect("a log");
    assert!(replay.is_timed());
    assert_eq!(replay.facts.ios, [2, 1, 1]);
    assert_eq!(replay.facts.syncs, 1);
    assert_eq!(replay.facts.length, Nanos(500_000_000));
    assert_eq!(stream.mix, Mix::from([50.0, 25.0, 25.0]));
    assert_eq!((stream.smallest().0, stream.largest().0), (512, 8192));
    assert_eq!(stream.fixed_rate, Some(Rate(8.0)));
    assert_eq!((stream.depth, stream.quota.ios), (Some(8), Some(4)));
    assert_eq!(plan.steps().next().expect("a step").elapsed, NO_TIME_LIMIT);
}

#[test]
fn the_options_of_a_replay_change_what_it_says() {
    let logs = Logs::new();
    let log = logs.add("log", LOG).display().to_string();
    let facts = |options: &str| {
        let (plan, streams) = streams(&job(&log, options));
        (
            plan.targets[0].clone(),
            streams[0].replayed().expect("a log").clone(),
        )
    };
    let (target, to_one) = facts("replay_redirect=/t/c");
    assert_eq!(target.location, Location::Path("/t/c".into()));
    assert_eq!(target.size, Some(Bytes(65536 + 8192)));
    assert_eq!(
        (to_one.facts.end, to_one.facts.end_line),
        (Bytes(73728), 10)
    );
    let (device, _) = facts("replay_redirect=/dev/nothing");
    assert_eq!(device.size, None);
    let (_, at_once) = facts("replay_no_stall=1");
    assert!(!at_once.is_timed());
    let (_, fast) = facts("replay_time_scale=400");
    assert_eq!(fast.facts.length, Nanos(125_000_000));
    let (_, small) = facts("replay_redirect=/t/c\nreplay_scale=16\nreplay_align=4k");
    assert_eq!(small.facts.end, Bytes(4096 + 8192));
    let (target, some) = facts("replay_skip=read,trim");
    assert_eq!((some.facts.ios, some.facts.syncs), ([0, 1, 0], 1));
    assert_eq!(target.location, Location::Path("/t/a".into()));
    let (null, _) = facts("ioengine=null");
    assert_eq!(null.location, Location::Null(Bytes(73728)));
}

#[test]
fn each_clone_replays_all_of_its_log() {
    let logs = Logs::new();
    let (a, b) = (
        logs.add("a", LOG),
        logs.add("b", &LOG.replace("/t/a", "/t/c")),
    );
    let both = format!("{}:{}", a.display(), b.display());
    let (plan, streams) = streams(&job(&both, "numjobs=3\ngroup_reporting"));
    let of = |s: &Stream| plan.target(s.target).location.paths()[0].clone();
    let files: Vec<PathBuf> = streams.iter().map(of).collect();
    assert_eq!(files, [PathBuf::from("/t/a"), "/t/c".into(), "/t/a".into()]);
    assert!(
        streams
            .iter()
            .all(|s| s.replayed().is_some_and(|r| r.facts.all_ios() == 4))
    );
}

#[test]
fn what_is_wrong_with_a_log_is_shown_at_its_option() {
    let logs = Logs::new();
    let good = logs.add("good", LOG).display().to_string();
    let bad = logs.add("bad", "fio version 2 iolog\n/t/a add\n/t/a read 0\n");
    let bad = bad.display().to_string();
    let huge = logs.add(
        "huge",
        "fio version 2 iolog\n/t/a add\n/t/a trim 0 2147483648\n",
    );
    let huge = huge.display().to_string();
    for (log, options, said) in [
        (bad.as_str(), "", "Some(5) "),
        (bad.as_str(), "", "line 3: it ends before its length"),
        ("/nowhere/log", "", "/nowhere/log cannot be replayed"),
        ("/dev/zero", "", "it is no regular file"),
        (
            &good,
            "verify=crc32c",
            "Some(6) job x replays a log, and `verify`",
        ),
        (&good, "thinktime=10", "`thinktime` does not go with that"),
        (&good, "directory=/t", "`directory` does not go with that"),
        (&good, "replay_align=3000", "no power of two"),
        (&good, "replay_time_scale=0", "`replay_time_scale=0`"),
        (
            &good,
            "replay_skip=read,erase",
            "`replay_skip=erase` cannot be read",
        ),
        (&good, "merge_blktrace_file=x", "`merge_blktrace_file`"),
        (
            &good,
            "replay_redirect=/t/c\nfilesize=4k",
            "Some(5) line 10 of",
        ),
        (&huge, "bs=4k", "Some(5) workload `x` has I/Os of 2GiB"),
    ] {
        let found = lower(&job(log, options)).expect_err(options);
        assert!(found.contains(said), "{options}: {found}");
    }
}

fn toml(log: &str, workload: &str, run: &str) -> Result<Plan, String> {
    let text = format!(
        "[target.a]\npath = \"/t/c\"\nsize = \"1m\"\n[workload.w]\nreplay = {log}\n{workload}\n[[run]]\n{run}\n"
    );
    native::parse("a.toml", &text)
        .map(|read| read.plan)
        .map_err(|failure| failure.to_string())
}

#[test]
fn toml_has_a_word_for_a_log() {
    let logs = Logs::new();
    let log = logs.add("log", LOG).display().to_string();
    let plan = toml(&format!("\"{log}\""), "", "").unwrap_or_else(|e| panic!("{e}"));
    let step = plan.steps().next().expect("a step");
    let replay = step.streams[0].replayed().expect("a log");
    assert_eq!((replay.facts.ios, replay.facts.syncs), ([2, 1, 1], 1));
    assert_eq!((step.elapsed, step.warmup), (NO_TIME_LIMIT, Nanos(0)));
    let all = format!(
        "{{ log = \"{log}\", times = false, speed = \"50%\", scale = 2, align = \"4k\", skip = \"sync trim\" }}"
    );
    let plan =
        toml(&all, "depth = 4", "for = \"5s\"\nwarmup = \"1s\"").unwrap_or_else(|e| panic!("{e}"));
    let step = plan.steps().next().expect("a step");
    let replay = step.streams[0].replayed().expect("a log");
    let options = ReplayOptions {
        at_once: true,
        speed: 50,
        scale: 2,
        align: 4096,
        skip: vec![Op::Trim, Op::Sync],
    };
    assert_eq!(replay.options, options);
    assert_eq!(step.elapsed, Nanos::secs(5));
    assert_eq!(step.warmup, Nanos::secs(1));
}

#[test]
fn nothing_in_toml_says_something_beside_a_log() {
    let logs = Logs::new();
    let log = format!("\"{}\"", logs.add("log", LOG).display());
    for (workload, run, said) in [
        ("block = \"8k\"", "", "replays a log, and has `block`"),
        ("rate = 100", "", "replays a log, and has `rate`"),
        (
            "",
            "block = [\"4k\", \"8k\"]",
            "has `block`, and its workload `w` replays a log",
        ),
        ("", "load = 1000", "and its run asks for a load"),
        ("", "load = \"curve\"", "whose load no method can change"),
    ] {
        let found = toml(&log, workload, run).expect_err(said);
        assert!(found.contains(said), "{found}");
    }
    let bad = format!("\"{}\"", logs.add("bad", "x\n").display());
    let found = toml(&bad, "", "").expect_err("no log");
    assert!(
        found.contains("a.toml:5:10") && found.contains("its first line is neither"),
        "{found}"
    );
}

#[test]
fn jobs_that_replay_say_the_same_in_toml() {
    let logs = Logs::new();
    let log = logs.add("log", LOG).display().to_string();
    for options in [
        "",
        "replay_no_stall=1",
        "replay_redirect=/t/c\nreplay_scale=2\nreplay_align=4k\nreplay_time_scale=50\nreplay_skip=sync",
        "numjobs=2\nruntime=3\nzero_buffers",
    ] {
        let text = job(&log, options);
        let parsed = fio::parse(&Input::text("a.fio", &text)).expect("jobs");
        let plan = parsed.plan().expect("a plan").plan;
        let original = Original {
            plan: &plan,
            sources: &parsed.sources,
            beside: &[],
        };
        let written = to_native(&original).unwrap_or_else(|e| panic!("{e:#?}"));
        let back = native::parse("b.toml", &written).unwrap_or_else(|e| panic!("{e}\n{written}"));
        assert_eq!(plan.normalized(), back.plan.normalized(), "{written}");
    }
}
