//! Compares this program's reading of real Vdbench parameter files with the real tool's, and prints a score.
//!
//! The corpus is not part of the project: `PLIMSOLL_CORPORA` names it. With `-v` the diagnostics are printed.

mod corpus;

use corpus::{Runnable, Verdict};
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
    let (mut runs, mut named) = (0, 0);
    for case in &cases {
        match case.runnable() {
            Some(Runnable::Yes) => runs += 1,
            Some(Runnable::No(text)) => {
                named += 1;
                if verbose {
                    println!("cannot run {}\n{text}", case.name);
                }
            }
            None => {}
        }
    }
    let good = same + diagnosed + warned;
    println!(
        "{good} of {}: {same} the same as Vdbench, {diagnosed} refused by both with a diagnostic, {warned} refused by Vdbench and accepted here with a warning",
        cases.len()
    );
    println!(
        "of those accepted, {runs} can be run, and {named} use what cannot be run yet, each named"
    );
    match good == cases.len() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
