//! Compares this program's reading of real Vdbench parameter files with the real tool's, and prints a score.
//!
//! Our own files are always compared. Other people's are not part of the project: `PLIMSOLL_CORPORA` names them. With `-v` the
//! diagnostics are printed.

mod corpus;

use corpus::{Case, Runnable, Verdict};
use std::process::ExitCode;

fn main() -> ExitCode {
    let verbose = std::env::args().any(|a| a == "-v");
    let mut corpora = vec![corpus::own()];
    if corpus::others().exists() {
        corpora.push(corpus::others());
    } else {
        println!(
            "skipped: there are no files of other people in {}; PLIMSOLL_CORPORA names a folder that has some",
            corpus::others().display()
        );
    }
    let mut is_good = true;
    for root in corpora {
        println!("{}:", root.display());
        match corpus::cases(&root) {
            Ok(cases) => is_good &= compare(&cases, verbose),
            Err(broken) => {
                println!("{broken}");
                is_good = false;
            }
        }
    }
    match is_good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Compares a corpus, and prints the score. True where every file is read as it should be.
fn compare(cases: &[Case], verbose: bool) -> bool {
    let (mut same, mut diagnosed, mut warned) = (0, 0, 0);
    for case in cases {
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
    tell_what_runs(cases, verbose);
    good == cases.len()
}

/// Prints how many of those that are accepted can be run.
fn tell_what_runs(cases: &[Case], verbose: bool) {
    let (mut runs, mut named) = (0, 0);
    for case in cases {
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
    println!(
        "of those accepted, {runs} can be run, and {named} use what cannot be run yet, each named"
    );
}
