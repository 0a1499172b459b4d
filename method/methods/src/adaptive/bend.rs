//! Where the curve bends most, with an interval that holds the true place.
//!
//! The knee of a few points is one of them, and its neighbours say no more than how far apart the points are: the true knee may
//! lie beyond them where a point is off by chance. So curves are drawn at random that all agree with the points, as smooth as
//! they say and as uncertain as they are (the posterior of the smoothing spline, as in `spline`), and each has its knee by the
//! same rule: farthest below the straight line from the first point to the last (Satopaa and others 2011). The interval is
//! made of where 95 of 100 of these lie.

use super::scale::Scale;
use super::sight::{Goal, Leg, Point, Sight, sights};
use super::spline::{Knot, curves};
use plimsoll_evidence::{Estimate, SloStatistic};

/// Places between the ends at which the curves are looked at, and how many curves.
const PLACES: usize = 96;
const CURVES: usize = 400;
/// The middle 95 % of these.
const OUTSIDE: f64 = 0.025;
/// Curves bend less between two points than a spline of unknown stiffness may: true knees lie within this part of that range as
/// often as 95 of 100 times. Measured on drawn arrays and curves of which the knee is known.
const NARROWER: f64 = 0.65;

/// The knee between these two achieved rates; `None` where no curve can be drawn through the points.
pub(super) fn bend(points: &[Point], most: f64, ends: (f64, f64)) -> Option<Estimate> {
    let of_curve = |p: &&Point| !p.is_full() && p.leg != Leg::Confirm;
    let open: Vec<Point> = points.iter().filter(of_curve).copied().collect();
    // Any limit: what counts is how responses differ.
    let goal = Goal {
        statistic: SloStatistic::Mean,
        limit_ns: 1_000_000,
    };
    of_sights(&sights(&open, &goal, most), most, ends)
}

fn of_sights(seen: &[Sight], most: f64, (low, high): (f64, f64)) -> Option<Estimate> {
    let scale = Scale::of(most, seen.iter().map(|s| s.x).chain([high.ln()]));
    let knots: Vec<Knot> = seen
        .iter()
        .filter_map(|s| {
            let seen = s.seen?;
            Some(Knot {
                x: scale.place(s.x),
                y: seen.y,
                error: seen.error,
            })
        })
        .collect();
    let rate = |n: usize| low + (high - low) * n as f64 / PLACES as f64;
    let places: Vec<f64> = (0..=PLACES).map(|n| scale.place(rate(n).ln())).collect();
    let mut knees: Vec<f64> = curves(&knots, &places, CURVES)?
        .iter()
        .filter_map(|curve| knee(curve))
        .collect();
    // Where most curves have none, there is none to be told.
    if knees.len() * 2 < CURVES {
        return None;
    }
    knees.sort_by(f64::total_cmp);
    let at = |share: f64| knees[((knees.len() - 1) as f64 * share).round() as usize];
    let step = (high - low) / PLACES as f64;
    let (from, to) = (at(OUTSIDE), at(1.0 - OUTSIDE));
    Some(Estimate::new(
        low + step * (from + to) / 2.0,
        Some(step * (NARROWER * (to - from)).max(1.0) / 2.0),
        0,
    ))
}

/// The place of a curve's knee, counted in places; `None` where it does not bend upwards.
fn knee(curve: &[f64]) -> Option<f64> {
    let response: Vec<f64> = curve.iter().map(|y| y.exp()).collect();
    let (first, last) = (response[0], *response.last()?);
    if last <= first {
        return None;
    }
    let end = (response.len() - 1) as f64;
    let below = |n: usize| n as f64 / end - (response[n] - first) / (last - first);
    let best = (0..response.len()).max_by(|a, b| below(*a).total_cmp(&below(*b)))?;
    (below(best) > 0.0 && best > 0).then_some(best as f64)
}

#[cfg(test)]
mod tests {
    use super::super::noise::noise;
    use super::super::sight::LimitRatio;
    use super::*;

    const MOST: f64 = 10_000.0;
    /// The rates of a curve's way up, and those that close in on its knee.
    const SHARES: [f64; 10] = [
        0.25, 0.5, 0.667, 0.778, 0.815, 0.852, 0.877, 0.901, 0.934, 0.956,
    ];

    /// A curve that grows with the load, with what is left free, and by a power of that; points on it are off by chance.
    struct Drawn {
        linear: f64,
        queue: f64,
        power: f64,
        error: f64,
    }

    impl Drawn {
        fn of(seed: u64) -> Self {
            // Between 0 and 1, nearly all alike.
            let any = |n: u64| (noise(seed * 7 + n).abs() * 7919.0).fract();
            Drawn {
                linear: 0.5 * any(1),
                queue: 0.005 * 20f64.powf(any(2)),
                power: 0.8 + 0.6 * any(3),
                error: 0.0003 * 20f64.powf(any(4)),
            }
        }

        fn response(&self, u: f64) -> f64 {
            0.4 + self.linear * u + self.queue * u / (1.0 - u).powf(self.power)
        }

        fn sights(&self, seed: u64) -> Vec<Sight> {
            let at = |(n, u): (usize, &f64)| {
                let error = self.error * (1.0 - u).powf(-0.7);
                Sight {
                    x: (u * MOST).ln(),
                    seen: Some(LimitRatio {
                        y: self.response(*u).ln() + error * noise(seed * 100 + n as u64),
                        error,
                        degrees: 30.0,
                    }),
                    seconds: 4.0,
                    leg: Leg::Up,
                }
            };
            SHARES.iter().enumerate().map(at).collect()
        }

        /// The true knee between the first and the last rate.
        fn knee(&self) -> f64 {
            let (low, high) = (SHARES[0], SHARES[SHARES.len() - 1]);
            let (first, last) = (self.response(low), self.response(high));
            let below = |n: &u32| {
                let share = f64::from(*n) / 5000.0;
                share - (self.response(low + (high - low) * share) - first) / (last - first)
            };
            let best = (0..=5000).max_by(|a, b| below(a).total_cmp(&below(b)));
            (low + (high - low) * f64::from(best.unwrap_or(0)) / 5000.0) * MOST
        }
    }

    #[test]
    fn the_knees_interval_has_the_coverage_that_it_says_on_drawn_curves() {
        let ends = (SHARES[0] * MOST, SHARES[SHARES.len() - 1] * MOST);
        let (mut covered, mut found, mut width) = (0, 0, 0.0);
        for seed in 0..200 {
            let curve = Drawn::of(seed);
            let Some(knee) = of_sights(&curve.sights(seed), MOST, ends) else {
                continue;
            };
            let half = knee.half_width.expect("it has one");
            found += 1;
            covered += u32::from((knee.mean - curve.knee()).abs() <= half);
            width += half / knee.mean;
        }
        println!("{covered} of {found}, ± {:.4}", width / f64::from(found));
        assert!(found >= 195, "{found}");
        // 95 of 100, give or take 3 standard deviations.
        let share = f64::from(covered) / f64::from(found);
        assert!((0.904..=0.996).contains(&share), "{covered} of {found}");
    }

    #[test]
    fn a_curve_that_does_not_rise_or_bends_the_other_way_has_no_knee() {
        assert_eq!(knee(&[1.0, 0.5, 0.2]), None);
        assert_eq!(knee(&[0.0; 5]), None);
        let levels: Vec<f64> = (1..=20).map(|n| f64::from(n).sqrt().ln()).collect();
        assert_eq!(knee(&levels), None);
    }
}
