//! Streams that work for a part of the step's time only.

use super::{Mode, NEVER, StreamState, Timeline, Worker};
use crate::backend::Backend;
use crate::clock::Clock;
use std::cmp::Reverse;
use std::io;

/// A stream begins or ends before the step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    at_ns: u64,
    /// Ends go first: what one stream leaves, another may have at once.
    begins: bool,
    stream: u32,
}

/// All edges that are to come, the next one last.
#[derive(Debug, Default)]
pub(super) struct Edges(Vec<Edge>);

impl Edges {
    /// Windows of all streams, put on the worker's clock.
    pub fn of(streams: &mut [StreamState], timeline: &Timeline) -> Self {
        let mut edges = Vec::new();
        for (stream, state) in (0..).zip(streams) {
            state.is_away = state.from_ns > 0;
            state.from_ns = state.from_ns.saturating_add(timeline.start_ns);
            state.until_ns = state.until_ns.saturating_add(timeline.start_ns);
            state.count_from(state.counts_from_ns.saturating_add(timeline.start_ns));
            let both = [(state.from_ns, true), (state.until_ns, false)];
            edges.extend(both.map(|(at_ns, begins)| Edge {
                at_ns,
                begins,
                stream,
            }));
        }
        edges.retain(|e| e.at_ns > timeline.start_ns && e.at_ns < timeline.end_ns());
        edges.sort_unstable_by(|a, b| b.cmp(a));
        Edges(edges)
    }

    /// Time of the next edge, ns.
    pub fn next_ns(&self) -> u64 {
        self.0.last().map_or(NEVER, |edge| edge.at_ns)
    }

    /// A stream's edges are others than they were.
    pub fn forget(&mut self, stream: u32) {
        self.0.retain(|edge| edge.stream != stream);
    }

    /// Adds the window of a stream that begins and ends then; what is not before the step's end is none.
    pub fn add(&mut self, stream: u32, from_ns: u64, until_ns: u64, end_ns: u64) {
        let both = [(from_ns, true), (until_ns, false)];
        let edges = both.map(|(at_ns, begins)| Edge {
            at_ns,
            begins,
            stream,
        });
        self.0.extend(edges.iter().filter(|e| e.at_ns < end_ns));
        self.0.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn pop_until(&mut self, now_ns: u64) -> Option<Edge> {
        self.0.pop_if(|edge| edge.at_ns <= now_ns)
    }
}

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Before the start: streams that begin later stand aside.
    pub(super) fn stand_aside(&mut self) {
        for index in 0..self.streams.len() {
            if self.streams[index].is_away {
                self.set_aside(index as u32);
            }
        }
    }

    /// Ends samples that are over, and lets streams begin and end.
    #[cold]
    pub(super) fn look(&mut self) -> io::Result<()> {
        self.end_samples();
        self.follow_dependencies()?;
        if self.now_ns >= self.edges.next_ns() && !self.ending.draining {
            while let Some(edge) = self.edges.pop_until(self.now_ns) {
                match edge.begins {
                    true => self.begin_stream(edge.stream),
                    false => self.end_stream(edge.stream)?,
                }
            }
            self.end_when_exhausted();
        }
        self.look_later();
        Ok(())
    }

    /// When to look next.
    pub(super) fn look_later(&mut self) {
        let edge_ns = if self.ending.draining {
            NEVER
        } else {
            self.edges.next_ns()
        };
        self.sampling.next_look_ns = self.sampling.next_sample_ns.min(edge_ns);
    }

    pub(super) fn begin_stream(&mut self, index: u32) {
        let stream = &mut self.streams[index as usize];
        stream.is_away = false;
        if stream.pace.is_some() || stream.exhausted {
            return;
        }
        let (at, from_ns) = (stream.pool as usize, stream.from_ns);
        let pool = &mut self.pools[at];
        let is_first = pool.streams.is_empty();
        pool.bring_back(index);
        if let Some(deficit) = &mut self.deficit {
            deficit.bring_back(index as usize);
        }
        if self.orders.mode == Mode::Closed {
            // Slots that had nothing to do are free from now on.
            for slot in pool.idle.drain(..) {
                self.slots[slot as usize].intended_ns = self.now_ns;
                self.freed.push(slot);
            }
        }
        if is_first {
            // Nobody else has its slots: their users begin now.
            self.spread_out(at, from_ns);
        }
    }

    pub(super) fn end_stream(&mut self, index: u32) -> io::Result<()> {
        let stream = &mut self.streams[index as usize];
        stream.end_time(&self.tally.stats.streams[index as usize]);
        if stream.exhausted {
            return Ok(());
        }
        if stream.pace.is_none() {
            self.set_aside(index);
            return Ok(());
        }
        let pool = &mut self.pools[stream.pool as usize];
        let waiting = pool.blocked.len();
        pool.blocked.retain(|s| *s != index);
        self.due_queue.blocked -= waiting - pool.blocked.len();
        self.due_queue.overdue.retain(|s| *s != index);
        let waiting = self.due_queue.calendar.len();
        self.due_queue
            .calendar
            .retain(|Reverse((_, s))| *s != index);
        if self.due_queue.calendar.len() < waiting {
            self.issue_last(index)?;
        }
        let given_up = self.give_up_unissued(index as usize);
        self.tally.stats.streams[index as usize].late_for_slot += given_up;
        let stream = &mut self.streams[index as usize];
        // They came due, and nobody waits for them any more.
        stream.issued += given_up;
        stream.stop_counting();
        Ok(())
    }

    /// What was due before the end and only waits for the worker goes out, where it finds a slot at once.
    fn issue_last(&mut self, index: u32) -> io::Result<()> {
        while !self.is_over() {
            let stream = &self.streams[index as usize];
            let (pool, due_ns) = (stream.pool, stream.due_ns);
            let p = &mut self.pools[pool as usize];
            if due_ns >= stream.until_ns || !p.blocked.is_empty() {
                break;
            }
            let Some(slot) = p.take(self.now_ns, self.now_ns.saturating_sub(due_ns)) else {
                break;
            };
            if self.owes_sync(pool, slot)? {
                continue;
            }
            if !self.issue_due(index, slot)? {
                break;
            }
            self.draw_due(index);
        }
        Ok(())
    }

    fn set_aside(&mut self, index: u32) {
        let stream = &self.streams[index as usize];
        if stream.pace.is_none() {
            self.pools[stream.pool as usize].set_aside(index);
            if let Some(deficit) = &mut self.deficit {
                deficit.set_aside(index as usize);
            }
        }
    }

    /// An I/O that came out of a queue after its stream had ended never goes out: it counts with what it had waited until
    /// then.
    #[cold]
    pub(super) fn give_up_late(&mut self, index: u32, due_ns: u64) {
        let timed_from_ns = self.timed_from_ns(index as usize);
        let stream = &mut self.streams[index as usize];
        let (until_ns, counts_from_ns) = (stream.until_ns, stream.counts_from_ns);
        let Some(io) = stream.source.next() else {
            return;
        };
        let stats = &mut self.tally.stats.streams[index as usize];
        stats.late_for_slot += u64::from(due_ns >= counts_from_ns);
        if due_ns >= timed_from_ns {
            stats
                .of(io.op)
                .response
                .record(until_ns.saturating_sub(due_ns));
            self.count_given_up(1);
        }
    }
}
