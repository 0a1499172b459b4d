//! What the plan was read from.

use plimsoll_evidence::Environment;
use plimsoll_record::{DefinitionText, Record, RecordError, Recorder, RunStatus};
use std::path::Path;

/// Bytes that are kept of all texts together.
const KEPT: usize = 1 << 20;

fn kept(path: &Path, texts: &[DefinitionText]) -> Vec<DefinitionText> {
    let mut recorder = Recorder::create(path, &Environment::default(), "{}").unwrap();
    recorder.keep_definition(texts).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
    Record::open(path).unwrap().definition_texts().unwrap()
}

#[test]
fn the_texts_of_a_definition_come_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let texts = [
        DefinitionText::new("job.parm", "* a comment\r\ninclude=sds.parm\n\trd=é\0\n"),
        DefinitionText::new("sds.parm", ""),
    ];
    assert_eq!(kept(&folder.path().join("r.plim"), &texts), texts);
}

#[test]
fn of_long_texts_the_beginning_is_kept_and_their_length() {
    let folder = tempfile::tempdir().unwrap();
    // Two bytes a letter, so that a cut in the middle of one would show.
    let long = "é".repeat(KEPT);
    let texts = [
        DefinitionText::new("a", "short"),
        DefinitionText::new("b", &long),
        DefinitionText::new("c", "nothing of it"),
    ];
    let kept = kept(&folder.path().join("r.plim"), &texts);
    assert_eq!(kept[0], texts[0]);
    assert!(kept[1].is_cut() && long.starts_with(&kept[1].text));
    assert_eq!(kept[1].bytes, 2 * KEPT as u64);
    let all: usize = kept.iter().map(|t| t.name.len() + t.text.len()).sum();
    assert!((KEPT - 64..=KEPT).contains(&all), "{all}");
}

#[test]
fn as_many_texts_as_fit_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let texts = vec![DefinitionText::new("n".repeat(1 << 10), ""); 2_000];
    let kept = kept(&folder.path().join("r.plim"), &texts);
    assert_eq!(kept.len(), KEPT / ((1 << 10) + 1));
}

#[test]
fn a_record_with_more_than_would_be_kept_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.plim");
    kept(&path, &[]);
    let db = rusqlite::Connection::open(&path).unwrap();
    let sql = "INSERT INTO definition_texts VALUES (?, 'x', 1, ?)";
    for number in 1..=3 {
        db.execute(sql, (number, "y".repeat(KEPT / 2))).unwrap();
    }
    drop(db);
    let read = Record::open(&path).unwrap().definition_texts();
    assert!(matches!(read, Err(RecordError::Damaged { .. })), "{read:?}");
}
