//! What the read cache does: how long its lines are, and whether a loop over more than fits finds something in it.
//!
//! Blocks far enough apart have a line each. Of a loop over so many of them that all fit if lines are short, all are found
//! if they are, and few if they are longer; so the lines' length is found from above. A loop over more than fit then tells who
//! makes room. Where it is the oldest (LRU, FIFO), each makes room just before it is asked for again, and nothing is found.
//! Where a share is found, any may make room (random), or some are kept against newer ones, or the cache is a little larger than
//! it seemed: that is no answer. Where nearly all is found, the size or the lines are wrong, as none keeps more than fits.

use super::memory::{Cache, DEPTH, Step, mean_time};
use super::script::{Order, Probe, ReadArea, Script, Stop};
use super::slices::ReadResult;
use crate::average::mean;

const BLOCK: u64 = 4096;
/// The longest lines that are looked for.
const LONGEST: u64 = 256 << 10;
/// All of it takes no longer, s; the repeats of one loop not much longer than this, ms.
const TIME_S: f64 = 40.0;
const REPEATS_MS: u64 = 5_000;
/// Rounds of a loop, with many in flight, after which what fits is there: a cache in which anything makes room loses some of it
/// at first. The least probe of them, ms.
const HEAT: f64 = 6.0;
const HEAT_MS: u64 = 100;
/// So much of what fits is read where all is to be found: a cache whose sets are picked by a hash has no more room for all.
const FITS: f64 = 0.65;
/// More than so much is found where a loop fits, and less where it does not.
const FOUND: f64 = 0.75;
/// The loop in which not all fits, in caches. Where the oldest makes room nothing of it is found, or a little where lines share
/// sets by a hash. Where any does it is h = exp(-1.6 (1 - h)) once all is steady, which is 0.36.
const LOOP: f64 = 1.6;
/// The share between the two.
const SHARE: f64 = 0.2;
/// No cache finds more of that loop than 1 / 1.6 = 0.63, whoever makes room.
const TOO_MUCH: f64 = 0.75;
/// The least part of a loop that is a probe, ms, and how many probes there are about.
const PART_MS: f64 = 60.0;
const PARTS: u64 = 8;
/// So many times as many, where they do not suffice.
const TIMES: usize = 3;
/// Of the time that a part takes if nothing of it is found: so none is begun a second time then.
const PACE: f64 = 0.9;
/// A decision keeps so many standard errors from its limit.
const CLEAR: f64 = 2.5;

/// Findings about the cache's policy.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Policy {
    /// Bytes of a line.
    pub line: Result<u64, String>,
    /// The oldest makes room: the share that was found of a loop over more than fits, with its standard error.
    pub oldest: Result<(f64, f64), String>,
    /// Reason why the cache's size or its lines cannot be what they seemed.
    pub refuted: Option<String>,
}

/// The cache's lines, and who makes room; so many seconds are left for others.
pub(crate) fn policy(
    script: &mut Script<'_>,
    cache: &Cache,
    reserve_s: f64,
) -> Result<Policy, Stop> {
    let until = (script.spent_s() + TIME_S).min(script.budget_s() - reserve_s);
    let line = line(script, cache, until)?;
    let seen = match &line {
        Ok(line) => overflow(script, cache, *line, until)?,
        Err(_) => Err("the length of its lines is not known".to_string()),
    };
    let refuted = seen.as_ref().ok().and_then(|s| too_much(*s));
    Ok(Policy {
        line: match &refuted {
            Some(why) => Err(why.clone()),
            None => line,
        },
        oldest: seen.and_then(oldest),
        refuted,
    })
}

/// The length of a line.
fn line(script: &mut Script<'_>, cache: &Cache, until: f64) -> ReadResult<u64> {
    let mut shorter = LONGEST;
    while shorter >= BLOCK {
        let count = (FITS * cache.bytes as f64 / shorter as f64) as u64;
        let stride = 3 * shorter;
        if count < 4 {
            shorter /= 2;
            continue;
        }
        let Some(mut seen) = looped(script, cache, count, stride, until)? else {
            return Ok(Err(format!(
                "lines are no longer than {}; to see whether they are shorter takes too long, or a larger target",
                plimsoll_plan::Bytes(2 * shorter)
            )));
        };
        if seen.0 - CLEAR * seen.1 < FOUND {
            let heated = match heat(script, count, stride, until)? {
                true => looped(script, cache, count, stride, until)?,
                false => None,
            };
            let Some(again) = heated else {
                return Ok(Err(
                    "to read a loop until what fits of it is there takes too long".into(),
                ));
            };
            seen = again;
        }
        let (hits, error) = seen;
        if hits + CLEAR * error < FOUND {
            return Ok(match shorter {
                LONGEST => Err(format!(
                    "lines are longer than {}",
                    plimsoll_plan::Bytes(LONGEST)
                )),
                _ => Ok(2 * shorter),
            });
        }
        if hits - CLEAR * error < FOUND {
            return Ok(Err("reads differ too little in their times".into()));
        }
        shorter /= 2;
    }
    Ok(Ok(BLOCK))
}

/// The share that is found of a loop over more than fits, where lines are so long.
fn overflow(
    script: &mut Script<'_>,
    cache: &Cache,
    line: u64,
    until: f64,
) -> ReadResult<(f64, f64)> {
    let count = (LOOP * cache.bytes as f64 / line as f64) as u64;
    let strides = [3 * line, 3 * line / 2];
    let fits = |s: &&u64| s.is_multiple_of(BLOCK) && count * **s <= script.size;
    let Some(stride) = strides.iter().find(fits).copied() else {
        return Ok(Err(
            "the target is too small for a loop over more than the cache holds".into(),
        ));
    };
    let seen = overflowing(script, cache, count, stride, until)?;
    Ok(seen.ok_or("a loop over more than the cache holds takes too long".into()))
}

/// A share and its error in words.
fn words((hits, error): (f64, f64)) -> String {
    format!(
        "of a loop over {LOOP} times what fits {:.0} % (+-{:.0} %) are found",
        hits * 100.0,
        error * 196.0
    )
}

/// Share of hits and its error where the oldest makes room; else words of what was found instead.
fn oldest((hits, error): (f64, f64)) -> Result<(f64, f64), String> {
    if hits + CLEAR * error < SHARE {
        return Ok((hits.clamp(0.0, 1.0), error));
    }
    let found = words((hits, error));
    Err(match hits - CLEAR * error > SHARE {
        true => format!(
            "{found}: it keeps a share, as with random replacement, where a scan is held off, or where more fits than it seems"
        ),
        false => format!("{found}, which is too near to what either way would have"),
    })
}

/// Reason why the size or the lines are wrong, if they are.
fn too_much((hits, error): (f64, f64)) -> Option<String> {
    (hits - CLEAR * error > TOO_MUCH).then(|| {
        format!(
            "{}, which no cache does: it is larger than it seemed, or its lines are shorter",
            words((hits, error))
        )
    })
}

/// The share of reads that are found in a loop that does not fit; `None` where that takes too long. It is read in parts, one
/// after the other: each part is a probe, and none is read twice before all others were. What went before is gone after a first
/// time round, which does not count.
fn overflowing(
    script: &mut Script<'_>,
    cache: &Cache,
    count: u64,
    stride: u64,
    until: f64,
) -> Result<Option<(f64, f64)>, Stop> {
    let round_ms = count as f64 * cache.miss_ns / f64::from(DEPTH) / 1e6;
    let parts = ((round_ms / PART_MS) as u64).clamp(2, PARTS);
    let counted = (PARTS.div_ceil(parts) * parts) as usize;
    let part_ms = round_ms / parts as f64;
    let takes_s = part_ms * (parts as usize + counted) as f64 / 1e3;
    if script.spent_s() + takes_s > until || !heat(script, count, stride, until - takes_s)? {
        return Ok(None);
    }
    let probe = |part: u64| {
        let (first, last) = (count * part / parts, count * (part + 1) / parts - 1);
        let place = ReadArea::new(first * stride, last * stride + BLOCK, Order::Every(stride));
        Probe {
            warmup_ms: 0,
            // At the pace of misses: what finds more goes round in its part, and finds more still.
            elapsed_ms: ((PACE * part_ms) as u64).max(1),
            ..Probe::reads("a part of a loop".into(), vec![place], DEPTH)
        }
    };
    let mut order = (0..parts).cycle();
    for part in order.by_ref().take(parts as usize) {
        script.measure(&probe(part))?;
    }
    let mut each = Vec::new();
    loop {
        for part in order.by_ref().take(counted) {
            each.push(script.measure(&probe(part))?.service_ns);
        }
        let seen = share_of(cache, &each);
        let clear = (seen.0 - SHARE).abs() > CLEAR * seen.1;
        let longer_s = part_ms * counted as f64 / 1e3;
        if clear || each.len() >= TIMES * counted || script.spent_s() + longer_s > until {
            return Ok(Some(seen));
        }
    }
}

/// Share of hits that the mean times of parts show, and its error.
fn share_of(cache: &Cache, each: &[f64]) -> (f64, f64) {
    let ns = mean(each);
    let scatter = each.iter().map(|x| (x - ns).powi(2)).sum::<f64>() / (each.len() - 1) as f64;
    let error = scatter.sqrt().max(cache.probe_error_ns() / 2.0) / (each.len() as f64).sqrt();
    cache.hits(&Step { area: 0, ns, error })
}

/// The share of reads that are found while so many blocks are read round and round; `None` where that takes too long.
fn looped(
    script: &mut Script<'_>,
    cache: &Cache,
    count: u64,
    stride: u64,
    until: f64,
) -> Result<Option<(f64, f64)>, Stop> {
    let place = round(count, stride);
    let to = place.to;
    // At the pace of misses. Each probe begins at the loop's start, so it goes round once before it counts.
    let round_ms = (count as f64 * cache.miss_ns / f64::from(DEPTH) / 1e6) as u64 + 1;
    let warmup_ms = round_ms + round_ms / 5 + 20;
    let elapsed_ms = round_ms.clamp(200, 2_000);
    let repeats = (REPEATS_MS / (warmup_ms + elapsed_ms)).clamp(1, 6) as usize;
    let takes_s = repeats as f64 * (warmup_ms + elapsed_ms) as f64 / 1e3;
    if to > script.size || script.spent_s() + takes_s > until {
        return Ok(None);
    }
    let probe = Probe {
        warmup_ms,
        elapsed_ms,
        ..Probe::reads(
            format!("{count} blocks round and round"),
            vec![place],
            DEPTH,
        )
    };
    let mut seen = mean_time(script, probe, to, repeats)?;
    // A few repeats agree by chance; a single one says nothing of its scatter.
    seen.error = seen
        .error
        .max(cache.probe_error_ns() / (repeats as f64).sqrt());
    Ok(Some(cache.hits(&seen)))
}

/// So many blocks, at each multiple of a stride.
fn round(count: u64, stride: u64) -> ReadArea {
    ReadArea::new(0, (count - 1) * stride + BLOCK, Order::Every(stride))
}

/// Goes round a loop with many in flight, as often as it takes for what fits to be there; false where that takes too long.
fn heat(script: &mut Script<'_>, count: u64, stride: u64, until: f64) -> Result<bool, Stop> {
    let depth = script.depth;
    let probe = |elapsed_ms| Probe {
        warmup_ms: 0,
        elapsed_ms,
        ..Probe::reads(
            format!("{count} blocks, many at once"),
            vec![round(count, stride)],
            depth,
        )
    };
    let per_ms = script.measure(&probe(HEAT_MS))?.rate / 1e3;
    let ms = ((HEAT * count as f64 / per_ms) as u64).max(HEAT_MS);
    if script.spent_s() + ms as f64 / 1e3 > until {
        return Ok(false);
    }
    script.measure(&probe(ms))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_loop_of_which_nothing_is_found_has_an_answer() {
        assert_eq!(oldest((-0.02, 0.03)), Ok((0.0, 0.03)));
        let why = |seen| oldest(seen).expect_err("no answer");
        assert!(why((0.36, 0.02)).contains("keeps a share"));
        assert!(why((1.0, 0.02)).contains("keeps a share"));
        assert!(why((0.07, 0.117)).contains("too near"));
    }

    #[test]
    fn a_loop_of_which_more_is_found_than_fits_refutes_the_size() {
        // The best that any policy can do.
        assert_eq!(too_much((1.0 / LOOP, 0.01)), None);
        // Of few reads.
        assert_eq!(too_much((1.0, 0.15)), None);
        assert!(too_much((1.0, 0.03)).is_some_and(|why| why.contains("100 %")));
    }
}
