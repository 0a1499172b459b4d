//! Vdbench's `histogram.html`: how many I/Os of a run were in each of its buckets, reads and writes apart.

use crate::format::vdbench::is_format;
use plimsoll_measure::Op;

/// I/Os by their times, shortest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Buckets(Vec<(f64, Option<f64>, u64)>);

impl Buckets {
    /// All I/Os.
    pub fn ios(&self) -> u64 {
        self.0.iter().map(|(_, _, count)| count).sum()
    }

    /// The bucket in which a quantile lies, ns, its end `None` where it has none; `None` where fewer than ten I/Os lie beyond.
    pub fn around(&self, quantile: f64) -> Option<(f64, Option<f64>)> {
        let all = self.ios();
        if (all as f64) * (1.0 - quantile) + 1e-6 < 10.0 {
            return None;
        }
        let rank = (quantile * all as f64).ceil() as u64;
        let mut seen = 0;
        let at = self.0.iter().find(|(_, _, count)| {
            seen += count;
            seen >= rank
        });
        at.map(|(from, to, _)| (*from, *to))
    }
}

/// The buckets of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OfRun {
    reads: Buckets,
    writes: Buckets,
}

impl OfRun {
    /// Buckets of an operation.
    pub fn of(&self, op: Op) -> &Buckets {
        match op {
            Op::Write => &self.writes,
            _ => &self.reads,
        }
    }
}

/// The runs of a page, in their order, without the one that makes files: it is no measurement.
pub fn read(text: &str) -> Vec<OfRun> {
    let mut runs: Vec<OfRun> = Vec::new();
    // Whose lines follow; those of both together say nothing more.
    let mut op = None;
    let mut makes_files = false;
    for line in text.lines() {
        if let Some((_, run)) = line.split_once(" Starting RD=") {
            makes_files = is_format(run);
            if !makes_files {
                runs.push(OfRun::default());
            }
            op = None;
        } else if makes_files {
            continue;
        } else if line.trim_end().ends_with(':') {
            op = match line.trim().to_ascii_lowercase().as_str() {
                "reads:" | "only reads done for this workload:" => Some(Op::Read),
                "writes:" | "only writes done for this workload:" => Some(Op::Write),
                _ => None,
            };
        } else if let (Some(op), Some(run), Some(bucket)) = (op, runs.last_mut(), bucket(line)) {
            match op {
                Op::Write => run.writes.0.push(bucket),
                _ => run.reads.0.push(bucket),
            }
        }
    }
    runs
}

/// `0.080 <  0.100  48,940  28.8077  71.7109  +++`, in milliseconds.
fn bucket(line: &str) -> Option<(f64, Option<f64>, u64)> {
    let (from, rest) = line.split_once('<')?;
    let mut words = rest.split_whitespace();
    let to = words.next()?;
    let count: String = words.next()?.chars().filter(|c| *c != ',').collect();
    let ns = |ms: &str| ms.trim().parse::<f64>().ok().map(|ms| ms * 1e6);
    let to = match to {
        "max" => None,
        ms => Some(ns(ms)?),
    };
    Some((ns(from)?, to, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<a></a>06:00 Starting RD=a; I/O rate: 5\n\nReads and writes:\n  min(ms) <     max(ms)         count\n
    0.000 <       0.020         9,999   1  1\n\nReads:\n
    0.000 <       0.020            90   1  1\n    0.020 <       0.040         1,910   1  1  +++\n 2000.000 <         max             0   1  1\n
Writes:\n    0.000 <       0.020             7   1  1\n
<a></a>06:01 Starting RD=b; I/O rate: 5\n\nNo statistics generated for this run.\n
<a></a>06:01 Starting RD=c; I/O rate: 5\n\nOnly writes done for this workload:\n    0.400 <         max            40   1  1\n";

    #[test]
    fn each_runs_reads_and_writes_are_apart() {
        let runs = read(PAGE);
        let ios = |at: usize, op| runs[at].of(op).ios();
        assert_eq!(runs.len(), 3);
        assert_eq!((ios(0, Op::Read), ios(0, Op::Write)), (2000, 7));
        assert_eq!((ios(1, Op::Read), ios(1, Op::Write)), (0, 0));
        assert_eq!((ios(2, Op::Read), ios(2, Op::Write)), (0, 40));
    }

    #[test]
    fn a_quantile_lies_in_a_bucket_and_only_where_ten_lie_beyond() {
        let runs = read(PAGE);
        let reads = runs[0].of(Op::Read);
        // The 90 fastest of 2000 are 4.5 %.
        assert_eq!(reads.around(0.04), Some((0.0, Some(20_000.0))));
        assert_eq!(reads.around(0.5), Some((20_000.0, Some(40_000.0))));
        assert_eq!(reads.around(0.999), None);
        assert_eq!(
            runs[2].of(Op::Write).around(0.5),
            Some((400_000.0, None)),
            "the last bucket has no end"
        );
        assert_eq!(runs[1].of(Op::Read).around(0.5), None);
    }
}
