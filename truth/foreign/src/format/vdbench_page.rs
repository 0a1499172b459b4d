//! What stands around Vdbench's log in a page or a mail and speaks against it: a definition that asks for something else, and steps of the
//! setup that failed; and what the tool says of its own age.

use crate::model::{InputPlace, Remark, Run};
use crate::text;

/// Words of an installer's or a service's line that say that it failed.
const FAILED: [&str; 4] = [
    "failed to install",
    "failed to start",
    "failed to load",
    "[failed]",
];
/// Remarks that are kept of one page.
const MOST: usize = 20;
/// Characters of a line that are quoted.
const LONGEST: usize = 100;

/// Remarks on what is odd in a text with these runs.
pub fn remarks(text: &str, source: usize, runs: &[Run]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if runs.is_empty() {
        return remarks;
    }
    let first = runs.iter().map(|run| run.at.line).min();
    for (line, content) in text::lines(text) {
        let at = InputPlace { source, line };
        let content = content.trim();
        let lower = content.to_ascii_lowercase();
        let is_before = first.is_none_or(|first| line < first);
        if is_before && FAILED.iter().any(|words| lower.contains(words)) {
            let text = format!(
                "`{}`: a step of the setup failed before these runs, and what it was to bring may be missing",
                short(content)
            );
            remarks.push(Remark { at, text });
        }
        if is_before && lower.contains("90 days") {
            let text = format!(
                "`{}`: the tool itself calls this release old, and what was mended since is not in these figures",
                short(content)
            );
            remarks.push(Remark { at, text });
        }
        if lower.starts_with("rd=") {
            let run = runs.iter().find(|run| is_of(run, content));
            remarks.extend(run.and_then(|run| otherwise(content, run, at)));
        }
    }
    remarks.truncate(MOST);
    remarks
}

/// True where a line `rd=NAME,...` defines a run.
fn is_of(run: &Run, definition: &str) -> bool {
    let name = definition.split([',', ' ']).next().unwrap_or_default();
    let own = run.name.split(' ').next().unwrap_or_default();
    name.split_once('=').is_some_and(|(_, name)| name == own)
}

/// Remark on what a definition says otherwise than the log below it.
fn otherwise(definition: &str, run: &Run, at: InputPlace) -> Option<Remark> {
    let said = |key: &str| {
        let words = definition.split([',', ' ']);
        let mut pairs = words.filter_map(|word| word.split_once('='));
        let found = pairs.find(|(name, _)| *name == key);
        found.and_then(|(_, value)| text::amount(value))
    };
    let each = run.intervals().find_map(|(_, row)| row.seconds);
    let pairs = [("interval", each), ("elapsed", run.asked.duration_s)];
    let differ = pairs.iter().filter_map(|(key, seen)| {
        let (said, seen) = (said(key)?, (*seen)?);
        ((said - seen).abs() > 0.5)
            .then(|| format!("{key}={said} is written here, and the log has {seen} s"))
    });
    let differ: Vec<String> = differ.collect();
    (!differ.is_empty()).then(|| Remark {
        at,
        text: format!(
            "{}: the log was made with another definition, or with -e or -i on the command line",
            differ.join(", ")
        ),
    })
}

/// A line, or its beginning up to the end of a word.
fn short(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(LONGEST) else {
        return line.to_string();
    };
    let whole = line[..end].rfind(' ').unwrap_or(end);
    format!("{}…", &line[..whole])
}
