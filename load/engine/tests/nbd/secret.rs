//! Through TLS: against nbdkit and qemu-nbd, where they are installed, and what becomes of a connection that is cut.

use super::certificates::{Authority, Folder};
use super::content::all_written_once;
use super::hand::{ByHand, all, finish, send};
use super::others::{Server, a_death_is_a_pulled_path, lun, serve, two_mebibytes};
use super::relay::{After, by_way_of, cutting};
use super::run::*;
use plimsoll_engine::backend::Action;
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_plan::*;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// nbdkit that insists on TLS, with these certificates. `trusts`: what its clients are given.
fn nbdkit(serves: &Folder, more: &[&str], trusts: &Folder) -> Option<Server> {
    let certificates = format!("--tls-certificates={}", serves.text());
    let all = ["-f", "-U", "{socket}", "--tls=require", &certificates];
    let mut server = serve("nbdkit", &[&all[..], more].concat(), "", 2 * MIB)?;
    server.uri = secret(&server.uri, trusts);
    Some(server)
}

/// The same address with TLS.
fn secret(uri: &str, trusts: &Folder) -> String {
    format!("nbds{}&tls-certificates={}", &uri[3..], trusts.text())
}

fn writes(servers: &[&Server]) -> Run {
    Run::new(
        BackendKind::Nbd,
        vec![lun(servers)],
        WRITES,
        every_block_once(),
    )
}

fn refusal(server: &Server) -> String {
    let refused = open(&lun(&[server]), true).expect_err("refused");
    refused.to_string()
}

#[test]
fn nbdkit_takes_writes_and_gives_them_back_through_tls() {
    let lab = Authority::new("lab");
    let (serves, trusts) = (lab.server(&["localhost"]), lab.folder());
    let (_folder, disk) = two_mebibytes();
    let Some(server) = nbdkit(&serves, &["file", &disk], &trusts) else {
        return;
    };
    let mut run = writes(&[&server]).ios(512);
    run.targets[0].durability = Durability::FsyncEvery(100);
    let done = run.go();
    assert!(done.is_clean(), "{done:?}");
    // What arrived is what nbdkit wrote to a file of its own.
    all_written_once(&std::fs::read(&disk).expect("reads"), 256);
    // Reads that are longer than a TLS record, than all that is read of a socket at a time, and odd.
    for bytes in [512 << 10, 100 << 9, 4096] {
        let mut run = Run::new(BackendKind::Nbd, vec![lun(&[&server])], READS, one_pass());
        run.step.streams[0].size = SizeSpec::Fixed(Bytes(bytes));
        let read = run.go();
        assert!(read.is_clean(), "{bytes}: {read:?}");
        assert_eq!(read.stats.bytes(), 2 * MIB, "{bytes}");
    }
}

#[test]
fn who_cannot_prove_that_it_is_the_server_is_refused() {
    let lab = Authority::new("lab");
    let other = Authority::new("other").folder();
    let Some(server) = nbdkit(&lab.server(&["localhost"]), &["memory", "2m"], &other) else {
        return;
    };
    let message = refusal(&server);
    assert!(
        message.contains("no TLS session") && message.contains("did not issue it"),
        "{message}"
    );
    let elsewhere = lab.server(&["elsewhere"]);
    let Some(mut server) = nbdkit(&elsewhere, &["memory", "2m"], &lab.folder()) else {
        return;
    };
    let trusts = lab.folder();
    server.uri = secret(&server.uri.replace("nbds", "nbd"), &trusts);
    let message = refusal(&server);
    assert!(message.contains("tls-hostname=NAME"), "{message}");
    server.uri += "&tls-hostname=elsewhere";
    assert!(writes(&[&server]).ios(16).go().is_clean());
}

#[test]
fn nbdkit_that_wants_to_know_its_clients_lets_in_those_with_a_certificate() {
    let lab = Authority::new("lab");
    let serves = lab.server(&["localhost"]);
    let memory = ["--tls-verify-peer", "memory", "2m"];
    let known = lab.client();
    let Some(mut server) = nbdkit(&serves, &memory, &known) else {
        return;
    };
    let done = writes(&[&server]).ios(64).go();
    assert!(done.is_clean(), "{done:?}");
    let unknown = lab.folder();
    server.uri = server.uri.replace(&known.text(), &unknown.text());
    let message = refusal(&server);
    assert!(message.contains("client-cert.pem"), "{message}");
}

#[test]
fn plain_text_and_tls_never_meet() {
    let lab = Authority::new("lab");
    let trusts = lab.folder();
    let Some(mut server) = nbdkit(&lab.server(&["localhost"]), &["memory", "2m"], &trusts) else {
        return;
    };
    server.uri = server.uri.replace("nbds", "nbd");
    server
        .uri
        .truncate(server.uri.find("&tls").expect("a parameter"));
    let message = refusal(&server);
    assert!(message.contains("write nbds:// for nbd://"), "{message}");
    let Some(mut plain) = serve("nbdkit", &["-f", "-U", "{socket}", "memory", "2m"], "", 0) else {
        return;
    };
    plain.uri = secret(&plain.uri, &trusts);
    let message = refusal(&plain);
    assert!(message.contains("the server has no TLS"), "{message}");
}

#[test]
fn qemu_nbd_serves_through_tls() {
    let lab = Authority::new("lab");
    let (serves, trusts) = (lab.server(&["localhost"]), lab.folder());
    let object = format!(
        "tls-creds-x509,id=tls,endpoint=server,verify-peer=no,dir={}",
        serves.text()
    );
    let tls = ["--object", &object, "--tls-creds", "tls"];
    let rest = [
        "-k", "{socket}", "-t", "-x", "lun", "-f", "raw", "-e", "8", "{disk}",
    ];
    let Some(mut server) = serve("qemu-nbd", &[&tls[..], &rest].concat(), "lun", 2 * MIB) else {
        return;
    };
    server.uri = secret(&server.uri, &trusts);
    let done = writes(&[&server]).ios(512).go();
    assert!(done.is_clean(), "{done:?}");
    let read = Run::new(BackendKind::Nbd, vec![lun(&[&server])], READS, one_pass()).go();
    assert!(read.is_clean() && read.stats.bytes() == 2 * MIB, "{read:?}");
}

#[test]
fn a_stream_that_is_cut_is_a_lost_connection_and_nothing_of_it_counts() {
    let lab = Authority::new("lab");
    let trusts = lab.folder();
    let serves = lab.server(&["localhost"]);
    // In the middle of a reply, and of a record.
    for after in [300_000, 400_017, 555_555] {
        let Some(mut server) = nbdkit(&serves, &["memory", "2m"], &trusts) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let cut = folder.path().join("s");
        let (uri, itself) = by_way_of(&server, &cut);
        cutting(itself, cut, After::Answered(after), || {});
        server.uri = uri;
        let mut run = Run::new(BackendKind::Nbd, vec![lun(&[&server])], READS, one_pass());
        run.step.streams[0].size = SizeSpec::Fixed(Bytes(64 << 10));
        let done = run.go();
        assert!(done.is_clean() && done.stats.bytes() == 2 * MIB, "{done:?}");
        let events = &done.outcome.volumes[0].events;
        assert!(
            events[0].why.starts_with("the server hung up"),
            "{events:?}"
        );
        assert!(done.outcome.volumes[0].paths[0].moved > 0);
    }
}

#[test]
fn a_killed_nbdkit_is_a_pulled_path_through_tls_too() {
    let lab = Authority::new("lab");
    let (serves, trusts) = (lab.server(&["localhost"]), lab.folder());
    let (_folder, disk) = two_mebibytes();
    let one = nbdkit(&serves, &["file", &disk], &trusts);
    let other = nbdkit(&serves, &["file", &disk], &trusts);
    let (Some(mut one), Some(other)) = (one, other) else {
        return;
    };
    a_death_is_a_pulled_path(&mut one, &other, Path::new(&disk));
}

/// One between clients and a server who can end connections for the clients only.
#[derive(Default)]
struct Between {
    clients: Mutex<Vec<UnixStream>>,
    is_over: AtomicBool,
    /// Bytes that the clients have sent and the server was given.
    passed_on: AtomicU64,
}

impl Between {
    fn new(server: PathBuf, socket: &Path) -> Arc<Self> {
        let between = Arc::<Between>::default();
        let listener = UnixListener::bind(socket).expect("a socket");
        let itself = Arc::clone(&between);
        // The threads end with the test's process.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !itself.is_over.load(Ordering::SeqCst) {
                    let server = UnixStream::connect(&server).expect("connects");
                    itself.join(client, server);
                }
            }
        });
        between
    }

    fn join(self: &Arc<Self>, client: UnixStream, server: UnixStream) {
        let second = |s: &UnixStream| s.try_clone().expect("a second handle");
        self.clients.lock().expect("a lock").push(second(&client));
        let (mut up, mut down) = ((second(&client), second(&server)), (server, client));
        let itself = Arc::clone(self);
        std::thread::spawn(move || {
            let mut bytes = vec![0; 1000];
            while let Ok(n) = up.0.read(&mut bytes)
                && n > 0
                && up.1.write_all(&bytes[..n]).is_ok()
            {
                itself.passed_on.fetch_add(n as u64, Ordering::SeqCst);
            }
        });
        // It holds the server's connection until the server itself hangs up.
        std::thread::spawn(move || std::io::copy(&mut down.0, &mut down.1));
    }

    fn end_for_clients(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        for client in self.clients.lock().expect("a lock").drain(..) {
            // One that has left already needs no end.
            let _ = client.shutdown(Shutdown::Both);
        }
    }
}

#[test]
fn an_end_that_anybody_could_have_forged_does_not_say_that_writes_are_over() {
    let lab = Authority::new("lab");
    let (serves, trusts) = (lab.server(&["localhost"]), lab.folder());
    let folder = tempfile::tempdir().expect("a folder");
    let disk = folder.path().join("disk");
    std::fs::write(&disk, [0; 1 << 20]).expect("a file");
    let name = disk.display().to_string();
    let slow = ["--filter=delay", "file", &name, "wdelay=500ms"];
    let (slow, other) = (
        nbdkit(&serves, &slow, &trusts),
        nbdkit(&serves, &["file", &name], &trusts),
    );
    let (Some(mut slow), Some(other)) = (slow, other) else {
        return;
    };
    let socket = folder.path().join("s");
    let (uri, itself) = by_way_of(&slow, &socket);
    slow.uri = uri;
    let between = Between::new(itself, &socket);
    let mut target = lun(&[&slow, &other]);
    if let Location::Nbd(nbd) = &mut target.location {
        nbd.path_deadline = Some(Nanos::secs(3));
    }
    let mut hand = ByHand::on(target, 2);
    let before = between.passed_on.load(Ordering::SeqCst);
    let mut buffers = vec![vec![7; 4096]; 2];
    send(&mut hand.backend, Action::Write, &mut buffers);
    while between.passed_on.load(Ordering::SeqCst) < before + 4096 {
        std::thread::sleep(Duration::from_millis(1));
    }
    between.end_for_clients();
    assert_eq!(finish(&mut hand.backend, 2), [4096, 4096]);
    let report = hand.report();
    assert_eq!((report.unconfirmed, report.paths[0].moved), (1, 1));
    // The slow server knows of no end, and writes what it was sent. Nothing that came later may be lost by that.
    buffers.iter_mut().for_each(|b| b.fill(8));
    all(&mut hand.backend, Action::Write, &mut buffers);
    std::thread::sleep(Duration::from_secs(1));
    let data = std::fs::read(&disk).expect("reads");
    assert!(data[..8192].iter().all(|b| *b == 8));
}
