//! A definition that is for several hosts, where they are not.

use std::process::{Command, Output};

const HOSTS: &str = "[host.a]\n[host.b]\naddress = \"10.0.0.7\"\n[target.t]\npath = \"t.dat\"\nsize = \"1m\"\n\
    shared = \"split\"\n[workload.w]\nread = 0\n[[run]]\nload = 100\nfor = \"1s\"\n";

const VDBENCH: &str = "hd=a,system=10.0.0.6,shell=ssh\nhd=b,system=10.0.0.7\nsd=s,lun=t.dat,size=1m,threads=8\n\
    wd=w,sd=s,xfersize=4k,rdpct=0\nrd=r,wd=w,iorate=100,elapsed=2,interval=1\n";

fn plimsoll(folder: &std::path::Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(words).current_dir(folder);
    command.output().expect("it runs")
}

#[test]
fn a_definition_with_hosts_is_planned_by_host_and_not_run_on_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("d.toml", HOSTS).expect("a file");
    write("d.parm", VDBENCH).expect("a file");
    for (file, depth) in [("d.toml", "128"), ("d.parm", "4")] {
        let planned = plimsoll(folder.path(), &["plan", file]);
        let text = String::from_utf8_lossy(&planned.stdout).into_owned();
        assert!(planned.status.success(), "{planned:?}");
        let row = text.lines().find(|l| l.contains("50/s, exponential"));
        let row: Vec<&str> = row
            .unwrap_or_else(|| panic!("{text}"))
            .split_whitespace()
            .collect();
        assert_eq!(row[1..5], ["a", "50/s,", "exponential", depth], "{text}");
        // Neither here, where they cannot be reached, nor by hosts that somebody names beside them.
        let nobody = ["--ssh", "false", "--nats-server", "/bin/true"];
        for (flags, remedy) in [
            (&nobody[..], "cannot be reached by ssh"),
            (&["--hosts", "localhost"], "leave --hosts out"),
        ] {
            let run = plimsoll(folder.path(), &[&["run", file], flags].concat());
            let printed = String::from_utf8_lossy(&run.stderr).into_owned();
            assert_eq!(run.status.code(), Some(2), "{printed}");
            assert!(printed.contains(remedy), "{printed}");
        }
        assert!(!folder.path().join("t.dat").exists());
    }
}

#[test]
fn a_split_target_is_not_taken_for_one_that_all_use_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = HOSTS.replace("[host.a]\n[host.b]\naddress = \"10.0.0.7\"\n", "");
    assert!(!text.contains("host."));
    std::fs::write(folder.path().join("d.toml"), text).expect("a file");
    let run = plimsoll(folder.path(), &["run", "d.toml", "--hosts", "localhost"]);
    let printed = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(2), "{printed}");
    assert!(printed.contains("a range of t each"), "{printed}");
}
