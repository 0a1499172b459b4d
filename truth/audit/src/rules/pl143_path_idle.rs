use crate::{RuleAnswer, RuleFinding, RunView, applies, observable, others};
use plimsoll_evidence::witnessed::DeviceUse;
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    143 "path-idle" Run(check) NOTE pitfalls [58] {
        summary: "Of several paths to a device not all carried.",
        why: "An array behind four paths is reached by all of them only where the selector, the groups and the controllers' \
            preferences say so. What carries nothing adds nothing: the result is of the paths that carried, and their ports.",
        threshold: "A path moved less than 5 % of an even part of what all paths of its device moved.",
        source: "/proc/diskstats of each path; the share is ours, as of the paths that arrays tell of.",
        example: "Four paths, group_by_prio: two carried half each, the two of the other controller nothing, until it fails.",
        remedy: "Say which paths carried; where all should, see the selector and the groups (`multipath -ll`).",
    }
    fires: |o| paths(o, &[20_000_000_000, 0, 20_000_000_000, 3_000]),
    clean: |o| paths(o, &[20_000_000_000, 18_000_000_000]),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let several = |seen: &Witnessed| seen.paths.iter().any(|p| of_one(seen, &p.of).len() > 1);
    let seen = others::of(view)?;
    observable(
        seen.iter().any(|(_, w)| !w.paths.is_empty()),
        "the paths to the devices",
    )?;
    applies(seen.iter().any(|(_, w)| several(w)))?;
    let paths = |seen: &Witnessed| several(seen).then_some(());
    others::ask(view, "what each path carried", paths, |_, seen, ()| {
        let mut devices: Vec<&str> = seen.paths.iter().map(|p| p.of.as_str()).collect();
        devices.sort_unstable();
        devices.dedup();
        devices
            .into_iter()
            .filter_map(|of| idle(seen, of))
            .collect()
    })
}

/// The counters of the paths of one device.
fn of_one<'a>(seen: &'a Witnessed, of: &str) -> Vec<&'a DeviceUse> {
    let paths = seen.paths.iter().filter(|p| p.of == of);
    paths.filter_map(|p| seen.device(&p.name)).collect()
}

fn idle(seen: &Witnessed, of: &str) -> Option<RuleFinding> {
    let paths = of_one(seen, of);
    let all: f64 = paths.iter().map(|p| p.bytes() as f64).sum();
    let least = LEAST * all / paths.len() as f64;
    let idle: Vec<&str> = paths
        .iter()
        .filter(|p| (p.bytes() as f64) < least)
        .map(|p| p.name.as_str())
        .collect();
    (!idle.is_empty()).then(|| {
        let message = format!(
            "Of {} paths to {of}, {} carried next to nothing ({}): what {} moved came by {}.",
            paths.len(),
            idle.len(),
            idle.join(", "),
            human::bytes(all as u64),
            paths.len() - idle.len()
        );
        let even = all / paths.len() as f64;
        let carried = paths
            .iter()
            .map(|p| p.bytes() as f64)
            .fold(f64::MAX, f64::min);
        RuleFinding::new(message)
            .value("idle", Quantity::Count(idle.len() as u64))
            .judged(
                "share",
                Quantity::Share(others::share(carried, even)),
                LEAST,
            )
    })
}

const LEAST: f64 = 0.05;

#[cfg(test)]
fn paths(o: &mut crate::known::Observed, bytes: &[u64]) {
    let names = ["sda", "sdb", "sdc", "sdd"];
    for (name, read_bytes) in names.iter().zip(bytes) {
        o.witnessed()
            .paths
            .push(plimsoll_evidence::witnessed::PathSeen {
                name: (*name).into(),
                of: "dm-0".into(),
                state: "running".into(),
                ..plimsoll_evidence::witnessed::PathSeen::default()
            });
        o.witnessed().devices.push(DeviceUse {
            name: (*name).into(),
            read_bytes: *read_bytes,
            ..DeviceUse::default()
        });
    }
}

#[test]
fn a_single_path_has_no_others_to_be_compared_with() {
    let case = crate::known::changed(|o| paths(o, &[20_000_000_000]));
    assert_eq!(check(&case.view()), Err(crate::NotApplicable));
}
