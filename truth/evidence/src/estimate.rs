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
    /// How many batches it rests on.
    pub batches: u32,
}

impl Estimate {
    /// A mean that nothing is known about.
    pub fn bare(mean: f64) -> Self {
        Estimate {
            mean,
            half_width: None,
            batches: 0,
        }
    }
}

impl From<MeanInterval> for Estimate {
    fn from(m: MeanInterval) -> Self {
        Estimate {
            mean: m.mean,
            half_width: m.half_width,
            batches: m.batches,
        }
    }
}
