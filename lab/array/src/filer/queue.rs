//! Places that calls take, and the line of those that wait for one.

use std::collections::VecDeque;

/// So many places, taken in the order of arrival.
#[derive(Debug)]
pub(super) struct Queue {
    places: u32,
    free: u32,
    waiting: VecDeque<u32>,
}

impl Queue {
    /// All free; at least one.
    pub fn new(places: u32) -> Self {
        let places = places.max(1);
        Queue {
            places,
            free: places,
            waiting: VecDeque::new(),
        }
    }

    /// Number of places.
    pub fn places(&self) -> u32 {
        self.places
    }

    /// Takes a place; false where there is none, and the call waits in line.
    pub fn take(&mut self, call: u32) -> bool {
        if self.free == 0 {
            self.waiting.push_back(call);
            return false;
        }
        self.free -= 1;
        true
    }

    /// Leaves a place; the call that has it now.
    pub fn leave(&mut self) -> Option<u32> {
        let next = self.waiting.pop_front();
        self.free += u32::from(next.is_none());
        next
    }
}
