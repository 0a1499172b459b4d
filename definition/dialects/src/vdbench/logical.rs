//! From physical lines to logical ones: where the parameters of a line end, and what is continued.
//!
//! Vdbench ends a line at its first blank outside quotes, and goes on with the next line where what is left ends with a
//! comma. Where that plainly drops parameters, the line is read as it was meant, and a warning says so.

use super::codes;
use super::mapped::Mapped;
use super::report::{Report, Stop};
use super::section;
use plimsoll_diagnostic::{Diagnostic, Span};

/// The longest logical line, bytes: a file of nothing but continued lines is still one parameter list.
const MAX_LINE: usize = 16 << 20;

/// Joins and cuts `lines`.
pub(crate) fn lines(lines: Vec<Mapped>, report: &mut Report) -> Result<Vec<Mapped>, Stop> {
    let mut out: Vec<Mapped> = Vec::new();
    let mut open = false;
    let mut depth = 0;
    for line in lines {
        if !open {
            depth = 0;
            out.push(Mapped::default());
        }
        let current = out.last_mut().expect("one was pushed");
        let mut scan = Scan {
            line: &line,
            depth,
            kept: Mapped::default(),
            complained: false,
        };
        scan.run(report);
        depth = scan.depth;
        let kept = scan.kept;
        current.push_part(&kept, 0..kept.text().len());
        open = current.text().ends_with(',');
        if current.text().len() > MAX_LINE {
            report.add(
                Diagnostic::error(codes::TOO_LARGE, "a parameter list is too long")
                    .at(current.span(0..1), "it begins here")
                    .note(format!("{MAX_LINE} bytes are the limit")),
            );
            return Err(Stop);
        }
        report.bounded()?;
    }
    Ok(out)
}

/// What blanks stand for.
enum Blanks {
    /// The end of the parameters.
    End,
    /// Nothing: the line was meant to go on.
    Nothing,
    /// A comma that was forgotten.
    Comma,
}

/// One physical line on its way to being cut.
struct Scan<'a> {
    line: &'a Mapped,
    depth: i32,
    kept: Mapped,
    complained: bool,
}

impl Scan<'_> {
    fn run(&mut self, report: &mut Report) {
        let text = self.line.text();
        let last_close = text.rfind(')');
        let mut quoted: Option<usize> = None;
        let mut from = 0;
        let mut at = 0;
        while at < text.len() {
            match text.as_bytes()[at] {
                b'"' => {
                    quoted = match quoted {
                        None => Some(at),
                        Some(_) => None,
                    }
                }
                _ if quoted.is_some() => {}
                b'(' => self.depth += 1,
                b')' => self.depth -= 1,
                blank @ (b' ' | b'\t') => {
                    let length =
                        text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len();
                    let after = at + length;
                    self.kept.push_part(self.line, from..at);
                    match self.blanks(at, after, last_close, report) {
                        Blanks::End => return self.end(blank, at, report),
                        Blanks::Nothing => {}
                        Blanks::Comma => self.kept.push_replacement(",", self.line.span(at..after)),
                    }
                    from = after;
                    at = after;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.kept.push_part(self.line, from..text.len());
        if let Some(open) = quoted {
            report.add(
                Diagnostic::error(codes::QUOTE, "a quotation mark is never closed")
                    .at(self.line.span(open..open + 1), "opened here")
                    .help("close it on the same line"),
            );
        }
    }

    /// What the blanks from `at` to `after` stand for.
    fn blanks(
        &mut self,
        at: usize,
        after: usize,
        last_close: Option<usize>,
        report: &mut Report,
    ) -> Blanks {
        let text = self.line.text();
        let before = text[..at].chars().next_back();
        let rest = &text[after..];
        let place = self.line.span(at..after);
        if self.depth > 0 {
            return self.inside_list(before, rest, place, last_close >= Some(after), report);
        }
        let word_end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let follows = before == Some(',')
            && rest[word_end..].starts_with('=')
            && section::known(&rest[..word_end]);
        if !follows {
            return Blanks::End;
        }
        self.once(
            Diagnostic::warning(codes::BLANK_AFTER_COMMA, "a blank after a comma")
                .at(
                    place,
                    "Vdbench takes the rest of the line for a comment; it is used here",
                )
                .help("write no blank after a comma")
                .patch(place, ""),
            report,
        );
        Blanks::Nothing
    }

    fn inside_list(
        &mut self,
        before: Option<char>,
        rest: &str,
        place: Span,
        closes: bool,
        report: &mut Report,
    ) -> Blanks {
        let separated =
            before.is_some_and(|c| matches!(c, ',' | '(')) || rest.starts_with([',', ')']);
        if !closes || rest.starts_with(['#', '*']) {
            return Blanks::End;
        }
        if separated {
            self.once(
                Diagnostic::warning(codes::BLANK_IN_LIST, "a blank inside a list")
                    .at(
                        place,
                        "Vdbench drops everything from here on; read as if it were not there",
                    )
                    .help("write no blanks in lists")
                    .patch(place, ""),
                report,
            );
            return Blanks::Nothing;
        }
        self.once(
            Diagnostic::error(codes::BLANK_IN_LIST, "a blank inside a list")
                .at(place, "Vdbench drops everything from here on")
                .help("separate the members with commas")
                .patch(place, ","),
            report,
        );
        Blanks::Comma
    }

    /// The parameters end at `at`.
    fn end(&mut self, blank: u8, at: usize, report: &mut Report) {
        let text = self.line.text();
        let rest = text[at..].trim_start_matches([' ', '\t']);
        if blank == b'\t' {
            self.once(
                Diagnostic::warning(codes::TAB, "a tab before a comment")
                    .at(
                        self.line.span(at..at + 1),
                        "Vdbench takes the tab and the comment for part of the value; read as a blank",
                    )
                    .help("write a blank before the comment"),
                report,
            );
        }
        if rest.starts_with('=') {
            report.add(
                Diagnostic::error(codes::NO_KEYWORD, "a blank before `=`")
                    .at(
                        self.line.span(at..at + 1),
                        "parameters end at the first blank",
                    )
                    .help("write keyword=value without blanks"),
            );
            // What is left would only be complained about again.
            self.kept = Mapped::default();
        }
    }

    /// One complaint of a line is enough.
    fn once(&mut self, diagnostic: Diagnostic, report: &mut Report) {
        if !self.complained {
            self.complained = true;
            report.add(diagnostic);
        }
    }
}
