//! Caches of other makes: which line makes room.

use crate::drawn::Draw;
use std::collections::{HashMap, HashSet, VecDeque};

/// Policy that says which line makes room for a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The one that was not asked for the longest.
    Lru,
    /// The one that has been there the longest.
    Fifo,
    /// Any.
    Random,
    /// Two queues: a line that was asked for once goes before one that was asked for again, and a list of what went says which that is (2Q,
    /// Johnson and Shasha, 1994).
    TwoQueues,
}

/// A cache of so many lines.
#[derive(Debug)]
pub struct Cache {
    policy: Policy,
    lines: usize,
    /// Stamps of the lines: when each was asked for or came, by the policy.
    stamps: HashMap<u64, u64>,
    /// In the order of stamps; what is no longer so is passed over.
    order: VecDeque<(u64, u64)>,
    /// All lines, for one to be drawn.
    all: Vec<u64>,
    places: HashMap<u64, usize>,
    /// Of two queues: what was asked for once, and what went of that.
    once: VecDeque<u64>,
    in_once: HashSet<u64>,
    gone: VecDeque<u64>,
    in_gone: HashSet<u64>,
    now: u64,
    draw: Draw,
}

impl Cache {
    pub fn new(policy: Policy, lines: usize, seed: u64) -> Self {
        Cache {
            policy,
            lines: lines.max(1),
            stamps: HashMap::new(),
            order: VecDeque::new(),
            all: Vec::new(),
            places: HashMap::new(),
            once: VecDeque::new(),
            in_once: HashSet::new(),
            gone: VecDeque::new(),
            in_gone: HashSet::new(),
            now: 0,
            draw: Draw::new(seed),
        }
    }

    /// Asks for a line, which is there afterwards; true where it was before.
    pub fn touch(&mut self, line: u64) -> bool {
        self.now += 1;
        match self.policy {
            Policy::Lru | Policy::Fifo => self.touch_ordered(line, self.lines),
            Policy::Random => self.touch_random(line),
            Policy::TwoQueues => self.touch_two(line),
        }
    }

    pub fn forget(&mut self, line: u64) {
        self.stamps.remove(&line);
        if let Some(at) = self.places.remove(&line) {
            self.all.swap_remove(at);
            if let Some(moved) = self.all.get(at) {
                self.places.insert(*moved, at);
            }
        }
        self.in_once.remove(&line);
    }

    fn touch_ordered(&mut self, line: u64, room: usize) -> bool {
        let hit = self.stamps.contains_key(&line);
        if hit && self.policy == Policy::Fifo {
            return true;
        }
        self.stamps.insert(line, self.now);
        self.order.push_back((line, self.now));
        while self.stamps.len() > room {
            let Some((oldest, at)) = self.order.pop_front() else {
                break;
            };
            if self.stamps.get(&oldest) == Some(&at) {
                self.stamps.remove(&oldest);
            }
        }
        hit
    }

    fn touch_random(&mut self, line: u64) -> bool {
        if self.places.contains_key(&line) {
            return true;
        }
        if self.all.len() < self.lines {
            self.places.insert(line, self.all.len());
            self.all.push(line);
            return false;
        }
        let at = self.draw.below(self.lines as u64) as usize;
        self.places.remove(&self.all[at]);
        self.all[at] = line;
        self.places.insert(line, at);
        false
    }

    fn touch_two(&mut self, line: u64) -> bool {
        let first = self.lines / 4;
        if self.stamps.contains_key(&line) {
            return self.touch_ordered(line, self.lines - first);
        }
        if self.in_once.contains(&line) {
            return true;
        }
        if self.in_gone.remove(&line) {
            self.touch_ordered(line, self.lines - first);
            return false;
        }
        self.once.push_back(line);
        self.in_once.insert(line);
        while self.once.len() > first.max(1) {
            let Some(old) = self.once.pop_front() else {
                break;
            };
            if self.in_once.remove(&old) {
                self.gone.push_back(old);
                self.in_gone.insert(old);
            }
        }
        while self.gone.len() > self.lines / 2 {
            let old = self.gone.pop_front();
            old.map(|o| self.in_gone.remove(&o));
        }
        false
    }
}
