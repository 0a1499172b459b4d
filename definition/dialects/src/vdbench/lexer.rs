//! From logical lines to parameters: commas, parentheses, quotes, and the repetition of a line for each host.

use super::codes;
use super::mapped::Mapped;
use super::parameter::{Item, Parameter, Value};
use super::report::{Report, Stop};
use super::section;
use plimsoll_diagnostic::Diagnostic;
use std::ops::Range;

/// Splits `lines` into parameters. `appended` are added to every line that begins with `rd=`.
pub(crate) fn parameters(
    lines: &[Mapped],
    appended: &[Mapped],
    report: &mut Report,
) -> Result<Vec<Parameter>, Stop> {
    let mut hosts = Hosts::default();
    let mut out = Vec::new();
    for line in lines {
        for line in hosts.repeat(line, report)? {
            let first = out.len();
            split(&line, &mut out, report);
            if line.text().starts_with("rd=") {
                for extra in appended {
                    split(extra, &mut out, report);
                }
            }
            if let Some(parameter) = out.get_mut(first) {
                parameter.first_on_line = true;
            }
            hosts.learn(&out[first..], report)?;
            report.bounded()?;
        }
    }
    Ok(out)
}

/// The hosts that have been defined so far.
#[derive(Default)]
struct Hosts {
    labels: Vec<String>,
    defined: bool,
}

/// The definitions whose lines can be repeated for each host.
const REPEATED: [&str; 5] = ["sd=", "fsd=", "wd=", "fwd=", "rd="];

impl Hosts {
    /// The line once per host, with the host's label in place of `$host`, `!host` or `#host`.
    fn repeat(&self, line: &Mapped, report: &mut Report) -> Result<Vec<Mapped>, Stop> {
        let text = line.text();
        let repeated = REPEATED.iter().any(|kind| text.starts_with(kind))
            && ["$host", "!host", "#host"]
                .iter()
                .any(|sign| text.contains(sign));
        if !repeated {
            report_left_over(line, report);
            return Ok(vec![line.clone()]);
        }
        let localhost = ["localhost".to_string()];
        let labels = match self.labels.is_empty() {
            true => &localhost[..],
            false => &self.labels[..],
        };
        let mut counted = line.clone();
        counted.replace("#hosts", &labels.len().to_string());
        report.charge(
            (labels.len() * (1 + text.len() / 64)) as u64,
            line.span(0..text.len()),
        )?;
        let mut out = Vec::with_capacity(labels.len());
        for label in labels {
            let mut line = counted.clone();
            let mut replaced = 0;
            for sign in ["$host", "!host", "#host"] {
                replaced += line.replace(sign, label);
            }
            report_left_over(&line, report);
            out.push(line);
            if replaced == 0 {
                break;
            }
        }
        Ok(out)
    }

    /// Notes the hosts in what was just read. After the first definition of another kind `hd=` refers to a host.
    fn learn(&mut self, parameters: &[Parameter], report: &mut Report) -> Result<(), Stop> {
        let mut label: Option<&Parameter> = None;
        for parameter in parameters {
            match parameter.keyword.as_str() {
                "sd" | "fsd" | "wd" | "fwd" | "rd" | "rg" => self.defined = true,
                _ if self.defined => return Ok(()),
                "hd" if parameter.value.text() != "default" => {
                    self.labels.push(parameter.value.text().to_string());
                    label = Some(parameter);
                }
                "clients" => {
                    let (Some(host), Ok(clients)) = (label, parameter.value.text().parse::<u32>())
                    else {
                        continue;
                    };
                    report.charge(u64::from(clients), parameter.span())?;
                    self.labels.pop();
                    let name = host.value.text();
                    self.labels
                        .extend((0..clients).map(|n| format!("{name}_cl{n}")));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A `=$x` or `=!x` that nothing has replaced.
fn report_left_over(line: &Mapped, report: &mut Report) {
    let text = line.text();
    let Some(at) = ["=$", "=!"].iter().filter_map(|sign| text.find(sign)).min() else {
        return;
    };
    let name_end = text[at + 2..]
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(text.len(), |end| at + 2 + end);
    let name = &text[at + 2..name_end];
    report.add(
        Diagnostic::error(
            codes::WORD_MISSING,
            format!("`{}` has no value", &text[at + 1..name_end]),
        )
        .at(
            line.span(at + 1..name_end),
            "no word of the command line replaces this",
        )
        .help(match name {
            "host" | "hosts" => {
                "hosts are put into lines that begin with sd=, fsd=, wd=, fwd= or rd= only"
                    .to_string()
            }
            _ => format!("add {name}=VALUE to the command line"),
        }),
    );
}

/// Splits one line at its commas.
fn split(line: &Mapped, out: &mut Vec<Parameter>, report: &mut Report) {
    let text = line.text();
    for range in members(text, 0..text.len(), line, report) {
        // `?` is dropped, as Vdbench does.
        if text[range.clone()].trim_matches('?').is_empty() {
            if range.is_empty() {
                report.add(
                    Diagnostic::warning(codes::LENIENT, "a comma too many")
                        .at(line.span(range.start..range.end + 1), "Vdbench refuses it")
                        .help("leave it out"),
                );
            }
            continue;
        }
        match parameter(line, range.clone(), report) {
            Ok(parameter) => out.push(parameter),
            Err(diagnostic) => {
                report.add(*diagnostic);
                return;
            }
        }
    }
}

/// The parts of `range` between commas that no quotes and no parentheses protect.
fn members(
    text: &str,
    range: Range<usize>,
    line: &Mapped,
    report: &mut Report,
) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let (mut quoted, mut depth, mut start, mut opened) = (false, 0usize, range.start, range.start);
    for at in range.clone() {
        match text.as_bytes()[at] {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' => {
                if depth == 0 {
                    opened = at;
                }
                depth += 1;
            }
            b')' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => {
                    report.add(
                        Diagnostic::error(codes::PARENTHESES, "a `)` without its `(`")
                            .at(line.span(at..at + 1), "nothing is open here"),
                    );
                    return Vec::new();
                }
            },
            b',' if depth == 0 => {
                out.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        report.add(
            Diagnostic::error(codes::PARENTHESES, "a `(` that is never closed")
                .at(line.span(opened..opened + 1), "opened here"),
        );
        return Vec::new();
    }
    if start < range.end {
        out.push(start..range.end);
    }
    out
}

fn parameter(
    line: &Mapped,
    range: Range<usize>,
    report: &mut Report,
) -> Result<Parameter, Box<Diagnostic>> {
    let text = &line.text()[range.clone()];
    let span = line.span(range.clone());
    let equals = text
        .find('=')
        .filter(|at| !text[..*at].contains(['(', '"']));
    let keyword_end = range.start + equals.unwrap_or(text.len());
    let keyword: String = line.text()[range.start..keyword_end]
        .chars()
        .filter(|c| *c != '?')
        .flat_map(char::to_lowercase)
        .collect();
    if equals.is_none() || keyword.is_empty() {
        let shown: String = text.chars().take(40).collect();
        return Err(Box::new(
            Diagnostic::error(codes::NO_KEYWORD, format!("`{shown}` is not keyword=value"))
                .at(span, "expected keyword=value")
                .help(match section::known(&keyword) {
                    true => format!("write {keyword}=VALUE"),
                    false => "a comment line begins with *, # or /".to_string(),
                }),
        ));
    }
    let value = value(line, keyword_end + 1..range.end, report).ok_or_else(|| {
        Box::new(
            Diagnostic::error(
                codes::PARENTHESES,
                format!("the list of `{keyword}` cannot be read"),
            )
            .at(span, ""),
        )
    })?;
    report_dropped(line, keyword_end + 1..range.end, report);
    Ok(Parameter {
        keyword,
        keyword_span: line.span(range.start..keyword_end),
        value,
        first_on_line: false,
    })
}

/// Warns of a `?` that no quotes protect: the name of a file, or what follows a persona's name, would be another one without a word.
fn report_dropped(line: &Mapped, range: Range<usize>, report: &mut Report) {
    let text = &line.text()[range.clone()];
    let mut quoted = false;
    let dropped = text.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '?' && !quoted
    });
    let Some((at, _)) = dropped else { return };
    let at = range.start + at;
    let help = match text.starts_with('(') {
        true => "put each member that has one in quotes".to_string(),
        false => format!("put the value in quotes: \"{}\"", text.replace('"', "")),
    };
    report.add(
        Diagnostic::warning(codes::LENIENT, "a `?` is dropped, as Vdbench does")
            .at(line.span(at..at + 1), "left out of the value")
            .help(help),
    );
}

/// Reads what follows the `=`. Inner parentheses only group, as `(a,(b,c))`.
fn value(line: &Mapped, range: Range<usize>, report: &mut Report) -> Option<Value> {
    let text = &line.text()[range.clone()];
    let span = line.span(range.clone());
    if !text.starts_with('(') {
        return Some(Value {
            items: vec![item(line, range)],
            list: false,
            span,
        });
    }
    if !text.ends_with(')') {
        report.add(
            Diagnostic::error(codes::PARENTHESES, "text after a list")
                .at(span, "the list is followed by something that is no comma"),
        );
        return None;
    }
    let bare = text.bytes().filter(|b| *b == b'(').count() > 1;
    let items = match bare {
        false => members(line.text(), range.start + 1..range.end - 1, line, report),
        true => flattened(line.text(), range.clone()),
    };
    let items = items
        .into_iter()
        .filter(|r| !r.is_empty())
        .map(|r| item(line, r))
        .collect();
    Some(Value {
        items,
        list: true,
        span,
    })
}

/// The members of nested lists, in order.
fn flattened(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let (mut quoted, mut start) = (false, range.start);
    for at in range {
        match text.as_bytes()[at] {
            b'"' => quoted = !quoted,
            b'(' | b')' | b',' if !quoted => {
                out.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    out
}

fn item(line: &Mapped, range: Range<usize>) -> Item {
    let mut text = String::with_capacity(range.len());
    let (mut quoted, mut dash) = (false, None);
    for c in line.text()[range.clone()].chars() {
        match c {
            '"' => quoted = !quoted,
            '?' if !quoted => {}
            _ => {
                if c == '-' && !quoted && dash.is_none() && !text.is_empty() {
                    dash = Some(text.len());
                }
                text.push(c);
            }
        }
    }
    Item {
        text,
        dash,
        span: line.span(range),
    }
}
