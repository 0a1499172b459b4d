use crate::{RuleAnswer, RuleFinding, RunView, arrays, findings};
use plimsoll_evidence::{ArrayPath, Quantity};
use plimsoll_printable::human;

rule! {
    207 "path-imbalance" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [58] {
        summary: "The paths to the array did not carry alike, or not all of them carried.",
        why: "A path that carries less than the others, or nothing, leaves a port and a controller idle. The result is of a \
            part of the fabric.",
        threshold: "Of the paths that are up one carries more than 1.5 times what another does, of 10,000 requests or more; or one \
            is not up.",
        source: "Proposal; service-time and queue-length selectors differ by less than 1.2 on equal paths.",
        example: "Eight paths, of which two are up: a quarter of the ports, and half of what the array carries.",
        remedy: "See `multipath -ll` and the selector; put the paths back before the run.",
    }
    fires: |o| paths(o, 1_000),
    clean: |o| paths(o, 49_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let reported = arrays::telling(
        view,
        "the paths to the array: it does not tell of them",
        |a| a.paths.len() > 1,
    )?;
    findings(
        reported
            .into_iter()
            .filter(|(s, _)| s.actions.is_empty())
            .filter_map(|(step, array)| {
                let up = array.paths.iter().filter(|p| p.state == "up");
                let down = array.paths.iter().filter(|p| p.state != "up").count();
                let counts: Vec<u64> = up.map(|p| p.requests).collect();
                let sum: u64 = plimsoll_measure::total(counts.iter().copied());
                let (low, high) = (counts.iter().min()?, counts.iter().max()?);
                let lopsided = sum >= ENOUGH && *high as f64 > LOPSIDED * *low as f64;
                let what = match (down, lopsided) {
                    (0, false) => return None,
                    (0, true) => format!(
                        "one carried {} requests and another {}",
                        human::count(*high),
                        human::count(*low)
                    ),
                    _ => format!("{} at the end", states(&array.paths)),
                };
                let seen = RuleFinding::new(format!(
                    "Of the {} paths to {} {what}.",
                    array.paths.len(),
                    array.name
                ));
                Some(
                    seen.step(step.number)
                        .value("down", Quantity::Count(down as u64))
                        .value("least", Quantity::Count(*low))
                        .judged("most", Quantity::Count(*high), LOPSIDED * *low as f64),
                )
            }),
    )
}

const LOPSIDED: f64 = 1.5;
const ENOUGH: u64 = 10_000;

/// `path 1 was slow and paths 2 and 4 were down`: those that are not up, in the order of the paths.
fn states(paths: &[ArrayPath]) -> String {
    let mut states: Vec<(&str, Vec<String>)> = Vec::new();
    for (number, path) in paths.iter().enumerate().filter(|(_, p)| p.state != "up") {
        match states.iter_mut().find(|(state, _)| *state == path.state) {
            Some((_, all)) => all.push(number.to_string()),
            None => states.push((&path.state, vec![number.to_string()])),
        }
    }
    let words = states.iter().map(|(state, all)| match all.as_slice() {
        [one] => format!("path {one} was {state}"),
        [first @ .., last] => format!("paths {} and {last} were {state}", first.join(", ")),
        [] => String::new(),
    });
    words.collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
fn paths(o: &mut crate::known::Observed, second: u64) {
    arrays::with(o, |a| {
        let path = |requests| ArrayPath {
            state: "up".into(),
            requests,
            ..Default::default()
        };
        a.paths = vec![path(50_000), path(second)];
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{changed, found};

    #[test]
    fn each_state_is_said_as_it_was() {
        let case = changed(|o| {
            arrays::with(o, |a| {
                let path = |state: &str| ArrayPath {
                    state: state.into(),
                    requests: 50_000,
                    ..Default::default()
                };
                a.paths = ["up", "slow", "down", "up", "down"].map(path).to_vec();
            });
        });
        let message = &found(check(&case.view()))[0].message;
        assert!(message.starts_with("Of the 5 paths to "), "{message}");
        assert!(
            message.ends_with(" path 1 was slow and paths 2 and 4 were down at the end."),
            "{message}"
        );
    }
}
