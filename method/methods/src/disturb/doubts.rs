//! Why the answer may not be trusted, and what to do about what was seen.

use super::cells::LONGEST_S;
use super::repeat::{Repeat, TRANSPARENT_S};
use plimsoll_evidence::{ActionEvidence, Finding, Quantity, Severity};

/// With one of these nothing is decided.
pub const UNDECIDED: [&str; 5] = [
    "disturb-not-done",
    "disturb-not-undone",
    "disturb-load-too-low",
    "disturb-not-carried",
    "disturb-host-stood-still",
];

/// The part of what is due that has to be done before the instant.
const CARRIED: f64 = 0.95;

/// All of them, each once, the worst repeat's values with it.
pub fn findings(repeats: &[Repeat]) -> Vec<Finding> {
    let mut all = Vec::new();
    all.extend(not_done(repeats));
    all.extend(blocked(repeats));
    let undecided = all.iter().any(|f| UNDECIDED.contains(&f.rule.as_str()));
    all.extend(noticed(repeats));
    // Where nothing could be seen, that says nothing.
    all.retain(|f| !(undecided && f.rule == "disturb-nothing-seen"));
    all
}

/// Findings on actions that failed. Those that should have put something back come first: the target is still disturbed.
fn not_done(repeats: &[Repeat]) -> impl Iterator<Item = Finding> {
    let undo = repeats.iter().find_map(|r| {
        let mut planned = planned(r);
        // What never began needs no putting back.
        planned.next().filter(|a| a.began_ns.is_some())?;
        planned.find(|a| !well(a))
    });
    let done = repeats
        .iter()
        .find_map(|r| planned(r).next().filter(|a| !well(a)));
    let rules = [("disturb-not-undone", undo), ("disturb-not-done", done)];
    rules.into_iter().filter_map(|(rule, wrong)| {
        let wrong = wrong?;
        let why = wrong
            .failed
            .clone()
            .unwrap_or_else(|| "it was not begun".into());
        let values = [
            ("what", Quantity::Text(wrong.what.clone())),
            ("why", Quantity::Text(why)),
        ];
        Some(Finding::of_method(rule, Severity::Invalid, values))
    })
}

/// Planned actions of a repeat: the disturbance, and then what puts it back.
fn planned<'s>(repeat: &Repeat<'s>) -> impl Iterator<Item = &'s ActionEvidence> {
    let actions = repeat.step.actions.iter();
    actions.filter(|a| a.planned_ns.is_some())
}

fn well(action: &ActionEvidence) -> bool {
    action.began_ns.is_some() && action.failed.is_none()
}

/// Findings that stand between the load and an answer.
fn blocked(repeats: &[Repeat]) -> Vec<Finding> {
    let seen = || repeats.iter().filter_map(|r| r.seen.as_ref());
    let mut all = Vec::new();
    if let Some(slow) = seen().find(|s| s.cells.length_s > LONGEST_S + 1e-9) {
        all.push(Finding::of_method(
            "disturb-load-too-low",
            Severity::Invalid,
            [
                ("rate", Quantity::PerSecond(slow.cells.rate)),
                ("seen", Quantity::Seconds(slow.cells.length_s)),
            ],
        ));
    }
    if let Some(short) = seen().find(|s| s.cells.carried < CARRIED) {
        all.push(Finding::of_method(
            "disturb-not-carried",
            Severity::Invalid,
            [("carried", Quantity::Share(short.cells.carried))],
        ));
    }
    let stood_still = |r: &Repeat| r.step.findings.iter().any(|f| f.rule == "host-stood-still");
    let times = repeats.iter().filter(|r| stood_still(r)).count();
    if times > 0 {
        all.push(Finding::of_method(
            "disturb-host-stood-still",
            Severity::Suspect,
            [("repeats", Quantity::Count(times as u64))],
        ));
    }
    all
}

/// Findings on what the application noticed, and what it should have noticed.
fn noticed(repeats: &[Repeat]) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut add = |rule, severity, values: Vec<(&'static str, Quantity)>| {
        all.push(Finding::of_method(rule, severity, values));
    };
    let count = |n: u64| Quantity::Count(n);
    let seen = || repeats.iter().filter_map(|r| r.seen.as_ref());
    let of = |which: &dyn Fn(&Repeat) -> bool| repeats.iter().filter(|r| which(r)).count() as u64;
    let errors: u64 = repeats.iter().map(Repeat::errors).sum();
    if errors > 0 {
        let writes: u64 = seen().map(|s| s.write_errors).sum();
        add(
            "disturb-errors",
            Severity::Suspect,
            vec![
                ("ios", count(errors)),
                ("writes", count(writes)),
                ("repeats", count(of(&|r| r.errors() > 0))),
            ],
        );
    }
    let unconfirmed = repeats.iter().flat_map(|r| &r.step.paths);
    let unconfirmed: u64 = unconfirmed.map(|p| p.unconfirmed_writes).sum();
    if unconfirmed > 0 {
        let values = vec![("writes", count(unconfirmed))];
        add("disturb-unconfirmed", Severity::Suspect, values);
    }
    let lost = seen().filter(|s| s.recovered_s.is_none()).count() as u64;
    if lost > 0 {
        let values = vec![("repeats", count(lost))];
        add("disturb-not-recovered", Severity::Suspect, values);
    }
    let slow: Vec<(f64, f64)> = seen().filter_map(|s| s.stayed_slow).collect();
    if let Some((before, now)) = slow.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) {
        let values = vec![
            ("repeats", count(slow.len() as u64)),
            ("before", Quantity::Seconds(before)),
            ("now", Quantity::Seconds(now)),
        ];
        add("disturb-stayed-slow", Severity::Suspect, values);
    }
    let given_up = |s: &&super::repeat::SeenDisturbance| s.detected.is_some() && s.undo_s.is_some();
    let stayed = seen()
        .filter(given_up)
        .filter(|s| s.carried_again_s.is_none());
    let stayed = stayed.count() as u64;
    if stayed > 0 {
        let values = vec![("repeats", count(stayed))];
        add("disturb-no-failback", Severity::Suspect, values);
    }
    let again: usize = seen().map(|s| s.ping_pong).sum();
    if again > 0 {
        let values = vec![("times", count(again as u64))];
        add("disturb-ping-pong", Severity::Note, values);
    }
    let held_up = |s: &super::repeat::SeenDisturbance| {
        s.longest_s >= TRANSPARENT_S && s.longest_s > 2.0 * s.blackout_s()
    };
    if seen().any(held_up) {
        let longest = seen().map(|s| s.longest_s).fold(0.0, f64::max);
        let dark = seen().map(|s| s.blackout_s()).fold(0.0, f64::max);
        let values = vec![
            ("longest", Quantity::Seconds(longest)),
            ("blackout", Quantity::Seconds(dark)),
        ];
        add("disturb-some-waited", Severity::Note, values);
    }
    let nothing = seen().filter(|s| s.nothing_seen()).count();
    if nothing > 0 && nothing == seen().count() {
        add("disturb-nothing-seen", Severity::Note, vec![]);
    }
    all
}
