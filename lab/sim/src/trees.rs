//! Operations on trees, played on a filer: what the tree's own model chose and asked for, call by call in virtual time.

use crate::due::Due;
use crate::multipath::{MultipathArray, TIMEOUT_NS};
use crate::route::SlotRoute;
use plimsoll_array::filer::{Call, FilerEvent, Happened};
use plimsoll_array::{CHUNK, Io, IoKind, Status};
use plimsoll_engine::backend::{Action, Brought, Completion, Request};
use plimsoll_engine::tree::{CallRecord, Entry, TreeCall};
use plimsoll_engine::{Given, Hands, Script, seed_for};
use plimsoll_plan::Op;
use std::cell::RefCell;
use std::rc::Rc;

/// Result of what is no operation's end, for us alone: an event of a filer.
pub(crate) const GOES_ON: i32 = i32::MIN + 16;
/// What a host sees of bytes that the array did not give: EIO of errno(3).
const FAILED: i32 = -5;
/// Bit of a slot's number that is the log of a share, with the model's number and the share's.
const LOG: u32 = 1 << 31;

/// Operations under way on trees.
pub(crate) struct Trees {
    models: Rc<RefCell<Vec<MultipathArray>>>,
    /// By the number of the target.
    on: Vec<Option<SlotRoute>>,
    record: CallRecord,
    slots: Vec<Slot>,
}

struct Slot {
    hands: Hands,
    /// Stream that asks for what is next.
    stream: u32,
    script: Script,
    /// Call under way.
    call: Option<TreeCall>,
    /// Path over which its bytes were sent and not answered.
    unanswered: Option<usize>,
    brought: Vec<Brought>,
}

impl Trees {
    /// Of a step's slots.
    pub fn new(
        models: Rc<RefCell<Vec<MultipathArray>>>,
        on: Vec<Option<SlotRoute>>,
        record: CallRecord,
        given: &Given<'_>,
    ) -> Self {
        let count: u32 = given.pools.iter().map(|pool| pool.slots).sum();
        let slot = |number| Slot {
            hands: Hands::of_scripts(given.trees.into(), seed_for(given.tree_seed, &[number])),
            stream: 0,
            script: Script::default(),
            call: None,
            unanswered: None,
            brought: Vec::new(),
        };
        Trees {
            models,
            on,
            record,
            slots: (0..u64::from(count)).map(slot).collect(),
        }
    }

    /// What logs had to do when the last step ended goes on.
    pub fn resume(&mut self, now_ns: u64, due: &mut Due) {
        let models = self.models.borrow().len();
        for model in 0..models {
            if let Some(filer) = &mut self.models.borrow_mut()[model].filer {
                filer.resume(now_ns);
            }
            self.enter(model, due);
        }
    }

    pub fn asked_by(&mut self, slot: u32, stream: u32) {
        self.slots[slot as usize].stream = stream;
    }

    pub fn chosen(&self, slot: u32) -> Action {
        self.slots[slot as usize].script.action
    }

    pub fn take_brought(&mut self, slot: u32) -> Vec<Brought> {
        std::mem::take(&mut self.slots[slot as usize].brought)
    }

    /// A request of the stream that asked last.
    pub fn begin(&mut self, now_ns: u64, request: &Request, due: &mut Due) {
        let slot = &mut self.slots[request.slot as usize];
        slot.script = slot
            .hands
            .script(slot.stream as usize, request, &self.record);
        self.play(now_ns, request.slot, due);
    }

    /// The next call of a slot's operation, or its end.
    fn play(&mut self, now_ns: u64, number: u32, due: &mut Due) {
        let slot = &mut self.slots[number as usize];
        // What failed ends its operation, as in a program that looks at each call's result.
        slot.call = match slot.script.result {
            FAILED => None,
            _ => slot.script.next_call(now_ns),
        };
        let on = |call: TreeCall| Some((call, self.on[call.tree as usize]?));
        let Some((call, route)) = slot.call.and_then(on) else {
            let completion = Completion {
                slot: number,
                result: slot.script.result,
            };
            due.push(now_ns + slot.script.pause_ns, completion);
            return;
        };
        let model = route.model;
        if let Some(filer) = &mut self.models.borrow_mut()[model].filer {
            filer.call(now_ns, number, as_call(&call, route));
        }
        self.enter(model, due);
    }

    /// An event of a filer, at its time.
    pub fn happen(&mut self, now_ns: u64, number: u32, due: &mut Due) {
        if number & LOG == 0 && self.slots[number as usize].unanswered.is_some() {
            self.move_bytes(now_ns, number, due);
            return;
        }
        let (model, event) = match number & LOG {
            0 => {
                let call = self.slots[number as usize].call;
                let on = call.and_then(|call| self.on[call.tree as usize]);
                (on.map_or(0, |on| on.model), FilerEvent::Call(number))
            }
            _ => (
                (number & !LOG) as usize >> 16,
                FilerEvent::Log(number & 0xffff),
            ),
        };
        let happened = {
            let filer = &mut self.models.borrow_mut()[model].filer;
            filer.as_mut().and_then(|filer| filer.happen(now_ns, event))
        };
        self.enter(model, due);
        match happened {
            Some(Happened::Answered(number)) => self.play(now_ns, number, due),
            Some(Happened::NeedsArray(number)) => {
                self.move_bytes(now_ns, number, due);
            }
            None => {}
        }
    }

    /// Puts what a filer waits for among what is due.
    fn enter(&self, model: usize, due: &mut Due) {
        let Some(filer) = &mut self.models.borrow_mut()[model].filer else {
            return;
        };
        for (at_ns, event) in filer.events() {
            let slot = match event {
                FilerEvent::Call(number) => number,
                FilerEvent::Log(share) => LOG | (model as u32) << 16 | share,
            };
            let result = GOES_ON;
            due.push(at_ns, Completion { slot, result });
        }
    }

    /// Has the array move the bytes of a call. A path that did not answer has failed when their time is up, and they go over another,
    /// unless the target names the one to take.
    fn move_bytes(&mut self, now_ns: u64, number: u32, due: &mut Due) {
        let slot = &mut self.slots[number as usize];
        let given_up = slot.unanswered.take();
        let on = |call: TreeCall| Some((call, self.on[call.tree as usize]?));
        let Some((call, route)) = slot.call.and_then(on) else {
            return;
        };
        let model = &mut self.models.borrow_mut()[route.model];
        if let Some(path) = given_up {
            model.gave_up(path, now_ns);
        }
        let io = as_io(&call, route, model.array.lun_bytes());
        let sent = model.submit(now_ns, &io, route.path);
        let at_ns = match sent.completion.status {
            Status::Done => sent.completion.at_ns,
            Status::Lost if route.path.is_none() => {
                slot.unanswered = Some(sent.path);
                now_ns.saturating_add(TIMEOUT_NS)
            }
            failed => {
                slot.script.result = FAILED;
                match failed {
                    Status::Lost => now_ns.saturating_add(TIMEOUT_NS),
                    _ => sent.completion.at_ns,
                }
            }
        };
        let completion = Completion {
            slot: number,
            result: GOES_ON,
        };
        due.push(at_ns, completion);
    }

    /// The operation in a slot is through.
    pub fn end(&mut self, slot: u32) {
        let slot = &mut self.slots[slot as usize];
        slot.brought = slot.script.end();
    }
}

impl Drop for Trees {
    /// What was begun and not ended is given back to the trees.
    fn drop(&mut self) {
        for mut slot in self.slots.drain(..) {
            slot.script.end();
        }
        self.record.take().end();
    }
}

/// The call as a filer takes it.
fn as_call(call: &TreeCall, route: SlotRoute) -> Call {
    // Files, directories and the root have numbers of their own.
    let directory = |directory: Option<u64>| directory.map_or(0, |number| 2 * number + 2);
    Call {
        op: call.op,
        mount: call.tree,
        share: route.lun,
        entry: match call.entry {
            Entry::File(number) => 2 * number + 1,
            Entry::Directory(number) => directory(Some(number)),
        },
        directory: directory(call.directory),
        bytes: call.bytes,
        is_durable: call.is_durable,
    }
}

/// Where the bytes of a call are on the LUN: each file has a place of its own there, in whole chunks.
fn as_io(call: &TreeCall, route: SlotRoute, lun_bytes: u64) -> Io<'static> {
    let number = match call.entry {
        Entry::File(number) | Entry::Directory(number) => number,
    };
    let at = number * route.stride + call.offset;
    let (first, end) = (
        at / CHUNK * CHUNK,
        (at + u64::from(call.bytes)).next_multiple_of(CHUNK),
    );
    let len = (end - first).min(lun_bytes);
    Io {
        lun: route.lun,
        path: 0,
        op: match call.op {
            Op::Write => IoKind::Write,
            _ => IoKind::Read,
        },
        // Which file lies where beyond the end changes nothing.
        offset: first % (lun_bytes - len + CHUNK),
        len: len as u32,
        blocks: &[],
    }
}
