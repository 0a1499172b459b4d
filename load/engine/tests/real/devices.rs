//! Real devices, and file systems that fill up or hang. Needs root.

use super::root::{Loop, Mount, Zram};
use super::run::*;
use plimsoll_engine::Opened;
use plimsoll_engine::backend::choose::{BackendKind, Host};
use plimsoll_engine::worker::FailureKind;
use plimsoll_plan::*;

#[test]
fn a_full_file_system_is_reported_where_it_was_met() {
    by_each(|kind| {
        // One each: the kernel gives a ring's files back some time after the ring.
        let mount = match Mount::tmpfs(MIB) {
            Ok(mount) => mount,
            Err(why) => return plimsoll_skipped::skipped!("{why}"),
        };
        let path = mount.directory.path().join(kind.to_string());
        let file = std::fs::File::create(&path).expect("creates");
        file.set_len(4 * MIB).expect("a sparse file");
        // A file that somebody has open for writing is not written.
        drop(file);
        let mut t = target(&path);
        t.caching = Caching::Buffered;
        let done = Run::new(kind, vec![t], WRITES, one_pass()).go();
        assert!(done.outcome.too_many_errors, "{kind}: {done:?}");
        assert_eq!(done.stats.bytes(), MIB, "{kind}");
        assert!(
            done.failures
                .iter()
                .all(|f| f.kind == FailureKind::Errno(libc::ENOSPC))
        );
        assert!(done.failures.iter().all(|f| f.offset >= MIB - 8 * 4096));
    });
}

#[test]
fn loop_devices_take_their_own_sectors() {
    let scratch = Scratch::new(2 * MIB);
    for sector in [512, 4096] {
        let device = match Loop::new(&scratch.path, sector) {
            Ok(device) => device,
            Err(why) => return plimsoll_skipped::skipped!("{why}"),
        };
        by_each(|kind| {
            let mut run = Run::new(kind, vec![target(&device.path)], WRITES, one_pass());
            run.step.streams[0].size = SizeSpec::Fixed(Bytes(u64::from(sector)));
            // What the backend before this one wrote must not be there already.
            run.options.seed = kind.to_string().bytes().map(u64::from).sum();
            let open = &run.open()[0];
            assert_eq!((open.logical_block, open.size), (sector, 2 * MIB));
            assert!(matches!(open.opened, Opened::Device(_)));
            assert!(open.opened.capabilities().spares_first);
            let before = std::fs::read(&device.path).expect("reads");
            let done = run.go();
            assert!(done.is_clean(), "{kind} {sector}: {done:?}");
            // All but block 0.
            assert_eq!(done.stats.bytes(), 2 * MIB - u64::from(sector));
            let after = std::fs::read(&device.path).expect("reads");
            let first = sector as usize;
            assert!(before[..first] == after[..first]);
            assert!(
                before
                    .chunks(first)
                    .zip(after.chunks(first))
                    .skip(1)
                    .all(|(b, a)| b != a)
            );
        });
    }
}

#[test]
fn a_device_that_shrinks_mid_run_fails_where_it_is_gone() {
    by_each(|kind| {
        let scratch = Scratch::new(2 * MIB);
        let device = match Loop::new(&scratch.path, 512) {
            Ok(device) => device,
            Err(why) => return plimsoll_skipped::skipped!("{why}"),
        };
        let mut run = Run::new(kind, vec![target(&device.path)], READS, every_block_once());
        run.step.interval = Nanos(20_000_000);
        let done = run.try_go(|merged, _| {
            if merged.number == 1 {
                let image = std::fs::OpenOptions::new().write(true).open(&scratch.path);
                image.and_then(|f| f.set_len(MIB)).expect("shrinks");
                device.resize().expect("takes the new size");
            }
        });
        let done = done.expect("runs");
        assert!(
            done.outcome.too_many_errors && !done.outcome.limit,
            "{kind}: {done:?}"
        );
        assert!(
            done.stats.ios() > 0
                && done
                    .outcome
                    .lost
                    .iter()
                    .all(|f| f.kind != FailureKind::InFlight)
        );
        let of_kind = |k| matches!(k, FailureKind::Short(0) | FailureKind::Errno(libc::EIO));
        assert!(
            done.failures.iter().all(|f| of_kind(f.kind)),
            "{:?}",
            done.failures
        );
    });
}

#[test]
fn zram_is_reached_synchronously() {
    let zram = match Zram::new(8 * MIB) {
        Ok(zram) => zram,
        Err(why) => return plimsoll_skipped::skipped!("{why}"),
    };
    let open = open(&target(&zram.path), true).expect("opens");
    assert_eq!((open.size, open.logical_block), (8 * MIB, 4096));
    let choice = Host::probe().choose(&open, None).expect("a backend");
    assert_eq!(choice.kind, BackendKind::Psync);
    assert!(choice.reason.contains("NOWAIT"), "{}", choice.reason);
    drop(open);
    for mix in [WRITES, READS, TRIMS] {
        let done = Run::new(
            choice.kind,
            vec![target(&zram.path)],
            mix,
            every_block_once(),
        )
        .ios(512)
        .go();
        assert!(done.is_clean(), "{done:?}");
        assert_eq!(done.outcome.workers, 8);
    }
}

#[test]
fn what_hangs_is_given_up_and_listed() {
    by_each(|kind| {
        let image = Scratch::new(16 * MIB);
        let mount = match Mount::ext4(&image.path) {
            Ok(mount) => mount,
            Err(why) => return plimsoll_skipped::skipped!("{why}"),
        };
        let path = mount.directory.path().join("data");
        std::fs::write(&path, vec![1; MIB as usize]).expect("writes");
        let mut run = Run::new(kind, vec![target(&path)], WRITES, every_block_once());
        run.step.workers.count = Some(1);
        run.step.depths[0].slots = 2;
        // Long enough that a busy host comes to freezing before the end.
        run.step.elapsed = Nanos(1_000_000_000);
        run.step.interval = Nanos(20_000_000);
        run.options.drain = Nanos(100_000_000);
        let (mut frozen, mut ios) = (None, 0);
        let done = run.try_go(|merged, _| {
            ios += merged.stats.ios();
            if ios > 0 && frozen.is_none() {
                frozen = Some(mount.freeze());
            }
        });
        let frozen = frozen.unwrap_or(Ok(()));
        let thawed = mount.thaw();
        if let Err(why) = frozen.and(thawed) {
            return plimsoll_skipped::skipped!("{why}");
        }
        let done = done.expect("runs");
        assert!(
            done.stats.ios() > 0 && done.outcome.errors == 0,
            "{kind}: {done:?}"
        );
        assert!(
            !done.outcome.lost.is_empty() || done.outcome.stuck_workers > 0,
            "{kind}: {done:?}"
        );
        for f in &done.outcome.lost {
            assert_eq!((f.kind, f.length), (FailureKind::InFlight, 4096));
            assert_eq!(f.target, run.targets[0].name);
        }
    });
}

/// libaio is not here: its submission itself waits for a frozen file system.
#[test]
fn what_comes_due_while_a_file_system_hangs_is_counted() {
    by_each(|kind| {
        if kind == BackendKind::Libaio {
            return;
        }
        let image = Scratch::new(16 * MIB);
        let mount = match Mount::ext4(&image.path) {
            Ok(mount) => mount,
            Err(why) => return println!("skipped: {why}"),
        };
        let path = mount.directory.path().join("data");
        std::fs::write(&path, vec![1; MIB as usize]).expect("writes");
        let mut run = Run::new(kind, vec![target(&path)], WRITES, every_block_once());
        run.step.load = Load::rate(Rate(200.0), Arrival::Even);
        run.step.depths[0].slots = 4;
        run.step.elapsed = Nanos(2_000_000_000);
        run.step.interval = Nanos(20_000_000);
        run.options.drain = Nanos(100_000_000);
        let (mut frozen, mut backlog) = (Ok(()), 0);
        let done = run.try_go(|merged, _| {
            backlog = merged.stats.backlog_end.max(backlog);
            if merged.number == 2 {
                frozen = mount.freeze();
            }
        });
        let thawed = mount.thaw();
        if let Err(why) = frozen.and(thawed) {
            return println!("skipped: {why}");
        }
        let done = done.expect("runs");
        let lost = done.outcome.lost.len() as u64;
        assert!((1..=4).contains(&lost), "{kind}: {done:?}");
        assert_eq!(done.stats.streams[0].due, 400, "{kind}");
        assert_eq!(backlog, 400 - done.stats.ios() - lost, "{kind}");
    });
}
