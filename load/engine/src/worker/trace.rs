//! What goes out is kept one by one, where somebody wants a log of it.

use super::Worker;
use crate::backend::{Backend, Request};
use crate::clock::Clock;
use crate::trace::Issued;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// A request went out. A sync goes to the log of the stream whose write made it due.
    #[inline(never)]
    pub(super) fn trace(&mut self, request: Request) {
        let slot = &self.slots[request.slot as usize];
        let stream = self.streams.get_mut(slot.stream as usize);
        let first_file = self.pools[slot.pool as usize].first_file;
        if let Some(lane) = stream.and_then(|s| s.lane.as_mut()) {
            lane.push(Issued {
                at_ns: self.now_ns.saturating_sub(self.orders.timeline.start_ns),
                offset: request.offset,
                length: request.length,
                file: (request.file - first_file) as u16,
                action: request.action,
            });
        }
    }

    /// Hands over what is kept.
    pub(super) fn end_lanes(&mut self) {
        let lanes = self.streams.iter_mut().filter_map(|s| s.lane.as_mut());
        lanes.for_each(|lane| lane.end());
    }
}
