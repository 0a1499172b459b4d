//! Through TLS: what a client may say before it, and what it may cost.

use crate::certificates::{Authority, Folder};
use crate::client::Client;
use crate::stage::{Stage, options, soon};
use plimsoll_server::{Endpoint, Server, Tls};
use plimsoll_tls::{Session, Trust, client};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

const LUN: &str = "scale-out-flash-8/lun0";

/// A lab with TLS, and what its clients trust.
fn stage(required: bool) -> (Stage, Folder) {
    with_handshake(required, Duration::from_secs(60))
}

/// The same, with so much time for the handshake.
fn with_handshake(required: bool, handshake: Duration) -> (Stage, Folder) {
    let authority = Authority::new("lab");
    let serves = authority.server(&["localhost"]);
    let stage = Stage::with(|o| {
        o.tls = Some(Tls {
            certificates: serves.path().to_owned(),
            verify_peer: false,
            required,
        });
        o.limits.handshake = handshake;
    });
    (stage, authority.folder())
}

fn option(code: u32, data: &[u8]) -> Vec<u8> {
    let numbers = [code, data.len() as u32].map(u32::to_be_bytes);
    [b"IHAVEOPT", &numbers.concat()[..], data].concat()
}

/// A socket that has been greeted, and has said its flags.
fn greeted(stage: &Stage) -> UnixStream {
    let mut socket = UnixStream::connect(stage.socket(0)).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    socket.read_exact(&mut [0; 18]).unwrap();
    socket.write_all(b"\0\0\0\x03").unwrap();
    socket
}

/// One that was told to begin with TLS.
fn beginning(stage: &Stage) -> UnixStream {
    let mut socket = greeted(stage);
    socket.write_all(&option(5, &[])).unwrap();
    let mut answer = [0; 20];
    socket.read_exact(&mut answer).unwrap();
    assert_eq!(answer[12..16], [0, 0, 0, 1]);
    socket
}

fn session(trusts: &Folder) -> Session {
    let trust = Trust {
        folder: Some(trusts.path().to_owned()),
        anyone: false,
    };
    client(&trust, "localhost").unwrap()
}

fn shake_hands(socket: &mut UnixStream, session: &mut Session) {
    while let Err(e) = session.shake_hands(socket) {
        assert_eq!(e.kind(), ErrorKind::Interrupted, "{e}");
    }
}

fn read_exactly(socket: &mut UnixStream, session: &mut Session, into: &mut [u8]) {
    let mut got = 0;
    while got < into.len() {
        match session.read(socket, &mut into[got..]) {
            Ok(0) => panic!("an early end"),
            Ok(n) => got += n,
            Err(e) => assert_eq!(e.kind(), ErrorKind::Interrupted, "{e}"),
        }
    }
}

#[test]
fn plain_text_behind_starttls_is_hung_up_on_and_never_answered() {
    for required in [true, false] {
        let (stage, _) = stage(required);
        let mut socket = greeted(&stage);
        // As somebody on the way would add it to a client's packet.
        let injected = [option(5, &[]), option(3, &[])].concat();
        socket.write_all(&injected).unwrap();
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer);
        assert_eq!(answer, b"");
        soon(|| stage.server.status().connections.dropped == 1);
        let why = stage.server.status().connections.last_drop.unwrap();
        assert!(
            why.contains("plain text came where TLS was to begin"),
            "{why}"
        );
    }
}

#[test]
fn plain_text_after_the_answer_to_starttls_is_no_option() {
    let (stage, _) = stage(false);
    let mut socket = beginning(&stage);
    socket.write_all(&option(3, &[])).unwrap();
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer);
    // An alert of TLS at most; no list.
    assert!(!answer.windows(4).any(|w| w == b"lun0"), "{answer:?}");
    soon(|| stage.server.status().connections.dropped == 1);
}

#[test]
fn a_client_without_tls_gets_nothing_where_it_is_required_and_all_where_it_is_not() {
    let (secret, _) = stage(true);
    let refused = Client::connect(&secret.socket(0), LUN).err().unwrap();
    assert!(refused.to_string().contains("TLS is required"), "{refused}");
    let mut socket = greeted(&secret);
    socket.write_all(&option(1, LUN.as_bytes())).unwrap();
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer);
    assert_eq!(answer, b"");
    let (open, _) = stage(false);
    let mut client = Client::connect(&open.socket(0), LUN).unwrap();
    assert_eq!(client.write(0, &[1; 4096]).error, None);
    assert!(!open.server.status().connections.open[0].tls);
}

#[test]
fn a_session_through_tls_is_told_of_and_ends_with_a_farewell() {
    let (stage, trusts) = stage(true);
    let mut socket = beginning(&stage);
    let mut session = session(&trusts);
    shake_hands(&mut socket, &mut session);
    session
        .write(&mut socket, &option(1, LUN.as_bytes()))
        .unwrap();
    let mut answer = [0; 10];
    read_exactly(&mut socket, &mut session, &mut answer);
    assert_eq!(answer[..8], (64_u64 << 20).to_be_bytes());
    soon(|| stage.server.status().connections.sessions == 1);
    assert!(stage.server.status().connections.open[0].tls);
    // A disconnect.
    let goodbye = [&[0x25, 0x60, 0x95, 0x13, 0, 0, 0, 2][..], &[0; 20]].concat();
    session.write(&mut socket, &goodbye).unwrap();
    let end = loop {
        match session.read(&mut socket, &mut [0; 10]) {
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    assert_eq!(end.unwrap(), 0);
}

#[test]
fn a_request_in_many_records_and_many_requests_in_one_are_all_answered() {
    let (stage, trusts) = stage(true);
    let mut socket = beginning(&stage);
    let mut session = session(&trusts);
    shake_hands(&mut socket, &mut session);
    for byte in option(1, LUN.as_bytes()) {
        session.write(&mut socket, &[byte]).unwrap();
    }
    read_exactly(&mut socket, &mut session, &mut [0; 10]);
    // 400 reads of 512 bytes: one record, of which the server's socket is emptied at once.
    let reads: Vec<u8> = (0..400_u64)
        .flat_map(|cookie| {
            let start = [0x25, 0x60, 0x95, 0x13, 0, 0, 0, 0];
            let numbers = [cookie, cookie * 512].map(u64::to_be_bytes).concat();
            [&start[..], &numbers, &512_u32.to_be_bytes()].concat()
        })
        .collect();
    assert_eq!(session.write(&mut socket, &reads).unwrap(), reads.len());
    let mut replies = vec![0; 400 * (16 + 512)];
    read_exactly(&mut socket, &mut session, &mut replies);
    let cookies = replies
        .chunks(528)
        .map(|r| u64::from_be_bytes(r[8..16].try_into().unwrap()));
    assert!(cookies.eq(0..400));
}

#[test]
fn who_dawdles_in_tls_is_hung_up_on_and_holds_up_nobody() {
    let (stage, trusts) = with_handshake(true, Duration::from_secs(5));
    let mut slow: Vec<UnixStream> = (0..20).map(|_| beginning(&stage)).collect();
    for socket in &mut slow {
        // The header of a record that never comes.
        socket.write_all(&[22, 3, 1, 2, 0]).unwrap();
    }
    let mut socket = beginning(&stage);
    let mut session = session(&trusts);
    shake_hands(&mut socket, &mut session);
    session
        .write(&mut socket, &option(1, LUN.as_bytes()))
        .unwrap();
    read_exactly(&mut socket, &mut session, &mut [0; 10]);
    // One that sends a byte now and then has no more time than one that is silent.
    let mut trickling = beginning(&stage);
    let trickle = std::thread::spawn(move || {
        trickling.write_all(&[22, 3, 1, 2, 0]).unwrap();
        while trickling.write_all(&[0]).is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    soon(|| stage.server.status().connections.dropped >= 21);
    trickle.join().unwrap();
    assert_eq!(stage.server.status().connections.open.len(), 1);
}

#[test]
fn plain_text_is_not_served_to_other_hosts_unless_that_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    let anywhere = || Endpoint::Tcp("0.0.0.0:0".parse().unwrap());
    let authority = Authority::new("lab");
    let serves = authority.server(&["localhost"]);
    let tls = |required| Tls {
        certificates: serves.path().to_owned(),
        verify_peer: false,
        required,
    };
    let start = |change: &dyn Fn(&mut plimsoll_server::ServerOptions)| {
        Server::start(options(folder.path(), |o| {
            o.endpoints = vec![anywhere()];
            change(o);
        }))
    };
    let refused = |change: &dyn Fn(&mut plimsoll_server::ServerOptions)| {
        start(change).expect_err("refused").to_string()
    };
    let message = refused(&|_| {});
    assert!(
        message.contains("--tls-certificates DIR, or --insecure"),
        "{message}"
    );
    let message = refused(&|o| o.tls = Some(tls(false)));
    assert!(message.contains("plain text"), "{message}");
    let page = "0.0.0.0:0".parse().ok();
    let message = refused(&|o| (o.tls, o.http) = (Some(tls(true)), page));
    assert!(message.contains("the page at 0.0.0.0:0"), "{message}");
    let server = start(&|o| o.tls = Some(tls(true))).unwrap();
    assert!(server.uri(0, 0).starts_with("nbds://0.0.0.0:"));
    server.stop();
    let server = start(&|o| (o.insecure, o.http) = (true, page)).unwrap();
    assert!(server.uri(0, 0).starts_with("nbd://0.0.0.0:"));
}
