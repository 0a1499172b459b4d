//! `plimsoll audit`.

use crate::audit_record;
use crate::cli::{AuditArgs, LintFormat};
use crate::display;
use crate::exit;
use crate::failure::Failure;
use crate::fio;
use crate::out::{self, say, tell};
use plimsoll_audit::{Audit, PlanView, format};
use plimsoll_diagnostic::Sources;
use plimsoll_evidence::Severity;
use plimsoll_foreign::model::Remark;
use plimsoll_foreign::{
    Definition, DefinitionPlan, ForeignResult, InputPlace, Intake, IntakeError, Judgement,
    ReadError, Tool, intake, judge, terminal,
};
use plimsoll_plan::Claim;
use plimsoll_printable::Printable;
use plimsoll_report::terminal::{audit_in_full, wrap};
use plimsoll_report::{AnswerLines, shell_word};
use serde::Serialize;
use std::process::ExitCode;

/// Document that `--json` prints.
#[derive(Serialize)]
struct Document<'j> {
    /// The worst finding of all results and records; `none` where there is none.
    worst: String,
    /// A judgement of each result of another tool.
    results: Vec<OfResult<'j>>,
    /// A judgement of each record, with its path.
    records: Vec<audit_record::Document>,
    /// Files that are no results, each with its reason.
    passed_over: Vec<String>,
}

/// A result of another tool, and what the rules say of it.
#[derive(Serialize)]
struct OfResult<'j> {
    #[serde(flatten)]
    result: &'j Judgement,
    #[serde(flatten)]
    audit: serde_json::Value,
}

/// Results and records that were named, judged.
#[derive(Default)]
pub struct Judged {
    results: Vec<(Judgement, Sources)>,
    records: Vec<audit_record::Judged>,
    passed_over: Vec<String>,
    /// Something that was named could not be read.
    unread: bool,
    /// The definition of other tools' results was given.
    with_definition: bool,
}

/// Judges records, and results that other tools left.
pub fn run(args: &AuditArgs) -> Result<ExitCode, Failure> {
    let mut judged = Judged::default();
    for what in &args.what {
        if let Err(failure) = judged.take(what, args) {
            judged.unread = true;
            tell!("{failure}");
        }
    }
    judged.with_definition = args.job.is_some();
    judged.print(args.format, args.json, args.strict)
}

impl Judged {
    /// Claims without a log.
    pub fn of_claims(result: &ForeignResult, claim: Option<Claim>) -> Self {
        Judged {
            results: vec![(
                judge(result, claim, DefinitionPlan::NotGiven),
                Sources::default(),
            )],
            ..Judged::default()
        }
    }

    /// Prints what is said, and says by the exit code how bad it is.
    pub fn print(&self, format: LintFormat, json: bool, strict: bool) -> Result<ExitCode, Failure> {
        match format {
            _ if json => out::json(&self.document()?)?,
            LintFormat::Json => out::json(&self.document()?)?,
            LintFormat::Text => self.say(),
            LintFormat::Sarif => out::json(&format::sarif_of_all(&self.audits()))?,
            LintFormat::Github => {
                for (audit, sources) in self.audits() {
                    let commands = format::github(audit, &sources);
                    if !commands.is_empty() {
                        say!("{commands}");
                    }
                }
            }
        }
        let code = match self.unread {
            true => exit::REFUSED,
            false => exit::of_audit(self.worst(), strict),
        };
        Ok(ExitCode::from(code))
    }

    /// For people: what is said of each, and at last the answer: of several that of the worst.
    fn say(&self) {
        print(self);
        let foreign = self.results.iter().map(|(judged, _)| {
            let name = judged.sources.first().cloned().unwrap_or_default();
            let answer = of_foreign(judged, self.with_definition);
            (judged.worst(), name, answer)
        });
        let own = self.records.iter();
        let own = own.map(|r| (r.worst(), r.path().to_owned(), r.closing()));
        let mut all: Vec<_> = foreign.chain(own).collect();
        let bad = |severity| {
            all.iter()
                .filter(|(worst, ..)| *worst == Some(severity))
                .count()
        };
        let (invalid, suspect) = (bad(Severity::Invalid), bad(Severity::Suspect));
        let count = all.len();
        // The first of those that are as bad.
        all.sort_by_key(|(worst, ..)| std::cmp::Reverse(*worst));
        let Some((_, name, mut answer)) = all.into_iter().next() else {
            return;
        };
        if count > 1 {
            let rest = count - invalid - suspect;
            let (name, of_worst) = (Printable(&name), &answer.answer);
            answer.answer = format!(
                "{count} results: {invalid} not to be believed, {suspect} doubtful, {rest} neither. The worst, {name}: {of_worst}"
            );
        }
        display::close(&answer);
    }

    fn take(&mut self, what: &str, args: &AuditArgs) -> Result<(), Failure> {
        match intake::take(what) {
            Ok(Intake {
                results,
                passed_over,
            }) => {
                for result in results {
                    self.results.push(of_result(result, args)?);
                }
                for other in passed_over {
                    self.of_folder(&other, args);
                }
                Ok(())
            }
            Err(IntakeError::Read(ReadError::Record { .. })) if what == "-" => Err(Failure::usage(
                "standard input is a record of Plimsoll's, which is read where it lies: name it by its path",
            )),
            Err(IntakeError::Read(ReadError::Record { .. })) => {
                self.records.push(audit_record::judge(what, args)?);
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A file of a folder that is no other tool's result: a record, or passed over.
    fn of_folder(&mut self, other: &ReadError, args: &AuditArgs) {
        let record = match other {
            ReadError::Record { name } => {
                audit_record::judge(name, args).map_err(|e| e.to_string())
            }
            other => Err(other.to_string()),
        };
        match record {
            Ok(record) => self.records.push(record),
            Err(reason) => {
                // A folder may hold anything; but what looks like a result and cannot be read is no clean bill.
                self.unread |= !matches!(other, ReadError::Unknown { .. });
                self.passed_over.push(reason);
            }
        }
    }

    fn worst(&self) -> Option<Severity> {
        let results = self.results.iter().filter_map(|(r, _)| r.worst());
        results
            .chain(self.records.iter().filter_map(audit_record::Judged::worst))
            .max()
    }

    /// Audits, each with the texts that it is about: of a record its name.
    fn audits(&self) -> Vec<(&Audit, Sources)> {
        let results = self.results.iter();
        let results = results.map(|(result, sources)| (&result.audit, sources.clone()));
        results
            .chain(self.records.iter().map(audit_record::Judged::named))
            .collect()
    }

    fn document(&self) -> Result<Document<'_>, Failure> {
        let worst = self.worst();
        let results = self.results.iter().map(|(result, sources)| {
            let audit = format::json(&result.audit, sources)?;
            Ok(OfResult { result, audit })
        });
        let records = self.records.iter().map(audit_record::Judged::document);
        Ok(Document {
            worst: worst.map_or("none".into(), |w| format!("{w:?}").to_lowercase()),
            results: results.collect::<Result<_, Failure>>()?,
            records: records.collect::<Result<_, _>>()?,
            passed_over: self.passed_over.clone(),
        })
    }
}

/// Judges a result of another tool, by its definition too where that was given. With it come the definition's texts.
fn of_result(mut result: ForeignResult, args: &AuditArgs) -> Result<(Judgement, Sources), Failure> {
    let Some(file) = &args.job else {
        let judged = judge(&result, args.claim, DefinitionPlan::NotGiven);
        return Ok((judged, Sources::default()));
    };
    let definition = Definition::read(file, result.tool, &fio::input(Vec::new()))?;
    definition.tell(&mut result)?;
    let made = definition.plan.as_ref().ok().and_then(|plan| plan.claim);
    let claim = args.claim.or(made).unwrap_or_else(|| result.judged_for());
    let plan = match &definition.plan {
        Ok(plan) => DefinitionPlan::Made(PlanView::new(plan, Some(claim))),
        Err(why) => {
            let text = format!(
                "{file} was read for what the result leaves out, but no plan can be made of it here, so the rules that look at plans had \
                 none to look at: {why}"
            );
            let at = InputPlace::default();
            result.remarks.push(Remark { at, text });
            DefinitionPlan::Impossible
        }
    };
    let judged = judge(&result, Some(claim), plan);
    Ok((judged, definition.sources))
}

/// Answer about a result of another tool, judged by its definition too where `with_definition`.
fn of_foreign(judged: &Judgement, with_definition: bool) -> AnswerLines {
    let of = |next: Option<String>| {
        AnswerLines::of_audit(&judged.measured, &judged.audit, judged.counted_s, next)
    };
    if judged.tool == Tool::Claim.name() {
        let log = "plimsoll audit LOG judges the log that the numbers come from";
        let mut answer = of(Some(log.into()));
        if answer.trust.starts_with("trusted") {
            answer.trust.insert_str(0, "as far as arithmetic goes, ");
        }
        return answer;
    }
    // elbencho has no file of definitions.
    let has_all = with_definition || judged.tool == Tool::Elbencho.name();
    let name = judged.sources.first().map_or("-", String::as_str);
    let definition = format!(
        "plimsoll audit {} --job FILE judges the definition that it was run with, too",
        shell_word(name)
    );
    of((!has_all).then_some(definition))
}

fn print(judged: &Judged) {
    let style = display::style();
    for (index, (judgement, _)) in judged.results.iter().enumerate() {
        if index > 0 {
            say!();
        }
        for line in terminal::about(judgement) {
            say!("{}", wrap(&line, display::columns(), 2));
        }
        say!("{}", audit_in_full(&judgement.audit, &style));
    }
    for (index, record) in judged.records.iter().enumerate() {
        if index + judged.results.len() > 0 {
            say!();
        }
        record.print();
    }
    for reason in &judged.passed_over {
        tell!("passed over: {reason}");
    }
}
