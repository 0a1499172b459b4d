//! The model as a backend.

use crate::bay::{Bay, TIMEOUT_NS};
use crate::due::Due;
use crate::watch::Watch;
use plimsoll_array::{CHUNK, Io, Op, Status};
use plimsoll_content::{Filler, Identity};
use plimsoll_engine::backend::{Action, Backend, Completion, Request, Wait};
use plimsoll_engine::scripted::Time;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// What a host sees of a path that refuses, and of all else that fails: EIO of errno(3).
const EIO: i32 = 5;
/// What it sees of a request that cannot be: EINVAL.
const EINVAL: i32 = 22;

/// The result of a request that was never answered, for us alone.
const UNANSWERED: i32 = i32::MIN;

/// A request that was never answered, to be sent again.
struct Unanswered {
    request: Request,
    blocks: Vec<Identity>,
    path: usize,
}

/// Where a slot's requests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which array.
    pub bay: usize,
    /// Which of its LUNs.
    pub lun: u32,
    /// Where the target begins on the LUN, bytes.
    pub offset: u64,
}

/// A backend whose requests the model answers. The array is told what a write would carry, and no byte is made.
pub(crate) struct Simulated {
    time: Time,
    bays: Rc<RefCell<Vec<Bay>>>,
    /// By slot.
    places: Vec<Place>,
    /// What the write carries that is queued next, chunk by chunk.
    blocks: Vec<Identity>,
    due: Due,
    unanswered: Vec<Unanswered>,
    watch: Watch,
}

impl Simulated {
    /// On these arrays, with the place of each slot.
    pub fn new(time: Time, bays: Rc<RefCell<Vec<Bay>>>, places: Vec<Place>, watch: Watch) -> Self {
        Simulated {
            time,
            bays,
            blocks: Vec::new(),
            due: Due::with_capacity(places.len()),
            unanswered: Vec::new(),
            places,
            watch,
        }
    }

    #[cold]
    fn keep(&mut self, now_ns: u64, request: Request, path: usize) {
        let completion = Completion {
            slot: request.slot,
            result: UNANSWERED,
        };
        self.due.push(now_ns + TIMEOUT_NS, completion);
        self.unanswered.push(Unanswered {
            request,
            blocks: self.blocks.clone(),
            path,
        });
    }

    /// The time of an unanswered request is up: its path has failed, and it goes over another.
    #[cold]
    fn send_again(&mut self, slot: u32) -> io::Result<()> {
        let of_slot = |u: &Unanswered| u.request.slot == slot;
        let Some(at) = self.unanswered.iter().position(of_slot) else {
            return Ok(());
        };
        let given_up = self.unanswered.swap_remove(at);
        let bay = self.places[slot as usize].bay;
        self.bays.borrow_mut()[bay].gave_up(given_up.path, self.time.now_ns());
        self.blocks = given_up.blocks;
        self.queue(given_up.request)
    }
}

impl Backend for Simulated {
    const NAME: &'static str = "simulated";
    const TAKES_BYTES: bool = false;

    #[inline]
    fn describe(&mut self, slot: u32, filler: &Filler, offset: u64, length: u32, generation: u64) {
        let base = self.places[slot as usize].offset;
        let start = base + offset;
        let end = start + u64::from(length);
        self.blocks.clear();
        self.blocks
            .extend((start / CHUNK..end.div_ceil(CHUNK)).map(|chunk| {
                // The array takes no notice of what a chunk holds that is written in part.
                match (chunk * CHUNK).checked_sub(base) {
                    Some(at) => filler.identity(at, CHUNK as u32, generation),
                    None => Identity::Zero,
                }
            }));
    }

    /// Submits at once: no time passes until the next wait.
    #[inline]
    fn queue(&mut self, request: Request) -> io::Result<()> {
        let place = self.places[request.slot as usize];
        let (op, result) = match request.action {
            Action::Read => (Op::Read, request.length as i32),
            Action::Write => (Op::Write, request.length as i32),
            Action::Trim => (Op::Trim, request.length as i32),
            Action::Sync => (Op::Flush, 0),
        };
        let io = Io {
            lun: place.lun,
            path: 0,
            op,
            offset: request.offset,
            len: request.length,
            blocks: if op == Op::Write { &self.blocks } else { &[] },
        };
        let now = self.time.now_ns();
        let sent = self.bays.borrow_mut()[place.bay].submit(now, &io);
        let result = match sent.completion.status {
            Status::Done => result,
            Status::Invalid => -EINVAL,
            Status::Lost => {
                self.keep(now, request, sent.path);
                return Ok(());
            }
            _ => -EIO,
        };
        let slot = request.slot;
        let completion = Completion { slot, result };
        self.due.push(sent.completion.at_ns, completion);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Where too little has come back yet, time goes on to the completion that makes it enough, or to the wait's end.
    #[inline]
    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        let mut now = self.time.now_ns();
        let (until, least) = match wait {
            Wait::None => (now, 0),
            Wait::For { ns, least } => (now.saturating_add(ns), least as usize),
        };
        loop {
            let next = self.due.next_ns();
            if next > now {
                if out.len() >= least {
                    return Ok(());
                }
                now = next.min(until);
                self.watch.pass(now, &self.bays);
                self.time.advance_to(now);
                if next > until {
                    return Ok(());
                }
            }
            match self.due.pop() {
                Some(c) if c.result == UNANSWERED => self.send_again(c.slot)?,
                back => out.extend(back),
            }
        }
    }
}
