//! Streams that may use fewer of their slots than they have, looked at once a sample.

use super::{Mode, Worker};
use crate::backend::Backend;
use crate::clock::Clock;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Keeps to what was said of the streams' depths. What is in flight comes back first; only a closed loop keeps to it.
    #[cold]
    pub(super) fn keep_depths(&mut self) {
        let changes = self.line.shared.depths.changes();
        if self.depths_seen == changes || self.orders.mode != Mode::Closed {
            return;
        }
        self.depths_seen = changes;
        for pool in &mut self.pools {
            let Some(own) = pool.own else { continue };
            let most = self.line.shared.depths.of(own.stream);
            let busy = own.part_of(most.unwrap_or(own.all));
            pool.rests = (own.slots - busy) as usize;
            if pool.streams.is_empty() {
                continue;
            }
            while pool.idle.len() > pool.rests {
                let Some(slot) = pool.idle.pop() else { break };
                self.slots[slot as usize].intended_ns = self.now_ns;
                self.freed.push(slot);
            }
        }
    }
}
