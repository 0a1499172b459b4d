//! What a step did over time, in few enough parts to be kept with what it came to.

use serde::{Deserialize, Serialize};

/// The counted time of a step in parts of equal length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Bytes written before the first part, in the warm-up.
    pub written_before: u64,
    /// Parts in the order of time, without gaps; the last may be shorter than the others.
    pub parts: Vec<TimelinePart>,
}

/// One part. In JSON it is a list of its fields' numbers, in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 8]", into = "[u64; 8]")]
pub struct TimelinePart {
    /// Length of the part, ns.
    pub length_ns: u64,
    /// Completed I/Os.
    pub ios: u64,
    /// Completed I/Os whose response times are in the sum.
    pub timed: u64,
    /// Sum of their response times, ns.
    pub response_ns: u64,
    /// I/Os that came due; 0 where nothing has a schedule.
    pub due: u64,
    /// Backlog at the end of the part: I/Os due and not issued.
    pub backlog: u64,
    /// Bytes written.
    pub written: u64,
    /// The greatest 99th percentile of response times of the intervals that it is a part of, or that are in it, ns.
    pub p99_ns: u64,
}

impl TimelinePart {
    /// Adds the part that follows it.
    pub fn append(&mut self, next: &TimelinePart) {
        self.length_ns = self.length_ns.saturating_add(next.length_ns);
        self.ios = self.ios.saturating_add(next.ios);
        self.timed = self.timed.saturating_add(next.timed);
        self.response_ns = self.response_ns.saturating_add(next.response_ns);
        self.due = self.due.saturating_add(next.due);
        self.written = self.written.saturating_add(next.written);
        self.p99_ns = self.p99_ns.max(next.p99_ns);
        // A level, not a count: the later one holds.
        self.backlog = next.backlog;
    }
}

impl From<[u64; 8]> for TimelinePart {
    fn from(n: [u64; 8]) -> Self {
        TimelinePart {
            length_ns: n[0],
            ios: n[1],
            timed: n[2],
            response_ns: n[3],
            due: n[4],
            backlog: n[5],
            written: n[6],
            p99_ns: n[7],
        }
    }
}

impl From<TimelinePart> for [u64; 8] {
    fn from(p: TimelinePart) -> Self {
        [
            p.length_ns,
            p.ios,
            p.timed,
            p.response_ns,
            p.due,
            p.backlog,
            p.written,
            p.p99_ns,
        ]
    }
}
