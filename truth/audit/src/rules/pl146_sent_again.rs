use crate::{RuleAnswer, RuleFinding, RunView, applies, others};
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    146 "sent-again" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [59] {
        summary: "TCP sent segments again.",
        why: "What is lost on the way is sent again after at least a round trip, and often after a timeout of 200 ms. All I/Os \
            of that connection wait behind it: few losses make the whole tail.",
        threshold: "At least ten segments, and more than one in a thousand, were sent again by this host; or a hundred, and more than one in \
            twenty, were received in front of ones that should have come first. On a host whose targets are reached over the network.",
        source: "RetransSegs without those that the other side had already (TCPDSACKRecv), OutSegs and InSegs of /proc/net/snmp and \
            TCPOFOQueue of /proc/net/netstat, of the whole host; the share by proposal. What the other side sends again is counted there; here one sees that what was sent later came first. Without any loss that was \
            so of 1.5 % on a virtual link, and with 3 % lost of 17 %.",
        example: "0.4 % sent again: a median of 0.6 ms, and a 99.9th percentile of 204.",
        remedy: "See to the network (cables, flow control, an MTU that differs, a shared uplink), and repeat.",
    }
    fires: |o| again(o, 4_000),
    clean: |o| again(o, 900),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(others::has_network(view))?;
    let tcp = |seen: &Witnessed| seen.tcp;
    others::ask(view, "what TCP sent again", tcp, |_, _, tcp| {
        let late = tcp.out_of_order.zip(tcp.received);
        let out = lossy(SENT, tcp.lost(), tcp.sent, |some, all, share| {
            format!("TCP sent {some} of {all} segments again, {share}.")
        });
        let inward = late.and_then(|(late, received)| {
            lossy(RECEIVED, late, received, |some, all, share| {
                format!(
                    "Of {all} segments TCP received {some} before ones that should have come first, {share}: those were lost, or overtaken."
                )
            })
        });
        out.into_iter().chain(inward).collect()
    })
}

fn lossy(
    (fewest, least): (u64, f64),
    some: u64,
    all: u64,
    message: impl Fn(String, String, String) -> String,
) -> Option<RuleFinding> {
    let share = others::share(some as f64, all as f64);
    (some >= fewest && share > least).then(|| {
        let message = message(human::count(some), human::count(all), human::percent(share));
        RuleFinding::new(message).judged("again", Quantity::Share(share), least)
    })
}

/// So many at least, and more than this share, of what was sent.
const SENT: (u64, f64) = (10, 0.001);
/// The same of what was received: what one loss holds up comes before it, and packets may overtake each other without any.
const RECEIVED: (u64, f64) = (100, 0.05);

#[cfg(test)]
fn again(o: &mut crate::known::Observed, sent_again: u64) {
    o.link("eth0", 1_250_000_000, 1_000_000_000);
    let sent = 1_000_000;
    o.witnessed().tcp = Some(plimsoll_evidence::witnessed::TcpUse {
        sent,
        sent_again,
        ..plimsoll_evidence::witnessed::TcpUse::default()
    });
}

#[test]
fn what_the_other_side_sent_again_shows_in_the_order_of_what_came() {
    let with = |late: Option<u64>| {
        let case = crate::known::changed(|o| {
            again(o, 0);
            let tcp = o.witnessed().tcp.as_mut().expect("told");
            (tcp.received, tcp.out_of_order) = (Some(1_000_000), late);
        });
        check(&case.view())
    };
    assert_eq!(with(Some(50_000)), Ok(vec![]));
    assert_eq!(with(None), Ok(vec![]));
    // A server that answers slowly is asked whether it is there.
    let probed = crate::known::changed(|o| {
        again(o, 4_000);
        o.witnessed().tcp.as_mut().expect("told").sent_in_vain = Some(3_990);
    });
    assert_eq!(check(&probed.view()), Ok(vec![]));
    let message = &crate::known::found(with(Some(170_000)))[0].message;
    assert!(message.contains("17%: those were lost"), "{message}");
}
