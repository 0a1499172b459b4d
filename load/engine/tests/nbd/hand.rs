//! The backend without a worker: one I/O after the other, and what each came to.

use super::content::{lun, within};
use super::serving::*;
use plimsoll_engine::backend::nbd::{Access, Ledger, Nbd, VolumeReport};
use plimsoll_engine::backend::{Action, Backend, Request, Wait};
use plimsoll_plan::{Location, Nanos, Target};
use std::sync::Arc;

/// A backend on one volume, and its account.
pub struct ByHand {
    pub backend: Nbd,
    ledger: Arc<Ledger>,
    target: Target,
}

impl ByHand {
    /// By these ports, for so many I/Os at once.
    pub fn new(ports: &[Port], slots: usize) -> Self {
        let ports: Vec<&Port> = ports.iter().collect();
        ByHand::on(lun(&ports), slots)
    }

    /// As before; an I/O may be out for so long.
    pub fn within(ports: &[Port], slots: usize, deadline_ns: u64) -> Self {
        let ports: Vec<&Port> = ports.iter().collect();
        ByHand::on(within(&ports, deadline_ns), slots)
    }

    /// As before; an I/O may be out, and without a path, for so long.
    pub fn hasty(ports: &[Port], slots: usize, ns: u64) -> Self {
        let ports: Vec<&Port> = ports.iter().collect();
        let mut target = lun(&ports);
        if let Location::Nbd(nbd) = &mut target.location {
            nbd.path_deadline = Some(Nanos(ns));
            nbd.no_path_retry = Nanos(ns);
        }
        ByHand::on(target, slots)
    }

    /// On this volume.
    pub fn on(target: Target, slots: usize) -> Self {
        let Location::Nbd(nbd) = &target.location else {
            panic!("no volume")
        };
        let ledger = Arc::new(Ledger::new(nbd.paths.len()));
        let open = super::run::open(&target, true).expect("opens");
        let access = Access {
            volume: Arc::clone(open.opened.volume().expect("a volume")),
            ledger: Arc::clone(&ledger),
            durable: false,
        };
        let backend = Nbd::new(&[access], slots).expect("connects");
        ByHand {
            backend,
            ledger,
            target,
        }
    }

    /// What the paths did.
    pub fn report(&self) -> VolumeReport {
        let Location::Nbd(nbd) = &self.target.location else {
            panic!("no volume")
        };
        VolumeReport::of("lun", &nbd.paths, &[&self.ledger], 0)
    }

    /// Does one I/O at the start of the volume: what it came to.
    pub fn one(&mut self, action: Action, buffer: &mut [u8]) -> i32 {
        queue(&mut self.backend, 0, action, 0, buffer);
        finish(&mut self.backend, 1)[0]
    }
}

/// Hands an I/O over.
pub fn queue(backend: &mut Nbd, slot: u32, action: Action, offset: u64, buffer: &mut [u8]) {
    let request = Request {
        slot,
        file: 0,
        action,
        offset,
        length: buffer.len() as u32,
        buffer: buffer.as_mut_ptr(),
    };
    backend.queue(request).expect("queued");
}

/// Waits until so many I/Os have ended: what they came to.
pub fn finish(backend: &mut Nbd, ios: usize) -> Vec<i32> {
    let mut done = Vec::new();
    while done.len() < ios {
        let wait = Wait::first(50_000_000);
        backend.poll(wait, &mut done).expect("polled");
    }
    done.iter().map(|c| c.result).collect()
}

/// Does the same with every buffer, each on a block of its own, and sends it.
pub fn send(backend: &mut Nbd, action: Action, buffers: &mut [Vec<u8>]) {
    for (slot, buffer) in (0..).zip(buffers) {
        queue(backend, slot, action, u64::from(slot) * 4096, buffer);
    }
    backend.flush().expect("sent");
}

/// Does the same with every buffer, each on a block of its own, and waits until all of it counts as done.
pub fn all(backend: &mut Nbd, action: Action, buffers: &mut [Vec<u8>]) {
    for (slot, buffer) in (0..).zip(buffers.iter_mut()) {
        queue(backend, slot, action, u64::from(slot) * 4096, buffer);
    }
    let done = finish(backend, buffers.len());
    assert!(done.iter().all(|result| *result == 4096), "{done:?}");
}
