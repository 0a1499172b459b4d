//! Compares this program's reading of real Vdbench parameter files with the real tool's, and prints a score.
//!
//! The corpus is not part of the project: `PLIMSOLL_CORPORA` names it. With `-v` the diagnostics are printed.

mod corpus;

use corpus::Verdict;
use std::process::ExitCode;

fn main() -> ExitCode {
    let verbose = std::env::args().any(|a| a == "-v");
    let Some(cases) = corpus::cases() else {
        println!(
            "There is no corpus in {}; set PLIMSOLL_CORPORA to a folder that has one. Nothing was compared.",
            corpus::folder().display()
        );
        return ExitCode::SUCCESS;
    };
    let (mut same, mut diagnosed, mut warned) = (0, 0, 0);
    for case in &cases {
        let (word, text) = match case.judge() {
            Verdict::Same => {
                same += 1;
                ("same", String::new())
            }
            Verdict::Diagnosed { text } => {
                diagnosed += 1;
                ("diagnosed", text)
            }
            Verdict::Warned { text } => {
                warned += 1;
                ("warned", text)
            }
            Verdict::Different { text } => ("DIFFERENT", text),
        };
        println!("{word:<10} {}", case.name);
        if verbose || word == "DIFFERENT" {
            println!("{text}");
        }
    }
    let good = same + diagnosed + warned;
    println!(
        "{good} of {}: {same} the same as Vdbench, {diagnosed} refused by both with a diagnostic, {warned} refused by Vdbench and accepted here with a warning",
        cases.len()
    );
    match good == cases.len() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
