//! Packets as bytes: a magic word, the version, a signature where there is one, and compressed JSON.

use crate::message::{LONGEST, Packet, VERSION};
use nkeys::KeyPair;
use std::io::Read;

const MAGIC: &[u8; 4] = b"PLIM";
const SIGNATURE: usize = 64;
/// Magic, version, whether there is a signature.
const HEAD: usize = 6;

/// A word that nobody else draws: for a run, or an agent.
pub fn drawn_id() -> String {
    // A key of 32 random bytes; its first letter says what kind it is, and its last ones are a sum.
    KeyPair::new_user().public_key()[2..26].to_string()
}

/// Word of a run for an agent that took the place of a lost one.
pub fn run_again(run: &str, again: &str) -> String {
    format!("{run}-{again}")
}

/// Word of a run that all of its agents share, whoever's place they took.
pub fn run_of_all(run: &str) -> &str {
    // No drawn word has a hyphen.
    run.split('-').next().unwrap_or(run)
}

/// A packet as it came.
#[derive(Debug, Clone)]
pub struct Sealed {
    /// Content of the packet.
    pub packet: Packet,
    body: Vec<u8>,
    signature: Option<Vec<u8>>,
}

/// Reason why bytes are no packet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Somebody else's message.
    #[error("it is no message of a fleet")]
    Foreign,
    /// Another version of the messages.
    #[error(
        "it is of version {0} of a fleet's messages, and this program speaks {VERSION}; use one version of plimsoll on all hosts"
    )]
    Version(u8),
    /// Longer than anything that is said.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    /// Cut off, or changed.
    #[error("it cannot be read: {0}")]
    Damaged(String),
}

/// A packet's bytes, signed where there is a key.
pub fn seal(packet: &Packet, key: Option<&KeyPair>) -> Result<Vec<u8>, SealError> {
    let damaged = |e: &dyn std::fmt::Display| SealError::Damaged(e.to_string());
    let json = serde_json::to_vec(packet).map_err(|e| damaged(&e))?;
    if json.len() > LONGEST {
        return Err(SealError::TooLong);
    }
    let body = zstd::encode_all(json.as_slice(), 1).map_err(|e| damaged(&e))?;
    let mut bytes = Vec::with_capacity(HEAD + SIGNATURE + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.push(VERSION);
    bytes.push(u8::from(key.is_some()));
    if let Some(key) = key {
        bytes.extend(key.sign(&body).map_err(|e| damaged(&e))?);
    }
    bytes.extend(body);
    Ok(bytes)
}

/// A packet of bytes. Whose it is, [`Sealed::is_by`] says.
pub fn open(bytes: &[u8]) -> Result<Sealed, SealError> {
    if bytes.len() < HEAD || !bytes.starts_with(MAGIC) {
        return Err(SealError::Foreign);
    }
    if bytes[4] != VERSION {
        return Err(SealError::Version(bytes[4]));
    }
    let (signature, body) = match bytes[5] {
        0 => (None, &bytes[HEAD..]),
        _ if bytes.len() >= HEAD + SIGNATURE => {
            let (signature, body) = bytes[HEAD..].split_at(SIGNATURE);
            (Some(signature.to_vec()), body)
        }
        _ => return Err(SealError::Damaged("its signature is cut off".into())),
    };
    let damaged = |e: std::io::Error| SealError::Damaged(e.to_string());
    let mut json = Vec::new();
    // A few bytes may unpack to many.
    zstd::Decoder::new(body)
        .map_err(damaged)?
        .take(LONGEST as u64 + 1)
        .read_to_end(&mut json)
        .map_err(damaged)?;
    if json.len() > LONGEST {
        return Err(SealError::TooLong);
    }
    let packet = serde_json::from_slice(&json).map_err(|e| SealError::Damaged(e.to_string()))?;
    Ok(Sealed {
        packet,
        body: body.to_vec(),
        signature,
    })
}

impl Sealed {
    /// True where the packet was signed with the private key of this public one.
    pub fn is_by(&self, public: &str) -> bool {
        let (Some(signature), Ok(key)) = (&self.signature, KeyPair::from_public_key(public)) else {
            return false;
        };
        key.verify(&self.body, signature).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ping() -> Packet {
        Packet::Ping {
            reply: "x".into(),
            sent_ns: 7,
        }
    }

    #[test]
    fn what_was_sealed_opens_and_says_whose_it_is() {
        let (own, other) = (KeyPair::new_user(), KeyPair::new_user());
        let sealed = open(&seal(&ping(), Some(&own)).expect("sealed")).expect("opens");
        assert!(matches!(sealed.packet, Packet::Ping { sent_ns: 7, .. }));
        assert!(sealed.is_by(&own.public_key()));
        assert!(!sealed.is_by(&other.public_key()));
        let unsigned = open(&seal(&ping(), None).expect("sealed")).expect("opens");
        assert!(!unsigned.is_by(&own.public_key()));
        assert!(!unsigned.is_by("nonsense"));
    }

    #[test]
    fn what_was_changed_on_the_way_is_nobodys() {
        let key = KeyPair::new_user();
        let bytes = seal(&ping(), Some(&key)).expect("sealed");
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let passes = open(&changed).is_ok_and(|s| s.is_by(&key.public_key()));
            assert!(!passes, "byte {at}");
        }
    }

    #[test]
    fn other_versions_and_other_bytes_are_refused() {
        let mut bytes = seal(&ping(), None).expect("sealed");
        bytes[4] = VERSION + 1;
        assert_eq!(open(&bytes).unwrap_err(), SealError::Version(VERSION + 1));
        assert_eq!(open(b"").unwrap_err(), SealError::Foreign);
        assert_eq!(open(b"GET / HTTP/1.1").unwrap_err(), SealError::Foreign);
    }

    #[test]
    fn a_small_packet_that_unpacks_to_more_than_the_most_is_refused() {
        let huge = vec![b' '; LONGEST + 1];
        let mut bytes = b"PLIM".to_vec();
        bytes.extend([VERSION, 0]);
        bytes.extend(zstd::encode_all(huge.as_slice(), 1).expect("packed"));
        assert!(bytes.len() < 1 << 20);
        assert_eq!(open(&bytes).unwrap_err(), SealError::TooLong);
    }
}
