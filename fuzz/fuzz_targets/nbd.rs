//! Both halves of the NBD codec answer every stream, and what they let through is inside of what was agreed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_nbd::client::{self, Awaited, InFlight, Outcome, Replies, Reply, Wanted};
use plimsoll_nbd::server::{self, Event, Requests, Tls};
use plimsoll_nbd::{Command, Export, Request, Session, TransmissionFlags};

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

/// Reads of as many bytes as their number says, and above them BLOCK_STATUS and flushes.
struct Pending(Vec<Awaited>);

impl Pending {
    fn new() -> Self {
        let request = |cookie: u64| {
            let (command, len) = match cookie {
                0..256 => (Command::Read, cookie as u32),
                256..264 => (Command::BlockStatus, 4096),
                _ => (Command::Flush, 0),
            };
            Awaited::new(&Request::new(command, cookie, 4096, len))
        };
        Pending((0..272).map(request).collect())
    }
}

impl InFlight for Pending {
    fn find(&mut self, cookie: u64) -> Option<&mut Awaited> {
        self.0.get_mut(usize::try_from(cookie).ok()?)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((flags, stream)) = bytes.split_first() else {
        return;
    };
    let session = session(*flags);
    let mut output = Vec::new();

    for tls in [Tls::Off, Tls::Allowed, Tls::Required] {
        let exports = [session.export.clone()].into();
        let mut handshake = server::Handshake::with_tls(exports, tls);
        let mut input = stream;
        let progress = loop {
            match handshake.next(&mut input, &mut output) {
                Ok(server::Progress::Send) => output.clear(),
                other => break other,
            }
        };
        match progress {
            // Nothing from before TLS is there after it.
            Ok(server::Progress::StartTls) => assert!(input.is_empty() && tls != Tls::Off),
            Ok(server::Progress::Ready(_)) => assert!(tls != Tls::Required),
            _ => {}
        }
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
    let mut in_flight = Pending::new();
    // How often each byte of each read has come, counted beside the client.
    let mut came: Vec<Vec<u8>> = (0..256).map(|len| vec![0; len]).collect();
    let mut input = stream;
    while let Ok(Some(reply)) = replies.next(&mut input, &mut in_flight) {
        let (cookie, at, len) = match reply {
            Reply::Payload { cookie, at, bytes } => (cookie, at, bytes.len()),
            Reply::Hole { cookie, at, len } => (cookie, at, len as usize),
            Reply::Done { cookie, outcome } => {
                if let (Some(came), Outcome::Good) = (came.get(cookie as usize), outcome) {
                    assert!(came.iter().all(|times| *times == 1));
                }
                continue;
            }
            _ => continue,
        };
        for times in &mut came[cookie as usize][at as usize..][..len] {
            *times += 1;
            assert!(*times == 1);
        }
    }
});
