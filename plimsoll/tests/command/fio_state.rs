//! fio's verify state: what Plimsoll leaves the real fio goes by, and the other way round.

use crate::place::TestFolder;
use std::process::Command;

const WRITTEN: u64 = 20;
const STATE: &str = "local-x-0-verify.state";

/// A job that comes as far as 20 of its 64 blocks, and the job that checks them; `engine` has a line for how deep.
fn jobs(place: &TestFolder, engine: &str) {
    let head = format!("[x]\n{engine}\nfilename=f\nsize=256k\nbs=4k\nverify=crc32c\n");
    let write = format!("{head}rw=write\nnumber_ios={WRITTEN}\ndo_verify=0\nverify_state_save=1\n");
    place.text("write.fio", &write);
    place.text("read.fio", &format!("{head}rw=read\nverify_state_load=1\n"));
    place.text("all.fio", &format!("{head}rw=read\n"));
}

/// Blocks that nobody wrote with a sum.
fn other_data(place: &TestFolder) {
    std::fs::write(place.path("f"), vec![7; 256 << 10]).expect("a file");
}

fn real(place: &TestFolder, words: &[&str]) -> Option<std::process::Output> {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(place.folder());
    command.output().ok()
}

fn damage(place: &TestFolder, block: usize) {
    let mut bytes = std::fs::read(place.path("f")).expect("there");
    bytes[block * 4096 + 2000] ^= 1;
    std::fs::write(place.path("f"), bytes).expect("written");
}

/// Number of blocks that `read.fio` checks here.
fn checked(place: &TestFolder) -> serde_json::Value {
    let words = ["fio", "--no-record", "--output-format=json", "read.fio"];
    let done = place.plimsoll(&words).ok().json();
    done["jobs"][0]["read"]["total_ios"].clone()
}

#[test]
fn what_is_left_here_the_real_fio_goes_by() {
    for engine in ["ioengine=psync", "ioengine=libaio\niodepth=8"] {
        let place = TestFolder::new();
        jobs(&place, engine);
        other_data(&place);
        place.plimsoll("fio --no-record --destroy=f write.fio").ok();
        assert_eq!(checked(&place), WRITTEN, "{engine}");
        let all = ["fio", "--no-record", "all.fio"];
        place.plimsoll(&all).exits(1);
        // What is behind the end is not looked at; the last block before it is.
        damage(&place, WRITTEN as usize);
        assert_eq!(checked(&place), WRITTEN, "{engine}");
        if let Some(reported) = real(&place, &["fio-verify-state", STATE]) {
            let reported = String::from_utf8_lossy(&reported.stdout).into_owned();
            let words: Vec<&str> = reported.split_whitespace().collect();
            let words = words.join(" ");
            assert!(words.contains("Name: x"), "{reported}");
            assert!(words.contains("Number IOs: 20 Index: 0"), "{reported}");
            assert!(words.contains("(file= 0) 77824"), "{reported}");
        }
        let Some(read) = real(&place, &["fio", "read.fio"]) else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        assert!(read.status.success(), "{engine}: {read:?}");
        damage(&place, WRITTEN as usize - 1);
        let read = real(&place, &["fio", "read.fio"]).expect("fio");
        assert!(!read.status.success(), "{engine}: {read:?}");
        place.plimsoll("fio --no-record read.fio").exits(1);
    }
}

#[test]
fn what_the_real_fio_has_left_is_gone_by() {
    for engine in ["ioengine=psync", "ioengine=libaio\niodepth=8"] {
        let place = TestFolder::new();
        jobs(&place, engine);
        other_data(&place);
        match real(&place, &["fio", "write.fio"]) {
            Some(wrote) => assert!(wrote.status.success(), "{wrote:?}"),
            None => return plimsoll_skipped::skipped!("fio is not installed"),
        }
        assert_eq!(checked(&place), WRITTEN, "{engine}");
        damage(&place, WRITTEN as usize - 1);
        let found = place.plimsoll("fio --no-record read.fio").exits(1);
        found.warns(&["1 I/O failed"]);
    }
}

#[test]
fn each_clone_has_a_state_by_its_number_among_all() {
    let place = TestFolder::new();
    place.text(
        "a.fio",
        "[global]\nioengine=psync\nsize=64k\nrw=write\nverify=md5\nverify_state_save=1\n[a]\nnumjobs=2\ngroup_reporting\n\
         [b/c]\nfilename=b\n[drawn]\nrw=randwrite\n[off]\nverify_state_save=0\n",
    );
    let done = place.plimsoll("fio --no-record a.fio").ok();
    let states: Vec<String> = place
        .names()
        .into_iter()
        .filter(|name| name.ends_with(".state"))
        .collect();
    assert_eq!(
        states,
        [
            "local-a-0-verify.state",
            "local-a-1-verify.state",
            "local-b.c-2-verify.state"
        ]
    );
    let said = "no state of job drawn is saved: its order is drawn here";
    done.warns(&[said]);
    // A state replaces a state, and nothing else.
    place.plimsoll("fio --no-record a.fio").ok();
    place.text("local-a-1-verify.state", "notes");
    place.plimsoll("fio --no-record a.fio").exits(1);
    let kept = std::fs::read_to_string(place.path("local-a-1-verify.state"));
    assert_eq!(kept.expect("there"), "notes");
}

#[test]
fn a_state_that_tells_nothing_of_a_job_is_refused_by_its_line() {
    let place = TestFolder::new();
    let refused = |more: &str, said: &str| {
        let head = "[x]\nioengine=psync\nfilename=f\nbs=4k\nverify=crc32c\nverify_state_load=1\n";
        place.text("a.fio", &format!("{head}{more}"));
        place.plimsoll("plan a.fio").refused(&[said, "a.fio:6:"]);
    };
    refused(
        "rw=read\nsize=256k\n",
        "local-x-0-verify.state of job x cannot be read",
    );
    refused(
        "rw=randread\nsize=256k\n",
        "only an order from the start to the end",
    );
    refused("rw=read\nsize=256k\nloops=2\n", "and has loops=");
    refused("rw=read\n", "of which job x knows how large it is");
    place.text(STATE, "notes that are no state");
    refused("rw=read\nsize=256k\n", "is no verify state of fio's");
    jobs(&place, "ioengine=psync");
    place.plimsoll("fio --no-record --overwrite write.fio").ok();
    // The job that left it wrote its last block elsewhere.
    refused("rw=read\nsize=256k\noffset=128k\n", "in another order");
    let mut bytes = std::fs::read(place.path(STATE)).expect("there");
    bytes[40] ^= 1;
    std::fs::write(place.path(STATE), bytes).expect("written");
    refused("rw=read\nsize=256k\n", "is damaged");
}
