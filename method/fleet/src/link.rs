//! One direction each of orders and reports between two who may lose, repeat and reorder what they send: each item comes once,
//! and in order. Pure: who sends and what time it is are somebody else's.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Time for which an agent goes on without a word from its controller, where nobody says otherwise.
pub const LEASE: Duration = Duration::from_secs(60);

/// The shortest lease: a word goes each second, and some may be lost.
pub const SHORTEST_LEASE: Duration = Duration::from_secs(6);

/// After how long an item that nobody has answered is sent again, ns: each time after twice as long, up to the longest. A thousand
/// hosts' intervals end at one instant; whoever takes them in needs most of a second for it, and would only be kept longer from it by
/// all of them coming once more.
const AGAIN_NS: u64 = 1_000_000_000;
const LONGEST_NS: u64 = 4_000_000_000;
/// Time after which something is sent though there is nothing to say, ns: a word each such time is what a lease lives on.
pub const BEAT_NS: u64 = 1_000_000_000;
/// Items that may be under way at once.
const WINDOW: usize = 32;
/// Items in one letter.
const IN_ONE: usize = 4;
/// Items that came before their time and are kept.
const EARLY: usize = 256;

/// Numbered items, and what has come.
pub type Numbered<T> = (u64, Vec<(u64, T)>);

/// Both ends' part: what goes out, and what comes in.
#[derive(Debug, Clone)]
pub struct Link<O, I> {
    out: VecDeque<Outgoing<O>>,
    next: u64,
    /// All up to here have come in.
    upto: u64,
    early: BTreeMap<u64, I>,
    /// Something has come since the last word that went out.
    owes: bool,
    said_ns: Option<u64>,
}

/// An item that is not known to have come.
#[derive(Debug, Clone)]
struct Outgoing<O> {
    number: u64,
    item: O,
    /// Time when the item was sent last, and how long an answer is waited for, ns.
    sent: Option<(u64, u64)>,
}

impl<O> Outgoing<O> {
    fn is_due(&self, now_ns: u64) -> bool {
        self.sent.is_none_or(|(at, wait)| now_ns >= at + wait)
    }

    fn sent(&mut self, now_ns: u64) {
        let wait = self
            .sent
            .map_or(AGAIN_NS, |(_, wait)| (2 * wait).min(LONGEST_NS));
        self.sent = Some((now_ns, wait));
    }
}

impl<O, I> Default for Link<O, I> {
    fn default() -> Self {
        Link {
            out: VecDeque::new(),
            next: 1,
            upto: 0,
            early: BTreeMap::new(),
            owes: false,
            said_ns: None,
        }
    }
}

impl<O: Clone, I> Link<O, I> {
    /// Something to send.
    pub fn push(&mut self, item: O) {
        self.out.push_back(Outgoing {
            number: self.next,
            item,
            sent: None,
        });
        self.next += 1;
    }

    /// Takes in what came: the items whose turn it is.
    pub fn take(&mut self, upto: u64, items: Vec<(u64, I)>) -> Vec<I> {
        // Nobody can have had what was not sent.
        let upto = upto.min(self.next - 1);
        self.out.retain(|out| out.number > upto);
        for (number, item) in items {
            self.owes = true;
            let in_reach = number > self.upto && number <= self.upto + EARLY as u64;
            if in_reach {
                self.early.entry(number).or_insert(item);
            }
        }
        let mut whole = Vec::new();
        while let Some(item) = self.early.remove(&(self.upto + 1)) {
            self.upto += 1;
            whole.push(item);
        }
        whole
    }

    /// Packet that is to be sent now, if any: ask again until there is nothing.
    pub fn due(&mut self, now_ns: u64) -> Option<Numbered<O>> {
        let mut items = Vec::new();
        for out in self.out.iter_mut().take(WINDOW) {
            if items.len() < IN_ONE && out.is_due(now_ns) {
                out.sent(now_ns);
                items.push((out.number, out.item.clone()));
            }
        }
        let beat = self.said_ns.is_none_or(|at| now_ns >= at + BEAT_NS);
        if items.is_empty() && !self.owes && !beat {
            return None;
        }
        self.owes = false;
        self.said_ns = Some(now_ns);
        Some((self.upto, items))
    }

    /// Number of pushed items that are not known to have come.
    pub fn backlog(&self) -> usize {
        self.out.len()
    }

    /// True where something came of which the other side does not know yet that it did.
    pub fn owes(&self) -> bool {
        self.owes
    }

    /// True where all that was pushed has come to the other side.
    pub fn is_through(&self) -> bool {
        self.out.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type End = Link<u32, u32>;

    /// A way on which letters are lost, repeated and overtake each other, by drawn numbers.
    struct Way {
        draws: Vec<u8>,
        at: usize,
        /// (arrives, letter).
        under_way: Vec<(u64, Numbered<u32>)>,
    }

    impl Way {
        fn draw(&mut self) -> u8 {
            self.at += 1;
            self.draws[self.at % self.draws.len()]
        }

        fn send(&mut self, now: u64, letter: Numbered<u32>, lossy: bool) {
            let copies = match self.draw() % 4 {
                0 if lossy => 0,
                1 => 2,
                _ => 1,
            };
            for _ in 0..copies {
                let delay = u64::from(self.draw()) * 10_000_000;
                self.under_way.push((now + delay, letter.clone()));
            }
        }

        fn arrived(&mut self, now: u64) -> Vec<Numbered<u32>> {
            let (here, rest) = std::mem::take(&mut self.under_way)
                .into_iter()
                .partition(|(at, _)| *at <= now);
            self.under_way = rest;
            here.into_iter().map(|(_, l)| l).collect()
        }
    }

    fn go(draws: Vec<u8>, count: u32) -> (Vec<u32>, Vec<u32>, bool) {
        let (mut a, mut b) = (End::default(), End::default());
        let way = |at| Way {
            draws: draws.clone(),
            at,
            under_way: Vec::new(),
        };
        let (mut there, mut back) = (way(0), way(7));
        let (mut at_b, mut at_a) = (Vec::new(), Vec::new());
        for tick in 0..6_000u64 {
            let now = tick * 50_000_000;
            if tick < u64::from(count) {
                a.push(tick as u32);
                b.push(1_000 + tick as u32);
            }
            // In the end the way is as good as it was bad.
            let lossy = tick < 4_000;
            for (upto, items) in there.arrived(now) {
                at_b.extend(b.take(upto, items));
            }
            for (upto, items) in back.arrived(now) {
                at_a.extend(a.take(upto, items));
            }
            while let Some(letter) = a.due(now) {
                there.send(now, letter, lossy);
            }
            while let Some(letter) = b.due(now) {
                back.send(now, letter, lossy);
            }
        }
        (at_b, at_a, a.is_through() && b.is_through())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn each_item_comes_once_and_in_order_whatever_happens_on_the_way(
            draws in proptest::collection::vec(any::<u8>(), 20..200),
            count in 0u32..300,
        ) {
            let (at_b, at_a, through) = go(draws, count);
            prop_assert_eq!(at_b, (0..count).collect::<Vec<_>>());
            prop_assert_eq!(at_a, (1_000..1_000 + count).collect::<Vec<_>>());
            prop_assert!(through);
        }
    }

    #[test]
    fn who_has_nothing_to_say_says_so_once_a_beat() {
        let mut link = End::default();
        let mut words = 0;
        for ms in 0..10_000u64 {
            while link.due(ms * 1_000_000).is_some() {
                words += 1;
            }
        }
        assert_eq!(words, 10);
    }

    #[test]
    fn numbers_that_cannot_be_are_not_kept() {
        let mut link = End::default();
        assert!(
            link.take(u64::MAX, vec![(u64::MAX, 1), (1 << 40, 2), (0, 3)])
                .is_empty()
        );
        assert!(link.early.is_empty());
        link.push(5);
        assert!(
            !link.is_through(),
            "what was said to have come had not been sent"
        );
    }
}
