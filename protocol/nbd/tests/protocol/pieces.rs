//! Servers that lie in the pieces of a reply: what a read is told is counted byte by byte beside the client.

use crate::pair::negotiate;
use plimsoll_nbd::client::{Awaited, Outcome, Replies, Reply, Wanted};
use plimsoll_nbd::{Command, ErrorCode, ProtocolError, Request, Session};
use proptest::prelude::*;

/// The read's number, place and length. Small, so that pieces meet.
const COOKIE: u64 = 7;
const OFFSET: u64 = 8192;
const LENGTH: u32 = 16;
/// The number of the context in the session.
const CONTEXT: u32 = 1;
const MAGIC: u32 = 0x668e_33ef;

const DATA: u16 = 1;
const HOLE: u16 = 2;
const STATUS: u16 = 5;
const ERROR: u16 = 0x8001;
const ERROR_AT: u16 = 0x8002;

fn session() -> Session {
    let wanted = Wanted {
        allocation: true,
        ..Wanted::export("array/lun0")
    };
    negotiate(wanted, 1000).unwrap().0
}

/// A chunk as the protocol's document draws it, made by hand.
fn chunk(kind: u16, done: bool, cookie: u64, body: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_be_bytes().to_vec();
    out.extend(u16::from(done).to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend(cookie.to_be_bytes());
    out.extend((body.len() as u32).to_be_bytes());
    out.extend(body);
    out
}

fn data(at: u32, len: u32, done: bool) -> Vec<u8> {
    let mut body = (OFFSET + u64::from(at)).to_be_bytes().to_vec();
    body.resize(8 + len as usize, 0x5a);
    chunk(DATA, done, COOKIE, &body)
}

fn hole(at: u32, len: u32, done: bool) -> Vec<u8> {
    let at = (OFFSET + u64::from(at)).to_be_bytes();
    chunk(HOLE, done, COOKIE, &[&at[..], &len.to_be_bytes()].concat())
}

fn failure(kind: u16, code: u32, done: bool) -> Vec<u8> {
    let at: &[u8] = if kind == ERROR_AT {
        &OFFSET.to_be_bytes()
    } else {
        &[]
    };
    let body = [&code.to_be_bytes()[..], &[0, 0], at].concat();
    chunk(kind, done, COOKIE, &body)
}

fn none() -> Vec<u8> {
    chunk(0, true, COOKIE, &[])
}

fn status(context: u32, lengths: &[u32], done: bool) -> Vec<u8> {
    let mut body = context.to_be_bytes().to_vec();
    for length in lengths {
        body.extend(length.to_be_bytes());
        body.extend([0; 4]);
    }
    chunk(STATUS, done, COOKIE, &body)
}

/// Outcome of a request that is answered with these chunks.
fn ends(command: Command, chunks: &[Vec<u8>]) -> Result<Option<Outcome>, ProtocolError> {
    let request = Request::new(command, COOKIE, OFFSET, LENGTH);
    let mut in_flight = [(COOKIE, Awaited::new(&request))];
    let mut replies = Replies::new(&session());
    let stream = chunks.concat();
    let mut input = stream.as_slice();
    let mut ended = None;
    while let Some(reply) = replies.next(&mut input, &mut in_flight[..])? {
        if let Reply::Done { outcome, .. } = reply {
            ended = Some(outcome);
        }
    }
    Ok(ended)
}

fn read_ends(chunks: &[Vec<u8>]) -> Result<Option<Outcome>, ProtocolError> {
    ends(Command::Read, chunks)
}

const TWICE: Result<Option<Outcome>, ProtocolError> = Err(ProtocolError::Twice(COOKIE));
const OTHER: Result<Option<Outcome>, ProtocolError> = Err(ProtocolError::OtherReply(COOKIE));

#[test]
fn half_of_a_read_twice_is_not_the_read() {
    assert_eq!(read_ends(&[data(0, 8, false), data(0, 8, true)]), TWICE);
    assert_eq!(read_ends(&[hole(0, 8, false), data(0, 8, true)]), TWICE);
    assert_eq!(read_ends(&[data(8, 8, false), hole(8, 8, true)]), TWICE);
    assert_eq!(read_ends(&[data(4, 8, false), data(0, 8, true)]), TWICE);
}

#[test]
fn a_read_is_good_when_all_of_it_has_come_in_whatever_order() {
    let good = Ok(Some(Outcome::Good));
    assert_eq!(read_ends(&[data(8, 8, false), hole(0, 8, true)]), good);
    assert_eq!(
        read_ends(&[
            data(12, 4, false),
            data(0, 4, false),
            data(4, 8, false),
            none()
        ]),
        good
    );
    assert_eq!(read_ends(&[data(0, 16, false)]), Ok(None));
}

#[test]
fn done_without_all_of_the_data_is_short() {
    let short = |bytes| Ok(Some(Outcome::Short(bytes)));
    assert_eq!(read_ends(&[none()]), short(0));
    assert_eq!(read_ends(&[data(8, 8, true)]), short(8));
    assert_eq!(
        read_ends(&[data(0, 4, false), hole(12, 4, false), none()]),
        short(8)
    );
    assert_eq!(ends(Command::BlockStatus, &[none()]), short(0));
    let simple = [
        &0x6744_6698_u32.to_be_bytes()[..],
        &[0; 4],
        &COOKIE.to_be_bytes(),
    ]
    .concat();
    assert_eq!(ends(Command::BlockStatus, &[simple]), short(0));
}

#[test]
fn an_error_among_the_data_fails_the_read_and_the_first_one_counts() {
    let failed = |code| Ok(Some(Outcome::Failed(code)));
    for kind in [ERROR, ERROR_AT] {
        let chunks = [failure(kind, 5, false), data(0, 16, true)];
        assert_eq!(read_ends(&chunks), failed(ErrorCode::Io));
        let chunks = [
            data(0, 16, false),
            failure(kind, 108, false),
            failure(ERROR, 5, true),
        ];
        assert_eq!(read_ends(&chunks), failed(ErrorCode::Shutdown));
    }
    // An error that is none is one.
    assert_eq!(
        read_ends(&[data(0, 16, false), failure(ERROR, 0, true)]),
        failed(ErrorCode::Invalid)
    );
}

#[test]
fn pieces_of_no_length_are_refused() {
    for piece in [
        hole(0, 0, true),
        data(0, 0, true),
        status(CONTEXT, &[], true),
        // The chunk that says nothing has to end the reply, and is empty.
        chunk(0, false, COOKIE, &[]),
        chunk(0, true, COOKIE, &[0; 8]),
    ] {
        assert!(matches!(
            read_ends(&[piece]),
            Err(ProtocolError::Malformed(_))
        ));
    }
    let empty = ends(Command::BlockStatus, &[status(CONTEXT, &[16, 0], true)]);
    assert!(
        matches!(empty, Err(ProtocolError::Malformed(_))),
        "{empty:?}"
    );
}

#[test]
fn a_reply_of_another_kind_than_its_request_is_refused() {
    assert_eq!(read_ends(&[status(CONTEXT, &[16], true)]), OTHER);
    for command in [Command::Write, Command::Flush, Command::Trim] {
        for chunk in [
            data(0, 8, true),
            hole(0, 8, true),
            status(CONTEXT, &[16], true),
        ] {
            assert_eq!(ends(command, &[chunk]), OTHER);
        }
        assert_eq!(ends(command, &[none()]), Ok(Some(Outcome::Good)));
    }
    assert_eq!(ends(Command::BlockStatus, &[data(0, 8, true)]), OTHER);
}

#[test]
fn extents_come_once() {
    let good = Ok(Some(Outcome::Good));
    assert_eq!(
        ends(Command::BlockStatus, &[status(CONTEXT, &[8, 8], true)]),
        good
    );
    let again = [status(CONTEXT, &[8], false), status(CONTEXT, &[8], true)];
    assert_eq!(ends(Command::BlockStatus, &again), TWICE);
    let other = ends(Command::BlockStatus, &[status(CONTEXT + 1, &[8], true)]);
    assert!(
        matches!(other, Err(ProtocolError::Malformed(_))),
        "{other:?}"
    );
}

#[test]
fn what_was_answered_is_not_in_flight_any_more() {
    let unknown = Err(ProtocolError::UnknownCookie(COOKIE));
    assert_eq!(read_ends(&[data(0, 16, true), data(0, 16, true)]), unknown);
    assert_eq!(ends(Command::Write, &[none(), none()]), unknown);
    assert_eq!(
        read_ends(&[chunk(0, true, COOKIE + 1, &[])]).unwrap_err(),
        ProtocolError::UnknownCookie(COOKIE + 1)
    );
}

#[test]
fn headers_that_were_not_asked_for_are_refused() {
    let extended = [&0x6e8a_278c_u32.to_be_bytes()[..], &[0; 28]].concat();
    assert!(matches!(
        read_ends(&[extended]),
        Err(ProtocolError::Magic { .. })
    ));
}

#[test]
fn a_read_in_more_gaps_than_anybody_needs_is_refused() {
    let length = 1 << 20;
    let request = Request::new(Command::Read, COOKIE, OFFSET, length);
    let mut in_flight = [(COOKIE, Awaited::new(&request))];
    let stream: Vec<u8> = (0..length)
        .step_by(2)
        .flat_map(|at| hole(at, 1, false))
        .collect();
    let mut replies = Replies::new(&session());
    let mut input = stream.as_slice();
    let refused = loop {
        match replies.next(&mut input, &mut in_flight[..]) {
            Ok(reply) => assert!(reply.is_some(), "it was taken"),
            Err(error) => break error,
        }
    };
    assert_eq!(refused, ProtocolError::Scattered(COOKIE));
}

/// A piece of a hostile reply.
#[derive(Debug, Clone)]
enum Piece {
    Data(u32, u32),
    Hole(u32, u32),
    Failure,
}

fn piece() -> impl Strategy<Value = Piece> {
    let range = || (0..LENGTH + 2, 1..LENGTH);
    prop_oneof![
        4 => range().prop_map(|(at, len)| Piece::Data(at, len)),
        2 => range().prop_map(|(at, len)| Piece::Hole(at, len)),
        1 => Just(Piece::Failure),
    ]
}

proptest! {
    #[test]
    fn a_read_is_good_only_when_each_byte_came_once(
        pieces in prop::collection::vec(piece(), 0..8),
        split: prop::sample::Index,
        past: bool,
    ) {
        let mut stream = Vec::new();
        let mut times = [0_u32; LENGTH as usize];
        let (mut outside, mut failed) = (false, false);
        for piece in &pieces {
            let (at, len) = match piece {
                Piece::Failure => {
                    failed = true;
                    stream.extend(failure(ERROR, 5, false));
                    continue;
                }
                Piece::Data(at, len) | Piece::Hole(at, len) => (*at, *len),
            };
            outside |= at + len > LENGTH;
            (at..(at + len).min(LENGTH)).for_each(|i| times[i as usize] += 1);
            stream.extend(match piece {
                Piece::Hole(..) => hole(at, len, false),
                _ => data(at, len, false),
            });
        }
        stream.extend(none());
        let request = Request::new(Command::Read, COOKIE, OFFSET, LENGTH);
        let mut in_flight = [(COOKIE, Awaited::new(&request))];
        let mut replies = Replies::new(&session());
        let (mut outcome, mut held, mut from) = (None, Vec::new(), 0);
        let refused = [split.index(stream.len() + 1), stream.len()].into_iter().any(|to| {
            held.extend_from_slice(&stream[from..to]);
            from = to;
            let mut input = held.as_slice();
            let refused = loop {
                if let (true, Some(ahead)) = (past, replies.payload()) {
                    let len = input.len().min(ahead.left as usize);
                    input = &input[len..];
                    replies.took(len as u32);
                }
                match replies.next(&mut input, &mut in_flight[..]) {
                    Ok(None) => break false,
                    Ok(Some(Reply::Done { outcome: ended, .. })) => outcome = Some(ended),
                    Ok(Some(_)) => {}
                    Err(_) => break true,
                }
            };
            held = input.to_vec();
            refused
        });
        let honest = !outside && times.iter().all(|n| *n <= 1);
        prop_assert_eq!(refused, !honest);
        let came: u32 = times.iter().sum();
        prop_assert_eq!(outcome, honest.then_some(match came {
            _ if failed => Outcome::Failed(ErrorCode::Io),
            LENGTH => Outcome::Good,
            _ => Outcome::Short(came),
        }));
    }
}
