//! `plimsoll audit`: what other tools left, by the built program.

use crate::place::Place;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const PAGE: &str = "docs/audit-foreign.md";

fn sample(name: &str) -> PathBuf {
    Path::new(ROOT)
        .join("truth/foreign/tests/corpus")
        .join(name)
}

fn path(name: &str) -> String {
    sample(name).to_str().expect("text").to_string()
}

#[test]
fn the_exit_code_says_whether_a_result_stands() {
    let place = Place::new();
    let audit = |words: &[&str]| place.plimsoll(&[&["audit"], words].concat()).code;
    assert_eq!(audit(&[&path("vdbench/repaired.txt")]), Some(0));
    assert_eq!(audit(&[&path("vdbench/repaired.txt"), "--strict"]), Some(0));
    assert_eq!(audit(&[&path("vdbench/curve-8k.txt")]), Some(0), "suspect");
    assert_eq!(audit(&[&path("vdbench/curve-8k.txt"), "--strict"]), Some(1));
    assert_eq!(audit(&[&path("vdbench/collapse.txt")]), Some(1), "invalid");
    assert_eq!(audit(&["no-such-file"]), Some(2));
    // The worst counts, and what could not be read is worse.
    let (clean, invalid) = (path("fio/honest.json"), path("diskspd/impossible.txt"));
    assert_eq!(audit(&[&clean, &invalid]), Some(1));
    assert_eq!(audit(&[&invalid, "no-such-file"]), Some(2));
}

#[test]
fn findings_come_with_their_line_their_rule_and_what_to_do() {
    let place = Place::new();
    std::fs::copy(sample("vdbench/collapse.txt"), place.path("run.log")).expect("copied");
    let done = place.plimsoll("audit run.log");
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(
        lines[0].starts_with("run.log: taken for a log or console text of Vdbench, 1 run"),
        "{done:#?}"
    );
    let at = lines
        .iter()
        .position(|l| *l == "invalid: collapse  run.log:8")
        .expect("the finding");
    assert!(
        lines[at + 1].contains("from 96,334/s to 31,825/s"),
        "{done:#?}"
    );
    for begin in ["  Rule: ", "  Do: "] {
        assert!(
            lines[at..].iter().any(|l| l.starts_with(begin)),
            "{done:#?}"
        );
    }
    let end: String = lines.iter().rev().take(3).rev().copied().collect();
    assert!(end.contains("Not observable here: "), "{end}");
}

#[test]
fn json_is_one_document_with_values_and_places() {
    let place = Place::new();
    let done = place.plimsoll(&format!(
        "audit --json '{}' '{}'",
        path("diskspd/impossible.txt"),
        path("fio/honest.json")
    ));
    let document: Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(document["worst"], "invalid");
    let first = &document["results"][0];
    assert_eq!(first["tool"], "DiskSPD");
    let finding = &first["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["severity"]),
        (&"mean-impossible".into(), &"invalid".into())
    );
    assert!(
        finding["values"]
            .as_array()
            .expect("values")
            .iter()
            .any(|v| v["quantity"]["unit"] == "per_second")
    );
    assert_eq!(finding["places"][0]["line"], 45);
    assert!(finding["threshold"].is_string() && finding["remedy"].is_string());
    assert!(
        first["not_observable"]
            .as_array()
            .is_some_and(|n| !n.is_empty())
    );
    assert_eq!(
        document["results"][1]["findings"]
            .as_array()
            .map(|f| f.iter().all(|f| f["severity"] == "note")),
        Some(true)
    );
}

#[test]
fn standard_input_and_folders_are_read() {
    let place = Place::new();
    let mut child = place
        .command("audit -")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let text = std::fs::read(sample("elbencho/clean.csv")).expect("read");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(&text)
        .expect("written");
    let out = child.wait_with_output().expect("ended");
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(
        said.starts_with("standard input: taken for a CSV of elbencho 3.1-10"),
        "{said}"
    );
    assert_eq!(out.status.code(), Some(0));
    // An output folder is one result; any other folder has one for each file that is one.
    std::fs::create_dir(place.path("out")).expect("made");
    std::fs::copy(
        sample("vdbench/collapse.txt"),
        place.path("out/summary.html"),
    )
    .expect("copied");
    place.text(
        "out/parmfile.html",
        "sd=sd1,lun=/mnt/a,threads=32\nwd=wd1,sd=sd1,xfersize=4k,rhpct=75\nrd=run1,wd=wd1,iorate=max,elapsed=10,interval=2\n",
    );
    let done = place.plimsoll("audit out");
    assert!(
        done.out
            .starts_with("out: taken for an output folder of Vdbench"),
        "{done:#?}"
    );
    assert!(
        done.out.contains("suspect: hit-area")
            && done.out.contains("invalid: collapse  out/summary.html:8"),
        "{done:#?}"
    );
    std::fs::create_dir(place.path("all")).expect("made");
    std::fs::copy(sample("fio/merged.json"), place.path("all/a.json")).expect("copied");
    place.text("all/notes.txt", "nothing\n");
    let done = place.plimsoll("audit all");
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(
        done.err
            .contains("passed over: all/notes.txt is no result that is known"),
        "{done:#?}"
    );
}

#[test]
fn what_is_no_result_is_refused_with_what_to_do() {
    let place = Place::new();
    let refused = |words: &[&str], says: &str| {
        let done = place.plimsoll(&[&["audit"], words].concat());
        assert_eq!(done.code, Some(2), "{done:#?}");
        assert!(done.err.contains(says), "{done:#?}");
    };
    refused(&["/dev/null"], "is a device");
    place.text(
        "job.parm",
        "sd=sd1,lun=/dev/sdb\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=max\n",
    );
    refused(&["job.parm"], "give the folder that Vdbench wrote");
    place.quick("run null:1g --record own.plim --quiet").ok();
    let own = place.plimsoll("audit own.plim");
    assert!(own.out.starts_with("own.plim"), "{own:#?}");
    assert_eq!(
        place.names(),
        ["job.parm", "own.plim"],
        "audit writes nothing"
    );
}

/// The commands of the page, each with the text that stands behind it.
#[test]
fn the_page_shows_what_the_program_prints() {
    let page = std::fs::read_to_string(Path::new(ROOT).join(PAGE)).expect("the page");
    let mut shown = 0;
    let mut made = page.clone();
    for block in page.split("```sh\n").skip(1) {
        let Some((command, behind)) = block.split_once("\n```\n\n```text\n") else {
            continue;
        };
        let Some((text, _)) = behind.split_once("\n```") else {
            continue;
        };
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let out = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(&words)
            .current_dir(ROOT)
            .env("COLUMNS", "110")
            .output()
            .expect("started");
        let printed = String::from_utf8_lossy(&out.stdout).trim_end().to_string();
        shown += 1;
        if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
            made = made.replacen(
                &format!("{command}\n```\n\n```text\n{text}\n"),
                &format!("{command}\n```\n\n```text\n{printed}\n"),
                1,
            );
        } else {
            assert_eq!(printed, text, "{command}: PLIMSOLL_UPDATE=1 writes it anew");
        }
    }
    assert!(shown >= 3, "{shown} examples");
    if made != page {
        std::fs::write(Path::new(ROOT).join(PAGE), made).expect("written");
    }
}
