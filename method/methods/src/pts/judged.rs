//! A test of the specification with what is known of its steadiness.

use super::{Pts, State};
use plimsoll_measure::SteadyWindow;

/// Level of a cell over the rounds of the window.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Level {
    pub mean: f64,
    /// 95 % interval of the mean of the rounds; `None` below two.
    pub interval: Option<(f64, f64)>,
}

/// A test with what is known of its steadiness.
pub(super) struct Judged<'t, 'e> {
    pub pts: &'t Pts,
    pub state: &'t State<'e>,
    /// The rounds that the results are of.
    pub window: Vec<usize>,
    pub windows: Vec<SteadyWindow>,
    pub steady: bool,
}
