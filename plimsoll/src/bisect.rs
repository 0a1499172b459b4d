//! `plimsoll disturb --bisect FAST SLOW`: which of the differences between two hosts makes one of them fail over more slowly.

use crate::doctor::load;
use crate::failure::Failure;
use crate::out::say;
use plimsoll_audit::{Diagnosis, HostChange, HostView, changes, examine};
use plimsoll_evidence::{HostState, Verdict};
use plimsoll_printable::Printable;
use plimsoll_record::Record;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Parts of the names of what decides how paths fail and come back.
const OF_PATHS: [&str; 8] = [
    "multipath",
    "/sys/module/",
    "/proc/sys/kernel/",
    "modprobe",
    "iscsi",
    "_tmo",
    "/timeout",
    "driver",
];

/// A line that one host has otherwise than the other.
struct Candidate {
    place: String,
    fast: String,
    slow: String,
    /// Finding of the slow host alone that names it.
    known: Option<Diagnosis>,
}

/// Names what the rules know to matter first, and parts the rest in halves to be tried.
pub fn run(hosts: &[PathBuf], reports: &[String]) -> Result<ExitCode, Failure> {
    let [fast, slow] = hosts else {
        return Err(Failure::usage(
            "--bisect wants two captured hosts: the fast one, then the slow one",
        ));
    };
    match reports {
        [] => {}
        [fast, slow] => show_failovers([fast, slow])?,
        _ => {
            return Err(Failure::usage(
                "--bisect takes the records of two disturbances, that of the fast host first, or none",
            ));
        }
    }
    let (fast, slow) = (load(Some(fast))?, load(Some(slow))?);
    let all = changes(&fast, &slow);
    let of_paths = |change: &&HostChange| OF_PATHS.iter().any(|part| change.path.contains(part));
    let mut candidates: Vec<Candidate> = all.iter().filter(of_paths).flat_map(lines).collect();
    let known = only_of_the_slow(&fast, &slow);
    for candidate in &mut candidates {
        // The end of a path is no name: `version` is in many findings.
        let name = key(candidate);
        let is_setting = !name.is_empty() && candidate.place.contains(' ');
        let named = |d: &&Diagnosis| {
            let mut words = d.seen.split(|c: char| !is_of_a_name(c));
            match is_setting {
                true => words.any(|word| word == name),
                false => d
                    .subjects
                    .iter()
                    .any(|subject| candidate.place.contains(subject.as_str())),
            }
        };
        candidate.known = known.iter().find(named).cloned();
    }
    let others = all.len() - all.iter().filter(of_paths).count();
    show(candidates, &known, others);
    Ok(ExitCode::SUCCESS)
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The setting's name: the first word of its line, or the end of its path.
fn key(candidate: &Candidate) -> &str {
    candidate
        .place
        .rsplit([' ', '/'])
        .next()
        .unwrap_or_default()
}

/// A change's lines, each beside the line of the same setting on the other host.
fn lines(change: &HostChange) -> Vec<Candidate> {
    let split = |text: &Option<String>| -> Vec<String> {
        let text = text.as_deref().unwrap_or_default();
        text.split("; ")
            .filter(|l| !l.is_empty())
            .map(str::to_string)
            .collect()
    };
    let (fast, mut slow) = (split(&change.before), split(&change.after));
    let candidate = |name: Option<&str>, fast: &str, slow: &str| Candidate {
        place: match name {
            Some(name) => format!("{} {name}", change.path),
            None => change.path.clone(),
        },
        fast: fast.to_string(),
        slow: slow.to_string(),
        known: None,
    };
    let of_one_value = |lines: &[String]| matches!(lines, [] | [_]);
    if of_one_value(&fast) && of_one_value(&slow) && !change.path.ends_with(".conf") {
        let text = |lines: &[String]| lines.first().cloned().unwrap_or_default();
        return vec![candidate(None, &text(&fast), &text(&slow))];
    }
    let name = |line: &str| {
        line.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_string()
    };
    let mut all = Vec::new();
    for line in fast {
        let same = slow.iter().position(|other| name(other) == name(&line));
        let other = same.map(|at| slow.remove(at)).unwrap_or_default();
        all.push(candidate(Some(&name(&line)), &line, &other));
    }
    all.extend(
        slow.iter()
            .map(|line| candidate(Some(&name(line)), "", line)),
    );
    all
}

/// Findings about the slow host that are not true of the fast one.
fn only_of_the_slow(fast: &HostState, slow: &HostState) -> Vec<Diagnosis> {
    let findings = |host: &HostState| {
        let view = HostView {
            devices: host.disks(),
            host,
            paths: None,
        };
        examine(&view).findings
    };
    let before = findings(fast);
    let is_new = |d: &Diagnosis| !before.iter().any(|b| b.rule == d.rule && b.seen == d.seen);
    findings(slow).into_iter().filter(is_new).collect()
}

/// Shows what each disturbance came to.
fn show_failovers(records: [&String; 2]) -> Result<(), Failure> {
    for name in records {
        let verdicts = Record::open(Path::new(name))?.verdicts()?;
        let sentence = verdicts.into_iter().find_map(|verdict| match verdict {
            Verdict::Method(m) if m.method == "disturb" => Some(m.sentence),
            _ => None,
        });
        let Some(sentence) = sentence else {
            return Err(Failure::usage(format!(
                "{} is no record of `plimsoll disturb`",
                Printable(name)
            )));
        };
        say!("{}: {}", Printable(name), Printable(&sentence));
    }
    say!();
    Ok(())
}

fn show(candidates: Vec<Candidate>, known: &[Diagnosis], others: usize) {
    let put = |c: &Candidate| {
        let text = |line: &str| {
            if line.is_empty() {
                "(not there)".to_string()
            } else {
                line.to_string()
            }
        };
        say!(
            "  {}: {} -> {}",
            Printable(&c.place),
            Printable(&text(&c.fast)),
            Printable(&text(&c.slow))
        );
    };
    let (named, unnamed): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(|c| c.known.is_some());
    if named.is_empty() && known.is_empty() {
        say!("No rule knows of a difference that matters.");
    }
    for candidate in &named {
        put(candidate);
        if let Some(d) = &candidate.known {
            say!("    {}. {}", Printable(&d.title()), Printable(d.why));
        }
    }
    let is_apart = |d: &&Diagnosis| !named.iter().any(|c| c.known.as_ref() == Some(d));
    for d in known.iter().filter(is_apart) {
        say!("  of the slow host alone: {}", Printable(&d.title()));
    }
    let half = unnamed.len().div_ceil(2);
    for (at, candidate) in unnamed.iter().enumerate() {
        match at {
            0 => say!(
                "To be tried, the first half: put these back to what the fast host has, and disturb again:"
            ),
            _ if at == half => say!("If that changes nothing, the other half:"),
            _ => {}
        }
        put(candidate);
    }
    if others > 0 {
        let differ = match others {
            1 => "difference is",
            _ => "differences are",
        };
        say!(
            "{others} more {differ} in places that do not decide how paths fail: plimsoll doctor --diff shows all."
        );
    }
}
