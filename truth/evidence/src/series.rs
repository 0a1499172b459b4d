//! A step's course: what happened in each short part of its counted time, and never too many parts of it.

use serde::{Deserialize, Serialize};

/// Course of a step over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepSeries {
    /// Start of the first bin, ns from the step's start: that of the counted time.
    pub start_ns: u64,
    /// End of the last bin, ns from the step's start; that bin may be shorter than the others.
    pub end_ns: u64,
    /// Length of a bin, ns. A long step has longer ones, so that there are never more than a few thousand.
    pub bin_ns: u64,
    /// The bins by rising time, without a gap.
    #[serde(with = "columns")]
    pub bins: Vec<SeriesBin>,
    /// The counted time cut at the step's timed actions; one section where it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// I/Os of each path to a target in the same bins; empty where there is one path, or none is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathSeries>,
}

/// A part of a step's time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeriesBin {
    /// I/Os that completed well.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// I/Os that came due, of streams with a schedule.
    pub due: u64,
    /// Completed I/Os whose times are in the sum: without those that were due before the counted time.
    pub timed: u64,
    /// Sum of their response times, ns.
    pub response_sum_ns: u64,
    /// The longest response time, ns. It is known of an interval, and lies in the bin in which that ended.
    pub response_max_ns: u64,
    /// Integral of the I/Os in flight, I/O x ns.
    pub depth_integral_ns: u64,
}

/// A part of the counted time between two timed actions. An interval belongs to the section in which it began, so that a section
/// is exact where the actions' times are those of intervals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Start of the section, ns from the step's start.
    pub start_ns: u64,
    /// End of the section, ns from the step's start.
    pub end_ns: u64,
    /// I/Os that completed well in it; with the last section's are those that came back after the end.
    pub ios: u64,
    /// Reads that failed.
    pub read_errors: u64,
    /// Writes and trims that failed: of them nobody knows what is on the target.
    pub write_errors: u64,
    /// Mean response time, ns.
    pub response_mean_ns: Option<f64>,
    /// Median response time, ns; `None` where there are too few I/Os, as with the others.
    pub response_p50_ns: Option<u64>,
    /// 99th percentile of response times, ns.
    pub response_p99_ns: Option<u64>,
    /// 99.9th percentile of response times, ns.
    pub response_p999_ns: Option<u64>,
    /// The longest, ns.
    pub response_max_ns: Option<u64>,
}

/// I/Os over time of the paths to one target, or one array.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PathSeries {
    /// The target's name, or the array's.
    pub of: String,
    /// The paths: their addresses, or `path 0`.
    pub paths: Vec<String>,
    /// I/Os that each path carried: for each path, one number a bin of [`StepSeries::bins`].
    pub ios: Vec<Vec<u64>>,
}

impl StepSeries {
    /// Start of a bin, ns from the step's start.
    pub fn bin_start_ns(&self, bin: usize) -> u64 {
        let into = self.bin_ns.saturating_mul(bin as u64);
        self.start_ns.saturating_add(into)
    }

    /// Length of a bin, ns: the last may be shorter than the others.
    pub fn bin_length_ns(&self, bin: usize) -> u64 {
        let left = self.end_ns.saturating_sub(self.bin_start_ns(bin));
        left.min(self.bin_ns)
    }

    /// The bin of a time; `None` outside of the counted time.
    pub fn bin_at(&self, at_ns: u64) -> Option<usize> {
        let into = at_ns.checked_sub(self.start_ns)?;
        let bin = usize::try_from(into.checked_div(self.bin_ns)?).ok()?;
        (bin < self.bins.len()).then_some(bin)
    }
}

impl SeriesBin {
    /// Adds what happened in another part of the same time.
    pub fn merge(&mut self, other: &SeriesBin) {
        let add = |mine: &mut u64, theirs: u64| *mine = mine.saturating_add(theirs);
        add(&mut self.ios, other.ios);
        add(&mut self.bytes, other.bytes);
        add(&mut self.errors, other.errors);
        add(&mut self.due, other.due);
        add(&mut self.timed, other.timed);
        add(&mut self.response_sum_ns, other.response_sum_ns);
        add(&mut self.depth_integral_ns, other.depth_integral_ns);
        self.response_max_ns = self.response_max_ns.max(other.response_max_ns);
    }

    /// Mean response time, ns; `None` where nothing came back whose time counts.
    pub fn response_mean_ns(&self) -> Option<f64> {
        (self.timed > 0).then(|| self.response_sum_ns as f64 / self.timed as f64)
    }
}

/// Bins as columns: thousands of them with a name at each number would be several times as long.
mod columns {
    use super::SeriesBin;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// Number of columns, one for each field of a bin.
    const COLUMNS: usize = 8;

    #[derive(Serialize, Deserialize)]
    struct Columns {
        ios: Vec<u64>,
        bytes: Vec<u64>,
        errors: Vec<u64>,
        due: Vec<u64>,
        timed: Vec<u64>,
        response_sum_ns: Vec<u64>,
        response_max_ns: Vec<u64>,
        depth_integral_ns: Vec<u64>,
    }

    pub fn serialize<S: Serializer>(bins: &[SeriesBin], to: S) -> Result<S::Ok, S::Error> {
        let column = |of: fn(&SeriesBin) -> u64| bins.iter().map(of).collect();
        Columns {
            ios: column(|b| b.ios),
            bytes: column(|b| b.bytes),
            errors: column(|b| b.errors),
            due: column(|b| b.due),
            timed: column(|b| b.timed),
            response_sum_ns: column(|b| b.response_sum_ns),
            response_max_ns: column(|b| b.response_max_ns),
            depth_integral_ns: column(|b| b.depth_integral_ns),
        }
        .serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<SeriesBin>, D::Error> {
        let c = Columns::deserialize(from)?;
        let all: [&Vec<u64>; COLUMNS] = [
            &c.ios,
            &c.bytes,
            &c.errors,
            &c.due,
            &c.timed,
            &c.response_sum_ns,
            &c.response_max_ns,
            &c.depth_integral_ns,
        ];
        if all.iter().any(|column| column.len() != c.ios.len()) {
            return Err(D::Error::custom("a series whose columns differ in length"));
        }
        let bin = |i: usize| SeriesBin {
            ios: c.ios[i],
            bytes: c.bytes[i],
            errors: c.errors[i],
            due: c.due[i],
            timed: c.timed[i],
            response_sum_ns: c.response_sum_ns[i],
            response_max_ns: c.response_max_ns[i],
            depth_integral_ns: c.depth_integral_ns[i],
        };
        Ok((0..c.ios.len()).map(bin).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series() -> StepSeries {
        let bin = |n: u64| SeriesBin {
            ios: n,
            bytes: n * 2,
            errors: n * 3,
            due: n * 4,
            timed: n * 5,
            response_sum_ns: n * 60,
            response_max_ns: n * 7,
            depth_integral_ns: n * 8,
        };
        StepSeries {
            start_ns: 50,
            end_ns: 75,
            bin_ns: 10,
            bins: vec![bin(1), bin(2), bin(3)],
            ..StepSeries::default()
        }
    }

    #[test]
    fn a_time_has_its_bin_and_the_last_one_may_be_short() {
        let series = series();
        let bins = [49, 50, 59, 60, 74, 80].map(|at| series.bin_at(at));
        assert_eq!(bins, [None, Some(0), Some(0), Some(1), Some(2), None]);
        let lengths = [0, 1, 2].map(|bin| series.bin_length_ns(bin));
        assert_eq!(lengths, [10, 10, 5]);
        assert_eq!(StepSeries::default().bin_at(0), None);
        assert_eq!(series.bins[1].response_mean_ns(), Some(12.0));
        assert_eq!(SeriesBin::default().response_mean_ns(), None);
    }

    #[test]
    fn bins_come_back_from_json_and_columns_that_differ_are_refused() {
        let series = series();
        let json = serde_json::to_string(&series).unwrap();
        assert_eq!(json.matches("response_max_ns").count(), 1, "{json}");
        assert_eq!(serde_json::from_str::<StepSeries>(&json).unwrap(), series);
        let damaged = json.replace("\"errors\":[3,", "\"errors\":[");
        let error = serde_json::from_str::<StepSeries>(&damaged).unwrap_err();
        assert!(error.to_string().contains("columns differ"), "{error}");
    }

    #[test]
    fn bins_that_are_put_together_keep_the_longest_time_and_add_the_rest() {
        let mut bins = series().bins;
        let (first, second) = bins.split_at_mut(1);
        first[0].merge(&second[0]);
        let both = first[0];
        assert_eq!((both.ios, both.errors, both.due), (3, 9, 12));
        assert_eq!((both.response_max_ns, both.depth_integral_ns), (14, 24));
    }
}
