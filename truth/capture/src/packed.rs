//! A host's setup as one file that can be sent: a tar of its files below `proc`, `sys`, `etc` and `commands`, packed by zstd.

use plimsoll_evidence::HostState;
use std::io::{self, Read};

/// So much of the end of a file is kept, bytes.
const LONGEST: u64 = 4 << 20;

/// Folders of a host's setup; anything else in an archive is passed over.
const FOLDERS: [&str; 4] = ["/proc/", "/sys/", "/etc/", "/commands/"];

/// Files in one, at most.
const MOST: usize = 200_000;
/// The largest capture that is read, bytes.
pub const LARGEST: u64 = 256 << 20;

/// Reason why a capture cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// Not a tar, or a damaged one.
    #[error(
        "is no capture of a host, or a damaged one: {0}; `plimsoll doctor --capture FILE` makes one"
    )]
    Damaged(#[from] io::Error),
    /// Archive larger than that of any host.
    #[error("is larger than any host's setup: more than 200,000 files or 256 MiB")]
    TooLarge,
    /// There is nothing in it that the doctor knows.
    #[error("holds nothing of a host; `plimsoll doctor --capture FILE` makes one that does")]
    Empty,
}

/// Packs what was read of a host.
pub fn pack(state: &HostState) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 3)?);
    for (path, text) in state.files() {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, path.trim_start_matches('/'), text.as_bytes())?;
    }
    tar.into_inner()?.finish()
}

/// Reads one, packed or as a plain tar. Nothing of it is written anywhere, and links in it lead nowhere.
pub fn unpack(bytes: &[u8]) -> Result<HostState, CaptureError> {
    const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let plain: Box<dyn Read + '_> = match bytes.starts_with(&ZSTD) {
        true => Box::new(zstd::Decoder::new(bytes)?),
        false => Box::new(bytes),
    };
    let mut state = HostState::default();
    let mut tar = tar::Archive::new(plain.take(LARGEST));
    for (number, entry) in tar.entries()?.enumerate() {
        let mut entry = entry?;
        if number >= MOST || entry.raw_file_position() >= LARGEST {
            return Err(CaptureError::TooLarge);
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = format!("/{}", name.trim_start_matches("./").trim_start_matches('/'));
        if !entry.header().entry_type().is_file() || !FOLDERS.iter().any(|f| path.starts_with(f)) {
            continue;
        }
        let mut text = Vec::new();
        let skipped = entry.size().saturating_sub(LONGEST);
        io::copy(&mut (&mut entry).take(skipped), &mut io::sink())?;
        entry.read_to_end(&mut text)?;
        state.insert(path, String::from_utf8_lossy(&text));
    }
    // What was cut off behind the last file is damage, too.
    io::copy(&mut tar.into_inner(), &mut io::sink())?;
    if state.is_empty() {
        return Err(CaptureError::Empty);
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> HostState {
        let mut state = HostState::default();
        state.insert("/sys/block/dm-0/slaves/sda", "");
        state.insert("/sys/block/sda/queue/scheduler", "[none]");
        state.insert("/commands/multipath -ll", "m0 dm-0 X,Y");
        state
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let packed = pack(&state()).unwrap();
        assert_eq!(unpack(&packed).unwrap(), state());
        let plain = zstd::decode_all(&packed[..]).unwrap();
        assert_eq!(unpack(&plain).unwrap(), state());
    }

    #[test]
    fn damage_is_said_and_never_panics() {
        let packed = pack(&state()).unwrap();
        for length in 0..packed.len() {
            assert!(unpack(&packed[..length]).is_err(), "{length}");
        }
        for garbage in [&b"x"[..], &[0; 4096], &[0xff; 4096]] {
            assert!(unpack(garbage).is_err());
        }
    }

    #[test]
    fn only_what_is_of_a_host_is_taken() {
        let mut other = state();
        other.insert("/root/.ssh/id", "x");
        let read = unpack(&pack(&other).unwrap()).unwrap();
        assert_eq!(read, state());
    }

    #[test]
    fn no_password_of_the_initiator_gets_into_a_capture() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("etc/iscsi");
        std::fs::create_dir_all(&place).unwrap();
        let text = "#node.session.auth.password = s3cret0\nnode.session.auth.PASSWORD_in = s3cret1\n\
                    discovery.sendtargets.auth.username = s3cret2\nnode.session.queue_depth = 32\n";
        std::fs::write(place.join("iscsid.conf"), text).unwrap();
        let state = plimsoll_witness::host_state::read(&plimsoll_witness::Root::at(folder.path()));
        let plain = zstd::decode_all(&pack(&state).unwrap()[..]).unwrap();
        let plain = String::from_utf8_lossy(&plain);
        assert!(plain.contains("queue_depth = 32"));
        assert!(!plain.contains("s3cret"), "{plain}");
    }
}
