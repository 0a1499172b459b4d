//! A seed, changed.

/// Numbers that are the same each time (splitmix64).
pub struct Draw(u64);

impl Draw {
    /// Each name has its own.
    pub fn new(name: &str) -> Self {
        Draw(name.bytes().fold(0, |sum, byte| sum * 31 + u64::from(byte)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 on, below a number that is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A part of so many bytes, rarely a long one.
    fn part(&mut self, length: usize) -> std::ops::Range<usize> {
        let begin = self.below(length + 1);
        let most = 1 << self.below(10);
        begin..(begin + self.below(most + 1)).min(length)
    }
}

/// What readers stumble over.
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
        let part = draw.part(bytes.len());
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
                let piece = draw.part(other.len());
                bytes.splice(part, other[piece].iter().copied());
            }
        }
    }
    bytes
}
