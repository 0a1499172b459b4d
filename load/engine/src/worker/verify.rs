//! Checking what came back, where a stream verifies its content.

use super::Worker;
use crate::backend::{Action, Backend, Completion};
use crate::clock::Clock;
use plimsoll_content::verify::Mismatch;

/// The result of a read that brought other bytes than it should; no system call has it.
pub(super) const MISMATCHED: i32 = i32::MIN;

impl<B: Backend, C: Clock> Worker<B, C> {
    /// Looks at what has come back before it is counted: reads that brought the wrong bytes are failures.
    #[cold]
    pub(super) fn verify(&mut self, ready: &mut [Completion]) {
        for c in ready {
            let s = &self.slots[c.slot as usize];
            let Some(check) = &self.streams[s.stream as usize].check else {
                continue;
            };
            let is_good = c.result == s.length as i32;
            let at = c.slot as usize * self.orders.buffer_stride;
            match s.action {
                Action::Write => {
                    let bytes = self.tools.arena.bytes(at, s.length as usize);
                    check.wrote(s.offset, bytes, is_good);
                }
                Action::Read => {
                    let bytes = self.tools.arena.bytes(at, s.length as usize);
                    if let Err(mismatch) = check.read(s.offset, bytes, is_good) {
                        c.result = MISMATCHED;
                        self.mismatches.push((c.slot, mismatch));
                    }
                }
                Action::Trim => check.trimmed(s.offset, s.length.into()),
                _ => {}
            }
        }
    }

    /// What was wrong with the read of a slot.
    pub(super) fn take_mismatch(&mut self, slot: u32) -> Option<Mismatch> {
        let at = self.mismatches.iter().position(|(of, _)| *of == slot)?;
        Some(self.mismatches.swap_remove(at).1)
    }
}
