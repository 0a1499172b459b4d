//! `${NAME}` and fio's keywords in options.

use super::input::Input;
use super::{arithmetic, codes};
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Diagnostic, Span};

/// fio reads a longer line in pieces of so many bytes, each a line of its own.
pub(super) const MAX_LINE: usize = (8 << 10) - 1;

/// A value with what its variables and keywords stand for; `before` is how much of its line stands before it.
pub(super) fn substituted(
    value: &str,
    before: usize,
    input: &Input,
    span: Span,
    report: &mut Report,
) -> String {
    let value = variables(value, input, span, report);
    if before + value.len() > MAX_LINE {
        report.add(
            Diagnostic::error(
                codes::TOO_LARGE,
                "with its variables filled in, a line is longer than fio holds",
            )
            .at(span, "")
            .note(format!(
                "fio holds {MAX_LINE} bytes of it, and leaves out what does not fit"
            ))
            .help("make the values shorter"),
        );
        return String::new();
    }
    keywords(&value, before, input, span, report)
}

/// A text with the environment's variables in it.
pub(super) fn variables(value: &str, input: &Input, span: Span, report: &mut Report) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find("${") {
        let Some(length) = rest[at..].find('}') else {
            break;
        };
        let name = &rest[at + 2..at + length];
        out.push_str(&rest[..at]);
        match input.environment.get(name) {
            Some(text) if is_plain(text) => out.push_str(text),
            Some(_) => report.add(
                Diagnostic::error(
                    codes::VARIABLE,
                    format!("the value of the environment variable {name} does not mean the same in every option"),
                )
                .at(span, "put in here")
                .note("it has a ; or #, a blank at an end, a control character or bytes that are not text: fio drops these in some options, and keeps them in others")
                .help("set it to a value without these"),
            ),
            None => report.add(
                Diagnostic::warning(
                    codes::VARIABLE,
                    format!("the environment variable {name} is not set"),
                )
                .at(span, "fio puts nothing in its place")
                .help(format!("set it before the command: {name}=… plimsoll …")),
            ),
        }
        rest = &rest[at + length + 1..];
    }
    out.push_str(rest);
    out
}

/// Whether each option takes a text as it is.
fn is_plain(text: &str) -> bool {
    let odd =
        |c: char| matches!(c, ';' | '#' | char::REPLACEMENT_CHARACTER) || c.is_ascii_control();
    !text.contains(odd) && !text.starts_with(' ') && !text.ends_with(' ')
}

/// The longest value, and the longest line, that fio computes.
const COMPUTED: (usize, usize) = (100, 127);
/// Larger whole numbers are not computed exactly.
const EXACT: f64 = 9e15;

/// fio hands a value with a keyword and a sign in it to `bc`, which counts in whole numbers; any other stays as it is.
fn keywords(value: &str, before: usize, input: &Input, span: Span, report: &mut Report) -> String {
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
    let is_long = text.len() > COMPUTED.0 || before + text.len() > COMPUTED.1;
    if is_long || !text.contains(['+', '-', '*', '/']) || text.contains('\'') {
        return text;
    }
    let computed = arithmetic::evaluate(&text, &|_| None);
    match computed.filter(|n| n.abs() < EXACT && !text.contains('.')) {
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
