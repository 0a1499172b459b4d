//! What lets more through for a while than all the time.
//!
//! A limiter of rates (a bucket of tokens, as nbdkit's filter, cgroups and cloud volumes have it) saves up what was not used, and
//! lets it through at once. A short point past its limit then looks as if it were carried. So where the response leaps, the
//! greatest rate that kept its limit is measured once more right behind a full load, which leaves nothing saved up.
//!
//! There the I/Os come at even distances: behind an empty bucket random ones would wait for each other at any rate, which they
//! do not once the bucket is full. Past the limit by a share `e` the wait after a time `t` is `e t`, so that its mean is past a
//! limit `s` where the point is longer than `2 s / e`.

use super::crossing::Crossing;
use super::sight::{Goal, Leg, Point, is_same_rate};
use super::stages::GOOD_ENOUGH;
use super::{Adaptive, SearchProgress, Stop, Wanted};
use crate::completed_steps::CompletedSteps;

/// A point behind a full load is so many times as long as the limit takes to show that the rate is past it by [`GOOD_ENOUGH`].
const TIMES: f64 = 4.0;
/// The most points behind a full load about one limit.
const TRIES: usize = 8;

impl Adaptive {
    /// Measures the capacities at leaps behind a full load.
    pub(super) fn confirm<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Stop> {
        for goal in &self.goals {
            for _ in 0..TRIES {
                let Some(rate) = to_confirm(course, goal) else {
                    break;
                };
                self.behind_full(completed_steps, course, goal, rate)?;
            }
        }
        Ok(())
    }

    fn behind_full<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
        goal: &Goal,
        rate: f64,
    ) -> Result<(), Stop> {
        let shows = TIMES * goal.limit_ns as f64 / 1e9 / GOOD_ENOUGH;
        let look = self.spec.look.as_secs_f64();
        let seconds = shows.max(look).min(self.spec.longest.as_secs_f64());
        let both = look + seconds + 2.0 * self.spec.warmup.as_secs_f64();
        if course.until_s - course.spent_s < both {
            return Err(Stop::Budget);
        }
        let full = completed_steps
            .measure(|| self.full_load(course))
            .map_err(Stop::Pause)?;
        course.took(full);
        course.full_loads += 1;
        course.at_once = true;
        let wanted = Wanted {
            rate,
            leg: Leg::Confirm,
            seconds,
            may_end: false,
        };
        self.measure(completed_steps, course, &wanted)?;
        course.at_once = false;
        Ok(())
    }
}

/// The rate that is to be measured behind a full load: the greatest that keeps a limit, and then the middle of a gap that this
/// has made wide.
fn to_confirm(course: &SearchProgress, goal: &Goal) -> Option<f64> {
    match course.crossing(goal)? {
        Crossing::Between(low, _) | Crossing::Above(low) if !is_confirmed(&course.points, low) => {
            Some(low.exp())
        }
        Crossing::Between(low, high) if high - low > 2.0 * GOOD_ENOUGH => {
            Some(((low + high) / 2.0).exp())
        }
        _ => None,
    }
}

/// True where a rate, by its logarithm, was measured behind a full load.
pub(super) fn is_confirmed(points: &[Point], x: f64) -> bool {
    let mut confirmed = points.iter().filter(|p| p.leg == Leg::Confirm);
    confirmed.any(|p| is_same_rate(p.rate.ln(), x))
}
