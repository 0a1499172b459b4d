//! The model as a backend.

use crate::due::Due;
use crate::multipath::{MultipathArray, TIMEOUT_NS};
use crate::queue::{Queue, WaitingRequest};
use crate::route::SlotRoute;
use crate::trees::{GOES_ON, Trees};
use crate::watch::Watch;
use plimsoll_array::{CHUNK, Io, IoKind, Status};
use plimsoll_content::{Filler, Identity};
use plimsoll_engine::backend::{Action, Backend, Brought, Completion, Request, Wait};
use plimsoll_engine::scripted::Time;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// What a host sees of a path that refuses, and of all else that fails: EIO of errno(3).
const EIO: i32 = 5;
/// What it sees of a request that cannot be: EINVAL.
const EINVAL: i32 = 22;

/// The result of a request that was never answered, for us alone.
const UNANSWERED: i32 = i32::MIN;

/// A request that was never answered, to be sent again.
struct Unanswered {
    request: Request,
    blocks: Vec<Identity>,
    path: usize,
}

/// A backend whose requests the model answers. The array is told what a write would carry, and no byte is made.
pub(crate) struct Simulated<const TREES: bool = false> {
    time: Time,
    models: Rc<RefCell<Vec<MultipathArray>>>,
    /// By slot.
    places: Vec<SlotRoute>,
    /// What the write carries that is queued next, chunk by chunk.
    blocks: Vec<Identity>,
    held: Queue,
    due: Due,
    unanswered: Vec<Unanswered>,
    /// Operations on trees, where the slots are those of trees.
    trees: Option<Trees>,
    watch: Watch,
    /// What the host's own link takes of each I/O, ns.
    link_ns: u64,
}

impl Simulated<true> {
    /// The same, for operations on trees.
    pub fn on_trees(mut self, mut trees: Trees) -> Self {
        trees.resume(self.time.now_ns(), &mut self.due);
        Simulated {
            trees: Some(trees),
            ..self
        }
    }
}

impl<const TREES: bool> Simulated<TREES> {
    /// On these arrays, with the place of each slot.
    pub fn new(
        time: Time,
        models: Rc<RefCell<Vec<MultipathArray>>>,
        places: Vec<SlotRoute>,
        watch: Watch,
    ) -> Self {
        Simulated {
            time,
            models,
            blocks: Vec::new(),
            held: Queue::default(),
            due: Due::with_capacity(places.len()),
            unanswered: Vec::new(),
            trees: None,
            places,
            watch,
            link_ns: 0,
        }
    }

    /// The same on a host whose link takes so long of each I/O.
    pub fn over_a_link(self, link_ns: u64) -> Self {
        Simulated { link_ns, ..self }
    }

    /// When the next I/O that the array was told of comes back, ns; [`u64::MAX`] where none is out.
    pub fn next_ns(&self) -> u64 {
        self.due.next_ns()
    }

    /// Has the array carry out the request that is held longest; false where there is none.
    #[inline]
    pub fn carry_out(&mut self) -> bool {
        let Some((held, blocks)) = self.held.pop() else {
            return false;
        };
        let request = held.request;
        let place = self.places[request.slot as usize];
        let io = as_io(&request, place, blocks);
        let sent = self.models.borrow_mut()[place.model].submit(held.came_ns, &io, place.path);
        let result = match sent.completion.status {
            Status::Done if io.op == IoKind::Flush => 0,
            Status::Done => request.length as i32,
            Status::Invalid => -EINVAL,
            // There is no other path to try: the host gives it up.
            Status::Lost if place.path.is_some() => {
                let slot = request.slot;
                let completion = Completion { slot, result: -EIO };
                self.due.push(held.came_ns + TIMEOUT_NS, completion);
                return true;
            }
            Status::Lost => {
                let blocks = blocks.to_vec();
                self.keep(held, blocks, sent.path);
                return true;
            }
            _ => -EIO,
        };
        let slot = request.slot;
        let completion = Completion { slot, result };
        self.due.push(
            sent.completion.at_ns.saturating_add(self.link_ns),
            completion,
        );
        true
    }

    /// An event of a filer's, or the end of an operation on a tree, which is handed back.
    fn on_tree(&mut self, completion: Completion) -> Option<Completion> {
        let trees = self.trees.as_mut()?;
        if completion.result == GOES_ON {
            trees.happen(self.time.now_ns(), completion.slot, &mut self.due);
            return None;
        }
        trees.end(completion.slot);
        Some(completion)
    }

    #[cold]
    fn keep(&mut self, held: WaitingRequest, blocks: Vec<Identity>, path: usize) {
        let request = held.request;
        let completion = Completion {
            slot: request.slot,
            result: UNANSWERED,
        };
        self.due.push(held.came_ns + TIMEOUT_NS, completion);
        self.unanswered.push(Unanswered {
            request,
            blocks,
            path,
        });
    }

    /// The time of an unanswered request is up: its path has failed, and it goes over another.
    #[cold]
    fn send_again(&mut self, slot: u32) -> io::Result<()> {
        // What came before knew nothing of it.
        while self.carry_out() {}
        let of_slot = |u: &Unanswered| u.request.slot == slot;
        let Some(at) = self.unanswered.iter().position(of_slot) else {
            return Ok(());
        };
        let given_up = self.unanswered.swap_remove(at);
        let model = self.places[slot as usize].model;
        self.models.borrow_mut()[model].gave_up(given_up.path, self.time.now_ns());
        self.blocks = given_up.blocks;
        self.queue(given_up.request)
    }
}

impl<const TREES: bool> Backend for Simulated<TREES> {
    const NAME: &'static str = "simulated";
    const TAKES_BYTES: bool = false;
    const CHOOSES: bool = TREES;

    fn asked_by(&mut self, slot: u32, stream: u32) {
        if let Some(trees) = &mut self.trees {
            trees.asked_by(slot, stream);
        }
    }

    fn chosen(&self, slot: u32) -> Action {
        let trees = self.trees.as_ref();
        trees.map_or(Action::Read, |trees| trees.chosen(slot))
    }

    fn take_brought(&mut self, slot: u32) -> Vec<Brought> {
        let trees = self.trees.as_mut();
        trees.map_or(Vec::new(), |trees| trees.take_brought(slot))
    }

    #[inline]
    fn describe(&mut self, slot: u32, filler: &Filler, offset: u64, length: u32, generation: u64) {
        let base = self.places[slot as usize].offset;
        let start = base + offset;
        let end = start + u64::from(length);
        self.blocks.clear();
        // What the array isn't told of is like no other, and it need not look.
        if filler.is_unique() {
            return;
        }
        self.blocks
            .extend((start / CHUNK..end.div_ceil(CHUNK)).map(|chunk| {
                // The array takes no notice of what a chunk holds that is written in part.
                match (chunk * CHUNK).checked_sub(base) {
                    Some(at) => filler.identity(at, CHUNK as u32, generation),
                    None => Identity::Zero,
                }
            }));
    }

    /// Submits at once, as far as anybody can see: see [`WaitingRequest`].
    #[inline]
    fn queue(&mut self, request: Request) -> io::Result<()> {
        if let (true, Some(trees)) = (TREES, &mut self.trees) {
            trees.begin(self.time.now_ns(), &request, &mut self.due);
            return Ok(());
        }
        if self.held.is_full() {
            self.carry_out();
        }
        let place = self.places[request.slot as usize];
        let io = as_io(&request, place, &self.blocks);
        let came_ns = self.time.now_ns();
        let held = WaitingRequest {
            request,
            came_ns,
            soonest_ns: self.models.borrow()[place.model].array.expect(came_ns, &io),
        };
        let writes = io.op == IoKind::Write;
        self.held.push(held, writes.then_some(&mut self.blocks));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Where too little has come back yet, time goes on to the completion that makes it enough, or to the wait's end.
    #[inline]
    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        let mut now = self.time.now_ns();
        let (until, least) = match wait {
            Wait::None => (now, 0),
            Wait::For { ns, least } => (now.saturating_add(ns), least as usize),
        };
        loop {
            let next = self.due.next_ns();
            let goes_on = next.min(until).max(now);
            let is_seen = self.held.soonest_ns() <= goes_on || self.watch.is_due(goes_on);
            if is_seen && self.carry_out() {
                continue;
            }
            if next > now {
                if out.len() >= least {
                    return Ok(());
                }
                now = next.min(until);
                self.watch.pass(now, &self.models);
                self.time.advance_to(now);
                if next > until {
                    return Ok(());
                }
            }
            match self.due.pop() {
                Some(c) if c.result == UNANSWERED => self.send_again(c.slot)?,
                Some(c) if TREES => out.extend(self.on_tree(c)),
                back => out.extend(back),
            }
        }
    }
}

/// The request as the array takes it.
#[inline]
fn as_io<'a>(request: &Request, place: SlotRoute, blocks: &'a [Identity]) -> Io<'a> {
    let op = match request.action {
        Action::Read => IoKind::Read,
        Action::Write => IoKind::Write,
        Action::Trim => IoKind::Trim,
        // A LUN has no names.
        _ => IoKind::Flush,
    };
    Io {
        lun: place.lun,
        path: 0,
        op,
        offset: request.offset,
        len: request.length,
        blocks: if op == IoKind::Write { blocks } else { &[] },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_array::{Array, FaultScript, Persona};
    use plimsoll_engine::worker::Timeline;
    use proptest::prelude::*;
    use std::collections::BinaryHeap;

    const SLOTS: u32 = 6;
    const LUN: SlotRoute = SlotRoute {
        model: 0,
        lun: 0,
        path: None,
        offset: 0,
        stride: 0,
    };

    fn models(persona: &str, faults: &str) -> Rc<RefCell<Vec<MultipathArray>>> {
        let persona = Persona::named(persona).unwrap();
        let mut array = Array::new(&persona, 64.0, 1).unwrap();
        array
            .schedule(FaultScript::parse(faults).unwrap().faults())
            .unwrap();
        Rc::new(RefCell::new(vec![MultipathArray::new(array)]))
    }

    fn watch() -> Watch {
        Watch::new(Timeline {
            start_ns: 0,
            warmup_ns: 0,
            uncounted_ns: 0,
            length_ns: 1_000_000_000,
            interval_ns: 1_000_000,
            sample_ns: 1_000_000,
            drain_ns: 0,
        })
    }

    fn request(slot: u32, action: Action, offset: u64, length: u32) -> Request {
        Request {
            slot,
            file: 0,
            action,
            offset,
            length,
            buffer: std::ptr::null_mut(),
        }
    }

    /// When each slot's requests come back where the array is asked at once.
    fn at_once(
        models: &RefCell<Vec<MultipathArray>>,
        requests: &[(Action, u64, u32)],
    ) -> Vec<(u64, u32)> {
        let mut models = models.borrow_mut();
        let mut due = BinaryHeap::new();
        let mut to_come = requests.iter();
        let mut submit = |now, slot, due: &mut BinaryHeap<_>| {
            if let Some((action, offset, length)) = to_come.next() {
                let request = request(slot, *action, *offset, *length);
                let sent = models[0].submit(now, &as_io(&request, LUN, &[]), None);
                due.push(std::cmp::Reverse((sent.completion.at_ns, slot)));
            }
        };
        (0..SLOTS).for_each(|slot| submit(0, slot, &mut due));
        let mut back = Vec::new();
        while let Some(std::cmp::Reverse((now, slot))) = due.pop() {
            let mut slots = vec![slot];
            while due.peek().is_some_and(|next| next.0.0 == now) {
                slots.extend(due.pop().map(|next| next.0.1));
            }
            for slot in slots {
                back.push((now, slot));
                submit(now, slot, &mut due);
            }
        }
        back
    }

    /// The same of the backend.
    fn held(
        models: Rc<RefCell<Vec<MultipathArray>>>,
        requests: &[(Action, u64, u32)],
    ) -> Vec<(u64, u32)> {
        let time = Time::default();
        let places = vec![LUN; SLOTS as usize];
        let mut backend = Simulated::new(time.clone(), models, places, watch());
        let mut to_come = requests.iter();
        let mut submit = |backend: &mut Simulated, slot| {
            if let Some((action, offset, length)) = to_come.next() {
                backend
                    .queue(request(slot, *action, *offset, *length))
                    .unwrap();
            }
        };
        (0..SLOTS).for_each(|slot| submit(&mut backend, slot));
        let mut back = Vec::new();
        while back.len() < requests.len() {
            let mut out = Vec::new();
            let wait = Wait::For {
                ns: u64::MAX,
                least: 1,
            };
            backend.poll(wait, &mut out).unwrap();
            for completion in out {
                back.push((time.now_ns(), completion.slot));
                submit(&mut backend, completion.slot);
            }
        }
        back
    }

    fn action() -> impl Strategy<Value = Action> {
        prop_oneof![
            Just(Action::Read),
            Just(Action::Write),
            Just(Action::Trim),
            Just(Action::Sync)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn nothing_shows_that_a_request_is_held(
            requests in proptest::collection::vec((action(), 0..2000_u64, 1..40_u32), 1..300),
        ) {
            let requests: Vec<_> = requests
                .into_iter()
                .map(|(action, at, blocks)| (action, at * 4096, blocks * 4096))
                .collect();
            let failing = "[[faults]]\nfault = \"path-down\"\npath = 0\nat = \"1ms\"\nfor = \"9ms\"\n\
                           [[faults]]\nfault = \"io-errors\"\nrate = 0.3\nat = \"5ms\"\nfor = \"20ms\"\n";
            for persona in ["scale-out-flash-8", "hybrid-hci", "single-ssd", "curve-8k", "flash-gateway"] {
                for faults in ["", failing] {
                    let expected = at_once(&models(persona, faults), &requests);
                    prop_assert_eq!(held(models(persona, faults), &requests), expected, "{}", persona);
                }
            }
        }
    }
}
