//! Requests that the array has yet to carry out.
//!
//! Most of the time that a request takes in the model is waiting for memory: its chunks' words in maps of gigabytes, its
//! lines in the cache's directory. So a few are held while others go on, and what they will look up is fetched meanwhile.
//! Nothing can show the delay: the array is told when each of them came, in that order, and is asked before anybody
//! could see an answer.

use plimsoll_content::Identity;
use plimsoll_engine::backend::Request;

/// How many are held at most. More would not be fetched any better.
const ROOM: usize = 4;

/// A request, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitingRequest {
    pub request: Request,
    /// When it came, ns.
    pub came_ns: u64,
    /// It is not answered before, ns.
    pub soonest_ns: u64,
}

/// The requests that are held, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    places: [Option<WaitingRequest>; ROOM],
    /// What the write in each place carries.
    blocks: [Vec<Identity>; ROOM],
    first: usize,
    count: usize,
}

impl Queue {
    #[inline]
    pub fn is_full(&self) -> bool {
        self.count == ROOM
    }

    /// The earliest time at which one of them may be answered; [`u64::MAX`] where none is held.
    #[inline]
    pub fn soonest_ns(&self) -> u64 {
        self.places[self.first]
            .as_ref()
            .map_or(u64::MAX, |h| h.soonest_ns)
    }

    /// Takes one in. Where it is a write, its `blocks` are exchanged for a list that nobody needs.
    #[inline]
    pub fn push(&mut self, held: WaitingRequest, blocks: Option<&mut Vec<Identity>>) {
        debug_assert!(!self.is_full());
        let place = (self.first + self.count) % ROOM;
        match blocks {
            Some(blocks) => std::mem::swap(blocks, &mut self.blocks[place]),
            None => self.blocks[place].clear(),
        }
        self.places[place] = Some(held);
        self.count += 1;
        self.hurry(held.soonest_ns);
    }

    /// Those before one that may be answered at `soonest_ns` have to be carried out before it.
    #[inline]
    fn hurry(&mut self, soonest_ns: u64) {
        for back in 2..=self.count {
            let place = (self.first + self.count - back) % ROOM;
            match &mut self.places[place] {
                Some(held) if held.soonest_ns > soonest_ns => held.soonest_ns = soonest_ns,
                _ => return,
            }
        }
    }

    /// Gives back the one that came first, and what it carries.
    #[inline]
    pub fn pop(&mut self) -> Option<(WaitingRequest, &[Identity])> {
        let place = self.first;
        let held = self.places[place].take()?;
        self.first = (place + 1) % ROOM;
        self.count -= 1;
        Some((held, &self.blocks[place]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_engine::backend::Action;

    fn held(slot: u32, soonest_ns: u64) -> WaitingRequest {
        let request = Request {
            slot,
            file: 0,
            action: Action::Write,
            offset: 0,
            length: 4096,
            buffer: std::ptr::null_mut(),
        };
        WaitingRequest {
            request,
            came_ns: 0,
            soonest_ns,
        }
    }

    #[test]
    fn requests_leave_in_the_order_in_which_they_came_with_what_they_carry() {
        let mut queue = Queue::default();
        for round in 0..5_u32 {
            for i in 0..ROOM as u32 {
                let mut carried = vec![Identity::Zero; i as usize];
                let soonest = u64::from(100 - i);
                queue.push(held(round + i, soonest), (i != 1).then_some(&mut carried));
                assert_eq!(queue.soonest_ns(), soonest);
            }
            assert!(queue.is_full());
            for i in 0..ROOM as u32 {
                let (held, blocks) = queue.pop().unwrap();
                let expected = if i == 1 { 0 } else { i as usize };
                assert_eq!((held.request.slot, blocks.len()), (round + i, expected));
            }
            assert!(queue.pop().is_none());
            assert_eq!(queue.soonest_ns(), u64::MAX);
        }
    }
}
