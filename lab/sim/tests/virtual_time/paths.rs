//! Paths that fail: the host goes on over the others.

use crate::stage::{MS, PLAIN, PersonaFile, Stage};
use plimsoll_plan::{Load, Nanos};

/// The plain array with a script.
fn scripted(faults: &str) -> Stage {
    let file = PersonaFile::new(&format!("{PLAIN}{faults}"));
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.fill();
    stage
}

const SECOND: u64 = 1_000 * MS;

#[test]
fn a_path_that_refuses_costs_nothing_and_is_used_again_once_it_is_up() {
    let mut stage =
        scripted("[[faults]]\nat = \"2s\"\nfault = \"path-down\"\npath = 1\nfor = \"4s\"\n");
    let mut step = stage.step(Load::Max);
    step.elapsed = Nanos(20 * SECOND);
    let done = stage.run(&step);
    assert_eq!(done.outcome.errors, 0);
    assert!(done.ios() >= 20 * 40_000 - 10, "{}", done.ios());
    let (used, refused): (Vec<u64>, Vec<u64>) = stage.look(|a| {
        a.front_end()
            .paths()
            .iter()
            .map(|p| (p.requests, p.failed))
            .unzip()
    });
    // Found by a request at 2 s, looked at at 7 s: a third of 15 s, where the others have half of 5 s more.
    assert_eq!(refused, [0, 1, 0]);
    let share = used[1] as f64 / used[0] as f64;
    assert!((share - 5.0 / 7.5).abs() < 0.001, "{share}");
}

#[test]
fn a_path_that_is_silent_holds_what_it_swallowed_for_the_hosts_time_out() {
    let mut stage =
        scripted("[[faults]]\nat = \"2s\"\nfault = \"path-down\"\npath = 0\nsilent = true\n");
    let mut step = stage.step(Load::Max);
    step.elapsed = Nanos(40 * SECOND);
    step.interval = Nanos(SECOND);
    let done = stage.run(&step);
    assert_eq!((done.outcome.errors, done.outcome.lost.len()), (0, 0));
    let rates: Vec<u64> = done.intervals.iter().map(|i| i.stats.ios()).collect();
    assert_eq!(rates.len(), 40);
    assert!(rates[..2].iter().all(|r| *r >= 39_990), "{rates:?}");
    assert_eq!(rates[3..31], [0; 28]);
    assert!(rates[33..].iter().all(|r| *r >= 39_990), "{rates:?}");
    let longest = |i: &plimsoll_engine::MergedInterval| {
        let ops = i.stats.streams.iter().flat_map(|s| &s.ops);
        ops.filter_map(|o| o.service.max_ns()).max()
    };
    let longest = done.intervals.iter().filter_map(longest).max();
    // 30 s, and 100 us on the path that works.
    assert_eq!(longest, Some(30 * SECOND + MS / 10));
}

#[test]
fn without_any_path_requests_fail() {
    let mut stage = scripted(
        "[[faults]]\nat = \"0s\"\nfault = \"path-down\"\npath = 0\n\
         [[faults]]\nat = \"0s\"\nfault = \"path-down\"\npath = 1\n\
         [[faults]]\nat = \"0s\"\nfault = \"path-down\"\npath = 2\n",
    );
    stage.options.max_errors = 20;
    let done = stage.run(&stage.step(Load::Max));
    assert!(done.outcome.too_many_errors);
    assert_eq!(done.ios(), 0);
    assert!((20..24).contains(&done.outcome.errors));
}

#[test]
fn a_controller_takes_its_ports_along_and_the_host_goes_over_those_of_the_others() {
    let two = PLAIN.replace("count = 1\npaths = 3", "count = 2\npaths = 2");
    let cores = "[cores]\ncontrollers = 2\nper_controller = 1\nslice_kib = 1024\nowner_share = 1.0\n\
                 fingerprint_share = 0.0\nread = { base_ns = 0.0, chunk_ns = 0.0 }\n\
                 write = { base_ns = 0.0, chunk_ns = 0.0 }\nswitch_ns = 0.0\nzero_factor = 1.0\n\
                 duplicate_factor = 1.0\n";
    let fault = "[[faults]]\nat = \"2s\"\nfault = \"controller-failover\"\ncontroller = 1\n\
                 pause = \"0s\"\nfor = \"4s\"\n";
    let file = PersonaFile::new(&format!("{two}{cores}{fault}"));
    let mut stage = Stage::new(&[&file.lab("")]);
    stage.fill();
    let mut step = stage.step(Load::Max);
    step.elapsed = Nanos(20 * SECOND);
    let done = stage.run(&step);
    assert_eq!(done.outcome.errors, 0);
    assert!(done.ios() >= 20 * 40_000 - 10, "{}", done.ios());
    let paths: Vec<(u64, u64)> = stage.look(|a| {
        let paths = a.front_end().paths().iter();
        paths.map(|p| (p.requests, p.failed)).collect()
    });
    assert_eq!([paths[0].1, paths[1].1], [0, 1]);
    // Found by a request at 2 s, looked at at 7 s, when it is back: half of 15 s.
    let share = paths[1].0 as f64 / (paths[0].0 + paths[1].0) as f64;
    assert!((share - 7.5 / 20.0).abs() < 0.001, "{share}");
}
