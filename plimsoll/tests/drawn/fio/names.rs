//! Drawn jobs on names (`ioengine=filecreate` and its like), carried out by both: the same operations, the same names and sizes left, the
//! same exit code.

use super::both::{Done, run_in};
use crate::draw::{self, Draw, numbers};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Job files that are drawn where nobody says how many.
const DRAWS: u64 = 40;

/// Jobs on names, and what is there before them.
#[derive(Debug, Default)]
struct Case {
    text: String,
    /// Files that are there: their names, and how large they are.
    there: Vec<(String, usize)>,
    /// Files among them that may be lost.
    destroy: Vec<String>,
    /// fio counts each operation as one I/O.
    counts_alike: bool,
    /// fio lays out the files of all jobs first, also those that another makes.
    has_sizes: bool,
}

/// Engines of the real fio that work on names.
fn engines() -> Vec<&'static str> {
    const ALL: [&str; 6] = [
        "filecreate",
        "filestat",
        "filedelete",
        "dircreate",
        "dirstat",
        "dirdelete",
    ];
    let out = Command::new("fio").arg("--enghelp").output();
    let text = out
        .map(|out| String::from_utf8_lossy(&out.stdout).to_string())
        .unwrap_or_default();
    ALL.into_iter()
        .filter(|engine| text.lines().any(|line| line.trim() == *engine))
        .collect()
}

fn case(seed: u64, engines: &[&'static str]) -> Case {
    let draw = &mut numbers(seed);
    match draw.below(4) {
        0 => on_one_set(draw, engines),
        _ => each_on_its_own(draw, engines),
    }
}

/// Jobs one after the other on the same names: those that make, ask and delete.
fn on_one_set(draw: &mut Draw, engines: &[&'static str]) -> Case {
    let kind = if draw.below(3) == 0 && engines.contains(&"dircreate") {
        "dir"
    } else {
        "file"
    };
    let mut text = format!(
        "[global]\ndirectory=d\nfilename_format=f.$jobnum.$filenum\nnrfiles={}\nnumjobs={}\nfilesize=4k\n",
        1 + draw.below(20),
        1 + draw.below(3)
    );
    let verbs: &[&str] = match draw.below(4) {
        0 => &["create", "stat", "delete"],
        1 => &["create", "stat"],
        2 => &["stat", "delete"],
        _ => &["stat", "delete", "create"],
    };
    for (verb, name) in verbs.iter().zip(["a", "b", "c"]) {
        text += &format!("[{name}]\nstonewall\nioengine={kind}{verb}\n");
    }
    Case {
        text,
        counts_alike: true,
        ..Case::default()
    }
}

/// Jobs on names of their own, at once or one after the other.
fn each_on_its_own(draw: &mut Draw, engines: &[&'static str]) -> Case {
    let mut case = Case {
        counts_alike: true,
        has_sizes: true,
        ..Case::default()
    };
    case.text += "[global]\n";
    if draw.below(4) == 0 {
        case.text += "group_reporting\n";
    }
    let folders = draw.of(&["d", "d", "d:e", ""]);
    if !folders.is_empty() {
        case.text += &format!("directory={folders}\n");
    }
    for name in ["a", "b", "c"].into_iter().take(1 + draw.below(3)) {
        let engine = draw.of(engines);
        let size = draw.of(&[
            "filesize=4k",
            "filesize=8k\nbs=8k",
            "filesize=10k",
            "filesize=1k\nbs=1k",
            "size=256k",
            "filesize=64k\nbs=4k,64k",
        ]);
        case.counts_alike &=
            ["filesize=4k", "filesize=8k\nbs=8k", "filesize=1k\nbs=1k"].contains(&size);
        case.text += &format!(
            "[{name}]\nioengine={engine}\n{size}\nnrfiles={}\n",
            1 + draw.below(30)
        );
        let clones = 1 + draw.below(3);
        case.text += &format!("numjobs={clones}\n");
        for line in [
            "rw=write",
            "rw=randread",
            "iodepth=8",
            "stonewall",
            "openfiles=1",
        ] {
            if draw.below(4) == 0 {
                case.text += &format!("{line}\n");
            }
        }
        if engine == "filecreate" && draw.below(2) == 0 {
            case.text += "create_on_open=1\n";
        }
        if engine == "filestat" {
            case.text += draw.of(&["", "loops=3\n", "stat_type=lstat\n", "stat_type=statx\n"]);
        }
        if draw.below(4) == 0 && !engine.starts_with("dir") {
            let before = case.text.len();
            if draw.below(2) == 0 {
                case.text += "filename_format=$jobname-$filenum-$jobnum.x\n";
            }
            let folder = if folders.is_empty() { "" } else { "d/" };
            let file = |n: &str| match case.text.len() == before {
                true => format!("{folder}{name}.0.{n}"),
                false => format!("{folder}{name}-{n}-0.x"),
            };
            case.there.push((file("0"), 300_000));
            case.destroy.push(file("*"));
        }
    }
    case
}

/// One of both, and the names with their sizes that it leaves.
fn done(case: &Case, program: &str, flags: &[String]) -> Option<(Done, BTreeMap<String, u64>)> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for each in ["d", "e"] {
        std::fs::create_dir(path(each)).expect("a folder");
        std::fs::write(path(each).join("somebodys"), "own").expect("written");
    }
    for (name, bytes) in &case.there {
        std::fs::write(path(name), vec![7; *bytes]).expect("written");
    }
    std::fs::write(path("jobs.fio"), &case.text).expect("written");
    let done = run_in(folder.path(), program, flags, &[])?;
    let mut left = BTreeMap::new();
    look(folder.path(), folder.path(), &mut left);
    if !case.has_sizes {
        left.values_mut().for_each(|size| *size = 0);
    }
    Some((done, left))
}

fn look(root: &Path, folder: &Path, left: &mut BTreeMap<String, u64>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let metadata = entry.metadata().expect("it is there");
        let name = entry
            .path()
            .strip_prefix(root)
            .expect("below")
            .display()
            .to_string();
        let size = if metadata.is_file() {
            metadata.len()
        } else {
            0
        };
        left.insert(name, size);
        if metadata.is_dir() {
            look(root, &entry.path(), left);
        }
    }
}

/// Counts of a job that both must have alike.
fn counts(case: &Case, job: &Value) -> Value {
    let of = |direction: &str| {
        let side = &job[direction];
        let ios = if case.counts_alike {
            &side["total_ios"]
        } else {
            &Value::Null
        };
        serde_json::json!([side["clat_ns"]["N"], ios])
    };
    serde_json::json!([
        job["jobname"],
        job["groupid"],
        job["error"],
        job["job options"],
        of("read"),
        of("write"),
        of("trim")
    ])
}

fn differs(case: &Case) -> Option<Vec<String>> {
    let (real, theirs) = done(case, "fio", &[])?;
    let destroy = case.destroy.iter().map(|name| format!("--destroy={name}"));
    let flags: Vec<String> = ["fio", "--no-record"]
        .map(String::from)
        .into_iter()
        .chain(destroy)
        .collect();
    let (ours, own) = done(case, env!("CARGO_BIN_EXE_plimsoll"), &flags)?;
    let mut found = Vec::new();
    if real.code != ours.code {
        found.push(format!(
            "exit code {:?}, fio's {:?}: {}",
            ours.code, real.code, ours.printed
        ));
    }
    if theirs != own {
        found.push(format!("leaves {own:?}, fio {theirs:?}"));
    }
    let each = |done: &Done| -> Vec<Value> {
        done.jobs
            .iter()
            .flatten()
            .map(|job| counts(case, job))
            .collect()
    };
    if each(&real) != each(&ours) {
        found.push(format!("counts {:?}, fio's {:?}", each(&ours), each(&real)));
    }
    Some(found)
}

#[test]
fn drawn_jobs_on_names_do_what_the_real_fio_does_with_them() {
    let engines = engines();
    if engines.is_empty() {
        return plimsoll_skipped::skipped!("fio is not installed, or has no engines for names");
    }
    for seed in draw::seeds(DRAWS) {
        let case = case(seed, &engines);
        let found = differs(&case).unwrap_or_default();
        assert!(
            found.is_empty(),
            "seed {seed}: {}\n{}",
            found.join("\n  "),
            case.text
        );
    }
}
