//! Clients that mean no good, or are broken, and what the others notice of them: nothing.

use crate::client::Client;
use crate::stage::{Stage, soon};
use plimsoll_nbd::{Command, Request};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

const LUN: &str = "scale-out-flash-8/lun0";

/// A greeting's answer and `NBD_OPT_EXPORT_NAME`: the shortest way in.
fn raw_session(stage: &Stage) -> UnixStream {
    let mut socket = UnixStream::connect(stage.socket(0)).unwrap();
    let mut buffer = [0; 18 + 10];
    socket.read_exact(&mut buffer[..18]).unwrap();
    let name = [b"\0\0\0\x03IHAVEOPT\0\0\0\x01\0\0\0\x16", LUN.as_bytes()].concat();
    socket.write_all(&name).unwrap();
    socket.read_exact(&mut buffer[18..]).unwrap();
    socket
}

fn is_served(stage: &Stage) {
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    assert_eq!(client.write(0, &[1; 4096]).error, None);
    assert_eq!(client.read(0, 4096).data, [1; 4096]);
}

/// The other side has hung up, whatever it said before.
fn is_hung_up(mut socket: UnixStream) -> bool {
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    match socket.read_to_end(&mut Vec::new()) {
        Ok(_) => true,
        Err(e) => e.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn garbage_is_hung_up_on() {
    let stage = Stage::new();
    let garbage: [&[u8]; 4] = [
        b"GET / HTTP/1.1\r\n\r\n",
        &[0xff; 5000],
        b"\0\0\0\x03IHAVEOPX\0\0\0\x07\0\0\0\0",
        b"\0\0\0\x01IHAVEOPT\0\0\0\x01\xff\xff\xff\xff",
    ];
    for bytes in garbage {
        let mut socket = UnixStream::connect(stage.socket(0)).unwrap();
        socket.write_all(bytes).unwrap();
        assert!(is_hung_up(socket));
    }
    soon(|| stage.server.status().connections.dropped == 4);
    let mut socket = raw_session(&stage);
    socket.write_all(&[0x5a; 28]).unwrap();
    assert!(is_hung_up(socket));
    soon(|| stage.server.status().connections.dropped == 5);
    let last = stage.server.status().connections.last_drop.unwrap();
    assert!(
        last.contains("a request does not begin as NBD's do"),
        "{last}"
    );
    is_served(&stage);
}

#[test]
fn unfinished_business_holds_nobody_up() {
    let stage = Stage::new();
    let mut half_write = raw_session(&stage);
    let write = Request::new(Command::Write, 1, 0, 32 << 20).to_bytes();
    half_write.write_all(&write).unwrap();
    half_write.write_all(&[9; 300_000]).unwrap();
    let mut half_header = raw_session(&stage);
    half_header.write_all(&write[..11]).unwrap();
    let mut half_option = UnixStream::connect(stage.socket(0)).unwrap();
    half_option
        .write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x07\0\0\x80\0")
        .unwrap();
    is_served(&stage);
    assert_eq!(stage.server.status().connections.dropped, 0);
}

#[test]
fn who_takes_no_replies_is_hung_up_on_after_a_while() {
    let stage = Stage::with(|o| o.limits.stall = Duration::from_millis(100));
    let mut socket = raw_session(&stage);
    let read = Request::new(Command::Read, 1, 0, 32 << 20).to_bytes();
    // More than its socket takes; the server stops reading, so this may fail.
    let _ = socket.write_all(&read.repeat(10_000));
    soon(|| stage.server.status().connections.dropped == 1);
    is_served(&stage);
}

#[test]
fn requests_beyond_what_may_be_in_flight_wait_in_the_socket_and_are_answered() {
    let stage = Stage::with(|o| o.limits.in_flight = 8);
    let mut socket = raw_session(&stage);
    let mut writer = socket.try_clone().unwrap();
    let requests: Vec<u8> = (0..2000_u64)
        .flat_map(|i| Request::new(Command::Read, i, i * 4096, 4096).to_bytes())
        .collect();
    let sender = std::thread::spawn(move || writer.write_all(&requests));
    let mut replies = vec![0; 2000 * (16 + 4096)];
    socket.read_exact(&mut replies).unwrap();
    sender.join().unwrap().unwrap();
}

#[test]
fn who_dawdles_in_the_handshake_is_hung_up_on() {
    let stage = Stage::with(|o| o.limits.handshake = Duration::from_millis(50));
    let idle = UnixStream::connect(stage.socket(0)).unwrap();
    assert!(is_hung_up(idle));
}

#[test]
fn idle_connections_make_room_for_those_that_want_something() {
    let stage = Stage::with(|o| o.limits.handshakes = 4);
    let idle: Vec<_> = (0..300)
        .map(|_| UnixStream::connect(stage.socket(0)).unwrap())
        .collect();
    is_served(&stage);
    assert!(stage.server.status().connections.refused >= 296);
    drop(idle);
}

#[test]
fn there_are_only_so_many_sessions() {
    let stage = Stage::with(|o| o.limits.sessions = 2);
    let one = Client::connect(&stage.socket(0), LUN).unwrap();
    let two = Client::connect(&stage.socket(1), LUN).unwrap();
    // The handshake itself goes through; then it is hung up on.
    let third = Client::connect(&stage.socket(0), LUN);
    let mut third = third.unwrap();
    assert!(third.try_read(0, 4096).is_err());
    drop((one, two));
    soon(|| stage.server.status().connections.open.is_empty());
    is_served(&stage);
}

#[test]
fn a_server_stops_with_clients_that_do_not() {
    let stage = Stage::new();
    let session = raw_session(&stage);
    let idle = UnixStream::connect(stage.socket(1)).unwrap();
    stage.server.stop();
    assert!(is_hung_up(session) && is_hung_up(idle));
}
