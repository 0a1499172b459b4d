//! Files, includes and substitution: from paths to the lines that hold parameters.

use super::codes;
use super::input::{Input, Text};
use super::mapped::Mapped;
use super::report::{Report, Stop};
use plimsoll_diagnostic::{Diagnostic, FileId, Sources, Span, nearest};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most text that one definition may have, includes counted.
const MAX_BYTES: u64 = 64 << 20;

/// The most lines that count, of all files together: a line takes many times its length in memory.
const MAX_LINES: usize = 500_000;

/// The lines of all files, comments left out, words replaced.
pub(crate) struct Lines {
    /// In order.
    pub lines: Vec<Mapped>,
    /// Parameters from behind the `+` of the command line.
    pub appended: Vec<Mapped>,
}

/// Reads everything that `input` names.
pub(crate) fn read(
    input: &Input,
    sources: &mut Sources,
    report: &mut Report,
) -> Result<Lines, Stop> {
    let mut reader = Reader {
        words: Words::new(input, sources),
        lines: Vec::new(),
        bytes_left: MAX_BYTES,
    };
    for text in &input.texts {
        match text {
            Text::Inline { name, text } => {
                let id = reader.admit(name, text.as_bytes().to_vec(), None, sources, report)?;
                reader.file(id, Path::new("."), Depth::Top, sources, report)?;
            }
            Text::File(path) => {
                let id = reader.open(path, None, sources, report)?;
                reader.file(id, folder(path), Depth::Top, sources, report)?;
            }
        }
    }
    let lines = reader.lines;
    reader.words.report_unused(report);
    Ok(Lines {
        lines,
        appended: reader.words.appended,
    })
}

/// Whether a file was named by the user, or by another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Top,
    Included,
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

struct Reader {
    words: Words,
    lines: Vec<Mapped>,
    bytes_left: u64,
}

impl Reader {
    fn open(
        &mut self,
        path: &Path,
        from: Option<Span>,
        sources: &mut Sources,
        report: &mut Report,
    ) -> Result<FileId, Stop> {
        let mut bytes = Vec::new();
        let result =
            File::open(path).and_then(|f| f.take(self.bytes_left + 1).read_to_end(&mut bytes));
        if let Err(error) = result {
            let mut diagnostic = Diagnostic::error(
                codes::UNREADABLE,
                format!("{} cannot be read: {error}", path.display()),
            );
            if let Some(span) = from {
                diagnostic = diagnostic.at(span, "named here");
            }
            report.add(diagnostic);
            return Err(Stop);
        }
        self.admit(&path.display().to_string(), bytes, from, sources, report)
    }

    /// Checks a file's bytes and makes them a source. Bytes that are not UTF-8 occur in old files' comments, and are
    /// replaced; a NUL never occurs in text.
    fn admit(
        &mut self,
        name: &str,
        bytes: Vec<u8>,
        from: Option<Span>,
        sources: &mut Sources,
        report: &mut Report,
    ) -> Result<FileId, Stop> {
        let refuse = |code, message: String| {
            let diagnostic = Diagnostic::error(code, message);
            match from {
                Some(span) => diagnostic.at(span, "named here"),
                None => diagnostic,
            }
        };
        if bytes.len() as u64 > self.bytes_left {
            report.add(refuse(
                codes::TOO_LARGE,
                format!("{name}: parameter files may have {MAX_BYTES} bytes together"),
            ));
            return Err(Stop);
        }
        self.bytes_left -= bytes.len() as u64;
        if let Some(at) = bytes.iter().position(|b| *b == 0) {
            report.add(refuse(
                codes::NOT_TEXT,
                format!("{name} is not a parameter file: byte {at} is a NUL"),
            ));
            return Err(Stop);
        }
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
        Ok(sources.add(name, text))
    }

    fn file(
        &mut self,
        id: FileId,
        folder: &Path,
        depth: Depth,
        sources: &mut Sources,
        report: &mut Report,
    ) -> Result<(), Stop> {
        // The text is moved out of the borrow of `sources`, to which includes add.
        let text = sources.get(id).text.clone();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let at = start;
            start += line.len();
            let content = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            if content.is_empty() || is_comment(content) {
                continue;
            }
            if content.starts_with("eof") {
                break;
            }
            let offset = line.find(content).unwrap_or(0);
            let mut mapped = Mapped::literal(content, id, at + offset);
            self.words.substitute(&mut mapped);
            // A word that is replaced by a star takes its line out.
            if is_comment(mapped.text()) {
                continue;
            }
            if let Some(rest) = mapped.text().strip_prefix("include=") {
                let name_end = "include=".len() + rest.find([' ', '\t']).unwrap_or(rest.len());
                let span = mapped.span("include=".len()..name_end);
                let name = mapped.text()["include=".len()..name_end]
                    .trim_matches('"')
                    .to_string();
                self.include(&name, span, folder, depth, sources, report)?;
                continue;
            }
            if self.lines.len() == MAX_LINES {
                let message = format!("parameter files may have {MAX_LINES} lines together");
                let first = mapped.span(0..mapped.text().len());
                let diagnostic = Diagnostic::error(codes::TOO_LARGE, message);
                report.add(diagnostic.at(first, "the first line too many").help(
                    "write runs that differ in a parameter as one run with for… or a list of values",
                ));
                return Err(Stop);
            }
            self.lines.push(mapped);
            report.bounded()?;
        }
        Ok(())
    }

    fn include(
        &mut self,
        name: &str,
        span: Span,
        folder: &Path,
        depth: Depth,
        sources: &mut Sources,
        report: &mut Report,
    ) -> Result<(), Stop> {
        if depth == Depth::Included {
            report.add(
                Diagnostic::error(codes::INCLUDE, "an included file cannot include another")
                    .at(span, "in a file that is itself included")
                    .help("name both files in the outer file, or after -f"),
            );
            return Err(Stop);
        }
        let tried = include_places(name, folder);
        let Some(path) = tried.iter().find(|p| p.is_file()) else {
            let places: Vec<String> = tried.iter().map(|p| p.display().to_string()).collect();
            report.add(
                Diagnostic::error(
                    codes::INCLUDE,
                    format!("the included file `{name}` is not there"),
                )
                .at(span, "named here")
                .note(format!("looked for {}", places.join(", "))),
            );
            return Err(Stop);
        };
        let id = self.open(path, Some(span), sources, report)?;
        self.file(id, folder, Depth::Included, sources, report)
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with(['/', '#', '*'])
}

/// Where an include is looked for. Vdbench's manual says the including file's folder, its code tries that folder's
/// parent and then the current one; all are tried, the documented one first.
fn include_places(name: &str, folder: &Path) -> Vec<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return vec![path.to_path_buf()];
    }
    let mut places = vec![folder.join(path)];
    if !name.contains('/') {
        places.push(folder.join("..").join(path));
    }
    places.push(path.to_path_buf());
    places
}

/// The words of the command line.
struct Words {
    /// Longest key first, so that `$size` cannot take the start of `$sizes`.
    words: Vec<Word>,
    appended: Vec<Mapped>,
    /// `$name` that nothing replaced, for suggestions.
    left_over: BTreeSet<String>,
}

struct Word {
    key: String,
    value: String,
    span: Span,
    used: bool,
}

impl Words {
    fn new(input: &Input, sources: &mut Sources) -> Self {
        let mut line = String::new();
        let mut place = |text: String| {
            let start = line.len();
            line.push_str(&text);
            line.push(' ');
            start..start + text.len()
        };
        let words: Vec<_> = input
            .words
            .iter()
            .map(|(k, v)| place(format!("{k}={v}")))
            .collect();
        if !input.appended.is_empty() {
            place("+".to_string());
        }
        let appended: Vec<_> = input.appended.iter().map(|a| place(a.clone())).collect();
        let file = match line.is_empty() {
            true => FileId(0),
            false => sources.add("<command line>", line),
        };
        let mut words: Vec<Word> = input
            .words
            .iter()
            .zip(words)
            .map(|((key, value), range)| Word {
                key: key.clone(),
                value: value.clone(),
                span: Span {
                    file,
                    start: range.start as u32,
                    end: range.end as u32,
                },
                used: false,
            })
            .collect();
        words.sort_by_key(|w| std::cmp::Reverse(w.key.len()));
        let appended = input
            .appended
            .iter()
            .zip(appended)
            .map(|(text, range)| Mapped::literal(text, file, range.start))
            .collect();
        Words {
            words,
            appended,
            left_over: BTreeSet::new(),
        }
    }

    fn substitute(&mut self, line: &mut Mapped) {
        if !line.text().contains(['$', '!']) {
            return;
        }
        for word in &mut self.words {
            for sign in ["$", "!"] {
                word.used |= line.replace(&format!("{sign}{}", word.key), &word.value) > 0;
            }
        }
        if self.words.is_empty() || self.left_over.len() > 1000 {
            return;
        }
        for part in line.text().split(['$', '!']).skip(1) {
            let end = part
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(part.len());
            self.left_over.insert(part[..end].to_string());
        }
    }

    fn report_unused(&self, report: &mut Report) {
        for word in self.words.iter().filter(|w| !w.used) {
            let mut diagnostic = Diagnostic::error(
                codes::WORD_UNUSED,
                format!("`{}` replaces nothing", word.key),
            )
            .at(
                word.span,
                format!("no line has ${} or !{}", word.key, word.key),
            );
            if let Some(meant) = nearest(&word.key, self.left_over.iter().map(String::as_str)) {
                diagnostic = diagnostic.help(format!(
                    "`${meant}` is still to be replaced: write {meant}="
                ));
            }
            report.add(diagnostic);
        }
    }
}
