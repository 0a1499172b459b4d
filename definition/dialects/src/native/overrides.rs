//! Changes of the command line to a definition: `--set workload.oltp.block=8k`, and the flags of a workload.
//!
//! The words are read as a second text behind the definition's, so that a complaint shows the word that was typed.

use super::direct::{DirectFlags, Flag};
use super::given::{Part, is_list};
use super::keys::{Key, List, RUN, SHAPE, TARGET, TOP, WORKLOAD, find};
use super::method::{METHOD, methods_of};
use super::report::Report;
use plimsoll_diagnostic::{Diagnostic, nearest};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// The name of the words' text in complaints.
pub const COMMAND_LINE: &str = "command line";

/// Words that were typed beside a definition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Each `--set`, as `PATH=VALUE`.
    pub sets: Vec<String>,
    /// The flags; its targets and its method say nothing here.
    pub flags: DirectFlags,
}

/// Where a word goes.
#[derive(Debug, Clone, PartialEq)]
enum OverridePlace {
    /// By a path: its names, each with its place.
    Path(Vec<Part>),
    /// Into each run that measures.
    Runs(&'static str),
    /// Into each run that holds a curve.
    Curves(&'static str),
    /// Into each run that is a method which has the key.
    Methods(&'static str),
    /// Into each target; what is of trees, into those that are one.
    Targets(&'static str),
    /// Into each workload that makes no tree.
    Workloads(&'static str),
    /// Not to be read.
    Unreadable(Range<usize>),
}

/// One word that was typed.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    place: OverridePlace,
    /// The value, or the values of a list: each stands where it was typed, behind blanks, as `v=VALUE`.
    values: Vec<Value>,
    listed: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Value {
    padded: String,
    at: usize,
    toml: bool,
}

/// The words as a text of their own, and what they say.
#[derive(Debug, Default)]
pub struct Words {
    /// One line a word, as it was typed.
    pub text: String,
    words: Vec<Word>,
}

impl Words {
    /// Reads what was typed; `before` is how many bytes stand before the text of the words.
    pub fn read(overrides: &Overrides, before: usize) -> Self {
        let mut words = Words::default();
        for set in &overrides.sets {
            words.set(set, before);
        }
        let flags = &overrides.flags;
        words.flags(&flags.target_flags(), OverridePlace::Targets, before);
        words.flags(&flags.workload_flags(), OverridePlace::Workloads, before);
        words.flags(&flags.shape_flags(), OverridePlace::Runs, before);
        words.flags(&flags.run_flags(), OverridePlace::Runs, before);
        words.flags(&flags.curve_flags(), OverridePlace::Curves, before);
        words.flags(&flags.method_flags(), OverridePlace::Methods, before);
        words
    }

    fn flags(&mut self, flags: &[Flag], place: fn(&'static str) -> OverridePlace, before: usize) {
        for flag in flags {
            self.text.push_str(flag.flag);
            self.text.push(' ');
            let at = before + self.text.len();
            let key = find(&[&TARGET, &SHAPE, &RUN, &METHOD, &WORKLOAD], flag.key);
            self.word(place(flag.key), key, &flag.value, at);
        }
    }

    fn set(&mut self, set: &str, before: usize) {
        self.text.push_str("--set ");
        let at = before + self.text.len();
        let Some((names, value_at)) = path(set, at) else {
            self.word(OverridePlace::Unreadable(at..at + set.len()), None, set, at);
            return;
        };
        self.text.push_str(&set[..value_at]);
        // A key of the same name may be another thing in another table.
        let tables: [&[Key]; 6] = match names.first().map(|first| first.text.as_str()) {
            Some("run") => [&RUN, &SHAPE, &METHOD, &TOP, &TARGET, &WORKLOAD],
            _ => [&TOP, &TARGET, &WORKLOAD, &SHAPE, &RUN, &METHOD],
        };
        let key = names.last().and_then(|last| find(&tables, &last.text));
        self.word(
            OverridePlace::Path(names),
            key,
            &set[value_at..],
            at + value_at,
        );
    }

    fn word(&mut self, place: OverridePlace, key: Option<&Key>, value: &str, at: usize) {
        self.text.push_str(value);
        self.text.push('\n');
        let bracketed = value.starts_with(['[', '{', '"', '\'']);
        let listed = match key.map(|k| (k.list, k.form.verbatim)) {
            // A path or a command may have a comma in it.
            Some((List::Many, false)) => !bracketed && value.contains(','),
            Some((List::Loop, _)) => !bracketed && is_list(value),
            _ => false,
        };
        let number = key.is_none_or(|k| k.form.number);
        let piece = |text: &str, at: usize| Value {
            padded: format!("{}v={text}", " ".repeat(at - 2)),
            at,
            toml: bracketed || number,
        };
        let values = match listed {
            false => vec![piece(value, at)],
            true => value
                .split(',')
                .map(|p| piece(p.trim(), at + offset(value, p.trim())))
                .collect(),
        };
        self.words.push(Word {
            place,
            values,
            listed,
        });
    }

    /// Changes the document; complaints go to `report`.
    pub fn apply<'d>(&'d self, report: &mut Report<'_>, document: &mut DeTable<'d>) {
        for word in &self.words {
            match &word.place {
                OverridePlace::Unreadable(at) => report.push(
                    Diagnostic::error("bad-set", "--set needs PATH=VALUE")
                        .at(report.span(at.clone()), "")
                        .help("write it as --set workload.NAME.block=8k, or --set run.for=2s for all runs"),
                ),
                OverridePlace::Path(names) => set_path(report, document, names, word),
                OverridePlace::Runs(key) => into(document, "run", key, word, measures),
                OverridePlace::Curves(key) => {
                    let any = tables(document, "run").into_iter().any(|(_, t)| curve(t));
                    into(document, "run", key, word, if any { curve } else { measures });
                }
                // A curve becomes another kind of one.
                OverridePlace::Methods(key @ "method") => into(document, "run", key, word, curve),
                OverridePlace::Methods(key) => {
                    let has = |run: &DeTable<'_>| is_method_with(run, key);
                    into(document, "run", key, word, has);
                }
                OverridePlace::Targets(key) => {
                    let has = |target: &DeTable<'_>| *key != "file_size" || target.contains_key("tree");
                    into(document, "target", key, word, has);
                }
                OverridePlace::Workloads(key) => {
                    let works = |workload: &DeTable<'_>| !workload.contains_key("make");
                    into(document, "workload", key, word, works);
                }
            }
        }
    }
}

fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

/// The names of a path, and where in `set` its value begins. Names may be quoted as in TOML.
fn path(set: &str, at: usize) -> Option<(Vec<Part>, usize)> {
    let mut names = Vec::new();
    let mut rest = set;
    loop {
        let start = offset(set, rest);
        let (name, length) = match rest.chars().next()? {
            quote @ ('"' | '\'') => {
                let inner = rest[1..].split(quote).next()?;
                (inner, inner.len() + 2)
            }
            _ => {
                let length = rest.find(['.', '='])?;
                (rest[..length].trim(), length)
            }
        };
        if name.is_empty() {
            return None;
        }
        names.push(Part {
            text: name.to_string(),
            span: Some(at + start..at + start + length),
        });
        rest = rest.get(length..)?;
        match rest.chars().next()? {
            '.' => rest = &rest[1..],
            '=' => return Some((names, offset(set, rest) + 1)),
            _ => return None,
        }
    }
}

impl Word {
    fn value(&self) -> Spanned<DeValue<'_>> {
        match self.values.as_slice() {
            [one] if !self.listed => one.value(),
            several => {
                let mut list = DeArray::new();
                let ends = |v: &Value| v.padded.len();
                let whole = several.first().map_or(0, |v| v.at)..several.last().map_or(0, ends);
                several.iter().for_each(|v| list.push(v.value()));
                Spanned::new(whole, DeValue::Array(list))
            }
        }
    }
}

impl Value {
    /// A number, a list or a table as TOML has it, or else the text that it is.
    fn value(&self) -> Spanned<DeValue<'_>> {
        let place = self.at..self.padded.len();
        if self.toml
            && let Ok(table) = DeTable::parse(&self.padded)
            && let Some(value) = table.into_inner().remove("v")
            && value.span() == place
            && !matches!(value.get_ref(), DeValue::Datetime(_) | DeValue::Boolean(_))
        {
            return value;
        }
        Spanned::new(place, DeValue::String(self.padded[self.at..].into()))
    }
}

/// The tables under `target`, `workload` or `run`, each with its name.
fn tables<'t, 'd>(
    document: &'t mut DeTable<'d>,
    under: &str,
) -> Vec<(String, &'t mut DeTable<'d>)> {
    let mut found = Vec::new();
    match document.get_mut(under).map(Spanned::get_mut) {
        Some(DeValue::Table(named)) => {
            if under == "run" {
                return vec![(run_name(named, 0), named)];
            }
            for (name, value) in named.iter_mut() {
                if let DeValue::Table(table) = value.get_mut() {
                    found.push((name.get_ref().to_string(), table));
                }
            }
        }
        Some(DeValue::Array(list)) => {
            for (index, value) in list.iter_mut().enumerate() {
                if let DeValue::Table(table) = value.get_mut() {
                    found.push((run_name(table, index), table));
                }
            }
        }
        _ => {}
    }
    found
}

fn run_name(table: &DeTable<'_>, index: usize) -> String {
    let name = table.get("name").and_then(|n| n.get_ref().as_str());
    name.map_or_else(|| format!("run{}", index + 1), str::to_string)
}

/// Not one that prepares: what is cut short there is missing later.
fn measures(run: &DeTable<'_>) -> bool {
    run.get("purpose").and_then(|p| p.get_ref().as_str()) != Some("fill")
}

fn is_method_with(run: &DeTable<'_>, key: &str) -> bool {
    let method = run.get("method").and_then(|m| m.get_ref().as_str());
    method.is_some_and(|m| methods_of(key).contains(&m))
}

fn curve(run: &DeTable<'_>) -> bool {
    if run.get("method").and_then(|m| m.get_ref().as_str()) == Some("adaptive") {
        return true;
    }
    let is = |v: &DeValue<'_>| v.as_str() == Some("curve");
    run.get("load").is_some_and(|load| match load.get_ref() {
        DeValue::Array(list) => list.iter().any(|v| is(v.get_ref())),
        one => is(one),
    })
}

fn into<'d>(
    document: &mut DeTable<'d>,
    under: &str,
    key: &'static str,
    word: &'d Word,
    which: impl Fn(&DeTable<'_>) -> bool,
) {
    for (_, table) in tables(document, under) {
        if which(table) {
            put(table, key, word.values[0].at..word.values[0].at, word);
        }
    }
}

/// A key that is there keeps its place, and with it its turn among the loops.
fn put<'d>(table: &mut DeTable<'d>, key: &'d str, at: Range<usize>, word: &'d Word) {
    match table.get_mut(key) {
        Some(there) => *there = word.value(),
        None => {
            table.insert(Spanned::new(at, key.into()), word.value());
        }
    }
}

fn set_path<'d>(
    report: &mut Report<'_>,
    document: &mut DeTable<'d>,
    names: &'d [Part],
    word: &'d Word,
) {
    let [first, rest @ ..] = names else { return };
    let under = first.text.as_str();
    match (under, rest) {
        ("target" | "workload" | "run", []) => {
            let message = format!("--set {under}: which key of it?");
            let help = format!("write --set {under}.NAME.KEY=VALUE, or {under}.KEY=VALUE for each");
            complain(report, first, message, help);
        }
        ("target" | "workload" | "run", [name, keys @ ..]) => {
            let mut found = tables(document, under);
            let known: Vec<String> = found.iter().map(|(n, _)| n.clone()).collect();
            if keys.is_empty() || (!known.contains(&name.text) && is_key(under, &name.text)) {
                if !is_key(under, &name.text) && known.contains(&name.text) {
                    let message = format!("--set {under}.{}: which key of it?", name.text);
                    let help = format!("write --set {under}.{}.KEY=VALUE", name.text);
                    return complain(report, name, message, help);
                }
                for (_, table) in found {
                    set_keys(report, table, rest, word);
                }
            } else if let Some(index) = report.lookup(under, name, &known) {
                set_keys(report, found.remove(index).1, keys, word);
            }
        }
        (key, _) if find(&[&TOP], key).is_none() => {
            let below = [
                ("run", &RUN[..]),
                ("run", &METHOD),
                ("run", &SHAPE),
                ("target", &TARGET),
                ("workload", &WORKLOAD),
            ];
            let exact = below.iter().find(|(_, keys)| find(&[keys], key).is_some());
            let near = nearest(key, TOP.iter().map(|k| k.name));
            let help = match (exact, near) {
                (Some((table, _)), _) => format!("it stands in a {table}: --set {table}.{key}=VALUE for each, or {table}.NAME.{key}=VALUE"),
                (None, Some(near)) => format!("`{near}` is near"),
                _ => "write --set workload.NAME.KEY=VALUE, run.NAME.KEY=VALUE or target.NAME.KEY=VALUE".to_string(),
            };
            complain(
                report,
                first,
                format!("a definition has no key `{key}` at its top"),
                help,
            );
        }
        _ => set_keys(report, document, names, word),
    }
}

fn is_key(under: &str, name: &str) -> bool {
    let tables: &[&'static [Key]] = match under {
        "target" => &[&TARGET],
        "workload" => &[&WORKLOAD, &SHAPE],
        _ => &[&RUN, &SHAPE, &METHOD],
    };
    find(tables, name).is_some()
}

fn complain(report: &mut Report<'_>, part: &Part, message: String, help: String) {
    let span = report.span(part.span.clone().unwrap_or(0..0));
    report.push(
        Diagnostic::error("unknown-key", message)
            .at(span, "")
            .help(help),
    );
}

/// Sets a key, or a name in the table that a key's value is.
fn set_keys<'d>(
    report: &mut Report<'_>,
    table: &mut DeTable<'d>,
    names: &'d [Part],
    word: &'d Word,
) {
    match names {
        [] => {}
        [last] => put(table, &last.text, last.span.clone().unwrap_or(0..0), word),
        [key, rest @ ..] => {
            let at = key.span.clone().unwrap_or(0..0);
            if !table.contains_key(key.text.as_str()) {
                let empty = Spanned::new(at.clone(), DeValue::Table(DeTable::new()));
                table.insert(Spanned::new(at, key.text.as_str().into()), empty);
            }
            match table.get_mut(key.text.as_str()).map(Spanned::get_mut) {
                Some(DeValue::Table(inner)) => set_keys(report, inner, rest, word),
                _ => {
                    let message = format!(
                        "`{}` is no table here, so nothing in it can be set",
                        key.text
                    );
                    complain(
                        report,
                        key,
                        message,
                        format!("give all of it: {}=VALUE", key.text),
                    );
                }
            }
        }
    }
}
