//! Clients that mean no good, or are broken, and what the others notice of them: nothing.

use crate::client::Client;
use crate::stage::{Stage, soon};
use plimsoll_nbd::{Command, CommandFlags, Request};
use plimsoll_server::Endpoint;
use std::io::{Read, Write};
use std::net::TcpStream;
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
    let mut one = Client::connect(&stage.socket(0), LUN).unwrap();
    let mut two = Client::connect(&stage.socket(1), LUN).unwrap();
    // A session counts from when the server has sent its last answer of the handshake: a read that was answered is after it.
    assert!(one.try_read(0, 4096).is_ok() && two.try_read(0, 4096).is_ok());
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

/// A lab with a GiB a LUN, at the model's speed.
fn slow_lab() -> Stage {
    Stage::with(|o| {
        o.timing = true;
        o.lun_bytes = Some(1 << 30);
    })
}

/// A header without an answer.
fn send(socket: &mut UnixStream, command: Command, len: u32) {
    let request = Request::new(command, 9, 0, len).to_bytes();
    socket.write_all(&request).unwrap();
}

#[test]
fn one_short_request_for_much_does_not_keep_others_waiting() {
    let stage = slow_lab();
    let other = "scale-out-flash-8/lun1";
    let mut good = Client::connect(&stage.socket(0), other).unwrap();
    // How long the array itself has a write, by its own count: no matter how busy this machine is.
    let mean = |good: &mut Client| {
        let before = stage.server.status().luns[1].writes;
        (0..20).for_each(|n| assert_eq!(good.write(n * 8192, &[n as u8; 4096]).error, None));
        let after = stage.server.status().luns[1].writes;
        (after.array_ns - before.array_ns) / (after.count - before.count)
    };
    let alone = mean(&mut good);
    let mut hostile: Vec<_> = (0..10).map(|_| raw_session(&stage)).collect();
    for socket in &mut hostile {
        send(socket, Command::WriteZeroes, 1 << 30);
        send(socket, Command::Trim, 1 << 30);
        send(socket, Command::Read, 32 << 20);
    }
    let beside = mean(&mut good);
    assert!(
        beside <= 3 * alone,
        "{beside} ns beside them, {alone} ns alone"
    );
}

#[test]
fn what_a_client_has_begun_ends_with_it() {
    let stage = slow_lab();
    let mut socket = raw_session(&stage);
    // A hundred times the LUN: minutes, at the model's speed.
    for _ in 0..100 {
        send(&mut socket, Command::WriteZeroes, 1 << 30);
    }
    // A session counts a moment after its client knows of it.
    soon(|| stage.server.status().connections.sessions == 1);
    drop(socket);
    soon(|| stage.server.status().connections.open.is_empty());
    let status = stage.server.status();
    assert!(
        status.front_end.zeroes.count < 100,
        "{:?}",
        status.front_end
    );
    is_served(&stage);
}

#[test]
fn those_with_long_requests_are_served_in_turn() {
    let stage = Stage::with(|o| o.lun_bytes = Some(1 << 30));
    let mut client = Client::connect(&stage.socket(0), LUN).unwrap();
    let mut greedy = raw_session(&stage);
    for _ in 0..200 {
        send(&mut greedy, Command::WriteZeroes, 1 << 30);
    }
    // Both have pieces to be done all the time, so neither gets far ahead.
    let none = CommandFlags::empty();
    assert_eq!(
        client.call(Command::Trim, none, 0, 1 << 30, &[]).error,
        None
    );
    let done = stage.server.status().front_end.zeroes.count;
    assert!(done < 200, "all of the other's came first");
}

#[test]
fn a_flood_from_one_address_leaves_room_for_others_and_takes_few_threads() {
    let stage = Stage::with(|o| {
        o.limits.handshakes = 8;
        o.limits.handshakes_of_one = 4;
        o.limits.sessions = 8;
        o.endpoints[1] = Endpoint::Tcp("127.0.0.1:0".parse().unwrap());
    });
    let Endpoint::Tcp(address) = stage.server.endpoints()[1] else {
        panic!("the second path is TCP");
    };
    // It takes its time, and must not be hung up on for the flood of another.
    let mut patient = TcpStream::connect(address).unwrap();
    patient.read_exact(&mut [0; 18]).unwrap();
    let flood: Vec<_> = (0..500)
        .map(|_| UnixStream::connect(stage.socket(0)).unwrap())
        .collect();
    soon(|| stage.server.status().connections.refused >= 496);
    assert!(stage.server.status().connections.open.len() <= 5);
    patient
        .write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x03\0\0\0\0")
        .unwrap();
    let mut reply = [0; 8];
    patient.read_exact(&mut reply).unwrap();
    assert_eq!(reply, 0x0003_e889_0455_65a9_u64.to_be_bytes());
    is_served(&stage);
    drop(flood);
}
