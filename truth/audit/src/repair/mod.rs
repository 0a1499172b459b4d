//! Repair: what a number would be without its fault, where that is arithmetic on what was observed.
//!
//! Each is a physical model of one cause in a file of its own, pure, and says of what it cannot compute why. How often they were right
//! beside clean runs that were simulated is in `docs/repair.md`.

mod before_fall;
mod even_owner;
mod misses;
mod rest;
mod settled;

pub(crate) use before_fall::before_fall;
pub(crate) use even_owner::even_owner;
pub(crate) use misses::misses;
pub(crate) use rest::rest;
pub(crate) use settled::{fell, settled};

use crate::RuleFinding;
use plimsoll_evidence::Quantity;
use plimsoll_printable::human;

/// What a rate would be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Repaired {
    /// Without what: `with an even load on all cores`.
    pub what: &'static str,
    /// I/Os per second.
    pub value: f64,
    /// Half width of the interval that the rate lies in, I/Os per second: of what was measured, and of the model.
    pub half_width: f64,
    /// The arithmetic, in words.
    pub how: &'static str,
}

/// A clean figure, or why there is none.
pub(crate) type Repair = Result<Repaired, &'static str>;

/// What a model may be off by itself, of the value.
const MODEL: f64 = 0.05;

impl Repaired {
    /// A value that was measured to `relative` of itself, by a model.
    fn by_model(what: &'static str, value: f64, relative: f64, how: &'static str) -> Repair {
        if !(value.is_finite() && value > 0.0) {
            return Err("nothing was measured of which it could be made");
        }
        Ok(Repaired {
            what,
            value,
            half_width: value * relative.hypot(MODEL),
            how,
        })
    }
}

impl RuleFinding {
    /// With the clean figure, or why there is none.
    #[must_use]
    pub(crate) fn repaired(mut self, repair: &Repair) -> Self {
        match repair {
            Ok(clean) => {
                self.message += &format!(
                    " {} it would be {} ± {}/s ({}).",
                    clean.what,
                    human::rate(clean.value),
                    human::rate(clean.half_width),
                    clean.how
                );
                self.value("clean", Quantity::PerSecond(clean.value))
                    .value("clean_half_width", Quantity::PerSecond(clean.half_width))
            }
            Err(why) => {
                self.message +=
                    &format!(" What it would be without that cannot be computed: {why}.");
                self
            }
        }
    }
}

/// The half-width of an estimate, of itself; none is taken for ten percent.
fn relative(estimate: plimsoll_evidence::Estimate) -> f64 {
    let half = estimate.half_width.filter(|_| estimate.mean > 0.0);
    half.map_or(0.1, |half| half / estimate.mean)
}

#[cfg(test)]
mod tests;
