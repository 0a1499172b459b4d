//! Trees that several hosts share, carried out by agents over a real nats-server: each host has files of its own, and all of them have
//! the directories in common.

use crate::fleet::{Fleet, due};
use crate::place::soon;
use plimsoll_record::Record;
use std::path::Path;

/// Six directories and twelve files, which both hosts delete, make, read and delete again.
const OF_VDBENCH: &str = "hd=a,system=10.0.0.6,shell=ssh\nhd=b,system=10.0.0.7,shell=ssh\n\
    fsd=f,anchor=../t,depth=2,width=2,files=3,size=8k,shared=yes\n\
    fwd=w,fsd=f,operation=read,xfersize=4k,threads=4\n\
    rd=default,fwd=w,fwdrate=200,elapsed=3,interval=1,distribution=deterministic\n\
    rd=make,format=(restart,only)\nrd=r\n";
const CLEAN: &str = "rd=clean,format=(clean,only)\n";

const FLAGS: &[&str] = &["--allow-target", "../t", "--allow-destroy", "../t"];

fn fleet() -> Option<Fleet> {
    Fleet::new(&[("a", FLAGS), ("b", FLAGS)])
}

/// Sizes of the files below a directory, and the number of directories.
fn below(folder: &Path) -> (Vec<u64>, usize) {
    let (mut sizes, mut directories) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder).expect("a directory") {
        let entry = entry.expect("an entry");
        let metadata = entry.metadata().expect("it is there");
        if metadata.is_dir() {
            let (more, count) = below(&entry.path());
            sizes.extend(more);
            directories += 1 + count;
        } else {
            sizes.push(metadata.len());
        }
    }
    (sizes, directories)
}

/// Operations of each name in a host's own step.
fn done(record: &Record, step: usize, op: &str) -> u64 {
    let steps = record.steps().expect("steps");
    let ops = steps[step].ops.iter().filter(|o| o.op.name() == op);
    ops.map(|o| o.ios).sum()
}

#[test]
fn hosts_make_a_tree_of_vdbenchs_together_work_on_their_own_files_and_delete_it() {
    let Some(fleet) = fleet() else {
        return;
    };
    let root = fleet.place.path("t");
    fleet.place.text("d.parm", OF_VDBENCH);
    fleet.run(&["run", "d.parm"]).ok();
    assert_eq!(below(&root), (vec![8 << 10; 12], 6));
    // Each file was made once, and each directory: by whichever host came first.
    let own = fleet.own();
    let made = |op| own.iter().map(|r| done(r, 0, op)).collect::<Vec<u64>>();
    assert_eq!(made("create"), [6, 6]);
    assert_eq!(made("write"), [6, 6]);
    assert_eq!(made("mkdir").iter().sum::<u64>(), 6);
    let record = fleet.record();
    let steps = record.steps().expect("steps");
    assert_eq!((steps[1].errors, steps[1].slots), (0, 4));
    assert_eq!(due(&record, steps[1].number), [400]);
    for own in &own {
        assert_eq!(due(own, 2), [200]);
    }

    // What is there may be lost, where somebody says so.
    fleet.place.text("c.parm", &format!("{OF_VDBENCH}{CLEAN}"));
    fleet
        .run(&["run", "c.parm"])
        .refused(&["has files", "--destroy ../t"]);
    fleet.run(&["run", "c.parm", "--destroy", "../t"]).ok();
    assert_eq!(below(&root), (Vec::new(), 0));
}

/// Of the second run's names in the four lowest directories six are the first run's, and six of the first's are none of them.
#[test]
fn hosts_give_a_tree_of_vdbenchs_other_numbers_together_and_delete_what_is_there_of_all() {
    let Some(fleet) = fleet() else {
        return;
    };
    let more = "rd=more,format=(restart,only),files=4,size=16k\n";
    fleet.place.text("d.parm", &format!("{OF_VDBENCH}{more}"));
    fleet.run(&["run", "d.parm"]).ok();
    let root = fleet.place.path("t");
    let (mut sizes, directories) = below(&root);
    sizes.sort_unstable();
    assert_eq!(sizes, [[8 << 10; 6].as_slice(), &[16 << 10; 16]].concat());
    assert_eq!(directories, 6);
    let clean = CLEAN.replace("only)", "only),files=1");
    fleet
        .place
        .text("c.parm", &format!("{OF_VDBENCH}{more}{clean}"));
    fleet.run(&["run", "c.parm", "--destroy", "../t"]).ok();
    assert_eq!(below(&root), (Vec::new(), 0));
}

const NATIVE: &str = "[host.a]\n[host.b]\n[target.t]\ntree = { root = \"../t\", depth = 1, width = 3, files = 5 }\nfile_size = \"4k\"\n\
    caching = \"buffered\"\nshared = true\n[workload.w]\noperations = { create = 50, delete = 50 }\n";

/// Two hosts that took the same file would meet names that are there already, or gone.
#[test]
fn files_that_hosts_make_and_delete_in_one_tree_are_each_ones_own() {
    let Some(fleet) = fleet() else {
        return;
    };
    let run = "[[run]]\nfor = \"1s\"\nwarmup = \"0s\"\ndepth = 4\n";
    fleet.place.text("d.toml", &format!("{NATIVE}{run}"));
    fleet.run(&["run", "d.toml"]).ok();
    let record = fleet.record();
    let step = &record.steps().expect("steps")[0];
    assert!(
        step.errors == 0 && step.ios > 100,
        "{} of {}",
        step.errors,
        step.ios
    );
    // A load on one host's files alone is none on the tree.
    fleet
        .place
        .text("one.toml", &format!("{NATIVE}hosts = \"a\"\n{run}"));
    fleet
        .run(&["run", "one.toml", "--destroy", "../t"])
        .refused(&[
            "works on the tree `t` with only some of the hosts that share it",
            "give every run on the tree all of its hosts",
        ]);
    let directories = NATIVE.replace("delete = 50", "mkdir = 50");
    fleet
        .place
        .text("dirs.toml", &format!("{directories}{run}"));
    fleet
        .run(&["run", "dirs.toml", "--destroy", "../t"])
        .refused(&["has `mkdir` on the tree `t`, which hosts share"]);
}

/// Hosts of a command line have the files in the order in which they are named there.
#[test]
fn an_agent_that_takes_a_lost_ones_place_joins_the_run_on_a_shared_tree() {
    let Some(mut fleet) = fleet() else {
        return;
    };
    let run = "[[run]]\nfor = \"3s\"\nwarmup = \"0s\"\ndepth = 4\n";
    fleet.place.text("d.toml", &format!("{NATIVE}{run}"));
    let mut running = fleet.begin(&["run", "d.toml", "--destroy", "../t", "--lease", "8s"]);
    soon(|| {
        Record::open(&fleet.place.path("all.plim"))
            .is_ok_and(|r| r.interval_count(1).is_ok_and(|n| n >= 1))
    });
    fleet.kill("b");
    fleet.start("b", FLAGS);
    assert_eq!(running.0.wait().expect("ended").code(), Some(0));
    let steps = fleet.record().steps().expect("steps");
    let [again] = &steps[..] else {
        panic!("{} steps", steps.len())
    };
    assert_eq!((again.number, again.hosts.len(), again.errors), (2, 2, 0));
}

#[test]
fn hosts_of_a_command_line_share_a_tree_that_says_so() {
    let Some(fleet) = fleet() else {
        return;
    };
    let definition = NATIVE.replace("[host.a]\n[host.b]\n", "");
    let run = "[[run]]\nfor = \"1s\"\nwarmup = \"0s\"\ndepth = 4\n";
    fleet.place.text("d.toml", &format!("{definition}{run}"));
    fleet.run(&["run", "d.toml", "--hosts", "a,b"]).ok();
    let step = &fleet.record().steps().expect("steps")[0];
    assert!(
        step.errors == 0 && step.ios > 100,
        "{} of {}",
        step.errors,
        step.ios
    );
    // One directory of two hosts, of which nobody says that they share it: they meet at its lock, or in what both found.
    let own = definition.replace("shared = true\n", "");
    fleet.place.text("own.toml", &format!("{own}{run}"));
    fleet
        .run(&["run", "own.toml", "--hosts", "a,b", "--destroy", "../t"])
        .refused(&["say shared = true of the target"]);
    // Where it is yet to be made, the second finds that the first has made it.
    let root = fleet.place.path("t");
    std::fs::remove_dir_all(&root).expect("removed");
    fleet
        .run(&["run", "own.toml", "--hosts", "a,b"])
        .refused(&["say shared = true of the target"]);
}
