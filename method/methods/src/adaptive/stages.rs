//! What the adaptive curve measures, part by part.

use super::crossing::{Crossing, Line, crossing};
use super::sight::{Goal, Leg, Point, Sight};
use super::{Adaptive, SearchProgress, Stop, Wanted};
use crate::completed_steps::CompletedSteps;
use crate::knee::knee;
use crate::reading::{Reading, read};
use plimsoll_evidence::SloStatistic;

/// A capacity is known well enough where its 95 % interval reaches no further than this share of it to either side.
pub(super) const GOOD_ENOUGH: f64 = 0.01;
/// Of what the maximum leaves free, the next rate of the way up leaves this share: responses then grow by like factors.
const NEXT_FREE: f64 = 2.0 / 3.0;
/// Share of the greatest rate that the first rate leaves free.
const FIRST_FREE: f64 = 0.75;
/// The way up ends where so little is left free; the last rate is past the maximum, for the case that it is none.
const LEAST_FREE: f64 = 0.025;
const PAST_MAXIMUM: f64 = 1.03;
/// Rates below the first are tried down to this share of the maximum.
const LEAST_RATE: f64 = 1.0 / 64.0;
/// Points about a capacity lie this far from it.
const BESIDE: f64 = 0.01;
/// The most points that close in on one limit, or are measured about it.
const TRIES: usize = 6;
/// The knee's neighbours are near enough at this share of the maximum, and so many points may be spent on that.
const KNEE_GAP: f64 = 0.04;
const KNEE_TRIES: usize = 4;

/// A stage: its name, the share of the budget at which it ends, and what it does.
type Stage = for<'s, 'f, 'c, 'a> fn(
    &'s Adaptive,
    &'f mut CompletedSteps<'a>,
    &'c mut SearchProgress<'a>,
) -> Result<(), Stop>;

impl Adaptive {
    pub(super) fn stages(&self) -> [(&'static str, f64, Stage); 6] {
        [
            ("the way up", 0.60, Adaptive::go_up),
            ("closing in on the limits", 0.70, Adaptive::close_in),
            ("confirming behind a full load", 0.85, Adaptive::confirm),
            ("closing in on the knee", 0.85, Adaptive::close_in_on_knee),
            ("measuring about the limits", 0.92, Adaptive::about_limits),
            ("the way down", 1.0, Adaptive::go_down),
        ]
    }

    fn look(&self, rate: f64, leg: Leg) -> Wanted {
        Wanted {
            rate,
            leg,
            seconds: self.look_s(rate),
            may_end: true,
        }
    }

    fn go_up<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Stop> {
        let most = course.most();
        let mut free = FIRST_FREE;
        loop {
            let share = match free < LEAST_FREE {
                true => PAST_MAXIMUM,
                false => 1.0 - free,
            };
            let point = self.measure(completed_steps, course, &self.look(most * share, Leg::Up))?;
            if point.is_full() || self.all_broken(course) || free < LEAST_FREE {
                break;
            }
            free *= NEXT_FREE;
        }
        self.go_below(completed_steps, course)
    }

    /// Smaller rates, where some limit is not even kept by the first.
    fn go_below<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Stop> {
        let mut rate = course.most() * (1.0 - FIRST_FREE);
        while rate > LEAST_RATE * course.most() && self.any_below(course) {
            rate /= 2.0;
            self.measure(completed_steps, course, &self.look(rate, Leg::Bend))?;
        }
        Ok(())
    }

    fn all_broken(&self, course: &SearchProgress) -> bool {
        self.goals.iter().all(|g| {
            let found = course.crossing(g);
            !matches!(found, None | Some(Crossing::Above(_)))
        })
    }

    /// True where some limit may be kept by less load than there was so far.
    fn any_below(&self, course: &SearchProgress) -> bool {
        let is = |g: &Goal| {
            let sights = course.sights(g);
            crossing(&sights, course.most()) == Some(Crossing::Below) && may_be_kept(&sights)
        };
        self.goals.iter().any(is)
    }

    /// Halves the gaps in which limits lie, until a line can be drawn through them or they are narrow.
    fn close_in<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Stop> {
        for goal in &self.goals {
            for _ in 0..TRIES {
                let Some(Crossing::Between(low, high)) = course.crossing(goal) else {
                    break;
                };
                if high - low <= 2.0 * GOOD_ENOUGH {
                    break;
                }
                let middle = (low + high) / 2.0;
                self.measure(completed_steps, course, &self.look(middle.exp(), Leg::Bend))?;
            }
        }
        Ok(())
    }

    fn close_in_on_knee<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Stop> {
        for _ in 0..KNEE_TRIES {
            let readings = mean_curve(course);
            let Ok(bend) = knee(&readings) else {
                return Ok(());
            };
            let rates: Vec<f64> = readings.iter().map(|r| r.rate.mean).collect();
            let Some(at) = rates.iter().position(|r| *r >= bend.mean) else {
                return Ok(());
            };
            let gap = |n: usize| Some((*rates.get(n)?, *rates.get(n + 1)?));
            let gaps = [at.checked_sub(1).and_then(gap), gap(at)];
            let widest = gaps
                .into_iter()
                .flatten()
                .max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
            match widest {
                Some((low, high)) if high - low > KNEE_GAP * course.most() => {
                    let middle = (low + high) / 2.0;
                    self.measure(completed_steps, course, &self.look(middle, Leg::Bend))?;
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Measures about each limit's capacity, by falling rate, each in its part of what is left.
    fn about_limits<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Stop> {
        let place = |g: &Goal| match course.crossing(g) {
            Some(Crossing::Line(line)) => Some(line.x),
            Some(Crossing::Between(low, high)) => Some((low + high) / 2.0),
            _ => None,
        };
        let mut goals: Vec<(f64, &Goal)> = self
            .goals
            .iter()
            .filter_map(|g| Some((place(g)?, g)))
            .collect();
        goals.sort_by(|a, b| b.0.total_cmp(&a.0));
        let until_s = course.until_s;
        let mut cut = false;
        for (done, (_, goal)) in goals.iter().enumerate() {
            let left = (goals.len() - done) as f64;
            course.until_s = course.spent_s + (until_s - course.spent_s) / left;
            match self.about(completed_steps, course, goal) {
                Err(Stop::Budget) => cut = true,
                other => other?,
            }
        }
        match cut {
            true => Err(Stop::Budget),
            false => Ok(()),
        }
    }

    fn about<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
        goal: &Goal,
    ) -> Result<(), Stop> {
        for _ in 0..TRIES {
            let wanted = match course.crossing(goal) {
                Some(Crossing::Between(low, high)) if high - low > 2.0 * GOOD_ENOUGH => {
                    self.look(((low + high) / 2.0).exp(), Leg::Bend)
                }
                Some(Crossing::Line(line)) => match self.beside(course, goal, &line) {
                    Some(wanted) => wanted,
                    None => return Ok(()),
                },
                _ => return Ok(()),
            };
            self.measure(completed_steps, course, &wanted)?;
        }
        Ok(())
    }

    /// The next point about a capacity: one above it, one below it, and then at it until it is known well enough.
    ///
    /// How long it is, what was seen before decides (Stein 1945, "A two-sample test for a linear hypothesis whose power is
    /// independent of the variance"). So no interval ends a measurement because it happens to be narrow.
    fn beside(&self, course: &SearchProgress, goal: &Goal, line: &Line) -> Option<Wanted> {
        let sights = course.sights(goal);
        let near = |from: f64, to: f64| {
            let of_limit = |s: &&Sight| s.leg == Leg::Limit;
            let inside = |s: &&Sight| (from..=to).contains(&(s.x - line.x));
            sights.iter().filter(of_limit).find(inside).is_some()
        };
        let (above, below) = (near(0.0, 2.0 * BESIDE), near(-2.0 * BESIDE, 0.0));
        if above && below && line.half_width <= GOOD_ENOUGH {
            return None;
        }
        let x = match (above, below) {
            (false, _) => line.x + BESIDE,
            (true, false) => line.x - BESIDE,
            (true, true) => line.x,
        };
        let seen = sights.iter().filter_map(|s| Some((s, s.seen?)));
        let (nearest, seen) =
            seen.min_by(|a, b| (a.0.x - x).abs().total_cmp(&(b.0.x - x).abs()))?;
        // The variance of a second's response, and the seconds whose mean is as certain as the capacity is to be.
        let second = seen.error.powi(2) * nearest.seconds;
        let needed = second * (2.0 / (GOOD_ENOUGH * line.slope)).powi(2);
        let share = match (above, below) {
            (true, true) => (1.0 - (GOOD_ENOUGH / line.half_width).powi(2)).clamp(0.3, 1.0),
            _ => 0.6,
        };
        let rate = x.exp();
        let longest = self.spec.longest.as_secs_f64();
        Some(Wanted {
            rate,
            leg: Leg::Limit,
            seconds: (share * needed).max(self.look_s(rate)).min(longest),
            may_end: false,
        })
    }

    /// Two rates of the way up once more: the greatest that keeps a limit, and one about half of it.
    fn go_down<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Stop> {
        let mut seen: Vec<(f64, f64)> = course
            .points
            .iter()
            .filter(|p| p.leg == Leg::Up && !p.is_full())
            .map(|p| (p.rate, p.step.counted_s))
            .collect();
        seen.sort_by(|a, b| b.0.total_cmp(&a.0));
        // A point at which no limit is kept is too steep to compare.
        let kept = |rate: f64| self.goals.iter().any(|g| keeps(course, g, rate));
        let Some(first) = seen.iter().find(|(rate, _)| kept(*rate)).or(seen.last()) else {
            return Ok(());
        };
        let half = seen.iter().find(|(rate, _)| *rate <= 0.7 * first.0);
        let again: Vec<(f64, f64)> = std::iter::once(first).chain(half).copied().collect();
        for (rate, seconds) in again {
            let wanted = Wanted {
                seconds,
                may_end: false,
                ..self.look(rate, Leg::Down)
            };
            self.measure(completed_steps, course, &wanted)?;
        }
        Ok(())
    }
}

fn keeps(course: &SearchProgress, goal: &Goal, rate: f64) -> bool {
    match course.crossing(goal) {
        Some(Crossing::Line(line)) => rate.ln() < line.x,
        Some(Crossing::Between(low, _) | Crossing::Above(low)) => rate.ln() <= low,
        Some(Crossing::Below) | None => false,
    }
}

/// Responses bend upwards with the load, so that the line through the two smallest rates lies below the curve at less load:
/// where even that does not come down to the limit, nothing does.
pub(super) fn may_be_kept(sights: &[Sight]) -> bool {
    let mut open: Vec<(f64, f64, f64)> = sights
        .iter()
        .filter_map(|s| Some((s.x.exp(), s.seen?.y.exp(), s.seen?.error)))
        .collect();
    open.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(x0, y0, error), (x1, y1, _), ..] = open[..] else {
        return true;
    };
    let at_rest = y0 - (y1 - y0) * x0 / (x1 - x0).max(f64::MIN_POSITIVE);
    at_rest - 2.0 * error * y0 <= 1.0
}

/// The mean response of the points that are not saturated, by rising rate.
fn mean_curve(course: &SearchProgress) -> Vec<Reading> {
    let is_open = |p: &&Point| !p.is_full() && p.leg != Leg::Confirm;
    let open = course.points.iter().filter(is_open);
    let mut readings: Vec<Reading> = open
        .filter_map(|p| read(p.step, SloStatistic::Mean))
        .collect();
    readings.sort_by(|a, b| a.rate.mean.total_cmp(&b.rate.mean));
    readings
}
