//! What two sides say arrives whole, or not at all.

use crate::certificates::Authority;
use crate::wire::{Side, talk};
use std::io::{ErrorKind, IoSlice, IoSliceMut};

fn pair() -> (Side, Side) {
    let authority = Authority::new("lab");
    talk(&authority.folder(), &authority.server(&["array"]), "array")
}

#[test]
fn what_is_said_arrives_and_nobody_on_the_way_can_read_it() {
    let (mut client, mut server) = pair();
    let words = b"the words that nobody else may read".repeat(3000);
    let mut sent = 0;
    let mut heard = Vec::new();
    while sent < words.len() {
        sent += client.write(&words[sent..]).expect("taken");
        heard.extend(server.read_all().expect("read"));
    }
    assert_eq!(heard, words);
    let way = client.socket.output.borrow();
    assert!(way.seen.len() > words.len());
    assert!(!way.seen.windows(9).any(|w| w == b"the words"));
}

#[test]
fn several_pieces_go_out_and_come_in_as_one_stream() {
    let (mut client, mut server) = pair();
    let (head, body) = ([7; 28], vec![9; 40_000]);
    let mut pieces = [IoSlice::new(&head), IoSlice::new(&body)];
    let mut left = &mut pieces[..];
    while !left.is_empty() {
        let taken = client.session.write_vectored(&mut client.socket, left);
        IoSlice::advance_slices(&mut left, taken.expect("taken"));
    }
    let (mut one, mut two) = (vec![0; 28], vec![0; 60_000]);
    let mut places = [IoSliceMut::new(&mut one), IoSliceMut::new(&mut two)];
    let read = server
        .session
        .read_vectored(&mut server.socket, &mut places)
        .expect("read");
    assert_eq!(one, head);
    assert!(
        read > 28 && two[..read - 28].iter().all(|b| *b == 9),
        "{read}"
    );
    let rest = server.read_all().expect("read");
    assert_eq!(read + rest.len(), 40_028);
}

#[test]
fn what_the_socket_has_given_already_is_told_of_until_it_is_read() {
    let (mut client, mut server) = pair();
    client.write(b"one").expect("taken");
    client.write(b"two").expect("taken");
    let mut byte = [0];
    let mut heard = Vec::new();
    // The socket is empty after the first read; who waited for it then would wait for ever.
    while heard.is_empty() || server.session.holds() {
        assert_eq!(server.read(&mut byte).expect("held"), 1);
        heard.push(byte[0]);
        assert!(server.socket.input.borrow().bytes.is_empty());
    }
    assert_eq!(heard, b"onetwo");
    client.session.end(&mut client.socket);
    assert_eq!(server.read(&mut byte).expect("an end"), 0);
    assert!(server.session.holds());
}

#[test]
fn a_connection_that_is_cut_is_no_end() {
    let (mut client, mut server) = pair();
    client.write(b"half of it").expect("taken");
    server.socket.input.borrow_mut().is_cut = true;
    let error = server.read_all().expect_err("a cut");
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    // Cut in the middle of a record: nothing of it is heard.
    let (mut client, mut server) = pair();
    client.write(&[1; 1000]).expect("taken");
    let input = server.socket.input.clone();
    input.borrow_mut().bytes.truncate(500);
    input.borrow_mut().is_cut = true;
    let mut place = [0; 1000];
    assert_eq!(
        server.read(&mut place).unwrap_err().kind(),
        ErrorKind::Interrupted
    );
    assert_eq!(
        server.read(&mut place).unwrap_err().kind(),
        ErrorKind::UnexpectedEof
    );
    assert_eq!(place, [0; 1000]);
}

#[test]
fn what_was_changed_on_the_way_is_refused_from_there_on() {
    let (mut client, mut server) = pair();
    client.write(b"good").expect("taken");
    assert_eq!(server.read_all().expect("read"), b"good");
    client.write(&[1; 1000]).expect("taken");
    client.write(b"never heard").expect("taken");
    server.socket.input.borrow_mut().bytes[700] ^= 1;
    for _ in 0..2 {
        let error = server.read_all().expect_err("changed");
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().starts_with("TLS: "), "{error}");
        assert!(server.session.holds());
    }
}

#[test]
fn what_is_no_tls_at_all_is_refused() {
    let authority = Authority::new("lab");
    let server = plimsoll_tls::Server::new(authority.server(&["array"]).path(), false);
    let server = server.expect("certificates").session().expect("a session");
    let (_, other) = pair();
    let mut server = Side {
        session: server,
        socket: other.socket,
    };
    server.socket.input.borrow_mut().bytes = b"IHAVEOPT in plain text".iter().copied().collect();
    let error = server.session.shake_hands(&mut server.socket).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

#[test]
fn a_socket_that_takes_nothing_makes_us_hold_little() {
    let (mut client, mut server) = pair();
    client.socket.output.borrow_mut().room = Some(1000);
    let mut taken = Vec::new();
    let block: Vec<u8> = (0..50_000_u32).map(|n| n as u8).collect();
    let refusal = loop {
        match client.write(&block) {
            Ok(n) => taken.extend(&block[..n]),
            Err(e) => break e,
        }
        assert!(taken.len() <= 128 << 10, "{} bytes are held", taken.len());
    };
    assert_eq!(refusal.kind(), ErrorKind::WouldBlock);
    assert!(client.session.has_unsent());
    let mut heard = Vec::new();
    while client.session.has_unsent() {
        heard.extend(server.read_all().expect("read"));
        let _ = client.session.flush(&mut client.socket);
    }
    heard.extend(server.read_all().expect("read"));
    assert_eq!(heard, taken);
}

#[test]
fn what_has_not_left_is_what_the_other_side_cannot_have() {
    let (mut client, mut server) = pair();
    client.socket.output.borrow_mut().room = Some(1000);
    let block: Vec<u8> = (0..100_000_u32).map(|n| n as u8).collect();
    let (mut taken, mut heard) = (0, 0);
    let mut most = 0;
    while heard < block.len() {
        let written = match taken < block.len() {
            true => client.write(&block[taken..]),
            false => client.session.flush(&mut client.socket).map(|()| 0),
        };
        match written {
            Ok(n) => taken += n,
            Err(e) => assert_eq!(e.kind(), ErrorKind::WouldBlock),
        }
        heard += server.read_all().expect("read").len();
        assert_eq!(heard, taken - client.session.unsent());
        most = most.max(client.session.unsent());
    }
    assert!(most > 1000, "{most}");
}
