//! The course of a soak: the parts of all its steps as one series.

use plimsoll_evidence::{StepEvidence, TimelinePart};

/// More values than this tell nothing more.
const VALUES_MAX: usize = 2048;
/// A load is carried where at least this share of what came due was done.
const CARRIED: f64 = 0.98;

/// Course of a soak over time. The time is its own: what lies between its steps is left out.
#[derive(Debug, Clone, Default)]
pub struct SoakCourse {
    /// By part.
    pub parts: Vec<TimelinePart>,
    /// Ends of the parts, s from the beginning.
    pub ends_s: Vec<f64>,
    /// Bytes written until then.
    pub written: Vec<f64>,
    /// The size of all targets together, bytes; 0 where it is not known.
    pub targets_bytes: u64,
    /// True where the soak was asked for a rate.
    pub is_open: bool,
}

impl SoakCourse {
    /// Of the steps that a soak was made of.
    pub fn of(steps: &[&StepEvidence]) -> Self {
        let timelines = || steps.iter().filter_map(|s| s.timeline.as_ref());
        let all: u64 = timelines()
            .flat_map(|t| &t.parts)
            .map(|p| p.length_ns)
            .fold(0, u64::saturating_add);
        let longest = timelines().filter_map(|t| t.parts.first());
        let longest = longest.map(|p| p.length_ns).max().unwrap_or(0);
        let length_ns = longest.max(all / VALUES_MAX as u64).max(1);
        let mut course = SoakCourse {
            targets_bytes: steps.iter().map(|s| s.targets_bytes).max().unwrap_or(0),
            is_open: steps.iter().any(|s| s.offered.is_some()),
            ..SoakCourse::default()
        };
        let mut written = 0.0;
        for timeline in timelines() {
            written += timeline.written_before as f64;
            for part in timeline.parts.iter().filter(|p| p.length_ns > 0) {
                written += part.written as f64;
                course.add(part, written, length_ns);
            }
        }
        course.join_last(length_ns);
        course
    }

    fn add(&mut self, part: &TimelinePart, written: f64, length_ns: u64) {
        let before = self.ends_s.last().copied().unwrap_or(0.0);
        let end = before + part.length_ns as f64 / 1e9;
        let fits = |p: &TimelinePart| p.length_ns.saturating_add(part.length_ns / 2) <= length_ns;
        match self.parts.last_mut() {
            Some(last) if fits(last) => {
                last.append(part);
                let at = self.ends_s.len() - 1;
                (self.ends_s[at], self.written[at]) = (end, written);
            }
            _ => {
                self.parts.push(*part);
                self.ends_s.push(end);
                self.written.push(written);
            }
        }
    }

    /// A last part that is too short to say what a whole one says goes to the one before it.
    fn join_last(&mut self, length_ns: u64) {
        if self.parts.len() < 2 || self.parts[self.parts.len() - 1].length_ns * 2 > length_ns {
            return;
        }
        if let (Some(last), Some(end), Some(written)) =
            (self.parts.pop(), self.ends_s.pop(), self.written.pop())
        {
            let at = self.parts.len() - 1;
            self.parts[at].append(&last);
            (self.ends_s[at], self.written[at]) = (end, written);
        }
    }

    /// I/Os per second, by part.
    pub fn rates(&self) -> Vec<f64> {
        let rate = |p: &TimelinePart| p.ios as f64 * 1e9 / p.length_ns as f64;
        self.parts.iter().map(rate).collect()
    }

    /// Mean response times, ns, by part; where none came back, as long as they are waited for.
    pub fn responses(&self) -> Vec<f64> {
        let mut last = 0.0;
        let mut of = |p: &TimelinePart| {
            last = match p.timed {
                0 => last + p.length_ns as f64,
                n => p.response_ns as f64 / n as f64,
            };
            last
        };
        self.parts.iter().map(&mut of).collect()
    }

    /// Length of the whole course, s.
    pub fn seconds(&self) -> f64 {
        self.ends_s.last().copied().unwrap_or(0.0)
    }

    /// Start of a part, s.
    pub fn start_s(&self, part: usize) -> f64 {
        match part.checked_sub(1) {
            Some(before) => self.ends_s[before.min(self.ends_s.len() - 1)],
            None => 0.0,
        }
    }

    /// The mean length of a part, s.
    pub fn part_s(&self) -> f64 {
        self.seconds() / self.parts.len().max(1) as f64
    }

    /// Number of times that all targets had been written when a part began; `None` where nothing is written, or their size is not known.
    pub fn overwrites_at(&self, part: usize) -> Option<f64> {
        if self.targets_bytes == 0 || self.written.last().is_none_or(|w| *w <= 0.0) {
            return None;
        }
        let written = part
            .checked_sub(1)
            .map_or(0.0, |before| self.written[before]);
        Some(written / self.targets_bytes as f64)
    }

    /// The same at the end.
    pub fn overwrites(&self) -> Option<f64> {
        self.overwrites_at(self.parts.len())
    }

    /// True where everything that came due in the first parts was done.
    pub fn is_carried(&self, parts: usize) -> bool {
        let sums = self.parts[..parts]
            .iter()
            .fold((0.0, 0.0), |(due, ios), p| {
                (due + p.due as f64, ios + p.ios as f64)
            });
        sums.1 >= CARRIED * sums.0
    }
}
