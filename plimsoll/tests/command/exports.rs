//! Exports of NBD servers as targets: nbdkit's, where it is installed.

use crate::place::{Done, MIB, QUICK, TestFolder, soon, typed};
use crate::underway::Underway;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server of a file; ends with this.
pub struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Serves what the arguments say on a socket in the place; `None`, said, where nbdkit is not installed.
pub fn serve(place: &TestFolder, socket: &str, arguments: &[&str]) -> Option<Server> {
    let child = Command::new("nbdkit")
        .current_dir(place.folder())
        .args(["-f", "-U", socket])
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = child else {
        plimsoll_skipped::skipped!("nbdkit is not installed");
        return None;
    };
    let server = Server(child);
    // The file is there a moment before anyone listens on it.
    soon(|| UnixStream::connect(place.path(socket)).is_ok());
    Some(server)
}

#[test]
fn an_export_that_holds_data_is_written_only_when_named() {
    let place = TestFolder::new();
    let Some(_server) = serve(&place, "s", &["memory", "4m"]) else {
        return;
    };
    let uri = "nbd+unix:///?socket=s";
    let run = |words: &[&str]| place.quick(&[&["run", uri, "--no-record"], words].concat());
    let planned = place.plimsoll(&format!("plan {uri} --read 0")).ok();
    planned.says(&["--destroy 'nbd+unix:///?socket=s'"]);
    // Never written: nothing to read, and not filled unasked.
    run(&[]).refused(&["are holes", "--allow-unwritten", "--fill"]);
    run(&["--read", "0"]).ok();
    run(&["--read", "0"]).refused(&["it holds data", "--destroy 'nbd+unix:///?socket=s'"]);
    run(&["--read", "0", "--destroy", uri]).ok();
    run(&["--destroy", uri]).ok();
    run(&[]).ok();
    run(&["--backend", "io_uring"]).refused(&["a client of its own"]);
    run(&["--block", "64m"]).refused(&["64MiB"]);
}

#[test]
fn a_blank_export_is_filled_where_that_is_asked_for() {
    let place = TestFolder::new();
    let Some(_server) = serve(&place, "s", &["memory", "4m"]) else {
        return;
    };
    let uri = "nbd+unix:///?socket=s";
    let words = ["run", uri, "--fill", "--no-record", "--json"];
    let filled = place.quick(&words).ok().json();
    assert_eq!(filled["steps"][0]["fill"], true);
    place.quick(&format!("run {uri} --no-record -q")).ok();
    // What holds data is not filled, nor written, for that.
    place
        .quick(&format!("run {uri} --read 0 --fill --no-record"))
        .refused(&["it holds data"]);
}

#[test]
fn an_export_that_is_not_there_is_refused_in_a_sentence() {
    let place = TestFolder::new();
    place
        .quick("run nbd+unix:///lun?socket=nobody --no-record")
        .refused(&["nbd+unix:///lun?socket=nobody: cannot connect"]);
}

#[test]
fn a_vdbench_file_names_an_export_and_several_ways_to_one() {
    let place = TestFolder::new();
    let Some(_server) = serve(&place, "s", &["memory", "4m"]) else {
        return;
    };
    let lun = "nbd+unix:///a?socket=s,nbd+unix:///b?socket=s";
    let parameters = format!(
        "sd=sd1,lun=\"{lun}\"\nwd=wd1,sd=sd1,xfersize=4k,rdpct=0\n\
         rd=rd1,wd=wd1,iorate=200,elapsed=2,interval=1\n"
    );
    place.text("parm", &parameters);
    let done = place.plimsoll("vdbench -f parm -o out").ok();
    done.says(&["completed successfully"]);
}

#[test]
fn a_pulled_path_is_in_the_record_and_in_the_notes() {
    let place = TestFolder::new();
    place.foreign("disk", 4 * MIB);
    let one = serve(&place, "one", &["file", "disk"]);
    let other = serve(&place, "other", &["file", "disk"]);
    let (Some(one), Some(_other)) = (one, other) else {
        return;
    };
    let uri = "nbd+unix:///?socket=one,nbd+unix:///?socket=other";
    let line = format!("run {uri} --for 2s --warmup 0s --interval 100ms --record r.plim");
    let mut run = Underway::start(&place, &line);
    run.until_interval(2);
    drop(one);
    run.end().ok().says(&[
        "the path nbd+unix:///?socket=one was down from",
        "\npaths:\n",
    ]);
    let document = place.plimsoll("show --json r.plim").ok().json();
    crate::measuring::assert_valid(&document);
    let paths = &document["steps"][0]["paths"][0];
    assert_eq!(paths["paths"][0]["state"], "down", "{paths:#}");
    assert_eq!(paths["paths"][0]["times_down"], 1, "{paths:#}");
    assert_eq!(paths["paths"][0]["times_back"], 0, "{paths:#}");
    assert_eq!(paths["paths"][1]["state"], "up");
    assert!(paths["paths"][1]["ios"].as_u64() > Some(0));
    assert_eq!(paths["events"][0]["uri"], "nbd+unix:///?socket=one");
    assert_eq!(document["steps"][0]["errors"], 0);
}

#[test]
fn being_stopped_and_continued_is_nothing_to_an_export_that_is_prepared() {
    let place = TestFolder::new();
    // Each connection is waited for, and each look at the volume.
    let slow = typed("--filter=delay memory 2m delay-open=300ms rdelay=1ms");
    let Some(_server) = serve(&place, "s", &slow) else {
        return;
    };
    let uri = "nbd+unix:///?socket=s";
    let run = ["run", uri, "--no-record", "--workers", "1"];
    let writing = ["--read", "0", "--destroy", uri];
    // All of it is written before it is read, however little a busy machine does in the run itself.
    for load in [&["--fill"][..], &[], &writing] {
        let words = [&run[..], load, &QUICK].concat();
        let mut child = place
            .command(&words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let pid = Pid::from_child(&child);
        let mut stops = 0;
        while child.try_wait().expect("waited for").is_none() {
            for signal in [Signal::STOP, Signal::CONT] {
                // It may have ended meanwhile, and waits to be asked for.
                kill_process(pid, signal).expect("signalled");
                std::thread::sleep(Duration::from_millis(15));
            }
            stops += 1;
        }
        let output = child.wait_with_output().expect("ends");
        Done::new(&output, &words).ok();
        assert!(stops > 10, "{stops}");
    }
}
