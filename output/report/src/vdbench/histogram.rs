//! Vdbench's histogram of service times.

use plimsoll_measure::Histogram;

/// Vdbench's own edges, us: each bucket holds from its edge below (0 for the first) up to its edge; a last one has the
/// rest.
pub const DEFAULT_EDGES_US: [u64; 26] = [
    20, 40, 60, 80, 100, 200, 400, 600, 800, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000, 20_000,
    40_000, 60_000, 80_000, 100_000, 200_000, 400_000, 600_000, 800_000, 1_000_000, 2_000_000,
];

/// One character of the bars, percent.
const PERCENT_PER_MARK: f64 = 2.0;

/// The block of one histogram under `title`; nothing where it is empty.
///
/// A value is counted by the bucket of ours that it's in, so one that lies within 0.78 % of an edge may be counted on
/// the edge's other side.
pub(super) fn block(title: &str, histogram: &Histogram, edges_us: &[u64]) -> Vec<String> {
    let counts = counts(histogram, edges_us);
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return Vec::new();
    }
    let mut lines = vec![
        format!("{title}:"),
        format!(
            " {:>8} <  {:>10}   {:>11} {:>8} {:>8}  '+': Individual%; '+-': Cumulative%",
            "min(ms)", "max(ms)", "count", "%%", "cum%%"
        ),
        String::new(),
    ];
    let mut cumulative = 0;
    for (i, count) in counts.iter().enumerate() {
        cumulative += count;
        let percent = |n: u64| 100.0 * n as f64 / total as f64;
        let low = if i == 0 { 0 } else { edges_us[i - 1] };
        let high = edges_us
            .get(i)
            .map_or_else(|| "max".into(), |edge| milliseconds(*edge));
        let line = format!(
            " {:>8} <  {high:>10}   {count:>11} {:>8.4} {:>8.4}  {}",
            milliseconds(low),
            percent(*count),
            percent(cumulative),
            bar(percent(*count), percent(cumulative)),
        );
        lines.push(line.trim_end().to_owned());
    }
    lines.push(String::new());
    lines
}

fn counts(histogram: &Histogram, edges_us: &[u64]) -> Vec<u64> {
    let mut counts = vec![0; edges_us.len() + 1];
    for (low_ns, _, count) in histogram.buckets() {
        let bucket = edges_us.partition_point(|edge| edge.saturating_mul(1000) <= low_ns);
        counts[bucket] += count;
    }
    counts
}

fn milliseconds(us: u64) -> String {
    format!("{:.3}", us as f64 / 1e3)
}

fn bar(individual: f64, cumulative: f64) -> String {
    let marks = |percent: f64| (percent / PERCENT_PER_MARK) as usize;
    let plus = marks(individual);
    format!(
        "{}{}",
        "+".repeat(plus),
        "-".repeat(marks(cumulative).saturating_sub(plus))
    )
}

/// The blocks of a part: of all, of reads and of writes; only one where there is only one kind.
pub(super) fn blocks(reads: &Histogram, writes: &Histogram, edges_us: &[u64]) -> Vec<String> {
    match (reads.count(), writes.count()) {
        (0, 0) => vec!["No statistics generated for this run.".to_owned()],
        (_, 0) => block("Only reads done for this workload", reads, edges_us),
        (0, _) => block("Only writes done for this workload", writes, edges_us),
        _ => {
            let mut all = reads.clone();
            all.merge(writes);
            let mut lines = block("Reads and writes", &all, edges_us);
            lines.extend(block("Reads", reads, edges_us));
            lines.extend(block("Writes", writes, edges_us));
            lines
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_one_bucket_and_an_edge_belongs_to_the_bucket_above() {
        let mut h = Histogram::new();
        for us in [0, 19, 20, 39, 40, 5_000_000] {
            h.record(us * 1000 + 500);
        }
        let counts = counts(&h, &DEFAULT_EDGES_US);
        assert_eq!(counts[..3], [2, 2, 1]);
        assert_eq!(counts.last(), Some(&1));
        assert_eq!(counts.iter().sum::<u64>(), 6);
    }

    #[test]
    fn an_empty_histogram_has_no_block() {
        assert!(block("Reads", &Histogram::new(), &DEFAULT_EDGES_US).is_empty());
    }
}
