//! Whether what came due was done, or stayed out and grew.
//!
//! What is out, waiting for a slot or in flight, goes up and down by chance, and the more so the nearer a load is to what
//! the target carries. A stall lifts it once. Only a load past what the target carries lifts it again and again. So the
//! step is cut into batches, and the growth of what is out is compared with its own scatter over them: a single jump
//! scatters as much as it grows.

use plimsoll_measure::student_t;

/// Batches that a step is cut into, and the fewest that say anything.
const BATCHES: usize = 20;
const MIN_BATCHES: usize = 5;
/// A small growth is no chance where one time in 200 chance alone does as much.
const SURE: f64 = 0.995;
/// One past the largest shortfall, where one time in 20.
const SURE_ENOUGH: f64 = 0.95;
/// And it may be one where chance does as much one time in five.
const LIKELY: f64 = 0.80;
/// Growth counts from this share of what came due.
const MIN_GROWTH: f64 = 0.001;
/// In a long step from as much as comes due in this time, s: who waits for it waits for so long.
const MIN_GROWTH_S: f64 = 1.0;
/// Largest share of the due I/Os that may not be done.
pub(crate) const MAX_SHORTFALL: f64 = 0.005;
/// Random arrivals and service scatter by the root of twice their number; so many times that is beyond chance.
const BEYOND_CHANCE: f64 = 3.0;
/// And so many times is hardly chance.
const LIKELY_CHANCE: f64 = 2.0;
/// Fewer I/Os than this are no shortfall, whatever share they are.
const MIN_SHORT: f64 = 4.0;
/// Share of the final backlog at which the backlog stands, and that must come in the second half as well: a backlog that only fills up to
/// its level comes in the first.
const STANDS: f64 = 0.10;
/// Through most of the step: in more than this share of it.
const MOST: f64 = 0.50;
/// Share of the growth that was a stall where it came in one of `STALL_BATCHES` parts of the batches.
const STALL_GROWTH: f64 = 0.80;
const STALL_BATCHES: usize = 10;

/// A part of a step's time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flow {
    /// Length of the part, s.
    pub seconds: f64,
    /// I/Os that came due in it.
    pub due: f64,
    /// I/Os that came back in it, well or not, due whenever.
    pub done: f64,
    /// I/Os that went out in it late by the host's doing, due whenever.
    pub late: f64,
    /// True where the host was in the way: what happened then is not the target's.
    pub spoiled: bool,
    /// True where the process did not run; where it is only late it asks, and sees what comes back.
    pub absent: bool,
}

/// Result of judging a course of flows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// The answer.
    pub answer: GrowthAnswer,
    /// Share of what came due that was not done at the end, of the spoiled parts too; 0 where none was short.
    pub shortfall: f64,
    /// Growth of what is out that was judged, I/Os per second.
    pub per_second: f64,
}

/// Answer to whether the load was carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrowthAnswer {
    /// Carried, as far as can be seen.
    Carried,
    /// Steady growth of the backlog.
    Grows,
    /// Growth of the backlog by leaps, but by more than chance, and it stood through most of the step.
    Short,
    /// Shortfall that may be chance.
    Unclear,
}

/// Judges flows that follow each other. Where the offered rate changes by plan, `service_s` is how long an I/O is out: as
/// many more are out at a higher rate, and that is no growth.
pub fn growth(flows: &[Flow], service_s: Option<f64>) -> Growth {
    let clean = clean(flows);
    let judged = match clean.is_empty() {
        true => flows,
        false => &clean,
    };
    let grown: f64 = batches(judged, service_s).iter().sum();
    let shortfall = growth_of(flows) / sum(flows, |f| f.due).max(1.0);
    Growth {
        answer: answer(flows, &clean, service_s),
        shortfall: shortfall.clamp(0.0, 1.0),
        per_second: grown / sum(judged, |f| f.seconds).max(1e-9),
    }
}

/// The parts that show the target. What a host that is late sends in a spoiled part may have come due in the part before,
/// which is then left out too: else each such pair would seem to add what it never left. And where the spoiled parts came
/// round all the same, the whole shows most.
fn clean(flows: &[Flow]) -> Vec<Flow> {
    let next = flows.iter().skip(1).map(|f| f.spoiled);
    let with_next = flows.iter().zip(next.chain([false]));
    let clean = with_next.filter(|(flow, next_is)| !flow.spoiled && !next_is);
    let clean: Vec<Flow> = clean.map(|(flow, _)| *flow).collect();
    match growth_of(flows) <= growth_of(&clean) {
        true => flows.to_vec(),
        false => clean,
    }
}

fn answer(flows: &[Flow], clean: &[Flow], service_s: Option<f64>) -> GrowthAnswer {
    match answer_of_clean(clean, service_s) {
        // Where the whole is judged for what its parts show, the host may have made its course.
        Some(GrowthAnswer::Grows | GrowthAnswer::Short) if is_mostly_spoiled(clean) => {
            GrowthAnswer::Unclear
        }
        Some(answer) if answer != GrowthAnswer::Carried || clean.len() == flows.len() => answer,
        // What the host left shows nothing, or is too little to judge by: the whole may fall short all the same.
        None if is_plainly_short(clean) && clean.len() * 2 >= flows.len() => GrowthAnswer::Short,
        judged => match falls_short(flows, clean.len() < flows.len(), judged.is_some()) {
            true => GrowthAnswer::Unclear,
            false => GrowthAnswer::Carried,
        },
    }
}

/// True where the host was in the way in every second part or more.
fn is_mostly_spoiled(flows: &[Flow]) -> bool {
    let spoiled = flows.iter().filter(|f| f.spoiled).count();
    spoiled > 0 && spoiled * 2 + 1 >= flows.len()
}

/// True where a time that is too short for batches shows too much load: far more is missing than chance takes, and all the while something
/// was done, as much at the end as at the beginning. In a stall nothing is done; and what only fills up to its level, because each I/O
/// takes long, does more and more.
fn is_plainly_short(flows: &[Flow]) -> bool {
    let (due, grown) = (sum(flows, |f| f.due), growth_of(flows));
    let (done, seconds) = (sum(flows, |f| f.done), sum(flows, |f| f.seconds));
    let longest = flows.iter().map(|f| f.seconds).fold(0.0, f64::max);
    // A part of a sample at an edge has too few to say anything.
    let whole = flows.iter().filter(|f| f.seconds > longest / 2.0);
    let goes_on = |f: &Flow| {
        let usual = done * f.seconds / seconds;
        f.done >= 1.0 && f.done >= usual / 2.0 - BEYOND_CHANCE * usual.sqrt()
    };
    flows.len() > 1
        && is_short(grown, due)
        && beyond_chance(grown, due)
        && done >= MIN_SHORT
        && whole.clone().all(goes_on)
        && !rises(flows)
}

/// True where clearly more was done in the second half than in the first, so much that it may come to be all.
///
/// With service times of a mean of `t` in a time `T`, `T/t = x`, a share `s = (1 - exp(-x)) / x` of what came due is out at the
/// end, and the second half does more than the first by nearly `s (2 - s)` of their mean (to within 0.07, for any `x`);
/// constant service times make it more. Half of that is asked for: where much is missing, chance does not do as much.
fn rises(flows: &[Flow]) -> bool {
    let (first, second) = flows.split_at(flows.len() / 2);
    let rate = |half: &[Flow]| {
        let seconds = sum(half, |f| f.seconds).max(1e-9);
        let done = sum(half, |f| f.done);
        (done / seconds, done / (seconds * seconds))
    };
    let ((before, spread), (after, spread_after)) = (rate(first), rate(second));
    let is_much = sum(second, |f| f.done) > STANDS * sum(second, |f| f.due);
    let missing = growth_of(flows) / sum(flows, |f| f.due).max(1.0);
    let filling = missing * (2.0 - missing) * (before + after) / 2.0;
    let chance = LIKELY_CHANCE * (spread + spread_after).sqrt();
    is_much && after - before > chance.max(filling / 2.0)
}

/// True where the backlog only filled up to its level: more and more was done, and less and less was missing.
fn fills(flows: &[Flow]) -> bool {
    let (first, second) = flows.split_at(flows.len() / 2);
    rises(flows) && growth_of(second) < growth_of(first) / 2.0
}

fn sum(flows: &[Flow], of: fn(&Flow) -> f64) -> f64 {
    flows.iter().map(of).sum()
}

/// True where more is missing than one burst explains. Where the host was not in the way, and there was too little to judge by, it must be
/// more than chance mostly does.
fn falls_short(flows: &[Flow], spoiled: bool, was_judged: bool) -> bool {
    let due: f64 = flows.iter().map(|f| f.due).sum();
    let batches = batches(flows, None);
    let grown = growth_of(flows);
    is_short(grown, due)
        && (spoiled || grown > (2.0 * due).sqrt())
        && !(was_judged && is_one_burst(&batches, grown))
}

/// `None`: too little to judge by.
fn answer_of_clean(clean: &[Flow], service_s: Option<f64>) -> Option<GrowthAnswer> {
    let batches = batches(clean, service_s);
    let by_plan = service_s.is_some();
    (batches.len() >= MIN_BATCHES).then(|| match answer_of_batches(clean, &batches) {
        GrowthAnswer::Grows | GrowthAnswer::Short if !by_plan && fills(clean) => {
            GrowthAnswer::Unclear
        }
        answer => answer,
    })
}

fn answer_of_batches(clean: &[Flow], batches: &[f64]) -> GrowthAnswer {
    let due: f64 = clean.iter().map(|f| f.due).sum();
    let grown: f64 = batches.iter().sum();
    if due <= 0.0 || grown <= 0.0 || !stands(clean, grown) || !goes_on(batches, grown) {
        return GrowthAnswer::Carried;
    }
    let seconds: f64 = clean.iter().map(|f| f.seconds).sum();
    let sureness = |probability| student_t(probability, batches.len() - 1);
    let scatter = scatter(batches);
    if scatter > sureness(SURE) && grown > due * MIN_GROWTH.min(MIN_GROWTH_S / seconds)
        || scatter > sureness(SURE_ENOUGH) && is_short(grown, due)
    {
        // So few batches scatter by chance in a queue that goes up and down slowly.
        match batches.len() < BATCHES / 2 && grown < LIKELY_CHANCE * (2.0 * due).sqrt() {
            true => GrowthAnswer::Unclear,
            false => GrowthAnswer::Grows,
        }
    } else if !is_short(grown, due) || is_one_burst(batches, grown) {
        GrowthAnswer::Carried
    } else if beyond_chance(grown, due) {
        GrowthAnswer::Short
    } else if scatter > sureness(LIKELY) {
        GrowthAnswer::Unclear
    } else {
        GrowthAnswer::Carried
    }
}

/// Growth of what is out in each of equally many neighbours.
fn batches(flows: &[Flow], service_s: Option<f64>) -> Vec<f64> {
    let count = flows.len().min(BATCHES);
    let mut rate_before = None;
    (0..count)
        .map(|i| {
            let part = &flows[i * flows.len() / count..(i + 1) * flows.len() / count];
            let rate = part.iter().map(|f| f.due).sum::<f64>()
                / part.iter().map(|f| f.seconds).sum::<f64>().max(1e-9);
            let change = rate - rate_before.replace(rate).unwrap_or(rate);
            growth_of(part) - change * service_s.unwrap_or(0.0)
        })
        .collect()
}

fn growth_of(flows: &[Flow]) -> f64 {
    flows.iter().map(|f| f.due - f.done).sum()
}

/// The mean of batches in its own standard errors; without bound where all are the same.
fn scatter(batches: &[f64]) -> f64 {
    let n = batches.len() as f64;
    let mean = batches.iter().sum::<f64>() / n;
    let squares: f64 = batches.iter().map(|b| (b - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    match error > 0.0 {
        true => mean / error,
        false => f64::INFINITY,
    }
}

/// True where a backlog stood through most of the time.
fn stands(flows: &[Flow], grown: f64) -> bool {
    let mut out = 0.0;
    let standing = flows.iter().filter(|f| {
        out += f.due - f.done;
        out > STANDS * grown
    });
    standing.count() as f64 > MOST * flows.len() as f64
}

/// True where the backlog still grew in the second half.
fn goes_on(batches: &[f64], grown: f64) -> bool {
    batches[batches.len() / 2..].iter().sum::<f64>() > STANDS * grown
}

fn is_short(grown: f64, due: f64) -> bool {
    grown > (MAX_SHORTFALL * due).max(MIN_SHORT)
}

/// True where so much growth is more than random arrivals and service times do.
fn beyond_chance(grown: f64, due: f64) -> bool {
    grown > BEYOND_CHANCE * (2.0 * due).sqrt()
}

/// True where a short time made nearly all of the growth.
fn is_one_burst(batches: &[f64], grown: f64) -> bool {
    let mut sorted = batches.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let most = batches.len().div_ceil(STALL_BATCHES);
    sorted[..most].iter().sum::<f64>() >= STALL_GROWTH * grown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of four samples the two outer ones may be spoiled; what is out grows in the second, and hardly shrinks in the third.
    fn course(spoiled: bool) -> Vec<Flow> {
        let one = |n: usize| Flow {
            seconds: 0.1,
            due: 100.0,
            done: [100.0, 95.0, 101.0, 100.0][n % 4] + (n / 4 % 2) as f64,
            spoiled: spoiled && matches!(n % 4, 0 | 3),
            ..Flow::default()
        };
        (0..400).map(one).collect()
    }

    #[test]
    fn a_course_of_which_the_host_spoiled_every_second_part_grows_by_nobodys_doing() {
        assert_eq!(growth(&course(false), None).answer, GrowthAnswer::Grows);
        assert_eq!(growth(&course(true), None).answer, GrowthAnswer::Unclear);
    }
}
