//! What cannot be reached, is not what it should be, or answers with errors.

use super::content::lun;
use super::run::*;
use super::serving::*;
use plimsoll_engine::EngineError;
use plimsoll_engine::backend::Action;
use plimsoll_engine::backend::choose::{BackendKind, Host};
use plimsoll_engine::worker::FailureKind;
use plimsoll_nbd::TransmissionFlags;
use plimsoll_plan::*;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};

fn refusal(target: &Target) -> String {
    open(target, true).expect_err("refused").to_string()
}

#[test]
fn what_is_not_served_is_named() {
    let disk = Disk::new(MIB);
    let port = Port::new(&disk);
    let mut other = lun(&[&port]);
    if let Location::Nbd(nbd) = &mut other.location {
        nbd.paths[0].export = "nosuch".into();
    }
    let message = refusal(&other);
    assert!(
        message.contains("nosuch") && message.contains("no such export"),
        "{message}"
    );
    let nobody = "nbd+unix:///lun?socket=/nonexistent/socket";
    let mut gone = lun(&[&port]);
    gone.location = Location::parse(nobody).expect("an address");
    let message = refusal(&gone);
    assert!(
        message.starts_with(nobody) && message.contains("cannot connect"),
        "{message}"
    );
}

#[test]
fn a_path_that_is_down_at_the_start_is_said_and_done_without() {
    let disk = Disk::new(MIB);
    let port = Port::new(&disk);
    let mut target = lun(&[&port]);
    if let Location::Nbd(nbd) = &mut target.location {
        let gone = "nbd+unix:///lun?socket=/nonexistent/socket";
        nbd.paths.insert(0, gone.parse().expect("an address"));
    }
    let run = Run::new(BackendKind::Nbd, vec![target], WRITES, one_pass());
    let choice = Host::probe().choose(&run.open()[0], None).expect("chosen");
    assert_eq!(choice.kind, BackendKind::Nbd);
    assert!(
        choice.reason.contains("/nonexistent/socket is down"),
        "{}",
        choice.reason
    );
    let done = run.go();
    assert!(done.is_clean(), "{done:?}");
    assert_eq!(done.outcome.volumes[0].events[0].path, 0);
}

/// What somebody does with a client.
type Way = fn(UnixStream);

#[test]
fn who_does_not_speak_nbd_is_refused_in_a_sentence() {
    let ways: [(&str, Way); 3] = [
        ("does not begin as NBD", |mut s| {
            s.write_all(&[0x55; 64]).expect("sent")
        }),
        ("the server hung up", drop),
        // It listens until the client leaves.
        ("no answer in 1000 ms", |mut s| {
            let _ = s.read_to_end(&mut Vec::new());
        }),
    ];
    for (message, way) in ways {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).expect("a socket");
        std::thread::spawn(move || listener.incoming().flatten().for_each(way));
        let mut target = lun(&[&Port::new(&Disk::new(MIB))]);
        if let Location::Nbd(nbd) = &mut target.location {
            let uri = format!("nbd+unix:///lun?socket={}", socket.display());
            nbd.paths = vec![uri.parse().expect("an address")];
            nbd.path_deadline = Some(Nanos::secs(1));
        }
        let refused = refusal(&target);
        assert!(refused.contains(message), "{refused}");
    }
}

#[test]
fn a_server_that_takes_nobody_is_not_waited_for_without_end() {
    use rustix::net::*;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s");
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).expect("a socket");
    let address = SocketAddrUnix::new(&path).expect("an address");
    bind(&listener, &address).expect("bound");
    listen(&listener, 0).expect("listens");
    // It takes one more than none, and then lets everyone wait.
    let _first = UnixStream::connect(&path).expect("waits in the queue");
    let mut target = lun(&[&Port::new(&Disk::new(MIB))]);
    if let Location::Nbd(nbd) = &mut target.location {
        let uri = format!("nbd+unix:///lun?socket={}", path.display());
        nbd.paths = vec![uri.parse().expect("an address")];
        nbd.path_deadline = Some(Nanos::secs(1));
    }
    let refused = refusal(&target);
    assert!(refused.contains("cannot connect: timed out"), "{refused}");
}

#[test]
fn paths_to_different_volumes_are_refused() {
    let (one, other) = (Disk::new(MIB), Disk::new(2 * MIB));
    let message = refusal(&lun(&[&Port::new(&one), &Port::new(&other)]));
    assert!(message.contains("another volume"), "{message}");
    let same_size = Disk::new(MIB);
    let written = Run::new(
        BackendKind::Nbd,
        vec![lun(&[&Port::new(&same_size)])],
        WRITES,
        one_pass(),
    )
    .go();
    assert!(written.is_clean());
    let message = refusal(&lun(&[&Port::new(&one), &Port::new(&same_size)]));
    assert!(message.contains("something else at byte 0"), "{message}");
}

#[test]
fn what_an_export_cannot_do_is_refused_before_the_run() {
    use TransmissionFlags as Flags;
    let disk = Disk::new(MIB);
    let without = |flag| Port::with(&disk, ALL - flag, 1, 32 << 20);
    let durable = |port: &Port, durability| {
        let mut target = lun(&[port]);
        target.durability = durability;
        target
    };
    let read_only = Port::with(&disk, ALL | Flags::READ_ONLY, 1, 32 << 20);
    for (target, message) in [
        (durable(&read_only, Durability::None), "is read-only"),
        (
            durable(&without(Flags::FUA), Durability::Dsync),
            "has no FUA",
        ),
        (
            durable(&without(Flags::FLUSH), Durability::FsyncEvery(4)),
            "has no FLUSH",
        ),
        (
            durable(&without(Flags::MULTI_CONN), Durability::FsyncAtEnd),
            "does not offer MULTI_CONN",
        ),
    ] {
        let refused = refusal(&target);
        assert!(refused.contains(message), "{refused}");
    }
    let small = Port::with(&disk, ALL, 512, 4096);
    let mut run = Run::new(BackendKind::Nbd, vec![lun(&[&small])], READS, one_pass());
    run.step.streams[0].size = SizeSpec::Fixed(Bytes(8192));
    let refused = run.try_go(|_, _| {}).expect_err("refused");
    assert!(
        matches!(&refused, EngineError::Export { what, .. } if what.contains("at most 4KiB")),
        "{refused}"
    );
    assert_eq!(run.open()[0].logical_block, 512);
    // An export that takes one connection only.
    let alone = without(Flags::MULTI_CONN);
    let run = Run::new(
        BackendKind::NbdAlone,
        vec![lun(&[&alone])],
        READS,
        one_pass(),
    );
    let choice = Host::probe().choose(&run.open()[0], None).expect("chosen");
    assert_eq!(choice.kind, BackendKind::NbdAlone);
    assert!(choice.reason.contains("one worker"), "{}", choice.reason);
    let done = run.go();
    assert!(done.is_clean() && done.outcome.workers == 1, "{done:?}");
}

#[test]
fn errors_of_the_volume_are_counted_and_located_and_not_tried_elsewhere() {
    for (fault, kind) in [
        (Fault::Error, FailureKind::Errno(libc::EIO)),
        (Fault::Half, FailureKind::Short(2048)),
    ] {
        let disk = Disk::new(MIB);
        let ports = [Port::new(&disk), Port::new(&disk)];
        ports[0].fail_at(40, fault);
        let target = lun(&[&ports[0], &ports[1]]);
        let done = Run::new(BackendKind::Nbd, vec![target], READS, one_pass()).go();
        assert_eq!(done.outcome.errors, 1, "{fault:?}: {done:?}");
        let failure = &done.failures[0];
        assert_eq!((failure.action, failure.kind), (Action::Read, kind));
        assert!(failure.offset < MIB && failure.target == "lun");
        let volume = &done.outcome.volumes[0];
        assert!(volume.events.is_empty() && volume.paths[0].moved == 0);
    }
}

#[test]
fn without_a_path_for_too_long_ios_fail() {
    let disk = Disk::new(MIB);
    let port = Port::new(&disk);
    port.fail_at(60, Fault::Pulled);
    let mut target = lun(&[&port]);
    if let Location::Nbd(nbd) = &mut target.location {
        nbd.no_path_retry = Nanos(100_000_000);
    }
    let done = Run::new(BackendKind::Nbd, vec![target], READS, one_pass()).go();
    assert!(done.outcome.too_many_errors, "{done:?}");
    assert_eq!(done.failures[0].kind, FailureKind::Errno(libc::EIO));
}

#[test]
fn a_backend_for_files_cannot_be_demanded_for_an_export() {
    let disk = Disk::new(MIB);
    let open = open(&lun(&[&Port::new(&disk)]), false).expect("opens");
    let refused = Host::probe().choose(&open, Some(BackendKind::Uring(Polling::NONE)));
    assert!(refused.is_err_and(|e| e.to_string().contains("a client of its own")));
}
