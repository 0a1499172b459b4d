//! Requests as a server reads them.

use crate::pair::negotiate;
use plimsoll_nbd::client::Wanted;
use plimsoll_nbd::server::{Event, Requests};
use plimsoll_nbd::{
    Command, CommandFlags, ErrorCode, MAX_PAYLOAD, Request, Session, TransmissionFlags,
};
use proptest::prelude::*;

fn session(export: &str, allocation: bool) -> Session {
    let wanted = Wanted {
        allocation,
        ..Wanted::export(export)
    };
    negotiate(wanted, 1000).unwrap().1
}

/// Verdict of a server on one request.
fn judge(session: &Session, request: Request) -> Result<Request, ErrorCode> {
    let bytes = request.to_bytes();
    match Requests::new(session).next(&mut bytes.as_slice()) {
        Ok(Some(Event::Request(request))) => Ok(request),
        Ok(Some(Event::Refused { cookie, code, .. })) => {
            assert_eq!(cookie, request.cookie);
            Err(code)
        }
        other => panic!("{other:?}"),
    }
}

/// Events, payloads joined.
fn events(requests: &mut Requests, pieces: &[&[u8]]) -> Vec<String> {
    let mut out = Vec::new();
    let mut data: Vec<u8> = Vec::new();
    let mut held = Vec::new();
    for piece in pieces {
        held.extend_from_slice(piece);
        let mut input = held.as_slice();
        while let Some(event) = requests.next(&mut input).unwrap() {
            match event {
                Event::Payload { at, bytes } => {
                    assert_eq!(at as usize, data.len());
                    data.extend_from_slice(bytes);
                    if requests.payload().is_none() {
                        out.push(format!("{:?}", std::mem::take(&mut data)));
                    }
                }
                other => out.push(format!("{other:?}")),
            }
        }
        held = input.to_vec();
    }
    out
}

fn command() -> impl Strategy<Value = Command> {
    (0_u16..8).prop_map(|c| Command::from_wire(c).unwrap())
}

proptest! {
    #[test]
    fn any_split_of_the_stream_gives_the_same_events(
        requests in prop::collection::vec((command(), any::<u64>(), 0_u64..1 << 31, 0_u32..2000), 1..20),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let mut stream = Vec::new();
        for (command, cookie, offset, len) in requests {
            stream.extend(Request::new(command, cookie, offset, len).to_bytes());
            if command == Command::Write {
                stream.extend((0..len).map(|i| i as u8));
            }
        }
        let mut cuts: Vec<_> = cuts.iter().map(|c| c.index(stream.len())).collect();
        cuts.sort_unstable();
        let (mut pieces, mut from) = (Vec::new(), 0);
        for cut in cuts.into_iter().chain([stream.len()]) {
            pieces.push(&stream[from..cut]);
            from = cut;
        }
        let session = session("array/lun0", true);
        let split = events(&mut Requests::new(&session), &pieces);
        let whole = events(&mut Requests::new(&session), &[&stream]);
        prop_assert_eq!(split, whole);
    }

    #[test]
    fn what_was_sent_is_what_is_read(
        command in command(), cookie: u64, offset in 0_u64..1 << 20, len in 1_u32..1 << 20,
    ) {
        prop_assume!(command != Command::Disconnect && command != Command::Cache);
        let request = Request::new(command, cookie, offset, len);
        prop_assert_eq!(judge(&session("array/lun0", true), request), Ok(request));
    }
}

#[test]
fn requests_outside_of_the_rules_are_refused_with_the_right_error() {
    use Command::*;
    use ErrorCode::*;
    let size = 1 << 30;
    for (command, offset, len, code) in [
        (Read, 0, 0, Invalid),
        (Read, size - 1, 2, Invalid),
        (Read, u64::MAX, 1, Invalid),
        (Read, 0, MAX_PAYLOAD + 1, Invalid),
        (Write, 0, MAX_PAYLOAD + 1, Invalid),
        (Write, size, 1, NoSpace),
        (WriteZeroes, size - 10, 11, NoSpace),
        (Trim, size, 1, Invalid),
        (BlockStatus, 0, 4096, Invalid),
        (Cache, 0, 4096, Invalid),
    ] {
        let request = Request::new(command, 3, offset, len);
        let answer = judge(&session("array/lun0", false), request);
        assert_eq!(answer, Err(code), "{request:?}");
    }
    let zeroes = Request::new(WriteZeroes, 3, 0, size as u32);
    assert_eq!(judge(&session("array/lun0", false), zeroes), Ok(zeroes));
}

#[test]
fn the_minimum_block_size_binds_offsets_and_lengths() {
    let session = session("array/lun1", false);
    for (offset, len, good) in [(512, 512, true), (512, 100, false), (8, 512, false)] {
        let request = Request::new(Command::Read, 0, offset, len);
        assert_eq!(judge(&session, request).is_ok(), good, "{request:?}");
    }
}

#[test]
fn flags_are_good_only_where_they_mean_something() {
    let session = session("array/lun0", true);
    for (command, flags, good) in [
        (Command::Write, CommandFlags::FUA, true),
        (Command::Read, CommandFlags::DF, true),
        (Command::Write, CommandFlags::DF, false),
        (Command::WriteZeroes, CommandFlags::NO_HOLE, true),
        (Command::WriteZeroes, CommandFlags::FAST_ZERO, false),
        (Command::BlockStatus, CommandFlags::REQ_ONE, true),
        (Command::Read, CommandFlags::from_bits_retain(1 << 9), false),
    ] {
        let request = Request {
            flags,
            ..Request::new(command, 0, 0, 4096)
        };
        assert_eq!(judge(&session, request).is_ok(), good, "{request:?}");
    }
}

#[test]
fn an_export_that_is_read_only_permits_no_change() {
    let mut session = session("array/lun0", false);
    session.export.flags |= TransmissionFlags::READ_ONLY;
    for command in [Command::Write, Command::Trim, Command::WriteZeroes] {
        let answer = judge(&session, Request::new(command, 0, 0, 4096));
        assert_eq!(answer, Err(ErrorCode::NotPermitted));
    }
}

#[test]
fn the_payload_of_a_refused_write_is_passed_over() {
    let refused = Request::new(Command::Write, 1, 1 << 30, 100).to_bytes();
    let next = Request::new(Command::Flush, 2, 0, 0).to_bytes();
    let stream = [&refused[..], &[7; 100], &next].concat();
    let session = session("array/lun0", false);
    let seen = events(&mut Requests::new(&session), &[&stream]);
    assert!(
        seen[0].contains("NoSpace") && seen[1].contains("Flush"),
        "{seen:?}"
    );
}

#[test]
fn a_payload_can_be_read_past_the_parser() {
    let session = session("array/lun0", false);
    let mut requests = Requests::new(&session);
    let header = Request::new(Command::Write, 1, 0, 1 << 20).to_bytes();
    let start = [&header[..], &[1; 1000]].concat();
    let mut input = start.as_slice();
    assert!(matches!(
        requests.next(&mut input),
        Ok(Some(Event::Request(_)))
    ));
    assert!(matches!(
        requests.next(&mut input),
        Ok(Some(Event::Payload { at: 0, .. }))
    ));
    assert_eq!(requests.next(&mut input), Ok(None));
    let ahead = requests.payload().unwrap();
    assert_eq!((ahead.at, ahead.left), (1000, (1 << 20) - 1000));
    requests.took(ahead.left);
    assert_eq!(requests.payload(), None);
    let leave = Request::new(Command::Disconnect, 0, 0, 0).to_bytes();
    assert_eq!(
        requests.next(&mut leave.as_slice()),
        Ok(Some(Event::Disconnect))
    );
}
