//! How long it takes to get to the servers of targets over a network and back, without what the servers do: a connection is opened
//! and closed again, which the kernels of both sides do by themselves. A slow server answers that as quickly as a fast one, and a slow
//! network does not.
//!
//! A thread of its own does it, between the looks: an answer takes as long as the network, and may never come.

mod handshake;

use super::Watched;
use crate::Root;
use handshake::{Handshake, handshake};
use plimsoll_evidence::witnessed::RoundTrip;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// So many are asked for before there is any load.
const IDLE: u32 = 2;
/// How long the load waits for those.
const PATIENCE: Duration = Duration::from_millis(500);
/// When they are asked for while it runs: in the middle of intervals of a second; after the first ones seldom, for servers may keep
/// a log of who came.
const OFTEN: Duration = Duration::from_millis(500);
const USUAL: Duration = Duration::from_secs(1);
const SELDOM: Duration = Duration::from_secs(5);
/// So many are the first ones.
const FIRST: u32 = 10;
/// Who did not answer so often in a row is not asked any more.
const GIVEN_UP: u32 = 3;

/// Looks at the way to the servers.
#[derive(Debug)]
pub(super) struct RoundTripsSampler {
    servers: Vec<RoundTrip>,
    reported: Option<Receiver<Told>>,
    /// Where this is dropped, the thread ends.
    _goes_on: Option<Sender<()>>,
}

/// One connection.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Told {
    server: usize,
    is_idle: bool,
    /// `None`: no answer.
    took_s: Option<f64>,
}

impl RoundTripsSampler {
    /// Asks for the first time, and waits for what comes of it for a moment. What is on this host has no network before it.
    pub fn new(root: &Root, what: &[Watched]) -> Self {
        let mut servers: Vec<(SocketAddr, RoundTrip)> = Vec::new();
        for target in what.iter().filter(|_| root.is_system()) {
            for address in target.addresses.iter().filter(|a| !a.ip().is_loopback()) {
                let at = servers.iter().position(|(known, _)| known == address);
                let at = at.unwrap_or_else(|| {
                    let server = RoundTrip {
                        address: address.to_string(),
                        ..RoundTrip::default()
                    };
                    servers.push((*address, server));
                    servers.len() - 1
                });
                let targets = &mut servers[at].1.targets;
                if !targets.contains(&target.name) {
                    targets.push(target.name.clone());
                }
            }
        }
        let (addresses, servers): (Vec<_>, Vec<_>) = servers.into_iter().unzip();
        match addresses.is_empty() {
            true => RoundTripsSampler {
                servers,
                reported: None,
                _goes_on: None,
            },
            false => RoundTripsSampler::by(servers, move |n| handshake(addresses[n])),
        }
    }

    /// With what opens a connection to a server by its place.
    fn by(servers: Vec<RoundTrip>, ask: impl FnMut(usize) -> Handshake + Send + 'static) -> Self {
        let (goes_on, ends) = channel();
        let (tell, reported) = channel();
        let many = servers.len();
        let thread = std::thread::Builder::new().name("round-trips".into());
        // Without the thread the line is closed, and nothing is told.
        let _ = thread.spawn(move || probe(many, ask, &tell, &ends));
        let mut sampler = RoundTripsSampler {
            servers,
            reported: None,
            _goes_on: Some(goes_on),
        };
        sampler.begin(&reported);
        sampler.reported = Some(reported);
        sampler
    }

    /// Takes what comes before there is any load.
    fn begin(&mut self, reported: &Receiver<Told>) {
        for _ in 0..IDLE as usize * self.servers.len() {
            let Ok(one) = reported.recv_timeout(PATIENCE) else {
                return;
            };
            let server = &mut self.servers[one.server];
            server.idle_s = match (server.idle_s, one.took_s) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
    }

    /// What was told of each server since the last look.
    pub fn look(&mut self) -> Vec<RoundTrip> {
        let Some(reported) = &self.reported else {
            return Vec::new();
        };
        let mut servers = self.servers.clone();
        // What was asked for before the load and comes now is of neither time.
        for one in reported.try_iter().filter(|one| !one.is_idle) {
            let server = &mut servers[one.server];
            match one.took_s {
                Some(took_s) => {
                    server.answered += 1;
                    server.sum_s += took_s;
                    server.most_s = server.most_s.max(took_s);
                }
                None => server.unanswered += 1,
            }
        }
        servers
    }
}

/// Asks, until nobody hears it.
fn probe(
    servers: usize,
    mut ask: impl FnMut(usize) -> Handshake,
    tell: &Sender<Told>,
    ends: &Receiver<()>,
) {
    let mut in_vain: Vec<u32> = vec![0; servers];
    let mut round = 0;
    loop {
        for (server, in_vain) in in_vain.iter_mut().enumerate() {
            if *in_vain >= GIVEN_UP {
                continue;
            }
            let asked = ask(server);
            let took_s = asked.took_s;
            *in_vain = match took_s {
                Some(_) => 0,
                None => *in_vain + 1,
            };
            let is_idle = round < IDLE;
            let reported = Told {
                server,
                is_idle,
                took_s,
            };
            let is_heard = tell.send(reported).is_ok();
            asked.leave();
            if !is_heard {
                return;
            }
        }
        round += 1;
        if let Some(rest) = rest(round)
            && ends.recv_timeout(rest) != Err(RecvTimeoutError::Timeout)
        {
            return;
        }
    }
}

/// How long to wait before so many rounds are one more.
fn rest(rounds: u32) -> Option<Duration> {
    match rounds {
        0..IDLE => None,
        IDLE => Some(OFTEN),
        _ if rounds < IDLE + FIRST => Some(USUAL),
        _ => Some(SELDOM),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(many: usize) -> Vec<RoundTrip> {
        let server = |n: usize| RoundTrip {
            address: format!("10.0.0.{n}:10809"),
            ..RoundTrip::default()
        };
        (0..many).map(server).collect()
    }

    #[test]
    fn what_was_before_the_load_and_what_is_while_it_runs_are_told_apart() {
        let (tell, reported) = channel();
        let mut sampler = RoundTripsSampler {
            servers: servers(2),
            reported: None,
            _goes_on: None,
        };
        let one = |server, is_idle, took_s| {
            let reported = Told {
                server,
                is_idle,
                took_s,
            };
            tell.send(reported).unwrap();
        };
        one(0, true, Some(0.003));
        one(1, true, None);
        one(0, true, Some(0.002));
        one(1, true, None);
        sampler.begin(&reported);
        sampler.reported = Some(reported);
        assert_eq!(sampler.servers[0].idle_s, Some(0.002));
        assert_eq!(sampler.servers[1].idle_s, None);
        one(0, true, Some(9.0));
        one(0, false, Some(0.03));
        one(0, false, Some(0.05));
        one(1, false, None);
        let seen = sampler.look();
        assert_eq!((seen[0].answered, seen[0].most_s), (2, 0.05));
        assert!((seen[0].mean_s().unwrap() - 0.04).abs() < 1e-12);
        assert_eq!((seen[1].answered, seen[1].unanswered), (0, 1));
        assert_eq!(seen[1].mean_s(), None);
        assert_eq!(sampler.look()[0].answered, 0);
    }

    #[test]
    fn who_never_answers_is_left_alone_and_the_thread_ends() {
        let (count, counted) = channel();
        let ask = move |n: usize| {
            let _ = count.send(n);
            Handshake {
                took_s: (n == 0).then_some(0.001),
                ..Handshake::default()
            }
        };
        let sampler = RoundTripsSampler::by(servers(2), ask);
        assert_eq!(sampler.servers[0].idle_s, Some(0.001));
        drop(sampler);
        // The thread has gone: its end of the line is closed.
        let asked: Vec<usize> = counted.iter().collect();
        assert_eq!(asked[..4], [0, 1, 0, 1]);
    }

    #[test]
    fn servers_are_asked_often_first_and_then_seldom() {
        assert_eq!(
            (rest(1), rest(2), rest(3)),
            (None, Some(OFTEN), Some(USUAL))
        );
        assert_eq!((rest(11), rest(12)), (Some(USUAL), Some(SELDOM)));
        assert_eq!(rest(u32::MAX), Some(SELDOM));
    }

    #[test]
    fn this_host_and_a_captured_one_are_not_asked() {
        let of = |address: &str| Watched {
            addresses: vec![address.parse().unwrap()],
            ..Watched::default()
        };
        let here = [of("127.0.0.1:1"), of("[::1]:1")];
        let far = [of("192.0.2.1:1")];
        assert!(
            RoundTripsSampler::new(&Root::system(), &here)
                .look()
                .is_empty()
        );
        let captured = Root::at("/nowhere");
        assert!(RoundTripsSampler::new(&captured, &far).look().is_empty());
    }
}
