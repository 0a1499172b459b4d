//! Zones with their own shares of the accesses.

use crate::error::TrafficError;
use crate::generator::Generator;

/// Zones in address order.
#[derive(Debug, Clone)]
pub(crate) struct Zones(Box<[Zone]>);

#[derive(Debug, Clone, Copy)]
struct Zone {
    /// The cumulative chance, in 2^-64ths.
    below: u64,
    start: u64,
    count: u64,
}

impl Zones {
    /// Zones over `n` places: (percent of accesses, percent of the range). Shares of accesses are relative; the parts
    /// of the range may leave its end unused.
    pub(crate) fn new(n: u64, zones: &[(f64, f64)]) -> Result<Self, TrafficError> {
        let error = |rule| TrafficError::Distribution {
            distribution: "zoned",
            value: format!("{zones:?}"),
            rule,
        };
        let bad = |x: f64| !x.is_finite() || x < 0.0;
        if zones.iter().any(|(a, r)| bad(*a) || bad(*r)) {
            return Err(error("percentages are numbers from 0"));
        }
        let accesses: f64 = zones.iter().map(|(a, _)| a).sum();
        if accesses <= 0.0 {
            return Err(error("some zone needs accesses"));
        }
        if zones.iter().map(|(_, r)| r).sum::<f64>() > 100.0 + 1e-6 {
            return Err(error(
                "the zones' parts of the range sum to more than 100 percent",
            ));
        }
        let (mut access, mut range) = (0.0, 0.0);
        let at = |percent: f64| ((n as f64 * percent / 100.0).round() as u64).min(n);
        let mut built = Vec::new();
        for (a, r) in zones {
            let start = at(range);
            access += a;
            range += r;
            let count = at(range) - start;
            if *a > 0.0 && count == 0 {
                return Err(error("a zone with accesses holds no block"));
            }
            built.push(Zone {
                below: (access / accesses * 2f64.powi(64)) as u64,
                start,
                count,
            });
        }
        Ok(Zones(built.into()))
    }

    /// The next place.
    #[inline]
    pub(crate) fn draw(&self, generator: &mut Generator) -> u64 {
        let x = generator.bits();
        let last = self.0.len() - 1;
        let zone = &self.0[self.0.iter().take_while(|z| x >= z.below).count().min(last)];
        zone.start + generator.below(zone.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_zone_gets_its_accesses_evenly() {
        let zones = Zones::new(
            1000,
            &[(50.0, 5.0), (30.0, 15.0), (0.0, 30.0), (20.0, 50.0)],
        )
        .expect("zones");
        let mut g = Generator::new(6);
        let mut counts = vec![0u64; 1000];
        for _ in 0..1_000_000 {
            counts[zones.draw(&mut g) as usize] += 1;
        }
        let sum = |r: std::ops::Range<usize>| counts[r].iter().sum::<u64>() as f64 / 1e6;
        assert!((sum(0..50) - 0.5).abs() < 0.003);
        assert!((sum(50..200) - 0.3).abs() < 0.003);
        assert_eq!(sum(200..500), 0.0);
        assert!((sum(0..25) - 0.25).abs() < 0.003);
        assert!((sum(500..750) - 0.1).abs() < 0.003);
    }

    #[test]
    fn zones_that_cannot_be_are_refused() {
        for zones in [
            &[(0.0, 50.0)][..],
            &[(50.0, 60.0), (50.0, 60.0)],
            &[(50.0, -1.0)],
            &[(50.0, 0.0)],
            &[],
        ] {
            assert!(Zones::new(1000, zones).is_err(), "{zones:?}");
        }
    }
}
