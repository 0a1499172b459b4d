//! `plimsoll check`: a claim without a log.

use crate::audit::Judged;
use crate::cli::CheckArgs;
use crate::failure::Failure;
use plimsoll_foreign::claim;
use std::process::ExitCode;

/// `plimsoll check`.
pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let result = claim::read(&text(args))?;
    let judged = Judged::of_claims(&result, args.claim);
    judged.print(args.format, args.json, args.strict)
}

/// The words, and the flags as words.
fn text(args: &CheckArgs) -> String {
    let said = |word: &str, value: &Option<String>| Some(format!("{word}{}", value.as_ref()?));
    let counted = |word: &str, n: Option<u64>| Some(format!("{word}={}", n?));
    let flags = [
        args.iops.as_ref().map(|rate| format!("{rate} IOPS")),
        said("", &args.bandwidth),
        said("mean ", &args.latency),
        said("bs=", &args.block),
        args.read.map(|percent| format!("{percent}% reads")),
        counted("jobs", args.jobs),
        counted("depth", args.depth),
        counted("hosts", args.hosts),
        said("for ", &args.elapsed),
    ];
    let words = Some(args.words.join(" ")).filter(|words| !words.is_empty());
    let all = words.into_iter().chain(flags.into_iter().flatten());
    let all: Vec<String> = all.chain(args.ports.iter().cloned()).collect();
    all.join(", ")
}
