//! The thread that carries out a run's orders on a host, by the rig.

use super::AgentOptions;
use super::standing::{Begun, Standing};
use crate::message::{Join, Order, Report, WireTarget};
use crate::seal::run_of_all;
use plimsoll_plan::{Nanos, Plan, Step};
use plimsoll_record::RunStatus;
use plimsoll_rig::{Control, Event, InCommon, Part, RunOptions, look, meant_here};
use std::sync::mpsc::{Receiver, RecvError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A run's thread.
pub struct Worker {
    control: Control,
    standing: Arc<Mutex<Standing>>,
    orders: Option<Sender<Order>>,
    reports: Receiver<Report>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Begins a run.
    pub fn start(join: Join, run: &str, options: &AgentOptions) -> Self {
        let control = Control::default();
        let (orders, incoming) = channel();
        let (outgoing, reports) = channel();
        let (own, run, options) = (control.clone(), run.to_string(), options.clone());
        let standing = Arc::default();
        let told = Arc::clone(&standing);
        let thread = std::thread::spawn(move || {
            let work = Work {
                join: &join,
                options: run_options(&join, &run, &options),
                agent: &options,
                control: own,
                orders: incoming,
                reports: outgoing,
                standing: told,
            };
            work.go();
        });
        Worker {
            control,
            standing,
            orders: Some(orders),
            reports,
            thread,
        }
    }

    /// Progress of the worker.
    pub fn standing(&self) -> Standing {
        let standing = self.standing.lock();
        standing.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Hands an order on; what concerns the running step is done at once.
    pub fn order(&mut self, order: Order) {
        match order {
            Order::Stop => self.control.stop(),
            Order::EndStep { .. } => self.control.end_step(),
            other => {
                if let Some(orders) = &self.orders {
                    // One that has ended has said so.
                    let _ = orders.send(other);
                }
            }
        }
    }

    /// The next that it reports.
    pub fn report(&self) -> Option<Report> {
        self.reports.try_recv().ok()
    }

    /// Ends the running step with its interval.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// There are no more orders.
    pub fn abandon(&mut self) {
        self.control.stop();
        self.orders = None;
    }

    /// True when all is closed.
    pub fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// Ends the run, and waits for its record.
    pub fn leave(mut self) {
        self.abandon();
        let _ = self.thread.join();
    }
}

fn run_options(join: &Join, run: &str, agent: &AgentOptions) -> RunOptions {
    let asked = &join.options;
    let file = format!("plimsoll-{}-{}.plim", word(run), word(&agent.name));
    let destroy = meant_here(&join.plan, &asked.destroy);
    RunOptions {
        record: Some(agent.records.join(file)),
        record_is_unnamed: true,
        seed: Some(asked.seed),
        read_only_targets: agent.allowed.read_only(&join.plan, &destroy),
        destroy,
        fill: asked.fill,
        allow_unwritten: asked.allow_unwritten,
        backend: asked.backend.as_ref().and_then(|b| b.parse().ok()),
        submit_batch: asked.submit_batch,
        reap_batch: asked.reap_batch,
        max_errors: asked.max_errors,
        drain: Nanos(asked.drain_ns),
        no_settle: asked.no_settle,
        run_of_hosts: Some(run_of_all(run).to_string()),
        command: std::env::args_os()
            .map(|a| a.to_string_lossy().into_owned())
            .collect(),
        ..RunOptions::default()
    }
}

/// Name with every character that a file's name may not hold replaced by `_`.
fn word(name: &str) -> String {
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    name.chars().map(kept).collect()
}

/// Major and minor version: those of one are one.
fn series(version: &str) -> String {
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

struct Work<'a> {
    join: &'a Join,
    options: RunOptions,
    agent: &'a AgentOptions,
    control: Control,
    orders: Receiver<Order>,
    reports: Sender<Report>,
    standing: Arc<Mutex<Standing>>,
}

/// Reason for a refusal, after which the run ends.
type Refused = String;

impl Work<'_> {
    fn go(self) {
        let done = self.look().and_then(|()| self.open());
        let mut part = match done {
            Ok(Some(part)) => part,
            Ok(None) => {
                self.say(Report::Finished { record: None });
                return;
            }
            Err(why) => {
                self.say(Report::Refuses { why });
                // The controller ends it.
                while let Ok(order) = self.orders.recv() {
                    if matches!(order, Order::Finish { .. }) {
                        break;
                    }
                }
                self.say(Report::Finished { record: None });
                return;
            }
        };
        let status = self.steps(&mut part);
        let ended = part.finish(status, &mut |event| self.tell(&event));
        let record = ended.record.map(|p| p.display().to_string());
        self.say(Report::Finished { record });
    }

    /// Looks whether the plan would be carried out here; changes nothing.
    fn look(&self) -> Result<(), Refused> {
        let plan = &self.join.plan;
        let (theirs, ours) = (
            series(&self.join.version),
            series(env!("CARGO_PKG_VERSION")),
        );
        if theirs != ours {
            return Err(format!(
                "the controller is plimsoll {}, and the agent here {}; use one version on all hosts",
                self.join.version,
                env!("CARGO_PKG_VERSION")
            ));
        }
        if let Some(why) = self.agent.allowed.refuses(plan, &self.options.destroy) {
            return Err(why);
        }
        if let Some(name) = &self.join.options.backend
            && self.options.backend.is_none()
        {
            return Err(format!("there is no backend `{name}` here"));
        }
        plimsoll_rig::check(plan, &self.options).map_err(|e| e.to_string())?;
        self.say(Report::Fits {
            targets: look(plan).into_iter().map(WireTarget::from).collect(),
            meant: self.options.destroy.clone(),
        });
        Ok(())
    }

    /// Opens all when the controller says so; nothing where it says that the run is over.
    fn open(&self) -> Result<Option<Part>, Refused> {
        match self.orders.recv() {
            Ok(Order::Open) => {}
            _ => return Ok(None),
        }
        let plan: &Plan = &self.join.plan;
        let part = Part::begin(plan, &self.options, &self.control, &mut |e| self.tell(&e))
            .map_err(|e| e.to_string())?;
        self.say(Report::Ready {
            environment: Box::new(part.environment().clone()),
            targets: part.targets(),
        });
        Ok(Some(part))
    }

    /// Carries out steps until there are no more.
    fn steps(&self, part: &mut Part) -> RunStatus {
        let mut prepared: Option<Step> = None;
        loop {
            match self.orders.recv() {
                Ok(Order::Prepare {
                    number,
                    step,
                    settle,
                }) => {
                    let rested = !settle || part.settle(&step);
                    let place = part.place(&step);
                    let said = Report::Prepared {
                        number,
                        workers: place.workers,
                        sharers: place.sharers,
                        rested,
                    };
                    self.stand(|s| s.prepared = Some(said.clone()));
                    self.say(said);
                    prepared = Some(*step);
                }
                Ok(Order::Begin {
                    number,
                    start,
                    ranks,
                }) => {
                    let Some(whole) = prepared.take() else {
                        continue;
                    };
                    let in_common = InCommon {
                        number,
                        whole,
                        start_at: start.at_ns,
                        ranks: ranks.into(),
                        own: self.join.own,
                    };
                    let begun = Begun {
                        number,
                        start,
                        own: part.next_step(),
                        record: part.record().map(Into::into),
                    };
                    self.stand(|s| (s.begun, s.ended) = (Some(begun), None));
                    if let Some(failed) = self.one(part, number, in_common) {
                        return failed;
                    }
                }
                Ok(Order::Finish {
                    failed,
                    interrupted,
                }) => {
                    return match (failed.is_empty(), interrupted) {
                        (true, false) => RunStatus::Completed,
                        (_, true) => RunStatus::Interrupted,
                        (false, false) => RunStatus::Failed(failed),
                    };
                }
                Ok(
                    Order::Join(_)
                    | Order::Open
                    | Order::Tell { .. }
                    | Order::EndStep { .. }
                    | Order::Stop,
                ) => {}
                // The lease has passed, or the agent is ended.
                Err(RecvError) => return RunStatus::Interrupted,
            }
        }
    }

    fn one(&self, part: &mut Part, number: u32, in_common: InCommon) -> Option<RunStatus> {
        let carried = part.carry_out(in_common, &mut |event| match event {
            Event::Interval { interval, .. } => self.say(Report::Interval {
                number,
                interval: Box::new(interval.clone()),
            }),
            other => self.tell(&other),
        });
        match carried {
            Ok((evidence, late)) => {
                self.end(Report::Done {
                    number,
                    evidence: Box::new(evidence),
                    late_ns: late.0,
                });
                None
            }
            Err(error) => {
                let why = error.to_string();
                self.end(Report::Failed {
                    number,
                    why: why.clone(),
                });
                Some(RunStatus::Failed(why))
            }
        }
    }

    /// Says how a step ended, and keeps that for a controller that did not hear it.
    fn end(&self, said: Report) {
        self.stand(|s| s.ended = Some(said.clone()));
        self.say(said);
    }

    fn stand(&self, change: impl FnOnce(&mut Standing)) {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut standing);
    }

    fn tell(&self, event: &Event<'_>) {
        if let Event::Note(note) = event {
            self.say(Report::Note(note.clone()));
        }
    }

    fn say(&self, report: Report) {
        // Where nobody listens any more, the record has it all the same.
        let _ = self.reports.send(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_one_series_work_together() {
        assert_eq!(series("1.2.3"), series("1.2.9"));
        assert_ne!(series("1.2.3"), series("1.3.0"));
        assert_ne!(series("0.1.0"), series("1.1.0"));
    }

    #[test]
    fn a_name_leads_no_record_to_another_folder() {
        assert_eq!(word("../../etc/x y"), "______etc_x_y");
    }
}
