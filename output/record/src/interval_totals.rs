//! Totals of intervals by their columns alone, without histograms: what is asked for while a run goes on.

use crate::interval_rows;
use crate::numbers::count;
use crate::reading::Ascending;
use plimsoll_evidence::Phase;
use plimsoll_measure::Op;
use rusqlite::Connection;

/// One interval of a step, all streams together. Times are response times, µs; a percentile is missing where the interval has too few I/Os
/// for it.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalTotals {
    /// Number in its step, from 1.
    pub number: u32,
    /// Start, ns from the step's.
    pub start_ns: u64,
    /// Length, ns.
    pub length_ns: u64,
    /// Phase that it is in.
    pub phase: Phase,
    /// I/Os that were completed.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Mean response time.
    pub mean_us: Option<f64>,
    /// Median response time.
    pub p50_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// Longest response time.
    pub max_us: Option<f64>,
    /// Mean depth.
    pub depth: Option<f64>,
    /// I/Os that were due and waited for a slot at its end.
    pub backlog: u64,
    /// Share of the host's CPUs that was busy, 0..=1; `None` where nobody looked.
    pub cpu_busy: Option<f64>,
    /// CPU time of Plimsoll itself with its kernel workers, ns.
    pub own_cpu_ns: Option<u64>,
}

/// One operation of one stream in an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct OpTotals {
    /// Number of the interval.
    pub interval: u32,
    /// Number of the stream, from 1.
    pub stream: u32,
    /// True where it counts as an I/O.
    pub counts: bool,
    /// I/Os that were completed.
    pub ios: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Mean response time, µs.
    pub mean_us: Option<f64>,
    /// Longest response time, µs.
    pub max_us: Option<f64>,
}

/// Reads the intervals behind `after` of a step on a host, in order.
pub(crate) fn read_each(
    db: &Connection,
    (step, host): (u32, u32),
    after: u32,
    mut each: impl FnMut(IntervalTotals),
) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "SELECT interval, start_ns, length_ns, warmup, drain, ios, bytes, errors, response_mean_us, response_p50_us,
                response_p99_us, response_max_us, depth_mean, backlog_end, cpu_user, cpu_system, cpu_process_ns
         FROM intervals WHERE step=? AND host=? AND interval>? ORDER BY interval",
    )?;
    let mut rows = statement.query([step, host, after])?;
    let mut order = Ascending::of("intervals");
    while let Some(row) = rows.next()? {
        let number = row.get(0)?;
        order.next(number)?;
        let (user, system): (Option<f64>, Option<f64>) = (row.get(14)?, row.get(15)?);
        each(IntervalTotals {
            number,
            start_ns: count(row.get(1)?),
            length_ns: count(row.get(2)?),
            phase: interval_rows::phase(row.get(3)?, row.get(4)?),
            ios: count(row.get(5)?),
            bytes: count(row.get(6)?),
            errors: count(row.get(7)?),
            mean_us: row.get(8)?,
            p50_us: row.get(9)?,
            p99_us: row.get(10)?,
            max_us: row.get(11)?,
            depth: row.get(12)?,
            backlog: count(row.get(13)?),
            cpu_busy: user.zip(system).map(|(user, system)| user + system),
            own_cpu_ns: row.get::<_, Option<i64>>(16)?.map(count),
        });
    }
    Ok(())
}

/// Reads what the streams of a step did in the intervals behind `after`, all hosts together: interval by interval, then by stream.
pub(crate) fn read_each_op(
    db: &Connection,
    step: u32,
    after: u32,
    mut each: impl FnMut(OpTotals),
) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "SELECT interval, stream, op, ios, bytes, errors, response_mean_us, response_max_us
         FROM interval_ops WHERE step=? AND host=0 AND interval>? ORDER BY interval, stream, op",
    )?;
    let mut rows = statement.query([step, after])?;
    let mut order = Ascending::of("interval_ops");
    while let Some(row) = rows.next()? {
        let (interval, stream, op): (u32, u32, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let counts = Op::of_name(&op).is_some_and(Op::is_io);
        order.next((interval, stream, op))?;
        each(OpTotals {
            interval,
            stream,
            counts,
            ios: count(row.get(3)?),
            bytes: count(row.get(4)?),
            errors: count(row.get(5)?),
            mean_us: row.get(6)?,
            max_us: row.get(7)?,
        });
    }
    Ok(())
}
