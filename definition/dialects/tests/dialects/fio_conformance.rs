//! Every job file of other people that fio itself reads is planned, or refused naming the engine or the option.

use crate::corpora;
use plimsoll_dialects::fio::{self, HostFacts, Input};
use std::path::{Path, PathBuf};

/// Job files of other people, with fio's verdict on each: where `PLIMSOLL_CORPORA` says, or beside the workspace.
fn others() -> PathBuf {
    corpora::folder("fio")
}

/// One file of the corpus.
struct Case {
    file: PathBuf,
    name: String,
    /// fio's exit code with `--parse-only`; `None` for what is a part of others.
    fio: Option<i32>,
}

fn cases(root: &Path) -> Vec<Case> {
    let index = std::fs::read_to_string(root.join("index.tsv")).expect("an index");
    let line = |line: &str| {
        let mut columns = line.split('\t');
        let name = columns.next().expect("a name").to_string();
        let fio = columns.nth(3).and_then(|c| c.parse().ok());
        Case {
            file: root.join(&name),
            name,
            fio,
        }
    };
    index.lines().skip(1).map(line).collect()
}

/// Engines that drive files and block devices, by other names or by those that exist here.
const STORAGE: [&str; 10] = [
    "libaio", "sync", "psync", "vsync", "pvsync", "pvsync2", "posixaio", "io_uring", "mmap", "",
];

fn engines(text: &str) -> Vec<&str> {
    let lines = text
        .lines()
        .map(|l| l.split(['#', ';']).next().unwrap_or(""));
    let named = lines.filter_map(|l| l.trim().strip_prefix("ioengine"));
    named
        .map(|l| l.trim_start_matches([' ', '=']).trim())
        .collect()
}

#[derive(Debug, Default)]
struct Counts {
    accepted: usize,
    storage: usize,
    planned: usize,
    storage_planned: usize,
    /// Of the storage, what is not fio's own: its examples and tests show what is rare.
    plain: usize,
    plain_planned: usize,
}

#[test]
fn every_job_file_that_fio_reads_is_planned_or_refused_by_name() {
    let root = others();
    if !root.exists() {
        return plimsoll_skipped::skipped!("no job files of other people are here");
    }
    let mut counts = Counts::default();
    let mut silent: Vec<String> = Vec::new();
    let mut refused: Vec<String> = Vec::new();
    for case in cases(&root) {
        let bytes = std::fs::read(&case.file).expect("a file of the index");
        let text = String::from_utf8_lossy(&bytes);
        let mut input = Input::files([case.file.clone()]);
        input.environment = corpora::environment(&text);
        input.host = HostFacts::default();
        let planned = match fio::parse(&input) {
            Ok(parsed) => parsed.plan().map(drop),
            Err(refusal) => Err(refusal.diagnostics),
        };
        if case.fio != Some(0) {
            continue;
        }
        let engines = engines(&text);
        let is_storage = engines
            .iter()
            .all(|e| STORAGE.contains(e) || e.contains("$"));
        counts.accepted += 1;
        counts.storage += usize::from(is_storage);
        counts.planned += usize::from(planned.is_ok());
        counts.storage_planned += usize::from(is_storage && planned.is_ok());
        let is_plain = is_storage && !case.name.starts_with("axboe+fio/");
        counts.plain += usize::from(is_plain);
        counts.plain_planned += usize::from(is_plain && planned.is_ok());
        if let Err(diagnostics) = planned {
            let errors = || diagnostics.iter().filter(|d| d.is_error());
            // Each names what it is about, and shows where it stands.
            if errors().next().is_none() || errors().any(|e| e.labels.is_empty()) {
                silent.push(format!("{}: {diagnostics:?}", case.name));
            }
            let first = errors().next().map_or("", |e| &e.message);
            refused.push(format!(
                "{} {}: {first}",
                if is_storage { "*" } else { " " },
                case.name
            ));
        }
    }
    eprintln!("{}\n{counts:?}", refused.join("\n"));
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    assert!(counts.accepted > 200, "{counts:?}");
    assert!(
        counts.plain_planned * 100 >= counts.plain * 90,
        "{counts:?}"
    );
    // What is left is zoned devices, traces, and hints to the kernel.
    assert!(
        counts.storage_planned * 100 >= counts.storage * 90,
        "{counts:?}"
    );
}
