//! A seed, changed.

use plimsoll_draw::Draw;

/// Numbers that are the same each time, and others for each name.
pub fn draw(name: &str) -> Draw {
    Draw(name.bytes().fold(0, |sum, byte| sum * 31 + u64::from(byte)))
}

/// A part of so many bytes, rarely a long one.
fn part_of(draw: &mut Draw, length: usize) -> std::ops::Range<usize> {
    let begin = draw.below(length + 1);
    let most = 1 << draw.below(10);
    begin..(begin + draw.below(most + 1)).min(length)
}

/// Bytes that readers stumble over.
const ODD: [&[u8]; 12] = [
    b"\0",
    b"\xff",
    b"\n",
    b"\"",
    b"=",
    b",",
    b"(",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"\xe2\x80\xae",
    b"[",
];

/// One to four changes: bytes turned, taken out, put in, repeated, and taken from another seed.
pub fn changed(seed: &[u8], other: &[u8], draw: &mut Draw) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=draw.below(4) {
        let part = part_of(draw, bytes.len());
        let at = draw.below(bytes.len() + 1);
        match draw.below(6) {
            0 => bytes[part]
                .iter_mut()
                .for_each(|byte| *byte ^= 1 << draw.below(8)),
            1 => drop(bytes.drain(part)),
            2 => drop(bytes.splice(at..at, ODD[draw.below(ODD.len())].iter().copied())),
            3 => drop(bytes.splice(part, ODD[draw.below(ODD.len())].iter().copied())),
            4 => {
                let again = bytes[part].to_vec();
                bytes.splice(at..at, again);
            }
            _ => {
                let piece = part_of(draw, other.len());
                bytes.splice(part, other[piece].iter().copied());
            }
        }
    }
    bytes
}
