//! The sums of fio's `verify=`, over the bytes behind a header.
//!
//! Some are not what their names say: fio keeps CRCs without their usual ends, SHA-1 with its words turned round, and of
//! SHA-256 one byte of each word in the last block that it hashed. What is on disk is fio's, so they are made exactly so
//! (fio 3.33, `verify.c` and `crc/`).

use crc::{Algorithm, CRC_7_MMC, CRC_16_ARC, CRC_64_REDIS, Crc, Table};
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha512;
use sha2::block_api::compress256;
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use twox_hash::XxHash32;

/// Sum in a header of the bytes behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// Nothing: the header alone is checked.
    Meta,
    /// MD5.
    Md5,
    /// CRC-64.
    Crc64,
    /// The CRC of POSIX's `cksum`, without the length.
    Crc32,
    /// Castagnoli's CRC.
    Crc32c,
    /// CRC-16.
    Crc16,
    /// CRC-7.
    Crc7,
    /// SHA-256, as fio has it.
    Sha256,
    /// SHA-512, as fio has it from 3.39 on.
    Sha512,
    /// SHA3-224.
    Sha3_224,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
    /// XXH32 with a seed of 1.
    Xxhash,
    /// SHA-1.
    Sha1,
}

/// (sum, fio's number in a header, its bytes there).
const TABLE: [(Sum, u8, usize); 15] = [
    (Sum::Meta, 1, 0),
    (Sum::Md5, 2, 16),
    (Sum::Crc64, 3, 8),
    (Sum::Crc32, 4, 4),
    (Sum::Crc32c, 5, 4),
    (Sum::Crc16, 7, 2),
    (Sum::Crc7, 8, 1),
    (Sum::Sha256, 9, 64),
    (Sum::Sha512, 10, 128),
    (Sum::Sha3_224, 11, 28),
    (Sum::Sha3_256, 12, 32),
    (Sum::Sha3_384, 13, 48),
    (Sum::Sha3_512, 14, 64),
    (Sum::Xxhash, 15, 4),
    (Sum::Sha1, 16, 20),
];

const CKSUM: Algorithm<u32> = Algorithm {
    width: 32,
    poly: 0x04c1_1db7,
    init: 0,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0x89a1_897f,
    residue: 0,
};
const CRC32: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CKSUM);
const CRC64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_REDIS);
const CRC16: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_ARC);
const CRC7: Crc<u8, Table<16>> = Crc::<u8, Table<16>>::new(&CRC_7_MMC);
const XXHASH_SEED: u32 = 1;

/// fio's Castagnoli CRC: without the last inversion.
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    !crc32c::crc32c(bytes)
}

impl Sum {
    fn entry(self) -> (u8, usize) {
        let mut all = TABLE.iter();
        let found = all.find(|(sum, ..)| *sum == self);
        found.map_or((0, 0), |(_, number, bytes)| (*number, *bytes))
    }

    /// fio's number of it.
    pub(super) fn number(self) -> u8 {
        self.entry().0
    }

    /// The one that has a number of fio's.
    pub(super) fn of_number(wanted: u8) -> Option<Self> {
        let mut all = TABLE.iter();
        all.find(|(_, number, _)| *number == wanted)
            .map(|(sum, ..)| *sum)
    }

    /// Bytes of the checksum behind the header.
    pub(super) fn bytes(self) -> usize {
        self.entry().1
    }

    /// Writes the sum of `data` to `out`, which has its length.
    pub(super) fn write(self, data: &[u8], out: &mut [u8]) {
        match self {
            Sum::Meta => {}
            Sum::Md5 => out.copy_from_slice(&Md5::digest(data)),
            Sum::Crc64 => out.copy_from_slice(&CRC64.checksum(data).to_le_bytes()),
            Sum::Crc32 => out.copy_from_slice(&CRC32.checksum(data).to_le_bytes()),
            Sum::Crc32c => out.copy_from_slice(&crc32c(data).to_le_bytes()),
            Sum::Crc16 => out.copy_from_slice(&CRC16.checksum(data).to_le_bytes()),
            Sum::Crc7 => out.copy_from_slice(&[CRC7.checksum(data)]),
            Sum::Sha256 => sha256(data, out),
            Sum::Sha512 => sha512(data, out),
            Sum::Sha3_224 => out.copy_from_slice(&Sha3_224::digest(data)),
            Sum::Sha3_256 => out.copy_from_slice(&Sha3_256::digest(data)),
            Sum::Sha3_384 => out.copy_from_slice(&Sha3_384::digest(data)),
            Sum::Sha3_512 => out.copy_from_slice(&Sha3_512::digest(data)),
            Sum::Xxhash => {
                out.copy_from_slice(&XxHash32::oneshot(XXHASH_SEED, data).to_le_bytes());
            }
            Sum::Sha1 => {
                out.copy_from_slice(&Sha1::digest(data));
                out.chunks_exact_mut(4).for_each(<[u8]>::reverse);
            }
        }
    }

    /// Whether `found` is what a fio before 3.39 keeps in the place of a sum that it does not finish: of SHA-512 the first
    /// bytes of the data with its last ones over them.
    pub(super) fn is_unfinished(self, data: &[u8], found: &[u8]) -> bool {
        const BLOCK: usize = 128;
        if self != Sum::Sha512 || data.len() < BLOCK {
            return false;
        }
        let tail = &data[data.len() / BLOCK * BLOCK..];
        found[..tail.len()] == *tail && found[tail.len()..] == data[tail.len()..BLOCK]
    }
}

/// The last block that is hashed: what is left of the data, a bit, zeros, and the length in bits in its last `count` bytes.
fn last_block<const BLOCK: usize>(data: &[u8], length: &[u8]) -> (usize, [u8; BLOCK], bool) {
    let whole = data.len() / BLOCK * BLOCK;
    let tail = &data[whole..];
    let mut last = [0; BLOCK];
    let spills = tail.len() >= BLOCK - length.len();
    if !spills {
        last[..tail.len()].copy_from_slice(tail);
        last[tail.len()] = 0x80;
    }
    last[BLOCK - length.len()..].copy_from_slice(length);
    (whole, last, spills)
}

/// fio's length is in the machine's byte order, and of each word of the state it keeps the lowest byte, over the beginning of
/// the last block.
fn sha256(data: &[u8], out: &mut [u8]) {
    const START: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let mut state = START;
    let length = (data.len() as u64 * 8).to_le_bytes();
    let (whole, last, spills) = last_block::<64>(data, &length);
    let (blocks, _) = data[..whole].as_chunks::<64>();
    compress256(&mut state, blocks);
    if spills {
        let mut full = [0; 64];
        let tail = &data[whole..];
        full[..tail.len()].copy_from_slice(tail);
        full[tail.len()] = 0x80;
        compress256(&mut state, &[full]);
    }
    compress256(&mut state, &[last]);
    out.copy_from_slice(&last);
    for (byte, word) in out.iter_mut().zip(state) {
        *byte = word as u8;
    }
}

/// The sum itself, and behind it the second half of the last block.
fn sha512(data: &[u8], out: &mut [u8]) {
    let length = (data.len() as u128 * 8).to_be_bytes();
    let (_, last, _) = last_block::<128>(data, &length);
    out.copy_from_slice(&last);
    out[..64].copy_from_slice(&Sha512::digest(data));
}
