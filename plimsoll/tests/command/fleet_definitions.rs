//! Definitions that say what each of several hosts does, carried out by agents over a real nats-server. What each did is read from
//! its own files and its own record.

use crate::fleet::{Fleet, due};
use crate::fleet_ssh::Hosts;
use crate::place::soon;
use plimsoll_record::{Record, RunStatus};
use std::path::Path;

const SPLIT: &str = r#"
[host.a]

[host.b]
share = 2
paths = { own = "null:2GiB" }

[host.idle]

[target.all]
path = "t.dat"
size = "12m"
shared = "split"
hosts = ["a", "b"]

[target.own]
path = "null:1GiB"
hosts = "b"

[workload.w]
read = 0
block = "4k"
targets = "all"

[workload.r]
read = 100
targets = "own"
rate = 250

[[run]]
name = "both"
load = 1200
arrival = "even"
for = "2s"
warmup = "0s"

[[run]]
name = "alone"
workloads = "r"
for = "2s"
warmup = "0s"
"#;

/// The megabytes of a file in which something else than zeros lies.
fn written(path: &Path) -> Vec<usize> {
    let bytes = std::fs::read(path).expect("a file");
    let pieces = bytes.chunks(1 << 20).enumerate();
    let full = pieces.filter(|(_, piece)| piece.iter().any(|b| *b != 0));
    full.map(|(at, _)| at).collect()
}

/// I/Os that came due of each of a step's workloads.
fn by_workload(record: &Record, step: usize) -> Vec<(String, u64)> {
    let steps = record.steps().expect("steps");
    let streams = steps[step].streams.iter().map(|s| s.workload.clone());
    streams.zip(due(record, steps[step].number)).collect()
}

#[test]
fn each_host_does_what_the_definition_says_of_it_and_nothing_else() {
    let Some(fleet) = Fleet::new(&[
        ("a", &["--allow-destroy", "*"]),
        ("b", &["--allow-destroy", "*"]),
    ]) else {
        return;
    };
    fleet.place.text("d.toml", SPLIT);
    for host in ["a", "b"] {
        let file = fleet.folder(host).join("t.dat");
        std::fs::write(file, vec![0; 12 << 20]).expect("a file");
    }
    fleet.run(&["run", "d.toml", "--destroy", "t.dat"]).ok();
    // Twelve megabytes, of which the first host has a third and the second the rest.
    assert_eq!(written(&fleet.folder("a").join("t.dat")), [0, 1, 2, 3]);
    assert_eq!(
        written(&fleet.folder("b").join("t.dat")),
        [4, 5, 6, 7, 8, 9, 10, 11]
    );
    let own = fleet.own();
    assert_eq!(own.len(), 2, "the idle host is not needed");
    let steps = |n: usize| own[n].steps().expect("steps").len();
    assert_eq!((steps(0), steps(1)), (1, 2), "the second run is b's alone");
    let close = |ios: u64, due: u64| assert!(ios.abs_diff(due) <= due / 50, "{ios} of {due}");
    let all_due = |record: &Record, step: u32| due(record, step).iter().sum::<u64>();
    close(all_due(&own[0], 1), 2 * 400);
    let done: Vec<(String, u64)> = by_workload(&own[1], 0);
    assert_eq!(done.len(), 2);
    for (name, ios) in done {
        close(ios, if name == "w" { 2 * 800 } else { 2 * 250 });
    }
    // Its own path of the target that only it has.
    let targets = &own[1].environment().targets;
    let size = |name: &str| {
        targets
            .iter()
            .find(|t| t.name == name)
            .map(|t| t.size_bytes)
    };
    assert_eq!(size("own"), Some(2 << 30));
    let record = fleet.record();
    assert_eq!(*record.status(), RunStatus::Completed);
    let all = record.steps().expect("steps");
    let names = |n: usize| -> Vec<&str> { all[n].hosts.iter().map(|h| h.name.as_str()).collect() };
    assert_eq!((names(0), names(1)), (vec!["a", "b"], vec!["b"]));
    close(all_due(&record, all[0].number), 2 * (1200 + 250));
    close(all_due(&record, all[1].number), 2 * 250);
    assert_eq!(all[0].offered, Some(1450.0));
    let size = |name: &str| {
        let targets = &record.environment().targets;
        targets
            .iter()
            .find(|t| t.name == name)
            .map(|t| t.size_bytes)
    };
    assert_eq!((size("all"), size("own")), (Some(12 << 20), Some(2 << 30)));
    soon(|| fleet.there().iter().all(|(_, busy)| busy.is_none()));
}

const EACH_ITS_OWN: &str = r#"
[host.a]
[host.b]

[target.small]
path = "null:1GiB"
hosts = "a"

[target.large]
path = "null:2GiB"
hosts = "b"

[workload.pages]
block = "4k"
targets = "small"
rate = 100

[workload.scan]
block = "64k"
targets = "large"
rate = 200

[[run]]
arrival = "even"
for = "2s"
warmup = "0s"
"#;

#[test]
fn what_a_host_did_counts_for_the_workload_that_it_did_it_of() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    fleet.place.text("d.toml", EACH_ITS_OWN);
    fleet.run(&["run", "d.toml"]).ok();
    // Each host has one workload, and it is the first of its own.
    let own = fleet.own();
    let (pages, scan) = (by_workload(&own[0], 0), by_workload(&own[1], 0));
    assert_eq!((pages[0].0.as_str(), scan[0].0.as_str()), ("pages", "scan"));
    assert!(
        scan[0].1 > pages[0].1 && pages[0].1 > 0,
        "{pages:?} {scan:?}"
    );
    let record = fleet.record();
    assert_eq!(by_workload(&record, 0), [pages[0].clone(), scan[0].clone()]);
    for interval in record.intervals(1).expect("intervals") {
        let bytes: Vec<u64> = interval
            .stats
            .streams
            .iter()
            .map(|s| s.ops[0].bytes)
            .collect();
        let ios: Vec<u64> = interval
            .stats
            .streams
            .iter()
            .map(|s| s.ops[0].ios)
            .collect();
        assert_eq!(bytes, [ios[0] << 12, ios[1] << 16]);
    }
}

const VDBENCH: &str = "hd=a,system=10.0.0.6,shell=ssh\nhd=b,system=10.0.0.7,shell=ssh\n\
    sd=s,lun=null:1GiB,threads=7\nwd=w,sd=s,xfersize=4k,rdpct=100\nwd=q,sd=s,xfersize=4k,rdpct=100,seekpct=eof\n\
    rd=r,wd=w,iorate=500,elapsed=3,interval=1,distribution=deterministic\n";

#[test]
fn a_vdbench_file_with_hosts_is_carried_out_by_them() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    fleet.place.text("d.parm", VDBENCH);
    fleet.run(&["run", "d.parm"]).ok();
    let record = fleet.record();
    let step = &record.steps().expect("steps")[0];
    let parts: Vec<(&str, Option<f64>)> = step
        .hosts
        .iter()
        .map(|h| (h.name.as_str(), h.offered))
        .collect();
    assert_eq!(parts, [("a", Some(250.0)), ("b", Some(250.0))]);
    // Vdbench's threads are those of all hosts together: four here and three there.
    let own = fleet.own();
    let slots = |n: usize| own[n].steps().expect("steps")[0].slots;
    assert_eq!((slots(0), slots(1)), (4, 3));
    assert_eq!(step.slots, 7);
}

const TREES: &str = "hd=a,system=10.0.0.6,shell=ssh\nhd=b,system=10.0.0.7,shell=ssh\nfsd=default,depth=1,width=3,files=4,size=8k\n\
    fsd=f1,anchor=t1\nfsd=f2,anchor=t2\nfwd=default,operation=getattr,threads=2\nfwd=w1,fsd=f1,host=a\nfwd=w2,fsd=f2,host=b\n\
    fwd=w3,fsd=f2,host=b\nrd=r,fwd=w*,fwdrate=400,elapsed=3,interval=1,format=yes,distribution=deterministic\n";

/// Each host makes its own tree of three directories and twelve files, and does half of the rate on it, in however many workloads.
#[test]
fn trees_of_a_vdbench_file_are_made_and_worked_on_by_their_hosts() {
    let flags: &[&str] = &["--allow-destroy", "*"];
    let Some(fleet) = Fleet::new(&[("a", flags), ("b", flags)]) else {
        return;
    };
    fleet.place.text("d.parm", TREES);
    fleet.run(&["run", "d.parm"]).ok();
    for (host, own, other) in [("a", "t1", "t2"), ("b", "t2", "t1")] {
        let folder = fleet.folder(host);
        assert!(!folder.join(other).exists());
        for directory in 1..=3 {
            let path = folder.join(own).join(format!("vdb.1_{directory}.dir"));
            let files = std::fs::read_dir(path).expect("a directory");
            let sizes = files.map(|f| f.and_then(|f| f.metadata()).expect("a file").len());
            assert_eq!(sizes.collect::<Vec<u64>>(), [8 << 10; 4]);
        }
    }
    let record = fleet.record();
    let steps = record.steps().expect("steps");
    // The first of the three seconds does not count, as in Vdbench.
    assert_eq!(due(&record, steps[1].number), [400, 200, 200]);
}

#[test]
fn what_cannot_be_carried_out_so_is_refused_before_anything_begins() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    fleet.place.text("d.toml", SPLIT);
    let nothing = || {
        let made = ["a", "b"]
            .iter()
            .any(|h| fleet.folder(h).join("t.dat").exists());
        assert!(!made && fleet.own().is_empty());
    };
    // No agent may write.
    fleet.run(&["run", "d.toml"]).refused(&[
        "all would be written",
        "start the agent with --allow-destroy 't.dat'",
    ]);
    nothing();
    fleet.run(&["run", "d.toml", "--hosts", "a,b"]).refused(&[
        "the definition says what each of the hosts a, b, idle does",
        "leave --hosts out",
    ]);
    let other = SPLIT
        .replace("[host.b]", "[host.c]")
        .replace("\"b\"", "\"c\"");
    fleet.place.text("other.toml", &other);
    fleet
        .run(&["run", "other.toml"])
        .refused(&["no agent called c"]);
    let agent = SPLIT.replace("[host.a]", "[host.a]\nshell = \"agent\"");
    fleet.place.text("agent.toml", &agent);
    let done = fleet.place.plimsoll("run agent.toml");
    done.refused(&["an agent called a is to run on a", "--nats"]);
    let rsh = VDBENCH.replace("shell=ssh\nsd", "shell=rsh\nsd");
    fleet.place.text("rsh.parm", &rsh);
    let done = fleet.place.plimsoll("run rsh.parm");
    done.refused(&["rsh.parm:2", "rsh", "shell=ssh"]);
    let lonely = fleet.place.plimsoll("run null:1g --for 1s --lease 8s");
    lonely.refused(&["--lease is of hosts", "--hosts"]);
    nothing();
}

#[test]
fn hosts_of_a_definition_are_reached_by_ssh_and_this_host_without_it() {
    let Some(hosts) = Hosts::new(2) else { return };
    let [_, ssh, server] = hosts.reach();
    let text = "[host.first]\naddress = \"198.51.100.66\"\nuser = \"root\"\n[host.second]\naddress = \"198.51.100.67\"\n\
        [host.mine]\naddress = \"localhost\"\nshare = 2\n[target.t]\npath = \"t.dat\"\nsize = \"1m\"\n[workload.w]\nread = 0\n\
        block = \"4k\"\n[[run]]\nload = 1000\narrival = \"even\"\nfor = \"2s\"\nwarmup = \"0s\"\n";
    hosts.place.text("d.toml", text);
    let words = ["run", "d.toml", "--ssh", &ssh, "--nats-server", &server];
    let words = [&words[..], &["--record", "all.plim"]].concat();
    hosts.place.plimsoll(&words).ok();
    let record = Record::open(&hosts.place.path("all.plim")).expect("a record");
    let step = &record.steps().expect("steps")[0];
    let parts: Vec<(&str, Option<f64>)> = step
        .hosts
        .iter()
        .map(|h| (h.name.as_str(), h.offered))
        .collect();
    assert_eq!(
        parts,
        [
            ("first", Some(250.0)),
            ("second", Some(250.0)),
            ("mine", Some(500.0))
        ]
    );
    for place in ["home0/t.dat", "home1/t.dat", "t.dat"] {
        assert_eq!(written(&hosts.place.path(place)), [0], "{place}");
    }
    let home = |n: u32| hosts.place.path(&format!("home{n}/.cache/plimsoll"));
    assert!(home(0).exists() && home(1).exists(), "copied there");
    soon(|| hosts.left() == 0);
}
