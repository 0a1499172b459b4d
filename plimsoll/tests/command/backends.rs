//! Where the kernel refuses io_uring, the next best is taken and said.

use crate::place::{Done, MIB, QUICK, TestFolder, holds, root_or_skip};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The user that owns nothing.
const NOBODY: u32 = 65534;

/// A step of a classic BPF program.
fn bpf(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}

/// Makes the calling process fail these system calls with EPERM, as containers do.
fn forbid(calls: &[libc::c_long]) -> std::io::Result<()> {
    // The number of the call is the first word of what the filter sees.
    let mut program = vec![bpf(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0)];
    for call in calls {
        program.push(bpf(
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            0,
            1,
            *call as u32,
        ));
        program.push(bpf(
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | libc::EPERM as u32,
        ));
    }
    program.push(bpf(
        libc::BPF_RET | libc::BPF_K,
        0,
        0,
        libc::SECCOMP_RET_ALLOW,
    ));
    let filter = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: plain numbers, and a program that outlives the call; the kernel copies it.
    let done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER,
                &raw const filter,
            ) == 0
    };
    if done {
        Ok(())
    } else {
        Err(std::io::Error::last_os_error())
    }
}

/// Runs the program without these system calls; `None` where they cannot be forbidden.
fn without(place: &TestFolder, calls: &'static [libc::c_long], words: &[&str]) -> Option<Done> {
    let words = [words, &QUICK].concat();
    let mut command = place.command(&words);
    // SAFETY: the child only allocates a few bytes and makes two system calls; this process's other threads hold no
    // allocator lock across a fork of glibc's.
    unsafe { command.pre_exec(move || forbid(calls)) };
    match command.output() {
        Ok(output) => Some(Done::new(&output, &words)),
        Err(error) => {
            plimsoll_skipped::skipped!("no seccomp filter here: {error}");
            None
        }
    }
}

const NO_URING: &[libc::c_long] = &[libc::SYS_io_uring_setup];
/// A ring can be made, and nothing be asked of it.
const NO_ENTER: &[libc::c_long] = &[libc::SYS_io_uring_enter];
const NO_ASYNC: &[libc::c_long] = &[libc::SYS_io_uring_setup, libc::SYS_io_setup];

fn backend(done: Done) -> (String, String) {
    let document = done.ok().json();
    let word = |key: &str| {
        document["environment"][key]
            .as_str()
            .expect("text")
            .to_string()
    };
    (word("backend"), word("backend_reason"))
}

/// True where the temporary folder's file system takes NOWAIT, without which psync is used anyway.
fn takes_async(place: &TestFolder) -> bool {
    let words = ["run", "f", "--json", "--no-record", "--backend", "libaio"];
    let free = place.quick(&["run", "f", "--json", "--no-record"]);
    let chosen = backend(free).0;
    if chosen == "psync" {
        plimsoll_skipped::skipped!(
            "the temporary folder's file system is only tested synchronously"
        );
    }
    chosen != "psync" && place.quick(&words).code == Some(0)
}

#[test]
fn without_io_uring_libaio_is_used_and_the_reason_is_said() {
    let place = TestFolder::new();
    place.foreign("f", 4 * MIB);
    if !takes_async(&place) {
        return;
    }
    let words = ["run", "f", "--json", "--no-record"];
    for forbidden in [NO_URING, NO_ENTER] {
        let Some(done) = without(&place, forbidden, &words) else {
            return;
        };
        done.warns(&["libaio"]);
        let (name, reason) = backend(done);
        assert_eq!(name, "libaio");
        assert!(reason.contains("io_uring"), "{reason}");
    }
}

#[test]
fn without_both_psync_is_used_and_the_reasons_are_said() {
    let place = TestFolder::new();
    place.foreign("f", 4 * MIB);
    if !takes_async(&place) {
        return;
    }
    let words = ["run", "f", "--json", "--no-record"];
    let Some(done) = without(&place, NO_ASYNC, &words) else {
        return;
    };
    let (name, reason) = backend(done);
    assert_eq!(name, "psync");
    holds!(reason, "io_uring", "libaio");
}

#[test]
fn a_backend_that_was_demanded_by_name_is_not_replaced() {
    let place = TestFolder::new();
    place.foreign("f", 4 * MIB);
    for (name, forbidden) in [
        ("io_uring", NO_URING),
        ("io_uring", NO_ENTER),
        ("libaio", NO_ASYNC),
    ] {
        let words = ["run", "f", "--no-record", "--backend", name];
        let Some(done) = without(&place, forbidden, &words) else {
            return;
        };
        done.refused(&[name]);
    }
    assert_eq!(place.names(), ["f"]);
}

#[test]
fn without_locked_memory_for_its_rings_io_uring_is_not_taken() {
    if !root_or_skip("running as another user") {
        return;
    }
    let place = TestFolder::new();
    place.foreign("f", 4 * MIB);
    if !takes_async(&place) {
        return;
    }
    // The built program may lie where nobody else may look.
    std::fs::copy(env!("CARGO_BIN_EXE_plimsoll"), place.path("plimsoll")).expect("copied");
    for (name, mode) in [(".", 0o777), ("plimsoll", 0o755), ("f", 0o666)] {
        std::fs::set_permissions(place.path(name), Permissions::from_mode(mode)).expect("changed");
    }
    let limited = |more: &[&str]| {
        let words = [
            &["run", "f", "--no-record", "--depth", "256", "--json"],
            more,
        ]
        .concat();
        let words = [&words[..], &QUICK].concat();
        let mut command = Command::new("sh");
        let script = "ulimit -l 8; exec ./plimsoll \"$@\"";
        command.args(["-c", script, "sh"]).args(&words);
        command.current_dir(place.folder()).uid(NOBODY).gid(NOBODY);
        Done::new(&command.output().expect("starts"), &words)
    };
    let demanded = limited(&["--backend", "io_uring"]);
    if demanded.code == Some(0) {
        plimsoll_skipped::skipped!("this kernel does not count rings as locked memory");
        return;
    }
    demanded.refused(&["io_uring", "ulimit -l"]);
    let (name, reason) = backend(limited(&[]));
    assert_eq!(name, "libaio");
    holds!(reason, "io_uring", "ulimit -l");
}

#[test]
fn every_backend_that_is_there_reads_and_writes_without_errors() {
    let place = TestFolder::new();
    for name in ["io_uring", "libaio", "psync"] {
        let words =
            format!("run f --size 4m --destroy f --read 50 --json --no-record --backend '{name}'");
        let done = place.quick(&words);
        if done.code == Some(2) && done.err.contains("cannot be used here") {
            plimsoll_skipped::skipped!("{}", done.err.trim());
            continue;
        }
        let document = done.ok().json();
        assert_eq!(document["environment"]["backend"], name);
        let step = document["steps"]
            .as_array()
            .and_then(|s| s.last())
            .expect("a step")
            .clone();
        assert_eq!(step["errors"], 0);
        assert_eq!(step["ops"].as_array().map(Vec::len), Some(2), "{step:#}");
    }
}
