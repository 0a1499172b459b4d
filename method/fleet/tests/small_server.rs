//! An agent and a controller on a wire that takes only short messages: what is too long is said, and nobody waits for it.

use nkeys::KeyPair;
use plimsoll_fleet::agent::{AgentOptions, serve};
use plimsoll_fleet::controller::team::Team;
use plimsoll_fleet::message::{Join, Order, Packet, Report, WireOptions};
use plimsoll_fleet::seal::{open, seal};
use plimsoll_fleet::wire::{ALL, Plug, Switchboard, Wire};
use plimsoll_fleet::{Allowed, FleetError, now_ns};
use plimsoll_plan::{
    AddressSpec, Bytes, Depth, Item, Load, Location, Mix, Nanos, Pattern, Plan, SizeSpec, Step,
    Stream, Target, TargetId,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A wire of which the agent's side takes so many bytes.
struct Small(Plug, usize);

impl Wire for Small {
    fn send(&self, subject: &str, bytes: Vec<u8>) -> Result<(), FleetError> {
        self.fits(bytes.len())?;
        self.0.send(subject, bytes)
    }

    fn fits(&self, bytes: usize) -> Result<(), FleetError> {
        match bytes > self.1 {
            true => Err(FleetError::TooLong {
                bytes,
                most: self.1,
            }),
            false => Ok(()),
        }
    }

    fn listen(&self, subject: &str) -> Result<(), FleetError> {
        self.0.listen(subject)
    }

    fn receive(&self, wait: Duration) -> Option<Vec<u8>> {
        self.0.receive(wait)
    }
}

fn plan(targets: usize) -> Plan {
    let target = |n| {
        // Each of another size, so that no compression makes it little.
        let size = (1 << 30) + ((n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 30);
        Target::new(format!("t{n}"), Location::Null(Bytes(size)))
    };
    Plan::new((0..targets).map(target).collect(), Vec::new())
}

/// Answer of an agent to a plan, on a wire of its own that takes `most` bytes.
fn answer(most: usize, plan: Plan) -> Report {
    let board = Switchboard::default();
    let (agents, here) = (Small(board.plug(), most), board.plug());
    let over = AtomicBool::new(false);
    let options = AgentOptions {
        name: "a".into(),
        allowed: Allowed::default(),
        records: std::env::temp_dir(),
    };
    let stop = |_: bool| over.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let (options, stop) = (&options, &stop);
        scope.spawn(move || serve(&agents, options, stop, &mut |_| {}));
        here.listen("me").expect("listens");
        let key = KeyPair::new_user();
        let mut team: Option<Team> = None;
        let report = loop {
            if team.is_none() {
                let reply = "me".to_string();
                let who = seal(&Packet::Who { reply }, None).expect("sealed");
                here.send(ALL, who).expect("sent");
            }
            let came = here.receive(Duration::from_millis(20));
            let packet = came.and_then(|b| open(&b).ok()).map(|s| s.packet);
            match (packet, &mut team) {
                (Some(Packet::Here(hello)), None) => {
                    let agents = [hello.agent];
                    let mut own = Team::new("run", "me", &agents, u64::MAX, now_ns());
                    own.order_all(&Order::Join(Box::new(Join {
                        key: key.public_key(),
                        version: env!("CARGO_PKG_VERSION").into(),
                        lease_ns: 60_000_000_000,
                        plan: plan.clone(),
                        own: None,
                        options: WireOptions::default(),
                    })));
                    team = Some(own);
                }
                (Some(packet), Some(team)) => {
                    let heard = team.on_packet(packet, now_ns());
                    if let Some((_, report)) = heard.into_iter().next() {
                        break report;
                    }
                }
                _ => {}
            }
            for (subject, packet) in team.iter_mut().flat_map(|t| t.tick(now_ns())) {
                let bytes = seal(&packet, Some(&key)).expect("sealed");
                here.send(&subject, bytes).expect("sent");
            }
        };
        over.store(true, Ordering::Relaxed);
        report
    })
}

#[test]
fn a_plan_without_steps_is_refused_with_the_rigs_own_reason() {
    let Report::Refuses { why } = answer(usize::MAX, plan(1)) else {
        panic!("refused")
    };
    assert!(why.contains("nothing to do"), "{why}");
}

#[test]
fn a_report_that_is_too_long_for_the_server_is_a_refusal_that_says_so() {
    let mix = Mix::READS;
    let size = SizeSpec::Fixed(Bytes(4096));
    // Of a target that no step uses nothing is said.
    let ids = (0..1_000).map(TargetId);
    let stream = |id| {
        let whole = AddressSpec::whole(Pattern::ONE_PASS);
        Stream::new("w", id, mix, size.clone(), whole)
    };
    let depth = |target| Depth { target, slots: 1 };
    let (streams, depths) = (ids.clone().map(stream).collect(), ids.map(depth).collect());
    let step = Step::new("s", streams, depths, Load::Max, Nanos::secs(1));
    let plan = Plan {
        items: vec![Item::Step(step)],
        ..plan(1_000)
    };
    let fits = answer(1 << 20, plan.clone());
    assert!(matches!(fits, Report::Fits { targets, .. } if targets.len() == 1_000));
    let Report::Refuses { why } = answer(2_000, plan) else {
        panic!("refused")
    };
    assert!(
        why.contains("longer than the 2000 that the server takes"),
        "{why}"
    );
}
