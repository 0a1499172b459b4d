//! What the paths did in a step, as evidence and in words.

use plimsoll_engine::export::{self, VolumeReport};
use plimsoll_evidence::{PathEvent, PathState, PathUse, TargetPaths};

/// Intervals without a path that a note lists, at most; the evidence has them all.
const NOTED: usize = 4;

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
            service_mean_ns: (answered > 0).then(|| p.service_ns as f64 / answered as f64),
        }
    };
    TargetPaths {
        target: report.target.clone(),
        paths: report.paths.iter().enumerate().map(path).collect(),
        unconfirmed_writes: report.unconfirmed,
        events,
    }
}

/// What has to be said of the paths beside the result: those that went down, and writes of which nobody knows whether they
/// may still arrive.
pub(crate) fn notes(targets: &[TargetPaths]) -> Vec<String> {
    let mut notes = Vec::new();
    for target in targets {
        for (i, path) in target.paths.iter().enumerate() {
            notes.extend(downtime(target, i as u32, path));
        }
        if target.unconfirmed_writes > 0 {
            notes.push(format!(
                "{} writes to {} counted as done while an earlier copy of them might still arrive by a path that had \
                 stalled; their blocks may not hold what was written last",
                target.unconfirmed_writes, target.target
            ));
        }
    }
    notes
}

fn downtime(target: &TargetPaths, path: u32, used: &PathUse) -> Option<String> {
    let own: Vec<&PathEvent> = target.events.iter().filter(|e| e.path == path).collect();
    let first = own.iter().find(|e| e.state == PathState::Down)?;
    let seconds = |ns: u64| format!("{:.3} s", ns as f64 / 1e9);
    let mut spans = Vec::new();
    let mut events = own.iter().peekable();
    while let Some(event) = events.next() {
        if event.state == PathState::Down {
            let from = seconds(event.at_ns);
            spans.push(match events.peek() {
                Some(up) => format!("from {from} to {}", seconds(up.at_ns)),
                None => format!("from {from} to the end"),
            });
        }
    }
    let more = match spans.len() {
        n if n > NOTED => format!(" and {} times more", n - NOTED),
        _ => String::new(),
    };
    spans.truncate(NOTED);
    let sent_again = match used.reissued {
        0 => String::new(),
        n => format!("; {n} I/Os were sent again"),
    };
    // Without a name of its own a target is called by its paths.
    let to = match target.target.contains(&used.uri) {
        true => String::new(),
        false => format!(" to {}", target.target),
    };
    Some(format!(
        "the path {}{to} was down {}{more} ({}){sent_again}",
        used.uri,
        spans.join(", "),
        first.why
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let notes = notes(&paths);
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
            notes(&evidence(&[report]))[0],
            "the path nbd://b/x was down from 0.000 s to the end (refused); 7 I/Os were sent again"
        );
    }

    #[test]
    fn paths_that_stayed_up_are_not_worth_a_word() {
        assert_eq!(
            notes(&evidence(&[report(Vec::new(), 0)])),
            Vec::<String>::new()
        );
    }
}
