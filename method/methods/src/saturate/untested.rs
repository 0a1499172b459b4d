//! The map of what a campaign did not look at.

use super::Saturate;
use super::table::{addresses, content, profile};
use plimsoll_evidence::wording::plural;
use plimsoll_evidence::{MethodTable, Quantity, TableCell, TableColumn};
use plimsoll_plan::{FileSelect, MORE_WORKERS};

/// A dimension, what of it was tested, and what was not.
type Dimension = (&'static str, String, &'static str);

impl Saturate {
    /// Table of what was tested, and of what nobody has looked at.
    pub(super) fn not_tested(&self) -> MethodTable {
        let row = |(dimension, tested, not): Dimension| {
            [dimension.to_owned(), tested, not.to_owned()]
                .map(|text| TableCell::of(Quantity::Text(text)))
                .to_vec()
        };
        let what = match self.spec.reads.is_empty() {
            true => self.operations(),
            false => [self.mixes(), vec![self.workers()]].concat(),
        };
        MethodTable {
            title: "What was tested, and what was not".into(),
            columns: vec![
                TableColumn::new("dimension", ""),
                TableColumn::new("tested", "tested"),
                TableColumn::new("not_tested", "not tested"),
            ],
            rows: what.into_iter().chain(self.way()).map(row).collect(),
        }
    }

    /// Reads and writes of addresses.
    fn mixes(&self) -> Vec<Dimension> {
        let profiles: Vec<String> = self.spec.reads.iter().map(|r| profile(*r)).collect();
        vec![
            ("mix", profiles.join(", "), "mixes between them; trims"),
            (
                "transfer size",
                self.sizes_tested(),
                "sizes between them, several sizes at once, addresses off their boundaries",
            ),
            (
                "addresses",
                self.of_streams(|s| addresses(&s.address)),
                "other orders and working sets: a cache, or one hot owner, gives other numbers",
            ),
            self.contents(),
        ]
    }

    /// Operations on a tree.
    fn operations(&self) -> Vec<Dimension> {
        let order = |s: &plimsoll_plan::Stream| match s.files.select {
            FileSelect::Random => "drawn".to_string(),
            FileSelect::Sequential => "in order".to_string(),
        };
        let mut found = vec![("operations", self.profile(0), "other shares of them")];
        if !self.spec.blocks.is_empty() {
            let not = "sizes between them, and several sizes at once";
            found.push(("transfer size", self.sizes_tested(), not));
        }
        found.push((
            "files",
            self.of_streams(order),
            "another tree: more files, other sizes, deeper or wider directories",
        ));
        if self.cells[0].streams.iter().any(|s| s.mix.write > 0.0) {
            found.push(self.contents());
        }
        found
    }

    fn sizes_tested(&self) -> String {
        let sizes: Vec<String> = self.spec.blocks.iter().map(ToString::to_string).collect();
        sizes.join(", ")
    }

    fn contents(&self) -> Dimension {
        (
            "content",
            self.of_streams(|s| content(&s.content).into()),
            "other content: an array that reduces data writes it at another speed",
        )
    }

    fn workers(&self) -> Dimension {
        (
            "workers",
            match self.cells[0].workers.count {
                Some(n) => plural(n as usize, "worker"),
                None => format!("up to {} times as many as usual", 1 << MORE_WORKERS),
            },
            "more of them, and other numbers at each depth",
        )
    }

    /// Rows about the way of testing.
    fn way(&self) -> [Dimension; 3] {
        let seconds = self.cells[0].elapsed.as_secs_f64();
        [
            (
                "time",
                format!("{seconds:.0} s a point"),
                "what comes later: a cache that fills, garbage collection (plimsoll soak)",
            ),
            (
                "load",
                "closed loop at each depth".into(),
                "a steady rate, with its waiting (plimsoll curve)",
            ),
            ("hosts", "this one".into(), "several at once"),
        ]
    }
}
