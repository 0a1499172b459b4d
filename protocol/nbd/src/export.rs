//! What is served, and what both sides agreed on.

use crate::error::ProtocolError;
use crate::flags::TransmissionFlags;
use crate::numbers::MAX_PAYLOAD;

/// Block sizes of an export, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSizes {
    /// Offsets and lengths are multiples of it; a power of two, at most 64 KiB.
    pub minimum: u32,
    /// Size that works well, bytes; a power of two, at least 512 and the minimum.
    pub preferred: u32,
    /// The longest read or write.
    pub maximum: u32,
}

impl Default for BlockSizes {
    /// Block sizes that a client has to assume when nothing was said.
    fn default() -> Self {
        BlockSizes {
            minimum: 1,
            preferred: 4096,
            maximum: MAX_PAYLOAD,
        }
    }
}

impl BlockSizes {
    /// The same sizes, when they keep the protocol's rules.
    pub fn checked(self) -> Result<Self, ProtocolError> {
        let BlockSizes {
            minimum,
            preferred,
            maximum,
        } = self;
        let fits = minimum.is_power_of_two()
            && minimum <= 64 << 10
            && preferred.is_power_of_two()
            && preferred >= minimum.max(512)
            && maximum >= minimum
            && (maximum == u32::MAX || maximum.is_multiple_of(minimum));
        if fits {
            Ok(self)
        } else {
            Err(ProtocolError::Malformed("a set of block sizes"))
        }
    }
}

/// One volume that is served.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Export {
    /// Name; empty for the default export.
    pub name: String,
    /// A line about it; may be empty.
    pub description: String,
    /// Size, bytes.
    pub size: u64,
    /// Capabilities of the export.
    pub flags: TransmissionFlags,
    /// Block sizes of the export.
    pub block_sizes: BlockSizes,
}

/// Result of a handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The export.
    pub export: Export,
    /// Replies come in chunks.
    pub structured: bool,
    /// The number of the `base:allocation` context, when BLOCK_STATUS was negotiated.
    pub allocation: Option<u32>,
}
