//! Vdbench's numbers, from its output folder.

use super::histogram::{self, OfRun};
use super::{Numbers, Part, QUANTILES, Told};
use crate::format::vdbench::is_format;
use crate::model::{ForeignResult, Row, Run, Side};
use plimsoll_measure::Op;

/// Parts of a run of Vdbench, run by run; fills are left out, as ours are.
///
/// `histogram` is the text of its `histogram.html`, which alone says how many reads and writes there were, and how their times are spread.
///
/// # Errors
/// Why there are no numbers in it.
pub fn of_vdbench(result: &ForeignResult, histogram: &str) -> Result<Vec<Part>, String> {
    let buckets = histogram::read(histogram);
    // Both have all runs in the same order; else nobody knows whose buckets these are.
    let alike = buckets.len() == result.runs.len();
    let mut parts = Vec::new();
    for (at, run) in result.runs.iter().enumerate() {
        if is_format(&run.name) {
            continue;
        }
        let whole = run.whole().ok_or_else(|| {
            format!(
                "Vdbench's run {} ended without an average: it was cut off",
                run.name
            )
        })?;
        let of_run = buckets.get(at).filter(|_| alike).cloned();
        parts.push(part(run, whole, &of_run.unwrap_or_default()));
    }
    match parts.is_empty() {
        true => Err("Vdbench's output has no run but fills".to_string()),
        false => Ok(parts),
    }
}

/// The largest share of the host's CPUs that was busy in one of its runs, as Vdbench saw it.
pub fn busy_cpus(result: &ForeignResult) -> Option<f64> {
    let runs = result.runs.iter().filter(|run| !is_format(&run.name));
    let busy = runs.filter_map(|run| Some(run.whole()?.cpu?.busy));
    busy.reduce(f64::max)
}

fn part(run: &Run, whole: &Row, buckets: &OfRun) -> Part {
    let sides = [(Op::Read, &whole.reads), (Op::Write, &whole.writes)];
    let does = |side: &Side| side.iops.is_some_and(|rate| rate.0 > 0.0);
    let alone = sides.iter().filter(|(_, side)| does(side)).count() == 1;
    let ops = sides
        .into_iter()
        .filter(|(_, side)| does(side))
        .map(|(op, side)| numbers(op, side, run, whole, buckets, alone));
    Part {
        name: run.name.clone(),
        ops: ops.collect(),
    }
}

fn numbers(op: Op, side: &Side, run: &Run, whole: &Row, buckets: &OfRun, alone: bool) -> Numbers {
    let buckets = buckets.of(op);
    let seconds = run.counted_s().filter(|s| *s > 0.0);
    let reported = side.iops.map_or(0.0, |rate| rate.0);
    // Rates are of whole seconds; the share of reads has few digits, so that counts are better where they are known.
    let (ios, iops) = match (buckets.ios(), seconds) {
        (0, seconds) => ((reported * seconds.unwrap_or(0.0)).round() as u64, reported),
        (counted, Some(seconds)) => (counted, counted as f64 / seconds),
        (counted, None) => (counted, reported),
    };
    let mean = side.latency.mean.or(whole.all.latency.mean);
    Numbers {
        op,
        ios,
        iops: Some(iops),
        bandwidth: match alone {
            true => whole.bandwidth.map(|bytes| bytes.0 as f64),
            false => block(run, whole).map(|bytes| iops * bytes),
        },
        mean_ns: mean.map_or(0.0, |mean| mean.0 as f64),
        quantiles_ns: QUANTILES.map(|q| buckets.around(q).map(|(from, to)| Told { from, to })),
        response_ns: None,
    }
}

/// The size of all transfers, where there is one: Vdbench tells the bandwidth of reads and writes together only. The size that it says
/// is asked for is that of one of several, too, so that it has to agree with what was moved.
fn block(run: &Run, whole: &Row) -> Option<f64> {
    let (least, most) = run.asked.block?;
    let moved = whole.bandwidth?.0 as f64 / whole.iops().filter(|rate| *rate > 0.0)?;
    let size = most.0 as f64;
    (least == most && (moved - size).abs() <= size * 1e-3).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use crate::read::read_folder;

    const FLAT: &str = "* a comment\n\
        tod timestamp Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp resp_max read_max write_max resp_std \
        read_std write_std xfersize threads rdpct rhpct whpct seekpct lunsize version compratio dedupratio queue_depth cpu_used \
        cpu_user cpu_kernel cpu_wait cpu_idle\n\
        06:00:08.1 d SD_format 1 9999988 2048 256 131072 0 0.28 0 0.28 13 0 13 0.4 0 0.4 131072 2 0 0 0 n/a 0.25 n/a 1 n/a 0.5 13.3 8.3 5 0 0\n\
        06:00:08.2 d SD_format avg_2-1 9999988 0 0 0 0 0 0 0 0 0 0 0 0 0 131072 2 0 0 0 n/a 0.25 n/a 1 n/a 0 NaN NaN NaN NaN NaN\n\
        06:00:10.0 d run1 1 9999988 90 0.3 4096 75 0.1 0.1 0.1 4 4 3 0.08 0.08 0.09 4096 4 70 0 0 100 0.25 n/a 1 n/a 3 90 8 12 0 0\n\
        06:00:11.0 d run1 2 9999988 100 0.390625 4096 75 0.1 0.1 0.2 3 3 1 0.07 0.08 0.06 4096 4 70 0 0 100 0.25 n/a 1 n/a 3.9 27.8 8 19 0 0\n\
        06:00:11.1 d run1 avg_2-2 9999988 100 0.390625 4096 75 0.125 0.1 0.2 3 3 1 0.07 0.08 0.06 4096 4 70 0 0 100 0.25 n/a 1 n/a 3.9 27.8 8 19 0 0\n";

    const HISTOGRAM: &str = "06:00 Starting RD=SD_format; I/O rate: x\nNo statistics generated for this run.\n\
        06:00 Starting RD=run1; I/O rate: x\nReads:\n 0.080 < 0.100 60 1 1\n 0.100 < 0.200 16 1 1\nWrites:\n 0.100 < 0.200 24 1 1\n";

    fn result(flat: &str) -> ForeignResult {
        let input = Input {
            name: "out/flatfile.html".to_string(),
            bytes: flat.as_bytes().to_vec(),
        };
        read_folder(&[input]).0.remove(0)
    }

    #[test]
    fn fills_are_left_out_and_counts_come_from_the_histogram() {
        let parts = of_vdbench(&result(FLAT), HISTOGRAM).expect("numbers");
        let [part] = &parts[..] else {
            panic!("{parts:?}")
        };
        assert_eq!(part.name, "run1");
        let [reads, writes] = &part.ops[..] else {
            panic!("{parts:?}")
        };
        // 76 and 24, and not 75 and 25 as the share of the flat file has it.
        assert_eq!((reads.ios, writes.ios), (76, 24));
        assert_eq!(
            (reads.iops, reads.bandwidth),
            (Some(76.0), Some(76.0 * 4096.0))
        );
        assert_eq!((reads.mean_ns, writes.mean_ns), (100_000.0, 200_000.0));
        let p50 = reads.quantiles_ns[0].expect("76 are enough");
        assert_eq!((p50.from, p50.to), (80_000.0, Some(100_000.0)));
        assert_eq!(reads.quantiles_ns[2], None);
        assert_eq!(busy_cpus(&result(FLAT)), Some(0.278));
    }

    #[test]
    fn without_a_histogram_counts_are_those_of_rate_and_share() {
        let parts = of_vdbench(&result(FLAT), "").expect("numbers");
        assert_eq!((parts[0].ops[0].ios, parts[0].ops[1].ios), (75, 25));
        assert_eq!(parts[0].ops[0].quantiles_ns, [None; 3]);
    }

    #[test]
    fn bandwidth_of_a_side_is_not_known_where_sizes_differ() {
        // 6154 bytes each, though one of the sizes is told as that which was asked for.
        let mixed = FLAT.replace("0.390625 4096", "0.586914 6154");
        let parts = of_vdbench(&result(&mixed), HISTOGRAM).expect("numbers");
        assert_eq!(parts[0].ops[0].bandwidth, None);
    }

    #[test]
    fn what_was_cut_off_is_said() {
        let cut: Vec<&str> = FLAT.lines().filter(|l| !l.contains("avg_2-2")).collect();
        let error = of_vdbench(&result(&cut.join("\n")), HISTOGRAM).expect_err("no average");
        assert!(error.contains("run1"), "{error}");
    }
}
