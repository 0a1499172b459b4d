//! Other people's DiskSPD profiles and command lines: each gets the verdict that DiskSPD gives it.

use plimsoll_dialects::diskspd::{self, Parsed, Refusal, Stage};
use plimsoll_skipped::skipped;
use std::path::{Path, PathBuf};

/// Where other people's definitions are; `None` where they are not.
fn corpus() -> Option<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = manifest.join("../../../shared/corpora");
    let root = match std::env::var_os("PLIMSOLL_CORPORA") {
        Some(given) => PathBuf::from(given),
        None => beside,
    };
    let folder = root.join("diskspd");
    folder.is_dir().then_some(folder)
}

fn rows(folder: &Path, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.join(name)).expect("the corpus has it");
    let rows = text.lines().filter(|l| !l.starts_with('#'));
    rows.map(|l| l.split('\t').map(str::to_string).collect())
        .collect()
}

/// The index's words for what became of a document.
fn verdict(result: &Result<Parsed, Box<Refusal>>) -> &'static str {
    match result {
        Ok(_) => "accept",
        Err(refusal) if refusal.stage == Stage::Checked => "parse-ok-validate-reject",
        Err(_) => "reject",
    }
}

#[test]
fn every_document_gets_diskspd_s_verdict() {
    let Some(folder) = corpus() else {
        return skipped!("the corpus of DiskSPD's documents is not here");
    };
    let mut seen = 0;
    for row in rows(&folder, "index.tsv").iter().skip(1) {
        let [name, expected, ..] = row.as_slice() else {
            panic!("{row:?}")
        };
        let (expected, paths) = match expected.as_str() {
            "command-lines" => continue,
            "accept-with-1-substitute" => ("accept", vec!["data.bin".to_string()]),
            "result-document" => ("reject", vec![]),
            other if other.starts_with("schema-incomplete") => ("reject", vec![]),
            other => (other, vec![]),
        };
        let path = folder.join(name);
        let result = diskspd::parse_file(&path.display().to_string(), &paths);
        assert_eq!(verdict(&result), expected, "{name}: {result:?}");
        if let Err(refusal) = result {
            let placed = refusal.diagnostics.iter().filter(|d| d.is_error());
            assert!(placed.clone().count() > 0, "{name}");
            for complaint in placed {
                assert!(!complaint.labels.is_empty(), "{name}: {complaint:?}");
            }
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn every_command_line_is_read() {
    let Some(folder) = corpus() else {
        return skipped!("the corpus of DiskSPD's command lines is not here");
    };
    let rows = rows(&folder, "command_lines.tsv");
    assert!(rows.len() > 10);
    for row in rows {
        // A quotation names what its reader is to put there.
        let line = row[1]
            .replace("<size>", "10G")
            .replace("<file>", "data.bin");
        let words: Vec<String> = line
            .split_whitespace()
            .filter(|w| !w.starts_with("diskspd"))
            .map(|w| w.trim_matches('"').replace("*1", "data.bin"))
            .collect();
        if let Err(refusal) = diskspd::parse_command(&words) {
            panic!("{line}\n{refusal}");
        }
    }
}
