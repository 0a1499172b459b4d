//! The network to targets that are reached over one.

use super::{LimitView, Looked, ramp, waiting};
use crate::others;
use plimsoll_evidence::{EnvironmentTarget, LimitCause, StepEvidence, Witnessed};
use plimsoll_printable::human;

/// A link is full from here on: headers, and what is sent again, are in no count of what it carried.
const FULL: (f64, f64, f64) = (0.7, 0.93, 0.75);

/// TCP halves what it sends for each loss: from a thousandth on it shows, and at two hundredths it is all that there is
/// (Mathis et al. 1997: the rate goes with one over the root of the loss).
const LOST: (f64, f64, f64) = (0.001, 0.02, 0.75);

/// Looks at the links to the step's targets.
pub fn look(view: &LimitView<'_>) -> Looked {
    if !over_network(view) {
        return Looked::default();
    }
    let Some(seen) = view.step.witnessed.as_ref().filter(|w| w.observed_s > 0.0) else {
        return Looked::unseen(&[LimitCause::Network]);
    };
    let mut looked = Looked::default();
    links(view.step, seen, &mut looked);
    sent_again(seen, &mut looked);
    if looked.candidates.is_empty() && seen.links.iter().all(|l| l.speed.is_none()) {
        looked.unseen.push(LimitCause::Network);
    }
    looked
}

/// Whether a network lies before a target of the step: a server on another host, or in another network name space of this one.
pub fn over_network(view: &LimitView<'_>) -> bool {
    const HERE: [&str; 5] = ["//127.", "//localhost", "//[::1]", "+unix:", "//?socket="];
    let is = |t: &EnvironmentTarget| {
        let over = others::is_remote(t) || t.location.starts_with("nbd");
        over && !HERE.iter().any(|here| t.location.contains(here))
    };
    !view.environment.simulated && view.targets().any(is)
}

fn links(step: &StepEvidence, seen: &Witnessed, looked: &mut Looked) {
    for link in &seen.links {
        let Some(speed) = link.speed.filter(|s| *s > 0) else {
            continue;
        };
        let carried = link.in_bytes.max(link.out_bytes) as f64 / seen.observed_s;
        let used = (carried / speed as f64).min(1.0);
        let (from, to, most) = FULL;
        let queue = (waiting(used, step.depth_mean) / step.depth_mean).min(1.0);
        let words = format!(
            "{} carried {} of its {}/s",
            link.name,
            human::percent(used),
            human::bytes(speed)
        );
        looked.add(
            LimitCause::Network,
            queue.max(ramp(used, from, to, most)),
            words,
        );
    }
}

fn sent_again(seen: &Witnessed, looked: &mut Looked) {
    let Some(tcp) = seen.tcp.filter(|t| t.sent > 0) else {
        return;
    };
    let share = tcp.sent_again as f64 / tcp.sent as f64;
    let (from, to, most) = LOST;
    let words = format!(
        "{} of the host's TCP segments were sent again",
        human::percent(share)
    );
    looked.add(LimitCause::Network, ramp(share, from, to, most), words);
}
