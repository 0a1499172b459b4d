//! What was named against what was planted.

use crate::measure::Measured;
use plimsoll_evidence::LimitCause;
use std::collections::BTreeMap;
use std::fmt;

/// Truth about a run's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// One cause, which is the limit.
    One(LimitCause),
    /// One cause, which the array does not tell enough of for it to be known.
    Untold(LimitCause),
    /// Two causes, about alike.
    Either(LimitCause, LimitCause),
    /// The load was carried: there is none.
    Nothing,
    /// There is one, in a part of the array that tells nothing.
    Hidden,
}

/// All runs.
#[derive(Default)]
pub struct Matrix {
    /// By group, truth and what was named: how many.
    counts: BTreeMap<(&'static str, String, String), usize>,
    /// Runs in which something could be named, and in how many it was.
    observable: (usize, usize),
    /// All runs, and those in which something was named that is not so.
    accused: (usize, usize),
    /// Sentences that were said where they were not right.
    wrong: Vec<String>,
}

impl Matrix {
    pub fn add(&mut self, group: &'static str, seed: u64, truth: Truth, run: &Measured) {
        let none = LimitCause::NotAttributable;
        let (label, right, false_alarm) = match (truth, run.named) {
            (Truth::One(cause), named) => (
                cause.words().to_string(),
                Some(named == Some(cause)),
                named.is_some_and(|n| n != cause && n != none),
            ),
            (Truth::Untold(cause), named) => (
                format!("{}, not told", cause.words()),
                None,
                named.is_some_and(|n| n != cause && n != none),
            ),
            (Truth::Either(a, b), named) => (
                "either of two".to_string(),
                // There is none that stands out, and that may be said.
                Some(named.is_some_and(|n| n == a || n == b || n == none)),
                named.is_some_and(|n| n != a && n != b && n != none),
            ),
            (Truth::Nothing, named) => {
                ("a load that was carried".to_string(), None, named.is_some())
            }
            (Truth::Hidden, named) => (
                "what is not told".to_string(),
                None,
                named.is_some_and(|n| n != none),
            ),
        };
        let named = run.named.map_or("nothing", LimitCause::words);
        if right == Some(false) || false_alarm {
            self.wrong
                .push(format!("{group} {seed}: {truth:?}: {}", run.sentence));
        }
        *self.counts.entry((group, label, named.into())).or_default() += 1;
        if let Some(right) = right {
            self.observable.0 += 1;
            self.observable.1 += usize::from(right);
        }
        self.accused.0 += 1;
        self.accused.1 += usize::from(false_alarm);
    }

    /// The share that was named rightly of those in which something is to be named.
    pub fn right(&self) -> f64 {
        self.observable.1 as f64 / self.observable.0.max(1) as f64
    }

    /// The share of all in which something was named that is not so.
    pub fn accused(&self) -> f64 {
        self.accused.1 as f64 / self.accused.0.max(1) as f64
    }

    /// The table as Markdown.
    fn table(&self) -> String {
        let mut out =
            String::from("| Planted | What limits it | Named | Runs |\n|---|---|---|--:|\n");
        for ((group, truth, named), count) in &self.counts {
            out.push_str(&format!("| {group} | {truth} | {named} | {count} |\n"));
        }
        out.push_str(&format!(
            "\nOf {} runs in which something is to be named, it was named rightly in {}: {:.1} %. Of all {}, something \
             was named that is not so in {}: {:.1} %.\n",
            self.observable.0,
            self.observable.1,
            100.0 * self.right(),
            self.accused.0,
            self.accused.1,
            100.0 * self.accused()
        ));
        out
    }

    /// Puts the table between its marks in a page of the repository.
    pub fn write_into(&self, page: &str) {
        const MARKS: [&str; 2] = ["<!-- matrix -->\n", "<!-- end of matrix -->"];
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(page);
        let text = std::fs::read_to_string(&path).expect("the page can be read");
        let [begin, end] = MARKS.map(|mark| text.find(mark).expect("the page has marks"));
        let new = format!(
            "{}\n{}\n{}",
            &text[..begin + MARKS[0].len()],
            self.table(),
            &text[end..]
        );
        std::fs::write(&path, new).expect("the page can be written");
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.table())?;
        self.wrong.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
