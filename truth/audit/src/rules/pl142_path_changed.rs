use crate::{RuleAnswer, RuleFinding, RunView, others};
use plimsoll_evidence::witnessed::PathSeen;
use plimsoll_evidence::{Quantity, Witnessed};

rule! {
    142 "path-changed" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [58, 12] {
        summary: "A path to a device changed its state, or was not there.",
        why: "When a path goes, what was out on it waits for a timeout and is sent again elsewhere; from then on the others \
            carry more, and another controller of the array may serve. Two halves of the run are of two configurations, and \
            a run that began with a path less is of a smaller one.",
        threshold: "The kernel saw a path in another state before, or it was not running, live or active at the end; or its map of \
            dm-multipath failed it, or went over to another group of paths.",
        source: "The state of each SCSI device, NVMe controller and path in sysfs, and the status of each multipath map, as `dmsetup \
            status` has it, looked at once an interval.",
        example: "sdc went from running to offline after 40 s: 62,000/s, then 31,000/s.",
        remedy: "See why (kernel log, switch, array), bring it back, and repeat; or measure that on purpose with `plimsoll \
            disturb`.",
    }
    fires: |o| path(o, &["running"], "offline"),
    clean: |o| path(o, &[], "running"),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let paths = |seen: &Witnessed| others::some(&seen.paths).map(<[PathSeen]>::to_vec);
    others::ask(view, "the paths to the devices", paths, |_, _, paths| {
        let each = paths.iter();
        each.flat_map(|p| [unsound(p), failed(p), left(p)])
            .flatten()
            .collect()
    })
}

fn unsound(path: &PathSeen) -> Option<RuleFinding> {
    let message = match (path.states_before.is_empty(), is_up(&path.state)) {
        (true, true) => return None,
        (true, false) => format!("Path {} of {} was {}.", path.name, path.of, path.state),
        (false, _) => format!(
            "Path {} of {} was {}, then {}.",
            path.name,
            path.of,
            path.states_before.join(", then "),
            path.state
        ),
    };
    Some(RuleFinding::new(message).value("path", Quantity::Text(path.name.clone())))
}

/// What its map says of it: the disk of a failed path may well be running.
fn failed(path: &PathSeen) -> Option<RuleFinding> {
    let map = path.map.as_ref()?;
    let times = match map.failures {
        0 => String::new(),
        1 => " It failed once.".to_string(),
        n => format!(" It failed {n} times."),
    };
    let (name, of) = (&path.name, &path.of);
    let message = match (map.states_before.is_empty(), map.state == "active") {
        (true, true) if map.failures == 0 => return None,
        (true, true) => format!("The map {of} failed path {name} and took it back.{times}"),
        (true, false) => format!("Path {name} was {} in the map {of}.{times}", map.state),
        (false, _) => format!(
            "Path {name} was {} in the map {of}, then {}.{times}",
            map.states_before.join(", then "),
            map.state
        ),
    };
    Some(
        RuleFinding::new(message)
            .value("path", Quantity::Text(name.clone()))
            .value("failures", Quantity::Count(map.failures)),
    )
}

/// Its map went over to another group of paths. Before its first I/O a map uses none.
fn left(path: &PathSeen) -> Option<RuleFinding> {
    let map = path.map.as_ref()?;
    let was_used = map.group_states_before.iter().any(|s| s == "active");
    was_used.then(|| {
        let message = format!(
            "Group {} of the map {}, with path {}, was {}, then {}.",
            map.group,
            path.of,
            path.name,
            map.group_states_before.join(", then "),
            map.group_state
        );
        RuleFinding::new(message).value("path", Quantity::Text(path.name.clone()))
    })
}

/// The words of SCSI devices, NVMe controllers and device mapper for a path that carries, or stands by as it should.
fn is_up(state: &str) -> bool {
    ["running", "live", "active", "non-optimized", "inaccessible"].contains(&state)
}

#[cfg(test)]
fn path(o: &mut crate::known::Observed, before: &[&str], state: &str) {
    o.witnessed().paths = vec![PathSeen {
        name: "sdc".into(),
        of: "dm-0".into(),
        state: state.into(),
        states_before: before.iter().map(|s| (*s).into()).collect(),
        map: None,
    }];
}

#[test]
fn a_path_that_was_away_all_the_time_and_one_that_came_back_are_told() {
    let message = |before: &[&str], state: &str| {
        let case = crate::known::changed(|o| path(o, before, state));
        crate::known::found(check(&case.view()))
            .first()
            .map(|s| s.message.clone())
    };
    assert_eq!(
        message(&[], "offline").as_deref(),
        Some("Path sdc of dm-0 was offline.")
    );
    let back = "Path sdc of dm-0 was running, then transport-offline, then running.";
    assert_eq!(
        message(&["running", "transport-offline"], "running").as_deref(),
        Some(back)
    );
}

#[test]
fn what_a_map_holds_of_a_path_counts_though_its_disk_is_running() {
    use plimsoll_evidence::witnessed::MapPath;
    let message = |before: &[&str], state: &str, failures: u64, groups: &[&str]| {
        let map = MapPath {
            state: state.into(),
            states_before: before.iter().map(|s| (*s).into()).collect(),
            failures,
            group: 2,
            group_state: "enabled".into(),
            group_states_before: groups.iter().map(|s| (*s).into()).collect(),
        };
        let case = crate::known::changed(|o| {
            path(o, &[], "running");
            o.witnessed().paths[0].map = Some(map);
        });
        let found = crate::known::found(check(&case.view()));
        found.into_iter().map(|s| s.message).collect::<Vec<_>>()
    };
    assert_eq!(message(&[], "active", 0, &[]), [""; 0]);
    assert_eq!(message(&[], "active", 0, &["enabled"]), [""; 0]);
    assert_eq!(
        message(&["active"], "failed", 1, &[]),
        ["Path sdc was active in the map dm-0, then failed. It failed once."]
    );
    assert_eq!(
        message(&[], "failed", 0, &[]),
        ["Path sdc was failed in the map dm-0."]
    );
    assert_eq!(
        message(&[], "active", 2, &[]),
        ["The map dm-0 failed path sdc and took it back. It failed 2 times."]
    );
    assert_eq!(
        message(&[], "active", 0, &["active"]),
        ["Group 2 of the map dm-0, with path sdc, was active, then enabled."]
    );
}
