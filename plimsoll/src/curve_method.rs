//! Method of a curve where flags and words alone say what it is: points that are given, or chosen.

use crate::cli::PointsArgs;
use crate::reading;
use plimsoll_dialects::native::Method;

/// A flag of a method, the method's key, and what the flag says.
pub type MethodFlag = (&'static str, &'static str, String);

/// Method of a curve that nobody called adaptive. A target that is asked for a limit alone has its points chosen: only so its capacity
/// has an interval.
pub fn curve_method(what: &[String], points: &PointsArgs) -> (Method, Vec<MethodFlag>) {
    let asks_limit = !points.slo.is_empty() && points.percents.is_none();
    match asks_limit && names_targets(what) {
        true => adaptive(None),
        false => (Method::Curve, Vec::new()),
    }
}

/// The adaptive curve, within a budget of time where there is one.
pub fn adaptive(budget: Option<&str>) -> (Method, Vec<MethodFlag>) {
    let method = ("--adaptive", "method", "adaptive".to_string());
    let budget = budget.map(|b| ("--budget", "budget", b.to_string()));
    (
        Method::Named("adaptive"),
        [method].into_iter().chain(budget).collect(),
    )
}

/// True where the words name targets: a definition says itself what its curve is.
pub fn names_targets(what: &[String]) -> bool {
    !what.is_empty() && reading::are_targets(what)
}
