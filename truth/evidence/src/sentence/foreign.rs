//! What is doubtful of a result that another tool produced, in words. Where several of its runs have the same doubt, the numbers
//! are those of the first that is named.

mod content;
mod load;
mod times;

use super::template::Said;
use super::{Make, Values};
use plimsoll_printable::human;

/// Rules of other tools' results whose sentences are texts.
pub(super) const SAID: [&[Said]; 3] = [content::SAID, load::SAID, times::SAID];

/// Those whose sentences have to be made.
pub(super) const RULES: &[(&str, Make)] = &[
    ("depth-above-threads", load::depth_above_threads),
    ("fields-disagree", load::fields_disagree),
    ("stall-hidden", times::stall_hidden),
    ("collapse", load::collapse),
    ("less-with-more-depth", load::less_with_more_depth),
    ("through-page-cache", content::through_page_cache),
    ("generator-busy", load::generator_busy),
];

/// The runs that a finding is about.
pub(super) fn who(v: &Values) -> Option<String> {
    let runs = v.texts("run")?;
    let first = runs.first()?;
    Some(match runs.len() {
        1 => format!("`{first}`"),
        2 => format!("`{first}` and `{}`", runs[1]),
        n => format!("`{first}` and {} others", n - 1),
    })
}

fn bytes(v: &Values, name: &str) -> Option<String> {
    Some(human::bytes(v.number(name)? as u64))
}

/// I/Os in flight: whole ones without decimals.
pub(super) fn depth(number: f64) -> String {
    match (number - number.round()).abs() < 0.005 {
        true => human::count(number.round() as u64),
        false => human::number(number),
    }
}
