//! The network to targets that are reached over one.

use super::{LimitView, Looked, device, host, ramp, slots, waiting};
use crate::others;
use plimsoll_evidence::witnessed::RoundTrip;
use plimsoll_evidence::{EnvironmentTarget, LimitCause, StepEvidence, Witnessed};
use plimsoll_printable::human;

/// A link is full from here on: headers, and what is sent again, are in no count of what it carried.
const FULL: (f64, f64, f64) = (0.7, 0.93, 0.75);

/// More than its speed no link carries.
const NOMINAL: f64 = 1.05;

/// TCP halves what it sends for each loss: from a thousandth on it shows, and at two hundredths it is all that there is
/// (Mathis et al. 1997: the rate goes with one over the root of the loss).
const LOST: (f64, f64, f64) = (0.001, 0.02, 0.75);

/// Who is on the way for so much of an I/O's time is what a shorter way would change; less is the way of anything.
const MOST_OF_IT: f64 = 0.5;

/// A shorter way than this, s, takes the hosts' kernels as long as the packets, and more where they sleep.
const SHORT_S: f64 = 0.000_5;

/// A way counts as longer under load from here on: packets wait in a queue.
const LONGER: f64 = 2.0;

/// What one loss holds up comes before it: of what was received some times as much is out of order as was lost. On a virtual link it
/// was so of 1.5 % without any loss, and with 3 % lost of 17 %.
const OVERTOOK: (f64, f64, f64) = (0.02, 0.1, 0.75);

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
    let ways = ways(view);
    if let Some(shortest) = ways.first() {
        on_the_way(view, shortest, &mut looked);
    }
    let reported = !ways.is_empty() || seen.links.iter().any(|l| l.speed.is_some());
    if looked.candidates.is_empty() && !reported {
        looked.unseen.push(LimitCause::Network);
    }
    looked
}

/// True where a network lies before a target of the step: a server on another host, or in another network name space of this one.
pub fn over_network(view: &LimitView<'_>) -> bool {
    const HERE: [&str; 5] = ["//127.", "//localhost", "//[::1]", "+unix:", "//?socket="];
    let is = |t: &EnvironmentTarget| {
        let over = others::is_remote(t) || t.location.starts_with("nbd");
        over && !HERE.iter().any(|here| t.location.contains(here))
    };
    !view.environment.simulated && view.targets().any(is)
}

/// Way to a server and back, by the time that it took, s.
pub struct Way<'a> {
    address: &'a str,
    idle_s: Option<f64>,
    mean_s: f64,
}

/// The ways to the servers of the step, the shortest first; none where one of its targets has none that was told.
pub fn ways<'a>(view: &LimitView<'a>) -> Vec<Way<'a>> {
    let seen = view.step.witnessed.as_ref();
    let reported = seen.map_or(&[][..], |seen| &seen.round_trips);
    let is_told = |t: &EnvironmentTarget| {
        let mut ways = reported.iter();
        ways.any(|w| w.answered > 0 && w.targets.contains(&t.name))
    };
    if !view.targets().all(is_told) {
        return Vec::new();
    }
    let way = |w: &'a RoundTrip| {
        let mean_s = w.mean_s()?;
        Some(Way {
            address: &w.address,
            idle_s: w.idle_s,
            mean_s,
        })
    };
    let mut ways: Vec<Way<'_>> = reported.iter().filter_map(way).collect();
    ways.sort_by(|a, b| a.mean_s.total_cmp(&b.mean_s));
    ways
}

impl Way<'_> {
    /// The share of an I/O's time that it is on this way, once there and back.
    pub fn share(&self, step: &StepEvidence) -> f64 {
        (self.mean_s * 1e9 / step.service_mean_ns.mean.max(1.0)).min(1.0)
    }

    /// How long packets waited on it for others, s; 0 where it was as long without load.
    fn waited_s(&self) -> f64 {
        let is_longer = |idle_s: &f64| self.mean_s >= (LONGER * idle_s).max(SHORT_S);
        let idle_s = self.idle_s.filter(is_longer);
        idle_s.map_or(0.0, |idle_s| self.mean_s - idle_s)
    }

    /// Times of the way, in words.
    pub fn seen(&self, step: &StepEvidence) -> String {
        let time = |s: f64| human::time(s * 1e9);
        let idle = match self.idle_s {
            Some(idle_s) if self.waited_s() > 0.0 => {
                format!(" ({} without load: packets waited)", time(idle_s))
            }
            Some(idle_s) => format!(" ({} without load)", time(idle_s)),
            None => String::new(),
        };
        format!(
            "the way to {} and back took {}{idle}, by TCP's handshake, of the {} that an I/O took",
            self.address,
            time(self.mean_s),
            human::time(step.service_mean_ns.mean)
        )
    }
}

/// I/Os that are on the way for most of their time. Of several ways it is not told which of them they took: the shortest counts.
///
/// Where packets wait for a full link, most of what waits does so in the sender's own buffers, and the handshake sees the rest: what
/// is seen there by Little's law tells how busy the link is at least. A long line is another thing: without it the same I/Os come sooner,
/// and how many of them the target takes is known only where more were in flight, or where no more than one is there at a time.
fn on_the_way(view: &LimitView<'_>, way: &Way<'_>, looked: &mut Looked) {
    const NETWORK: LimitCause = LimitCause::Network;
    let step = view.step;
    let (share, words) = (way.share(step), way.seen(step));
    let (from, to, most) = FULL;
    let explains = match way.waited_s() {
        0.0 => share,
        waited_s => {
            let used = slots::busy_with(waited_s * step.rate.mean);
            share.max(ramp(used, from, to, most))
        }
    };
    if explains < MOST_OF_IT {
        return;
    }
    if way.mean_s < SHORT_S {
        let doubt = "so short a way takes the kernels on both sides as long as the packets";
        return looked.add_possible(NETWORK, explains, words, doubt);
    }
    if step.witnessed.as_ref().is_some_and(host::is_full) {
        let doubt = "a host without a CPU to spare answers late, too";
        return looked.add_possible(NETWORK, explains, words, doubt);
    }
    let there = (1.0 - share) * step.depth_mean;
    let busy = device::ceiling(view).map(|c| (step.rate.mean / c.most).min(1.0));
    match busy.or((there < 1.0).then_some(there)) {
        _ if way.waited_s() > 0.0 => looked.add(NETWORK, explains, words),
        Some(busy) => looked.add(NETWORK, share.min(1.0 - busy), words),
        None => {
            let doubt = "what the target does with more at once was not tried";
            looked.add_possible(NETWORK, share, words, doubt);
        }
    }
}

fn links(step: &StepEvidence, seen: &Witnessed, looked: &mut Looked) {
    for link in &seen.links {
        let Some(speed) = link.speed.filter(|s| *s > 0) else {
            continue;
        };
        let carried = link.in_bytes.max(link.out_bytes) as f64 / seen.observed_s;
        // A virtual link says a speed for want of one, and carries more.
        let used = carried / speed as f64;
        if used > NOMINAL {
            continue;
        }
        let used = used.min(1.0);
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

/// What TCP lost in either direction: the kernel counts what it sent again itself, and sees of the other side's that what was sent
/// later was there first.
fn sent_again(seen: &Witnessed, looked: &mut Looked) {
    let Some(tcp) = seen.tcp else {
        return;
    };
    let (from, to, most) = LOST;
    let out = others::share(tcp.lost() as f64, tcp.sent as f64);
    let words = format!(
        "{} of the host's TCP segments were lost and sent again",
        human::percent(out)
    );
    looked.add(LimitCause::Network, ramp(out, from, to, most), words);
    let late = tcp.out_of_order.unwrap_or(0) as f64;
    let inward = others::share(late, tcp.received.unwrap_or(0) as f64);
    let words = format!(
        "{} of the TCP segments that the host received had overtaken ones that were lost or late",
        human::percent(inward)
    );
    let (from, to, most) = OVERTOOK;
    looked.add_possible(
        LimitCause::Network,
        ramp(inward, from, to, most),
        words,
        "segments may overtake each other without any being lost",
    );
}
