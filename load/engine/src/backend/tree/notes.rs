//! Notes of what was asked for and done in each slot, between the worker and the thread that carries it out.

use crate::backend::{Action, Backend, Brought, Completion, FailedAt, Request, Wait};
use plimsoll_content::Filler;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Stream that a slot's request is for, and the action that was chosen for it.
#[derive(Debug, Default)]
pub(crate) struct Note {
    stream: AtomicU32,
    chosen: AtomicU32,
    brought: Mutex<Vec<Brought>>,
    /// Where the last operation which failed was.
    failed_at: Mutex<FailedAt>,
}

impl Note {
    /// The stream that asks for what is next in the slot.
    pub(super) fn stream(&self) -> usize {
        self.stream.load(Ordering::Relaxed) as usize
    }

    /// This was done, with what it brought.
    pub(super) fn done(&self, action: Action, brought: Vec<Brought>) {
        self.chosen.store(action as u32, Ordering::Relaxed);
        *self.brought() = brought;
    }

    /// What was done there has failed.
    pub(super) fn failed_at(&self, at: FailedAt) {
        *held(&self.failed_at) = at;
    }

    fn brought(&self) -> MutexGuard<'_, Vec<Brought>> {
        held(&self.brought)
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A backend of synchronous operations, with notes of the actions that were chosen.
pub(crate) struct OnTree<B> {
    inner: B,
    notes: Arc<[Note]>,
}

impl<B> OnTree<B> {
    pub(crate) fn new(inner: B, notes: Arc<[Note]>) -> Self {
        OnTree { inner, notes }
    }
}

/// Notes of so many slots.
pub(crate) fn notes(slots: usize) -> Arc<[Note]> {
    (0..slots).map(|_| Note::default()).collect()
}

impl<B: Backend> Backend for OnTree<B> {
    const NAME: &'static str = "threads";
    const SERIAL: bool = B::SERIAL;
    const STAMPS: bool = B::STAMPS;
    const CHOOSES: bool = true;

    fn start(&mut self, epoch_ns: u64) {
        self.inner.start(epoch_ns);
    }

    fn stamps(&self, slot: u32) -> (u64, u64) {
        self.inner.stamps(slot)
    }

    fn describe(&mut self, slot: u32, filler: &Filler, offset: u64, length: u32, generation: u64) {
        self.inner
            .describe(slot, filler, offset, length, generation);
    }

    fn asked_by(&mut self, slot: u32, stream: u32) {
        self.notes[slot as usize]
            .stream
            .store(stream, Ordering::Relaxed);
    }

    fn chosen(&self, slot: u32) -> Action {
        let chosen = self.notes[slot as usize].chosen.load(Ordering::Relaxed);
        Action::ALL[chosen as usize]
    }

    fn take_brought(&mut self, slot: u32) -> Vec<Brought> {
        std::mem::take(&mut self.notes[slot as usize].brought())
    }

    fn failed_at(&self, slot: u32) -> FailedAt {
        std::mem::take(&mut *held(&self.notes[slot as usize].failed_at))
    }

    fn queue(&mut self, request: Request) -> io::Result<()> {
        self.inner.queue(request)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }

    fn poll(&mut self, wait: Wait, out: &mut Vec<Completion>) -> io::Result<()> {
        self.inner.poll(wait, out)
    }
}
