//! The page of a test over time.

use super::plot::Plot;
use super::{address, page, problem, text, time, word};
use crate::index::Run;
use crate::item;
use crate::trend::{Point, Trend};
use plimsoll_http::Response;
use std::fmt::Write;

/// Runs of a side that a link hands over for comparison.
const COMPARED: usize = 20;

/// The page of a test.
pub(crate) fn of(test: &str, runs: &[Run], trend: Option<&Trend>) -> Response {
    let Some(trend) = trend else {
        let message = format!("No run of “{test}” has figures that could be followed.");
        return problem("404 Not Found", &message);
    };
    let date = |point: &Point| time(&runs[point.run].listed.started);
    let mut body = format!(
        "<h1>{}</h1>\n<p class=\"folder\">{}</p>\n{}{}",
        text(&trend.sentence(date)),
        word(test),
        form(test, trend),
        plot(runs, trend)
    );
    body += &changes(runs, trend);
    if !trend.left_out.is_empty() {
        let left_out = trend
            .left_out
            .iter()
            .map(|(why, n)| format!("<li>{n} of {} runs: {}</li>", runs.len(), text(why)));
        let _ = writeln!(
            body,
            "<section><h2>Left out</h2><ul class=\"notes\">{}</ul></section>",
            left_out.collect::<String>()
        );
    }
    body += &table(runs, trend);
    page(test, "", &body)
}

fn form(test: &str, trend: &Trend) -> String {
    let option = |name: &str, chosen: bool| {
        let chosen = if chosen { " selected" } else { "" };
        format!("<option{chosen}>{}</option>", text(name))
    };
    let steps: String = trend
        .steps
        .iter()
        .map(|s| option(s, *s == trend.step))
        .collect();
    let metrics: String = trend
        .metrics
        .iter()
        .map(|m| option(m.name(), *m == trend.metric))
        .collect();
    format!(
        "<form class=\"search\" action=\"/trend\"><input type=\"hidden\" name=\"test\" value=\"{}\">\n\
         <label>step<select name=\"step\">{steps}</select></label>\n<label>figure<select name=\"metric\">{metrics}</select></label>\n\
         <div class=\"acts\"><button>Show</button></div></form>\n",
        text(test)
    )
}

fn plot(runs: &[Run], trend: &Trend) -> String {
    let points = &trend.points;
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return String::new();
    };
    let x = |point: &Point| point.begun_unix_ns as f64;
    let margin = (x(last) - x(first)) * 0.01;
    let ends = points.iter().flat_map(|p| {
        let half = p.half.unwrap_or(0.0);
        [p.value - half, p.value + half]
    });
    // A limit far above all that was seen is not worth flattening the rest.
    let most = points.iter().map(|p| p.value).fold(0.0, f64::max);
    let ends = ends.chain(trend.limit.filter(|limit| *limit < most * 3.0));
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
        (l.min(v), h.max(v))
    });
    // A spread of less than a change may be is not blown up to look like one.
    let room = ((high - low) * 0.1).max(high.abs() * 0.01);
    let label = format!("{} over time", trend.metric.name());
    let mut plot = Plot::new(
        (x(first) - margin, x(last) + margin),
        (low - room, high + room),
        &label,
        |v| trend.metric.show(v),
    );
    if let Some(limit) = trend.limit {
        plot.across(
            "limit",
            limit,
            &format!("limit {}", trend.metric.show(limit)),
        );
    }
    let mut ends = vec![0];
    ends.extend(trend.changes.iter().map(|c| c.at));
    ends.push(points.len());
    for part in ends.windows(2) {
        let part = &points[part[0]..part[1]];
        let mean = part.iter().map(|p| p.value).sum::<f64>() / part.len() as f64;
        plot.line("level", part.iter().map(|p| (x(p), Some(mean))));
    }
    for change in &trend.changes {
        let between = (x(&points[change.at - 1]) + x(&points[change.at])) / 2.0;
        plot.mark("change", between, "The level changes here.");
    }
    for point in points {
        let listed = &runs[point.run].listed;
        let words = format!(
            "{}: {}",
            time(&listed.started),
            trend.metric.show(point.value)
        );
        plot.point(
            (x(point), point.value),
            point.half,
            &format!("/record/{}", listed.id),
            &words,
        );
    }
    // The times where all are of one day.
    let started = |point: &Point| time(&runs[point.run].listed.started);
    let days = [first, last].map(|point| started(point).chars().take(10).collect::<String>());
    let part = if days[0] == days[1] { 11..16 } else { 0..10 };
    for point in points {
        let words: String = started(point)
            .chars()
            .skip(part.start)
            .take(part.len())
            .collect();
        plot.below(x(point), &words);
    }
    plot.finish()
}

/// Each change, and the way to hold both sides against each other by the rules of `compare`.
fn changes(runs: &[Run], trend: &Trend) -> String {
    if trend.changes.is_empty() {
        return String::new();
    }
    let mut list = String::new();
    let mut from = 0;
    for change in &trend.changes {
        let to = change.at + change.runs_after;
        let ids = |from: usize, to: usize| {
            trend.points[from..to]
                .iter()
                .map(|p| runs[p.run].listed.id.as_str())
        };
        let before =
            ids(from.max(change.at.saturating_sub(COMPARED)), change.at).map(|id| ("a", id));
        let after = ids(change.at, to.min(change.at + COMPARED)).map(|id| ("b", id));
        let pairs: Vec<(&str, &str)> = before.chain(after).collect();
        let date = time(&runs[trend.points[change.at].run].listed.started);
        let _ = write!(
            list,
            "<li>{}: {} to {} ({:+.1}%), {}{} runs since. <a href=\"{}\">Compare both sides</a></li>",
            text(&date),
            text(&trend.metric.show(change.before)),
            text(&trend.metric.show(change.after)),
            change.size() * 100.0,
            if change.is_young() { "only " } else { "" },
            change.runs_after,
            text(&address("/compare", &pairs))
        );
        from = change.at;
    }
    format!("<section><h2>Changes</h2><ul class=\"notes\">{list}</ul></section>\n")
}

fn table(runs: &[Run], trend: &Trend) -> String {
    let rows: String = (trend.points.iter().rev())
        .map(|point| {
            let listed = &runs[point.run].listed;
            let half = point.half.map_or(String::new(), |half| format!(" ± {}", trend.metric.show(half)));
            format!(
                "<tr><td class=\"words\">{}</td><td>{}{}</td><td class=\"words\"><a href=\"/record/{}\">{}</a></td></tr>\n",
                text(&time(&listed.started)),
                text(&trend.metric.show(point.value)),
                text(&half),
                listed.id,
                word(&item::shown(&listed.path))
            )
        })
        .collect();
    format!(
        "<section><h2>The runs</h2><div class=\"wide\"><table><thead><tr><th>started</th><th>{}</th><th class=\"words\">record</th></tr></thead>\
         <tbody>{rows}</tbody></table></div></section>\n",
        text(trend.metric.name())
    )
}
