//! A case carried out by the real fio and by `plimsoll fio`, each in a folder of its own.

use super::jobs::Case;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// I/Os of a log: what each does, where, and how many bytes.
pub type Ios = Vec<(String, u64, u64)>;

/// Result of one of the two tools.
#[derive(Debug)]
pub struct Done {
    pub code: Option<i32>,
    /// Results of its jobs; `None` where it gave no results.
    pub jobs: Option<Vec<Value>>,
    /// Options of all jobs, as it shows them.
    pub globals: Value,
    /// Output beside its results.
    pub printed: String,
    /// Each job's I/Os by its name, as far as it has a log: which operation, where, how long.
    pub logs: Vec<(String, Ios)>,
}

/// Longest time that either may take, s. Draws last three seconds at most.
const LONGEST_S: &str = "40";

/// Both; `None` where fio is not installed.
pub fn both(case: &Case) -> Option<(Done, Done)> {
    let real = done(case, "fio", &[])?;
    let flags = ["fio", "--no-record", "--destroy=data"];
    let flags = &flags[..flags.len() - usize::from(case.file.is_none())];
    let ours = done(case, env!("CARGO_BIN_EXE_plimsoll"), flags)?;
    Some((real, ours))
}

fn done(case: &Case, program: &str, flags: &[&str]) -> Option<Done> {
    let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    };
    put("jobs.fio", case.text.as_bytes());
    if let Some(bytes) = case.file {
        put("data", &vec![7; bytes as usize]);
    }
    run_in(folder.path(), program, &flags, &case.words)
}

/// One of both on the job file of a folder; `None` where it is not installed.
pub fn run_in(folder: &Path, program: &str, flags: &[String], words: &[String]) -> Option<Done> {
    let out = Command::new("timeout")
        .args([LONGEST_S, program])
        .args(flags)
        .args(["--output-format=json", "jobs.fio"])
        .args(words)
        .current_dir(folder)
        .env("SIZE", "200k")
        .stdin(Stdio::null())
        .output()
        .expect("timeout starts it");
    // So says timeout of a program that is not there.
    if out.status.code() == Some(127) {
        return None;
    }
    let text = String::from_utf8_lossy(&out.stdout);
    let beside = String::from_utf8_lossy(&out.stderr);
    // fio's messages stand before its document.
    let start = text.find("{\n").unwrap_or(text.len());
    let document: Option<Value> = serde_json::from_str(&text[start..]).ok();
    let of = |key: &str| document.as_ref().map(|d| d[key].clone());
    let jobs = of("jobs").and_then(|jobs| jobs.as_array().cloned());
    Some(Done {
        code: out.status.code(),
        jobs,
        globals: of("global options").unwrap_or_default(),
        printed: format!("{}{beside}", &text[..start]),
        logs: logs(folder),
    })
}

fn logs(folder: &Path) -> Vec<(String, Ios)> {
    let read = |name: &str| {
        let text = std::fs::read_to_string(folder.join(format!("{name}.log"))).ok()?;
        let io = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                [_, _, action @ ("read" | "write" | "trim"), offset, length] => Some((
                    action.to_string(),
                    offset.parse().ok()?,
                    length.parse().ok()?,
                )),
                _ => None,
            }
        };
        Some((name.to_string(), text.lines().filter_map(io).collect()))
    };
    ["a", "b", "c"].into_iter().filter_map(read).collect()
}
