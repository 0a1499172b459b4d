//! Names that Vdbench takes: letters, digits and underlines.

use std::collections::BTreeSet;

/// The names so far.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// A name like `wanted` that nothing else has; `kind` begins those that have no letter of their own.
    pub fn free(&mut self, kind: &str, wanted: &str) -> String {
        let plain: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let plain = plain.trim_matches('_');
        let plain = match plain.chars().next() {
            // Words that stand for something else, where a name is wanted.
            Some(c)
                if c.is_ascii_alphabetic()
                    && !["default", "max", "single", "range"].contains(&plain) =>
            {
                plain.to_string()
            }
            _ => format!("{kind}{plain}"),
        };
        let numbered = (2..).map(|n| format!("{plain}_{n}"));
        let mut ways = std::iter::once(plain.clone()).chain(numbered);
        let name = ways.find(|way| !self.0.contains(way)).unwrap_or(plain);
        self.0.insert(name.clone());
        name
    }
}
