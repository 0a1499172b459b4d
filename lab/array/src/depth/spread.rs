//! How times vary around the mean of a measured point: a body, and few requests that take much longer than all others.

use crate::persona::DepthRow;
use plimsoll_content::mix64;

/// So many times the mean is the least that such a request takes.
const APART: f64 = 3.0;
/// The body varies no more than this, as a part of its mean: what is beyond is the few.
const BODY: f64 = 0.5;
/// The finest shape of a gamma distribution.
const FINEST: f64 = 100.0;

/// The times at a measured point. The body is a gamma distribution; a share of the requests takes a time whose logarithm is evenly
/// distributed, up to the longest that was measured. The mean and the standard deviation of all are those that were measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// The shape of the body; 0: it does not vary.
    shape: u32,
    /// The share of the few.
    share: f64,
    from_us: f64,
    to_us: f64,
}

impl Spread {
    /// The spread of a point; `shape` is that of a point whose standard deviation nobody measured.
    pub fn of(row: &DepthRow, shape: u32) -> Self {
        let mean = (row.read_us + row.write_us) / 2.0;
        let plain = |shape| Spread {
            shape,
            share: 0.0,
            from_us: 0.0,
            to_us: 0.0,
        };
        let Some(sd) = row.sd_us.filter(|sd| *sd > 0.0 && mean > 0.0) else {
            return plain(shape);
        };
        let shape_of = |part: f64| (1.0 / (part * part)).round().clamp(1.0, FINEST) as u32;
        let part = sd / mean;
        let from_us = APART * mean;
        let Some(to_us) = row.longest_us.filter(|to| *to > from_us) else {
            return plain(shape_of(part));
        };
        let few = Spread {
            // Half of the variance is the body's, or what it can have.
            shape: shape_of((part * 0.5_f64.sqrt()).min(BODY)),
            from_us,
            to_us,
            share: 0.0,
        };
        Spread {
            share: few.share_for(mean, sd),
            ..few
        }
    }

    /// The share of the few with which all have this standard deviation.
    fn share_for(&self, mean: f64, sd: f64) -> f64 {
        let few = self.few_us();
        let few_square = (self.to_us.powi(2) - self.from_us.powi(2)) / (2.0 * self.octaves());
        let body = 1.0 + 1.0 / f64::from(self.shape);
        let wanted = sd * sd + mean * mean;
        let (mut low, mut high) = (0.0, 0.5 * mean / few);
        for _ in 0..60 {
            let share = (low + high) / 2.0;
            let rest = (mean - share * few) / (1.0 - share);
            let square = share * few_square + (1.0 - share) * rest * rest * body;
            (low, high) = if square < wanted {
                (share, high)
            } else {
                (low, share)
            };
        }
        low
    }

    /// The natural logarithm of the longest over the shortest of the few.
    fn octaves(&self) -> f64 {
        (self.to_us / self.from_us).ln()
    }

    /// The mean of the few, microseconds.
    fn few_us(&self) -> f64 {
        (self.to_us - self.from_us) / self.octaves()
    }

    /// What the few add to the mean of all, and their share.
    fn added(&self) -> (f64, f64) {
        match self.share > 0.0 {
            true => (self.share * self.few_us(), self.share),
            false => (0.0, 0.0),
        }
    }
}

/// A time with this mean, microseconds: of the first spread, or with the probability `t` of the second one.
pub(super) fn draw(mean_us: f64, spreads: (&Spread, &Spread), t: f64, random: &mut u64) -> f64 {
    let (low, high) = (spreads.0.added(), spreads.1.added());
    let [added, share] = [low.0 + t * (high.0 - low.0), low.1 + t * (high.1 - low.1)];
    let mut spread = spreads.0;
    if share > 0.0 {
        if uniform(random) < t {
            spread = spreads.1;
        }
        if uniform(random) < spread.share {
            return spread.from_us * (uniform(random) * spread.octaves()).exp();
        }
    }
    let mean = ((mean_us - added) / (1.0 - share)).max(0.0);
    let mut product = 1.0;
    for _ in 0..spread.shape {
        product *= uniform(random);
    }
    match spread.shape {
        0 => mean,
        shape => -mean * f64::ln(product) / f64::from(shape),
    }
}

/// Above 0 and below 1.
pub(crate) fn uniform(random: &mut u64) -> f64 {
    *random = random.wrapping_add(1);
    ((mix64(*random) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}
