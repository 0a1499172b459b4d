//! Known answers: runs whose fault is planted, on simulated arrays in virtual time, and on real devices and files. Each rule
//! that is named for a case fires on it, and on what is without fault none does.

mod cases;
mod real;

use cases::{CASES, Case, clean_with_seed};
use plimsoll_audit::{Audit, Check, RULES, Rule};
use plimsoll_dialects::native;
use plimsoll_rig::{Control, RunOptions};
use real::{HOST, REAL, RealCase, SETUPS, SHARED, Told};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Carries a definition out, without a record.
fn run(name: &str, text: &str, seed: u64) -> Audit {
    let plan = native::parse(name, text)
        .unwrap_or_else(|e| panic!("{name}: {e}"))
        .plan;
    let options = RunOptions {
        seed: Some(seed),
        ..RunOptions::default()
    };
    let result = plimsoll_rig::run(&plan, &options, &Control::default(), &mut |_| {});
    result.unwrap_or_else(|e| panic!("{name}: {e}")).audit
}

/// The rules of observed runs that found something, by name; those of plans and of the judge are tested where they are.
fn fired(audit: &Audit) -> Vec<&'static str> {
    let of_runs = |rule: &&'static Rule| matches!(rule.check, Check::Run(_));
    let found = audit.findings.iter().filter_map(|f| f.rule).filter(of_runs);
    let mut names: Vec<&'static str> = found.map(|rule| rule.name).collect();
    names.dedup();
    names
}

/// How a rule answered in a case, in one character.
fn mark(rule: &'static Rule, audit: &Audit) -> &'static str {
    let is = |other: &&'static Rule| other.number == rule.number;
    if fired(audit).contains(&rule.name) {
        "**fires**"
    } else if audit.clean.iter().any(is) {
        "clean"
    } else if audit.not_observable.iter().any(|(r, _)| is(r)) {
        "not observable"
    } else {
        "-"
    }
}

fn page(audits: &BTreeMap<&str, Audit>) -> String {
    let mut out = String::from(
        "<!-- Written by tests: PLIMSOLL_UPDATE=1 cargo test -p plimsoll --test known_answers -->\n\n# Known answers\n\n\
         A rule that cannot fire, or fires on what is sound, is a bug. Each rule has a case of its own in its file, in which it \
         fires, and one in which it does not. Those that look at a run also have simulated arrays with a planted fault, in virtual \
         time; what they answered there is below. *Not observable* is neither good nor bad: what the rule looks at was not there.\n\n\
         | Case | Planted | Fires |\n|---|---|---|\n",
    );
    for case in &CASES {
        let names = fired(&audits[case.name]);
        let names = if names.is_empty() {
            "none".to_string()
        } else {
            names.join(", ")
        };
        let _ = writeln!(out, "| {} | {} | {names} |", case.name, case.planted);
    }
    let columns: Vec<&str> = CASES.iter().map(|c| c.name).collect();
    let _ = writeln!(out, "\n| Rule | {} |", columns.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(columns.len()));
    let told = |rule: &&&'static Rule| {
        matches!(rule.check, Check::Run(_)) && rule.number < 300 && !of_others(rule)
    };
    for rule in RULES.iter().filter(told) {
        let marks: Vec<&str> = CASES.iter().map(|c| mark(rule, &audits[c.name])).collect();
        let _ = writeln!(
            out,
            "| [{code} {name}]({code}.md) | {} |",
            marks.join(" | "),
            code = rule.code(),
            name = rule.name
        );
    }
    out += &real_table();
    out += &setups_table();
    out += EMULATED;
    let fired_really = REAL.iter().map(|c| c.fires);
    let fired_really: Vec<&str> = fired_really
        .chain(SETUPS.iter().map(|s| s.fires))
        .flatten()
        .copied()
        .collect();
    let planted = |rule: &&&'static Rule| fired_really.contains(&rule.name);
    let alone: Vec<String> = RULES
        .iter()
        .filter(|rule| matches!(rule.check, Check::Run(_)))
        .filter(|rule| !planted(rule) && !audits.values().any(|a| fired(a).contains(&rule.name)))
        .map(|rule| format!("[{code}]({code}.md)", code = rule.code()))
        .collect();
    let _ = writeln!(
        out,
        "\nOf the host, the stack below a target, and what a model does not have, these have the cases in their own files: {}.",
        alone.join(", ")
    );
    out
}

/// Whether a rule looks at what everyone else saw, which only real devices have.
fn of_others(rule: &Rule) -> bool {
    (120..160).contains(&rule.number)
}

/// Whether the rest of the host may make a rule fire in a case.
fn may(case: &RealCase, rule: &str) -> bool {
    HOST.contains(&rule) || case.shared_disk && SHARED.contains(&rule)
}

/// What scripts/vm plants, and scripts/vm/judge judges.
const EMULATED: &str = "
## In an emulated machine

What this kind of host does not have is planted in a machine that QEMU emulates, with a stock kernel (`make vm-test`), and judged by the kernel's own account of it; without the fault these are silent there.

| Planted | Fires |
|---|---|
| a process over the limit of its control group's memory (memory.high) while another one measures | memory-pressure |
| the wall clock set forward by 30 s in the middle of a step | clock-stepped |
| a SCSI disk that says in its log that it will fail; beside it the same disk and a SATA disk that do not | drive-worn, and the doctor's host-drive-ill |
| an NVMe controller that warns that it has become unreliable | drive-worn |
| one of two paths of dm-multipath taken offline | path-changed |
| a link with delay, a narrow link, one that loses packets | far-target, sent-again |

Not to be had in either: a sleep (the emulated machine does not come back from one), and a CPU's frequency and heat, of which neither machine tells. [PL140](PL140.md), [PL135](PL135.md) and [PL136](PL136.md) have made-up evidence in their own files; what a kernel tells of frequency and heat is read from captured trees in the tests of the witness.
";

/// The real cases and the rules of what everyone else saw. Its marks are what the test of the cases asserts.
fn real_table() -> String {
    let mut out = String::from(
        "\n## On real devices\n\nThe rules of what everyone else saw (PL120 to PL159) have real arrangements: files, and loop devices \
         over a file in memory, which nobody else uses. Two seconds each, as root; what a machine lacks is skipped. *Silent*: it must \
         not fire there. *May*: the rest of the host, or others on the same disk, may make it fire at any time.\n\n\
         | Case | Planted | Fires |\n|---|---|---|\n",
    );
    for case in &REAL {
        let names = match case.fires {
            [] => "none".to_string(),
            names => names.join(", "),
        };
        let _ = writeln!(out, "| {} (real) | {} | {names} |", case.name, case.planted);
    }
    let columns: Vec<&str> = REAL.iter().map(|c| c.name).collect();
    let _ = writeln!(out, "\n| Rule | {} |", columns.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(columns.len()));
    for rule in RULES.iter().filter(|rule| of_others(rule)) {
        let mark = |case: &RealCase| match rule.name {
            name if case.fires.contains(&name) => "**fires**",
            name if may(case, name) => "may",
            _ => "silent",
        };
        let marks: Vec<&str> = REAL.iter().map(mark).collect();
        let _ = writeln!(
            out,
            "| [{code} {name}]({code}.md) | {} |",
            marks.join(" | "),
            code = rule.code(),
            name = rule.name
        );
    }
    out
}

/// How hosts, devices and plans are set up, with the fault and without. Its marks are what the test of them asserts.
fn setups_table() -> String {
    let mut out = String::from(
        "\n## How it is set up\n\nArrangements of real devices and files, each with its fault and without: the rule fires with it, and does \
         not without. A second each.\n\n| Setup | With the fault | Without | Fires |\n|---|---|---|---|\n",
    );
    for setup in &SETUPS {
        let (name, planted, without) = (setup.name, setup.planted, setup.without);
        let fires = setup.fires.join(", ");
        let _ = writeln!(out, "| {name} | {planted} | {without} | {fires} |");
    }
    out
}

/// What the rules say of a real case. Where one that should have fired did not, the host may have had no CPU for the run: then it is
/// run once more, and where that is still so, nothing is known.
fn told(case: &RealCase) -> Result<Told, String> {
    let is_silent = |told: &Told| {
        let fired = |rule: &&str| told.fired.iter().any(|f| f == rule);
        !case.fires.iter().all(fired)
    };
    let told = (case.run)()?;
    if !is_silent(&told) || !is_crowded() {
        return Ok(told);
    }
    let told = (case.run)()?;
    match is_silent(&told) && is_crowded() {
        true => Err("other processes leave this machine no CPU for a run".into()),
        false => Ok(told),
    }
}

/// Whether twice as much wants to run on this host as it has CPUs for.
fn is_crowded() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|l| l.parse::<f64>().ok());
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    load.is_some_and(|load| load > 2.0 * cpus as f64)
}

#[test]
fn real_arrangements_are_told_apart_and_real_sound_ones_are_clean() {
    for case in &REAL {
        let told = match told(case) {
            Ok(told) => told,
            Err(why) => {
                plimsoll_skipped::skipped!("{why}");
                continue;
            }
        };
        let (name, said) = (case.name, &told.messages);
        for rule in case.fires {
            assert!(
                told.fired.iter().any(|f| f == rule),
                "{name}: {rule}: {said:#?}"
            );
        }
        let others = RULES
            .iter()
            .filter(|rule| of_others(rule) && !case.fires.contains(&rule.name));
        for rule in others.filter(|rule| !may(case, rule.name)) {
            assert!(
                !told.fired.iter().any(|f| f == rule.name),
                "{name}: {}: {said:#?}",
                rule.name
            );
        }
        if case.fires.is_empty() && !case.shared_disk {
            let seen = ["foreign-io", "cpu-starved", "suspended"];
            let blind: Vec<&str> = seen
                .into_iter()
                .filter(|rule| told.blind.contains(rule))
                .collect();
            assert!(blind.is_empty(), "{name}: nobody looked: {blind:?}");
        }
    }
}

#[test]
fn what_is_set_up_wrong_is_told_and_what_is_set_up_right_is_not() {
    let mut wrong = Vec::new();
    for setup in &SETUPS {
        for planted in [true, false] {
            let told = match (setup.run)(planted) {
                Ok(told) => told,
                Err(why) => {
                    plimsoll_skipped::skipped!("{why}");
                    continue;
                }
            };
            let is_wrong = |rule: &&&str| told.fired.iter().any(|f| f == **rule) != planted;
            let rules: Vec<&&str> = setup.fires.iter().filter(is_wrong).collect();
            if !rules.is_empty() {
                wrong.push((setup.name, planted, rules, told.messages));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn planted_faults_are_found_and_sound_runs_are_clean() {
    let audits: BTreeMap<&str, Audit> = CASES
        .iter()
        .map(|case| (case.name, run(case.name, case.text, 1)))
        .collect();
    for Case { name, fires, .. } in &CASES {
        let found = fired(&audits[name]);
        for rule in *fires {
            assert!(
                found.contains(rule),
                "{name}: {rule} is not among {found:?}"
            );
        }
        assert!(!fires.is_empty() || found.is_empty(), "{name}: {found:?}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules/known-answers.md");
    let expected = page(&audits);
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(&path, &expected).expect("the page can be written");
    }
    let text = std::fs::read_to_string(&path).expect("the page can be read");
    assert!(
        text == expected,
        "docs/rules/known-answers.md is not what the runs say; run PLIMSOLL_UPDATE=1 cargo test -p plimsoll --test known_answers"
    );
}

/// Seeds of sound runs on which a rule fired.
fn false_alarms(seeds: std::ops::Range<u64>) -> Vec<(u64, Vec<&'static str>)> {
    seeds
        .map(|seed| (seed, fired(&run("clean", &clean_with_seed(seed), seed))))
        .filter(|(_, names)| !names.is_empty())
        .collect()
}

#[test]
fn ten_sound_runs_give_no_alarm() {
    let alarms = false_alarms(1000..1010);
    assert!(alarms.is_empty(), "{alarms:?}");
}

#[test]
#[ignore = "takes minutes: 200 runs"]
fn two_hundred_sound_runs_give_four_alarms_at_most() {
    let alarms = false_alarms(0..200);
    println!("{} of 200: {alarms:?}", alarms.len());
    assert!(alarms.len() <= 4, "{alarms:?}");
}
