//! Late writes: a path stalls, its write is sent again on another one, and the first copy arrives afterwards.

use super::content::lun;
use super::run::MIB;
use super::serving::*;
use plimsoll_engine::backend::nbd::{Access, Ledger, Nbd};
use plimsoll_engine::backend::{Action, Backend, Request, Wait};
use std::sync::Arc;

/// A backend on a volume of two ports, for as many I/Os at once as there are buffers.
fn connect(ports: &[Port; 2], buffers: usize) -> Nbd {
    let open = super::run::open(&lun(&[&ports[0], &ports[1]]), true).expect("opens");
    let access = Access {
        volume: open.volume.expect("a volume"),
        ledger: Arc::new(Ledger::new(2)),
        durable: false,
    };
    Nbd::new(&[access], buffers).expect("connects")
}

/// Does the same with every buffer, each on a block of its own, and waits until all of it counts as done.
fn all(backend: &mut Nbd, action: Action, buffers: &mut [Vec<u8>]) {
    for (slot, buffer) in buffers.iter_mut().enumerate() {
        let request = Request {
            slot: slot as u32,
            file: 0,
            action,
            offset: slot as u64 * 4096,
            length: 4096,
            buffer: buffer.as_mut_ptr(),
        };
        backend.queue(request).expect("queued");
    }
    let mut done = Vec::new();
    while done.len() < buffers.len() {
        backend
            .poll(Wait::first(50_000_000), &mut done)
            .expect("polled");
    }
    assert!(done.iter().all(|c| c.result == 4096), "{done:?}");
}

#[test]
fn a_write_that_was_sent_twice_cannot_undo_a_later_one() {
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    let mut backend = connect(&ports, 1);
    for port in &ports {
        port.fail_at(1, Fault::Held);
    }
    for byte in [1, 2, 3] {
        all(&mut backend, Action::Write, &mut [vec![byte; 4096]]);
    }
    // Time for whatever may still come.
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(disk.contents()[..4096].iter().all(|b| *b == 3));
}

#[test]
fn a_read_gives_what_was_written_last_whatever_fails() {
    let faults = [
        Fault::Pulled,
        Fault::Held,
        Fault::Garbage,
        Fault::ShuttingDown,
        Fault::Garbage,
    ];
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    let mut backend = connect(&ports, 4);
    let mut buffers = vec![vec![0; 4096]; 4];
    for round in 0..20_u8 {
        let fault = faults[usize::from(round) % faults.len()];
        ports[usize::from(round / 3) % 2].fail_at(1 + i64::from(round * 7 % 10), fault);
        for turn in 0..4 {
            for (slot, buffer) in buffers.iter_mut().enumerate() {
                buffer.fill(round * 12 + turn * 3 + slot as u8);
            }
            let written = buffers.clone();
            all(&mut backend, Action::Write, &mut buffers);
            buffers.iter_mut().for_each(|b| b.fill(0xFF));
            all(&mut backend, Action::Read, &mut buffers);
            assert!(buffers == written, "round {round}, {fault:?}, turn {turn}");
        }
        ports.iter().for_each(Port::heal);
    }
}
