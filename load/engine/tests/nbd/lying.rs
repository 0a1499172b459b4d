//! Servers that lie, or change what they are.

use super::hand::*;
use super::run::MIB;
use super::serving::*;
use plimsoll_engine::backend::Action;
use plimsoll_engine::backend::nbd::ClientPathState;
use plimsoll_nbd::TransmissionFlags;
use std::time::Duration;

/// Without the promise that connections see each other's writes.
const APART: TransmissionFlags = ALL.difference(TransmissionFlags::MULTI_CONN);

#[test]
fn half_of_a_read_twice_is_not_the_read() {
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    let mut hand = ByHand::new(&ports, 1);
    assert_eq!(hand.one(Action::Write, &mut [7; 4096]), 4096);
    for port in &ports {
        port.fail_at(1, Fault::Twice);
    }
    // Each path lies once, and is good when it comes back.
    for _ in 0..2 {
        let mut buffer = [0xEE; 4096];
        assert_eq!(hand.one(Action::Read, &mut buffer), 4096);
        assert!(buffer == [7; 4096]);
    }
    let report = hand.report();
    assert!(report.events[0].why.contains("twice"), "{report:?}");
    assert!(report.paths.iter().all(|p| p.moved == 1), "{report:?}");
}

#[test]
fn what_a_server_does_not_send_is_counted_as_holes() {
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk)];
    let mut hand = ByHand::new(&ports, 1);
    // Of what is zeros this server sends the second half alone.
    assert_eq!(hand.one(Action::Read, &mut [0xEE; 8192]), 8192);
    assert_eq!(hand.one(Action::Write, &mut [7; 4096]), 4096);
    assert_eq!(hand.one(Action::Read, &mut [0xEE; 4096]), 4096);
    let path = &hand.report().paths[0];
    assert_eq!((path.read_bytes, path.hole_bytes), (12_288, 4096));
}

#[test]
fn a_server_that_always_lies_gets_errors_and_not_successes() {
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk)];
    let mut hand = ByHand::hasty(&ports, 1, 100_000_000);
    ports[0].fail_at(1, Fault::AlwaysTwice);
    assert_eq!(hand.one(Action::Read, &mut [0xEE; 4096]), -libc::EIO);
}

#[test]
fn a_write_is_not_done_before_it_was_sent() {
    let disk = Disk::new(8 * MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    let mut hand = ByHand::new(&ports, 1);
    for port in &ports {
        port.fail_at(1, Fault::Early);
    }
    // Longer than what a socket takes at once.
    let mut bytes: Vec<u8> = (0..8 * MIB).map(|i| (i % 251) as u8).collect();
    assert_eq!(hand.one(Action::Write, &mut bytes), bytes.len() as i32);
    assert!(disk.contents() == bytes);
    let report = hand.report();
    assert!(report.events[0].why.contains("not in flight"), "{report:?}");
}

#[test]
fn a_flush_covers_what_each_connection_wrote_where_none_speaks_for_the_others() {
    let disk = Disk::new(MIB);
    for (flags, flushes) in [(APART, [1, 1]), (ALL, [1, 0])] {
        let ports = [(); 2].map(|()| Port::with(&disk, flags, 1, 32 << 20));
        let mut hand = ByHand::new(&ports, 4);
        all(
            &mut hand.backend,
            Action::Write,
            &mut vec![vec![1; 4096]; 4],
        );
        assert_eq!(hand.one(Action::Sync, &mut []), 0);
        let mut made = [0, 1].map(|i: usize| ports[i].flushes());
        made.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(made, flushes);
        // Nothing was written since: one is enough.
        assert_eq!(hand.one(Action::Sync, &mut []), 0);
        let made: u64 = ports.iter().map(Port::flushes).sum();
        assert_eq!(made, flushes.iter().sum::<u64>() + 1);
    }
}

#[test]
fn a_flush_fails_where_unflushed_writes_went_with_their_connection() {
    for (flags, result) in [(APART, -libc::EIO), (ALL, 0)] {
        let disk = Disk::new(MIB);
        let ports = [Port::with(&disk, flags, 1, 32 << 20)];
        let mut hand = ByHand::new(&ports, 1);
        assert_eq!(hand.one(Action::Write, &mut [1; 4096]), 4096);
        ports[0].fail_at(1, Fault::Garbage);
        assert_eq!(hand.one(Action::Read, &mut [0; 4096]), 4096);
        assert_eq!(hand.one(Action::Sync, &mut []), result);
        // That was said; what is written from here on is another matter.
        assert_eq!(hand.one(Action::Write, &mut [2; 4096]), 4096);
        assert_eq!(hand.one(Action::Sync, &mut []), 0);
    }
}

#[test]
fn a_server_that_comes_back_as_another_one_is_not_used() {
    let changes: [fn(&Disk, &Port); 3] = [
        |disk, _| disk.resize(2 * MIB),
        |_, port| port.offer(ALL | TransmissionFlags::READ_ONLY),
        |_, port| port.offer(APART),
    ];
    for (number, change) in changes.iter().enumerate() {
        let disk = Disk::new(MIB);
        let ports = [Port::new(&disk)];
        let mut hand = ByHand::hasty(&ports, 1, 300_000_000);
        change(&disk, &ports[0]);
        ports[0].fail_at(1, Fault::Garbage);
        let mut buffer = [0; 4096];
        let result = hand.one(Action::Write, &mut buffer);
        assert_eq!(result, -libc::EIO, "change {number}");
        let back = hand
            .report()
            .events
            .iter()
            .any(|e| e.state == ClientPathState::Up);
        assert!(!back, "change {number}");
    }
}

#[test]
fn time_in_which_this_process_stands_still_is_not_the_paths() {
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    let mut hand = ByHand::hasty(&ports, 2, 500_000_000);
    let before = ports.iter().map(Port::answered).sum::<u64>();
    let mut buffers = [[0; 4096], [0; 4096]];
    for (slot, buffer) in buffers.iter_mut().enumerate() {
        queue(&mut hand.backend, slot as u32, Action::Read, 0, buffer);
    }
    plimsoll_engine::backend::Backend::flush(&mut hand.backend).expect("sent");
    let answered = || ports.iter().map(Port::answered).sum::<u64>();
    soon(|| answered() >= before + 2);
    // As when it is stopped here, past the deadline; the answers lie in the sockets.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(finish(&mut hand.backend, 2), [4096, 4096]);
    assert!(hand.report().events.is_empty(), "{:?}", hand.report());
}
