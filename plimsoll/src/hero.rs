//! `plimsoll hero`: every trick of the trade, and whether the audit names each.

use crate::cli::HeroArgs;
use crate::failure::Failure;
use crate::out::{self, say, tell};
use crate::{display, exit, signals};
use plimsoll_plan::{Bytes, Location, Nanos};
use plimsoll_printable::{Printable, human};
use plimsoll_report::terminal::wrap;
use plimsoll_rig::{Base, Hero, HeroOptions, Played, RunOptions, hero, may_write};
use serde::Serialize;
use std::process::ExitCode;

/// Document that `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    /// The rate that the trick with the greatest factor gave, I/Os per second; none where none gave a gain.
    wonderful: Option<f64>,
    /// The trick that gave it.
    wonderful_by: Option<&'a str>,
    /// Ratio of that rate to the honest one.
    factor: Option<f64>,
    /// True where that is not known well, because each of the honest runs was disturbed.
    uncertain: bool,
    /// True where the audit missed a trick that was played.
    missed: bool,
    #[serde(flatten)]
    hero: &'a Hero,
}

/// Plays the tricks, and has them judged.
pub fn run(args: &HeroArgs) -> Result<ExitCode, Failure> {
    let options = options(args)?;
    let rig = RunOptions {
        seed: args.seed,
        destroy: args.destroy.clone(),
        ..RunOptions::default()
    };
    let control = signals::control(&rig.at_work)?;
    let hero = hero(&options, &rig, &control, &mut |next| {
        if !args.json {
            tell!("… {next}");
        }
    })?;
    if control.stopped() {
        return Err(Failure::usage(
            "interrupted: not all tricks were played, so nothing is said of the audit",
        ));
    }
    match args.json {
        true => out::json(&document(&hero))?,
        false => print(&hero),
    }
    let code = if hero.missed() {
        exit::FAILED
    } else {
        exit::CLEAN
    };
    Ok(ExitCode::from(code))
}

fn options(args: &HeroArgs) -> Result<HeroOptions, Failure> {
    let wrong = |flag: &str, why: &dyn std::fmt::Display| Failure::usage(format!("{flag}: {why}"));
    let bytes = |flag: &str, text: &str| text.parse::<Bytes>().map_err(|e| wrong(flag, &e));
    let time = |flag: &str, text: &str| text.parse::<Nanos>().map_err(|e| wrong(flag, &e));
    let location = Location::parse(&args.target)?;
    if !location.is_storage() {
        return Err(Failure::usage(
            "null: is no storage, so no trick can make it look better; name a file, a device or lab:PERSONA",
        ));
    }
    let (elapsed, warmup) = (
        time("--for", &args.elapsed)?,
        time("--warmup", &args.warmup)?,
    );
    if args.depth == 0 {
        return Err(wrong("--depth", &"at least one I/O must be in flight"));
    }
    Ok(HeroOptions {
        may_write: may_write(&location, &args.destroy),
        location,
        size: args.size.as_ref().map(|s| bytes("--size", s)).transpose()?,
        block: bytes("--block", &args.block)?,
        depth: args.depth,
        elapsed,
        warmup,
    })
}

fn document(hero: &Hero) -> Document<'_> {
    let wonderful = hero.wonderful();
    Document {
        wonderful: wonderful.and_then(|(played, _)| played.rate),
        wonderful_by: wonderful.map(|(played, _)| played.trick),
        factor: wonderful.map(|(_, factor)| factor),
        uncertain: wonderful.is_some_and(|(played, _)| is_uncertain(hero, played)),
        missed: hero.missed(),
        hero,
    }
}

/// True where the honest rate that a trick is set beside was disturbed.
fn is_uncertain(hero: &Hero, played: &Played) -> bool {
    hero.base_of(played)
        .is_some_and(|base| !base.disturbed_by.is_empty())
}

/// Sentence on what disturbed each of the honest runs, and what that means for a factor.
fn disturbed(base: &Base) -> Option<String> {
    let rules: Vec<String> = base.disturbed_by.iter().map(|n| n.title()).collect();
    let runs = match base.runs {
        1 => "The honest run".to_string(),
        n => format!("Each of {n} honest runs"),
    };
    let greatest = match base.runs {
        1 => "",
        _ => "; the greatest of them is the base",
    };
    (!rules.is_empty()).then(|| {
        format!(
            "{runs} of {} was disturbed ({}){greatest}: undisturbed it may be more, and each factor less.",
            base.measures,
            rules.join(", ")
        )
    })
}

fn print(hero: &Hero) {
    let columns = display::columns();
    let reads = human::rate(hero.honest_reads.mean);
    say!();
    match hero.wonderful() {
        Some((played, factor)) => {
            let rate = played.rate.unwrap_or(0.0);
            let headline = format!(
                "{}: {} {of}/s, {} times the honest {} {of}/s{}, by this trick: {}.",
                Printable(&hero.target),
                human::rate(rate),
                human::number(factor),
                human::rate(rate / factor),
                match is_uncertain(hero, played) {
                    true => " (uncertain)",
                    false => "",
                },
                played.trick,
                of = played.measures
            );
            say!("{}", wrap(&headline, columns, 0));
        }
        None => say!(
            "{}: {reads} reads/s, honestly; no trick gave a gain",
            Printable(&hero.target)
        ),
    }
    if let Some(writes) = hero.honest_writes {
        say!("Honest writes: {}/s.", human::rate(writes.mean));
    }
    for text in hero.honest.iter().filter_map(disturbed) {
        say!("{}", wrap(&text, columns, 0));
    }
    say!();
    for played in &hero.tricks {
        trick(played, columns);
    }
    say!("{}", ending(hero));
    if hero.simulated {
        say!("simulated: {}", plimsoll_report::terminal::SIMULATED);
    } else if hero.honest_writes.is_some() {
        say!("The target holds zeros and repeated bytes now: fill it before it is measured.");
    }
}

fn trick(played: &Played, columns: usize) {
    let line = |text: &str| say!("  {}", wrap(text, columns.saturating_sub(4), 2));
    match (&played.not_played, played.rate) {
        (Some(_), _) | (None, None) => say!("{}: not played", played.trick),
        (None, Some(rate)) => say!(
            "{}: {}/s, {} times the honest rate",
            played.trick,
            human::rate(rate),
            human::number(played.factor.unwrap_or(0.0))
        ),
    }
    line(played.what);
    if let Some(why) = &played.not_played {
        return line(&format!("not played: {}", Printable(why)));
    }
    for named in &played.named_by {
        let too = match named.honest_too {
            true => ", and says the same of the honest run",
            false => "",
        };
        let severity = format!("{:?}", named.severity).to_lowercase();
        line(&format!(
            "named by {} {} ({severity}{too})",
            named.rule, named.name
        ));
    }
    if played.named_by.is_empty() {
        line(&format!(
            "MISSED: none of {} named it",
            played.wanted.join(", ")
        ));
    }
    for missed in &played.missed_beside {
        line(&format!("MISSED in the same run: {missed}"));
    }
}

/// Of how many tricks the honest run is told the same: there it may be the target that was named, and not the trick.
fn unproved(hero: &Hero) -> String {
    let tricks = hero.tricks.iter().filter(|t| !t.named_by.is_empty());
    let unproved = tricks.filter(|t| t.named_by.iter().all(|n| n.honest_too));
    match unproved.count() {
        0 => String::new(),
        n => format!(
            " Of {n} of them it says the same of the honest run, which proves nothing here."
        ),
    }
}

fn ending(hero: &Hero) -> String {
    let played = hero.tricks.iter().filter(|t| t.not_played.is_none());
    let (played, missed) = played.fold((0, 0), |(all, missed), t| {
        (all + 1, missed + usize::from(t.missed()))
    });
    match missed {
        0 => format!(
            "The audit named each of the {played} tricks that were played.{}",
            unproved(hero)
        ),
        _ => format!("The audit MISSED {missed} of the {played} tricks that were played."),
    }
}
