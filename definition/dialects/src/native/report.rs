//! What was wrong, gathered while reading goes on.

use super::given::{Given, Part, Wrong, kind};
use super::keys::{Key, List};
use plimsoll_diagnostic::{Diagnostic, FileId, Span, nearest};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Complaints past this many are only counted: ten megabytes of the wrong thing need one screen, not a million lines.
const SHOWN_MAX: usize = 20;

/// A text that is being read, and what was wrong with it so far.
#[derive(Debug)]
pub struct Report<'s> {
    /// The text.
    pub source: &'s str,
    file: FileId,
    /// What stands behind the file's text, and where it begins.
    second: Option<(FileId, usize)>,
    diagnostics: Vec<Diagnostic>,
    hidden: usize,
    failed: bool,
}

/// One key of a table, with its value.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'t> {
    /// What is known of the key.
    pub key: &'static Key,
    /// The value.
    pub value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Entry<'t> {
    /// The values of a list, or the only one.
    pub fn values(&self) -> Vec<&'t Spanned<DeValue<'t>>> {
        match self.value.get_ref() {
            DeValue::Array(list) => list.iter().collect(),
            _ => vec![self.value],
        }
    }
}

impl<'s> Report<'s> {
    /// Nothing wrong yet.
    pub fn new(source: &'s str, file: FileId) -> Self {
        Report {
            source,
            file,
            second: None,
            diagnostics: Vec::new(),
            hidden: 0,
            failed: false,
        }
    }

    /// From the byte `at` on the text is that of another file.
    pub fn second(&mut self, file: FileId, at: usize) {
        self.second = Some((file, at));
    }

    /// A place in the text.
    pub fn span(&self, bytes: Range<usize>) -> Span {
        match self.second {
            Some((file, at)) if bytes.start >= at => {
                Span::new(file, bytes.start - at..bytes.end.max(bytes.start) - at)
            }
            _ => Span::new(self.file, bytes),
        }
    }

    /// True once anything is wrong that the definition doesn't survive.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Notes a complaint.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.failed |= diagnostic.is_error();
        if self.diagnostics.len() < SHOWN_MAX {
            self.diagnostics.push(diagnostic);
        } else {
            self.hidden += 1;
        }
    }

    /// All complaints; the last says how many more there were.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.hidden > 0 {
            let text = format!("{} more complaints are not shown", self.hidden);
            self.diagnostics.push(match self.failed {
                true => Diagnostic::error("too-many", text),
                false => Diagnostic::warning("too-many", text),
            });
        }
        self.diagnostics
    }

    /// Complains of the value of `key`, which was written at `whole`.
    pub fn wrong(&mut self, key: &str, whole: Range<usize>, wrong: Wrong) {
        let span = self.span(wrong.span.unwrap_or(whole));
        let mut diagnostic =
            Diagnostic::error("bad-value", format!("`{key}`: {}", wrong.message)).at(span, "");
        diagnostic.help = wrong.remedy;
        if let Some(replacement) = wrong.patch {
            diagnostic = diagnostic.patch(span, replacement);
        }
        self.push(diagnostic);
    }

    /// The table that `value` must be.
    pub fn table<'t>(
        &mut self,
        what: &str,
        value: &'t Spanned<DeValue<'t>>,
    ) -> Option<&'t DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            other => {
                let message = format!("{what} is a table, but here is {}", kind(other));
                let span = self.span(value.span());
                self.push(Diagnostic::error("bad-value", message).at(span, "not a table"));
                None
            }
        }
    }

    /// The keys of a table that are in `tables`, in order of appearance. Complains of those that aren't.
    pub fn entries<'t>(
        &mut self,
        what: &str,
        table: &'t DeTable<'t>,
        tables: &[&'static [Key]],
    ) -> Vec<Entry<'t>> {
        let mut found: Vec<(usize, Entry<'t>)> = Vec::new();
        for (name, value) in table {
            match super::keys::find(tables, name.get_ref()) {
                Some(key) => found.push((name.span().start, Entry { key, value })),
                None => self.unknown_key(what, name.get_ref(), name.span(), tables),
            }
        }
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, entry)| entry).collect()
    }

    fn unknown_key(&mut self, what: &str, name: &str, at: Range<usize>, tables: &[&'static [Key]]) {
        let span = self.span(at);
        let names: Vec<&str> = tables
            .iter()
            .flat_map(|t| t.iter())
            .map(|k| k.name)
            .collect();
        let diagnostic = Diagnostic::error("unknown-key", format!("{what} has no key `{name}`"))
            .at(span, "not known here");
        if let Some(meant) = super::foreign::meant(name, &names) {
            return self.push(diagnostic.help(meant));
        }
        self.push(match nearest(name, names.iter().copied()) {
            Some(near) => diagnostic
                .help(format!("`{near}` is near"))
                .patch(span, near),
            None => diagnostic.help(format!("known are {}", names.join(", "))),
        });
    }

    /// The one value of an entry.
    pub fn one(&mut self, entry: Entry<'_>) -> Option<Given> {
        self.given(entry.key, entry.value)
    }

    /// The value of an entry, or its values where it's a list; says whether it was one.
    pub fn many(&mut self, entry: Entry<'_>) -> Option<(bool, Vec<Given>)> {
        let DeValue::Array(list) = entry.value.get_ref() else {
            return Some((false, vec![self.given(entry.key, entry.value)?]));
        };
        if list.is_empty() {
            let wrong = Wrong::new(&self.part(entry.value), "the list is empty")
                .remedy(format!("expected {}", entry.key.form.what));
            self.wrong(entry.key.name, entry.value.span(), wrong);
            return None;
        }
        let values: Vec<Option<Given>> = list.iter().map(|v| self.given(entry.key, v)).collect();
        Some((true, values.into_iter().collect::<Option<Vec<_>>>()?))
    }

    /// The plain texts of an entry's value or list, for names, paths and limits, which have no grammar of their own.
    pub fn texts(&mut self, entry: Entry<'_>) -> Option<Vec<Part>> {
        let list = match entry.value.get_ref() {
            DeValue::Array(list) => list.iter().collect(),
            _ => vec![entry.value],
        };
        let mut texts = Vec::new();
        for value in list {
            texts.push(self.text_of(entry.key, value)?);
        }
        Some(texts)
    }

    /// The one text of an entry.
    pub fn text(&mut self, entry: Entry<'_>) -> Option<Part> {
        self.text_of(entry.key, entry.value)
    }

    /// One text, from a value of `key`.
    pub fn text_of(&mut self, key: &Key, value: &Spanned<DeValue<'_>>) -> Option<Part> {
        let whole = value.get_ref();
        match super::given::scalar(value, self.source) {
            Some(part) if matches!(whole, DeValue::String(_)) || key.form.number => Some(part),
            _ => {
                let message = format!("expected {}, found {}", key.form.what, kind(whole));
                let wrong = Wrong::new(&self.part(value), message);
                self.wrong(key.name, value.span(), wrong);
                None
            }
        }
    }

    fn given(&mut self, key: &Key, value: &Spanned<DeValue<'_>>) -> Option<Given> {
        if matches!(value.get_ref(), DeValue::Array(_)) && key.list == List::Loop {
            let wrong = Wrong::new(
                &self.part(value),
                "a list is a loop, and loops stand in a [[run]]",
            )
            .remedy("move the list to the run, or give one value");
            self.wrong(key.name, value.span(), wrong);
            return None;
        }
        match Given::from_toml(value, key.form, self.source) {
            Ok(given) => Some(given),
            Err(wrong) => {
                self.wrong(key.name, value.span(), wrong);
                None
            }
        }
    }

    /// The result of reading a value of `entry`, or a complaint.
    pub fn accept<T>(&mut self, entry: Entry<'_>, result: Result<T, Wrong>) -> Option<T> {
        result
            .map_err(|wrong| self.wrong(entry.key.name, entry.value.span(), wrong))
            .ok()
    }

    /// Looks a name up, or complains with the nearest one.
    pub fn lookup(&mut self, what: &str, part: &Part, names: &[String]) -> Option<usize> {
        if let Some(index) = names.iter().position(|n| *n == part.text) {
            return Some(index);
        }
        let span = self.span(part.span.clone().unwrap_or(0..0));
        let diagnostic = Diagnostic::error(
            "unknown-name",
            format!("there is no {what} `{}`", part.text),
        )
        .at(span, "");
        self.push(
            match nearest(&part.text, names.iter().map(String::as_str)) {
                Some(near) => diagnostic
                    .help(format!("`{near}` is near"))
                    .patch(span, near),
                None if names.is_empty() => {
                    diagnostic.help(format!("define it as [{what}.{}]", part.text))
                }
                None => diagnostic.help(format!("defined are {}", names.join(", "))),
            },
        );
        None
    }

    fn part(&self, value: &Spanned<DeValue<'_>>) -> Part {
        Part {
            text: String::new(),
            span: Some(value.span()),
        }
    }
}
