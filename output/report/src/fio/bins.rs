//! Buckets of fio's latency histograms.

use plimsoll_measure::Histogram;

/// fio's buckets: 64 for each power of two, in 29 groups (`FIO_IO_U_PLAT_NR` of its `stat.h`).
pub(super) const BINS: usize = 29 * 64;

/// The bucket that fio counts a latency in (`plat_val_to_idx` of its `stat.c`).
fn bin(ns: u64) -> u16 {
    let most = u64::BITS - 1 - (ns | 1).leading_zeros();
    if most <= 6 {
        return ns as u16;
    }
    let error_bits = most - 6;
    let base = u64::from(error_bits + 1) << 6;
    let offset = 63 & (ns >> error_bits);
    (base + offset).min(BINS as u64 - 1) as u16
}

/// A histogram in fio's buckets, those that are empty left out.
pub(super) fn bins(times: &Histogram) -> Vec<(u16, u64)> {
    let mut out: Vec<(u16, u64)> = Vec::new();
    for (low, high, count) in times.buckets().filter(|(_, _, count)| *count > 0) {
        let bin = bin(low + (high - low) / 2);
        match out.last_mut() {
            Some(last) if last.0 == bin => last.1 += count,
            _ => out.push((bin, count)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_fios() {
        // By fio's own formula: below 128 ns each has its own, then 64 for each doubling.
        assert_eq!([bin(0), bin(1), bin(127)], [0, 1, 127]);
        assert_eq!(
            [bin(128), bin(129), bin(130), bin(255), bin(256)],
            [128, 128, 129, 191, 192]
        );
        assert_eq!(bin(u64::MAX), 1855);
    }
}
