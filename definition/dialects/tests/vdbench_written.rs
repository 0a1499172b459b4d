//! What is written for the real Vdbench reads back as the same plan, and the real one takes it for the same runs.

use plimsoll_dialects::vdbench::{self, Input, Parsed};
use plimsoll_plan::Plan;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The parameter files of our tests, and other people's where they are here.
fn files() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "tests/vdbench",
        "tests/conformance/parm",
        "../../../shared/corpora/vdbench",
    ];
    let mut found: Vec<PathBuf> = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| own.join(folder)).collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    found
}

/// What a plan asks for; targets are called as their paths say.
fn normalized(plan: &Plan, here: &Path) -> Plan {
    let mut plan = plan.normalized();
    for target in &mut plan.targets {
        target.name = String::new();
        if let plimsoll_plan::Location::Path(path) = &mut target.location {
            *path = here.join(&*path);
        }
        if let plimsoll_plan::Location::Concat(paths) = &mut target.location {
            paths.iter_mut().for_each(|path| *path = here.join(&*path));
        }
    }
    plan
}

/// What Vdbench's simulation says of the runs of a file.
fn simulated(program: &Path, file: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(program)
        .args(["-s", "-f"])
        .arg(file)
        .arg("-o")
        .arg(folder.path().join("out"))
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = out.lines().filter_map(|l| l.split_once("Simulating "));
    lines.map(|(_, run)| run.to_string()).collect()
}

fn parsed(input: &Input) -> Option<Parsed> {
    vdbench::parse(input).ok()
}

#[test]
fn what_is_written_reads_back_as_the_same() {
    let here = Path::new("/here");
    let program = std::env::var_os("PLIMSOLL_VDBENCH").map(PathBuf::from);
    let (mut alike, mut held, mut refused) = (0, 0, Vec::new());
    for file in files() {
        let Some(was) = parsed(&Input::files([file.clone()])) else {
            continue;
        };
        let Ok(plan) = was.plan() else {
            continue;
        };
        // Vdbench has files and devices only.
        if plan
            .plan
            .targets
            .iter()
            .any(|t| t.location.paths().is_empty())
        {
            continue;
        }
        let written = match was.written(here) {
            Ok(written) => written,
            Err(found) => {
                refused.push(format!("{}: {}", file.display(), found[0].message));
                continue;
            }
        };
        let input = Input::text("written.parm", &written.text);
        let is = vdbench::parse(&input).unwrap_or_else(|refused| panic!("{refused}"));
        let back = is
            .plan()
            .unwrap_or_else(|found| panic!("{}: {found:?}", written.text));
        assert!(
            normalized(&plan.plan, here) == normalized(&back.plan, here),
            "{}\n{}",
            file.display(),
            written.text
        );
        assert_eq!(
            was.simulate().lines,
            is.simulate().lines,
            "{}",
            written.text
        );
        alike += 1;
        if let Some(program) = &program {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("written.parm");
            std::fs::write(&path, &written.text).expect("written");
            let (theirs, ours) = (simulated(program, &file), simulated(program, &path));
            held += usize::from(!theirs.is_empty());
            // What Vdbench refuses has no runs.
            assert!(
                theirs.is_empty() || theirs == ours,
                "{}\n{}",
                file.display(),
                written.text
            );
        }
    }
    assert!(alike > 10, "{alike}");
    // Hosts, the name of a template, and one with a blank.
    let odd = [
        "another host",
        "`lun={LUN}`",
        "`lun=/var/tmp/with a blank.dat`",
    ];
    let known = |why: &&String| odd.iter().any(|part| why.contains(part));
    let other: Vec<&String> = refused.iter().filter(|why| !known(why)).collect();
    assert!(other.is_empty(), "{other:?}");
    assert!(
        program.is_none() || held > 10,
        "Vdbench itself took {held} of them"
    );
}
