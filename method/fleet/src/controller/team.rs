//! The controller's side of all agents: what they are told and what they say, whole and in order, and what their clocks show.
//! Pure: what came, and the time, are given to it.

use crate::clock::{Clock, RoundTrip};
use crate::link::Link;
use crate::message::{Letter, Order, Packet, Report};
use crate::seal::run_again;
use crate::wire::of_agent;

/// Time between two looks at a clock, ns; and between two where a start is near.
const PING_NS: u64 = 1_000_000_000;
const PING_SOON_NS: u64 = 10_000_000;

/// Treatment of a host that is lost in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum OnLost {
    /// The step ends on all hosts and is set aside. The host is waited for, as long as a lease, and the step is measured again,
    /// once.
    #[default]
    Repeat,
    /// The step ends on all hosts, and the run with it.
    Stop,
    /// The others go on with their own parts.
    Continue,
}

/// All agents of a run.
#[derive(Debug)]
pub struct Team {
    run: String,
    reply: String,
    /// 0 of a run's first controller.
    epoch: u64,
    peers: Vec<Peer>,
    /// Clocks are looked at closely.
    closely: bool,
    /// An agent that is not heard for so long is lost, ns.
    lost_ns: u64,
}

/// One agent.
#[derive(Debug)]
struct Peer {
    agent: String,
    /// The run's name for it: another one for an agent that took a lost one's place.
    run: String,
    link: Link<Order, Report>,
    clock: Clock,
    heard_ns: u64,
    beat: u64,
    own_beat: u64,
    asked_ns: Option<u64>,
    /// Nothing is expected of it any more.
    gone: bool,
    /// Reason why the agent is waited for, if it is.
    away: Option<Away>,
    /// Since when, ns.
    away_ns: u64,
}

/// Reason why an agent is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// Not heard: it may be there again at any time, and is when it has answered a question that was put to it since. To be heard alone is
    /// not enough: what is sent to it may take longer to find the way again.
    Silent,
    /// Run ended by the agent: another one may come in its place.
    Ended,
}

impl Peer {
    fn new(agent: &str, run: &str, now_ns: u64) -> Self {
        Peer {
            agent: agent.into(),
            run: run.into(),
            link: Link::default(),
            clock: Clock::default(),
            heard_ns: now_ns,
            beat: 0,
            own_beat: 0,
            asked_ns: None,
            gone: false,
            away: None,
            away_ns: 0,
        }
    }

    fn answered(&mut self, trip: RoundTrip) {
        if self.away == Some(Away::Silent) && trip.sent_ns >= self.away_ns {
            self.away = None;
            self.heard_ns = trip.back_ns;
        }
        self.clock.add(trip);
    }
}

impl Team {
    /// Of these agents, by their ids; `reply` is where they are to answer. One that is not heard for `lost_ns` is lost.
    pub fn new(run: &str, reply: &str, agents: &[String], lost_ns: u64, now_ns: u64) -> Self {
        let peer = |agent: &String| Peer::new(agent, run, now_ns);
        Team {
            run: run.into(),
            reply: reply.into(),
            epoch: 0,
            peers: agents.iter().map(peer).collect(),
            closely: false,
            lost_ns,
        }
    }

    /// The agents of a run that another controller began: (id, the run as it was told of it); none where nobody is there.
    pub fn attached(
        run: &str,
        reply: &str,
        epoch: u64,
        agents: &[Option<(String, String)>],
        lost_ns: u64,
        now_ns: u64,
    ) -> Self {
        let peer = |agent: &Option<(String, String)>| match agent {
            Some((agent, run)) => Peer::new(agent, run, now_ns),
            None => Peer {
                away: Some(Away::Ended),
                ..Peer::new("", run, now_ns)
            },
        };
        Team {
            epoch,
            peers: agents.iter().map(peer).collect(),
            ..Team::new(run, reply, &[], lost_ns, now_ns)
        }
    }

    /// Subject for the agents' answers.
    pub fn reply(&self) -> &str {
        &self.reply
    }

    /// True where another controller began the run.
    pub fn is_attached(&self) -> bool {
        self.epoch > 0
    }

    /// Number of hosts.
    pub fn count(&self) -> usize {
        self.peers.len()
    }

    /// Tells one something.
    pub fn order(&mut self, host: usize, order: Order) {
        if !self.peers[host].gone {
            self.peers[host].link.push(order);
        }
    }

    /// Tells all the same.
    pub fn order_all(&mut self, order: &Order) {
        for host in 0..self.peers.len() {
            self.order(host, order.clone());
        }
    }

    /// Looks at the clocks closely, or not any more.
    pub fn look_closely(&mut self, closely: bool) {
        self.closely = closely;
    }

    /// An agent's clock.
    pub fn clock(&self, host: usize) -> &Clock {
        &self.peers[host].clock
    }

    /// Takes in a packet: who reports what, in order.
    pub fn on_packet(&mut self, packet: Packet, now_ns: u64) -> Vec<(usize, Report)> {
        match packet {
            Packet::Pong {
                agent,
                sent_ns,
                received_ns,
                answered_ns,
            } => {
                if let Some(peer) = self.peers.iter_mut().find(|p| p.agent == agent) {
                    peer.answered(RoundTrip {
                        sent_ns,
                        received_ns,
                        answered_ns,
                        back_ns: now_ns,
                    });
                }
                Vec::new()
            }
            Packet::Reports(letter) => self.on_letter(letter, now_ns),
            Packet::Busy { agent, run } => {
                // Before its first word it may not have been asked yet.
                let meant =
                    |p: &Peer| p.agent == agent && !p.gone && (p.beat > 0 || !run.is_empty());
                let found = self.peers.iter().position(meant);
                let says = match run.is_empty() {
                    // It was started anew, or its lease was over.
                    true => Report::Finished { record: None },
                    false => Report::Refuses {
                        why: format!("the agent is busy with run {run}; wait for its end"),
                    },
                };
                found.map(|host| (host, says)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn on_letter(&mut self, letter: Letter<Report>, now_ns: u64) -> Vec<(usize, Report)> {
        if letter.epoch != self.epoch {
            return Vec::new();
        }
        let meant = |p: &Peer| p.agent == letter.agent && p.run == letter.run;
        let found = self.peers.iter().position(meant);
        let Some(host) = found.filter(|h| !self.peers[*h].gone) else {
            return Vec::new();
        };
        let peer = &mut self.peers[host];
        if letter.beat > peer.beat {
            peer.beat = letter.beat;
            peer.heard_ns = now_ns;
        }
        let reports = peer.link.take(letter.upto, letter.items);
        reports.into_iter().map(|r| (host, r)).collect()
    }

    /// Letters that are to be sent now: (subject, packet).
    pub fn tick(&mut self, now_ns: u64) -> Vec<(String, Packet)> {
        let every = if self.closely { PING_SOON_NS } else { PING_NS };
        let mut out = Vec::new();
        // One that has ended the run is free when it knows that this was heard.
        let is_there = |p: &&mut Peer| !p.gone && (p.away != Some(Away::Ended) || p.link.owes());
        for peer in self.peers.iter_mut().filter(is_there) {
            let subject = of_agent(&peer.agent);
            while let Some((upto, items)) = peer.link.due(now_ns) {
                peer.own_beat += 1;
                let letter = Letter {
                    run: peer.run.clone(),
                    agent: peer.agent.clone(),
                    reply: self.reply.clone(),
                    epoch: self.epoch,
                    beat: peer.own_beat,
                    upto,
                    items,
                };
                out.push((subject.clone(), Packet::Orders(letter)));
            }
            if peer.asked_ns.is_none_or(|at| now_ns >= at + every) {
                peer.asked_ns = Some(now_ns);
                let reply = self.reply.clone();
                out.push((
                    subject,
                    Packet::Ping {
                        reply,
                        sent_ns: now_ns,
                    },
                ));
            }
        }
        out
    }

    /// Hosts that were not heard for too long, and had not been lost before.
    pub fn lost(&self, now_ns: u64) -> Vec<usize> {
        let silent = |h: &usize| {
            let peer = &self.peers[*h];
            !peer.gone && peer.away.is_none() && now_ns.saturating_sub(peer.heard_ns) > self.lost_ns
        };
        (0..self.peers.len()).filter(silent).collect()
    }

    /// Waits for one.
    pub fn miss(&mut self, host: usize, why: Away, now_ns: u64) {
        let peer = &mut self.peers[host];
        (peer.away, peer.away_ns) = (Some(why), now_ns);
    }

    /// Hosts that are waited for.
    pub fn away(&self) -> Vec<usize> {
        let away = |h: &usize| self.peers[*h].away.is_some() && !self.peers[*h].gone;
        (0..self.peers.len()).filter(away).collect()
    }

    /// Another agent has a host's place from here on, and has heard of nothing; `again` tells its part of the run from those of
    /// the agents that had the place before.
    pub fn replace(&mut self, host: usize, agent: &str, again: &str, now_ns: u64) {
        self.peers[host] = Peer::new(agent, &run_again(&self.run, again), now_ns);
    }

    /// Expects nothing more of an agent.
    pub fn give_up(&mut self, host: usize) {
        self.peers[host].gone = true;
    }

    /// True of one of which something is heard, or is to be.
    pub fn is_expected(&self, host: usize) -> bool {
        !self.peers[host].gone && self.peers[host].away.is_none()
    }

    /// True of one of which nothing is expected.
    pub fn is_gone(&self, host: usize) -> bool {
        self.peers[host].gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn letter(beat: u64, items: Vec<(u64, Report)>) -> Packet {
        Packet::Reports(Letter {
            run: "r".into(),
            agent: "a".into(),
            reply: String::new(),
            epoch: 0,
            beat,
            upto: 0,
            items,
        })
    }

    fn pong(sent_ns: u64) -> Packet {
        Packet::Pong {
            agent: "a".into(),
            sent_ns,
            received_ns: 5,
            answered_ns: 5,
        }
    }

    #[test]
    fn who_is_heard_is_back_only_when_it_has_answered_what_it_was_asked_since() {
        let mut team = Team::new("r", "c", &["a".into()], 5 * S, 0);
        assert_eq!(team.lost(6 * S), [0]);
        team.miss(0, Away::Silent, 6 * S);
        team.on_packet(letter(1, Vec::new()), 8 * S);
        assert_eq!(team.away(), [0], "it speaks, and may hear nothing");
        team.on_packet(pong(6 * S - 1), 8 * S);
        assert_eq!(team.away(), [0], "asked before it was lost");
        team.on_packet(pong(8 * S), 9 * S);
        assert!(team.away().is_empty() && team.lost(13 * S).is_empty());
        assert_eq!(team.lost(15 * S), [0]);
    }

    #[test]
    fn who_has_ended_the_run_is_told_that_this_was_heard_and_asked_nothing() {
        let mut team = Team::new("r", "c", &["a".into()], 5 * S, 0);
        let finished = Report::Finished { record: None };
        assert_eq!(team.on_packet(letter(1, vec![(1, finished)]), S).len(), 1);
        team.miss(0, Away::Ended, S);
        let out = team.tick(2 * S);
        assert!(
            out.iter()
                .any(|(_, p)| matches!(p, Packet::Orders(l) if l.upto == 1))
        );
        assert!(team.tick(4 * S).is_empty());
    }
}
