//! One repeat: what was done when, and what was seen of it.

use super::cells::Cells;
use super::dip::{CALM_S, Dip, dip, recovered_at};
use plimsoll_evidence::{
    ActionEvidence, PathEvent, PathSeries, PathState, Section, SeriesBin, StepEvidence, StepSeries,
};
use plimsoll_measure::Op;
use plimsoll_plan::{Action, Nanos, Step};

/// Class of the outcome, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nobody waited for a second, and nothing failed.
    Transparent,
    /// Nobody waited for half a minute, and nothing failed.
    Tolerable,
    /// Somebody waited longer, I/Os failed, or the load was not carried any more.
    Disruptive,
    /// Writes failed, or may arrive late: what is on the target is not known.
    DataAffecting,
}

impl Class {
    /// The word of the method's list.
    pub fn name(self) -> &'static str {
        match self {
            Class::Transparent => "transparent",
            Class::Tolerable => "tolerable",
            Class::Disruptive => "disruptive",
            Class::DataAffecting => "data-affecting",
        }
    }
}

/// An application hardly notices less, s.
pub const TRANSPARENT_S: f64 = 1.0;
/// Hosts give an I/O up after that, s: the SCSI disk driver's timeout.
const TOLERABLE_S: f64 = 30.0;
/// A path carries its part again where its share is at least so much of what it was.
const CARRIES: f64 = 0.5;
/// A longest response time of so many times that before is something that was seen.
const LONGER: f64 = 3.0;
/// Responses have not come back where they are so many times those before, and so many standard deviations of bins above them.
const SLOWER: f64 = 1.5;
const SURE: f64 = 4.0;
/// Over how long a path's share is looked at, s.
const SHARE_OVER_S: f64 = 1.0;

/// One repeat.
#[derive(Debug)]
pub struct Repeat<'s> {
    pub step: &'s StepEvidence,
    /// Course of the disturbance; `None` where nothing can be seen of it: the action was not done, or there is nothing before or after it.
    pub seen: Option<SeenDisturbance<'s>>,
}

/// Disturbance as it was seen. Times s from the step's start, lengths s.
#[derive(Debug)]
pub struct SeenDisturbance<'s> {
    pub series: &'s StepSeries,
    pub cells: Cells,
    /// Times of the disturbance and of putting it back, s from the step's start.
    pub cut_s: f64,
    pub undo_s: Option<f64>,
    /// From the instant until it was put back, and from then on.
    pub dip: Dip,
    pub failback: Option<Dip>,
    pub recovered_s: Option<f64>,
    pub failback_recovered_s: Option<f64>,
    /// Times at which an I/O completed again, and the last of those that were out at the instant; s after it.
    pub first_completion_s: f64,
    pub last_completion_s: Option<f64>,
    /// Mean response times before the instant and at the end, where they did not come back to what they were.
    pub stayed_slow: Option<(f64, f64)>,
    /// The longest that one I/O took that came back after the instant.
    pub longest_s: f64,
    pub in_flight: f64,
    pub read_errors: u64,
    pub write_errors: u64,
    pub detected: Option<&'s PathEvent>,
    /// Time at which the path that was given up carried its part again; `None` where none was given up, or it never did.
    pub carried_again_s: Option<f64>,
    /// Number of times that a path went down after it was put back.
    pub ping_pong: usize,
}

/// True where a step's disturbance was done, and put back well.
pub fn was_done(step: &StepEvidence) -> bool {
    let planned = || step.actions.iter().filter(|a| a.planned_ns.is_some());
    planned().next().is_some() && planned().all(happened)
}

fn happened(action: &ActionEvidence) -> bool {
    action.began_ns.is_some() && action.failed.is_none()
}

impl<'s> Repeat<'s> {
    /// Of the step that was run; `base` says what was to be done.
    pub fn of(base: &Step, step: &'s StepEvidence) -> Self {
        Repeat {
            step,
            seen: SeenDisturbance::of(base, step),
        }
    }

    /// Class of the outcome; `None` where that was not seen.
    pub fn class(&self) -> Option<Class> {
        let seen = self.seen.as_ref()?;
        let unconfirmed = self.step.paths.iter().any(|p| p.unconfirmed_writes > 0);
        Some(if seen.write_errors > 0 || unconfirmed {
            Class::DataAffecting
        } else if self.errors() > 0 || seen.wait_s() >= TOLERABLE_S || seen.recovered_s.is_none() {
            Class::Disruptive
        } else if seen.wait_s() >= TRANSPARENT_S {
            Class::Tolerable
        } else {
            Class::Transparent
        })
    }

    /// I/Os that failed from the instant on.
    pub fn errors(&self) -> u64 {
        let seen = self.seen.as_ref();
        seen.map_or(0, |s| s.read_errors + s.write_errors)
    }

    /// I/Os that were taken off a path and sent again.
    pub fn reissued(&self) -> u64 {
        let paths = self.step.paths.iter().flat_map(|t| &t.paths);
        paths.map(|p| p.reissued).fold(0, u64::saturating_add)
    }
}

impl<'s> SeenDisturbance<'s> {
    fn of(base: &Step, step: &'s StepEvidence) -> Option<Self> {
        let series = step.series.as_ref()?;
        let mut planned = step.actions.iter().filter(|a| a.planned_ns.is_some());
        let done = planned.next().filter(|a| happened(a))?;
        let cut_ns = done.began_ns?;
        let undo = planned.next().and_then(|a| a.began_ns);
        let undo_ns = undo.or_else(|| ends_itself(base, cut_ns));
        let cells = Cells::of(series, cut_ns)?;
        let seconds = |ns: u64| ns as f64 / 1e9;
        let cut_s = seconds(cut_ns);
        let end_s = seconds(series.end_ns);
        let undo_s = undo_ns.map(seconds).filter(|at| *at < end_s);
        let after = sections_after(series);
        let sum = |of: fn(&Section) -> u64| after.iter().map(of).fold(0, u64::saturating_add);
        let in_sections: u64 = series
            .sections
            .iter()
            .map(|s| s.read_errors + s.write_errors)
            .fold(0, u64::saturating_add);
        // What failed after the last interval is only known of the step.
        let late = step.errors.saturating_sub(in_sections);
        let writes = step.ops.iter().any(|o| o.op != Op::Read);
        let longest = after.iter().filter_map(|s| s.response_max_ns).max();
        let events = || {
            step.paths
                .iter()
                .flat_map(|t| t.events.iter().map(move |e| (t, e)))
        };
        let down = |e: &PathEvent| e.state == PathState::Down;
        let detected = events().find(|(_, e)| down(e) && e.at_ns >= cut_ns);
        let carried_again_s = detected.zip(undo_s).and_then(|((target, event), undo_s)| {
            let paths = series.paths.iter().find(|p| p.of == target.target)?;
            let after_s = carries_again(series, paths, event.path as usize, cut_s, undo_s)?;
            // No path carries before it is back: bins are coarser than events.
            let is_back = |e: &&PathEvent| {
                e.path == event.path && e.state == PathState::Up && seconds(e.at_ns) >= undo_s
            };
            let back = target.events.iter().find(is_back);
            Some(back.map_or(after_s, |e| after_s.max(seconds(e.at_ns) - undo_s)))
        });
        let ping_pong = undo_ns.map_or(0, |undo| {
            events().filter(|(_, e)| down(e) && e.at_ns > undo).count()
        });
        let first = dip(&cells, cut_s, undo_s.unwrap_or(end_s));
        let failback = undo_s.map(|undo| dip(&cells, undo, end_s));
        let back_after = |from_s: f64, dip: &Dip| {
            let at = recovered_at(&cells, from_s)?;
            Some(dip.not_within(at) - from_s)
        };
        let recovered_s = back_after(cut_s, &first);
        let failback_recovered_s = undo_s
            .zip(failback.as_ref())
            .and_then(|(undo, dip)| back_after(undo, dip));
        let at_once = first.blackout_at_s <= cut_s + 2.0 * cells.length_s;
        Some(SeenDisturbance {
            first_completion_s: match first.blackout_s > 0.0 && at_once {
                true => first.blackout_at_s + first.blackout_s - cut_s,
                false => 0.0,
            },
            last_completion_s: last_of_instant(series, cut_ns),
            stayed_slow: stayed_slow(series, cut_ns),
            dip: first,
            failback,
            recovered_s,
            failback_recovered_s,
            longest_s: seconds(longest.unwrap_or(0)),
            in_flight: in_flight(series, cut_ns),
            read_errors: sum(|s| s.read_errors) + if writes { 0 } else { late },
            write_errors: sum(|s| s.write_errors) + if writes { late } else { 0 },
            detected: detected.map(|(_, event)| event),
            carried_again_s,
            ping_pong,
            series,
            cells,
            cut_s,
            undo_s,
        })
    }

    /// The longest that anybody waited, be it for one I/O or for any.
    pub fn wait_s(&self) -> f64 {
        self.blackout_s().max(self.longest_s)
    }

    /// The longest time without a completion.
    pub fn blackout_s(&self) -> f64 {
        let back = self.failback.map_or(0.0, |dip| dip.blackout_s);
        self.dip.blackout_s.max(back)
    }

    /// Time from the instant until the path was given up, s.
    pub fn detection_s(&self) -> Option<f64> {
        self.detected.map(|e| e.at_ns as f64 / 1e9 - self.cut_s)
    }

    /// True where nothing at all came of the disturbance.
    pub fn nothing_seen(&self) -> bool {
        let quiet = |dip: &Dip| *dip == Dip::default();
        let before = self.sections().first().and_then(|s| s.response_max_ns);
        let usual_s = LONGER * before.unwrap_or(0) as f64 / 1e9;
        quiet(&self.dip)
            && self.longest_s <= usual_s
            && self.failback.as_ref().is_none_or(quiet)
            && self.detected.is_none()
            && self.read_errors + self.write_errors == 0
    }

    /// The sections before, during and after: what there is of them.
    pub fn sections(&self) -> &'s [Section] {
        &self.series.sections
    }
}

/// Time at which a fault that ends by itself is over.
fn ends_itself(base: &Step, cut_ns: u64) -> Option<u64> {
    let Action::Fault(words) = &base.actions.first()?.action else {
        return None;
    };
    let lasts = words
        .split_whitespace()
        .find_map(|w| w.strip_prefix("for="));
    let lasts: Nanos = lasts?.parse().ok()?;
    Some(cut_ns.saturating_add(lasts.0))
}

/// The sections that begin with the action's time or later: it is the first action.
fn sections_after(series: &StepSeries) -> &[Section] {
    series.sections.get(1..).unwrap_or_default()
}

/// Time at which the last I/O completed that was out at the instant, s after it: of each bin the one is known that took longest.
fn last_of_instant(series: &StepSeries, cut_ns: u64) -> Option<f64> {
    let cut = series.bin_at(cut_ns)?;
    let end_ns = |bin: usize| {
        series
            .bin_start_ns(bin)
            .saturating_add(series.bin_length_ns(bin))
    };
    let was_out = |bin: &usize| {
        let longest_ns = series.bins[*bin].response_max_ns;
        longest_ns > 0 && end_ns(*bin).saturating_sub(longest_ns) <= cut_ns
    };
    let last = (cut..series.bins.len()).rev().find(was_out)?;
    Some(end_ns(last).saturating_sub(cut_ns) as f64 / 1e9)
}

/// Mean response times before the instant and at the end, s, where the latter are longer by more than chance: the rate may be back
/// while each I/O goes on waiting.
fn stayed_slow(series: &StepSeries, cut_ns: u64) -> Option<(f64, f64)> {
    let cut = series.bin_at(cut_ns)?;
    let mean = |bins: &[SeriesBin]| {
        let timed: f64 = bins.iter().map(|b| b.timed as f64).sum();
        let sum: f64 = bins.iter().map(|b| b.response_sum_ns as f64).sum();
        (timed > 0.0).then(|| sum / timed / 1e9)
    };
    let before = series.bins.get(..cut)?;
    let window = (CALM_S * 1e9 / series.bin_ns.max(1) as f64).ceil() as usize;
    let left = series.bins.len() - cut;
    let end = series
        .bins
        .get(series.bins.len() - window.min(left / 2)..)?;
    let (usual, now) = (mean(before)?, mean(end)?);
    let each: Vec<f64> = before.iter().filter_map(|b| mean(&[*b])).collect();
    let squares: f64 = each.iter().map(|m| (m - usual).powi(2)).sum();
    let scatter = (squares / each.len().max(1) as f64).sqrt();
    (now > SLOWER * usual && now - usual > SURE * scatter).then_some((usual, now))
}

/// Mean I/Os in flight in the bin before the instant.
fn in_flight(series: &StepSeries, cut_ns: u64) -> f64 {
    let before = series.bin_at(cut_ns).and_then(|bin| bin.checked_sub(1));
    before.map_or(0.0, |bin| {
        let length_ns = series.bin_length_ns(bin).max(1);
        series.bins[bin].depth_integral_ns as f64 / length_ns as f64
    })
}

/// Time at which a path carries at least half of its former share again, s after it was put back: over the second that begins with the
/// window in which that is first so, and in it the first bin that has such a share.
fn carries_again(
    series: &StepSeries,
    paths: &PathSeries,
    path: usize,
    cut_s: f64,
    undo_s: f64,
) -> Option<f64> {
    let own = paths.ios.get(path)?;
    let all = |bin: usize| -> u64 {
        let of_path = |p: &Vec<u64>| p.get(bin).copied().unwrap_or(0);
        paths.ios.iter().map(of_path).fold(0, u64::saturating_add)
    };
    let start_s = |bin: usize| series.bin_start_ns(bin) as f64 / 1e9;
    let share = |bins: std::ops::Range<usize>| {
        let sum: u64 = bins.clone().map(all).fold(0, u64::saturating_add);
        let mine: u64 = bins
            .filter_map(|b| own.get(b))
            .fold(0, |a, b| a.saturating_add(*b));
        (sum > 0).then(|| mine as f64 / sum as f64)
    };
    let count = series.bins.len();
    let cut = (0..count).find(|bin| start_s(*bin) >= cut_s)?;
    let before = share(0..cut)?;
    let window = (SHARE_OVER_S * 1e9 / series.bin_ns.max(1) as f64)
        .ceil()
        .max(1.0) as usize;
    let from = (0..count).find(|bin| start_s(*bin) >= undo_s)?;
    let back = (from..count).find(|bin| {
        let end = (bin + window).min(count);
        before > 0.0 && share(*bin..end).is_some_and(|now| now >= CARRIES * before)
    });
    let reached = |bin: &usize| share(*bin..bin + 1).is_some_and(|now| now >= CARRIES * before);
    let first = (back?..count).find(reached)?;
    Some(start_s(first) - undo_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_carries_again_when_it_has_its_share_and_not_a_second_before() {
        // Two equal paths, 100 ms a bin; the first is away from 1 s to 2.6 s, and was put back at 2 s.
        let away = |bin: usize| (10..26).contains(&bin);
        let series = StepSeries {
            end_ns: 6_000_000_000,
            bin_ns: 100_000_000,
            bins: vec![SeriesBin::default(); 60],
            ..StepSeries::default()
        };
        let first: Vec<u64> = (0..60).map(|bin| if away(bin) { 0 } else { 50 }).collect();
        let paths = PathSeries {
            ios: vec![first.clone(), first.iter().map(|n| 100 - n).collect()],
            ..PathSeries::default()
        };
        let after = carries_again(&series, &paths, 0, 1.0, 2.0).expect("it came back");
        assert!((after - 0.6).abs() < 1e-9, "{after}");
        let gone: Vec<u64> = (0..60).map(|bin| if bin >= 10 { 0 } else { 50 }).collect();
        let paths = PathSeries {
            ios: vec![gone, first],
            ..PathSeries::default()
        };
        assert_eq!(carries_again(&series, &paths, 0, 1.0, 2.0), None);
    }

    /// 100 ms a bin, ten I/Os each of so many ms, in the mean and at most, and the instant at 2 s.
    fn answering(ms: impl Fn(usize) -> (u64, u64)) -> StepSeries {
        let bin = |bin| {
            let (mean, longest) = ms(bin);
            SeriesBin {
                ios: 10,
                due: 10,
                timed: 10,
                response_sum_ns: 10 * mean * 1_000_000,
                response_max_ns: longest * 1_000_000,
                ..SeriesBin::default()
            }
        };
        StepSeries {
            end_ns: 20_000_000_000,
            bin_ns: 100_000_000,
            bins: (0..200).map(bin).collect(),
            ..StepSeries::default()
        }
    }

    #[test]
    fn responses_that_stay_slow_are_told_from_those_that_came_back() {
        let cut = 2_000_000_000;
        let stays = answering(|bin| if bin < 20 { (2, 4) } else { (5, 9) });
        assert_eq!(stayed_slow(&stays, cut), Some((0.002, 0.005)));
        let comes_back = answering(|bin| {
            if (20..120).contains(&bin) {
                (5, 9)
            } else {
                (2, 4)
            }
        });
        assert_eq!(stayed_slow(&comes_back, cut), None);
        // As slow at times before.
        let scatters = answering(|bin| {
            if bin % 2 == 0 || bin > 100 {
                (9, 9)
            } else {
                (2, 4)
            }
        });
        assert_eq!(stayed_slow(&scatters, cut), None);
    }

    #[test]
    fn the_last_of_those_that_were_out_is_known_by_its_length() {
        // Out since 1.95 s, and back at 5.05 s; another one that began after the instant took as long.
        let series = answering(|bin| match bin {
            50 => (2, 3100),
            60 => (2, 3100),
            _ => (2, 4),
        });
        let last = last_of_instant(&series, 2_000_000_000).expect("it came back");
        assert!((last - 3.1).abs() < 1e-9, "{last}");
    }

    #[test]
    fn no_rate_is_back_while_nothing_completes() {
        let dip = Dip {
            blackout_s: 30.0,
            blackout_at_s: 8.1,
            ..Dip::default()
        };
        assert_eq!(dip.not_within(37.7), 38.1);
        assert_eq!((dip.not_within(8.0), dip.not_within(40.0)), (8.0, 40.0));
    }
}
