//! Without what was answered from a cache or a map: the I/Os that were not, by themselves.

use super::{Repair, Repaired, relative};
use plimsoll_evidence::{ArrayEvidence, StepEvidence};
use plimsoll_measure::{Histogram, Op};

/// So few that were not answered so say nothing of the others.
const FEW: f64 = 0.05;
/// Busier cores have queues, and how these change is not known.
const CALM: f64 = 0.4;
/// The same of media, with all I/Os going there.
const CALM_MEDIA: f64 = 0.6;
/// The slow ones have to be slower than the quick ones by this factor, so that they can be told apart.
const APART: f64 = 1.1;
/// And by so many times of what the quick ones scatter: else the slowest are some of these, held up by a queue.
const SCATTERS: f64 = 2.0;
/// Their mean is no further than this above where they begin: what is, was drawn out by a queue.
const COMPACT: f64 = 1.12;
/// How far from their border the two kinds are looked at, as a part of each kind.
const ASIDE: f64 = 0.1;
/// And how near to it the quick ones have to be quick: a few that a queue holds up are among the slowest.
const NEAR: f64 = 0.03;

/// Little's law at the same depth, with the service of those that were not answered so. They are the slowest: as many of all as the
/// array says. Only where the two kinds lie apart and no station is busy, so that the slow ones' times are not the quick ones' queue.
pub(crate) fn misses(step: &StepEvidence, array: &ArrayEvidence, op: Op, share: f64) -> Repair {
    const WHAT: &str = "Without them";
    const HOW: &str = "Little's law at the same depth, with the service of the others";
    if step.offered.is_some() {
        return Err("the load was on schedule, so its rate was not the array's");
    }
    if step.ops.iter().any(|o| o.op != op && o.ios > 0) || step.arrays.len() != 1 {
        return Err("other I/Os went on beside them, and would have slowed too");
    }
    let others = 1.0 - share;
    if others < FEW {
        return Err("so few I/Os were of another kind that nothing is known of these");
    }
    if array
        .busiest_core()
        .is_some_and(|(_, c)| c.utilisation > CALM)
    {
        return Err("the array's cores were busy, and what the others cost them is not known");
    }
    let at = |q: f64| step.service.quantile_ns(q).unwrap_or(0) as f64;
    let (quick, slow) = (at(share / 2.0), at(share + others / 2.0));
    let scatter = at(share * (1.0 - NEAR)) - at(share * ASIDE);
    if slow < APART * quick || slow - quick < SCATTERS * scatter {
        return Err("they took as long as the others, so the two cannot be told apart");
    }
    let slow_ns = slowest_mean_ns(&step.service, others);
    if slow_ns > COMPACT * at(share + ASIDE * others) {
        return Err("the others' times lie so far apart that queues are in them");
    }
    let value = step.depth_mean * 1e9 / slow_ns.max(1.0);
    let now = step.rate.mean * others;
    let media = array
        .media
        .iter()
        .map(|m| m.utilisation)
        .fold(0.0, f64::max);
    if now <= 0.0 || media * value / now > CALM_MEDIA {
        return Err("without them the media would be busy, and how busy is not known well enough");
    }
    Repaired::by_model(WHAT, value, relative(step.rate), HOW)
}

/// The mean of the slowest part of all.
fn slowest_mean_ns(service: &Histogram, part: f64) -> f64 {
    let wanted = service.count() as f64 * part;
    let mut left = wanted;
    let mut sum = 0.0;
    let buckets: Vec<(u64, u64, u64)> = service.buckets().collect();
    for (low, high, count) in buckets.into_iter().rev() {
        let taken = left.min(count as f64);
        sum += taken * (low as f64 + high as f64) / 2.0;
        left -= taken;
        if left <= 0.0 {
            break;
        }
    }
    sum / (wanted - left).max(1.0)
}
