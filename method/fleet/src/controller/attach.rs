//! Another controller goes on where the one before it was killed: it has what that one left beside its record, and the agents tell
//! it how far they are, and what they did of the step that they are in.

use super::course::{FleetStep, HostEnd};
use super::crew::{Crew, CrewOptions, UnderWay};
use super::joined::Joined;
use super::team::{OnLost, Team};
use super::who_is_there;
use crate::handover::{Handover, Kept};
use crate::message::{Attach, Hello, Order, Packet, Stands};
use crate::seal::{open, seal};
use crate::wire::{Wire, of_agent, of_controller};
use crate::{FleetError, drawn_id, now_ns};
use nkeys::KeyPair;
use plimsoll_evidence::{Environment, StartTogether};
use plimsoll_rig::{Control, CrewEvent, CrewOutcome, CrewReady, CrewStep, RigError};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Longest wait for the agents.
const WAIT: Duration = Duration::from_secs(5);
/// Time after which an agent that has not answered is asked again.
const ASK: Duration = Duration::from_millis(300);

impl Crew {
    /// Finds the agents of a run whose controller was killed, and has them obey this one from here on.
    ///
    /// # Errors
    /// [`FleetError::Named`] where no agent knows of the run any more.
    pub fn attach(
        wire: Box<dyn Wire>,
        handover: Handover,
        kept: Kept,
        control: &Control,
    ) -> Result<Self, FleetError> {
        let agents = find(wire.as_ref(), &handover)?;
        if agents.iter().all(Option::is_none) {
            kept.forget();
            return Err(late(&handover));
        }
        let unusable = |e: nkeys::error::Error| FleetError::Named(format!("the run's key: {e}"));
        let key = KeyPair::from_seed(&handover.seed).map_err(unusable)?;
        let reply = of_controller(&drawn_id());
        wire.listen(&reply)?;
        let asked = AttachQuestion {
            reply: reply.clone(),
            // Later controllers have later ones; whoever has the lock is alone.
            epoch: since_1970_ns(),
        };
        let stands = asked.all(wire.as_ref(), &agents, &key)?;
        let begun = |s: &Option<Stands>| s.as_ref().and_then(|s| s.begun);
        let number = stands.iter().filter_map(begun).map(|(n, _)| n).max();
        let of = |number: u32| {
            let this = |s: &Option<Stands>| begun(s).filter(|(n, _)| *n == number);
            stands.iter().map(|s| this(s).map(|(_, at)| at)).collect()
        };
        let options = CrewOptions {
            hosts: handover.names.clone(),
            lease: handover.lease,
            on_lost: handover.on_lost,
            wait: WAIT,
            server: handover.server.clone(),
        };
        let (lost_ns, now) = (options.lost_ns(), now_ns());
        let mut team = Team::attached(&handover.run, &reply, asked.epoch, &agents, lost_ns, now);
        if let Some(missing) = agents.iter().position(Option::is_none) {
            match handover.on_lost {
                OnLost::Repeat => {}
                OnLost::Continue => agents
                    .iter()
                    .enumerate()
                    .filter(|(_, a)| a.is_none())
                    .for_each(|(host, _)| team.give_up(host)),
                OnLost::Stop => {
                    return Err(FleetError::Named(format!(
                        "{} does not know of the run any more, which was to stop where a host is lost; run it again",
                        handover.names[missing]
                    )));
                }
            }
        }
        Ok(Crew {
            team,
            names: handover.names,
            key,
            run: handover.run,
            wire,
            options,
            plan: Some(handover.join.plan.clone()),
            joined: Joined {
                join: Some(handover.join),
                fits: handover.fits,
                found: handover.found,
            },
            set_aside: None,
            under_way: number.map(|number| UnderWay {
                number,
                begun: of(number),
            }),
            kept: Some(kept),
            here: Vec::new(),
            control: control.clone(),
            unheard: Vec::new(),
            launched: None,
        })
    }

    /// Findings of the hosts when they made ready.
    pub(super) fn as_it_was(&self) -> Result<CrewReady, RigError> {
        Ok(CrewReady {
            environment: Environment::default(),
            targets: self.joined.targets(),
        })
    }

    /// Goes on with the step that the hosts were in: each tells it again from its own record, and then as it goes on.
    pub(super) fn carry_on(
        &mut self,
        step: &CrewStep<'_>,
        under_way: &UnderWay,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<CrewOutcome, RigError> {
        let streams = self.streams(step.step)?;
        let mut course = FleetStep::new(step.number, self.names.len(), &[]).of_parts(streams);
        for (host, part) in self.parts(step.step)?.iter().enumerate() {
            if part.is_none() {
                course.end(host, HostEnd::NoPart);
            }
        }
        let mut starts = vec![StartTogether::default(); self.names.len()];
        for (host, begun) in under_way.begun.iter().enumerate() {
            match begun {
                Some(start) => {
                    starts[host] = *start;
                    let number = step.number;
                    self.team.order(host, Order::Tell { number });
                }
                None => {
                    let why = match self.team.is_expected(host) {
                        true => "the controller was killed before it was told to begin",
                        false => "its agent does not know of the run any more",
                    };
                    course.end(host, HostEnd::Lost(why.into()));
                }
            }
        }
        sink(CrewEvent::Note(
            "the hosts tell this step again, each from its own record".into(),
        ));
        self.see_out(course, step, &starts, sink)
    }

    /// Leaves what another controller needs beside a record.
    pub(super) fn hand_over(&mut self, record: &Path) -> Result<(), FleetError> {
        if self.kept.is_some() {
            return Ok(());
        }
        let Some(join) = self.joined.join.clone() else {
            return Ok(());
        };
        let unusable = |e: nkeys::error::Error| FleetError::Named(e.to_string());
        let seed = self.key.seed().map_err(unusable)?;
        let server = match &self.launched {
            Some(launched) => launched.nats(),
            None => self.options.server.clone(),
        };
        let handover = Handover {
            names: self.names.clone(),
            on_lost: self.options.on_lost,
            fits: self.joined.fits.clone(),
            found: self.joined.found.clone(),
            own_server: self.launched.is_some(),
            ..Handover::new(&self.run, seed, join, absolute(server))
        };
        let kept = handover.keep(record)?;
        if let Some(launched) = &mut self.launched {
            launched.handed_over(kept.path());
        }
        self.kept = Some(kept);
        Ok(())
    }
}

/// The files of credentials are found from any folder.
fn absolute(server: crate::NatsOptions) -> crate::NatsOptions {
    let whole =
        |path: Option<std::path::PathBuf>| path.map(|p| std::path::absolute(&p).unwrap_or(p));
    crate::NatsOptions {
        creds: whole(server.creds),
        ca: whole(server.ca),
        ..server
    }
}

/// Error that names why nobody can go on with the run any more.
pub fn late(handover: &Handover) -> FleetError {
    FleetError::Named(format!(
        "no host knows of the run {} any more: their lease of {} s was over, and they have closed their own records, which have \
         all that each did; run it again",
        handover.run,
        handover.lease.as_secs()
    ))
}

/// Each host's agent and the run as it was told of it; none where there is none.
fn find(wire: &dyn Wire, handover: &Handover) -> Result<Vec<Option<(String, String)>>, FleetError> {
    // One that took a lost one's place has a word of its own added.
    let another = format!("{}-", handover.run);
    let is_ours = |run: &String| *run == handover.run || run.starts_with(&another);
    let of = |hello: &Hello, name: &String| {
        let run = hello.busy.clone().filter(is_ours)?;
        (hello.name == *name).then(|| (hello.agent.clone(), run))
    };
    let all = |found: &[Hello]| {
        let has = |name: &String| found.iter().any(|h| of(h, name).is_some());
        handover.names.iter().all(has)
    };
    let there = who_is_there(wire, WAIT, &all)?;
    let agent = |name| there.iter().find_map(|seen| of(&seen.hello, name));
    Ok(handover.names.iter().map(agent).collect())
}

/// Question that is put to every agent.
struct AttachQuestion {
    reply: String,
    epoch: u64,
}

impl AttachQuestion {
    /// Asks until all have answered, or for as long as agents are waited for.
    fn all(
        &self,
        wire: &dyn Wire,
        agents: &[Option<(String, String)>],
        key: &KeyPair,
    ) -> Result<Vec<Option<Stands>>, FleetError> {
        let mut stands: Vec<Option<Stands>> = agents.iter().map(|_| None).collect();
        let until = Instant::now() + WAIT;
        let mut ask = Instant::now();
        let missing = |stands: &[Option<Stands>]| {
            let mut all = agents.iter().zip(stands);
            all.any(|(agent, stands)| agent.is_some() && stands.is_none())
        };
        while missing(&stands) && Instant::now() < until {
            if Instant::now() >= ask {
                ask = Instant::now() + ASK;
                let silent = agents.iter().zip(&stands).filter(|(_, s)| s.is_none());
                for (agent, run) in silent.filter_map(|(a, _)| a.as_ref()) {
                    self.one(wire, agent, run, key)?;
                }
            }
            let came = wire.receive(Duration::from_millis(20));
            let opened = came.and_then(|bytes| open(&bytes).ok());
            if let Some(Packet::Stands(said)) = opened.map(|sealed| sealed.packet)
                && said.epoch == self.epoch
            {
                let is_its = |a: &Option<(String, String)>| {
                    a.as_ref().is_some_and(|(id, _)| *id == said.agent)
                };
                if let Some(host) = agents.iter().position(is_its) {
                    stands[host] = Some(said);
                }
            }
        }
        Ok(stands)
    }

    fn one(
        &self,
        wire: &dyn Wire,
        agent: &str,
        run: &str,
        key: &KeyPair,
    ) -> Result<(), FleetError> {
        let packet = Packet::Attach(Attach {
            run: run.into(),
            agent: agent.into(),
            reply: self.reply.clone(),
            epoch: self.epoch,
        });
        let bytes = seal(&packet, Some(key)).map_err(|e| FleetError::Named(e.to_string()))?;
        wire.send(&of_agent(agent), bytes)
    }
}

fn since_1970_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(1, |d| u64::try_from(d.as_nanos()).unwrap_or(u64::MAX))
}
