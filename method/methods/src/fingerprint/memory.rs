//! The read cache, by working sets: an area that was just read is read again, in areas that double.

use super::ratio::rounds;
use super::script::{Order, Probe, ReadArea, Script, Stop};
use super::slices::ReadResult;
use crate::average::mean;
use plimsoll_plan::Bytes;

/// The first area.
const FIRST: u64 = 4 << 20;
/// All of it takes no longer, s.
const TIME_S: f64 = 70.0;
/// Repeats of each area's reads.
const REPEATS: usize = 6;
/// Of an area of which less is found, as much is found as the cache holds.
const HELD: f64 = 0.65;
/// Number of times that such an area is read again, at most, until that twice finds no more than this.
const AGAIN: usize = 7;
const MORE: f64 = 0.03;
/// The blocks of a pass, and how long it is at least, ms.
const BLOCK: u64 = 1 << 20;
const PASS_LEAST_MS: u64 = 50;
/// Parts of a pass, at most, until all was read.
const PARTS: usize = 5;
/// In flight: with one nobody waits, so that a mean time is a mean of hits and misses and of nothing else.
pub(crate) const DEPTH: u32 = 1;
/// Half of a 95 % interval in standard errors, of [`REPEATS`] values (Student's t of 5 degrees).
const T_95: f64 = 2.57;

/// The cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cache {
    pub bytes: u64,
    pub low: u64,
    pub high: u64,
    /// Mean time of a read that is found in it, ns, and of one that is not.
    pub hit_ns: f64,
    pub miss_ns: f64,
    /// Standard error of these, ns.
    pub error_ns: f64,
}

impl Cache {
    /// The share of reads that were found in it, by their mean time, and its standard error.
    pub fn hits(&self, step: &Step) -> (f64, f64) {
        let span = self.miss_ns - self.hit_ns;
        let error = step.error.hypot(self.error_ns) / span;
        ((self.miss_ns - step.ns) / span, error)
    }

    /// Standard deviation of one probe's mean time, ns.
    pub fn probe_error_ns(&self) -> f64 {
        self.error_ns * (REPEATS as f64).sqrt()
    }
}

/// Result for a working set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    pub area: u64,
    /// Mean time of a read, ns.
    pub ns: f64,
    /// Standard error of the mean time.
    pub error: f64,
}

impl Step {
    /// The 95 % interval of the mean time, ns.
    pub fn interval(&self) -> (f64, f64) {
        let half = T_95 * self.error;
        ((self.ns - half).max(0.0), self.ns + half)
    }
}

/// The read cache's size.
pub(crate) fn cache(script: &mut Script<'_>, seen: &mut Vec<Step>) -> ReadResult<Cache> {
    let begin = script.spent_s();
    if script.size < 8 * FIRST {
        return Ok(Err(format!("the target has only {}", Bytes(script.size))));
    }
    // What was never read, at the target's end; and its rate when it is read in large pieces.
    let far = ReadArea::new(
        script.size / 2 / 4096 * 4096,
        script.size / 4096 * 4096,
        Order::Random,
    );
    let cold = look(script, "far away", far, 0)?;
    let mut speed = pass(script, (0, FIRST), Order::Sequential, 500)?;
    let warm = look(script, "once read", from_start(FIRST), FIRST)?;
    seen.push(warm);
    let gain = (cold.ns - warm.ns) / cold.error.hypot(warm.error).max(1e-9);
    if warm.ns > cold.ns * 0.97 || gain < 5.0 {
        return Ok(Err(
            "what was just read is read again in the same time as what was not".into(),
        ));
    }
    let hits = |s: &Step| ((cold.ns - s.ns) / (cold.ns - warm.ns)).clamp(0.0, 1.0);
    let end = begin + TIME_S;
    let mut area = FIRST;
    loop {
        let next = area * 2;
        let passed = match next > script.size / 2 {
            true => None,
            false => whole(script, area, next, speed, end)?,
        };
        let Some(now) = passed else {
            return Ok(Err(format!(
                "it is larger than {}, as much as could be read twice in the time",
                Bytes(area)
            )));
        };
        (speed, area) = (now, next);
        let first = look(script, &Bytes(area).to_string(), from_start(area), area)?;
        let Some(step) = settled(script, first, hits, speed, end)? else {
            return Ok(Err(format!(
                "it is larger than {}, and to see how much it holds of {} takes too long",
                Bytes(area / 2),
                Bytes(area)
            )));
        };
        seen.push(step);
        // Of an area far larger than the cache, as much is found in it as fits.
        if hits(&step) < HELD {
            let slack = T_95 * step.error.hypot(cold.error).hypot(warm.error) / (cold.ns - warm.ns);
            let of = |share: f64| (share.clamp(0.0, 1.0) * area as f64) as u64;
            let found = Cache {
                bytes: of(hits(&step)),
                low: of(hits(&step) - slack),
                high: of(hits(&step) + slack),
                hit_ns: warm.ns,
                miss_ns: cold.ns,
                error_ns: warm.error.max(cold.error),
            };
            return Ok(match found.high > 2 * found.low.max(1) {
                true => {
                    Err("reads differ too little in their times to tell how many are hits".into())
                }
                false => Ok(found),
            });
        }
    }
}

/// Time of a pass over so many bytes, ms.
fn pass_ms(bytes: u64, speed: f64) -> u64 {
    (bytes as f64 / speed * 1150.0) as u64 + 20
}

/// True where there is time for a pass over so many bytes, and for a look.
fn in_time(script: &Script<'_>, bytes: u64, speed: f64, end: f64) -> bool {
    let looks_ms = 400 * REPEATS as u64;
    script.spent_s() + (pass_ms(bytes, speed) + looks_ms) as f64 / 1e3 <= end
}

/// Reads a part of the target in order until all of it was read, which is seen by how much came; returns the bytes a second.
/// `None`: that takes too long.
fn whole(
    script: &mut Script<'_>,
    mut from: u64,
    to: u64,
    mut speed: f64,
    end: f64,
) -> Result<Option<f64>, Stop> {
    for _ in 0..PARTS {
        let ms = pass_ms(to - from, speed).max(PASS_LEAST_MS);
        if !in_time(script, to - from, speed, end) {
            return Ok(None);
        }
        speed = pass(script, (from, to), Order::Sequential, ms)?;
        // What was counted may be too much by chance.
        let came = (0.9 * speed * ms as f64 / 1e3) as u64;
        if came >= to - from {
            return Ok(Some(speed));
        }
        from += came / BLOCK * BLOCK;
    }
    Ok(None)
}

/// Result for an area once reading it again, in any order, finds no more: a cache in which anything makes room, not the oldest, or which
/// keeps what is asked for again, loses some of an area while it fills, though it could hold it. `None`: that takes too long.
fn settled(
    script: &mut Script<'_>,
    first: Step,
    hits: impl Fn(&Step) -> f64,
    speed: f64,
    end: f64,
) -> Result<Option<Step>, Stop> {
    let mut step = first;
    let area = step.area;
    let mut still = 0;
    for _ in 0..AGAIN {
        if hits(&step) >= HELD || still == 2 {
            return Ok(Some(step));
        }
        if !in_time(script, area, speed, end) {
            return Ok(None);
        }
        let ms = pass_ms(area, speed).max(PASS_LEAST_MS);
        pass(script, (0, area), Order::Shuffled, ms)?;
        let name = format!("{} again", Bytes(area));
        let again = look(script, &name, from_start(area), area)?;
        still = match hits(&again) - hits(&step) < MORE {
            true => still + 1,
            false => 0,
        };
        step = again;
    }
    Ok((still == 2 || hits(&step) >= HELD).then_some(step))
}

fn from_start(area: u64) -> ReadArea {
    ReadArea::new(0, area, Order::Random)
}

/// Mean time of small reads of a place.
fn look(script: &mut Script<'_>, name: &str, place: ReadArea, area: u64) -> Result<Step, Stop> {
    let probe = Probe {
        warmup_ms: 50,
        elapsed_ms: 250,
        ..Probe::reads(format!("working set {name}"), vec![place], DEPTH)
    };
    mean_time(script, probe, area, REPEATS)
}

/// Mean time of a probe's I/Os, by repeats.
pub(crate) fn mean_time(
    script: &mut Script<'_>,
    probe: Probe,
    area: u64,
    repeats: usize,
) -> Result<Step, Stop> {
    let rows = rounds(script, &[probe], repeats, |r| r.service_ns)?;
    let each: Vec<f64> = rows.0.iter().map(|row| row[0].exp()).collect();
    let ns = mean(&each);
    let scatter = each.iter().map(|x| (x - ns).powi(2)).sum::<f64>()
        / each.len().saturating_sub(1).max(1) as f64;
    Ok(Step {
        area,
        ns,
        error: (scatter / each.len() as f64).sqrt(),
    })
}

/// Reads a part in large pieces; returns the bytes a second.
fn pass(
    script: &mut Script<'_>,
    (from, to): (u64, u64),
    order: Order,
    ms: u64,
) -> Result<f64, Stop> {
    let probe = Probe {
        block: BLOCK,
        warmup_ms: 0,
        elapsed_ms: ms,
        ..Probe::reads(
            format!("a pass to {}", Bytes(to)),
            vec![ReadArea { from, to, order }],
            16,
        )
    };
    Ok((script.measure(&probe)?.rate * BLOCK as f64).max(1.0))
}
