//! A latency histogram: base-2 log-linear, 128 buckets an octave, a flat array that merges by addition.
//!
//! Values below 256 ns have a bucket each; above, each octave has 128 buckets, so that a bucket is at most
//! 1/128 = 0.78 % of its value wide. The last octave ends at 2^44 ns (4.9 hours); longer values count in the last
//! bucket, and `max` stays exact.

use serde::{Deserialize, Serialize};

const SUB_BITS: u32 = 7;
const SUB: usize = 1 << SUB_BITS;
const LINEAR: usize = 2 * SUB;
const TOP_BIT: u32 = 43;

/// Number of buckets of a histogram.
pub const BUCKETS: usize = LINEAR + (TOP_BIT as usize - SUB_BITS as usize) * SUB;

/// The largest value that has a bucket of its own width, in ns.
pub const MAX_TRACKED_NS: u64 = (1 << (TOP_BIT + 1)) - 1;

/// Counts of values in ns, with exact sum, sum of squares, minimum and maximum. Counts past 2^64 - 1 stay there.
///
/// As `serde` data it is sparse: the non-empty buckets only; nothing (`null`) is read as an empty one.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "Option<Sparse>", into = "Sparse")]
pub struct Histogram {
    /// By bucket; the last ones may be left out where they are empty.
    counts: Vec<u64>,
    /// Wide enough for as many of the largest values as can be counted.
    sum_ns: u128,
    sum_squares: f64,
    min_ns: u64,
    max_ns: u64,
}

/// A histogram in JSON.
#[derive(Serialize, Deserialize)]
struct Sparse {
    /// (smallest value of the bucket in ns, count), ascending; empty buckets left out.
    buckets: Vec<(u64, u64)>,
    sum_ns: Sum,
    sum_squares: f64,
    min_ns: Option<u64>,
    max_ns: Option<u64>,
}

/// A sum in JSON: a whole number, and past the largest that readers take for one, a number of 53 bits.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Sum {
    Exact(u64),
    Large(f64),
}

impl From<u128> for Sum {
    fn from(sum: u128) -> Self {
        u64::try_from(sum).map_or(Sum::Large(sum as f64), Sum::Exact)
    }
}

impl From<Sum> for u128 {
    /// A damaged number is the nearest that can be: nothing for one below 0 and for none.
    fn from(sum: Sum) -> Self {
        match sum {
            Sum::Exact(sum) => sum.into(),
            Sum::Large(sum) => sum as u128,
        }
    }
}

impl From<Histogram> for Sparse {
    fn from(h: Histogram) -> Self {
        Sparse {
            buckets: h.buckets().map(|(low, _, count)| (low, count)).collect(),
            sum_ns: h.sum_ns.into(),
            sum_squares: h.sum_squares,
            min_ns: h.min_ns(),
            max_ns: h.max_ns(),
        }
    }
}

impl From<Option<Sparse>> for Histogram {
    fn from(stored: Option<Sparse>) -> Self {
        let Some(s) = stored else {
            return Histogram::empty();
        };
        Histogram::from_parts(
            s.buckets,
            s.sum_ns,
            s.sum_squares,
            s.min_ns.unwrap_or(u64::MAX),
            s.max_ns.unwrap_or(0),
        )
    }
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count())
            .field("mean_ns", &self.mean_ns())
            .field("max_ns", &self.max_ns)
            .finish()
    }
}

/// Equal where everything that was counted is: how much room for more there is does not matter.
impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        let shorter = self.counts.len().min(other.counts.len());
        let (mine, rest_of_mine) = self.counts.split_at(shorter);
        let (theirs, rest_of_theirs) = other.counts.split_at(shorter);
        let mut rest = rest_of_mine.iter().chain(rest_of_theirs);
        mine == theirs
            && rest.all(|count| *count == 0)
            && self.sum_ns == other.sum_ns
            && self.sum_squares == other.sum_squares
            && self.min_ns == other.min_ns
            && self.max_ns == other.max_ns
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

/// The bucket of a value.
#[inline(always)]
pub const fn bucket_of(value_ns: u64) -> usize {
    let v = if value_ns > MAX_TRACKED_NS {
        MAX_TRACKED_NS
    } else {
        value_ns
    };
    // For v < 256 the shift is 0 and the index is v itself; above, `shift` counts the octaves past the linear part.
    let top = 63 - (v | (LINEAR as u64 - 1)).leading_zeros();
    let shift = top - SUB_BITS;
    ((shift as usize) << SUB_BITS) + (v >> shift) as usize
}

/// The smallest value of a bucket, in ns.
pub const fn bucket_low_ns(bucket: usize) -> u64 {
    if bucket < LINEAR {
        return bucket as u64;
    }
    let shift = (bucket >> SUB_BITS) - 1;
    (((bucket & (SUB - 1)) + SUB) as u64) << shift
}

/// The largest value of a bucket, in ns.
pub const fn bucket_high_ns(bucket: usize) -> u64 {
    if bucket < LINEAR {
        return bucket as u64;
    }
    let shift = (bucket >> SUB_BITS) - 1;
    bucket_low_ns(bucket) + (1 << shift) - 1
}

impl Histogram {
    /// An empty histogram with room for every value: counting allocates nothing.
    pub fn new() -> Self {
        Histogram {
            counts: vec![0; BUCKETS],
            ..Histogram::empty()
        }
    }

    /// An empty histogram that takes no memory until something is counted.
    pub fn empty() -> Self {
        Histogram {
            counts: Vec::new(),
            sum_ns: 0,
            sum_squares: 0.0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }

    /// Memory that its counts take, bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.counts.len() as u64 * 8
    }

    /// Counts one value.
    #[inline(always)]
    pub fn record(&mut self, value_ns: u64) {
        let bucket = bucket_of(value_ns);
        match self.counts.get_mut(bucket) {
            Some(count) => *count += 1,
            None => self.count_in_new_room(bucket),
        }
        self.sum_ns = self.sum_ns.wrapping_add(u128::from(value_ns));
        let v = value_ns as f64;
        self.sum_squares += v * v;
        if value_ns < self.min_ns {
            self.min_ns = value_ns;
        }
        if value_ns > self.max_ns {
            self.max_ns = value_ns;
        }
    }

    /// Counts a value so many times.
    pub fn record_many(&mut self, value_ns: u64, times: u64) {
        let Some(others) = times.checked_sub(1) else {
            return;
        };
        self.record(value_ns);
        let bucket = bucket_of(value_ns);
        self.counts[bucket] = self.counts[bucket].saturating_add(others);
        let more = u128::from(value_ns).saturating_mul(others.into());
        self.sum_ns = self.sum_ns.saturating_add(more);
        self.sum_squares += (value_ns as f64).powi(2) * others as f64;
    }

    /// The first value past the room that there is.
    #[cold]
    #[inline(never)]
    fn count_in_new_room(&mut self, bucket: usize) {
        self.counts.resize(BUCKETS, 0);
        self.counts[bucket] += 1;
    }

    /// Adds all of `other`'s counts.
    pub fn merge(&mut self, other: &Histogram) {
        // Most histograms of an interval are empty, and touching their memory would be most of the work.
        if other.is_empty() {
            return;
        }
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.sum_squares += other.sum_squares;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Back to empty, keeping the memory.
    pub fn clear(&mut self) {
        if self.is_empty() {
            return;
        }
        self.counts.fill(0);
        self.sum_ns = 0;
        self.sum_squares = 0.0;
        self.min_ns = u64::MAX;
        self.max_ns = 0;
    }

    /// Number of values counted.
    pub fn count(&self) -> u64 {
        let add = |sum: u64, count: &u64| sum.saturating_add(*count);
        self.counts.iter().fold(0, add)
    }

    /// True when nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.min_ns == u64::MAX && self.max_ns == 0
    }

    /// Sum of the values, ns; the largest number past 584 years.
    pub fn sum_ns(&self) -> u64 {
        u64::try_from(self.sum_ns).unwrap_or(u64::MAX)
    }

    /// Exact sum of the values, ns.
    pub fn exact_sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// Sum of the squared values, ns^2.
    pub fn sum_squares(&self) -> f64 {
        self.sum_squares
    }

    /// Exact smallest value, ns; `None` when empty.
    pub fn min_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min_ns)
    }

    /// Exact largest value, ns; `None` when empty.
    pub fn max_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max_ns)
    }

    /// Exact mean, ns; `None` when empty.
    pub fn mean_ns(&self) -> Option<f64> {
        let n = self.count();
        (n > 0).then(|| self.sum_ns as f64 / n as f64)
    }

    /// Sample standard deviation, ns (divisor n-1, as Vdbench's); `None` below two values.
    pub fn std_dev_ns(&self) -> Option<f64> {
        let n = self.count() as f64;
        if n < 2.0 {
            return None;
        }
        let sum = self.sum_ns as f64;
        Some(
            ((self.sum_squares - sum * sum / n) / (n - 1.0))
                .max(0.0)
                .sqrt(),
        )
    }

    /// The value at quantile `q` (0..=1): the high edge of the bucket that holds the ceil(q*n)-th value, never above
    /// the exact maximum. `None` when empty. Says nothing of support: see [`Histogram::supported_quantile_ns`].
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        let n = self.count();
        if n == 0 {
            return None;
        }
        let rank = ((q.clamp(0.0, 1.0) * n as f64).ceil() as u64).clamp(1, n);
        let mut seen = 0u64;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen = seen.saturating_add(*count);
            if seen >= rank {
                return Some(bucket_high_ns(bucket).min(self.max_ns).max(self.min_ns));
            }
        }
        Some(self.max_ns)
    }

    /// The quantile, or `None` where fewer than 10 values lie beyond it: the sample cannot support it.
    pub fn supported_quantile_ns(&self, q: f64) -> Option<u64> {
        // The tolerance keeps 1000 * (1 - 0.99) = 10.000000000000009 and its like on the right side.
        let beyond = self.count() as f64 * (1.0 - q);
        (beyond + 1e-6 >= 10.0)
            .then(|| self.quantile_ns(q))
            .flatten()
    }

    /// The non-empty buckets: (low ns, high ns, count), ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, c)| **c > 0)
            .map(|(b, c)| (bucket_low_ns(b), bucket_high_ns(b), *c))
    }

    /// Builds a histogram from stored parts, as a record keeps them. It takes no more memory than its values need.
    pub fn from_parts(
        buckets: impl IntoIterator<Item = (u64, u64)>,
        sum_ns: impl Into<u128>,
        sum_squares: f64,
        min_ns: u64,
        max_ns: u64,
    ) -> Self {
        let mut h = Histogram::empty();
        for (value_ns, count) in buckets {
            let bucket = bucket_of(value_ns);
            if h.counts.len() <= bucket {
                h.counts.resize(bucket + 1, 0);
            }
            h.counts[bucket] = h.counts[bucket].saturating_add(count);
        }
        h.sum_ns = sum_ns.into();
        h.sum_squares = sum_squares;
        h.min_ns = min_ns;
        h.max_ns = max_ns;
        h
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bucket_holds_its_own_edges_and_meets_the_next() {
        for b in 0..BUCKETS {
            assert_eq!(bucket_of(bucket_low_ns(b)), b);
            assert_eq!(bucket_of(bucket_high_ns(b)), b);
            if b + 1 < BUCKETS {
                assert_eq!(bucket_high_ns(b) + 1, bucket_low_ns(b + 1));
            }
            let width = bucket_high_ns(b) - bucket_low_ns(b);
            assert!(width as f64 <= bucket_low_ns(b) as f64 / 128.0);
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        assert_eq!(bucket_high_ns(BUCKETS - 1), MAX_TRACKED_NS);
    }

    #[test]
    fn room_for_more_makes_no_difference() {
        let (mut roomy, mut small) = (Histogram::new(), Histogram::empty());
        assert_eq!(roomy, small);
        assert_eq!(small.quantile_ns(0.5), None);
        for value in [7, 1 << 30, 300] {
            roomy.record(value);
            small.record(value);
            assert_eq!(roomy, small);
        }
        let stored = |h: &Histogram| {
            let buckets = h.buckets().map(|(low, _, count)| (low, count));
            Histogram::from_parts(buckets, h.sum_ns, h.sum_squares, h.min_ns, h.max_ns)
        };
        let mut back = stored(&roomy);
        assert!(back.memory_bytes() < roomy.memory_bytes());
        assert_eq!(back, roomy);
        let mut empty = Histogram::empty();
        empty.merge(&roomy);
        assert_eq!(empty, roomy);
        // Past the largest value that it has room for.
        back.record(1 << 40);
        roomy.record(1 << 40);
        assert_eq!(back, roomy);
        back.record(1);
        assert_ne!(back, roomy);
    }

    #[test]
    fn counts_that_do_not_fit_stay_at_the_largest() {
        let full = Histogram::from_parts([(5, u64::MAX), (900, u64::MAX)], 0_u64, 0.0, 5, 900);
        let mut twice = full.clone();
        twice.merge(&full);
        assert_eq!(twice.count(), u64::MAX);
        assert_eq!(twice.quantile_ns(0.5), Some(5));
        assert_eq!(twice.supported_quantile_ns(0.999), Some(5));
    }

    #[test]
    fn a_mean_is_right_however_long_the_values_add_up_to() {
        // A thousand million I/Os that waited a day each: 2,700 times what 64 bits hold.
        let (day, count) = (86_400_000_000_000, 1_000_000_000);
        let mut h = Histogram::new();
        h.record_many(day, count - 1);
        h.record(day);
        assert_eq!(h.mean_ns(), Some(day as f64));
        assert_eq!(h.exact_sum_ns(), u128::from(day) * u128::from(count));
        assert_eq!((h.sum_ns(), h.count()), (u64::MAX, count));
        assert!(h.std_dev_ns().unwrap() < day as f64 * 1e-6);
        let mut twice = h.clone();
        twice.merge(&h);
        assert_eq!(twice.mean_ns(), Some(day as f64));

        let text = serde_json::to_string(&h).unwrap();
        let back: Histogram = serde_json::from_str(&text).unwrap();
        assert!((back.mean_ns().unwrap() / day as f64 - 1.0).abs() < 1e-12);
        assert_eq!(back.count(), count);
    }

    #[test]
    fn many_of_a_value_are_as_many_times_one() {
        let (mut one_by_one, mut at_once) = (Histogram::new(), Histogram::empty());
        for (value, times) in [(5, 3), (0, 2), (1 << 20, 7), (9, 0)] {
            (0..times).for_each(|_| one_by_one.record(value));
            at_once.record_many(value, times);
        }
        assert_eq!(at_once, one_by_one);
    }

    #[test]
    fn quantiles_are_within_a_bucket_and_unsupported_ones_are_withheld() {
        let mut h = Histogram::new();
        for v in 1..=1000u64 {
            h.record(v * 1000);
        }
        let p50 = h.quantile_ns(0.5).unwrap();
        assert!((500_000..=504_000).contains(&p50), "{p50}");
        assert!(h.supported_quantile_ns(0.99).is_some());
        assert!(h.supported_quantile_ns(0.999).is_none());
        assert_eq!(h.quantile_ns(1.0), Some(1_000_000));
    }
}
