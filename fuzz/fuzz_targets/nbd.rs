//! Both halves of the NBD codec answer every stream, and what they let through is inside of what was agreed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_nbd::client::{self, Expected, Replies, Reply, Wanted};
use plimsoll_nbd::server::{self, Event, Requests};
use plimsoll_nbd::{Command, Export, Session, TransmissionFlags};

fn session(flags: u8) -> Session {
    Session {
        export: Export {
            name: "array/lun0".into(),
            size: 1 << 20,
            flags: TransmissionFlags::from_bits_retain(u16::from(flags) << 4),
            ..Export::default()
        },
        structured: flags & 1 != 0,
        allocation: (flags & 3 == 3).then_some(1),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((flags, stream)) = bytes.split_first() else {
        return;
    };
    let session = session(*flags);
    let mut output = Vec::new();

    let mut handshake = server::Handshake::new([session.export.clone()].into());
    let mut input = stream;
    while let Ok(server::Progress::Send) = handshake.next(&mut input, &mut output) {
        output.clear();
    }
    let mut handshake = client::Handshake::new(Wanted::export("array/lun0")).expect("a short name");
    let mut input = stream;
    while let Ok(client::Progress::Send) = handshake.next(&mut input, &mut output) {
        output.clear();
    }

    let mut requests = Requests::new(&session);
    let mut input = stream;
    while let Ok(Some(event)) = requests.next(&mut input) {
        if let Event::Request(request) = event {
            let end = request.offset.checked_add(request.len.into());
            let inside = end.is_some_and(|end| end <= session.export.size);
            assert!(inside || request.command == Command::Flush);
        }
    }
    let mut replies = Replies::new(&session);
    let expected = |cookie: u64| {
        (cookie < 256).then_some(Expected {
            offset: 4096,
            len: cookie as u32,
        })
    };
    let mut input = stream;
    while let Ok(Some(reply)) = replies.next(&mut input, expected) {
        match reply {
            Reply::Payload { cookie, at, bytes } => assert!(u64::from(at) + bytes.len() as u64 <= cookie),
            Reply::Hole { cookie, at, len } => assert!(u64::from(at) + u64::from(len) <= cookie),
            _ => {}
        }
    }
});
