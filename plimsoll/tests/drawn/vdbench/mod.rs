//! Drawn parameter files, simulated by the real Vdbench and by `plimsoll vdbench -s`: refused by both, or the same runs in the same
//! order, with the same rates, times and values of loops.
//!
//! The licence of the real one lets nobody pass it on. So what it made of some seeds is kept in `answers.txt`, in our own words;
//! `PLIMSOLL_UPDATE=1` asks it again.

mod answers;
mod both;
mod carried_out;
mod files;
mod known;

use crate::draw;
use both::Simulated;
use files::Case;

/// Seeds whose answers are kept.
const KEPT: u64 = 150;

/// Difference between the two; nothing where both make the same of a file, or ours warns of what it takes more kindly.
fn judge(real: &Simulated, ours: &Simulated) -> Option<String> {
    match (real.accepted, ours.accepted) {
        (false, false) => None,
        (false, true) if ours.printed.contains("warning[") => None,
        (false, true) => Some(format!("runs, and Vdbench refuses it: {}", reason(real))),
        (true, false) => Some(format!("refused: {}", ours.error())),
        (true, true) => {
            let at = real.runs.iter().zip(&ours.runs).position(|(a, b)| a != b);
            match at {
                Some(at) => Some(format!(
                    "run {at} is {}, Vdbench's {}",
                    ours.runs[at], real.runs[at]
                )),
                None => (real.sum != ours.sum)
                    .then(|| format!("{} runs and seconds, Vdbench's {}", ours.sum, real.sum)),
            }
        }
    }
}

fn reason(real: &Simulated) -> &str {
    let mut lines = real.printed.lines();
    lines
        .find_map(|line| line.split_once("Exception: "))
        .map_or("", |(_, why)| why)
}

fn differs(case: &Case, real: &Simulated) -> Option<String> {
    judge(real, &both::ours(case)).filter(|what| known::reason(case, what).is_none())
}

fn shown(seed: u64, case: &Case, what: &str) -> String {
    let included = case
        .included
        .as_deref()
        .map_or(String::new(), |text| format!("disks:\n{text}"));
    format!(
        "seed {seed}: {what}\n{}{included}words: {}\n",
        case.text,
        case.words.join(" ")
    )
}

#[test]
fn files_of_which_the_real_answers_are_kept_are_read_as_it_reads_them() {
    if let Some(program) = both::real().filter(|_| std::env::var_os("PLIMSOLL_UPDATE").is_some()) {
        answers::keep(&program, 1..1 + KEPT);
    }
    let mut failures = Vec::new();
    let kept = answers::all();
    assert_eq!(kept.len() as u64, KEPT);
    assert!(
        kept.iter().filter(|(_, real)| real.accepted).count() > 40,
        "most are refused"
    );
    for (seed, real) in &kept {
        let case = files::case(*seed);
        failures.extend(differs(&case, real).map(|what| shown(*seed, &case, &what)));
    }
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn drawn_files_are_read_as_the_real_vdbench_reads_them() {
    let Some(program) = both::real() else {
        return plimsoll_skipped::skipped!("Vdbench is not installed");
    };
    let mut failures = Vec::new();
    for seed in draw::seeds(20) {
        let case = files::case(seed);
        let real = both::of_vdbench(&program, &case);
        failures.extend(differs(&case, &real).map(|what| shown(seed, &case, &what)));
    }
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
