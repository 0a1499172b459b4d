//! fio.

use crate::place::{MIB, TestFolder, has_fio, is_zero, loops, no_wall, plan};
use plimsoll_plan::Mix;
use plimsoll_rig::Enclosure;
use plimsoll_skipped::machine::Loop;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// The honest part of all jobs: it writes 64 KiB to the target.
const HONEST: &str = "[w]\nioengine=psync\nrw=write\nbs=4k\nsize=64k\nfilename=data\n";

fn behind_wall(target: &Path, mix: Mix, command: &mut Command) -> Output {
    let (plan, options) = plan(target, mix);
    let enclosure = Enclosure::around_tool(&plan, &options).expect("leave");
    let child = enclosure.spawn(command).expect("fio");
    child.wait_with_output().expect("its end")
}

/// Something that fio does beside its targets: the job, and the file that it changes.
struct Attack {
    what: &'static str,
    precious: &'static str,
    job: fn(&TestFolder) -> String,
    /// fio writes the target nevertheless.
    goes_on: bool,
}

/// Attacks as lines.
macro_rules! attacks {
    ($($what:literal $precious:literal $job:expr, $goes_on:literal;)*) => {
        &[$(Attack { what: $what, precious: $precious, job: $job, goes_on: $goes_on }),*]
    };
}

const ATTACKS: &[Attack] = attacks! {
    "a buffer that is a file" "precious" |place| format!("{HONEST}mem=mmapshared:{}\n", place.text("precious")), false;
    "a buffer of huge pages that is a file" "precious" |place| format!("{HONEST}mem=mmaphuge:{}\n", place.text("precious")), false;
    "a target behind a long comment" "precious" |_| hidden("filename=precious"), false;
    "a command behind a long comment" "precious" |_| hidden("exec_prerun=echo lost >precious"), false;
    "the state of a verification" "local-w-0-verify.state" |_| format!("{HONEST}verify=crc32c\ndo_verify=0\n"), true;
    "the output of a command" "w.prerun.txt" |_| format!("{HONEST}exec_prerun=true\n"), false;
    "an absolute name in a folder" "below/data" |place| format!("{}directory={}\n", HONEST.replace("=data", "=/data"), place.text("below")), false;
    "a log" "log_bw.1.log" |_| format!("{HONEST}write_bw_log=log\n"), true;
    "a target that goes" "data" |_| format!("{HONEST}unlink=1\n"), true;
};

/// fio takes 8,191 bytes for a line, and what follows for the next one.
fn hidden(option: &str) -> String {
    format!("{HONEST}#{}{option}\n", "x".repeat(8190))
}

#[test]
fn what_fio_is_told_in_words_that_nobody_read_leads_to_no_other_file() {
    if no_wall() || !has_fio() {
        return;
    }
    for attack in ATTACKS {
        let set_up = || {
            let place = TestFolder::new();
            if attack.precious != "data" {
                place.put_precious(attack.precious);
            }
            let job = (attack.job)(&place);
            let fio = place.fio(&job);
            (place, fio)
        };
        let is_lost = |place: &TestFolder| match attack.precious {
            "data" => !place.path("data").exists(),
            precious => !place.is_untouched(precious),
        };
        // Without the wall it is an attack, else the wall would prove nothing.
        let (place, mut fio) = set_up();
        fio.output().expect("fio");
        assert!(is_lost(&place), "{}: no attack", attack.what);

        let (place, mut fio) = set_up();
        let done = behind_wall(&place.path("data"), Mix::WRITES, &mut fio);
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(!is_lost(&place), "{}: {errors}", attack.what);
        assert_eq!(
            !place.is_zero("data"),
            attack.goes_on,
            "{}: {errors}",
            attack.what
        );
    }
}

#[test]
fn an_honest_job_writes_its_target_and_all_of_it() {
    if no_wall() || !has_fio() {
        return;
    }
    let place = TestFolder::new();
    let job = HONEST.replace("64k", "1m");
    // It is cut off, made as long as it was, and written.
    let mut fio = place.fio(&format!(
        "{job}overwrite=0\nverify=md5\nverify_state_save=0\n"
    ));
    let done = behind_wall(&place.path("data"), Mix::WRITES, &mut fio);
    assert!(done.status.success(), "{done:?}");
    let written = std::fs::read(place.path("data")).expect("data");
    assert_eq!(written.len(), MIB);
    assert!(
        written
            .chunks(4096)
            .all(|block| block.iter().any(|b| *b != 0))
    );
}

#[test]
fn where_the_plan_only_reads_fio_can_only_read() {
    if no_wall() || !has_fio() {
        return;
    }
    let place = TestFolder::new();
    let done = behind_wall(&place.path("data"), Mix::READS, &mut place.fio(HONEST));
    assert!(!done.status.success() && place.is_zero("data"), "{done:?}");
    let reads = HONEST.replace("rw=write", "rw=randread");
    let done = behind_wall(&place.path("data"), Mix::READS, &mut place.fio(&reads));
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn a_device_is_written_read_and_asked_as_the_plan_says_and_its_neighbour_is_not() {
    if no_wall() || !has_fio() {
        return;
    }
    let place = TestFolder::new();
    let Some((loops, _turn)) = loops(&place, &["one", "other"]) else {
        return;
    };
    let [one, other] = &loops[..] else {
        panic!("two")
    };
    let job = |rw: &str, device: &Loop| {
        let device = device.device.display();
        format!("[w]\nioengine=psync\ndirect=1\nrw={rw}\nbs=4k\nfilename={device}\n")
    };
    let run = |mix, rw, device| {
        let done = behind_wall(&one.device, mix, &mut place.fio(&job(rw, device)));
        done.status.success()
    };
    assert!(run(Mix::READS, "read", one));
    assert!(!run(Mix::READS, "write", one) && place.is_zero("one"));
    assert!(!run(Mix::WRITES, "write", other) && place.is_zero("other"));
    assert!(run(Mix::WRITES, "write", one) && !place.is_zero("one"));
    assert!(is_zero(&other.device));
}

#[test]
fn a_device_is_nobody_elses_while_fio_may_run_on_it() {
    if no_wall() {
        return;
    }
    let place = TestFolder::new();
    let Some((loops, _turn)) = loops(&place, &["one"]) else {
        return;
    };
    let claim = || {
        let mut options = File::options();
        options.read(true).custom_flags(libc::O_EXCL);
        options.open(&loops[0].device)
    };
    let (plan, options) = plan(&loops[0].device, Mix::WRITES);
    let enclosure = Enclosure::around_tool(&plan, &options).expect("leave");
    assert!(claim().is_err_and(|e| e.raw_os_error() == Some(libc::EBUSY)));
    drop(enclosure);
    assert!(claim().is_ok());
}

#[test]
fn the_file_that_was_judged_is_opened_and_not_what_has_its_name_later() {
    if no_wall() || !has_fio() {
        return;
    }
    let place = TestFolder::new();
    let (plan, options) = plan(&place.path("data"), Mix::WRITES);
    let enclosure = Enclosure::around_tool(&plan, &options).expect("leave");
    std::fs::rename(place.path("data"), place.path("moved")).expect("moved");
    std::fs::write(place.path("data"), vec![0; MIB]).expect("another");
    let mut fio = place.fio(HONEST);
    let done = enclosure.spawn(&mut fio).expect("fio").wait_with_output();
    assert!(!done.expect("its end").status.success());
    assert!(place.is_zero("data"));
    let mut fio = place.fio(&HONEST.replace("=data", "=moved"));
    let done = enclosure.spawn(&mut fio).expect("fio").wait_with_output();
    assert!(done.expect("its end").status.success());
    assert!(!place.is_zero("moved"));
}
