//! How a statistic scatters at each rate, from all points together.
//!
//! A point of some seconds has 20 to 40 batches, so that its own variance is known to within a third. Points that happen to look
//! sure would then count too much, and what they say with them. But the variance follows the load: that of a queue grows by about the third
//! power of what is left free. So each point's own variance is drawn towards what its neighbours lead one to expect, as far as
//! they foretell one another (Smyth 2004, "Linear models and empirical Bayes methods for assessing differential
//! expression in microarray experiments", section 3, with a trend).

/// Neighbours count by a bell curve of this width, in logarithms of what is left free.
const NEAR: f64 = 1.0;
/// Before anything is seen the logarithm of the variance grows by so much, give or take so much.
const GROWTH: (f64, f64) = (3.0, 2.0);
/// Less is no scatter: a target that always takes the same time has a logarithm of it too.
const LEAST: f64 = 1e-9;

/// Scatter at one place, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scatter {
    /// Of which step.
    pub number: u32,
    /// The logarithm of what the rate leaves free, with its sign changed.
    pub place: f64,
    /// Variance of a second's value, as a share of it.
    pub second: f64,
    /// Degrees of freedom of that.
    pub degrees: f64,
}

impl Scatter {
    /// The logarithm of the variance, without the bias of a logarithm, and the variance of that.
    fn log(&self) -> (f64, f64) {
        let unsure = 2.0 / self.degrees;
        (self.second.max(LEAST).ln() + unsure / 2.0, unsure)
    }
}

/// The points whose batches say how they scatter.
#[derive(Debug, Clone)]
pub(crate) struct Scatters {
    known: Vec<Scatter>,
    /// By how much variances differ from what their neighbours foretell, beyond chance: the variance of their logarithms.
    wild: f64,
}

impl Scatters {
    pub fn of(known: Vec<Scatter>) -> Self {
        let mut all = Scatters { known, wild: 0.0 };
        let beyond: Vec<f64> = all
            .known
            .iter()
            .filter_map(|own| {
                let (foretold, unsure) = all.foretold(own.place, own.number)?;
                let (log, chance) = own.log();
                Some((log - foretold).powi(2) - unsure - chance)
            })
            .collect();
        all.wild = (beyond.iter().sum::<f64>() / beyond.len().max(1) as f64).max(0.0);
        all
    }

    /// The scatter of a step at a place; `None` where no point has any.
    pub fn at(&self, place: f64, number: u32) -> Option<Scatter> {
        let own = self.known.iter().find(|s| s.number == number);
        let Some((log, unsure)) = self.foretold(place, number) else {
            return own.copied();
        };
        let (foretold, before) = (log.exp(), 2.0 / (unsure + self.wild));
        let (second, degrees) = own.map_or((0.0, 0.0), |s| (s.second, s.degrees));
        let all = before + degrees;
        Some(Scatter {
            number,
            place,
            second: (before * foretold + degrees * second) / all,
            degrees: all,
        })
    }

    /// The logarithm of the variance that the other points lead one to expect at a place, and how unsure that is: by a line
    /// through those near it, by least squares.
    fn foretold(&self, place: f64, number: u32) -> Option<(f64, f64)> {
        let (growth, give) = GROWTH;
        // Sums of weights, of weights times distance, and so on; the slope has what was known of it before.
        let (mut w, mut wx, mut wy) = (0.0, 0.0, 0.0);
        let (mut wxx, mut wxy) = (give.powi(-2), growth * give.powi(-2));
        for other in self.known.iter().filter(|s| s.number != number) {
            let x = other.place - place;
            let (y, unsure) = other.log();
            let weight = (-(x / NEAR).powi(2) / 2.0).exp() / unsure;
            w += weight;
            wx += weight * x;
            wy += weight * y;
            wxx += weight * x * x;
            wxy += weight * x * y;
        }
        let all = w * wxx - wx * wx;
        (all > 0.0).then(|| ((wy * wxx - wx * wxy) / all, wxx / all))
    }
}

#[cfg(test)]
mod tests {
    use super::super::noise::noise;
    use super::*;

    /// Variances that grow by the third power of what is left free, each as its own batches would show it: the mean of the squares
    /// of 20 numbers.
    fn drawn(seed: u64) -> Vec<Scatter> {
        (0..10)
            .map(|number| {
                let of = |n: u64| noise(seed * 1000 + u64::from(number) * 20 + n).powi(2);
                let place = f64::from(number) * 0.3;
                Scatter {
                    number,
                    place,
                    second: truth(place) * (0..20).map(of).sum::<f64>() / 20.0,
                    degrees: 20.0,
                }
            })
            .collect()
    }

    fn truth(place: f64) -> f64 {
        1e-4 * (3.0 * place).exp()
    }

    fn off(scatter: &Scatter) -> f64 {
        (scatter.second / truth(scatter.place)).ln()
    }

    #[test]
    fn neighbours_make_a_variance_surer_and_one_that_is_missing_is_foretold() {
        let (mut own, mut together, mut missing, mut n) = (0.0, 0.0, 0.0, 0.0);
        for seed in 0..300 {
            let points = drawn(seed);
            let all = Scatters::of(points.clone());
            for point in &points {
                let moderated = all.at(point.place, point.number).expect("it is known");
                assert!(moderated.degrees > point.degrees);
                own += off(point).powi(2);
                together += off(&moderated).powi(2);
                n += 1.0;
            }
            // The last one is the steepest, and has only neighbours on one side.
            let all = Scatters::of(points[..9].to_vec());
            let last = all.at(points[9].place, 9).expect("it is foretold");
            assert!(last.degrees < 60.0);
            missing += off(&last);
        }
        // A variance of 20 degrees is off by a third; two thirds of that are left.
        let (own, together) = ((own / n).sqrt(), (together / n).sqrt());
        assert!((0.28..0.38).contains(&own), "{own}");
        assert!(together < 0.75 * own, "{together} of {own}");
        assert!((missing / 300.0).abs() < 0.1, "{}", missing / 300.0);
    }

    #[test]
    fn one_that_is_unlike_its_neighbours_stays_so() {
        // Each second point scatters by 100 times as much as its neighbours: these foretell nothing.
        let mut points = drawn(1);
        for point in points.iter_mut().step_by(2) {
            point.second *= 100.0;
        }
        let all = Scatters::of(points.clone());
        for point in &points {
            let moderated = all.at(point.place, point.number).expect("it is known");
            let off = (moderated.second / point.second).ln();
            assert!(off.abs() < 1.0, "{off} at {}", point.place);
        }
    }

    #[test]
    fn where_nothing_is_known_nothing_is_said() {
        assert!(Scatters::of(Vec::new()).at(1.0, 1).is_none());
        let one = drawn(3)[4];
        let alone = Scatters::of(vec![one]);
        assert_eq!(alone.at(one.place, one.number), Some(one));
        // Further up it is greater, and less sure.
        let further = alone.at(one.place + 0.5, 9).expect("it is foretold");
        assert!(further.second > 2.0 * one.second, "{further:?}");
        assert!(further.degrees < one.degrees, "{further:?}");
    }

    #[test]
    fn a_target_that_always_takes_the_same_time_has_next_to_no_scatter() {
        let still: Vec<Scatter> = drawn(4)
            .iter()
            .map(|s| Scatter { second: 0.0, ..*s })
            .collect();
        let all = Scatters::of(still.clone());
        for point in &still {
            let moderated = all.at(point.place, point.number).expect("it is known");
            assert!(moderated.second < 1e-6, "{moderated:?}");
        }
    }
}
