//! The page that these tests write: what each rule answered in each case.

use super::captured::CAPTURED;
use super::cases::CASES;
use super::fired;
use super::real::{HOST, REAL, RealCase, SETUPS, SHARED};
use plimsoll_audit::{Audit, Check, RULES, Rule};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Character for a rule's answer in a case.
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

pub fn page(audits: &BTreeMap<&str, Audit>) -> String {
    let mut out = String::from(
        "<!-- Written by tests: PLIMSOLL_UPDATE=1 cargo test -p plimsoll --test known_answers -->\n\n# Known answers\n\n\
         A rule that cannot fire, or fires on what is sound, is a bug. Each rule has a case of its own in its file, in which it \
         fires, and one in which it does not. Those that look at a run also have simulated arrays with a planted fault, in virtual \
         time; what they answered there is below. *Not observable* is neither good nor bad: what the rule looks at was not there.\n\n\
         | Case | Planted | Fires |\n|---|---|---|\n",
    );
    for case in CASES.iter() {
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
    let reported = |rule: &&&'static Rule| {
        matches!(rule.check, Check::Run(_)) && rule.number < 300 && !of_others(rule)
    };
    for rule in RULES.iter().filter(reported) {
        let marks: Vec<&str> = CASES.iter().map(|c| mark(rule, &audits[c.name])).collect();
        let _ = writeln!(
            out,
            "| {code} {name} | {} |",
            marks.join(" | "),
            code = rule.code(),
            name = rule.name
        );
    }
    out += &real_table();
    out += &setups_table();
    out += &captured_table();
    out += EMULATED;
    out += &elsewhere();
    let fired_really = REAL.iter().map(|c| c.fires);
    let fired_really: Vec<&str> = fired_really
        .chain(SETUPS.iter().map(|s| s.fires))
        .chain(CAPTURED.iter().map(|c| c.fires))
        .chain([EMULATED_RULES])
        .flatten()
        .copied()
        .chain(ELSEWHERE.map(|(rule, ..)| rule))
        .collect();
    let planted = |rule: &&&'static Rule| fired_really.contains(&rule.name);
    let alone: Vec<String> = RULES
        .iter()
        .filter(|rule| matches!(rule.check, Check::Run(_)))
        .filter(|rule| !planted(rule) && !audits.values().any(|a| fired(a).contains(&rule.name)))
        .map(|rule| rule.code())
        .collect();
    let _ = writeln!(
        out,
        "\n## In their own files alone\n\nA fault of the program itself (PL105), a provider's throttle to half a per cent (PL116), and what neither \
         this host nor the emulated one can do have the cases in the rules' own files: {}.",
        alone.join(", ")
    );
    out
}

/// True where a rule looks at what everyone else saw, which only real devices have.
pub fn of_others(rule: &Rule) -> bool {
    (120..160).contains(&rule.number)
}

/// True where the rest of the host may make a rule fire in a case.
pub fn may(case: &RealCase, rule: &str) -> bool {
    HOST.contains(&rule) || case.shared_disk && SHARED.contains(&rule)
}

/// The rules that fire there.
const EMULATED_RULES: &[&str] = &[
    "drive-worn",
    "clock-stepped",
    "memory-pressure",
    "layers-below",
    "path-changed",
    "sent-again",
];

/// Rules whose arrangement is another test's.
const ELSEWHERE: [(&str, &str, &str, &str); 4] = [
    (
        "nothing-measured",
        "a record whose run came to no step",
        "tests/command/auditing.rs",
        "a_record_without_steps_is_not_clean",
    ),
    (
        "trims-of-nothing",
        "trims of a file that is a hole",
        "tests/command/auditing.rs",
        "trims_of_what_holds_nothing_are_named_and_those_of_data_are_not",
    ),
    (
        "clock-at-another-speed",
        "a C library whose clock runs at twice its speed",
        "tests/command/other_clock.rs",
        "a_clock_at_twice_its_speed_is_seen_by_the_kernels",
    ),
    (
        "others-on-the-array",
        "a second client of a lab's array over NBD",
        "tests/command/array_doubts.rs",
        "a_second_client_of_the_array_is_named_and_none_is_not",
    ),
];

/// Table of cases in other tests, which have to be there.
fn elsewhere() -> String {
    let mut out =
        String::from("\n## In tests of their own\n\n| Rule | Planted | Test |\n|---|---|---|\n");
    for (rule, planted, file, test) in ELSEWHERE {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read_to_string(&path).expect("a test");
        assert!(text.contains(&format!("fn {test}()")), "{file}: {test}");
        let _ = writeln!(out, "| {rule} | {planted} | `{test}` in plimsoll/{file} |");
    }
    out
}

/// Faults that scripts/vm plants, and that scripts/vm/judge judges.
const EMULATED: &str = "
## In an emulated machine

What this kind of host does not have is planted in a machine that QEMU emulates, with a stock kernel (`make vm-test`), and judged by the kernel's own account of it; without the fault these are silent there.

| Planted | Fires |
|---|---|
| a process over the limit of its control group's memory (memory.high) while another one measures | memory-pressure |
| the wall clock set forward by 30 s in the middle of a step | clock-stepped |
| a SCSI disk that says in its log that it will fail; beside it the same disk and a SATA disk that do not | drive-worn, and the doctor's host-drive-ill |
| an NVMe controller that warns that it has become unreliable | drive-worn |
| a device of dm-multipath | layers-below |
| one of two paths of dm-multipath taken offline | path-changed |
| a link with delay, a narrow link, one that loses packets | far-target, sent-again |

Not to be had in either: a sleep (the emulated machine does not come back from one). PL140 has made-up evidence in its own file.
";

/// The real cases and the rules of what everyone else saw. Its marks are what the test of the cases asserts.
fn real_table() -> String {
    let mut out = String::from(
        "\n## On real devices\n\nThe rules of what everyone else saw (PL120 to PL159) have real arrangements: files, and loop devices \
         over a file in memory, which nobody else uses. Two seconds each, as root; what a machine lacks is skipped. *Silent*: it must \
         not fire there. *May*: the rest of the host, or others on the same disk, may make it fire at any time.\n\n\
         | Case | Planted | Fires |\n|---|---|---|\n",
    );
    for case in REAL {
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
            "| {code} {name} | {} |",
            marks.join(" | "),
            code = rule.code(),
            name = rule.name
        );
    }
    out
}

/// Table of the setups of hosts, devices and plans, with the fault and without. Its marks are what the test of them asserts.
fn setups_table() -> String {
    let mut out = String::from(
        "\n## How it is set up\n\nArrangements of real devices and files, each with its fault and without: the rule fires with it, and does \
         not without. A second each.\n\n| Setup | With the fault | Without | Fires |\n|---|---|---|---|\n",
    );
    for setup in SETUPS {
        let (name, planted, without) = (setup.name, setup.planted, setup.without);
        let fires = setup.fires.join(", ");
        let _ = writeln!(out, "| {name} | {planted} | {without} | {fires} |");
    }
    out
}

/// Hosts as trees of the kernel's files. Its marks are what the test of them asserts.
fn captured_table() -> String {
    let mut out = String::from(
        "\n## On captured hosts\n\nWhat this kind of host does not have, or may not do: a real run, of which everyone else's account is read from \
         the kernel's files of another host, before the step and at its end. Without the fault the same files make none of these rules \
         fire.\n\n| Host | Its kernel says | Fires |\n|---|---|---|\n",
    );
    for host in CAPTURED {
        let (name, planted) = (host.name, host.planted);
        let _ = writeln!(out, "| {name} | {planted} | {} |", host.fires.join(", "));
    }
    out
}
