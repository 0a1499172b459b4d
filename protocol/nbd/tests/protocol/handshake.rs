use crate::pair::negotiate;
use plimsoll_nbd::client::{Handshake, Progress, Wanted};
use plimsoll_nbd::{ProtocolError, TransmissionFlags};
use proptest::prelude::*;

fn wanted(export: &str) -> Wanted {
    Wanted {
        allocation: true,
        ..Wanted::export(export)
    }
}

/// Progress and answer of a client that is sent these bytes of an old or small server.
fn talk(client: &mut Handshake, server_says: &[u8]) -> Result<(Progress, Vec<u8>), ProtocolError> {
    let (mut input, mut output) = (server_says, Vec::new());
    let progress = client.next(&mut input, &mut output)?;
    assert!(input.is_empty() || matches!(progress, Progress::Ready(_)));
    Ok((progress, output))
}

proptest! {
    #[test]
    fn both_sides_agree_however_the_bytes_arrive(
        step in 1_usize..300,
        structured: bool,
        allocation: bool,
        lun in 0..2,
    ) {
        let wanted = Wanted { export: format!("array/lun{lun}"), structured, allocation };
        let (client, server) = negotiate(wanted, step).unwrap();
        prop_assert_eq!(&client, &server);
        prop_assert_eq!(client.structured, structured);
        prop_assert_eq!(client.allocation.is_some(), structured && allocation);
        prop_assert_eq!(client.export.flags.contains(TransmissionFlags::DF), structured);
        prop_assert_eq!(client.export.block_sizes.minimum, if lun == 1 { 512 } else { 1 });
    }
}

#[test]
fn the_empty_name_is_the_first_export() {
    let (client, server) = negotiate(wanted(""), 1000).unwrap();
    assert_eq!(server.export.name, "array/lun0");
    assert_eq!(client.export.size, 1 << 30);
    assert!(client.allocation.is_some());
}

#[test]
fn an_export_that_is_not_there_is_refused_with_the_servers_words() {
    let error = negotiate(wanted("array/lun9"), 1000).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server refuses the export: no such export"
    );
}

#[test]
fn a_name_that_is_too_long_is_never_sent() {
    let error = Handshake::new(wanted(&"x".repeat(5000))).unwrap_err();
    assert!(matches!(error, ProtocolError::TooLong { .. }), "{error}");
}

#[test]
fn a_server_without_the_fixed_style_is_asked_by_name() {
    let mut client = Handshake::new(wanted("disk")).unwrap();
    let (_, said) = talk(&mut client, b"NBDMAGICIHAVEOPT\0\0").unwrap();
    assert_eq!(said, b"\0\0\0\0IHAVEOPT\0\0\0\x01\0\0\0\x04disk");
    let answer = [&4096_u64.to_be_bytes()[..], &[0, 1], &[0; 124]].concat();
    let (Progress::Ready(session), _) = talk(&mut client, &answer).unwrap() else {
        panic!("not ready");
    };
    assert_eq!(session.export.size, 4096);
    assert_eq!((session.structured, session.allocation), (false, None));
}

#[test]
fn a_server_without_go_is_asked_by_name_and_without_zeroes() {
    let mut client = Handshake::new(Wanted {
        structured: false,
        ..wanted("d")
    })
    .unwrap();
    talk(&mut client, b"NBDMAGICIHAVEOPT\0\x03").unwrap();
    let unsupported = b"\0\x03\xe8\x89\x04\x55\x65\xa9\0\0\0\x07\x80\0\0\x01\0\0\0\0";
    let (_, said) = talk(&mut client, unsupported).unwrap();
    assert_eq!(said, b"IHAVEOPT\0\0\0\x01\0\0\0\x01d");
    let (progress, _) = talk(&mut client, b"\0\0\0\0\0\x01\0\0\0\x03").unwrap();
    let Progress::Ready(session) = progress else {
        panic!("not ready");
    };
    assert_eq!(session.export.size, 65_536);
    assert!(session.export.flags.contains(TransmissionFlags::READ_ONLY));
}

#[test]
fn a_server_of_the_old_style_and_one_of_another_protocol_are_told_apart() {
    let error = |greeting: &[u8]| {
        let mut client = Handshake::new(wanted("")).unwrap();
        talk(&mut client, greeting).unwrap_err()
    };
    assert_eq!(
        error(b"NBDMAGIC\0\0\x42\x02\x81\x86\x12\x53"),
        ProtocolError::OldStyle
    );
    assert!(matches!(
        error(b"SSH-2.0-OpenSSH"),
        ProtocolError::Magic { .. }
    ));
}
