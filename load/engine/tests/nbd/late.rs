//! Late writes: a path stalls, its write is sent again on another one, and the first copy arrives afterwards.

use super::content::lun;
use super::run::MIB;
use super::serving::*;
use plimsoll_engine::OpenTarget;
use plimsoll_engine::backend::nbd::{Access, Ledger, Nbd};
use plimsoll_engine::backend::{Action, Backend, Request, Wait};
use std::sync::Arc;

/// Writes 4 KiB of `byte` at 0, and waits until the write counts as done.
fn write(backend: &mut Nbd, buffer: &mut [u8], byte: u8) {
    buffer.fill(byte);
    let request = Request {
        slot: 0,
        file: 0,
        action: Action::Write,
        offset: 0,
        length: buffer.len() as u32,
        buffer: buffer.as_mut_ptr(),
    };
    backend.queue(request).expect("queued");
    let mut done = Vec::new();
    while done.is_empty() {
        backend
            .poll(Wait::first(50_000_000), &mut done)
            .expect("polled");
    }
    assert_eq!(done[0].result, buffer.len() as i32);
}

#[test]
fn a_write_that_was_sent_twice_cannot_undo_a_later_one() {
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    let open = OpenTarget::open(&lun(&[&ports[0], &ports[1]]), true).expect("opens");
    let access = Access {
        volume: open.volume.expect("a volume"),
        ledger: Arc::new(Ledger::new(2)),
        durable: false,
    };
    let mut backend = Nbd::new(&[access], 1).expect("connects");
    let mut buffer = vec![0; 4096];
    for port in &ports {
        port.fail_at(1, Fault::Held);
    }
    write(&mut backend, &mut buffer, 1);
    write(&mut backend, &mut buffer, 2);
    write(&mut backend, &mut buffer, 3);
    // Time for whatever may still come.
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(disk.contents()[..4096].iter().all(|b| *b == 3));
}
