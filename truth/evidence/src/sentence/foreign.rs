//! What is doubtful of a result that another tool produced, in words. Where several of its runs have the same doubt, the numbers
//! are those of the first that is named.

mod content;
mod load;
mod times;

use super::{Make, Values};
use plimsoll_printable::human;

/// The rules of other tools' results.
pub(super) const RULES: &[(&str, Make)] = &[
    ("mean-impossible", times::mean_impossible),
    ("depth-disagrees", load::depth_disagrees),
    ("depth-above-threads", load::depth_above_threads),
    ("depth-not-reached", load::depth_not_reached),
    ("depth-ignored", load::depth_ignored),
    ("percentiles-disordered", times::percentiles_disordered),
    ("percentile-above-max", times::percentile_above_max),
    ("mean-outside", times::mean_outside),
    ("spread-impossible", times::spread_impossible),
    ("spread-too-small", times::spread_too_small),
    ("percentiles-against-mean", times::percentiles_against_mean),
    ("histogram-against-mean", times::histogram_against_mean),
    (
        "histogram-against-percentiles",
        times::histogram_against_percentiles,
    ),
    ("depths-against-mean", load::depths_against_mean),
    ("fields-disagree", load::fields_disagree),
    ("timed-against-counted", times::timed_against_counted),
    ("shares-of-nothing", load::shares_of_nothing),
    ("samples-disordered", load::samples_disordered),
    ("percentile-beyond-data", times::percentile_beyond_data),
    ("answered-by-memory", times::answered_by_memory),
    ("minimum-impossible", times::minimum_impossible),
    ("longer-than-run", times::longer_than_run),
    ("stall-hidden", times::stall_hidden),
    ("sent-not-intended", times::sent_not_intended),
    ("square-wave-limit", times::square_wave_limit),
    ("throttle-in-latency", times::throttle_in_latency),
    ("rate-missed", load::rate_missed),
    ("rate-exceeded", load::rate_exceeded),
    ("rate-over-the-longest", load::rate_over_the_longest),
    ("points-on-ceiling", load::points_on_ceiling),
    ("maximum-no-latency", load::maximum_no_latency),
    ("collapse", load::collapse),
    ("fell-in-warm-up", load::fell_in_warm_up),
    ("less-with-more-depth", load::less_with_more_depth),
    ("unsteady", load::unsteady),
    ("samples-scatter", load::samples_scatter),
    ("first-interval-counted", load::first_interval_counted),
    ("average-disagrees", load::average_disagrees),
    ("no-warm-up", load::no_warm_up),
    ("too-short", load::too_short),
    ("wrote-zeros", content::wrote_zeros),
    ("wrote-the-same", content::wrote_the_same),
    ("wrote-reused", content::wrote_reused),
    ("content-reducible", content::content_reducible),
    ("read-what-was-made", content::read_what_was_made),
    ("through-page-cache", content::through_page_cache),
    ("answered-above-disk", content::answered_above_disk),
    ("small-target", content::small_target),
    ("hit-area", content::hit_area),
    ("generator-busy", load::generator_busy),
    ("errors-counted", load::errors_counted),
    ("nothing-done", load::nothing_done),
    ("null-engine", load::null_engine),
    ("counts-disagree", load::counts_disagree),
    ("bandwidth-disagrees", load::bandwidth_disagrees),
    ("threads-share-sequence", content::threads_share_sequence),
];

/// The runs that a finding is about.
fn who(v: &Values) -> Option<String> {
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
fn depth(number: f64) -> String {
    match (number - number.round()).abs() < 0.005 {
        true => human::count(number.round() as u64),
        false => human::number(number),
    }
}
