//! A case simulated by the real Vdbench and by `plimsoll vdbench`.

use super::files::Case;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Result of a simulation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Simulated {
    pub accepted: bool,
    /// Each run: its name, rate, elapsed and warm-up seconds, and the values of its loops.
    pub runs: Vec<String>,
    /// The count of runs, and the seconds of all.
    pub sum: String,
    /// Output beside the runs.
    pub printed: String,
}

impl Simulated {
    /// The first error.
    pub fn error(&self) -> String {
        let lines: Vec<&str> = self.printed.lines().collect();
        let from = lines
            .iter()
            .position(|line| line.starts_with("error"))
            .unwrap_or(0);
        let mark = lines[from..].iter().find(|line| line.contains('^'));
        format!(
            "{} {}",
            lines.get(from).unwrap_or(&""),
            mark.map_or("", |line| line.trim())
        )
    }
}

/// The real one, where `PLIMSOLL_VDBENCH` names it.
pub fn real() -> Option<PathBuf> {
    std::env::var_os("PLIMSOLL_VDBENCH").map(PathBuf::from)
}

/// Longest time that either may take, s.
const LONGEST_S: &str = "60";

/// The folder of a case, with its files.
pub fn folder(case: &Case) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    put("job.parm", &case.text);
    if let Some(included) = &case.included {
        put("disks", included);
    }
    folder
}

pub fn of_vdbench(program: &Path, case: &Case) -> Simulated {
    // It waits on ports, which are the same for all.
    let script = "ip link set lo up; exec timeout \"$@\"";
    let mut command = Command::new("unshare");
    command
        .args(["-n", "sh", "-c", script, "sh", LONGEST_S])
        .arg(program);
    simulated(case, &mut command, &["-o", "out"])
}

pub fn ours(case: &Case) -> Simulated {
    let mut command = Command::new("timeout");
    command.args([LONGEST_S, env!("CARGO_BIN_EXE_plimsoll"), "vdbench"]);
    simulated(case, &mut command, &[])
}

fn simulated(case: &Case, command: &mut Command, more: &[&str]) -> Simulated {
    let folder = folder(case);
    command
        .args(["-s", "-f", "job.parm"])
        .args(more)
        .args(&case.words);
    let out = command
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("it starts");
    read(&out)
}

fn read(out: &Output) -> Simulated {
    let text = String::from_utf8_lossy(&out.stdout);
    let mut simulated = Simulated {
        accepted: out.status.success(),
        printed: format!("{text}{}", String::from_utf8_lossy(&out.stderr)),
        ..Simulated::default()
    };
    for line in text.lines() {
        // A line begins with the time of day.
        let line = line.split_once(' ').map_or("", |(_, line)| line);
        if let Some(run) = line.strip_prefix("Simulating RD=") {
            simulated.runs.push(run_of(run));
        } else if let Some(sum) = line.strip_prefix("Total amount of Run Definitions: ") {
            simulated.sum = sum_of(sum);
        }
    }
    // What was simulated before an error is no plan.
    if !simulated.accepted {
        simulated.runs.clear();
    }
    simulated
}

/// `name rate elapsed+warm-up loops` of the line of a run.
fn run_of(line: &str) -> String {
    let mut parts = line.split("; ");
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let (key, value) = part.split_once([':', '=']).unwrap_or((part, ""));
        out += &match key {
            "I/O rate" => format!(
                " at {}",
                value
                    .trim()
                    .replace("ontrolled", "")
                    .replace("UncMAX", "free MAX")
            ),
            "elapsed" => format!(" for {}", value.replace(" warmup=", "+")),
            "For loops" => match value.trim() {
                "None" => String::new(),
                loops => format!(" with {loops}"),
            },
            _ => format!(" {part}"),
        };
    }
    out
}

/// `runs seconds` of the last line.
fn sum_of(line: &str) -> String {
    let numbers = line
        .split([';', ' '])
        .filter(|word| word.parse::<f64>().is_ok());
    numbers.take(2).collect::<Vec<_>>().join(" ")
}
