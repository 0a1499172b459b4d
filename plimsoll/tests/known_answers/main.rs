//! Known answers: runs whose fault is planted, on simulated arrays in virtual time, and on real devices and files. Each rule
//! that is named for a case fires on it, and on what is without fault none does.

mod captured;
mod cases;
mod page;
mod real;

use captured::CAPTURED;
use cases::{CASES, Case, clean_with_seed};
use page::{may, of_others, page};
use plimsoll_audit::{Audit, Check, RULES, Rule};
use plimsoll_dialects::native;
use plimsoll_plan::{Claim, Plan};
use plimsoll_rig::{Control, RunOptions};
use real::{REAL, RealCase, SETUPS, Told};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The plan of a definition, claimed to be sustained where it claims nothing: the cases are short, and the rules of what lasts are asked too.
fn plan(name: &str, text: &str) -> Plan {
    let plan = native::parse(name, text)
        .unwrap_or_else(|e| panic!("{name}: {e}: {text}"))
        .plan;
    Plan {
        claim: plan.claim.or(Some(Claim::Sustained)),
        ..plan
    }
}

/// Carries a definition out, without a record.
fn run(name: &str, text: &str, seed: u64) -> Audit {
    let plan = plan(name, text);
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

/// Real cases one at a time: each wants the machine for itself.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers of the rules in a real case. Where one that should have fired did not, the case is run once more: a kernel may have taken just
/// these pages of its cache, or the host had no CPU for the run. Where it had none again, nothing is known.
fn reported(case: &RealCase) -> Result<Told, String> {
    let is_silent = |reported: &Told| {
        let fired = |rule: &&str| reported.fired.iter().any(|f| f == rule);
        !case.fires.iter().all(fired)
    };
    let reported = (case.run)()?;
    if !is_silent(&reported) {
        return Ok(reported);
    }
    let reported = (case.run)()?;
    match is_silent(&reported) && is_crowded() {
        true => Err("other processes leave this machine no CPU for a run".into()),
        false => Ok(reported),
    }
}

/// True where twice as much wants to run on this host as it has CPUs for.
fn is_crowded() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|l| l.parse::<f64>().ok());
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    load.is_some_and(|load| load > 2.0 * cpus as f64)
}

#[test]
fn real_arrangements_are_told_apart_and_real_sound_ones_are_clean() {
    let _alone = alone();
    for case in REAL {
        let reported = match reported(case) {
            Ok(reported) => reported,
            Err(why) => {
                plimsoll_skipped::skipped!("{why}");
                continue;
            }
        };
        let (name, said) = (case.name, &reported.messages);
        for rule in case.fires {
            assert!(
                reported.fired.iter().any(|f| f == rule),
                "{name}: {rule}: {said:#?}"
            );
        }
        let others = RULES
            .iter()
            .filter(|rule| of_others(rule) && !case.fires.contains(&rule.name));
        for rule in others.filter(|rule| !may(case, rule.name)) {
            assert!(
                !reported.fired.iter().any(|f| f == rule.name),
                "{name}: {}: {said:#?}",
                rule.name
            );
        }
        if case.fires.is_empty() && !case.shared_disk {
            let seen = ["foreign-io", "cpu-starved", "suspended"];
            let blind: Vec<&str> = seen
                .into_iter()
                .filter(|rule| reported.blind.contains(rule))
                .collect();
            assert!(blind.is_empty(), "{name}: nobody looked: {blind:?}");
        }
    }
}

#[test]
fn what_is_set_up_wrong_is_told_and_what_is_set_up_right_is_not() {
    let _alone = alone();
    let mut wrong = Vec::new();
    for setup in SETUPS {
        for planted in [true, false] {
            let reported = match (setup.run)(planted) {
                Ok(reported) => reported,
                Err(why) => {
                    plimsoll_skipped::skipped!("{why}");
                    continue;
                }
            };
            let is_wrong = |rule: &&&str| reported.fired.iter().any(|f| f == **rule) != planted;
            let rules: Vec<&&str> = setup.fires.iter().filter(is_wrong).collect();
            if !rules.is_empty() {
                wrong.push((setup.name, planted, rules, reported.messages));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_another_hosts_kernel_says_is_judged_as_this_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("target");
    std::fs::write(&path, vec![0x5a; 1 << 20]).expect("a file");
    let measured = captured::measured(&path);
    let names = |audit: &Audit| {
        let found = audit.findings.iter().filter_map(|f| f.rule);
        found.map(|rule| rule.name).collect::<Vec<_>>()
    };
    let sound = captured::judged(&measured, &[]);
    for host in CAPTURED {
        let audit = captured::judged(&measured, host.fault);
        for rule in host.fires {
            let looked = |of: &Audit| !of.not_observable.iter().any(|(r, _)| r.name == *rule);
            assert!(looked(&sound), "{}: {rule} could not look", host.name);
            assert!(!names(&sound).contains(rule), "{rule} without a fault");
            assert!(
                names(&audit).contains(rule),
                "{}: {rule}: {:?}",
                host.name,
                names(&audit)
            );
        }
    }
}

#[test]
fn planted_faults_are_found_and_sound_runs_are_clean() {
    let audits: BTreeMap<&str, Audit> = CASES
        .iter()
        .map(|case| (case.name, run(case.name, case.text, 1)))
        .collect();
    for Case { name, fires, .. } in CASES.iter() {
        let found = fired(&audits[name]);
        for rule in fires {
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
