//! What a job asks for, from the options that fio's results repeat.

use super::lowering;
use super::options;
use super::reading::{Section, Setting};
use super::{jobs, settings};
use crate::asked::AskedRun;
use crate::vdbench::report::Report;
use plimsoll_diagnostic::{Sources, Span};
use std::collections::BTreeSet;

/// The job of a name, with the options of global sections and its own, as they are read in a job file. A value that cannot be read
/// makes unknown what it was to say, also where another section says it readably.
pub fn asked(name: &str, global: &[(String, String)], own: &[(String, String)]) -> AskedRun {
    let file = Sources::default().add("result", "");
    let span = Span::new(file, 0..0);
    let section = |name: &str, options: &[(String, String)]| Section {
        name: name.to_string(),
        span,
        text: 0,
        of_words: false,
        settings: options
            .iter()
            .map(|(name, value)| Setting {
                name: name.clone(),
                // A flag has no value, or an empty one.
                value: Some(value.clone()).filter(|v| !v.is_empty()),
                span,
            })
            .collect(),
    };
    let sections = [section("global", global), section(name, own)];
    let unread = unread(&sections);
    let found = jobs::gather(&sections, &[], &mut Report::new());
    match found.as_deref() {
        Ok([job]) => lowering::asked(job, &unread),
        _ => AskedRun::default(),
    }
}

/// Options whose last word cannot be read.
fn unread(sections: &[Section]) -> BTreeSet<&'static str> {
    let mut unread = BTreeSet::new();
    for section in sections {
        for setting in &section.settings {
            let Some(option) = options::find(&setting.name) else {
                continue;
            };
            let alone = Section {
                settings: vec![setting.clone()],
                ..section.clone()
            };
            let read = settings::read(&alone, 1024, &mut Report::new());
            match read.assigned.is_empty() {
                true => unread.insert(option.name),
                false => unread.remove(option.name),
            };
        }
    }
    unread
}
