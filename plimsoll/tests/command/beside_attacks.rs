//! Job files by which real fio would touch another file than the one that was judged: beside it, each leaves that file as it is.

use crate::place::{Done, TestFolder, typed};
use std::process::Command;

/// Options of all jobs; a small file that is made for the run.
const JOB: &str = "rw=write\nbs=4k\nsize=64k\nioengine=psync\n";

/// A job file, and the file that is at stake.
struct Attack {
    /// The file's name in the folder.
    precious: &'static str,
    text: String,
    /// Value that `${X}` stands for.
    variable: &'static str,
    /// Words of the refusal; `None` where the job runs, and does no harm.
    told: Option<&'static str>,
}

fn attack(precious: &'static str, text: impl Into<String>, told: Option<&'static str>) -> Attack {
    Attack {
        precious,
        text: text.into(),
        variable: "",
        told,
    }
}

fn with_variable(variable: &'static str) -> Attack {
    Attack {
        variable,
        ..attack(
            "precious",
            format!("[j]\n{JOB}filename=${{X}}\n"),
            Some("environment variable X"),
        )
    }
}

/// A comment whose end fio takes for a line of its own.
fn hidden(option: &str) -> String {
    format!("[j]\n{JOB}filename=data\n#{}{option}\n", "x".repeat(8190))
}

/// Attacks as lines: the file that is lost, the job, and what it is refused with.
macro_rules! attacks {
    ($($precious:expr, $job:expr => $refused:expr;)*) => { vec![$(attack($precious, $job, $refused)),*] };
}

/// The attacks, in a folder of that name.
fn attacks(here: &str) -> Vec<Attack> {
    let plain = |line: &str| format!("[j]\n{JOB}filename=data\n{line}\n");
    let destroy = Some("--destroy");
    let first = attacks! {
        "precious", plain("mem=mmapshared:precious") => None;
        "precious", plain("mem=mmaphuge:precious") => None;
        "data_bw.1.log", plain("write_bw_log=data") => None;
        "precious", plain("write_iolog=precious") => None;
        "j.prerun.txt", plain("exec_prerun=echo x") => None;
        "precious", hidden("filename=precious") => Some("longer than fio reads");
        "precious", hidden("exec_prerun=rm precious") => Some("longer than fio reads");
        "local-j-0-verify.state", plain("verify=crc32c\ndo_verify=0") => Some("verified");
        "precious", plain("unlink=1") => Some("`unlink` cannot be used");
        "sub/precious", format!("[j]\n{JOB}directory=sub\nfilename=/precious\n") => destroy;
        "sub/j", format!("[j]\n{JOB}directory={here}/sub\nfilename_format=/$jobname\n") => destroy;
        "precious", format!("[global]\nfilename=precious\n[j]\n{JOB}directory=sub\n") => destroy;
    };
    let variables: Vec<Attack> = [
        "precious;.new",
        "precious#.new",
        "precious ",
        " precious",
        "precious\n",
    ]
    .map(with_variable)
    .into();
    let rest = attacks! {
        "j]x.0.0", format!("[j]x]\n{JOB}") => destroy;
        "j .0.0", format!("[j ]\n{JOB}") => destroy;
        "j] tex.0.0", format!("[j] text\n{JOB}") => Some("text follows the ]");
        "j.0.0", format!("[GLOBAL]\n{JOB}filename=data\n[j]\n{JOB}") => destroy;
        "precious", format!("[j]\n{JOB}filename=precious\u{1}\n") => destroy;
    };
    first.into_iter().chain(variables).chain(rest).collect()
}

#[test]
fn fio_touches_no_file_but_those_that_were_judged() {
    if Command::new("fio").arg("--version").output().is_err() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let elsewhere = TestFolder::new();
    let here = elsewhere.folder().to_string_lossy().into_owned();
    for attack in attacks(&here) {
        let place = TestFolder::new();
        let text = attack
            .text
            .replace(&here, &place.folder().to_string_lossy());
        std::fs::create_dir(place.path("sub")).expect("a folder");
        place.text("a.fio", &text);
        let precious = place.foreign(attack.precious, 64 << 10);
        let before = std::fs::read(&precious).expect("readable");
        let words =
            typed("run a.fio --beside fio --beside-repeats 1 --quiet --no-record --allow-commands");
        let output = place
            .command(&words)
            .env("X", attack.variable)
            .output()
            .expect("it starts");
        let done = Done::new(&output, &words);
        let name = format!("{:.200}: {done:#?}", attack.text);
        match attack.told {
            None => assert_eq!(done.code, Some(0), "{name}"),
            Some(told) => {
                assert_eq!(done.code, Some(2), "{name}");
                assert!(
                    done.err.contains(told) && !done.err.contains("run 1"),
                    "{name}"
                );
            }
        }
        let after = std::fs::read(&precious).expect("it is still there");
        assert!(after == before, "{} was changed: {name}", attack.precious);
        let files = ["a.fio", "sub", "data", attack.precious];
        let made = place
            .names()
            .into_iter()
            .find(|n| !files.contains(&n.as_str()));
        assert!(
            made.is_none() || attack.precious.starts_with("sub/"),
            "{made:?} was made: {name}"
        );
    }
}

#[test]
fn commands_run_where_they_were_meant_to_and_what_they_print_is_kept_elsewhere() {
    if Command::new("fio").arg("--version").output().is_err() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let place = TestFolder::new();
    place.text(
        "a.fio",
        &format!("[j]\n{JOB}filename=data\nexec_prerun=echo once | tee -a told\n"),
    );
    let words = typed("run a.fio --beside fio --beside-repeats 1 --quiet --no-record");
    let done = place.plimsoll(&words);
    assert!(
        done.code == Some(2) && done.err.contains("--allow-commands"),
        "{done:#?}"
    );
    let here = place.folder().to_string_lossy().into_owned();
    let leave = ["--allow-commands", "--commands-may-write", &here];
    place.plimsoll(&[&words[..], &leave].concat()).ok();
    let told = std::fs::read_to_string(place.path("told")).expect("it ran");
    assert_eq!(told, "once\nonce\n", "once by each tool");
    assert_eq!(place.names(), ["a.fio", "data", "told"]);
}
