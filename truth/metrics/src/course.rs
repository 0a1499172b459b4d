//! What one endpoint told over a step.

use crate::FetchError;
use crate::flow::Flow;
use crate::look::Look;
use crate::mapping::MetricPlace;
use crate::told;
use plimsoll_evidence::{ArrayEvidence, ArrayInterval, Phase};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A step's looks at one endpoint.
pub(crate) struct LookSeries {
    last: Option<Look>,
    /// Before this nothing is counted.
    counts_from: Instant,
    /// The time from one look to the next.
    spacing: Duration,
    /// What happened in the counted time.
    counted: Option<Flow>,
    /// Places that any look told.
    places: BTreeSet<MetricPlace>,
    /// Name of the array.
    name: Option<String>,
    looks: u32,
    missed: u32,
    why: Option<FetchError>,
}

/// Result of a step's looks.
pub(crate) struct StepSeen {
    /// `None` where they told nothing of the counted time.
    pub counted: Option<ArrayEvidence>,
    /// Name of the array.
    pub name: Option<String>,
    /// Number of looks that told nothing, number of all looks, and the error of the last that failed.
    pub missed: Option<(u32, u32, FetchError)>,
    /// Metrics that were told, but of which nothing is known for the counted time.
    pub broken: Vec<&'static str>,
    /// All that was told.
    pub places: BTreeSet<MetricPlace>,
}

impl LookSeries {
    /// A step begins at `now`; its looks are to be so far apart.
    pub fn new(now: Instant, spacing: Duration) -> LookSeries {
        LookSeries {
            last: None,
            counts_from: now,
            spacing,
            counted: None,
            places: BTreeSet::new(),
            name: None,
            looks: 0,
            missed: 0,
            why: None,
        }
    }

    /// The first interval has begun then: the target was not asked for anything between the first look and this.
    pub fn begins(&mut self, at: Instant) {
        self.counts_from = at;
        if let Some(first) = &mut self.last {
            first.move_to(at);
        }
    }

    /// An interval has ended at `now`; these are the looks since the last one.
    pub fn interval(
        &mut self,
        looks: impl IntoIterator<Item = Result<Look, FetchError>>,
        phase: Phase,
        now: Instant,
    ) -> ArrayInterval {
        let mut during: Option<Flow> = None;
        for look in looks {
            let Some(flow) = self.see(look) else { continue };
            let from = self.last.as_ref().map_or(now, |l| l.at) - duration(flow.seconds);
            // A look may be a little before the end of its interval.
            let counts = from + self.spacing / 2 >= self.counts_from;
            if phase == Phase::Counted && counts {
                add(&mut self.counted, flow.clone());
            }
            add(&mut during, flow);
        }
        if phase == Phase::WarmUp {
            self.counts_from = now;
        }
        // What is longer is of other intervals as well.
        let own = during.filter(|f| f.seconds <= 1.5 * self.spacing.as_secs_f64());
        own.as_ref()
            .map_or_else(ArrayInterval::default, told::over_time)
    }

    /// Adds a look: what happened since the one before.
    pub fn see(&mut self, look: Result<Look, FetchError>) -> Option<Flow> {
        self.looks += 1;
        let look = match look {
            Ok(look) => look,
            Err(why) => {
                self.missed += 1;
                self.why = Some(why);
                return None;
            }
        };
        self.places.append(&mut look.places());
        if look.name.is_some() {
            self.name.clone_from(&look.name);
        }
        let flow = self.last.as_ref().map(|last| Flow::between(last, &look));
        self.last = Some(look);
        flow.filter(|f| f.seconds > 0.0)
    }

    /// The step is over.
    pub fn finish(self) -> StepSeen {
        let evidence = |f: &Flow| told::evidence(f, ArrayEvidence::default());
        StepSeen {
            counted: self.counted.as_ref().map(evidence),
            name: self.name,
            missed: self.why.map(|why| (self.missed, self.looks, why)),
            broken: self.counted.map_or_else(Vec::new, |f| f.broken()),
            places: self.places,
        }
    }
}

fn add(sum: &mut Option<Flow>, flow: Flow) {
    match sum {
        Some(sum) => sum.append(flow),
        None => *sum = Some(flow),
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mapping;

    const MS: Duration = Duration::from_millis(1);

    /// A lab that has served so many reads, `ms` from the start.
    fn look(start: Instant, ms: u32, reads: u32) -> Result<Look, FetchError> {
        let text = format!(
            "plimsoll_lab_requests_total{{op=\"read\"}} {reads}\nplimsoll_lab_bytes_total{{op=\"read\"}} 0\n\
             plimsoll_lab_requests_total{{op=\"write\"}} 0\nplimsoll_lab_bytes_total{{op=\"write\"}} 0\n"
        );
        Look::read(&Mapping::lab(), &text, start + ms * MS)
    }

    fn reads(seen: &StepSeen) -> Option<(u64, f64)> {
        let array = seen.counted.as_ref()?;
        Some((array.front_end?.reads.count, array.observed_s))
    }

    #[test]
    fn the_counted_time_is_from_the_last_look_of_the_warm_up_to_the_last_of_it() {
        let start = Instant::now();
        let mut course = LookSeries::new(start, 1000 * MS);
        assert_eq!(course.see(look(start, 0, 100)), None);
        let mut end = |ms, seen, phase| {
            let told = course.interval([look(start, ms - 20, seen)], phase, start + ms * MS);
            told.front_end_iops.map(f64::round)
        };
        assert_eq!(end(1000, 198, Phase::WarmUp), Some(100.0));
        assert_eq!(end(2000, 398, Phase::Counted), Some(200.0));
        assert_eq!(end(3000, 698, Phase::Counted), Some(300.0));
        assert_eq!(end(4000, 5000, Phase::Drain), Some(4302.0));
        assert_eq!(reads(&course.finish()), Some((500, 2.0)));
    }

    #[test]
    fn a_look_that_is_missing_leaves_its_interval_unseen_and_is_told() {
        let start = Instant::now();
        let mut course = LookSeries::new(start, 1000 * MS);
        course.see(look(start, 0, 0));
        let mut end = |ms, seen: Option<u32>| {
            let seen = seen.map_or(Err(FetchError::TooSlow), |n| look(start, ms, n));
            course.interval([seen], Phase::Counted, start + ms * MS)
        };
        assert_eq!(end(1000, Some(100)).front_end_iops, Some(100.0));
        assert_eq!(end(2000, None), ArrayInterval::default());
        // This look is of two intervals.
        assert_eq!(end(3000, Some(300)), ArrayInterval::default());
        assert_eq!(end(4000, Some(400)).front_end_iops, Some(100.0));
        let seen = course.finish();
        assert_eq!(reads(&seen), Some((400, 4.0)));
        assert_eq!(seen.missed, Some((1, 5, FetchError::TooSlow)));
    }

    #[test]
    fn a_restart_is_not_observable_in_its_interval_and_its_step() {
        let start = Instant::now();
        let mut course = LookSeries::new(start, 1000 * MS);
        course.see(look(start, 0, 900));
        let mut end =
            |ms, n| course.interval([look(start, ms, n)], Phase::Counted, start + ms * MS);
        assert_eq!(end(1000, 1000).front_end_iops, Some(100.0));
        assert_eq!(end(2000, 50).front_end_iops, None);
        assert_eq!(end(3000, 150).front_end_iops, Some(100.0));
        let seen = course.finish();
        assert_eq!(seen.counted.unwrap().front_end, None);
        assert_eq!(seen.broken, ["reads"]);
    }

    #[test]
    fn a_look_from_the_warm_up_does_not_bring_it_into_the_counted_time() {
        let start = Instant::now();
        let mut course = LookSeries::new(start, 1000 * MS);
        course.see(look(start, 0, 0));
        course.interval([], Phase::WarmUp, start + 1000 * MS);
        course.interval([], Phase::WarmUp, start + 2000 * MS);
        course.interval([look(start, 2990, 9000)], Phase::Counted, start + 3000 * MS);
        course.interval([look(start, 3990, 9100)], Phase::Counted, start + 4000 * MS);
        assert_eq!(reads(&course.finish()), Some((100, 1.0)));
    }

    #[test]
    fn what_a_step_takes_to_begin_is_no_time_of_the_array() {
        let start = Instant::now();
        let mut course = LookSeries::new(start, 1000 * MS);
        let at = |ms, up: f64, busy: u32| {
            let text = format!(
                "plimsoll_lab_uptime_seconds {up}\nplimsoll_lab_core_busy_seconds_total{{core=\"0\"}} {busy}\n"
            );
            Look::read(&Mapping::lab(), &text, start + ms * MS)
        };
        course.see(at(0, 10.0, 7));
        course.begins(start + 600 * MS);
        let told = course.interval([at(1600, 11.6, 8)], Phase::Counted, start + 1600 * MS);
        assert_eq!(told.core_max.map(|c| (c * 1e6).round()), Some(1e6));
        let array = course.finish().counted.unwrap();
        assert!(
            (array.observed_s - 1.0).abs() < 1e-9,
            "{}",
            array.observed_s
        );
    }

    #[test]
    fn a_step_without_looks_has_nothing() {
        let start = Instant::now();
        let mut course = LookSeries::new(start, 1000 * MS);
        course.see(Err(FetchError::Refused(404)));
        course.interval([], Phase::Counted, start + 1000 * MS);
        let seen = course.finish();
        assert!(seen.counted.is_none() && seen.broken.is_empty());
        assert_eq!(seen.missed, Some((1, 1, FetchError::Refused(404))));
    }
}
