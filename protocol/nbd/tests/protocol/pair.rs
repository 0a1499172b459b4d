//! A client and a server that talk through two pipes which deliver a few bytes at a time.

use plimsoll_nbd::client::{self, Wanted};
use plimsoll_nbd::server;
use plimsoll_nbd::{BlockSizes, Export, ProtocolError, Session, TransmissionFlags};
use std::sync::Arc;

/// Two exports; the second has a minimum block size.
pub fn exports() -> Arc<[Export]> {
    let flags = TransmissionFlags::HAS_FLAGS
        | TransmissionFlags::FLUSH
        | TransmissionFlags::FUA
        | TransmissionFlags::TRIM
        | TransmissionFlags::WRITE_ZEROES
        | TransmissionFlags::MULTI_CONN;
    let export = |name: &str, minimum| Export {
        name: name.to_owned(),
        description: format!("{name}, a volume"),
        size: 1 << 30,
        flags,
        block_sizes: BlockSizes {
            minimum,
            ..BlockSizes::default()
        },
    };
    Arc::new([export("array/lun0", 1), export("array/lun1", 512)])
}

/// Bytes on their way to one side.
#[derive(Default)]
struct Inbox {
    sent: Vec<u8>,
    seen: usize,
}

impl Inbox {
    fn taken(&mut self, rest: usize) {
        let used = self.seen - rest;
        self.sent.drain(..used);
        self.seen = rest;
    }
}

/// Both sides' sessions. `step` bytes are delivered at a time.
pub fn negotiate(wanted: Wanted, step: usize) -> Result<(Session, Session), ProtocolError> {
    let mut client = client::Handshake::new(wanted)?;
    let mut server = server::Handshake::new(exports());
    let (mut to_client, mut to_server) = (Inbox::default(), Inbox::default());
    let (mut ours, mut theirs) = (None, None);
    while ours.is_none() || theirs.is_none() {
        to_client.seen = to_client.sent.len().min(to_client.seen + step);
        to_server.seen = to_server.sent.len().min(to_server.seen + step);
        while ours.is_none() {
            let mut input = &to_client.sent[..to_client.seen];
            let progress = client.next(&mut input, &mut to_server.sent)?;
            let rest = input.len();
            to_client.taken(rest);
            match progress {
                client::Progress::NeedInput => break,
                client::Progress::StartTls => panic!("nobody asked for that"),
                client::Progress::Send => {}
                client::Progress::Ready(session) => ours = Some(session),
            }
        }
        while theirs.is_none() {
            let mut input = &to_server.sent[..to_server.seen];
            let progress = server.next(&mut input, &mut to_client.sent)?;
            let rest = input.len();
            to_server.taken(rest);
            match progress {
                server::Progress::NeedInput => break,
                server::Progress::StartTls => panic!("nobody asked for that"),
                server::Progress::Send => {}
                server::Progress::Ready(session) => theirs = Some(session),
                server::Progress::Abandoned => panic!("nobody asked for that"),
            }
        }
    }
    Ok((ours.unwrap(), theirs.unwrap()))
}
