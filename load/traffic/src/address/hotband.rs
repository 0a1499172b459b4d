//! Vdbench's `hotband`.

use crate::generator::Generator;
use plimsoll_plan::{HOTBAND, HOTBAND_MEGABYTE as MEGABYTE, HotbandMode, hotband_size};

/// Draws records of a band.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hotband {
    mode: HotbandMode,
    records: u64,
    record: u64,
}

impl Hotband {
    /// The records of `record` bytes in a band of `bytes` bytes, at most `places`. What is left of a megabyte at the
    /// band's end is not used.
    pub(crate) fn new(mode: HotbandMode, bytes: u64, record: u64, places: u64) -> Self {
        Hotband {
            mode,
            records: ((bytes - bytes % MEGABYTE) / record).clamp(1, places.max(1)),
            record,
        }
    }

    /// The next record. Writes are shifted by 1 % of the band, as in Vdbench.
    #[inline]
    pub(crate) fn draw(&self, generator: &mut Generator, write: bool) -> u64 {
        let megabytes = inverse(1.0 - generator.unit());
        let byte = match self.mode {
            // The slip: whole units of the table, each taken as 1000 bytes.
            HotbandMode::Observed => megabytes.floor() as u64 * self.mode.bytes_of_megabyte(),
            HotbandMode::Corrected => (megabytes * self.mode.bytes_of_megabyte() as f64) as u64,
        };
        let shift = if write { self.records / 100 } else { 0 };
        (byte / self.record + shift) % self.records
    }
}

/// The size that the table gives a probability in [0, 1), by straight lines between its points; megabytes.
fn inverse(p: f64) -> f64 {
    let upper = HOTBAND
        .partition_point(|t| *t <= p)
        .clamp(1, HOTBAND.len() - 1);
    let (low, high) = (HOTBAND[upper - 1], HOTBAND[upper]);
    let (from, to) = (hotband_size(upper - 1), hotband_size(upper));
    from + (p - low) / (high - low) * (to - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 400_000;

    /// The share of reads in the first `bytes` bytes of a band.
    fn shares(mode: HotbandMode, band: u64, bytes: &[u64]) -> Vec<f64> {
        let hotband = Hotband::new(mode, band, 4096, u64::MAX);
        let mut g = Generator::new(17);
        let mut counts = vec![0u64; bytes.len()];
        for _ in 0..DRAWS {
            let end = (hotband.draw(&mut g, false) + 1) * 4096;
            for (c, b) in counts.iter_mut().zip(bytes) {
                *c += u64::from(end <= *b);
            }
        }
        counts.iter().map(|c| *c as f64 / DRAWS as f64).collect()
    }

    #[test]
    fn the_observed_mode_is_as_hot_as_vdbench_was_measured_to_be() {
        const KB: u64 = 1000;
        let expected = [
            (4096, 0.027),
            (16 * KB, 0.07),
            (256 * KB, 0.20),
            (1000 * KB, 0.33),
            (4000 * KB, 0.39),
            (16_000 * KB, 0.48),
            (64_000 * KB, 0.56),
            (256_000 * KB, 0.62),
        ];
        let sizes: Vec<u64> = expected.iter().map(|(b, _)| *b).collect();
        let got = shares(HotbandMode::Observed, 100_000 * MEGABYTE, &sizes);
        for ((bytes, share), got) in expected.iter().zip(got) {
            assert!(
                (got - share).abs() < 0.01,
                "first {bytes} bytes: {got} against {share}"
            );
        }
    }

    #[test]
    fn a_band_of_100_gb_has_the_measured_shares() {
        let band = 100_000 * MEGABYTE;
        let expected = [
            (band / 10_000, 0.447),
            (band / 100, 0.675),
            (band / 10, 0.765),
            (band / 2, 0.877),
        ];
        let sizes: Vec<u64> = expected.iter().map(|(b, _)| *b).collect();
        for ((bytes, share), got) in
            expected
                .iter()
                .zip(shares(HotbandMode::Observed, band, &sizes))
        {
            assert!(
                (got - share).abs() < 0.01,
                "first {bytes} bytes: {got} against {share}"
            );
        }
    }

    #[test]
    fn the_corrected_mode_depends_on_megabytes() {
        let band = 4_000_000 * MEGABYTE;
        let got = shares(
            HotbandMode::Corrected,
            band,
            &[16 * MEGABYTE, 1024 * MEGABYTE, 16_384 * MEGABYTE],
        );
        for (got, table) in got.iter().zip([0.0872, 0.3265, 0.4826]) {
            assert!((got - table).abs() < 0.005, "{got} against {table}");
        }
    }

    #[test]
    fn writes_are_shifted_by_a_hundredth_of_the_band() {
        let hotband = Hotband::new(HotbandMode::Observed, 4096 * MEGABYTE, 4096, u64::MAX);
        let (mut a, mut b) = (Generator::new(3), Generator::new(3));
        for _ in 0..1000 {
            let read = hotband.draw(&mut a, false);
            let write = hotband.draw(&mut b, true);
            assert_eq!(write, (read + 10_000) % hotband.records);
        }
    }
}
