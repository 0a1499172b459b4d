//! A filer: file systems behind a gateway of a few nodes, with the client that has them mounted.
//!
//! A call goes through stations in order, and holds what it has while it waits for the next:
//!
//! 1. **The client** answers a stat or an access by itself while what it was told of the file is younger than the attribute time-out
//!    (`actimeo` of nfs(5)). Where a file is asked for by chance r times a second and the time-out is T, it answers the share r·T / (1 + r·T):
//!    each question that goes to the filer is followed by r·T in the time in which none does.
//! 2. **The network**, half its time there and half back.
//! 3. **A thread** of the node that has the share. With n threads that a call holds for s seconds, a node answers n / s calls a second.
//! 4. **The lock of the directory**, for what changes one: create, delete, mkdir, rmdir. It is held for `directory_us`, so that one
//!    directory takes 1 / `directory_us` changes, and d directories d times as many, as far as threads and log go.
//! 5. **The log** of the share takes the record of a change. It is flushed as [`log`] says, and nothing enters it meanwhile.
//! 6. **The array** behind, for what moves bytes. No thread waits for it, nor for a flush that an answer needs.
//!
//! A call that waits has no time of its own: whoever lets go of what it waits for lets it go on. Times are nanoseconds, and never go back
//! from one call to the next, and what has its time at one instant goes on in the order of its number.

pub mod attributes;
pub mod log;
mod queue;

use crate::persona::FilerParameters;
use attributes::Attributes;
use log::Log;
use plimsoll_operation::Op;
use queue::Queue;
use std::collections::{BTreeMap, HashMap};

/// A call to the filer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// What is asked for.
    pub op: Op,
    /// Mount of the client that asks; each keeps attributes of its own.
    pub mount: u32,
    /// Share whose file system it is on.
    pub share: u32,
    /// What it is on, unlike all else in the mount.
    pub entry: u64,
    /// Directory that it changes, where it changes one.
    pub directory: u64,
    /// Bytes that it moves.
    pub bytes: u32,
    /// True where it is answered only when what was written is safe.
    pub is_durable: bool,
}

/// Something that will happen at its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FilerEvent {
    /// The call of this number goes on.
    Call(u32),
    /// The log of this share begins or ends a flush.
    Log(u32),
}

/// What an event has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// The call is answered.
    Answered(u32),
    /// The call asks the array for its bytes; it goes on when it is told that they are there.
    NeedsArray(u32),
}

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FilerCounters {
    /// Calls that came to the filer.
    pub calls: u64,
    /// Questions for attributes: stats and accesses.
    pub asked: u64,
    /// Of these, those that the client answered by itself.
    pub by_client: u64,
    /// Changes that went into a log.
    pub changes: u64,
    /// Time that calls waited for a thread, all together, ns.
    pub threads_waited_ns: u64,
    /// Time that they waited for the lock of a directory, ns.
    pub directories_waited_ns: u64,
    /// Time that they waited for a log that was being flushed, ns.
    pub log_waited_ns: u64,
    /// Flushes that have begun.
    pub flushes: u64,
    /// Time that these take, ns.
    pub flushing_ns: u64,
    /// Time that calls had a thread, ns.
    pub threads_held_ns: u64,
}

/// Where a call is, which says what it does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// At the node, without a thread.
    Arrived,
    /// It has just got a thread.
    Threaded,
    /// The thread has done its work.
    Worked,
    /// It has just got a lock.
    Locked,
    /// It is to enter the log.
    Changes,
    /// It lets go of its lock and its thread.
    Leaves,
    /// What it needs of the array is there.
    Moved,
    /// What has to be safe is safe.
    Safe,
    /// Back at the client, which remembers what it was told.
    Back,
    /// With the client, which answers by itself.
    Known,
}

#[derive(Debug, Clone, Copy)]
struct Visit {
    call: Call,
    stage: Stage,
    /// When it began to wait, ns.
    waits_ns: u64,
    /// When it got its thread, ns.
    threaded_ns: u64,
    /// Number of the flush that its record goes with.
    flush: u64,
}

/// What a call does at a stage.
enum Step {
    /// It goes on at once.
    On,
    /// It goes on at an event.
    Waits,
    Happens(Happened),
}

/// A filer.
#[derive(Debug)]
pub struct Filer {
    network_ns: u64,
    client_ns: u64,
    directory_ns: u64,
    attributes_ns: u64,
    call_ns: [u64; Op::EVERY.len()],
    /// By node.
    threads: Vec<Queue>,
    locks: HashMap<(u32, u64), Queue>,
    /// By share.
    logs: Vec<Log>,
    mounts: BTreeMap<u32, Attributes>,
    visits: HashMap<u32, Visit>,
    /// Events to come that nobody has taken yet.
    events: Vec<(u64, FilerEvent)>,
    counters: FilerCounters,
}

impl Filer {
    /// An idle filer with so many shares.
    pub fn new(p: &FilerParameters, shares: u32) -> Self {
        let ns = |us: f64| (us * 1e3) as u64;
        let of = |op: Op| p.call_us_of.get(&op).copied().unwrap_or(p.call_us);
        Filer {
            network_ns: ns(p.network_us),
            client_ns: ns(p.client_us),
            directory_ns: ns(p.directory_us),
            attributes_ns: ns(p.attributes_s * 1e6),
            call_ns: Op::EVERY.map(|op| ns(of(op))),
            threads: (0..p.nodes).map(|_| Queue::new(p.threads)).collect(),
            locks: HashMap::new(),
            logs: (0..shares).map(|_| Log::new(p.log.as_ref())).collect(),
            mounts: BTreeMap::new(),
            visits: HashMap::new(),
            events: Vec::new(),
            counters: FilerCounters::default(),
        }
    }

    /// Mounts a share, with an attribute time-out of its own, where it has one, seconds.
    pub fn mount(&mut self, mount: u32, actimeo: Option<u32>) {
        let ns = actimeo.map_or(self.attributes_ns, |s| u64::from(s) * 1_000_000_000);
        self.mounts.insert(mount, Attributes::new(ns));
    }

    /// What was counted.
    pub fn counters(&self) -> &FilerCounters {
        &self.counters
    }

    /// Threads of all nodes.
    pub fn threads(&self) -> u64 {
        self.threads.iter().map(|t| u64::from(t.places())).sum()
    }

    /// Takes the events that are to happen.
    pub fn events(&mut self) -> std::vec::Drain<'_, (u64, FilerEvent)> {
        self.events.drain(..)
    }

    /// A client calls. No other call of this number is under way.
    pub fn call(&mut self, now_ns: u64, number: u32, call: Call) {
        let is_asked = matches!(call.op, Op::Stat | Op::Access);
        self.counters.asked += u64::from(is_asked);
        let mount = self.mounts.get(&call.mount);
        let is_known = is_asked && mount.is_some_and(|m| m.knows(call.entry, now_ns));
        self.counters.by_client += u64::from(is_known);
        let (stage, after_ns) = match is_known {
            true => (Stage::Known, self.client_ns),
            false => (Stage::Arrived, self.network_ns / 2),
        };
        let visit = Visit {
            call,
            stage,
            waits_ns: now_ns,
            threaded_ns: now_ns,
            flush: 0,
        };
        self.visits.insert(number, visit);
        self.at(now_ns + after_ns, number);
    }

    /// Goes on with what the logs had to do, where their events were lost.
    pub fn resume(&mut self, now_ns: u64) {
        for (share, log) in (0..).zip(&self.logs) {
            let at_ns = log.next_ns().map(|ns| ns.max(now_ns));
            self.events
                .extend(at_ns.map(|at_ns| (at_ns, FilerEvent::Log(share))));
        }
    }

    /// An event's time has come. Those that follow from it are in [`Filer::events`].
    pub fn happen(&mut self, now_ns: u64, event: FilerEvent) -> Option<Happened> {
        let number = match event {
            FilerEvent::Call(number) => number,
            FilerEvent::Log(share) => {
                self.tend(now_ns, share);
                return None;
            }
        };
        let mut visit = self.visits.remove(&number)?;
        let happened = loop {
            match self.step(now_ns, number, &mut visit) {
                Step::On => {}
                Step::Waits => break None,
                Step::Happens(happened) => break Some(happened),
            }
        };
        if !matches!(happened, Some(Happened::Answered(_))) {
            self.visits.insert(number, visit);
        }
        happened
    }

    fn at(&mut self, at_ns: u64, number: u32) {
        self.events.push((at_ns, FilerEvent::Call(number)));
    }

    fn step(&mut self, now_ns: u64, number: u32, visit: &mut Visit) -> Step {
        match visit.stage {
            Stage::Arrived => {
                visit.waits_ns = now_ns;
                visit.stage = Stage::Threaded;
                let node = self.node(visit.call.share);
                on_if(self.threads[node].take(number))
            }
            Stage::Threaded => {
                self.counters.calls += 1;
                self.counters.threads_waited_ns += now_ns - visit.waits_ns;
                visit.threaded_ns = now_ns;
                visit.stage = Stage::Worked;
                self.at(now_ns + self.call_ns[visit.call.op as usize], number);
                Step::Waits
            }
            Stage::Worked => self.lock(now_ns, number, visit),
            Stage::Locked => {
                self.counters.directories_waited_ns += now_ns - visit.waits_ns;
                visit.waits_ns = now_ns;
                visit.stage = Stage::Changes;
                Step::On
            }
            Stage::Changes => self.enter(now_ns, number, visit),
            Stage::Leaves => self.leave(now_ns, number, visit),
            Stage::Moved => self.make_safe(now_ns, number, visit),
            Stage::Safe => {
                visit.stage = Stage::Back;
                self.at(now_ns + self.network_ns / 2, number);
                Step::Waits
            }
            Stage::Back => {
                if let Some(mount) = self.mounts.get_mut(&visit.call.mount) {
                    mount.was_told(&visit.call, now_ns);
                }
                Step::Happens(Happened::Answered(number))
            }
            Stage::Known => Step::Happens(Happened::Answered(number)),
        }
    }

    fn node(&self, share: u32) -> usize {
        share as usize % self.threads.len()
    }

    /// Takes the lock that it needs, or goes on to what that is for.
    fn lock(&mut self, now_ns: u64, number: u32, visit: &mut Visit) -> Step {
        visit.waits_ns = now_ns;
        let Some(key) = visit.call.lock() else {
            // Bytes are the array's, and no change of names.
            visit.stage = match visit.call.op {
                Op::Setattr => Stage::Changes,
                _ => Stage::Leaves,
            };
            return Step::On;
        };
        visit.stage = Stage::Locked;
        let lock = self.locks.entry(key).or_insert_with(|| Queue::new(1));
        on_if(lock.take(number))
    }

    /// Its record enters the log, and the lock is held for its time.
    fn enter(&mut self, now_ns: u64, number: u32, visit: &mut Visit) -> Step {
        let share = visit.call.share;
        let Some(flush) = self.logs[share as usize].enter(now_ns, number) else {
            return Step::Waits;
        };
        self.counters.changes += 1;
        self.counters.log_waited_ns += now_ns - visit.waits_ns;
        visit.flush = flush;
        visit.stage = Stage::Leaves;
        self.look_at_log(share);
        if visit.call.lock().is_none() {
            return Step::On;
        }
        self.at(now_ns + self.directory_ns, number);
        Step::Waits
    }

    /// Lets go of lock and thread, and of those that wait for them.
    fn leave(&mut self, now_ns: u64, number: u32, visit: &mut Visit) -> Step {
        let node = self.node(visit.call.share);
        let lock = visit.call.lock().and_then(|key| self.locks.get_mut(&key));
        let next = lock.and_then(Queue::leave);
        let next = next.into_iter().chain(self.threads[node].leave());
        let next: Vec<u32> = next.collect();
        next.into_iter().for_each(|next| self.at(now_ns, next));
        self.counters.threads_held_ns += now_ns - visit.threaded_ns;
        visit.stage = Stage::Moved;
        match visit.call.bytes {
            0 => Step::On,
            _ => Step::Happens(Happened::NeedsArray(number)),
        }
    }

    /// Waits for the flush that its answer needs.
    fn make_safe(&mut self, now_ns: u64, number: u32, visit: &mut Visit) -> Step {
        visit.stage = Stage::Safe;
        let (share, is_durable) = (visit.call.share, visit.call.is_durable);
        let waits = self.logs[share as usize].make_safe(now_ns, number, visit.flush, is_durable);
        self.look_at_log(share);
        on_if(!waits)
    }

    /// The log's time has come.
    fn tend(&mut self, now_ns: u64, share: u32) {
        for number in self.logs[share as usize].tend(now_ns) {
            self.at(now_ns, number);
        }
        self.look_at_log(share);
    }

    /// Notes what the log is to do next, and what it has begun.
    fn look_at_log(&mut self, share: u32) {
        let log = &mut self.logs[share as usize];
        let event = FilerEvent::Log(share);
        self.events
            .extend(log.take_next().map(|at_ns| (at_ns, event)));
        if let Some(length_ns) = log.take_begun() {
            self.counters.flushes += 1;
            self.counters.flushing_ns += length_ns;
        }
    }
}

impl Call {
    /// The lock of the directory that it changes.
    fn lock(&self) -> Option<(u32, u64)> {
        let changes = matches!(self.op, Op::Create | Op::Delete | Op::Mkdir | Op::Rmdir);
        changes.then_some((self.share, self.directory))
    }
}

fn on_if(goes_on: bool) -> Step {
    match goes_on {
        true => Step::On,
        false => Step::Waits,
    }
}
