//! What a server answers to options that ours does not send.

use crate::pair::exports;
use plimsoll_nbd::ProtocolError;
use plimsoll_nbd::server::{Handshake, Progress};

const ACK: u32 = 1;
const SERVER: u32 = 2;
const INFO: u32 = 3;
const META_CONTEXT: u32 = 4;
const UNSUP: u32 = (1 << 31) + 1;
const INVALID: u32 = (1 << 31) + 3;
const UNKNOWN: u32 = (1 << 31) + 6;
const BLOCK_SIZE_REQD: u32 = (1 << 31) + 8;
const TOO_BIG: u32 = (1 << 31) + 9;

/// Kind and data of an answer to an option.
type OptionAnswer = (u32, Vec<u8>);

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

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat()
}

/// The name, and the kinds of information that are asked for.
fn info(name: &str, kinds: &[u16]) -> Vec<u8> {
    let count = kinds.len() as u16;
    let kinds = kinds.iter().flat_map(|k| k.to_be_bytes());
    string(name)
        .into_iter()
        .chain(count.to_be_bytes())
        .chain(kinds)
        .collect()
}

/// The name and the queries.
fn contexts(name: &str, queries: &[&str]) -> Vec<u8> {
    let count = (queries.len() as u32).to_be_bytes();
    let queries = queries.iter().flat_map(|q| string(q));
    string(name)
        .into_iter()
        .chain(count)
        .chain(queries)
        .collect()
}

/// The kinds and the data of the answers to options sent one after the other, and how it went on.
fn answers(options: &[Vec<u8>]) -> (Vec<OptionAnswer>, Result<Progress, ProtocolError>) {
    let mut server = Handshake::new(exports());
    let sent = [b"\0\0\0\x03".to_vec(), options.concat()].concat();
    let (mut input, mut output) = (sent.as_slice(), Vec::new());
    assert_eq!(server.next(&mut &[][..], &mut output), Ok(Progress::Send));
    output.clear();
    let last = loop {
        match server.next(&mut input, &mut output) {
            Ok(Progress::Send) => {}
            other => break other,
        }
    };
    let mut rest = output.as_slice();
    let mut found = Vec::new();
    while rest.starts_with(b"\0\x03\xe8\x89\x04\x55\x65\xa9") {
        let number = |at: usize| u32::from_be_bytes(rest[at..at + 4].try_into().unwrap());
        let (kind, len) = (number(12), number(16) as usize);
        found.push((kind, rest[20..20 + len].to_vec()));
        rest = &rest[20 + len..];
    }
    (found, last)
}

fn kinds(options: &[Vec<u8>]) -> Vec<u32> {
    answers(options).0.into_iter().map(|a| a.0).collect()
}

#[test]
fn unknown_options_are_passed_over_with_their_data() {
    let starttls = option(5, b"");
    let future = option(4711, &[9; 200_000]);
    let extended = option(11, b"");
    let list = option(3, b"");
    assert_eq!(
        kinds(&[starttls, future, extended, list]),
        [UNSUP, UNSUP, UNSUP, SERVER, SERVER, ACK]
    );
}

#[test]
fn a_known_option_that_is_too_long_is_passed_over() {
    let long = option(7, &vec![0; 70_000]);
    assert_eq!(
        kinds(&[long, option(3, b"")]),
        [TOO_BIG, SERVER, SERVER, ACK]
    );
}

#[test]
fn list_names_and_describes_the_exports() {
    let (found, _) = answers(&[option(3, b"")]);
    let text = String::from_utf8(found[1].1[4..].to_vec()).unwrap();
    assert_eq!(text, "array/lun1array/lun1, a volume");
    assert_eq!(kinds(&[option(3, b"?")]), [INVALID]);
}

#[test]
fn info_tells_what_was_asked_for_and_does_not_choose() {
    let (found, last) = answers(&[option(6, &info("array/lun1", &[1, 2, 3, 99]))]);
    let tags: Vec<_> = found
        .iter()
        .map(|(kind, data)| (*kind, data.get(1)))
        .collect();
    let expected = [
        (INFO, Some(&0)),
        (INFO, Some(&1)),
        (INFO, Some(&2)),
        (INFO, Some(&3)),
        (ACK, None),
    ];
    assert_eq!(tags, expected);
    assert_eq!(last, Ok(Progress::NeedInput));
}

#[test]
fn go_without_block_sizes_needs_an_export_without_a_minimum() {
    assert_eq!(
        kinds(&[option(7, &info("array/lun1", &[]))]),
        [BLOCK_SIZE_REQD]
    );
    let (found, last) = answers(&[option(7, &info("array/lun0", &[]))]);
    assert_eq!(found.len(), 2);
    assert!(matches!(last, Ok(Progress::Ready(_))), "{last:?}");
}

#[test]
fn options_with_lengths_that_do_not_fit_are_invalid() {
    let long_name = [&9999_u32.to_be_bytes()[..], b"x", &[0, 0]].concat();
    let missing_kinds = [string("array/lun0"), vec![0, 5]].concat();
    assert_eq!(
        kinds(&[
            option(7, &long_name),
            option(7, b""),
            option(6, &missing_kinds)
        ]),
        [INVALID, INVALID, INVALID]
    );
    assert_eq!(kinds(&[option(7, &info("nothing", &[]))]), [UNKNOWN]);
}

#[test]
fn contexts_need_structured_replies_first() {
    let set = option(10, &contexts("array/lun0", &["base:allocation"]));
    assert_eq!(kinds(std::slice::from_ref(&set)), [INVALID]);
    let structured = option(8, b"");
    let list_all = option(9, &contexts("", &[]));
    let list_base = option(9, &contexts("", &["base:"]));
    let others = option(
        10,
        &contexts("array/lun0", &["qemu:dirty-bitmap:x", "base:"]),
    );
    assert_eq!(
        kinds(&[structured, list_all, list_base, others, set]),
        [
            ACK,
            META_CONTEXT,
            ACK,
            META_CONTEXT,
            ACK,
            ACK,
            META_CONTEXT,
            ACK
        ]
    );
}

#[test]
fn contexts_count_only_for_the_export_that_they_were_set_for() {
    let session = |context_of: &str, queries: &[&str]| {
        let (_, last) = answers(&[
            option(8, b""),
            option(10, &contexts("array/lun0", &["base:allocation"])),
            option(10, &contexts(context_of, queries)),
            option(7, &info("array/lun0", &[])),
        ]);
        let Ok(Progress::Ready(session)) = last else {
            panic!("{last:?}");
        };
        session.allocation.is_some()
    };
    assert!(session("array/lun0", &["base:allocation"]));
    assert!(session("", &["base:allocation"]));
    assert!(!session("array/lun1", &["base:allocation"]));
    assert!(!session("array/lun0", &[]));
}

#[test]
fn export_name_chooses_or_ends_the_connection() {
    let (_, last) = answers(&[option(1, b"array/lun0")]);
    assert!(matches!(last, Ok(Progress::Ready(_))), "{last:?}");
    let (_, last) = answers(&[option(1, b"nothing")]);
    assert_eq!(last, Err(ProtocolError::NoExport("nothing".into())));
    let (_, last) = answers(&[option(1, &[b'x'; 70_000])]);
    assert!(
        matches!(last, Err(ProtocolError::TooLong { .. })),
        "{last:?}"
    );
}

#[test]
fn abort_is_acknowledged() {
    let (found, last) = answers(&[option(2, b"")]);
    assert_eq!(found, [(ACK, Vec::new())]);
    assert_eq!(last, Ok(Progress::Abandoned));
}

#[test]
fn handshake_flags_that_were_not_offered_end_the_connection() {
    let mut server = Handshake::new(exports());
    let mut output = Vec::new();
    server.next(&mut &[][..], &mut output).unwrap();
    let error = server.next(&mut &b"\0\0\0\x07"[..], &mut output);
    assert_eq!(error, Err(ProtocolError::HandshakeFlags(7)));
}
