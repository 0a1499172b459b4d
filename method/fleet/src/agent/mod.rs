//! Who carries out a host's part of a run: obeys one controller at a time, and lends what it was started to lend.

mod standing;
pub mod state;
mod worker;

use crate::message::{Hello, Letter, Order, Packet, Report, Stands};
use crate::seal::{open, seal};
use crate::wire::{ALL, Wire, of_agent};
use crate::{Allowed, FleetError, drawn_id, now_ns};
use standing::Retelling;
use state::{Act, AgentState};
use std::path::PathBuf;
use std::time::Duration;
use worker::Worker;

/// Settings of an agent.
#[derive(Debug, Clone)]
pub struct AgentOptions {
    /// Name of the agent in the fleet.
    pub name: String,
    /// Targets and rights that this host lends to a controller.
    pub allowed: Allowed,
    /// The folder that its records go into.
    pub records: PathBuf,
}

/// Reports that may be on their way while a step is told again.
const RETOLD: usize = 24;

/// Longest wait for a packet before the workers' reports are looked at.
const TURN: Duration = Duration::from_millis(20);

/// Serves controllers until `stop` says so, which is told whether a run goes on. `say` gets a line for what happens.
///
/// # Errors
/// [`FleetError`] where nothing can be listened to.
pub fn serve(
    wire: &dyn Wire,
    options: &AgentOptions,
    stop: &dyn Fn(bool) -> bool,
    say: &mut dyn FnMut(String),
) -> Result<(), FleetError> {
    let hello = hello(options);
    wire.listen(ALL)?;
    wire.listen(&of_agent(&hello.agent))?;
    let mut agent = Agent {
        wire,
        options,
        state: AgentState::new(hello),
        worker: None,
        unasked: None,
        retelling: None,
        say,
    };
    while !stop(agent.state.run().is_some()) {
        agent.turn();
    }
    agent.leave();
    Ok(())
}

fn hello(options: &AgentOptions) -> Hello {
    let facts = plimsoll_witness::host::facts(&plimsoll_witness::Root::system());
    Hello {
        agent: drawn_id(),
        name: options.name.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        hostname: facts.hostname,
        kernel: facts.kernel,
        cpus: facts.cpus_available,
        busy: None,
        targets: options.allowed.targets.clone(),
        destroy: options.allowed.destroy.clone(),
    }
}

struct Agent<'a> {
    wire: &'a dyn Wire,
    options: &'a AgentOptions,
    state: AgentState,
    worker: Option<Worker>,
    /// Reports made since another controller came and before it said which ones it wants to be told.
    unasked: Option<Vec<Report>>,
    retelling: Option<Retelling>,
    say: &'a mut dyn FnMut(String),
}

impl Agent<'_> {
    fn turn(&mut self) {
        let came = self.wire.receive(TURN);
        let now = now_ns();
        if let Some(bytes) = came {
            match open(&bytes) {
                Ok(sealed) => {
                    let acts = self.state.on_packet(&sealed, now);
                    self.perform(acts);
                }
                Err(e) => (self.say)(format!("a message was passed over: {e}")),
            }
        }
        self.hear_worker();
        self.retell();
        let acts = self.state.tick(now_ns());
        self.perform(acts);
    }

    fn hear_worker(&mut self) {
        let Some(worker) = &self.worker else { return };
        let is_over = worker.is_over();
        // All that it said, and said before it was over.
        while let Some(report) = self.worker.as_ref().and_then(Worker::report) {
            self.report(report);
        }
        if is_over && self.retelling.is_none() {
            self.unasked = None;
            self.worker = None;
            self.state.closed();
            (self.say)("free again".into());
        }
    }

    fn report(&mut self, report: Report) {
        if let Some(unasked) = &mut self.unasked {
            unasked.push(report);
            return;
        }
        let report = match &mut self.retelling {
            Some(retelling) => retelling.hold(report),
            None => Some(report),
        };
        if let Some(report) = report {
            let report = self.bounded(report);
            self.state.report(report);
        }
    }

    /// Tells again of the last step, not faster than it is heard.
    fn retell(&mut self) {
        while let Some(retelling) = &mut self.retelling {
            if self.state.backlog() >= RETOLD {
                return;
            }
            match retelling.next() {
                Ok(Some(report)) => {
                    let report = self.bounded(report);
                    self.state.report(report);
                }
                Ok(None) => return,
                Err(held) => {
                    self.retelling = None;
                    let standing = self.worker.as_ref().map(Worker::standing);
                    // Twice does no harm: only the first end counts.
                    let ended = standing.and_then(|s| s.ended);
                    for report in ended.into_iter().chain(held) {
                        self.report(report);
                    }
                }
            }
        }
    }

    fn begin_retelling(&mut self, number: u32) {
        let unasked = self.unasked.take().unwrap_or_default();
        let standing = self.worker.as_ref().map(Worker::standing);
        let Some(standing) = standing else { return };
        let begun = standing.begun.filter(|b| b.number == number);
        let Some(begun) = begun else {
            let why = "the agent was not told to begin it".into();
            self.state.report(Report::Failed { number, why });
            return;
        };
        if let Some(prepared) = standing.prepared {
            self.state.report(prepared);
        }
        self.retelling = Some(Retelling::of(&begun));
        // Intervals that were reported are in the record.
        let kept = |r: &Report| !matches!(r, Report::Interval { .. });
        unasked
            .into_iter()
            .filter(kept)
            .for_each(|r| self.report(r));
    }

    fn stand(&mut self, reply: &str, epoch: u64) {
        // What was on its way to the controller before is told again where the new one asks for it.
        self.retelling = None;
        self.unasked.get_or_insert_default();
        let standing = self.worker.as_ref().map(Worker::standing);
        let begun = standing.and_then(|s| s.begun);
        let stands = Stands {
            agent: self.state.agent().into(),
            epoch,
            begun: begun.map(|b| (b.number, b.start)),
        };
        self.send(reply, &Packet::Stands(stands));
    }

    /// Report as it fits into the server's limit: one that is too large ends the step, or the run, with a reason.
    fn bounded(&self, report: Report) -> Report {
        let fits = self.state.sealed_alone(&report).map(|b| self.wire.fits(b));
        let Some(Err(e)) = fits else {
            return report;
        };
        if let Some(worker) = &self.worker {
            worker.stop();
        }
        let why = e.to_string();
        match report {
            Report::Interval { number, .. } | Report::Done { number, .. } => {
                Report::Failed { number, why }
            }
            _ => Report::Refuses { why },
        }
    }

    fn perform(&mut self, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Send(subject, packet) => self.send(&subject, &packet),
                Act::Obey(order) => self.obey(order),
                Act::Stand(reply, epoch) => self.stand(&reply, epoch),
                Act::Abandon => {
                    (self.say)(
                        "the controller is silent for longer than its lease: stopping".into(),
                    );
                    if let Some(worker) = &mut self.worker {
                        worker.abandon();
                    }
                }
            }
        }
    }

    fn send(&mut self, subject: &str, packet: &Packet) {
        let sent = seal(packet, None).map(|bytes| self.wire.send(subject, bytes));
        let Ok(Err(e)) = sent else { return };
        match packet {
            // Each for itself is short enough.
            Packet::Reports(letter) if letter.items.len() > 1 => {
                for item in &letter.items {
                    let items = vec![item.clone()];
                    let alone = Letter {
                        items,
                        ..letter.clone()
                    };
                    self.send(subject, &Packet::Reports(alone));
                }
            }
            _ => (self.say)(e.to_string()),
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Join(join) => {
                let run = self.state.run().unwrap_or_default().to_string();
                (self.say)(format!("run {run}"));
                self.worker = Some(Worker::start(*join, &run, self.options));
            }
            Order::Tell { number } => self.begin_retelling(number),
            other => {
                let unasked = self.unasked.take().unwrap_or_default();
                unasked.into_iter().for_each(|r| self.report(r));
                if let Some(worker) = &mut self.worker {
                    worker.order(other);
                }
            }
        }
    }

    /// Lets the run end, so that its record is whole.
    fn leave(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.leave();
        }
    }
}
