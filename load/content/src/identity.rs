//! What an array that reduces data finds in a block.

use crate::fingerprint::fingerprint;
use crate::lz_size::lz_size;

/// Identity of a block to an array that detects zeros, deduplicates and compresses.
///
/// Two blocks of one length from one source (both by [`crate::Filler::identity`] of one filler, or both by
/// [`identify_bytes`]) have equal fingerprints exactly when their bytes are equal, but for a chance of 2^-64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// Only zeros.
    Zero,
    /// Anything else.
    Data {
        /// Equal for equal bytes.
        fingerprint: u64,
        /// Bytes after LZ4 or a codec like it; at most the block's length.
        compressed: u32,
    },
}

/// The identity of bytes.
pub fn identify_bytes(bytes: &[u8]) -> Identity {
    if bytes.iter().all(|b| *b == 0) {
        return Identity::Zero;
    }
    Identity::Data {
        fingerprint: fingerprint(bytes),
        compressed: lz_size(bytes) as u32,
    }
}

/// The identity of bytes for who does not compress them: their size is their length. Most of the time that
/// [`identify_bytes`] takes is for that size.
pub fn identify_uncompressed(bytes: &[u8]) -> Identity {
    if bytes.iter().all(|b| *b == 0) {
        return Identity::Zero;
    }
    Identity::Data {
        fingerprint: fingerprint(bytes),
        compressed: bytes.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_told_from_data_and_equal_data_from_different() {
        assert_eq!(identify_bytes(&[0; 4096]), Identity::Zero);
        let mut block = vec![0; 4096];
        block[4095] = 1;
        let one = identify_bytes(&block);
        assert!(matches!(one, Identity::Data { compressed, .. } if compressed < 64));
        assert_eq!(one, identify_bytes(&block.clone()));
        let plain = identify_uncompressed(&block);
        assert!(
            matches!((one, plain), (Identity::Data { fingerprint: a, .. }, Identity::Data { fingerprint: b, compressed: 4096 }) if a == b)
        );
        assert_eq!(identify_uncompressed(&[0; 512]), Identity::Zero);
        block[17] = 9;
        assert_ne!(one, identify_bytes(&block));
    }
}
