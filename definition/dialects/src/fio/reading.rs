//! From texts to sections of options: comments, headers, includes.

use super::codes;
use super::input::{Input, Text};
use super::substitute::{MAX_LINE, substituted, variables};
use crate::vdbench::report::{Report, Stop};
use plimsoll_diagnostic::{Diagnostic, FileId, Sources, Span};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The name under which words of the command line are shown.
pub const COMMAND_LINE: &str = "command line";
/// More is no job file.
pub const MAX_BYTES: u64 = 16 << 20;
/// The most lines that count, of all files together: an option takes many times its length in memory.
const MAX_LINES: usize = 500_000;
/// Includes in includes; fio's own limit.
const MAX_DEPTH: usize = 16;
/// Where fio cuts a section's name.
const MAX_NAME: usize = 254;
/// What the names of global sections begin with.
const GLOBAL: &str = "global";
/// Options that fio sorts behind the others of their section, for they depend on them.
const LATE: [&str; 2] = ["filename", "filename_format"];

/// One section as written.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub name: String,
    pub span: Span,
    /// The number of the text that it stands in: each waits for the one before, but the first file not for the command line.
    pub text: usize,
    /// It is of a command line.
    pub of_words: bool,
    /// In the order of the text, variables replaced.
    pub settings: Vec<Setting>,
}

/// `name=value`, or a bare name.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub name: String,
    pub value: Option<String>,
    /// All of it.
    pub span: Span,
}

impl Section {
    /// Whether its options are defaults for what comes below.
    pub fn is_global(&self) -> bool {
        self.name.starts_with(GLOBAL)
    }

    /// Whether it was probably meant to be global, and is a job.
    fn looks_global(&self) -> bool {
        let head = self.name.get(..GLOBAL.len());
        !self.is_global() && head.is_some_and(|head| head.eq_ignore_ascii_case(GLOBAL))
    }
}

/// Blanks of the C locale. Those that only Unicode knows belong to names.
pub(super) fn is_blank(c: char) -> bool {
    c == ' ' || ('\t'..='\r').contains(&c)
}

/// A line or a name without what fio drops at its end: blanks and control characters.
fn without_end(text: &str) -> &str {
    text.trim_end_matches(|c: char| is_blank(c) || c.is_ascii_control())
}

/// All sections of all texts.
pub(super) fn read(
    input: &Input,
    sources: &mut Sources,
    report: &mut Report,
) -> Result<Vec<Section>, Stop> {
    let mut reader = Reader {
        input,
        sources,
        report,
        sections: Vec::new(),
        open: None,
        bytes: 0,
        lines: 0,
    };
    for (number, text) in input.texts.iter().enumerate() {
        reader.open = None;
        let before = reader.sections.len();
        match text {
            Text::File(path) => reader.file(path, number)?,
            Text::Here { name, text } => {
                reader.here(name, text)?;
                reader.text(name, None, text.clone(), number, 0)?;
            }
            Text::Words(words) => {
                // These count in the order in which they were typed.
                reader.words(words, number)?;
                continue;
            }
        }
        for section in &mut reader.sections[before..] {
            let is_late = |s: &Setting| LATE.contains(&s.name.as_str());
            section.settings.sort_by_key(is_late);
        }
    }
    Ok(reader.sections)
}

struct Reader<'a> {
    input: &'a Input,
    sources: &'a mut Sources,
    report: &'a mut Report,
    sections: Vec<Section>,
    /// The section that options go to.
    open: Option<usize>,
    bytes: u64,
    lines: usize,
}

/// What editors on Windows put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

impl Reader<'_> {
    fn file(&mut self, path: &Path, number: usize) -> Result<(), Stop> {
        match self.load(path) {
            Ok(text) => self.text(&path.display().to_string(), Some(path), text, number, 0),
            Err(why) => {
                self.report.add(
                    Diagnostic::error(
                        codes::UNREADABLE,
                        format!("cannot read {}: {why}", path.display()),
                    )
                    .help("check the name and the permissions"),
                );
                Err(Stop)
            }
        }
    }

    fn load(&mut self, path: &Path) -> Result<String, String> {
        let mut bytes = Vec::new();
        let most = MAX_BYTES.saturating_sub(self.bytes) + 1;
        File::open(path)
            .and_then(|file| file.take(most).read_to_end(&mut bytes))
            .map_err(|e| e.to_string())?;
        self.take(bytes.len())?;
        String::from_utf8(bytes).map_err(|_| "it is not text".to_string())
    }

    /// A text that is no file's.
    fn here(&mut self, name: &str, text: &str) -> Result<(), Stop> {
        self.take(text.len()).map_err(|why| {
            let message = format!("cannot read {name}: {why}");
            self.report
                .add(Diagnostic::error(codes::TOO_LARGE, message));
            Stop
        })
    }

    /// Counts what is read.
    fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        match self.bytes > MAX_BYTES {
            true => Err(format!(
                "job files may come to {} MiB together",
                MAX_BYTES >> 20
            )),
            false => Ok(()),
        }
    }

    fn text(
        &mut self,
        name: &str,
        path: Option<&Path>,
        text: String,
        number: usize,
        depth: usize,
    ) -> Result<(), Stop> {
        let file = self.sources.add(name, text.clone());
        if text.starts_with(BYTE_ORDER_MARK) {
            let span = Span::new(file, 0..BYTE_ORDER_MARK.len_utf8());
            self.report.add(
                Diagnostic::error(codes::OUTSIDE, "the file begins with a byte order mark")
                    .at(
                        span,
                        "U+FEFF, which nobody sees: fio takes it for an option",
                    )
                    .help("save the file as UTF-8 without a byte order mark"),
            );
            return Err(Stop);
        }
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.len();
            self.line(file, start, line, number, (path, depth))?;
            self.report.bounded()?;
            start = end;
        }
        Ok(())
    }

    fn line(
        &mut self,
        file: FileId,
        start: usize,
        line: &str,
        number: usize,
        (path, depth): (Option<&Path>, usize),
    ) -> Result<(), Stop> {
        // A comment begins anywhere: nothing can be quoted.
        let end = line.find([';', '#']).unwrap_or(line.len());
        let text = without_end(line[..end].trim_start_matches(is_blank));
        let from = start + (line.len() - line.trim_start_matches(is_blank).len());
        let span = Span::new(file, from..from + text.len());
        if line.len() > MAX_LINE || line.contains('\0') {
            self.cut(line, span);
            return Err(Stop);
        }
        if text.is_empty() {
            return Ok(());
        }
        self.lines += 1;
        if self.lines > MAX_LINES {
            let message = format!("job files may have {MAX_LINES} lines together");
            self.report.add(
                Diagnostic::error(codes::TOO_LARGE, message)
                    .at(span, "the first line too many")
                    .help("write jobs that are alike as one job with numjobs"),
            );
            return Err(Stop);
        }
        if text.starts_with('[') {
            self.header(text, span, number, depth);
            return Ok(());
        }
        if let Some(name) = text.strip_prefix("include") {
            return self.include(name, span, number, (path, depth));
        }
        self.setting(text, span);
        Ok(())
    }

    /// A line that fio cuts.
    fn cut(&mut self, line: &str, span: Span) {
        let complaint = match line.contains('\0') {
            true => Diagnostic::error(codes::NOT_TEXT, "a line contains a zero byte")
                .note("fio reads nothing of the line from there on")
                .help("remove the byte"),
            false => Diagnostic::error(codes::TOO_LARGE, "a line is longer than fio reads")
                .note(format!(
                    "fio reads {MAX_LINE} bytes of a line, and takes the rest for a line of its own, even in a comment"
                ))
                .help("split the line"),
        };
        self.report.add(complaint.at(span, ""));
    }

    fn header(&mut self, text: &str, span: Span, number: usize, depth: usize) {
        // fio takes all of the line, and drops its last character, whatever that is.
        let (name, ends) = match text[1..].strip_suffix(']') {
            Some(name) => (name, true),
            None => (&text[1..], false),
        };
        let complaint = match () {
            () if depth > 0 => Some("an included file may hold options only, and no section"),
            () if !text.contains(']') => Some("the name of a section ends with ]"),
            () if !ends => {
                Some("text follows the ] of a section, and fio takes it for part of the name")
            }
            () if name.is_empty() => Some("a section needs a name"),
            () if name.len() > MAX_NAME => Some("a section's name may have at most 254 bytes"),
            () => None,
        };
        if let Some(complaint) = complaint {
            self.report
                .add(Diagnostic::error(codes::HEADER, complaint).at(span, "here"));
        }
        self.begin(name, span, number);
    }

    fn begin(&mut self, name: &str, span: Span, number: usize) {
        self.open = Some(self.sections.len());
        let section = Section {
            name: name.to_string(),
            span,
            text: number,
            of_words: matches!(self.input.texts.get(number), Some(Text::Words(_))),
            settings: Vec::new(),
        };
        if section.looks_global() {
            self.report.add(
                Diagnostic::warning(codes::GLOBAL, format!("[{name}] is a job"))
                    .at(span, "only [global] in lower case is global")
                    .note("fio runs it as a job, and its options apply to no other")
                    .help("write [global]"),
            );
        }
        self.sections.push(section);
    }

    /// The rest of an `include` line: one blank, and the name of a file.
    fn include(
        &mut self,
        rest: &str,
        span: Span,
        number: usize,
        (path, depth): (Option<&Path>, usize),
    ) -> Result<(), Stop> {
        let name = rest
            .strip_prefix([' ', '\t'])
            .filter(|name| !name.is_empty() && !name.starts_with([' ', '\t', '=']));
        let Some(name) = name else {
            self.report.add(
                Diagnostic::error(
                    codes::INCLUDE,
                    "this is not an option, and it names no file",
                )
                .at(
                    span,
                    "fio takes everything that begins with `include` for an include",
                )
                .help("write include FILE, with one blank"),
            );
            return Ok(());
        };
        if self.open.is_none() {
            self.outside(span);
            return Ok(());
        }
        let refused = |why: String| {
            Diagnostic::error(codes::INCLUDE, format!("cannot include {name}: {why}"))
                .at(span, "asked for here")
        };
        if depth >= MAX_DEPTH {
            self.report
                .add(refused(format!("includes may be {MAX_DEPTH} deep")));
            return Err(Stop);
        }
        // fio looks in the current folder first.
        let beside = path.and_then(Path::parent).map(|folder| folder.join(name));
        let here = PathBuf::from(name);
        let found = match (here.exists(), beside) {
            (false, Some(beside)) => beside,
            _ => here,
        };
        match self.load(&found) {
            Ok(text) => {
                let shown = found.display().to_string();
                self.text(&shown, Some(&found), text, number, depth + 1)
            }
            Err(why) => {
                self.report.add(refused(why));
                Ok(())
            }
        }
    }

    /// An option or an include that belongs to no section.
    fn outside(&mut self, span: Span) {
        self.report.add(
            Diagnostic::error(codes::OUTSIDE, "an option stands before the first section")
                .at(span, "fio takes none outside of a section")
                .help("write [global] above it"),
        );
    }

    /// An option of a file, in whose value variables and keywords are replaced; a variable may also hold its name, or all of it.
    fn setting(&mut self, text: &str, span: Span) {
        let name = text.split('=').next().unwrap_or_default();
        let filled = name
            .contains("${")
            .then(|| variables(text, self.input, span, self.report));
        let text = filled.as_deref().unwrap_or(text);
        self.add(text, span, |reader, value| {
            let before = text.len() - value.len();
            substituted(value, before, reader.input, span, reader.report)
        });
    }

    fn add(&mut self, text: &str, span: Span, read: impl Fn(&mut Self, &str) -> String) {
        let Some(open) = self.open else {
            self.outside(span);
            return;
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (without_end(name), Some(value)),
            None => (text, None),
        };
        let value = value.map(|value| read(self, value));
        self.sections[open].settings.push(Setting {
            name: name.to_string(),
            value,
            span,
        });
    }

    /// fio's command line: each `--name=` opens a job, `--name=global` says defaults.
    fn words(&mut self, words: &[String], number: usize) -> Result<(), Stop> {
        let text = words.join(" ");
        let file = self.sources.add(COMMAND_LINE, text);
        let mut start = 0;
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let mut end = start + word.len();
            let bare = word.trim_start_matches('-');
            let mut setting = bare.to_string();
            if !bare.contains('=')
                && !super::is_flag(bare)
                && let Some(next) = words.next_if(|w| !w.starts_with("--"))
            {
                setting = format!("{bare}={next}");
                end += 1 + next.len();
            }
            let span = Span::new(file, start..end);
            match setting.strip_prefix("name=") {
                Some(name) if !name.is_empty() => self.begin(name, span, number),
                // The shell has replaced its variables; fio replaces none.
                _ => self.add(&setting, span, |_, value| value.to_string()),
            }
            self.report.bounded()?;
            start = end + 1;
        }
        Ok(())
    }
}
