//! What is written arrives, once and in its place, by one path and by two, of which one is pulled.

use super::run::*;
use super::serving::*;
use plimsoll_content::{ContentPlan, Filler};
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::backend::nbd::ClientPathState;
use plimsoll_engine::content::content_seed;
use plimsoll_plan::*;
use std::collections::HashSet;
use std::sync::atomic::Ordering;

/// A target that is reached by these ports in turn. Nobody who works at all is as slow as its deadline, however busy the
/// machine is.
pub fn lun(ports: &[&Port]) -> Target {
    within(ports, 10_000_000_000)
}

/// The same with a deadline in ns.
pub fn within(ports: &[&Port], deadline_ns: u64) -> Target {
    let uris: Vec<&str> = ports.iter().map(|p| p.uri.as_str()).collect();
    let mut nbd: NbdTarget = uris.join(",").parse().expect("addresses");
    nbd.path_deadline = Some(Nanos(deadline_ns));
    nbd.selector = Selector::RoundRobin;
    Target {
        name: "lun".into(),
        location: Location::Nbd(nbd),
        ..target(std::path::Path::new("lun"))
    }
}

pub fn select(target: &mut Target, selector: Selector) {
    if let Location::Nbd(nbd) = &mut target.location {
        nbd.selector = selector;
    }
}

/// The (worker, its number of the write) of each block; panics where a block is none of the run's, or damaged.
fn writers(data: &[u8], workers: u64, each: u64) -> Vec<(u64, u64)> {
    let filler = Filler::new(ContentPlan::Unique, content_seed(7, TargetId(0)));
    let block = |(i, got): (usize, &[u8])| {
        let offset = (i * 4096) as u64;
        let mut expected = vec![0; 4096];
        let writer = (0..workers)
            .flat_map(|w| (1..=each).map(move |n| (w, n)))
            .find(|(w, n)| {
                filler.fill(&mut expected[..16], offset, (w << 40) + n);
                expected[..16] == got[..16]
            });
        let (w, n) = writer.unwrap_or_else(|| panic!("nobody wrote the block at {offset}"));
        filler.fill(&mut expected, offset, (w << 40) + n);
        assert!(expected == got, "the block at {offset} is damaged");
        (w, n)
    };
    data.chunks(4096).enumerate().map(block).collect()
}

/// Every block was written once, by one of two workers with so many writes each.
pub fn all_written_once(data: &[u8], each: u64) {
    let found: HashSet<(u64, u64)> = writers(data, 2, each).into_iter().collect();
    assert_eq!(found.len() as u64, 2 * each);
}

#[test]
fn one_path_carries_writes_and_reads() {
    let disk = Disk::new(2 * MIB);
    let port = Port::new(&disk);
    let run = Run::new(
        BackendKind::Nbd,
        vec![lun(&[&port])],
        WRITES,
        every_block_once(),
    )
    .ios(512);
    let done = run.go();
    assert!(done.is_clean(), "{done:?}");
    all_written_once(&disk.contents(), 256);
    let path = &done.outcome.volumes[0].paths[0];
    assert_eq!((path.ios, path.errors, path.moved), (512, 0, 0));
    let read = Run::new(BackendKind::Nbd, vec![lun(&[&port])], READS, one_pass()).go();
    assert!(read.is_clean(), "{read:?}");
    assert_eq!(read.stats.bytes(), 2 * MIB);
}

#[test]
fn large_ios_pass_in_pieces_of_whatever_the_sockets_take() {
    let disk = Disk::new(8 * MIB);
    let port = Port::new(&disk);
    let mut run = Run::new(BackendKind::Nbd, vec![lun(&[&port])], WRITES, one_pass());
    run.step.streams[0].size = SizeSpec::Fixed(Bytes(MIB));
    run.step.workers.count = Some(1);
    let done = run.go();
    assert!(done.is_clean(), "{done:?}");
    let filler = Filler::new(ContentPlan::Unique, content_seed(7, TargetId(0)));
    let mut expected = vec![0; MIB as usize];
    for (n, got) in disk.contents().chunks(MIB as usize).enumerate() {
        filler.fill(&mut expected, n as u64 * MIB, n as u64 + 1);
        assert!(expected == got, "the block {n}");
    }
    run.step.streams[0].mix = READS;
    let read = run.go();
    assert!(read.is_clean() && read.stats.bytes() == 8 * MIB, "{read:?}");
}

#[test]
fn every_selector_uses_both_paths() {
    for (name, selector) in Selector::NAMES {
        let disk = Disk::new(2 * MIB);
        let ports = [Port::new(&disk), Port::new(&disk)];
        let mut target = lun(&[&ports[0], &ports[1]]);
        select(&mut target, selector);
        let done = Run::new(BackendKind::Nbd, vec![target], WRITES, every_block_once())
            .ios(512)
            .go();
        assert!(done.is_clean(), "{name}: {done:?}");
        all_written_once(&disk.contents(), 256);
        let paths = &done.outcome.volumes[0].paths;
        assert_eq!(paths[0].ios + paths[1].ios, 512, "{name}");
        assert!(paths.iter().all(|p| p.ios > 0), "{name}: {paths:?}");
        assert!(selector != Selector::RoundRobin || paths[0].ios.abs_diff(256) <= 2);
    }
}

#[test]
fn nothing_is_lost_or_misplaced_when_a_path_is_pulled() {
    for fault in [Fault::Pulled, Fault::Garbage, Fault::ShuttingDown] {
        let disk = Disk::new(2 * MIB);
        let ports = [Port::new(&disk), Port::new(&disk)];
        ports[0].fail_at(60, fault);
        let done = Run::new(
            BackendKind::Nbd,
            vec![lun(&[&ports[0], &ports[1]])],
            WRITES,
            every_block_once(),
        )
        .ios(512)
        .go();
        assert!(done.is_clean(), "{fault:?}: {done:?}");
        assert_eq!(done.stats.ios(), 512);
        all_written_once(&disk.contents(), 256);
        let volume = &done.outcome.volumes[0];
        assert!(volume.paths[0].moved > 0, "{fault:?}: {volume:?}");
        let first = &volume.events[0];
        assert_eq!(first.path, 0, "{fault:?}");
        assert_eq!(first.state, ClientPathState::Down, "{fault:?}");
        assert!(!first.why.is_empty());
    }
}

#[test]
fn a_path_that_stalls_is_left_at_its_deadline() {
    let disk = Disk::new(2 * MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    ports[0].fail_at(60, Fault::Stalled);
    let done = Run::new(
        BackendKind::Nbd,
        vec![within(&[&ports[0], &ports[1]], 500_000_000)],
        WRITES,
        every_block_once(),
    )
    .ios(512)
    .go();
    assert!(done.is_clean(), "{done:?}");
    all_written_once(&disk.contents(), 256);
    let volume = &done.outcome.volumes[0];
    assert!(volume.events[0].why.contains("no answer in 500 ms"));
    // It never closed what it held: those writes may still arrive, and that is said.
    assert!(volume.unconfirmed > 0, "{volume:?}");
    ports[0].heal();
}

#[test]
fn a_path_that_comes_back_takes_load_again() {
    let disk = Disk::new(2 * MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    ports[0].fail_at(60, Fault::Pulled);
    let mut run = Run::new(
        BackendKind::Nbd,
        vec![lun(&[&ports[0], &ports[1]])],
        WRITES,
        Pattern::RANDOM,
    );
    run.step.interval = Nanos(50_000_000);
    let mut written = None;
    let done = run
        .try_go(|_, control| match written {
            None if ports[0].is_down() => {
                ports[0].heal();
                // All connections were cut: whatever is written from here on comes by a new one.
                written = Some(ports[0].written());
            }
            Some(before) if ports[0].written() > before => control.stop(),
            _ => {}
        })
        .expect("runs");
    assert!(
        done.outcome.errors == 0 && done.outcome.lost.is_empty(),
        "{done:?}"
    );
    let volume = &done.outcome.volumes[0];
    let states: Vec<ClientPathState> = volume.events.iter().map(|e| e.state).collect();
    assert_eq!(
        states,
        [ClientPathState::Down, ClientPathState::Up],
        "{volume:?}"
    );
}

#[test]
fn ios_wait_while_all_paths_are_down() {
    let disk = Disk::new(2 * MIB);
    let ports = [Port::new(&disk), Port::new(&disk)];
    for port in &ports {
        port.fail_at(60, Fault::Pulled);
    }
    let mut run = Run::new(
        BackendKind::Nbd,
        vec![lun(&[&ports[0], &ports[1]])],
        WRITES,
        every_block_once(),
    )
    .ios(512);
    run.step.interval = Nanos(100_000_000);
    let mut idle = 0;
    let done = run
        .try_go(|merged, _| {
            let down = ports.iter().all(Port::is_down);
            idle += u32::from(down && merged.stats.ios() == 0);
            if idle == 2 {
                ports.iter().for_each(Port::heal);
            }
        })
        .expect("runs");
    assert!(done.is_clean(), "{done:?}");
    assert!(idle >= 2);
    all_written_once(&disk.contents(), 256);
}

#[test]
fn durability_trims_and_flushes_are_asked_of_the_server() {
    let disk = Disk::new(MIB / 4);
    let port = Port::new(&disk);
    for (durability, durable, flushes) in [
        (Durability::Dsync, 64, 0),
        (Durability::FsyncEvery(8), 0, 8),
        (Durability::FsyncAtEnd, 0, 1),
    ] {
        for counter in [&disk.durable, &disk.flushes] {
            counter.store(0, Ordering::Relaxed);
        }
        let mut target = lun(&[&port]);
        target.durability = durability;
        let done = Run::new(BackendKind::Nbd, vec![target], WRITES, one_pass()).go();
        assert!(done.is_clean(), "{durability:?}: {done:?}");
        assert_eq!(disk.durable.load(Ordering::Relaxed), durable);
        // The last writes of a pass may owe a flush that is not sent any more, and one is sent at the end.
        let sent = disk.flushes.load(Ordering::Relaxed);
        assert!(sent.abs_diff(flushes) <= 2, "{durability:?}: {sent}");
    }
    let done = Run::new(BackendKind::Nbd, vec![lun(&[&port])], TRIMS, one_pass()).go();
    assert!(done.is_clean(), "{done:?}");
    assert_eq!(disk.trims.load(Ordering::Relaxed), 64);
    assert!(disk.contents().iter().all(|b| *b == 0));
}
