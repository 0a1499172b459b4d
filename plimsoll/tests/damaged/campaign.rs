//! Some 1,100 records, each damaged in another way, read by all that the commands are made of.

use crate::corpus;
use crate::meter::most_of;
use crate::mutate;
use plimsoll_draw::Draw;
use plimsoll_record::compare::{Terms, compare};
use plimsoll_record::export::{self, ExportError, Parquet, Rows};
use plimsoll_record::{Record, RecordError, canonical_dump};
use plimsoll_report::{html, json, terminal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// No record of the corpus has more than 1 MiB; what is read of it at once may take this much.
const MOST_MEMORY: usize = 320 << 20;

/// Takes an export and keeps nothing of it.
struct Discarded;

impl std::io::Write for Discarded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn show(record: &Record) -> Result<usize, RecordError> {
    let style = terminal::Style::plain(100);
    let steps = record.steps()?;
    let verdicts = record.verdicts()?;
    let mut text = terminal::environment(record.environment(), &style);
    let targets = &record.environment().targets;
    text += &terminal::summary(&steps, &verdicts, targets, terminal::Detail::Full, &style);
    text += &terminal::errors(&steps, &style);
    for verdict in &verdicts {
        text += &terminal::verdict(verdict, terminal::Detail::Full, &style);
    }
    let begun = record.started_steps()?;
    let numbers = steps.iter().map(|s| s.number);
    for number in numbers.chain(begun.iter().map(|s| s.number)) {
        let began = record.step_begun_unix_ns(number)?.unwrap_or_default();
        let instant = jiff::Timestamp::from_nanosecond(i128::from(began)).unwrap_or_default();
        let context = terminal::Context {
            started: instant.to_zoned(jiff::tz::TimeZone::UTC),
        };
        record.each_interval(number, |interval| {
            text += &terminal::interval_line(&interval, &context);
        })?;
    }
    Ok(text.len())
}

fn show_json(record: &Record) -> Result<(), RecordError> {
    let document = json::document(&json::Run {
        environment: record.environment(),
        steps: &record.steps()?,
        verdicts: &record.verdicts()?,
        findings: &record.findings()?,
        record: Some(record.path()),
        status: record.status(),
    });
    assert!(document.is_object());
    Ok(())
}

fn exports(record: &Record) -> Result<(), ExportError> {
    // Each for itself: one that fails does not spare the others.
    let tables = Rows::ALL.into_iter().map(|rows| {
        let mut parquet = Parquet::default();
        export::table(record, rows, &mut parquet)?;
        parquet.finish(&mut Discarded)?;
        export::csv(record, rows, &mut Discarded)
    });
    let others = [
        export::json(record, &mut Discarded),
        export::hdr(record, &mut Discarded),
    ];
    let all: Vec<_> = tables.chain(others).collect();
    all.into_iter().collect()
}

/// Reads a record in every way. What is an error is one with the record's name in it.
fn read(path: &Path, good: &Path) {
    let named = |error: &dyn std::error::Error| {
        let text = error.to_string();
        assert!(
            text.contains(path.to_str().expect("text")) || text.starts_with("the two sides"),
            "the error does not name its file: {text}"
        );
    };
    let both = |order: bool| -> Result<(), RecordError> {
        let (bad, good) = ([Record::open(path)?], [Record::open(good)?]);
        let terms = Terms {
            rules: vec!["p99 > +5%".parse().expect("a rule")],
            different: true,
            ..Terms::default()
        };
        let comparison = match order {
            true => compare(&bad, &good, &terms)?,
            false => compare(&good, &bad, &terms)?,
        };
        assert!(!comparison.to_string().is_empty());
        assert!(html::comparison::page(&comparison).ends_with("</html>\n"));
        serde_json::to_string(&comparison).expect("JSON");
        Ok(())
    };
    let record = match Record::open(path) {
        Ok(record) => record,
        Err(error) => return named(&error),
    };
    let results = [
        show(&record).map(drop),
        show_json(&record),
        canonical_dump(&record).map(drop),
        both(true),
        both(false),
    ];
    for error in results.into_iter().filter_map(Result::err) {
        named(&error);
    }
    if let Err(error) = exports(&record) {
        named(&error);
    }
    match html::render(&record) {
        Ok(_) | Err(html::HtmlError::NoViewer) => {}
        Err(error) => named(&error),
    }
}

/// The damaged ones of one good record.
struct Campaign<'a> {
    kind: &'a str,
    record: PathBuf,
    /// Another one, to compare with.
    good: PathBuf,
    bad: PathBuf,
    cases: u32,
    failures: Vec<String>,
}

impl Campaign<'_> {
    /// Reads what lies at `bad`; `label` says how it came about.
    fn case(&mut self, label: &str) {
        self.cases += 1;
        let before = std::fs::read(&self.bad).expect("the record");
        let (most, outcome) = most_of(|| {
            catch_unwind(AssertUnwindSafe(|| read(&self.bad, &self.good))).map_err(|panic| {
                let text = panic.downcast_ref::<String>().cloned();
                text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                    .unwrap_or_default()
            })
        });
        if let Err(text) = outcome {
            self.failures.push(format!("{label}: panicked: {text}"));
        }
        if most > MOST_MEMORY {
            self.failures.push(format!("{label}: took {most} bytes"));
        }
        if std::fs::read(&self.bad).ok().as_ref() != Some(&before) {
            self.failures
                .push(format!("{label}: the record was changed"));
        }
    }

    fn go(mut self) -> Self {
        let whole = std::fs::read(&self.record).expect("the record");
        self.bytes("as it is", &whole);
        for seed in 0..40 {
            self.bytes(&format!("bytes {seed}"), &mutate::bytes(&whole, seed));
            self.bytes(&format!("pages {seed}"), &mutate::pages(&whole, seed));
        }
        let values = mutate::hostile_values();
        let mut random = Draw(self.kind.len() as u64);
        for (table, column) in mutate::columns(&self.record) {
            let all = random.below(2) == 0;
            let one = random.below(values.len());
            // What is unpacked, and what percentiles are made of, meets every value once.
            let tried = match (self.kind, table.as_str()) {
                ("run.plim", "histograms" | "interval_streams") => 0..values.len(),
                _ => one..one + 1,
            };
            for value in tried {
                std::fs::write(&self.bad, &whole).expect("written");
                if mutate::cell(&self.bad, &table, &column, &values[value], all) {
                    self.case(&format!("{table}.{column} value {value}, all: {all}"));
                }
            }
        }
        for (table, column) in [
            ("steps", "evidence"),
            ("steps", "definition"),
            ("verdicts", "body"),
            ("meta", "value"),
        ] {
            for seed in 0..15 {
                std::fs::write(&self.bad, &whole).expect("written");
                if mutate::document(&self.bad, table, column, seed) {
                    self.case(&format!("{table}.{column} document {seed}"));
                }
            }
        }
        self
    }

    fn bytes(&mut self, label: &str, bytes: &[u8]) {
        std::fs::write(&self.bad, bytes).expect("written");
        self.case(label);
    }
}

#[test]
fn no_damage_makes_reading_panic_or_take_memory_without_a_bound() {
    let place = tempfile::tempdir().expect("a folder");
    let at = |name: &str| place.path().join(name);
    let kinds = corpus::write(place.path());
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done: Vec<Campaign> = std::thread::scope(|scope| {
        let campaigns = kinds.iter().map(|kind| Campaign {
            kind,
            record: at(kind),
            good: at("run.plim"),
            bad: at(&format!("bad-{kind}")),
            cases: 0,
            failures: Vec::new(),
        });
        let threads: Vec<_> = campaigns.map(|c| scope.spawn(|| c.go())).collect();
        let ends = threads.into_iter().map(|t| t.join());
        ends.collect::<Result<_, _>>().expect("each ends")
    });
    std::panic::set_hook(loud);
    for campaign in done {
        println!("{}: {} records were read", campaign.kind, campaign.cases);
        assert!(campaign.cases > 150, "{}", campaign.cases);
        let failures = campaign.failures;
        let count = failures.len();
        assert!(failures.is_empty(), "{count}:\n{}", failures.join("\n"));
    }
}
