//! What is doubtful of a result that another tool produced, in words. Where several of its runs have the same doubt, the numbers
//! are those of the first that is named.

mod claim;
mod content;
mod load;
mod times;

use super::template::Said;
use super::{Make, Values};
use plimsoll_printable::human;

/// Rules of other tools' results whose sentences are texts.
pub(super) const SAID: [&[Said]; 4] = [claim::SAID, content::SAID, load::SAID, times::SAID];

/// Rules whose sentences have to be made.
pub(super) const RULES: &[(&str, Make)] = &[
    ("depth-above-threads", load::depth_above_threads),
    ("fields-disagree", load::fields_disagree),
    ("stall-hidden", times::stall_hidden),
    ("collapse", load::collapse),
    ("fell-in-warm-up", load::fell_in_warm_up),
    ("less-with-more-depth", load::less_with_more_depth),
    ("through-page-cache", content::through_page_cache),
    ("generator-busy", load::generator_busy),
];

fn bytes(v: &Values, name: &str) -> Option<String> {
    Some(human::bytes(v.number(name)? as u64))
}
