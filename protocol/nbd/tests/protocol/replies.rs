//! Replies as a server writes and a client reads them.

use crate::pair::negotiate;
use plimsoll_nbd::client::{Awaited, Outcome, Replies, Reply, Wanted};
use plimsoll_nbd::server::{Extent, ReplyEncoder};
use plimsoll_nbd::{Command, ErrorCode, ExtentFlags, ProtocolError, Request, Session};
use proptest::prelude::*;

fn session(structured: bool) -> Session {
    let wanted = Wanted {
        structured,
        allocation: structured,
        ..Wanted::export("array/lun0")
    };
    negotiate(wanted, 1000).unwrap().0
}

/// A reply to the request of its number. Its read, if it is one, starts at its number times a MiB.
#[derive(Debug, Clone)]
enum Answer {
    /// Pieces of a read: data or a hole, and how long.
    Read(Vec<(bool, u32)>),
    Done,
    Error(ErrorCode),
    Status(Vec<u32>),
}

fn start(cookie: u64) -> u64 {
    cookie << 20
}

fn data(cookie: u64, at: u32, len: u32) -> Vec<u8> {
    (at..at + len)
        .map(|i| (u64::from(i) * 7 + cookie) as u8)
        .collect()
}

fn encode(session: &Session, answers: &[Answer]) -> Vec<u8> {
    let encoder = ReplyEncoder::new(session);
    let mut out = Vec::new();
    for (cookie, answer) in (0..).zip(answers) {
        match answer {
            Answer::Read(pieces) => {
                let mut at = 0;
                for (i, (hole, len)) in pieces.iter().enumerate() {
                    let (offset, last) = (start(cookie) + u64::from(at), i + 1 == pieces.len());
                    if *hole {
                        encoder.hole(cookie, offset, *len, last, &mut out);
                    } else {
                        encoder.data(cookie, offset, *len, last, &mut out);
                        out.extend(data(cookie, at, *len));
                    }
                    at += len;
                }
            }
            Answer::Done => encoder.done(cookie, &mut out),
            Answer::Error(code) => encoder.error(cookie, *code, "because", &mut out),
            Answer::Status(lens) => {
                let extent = |len: &u32| Extent {
                    len: *len,
                    flags: ExtentFlags::HOLE,
                };
                let extents: Vec<_> = lens.iter().map(extent).collect();
                encoder.extents(cookie, &extents, &mut out);
            }
        }
    }
    out
}

/// Replies as the client reads them, in the same words. Every `past` bytes of a payload are read past the parser.
fn decode(
    session: &Session,
    answers: &[Answer],
    pieces: &[&[u8]],
    past: bool,
) -> Vec<(u64, String)> {
    let mut in_flight: Vec<(u64, Awaited)> = Vec::new();
    let mut places: Vec<Vec<u8>> = Vec::new();
    for (cookie, answer) in (0..).zip(answers) {
        let (command, len) = match answer {
            Answer::Read(pieces) => (Command::Read, pieces.iter().map(|p| p.1).sum()),
            Answer::Status(_) => (Command::BlockStatus, 0),
            Answer::Done | Answer::Error(_) => (Command::Write, 0),
        };
        let request = Request::new(command, cookie, start(cookie), len);
        in_flight.push((cookie, Awaited::new(&request)));
        places.push(vec![0xee; len as usize]);
    }
    let mut replies = Replies::new(session);
    let mut seen: Vec<String> = vec![String::new(); answers.len()];
    let mut order = Vec::new();
    let mut held = Vec::new();
    for piece in pieces {
        held.extend_from_slice(piece);
        let mut input = held.as_slice();
        loop {
            if let (true, Some(ahead)) = (past, replies.payload()) {
                let len = input.len().min(ahead.left as usize);
                places[ahead.cookie as usize][ahead.at as usize..][..len]
                    .copy_from_slice(&input[..len]);
                input = &input[len..];
                replies.took(len as u32);
            }
            match replies.next(&mut input, &mut in_flight[..]).unwrap() {
                None => break,
                Some(Reply::Payload { cookie, at, bytes }) => {
                    places[cookie as usize][at as usize..][..bytes.len()].copy_from_slice(bytes);
                }
                Some(Reply::Hole { cookie, at, len }) => {
                    places[cookie as usize][at as usize..][..len as usize].fill(0);
                }
                Some(Reply::Extent { cookie, len, .. }) => {
                    seen[cookie as usize] += &format!("extent {len} ");
                }
                Some(Reply::Error { cookie, code, .. }) => {
                    seen[cookie as usize] += &format!("error {code}");
                }
                Some(Reply::Done { cookie, outcome }) => {
                    let failed = matches!(answers[cookie as usize], Answer::Error(_));
                    assert_eq!(outcome == Outcome::Good, !failed);
                    let place = &places[cookie as usize];
                    let text = std::mem::take(&mut seen[cookie as usize]);
                    order.push((cookie, format!("{text}{place:?}")));
                }
            }
        }
        held = input.to_vec();
    }
    assert!(held.is_empty());
    order
}

/// Replies that a client ought to read.
fn truth(answers: &[Answer]) -> Vec<(u64, String)> {
    let one = |(cookie, answer): (u64, &Answer)| {
        let text = match answer {
            Answer::Read(pieces) => {
                let mut place = Vec::new();
                for (hole, len) in pieces {
                    let at = place.len() as u32;
                    place.extend(match hole {
                        true => vec![0; *len as usize],
                        false => data(cookie, at, *len),
                    });
                }
                format!("{place:?}")
            }
            Answer::Done => "[]".to_owned(),
            Answer::Error(code) => format!("error {code}[]"),
            Answer::Status(lens) => {
                let extents: String = lens.iter().map(|l| format!("extent {l} ")).collect();
                format!("{extents}[]")
            }
        };
        (cookie, text)
    };
    (0..).zip(answers).map(one).collect()
}

fn answer(structured: bool) -> impl Strategy<Value = Answer> {
    let pieces = if structured { 1..5_usize } else { 1..2 };
    let piece = (
        any::<bool>().prop_map(move |hole| hole && structured),
        1_u32..3000,
    );
    let statuses = if structured { 1 } else { 0 };
    prop_oneof![
        4 => prop::collection::vec(piece, pieces).prop_map(Answer::Read),
        1 => Just(Answer::Done),
        1 => Just(Answer::Error(ErrorCode::NoSpace)),
        statuses => prop::collection::vec(any::<u32>(), 1..5).prop_map(Answer::Status),
    ]
}

fn answers() -> impl Strategy<Value = (bool, Vec<Answer>)> {
    any::<bool>().prop_flat_map(|structured| {
        (
            Just(structured),
            prop::collection::vec(answer(structured), 1..12),
        )
    })
}

proptest! {
    #[test]
    fn replies_come_through_any_split_of_the_stream(
        (structured, answers) in answers(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        past: bool,
    ) {
        let session = session(structured);
        let stream = encode(&session, &answers);
        let mut cuts: Vec<_> = cuts.iter().map(|c| c.index(stream.len())).collect();
        cuts.sort_unstable();
        let (mut pieces, mut from) = (Vec::new(), 0);
        for cut in cuts.into_iter().chain([stream.len()]) {
            pieces.push(&stream[from..cut]);
            from = cut;
        }
        prop_assert_eq!(decode(&session, &answers, &pieces, past), truth(&answers));
    }
}

/// Error of a client in reading a stream, when request 1 is a read of 4096 bytes at 8192, and 2 is a write.
fn refused(structured: bool, stream: &[u8]) -> ProtocolError {
    let mut in_flight = [
        Request::new(Command::Read, 1, 8192, 4096),
        Request::new(Command::Write, 2, 0, 4096),
    ]
    .map(|r| (r.cookie, Awaited::new(&r)));
    let mut replies = Replies::new(&session(structured));
    let mut input = stream;
    loop {
        match replies.next(&mut input, &mut in_flight[..]) {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it was taken"),
            Err(error) => return error,
        }
    }
}

#[test]
fn a_server_cannot_write_outside_of_a_request() {
    let encoder = ReplyEncoder::new(&session(true));
    let data = |cookie, offset, len| {
        let mut out = Vec::new();
        encoder.data(cookie, offset, len, true, &mut out);
        out
    };
    let hole = |cookie, offset, len| {
        let mut out = Vec::new();
        encoder.hole(cookie, offset, len, true, &mut out);
        out
    };
    for stream in [
        data(1, 8191, 10),
        data(1, 8192, 4097),
        data(1, u64::MAX, 4096),
        hole(1, 8192, u32::MAX),
    ] {
        assert_eq!(refused(true, &stream), ProtocolError::OutsideRequest(1));
    }
    assert_eq!(refused(true, &data(2, 0, 1)), ProtocolError::OtherReply(2));
    assert_eq!(
        refused(true, &data(3, 0, 1)),
        ProtocolError::UnknownCookie(3)
    );
}

#[test]
fn replies_of_the_wrong_form_end_the_session() {
    let mut simple = Vec::new();
    ReplyEncoder::new(&session(false)).data(1, 8192, 4096, true, &mut simple);
    assert!(matches!(
        refused(true, &simple),
        ProtocolError::Malformed(_)
    ));
    let mut chunk = Vec::new();
    ReplyEncoder::new(&session(true)).data(1, 8192, 4096, true, &mut chunk);
    assert!(matches!(
        refused(false, &chunk),
        ProtocolError::Magic { .. }
    ));
    let unknown = b"\x66\x8e\x33\xef\0\x01\0\x09\0\0\0\0\0\0\0\x01\0\0\0\0";
    assert_eq!(refused(true, unknown), ProtocolError::UnknownChunk(9));
}

#[test]
fn an_error_says_where_and_why_also_when_its_kind_is_new() {
    let body = |kind: u8| {
        let head = [
            0x66, 0x8e, 0x33, 0xef, 0, 1, 0x80, kind, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 18,
        ];
        [&head[..], b"\0\0\0\x05\0\x04disk", b"\0\0\0\0\0\0\x20\x00"].concat()
    };
    let read = |kind, at| {
        let stream = body(kind);
        let mut replies = Replies::new(&session(true));
        let mut input = stream.as_slice();
        let request = Request::new(Command::Read, 1, 0, 1);
        let mut in_flight = [(1, Awaited::new(&request))];
        let error = Reply::Error {
            cookie: 1,
            code: ErrorCode::Io,
            at,
            message: "disk",
        };
        assert_eq!(
            replies.next(&mut input, &mut in_flight[..]),
            Ok(Some(error))
        );
        let done = Reply::Done {
            cookie: 1,
            outcome: Outcome::Failed(ErrorCode::Io),
        };
        assert_eq!(replies.next(&mut input, &mut in_flight[..]), Ok(Some(done)));
    };
    read(2, Some(8192));
    read(77, None);
}
