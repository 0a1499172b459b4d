//! `${NAME}` and fio's keywords in values.

use super::input::Input;
use super::{arithmetic, codes};
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};

/// A value with what its variables and keywords stand for.
pub(super) fn substituted(value: &str, input: &Input, span: Span, report: &mut Report) -> String {
    let value = variables(value, input, span, report);
    keywords(&value, input, span, report)
}

fn variables(value: &str, input: &Input, span: Span, report: &mut Report) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find("${") {
        let Some(length) = rest[at..].find('}') else {
            break;
        };
        let name = &rest[at + 2..at + length];
        out.push_str(&rest[..at]);
        match input.environment.get(name) {
            Some(text) => out.push_str(text),
            None => report.add(
                Diagnostic::warning(
                    codes::VARIABLE,
                    format!("the environment variable {name} is not set"),
                )
                .at(span, "fio puts nothing in its place")
                .help(format!("set it: {name}=… plimsoll run …")),
            ),
        }
        rest = &rest[at + length + 1..];
    }
    out.push_str(rest);
    out
}

/// fio hands a value with a keyword in it to `bc`, which counts in whole numbers.
fn keywords(value: &str, input: &Input, span: Span, report: &mut Report) -> String {
    let host = input.host;
    let known = [
        ("$pagesize", host.page),
        ("$mb_memory", host.memory_mib),
        ("$ncpus", host.cpus),
    ];
    if !known.iter().any(|(word, _)| value.contains(word)) {
        return value.to_string();
    }
    let mut text = value.to_string();
    for (word, number) in known {
        text = text.replace(word, &number.to_string());
    }
    match arithmetic::evaluate(&text, &|_| None) {
        Some(number) => format!("{}", number.trunc()),
        None => {
            report.add(
                Diagnostic::error(codes::VALUE, format!("`{text}` cannot be computed"))
                    .at(span, "with the keyword replaced")
                    .help("use whole numbers, + - * / and parentheses beside a keyword"),
            );
            String::new()
        }
    }
}
