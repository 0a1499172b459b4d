//! Every file of both corpora reads as the real Vdbench reads it, or is refused with a place and a cause.

#[allow(dead_code, missing_docs)]
#[path = "../../examples/conformance/corpus.rs"]
mod corpus;

use corpus::Verdict;
use std::path::Path;

/// What is read otherwise than Vdbench reads it, of how many files.
fn different(root: &Path) -> (Vec<String>, usize) {
    let cases = corpus::cases(root).expect("a whole corpus");
    let different = cases.iter().filter_map(|case| match case.judge() {
        Verdict::Different { text } => Some(format!("{}: {text}", case.name)),
        _ => None,
    });
    (different.collect(), cases.len())
}

#[test]
fn every_file_of_our_own_is_read_as_vdbench_would_read_it() {
    let (different, files) = different(&corpus::own());
    assert!(different.is_empty(), "{}", different.join("\n"));
    let there = std::fs::read_dir(corpus::own().join("parm")).expect("a folder");
    assert_eq!(files, there.count(), "a file is not in the index");
}

#[test]
fn every_real_parameter_file_is_read_as_vdbench_reads_it() {
    if !corpus::others().exists() {
        return plimsoll_skipped::skipped!("no parameter files of other people are here");
    }
    let (different, _) = different(&corpus::others());
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn a_corpus_that_is_not_whole_is_not_taken_for_one_that_agrees() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    assert!(corpus::cases(root).is_err());
    std::fs::write(root.join("index.tsv"), "file\tsim_args\n").expect("written");
    assert!(corpus::cases(root).is_err_and(|e| e.contains("names no file")));
    std::fs::write(root.join("index.tsv"), "file\tsim_args\nparm/a.parm\t\n").expect("written");
    assert!(corpus::cases(root).is_err_and(|e| e.contains("expected/a.sim.txt")));
}
