//! Random numbers of places.

use super::hotband::Hotband;
use super::zipf::Zipf;
use super::zoned::Zones;
use crate::error::TrafficError;
use crate::generator::Generator;
use crate::permutation::Permutation;
use plimsoll_plan::{Bytes, Distribution, HOTBAND_MEGABYTE};

/// Draws numbers below n.
#[derive(Debug, Clone)]
pub(crate) enum Draw {
    /// All alike.
    Uniform(u64),
    /// Zipf's ranks, scattered.
    Zipf(Zipf, Permutation),
    /// n u^exponent, scattered.
    SelfSimilar(f64, Permutation),
    /// Mean n / 2 and this standard deviation; wraps at both ends.
    Normal { n: f64, deviation: f64 },
    /// Zones.
    Zoned(Zones),
    /// Vdbench's table.
    Hotband(Hotband),
    /// Vdbench's "poisson": exponential distances of this mean, modulo n.
    Distance { n: u64, mean: f64 },
}

impl Draw {
    /// The distribution over `n` places (at least 1) for I/Os of `length` bytes in a region of `bytes` bytes; `key`
    /// scatters ranks, and is the same for all workers.
    pub(crate) fn new(
        distribution: &Distribution,
        n: u64,
        length: u64,
        bytes: u64,
        key: u64,
    ) -> Result<Self, TrafficError> {
        let check = |distribution, value: f64, good: bool, rule| {
            if good {
                return Ok(value);
            }
            Err(TrafficError::Distribution {
                distribution,
                value: value.to_string(),
                rule,
            })
        };
        match distribution {
            Distribution::Uniform => Ok(Draw::Uniform(n)),
            Distribution::Zipf(s) => {
                let s = check(
                    "zipf",
                    *s,
                    s.is_finite() && *s > 0.0,
                    "the exponent is above 0",
                )?;
                Ok(Draw::Zipf(Zipf::new(n, s), Permutation::new(n, key)))
            }
            Distribution::Pareto(h) => {
                let h = check(
                    "pareto",
                    *h,
                    *h > 0.0 && *h <= 0.5,
                    "h is above 0 and at most 0.5",
                )?;
                Ok(Draw::SelfSimilar(
                    h.ln() / (1.0 - h).ln(),
                    Permutation::new(n, key),
                ))
            }
            Distribution::Normal(percent) => {
                let good = percent.is_finite() && *percent > 0.0;
                let percent = check(
                    "normal",
                    *percent,
                    good,
                    "the standard deviation is above 0 percent",
                )?;
                Ok(Draw::Normal {
                    n: n as f64,
                    deviation: n as f64 * percent / 100.0,
                })
            }
            Distribution::Zoned(zones) => Ok(Draw::Zoned(Zones::new(n, zones)?)),
            Distribution::Hotband(mode) => {
                if bytes < HOTBAND_MEGABYTE {
                    return Err(TrafficError::TooSmall {
                        where_: "the band",
                        have: Bytes(bytes),
                        need: Bytes(HOTBAND_MEGABYTE),
                    });
                }
                Ok(Draw::Hotband(Hotband::new(*mode, bytes, length, n)))
            }
            Distribution::Poisson(midpoint) => {
                let good = midpoint.is_finite() && *midpoint > 0.0;
                let midpoint = check("poisson", *midpoint, good, "the midpoint is above 0")?;
                Ok(Draw::Distance {
                    n,
                    mean: n as f64 / midpoint,
                })
            }
        }
    }

    /// The next number.
    #[inline]
    pub(crate) fn draw(&self, generator: &mut Generator, write: bool) -> u64 {
        match self {
            Draw::Uniform(n) => generator.below(*n),
            Draw::Zipf(zipf, scatter) => scatter.of(zipf.draw(generator)),
            Draw::SelfSimilar(exponent, scatter) => {
                let x = generator.unit().powf(*exponent) * scatter.len() as f64;
                scatter.of((x as u64).min(scatter.len() - 1))
            }
            Draw::Normal { n, deviation } => {
                let x = n / 2.0 + generator.normal() * deviation;
                (x.rem_euclid(*n) as u64).min(*n as u64 - 1)
            }
            Draw::Zoned(zones) => zones.draw(generator),
            Draw::Hotband(hotband) => hotband.draw(generator, write),
            Draw::Distance { n, mean } => (generator.exponential() * mean) as u64 % n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, Normal};

    const DRAWS: usize = 200_000;

    fn draw(distribution: Distribution, n: u64) -> impl FnMut() -> u64 {
        let draw = Draw::new(&distribution, n, 4096, n * 4096, 5).expect("a distribution");
        let mut g = Generator::new(31);
        move || draw.draw(&mut g, false)
    }

    /// The largest distance between the sample's distribution and `cdf` (of a number in 0..1), times the root of the
    /// sample's size: above 2.2 with a chance of 1 in 10,000 (Kolmogorov and Smirnov).
    fn distance(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
        sample.sort_unstable_by(f64::total_cmp);
        let n = sample.len() as f64;
        let worst = sample
            .iter()
            .enumerate()
            .map(|(i, x)| {
                (cdf(*x) - i as f64 / n)
                    .abs()
                    .max((cdf(*x) - (i + 1) as f64 / n).abs())
            })
            .fold(0.0, f64::max);
        worst * n.sqrt()
    }

    fn sample(distribution: Distribution, n: u64) -> Vec<f64> {
        let mut next = draw(distribution, n);
        (0..DRAWS).map(|_| next() as f64 / n as f64).collect()
    }

    #[test]
    fn uniform_is_uniform_on_2_to_the_48_bytes() {
        let d = distance(sample(Distribution::Uniform, 1 << 36), |x| x);
        assert!(d < 2.2, "{d}");
    }

    #[test]
    fn pareto_gives_a_share_of_1_less_h_to_a_part_of_h_at_every_level() {
        let n = 1u64 << 36;
        for h in [0.1, 0.2, 0.4, 0.5] {
            let Ok(Draw::SelfSimilar(exponent, _)) =
                Draw::new(&Distribution::Pareto(h), n, 4096, n * 4096, 5)
            else {
                panic!("pareto");
            };
            let mut g = Generator::new(8);
            let ranks: Vec<f64> = (0..DRAWS).map(|_| g.unit().powf(exponent)).collect();
            let d = distance(ranks.clone(), |x| x.powf(1.0 / exponent));
            assert!(d < 2.2, "h {h}: {d}");
            for level in [h, h * h] {
                let share = ranks.iter().filter(|x| **x < level).count() as f64 / DRAWS as f64;
                let expected = if level == h {
                    1.0 - h
                } else {
                    (1.0 - h).powi(2)
                };
                assert!(
                    (share - expected).abs() < 0.006,
                    "h {h}: {share} in {level}"
                );
            }
        }
    }

    #[test]
    fn hot_ranks_of_zipf_and_pareto_are_scattered_over_the_target() {
        for distribution in [Distribution::Zipf(0.9), Distribution::Pareto(0.3)] {
            let mut next = draw(distribution, 1 << 24);
            let mut counts = [0u64; 16];
            for _ in 0..DRAWS {
                counts[(next() >> 20) as usize] += 1;
            }
            let max = *counts.iter().max().expect("counts") as f64;
            assert!(max < DRAWS as f64 / 16.0 * 1.6, "{counts:?}");
        }
    }

    #[test]
    fn normal_is_normal_round_the_middle_and_wraps() {
        let n = 1u64 << 36;
        for percent in [2.0, 10.0, 40.0] {
            let normal = Normal::new(0.5, percent / 100.0).expect("normal");
            let wrapped = |x: f64| {
                (-5..=5)
                    .map(|turn| normal.cdf(x + f64::from(turn)) - normal.cdf(f64::from(turn)))
                    .sum()
            };
            let d = distance(sample(Distribution::Normal(percent), n), wrapped);
            assert!(d < 2.2, "{percent} %: {d}");
        }
    }

    #[test]
    fn poisson_distances_are_exponential_from_the_start_and_wrap() {
        let midpoint = 3.0f64;
        // Modulo 1, an exponential of mean 1/m has the cdf (1 - e^-mx) / (1 - e^-m).
        let cdf = |x: f64| (1.0 - (-midpoint * x).exp()) / (1.0 - (-midpoint).exp());
        let d = distance(sample(Distribution::Poisson(midpoint), 1 << 36), cdf);
        assert!(d < 2.2, "{d}");
    }

    #[test]
    fn numbers_stay_below_n_for_any_n() {
        for n in [1, 2, 3, 7, 300, 1001] {
            for distribution in [
                Distribution::Uniform,
                Distribution::Zipf(1.1),
                Distribution::Pareto(0.2),
                Distribution::Normal(30.0),
                Distribution::Zoned(vec![(90.0, 100.0)]),
                Distribution::Poisson(0.1),
            ] {
                let mut next = draw(distribution.clone(), n);
                assert!((0..3000).all(|_| next() < n), "{distribution:?} below {n}");
            }
        }
    }

    #[test]
    fn parameters_outside_the_domain_are_refused() {
        for distribution in [
            Distribution::Zipf(0.0),
            Distribution::Zipf(f64::INFINITY),
            Distribution::Pareto(0.0),
            Distribution::Pareto(0.6),
            Distribution::Normal(-1.0),
            Distribution::Normal(f64::NAN),
            Distribution::Poisson(0.0),
        ] {
            let refused = Draw::new(&distribution, 1000, 4096, 4_096_000, 1);
            assert!(
                matches!(refused, Err(TrafficError::Distribution { .. })),
                "{distribution:?}"
            );
        }
        let small = Draw::new(
            &Distribution::Hotband(plimsoll_plan::HotbandMode::Observed),
            10,
            4096,
            40_960,
            1,
        );
        assert!(matches!(small, Err(TrafficError::TooSmall { .. })));
    }
}
