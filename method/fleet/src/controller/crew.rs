//! The hosts as a crew of the rig: what the rig asks for becomes orders, and what agents report becomes intervals and evidence.

use super::course::{Course, HostEnd, Seen};
use super::outcome::{Known, outcome};
use super::team::Team;
use super::{fit, who_is_there};
use crate::message::{Hello, Hire, Order, Packet, Report, WireOptions, WireTarget};
use crate::seal::{open, seal};
use crate::wire::{Wire, of_controller};
use crate::{FleetError, Launched, drawn_id, now_ns};
use nkeys::KeyPair;
use plimsoll_evidence::{Environment, StartTogether};
use plimsoll_plan::{Depth, Nanos, Plan, Step, Stream};
use plimsoll_record::RunStatus;
use plimsoll_rig::{
    Control, CrewEvent, CrewOutcome, CrewReady, CrewStep, Event, FoundTarget, RigError, RunOptions,
};
use std::time::Duration;

/// What happens when a host is lost in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnLost {
    /// The step ends on all hosts, and the run with it.
    #[default]
    Stop,
    /// The others go on with their own parts.
    Continue,
}

/// How a crew is gathered.
#[derive(Debug, Clone)]
pub struct CrewOptions {
    /// Names of agents, in the order in which hosts are numbered; empty: all that are there.
    pub hosts: Vec<String>,
    /// How long agents go on without a word from here.
    pub lease: Duration,
    /// What happens when a host is lost.
    pub on_lost: OnLost,
    /// How long agents are waited for.
    pub wait: Duration,
}

impl CrewOptions {
    /// A host that is not heard for so long is lost, ns: a third of what it would wait for its controller. It takes less than the
    /// longest to start a server again, and a few words may be lost within the least.
    fn lost_ns(&self) -> u64 {
        let (least, longest) = (Duration::from_secs(5), Duration::from_secs(20));
        (self.lease / 3).clamp(least, longest).as_nanos() as u64
    }
}

/// From the last round trips to the common instant: it takes an agent that long to have its workers at the gate.
const LEAD_NS: u64 = 700_000_000;
/// Round trips before a start.
const CLOSE_LOOKS: usize = 12;
/// A start whose instant is not known better than this is none.
const WIDEST_NS: u64 = 250_000_000;
/// How long the hosts are waited for when all is over.
const FAREWELL: Duration = Duration::from_secs(30);
/// How long a straggler may be behind before it is named, ns.
const STRAGGLING_NS: u64 = 5_000_000_000;

/// Hosts that carry out a plan's steps together.
pub struct Crew {
    wire: Box<dyn Wire>,
    options: CrewOptions,
    key: KeyPair,
    run: String,
    names: Vec<String>,
    team: Team,
    plan: Option<Plan>,
    /// Bytes of each target, as the first host has them.
    sizes: Vec<u64>,
    control: Control,
    /// What was said while nobody listened.
    unheard: Vec<(usize, Report)>,
    /// What was started for this run alone; after the wire, which goes over it.
    _launched: Option<Launched>,
}

impl std::fmt::Debug for Crew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew")
            .field("run", &self.run)
            .field("hosts", &self.names)
            .finish()
    }
}

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
            sizes: Vec::new(),
            control: control.clone(),
            unheard: Vec::new(),
            _launched: launched,
        })
    }

    /// The hosts, in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Sends what is due and takes in what came.
    fn turn(&mut self) -> Result<Vec<(usize, Report)>, RigError> {
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
            if let Ok(sealed) = open(&bytes) {
                reports.extend(self.team.on_packet(sealed.packet, now));
            }
        }
        for (subject, packet) in self.team.tick(now_ns()) {
            self.send(&subject, &packet)?;
        }
        Ok(reports)
    }

    fn send(&self, subject: &str, packet: &Packet) -> Result<(), RigError> {
        let hosts = |e: &dyn std::fmt::Display| RigError::Hosts(e.to_string());
        let bytes = seal(packet, Some(&self.key)).map_err(|e| hosts(&e))?;
        self.wire.send(subject, bytes).map_err(|e| hosts(&e))
    }

    /// Waits until every host has answered, each once.
    fn all_answer<T>(
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
                        return Err(RigError::Hosts(format!("{}: {why}", self.names[host])));
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

    fn make_ready(
        &mut self,
        plan: &Plan,
        options: &RunOptions,
        seed: u64,
        watch: &mut dyn FnMut(Event),
    ) -> Result<CrewReady, RigError> {
        self.team.order_all(&Order::Hire(Box::new(Hire {
            key: self.key.public_key(),
            version: env!("CARGO_PKG_VERSION").into(),
            lease_ns: u64::try_from(self.options.lease.as_nanos()).unwrap_or(u64::MAX),
            plan: plan.clone(),
            options: wire_options(options, seed),
        })));
        let fits = self.all_answer(watch, |report| match report {
            Report::Fits { targets, meant } => Some((targets, meant)),
            _ => None,
        })?;
        self.fit_together(plan, options, fits)?;
        self.team.order_all(&Order::Open);
        let found = self.all_answer(watch, |report| match report {
            Report::Ready {
                environment,
                targets,
            } => Some((*environment, targets)),
            _ => None,
        })?;
        let targets: Vec<FoundTarget> = found[0]
            .1
            .iter()
            .map(|(size, logical_block)| FoundTarget {
                size: *size,
                logical_block: *logical_block,
            })
            .collect();
        self.sizes = targets.iter().map(|t| t.size).collect();
        let found = found.into_iter().map(|(e, _)| e);
        Ok(CrewReady {
            environment: environment(&self.names, found.collect(), options),
            targets,
        })
    }

    fn fit_together(
        &self,
        plan: &Plan,
        options: &RunOptions,
        fits: Vec<(Vec<WireTarget>, Vec<String>)>,
    ) -> Result<(), RigError> {
        let is_meant = |name: &&String| fits.iter().any(|(_, meant)| meant.contains(name));
        if let Some(name) = options.destroy.iter().find(|n| !is_meant(n)) {
            return Err(RigError::Hosts(format!(
                "--destroy {name} names no target of this plan on any host; `plimsoll ls` there prints the name of each"
            )));
        }
        let seen = self.names.iter().cloned().zip(fits);
        let seen: Vec<_> = seen.map(|(name, (targets, _))| (name, targets)).collect();
        match fit::refusal(plan, &seen) {
            Some(why) => Err(RigError::Hosts(why)),
            None => Ok(()),
        }
    }

    /// The targets that each host has for itself, by the step's streams.
    fn apart(&self, step: &Step) -> Vec<bool> {
        let shared = |s: &Stream| {
            let plan = self.plan.as_ref();
            plan.is_some_and(|p| p.target(s.target).shared)
        };
        step.streams.iter().map(|s| !shared(s)).collect()
    }

    /// Has the clocks looked at closely, and gives each host the common instant on its own clock.
    fn starts(
        &mut self,
        course: &mut Course,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<Vec<StartTogether>, RigError> {
        self.team.look_closely(true);
        let began = now_ns();
        let mut looked = began;
        while looked - began < CLOSE_LOOKS as u64 * 12_000_000 {
            for (host, report) in self.turn()? {
                self.hear(course, host, report, sink);
            }
            looked = now_ns();
        }
        self.team.look_closely(false);
        let hosts = 0..self.names.len();
        let longest = hosts
            .clone()
            .map(|h| self.team.clock(h).longest_trip_ns())
            .max();
        let start = now_ns() + LEAD_NS + 2 * longest.unwrap_or(0).min(1_000_000_000);
        hosts
            .map(|host| {
                if self.team.is_gone(host) {
                    return Ok(StartTogether::default());
                }
                let clock = self.team.clock(host);
                let known = clock.there(start).filter(|(_, bound)| *bound < WIDEST_NS);
                let (at_ns, bound_ns) = known.ok_or_else(|| {
                    RigError::Hosts(format!(
                        "the clock of {} cannot be told well enough to begin together: its round trips take up to {} ms, or it was \
                         set while it was looked at",
                        self.names[host],
                        clock.longest_trip_ns() / 1_000_000
                    ))
                })?;
                Ok(StartTogether {
                    at_ns,
                    bound_ns,
                    late_ns: 0,
                    drift_ppm: clock.drift_ppm(),
                })
            })
            .collect()
    }

    fn hear(
        &self,
        course: &mut Course,
        host: usize,
        report: Report,
        sink: &mut dyn FnMut(CrewEvent),
    ) {
        for seen in course.on_report(host, report) {
            sink(match seen {
                Seen::OfHost(interval) => CrewEvent::OfHost(interval),
                Seen::Merged(interval) => CrewEvent::Merged(interval),
                Seen::Note(host, note) => CrewEvent::Note(format!("{}: {note}", self.names[host])),
            });
        }
    }

    /// Takes in what came, and gives up whoever is not heard.
    fn listen(
        &mut self,
        course: &mut Course,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<(), RigError> {
        for (host, report) in self.turn()? {
            self.hear(course, host, report, sink);
        }
        for host in self.team.lost(now_ns()) {
            self.team.give_up(host);
            let why = format!(
                "it was not heard for {} s",
                self.options.lost_ns() / 1_000_000_000
            );
            sink(CrewEvent::Note(format!("{}: {why}", self.names[host])));
            for seen in course.end(host, HostEnd::Lost(why)) {
                if let Seen::Merged(interval) = seen {
                    sink(CrewEvent::Merged(interval));
                }
            }
        }
        Ok(())
    }

    fn is_broken(&self, course: &Course) -> bool {
        self.options.on_lost == OnLost::Stop && course.broken().next().is_some()
    }

    /// Lets the step run to its end, and stops it where it has to be.
    fn follow(
        &mut self,
        course: &mut Course,
        step: &CrewStep<'_>,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<bool, RigError> {
        let mut stopped = false;
        let mut behind: Option<u64> = None;
        while !course.is_over() {
            self.listen(course, sink)?;
            let too_many = course.errors() >= step.max_errors;
            if !stopped && (step.control.stopped() || too_many || self.is_broken(course)) {
                stopped = true;
                self.team.order_all(&Order::Stop);
            }
            if step.control.take_step_end() {
                let number = step.number;
                self.team.order_all(&Order::EndStep { number });
            }
            behind = self.name_stragglers(course, behind, sink);
        }
        Ok(step.control.stopped())
    }

    /// Says once who has been behind for long. Since when somebody is, ns.
    fn name_stragglers(
        &self,
        course: &Course,
        since: Option<u64>,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Option<u64> {
        let behind = course.stragglers();
        if behind.is_empty() {
            return None;
        }
        let since = since.unwrap_or_else(now_ns);
        if since != u64::MAX && now_ns().saturating_sub(since) > STRAGGLING_NS {
            let names: Vec<&str> = behind.iter().map(|h| self.names[*h].as_str()).collect();
            sink(CrewEvent::Note(format!(
                "intervals are waited for from {}",
                names.join(", ")
            )));
            return Some(u64::MAX);
        }
        Some(since)
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
        let ready = self.make_ready(plan, options, seed, watch);
        if let Err(error) = &ready {
            let failed = RunStatus::Failed(error.to_string());
            plimsoll_rig::Crew::finish(self, &failed, &mut |_| {});
        }
        ready
    }

    fn targets_bytes(&self, step: &Step) -> u64 {
        let of = |d: &Depth| {
            let size = self.sizes.get(d.target.0 as usize).copied().unwrap_or(0);
            let plan = self.plan.as_ref();
            let times = match plan.is_some_and(|p| p.target(d.target).shared) {
                true => 1,
                false => self.names.len() as u64,
            };
            size.saturating_mul(times)
        };
        step.depths.iter().map(of).fold(0, u64::saturating_add)
    }

    fn together(&self, step: &Step) -> Step {
        let hosts = self.names.len() as u32;
        let mut all = step.clone();
        for depth in &mut all.depths {
            depth.slots = depth.slots.saturating_mul(hosts);
        }
        for stream in &mut all.streams {
            stream.depth = stream.depth.map(|d| d.saturating_mul(hosts));
        }
        all
    }

    fn carry_out(
        &mut self,
        step: &CrewStep<'_>,
        sink: &mut dyn FnMut(CrewEvent),
    ) -> Result<CrewOutcome, RigError> {
        step.control.take_step_end();
        let gone: Vec<usize> = (0..self.names.len())
            .filter(|h| self.team.is_gone(*h))
            .collect();
        let mut course = Course::new(step.number, self.names.len(), &gone);
        self.team.order_all(&Order::Prepare {
            number: step.number,
            step: Box::new(step.step.clone()),
            settle: step.settle,
        });
        while !course.is_prepared() {
            self.listen(&mut course, sink)?;
        }
        let broken = self.is_broken(&course);
        let starts = match broken || step.control.stopped() {
            true => vec![StartTogether::default(); self.names.len()],
            false => self.starts(&mut course, sink)?,
        };
        if broken || step.control.stopped() {
            self.team.order_all(&Order::Stop);
            let why = "it was stopped before it began";
            for host in 0..self.names.len() {
                course.end(host, HostEnd::Failed(why.into()));
            }
        } else {
            let ranks = course.ranks(&self.apart(step.step));
            for (host, (ranks, start)) in ranks.into_iter().zip(&starts).enumerate() {
                self.team.order(
                    host,
                    Order::Begin {
                        number: step.number,
                        start_at: start.at_ns,
                        ranks,
                    },
                );
            }
        }
        let stopped = self.follow(&mut course, step, sink)?;
        Ok(outcome(
            &course,
            &Known {
                names: &self.names,
                starts: &starts,
                stopped,
                max_errors: step.max_errors,
                continues: self.options.on_lost == OnLost::Continue,
            },
        ))
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
            let open = |h: usize| !closed[h] && !self.team.is_gone(h);
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

/// Those that were named, in that order; all where none was.
fn choose(there: &[Hello], named: &[String]) -> Result<Vec<Hello>, FleetError> {
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

fn wire_options(options: &RunOptions, seed: u64) -> WireOptions {
    WireOptions {
        seed,
        destroy: options.destroy.clone(),
        fill: options.fill,
        allow_unwritten: options.allow_unwritten,
        backend: options.backend.map(|b| b.to_string()),
        submit_batch: options.submit_batch,
        reap_batch: options.reap_batch,
        max_errors: options.max_errors,
        drain_ns: options.drain.0,
        no_settle: options.no_settle,
    }
}

/// All hosts' environments as one: the hosts by the names that they have in the fleet, the targets as the first has them.
fn environment(names: &[String], found: Vec<Environment>, options: &RunOptions) -> Environment {
    let hosts = names.iter().zip(&found).map(|(name, e)| {
        let mut host = e.host.clone();
        host.hostname.clone_from(name);
        host
    });
    let mut hosts = hosts.collect::<Vec<_>>().into_iter();
    let notes = names.iter().zip(&found);
    let notes = notes.flat_map(|(name, e)| e.notes.iter().map(move |n| format!("{name}: {n}")));
    let notes = notes.collect();
    let first = found.first().cloned().unwrap_or_default();
    Environment {
        command: options.command.clone(),
        host: hosts.next().unwrap_or_default(),
        more_hosts: hosts.collect(),
        notes,
        ..first
    }
}
