//! What arrays told of themselves as rows of `step_arrays`, the `step_array_*` tables and `interval_arrays`.

use crate::numbers::{int, us};
use crate::reading::Ascending;
use crate::row::{IntervalPlace, insert};
use plimsoll_evidence::{ArrayEvidence, ArrayInterval, Bucket, Requests};
use rusqlite::Connection;

/// Writes the arrays of a step.
pub(crate) fn write(db: &Connection, step: u32, arrays: &[ArrayEvidence]) -> rusqlite::Result<()> {
    for (number, array) in (1..).zip(arrays) {
        write_totals(db, (step, number), array)?;
        write_chunks(db, (step, number), "read", &array.read_source)?;
        write_chunks(db, (step, number), "write", &array.write_destination)?;
        write_cores(db, (step, number), array)?;
        write_front(db, (step, number), array)?;
        for media in &array.media {
            insert(
                db,
                "step_array_media",
                &[
                    ("step", &step),
                    ("array", &number),
                    ("kind", &media.kind),
                    ("count", &int(media.count)),
                    ("utilisation", &media.utilisation),
                ],
            )?;
        }
    }
    Ok(())
}

fn write_totals(
    db: &Connection,
    (step, number): (u32, u32),
    array: &ArrayEvidence,
) -> rusqlite::Result<()> {
    let reads = array.front_end.map(|f| f.reads);
    let writes = array.front_end.map(|f| f.writes);
    let mean_us = |r: Option<Requests>| r.and_then(|r| r.mean_ns).map(us);
    let journal = array.journal.as_ref();
    let reduction = array.reduction.as_ref();
    insert(
        db,
        "step_arrays",
        &[
            ("step", &step),
            ("array", &number),
            ("name", &array.name),
            ("scale", &array.scale),
            ("observed_s", &array.observed_s),
            (
                "core_max",
                &array.busiest_core().map(|(_, c)| c.utilisation),
            ),
            ("core_mean", &array.mean_core()),
            ("owner_max", &array.largest_owner().map(|(_, share)| share)),
            ("front_reads", &reads.map(|r| int(r.count))),
            ("front_writes", &writes.map(|r| int(r.count))),
            ("front_read_bytes", &reads.map(|r| int(r.bytes))),
            ("front_write_bytes", &writes.map(|r| int(r.bytes))),
            ("front_failed", &array.front_end.map(|f| int(f.failed))),
            ("front_read_mean_us", &mean_us(reads)),
            ("front_write_mean_us", &mean_us(writes)),
            ("back_reads", &array.back_end.map(|b| int(b.reads))),
            ("back_writes", &array.back_end.map(|b| int(b.writes))),
            ("write_amplification", &array.write_amplification),
            ("journal_fill_bytes", &journal.map(|j| int(j.fill_bytes))),
            (
                "journal_capacity_bytes",
                &journal.map(|j| int(j.capacity_bytes)),
            ),
            ("journal_waited_ns", &journal.map(|j| int(j.waited_ns))),
            ("new_bytes", &reduction.map(|r| int(r.new_bytes))),
            ("stored_bytes", &reduction.map(|r| int(r.stored_bytes))),
            (
                "distinct_bytes",
                &reduction.and_then(|r| r.distinct_bytes).map(int),
            ),
        ],
    )
}

fn write_chunks(
    db: &Connection,
    (step, number): (u32, u32),
    op: &str,
    buckets: &[Bucket],
) -> rusqlite::Result<()> {
    for bucket in buckets {
        insert(
            db,
            "step_array_chunks",
            &[
                ("step", &step),
                ("array", &number),
                ("op", &op),
                ("place", &bucket.place),
                ("chunks", &int(bucket.chunks)),
            ],
        )?;
    }
    Ok(())
}

fn write_cores(
    db: &Connection,
    (step, number): (u32, u32),
    array: &ArrayEvidence,
) -> rusqlite::Result<()> {
    for (core, its) in (0u32..).zip(&array.cores) {
        insert(
            db,
            "step_array_cores",
            &[
                ("step", &step),
                ("array", &number),
                ("core", &core),
                ("controller", &its.controller),
                ("utilisation", &its.utilisation),
                ("owner_bound", &its.owner_bound),
            ],
        )?;
    }
    Ok(())
}

fn write_front(
    db: &Connection,
    (step, number): (u32, u32),
    array: &ArrayEvidence,
) -> rusqlite::Result<()> {
    for (port, its) in (0u32..).zip(&array.ports) {
        insert(
            db,
            "step_array_ports",
            &[
                ("step", &step),
                ("array", &number),
                ("port", &port),
                ("utilisation", &its.utilisation),
            ],
        )?;
    }
    for (path, its) in (0u32..).zip(&array.paths) {
        insert(
            db,
            "step_array_paths",
            &[
                ("step", &step),
                ("array", &number),
                ("path", &path),
                ("port", &its.port),
                ("state", &its.state),
                ("requests", &int(its.requests)),
                ("failed", &int(its.failed)),
            ],
        )?;
    }
    Ok(())
}

/// Writes what the arrays told of one interval.
pub(crate) fn write_interval(
    db: &Connection,
    place: IntervalPlace,
    arrays: &[ArrayInterval],
) -> rusqlite::Result<()> {
    for (number, array) in (1u32..).zip(arrays) {
        insert(
            db,
            "interval_arrays",
            &[
                ("step", &place.step),
                ("host", &place.host),
                ("interval", &place.interval),
                ("array", &number),
                ("core_max", &array.core_max),
                ("core_mean", &array.core_mean),
                ("front_end_iops", &array.front_end_iops),
                ("back_end_iops", &array.back_end_iops),
                ("journal_fill", &array.journal_fill),
                ("write_amplification", &array.write_amplification),
            ],
        )?;
    }
    Ok(())
}

/// Reads what the arrays told of one interval.
pub(crate) fn read_interval(
    db: &Connection,
    place: IntervalPlace,
) -> rusqlite::Result<Vec<ArrayInterval>> {
    let mut statement = db.prepare_cached(
        "SELECT core_max, core_mean, front_end_iops, back_end_iops, journal_fill, write_amplification, array
         FROM interval_arrays WHERE step=? AND host=? AND interval=? ORDER BY array",
    )?;
    let mut order = Ascending::of("interval_arrays");
    statement
        .query_map([place.step, place.host, place.interval], |row| {
            order.next(row.get::<_, u32>(6)?)?;
            Ok(ArrayInterval {
                core_max: row.get(0)?,
                core_mean: row.get(1)?,
                front_end_iops: row.get(2)?,
                back_end_iops: row.get(3)?,
                journal_fill: row.get(4)?,
                write_amplification: row.get(5)?,
            })
        })?
        .collect()
}
