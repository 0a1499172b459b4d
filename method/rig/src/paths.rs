//! What the paths did in a step, as evidence and as findings.

use plimsoll_engine::export::{self, VolumeReport};
use plimsoll_evidence::{Finding, PathEvent, PathState, PathUse, Quantity, Severity, TargetPaths};

/// The engine's reports as evidence.
pub(crate) fn evidence(reports: &[VolumeReport]) -> Vec<TargetPaths> {
    reports.iter().map(of_target).collect()
}

fn of_target(report: &VolumeReport) -> TargetPaths {
    let events: Vec<PathEvent> = report
        .events
        .iter()
        .map(|e| PathEvent {
            at_ns: e.at_ns,
            path: e.path as u32,
            state: match e.state {
                export::ClientPathState::Up => PathState::Up,
                export::ClientPathState::Down | export::ClientPathState::Trial => PathState::Down,
            },
            why: e.why.clone(),
        })
        .collect();
    let state_of = |path: usize| {
        let last = events.iter().rev().find(|e| e.path as usize == path);
        last.map_or(PathState::Up, |e| e.state)
    };
    let path = |(i, p): (usize, &export::PathReport)| {
        let answered = p.ios + p.errors;
        PathUse {
            uri: p.uri.clone(),
            state: state_of(i),
            ios: p.ios,
            errors: p.errors,
            reissued: p.moved,
            read_bytes: p.read_bytes,
            hole_bytes: p.hole_bytes,
            service_mean_ns: (answered > 0 && p.service_ns > 0)
                .then(|| p.service_ns as f64 / answered as f64),
        }
    };
    TargetPaths {
        target: report.target.clone(),
        paths: report.paths.iter().enumerate().map(path).collect(),
        unconfirmed_writes: report.unconfirmed,
        events,
    }
}

/// A target's name, and where its paths lead.
pub(crate) fn names(target: &TargetPaths) -> (String, Vec<String>) {
    let uris = target.paths.iter().map(|p| p.uri.clone());
    (target.target.clone(), uris.collect())
}

/// Findings on a step's paths beside its result: those that went down, and writes of which nobody knows whether they may still arrive.
pub(crate) fn findings(step: u32, targets: &[TargetPaths]) -> Vec<Finding> {
    let mut found = Vec::new();
    for target in targets {
        for (i, path) in target.paths.iter().enumerate() {
            found.extend(downtime(step, target, i as u32, path));
        }
        if target.unconfirmed_writes > 0 {
            found.push(Finding::of_step(
                step,
                "writes-unconfirmed",
                Severity::Suspect,
                [
                    ("writes", Quantity::Count(target.unconfirmed_writes)),
                    ("target", Quantity::Text(target.target.clone())),
                ],
            ));
        }
    }
    found
}

/// Finding on when a path was down, s: each `down` has its `up`, but for the last one of a path that never came back.
fn downtime(step: u32, target: &TargetPaths, path: u32, used: &PathUse) -> Option<Finding> {
    let own: Vec<&PathEvent> = target.events.iter().filter(|e| e.path == path).collect();
    let first = own.iter().find(|e| e.state == PathState::Down)?;
    let text = |text: &str| Quantity::Text(text.to_owned());
    let mut values = vec![
        ("path", text(&used.uri)),
        ("target", text(&target.target)),
        ("why", text(&first.why)),
        ("reissued", Quantity::Count(used.reissued)),
    ];
    let seconds = |event: &PathEvent| Quantity::Seconds(event.at_ns as f64 / 1e9);
    let mut events = own.iter().peekable();
    while let Some(event) = events.next() {
        if event.state == PathState::Down {
            values.push(("down", seconds(event)));
            // Whatever follows ends it.
            values.extend(events.peek().map(|up| ("up", seconds(up))));
        }
    }
    Some(Finding::of_step(step, "path-down", Severity::Note, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(paths: &[TargetPaths]) -> Vec<String> {
        let found = findings(1, paths);
        found.into_iter().map(|f| f.message).collect()
    }

    fn event(at_ns: u64, state: export::ClientPathState, why: &str) -> export::PathEvent {
        export::PathEvent {
            at_ns,
            path: 1,
            state,
            why: why.into(),
        }
    }

    fn report(events: Vec<export::PathEvent>, unconfirmed: u64) -> VolumeReport {
        let path = |uri: &str, moved| export::PathReport {
            uri: uri.into(),
            ios: 10,
            errors: 0,
            moved,
            read_bytes: 4096,
            hole_bytes: 0,
            service_ns: 1000,
        };
        VolumeReport {
            target: "lun".into(),
            paths: vec![path("nbd://a/x", 0), path("nbd://b/x", 7)],
            events,
            unconfirmed,
        }
    }

    #[test]
    fn a_path_that_was_down_is_said_with_its_times_and_its_reason() {
        let events = vec![
            event(
                1_500_000_000,
                export::ClientPathState::Down,
                "the server hung up",
            ),
            event(2_000_000_000, export::ClientPathState::Up, ""),
            event(
                3_000_000_000,
                export::ClientPathState::Down,
                "no answer in 500 ms",
            ),
        ];
        let paths = evidence(&[report(events, 2)]);
        assert_eq!(paths[0].paths[0].state, PathState::Up);
        assert_eq!(paths[0].paths[1].state, PathState::Down);
        assert_eq!(paths[0].paths[0].service_mean_ns, Some(100.0));
        let notes = said(&paths);
        assert_eq!(
            notes[0],
            "the path nbd://b/x to lun was down from 1.500 s to 2.000 s, from 3.000 s to the end (the server hung up); \
             7 I/Os were sent again"
        );
        assert!(notes[1].starts_with("2 writes to lun counted as done"));
    }

    #[test]
    fn a_target_that_is_called_by_its_paths_is_not_named_beside_them() {
        let down = event(0, export::ClientPathState::Down, "refused");
        let report = VolumeReport {
            target: "nbd://a/x,nbd://b/x".into(),
            ..report(vec![down], 0)
        };
        assert_eq!(
            said(&evidence(&[report]))[0],
            "the path nbd://b/x was down from 0.000 s to the end (refused); 7 I/Os were sent again"
        );
    }

    #[test]
    fn paths_that_stayed_up_are_not_worth_a_word() {
        assert_eq!(
            said(&evidence(&[report(Vec::new(), 0)])),
            Vec::<String>::new()
        );
    }
}
