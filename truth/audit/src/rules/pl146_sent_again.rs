//! TCP sent segments again.

use crate::others;
use crate::{Answer, Check, NOTE, Page, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 146,
    name: "sent-again",
    summary: "TCP sent segments again.",
    severity: Severities::of([NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE]),
    pitfalls: &[59],
    page: Page {
        why: "What is lost on the way is sent again after at least a round trip, and often after a timeout of 200 ms. All I/Os \
            of that connection wait behind it: few losses make the whole tail.",
        threshold: "At least ten segments, and more than one in a thousand, were sent again, on a host whose targets are reached \
            over the network.",
        source: "RetransSegs and OutSegs of /proc/net/snmp, of the whole host; the share by proposal.",
        example: "0.4 % sent again: a median of 0.6 ms, and a 99.9th percentile of 204.",
        remedy: "See to the network (cables, flow control, an MTU that differs, a shared uplink), and repeat.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    if !others::has_network(view) {
        return Answer::NotApplicable;
    }
    let tcp = |seen: &Witnessed| seen.tcp;
    others::ask(view, "what TCP sent again", tcp, |_, _, tcp| {
        let share = others::share(tcp.sent_again as f64, tcp.sent as f64);
        let lossy = (tcp.sent_again >= FEWEST && share > SOME).then(|| {
            let message = format!(
                "TCP sent {} of {} segments again, {}.",
                human::count(tcp.sent_again),
                human::count(tcp.sent),
                human::percent(share)
            );
            Seen::new(message).value("again", Quantity::Share(share))
        });
        lossy.into_iter().collect()
    })
}

const FEWEST: u64 = 10;
const SOME: f64 = 0.001;

#[cfg(test)]
fn again(o: &mut crate::known::Observed, sent_again: u64) {
    o.link("eth0", 1_250_000_000, 1_000_000_000);
    let sent = 1_000_000;
    o.witnessed().tcp = Some(plimsoll_evidence::witnessed::TcpUse { sent, sent_again });
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| again(o, 4_000),
    clean: |o| again(o, 900),
};
