//! Pages of the rules, as `plimsoll explain` and `plimsoll generate rules` have them, and their index in `docs/rules/`: one text, made of
//! their data.

use crate::catalogue::PITFALLS;
use crate::remedy::{self, Dialect};
use crate::{Check, Maker, RULES, Rule};
use plimsoll_evidence::Severity;
use plimsoll_plan::Claim;
use serde::Serialize;

/// The line that stands above the index.
const WRITTEN: &str =
    "<!-- Written from the source: PLIMSOLL_UPDATE=1 cargo test -p plimsoll-audit -->\n\n";

/// `invalid`, `suspect` or `note`.
pub fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Suspect => "suspect",
        Severity::Invalid => "invalid",
    }
}

/// Severities of a rule's findings, claim by claim: `invalid for device and sustained, note for cached`.
pub fn severities(rule: &Rule) -> String {
    let each = Claim::ALL.map(|claim| rule.severity.for_claim(claim));
    if each.iter().all(|s| *s == each[0]) {
        return each[0].map_or("nothing", word).to_string() + ", whatever is claimed";
    }
    let mut parts = Vec::new();
    for severity in [Severity::Invalid, Severity::Suspect, Severity::Note] {
        let claims: Vec<&str> = Claim::ALL
            .into_iter()
            .filter(|c| rule.severity.for_claim(*c) == Some(severity))
            .map(Claim::name)
            .collect();
        if !claims.is_empty() {
            parts.push(format!("{} for {}", word(severity), claims.join(", ")));
        }
    }
    parts.join("; ")
}

/// Time at which a rule looks: before a run, after it, while it goes on, or when the doctor is asked.
pub fn when(rule: &Rule) -> &'static str {
    match rule.check {
        Check::Plan(_) => "the plan, before anything runs",
        Check::Run(_) => "what was observed, at the end of a run",
        Check::Host(_) => "how a host is set up, when `plimsoll doctor` is asked",
        Check::Made(Maker::Reader) => "what another tool left, when `plimsoll audit` is asked",
        Check::Made(_) => "the measurement itself, while it goes on",
    }
}

/// A rule's page, as `plimsoll explain` prints it.
pub fn text(rule: &Rule) -> String {
    let page = &rule.page;
    let elsewhere: String = Dialect::ALL
        .into_iter()
        .filter_map(|dialect| Some((dialect.tool()?, remedy::in_words_of(dialect, rule.number)?)))
        .map(|(tool, words)| format!("\nIn {tool}'s words: {words}\n"))
        .collect();
    format!(
        "# {code} {name}\n\n{summary}\n\nIt looks at {when}. Severity, at most: {severities}.\n\n## Why it matters\n\n{why}\n\n\
         ## From where on\n\n{threshold}\n\nSource: {source}\n\n## Example\n\n{example}\n\n## What to do\n\n{remedy}\n{elsewhere}",
        code = rule.code(),
        name = rule.name,
        summary = rule.summary,
        when = when(rule),
        severities = severities(rule),
        why = page.why,
        threshold = page.threshold,
        source = page.source,
        example = page.example,
        remedy = page.remedy,
    )
}

/// The file `docs/rules/README.md`.
pub fn index() -> String {
    let mut out = format!(
        "{WRITTEN}# The rules\n\nEvery result is judged by numbered rules, as source code is by a linter. `plimsoll lint FILE` asks \
         those that look at a plan, before any I/O. At the end of a run all of them are asked, and `plimsoll audit RECORD` asks \
         them again with the rules of today. `plimsoll doctor` asks those that look at a host. \
         `plimsoll audit RESULT` asks of what [another tool](../audit-foreign.md) left all that can be asked of it. `plimsoll explain PL012` prints a rule's page, and `plimsoll generate rules FOLDER` writes all of them.\n\n\
         How bad a finding is depends on what is claimed of the result (`claim` in a definition, `--claim` on the command line; \
         `sustained` where nothing is said): **cached** is what caches give, **burst** what the storage gives for the time of the run, \
         **sustained** what it gives for as long as it is asked, **device** what the device or array itself gives, **host** what the host \
         can issue. *Invalid* makes the exit code 1, *suspect* does so with `--strict`, a *note* is worth knowing.\n\n\
         A rule that lacks what it would look at says that it could not look. Absent evidence is never taken for health.\n\n\
         | Rule | Says | Looks at | Severity, at most |\n|---|---|---|---|\n"
    );
    for rule in RULES.iter() {
        out += &format!(
            "| {code} {name} | {} | {} | {} |\n",
            rule.summary,
            looks(rule),
            severities(rule),
            code = rule.code(),
            name = rule.name,
        );
    }
    out += "\n## The catalogue of pitfalls\n\nThe ways in which storage results come out false, as the literature and the tools' own \
            issues have them, and what finds each here.\n\n| # | Pitfall | Found by, or why there is no rule |\n|---|---|---|\n";
    for pitfall in &PITFALLS {
        let rules: Vec<String> = pitfall.rules().map(Rule::code).collect();
        let by = match rules.is_empty() {
            true => pitfall.no_rule.to_string(),
            false => rules.join(", "),
        };
        out += &format!("| {} | {} | {by} |\n", pitfall.number, pitfall.title);
    }
    out
}

fn looks(rule: &Rule) -> &'static str {
    match rule.check {
        Check::Plan(_) => "plan",
        Check::Run(_) => "run",
        Check::Host(_) => "host",
        Check::Made(Maker::Reader) => "result",
        Check::Made(_) => "measurement",
    }
}

/// A rule as `plimsoll explain --json` has it.
#[derive(Debug, Serialize)]
pub struct Explained {
    code: String,
    name: &'static str,
    summary: &'static str,
    looks_at: &'static str,
    /// By claim; `null`: nothing to say of it.
    severity: std::collections::BTreeMap<&'static str, Option<Severity>>,
    why: &'static str,
    threshold: &'static str,
    source: &'static str,
    example: &'static str,
    remedy: &'static str,
}

/// Explanation of a rule for programs.
pub fn explained(rule: &Rule) -> Explained {
    let severity = |claim: Claim| (claim.name(), rule.severity.for_claim(claim));
    Explained {
        code: rule.code(),
        name: rule.name,
        summary: rule.summary,
        looks_at: looks(rule),
        severity: Claim::ALL.into_iter().map(severity).collect(),
        why: rule.page.why,
        threshold: rule.page.threshold,
        source: rule.page.source,
        example: rule.page.example,
        remedy: rule.page.remedy,
    }
}
