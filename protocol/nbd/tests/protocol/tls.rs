//! Where TLS begins: before everything that matters, and with nothing from before it.

use crate::pair::exports;
use plimsoll_nbd::server::{self, Tls};
use plimsoll_nbd::{ProtocolError, Session, client};

const STARTTLS: u32 = 5;
const ACK: u32 = 1;
const UNSUP: u32 = (1 << 31) + 1;
const POLICY: u32 = (1 << 31) + 2;
const INVALID: u32 = (1 << 31) + 3;
const TLS_REQD: u32 = (1 << 31) + 5;

fn option(code: u32, data: &[u8]) -> Vec<u8> {
    let len = data.len() as u32;
    [
        b"IHAVEOPT",
        &code.to_be_bytes()[..],
        &len.to_be_bytes(),
        data,
    ]
    .concat()
}

fn answer(code: u32, reply: u32, data: &[u8]) -> Vec<u8> {
    let magic = 0x0003_e889_0455_65a9_u64.to_be_bytes();
    let numbers = [code, reply, data.len() as u32].map(u32::to_be_bytes);
    [&magic[..], &numbers.concat(), data].concat()
}

/// A server that has greeted, and heard the client's flags.
fn greeted(tls: Tls) -> server::Handshake {
    let mut server = server::Handshake::with_tls(exports(), tls);
    let mut output = Vec::new();
    let sent = server.next(&mut &[][..], &mut output);
    assert_eq!(sent, Ok(server::Progress::Send));
    let more = server.next(&mut &b"\0\0\0\x03"[..], &mut output);
    assert_eq!(more, Ok(server::Progress::NeedInput));
    server
}

/// Progress of a server after a message, and its answer.
fn says(
    server: &mut server::Handshake,
    message: &[u8],
) -> (Result<server::Progress, ProtocolError>, Vec<u8>) {
    let (mut input, mut output) = (message, Vec::new());
    let progress = server.next(&mut input, &mut output);
    (progress, output)
}

/// The number of the answer to a message.
fn reply(server: &mut server::Handshake, message: &[u8]) -> u32 {
    let (progress, output) = says(server, message);
    assert!(progress.is_ok(), "{progress:?}");
    u32::from_be_bytes(output[12..16].try_into().expect("four bytes"))
}

/// Both sides, with a TLS between them that hides nothing; what they agreed on, and all that was said before it began.
fn meet(tls: Tls) -> Result<(Session, Session, Vec<u8>), ProtocolError> {
    let mut server = server::Handshake::with_tls(exports(), tls);
    let wanted = client::Wanted::export("array/lun1");
    let mut client = client::Handshake::with_tls(wanted)?;
    let (mut up, mut down, mut open) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ours, mut theirs, mut begun) = (None, None, [false; 2]);
    for _ in 0..50 {
        let mut input = up.as_slice();
        match server.next(&mut input, &mut down)? {
            server::Progress::Ready(session) => theirs = Some(session),
            server::Progress::StartTls => begun[0] = true,
            _ => {}
        }
        up = input.to_vec();
        if !begun[1] {
            open.extend(&down);
        }
        let mut input = down.as_slice();
        match client.next(&mut input, &mut up)? {
            client::Progress::Ready(session) => ours = Some(session),
            client::Progress::StartTls => {
                assert!(begun[0]);
                begun[1] = true;
            }
            _ => {}
        }
        down = input.to_vec();
        if !begun[1] {
            open.extend(&up);
        }
        if let (Some(ours), Some(theirs)) = (ours.clone(), theirs.clone()) {
            return Ok((ours, theirs, open));
        }
        if theirs.is_some() {
            // The server is done; the client reads on.
            while !down.is_empty() && ours.is_none() {
                let mut input = down.as_slice();
                if let client::Progress::Ready(session) = client.next(&mut input, &mut up)? {
                    ours = Some(session);
                }
                down = input.to_vec();
            }
        }
    }
    panic!("they never came to an export");
}

#[test]
fn with_tls_both_come_to_the_export_and_nothing_of_it_is_said_before() {
    for tls in [Tls::Allowed, Tls::Required] {
        let (ours, theirs, open) = meet(tls).expect("an export");
        assert_eq!(ours.export.name, "array/lun1");
        assert_eq!(ours.export.size, theirs.export.size);
        assert!(ours.structured);
        assert!(!open.windows(5).any(|w| w == b"array"));
    }
}

#[test]
fn a_client_that_wants_tls_goes_nowhere_without() {
    let refused = meet(Tls::Off).expect_err("no TLS");
    assert_eq!(
        refused.to_string(),
        "the server has no TLS: not supported; nbds:// never goes on without"
    );
    // Somebody who answers for the server, or a server that may not.
    for (reply, data) in [(POLICY, &b"not here"[..]), (UNSUP, b""), (TLS_REQD, b"")] {
        let error = answered(&answer(STARTTLS, reply, data)).expect_err("refused");
        assert!(matches!(error, ProtocolError::NoTls { .. }), "{error}");
    }
    // One that has no options at all would be asked for the export in plain text.
    let mut client = client::Handshake::with_tls(client::Wanted::export("x")).expect("a name");
    let mut output = Vec::new();
    let refused = client.next(&mut &b"NBDMAGICIHAVEOPT\0\0"[..], &mut output);
    assert!(
        matches!(refused, Err(ProtocolError::NoTls { .. })),
        "{refused:?}"
    );
    assert_eq!(output, b"\0\0\0\0");
}

/// Progress of a client that has asked for TLS, after an answer.
fn answered(bytes: &[u8]) -> Result<client::Progress, ProtocolError> {
    let mut client = client::Handshake::with_tls(client::Wanted::export("x"))?;
    let mut output = Vec::new();
    client.next(&mut &b"NBDMAGICIHAVEOPT\0\x03"[..], &mut output)?;
    assert_eq!(
        output,
        [&b"\0\0\0\x03"[..], &option(STARTTLS, &[])].concat()
    );
    client.next(&mut &bytes[..], &mut output)
}

#[test]
fn plain_text_behind_the_word_that_begins_tls_is_refused_by_both() {
    // Somebody on the way adds a request, to be carried out as the client's own once TLS hides who said it.
    let injected = [option(STARTTLS, &[]), option(3, &[])].concat();
    for tls in [Tls::Allowed, Tls::Required] {
        for length in 17..=injected.len() {
            let (progress, output) = says(&mut greeted(tls), &injected[..length]);
            assert_eq!(progress, Err(ProtocolError::PlainText));
            assert_eq!(output, b"");
        }
    }
    // And an answer, to be taken for the server's.
    let begins = answer(STARTTLS, ACK, &[]);
    assert_eq!(answered(&begins), Ok(client::Progress::StartTls));
    for injected in [&answer(8, ACK, &[])[..], b"\0"] {
        let both = [&begins[..], injected].concat();
        assert_eq!(answered(&both), Err(ProtocolError::PlainText));
    }
    assert!(answered(&answer(STARTTLS, ACK, b"x")).is_err());
}

#[test]
fn what_was_agreed_in_plain_text_is_forgotten() {
    let mut server = greeted(Tls::Allowed);
    assert_eq!(reply(&mut server, &option(8, &[])), ACK);
    let (progress, output) = says(&mut server, &option(STARTTLS, &[]));
    assert_eq!(progress, Ok(server::Progress::StartTls));
    assert_eq!(output, answer(STARTTLS, ACK, &[]));
    let name = [&10_u32.to_be_bytes()[..], b"array/lun1", &[0, 1, 0, 3]].concat();
    let (progress, _) = says(&mut server, &option(7, &name));
    let Ok(server::Progress::Ready(session)) = progress else {
        panic!("{progress:?}");
    };
    assert!(!session.structured);
}

#[test]
fn where_tls_is_required_nothing_else_is_answered_before_it() {
    // LIST, INFO, GO, structured replies, contexts, and options that are not known.
    for code in [3, 6, 7, 8, 9, 10, 11, 4, 4711] {
        for length in [0, 6, 70_000] {
            let data = vec![0; length];
            let both = [option(code, &data), option(2, &[])].concat();
            let (mut server, mut output) = (greeted(Tls::Required), Vec::new());
            let mut input = both.as_slice();
            let first = server.next(&mut input, &mut output);
            assert_eq!(first, Ok(server::Progress::Send));
            assert_eq!(output[12..16], TLS_REQD.to_be_bytes(), "{code} of {length}");
            // Its data is passed over: what follows is understood.
            let second = server.next(&mut input, &mut output);
            assert_eq!(second, Ok(server::Progress::Abandoned));
        }
    }
    let (progress, output) = says(&mut greeted(Tls::Required), &option(1, b"array/lun1"));
    assert_eq!(progress, Err(ProtocolError::TlsRequired));
    assert_eq!(output, b"");
    let (progress, _) = says(&mut greeted(Tls::Required), &option(2, &[]));
    assert_eq!(progress, Ok(server::Progress::Abandoned));
    // A client without TLS hears what it needs.
    let mut client = client::Handshake::new(client::Wanted::export("x")).expect("a name");
    let mut output = Vec::new();
    let words = [
        &b"NBDMAGICIHAVEOPT\0\x03"[..],
        &answer(8, TLS_REQD, b""),
        &answer(7, TLS_REQD, b""),
    ];
    let words = words.concat();
    let mut input = words.as_slice();
    let refused = loop {
        match client.next(&mut input, &mut output) {
            Ok(client::Progress::Send) => {}
            other => break other.expect_err("refused").to_string(),
        }
    };
    assert!(refused.contains("write nbds:// for nbd://"), "{refused}");
}

#[test]
fn tls_begins_once_and_without_data() {
    let mut server = greeted(Tls::Required);
    assert_eq!(reply(&mut server, &option(STARTTLS, b"x")), INVALID);
    assert_eq!(reply(&mut server, &option(STARTTLS, &[])), ACK);
    assert_eq!(reply(&mut server, &option(STARTTLS, &[])), INVALID);
    assert_eq!(reply(&mut server, &option(3, &[])), 2);
    assert_eq!(reply(&mut greeted(Tls::Off), &option(STARTTLS, &[])), UNSUP);
}
