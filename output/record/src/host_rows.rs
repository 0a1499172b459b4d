//! What each of several hosts did in the intervals of a step, without their histograms: a fleet has many.

use crate::interval_rows;
use crate::numbers::count;
use crate::reading::Ascending;
use plimsoll_evidence::HostInterval;
use rusqlite::Connection;

/// Reads them host by host, each host's in order. Sums are floating-point in SQL: of what a damaged record says, none overflows.
pub(crate) fn read_each(
    db: &Connection,
    step: u32,
    mut each: impl FnMut(HostInterval),
) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "SELECT host, interval, start_ns, length_ns, warmup, drain, ios, errors,
                (SELECT total(timed) FROM samples s WHERE s.step=i.step AND s.host=i.host AND s.interval=i.interval),
                (SELECT total(response_sum_ns) FROM samples s WHERE s.step=i.step AND s.host=i.host AND s.interval=i.interval)
         FROM intervals i WHERE step=? AND host>0 ORDER BY host, interval",
    )?;
    let mut rows = statement.query([step])?;
    let mut order = Ascending::of("intervals");
    while let Some(row) = rows.next()? {
        let (host, number): (u32, u32) = (row.get(0)?, row.get(1)?);
        order.next((host, number))?;
        each(HostInterval {
            host,
            number,
            start_ns: count(row.get(2)?),
            length_ns: count(row.get(3)?),
            phase: interval_rows::phase(row.get(4)?, row.get(5)?),
            ios: count(row.get(6)?),
            errors: count(row.get(7)?),
            timed: row.get::<_, f64>(8)? as u64,
            response_sum_ns: row.get::<_, f64>(9)? as u64,
        });
    }
    Ok(())
}
