//! Late writes: a path stalls, its write is sent again on another one, and the first copy arrives afterwards. And late
//! answers, of connections that were given up.

use super::hand::*;
use super::run::MIB;
use super::serving::*;
use plimsoll_engine::backend::Action;

/// A deadline that is waited for, ns.
const HASTY_NS: u64 = 500_000_000;

#[test]
fn a_write_that_was_sent_twice_cannot_undo_a_later_one() {
    for fault in [Fault::Held, Fault::HalfClosed] {
        let disk = Disk::new(MIB);
        let ports = [Port::new(&disk), Port::new(&disk)];
        let mut hand = ByHand::within(&ports, 1, 1_000_000_000);
        for port in &ports {
            port.fail_at(1, fault);
        }
        for byte in [1, 2, 3] {
            let backend = &mut hand.backend;
            all(backend, Action::Write, &mut [vec![byte; 4096]]);
        }
        disk.wait_for_the_late();
        let contents = disk.contents();
        assert!(contents[..4096].iter().all(|b| *b == 3), "{fault:?}");
        assert_eq!(hand.report().unconfirmed, 0, "{fault:?}");
    }
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
    let mut backend = ByHand::within(&ports, 4, HASTY_NS).backend;
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

#[test]
fn a_late_answer_to_a_read_does_not_end_it_without_its_data() {
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk)];
    let mut hand = ByHand::within(&ports, 1, HASTY_NS);
    assert_eq!(hand.one(Action::Write, &mut [7; 4096]), 4096);
    ports[0].fail_at(1, Fault::Late);
    let mut buffer = [0xEE; 4096];
    assert_eq!(hand.one(Action::Read, &mut buffer), 4096);
    assert!(buffer == [7; 4096]);
}

#[test]
fn a_late_word_of_shutting_down_is_no_answer() {
    for paths in [1, 2] {
        let disk = Disk::new(MIB);
        let ports: Vec<Port> = (0..paths).map(|_| Port::new(&disk)).collect();
        let mut hand = ByHand::within(&ports, 8, HASTY_NS);
        let mut buffers = vec![vec![0; 4096]; 8];
        for round in 1..4 {
            ports.iter().for_each(|p| p.fail_at(3, Fault::LateShutdown));
            for action in [Action::Write, Action::Read] {
                let fill = if action == Action::Write { round } else { 0xEE };
                buffers.iter_mut().for_each(|b| b.fill(fill));
                all(&mut hand.backend, action, &mut buffers);
            }
            assert!(buffers.iter().flatten().all(|b| *b == round), "{round}");
            assert!(disk.contents()[..8 * 4096].iter().all(|b| *b == round));
        }
        let report = hand.report();
        assert!(report.paths.iter().all(|p| p.errors == 0), "{report:?}");
        assert!(report.paths[0].moved > 0, "{report:?}");
    }
}

#[test]
fn a_write_that_is_always_refused_as_by_a_server_that_leaves_fails_in_the_end() {
    let disk = Disk::new(MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    let mut hand = ByHand::hasty(&ports, 1, 500_000_000);
    ports.iter().for_each(|p| p.fail_at(1, Fault::NoWrites));
    assert_eq!(hand.one(Action::Write, &mut [7; 4096]), -libc::EIO);
    assert!(disk.contents()[..4096].iter().all(|b| *b == 0));
    ports.iter().for_each(Port::heal);
    assert_eq!(hand.one(Action::Write, &mut [7; 4096]), 4096);
}
