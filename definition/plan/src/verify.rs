//! Content that is verified when it is read.

use crate::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a stream's content is verified: what it writes says what it is, and what it reads must.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerifySpec {
    /// What the header of a block says of the bytes behind it; `None`: there are no headers, the pattern is all.
    pub sum: Option<VerifySum>,
    /// A header stands at each so many bytes of an I/O; `None`: one at its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Bytes>,
    /// It stands so many bytes into its block.
    #[serde(default)]
    pub offset: Bytes,
    /// What stands behind headers; `None`: what the stream's content says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<VerifyPattern>,
    /// What was written is remembered, so that a later step reads it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remember: bool,
}

/// The sums that fio knows; what its names stand for there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerifySum {
    /// The header alone.
    Meta,
    /// MD5.
    Md5,
    /// CRC-64.
    Crc64,
    /// POSIX's CRC-32.
    Crc32,
    /// Castagnoli's CRC-32.
    Crc32c,
    /// CRC-16.
    Crc16,
    /// CRC-7.
    Crc7,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
    /// SHA3-224.
    Sha3_224,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
    /// XXH32.
    Xxhash,
}

impl VerifySum {
    /// All, with fio's names.
    pub const ALL: [(&'static str, VerifySum); 16] = [
        ("meta", VerifySum::Meta),
        ("md5", VerifySum::Md5),
        ("crc64", VerifySum::Crc64),
        ("crc32", VerifySum::Crc32),
        ("crc32c", VerifySum::Crc32c),
        ("crc32c-intel", VerifySum::Crc32c),
        ("crc16", VerifySum::Crc16),
        ("crc7", VerifySum::Crc7),
        ("sha1", VerifySum::Sha1),
        ("sha256", VerifySum::Sha256),
        ("sha512", VerifySum::Sha512),
        ("sha3-224", VerifySum::Sha3_224),
        ("sha3-256", VerifySum::Sha3_256),
        ("sha3-384", VerifySum::Sha3_384),
        ("sha3-512", VerifySum::Sha3_512),
        ("xxhash", VerifySum::Xxhash),
    ];

    /// Bytes that a header with this sum takes: fio's `struct verify_header`, and the sum behind it.
    pub fn header_bytes(self) -> u64 {
        const HEADER: u64 = 40;
        HEADER
            + match self {
                VerifySum::Meta => 0,
                VerifySum::Crc7 => 1,
                VerifySum::Crc16 => 2,
                VerifySum::Crc32 | VerifySum::Crc32c | VerifySum::Xxhash => 4,
                VerifySum::Crc64 => 8,
                VerifySum::Md5 => 16,
                VerifySum::Sha1 => 20,
                VerifySum::Sha3_224 => 28,
                VerifySum::Sha3_256 => 32,
                VerifySum::Sha3_384 => 48,
                VerifySum::Sha256 | VerifySum::Sha3_512 => 64,
                VerifySum::Sha512 => 128,
            }
    }

    /// Name of the checksum.
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(_, sum)| *sum == self)
            .map_or("", |(name, _)| *name)
    }
}

/// Bytes that repeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyPattern {
    /// They; at least one.
    pub bytes: Vec<u8>,
    /// Where in them the offset of the I/O stands, in eight bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offsets: Vec<u32>,
    /// They begin anew after so many bytes of an I/O, with an offset of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<u32>,
}

impl fmt::Display for VerifySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.sum, &self.pattern) {
            (Some(sum), None) => f.write_str(sum.name()),
            (Some(sum), Some(_)) => write!(f, "{} and a pattern", sum.name()),
            (None, _) => f.write_str("a pattern"),
        }
    }
}
