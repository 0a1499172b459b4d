//! The page of a run while it goes on.

use super::plot::Plot;
use super::{page, prose, text, time, word};
use plimsoll_evidence::{Phase, Severity};
use plimsoll_http::Response;
use plimsoll_live::{Current, Doubt, Limit, Live, Part, Point, State, StepResult};
use plimsoll_printable::human;
use std::fmt::Write;

/// The script: it puts in place what comes.
pub(crate) const SCRIPT: &str = include_str!("live.js");

/// Steps whose beginnings are marked in the charts; of more nothing could be told apart.
const MARKED: usize = 60;
/// Steps in the table, the last.
const STEPS: usize = 100;
/// Targets or hosts in a table.
const PARTS: usize = 50;

/// The page of a record, as it is now; it grows by itself as long as the run goes on. With `control` it has a button to stop the run,
/// outside of what is replaced, so that no click is lost.
pub(crate) fn of(live: &Live, id: &str, control: bool) -> Response {
    let stop = match (control, &live.state) {
        (true, State::Running) => format!(
            "<form class=\"stop\" method=\"post\" action=\"/live/{id}/stop\"><button>Stop this run</button> \
             <span class=\"small\">at the end of its interval; its record is kept</span></form>\n"
        ),
        _ => String::new(),
    };
    let script = match live.state {
        State::Running => "<script src=\"/live.js\" defer></script>\n",
        _ => "",
    };
    let body = format!("{stop}<div id=\"live\">\n{}</div>\n", now(live, id));
    page(&name(live), script, &body)
}

/// Content of the page: all that is known now.
pub(crate) fn now(live: &Live, id: &str) -> String {
    let mut body = format!(
        "<h1>{}</h1>\n<p class=\"folder\">{}</p>\n",
        text(&headline(live)),
        text(&about(live))
    );
    body += &progress(live);
    if let Some(answer) = &live.answer {
        let next = [
            ("Limit", &answer.limit),
            ("Trust", &Some(answer.trust.clone())),
        ];
        let line = |(name, line): (&str, &Option<String>)| {
            Some(format!(
                "<li><b>{name}:</b> {}.</li>",
                prose(line.as_ref()?)
            ))
        };
        let lines = next.into_iter().filter_map(line);
        let _ = writeln!(
            body,
            "<ul class=\"notes\">{}</ul>",
            lines.collect::<String>()
        );
    }
    let (link, words) = match live.state {
        State::Running => ("The report of the steps that are done", ""),
        _ => ("The report", " with all charts and figures"),
    };
    let _ = writeln!(
        body,
        "<p class=\"acts\"><a href=\"/record/{id}\">{link}</a>{words}</p>"
    );
    body += &figures(live);
    body += &curve(live);
    body += &charts(live);
    body += &parts("Targets", &live.targets);
    body += &parts("Hosts", &live.parts_of_hosts);
    body += &steps(live);
    body += &doubts(live);
    body
}

fn name(live: &Live) -> String {
    let title = live.title.as_deref().filter(|t| !t.trim().is_empty());
    title.map_or_else(
        || format!("{} of {}", live.method, live.locations.join(", ")),
        str::to_owned,
    )
}

fn headline(live: &Live) -> String {
    match (&live.state, &live.answer, &live.now) {
        (State::Running, _, Some(now)) => {
            let mean = now
                .mean_us
                .map(|us| format!(" at a mean response of {}", human::time_in_text(us * 1e3)));
            format!(
                "{} {} now{}",
                human::rate(now.rate),
                live.counted.per_second(),
                mean.unwrap_or_default()
            )
        }
        (State::Running, _, None) => "It has begun, and nothing is measured yet.".to_owned(),
        (State::Killed, _, _) => {
            "It was killed: nobody writes this record any more, and its end is missing.".to_owned()
        }
        (State::Failed { why }, _, _) => format!(
            "It could not go on: {}",
            why.chars().take(400).collect::<String>()
        ),
        (_, Some(answer), _) => answer.answer.clone(),
        (_, None, _) => "It has ended.".to_owned(),
    }
}

fn about(live: &Live) -> String {
    let virtual_time = if live.simulated {
        ", in the lab's virtual time"
    } else {
        ""
    };
    let name: String = name(live).chars().take(240).collect();
    format!("{name} · started {}{virtual_time}", time(&live.started))
}

fn progress(live: &Live) -> String {
    if live.state != State::Running {
        return String::new();
    }
    let mut words = vec![format!(
        "{} so far",
        human::duration(live.progress.elapsed_s)
    )];
    words.extend(
        live.progress
            .left_s
            .map(|left| format!("{} left at most", human::duration(left))),
    );
    words.extend(
        live.current
            .as_ref()
            .map(|current| step_words(live, current)),
    );
    let bar = live.progress.done.map_or(String::new(), |done| {
        format!(
            "<progress max=\"1\" value=\"{done:.4}\">{}</progress>",
            human::percent(done)
        )
    });
    format!(
        "<div class=\"progress\">{bar}<span>{}</span></div>\n",
        text(&words.join(" · "))
    )
}

fn step_words(live: &Live, current: &Current) -> String {
    let of = live
        .progress
        .steps
        .map_or(String::new(), |n| format!(" of {n}"));
    let phase = match (current.fill, current.phase) {
        (true, _) => ", filling",
        (_, Some(Phase::WarmUp)) => ", warming up",
        (_, Some(Phase::Drain)) => ", waiting for the last I/Os",
        _ => "",
    };
    let load = if current.load.is_empty() {
        String::new()
    } else {
        format!(" ({})", current.load)
    };
    let name: String = current.name.chars().take(100).collect();
    format!("step {}{of}: {name}{load}{phase}", current.number)
}

/// The newest interval in figures.
fn figures(live: &Live) -> String {
    let (State::Running, Some(now)) = (&live.state, &live.now) else {
        return String::new();
    };
    let us = |value: Option<f64>| value.map(|us| human::time(us * 1e3));
    let errors = live.history.errors;
    let all = [
        (live.counted.per_second(), Some(human::rate(now.rate))),
        (
            "bandwidth",
            Some(format!("{}/s", human::bytes(now.bytes_per_s as u64))),
        ),
        ("mean response", us(now.mean_us)),
        ("p99", us(now.p99_us)),
        ("longest", us(now.max_us)),
        ("in flight", now.depth.map(human::rate)),
        ("CPUs busy", now.cpu_busy.map(human::percent)),
        ("failed", (errors > 0).then(|| human::count(errors))),
    ];
    let shown = all.into_iter().filter_map(|(name, value)| {
        Some(format!(
            "<div><dt>{name}</dt><dd>{}</dd></div>",
            text(&value?)
        ))
    });
    format!("<dl class=\"figures\">{}</dl>\n", shown.collect::<String>())
}

fn charts(live: &Live) -> String {
    let points = &live.history.points;
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return String::new();
    };
    let x = (first.start_s, last.end_s);
    let highest =
        |of: &dyn Fn(&Point) -> Option<f64>| points.iter().filter_map(of).fold(0.0, f64::max);
    let mut rate = Plot::new(
        x,
        (0.0, highest(&|p| Some(p.rate)) * 1.05),
        live.counted.per_second(),
        human::rate,
    );
    below(&mut rate, x, live);
    // What is only waited for has no rate.
    let counted = |p: &Point| (p.phase != Phase::Drain).then_some(p.rate);
    rate.line("mean", course(points, counted));
    let limits = asked(live);
    let shown = |p: &Point| [p.mean_us, p.p99_us];
    let times = points.iter().flat_map(shown).flatten();
    let mut response = times_plot(x, times, &limits);
    below(&mut response, x, live);
    response.line("p99", course(points, |p| p.p99_us));
    response.line("mean", course(points, |p| p.mean_us));
    format!(
        "<section><h2>{}</h2>{}</section>\n<section><h2>Response time <span class=\"key mean\">mean</span> \
         <span class=\"key p99\">p99</span></h2>{}</section>\n",
        live.counted.per_second(),
        rate.finish(),
        response.finish()
    )
}

/// The limits that were asked.
fn asked(live: &Live) -> Vec<&Limit> {
    let limits = live.current.iter().flat_map(|c| &c.limits);
    limits.filter(|l| l.asked).collect()
}

/// A chart of these times and limits, on a logarithmic axis: beside a spike of 400 ms a mean of 0.3 ms is still seen.
fn times_plot(x: (f64, f64), times: impl Iterator<Item = f64>, limits: &[&Limit]) -> Plot {
    let all = times
        .chain(limits.iter().map(|l| l.us))
        .filter(|us| *us > 0.0);
    let (low, high) = all.fold((f64::INFINITY, 0.0), |(l, h), us| (us.min(l), us.max(h)));
    let show = |us: f64| human::time(us * 1e3);
    let mut plot = Plot::logarithmic(x, (low / 1.2, high * 1.3), "response time", show);
    for limit in limits {
        let words = format!("{} limit {}", limit.statistic, human::time(limit.us * 1e3));
        plot.across("limit", limit.us, &words);
    }
    plot
}

/// The curve as it grows: the response time of each step at a rate that is done, against its rate.
fn curve(live: &Live) -> String {
    let is_point = |s: &&StepResult| {
        s.offered.is_some() && !s.fill && !s.set_aside && !s.saturated && s.mean_us.is_some()
    };
    let mut steps: Vec<&StepResult> = live.steps.iter().filter(is_point).collect();
    steps.sort_by(|a, b| a.rate.total_cmp(&b.rate));
    let (true, Some(last)) = (live.method == "curve" && steps.len() > 1, steps.last()) else {
        return String::new();
    };
    let x = (0.0, last.rate * 1.05);
    let times = steps.iter().flat_map(|s| [s.mean_us, s.p99_us]).flatten();
    let mut plot = times_plot(x, times, &asked(live));
    for part in 0..=4 {
        let at = x.1 * f64::from(part) / 4.0;
        plot.below(at, &human::rate(at));
    }
    plot.line("p99", steps.iter().map(|s| (s.rate, s.p99_us)));
    plot.line("mean", steps.iter().map(|s| (s.rate, s.mean_us)));
    let per_second = live.counted.per_second();
    format!(
        "<section><h2>The curve so far <span class=\"key mean\">mean</span> <span class=\"key p99\">p99</span></h2>{}\
         <p class=\"small\">response time against {per_second}; a step that asked for more than the target carries has no point</p></section>\n",
        plot.finish()
    )
}

/// Times and the beginnings of steps.
fn below(plot: &mut Plot, (from, to): (f64, f64), live: &Live) {
    for part in 0..=4 {
        let at = from + (to - from) * f64::from(part) / 4.0;
        plot.below(at, &human::duration(at));
    }
    if live.steps.len() <= MARKED {
        for step in &live.steps {
            plot.mark("step", step.span.start_s, &step.name);
        }
    }
}

/// A value over time; where nothing was measured, nothing is drawn.
fn course(points: &[Point], of: impl Fn(&Point) -> Option<f64>) -> Vec<(f64, Option<f64>)> {
    let mut course = Vec::with_capacity(points.len());
    let mut end = f64::INFINITY;
    for point in points {
        let length = (point.end_s - point.start_s).max(1e-3);
        if point.start_s - end > length / 2.0 {
            course.push((end, None));
        }
        course.push(((point.start_s + point.end_s) / 2.0, of(point)));
        end = point.end_s;
    }
    course
}

/// Targets or hosts beside each other; one alone is the whole.
fn parts(title: &str, parts: &[Part]) -> String {
    if parts.len() < 2 {
        return String::new();
    }
    let us = |value: Option<f64>| value.map_or(String::new(), |us| human::time(us * 1e3));
    let row = |part: &Part| {
        format!(
            "<tr><td class=\"words\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            word(&part.name),
            part.rate.map_or(String::new(), human::rate),
            us(part.mean_us),
            us(part.max_us),
            human::count(part.errors)
        )
    };
    let rows: String = parts.iter().take(PARTS).map(row).collect();
    let more = parts.len().saturating_sub(PARTS);
    let more = if more > 0 {
        format!("<p class=\"small\">and {more} more</p>")
    } else {
        String::new()
    };
    format!(
        "<section><h2>{title}</h2><div class=\"wide\"><table><thead><tr><th></th><th>per second</th><th>mean</th><th>longest</th>\
         <th>failed</th></tr></thead><tbody>{rows}</tbody></table></div>{more}</section>\n"
    )
}

fn steps(live: &Live) -> String {
    if live.steps.is_empty() {
        return String::new();
    }
    let us = |value: Option<f64>| value.map_or(String::new(), |us| human::time(us * 1e3));
    let row = |step: &StepResult| {
        let half = step
            .rate_half_width
            .map_or(String::new(), |half| format!(" ± {}", human::rate(half)));
        let remark = match step {
            s if s.fill => "a fill",
            s if s.set_aside => "set aside",
            s if s.saturated => "more than it carries",
            _ => "",
        };
        format!(
            "<tr><td class=\"words\">{}</td><td class=\"words\">{}</td><td>{}{half}</td><td>{}</td><td>{}</td><td class=\"words\">{remark}</td></tr>\n",
            word(&step.name),
            word(&step.load),
            human::rate(step.rate),
            us(step.mean_us),
            us(step.p99_us)
        )
    };
    let rows: String = live.steps.iter().rev().take(STEPS).map(row).collect();
    format!(
        "<section><h2>Steps that are done</h2><div class=\"wide\"><table><thead><tr><th>step</th><th class=\"words\">load</th><th>per second</th>\
         <th>mean</th><th>p99</th><th></th></tr></thead><tbody>{rows}</tbody></table></div></section>\n"
    )
}

fn doubts(live: &Live) -> String {
    if live.doubts.is_empty() {
        return String::new();
    }
    let item = |doubt: &Doubt| {
        let severity = match doubt.severity {
            Severity::Invalid => "invalid",
            Severity::Suspect => "suspect",
            Severity::Note => "note",
        };
        let times = if doubt.count > 1 {
            format!(" (×{})", doubt.count)
        } else {
            String::new()
        };
        format!(
            "<li class=\"{severity}\"><b>{}</b> {severity}{times}: {}</li>",
            word(&doubt.rule),
            prose(&doubt.message)
        )
    };
    // What casts no doubt is folded.
    let (notes, doubts): (Vec<_>, Vec<_>) = live
        .doubts
        .iter()
        .partition(|d| d.severity == Severity::Note);
    let list = |of: Vec<&Doubt>| {
        format!(
            "<ul class=\"notes\">{}</ul>",
            of.into_iter().map(item).collect::<String>()
        )
    };
    let folded = match notes.len() {
        0 => String::new(),
        1 => format!(
            "<details><summary>1 note</summary>{}</details>",
            list(notes)
        ),
        n => format!(
            "<details><summary>{n} notes</summary>{}</details>",
            list(notes)
        ),
    };
    let doubts = if doubts.is_empty() {
        String::new()
    } else {
        list(doubts)
    };
    format!("<section><h2>Found so far</h2>{doubts}{folded}</section>\n")
}
