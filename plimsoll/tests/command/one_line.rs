//! What others say is one line of ours, whatever is in it.

use crate::place::{MIB, TestFolder};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};

/// Text that would pass for an answer of ours, and recolour it.
const FORGED: &str = "no such export\nerror: \x1b[31mall data is lost\r\n\n";
const SHOWN: &str = r"no such export; error: \x1b[31mall data is lost";

/// An NBD server that refuses whatever is asked of it, in these words.
fn refuse(mut client: UnixStream) -> std::io::Result<()> {
    client.write_all(b"NBDMAGICIHAVEOPT\0\x01")?;
    client.read_exact(&mut [0; 4])?;
    loop {
        let mut head = [0; 16];
        client.read_exact(&mut head)?;
        let number = |at: usize| u32::from_be_bytes(head[at..][..4].try_into().expect("four"));
        let mut rest = vec![0; number(12) as usize];
        client.read_exact(&mut rest)?;
        // NBD_REP_ERR_UNKNOWN
        let (kind, length) = (0x8000_0006_u32, FORGED.len() as u32);
        client.write_all(&0x3_e889_0455_65a9_u64.to_be_bytes())?;
        client.write_all(&head[8..12])?;
        client.write_all(&kind.to_be_bytes())?;
        client.write_all(&length.to_be_bytes())?;
        client.write_all(FORGED.as_bytes())?;
    }
}

#[test]
fn an_nbd_server_forges_no_line() {
    let place = TestFolder::new();
    let listener = UnixListener::bind(place.path("s")).expect("a socket");
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            // It ends when the client leaves.
            let _ = refuse(client);
        }
    });
    let target = format!("nbd+unix:///x?socket={}", place.path("s").display());
    for read in ["100", "0"] {
        let words = ["run", &target, "--read", read, "--no-record"];
        place.quick(&words).refused(&[SHOWN]);
    }
}

#[test]
fn a_tool_beside_forges_no_line() {
    let place = TestFolder::new();
    place.foreign("f", MIB);
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo fio-3.36 && exit\nprintf '%s' '{FORGED}' >&2\nexit 1\n"
    );
    let program = place.text("fio", &script);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("changed");
    let program = program.display().to_string();
    let words = format!("run f --no-record --beside fio --beside-program '{program}'");
    let done = place.quick(&words).exits(2);
    done.warns(&[SHOWN]);
    assert!(!done.err.contains("\nerror: \\x1b"), "{done:#?}");
}
