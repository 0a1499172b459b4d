//! Runs by ssh whose controller is killed: the server that it started stays for another, and not for longer than the lease.

use crate::fleet_ssh::Hosts;
use crate::place::{TestFolder, soon};
use plimsoll_record::{Record, RunStatus};
use std::process::{Child, Stdio};
use std::time::Duration;

const RATE: [&str; 6] = ["run", "null:1GiB", "--rate", "1000", "--arrival", "even"];

fn begin(place: &TestFolder, words: &[&str]) -> Child {
    let mut command = place.command(words);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

fn kill(mut run: Child) {
    run.kill().expect("killed");
    run.wait().expect("ended");
}

fn has(hosts: &Hosts, intervals: u32) -> bool {
    let record = Record::open(&hosts.place.path("all.plim"));
    record.is_ok_and(|r| r.interval_count(1).is_ok_and(|n| n >= intervals))
}

/// Processes that the run started here, in the folder in which its record lies: the server and who keeps it.
fn left_here(hosts: &Hosts) -> Vec<String> {
    let mine = hosts.place.folder().canonicalize().expect("a folder");
    let all = std::fs::read_dir("/proc").expect("processes");
    let of = |entry: std::fs::DirEntry| {
        let here = std::fs::read_link(entry.path().join("cwd")).ok()?;
        let words = std::fs::read(entry.path().join("cmdline")).ok()?;
        let words: Vec<String> = String::from_utf8_lossy(&words)
            .split('\0')
            .map(String::from)
            .collect();
        let is_server = words.first()?.ends_with("nats-server");
        let is_keeper = words.get(1).is_some_and(|w| w == "keep-server");
        (here == mine && (is_server || is_keeper)).then(|| words.join(" "))
    };
    all.filter_map(|e| of(e.ok()?)).collect()
}

#[test]
fn a_run_by_ssh_goes_on_under_another_controller_and_nothing_stays() {
    let Some(hosts) = Hosts::new(2) else { return };
    let reach = hosts.reach();
    let rest = ["--for", "15s", "--warmup", "0s", "--lease", "20s"];
    let words = [&RATE[..], &rest].concat();
    let run = begin(&hosts.place, &hosts.words(&words, &reach));
    soon(|| has(&hosts, 2));
    assert_eq!(left_here(&hosts).len(), 2, "the server and its keeper");
    kill(run);
    let run = begin(&hosts.place, &["attach", "all.plim"]);
    soon(|| has(&hosts, 8));
    kill(run);
    std::thread::sleep(Duration::from_secs(2));
    let mut run = begin(&hosts.place, &["attach", "all.plim"]);
    assert_eq!(run.wait().expect("ended").code(), Some(0));
    let record = Record::open(&hosts.place.path("all.plim")).expect("a record");
    assert_eq!(*record.status(), RunStatus::Completed);
    let all = record.intervals(1).expect("intervals");
    assert_eq!(all.iter().map(|i| i.stats.ios()).sum::<u64>(), 15_000);
    drop(record);
    soon(|| hosts.left() == 0 && left_here(&hosts).is_empty());
    assert!(!hosts.place.path("all.plim.attach").exists());
}

#[test]
fn a_run_by_ssh_that_nobody_takes_over_is_gone_after_its_lease() {
    let Some(hosts) = Hosts::new(2) else { return };
    let reach = hosts.reach();
    let rest = ["--for", "10m", "--warmup", "0s", "--lease", "6s"];
    let words = [&RATE[..], &rest].concat();
    let run = begin(&hosts.place, &hosts.words(&words, &reach));
    soon(|| has(&hosts, 2));
    kill(run);
    soon(|| hosts.left() == 0 && left_here(&hosts).is_empty());
    let late = hosts.place.plimsoll("attach all.plim");
    late.refused(&["no host knows of the run"]);
    assert!(!hosts.place.path("all.plim.attach").exists());
}
