//! Every file of both corpora reads as the real Vdbench reads it, or is refused with a place and a cause.

#[allow(dead_code, missing_docs)]
#[path = "../../examples/conformance/corpus.rs"]
mod corpus;

use corpus::{Runnable, Verdict};
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

/// Requests of real file-system files that are not carried out, and are refused by these words.
const NOT_ON_FILES: [&str; 2] = [
    "changes from run to run",
    "data validation cannot be done yet",
];

#[test]
fn real_files_of_file_systems_have_a_plan_but_for_what_is_named() {
    if !corpus::others().exists() {
        return plimsoll_skipped::skipped!("no parameter files of other people are here");
    }
    let cases = corpus::cases(&corpus::others()).expect("a whole corpus");
    let mut planned = 0;
    for case in cases.iter().filter(|case| case.name.contains("-fs-")) {
        match case.runnable() {
            Some(Runnable::Yes) => planned += 1,
            Some(Runnable::No(said)) => {
                let errors = said.lines().filter(|line| line.starts_with("error"));
                for error in errors {
                    let is_named = NOT_ON_FILES.iter().any(|words| error.contains(words));
                    assert!(is_named, "{}: {error}", case.name);
                }
            }
            None => {}
        }
    }
    assert!(planned >= 67, "{planned}");
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
