//! What arrays told over time, reduced to the points of a step's series.

use super::brief::brief;
use plimsoll_evidence::{ArrayInterval, Interval};
use serde::Serialize;

/// One array over time, by column; `None` where it told nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ArraySeries {
    /// Utilisation of the busiest core in the busiest interval of each point, 0..=1.
    core_max: Vec<Option<f64>>,
    /// Mean utilisation of all cores.
    core_mean: Vec<Option<f64>>,
    /// Requests from hosts per second.
    front_end_iops: Vec<Option<f64>>,
    /// Requests to flash and disks per second.
    back_end_iops: Vec<Option<f64>>,
    /// Bytes in the journal over bytes that fit, at the point's end.
    journal_fill: Vec<Option<f64>>,
    /// Pages programmed for each page that was written.
    write_amplification: Vec<Option<f64>>,
}

/// The arrays' part of the point that is being filled.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct OpenArrays(Vec<OpenArray>);

#[derive(Debug, Clone, Default, PartialEq)]
struct OpenArray {
    core_max: Option<f64>,
    core_mean: Mean,
    front_end_iops: Mean,
    back_end_iops: Mean,
    journal_fill: Option<f64>,
    write_amplification: Mean,
}

/// A mean over time, of the intervals in which it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>, weight: f64) {
        if let Some(value) = value {
            self.sum += value * weight;
            self.weight += weight;
        }
    }

    fn get(self) -> Option<f64> {
        (self.weight > 0.0).then(|| brief(self.sum / self.weight))
    }
}

impl OpenArrays {
    pub(super) fn add(&mut self, interval: &Interval) {
        let known = self.0.len().max(interval.arrays.len());
        self.0.resize_with(known, OpenArray::default);
        for (open, array) in self.0.iter_mut().zip(&interval.arrays) {
            open.add(array, interval.length_ns as f64);
        }
    }

    pub(super) fn close(self, series: &mut Vec<ArraySeries>) {
        let known = series.len().max(self.0.len());
        series.resize_with(known, ArraySeries::default);
        for (column, open) in series.iter_mut().zip(self.0) {
            column.core_max.push(open.core_max.map(brief));
            column.core_mean.push(open.core_mean.get());
            column.front_end_iops.push(open.front_end_iops.get());
            column.back_end_iops.push(open.back_end_iops.get());
            column.journal_fill.push(open.journal_fill.map(brief));
            column
                .write_amplification
                .push(open.write_amplification.get());
        }
    }
}

impl OpenArray {
    fn add(&mut self, array: &ArrayInterval, length: f64) {
        self.core_max = [self.core_max, array.core_max]
            .into_iter()
            .flatten()
            .reduce(f64::max);
        self.core_mean.add(array.core_mean, length);
        self.front_end_iops.add(array.front_end_iops, length);
        self.back_end_iops.add(array.back_end_iops, length);
        self.journal_fill = array.journal_fill.or(self.journal_fill);
        self.write_amplification
            .add(array.write_amplification, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::data::fixture;

    fn interval(number: u32, core_max: f64, journal: f64, amplification: Option<f64>) -> Interval {
        Interval {
            arrays: vec![ArrayInterval {
                core_max: Some(core_max),
                core_mean: Some(core_max / 2.0),
                journal_fill: Some(journal),
                write_amplification: amplification,
                ..ArrayInterval::default()
            }],
            ..fixture::interval(1, number, 10)
        }
    }

    #[test]
    fn a_point_keeps_the_busiest_the_mean_and_the_last() {
        let mut open = OpenArrays::default();
        open.add(&interval(1, 0.9, 0.5, None));
        open.add(&interval(2, 0.1, 0.25, Some(1.5)));
        let mut series = Vec::new();
        open.close(&mut series);
        let [array] = &series[..] else {
            panic!("{series:?}")
        };
        assert_eq!(array.core_max, [Some(0.9)]);
        assert_eq!(array.core_mean, [Some(0.25)]);
        assert_eq!(array.journal_fill, [Some(0.25)]);
        assert_eq!(array.write_amplification, [Some(1.5)]);
        assert_eq!(array.back_end_iops, [None]);
    }

    #[test]
    fn a_step_on_storage_has_no_series_of_arrays() {
        let mut open = OpenArrays::default();
        open.add(&fixture::interval(1, 1, 10));
        let mut series = Vec::new();
        open.close(&mut series);
        assert_eq!(series, []);
    }
}
