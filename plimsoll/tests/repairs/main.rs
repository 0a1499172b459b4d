//! Repair beside the truth: drawn faults on simulated arrays, the clean figure that a finding gives of each, and what the same array
//! gives without the fault. `docs/repair.md` has what came of it.

mod cases;

use cases::{Case, case};
use plimsoll_dialects::native;
use plimsoll_rig::{Control, RunOptions, RunResult};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const CASES: u64 = 50;
/// A repaired figure is no further from the clean one.
const WITHIN: f64 = 0.10;
/// And so many are offered at the least: of fewer the rest would say nothing.
const OFFERED: usize = 20;

fn run(name: &str, text: &str) -> RunResult {
    let plan = native::parse(name, text)
        .unwrap_or_else(|e| panic!("{name}: {e}\n{text}"))
        .plan;
    let options = RunOptions {
        seed: Some(1),
        ..RunOptions::default()
    };
    let result = plimsoll_rig::run(&plan, &options, &Control::default(), &mut |_| {});
    result.unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Outcome of a case.
enum Came {
    /// The rule found nothing: what was drawn was no fault there.
    Silent,
    /// A figure was not offered, with the finding's words.
    NotOffered(String),
    /// Error of the figure, as a share of the truth, and the error that it stated.
    Offered { off: f64, stated: f64 },
}

fn of(case: &Case) -> Came {
    let result = run(case.kind, &case.faulty);
    let mut found = result.audit.findings.iter();
    let Some(found) = found.rfind(|f| f.rule.is_some_and(|r| r.name == case.rule)) else {
        return Came::Silent;
    };
    let value = |name: &str| {
        let values = &found.finding.values;
        values
            .iter()
            .find(|v| v.name == name)
            .and_then(|v| v.quantity.number())
    };
    let (Some(clean), Some(half)) = (value("clean"), value("clean_half_width")) else {
        return Came::NotOffered(found.finding.message.clone());
    };
    let truth = run(case.kind, &case.clean);
    let truth = truth.steps.last().expect("a step").rate.mean;
    Came::Offered {
        off: clean / truth - 1.0,
        stated: half / clean,
    }
}

/// Outcomes of all cases of a kind.
#[derive(Default)]
struct Kind {
    drawn: usize,
    silent: usize,
    offered: usize,
    largest: f64,
    inside: usize,
}

fn table(kinds: &BTreeMap<&str, Kind>) -> String {
    let mut out = String::from(
        "| Fault | Drawn | No finding | Not offered | Offered | Largest error | Inside of its own ± |\n|---|---|---|---|---|---|---|\n",
    );
    for (name, kind) in kinds {
        let refused = kind.drawn - kind.silent - kind.offered;
        let largest = match kind.offered {
            0 => "-".to_string(),
            _ => format!("{:.1} %", kind.largest * 100.0),
        };
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {refused} | {} | {largest} | {} |",
            kind.drawn, kind.silent, kind.offered, kind.inside
        );
    }
    out
}

#[test]
fn what_is_offered_lies_within_ten_percent_of_a_clean_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
    let mut wrong = Vec::new();
    // More of them, to see whether the models were fitted to the fifty.
    let more = std::env::var("PLIMSOLL_REPAIRS").ok();
    let count: u64 = more
        .as_ref()
        .map_or(CASES, |n| n.parse().expect("a number"));
    for number in 0..count {
        let case = case(number, folder.path());
        let kind = kinds.entry(case.kind).or_default();
        kind.drawn += 1;
        match of(&case) {
            Came::Silent => {
                kind.silent += 1;
                println!("{number} {}: silent: {}", case.kind, case.drawn);
            }
            Came::NotOffered(words) => {
                println!(
                    "{number} {}: not offered: {}: {words}",
                    case.kind, case.drawn
                );
                assert!(words.contains("cannot be computed"), "{words}");
            }
            Came::Offered { off, stated } => {
                println!(
                    "{number} {}: {:+.3} ±{stated:.3}: {}",
                    case.kind, off, case.drawn
                );
                kind.offered += 1;
                kind.largest = kind.largest.max(off.abs());
                kind.inside += usize::from(off.abs() <= stated);
                if off.abs() > WITHIN {
                    wrong.push(format!("{number} {}: {off:+.3}: {}", case.kind, case.drawn));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let offered: usize = kinds.values().map(|k| k.offered).sum();
    assert!(offered >= OFFERED, "{offered} of {CASES} were offered");
    match more {
        None => compare(&table(&kinds)),
        Some(_) => println!("{}", table(&kinds)),
    }
}

/// The page has what came of it.
fn compare(table: &str) {
    const FROM: &str = "<!-- from here on by tests -->\n";
    const TO: &str = "<!-- up to here -->";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/repair.md");
    let text = std::fs::read_to_string(&path).expect("the page can be read");
    let (head, rest) = text.split_once(FROM).expect("a place for the table");
    let (found, tail) = rest.split_once(TO).expect("an end of the table");
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        let new = [head, FROM, table, TO, tail].concat();
        return std::fs::write(&path, new).expect("the page can be written");
    }
    assert!(
        found == table,
        "docs/repair.md is not what the runs say; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll --test repairs"
    );
}
