//! What a filer is known to do: each figure is the one that its model's documentation has a formula for.

use crate::stage::{MS, PersonaFile, Stage, rate};
use plimsoll_plan::*;
use plimsoll_sim::FilerLook;

/// An array of 100 us, and a filer whose calls take a thread 10 us and whose changes hold a lock for 100 us; what else it has comes behind.
const FILER: &str = r#"
name = "filer"
about = "A filer of fixed times"
scale = 1.0
luns = { count = 2, gib = 1.0 }
ports = { count = 1, paths = 1, mib_s = 1e9, command_us = 0.0 }
latency = { read_us = 100.0, write_us = 100.0 }
[filer]
nodes = 1
threads = 64
network_us = 20.0
client_us = 1.0
attributes_s = 1.0
directory_us = 100.0
call_us = 10.0
"#;

/// What was counted in a second of one operation, after a tenth of one.
struct Second {
    first: FilerLook,
    last: FilerLook,
}

impl Second {
    fn of(&self, count: impl Fn(&FilerLook) -> u64) -> f64 {
        (count(&self.last) - count(&self.first)) as f64 / 0.9
    }
}

/// A second of an operation on a tree of so many directories and files in each, `mount` behind the persona; `depth` in flight.
fn second(persona: &str, mount: &str, numbers: [u64; 2], op: Op, load: Load, depth: u32) -> Second {
    let file = PersonaFile::new(persona);
    let [width, files] = numbers;
    let tree = Tree {
        root: file.lab(mount).into(),
        depth: 1,
        width: width as u32,
        files,
        on_all_levels: false,
        sizes: FileSizes::Fixed(Bytes(4096)),
        part: TreePart::default(),
        names: None,
    };
    let target = Target::new("t", Location::Tree(Box::new(tree)));
    let mut stage = Stage::of(vec![target], 42);
    let making = match op {
        Op::Create => Making::Directories,
        _ => Making::Missing,
    };
    let target = stage.targets[0].clone();
    stage.lab.make_tree(TargetId(0), &target, making, 42);
    let mut step = stage.step(load);
    step.depths = Depth::each([TargetId(0)], depth);
    step.streams[0].mix = Mix::only(op);
    let done = stage.run(&step);
    let look = |at: usize| done.looks[at][0].filer.expect("a filer");
    assert_eq!(done.looks.len(), 10, "{:?}", done.outcome);
    Second {
        first: look(0),
        last: look(9),
    }
}

fn close(measured: f64, expected: f64, within: f64) {
    assert!(
        (measured / expected - 1.0).abs() <= within,
        "{measured} is not {expected}"
    );
}

#[test]
fn a_directory_takes_as_many_creates_as_its_lock_and_two_take_twice_as_many_until_the_threads_end_it()
 {
    let creates = |persona: &str, width| {
        let all = second(
            persona,
            "",
            [width, 60_000 / width],
            Op::Create,
            Load::Max,
            32,
        );
        all.of(|look| look.counters.changes)
    };
    // 1 / 100 us. Of 32 that are drawn over two locks, 32 / 33 keep both busy.
    close(creates(FILER, 1), 10_000.0, 0.001);
    close(creates(FILER, 2), 20_000.0 * 32.0 / 33.0, 0.03);
    // Two threads, each held for 390 us of work, 100 us of a lock that is mostly free, and 10 us of the close.
    let few = FILER.replace("threads = 64", "threads = 2");
    let few = format!("{few}call_us_of = {{ create = 390.0 }}\n");
    close(creates(&few, 100), 2e9 / 500_000.0, 0.01);
}

#[test]
fn a_client_answers_what_it_was_told_within_the_time_out_and_nothing_where_that_is_zero() {
    let stats = |mount: &str| {
        let load = rate(10_000.0);
        let all = second(FILER, mount, [1, 1000], Op::Stat, load, 64);
        let asked = all.of(|look| look.counters.asked);
        let calls = all.of(|look| look.counters.calls);
        close(asked, 10_000.0, 0.03);
        1.0 - calls / asked
    };
    assert!(stats("?actimeo=0") < 0.001);
    // Each file 10 times a second. In the first second nothing expires, and whatever was asked for once is known.
    let never_asked = (-1.0_f64).exp();
    let known = 1.0 - (never_asked - (-10.0_f64).exp()) * 1000.0 / 9_000.0;
    close(stats(""), known, 0.01);
    // In the long run the share is r T / (1 + r T): T = 0.1 s here.
    let short = FILER.replace("attributes_s = 1.0", "attributes_s = 0.1");
    let all = second(&short, "", [1, 1000], Op::Stat, rate(10_000.0), 64);
    let share = all.of(|look| look.counters.by_client) / all.of(|look| look.counters.asked);
    close(share, 0.5, 0.03);
}

#[test]
fn changes_wait_for_a_flush_that_comes_back_with_its_period_and_answers_for_it_where_they_are_to() {
    let log = "[filer.log]\nperiod_ms = 100.0\nsize_kib = 1024\nrecord_bytes = 512\nflush_us = 10000.0\nmib_s = 1e6\n";
    let logged = format!("{FILER}{log}");
    let all = second(&logged, "", [100, 500], Op::Create, rate(2_000.0), 200);
    close(all.of(|look| look.counters.flushes), 10.0, 0.12);
    // A tenth of them, each for half a flush.
    let waited = all.of(|look| look.counters.log_waited_ns) / all.of(|look| look.counters.changes);
    close(waited, 0.1 * 5.0 * MS as f64, 0.1);
    let answers = format!("{logged}answers_wait = true\n");
    let one = second(&answers, "", [1, 500], Op::Create, Load::Max, 1);
    close(one.of(|look| look.counters.changes), 10.0, 0.12);
    // Full after two records: (1 KiB / 512) / (10 ms and what filling takes).
    let small = logged.replace("size_kib = 1024", "size_kib = 1");
    let all = second(&small, "", [100, 500], Op::Create, Load::Max, 32);
    close(all.of(|look| look.counters.changes), 2.0 / 0.010, 0.03);
}

#[test]
fn bytes_come_from_the_array_behind_it_and_a_step_is_the_same_again() {
    let reads = || second(FILER, "", [2, 100], Op::Read, Load::Max, 4);
    let all = reads();
    // A read of a whole file: 30 us of an open, of a close, and of a call with 100 us of the array.
    close(
        all.of(|look| look.counters.calls) / 3.0,
        4e9 / 190_000.0,
        0.001,
    );
    assert_eq!(all.last, reads().last);
}

#[test]
fn what_a_filer_does_not_have_is_said() {
    let file = PersonaFile::new(crate::stage::PLAIN);
    let open = |root: String, files| {
        let tree = Tree {
            root: root.into(),
            depth: 1,
            width: 1,
            files,
            on_all_levels: false,
            sizes: FileSizes::Fixed(Bytes(1 << 20)),
            part: TreePart::default(),
            names: None,
        };
        let target = Target::new("t", Location::Tree(Box::new(tree)));
        let refused = plimsoll_sim::Lab::open(&[target], &[true], 1);
        refused
            .err()
            .map_or(String::new(), |(_, error)| error.to_string())
    };
    assert!(open(file.lab(""), 1).contains("has no filer"));
    let filer = PersonaFile::new(FILER);
    assert!(open(filer.lab(""), 2000).contains("does not fit into a share"));
    assert_eq!(open(filer.lab("/lun1"), 10), "");
}
