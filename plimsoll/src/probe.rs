//! `plimsoll probe`: what answers reads of this target, before anything is measured.

use crate::cli::ProbeArgs;
use crate::failure::Failure;
use crate::out::{self, say, tell};
use crate::{display, exit, signals};
use plimsoll_plan::{Bytes, Location, Plan};
use plimsoll_printable::{Printable, human};
use plimsoll_report::terminal::wrap;
use plimsoll_report::{AnswerLines, shell_word};
use plimsoll_rig::{Answered, Control, Fact, Held, ProbeOptions, Probed, RunOptions, probe};
use std::process::ExitCode;

/// Asks the target.
pub fn run(args: &ProbeArgs) -> Result<ExitCode, Failure> {
    let location = Location::parse(&args.target)?;
    let size = args.size.as_ref().map(|s| s.parse::<Bytes>());
    let options = ProbeOptions {
        // A simulated LUN holds nobody's data.
        may_write: !args.destroy.is_empty() || location.is_simulated(),
        location,
        size: size
            .transpose()
            .map_err(|e| Failure::usage(format!("--size: {e}")))?,
    };
    let rig = RunOptions {
        seed: args.seed,
        destroy: args.destroy.clone(),
        ..RunOptions::default()
    };
    let control = signals::control(&rig.at_work)?;
    let probed = probe(&options, &rig, &control)?;
    if args.json {
        out::json(&probed)?;
    } else {
        let columns = display::columns();
        let lines = lines(&probed);
        lines.iter().for_each(|l| say!("{}", wrap(l, columns, 2)));
        if probed.simulated {
            say!("simulated: {}", plimsoll_report::terminal::SIMULATED);
        }
        display::close(&answer(&probed, &args.target));
    }
    let code = if probed.errors > 0 {
        exit::FAILED
    } else {
        exit::CLEAN
    };
    Ok(ExitCode::from(code))
}

/// Asks the targets of a plan that is about to be measured, of which nothing is written. What cannot be asked is said, and measured all
/// the same.
pub fn before(plan: &Plan) {
    for target in &plan.targets {
        if target.location.tree().is_some() {
            tell!(
                "{}: not probed: directories and files have no addresses that could be asked for",
                Printable(&target.location.text())
            );
            continue;
        }
        let options = ProbeOptions {
            may_write: false,
            location: target.location.clone(),
            size: target.size,
        };
        match probe(&options, &RunOptions::default(), &Control::default()) {
            Ok(probed) => lines(&probed).iter().for_each(|l| tell!("{l}")),
            Err(error) => tell!(
                "{}: not probed: {}",
                Printable(&target.location.text()),
                Printable(&error.to_string())
            ),
        }
    }
}

/// Answer of the probe: what serves the reads of a target, in a sentence, and what follows for a measurement.
fn answer(probed: &Probed, target: &str) -> AnswerLines {
    let of = |fact: Fact| {
        let found = probed.answers.iter().filter(|a| a.fact == fact);
        found.map(|a| a.about).collect::<Vec<_>>()
    };
    let (seen, open) = (
        of(Fact::Seen),
        [of(Fact::NotToldApart), of(Fact::NotObservable)].concat(),
    );
    let holds_nothing = matches!(probed.addresses, Held::Nothing | Held::Zeros);
    let found = match seen.is_empty() {
        true => "nothing else than itself was seen to answer".to_string(),
        false => format!("seen: {}", seen.join(", ")),
    };
    let target = shell_word(target);
    AnswerLines {
        answer: match probed.median_ns {
            Some(ns) => format!(
                "{} answers reads one at a time in {}; {found}.",
                Printable(&probed.target),
                human::time_in_text(ns as f64)
            ),
            None => format!("{} answered no read.", Printable(&probed.target)),
        },
        limit: None,
        trust: match (probed.errors, open.is_empty()) {
            (0, true) => "all that was asked for could be told".to_string(),
            (0, false) => format!("not told: {}", open.join(", ")),
            (n, _) => format!("{n} of its I/Os failed: none of this stands"),
        },
        record: None,
        next: Some(match holds_nothing {
            true => format!("plimsoll run {target} --fill writes to it before it is read"),
            false => format!("plimsoll run {target} measures it"),
        }),
    }
}

fn lines(probed: &Probed) -> Vec<String> {
    let time = |ns: Option<u64>| ns.map_or("-".into(), |ns| human::time(ns as f64));
    let what = match probed.addresses {
        Held::Written => "written addresses",
        Held::Unknown => "addresses as they are (nobody tells whether they were written)",
        Held::Nothing => "it holds no data; its holes",
        Held::Zeros => "it holds nothing but zeros, wherever it was looked at; its addresses",
    };
    let mut lines = vec![format!(
        "{}: {what} answer one at a time in {}, {} at the least",
        Printable(&probed.target),
        time(probed.median_ns),
        time(probed.floor_ns)
    )];
    lines.extend(probed.answers.iter().map(line));
    if probed.not_put_back {
        lines.push(
            "what was trimmed and zeroed could not be written again: write the first 3 MiB before you measure there"
                .into(),
        );
    }
    lines
}

fn line(answer: &Answered) -> String {
    let fact = match answer.fact {
        Fact::Seen => "seen",
        Fact::NotSeen => "not seen",
        Fact::NotToldApart => "not told apart",
        Fact::NotObservable => "not observable",
    };
    let figures = match (answer.median_ns, answer.beside_ns) {
        (Some(first), Some(second)) => format!(
            ": {} beside {} ({}{})",
            human::time(first as f64),
            human::time(second as f64),
            answer.compared,
            answer.p.map_or(String::new(), chance)
        ),
        _ => String::new(),
    };
    let why = match answer.why {
        "" => String::new(),
        why => format!("; {why}"),
    };
    format!("{}: {fact}{figures}{why}", answer.about)
}

/// Words for a probability by chance.
fn chance(p: f64) -> String {
    match p {
        p if p < 0.0001 => "; by chance less than once in 10,000".into(),
        p => format!("; by chance with {p:.4}"),
    }
}
