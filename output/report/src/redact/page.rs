//! A redacted result as one offline HTML page: a function of [`Redacted`] alone, and without a script.

mod shape;

use super::of_array::Array;
use super::of_step::{Host, PARTS, Part, Step};
use super::of_verdict::Concluded;
use super::{Found, Redacted, Relative};
use crate::html::comparison::element::{heading, list, row, table, text};
use crate::html::comparison::style;
use shape::{Line, at, shape};
use std::fmt::Write;

const OWN: &str = include_str!("page.css");

/// The page as one text, which any browser shows without a network.
pub fn page(redacted: &Redacted) -> String {
    let style = style::sheet() + OWN;
    let policy = [
        "default-src 'none'".to_string(),
        format!("style-src-elem '{}'", style::hash(&style)),
        "img-src data:".to_string(),
        "base-uri 'none'".to_string(),
        "form-action 'none'".to_string(),
    ]
    .join("; ");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Redacted result – Plimsoll</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        body(redacted)
    )
}

fn body(redacted: &Redacted) -> String {
    let mut page = String::from(
        "<header><div class=\"masthead\"><span class=\"brand\"><svg viewBox=\"0 0 24 16\" aria-hidden=\"true\">\
         <path d=\"M1 8H23M12 2a6 6 0 1 0 .01 0Z\"/></svg>Plimsoll</span><span>redacted</span></div>\n",
    );
    let _ = writeln!(page, "<p class=\"basis\">{}</p>", text(redacted.about));
    if redacted.simulated {
        page += "<p class=\"flag\">Measured on a model of an array, not on storage.</p>\n";
    }
    if !redacted.whole {
        page += "<p class=\"flag\">The run did not come to its end.</p>\n";
    }
    page += "</header>\n";
    page += &found(&redacted.findings);
    for concluded in &redacted.verdicts {
        page += &verdict(concluded);
    }
    page += &steps(&redacted.steps);
    for (number, step) in (1..).zip(&redacted.steps) {
        page += &one_step(number, step);
    }
    page
}

fn words(relative: Option<Relative>) -> String {
    relative.map_or_else(|| "–".to_string(), Relative::words)
}

fn shares(all: &[(&'static str, Relative)]) -> String {
    let one = |(name, share): &(&str, Relative)| format!("{name} {}", share.words());
    let all: Vec<String> = all.iter().map(one).collect();
    all.join(", ")
}

fn found(findings: &[Found]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let one = |found: &Found| {
        let rule = found.rule.map_or_else(String::new, |code| code.words());
        let severity = format!("{:?}", found.severity).to_lowercase();
        let step = found
            .step
            .map_or_else(String::new, |at| format!("step {at}"));
        row(
            &[
                (&rule, ""),
                (found.name, "words"),
                (&severity, "words"),
                (&step, "words"),
                (&shares(&found.values), "words"),
            ],
            "",
        )
    };
    let rows: String = findings.iter().map(one).collect();
    format!(
        "<section>{}{}</section>\n",
        heading("What the audit found"),
        table(&["rule", "", "", "of", "ratios"], &rows)
    )
}

fn verdict(concluded: &Concluded) -> String {
    let method = concluded.method.unwrap_or("a method of another version");
    let class = concluded.class.unwrap_or("of another version");
    let mut lines = vec![format!("{method}: {class}")];
    if !concluded.decided {
        lines.push("Its question could not be decided.".into());
    }
    if let Some(knee) = concluded.knee {
        lines.push(format!(
            "The knee is at {} of the highest rate.",
            knee.words()
        ));
    }
    for within in &concluded.capacities {
        let least = if within.at_least { "at least " } else { "" };
        lines.push(format!(
            "Within a limit of its {} response: {least}{} of the highest rate.",
            within.statistic,
            words(within.rate)
        ));
    }
    let charts: String = concluded
        .charts
        .iter()
        .map(|chart| {
            let points = |line: &Vec<(Relative, Relative)>| {
                line.iter().map(|(x, y)| (at(*x), at(*y))).collect()
            };
            let lines: Vec<Line> = chart
                .lines
                .iter()
                .map(|l| Line::joined(points(l)))
                .collect();
            shape(chart.x, chart.y, &lines)
        })
        .collect();
    format!(
        "<section>{}{}{charts}</section>\n",
        heading("Verdict"),
        list(&lines)
    )
}

/// All steps: response against rate, and a line for each.
fn steps(steps: &[Step]) -> String {
    let point = |step: &Step| Some((at(step.rate?), at(step.response?)));
    let of = |saturated: bool| {
        let some = steps
            .iter()
            .filter(|s| s.saturated.unwrap_or(false) == saturated);
        some.filter_map(point).collect::<Vec<_>>()
    };
    let rows: String = (1..)
        .zip(steps)
        .map(|(n, step)| step_row(n, step))
        .collect();
    let head = [
        "step",
        "load",
        "offered",
        "rate",
        "±",
        "response",
        "±",
        "service of it",
        "tail",
        "",
    ];
    format!(
        "<section>{}{}{}</section>\n",
        heading("Response against rate"),
        shape(
            "rate",
            "mean response",
            &[Line::loose(of(false), false), Line::loose(of(true), true)]
        ),
        table(&head, &rows)
    )
}

fn step_row(number: usize, step: &Step) -> String {
    let mut remarks = Vec::new();
    if step.saturated == Some(true) {
        remarks.push("saturated: its response is none".to_string());
    }
    if step.failed {
        remarks.push("I/Os failed".into());
    }
    if step.end != plimsoll_evidence::End::Elapsed && step.end != plimsoll_evidence::End::Limit {
        remarks.push("cut short".into());
    }
    let load = if step.offered.is_some() {
        "on schedule"
    } else {
        "closed loop"
    };
    row(
        &[
            (&number.to_string(), ""),
            (load, "words"),
            (&words(step.offered), ""),
            (&words(step.rate), ""),
            (&words(step.rate_half_width), ""),
            (&words(step.response), ""),
            (&words(step.response_half_width), ""),
            (&words(step.service), ""),
            (&shares(&step.tail), "words"),
            (&remarks.join("; "), "words"),
        ],
        "",
    )
}

fn one_step(number: usize, step: &Step) -> String {
    let mut notes = Vec::new();
    let held = [
        ("stalled", &step.stalls),
        ("the generator was late", &step.late_by_host),
    ];
    for (what, stretches) in held {
        for held in stretches {
            notes.push(format!(
                "{what} at {} of its time, for {}",
                words(held.start),
                words(held.length)
            ));
        }
    }
    for array in &step.arrays {
        notes.extend(of_array(array));
    }
    notes.extend(of_hosts(step));
    if step.course.is_empty() && notes.is_empty() {
        return String::new();
    }
    let line = |of: fn(&Part) -> Option<Relative>| {
        let parts = step.course.iter().enumerate();
        let middle = |n: usize| (n as f64 + 0.5) * 100.0 / PARTS as f64;
        Line::joined(
            parts
                .filter_map(|(n, part)| Some((middle(n), at(of(part)?))))
                .collect(),
        )
    };
    let picture = match step.course.is_empty() {
        true => String::new(),
        false => shape(
            "time",
            "rate, and in the second colour mean response, each of its highest",
            &[line(|p| p.rate), line(|p| p.response).in_second_colour()],
        ),
    };
    format!(
        "<section>{}{picture}{}</section>\n",
        heading(&format!("Step {number}")),
        list(&notes)
    )
}

/// The hosts have no names here: they stand in their order.
fn of_hosts(step: &Step) -> Vec<String> {
    let mut notes = Vec::new();
    let all = |of: fn(&Host) -> Option<Relative>| {
        let each: Vec<String> = step.hosts.iter().map(|h| words(of(h))).collect();
        each.join(", ")
    };
    if !step.hosts.is_empty() {
        notes.push(format!("rate by host, of all: {}", all(|h| h.share)));
        notes.push(format!(
            "mean response by host, of the longest: {}",
            all(|h| h.response)
        ));
    }
    if step.hosts.iter().any(|h| h.saturated == Some(true)) {
        notes.push("a host's part of the load was past what its targets carry".into());
    }
    if step.lost_hosts {
        notes.push("a host's part is missing".into());
    }
    notes
}

fn of_array(array: &Array) -> Vec<String> {
    let mut notes = Vec::new();
    for (what, places) in [
        ("read from", &array.read_source),
        ("written to", &array.write_destination),
    ] {
        if !places.is_empty() {
            notes.push(format!("{what}: {}", shares(places)));
        }
    }
    let figures = [
        ("busiest core", array.busiest_core),
        ("cores in the mean", array.mean_core),
        ("busiest port", array.busiest_port),
        ("journal full to", array.journal),
        ("requests to media for those of hosts", array.back_end),
        (
            "pages programmed for those written",
            array.write_amplification,
        ),
        ("space taken by new data", array.stored),
    ];
    let known = figures
        .iter()
        .filter_map(|(what, n)| Some(format!("{what}: {}", (*n)?.words())));
    notes.extend(known);
    notes
}
