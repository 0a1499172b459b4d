//! Who is there: every agent that answers, and what its clock shows.

use super::team::Team;
use crate::clock::Clock;
use crate::message::{Hello, Packet};
use crate::seal::{open, seal};
use crate::wire::{ALL, Wire, of_controller};
use crate::{FleetError, drawn_id, now_ns};
use std::time::{Duration, Instant};

/// An agent that answered.
#[derive(Debug, Clone)]
pub struct FoundAgent {
    /// Who it is.
    pub hello: Hello,
    /// What its clock shows.
    pub clock: Clock,
}

/// How long clocks are looked at.
const LOOK: Duration = Duration::from_millis(300);
/// How long another agent of a name that has answered is listened for.
const SECOND: Duration = Duration::from_millis(200);
/// How often everybody is asked while some are waited for.
const ASK: Duration = Duration::from_millis(500);

/// Asks until `enough` says so, `wait` at most.
pub fn who_is_there(
    wire: &dyn Wire,
    wait: Duration,
    enough: &dyn Fn(&[Hello]) -> bool,
) -> Result<Vec<FoundAgent>, FleetError> {
    let reply = of_controller(&drawn_id());
    wire.listen(&reply)?;
    let mut found: Vec<Hello> = Vec::new();
    let mut until = Instant::now() + wait;
    let mut ask = Instant::now();
    let mut is_enough = false;
    while Instant::now() < until {
        if !is_enough && enough(&found) {
            is_enough = true;
            until = until.min(Instant::now() + SECOND);
        }
        if Instant::now() >= ask {
            ask = Instant::now() + ASK;
            let who = Packet::Who {
                reply: reply.clone(),
            };
            send(wire, ALL, &who)?;
        }
        let came = wire.receive(Duration::from_millis(20));
        if let Some(Ok(sealed)) = came.map(|b| open(&b))
            && let Packet::Here(hello) = sealed.packet
            && found.iter().all(|f| f.agent != hello.agent)
        {
            found.push(*hello);
        }
    }
    found.sort_by(|a, b| (&a.name, &a.agent).cmp(&(&b.name, &b.agent)));
    let agents: Vec<String> = found.iter().map(|h| h.agent.clone()).collect();
    let clocks = look_at_clocks(wire, &reply, &agents)?;
    let seen = found.into_iter().zip(clocks);
    Ok(seen
        .map(|(hello, clock)| FoundAgent { hello, clock })
        .collect())
}

fn look_at_clocks(
    wire: &dyn Wire,
    reply: &str,
    agents: &[String],
) -> Result<Vec<Clock>, FleetError> {
    let mut team = Team::new("", reply, agents, u64::MAX, now_ns());
    team.look_closely(true);
    let until = Instant::now() + LOOK;
    while Instant::now() < until && team.count() > 0 {
        for (subject, packet) in team.tick(now_ns()) {
            if matches!(packet, Packet::Ping { .. }) {
                send(wire, &subject, &packet)?;
            }
        }
        if let Some(bytes) = wire.receive(Duration::from_millis(5)) {
            let now = now_ns();
            if let Ok(sealed) = open(&bytes) {
                team.on_packet(sealed.packet, now);
            }
        }
    }
    Ok((0..agents.len()).map(|h| team.clock(h).clone()).collect())
}

fn send(wire: &dyn Wire, subject: &str, packet: &Packet) -> Result<(), FleetError> {
    match seal(packet, None) {
        Ok(bytes) => wire.send(subject, bytes),
        Err(e) => Err(FleetError::Named(e.to_string())),
    }
}
