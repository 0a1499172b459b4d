//! The hosts as a crew of the rig: what the rig asks for becomes orders, and what agents report becomes intervals and evidence.

use super::course::HostEnd;
use super::joined::Joined;
use super::team::{OnLost, Team};
use super::there::{choose, who_is_there};
use crate::handover::Kept;
use crate::message::{Hello, Order, Packet, Report};
use crate::seal::{open, seal};
use crate::wire::{Wire, of_controller};
use crate::{FleetError, Launched, NatsOptions, drawn_id, now_ns};
use nkeys::KeyPair;
use plimsoll_evidence::StartTogether;
use plimsoll_plan::{Nanos, Plan, Step};
use plimsoll_printable::one_line;
use plimsoll_record::RunStatus;
use plimsoll_rig::{
    Control, CrewEvent, CrewOutcome, CrewReady, CrewStep, Event, RigError, RunOptions,
};
use std::path::Path;
use std::time::Duration;

/// Settings of a crew.
#[derive(Debug, Clone)]
pub struct CrewOptions {
    /// Names of agents, in the order in which hosts are numbered; empty: all that are there.
    pub hosts: Vec<String>,
    /// Time for which agents go on without a word from here.
    pub lease: Duration,
    /// Treatment of a lost host.
    pub on_lost: OnLost,
    /// Longest wait for the agents.
    pub wait: Duration,
    /// Address and login of the server, for a controller that goes on when this one was killed. The server of a run has its own.
    pub server: NatsOptions,
}

impl CrewOptions {
    /// A host that is not heard for so long is lost, ns: a third of what it would wait for its controller. It takes less than the
    /// longest to start a server again, and a few words may be lost within the least.
    pub(super) fn lost_ns(&self) -> u64 {
        let (least, longest) = (Duration::from_secs(5), Duration::from_secs(20));
        (self.lease / 3).clamp(least, longest).as_nanos() as u64
    }
}

/// Longest wait for the hosts' farewell when all is over.
const FAREWELL: Duration = Duration::from_secs(30);

/// Hosts that carry out a plan's steps together.
pub struct Crew {
    pub(super) wire: Box<dyn Wire>,
    pub(super) options: CrewOptions,
    pub(super) key: KeyPair,
    pub(super) run: String,
    pub(super) names: Vec<String>,
    pub(super) team: Team,
    pub(super) plan: Option<Plan>,
    /// Question to each host before the first step, and its answer: a host that comes back is asked again.
    pub(super) joined: Joined,
    /// The last step that was set aside: what follows it is its repetition.
    pub(super) set_aside: Option<u32>,
    /// The step that hosts were in when the controller before this one was killed.
    pub(super) under_way: Option<UnderWay>,
    /// Handover, for a controller that goes on when this one was killed.
    pub(super) kept: Option<Kept>,
    /// Agents that said who they are since that was asked last.
    pub(super) here: Vec<Hello>,
    pub(super) control: Control,
    /// Reports that came while nobody listened.
    pub(super) unheard: Vec<(usize, Report)>,
    /// Agents and server that were started for this run alone; dropped after the wire, which goes over them.
    pub(super) launched: Option<Launched>,
}

/// The step that hosts were in when their controller was killed.
#[derive(Debug)]
pub struct UnderWay {
    /// Number of the step.
    pub number: u32,
    /// Start that each host was told; none of a host that was not told to begin.
    pub begun: Vec<Option<StartTogether>>,
}

impl std::fmt::Debug for Crew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew")
            .field("run", &self.run)
            .field("hosts", &self.names)
            .finish()
    }
}

/// So often hosts that came back are waited for again before a repetition has begun.
const TRIES: u32 = 4;

impl Crew {
    /// Finds the agents; none of them has heard of a run yet. `launched` is kept until the run is over.
    ///
    /// # Errors
    /// [`FleetError::Named`] where one that was named is not there, or two have a name.
    pub fn gather(
        wire: Box<dyn Wire>,
        run: &str,
        options: CrewOptions,
        launched: Option<Launched>,
        control: &Control,
    ) -> Result<Self, FleetError> {
        let named = options.hosts.clone();
        let enough = |found: &[Hello]| {
            !named.is_empty() && named.iter().all(|n| found.iter().any(|h| h.name == *n))
        };
        let there = who_is_there(wire.as_ref(), options.wait, &enough)?;
        let hellos: Vec<Hello> = there.into_iter().map(|s| s.hello).collect();
        let chosen = choose(&hellos, &options.hosts)?;
        let reply = of_controller(&drawn_id());
        wire.listen(&reply)?;
        let agents: Vec<String> = chosen.iter().map(|h| h.agent.clone()).collect();
        Ok(Crew {
            team: Team::new(run, &reply, &agents, options.lost_ns(), now_ns()),
            names: chosen.iter().map(|h| h.name.clone()).collect(),
            key: KeyPair::new_user(),
            run: run.into(),
            wire,
            options,
            plan: None,
            joined: Joined::default(),
            set_aside: None,
            under_way: None,
            kept: None,
            here: Vec::new(),
            control: control.clone(),
            unheard: Vec::new(),
            launched,
        })
    }

    /// The hosts, in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Sends what is due and takes in what came.
    pub(super) fn turn(&mut self) -> Result<Vec<(usize, Report)>, RigError> {
        let mut reports = std::mem::take(&mut self.unheard);
        let mut wait = Duration::from_millis(5);
        // Many agents' letters are taken in one turn; what is due goes out between them.
        for _ in 0..256 {
            let Some(bytes) = self.wire.receive(wait) else {
                break;
            };
            wait = Duration::ZERO;
            let now = now_ns();
            // What is none of a fleet's messages is nobody's.
            match open(&bytes).map(|sealed| sealed.packet) {
                Ok(Packet::Here(hello)) => self.here.push(*hello),
                Ok(packet) => reports.extend(self.team.on_packet(packet, now)),
                Err(_) => {}
            }
        }
        for (subject, packet) in self.team.tick(now_ns()) {
            self.send(&subject, &packet)?;
        }
        Ok(reports)
    }

    pub(super) fn send(&self, subject: &str, packet: &Packet) -> Result<(), RigError> {
        let hosts = |e: &dyn std::fmt::Display| RigError::Hosts(e.to_string());
        let bytes = seal(packet, Some(&self.key)).map_err(|e| hosts(&e))?;
        self.wire.send(subject, bytes).map_err(|e| hosts(&e))
    }

    /// Waits until every host has answered, each once.
    pub(super) fn all_answer<T>(
        &mut self,
        watch: &mut dyn FnMut(Event),
        mut answer: impl FnMut(Report) -> Option<T>,
    ) -> Result<Vec<T>, RigError> {
        let mut answers: Vec<Option<T>> = (0..self.names.len()).map(|_| None).collect();
        while answers.iter().any(Option::is_none) {
            if self.control.stopped() {
                return Err(RigError::Hosts("interrupted before anything began".into()));
            }
            for (host, report) in self.turn()? {
                match report {
                    Report::Note(note) => {
                        watch(Event::Note(format!("{}: {note}", self.names[host])));
                    }
                    Report::Refuses { why } => {
                        return Err(RigError::Hosts(format!(
                            "{}: {}",
                            self.names[host],
                            one_line(&why)
                        )));
                    }
                    Report::Finished { .. } => {
                        let name = &self.names[host];
                        return Err(RigError::Hosts(format!("{name}: its agent ended the run")));
                    }
                    other => answers[host] = answers[host].take().or_else(|| answer(other)),
                }
            }
            if let Some(host) = self.team.lost(now_ns()).first() {
                return Err(RigError::Hosts(format!(
                    "{} was not heard for {} s; look whether its agent runs, and its network",
                    self.names[*host],
                    self.options.lost_ns() / 1_000_000_000
                )));
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }
}

impl plimsoll_rig::Crew for Crew {
    fn ready(
        &mut self,
        plan: &Plan,
        options: &RunOptions,
        seed: u64,
        watch: &mut dyn FnMut(Event),
    ) -> Result<CrewReady, RigError> {
        self.plan = Some(plan.clone());
        if self.team.is_attached() {
            return self.as_it_was();
        }
        let ready = self.make_ready(plan, options, seed, watch);
        if let Err(error) = &ready {
            let failed = RunStatus::Failed(error.to_string());
            plimsoll_rig::Crew::finish(self, &failed, &mut |_| {});
        }
        ready
    }

    fn targets_bytes(&self, step: &Step) -> u64 {
        self.bytes_of(step)
    }

    fn together(&self, step: &Step) -> Step {
        self.in_flight_together(step)
    }

    fn carry_out(
        &mut self,
        step: &CrewStep<'_>,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<CrewOutcome, RigError> {
        step.control.take_step_end();
        if let Some(under_way) = self.under_way.take() {
            if under_way.number == step.number {
                return self.carry_on(step, &under_way, sink);
            }
            if under_way.number > step.number {
                return Err(RigError::Hosts(format!(
                    "the hosts are in step {} already, and the record has nothing of step {}; run it again",
                    under_way.number, step.number
                )));
            }
        }
        let mut tries = 0;
        let mut course = loop {
            tries += 1;
            self.bring_back(step.control, sink)?;
            let mut course = self.prepared(step)?;
            while !course.is_prepared() {
                self.listen(&mut course, sink)?;
            }
            if tries == TRIES || !self.is_gone_again(&course, step) {
                break course;
            }
        };
        let broken = self.is_broken(&course);
        let starts = match broken || step.control.stopped() {
            true => vec![StartTogether::default(); self.names.len()],
            false => self.starts(&mut course, sink)?,
        };
        if broken || step.control.stopped() {
            if !self.repeats(&course, step) {
                self.team.order_all(&Order::Stop);
            }
            for host in 0..self.names.len() {
                course.end(host, HostEnd::NotBegun);
            }
        } else {
            let ranks = match self.is_divided() {
                true => course.ranks_alone(),
                false => course.ranks(&self.apart(step.step)),
            };
            for (host, (ranks, start)) in ranks.into_iter().zip(&starts).enumerate() {
                if !course.has_a_part(host) {
                    continue;
                }
                self.team.order(
                    host,
                    Order::Begin {
                        number: step.number,
                        start: *start,
                        ranks,
                    },
                );
            }
        }
        self.see_out(course, step, &starts, sink)
    }

    fn recorded(&mut self, record: &Path, watch: &mut dyn FnMut(Event)) {
        if let Err(why) = self.hand_over(record) {
            watch(Event::Note(format!(
                "should this controller be killed, no other can go on with its run: {why}"
            )));
        }
    }

    fn pass(&mut self, length: Nanos, control: &Control) {
        let until = now_ns().saturating_add(length.0);
        while now_ns() < until && !control.stopped() {
            match self.turn() {
                Ok(reports) => self.unheard = reports,
                // The next step finds out.
                Err(_) => return,
            }
        }
    }

    fn finish(&mut self, status: &RunStatus, watch: &mut dyn FnMut(Event)) {
        if let Some(kept) = self.kept.take() {
            kept.forget();
        }
        let (failed, interrupted) = match status {
            RunStatus::Failed(why) => (why.clone(), false),
            RunStatus::Interrupted => (String::new(), true),
            _ => (String::new(), false),
        };
        if *status != RunStatus::Completed {
            self.team.order_all(&Order::Stop);
        }
        self.team.order_all(&Order::Finish {
            failed,
            interrupted,
        });
        let until = now_ns() + FAREWELL.as_nanos() as u64;
        let mut closed = vec![false; self.names.len()];
        while now_ns() < until {
            let open = |h: usize| !closed[h] && self.team.is_expected(h);
            if !(0..closed.len()).any(open) {
                // What is said last is answered, so that the agents are free again at once.
                let _ = self.turn();
                return;
            }
            let Ok(reports) = self.turn() else { return };
            for (host, report) in reports {
                match report {
                    Report::Finished { record } => {
                        closed[host] = true;
                        if let Some(record) = record {
                            let name = &self.names[host];
                            watch(Event::Note(format!(
                                "{name} keeps its own record: {record}"
                            )));
                        }
                    }
                    Report::Note(note) => {
                        watch(Event::Note(format!("{}: {note}", self.names[host])));
                    }
                    _ => {}
                }
            }
        }
    }
}
