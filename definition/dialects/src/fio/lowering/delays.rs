//! Delays (`startdelay`). fio counts them from its own start, also those of jobs behind a `stonewall`: what the jobs before them took is part
//! of them.

use super::stream::Made;
use super::{Complaints, refused, warn_differs};
use crate::fio::Job;
use plimsoll_diagnostic::Diagnostic;

/// When the next jobs' turn comes, ns from fio's start: at the earliest, and at the latest, where that is known.
#[derive(Debug, Default)]
pub(super) struct Delays {
    earliest: u64,
    latest: Option<u64>,
    /// The job that waits in its turn, and its delay.
    waiting: Option<(String, u64)>,
}

impl Delays {
    /// Makes the delays of jobs that start together count from their turn; `first` where there are none before them.
    pub fn at_their_turn(
        &mut self,
        made: &mut [(&Job, Made)],
        first: bool,
        found: &mut Complaints,
    ) -> Result<(), Diagnostic> {
        if first {
            self.latest = Some(0);
        }
        for (at, (job, made)) in made.iter_mut().enumerate() {
            let delay = made.times.delay.0;
            if let Some((name, before)) = &self.waiting
                && delay < *before
            {
                return Err(refused(
                    job,
                    "startdelay",
                    format!(
                        "fio starts job {} before job {name}, which still waits for its startdelay=",
                        job.name
                    ),
                    format!("write job {name} behind it"),
                ));
            }
            made.times.delay.0 = delay.saturating_sub(self.earliest);
            if first || made.times.delay.0 == 0 {
                continue;
            }
            if at == 0 {
                self.waiting = Some((job.name.clone(), delay));
            }
            if self.latest != Some(self.earliest) {
                found.warn(warn_differs(
                    job,
                    "startdelay",
                    format!(
                        "fio counts the startdelay= of job {} from its own start, and how long the jobs before it take is not known: here it waits {} when its turn comes",
                        job.name, made.times.delay
                    ),
                ));
            }
        }
        // Whether its delay was over when its turn came nobody knows, and so not what of the jobs behind it was earlier.
        if self.latest != Some(self.earliest) {
            self.waiting = None;
        }
        Ok(())
    }

    /// Counts the time of jobs that start together; `known` where none of them begins or ends with another.
    pub fn went_on(&mut self, made: &[(&Job, Made)], known: bool) {
        let begin = |m: &Made| m.times.delay.0.saturating_add(m.times.ramp.0);
        let end = |m: &Made| Some(begin(m).saturating_add(m.times.run?.0));
        let made = || made.iter().map(|(_, m)| m);
        let least = |m: &Made| match m.times.goes_on {
            true if known => end(m).unwrap_or(m.times.delay.0),
            _ => m.times.delay.0,
        };
        let most: Option<Vec<u64>> = made()
            .map(|m| Some(end(m)?.saturating_add(m.times.spread.0)))
            .collect();
        let most = most.and_then(|most| most.into_iter().max());
        let latest = self.latest.zip(most.filter(|_| known));
        self.latest = latest.map(|(latest, most)| latest.saturating_add(most));
        let least = made().map(least).max().unwrap_or(0);
        self.earliest = self.earliest.saturating_add(least);
    }

    /// Counts what takes nobody knows how long.
    pub fn took_any_time(&mut self) {
        self.latest = None;
    }
}
