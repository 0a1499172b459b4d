//! Whatever comes, nothing panics, nothing hangs and nothing grows.

use crate::pair::{exports, negotiate};
use plimsoll_nbd::client::{self, Awaited, Replies, Reply, Wanted};
use plimsoll_nbd::server::{self, Event, Requests};
use plimsoll_nbd::{Command, MAX_MESSAGE, Request, Session};
use proptest::prelude::*;

fn session() -> Session {
    let wanted = Wanted {
        allocation: true,
        ..Wanted::export("array/lun0")
    };
    negotiate(wanted, 1000).unwrap().0
}

/// Bytes that are right often enough to get anywhere.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"NBDMAGIC".to_vec()),
        Just(b"IHAVEOPT".to_vec()),
        Just(b"\0\x03\xe8\x89\x04\x55\x65\xa9".to_vec()),
        Just(b"\x25\x60\x95\x13".to_vec()),
        Just(b"\x67\x44\x66\x98".to_vec()),
        Just(b"\x66\x8e\x33\xef".to_vec()),
        (0_u32..16).prop_map(|n| n.to_be_bytes().to_vec()),
        (0_u16..16).prop_map(|n| n.to_be_bytes().to_vec()),
        (0_u64..4).prop_map(|n| n.to_be_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..40),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_server_survives_its_clients(bytes in bytes()) {
        let mut handshake = server::Handshake::new(exports());
        let (mut input, mut output) = (bytes.as_slice(), Vec::new());
        while let Ok(server::Progress::Send) = handshake.next(&mut input, &mut output) {
            prop_assert!(output.len() < MAX_MESSAGE);
            output.clear();
        }
        let session = session();
        let mut requests = Requests::new(&session);
        let mut input = bytes.as_slice();
        while let Ok(Some(event)) = requests.next(&mut input) {
            if let Event::Request(request) = event {
                let end = request.offset.saturating_add(request.len.into());
                let flush = request.command == plimsoll_nbd::Command::Flush;
                prop_assert!(flush || end <= session.export.size);
            }
        }
    }

    #[test]
    fn a_client_survives_its_servers(bytes in bytes(), structured: bool) {
        let mut handshake = client::Handshake::new(Wanted::export("")).unwrap();
        let (mut input, mut output) = (bytes.as_slice(), Vec::new());
        while let Ok(client::Progress::Send) = handshake.next(&mut input, &mut output) {
            output.clear();
        }
        let mut replies = Replies::new(&Session { structured, ..session() });
        let mut in_flight = [0, 1, 2].map(|cookie| {
            (cookie, Awaited::new(&Request::new(Command::Read, cookie, 0, cookie as u32 * 8)))
        });
        let mut input = bytes.as_slice();
        while let Ok(Some(reply)) = replies.next(&mut input, &mut in_flight[..]) {
            if let Reply::Payload { cookie, at, bytes } = reply {
                prop_assert!(at as usize + bytes.len() <= cookie as usize * 8);
            }
        }
    }
}
