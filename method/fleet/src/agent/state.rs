//! State of an agent, which decides its answers: a pure function of what it was told, what came, and the time.

use crate::link::Link;
use crate::message::{Attach, Hello, Letter, Order, Packet, Report};
use crate::seal::{Sealed, seal};
use std::collections::VecDeque;

/// Act that follows from a packet or from the time.
#[derive(Debug, Clone)]
pub enum Act {
    /// Send a packet to a subject.
    Send(String, Packet),
    /// Carry out an order.
    Obey(Order),
    /// Tell a controller that goes on in another's place how far this agent is: where, and its epoch.
    Stand(String, u64),
    /// The controller is gone: stop cleanly.
    Abandon,
}

/// State of an agent, and of the run that it is assigned to.
#[derive(Debug)]
pub struct AgentState {
    hello: Hello,
    assignment: Option<Assignment>,
    /// The last runs that are over: a letter of theirs that comes late begins none again.
    over: VecDeque<String>,
}

/// Number of finished runs that are remembered for that.
const REMEMBERED: usize = 64;

/// The run that it is busy with.
#[derive(Debug)]
struct Assignment {
    run: String,
    key: String,
    reply: String,
    /// Of the controller that is obeyed.
    epoch: u64,
    link: Link<Report, Order>,
    lease_ns: u64,
    /// Last time that the controller was heard.
    heard_ns: u64,
    /// The youngest letter of the controller.
    beat: u64,
    own_beat: u64,
    abandoned: bool,
    /// The run is over here.
    closed: bool,
}

impl AgentState {
    /// Of an agent that is free.
    pub fn new(hello: Hello) -> Self {
        AgentState {
            hello,
            assignment: None,
            over: VecDeque::new(),
        }
    }

    /// Id of this agent.
    pub fn agent(&self) -> &str {
        &self.hello.agent
    }

    /// The run that it is busy with.
    pub fn run(&self) -> Option<&str> {
        self.assignment.as_ref().map(|d| d.run.as_str())
    }

    /// Takes in a packet.
    pub fn on_packet(&mut self, sealed: &Sealed, now_ns: u64) -> Vec<Act> {
        match &sealed.packet {
            Packet::Who { reply } => {
                let hello = Hello {
                    busy: self.run().map(str::to_string),
                    ..self.hello.clone()
                };
                vec![Act::Send(reply.clone(), Packet::Here(Box::new(hello)))]
            }
            // One reading serves for both: it lies between the question and the answer.
            Packet::Ping { reply, sent_ns } => vec![Act::Send(
                reply.clone(),
                Packet::Pong {
                    agent: self.hello.agent.clone(),
                    sent_ns: *sent_ns,
                    received_ns: now_ns,
                    answered_ns: now_ns,
                },
            )],
            Packet::Orders(letter) if letter.agent == self.hello.agent => {
                self.on_letter(letter, sealed, now_ns)
            }
            Packet::Attach(attach) if attach.agent == self.hello.agent => {
                self.on_attach(attach, sealed, now_ns)
            }
            _ => Vec::new(),
        }
    }

    fn on_letter(&mut self, letter: &Letter<Order>, sealed: &Sealed, now_ns: u64) -> Vec<Act> {
        if self.assignment.is_none() && !self.join(letter, sealed, now_ns) {
            return self.busy(&letter.reply, "");
        }
        let Some(assignment) = &mut self.assignment else {
            return Vec::new();
        };
        if assignment.run != letter.run {
            let run = assignment.run.clone();
            return self.busy(&letter.reply, &run);
        }
        if !sealed.is_by(&assignment.key) {
            return Vec::new();
        }
        // Of a controller that another goes on for.
        if letter.epoch != assignment.epoch {
            return Vec::new();
        }
        // One that was under way for long says nothing of now.
        if letter.beat > assignment.beat {
            assignment.beat = letter.beat;
            assignment.heard_ns = now_ns;
            assignment.reply.clone_from(&letter.reply);
        }
        let orders = assignment.link.take(letter.upto, letter.items.clone());
        orders.into_iter().map(Act::Obey).collect()
    }

    /// Obeys another controller of its run, whose letters are counted anew.
    fn on_attach(&mut self, attach: &Attach, sealed: &Sealed, now_ns: u64) -> Vec<Act> {
        let run = self.run().unwrap_or_default().to_string();
        let Some(assignment) = self
            .assignment
            .as_mut()
            .filter(|d| d.run == attach.run && !d.closed)
        else {
            return self.busy(&attach.reply, &run);
        };
        if !sealed.is_by(&assignment.key) || attach.epoch < assignment.epoch {
            return Vec::new();
        }
        if attach.epoch > assignment.epoch {
            assignment.epoch = attach.epoch;
            assignment.reply.clone_from(&attach.reply);
            assignment.link = Link::default();
            (assignment.beat, assignment.own_beat) = (0, 0);
            assignment.heard_ns = now_ns;
        }
        vec![Act::Stand(attach.reply.clone(), attach.epoch)]
    }

    /// Reports that are not known to have come.
    pub fn backlog(&self) -> usize {
        self.assignment.as_ref().map_or(0, |d| d.link.backlog())
    }

    /// Enters a run where the letter asks for it.
    fn join(&mut self, letter: &Letter<Order>, sealed: &Sealed, now_ns: u64) -> bool {
        let Some((1, Order::Join(join))) = letter.items.first() else {
            return false;
        };
        if !sealed.is_by(&join.key) || self.over.contains(&letter.run) {
            return false;
        }
        self.assignment = Some(Assignment {
            run: letter.run.clone(),
            key: join.key.clone(),
            reply: letter.reply.clone(),
            epoch: letter.epoch,
            link: Link::default(),
            lease_ns: join.lease_ns,
            heard_ns: now_ns,
            beat: 0,
            own_beat: 0,
            abandoned: false,
            closed: false,
        });
        true
    }

    fn busy(&self, reply: &str, run: &str) -> Vec<Act> {
        let busy = Packet::Busy {
            agent: self.hello.agent.clone(),
            run: run.into(),
        };
        vec![Act::Send(reply.to_string(), busy)]
    }

    /// Something to tell the controller.
    pub fn report(&mut self, report: Report) {
        if let Some(assignment) = &mut self.assignment {
            assignment.link.push(report);
        }
    }

    /// A report's bytes, had it a letter of its own.
    pub fn sealed_alone(&self, report: &Report) -> Option<usize> {
        let assignment = self.assignment.as_ref()?;
        let letter = Letter {
            run: assignment.run.clone(),
            agent: self.hello.agent.clone(),
            reply: assignment.reply.clone(),
            epoch: assignment.epoch,
            beat: 0,
            upto: 0,
            items: vec![(0, report.clone())],
        };
        seal(&Packet::Reports(letter), None).ok().map(|b| b.len())
    }

    /// The run is over here; what was reported may still be under way.
    pub fn closed(&mut self) {
        if let Some(assignment) = &mut self.assignment {
            assignment.closed = true;
        }
    }

    /// Acts that are due by now.
    pub fn tick(&mut self, now_ns: u64) -> Vec<Act> {
        let Some(assignment) = &mut self.assignment else {
            return Vec::new();
        };
        let mut acts = Vec::new();
        let silent = now_ns.saturating_sub(assignment.heard_ns) > assignment.lease_ns;
        if assignment.closed && (assignment.link.is_through() || silent) {
            self.over.push_back(assignment.run.clone());
            if self.over.len() > REMEMBERED {
                self.over.pop_front();
            }
            self.assignment = None;
            return acts;
        }
        if silent && !assignment.abandoned {
            assignment.abandoned = true;
            acts.push(Act::Abandon);
        }
        while let Some((upto, items)) = assignment.link.due(now_ns) {
            assignment.own_beat += 1;
            let letter = Letter {
                run: assignment.run.clone(),
                agent: self.hello.agent.clone(),
                reply: String::new(),
                epoch: assignment.epoch,
                beat: assignment.own_beat,
                upto,
                items,
            };
            acts.push(Act::Send(assignment.reply.clone(), Packet::Reports(letter)));
        }
        acts
    }
}
