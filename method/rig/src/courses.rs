//! Courses of steps, as the rules look at them: kept while a run goes on, or read from its record.

use crate::{Event, RigError};
use plimsoll_audit::StepCourse;
use plimsoll_evidence::StepEvidence;
use plimsoll_record::Record;

/// Courses of the steps, kept while they run.
#[derive(Debug, Default)]
pub(crate) struct Courses(pub Vec<StepCourse>);

impl Courses {
    /// Courses of a run that is gone on with.
    pub fn of_past(courses: &[StepCourse]) -> Self {
        Courses(courses.to_vec())
    }

    /// Takes what matters of an event.
    pub fn see(&mut self, event: &Event<'_>) {
        let Event::Interval { interval, .. } = event else {
            return;
        };
        if self.0.last().is_none_or(|c| c.step != interval.step) {
            self.0.push(StepCourse::new(interval.step));
        }
        if let Some(course) = self.0.last_mut() {
            course.push(interval);
        }
    }
}

/// The courses of a record's steps.
pub(crate) fn courses(
    record: &Record,
    steps: &[StepEvidence],
) -> Result<Vec<StepCourse>, RigError> {
    let mut courses = Vec::with_capacity(steps.len());
    for step in steps {
        let mut course = StepCourse::new(step.number);
        record.each_interval(step.number, |interval| course.push(&interval))?;
        courses.push(course);
    }
    Ok(courses)
}
