//! Our histograms as HdrHistogram V2, uncompressed, and back.
//!
//! The layout has 3 significant digits and tracks up to 2^44 - 1 ns: 2048 linear buckets, then 1024 an octave, where
//! ours has 256 and 128. Every bucket of ours is therefore a whole number of theirs, and its count is stored at its
//! highest value: bucket edges, counts and percentiles come back exactly, and another tool's percentile is ours. That
//! tool's *mean* lies up to 0.78 % above the exact one, which the record keeps beside the blob.
//!
//! Format: HdrHistogram's V2 encoding (`AbstractHistogram.encodeIntoByteBuffer`): a 40-byte big-endian header, then
//! the counts as ZigZag LEB128 numbers, a negative one standing for that many empty buckets.
//! It is written directly because an interval is stored while the storage is being measured: that costs less than half
//! of filling one of the library's histograms and serialising it (15 us against 36 us for 1132 buckets), and compressing
//! would cost ten times as much (175 us).

use plimsoll_measure::Histogram;
use plimsoll_measure::histogram::MAX_TRACKED_NS;

const COOKIE: u32 = 0x1c84_9303 | 0x10;
const HEADER_BYTES: usize = 40;
pub(crate) const SIGNIFICANT_DIGITS: u8 = 3;
/// log2 of the buckets an octave.
const HALF_BITS: u32 = 10;
/// Buckets that 2^44 - 1 ns needs.
const BUCKETS: u64 = index_of(MAX_TRACKED_NS) + 1;

/// Reason why a blob is not one of our histograms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HdrError {
    /// The header is not that of V2 with 3 digits.
    #[error("the histogram's header is not HdrHistogram V2 with 3 significant digits")]
    Header,
    /// The counts end early, or do not fit.
    #[error("the histogram's counts are garbled")]
    Counts,
}

/// HdrHistogram's `countsArrayIndex` for 3 digits and a lowest value of 1.
const fn index_of(value: u64) -> u64 {
    let octave = 63 - HALF_BITS - (value | ((2 << HALF_BITS) - 1)).leading_zeros();
    ((octave as u64) << HALF_BITS) + (value >> octave)
}

/// The smallest value of an index.
const fn low_of(index: u64) -> u64 {
    if index < 2 << HALF_BITS {
        return index;
    }
    let octave = (index >> HALF_BITS) - 1;
    ((index & ((1 << HALF_BITS) - 1)) + (1 << HALF_BITS)) << octave
}

/// Encodes the counts of a histogram. Counts above 2^63 - 1 are cut to it, as the format cannot hold them.
pub fn encode(histogram: &Histogram) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    out.extend_from_slice(&[0; HEADER_BYTES]);
    let mut next = 0;
    for (_, high, count) in histogram.buckets() {
        let index = index_of(high);
        match index - next {
            0 => {}
            // A lone empty bucket is a plain 0 in the format.
            1 => push_zigzag(&mut out, 0),
            empty => push_zigzag(&mut out, -(empty as i64)),
        }
        push_zigzag(&mut out, i64::try_from(count).unwrap_or(i64::MAX));
        next = index + 1;
    }
    let payload = (out.len() - HEADER_BYTES) as u32;
    out[0..4].copy_from_slice(&COOKIE.to_be_bytes());
    out[4..8].copy_from_slice(&payload.to_be_bytes());
    // Bytes 8..12 stay 0: the normalizing offset.
    out[12..16].copy_from_slice(&u32::from(SIGNIFICANT_DIGITS).to_be_bytes());
    out[16..24].copy_from_slice(&1u64.to_be_bytes());
    out[24..32].copy_from_slice(&MAX_TRACKED_NS.to_be_bytes());
    out[32..40].copy_from_slice(&1f64.to_be_bytes());
    out
}

/// Reads what [`encode`] wrote: (a value of the bucket in ns, count), ascending.
pub fn decode(blob: &[u8]) -> Result<Vec<(u64, u64)>, HdrError> {
    let header: &[u8; HEADER_BYTES] = blob.first_chunk().ok_or(HdrError::Header)?;
    let payload = &blob[HEADER_BYTES..];
    let word = |at: usize| {
        u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    if word(0) != COOKIE
        || word(4) as usize != payload.len()
        || word(12) != u32::from(SIGNIFICANT_DIGITS)
    {
        return Err(HdrError::Header);
    }
    let mut buckets = Vec::new();
    let mut rest = payload;
    let mut index = 0u64;
    while !rest.is_empty() {
        let number = take_zigzag(&mut rest)?;
        if number <= 0 {
            index = index.saturating_add(number.unsigned_abs().max(1));
            continue;
        }
        if index >= BUCKETS {
            return Err(HdrError::Counts);
        }
        buckets.push((low_of(index), number as u64));
        index += 1;
    }
    Ok(buckets)
}

/// ZigZag LEB128 of HdrHistogram: 7 bits a byte, the ninth byte whole.
fn push_zigzag(out: &mut Vec<u8>, number: i64) {
    let mut rest = ((number << 1) ^ (number >> 63)) as u64;
    for _ in 0..8 {
        if rest < 0x80 {
            out.push(rest as u8);
            return;
        }
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn take_zigzag(rest: &mut &[u8]) -> Result<i64, HdrError> {
    let mut number = 0u64;
    for byte_number in 0..9 {
        let (&byte, tail) = rest.split_first().ok_or(HdrError::Counts)?;
        *rest = tail;
        let bits = if byte_number == 8 { byte } else { byte & 0x7f };
        number |= u64::from(bits) << (7 * byte_number);
        if byte_number == 8 || byte & 0x80 == 0 {
            break;
        }
    }
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
    use plimsoll_measure::histogram::{BUCKETS as OURS, bucket_high_ns, bucket_low_ns, bucket_of};
    use std::collections::HashSet;

    fn one(value: u64, count: u64) -> Histogram {
        Histogram::from_parts([(value, count)], value, 0.0, value, value)
    }

    #[test]
    fn every_bucket_of_ours_has_an_hdr_bucket_of_its_own_and_comes_back() {
        let mut seen = HashSet::new();
        for bucket in 0..OURS {
            let index = index_of(bucket_high_ns(bucket));
            assert!(seen.insert(index), "bucket {bucket} shares an index");
            assert_eq!(bucket_of(low_of(index)), bucket);
            let back = decode(&encode(&one(bucket_low_ns(bucket), 3))).unwrap();
            assert_eq!(back.len(), 1);
            assert_eq!((bucket_of(back[0].0), back[0].1), (bucket, 3));
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_hdrhistogram_library() {
        let mut ours = Histogram::new();
        let mut theirs =
            hdrhistogram::Histogram::<u64>::new_with_bounds(1, MAX_TRACKED_NS, SIGNIFICANT_DIGITS)
                .unwrap();
        let mut value = 0u64;
        while value < MAX_TRACKED_NS {
            let count = 1 + value % 300;
            for _ in 0..count {
                ours.record(value);
            }
            theirs
                .record_n(bucket_high_ns(bucket_of(value)), count)
                .unwrap();
            value = value * 5 / 3 + 1;
        }
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&theirs, &mut bytes).unwrap();
        assert_eq!(encode(&ours), bytes);
    }

    #[test]
    fn the_hdrhistogram_library_reads_the_same_counts_and_percentiles() {
        let mut ours = Histogram::new();
        for i in 1..=50_000u64 {
            ours.record(i * i % 7_000_003 + i);
        }
        let theirs: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut &encode(&ours)[..])
            .unwrap();
        assert_eq!(theirs.len(), ours.count());
        for q in [0.01, 0.5, 0.9, 0.99, 0.999] {
            assert_eq!(theirs.value_at_quantile(q), ours.quantile_ns(q).unwrap());
        }
    }

    #[test]
    fn large_counts_and_empty_histograms_come_back() {
        assert_eq!(decode(&encode(&Histogram::new())), Ok(vec![]));
        for count in [1, 63, 64, 1 << 20, 1 << 48, i64::MAX as u64] {
            let back = decode(&encode(&one(5_000_000, count))).unwrap();
            assert_eq!(back[0].1, count);
        }
    }

    #[test]
    fn garbage_is_an_error_and_no_panic() {
        let good = encode(&one(5_000_000, 1 << 40));
        assert_eq!(decode(&[]), Err(HdrError::Header));
        assert_eq!(decode(&good[..good.len() - 1]), Err(HdrError::Header));
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0xff;
            let _ = decode(&bad);
        }
        let mut far = encode(&Histogram::new());
        push_zigzag(&mut far, -(1 << 40));
        push_zigzag(&mut far, 1);
        let payload = (far.len() - HEADER_BYTES) as u32;
        far[4..8].copy_from_slice(&payload.to_be_bytes());
        assert_eq!(decode(&far), Err(HdrError::Counts));
    }
}
