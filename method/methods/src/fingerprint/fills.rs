//! Whether what was just written is read like what was just read: whether writes fill the read cache.

use super::Known;
use super::journal::Journal;
use super::memory::{Cache, DEPTH};
use super::ratio::rounds;
use super::script::{Order, Probe, ReadArea, Script, Stop};
use super::slices::ReadResult;
use crate::average::mean;
use plimsoll_plan::ContentSpec;

/// Reads of what was written, each of this length, ms.
const READS: usize = 6;
const READ_MS: u64 = 100;
/// Part of the cache's size that is read of what was written, and the part that is written after it.
const AREA: f64 = 0.25;
const AFTER: f64 = 0.4;
/// Less than this part of the misses that there would be is none; more than that is all.
const NONE: f64 = 0.3;
const ALL: f64 = 0.7;

/// Finding on whether writes fill the cache.
pub(crate) fn fills(
    script: &mut Script<'_>,
    cache: &Cache,
    line: u64,
    journal: &Known<Journal>,
) -> ReadResult<bool> {
    let part = |share: f64| (((cache.bytes as f64 * share) as u64) >> 20) << 20;
    let (area, after) = (part(AREA), part(AFTER));
    // What the cache knows of these parts was read before all others, and is overwritten.
    let from = ((script.size / 4) >> 20) << 20;
    if area == 0 || from + area + after > script.size {
        return Ok(Err("the cache is too small to tell".into()));
    }
    if journal.as_ref().is_ok_and(|j| j.high >= after) {
        return Ok(Err(
            "what was just written is still in the write buffer".into()
        ));
    }
    if !write(script, from, area)? || !write(script, from + area, after)? {
        return Ok(Err(
            "to write as much as the cache holds takes too long".into()
        ));
    }
    let place = ReadArea::new(from, from + area, Order::Random);
    let probe = Probe {
        warmup_ms: 0,
        elapsed_ms: READ_MS,
        ..Probe::reads("what was written".into(), vec![place], DEPTH)
    };
    let seen = rounds(script, &[probe], READS, |r| r.service_ns)?;
    let times: Vec<f64> = seen.0.iter().map(|row| row[0].exp()).collect();
    let ns = mean(&times);
    let reads = (READS as u64 * READ_MS * u64::from(DEPTH)) as f64 * 1e6 / ns;
    // The reads themselves fill it: of so many at random, so many would be the first of their line.
    let lines = (area / line) as f64;
    let firsts = lines * (1.0 - (-reads / lines).exp()) / reads;
    let error = cache.probe_error_ns() / (READS as f64).sqrt() / (cache.miss_ns - cache.hit_ns);
    let misses = (ns - cache.hit_ns) / (cache.miss_ns - cache.hit_ns);
    Ok(match (misses / firsts, 2.5 * error / firsts) {
        (m, e) if m + e < NONE => Ok(true),
        (m, e) if m - e > ALL => Ok(false),
        _ => Err("reads of what was just written are between those that are found and those that are not".into()),
    })
}

/// Writes a part once; false where that takes too long.
fn write(script: &mut Script<'_>, from: u64, bytes: u64) -> Result<bool, Stop> {
    const PIECE: u64 = 1 << 20;
    let place = ReadArea::new(from, from + bytes, Order::Sequential);
    let probe = |elapsed_ms| Probe {
        block: PIECE,
        warmup_ms: 0,
        elapsed_ms,
        writes: Some(ContentSpec::Unique),
        ..Probe::reads("an area".into(), vec![place], 8)
    };
    let speed = script.measure(&probe(200))?.rate * PIECE as f64;
    let takes_ms = bytes as f64 / speed * 1.3e3;
    if takes_ms > 10_000.0 {
        return Ok(false);
    }
    script.measure(&probe(takes_ms as u64 + 50))?;
    Ok(true)
}
