//! Every file of the corpus reads as the real Vdbench reads it, or is refused with a place and a cause.

#[allow(dead_code, missing_docs)]
#[path = "../examples/conformance/corpus.rs"]
mod corpus;

use corpus::Verdict;

#[test]
fn every_real_parameter_file_is_read_as_vdbench_reads_it() {
    let Some(cases) = corpus::cases() else {
        plimsoll_skipped::skipped!("there is no corpus in {}", corpus::folder().display());
        return;
    };
    let different: Vec<String> = cases
        .iter()
        .filter_map(|case| match case.judge() {
            Verdict::Different { text } => Some(format!("{}: {text}", case.name)),
            _ => None,
        })
        .collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}
