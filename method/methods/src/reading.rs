//! One response statistic of one step, with its uncertainty.

use plimsoll_evidence::{Estimate, SloStatistic, StepEvidence};
use plimsoll_measure::batch::student_t_95;
use plimsoll_measure::{effective_count, fine_quantile, quantile_interval};

/// A point of a latency curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Achieved rate, I/Os per second.
    pub rate: Estimate,
    /// The statistic, ns.
    pub value_ns: f64,
    /// Half of its 95 % interval, ns; `None`: not available.
    pub half_width: Option<f64>,
    /// Mean response, ns.
    pub mean_ns: f64,
    /// Error of the value beyond that, as a share of a histogram's bucket, 0 to 1.
    pub blurred: f64,
}

/// Reads a statistic of response; `None` where nothing completed, or the sample cannot support the quantile.
pub fn read(step: &StepEvidence, statistic: SloStatistic) -> Option<Reading> {
    let mean = step.response_mean_ns;
    let (value_ns, half_width) = match statistic {
        SloStatistic::Mean if step.ios > 0 => (mean.mean, mean.half_width),
        SloStatistic::Mean => return None,
        SloStatistic::Quantile(q) => {
            let value = step.response.supported_quantile_ns(q)?;
            (value as f64, quantile_half_width(step, q))
        }
    };
    Some(Reading {
        rate: step.rate,
        value_ns,
        half_width,
        mean_ns: mean.mean,
        blurred: match statistic {
            SloStatistic::Mean => 0.0,
            SloStatistic::Quantile(_) => 1.0,
        },
    })
}

/// The same, with quantiles that are read more finely than the buckets of a histogram: what a curve is drawn through.
pub fn read_finely(step: &StepEvidence, statistic: SloStatistic) -> Option<Reading> {
    let reading = read(step, statistic)?;
    let SloStatistic::Quantile(q) = statistic else {
        return Some(reading);
    };
    let fine = effective(step).and_then(|n| fine_quantile(&step.response, q, n));
    Some(match fine {
        Some(fine) => Reading {
            value_ns: fine.value,
            half_width: Some((fine.high - fine.low) / 2.0),
            blurred: fine.blurred,
            ..reading
        },
        None => reading,
    })
}

/// Half the order-statistic interval, of as many independent I/Os as the mean's own interval shows there to be.
fn quantile_half_width(step: &StepEvidence, q: f64) -> Option<f64> {
    let (low, high) = quantile_interval(&step.response, q, effective(step)?)?;
    Some((high - low) as f64 / 2.0)
}

/// Number of independent I/Os that the mean's own interval points to.
fn effective(step: &StepEvidence) -> Option<f64> {
    let mean = step.response_mean_ns;
    let degrees = (mean.batches as usize).checked_sub(1)?;
    let error = mean.half_width? / student_t_95(degrees);
    let deviation = step.response.std_dev_ns()?;
    Some(effective_count(step.response.count(), deviation, error))
}
