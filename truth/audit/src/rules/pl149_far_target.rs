use crate::{RuleAnswer, RuleFinding, RunView, applies, limit, others};
use plimsoll_evidence::witnessed::RoundTrip;
use plimsoll_evidence::{Quantity, StepEvidence, Witnessed};
use plimsoll_printable::human;

rule! {
    149 "far-target" Run(check) [NOTE, NOTE, SUSPECT, SUSPECT, NOTE] pitfalls [59] {
        summary: "The way to the target took most of an I/O's time, or a link on it was full.",
        why: "An I/O over a network takes at least the way there and back. Where that is long, or a queue before a full link makes it long, \
            the response time is the network's, and so is the rate of so many I/Os in flight. A faster array changes neither.",
        threshold: "The mean of TCP's handshake with a target's server while the load ran is at least half of the mean service time; or at \
            least twice what it was without load, and so many I/Os' packets wait that the link is at least 85 % busy. In either case at \
            least 0.5 ms: shorter ones are the hosts' kernels as much as the wire.",
        source: "A connection that is opened and closed beside the load: the kernels of both sides answer it, and the server does nothing. \
            How long it took the kernel says itself (TCP_INFO). The half is by proposal; how busy a link is before which so many wait is \
            Pollaczek and Khinchine's.",
        example: "20.1 ms of 20.4: the server on the other side of a line of 2,000 km answered within 0.3 ms.",
        remedy: "Measure from a host that is near, or say how far the target was; where packets waited, see which link was full.",
    }
    fires: |o| way(o, 0.004, 0.004),
    clean: |o| way(o, 0.001, 0.0024),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(others::has_network(view))?;
    let ways = |seen: &Witnessed| {
        let answered = |w: &&RoundTrip| w.answered > 0;
        let ways: Vec<RoundTrip> = seen.round_trips.iter().filter(answered).cloned().collect();
        (!ways.is_empty()).then_some(ways)
    };
    let lacks = "how long the way to the targets takes";
    // Of several ways it is not told which of them the I/Os took.
    others::ask(view, lacks, ways, |step, _, ways| {
        let mean = |w: &RoundTrip| w.mean_s().unwrap_or(0.0);
        let shortest = ways.iter().min_by(|a, b| mean(a).total_cmp(&mean(b)));
        shortest
            .and_then(|way| far(step, way))
            .into_iter()
            .collect()
    })
}

fn far(step: &StepEvidence, way: &RoundTrip) -> Option<RuleFinding> {
    let (mean_s, service_s) = (way.mean_s()?, step.service_mean_ns.mean / 1e9);
    let queued_s = (way.idle_s).filter(|idle_s| mean_s >= LONGER * idle_s);
    // What waits in the sender's own buffers no handshake sees.
    let waiting = queued_s.map_or(0.0, |idle_s| (mean_s - idle_s) * step.rate.mean);
    let is_full = limit::busy_with(waiting) >= FULL;
    let is_far = mean_s >= MOST * service_s || is_full;
    (mean_s >= LEAST_S && is_far && service_s > 0.0).then(|| {
        let time = |s: f64| human::time(s * 1e9);
        let idle = match way.idle_s {
            Some(idle_s) if queued_s.is_some() => format!(
                " Without load it was {}: packets waited for a link.",
                time(idle_s)
            ),
            Some(idle_s) => format!(" Without load it was {}.", time(idle_s)),
            None => String::new(),
        };
        let message = format!(
            "The way to {} and back took {} of the {} that an I/O took.{idle}",
            way.address,
            time(mean_s),
            time(service_s)
        );
        RuleFinding::new(message)
            .judged("way", Quantity::Seconds(mean_s), LEAST_S)
            .judged(
                "share",
                Quantity::Share((mean_s / service_s).min(1.0)),
                MOST,
            )
    })
}

const LEAST_S: f64 = 0.000_5;
const MOST: f64 = 0.5;
const LONGER: f64 = 2.0;
const FULL: f64 = 0.85;

#[cfg(test)]
fn way(o: &mut crate::known::Observed, idle_s: f64, mean_s: f64) {
    o.link("eth0", 1_250_000_000, 1_000_000_000);
    o.step().service_mean_ns = plimsoll_evidence::Estimate::bare(5_000_000.0);
    o.step().rate = plimsoll_evidence::Estimate::bare(1_000.0);
    o.witnessed().round_trips.push(RoundTrip {
        address: "10.0.0.7:10809".into(),
        targets: vec!["disk".into()],
        idle_s: Some(idle_s),
        answered: 10,
        sum_s: 10.0 * mean_s,
        ..RoundTrip::default()
    });
}

#[test]
fn a_queue_is_told_from_a_long_line_and_the_shortest_of_several_ways_counts() {
    let message = |ways: &[(f64, f64)]| {
        let case = crate::known::changed(|o| {
            for (idle_s, mean_s) in ways {
                way(o, *idle_s, *mean_s);
            }
        });
        check(&case.view())
    };
    let of = |answer| crate::known::found(answer)[0].message.clone();
    assert_eq!(
        of(message(&[(0.004, 0.0045)])),
        "The way to 10.0.0.7:10809 and back took 4.50ms of the 5.00ms that an I/O took. Without load it was 4.00ms."
    );
    let queue = of(message(&[(0.0001, 0.0045)]));
    assert!(queue.contains("100us: packets waited"), "{queue}");
    assert_eq!(message(&[(0.004, 0.0045), (0.001, 0.001)]), Ok(vec![]));
    // Two I/Os wait, or five, which is a full link though most of what waits is in the sender's buffers.
    let slow = |mean_s| {
        let case = crate::known::changed(|o| {
            way(o, 0.0001, mean_s);
            o.step().service_mean_ns = plimsoll_evidence::Estimate::bare(16_000_000.0);
        });
        check(&case.view())
    };
    assert_eq!(slow(0.0021), Ok(vec![]));
    let full = of(slow(0.0051));
    assert!(full.contains("5.10ms of the 16.0ms"), "{full}");
}
