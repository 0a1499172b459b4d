//! A soak's course, judged.

use super::course::SoakCourse;
use super::drop::Drop;
use super::power::Visible;
use super::wave::Wave;

/// Outcome of a soak.
#[derive(Debug, Clone, PartialEq)]
pub enum SoakOutcome {
    /// Series of too few values.
    Short,
    /// The rate falls and stays there.
    RateCliff(Drop),
    /// The response time rises and stays there, at the same rate; the drop is that of its inverse.
    ResponseCliff(Drop),
    /// Stall at the end.
    Standstill(Drop),
    /// The level moves; by this share all the while where it drifts.
    NeverSteady(Option<f64>),
    /// A cliff could have been hidden in the noise.
    Noisy,
    /// None.
    NoCliff,
}

/// A soak's course, judged.
#[derive(Debug, Clone)]
pub struct Judged {
    pub course: SoakCourse,
    pub rates: Vec<f64>,
    pub responses: Vec<f64>,
    pub answer: SoakOutcome,
    /// The part from which on its last level stays.
    pub steady_from: Option<usize>,
    pub wave: Option<Wave>,
    /// The drop that would have been seen.
    pub visible: Option<Visible>,
}
