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
    /// Introduction of the agent: its name, version and rights.
    pub hello: Hello,
    /// Reading of the agent's clock against this host's.
    pub clock: Clock,
}

/// Time for which clocks are looked at.
const LOOK: Duration = Duration::from_millis(300);
/// Time for which another agent of a name that has answered is listened for.
const SECOND: Duration = Duration::from_millis(200);
/// Time between two questions to everybody while some are waited for.
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

/// Agents that were named, in that order; all where none was.
pub(super) fn choose(there: &[Hello], named: &[String]) -> Result<Vec<Hello>, FleetError> {
    let list: Vec<&str> = there.iter().map(|h| h.name.as_str()).collect();
    if there.is_empty() {
        return Err(FleetError::Named(
            "no agent answers on this server; start one on each host: plimsoll agent --nats URL"
                .into(),
        ));
    }
    if let Some(at) = (1..list.len()).find(|at| list[*at] == list[at - 1]) {
        return Err(FleetError::Named(format!(
            "two agents are called {}; start one with another --name",
            list[at]
        )));
    }
    if named.is_empty() {
        return Ok(there.to_vec());
    }
    let mut chosen: Vec<Hello> = Vec::new();
    for name in named {
        let Some(found) = there.iter().find(|h| h.name == *name) else {
            return Err(FleetError::Named(format!(
                "no agent called {name} answers on this server; there are: {}",
                list.join(", ")
            )));
        };
        if chosen.iter().any(|h| h.agent == found.agent) {
            return Err(FleetError::Named(format!("{name} is named twice")));
        }
        chosen.push(found.clone());
    }
    Ok(chosen)
}
