//! A verdict, of whichever method.

use super::Detail;
use super::curve::curve;
use super::method::method;
use super::style::Style;
use plimsoll_evidence::Verdict;

/// Answer of a method: tables, charts and sentences.
pub fn verdict(verdict: &Verdict, detail: Detail, style: &Style) -> String {
    match verdict {
        Verdict::Curve(verdict) => curve(verdict, style),
        Verdict::Method(verdict) => method(verdict, detail, style),
    }
}
