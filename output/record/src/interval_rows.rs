//! One interval as rows of `intervals`, `interval_streams`, `interval_ops`, `interval_arrays`, `samples` and `histograms`.

use crate::array_rows;
use crate::error::damaged;
use crate::histogram_rows::{self as histograms, LATENESS, Owner, RESPONSE, SERVICE};
use crate::numbers::{count, int, mean_us, per_second, quantile_us, us_of};
use crate::reading::{Ascending, Room};
use crate::row::{IntervalPlace, insert};
use plimsoll_evidence::{CpuInterval, Interval, Phase, Witnessed};
use plimsoll_measure::{
    Demand, HEAT_COLUMNS, Histogram, IntervalStats, Op, OpStats, Sample, StreamStats,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

/// More streams than any step has: each takes memory before anything of it is known.
const MOST_STREAMS: u32 = 1 << 16;

/// More samples than any interval has: a day of them.
const MOST_SAMPLES: usize = 1 << 20;

/// Columns of the finest heat map that is read.
const MOST_COLUMNS: usize = 16 * HEAT_COLUMNS;

/// Writes everything of one interval; the caller holds the transaction.
pub(crate) fn write(db: &Connection, interval: &Interval) -> rusqlite::Result<()> {
    write_totals(db, interval)?;
    for (index, stream) in interval.stats.streams.iter().enumerate() {
        write_stream(db, interval, index as u32 + 1, stream)?;
    }
    for (index, sample) in interval.stats.samples.iter().enumerate() {
        insert(
            db,
            "samples",
            &[
                ("step", &interval.step),
                ("host", &interval.host),
                ("interval", &interval.number),
                ("sample", &(index as u32 + 1)),
                ("ios", &int(sample.ios)),
                ("bytes", &int(sample.bytes)),
                ("timed", &int(sample.timed)),
                ("response_sum_ns", &int(sample.response_sum_ns)),
                ("service_sum_ns", &int(sample.service_sum_ns)),
            ],
        )?;
    }
    array_rows::write_interval(db, place_of(interval), &interval.arrays)?;
    histograms::write(
        db,
        lateness_of(place_of(interval)),
        &interval.stats.lateness,
    )
}

fn write_totals(db: &Connection, interval: &Interval) -> rusqlite::Result<()> {
    let stats = &interval.stats;
    let mut response = Histogram::new();
    let mut service = Histogram::new();
    for op in stats.ops() {
        response.merge(&op.response);
        service.merge(&op.service);
    }
    let length = interval.length_ns;
    let cpu = interval.cpu.as_ref();
    let workers = cpu.map(|c| serde_json::json!(c.workers).to_string());
    insert(
        db,
        "intervals",
        &[
            ("step", &interval.step),
            ("host", &interval.host),
            ("interval", &interval.number),
            ("start_ns", &int(interval.start_ns)),
            ("length_ns", &int(length)),
            ("warmup", &(interval.phase == Phase::WarmUp)),
            ("drain", &(interval.phase == Phase::Drain)),
            ("ios", &int(stats.ios())),
            ("bytes", &int(stats.bytes())),
            ("errors", &int(stats.errors())),
            ("iops", &per_second(stats.ios(), length)),
            ("bytes_per_s", &per_second(stats.bytes(), length)),
            ("response_mean_us", &mean_us(&response)),
            ("response_p50_us", &quantile_us(&response, 0.5)),
            ("response_p99_us", &quantile_us(&response, 0.99)),
            ("response_max_us", &us_of(response.max_ns())),
            ("service_mean_us", &mean_us(&service)),
            ("service_p50_us", &quantile_us(&service, 0.5)),
            ("service_p99_us", &quantile_us(&service, 0.99)),
            ("service_max_us", &us_of(service.max_ns())),
            (
                "depth_mean",
                &(length > 0).then(|| stats.depth_integral_ns as f64 / length as f64),
            ),
            ("depth_max", &int(stats.depth_max)),
            ("depth_integral_ns", &int(stats.depth_integral_ns)),
            ("backlog_end", &int(stats.backlog_end)),
            ("backlog_integral_ns", &int(stats.backlog_integral_ns)),
            ("worker_cpu_ns", &int(stats.worker_cpu_ns)),
            ("cpu_user", &cpu.map(|c| c.user)),
            ("cpu_system", &cpu.map(|c| c.system)),
            ("cpu_iowait", &cpu.map(|c| c.iowait)),
            ("cpu_steal", &cpu.map(|c| c.steal)),
            ("cpu_process_ns", &cpu.map(|c| int(c.process_ns))),
            ("cpu_io_wq_ns", &cpu.map(|c| int(c.io_wq_ns))),
            ("cpu_workers", &workers),
            ("witnessed", &witnessed_text(interval)),
        ],
    )
}

fn write_stream(
    db: &Connection,
    interval: &Interval,
    number: u32,
    stream: &StreamStats,
) -> rusqlite::Result<()> {
    insert(
        db,
        "interval_streams",
        &[
            ("step", &interval.step),
            ("host", &interval.host),
            ("interval", &interval.number),
            ("stream", &number),
            ("due", &int(stream.due)),
            ("late_for_slot", &int(stream.late_for_slot)),
            ("late_by_host", &int(stream.late_by_host)),
            ("demand", &demand_blob(&stream.demand)),
            ("done", &done_blob(&stream.demand)),
            ("heat", &heat_blob(&stream.heat)),
        ],
    )?;
    stream
        .by_op()
        .try_for_each(|(op, stats)| write_op(db, interval, (number, op), stats))
}

/// Writes what an operation of a stream counted.
fn write_op(
    db: &Connection,
    interval: &Interval,
    (stream, op): (u32, Op),
    stats: &OpStats,
) -> rusqlite::Result<()> {
    if *stats == OpStats::default() {
        return Ok(());
    }
    insert(
        db,
        "interval_ops",
        &[
            ("step", &interval.step),
            ("host", &interval.host),
            ("interval", &interval.number),
            ("stream", &stream),
            ("op", &op.name()),
            ("ios", &int(stats.ios)),
            ("bytes", &int(stats.bytes)),
            ("errors", &int(stats.errors)),
            ("response_mean_us", &mean_us(&stats.response)),
            ("response_p99_us", &quantile_us(&stats.response, 0.99)),
            ("response_max_us", &us_of(stats.response.max_ns())),
            ("service_mean_us", &mean_us(&stats.service)),
            ("service_p99_us", &quantile_us(&stats.service, 0.99)),
            ("service_max_us", &us_of(stats.service.max_ns())),
        ],
    )?;
    let owner = |quantity| Owner {
        place: place_of(interval),
        stream,
        op: op.name(),
        quantity,
    };
    histograms::write(db, owner(RESPONSE), &stats.response)?;
    histograms::write(db, owner(SERVICE), &stats.service)
}

fn place_of(interval: &Interval) -> IntervalPlace {
    IntervalPlace {
        step: interval.step,
        host: interval.host,
        interval: interval.number,
    }
}

/// Reads the intervals of a step on a host in order, each whole, and hands them over one by one. `room` is what each may
/// take.
pub(crate) fn read_each(
    db: &Connection,
    (step, host): (u32, u32),
    room: impl Fn() -> Room,
    mut each: impl FnMut(Interval),
) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "SELECT interval, start_ns, length_ns, warmup, depth_integral_ns, depth_max, backlog_integral_ns,
                backlog_end, worker_cpu_ns, cpu_user, cpu_system, cpu_iowait, cpu_steal, cpu_process_ns,
                cpu_io_wq_ns, cpu_workers, drain, witnessed
         FROM intervals WHERE step=? AND host=? ORDER BY interval",
    )?;
    let mut rows = statement.query([step, host])?;
    let mut order = Ascending::of("intervals");
    while let Some(row) = rows.next()? {
        let number = row.get(0)?;
        order.next(number)?;
        let place = IntervalPlace {
            step,
            host,
            interval: number,
        };
        let room = &mut room();
        let streams = read_streams(db, place, room)?;
        each(Interval {
            step,
            host,
            number,
            start_ns: count(row.get(1)?),
            length_ns: count(row.get(2)?),
            phase: phase(row.get(3)?, row.get(16)?),
            stats: IntervalStats {
                streams,
                depth_integral_ns: count(row.get(4)?),
                depth_max: count(row.get(5)?),
                backlog_integral_ns: count(row.get(6)?),
                backlog_end: count(row.get(7)?),
                lateness: histograms::read(db, lateness_of(place), room)?,
                worker_cpu_ns: count(row.get(8)?),
                samples: read_samples(db, place)?,
            },
            cpu: read_cpu(row)?,
            arrays: array_rows::read_interval(db, place)?,
            witnessed: read_witnessed(row.get(17)?)?,
        });
    }
    Ok(())
}

/// Phase of an interval, by its two columns.
pub(crate) fn phase(warmup: bool, drain: bool) -> Phase {
    match (warmup, drain) {
        (true, _) => Phase::WarmUp,
        (false, true) => Phase::Drain,
        (false, false) => Phase::Counted,
    }
}

fn read_cpu(row: &Row) -> rusqlite::Result<Option<CpuInterval>> {
    let Some(process) = row.get::<_, Option<i64>>(13)? else {
        return Ok(None);
    };
    let workers: String = row.get(15)?;
    // A share that was no number was stored as NULL.
    let share =
        |column| Ok::<f64, rusqlite::Error>(row.get::<_, Option<f64>>(column)?.unwrap_or(f64::NAN));
    Ok(Some(CpuInterval {
        user: share(9)?,
        system: share(10)?,
        iowait: share(11)?,
        steal: share(12)?,
        process_ns: count(process),
        io_wq_ns: count(row.get(14)?),
        workers: serde_json::from_str(&workers)
            .map_err(|e| damaged(format!("the workers' CPU time of an interval: {e}")))?,
    }))
}

fn witnessed_text(interval: &Interval) -> Option<String> {
    serde_json::to_string(interval.witnessed.as_deref()?).ok()
}

fn read_witnessed(text: Option<String>) -> rusqlite::Result<Option<Box<Witnessed>>> {
    let read = |text: String| {
        serde_json::from_str(&text)
            .map_err(|e| damaged(format!("what was witnessed in an interval: {e}")))
    };
    text.map(read).transpose()
}

fn read_streams(
    db: &Connection,
    place: IntervalPlace,
    room: &mut Room,
) -> rusqlite::Result<Vec<StreamStats>> {
    let mut statement = db.prepare_cached(
        "SELECT stream, due, late_for_slot, heat, late_by_host, demand, done
         FROM interval_streams
         WHERE step=? AND host=? AND interval=? ORDER BY stream",
    )?;
    let IntervalPlace {
        step,
        host,
        interval,
    } = place;
    let mut rows = statement.query([step, host, interval])?;
    let mut streams = Vec::new();
    while let Some(row) = rows.next()? {
        let number = streams.len() as u32 + 1;
        let found: u32 = row.get(0)?;
        if found != number || number > MOST_STREAMS {
            return Err(damaged(format!(
                "interval {interval} of step {step} has a stream {found} where stream {number} belongs"
            )));
        }
        let mut stream = read_ops(db, place, number, room)?;
        stream = StreamStats {
            due: count(row.get(1)?),
            late_for_slot: count(row.get(2)?),
            late_by_host: count(row.get(4)?),
            demand: demand_of(row.get_ref(5)?, row.get_ref(6)?)?,
            heat: heat_of(row.get_ref(3)?)?,
            ..stream
        };
        streams.push(stream);
    }
    Ok(streams)
}

fn read_ops(
    db: &Connection,
    place: IntervalPlace,
    stream: u32,
    room: &mut Room,
) -> rusqlite::Result<StreamStats> {
    let mut statement = db.prepare_cached(
        "SELECT op, ios, bytes, errors FROM interval_ops
         WHERE step=? AND host=? AND interval=? AND stream=? ORDER BY op",
    )?;
    let mut rows = statement.query([place.step, place.host, place.interval, stream])?;
    let mut order = Ascending::of("interval_ops");
    let mut read = StreamStats {
        ops: std::array::from_fn(|_| OpStats::nothing()),
        ..StreamStats::default()
    };
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let op = Op::of_name(&name);
        order.next(name)?;
        let Some(op) = op else {
            continue;
        };
        let stats = op_of(db, (place, stream, op), row, room)?;
        match op {
            Op::Sync => read.syncs = Some(Box::new(stats)),
            op => *read.of(op) = stats,
        }
    }
    Ok(read)
}

/// A row of `interval_ops` with its histograms.
fn op_of(
    db: &Connection,
    (place, stream, op): (IntervalPlace, u32, Op),
    row: &Row,
    room: &mut Room,
) -> rusqlite::Result<OpStats> {
    let owner = |quantity| Owner {
        place,
        stream,
        op: op.name(),
        quantity,
    };
    Ok(OpStats {
        ios: count(row.get(1)?),
        bytes: count(row.get(2)?),
        errors: count(row.get(3)?),
        response: histograms::read(db, owner(RESPONSE), room)?,
        service: histograms::read(db, owner(SERVICE), room)?,
    })
}

fn read_samples(db: &Connection, place: IntervalPlace) -> rusqlite::Result<Vec<Sample>> {
    let mut statement = db.prepare_cached(
        "SELECT sample, ios, bytes, timed, response_sum_ns, service_sum_ns FROM samples
         WHERE step=? AND host=? AND interval=? ORDER BY sample",
    )?;
    let mut order = Ascending::of("samples");
    statement
        .query_map([place.step, place.host, place.interval], |row| {
            order.next(row.get::<_, u32>(0)?)?;
            Ok(Sample {
                ios: count(row.get(1)?),
                bytes: count(row.get(2)?),
                timed: count(row.get(3)?),
                response_sum_ns: count(row.get(4)?),
                service_sum_ns: count(row.get(5)?),
            })
        })?
        .collect()
}

fn lateness_of(place: IntervalPlace) -> Owner<'static> {
    Owner {
        place,
        stream: 0,
        op: histograms::ALL_OPS,
        quantity: LATENESS,
    }
}

/// Little-endian 32-bit counts; `None` for the common map without any access.
fn heat_blob(heat: &[u32]) -> Option<Vec<u8>> {
    let untouched = heat.len() == HEAT_COLUMNS && heat.iter().all(|count| *count == 0);
    (!untouched).then(|| heat.iter().flat_map(|count| count.to_le_bytes()).collect())
}

/// Little-endian 64-bit counts, four a sample; `None` in a closed loop.
fn demand_blob(demand: &[Demand]) -> Option<Vec<u8>> {
    let words = |d: &Demand| [d.due, d.late_for_slot, d.late_by_host, d.backlog_end];
    let bytes = demand.iter().flat_map(words).flat_map(u64::to_le_bytes);
    (!demand.is_empty()).then(|| bytes.collect())
}

/// Little-endian 64-bit counts, one a sample; `None` in a closed loop.
fn done_blob(demand: &[Demand]) -> Option<Vec<u8>> {
    let bytes = demand.iter().flat_map(|d| d.done.to_le_bytes());
    (!demand.is_empty()).then(|| bytes.collect())
}

fn demand_of(demand: ValueRef, done: ValueRef) -> rusqlite::Result<Vec<Demand>> {
    let bytes = demand.as_blob_or_null()?.unwrap_or_default();
    // Before anything is made of it.
    let (samples, rest) = bytes.as_chunks::<32>();
    if !rest.is_empty() || samples.len() > MOST_SAMPLES {
        return Err(damaged(format!(
            "what a stream asked for has {} bytes in it; each sample's are 32",
            bytes.len()
        )));
    }
    let done = done.as_blob_or_null()?.unwrap_or_default();
    let (each_done, rest) = done.as_chunks::<8>();
    if each_done.len() != samples.len() || !rest.is_empty() {
        return Err(damaged(format!(
            "a stream asked for something in {} samples and did something in {}",
            samples.len(),
            each_done.len()
        )));
    }
    let demand = |(sample, done): (&[u8; 32], &[u8; 8])| {
        let (words, _) = sample.as_chunks();
        Demand {
            done: u64::from_le_bytes(*done),
            due: u64::from_le_bytes(words[0]),
            late_for_slot: u64::from_le_bytes(words[1]),
            late_by_host: u64::from_le_bytes(words[2]),
            backlog_end: u64::from_le_bytes(words[3]),
        }
    };
    Ok(samples.iter().zip(each_done).map(demand).collect())
}

fn heat_of(cell: ValueRef) -> rusqlite::Result<Vec<u32>> {
    let Some(bytes) = cell.as_blob_or_null()? else {
        return Ok(vec![0; HEAT_COLUMNS]);
    };
    // Before anything is made of it.
    match bytes.as_chunks() {
        (words, []) if words.len() <= MOST_COLUMNS => {
            Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
        }
        _ => Err(damaged(format!(
            "a heat map in it has {} bytes; a record's have {}",
            bytes.len(),
            HEAT_COLUMNS * 4
        ))),
    }
}
