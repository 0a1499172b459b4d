//! What the paths to each target carried over a step's time.

use plimsoll_evidence::{Interval, StepSeries};
use plimsoll_methods::course::PathCourse;
use plimsoll_plan::Step;

/// Gathers it, interval by interval.
#[derive(Debug, Default)]
pub(crate) struct PathCourses {
    each: Vec<PathCourse>,
    /// Start of the counted time.
    counted_from_ns: Option<u64>,
}

impl PathCourses {
    /// By the end of an interval each path of each target had carried so many I/Os since the step began.
    pub fn add(&mut self, step: &Step, interval: &Interval, carried: Vec<Vec<u64>>) {
        if self.each.is_empty() {
            let course = |paths: &Vec<u64>| PathCourse::new(step, vec![0; paths.len()]);
            self.each = carried.iter().map(course).collect();
        }
        if interval.counts() {
            self.counted_from_ns.get_or_insert(interval.start_ns);
        }
        let from = self.counted_from_ns.filter(|_| interval.counts());
        for (course, carried) in self.each.iter_mut().zip(carried) {
            course.add(interval, from, carried);
        }
    }

    /// Puts it into the step's series; `names` are those of the targets and of their paths, in the same order. One path alone
    /// says nothing.
    pub fn finish(self, names: Vec<(String, Vec<String>)>, series: &mut StepSeries) {
        let several = self.each.into_iter().zip(names);
        let several = several.filter(|(_, (_, paths))| paths.len() > 1);
        series.paths = several
            .map(|(course, (of, paths))| course.finish(series, &of, paths))
            .collect();
    }
}
