//! Agents without storage: each has a connection, a desk and what it would send of its own; all report the intervals of one step
//! that was measured here before.

use crate::plan::plan;
use plimsoll_evidence::{Environment, Interval, Phase, StepEvidence};
use plimsoll_fleet::agent::state::{Act, AgentState};
use plimsoll_fleet::message::{Hello, Order, Packet, Report, WireTarget};
use plimsoll_fleet::seal::{open, seal};
use plimsoll_fleet::wire::{ALL, of_agent};
use plimsoll_fleet::{Nats, NatsOptions, Wire, drawn_id, now_ns};
use plimsoll_rig::{Control, Event, RunOptions};
use std::time::Duration;

const S: u64 = 1_000_000_000;

/// Result of a real step of one host.
#[derive(Default)]
struct Measured {
    environment: Environment,
    interval: Option<Interval>,
    evidence: Option<StepEvidence>,
}

/// One that is simulated.
struct Agent {
    wire: Nats,
    state: AgentState,
    seconds: u32,
    /// The step that it is in, and when it is to say what of it; ns.
    step: u32,
    due: Vec<(u64, AgentReport)>,
    over: bool,
}

/// Message of an agent about a step. It is made when it is due: a thousand agents' intervals of a whole step are gigabytes.
#[derive(Clone, Copy)]
enum AgentReport {
    /// The nth interval, from 1.
    Interval(u32),
    /// End of the step.
    Done,
}

/// Serves one run with `count` agents, and prints what they sent as JSON.
pub fn serve(url: &str, count: u32) -> Result<(), String> {
    let measured = measure()?;
    let agents: Result<Vec<Agent>, String> = (0..count).map(|n| agent(url, n)).collect();
    let mut agents = agents?;
    eprintln!("ready");
    let (mut sent, mut intervals) = (0, 0);
    while agents.iter().any(|a| !a.over || a.state.run().is_some()) {
        for agent in &mut agents {
            let (bytes, ended) = agent.turn(&measured)?;
            sent += bytes;
            intervals += ended;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    println!(
        "{}",
        serde_json::json!({
            "agents": count,
            "interval_bytes": sent,
            "intervals": intervals,
            "interval_ios": measured.interval.as_ref().map(ios),
        })
    );
    Ok(())
}

fn ios(interval: &Interval) -> u64 {
    let ops = interval.stats.streams.iter().flat_map(|s| &s.ops);
    ops.map(|op| op.ios).sum()
}

/// Three seconds of what one host does, by the rig of every run.
fn measure() -> Result<Measured, String> {
    let mut measured = Measured::default();
    let how = RunOptions {
        no_settle: true,
        ..RunOptions::default()
    };
    let control = Control::default();
    plimsoll_rig::run(
        &plan(1, 3),
        &how,
        &control,
        &mut |event: Event<'_>| match event {
            Event::Ready { environment, .. } => measured.environment = environment.clone(),
            Event::Interval { interval, .. } if interval.number == 2 => {
                measured.interval = Some(interval.clone());
            }
            Event::StepDone { evidence, .. } => measured.evidence = Some(evidence.clone()),
            _ => {}
        },
    )
    .map_err(|e| e.to_string())?;
    Ok(measured)
}

fn agent(url: &str, number: u32) -> Result<Agent, String> {
    let options = NatsOptions {
        url: url.into(),
        ..NatsOptions::default()
    };
    let name = format!("agent{number:05}");
    let wire = Nats::connect(&options, &name).map_err(|e| e.to_string())?;
    let id = drawn_id();
    wire.listen(ALL).map_err(|e| e.to_string())?;
    wire.listen(&of_agent(&id)).map_err(|e| e.to_string())?;
    let hello = Hello {
        agent: id,
        hostname: name.clone(),
        name,
        version: env!("CARGO_PKG_VERSION").into(),
        kernel: String::new(),
        cpus: 1,
        busy: None,
        targets: vec!["*".into()],
        destroy: Vec::new(),
    };
    Ok(Agent {
        wire,
        state: AgentState::new(hello),
        seconds: 0,
        step: 0,
        due: Vec::new(),
        over: false,
    })
}

impl Agent {
    /// Takes what came and sends what is due. Returns the bytes of the letters with intervals that were sent, and the number of intervals
    /// that have ended.
    fn turn(&mut self, measured: &Measured) -> Result<(usize, u64), String> {
        while let Some(bytes) = self.wire.receive(Duration::ZERO) {
            let sealed = open(&bytes).map_err(|e| e.to_string())?;
            let acts = self.state.on_packet(&sealed, now_ns());
            self.perform(acts, measured)?;
        }
        let now = now_ns();
        let (due, later) = std::mem::take(&mut self.due)
            .into_iter()
            .partition::<Vec<_>, _>(|(at, _)| *at <= now);
        self.due = later;
        let mut ended = 0;
        for (_, said) in due {
            ended += u64::from(matches!(said, AgentReport::Interval(_)));
            let report = self.says(said, measured);
            report.into_iter().for_each(|r| self.state.report(r));
        }
        let acts = self.state.tick(now);
        Ok((self.perform(acts, measured)?, ended))
    }

    fn perform(&mut self, acts: Vec<Act>, measured: &Measured) -> Result<usize, String> {
        let mut sent = 0;
        for act in acts {
            match act {
                Act::Send(subject, packet) => {
                    let bytes = seal(&packet, None).map_err(|e| e.to_string())?;
                    let is_interval = |(_, r): &(u64, Report)| matches!(r, Report::Interval { .. });
                    if let Packet::Reports(letter) = &packet
                        && letter.items.iter().any(is_interval)
                    {
                        sent += bytes.len();
                    }
                    self.wire.send(&subject, bytes).map_err(|e| e.to_string())?;
                }
                Act::Obey(order) => self.obey(order, measured),
                Act::Stand(..) | Act::Abandon => return Err("the controller is silent".into()),
            }
        }
        Ok(sent)
    }

    fn obey(&mut self, order: Order, measured: &Measured) {
        match order {
            Order::Join(join) => {
                let target = WireTarget {
                    size: Some(1 << 40),
                    identity: Vec::new(),
                };
                self.state.report(Report::Fits {
                    targets: vec![target; join.plan.targets.len()],
                    meant: Vec::new(),
                });
            }
            Order::Open => self.state.report(Report::Ready {
                environment: Box::new(measured.environment.clone()),
                targets: vec![(1 << 40, 512)],
            }),
            Order::Prepare { number, step, .. } => {
                self.seconds = (step.elapsed.0 / S) as u32;
                self.state.report(Report::Prepared {
                    number,
                    workers: 1,
                    sharers: vec![1],
                    rested: true,
                });
            }
            Order::Begin { number, start, .. } => self.begin(number, start.at_ns),
            Order::Finish { .. } => {
                self.state.report(Report::Finished { record: None });
                self.state.closed();
                self.over = true;
            }
            Order::Tell { .. } | Order::EndStep { .. } | Order::Stop => {}
        }
    }

    /// Enters the times at which this host will report the step's intervals and its end.
    fn begin(&mut self, number: u32, start_at: u64) {
        self.step = number;
        let end = |n: u32| start_at + u64::from(n) * S;
        let intervals = (1..=self.seconds).map(|n| (end(n), AgentReport::Interval(n)));
        self.due.extend(intervals);
        self.due
            .push((end(self.seconds) + S / 100, AgentReport::Done));
    }

    fn says(&self, said: AgentReport, measured: &Measured) -> Option<Report> {
        let number = self.step;
        Some(match said {
            AgentReport::Interval(n) => Report::Interval {
                number,
                interval: Box::new(Interval {
                    step: number,
                    number: n,
                    start_ns: u64::from(n - 1) * S,
                    length_ns: S,
                    phase: Phase::Counted,
                    ..measured.interval.clone()?
                }),
            },
            AgentReport::Done => Report::Done {
                number,
                evidence: Box::new(StepEvidence {
                    number,
                    ..measured.evidence.clone()?
                }),
                late_ns: 0,
            },
        })
    }
}
