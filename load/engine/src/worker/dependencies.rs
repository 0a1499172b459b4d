//! Streams that others' ends begin or end, looked at once a sample.

use super::{NEVER, Worker};
use crate::backend::Backend;
use crate::clock::Clock;
use crate::dependencies::Change;
use plimsoll_plan::Window;
use std::io;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Before the start: what waits for others is away, until nobody knows when.
    pub(super) fn await_others(&mut self) {
        let Some(dependencies) = &self.dependencies else {
            return;
        };
        for (index, stream) in self.streams.iter_mut().enumerate() {
            if dependencies.awaits(index) {
                self.edges.forget(index as u32);
                (stream.from_ns, stream.until_ns, stream.is_away) = (NEVER, NEVER, true);
            }
        }
    }

    /// Tells which streams have ended, and lets others end and begin with them.
    #[cold]
    pub(super) fn follow_dependencies(&mut self) -> io::Result<()> {
        let Some(mut dependencies) = self.dependencies.take() else {
            return Ok(());
        };
        for index in 0..self.streams.len() {
            if dependencies.is_untold(index) && self.is_through(index) {
                dependencies.tell(index);
            }
        }
        let mut ended = false;
        for index in 0..self.streams.len() {
            let over =
                self.has_ended(index) || self.ending.draining || !dependencies.is_untold(index);
            let change = if over {
                None
            } else {
                dependencies.change(index)
            };
            match change {
                None => {}
                Some(Change::Begin(window)) => self.begin_within(index as u32, window),
                Some(Change::End) => {
                    ended = true;
                    self.end_now(index as u32)?;
                }
            }
        }
        self.dependencies = Some(dependencies);
        if ended {
            self.end_when_exhausted();
        }
        Ok(())
    }

    /// The worker ends, and its streams with it.
    pub(super) fn tell_all(&mut self) {
        if let Some(dependencies) = &mut self.dependencies {
            (0..self.streams.len()).for_each(|index| dependencies.tell(index));
        }
    }

    /// Whether it issues nothing any more.
    fn has_ended(&self, index: usize) -> bool {
        let stream = &self.streams[index];
        stream.exhausted || (stream.is_away && self.now_ns >= stream.until_ns)
    }

    fn is_through(&self, index: usize) -> bool {
        self.has_ended(index) && !self.has_in_flight(index)
    }

    /// Whether an I/O of a stream is not back.
    pub(super) fn has_in_flight(&self, index: usize) -> bool {
        let its = |stream: u32| stream as usize == index;
        self.slots.iter().any(|s| s.in_flight && its(s.stream))
    }

    fn begin_within(&mut self, index: u32, window: Window) {
        let now_ns = self.now_ns;
        let stream = &mut self.streams[index as usize];
        stream.from_ns = now_ns.saturating_add(window.from.0);
        stream.until_ns = window
            .until
            .map_or(NEVER, |until| now_ns.saturating_add(until.0));
        stream.count_from(now_ns.saturating_add(window.counted().from.0));
        let (from_ns, until_ns) = (stream.from_ns, stream.until_ns);
        self.edges
            .add(index, from_ns, until_ns, self.orders.timeline.end_ns());
        if from_ns <= now_ns {
            self.begin_stream(index);
        }
    }

    fn end_now(&mut self, index: u32) -> io::Result<()> {
        self.edges.forget(index);
        let stream = &mut self.streams[index as usize];
        stream.until_ns = self.now_ns;
        match stream.is_away {
            true => Ok(()),
            false => self.end_stream(index),
        }
    }
}
