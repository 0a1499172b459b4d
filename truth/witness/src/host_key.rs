//! A name of the host that stays the same from run to run.

use crate::Root;
use sha2::{Digest, Sha256};

/// What makes the hash this program's own: no other's of the same machine is like it.
const PURPOSE: &[u8] = b"plimsoll host key 1";
/// Bytes of a block of SHA-256 (FIPS 180-4, 1).
const BLOCK: usize = 64;
/// Bytes of the hash that are shown.
const SHOWN: usize = 8;

/// The host's name, and a hash of its machine id, where it has one.
///
/// The id itself is confidential (machine-id(5)), and this is what it recommends: HMAC-SHA256 of a text of the program's
/// own, with the id as the key (RFC 2104). The name is a part of the key because images of machines are copied with
/// their id.
pub(crate) fn host_key(root: &Root, hostname: &str) -> String {
    let id = root
        .word("/etc/machine-id")
        .or_else(|| root.word("/var/lib/dbus/machine-id"));
    // What a machine has before its first start.
    let id = id.filter(|id| !id.is_empty() && id != "uninitialized");
    match id {
        Some(id) => {
            let hash = keyed_hash(id.as_bytes(), PURPOSE);
            let digits: String = hash[..SHOWN].iter().map(|b| format!("{b:02x}")).collect();
            match hostname {
                "" => digits,
                name => format!("{name}-{digits}"),
            }
        }
        None => hostname.to_string(),
    }
}

/// HMAC-SHA256 (RFC 2104).
fn keyed_hash(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0; BLOCK];
    match key.len() > BLOCK {
        true => block[..32].copy_from_slice(&Sha256::digest(key)),
        false => block[..key.len()].copy_from_slice(key),
    }
    let padded = |pad: u8| block.map(|byte| byte ^ pad);
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text);
    let outer = Sha256::new().chain_update(padded(0x5c));
    outer.chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// RFC 4231, test cases 2 and 6: a short key, and one that is longer than a block.
    #[test]
    fn the_hash_is_the_standards() {
        assert_eq!(
            hex(&keyed_hash(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hex(&keyed_hash(
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First"
            )),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn machines_differ_by_name_and_by_id_and_the_id_is_not_in_it() {
        let key = |name: &str, id: Option<&str>| {
            let tree = tempfile::tempdir().unwrap();
            std::fs::create_dir(tree.path().join("etc")).unwrap();
            if let Some(id) = id {
                std::fs::write(tree.path().join("etc/machine-id"), id).unwrap();
            }
            host_key(&Root::at(tree.path()), name)
        };
        let (one, two) = (
            "0123456789abcdef0123456789abcdef",
            "1123456789abcdef0123456789abcdef",
        );
        let of = |name| key(name, Some(one));
        assert_eq!(of("a"), key("a", Some(&format!("{one}\n"))));
        assert!(of("a") != of("b") && of("a") != key("a", Some(two)));
        assert!(of("a").starts_with("a-") && of("a").len() == 2 + 2 * SHOWN);
        assert!(!of("a").contains(&one[..8]));
        for none in [None, Some(""), Some("uninitialized\n")] {
            assert_eq!(key("a", none), "a");
        }
        assert_eq!(of("").len(), 2 * SHOWN);
    }
}
