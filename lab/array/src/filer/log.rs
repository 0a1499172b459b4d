//! The log of a share: changes go into it one by one, and all of them to stable storage at once.
//!
//! A flush begins when [`period_ms`](LogParameters::period_ms) is over since the last began and there is something to flush, when
//! [`size_kib`](LogParameters::size_kib) of records are there, or when an answer needs what was written to be safe. It takes
//! `flush_us` + bytes / `mib_s`, and nothing enters the log meanwhile. So of changes that come by chance the share
//! flush / period waits, each of them for the rest of a flush: a tail that comes back with the period. Where as many come as can, the log
//! takes (size / record) / (time to fill it + flush of a full log) changes a second.
//!
//! With `answers_wait` a change is answered when its flush is over, which is the group commit of a file system that promises that: each
//! waits for period / 2 on average where the size is not the limit.

use crate::persona::LogParameters;

/// A log.
#[derive(Debug)]
pub struct Log {
    /// Nothing where nothing is logged.
    p: Option<LogTimes>,
    /// Bytes of records that are in it.
    bytes: u64,
    /// When the last flush began, ns.
    began_ns: u64,
    /// When the next is to begin by the period, ns.
    due_ns: Option<u64>,
    /// End of the flush under way, ns.
    until_ns: Option<u64>,
    /// One more is to begin at once.
    is_wanted: bool,
    begun: u64,
    ended: u64,
    /// Calls that are to enter.
    waiting: Vec<u32>,
    /// Calls that are answered when the flush of this number is over.
    unsafe_yet: Vec<(u64, u32)>,
    next_ns: Option<u64>,
    begun_length_ns: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct LogTimes {
    period_ns: u64,
    size: u64,
    record: u64,
    flush_ns: u64,
    ns_per_byte: f64,
    answers_wait: bool,
}

impl Log {
    /// An empty log.
    pub fn new(p: Option<&LogParameters>) -> Self {
        let times = |p: &LogParameters| LogTimes {
            period_ns: (p.period_ms * 1e6) as u64,
            size: u64::from(p.size_kib) << 10,
            record: p.record_bytes.into(),
            flush_ns: (p.flush_us * 1e3) as u64,
            ns_per_byte: 1e9 / (p.mib_s * 1_048_576.0),
            answers_wait: p.answers_wait,
        };
        Log {
            p: p.map(times),
            bytes: 0,
            began_ns: 0,
            due_ns: None,
            until_ns: None,
            is_wanted: false,
            begun: 0,
            ended: 0,
            waiting: Vec::new(),
            unsafe_yet: Vec::new(),
            next_ns: None,
            begun_length_ns: None,
        }
    }

    /// A record enters; the number of the flush that it goes with. `None` while it is flushed: the call is let in then.
    pub fn enter(&mut self, now_ns: u64, call: u32) -> Option<u64> {
        let Some(p) = self.p else {
            return Some(0);
        };
        if self.until_ns.is_some() {
            self.waiting.push(call);
            return None;
        }
        self.bytes += p.record;
        let flush = self.begun + 1;
        if self.bytes >= p.size {
            self.begin(now_ns);
        } else if self.due_ns.is_none() {
            let due = now_ns.max(self.began_ns + p.period_ns);
            self.due_ns = Some(due);
            self.next_ns = Some(due);
        }
        Some(flush)
    }

    /// True where a call has to wait for a flush before it is answered: for that of its record, and for the next where it asks for it.
    pub fn make_safe(&mut self, now_ns: u64, call: u32, flush: u64, is_asked_for: bool) -> bool {
        let Some(p) = self.p else {
            return false;
        };
        let needs = match (is_asked_for, p.answers_wait) {
            (true, _) => self.begun + 1,
            (false, true) => flush,
            (false, false) => 0,
        };
        if needs <= self.ended {
            return false;
        }
        self.unsafe_yet.push((needs, call));
        if is_asked_for {
            match self.until_ns {
                Some(_) => self.is_wanted = true,
                None => self.begin(now_ns),
            }
        }
        true
    }

    /// The time of something has come; calls that go on.
    pub fn tend(&mut self, now_ns: u64) -> Vec<u32> {
        let is_over = |at_ns: Option<u64>| at_ns.is_some_and(|at_ns| at_ns <= now_ns);
        if self.until_ns.is_none() && is_over(self.due_ns) {
            self.begin(now_ns);
        }
        if !is_over(self.until_ns) {
            return Vec::new();
        }
        self.until_ns = None;
        self.ended += 1;
        if std::mem::take(&mut self.is_wanted) {
            // Behind those that wait to enter, which would else never come in.
            self.due_ns = Some(now_ns);
            self.next_ns = Some(now_ns);
        }
        let ended = self.ended;
        let is_safe = |(flush, _): &mut (u64, u32)| *flush <= ended;
        let safe = self.unsafe_yet.extract_if(.., is_safe);
        let mut on: Vec<u32> = safe.map(|(_, call)| call).collect();
        on.append(&mut self.waiting);
        on
    }

    /// When it has something to do next, ns.
    pub fn next_ns(&self) -> Option<u64> {
        self.until_ns.or(self.due_ns)
    }

    /// Takes the time at which it is to be tended next, where there is a new one, ns.
    pub fn take_next(&mut self) -> Option<u64> {
        self.next_ns.take()
    }

    /// Takes the length of a flush that has just begun, ns.
    pub fn take_begun(&mut self) -> Option<u64> {
        self.begun_length_ns.take()
    }

    fn begin(&mut self, now_ns: u64) {
        let Some(p) = self.p else {
            return;
        };
        // A flush of no time would never be over.
        let moved_ns = (self.bytes as f64 * p.ns_per_byte) as u64;
        let length = p.flush_ns.saturating_add(moved_ns).max(1);
        self.due_ns = None;
        self.bytes = 0;
        self.begun += 1;
        self.began_ns = now_ns;
        let until_ns = now_ns.saturating_add(length);
        self.until_ns = Some(until_ns);
        self.next_ns = Some(until_ns);
        self.begun_length_ns = Some(length);
    }
}
