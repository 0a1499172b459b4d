//! Search for records, with its conditions as an address has them.

use plimsoll_http::Request;

/// Conditions that a record has to meet, all of them; an empty one is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Search {
    /// Words that occur anywhere in what is known of it.
    pub words: String,
    pub target: String,
    /// Method or workload.
    pub workload: String,
    /// First day, `2026-05-01`.
    pub from: String,
    /// Last day.
    pub to: String,
    pub tag: String,
    /// Verdict on it: `clean`, `notes`, `suspect`, `invalid`, or how it ended: `unfinished`.
    pub verdict: String,
    /// Number of a rule: `PL130`.
    pub finding: String,
}

/// Verdicts that can be searched for, and what they say to people.
pub(crate) const VERDICTS: [(&str, &str); 7] = [
    ("sound", "sound: no doubt that matters"),
    ("suspect", "suspect"),
    ("invalid", "invalid"),
    ("completed", "completed"),
    ("interrupted", "interrupted"),
    ("failed", "failed"),
    ("unfinished", "unfinished"),
];

impl Search {
    pub(crate) fn of(request: &Request) -> Self {
        let mut search = Search::default();
        for (name, value) in request.pairs() {
            let value = value.trim().to_owned();
            match name.as_str() {
                "q" => search.words = value,
                "target" => search.target = value,
                "workload" => search.workload = value,
                "from" => search.from = value,
                "to" => search.to = value,
                "tag" => search.tag = value,
                "verdict" => search.verdict = value,
                "finding" => search.finding = value,
                _ => {}
            }
        }
        search
    }

    /// The names and values of an address that searches the same.
    pub(crate) fn pairs(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("q", self.words.as_str()),
            ("target", &self.target),
            ("workload", &self.workload),
            ("from", &self.from),
            ("to", &self.to),
            ("tag", &self.tag),
            ("verdict", &self.verdict),
            ("finding", &self.finding),
        ];
        all.into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    /// The condition in SQL, and its values.
    pub(crate) fn condition(&self) -> (String, Vec<String>) {
        let (mut parts, mut values) = (vec!["1"], Vec::new());
        let mut also = |part: &'static str, value: String| {
            parts.push(part);
            values.push(value);
        };
        for word in self.words.split_whitespace() {
            also("instr(words, ?) > 0", word.to_lowercase());
        }
        for (value, part) in [
            (&self.target, "instr(lower(targets), ?) > 0"),
            (
                &self.workload,
                "instr(lower(method || ' ' || workload || ' ' || test), ?) > 0",
            ),
            (&self.tag, "instr(lower(tag), ?) > 0"),
        ] {
            if !value.is_empty() {
                also(part, value.to_ascii_lowercase());
            }
        }
        if !self.finding.is_empty() {
            let finding = self.finding.to_ascii_lowercase();
            also(
                "instr(' ' || lower(findings) || ' ', ?) > 0",
                format!(" {finding} "),
            );
        }
        if !self.from.is_empty() {
            also("started >= ?", self.from.clone());
        }
        if !self.to.is_empty() {
            // All of that day: its times begin with it.
            also("substr(started, 1, 10) <= ?", self.to.clone());
        }
        match self.verdict.as_str() {
            "" => {}
            "sound" => parts.push("error IS NULL AND worst < 2 AND status = 'completed'"),
            "suspect" => parts.push("worst = 2"),
            "invalid" => parts.push("worst = 3"),
            other => {
                parts.push("status = ?");
                values.push(other.to_owned());
            }
        }
        (parts.join(" AND "), values)
    }
}
