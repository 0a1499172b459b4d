//! Numbers as people read them: [`plimsoll_printable::human`], and how sure they are.

use plimsoll_evidence::Estimate;
pub use plimsoll_printable::human::{
    bytes, count, duration, exact, number, percent, quantile, rate, time, time_in_text,
};

/// Half of an estimate's 95 % interval, relative to its mean: `±0.4%`; `±n/a` where it isn't available.
pub fn plus_minus(estimate: &Estimate) -> String {
    match estimate.half_width {
        Some(half) if estimate.mean != 0.0 => {
            format!("±{}", percent(half / estimate.mean.abs()))
        }
        _ => "±n/a".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_is_not_available_says_so() {
        let known = Estimate {
            mean: 1000.0,
            half_width: Some(4.0),
            batches: 30,
        };
        assert_eq!(plus_minus(&known), "±0.4%");
        assert_eq!(plus_minus(&Estimate::bare(1000.0)), "±n/a");
        assert_eq!(plus_minus(&Estimate { mean: 0.0, ..known }), "±n/a");
    }
}
