//! Virtual time: a clock that stands still until something waits on it, and a backend whose completions come when a
//! function says.
//!
//! A [`crate::worker::Worker`] on both runs the same loop as on real storage, in one thread, as fast as the CPU allows,
//! and always alike. It must not spin ([`crate::worker::Orders::may_spin`]): only waiting moves this time.

use crate::backend::{Backend, Completion, Request, Wait};
use crate::clock::Clock;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::rc::Rc;

/// The time of a run, ns from its zero; all clones are the same time.
#[derive(Debug, Clone, Default)]
pub struct Time(Rc<Cell<u64>>);

impl Time {
    /// Now, ns.
    pub fn now_ns(&self) -> u64 {
        self.0.get()
    }

    /// Makes it `ns`; what is past stays so.
    pub fn advance_to(&self, ns: u64) {
        self.0.set(self.0.get().max(ns));
    }
}

/// Reads a [`Time`].
#[derive(Debug, Clone)]
pub struct ScriptedClock(pub Time);

impl Clock for ScriptedClock {
    fn now_ns(&mut self) -> u64 {
        self.0.now_ns()
    }
}

/// Answer that a script gives to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptedAnswer {
    /// Time of the completion, ns; `None`: it never comes.
    pub done_ns: Option<u64>,
    /// Bytes moved, or -errno.
    pub result: i32,
}

impl ScriptedAnswer {
    /// Succeeds.
    pub fn done(at_ns: u64, request: &Request) -> Self {
        ScriptedAnswer {
            done_ns: Some(at_ns),
            result: request.length as i32,
        }
    }

    /// Fails with the system's error number.
    pub fn failed(at_ns: u64, errno: i32) -> Self {
        ScriptedAnswer {
            done_ns: Some(at_ns),
            result: -errno,
        }
    }

    /// Moves only so many bytes.
    pub fn short(at_ns: u64, bytes: u32) -> Self {
        ScriptedAnswer {
            done_ns: Some(at_ns),
            result: bytes as i32,
        }
    }

    /// Never comes back.
    pub fn never() -> Self {
        ScriptedAnswer {
            done_ns: None,
            result: 0,
        }
    }
}

/// A backend on which `device`, asked with the time and the request when that is handed over, says what becomes of it.
/// Completions of the same instant come in the order of submission.
pub struct Scripted<F> {
    time: Time,
    device: F,
    queued: Vec<Request>,
    /// (completion, submission's number, slot, result).
    out: BinaryHeap<Reverse<(u64, u64, u32, i32)>>,
    submitted: u64,
}

impl<F: FnMut(u64, &Request) -> ScriptedAnswer> Scripted<F> {
    /// Backend on this time.
    pub fn new(time: Time, device: F) -> Self {
        Scripted {
            time,
            device,
            queued: Vec::new(),
            out: BinaryHeap::new(),
            submitted: 0,
        }
    }
}

impl<F: FnMut(u64, &Request) -> ScriptedAnswer> Backend for Scripted<F> {
    const NAME: &'static str = "scripted";

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.queued.push(request);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let now = self.time.now_ns();
        for request in self.queued.drain(..) {
            let answer = (self.device)(now, &request);
            self.submitted += 1;
            if let Some(done) = answer.done_ns {
                let entry = (done.max(now), self.submitted, request.slot, answer.result);
                self.out.push(Reverse(entry));
            }
        }
        Ok(())
    }

    /// Where too little is there yet, time goes on to the completion that makes it enough, or to the wait's end.
    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        self.flush()?;
        let now = self.time.now_ns();
        let (until, least) = match wait {
            Wait::None => (now, 0),
            Wait::For { ns, least } => (now.saturating_add(ns), least as usize),
        };
        loop {
            let next = self.out.peek().map_or(u64::MAX, |Reverse(first)| first.0);
            if next > self.time.now_ns() {
                if out.len() >= least {
                    return Ok(());
                }
                self.time.advance_to(next.min(until));
                if next > until {
                    return Ok(());
                }
            }
            if let Some(Reverse((_, _, slot, result))) = self.out.pop() {
                out.push(Completion { slot, result });
            }
        }
    }
}

/// So many servers with one queue before them: each I/O, in order of arrival, is served by the first that is free.
#[derive(Debug, Clone)]
pub struct Servers {
    free_ns: BinaryHeap<Reverse<u64>>,
}

impl Servers {
    /// All free; at least one.
    pub fn new(count: usize) -> Self {
        Servers {
            free_ns: (0..count.max(1)).map(|_| Reverse(0)).collect(),
        }
    }

    /// Time at which an I/O is done that comes now and takes a server so long, ns. `now_ns` must not go back.
    pub fn serve(&mut self, now_ns: u64, service_ns: u64) -> u64 {
        let free = self.free_ns.pop().map_or(0, |Reverse(ns)| ns);
        let done = free.max(now_ns).saturating_add(service_ns);
        self.free_ns.push(Reverse(done));
        done
    }
}

/// A device that stands still for the last `length_ns` of each `period_ns`.
#[derive(Debug, Clone, Copy)]
pub struct Stalls {
    /// From the start of a stall to that of the next, ns.
    pub period_ns: u64,
    /// Of each stall, ns; less than the period.
    pub length_ns: u64,
}

impl Stalls {
    /// Time at which work of `work_ns` that begins at `from_ns` is done, ns: nothing of it is done in a stall.
    pub fn done_ns(&self, from_ns: u64, work_ns: u64) -> u64 {
        let busy = self.period_ns - self.length_ns;
        let (period, at) = (from_ns / self.period_ns, from_ns % self.period_ns);
        // Work that could have been done from zero until `from_ns`, and until the end.
        let end = period * busy + at.min(busy) + work_ns;
        // Work that ends with a period's working time ends before its stall.
        let stalls = (end.max(1) - 1) / busy;
        (end + stalls * self.length_ns).max(from_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_serve_in_order_of_arrival() {
        let mut two = Servers::new(2);
        assert_eq!([0, 0, 0, 0].map(|now| two.serve(now, 10)), [10, 10, 20, 20]);
        assert_eq!(two.serve(100, 10), 110);
    }

    #[test]
    fn nothing_is_done_in_a_stall() {
        let stalls = Stalls {
            period_ns: 60,
            length_ns: 10,
        };
        for from in 0..200 {
            for work in 0..200 {
                let mut at = from;
                let mut left = work;
                while left > 0 {
                    left -= u64::from(at % 60 < 50);
                    at += 1;
                }
                assert_eq!(stalls.done_ns(from, work), at, "{work} from {from}");
            }
        }
    }
}
