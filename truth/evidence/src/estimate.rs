//! A number and how sure it is.

use plimsoll_measure::MeanInterval;
use serde::{Deserialize, Serialize};

/// A mean with its 95 % confidence half-width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half of the 95 % confidence interval; `None`: not available, the series is too short for its autocorrelation.
    pub half_width: Option<f64>,
    /// Number of batches that the estimate rests on.
    pub batches: u32,
}

impl Estimate {
    /// A mean with half of its interval, where that is known, and the batches it rests on.
    pub const fn new(mean: f64, half_width: Option<f64>, batches: u32) -> Self {
        Estimate {
            mean,
            half_width,
            batches,
        }
    }

    /// A mean that nothing is known about.
    pub fn bare(mean: f64) -> Self {
        Estimate::new(mean, None, 0)
    }
}

impl From<MeanInterval> for Estimate {
    fn from(m: MeanInterval) -> Self {
        Estimate::new(m.mean, m.half_width, m.batches)
    }
}
