//! Operations on trees that have no file system of their own: their calls are kept, to be played in another time.

use super::{BLOCKED, Hands, PAUSE};
use crate::backend::{Action, Brought, Request};
use crate::tree::{CallRecord, Calls, TreeCall};

/// An operation on a tree that has no file system of its own, to be played in another time.
pub struct Script {
    /// What it is.
    pub action: Action,
    /// Result when it is through.
    pub result: i32,
    /// Pause before its end: it found nothing to do, and looks again then, ns.
    pub pause_ns: u64,
    calls: Calls,
    brought: Vec<Brought>,
    /// Times at which its calls ended, ns.
    ended_ns: Vec<u64>,
}

impl Default for Script {
    /// Nothing to play.
    fn default() -> Self {
        Script {
            action: Action::Read,
            result: 0,
            pause_ns: 0,
            calls: Calls::default(),
            brought: Vec::new(),
            ended_ns: Vec::new(),
        }
    }
}

impl Script {
    /// The next call, where there is one; `now_ns` is when the last one ended, or the operation began.
    pub fn next_call(&mut self, now_ns: u64) -> Option<TreeCall> {
        self.ended_ns.push(now_ns);
        self.calls.calls.get(self.ended_ns.len() - 1).copied()
    }

    /// Ends the operation. What it has brought with it, each as long as its call took.
    pub fn end(&mut self) -> Vec<Brought> {
        std::mem::take(&mut self.calls).end();
        let took = |call: usize| Some(self.ended_ns.get(call + 1)? - self.ended_ns.get(call)?);
        let timed = |one: Brought| Brought {
            ns: took(one.ns as usize).unwrap_or(0),
            ..one
        };
        self.brought.drain(..).map(timed).collect()
    }
}

impl Hands {
    /// What is to be done for a request of a stream, on trees whose calls are kept in `record`.
    pub fn script(&mut self, stream: usize, r: &Request, record: &CallRecord) -> Script {
        let (action, result) = self.work(stream, r);
        Script {
            action,
            result,
            pause_ns: match result {
                BLOCKED => PAUSE.as_nanos() as u64,
                _ => 0,
            },
            calls: record.take(),
            brought: std::mem::take(&mut self.files.brought),
            ended_ns: Vec::new(),
        }
    }
}
