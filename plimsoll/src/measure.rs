//! `plimsoll run`, `plimsoll curve` and `plimsoll resume`.

use crate::cli::{
    CommonArgs, CurveArgs, DirectArgs, FileArgs, GoingArgs, PointsArgs, ResumeArgs, RunArgs,
};
use crate::curve_method::{adaptive, curve_method, names_targets};
use crate::definition::{self, Definition, Typed};
use crate::display::UNRECORDED;
use crate::failure::Failure;
use crate::out::{self, say, tell};
use crate::watch::{Shown, Watch};
use crate::{
    against, beside, display, exit, fleet, like, options, plan, reading, signals, whole_screen,
};
use plimsoll_diagnostic::Sources;
use plimsoll_dialects::native::Method;
use plimsoll_evidence::{Finding, Verdict};
use plimsoll_permit::output::{OutputPermit, Rules};
use plimsoll_plan::{LabTarget, Plan};
use plimsoll_printable::{Printable, one_line};
use plimsoll_record::{Record, RecordError, RunStatus};
use plimsoll_report::terminal::Detail;
use plimsoll_report::{html, json, terminal};
use plimsoll_rig::{Control, Event, Outcome, Past, RigError, RunOptions, RunResult};
use std::path::Path;
use std::process::ExitCode;

/// `plimsoll run`.
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let definition = reading::load(&Typed {
        what: &args.what,
        file: &args.file,
        direct: &args.direct,
        points: &PointsArgs::default(),
        method: Method::Single,
        of_method: Vec::new(),
    })?;
    match args.beside.beside {
        None => go_and_then(
            definition.repeated(args.repeats),
            &args.common,
            After::like(&args.direct),
        ),
        Some(_) => beside::run(definition, args),
    }
}

/// `plimsoll curve`.
pub fn curve(args: &CurveArgs) -> Result<ExitCode, Failure> {
    let budget = args.budget.as_deref();
    let is_adaptive = args.adaptive || budget.is_some();
    if budget.is_some() && !args.adaptive && !names_targets(&args.what) {
        return Err(Failure::usage(
            "--budget is of adaptive curves, and the definition says itself what its curve is: add --adaptive, or leave --budget out",
        ));
    }
    let (method, of_method) = match is_adaptive {
        false => curve_method(&args.what, &args.points),
        true => adaptive(budget),
    };
    let definition = reading::load(&Typed {
        what: &args.what,
        file: &FileArgs::default(),
        direct: &args.direct,
        points: &args.points,
        method,
        of_method,
    })?;
    definition::require_curve(&definition)?;
    go_and_then(
        definition.repeated(args.repeats),
        &args.common,
        After::like(&args.direct),
    )
}

/// What is done with the figures of a run besides showing them.
#[derive(Default)]
pub struct After<'a> {
    /// The file that takes what follows from a fingerprint, for others' --like.
    pub save: Option<&'a Path>,
    /// The array that its steps are shown beside.
    pub like: Option<LabTarget>,
}

impl After<'_> {
    fn like(direct: &DirectArgs) -> Self {
        After {
            save: None,
            like: like::reference(direct.like.as_deref()),
        }
    }
}

/// Carries out a definition, or shows its plan.
pub fn go(definition: Definition, common: &CommonArgs) -> Result<ExitCode, Failure> {
    go_and_then(definition, common, After::default())
}

/// The same, with what is done afterwards.
pub fn go_and_then(
    mut definition: Definition,
    common: &CommonArgs,
    after: After<'_>,
) -> Result<ExitCode, Failure> {
    definition.plan = plimsoll_rig::with_ways(definition.plan);
    definition.plan.claim = common.going.claim.or(definition.plan.claim);
    let title = common.title.clone().or(definition.plan.title);
    definition.plan.title = title;
    definition.plan.tag.clone_from(&common.tag);
    definition.plan.note.clone_from(&common.note);
    if common.dry_run {
        if !common.going.json {
            fleet::say_how_divided(&common.together);
        }
        return plan::print(&definition, common.going.json);
    }
    let options = RunOptions {
        definition: definition.files(),
        texts: definition::texts(&definition.sources),
        ..options::options(common, &definition.engine)?
    };
    let chosen = fleet::chosen(&common.together, &definition.plan)?;
    if chosen.is_none() {
        definition.plan = plimsoll_rig::without_ways_down(definition.plan, &options, |said| {
            tell!("{}", Printable(said));
        });
    }
    if let Some(fleet::Chosen::Simulated(hosts)) = chosen {
        let options = RunOptions {
            simulated_hosts: Some(hosts),
            ..options
        };
        return here(&definition, common, &options, after);
    }
    if let Some(chosen) = chosen {
        return by_hosts(&definition, common, &chosen, &options, after);
    }
    here(&definition, common, &options, after)
}

/// By this host, or by hosts of the lab, which it simulates.
fn here(
    definition: &Definition,
    common: &CommonArgs,
    options: &RunOptions,
    after: After<'_>,
) -> Result<ExitCode, Failure> {
    if common.probe {
        crate::probe::before(&definition.plan);
    }
    measure(
        &definition.plan,
        &definition.sources,
        &common.going,
        options,
        after,
        |control, watch| plimsoll_rig::run(&definition.plan, options, control, watch),
    )
}

/// The same on other hosts, which look at their targets themselves.
fn by_hosts(
    definition: &Definition,
    common: &CommonArgs,
    chosen: &fleet::Chosen,
    options: &RunOptions,
    after: After<'_>,
) -> Result<ExitCode, Failure> {
    if common.probe {
        return Err(Failure::usage(
            "--probe asks a target from here, and the hosts have it there: run `plimsoll probe` on one of them",
        ));
    }
    measure(
        &definition.plan,
        &definition.sources,
        &common.going,
        options,
        after,
        |control, watch| {
            // Before anything starts anywhere.
            plimsoll_rig::check_by_hosts(&definition.plan)?;
            let crew = fleet::crew(&common.together, chosen, control)?;
            let crew = Box::new(crew);
            plimsoll_rig::run_by(crew, &definition.plan, options, control, watch)
        },
    )
}

/// `plimsoll resume`.
pub fn resume(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    let mut past = Past::read(&args.path)?;
    past.plan.claim = args.going.claim.or(past.plan.claim);
    let options = past.options(options::going(&args.going)?);
    tell!("{}", Printable(&past.to_string()));
    measure(
        &past.plan,
        &Sources::default(),
        &args.going,
        &options,
        After::default(),
        |control, watch| plimsoll_rig::resume(&past, &options, control, watch),
    )
}

/// `plimsoll attach`.
pub fn attach(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    let mut past = Past::read_of_many(&args.path)?;
    past.plan.claim = args.going.claim.or(past.plan.claim);
    let options = past.options(options::going(&args.going)?);
    tell!("{}", Printable(&past.to_string()));
    measure(
        &past.plan,
        &Sources::default(),
        &args.going,
        &options,
        After::default(),
        |control, watch| {
            let crew = fleet::attach(&args.path, control)?;
            plimsoll_rig::attach(Box::new(crew), &past, &options, control, watch)
        },
    )
}

fn measure(
    plan: &Plan,
    sources: &Sources,
    going: &GoingArgs,
    options: &RunOptions,
    after: After<'_>,
    carry_out: impl FnOnce(&Control, &mut dyn FnMut(Event)) -> Result<RunResult, RigError>,
) -> Result<ExitCode, Failure> {
    let page = page(plan, going, options)?;
    let save = after
        .save
        .map(|path| output(path, plan, going, options))
        .transpose()?;
    if going.tui {
        whole_screen::check()?;
    }
    let control = signals::control(&options.at_work)?;
    let style = display::style();
    let mut watch = Watch::new(plan, &control, style, shown(going));
    watch.on_whole_screen = going.tui;
    let carried_out = carry_out(&control, &mut |event| watch.see(&event));
    watch.end();
    let result = match carried_out {
        Ok(result) => result,
        Err(RigError::Record(RecordError::Exists { path })) => {
            return Err(Failure::usage(format!(
                "{} exists already; name another record, or add --overwrite to replace it",
                path.display()
            )));
        }
        Err(error) => return Err(definition::refusal(error, sources)),
    };
    if let Some(lab) = after.like.filter(|_| !going.json) {
        // What was measured is shown whatever becomes of the array beside it.
        if let Err(error) = against::steps(&result.steps, &lab) {
            tell!("note: the array of --like can't be shown beside it: {error}");
        }
    }
    show(&result, going, page, style)?;
    if let Some(permit) = save {
        let target = plan.targets.first().map_or("", |t| t.name.as_str());
        like::save(permit, &result.verdicts, target)?;
    }
    let code = exit::of_run(result.outcome());
    Ok(exit::leave(code, &result))
}

/// Leave to write the page, asked for before anything is measured.
fn page(
    plan: &Plan,
    common: &GoingArgs,
    options: &RunOptions,
) -> Result<Option<OutputPermit>, Failure> {
    let Some(path) = &common.html else {
        return Ok(None);
    };
    if path == Path::new("-") {
        return Err(Failure::usage(
            "--html -: standard output has the run's lines; name a file, or use `plimsoll report RECORD -o -` afterwards",
        ));
    }
    output(path, plan, common, options).map(Some)
}

/// Leave to write a file beside the record.
fn output(
    path: &Path,
    plan: &Plan,
    common: &GoingArgs,
    options: &RunOptions,
) -> Result<OutputPermit, Failure> {
    let mut precious = plimsoll_rig::precious(plan, &options.definition);
    if let Some(record) = &options.record {
        precious.extend(plimsoll_record::precious("the record of this run", record));
    }
    let rules = Rules {
        overwrite: common.overwrite,
        precious: &precious,
    };
    Ok(OutputPermit::ask(path, &rules)?)
}

fn show(
    result: &RunResult,
    common: &GoingArgs,
    page: Option<OutputPermit>,
    style: terminal::Style,
) -> Result<(), Failure> {
    if common.json {
        let own: Vec<Finding> = result.audit.own().cloned().collect();
        let document = json::document(&json::Run {
            environment: &result.environment,
            steps: &result.steps,
            verdicts: &result.verdicts,
            findings: &own,
            record: result.record.as_deref(),
            status: &result.status,
        });
        out::json(&document)?;
    } else {
        say!();
        say!(
            "{}",
            terminal::summary(
                &result.steps,
                &result.verdicts,
                &result.environment.targets,
                detail(common),
                &style
            )
        );
        say!(
            "{}",
            terminal::audit(&result.audit, result.record.as_deref(), &style)
        );
        if result.environment.simulated {
            say!("simulated: {}", terminal::SIMULATED);
        }
        let errors = terminal::errors(&result.steps, &style);
        if !errors.is_empty() {
            say!("{}", errors.trim_end());
        }
    }
    let written = write_page(result, page);
    if !common.json {
        display::close(&display::answer(result));
    }
    // The last line that is printed says what failed, whatever became of the page.
    if let Some(line) = last_line(result) {
        tell!("{}", Printable(&line));
    }
    written
}

/// Amount of a run that is shown, by the flags.
fn shown(going: &GoingArgs) -> Shown {
    match (going.json, going.quiet, going.verbose) {
        (true, quiet, _) => Shown::Json { quiet },
        (_, true, _) => Shown::Quiet,
        (_, _, true) => Shown::All,
        _ => Shown::Brief,
    }
}

fn detail(going: &GoingArgs) -> Detail {
    match going.verbose {
        true => Detail::Full,
        false => Detail::Brief,
    }
}

fn write_page(result: &RunResult, page: Option<OutputPermit>) -> Result<(), Failure> {
    if let (Some(page), Some(record)) = (page, &result.record) {
        let path = page.path().to_path_buf();
        page.write(html::render(&Record::open(record)?)?.as_bytes())?;
        tell!("report {}", Printable(&path.display().to_string()));
    }
    Ok(())
}

/// The last line that is printed: how a run that did not end well did end, and what failed.
fn last_line(result: &RunResult) -> Option<String> {
    let failed = terminal::errors_line(&result.steps);
    let undecided = result.outcome() == Outcome::Undecided;
    // Why was said when it happened.
    if result.status == RunStatus::Completed && result.record_error.is_some() {
        let and = failed.map_or_else(String::new, |f| format!("; {f}"));
        return Some(format!("error: {UNRECORDED}, as said above{and}"));
    }
    match (&result.status, failed) {
        (RunStatus::Failed(reason), _) => Some(format!("error: {}", one_line(reason))),
        (RunStatus::Interrupted, failed) => {
            let and = failed.map_or_else(String::new, |f| format!(", and {f}"));
            Some(format!(
                "interrupted{and}: the numbers are of what was measured until then"
            ))
        }
        (_, failed) if undecided => {
            let and = failed.map_or_else(String::new, |f| format!("; {f}, as --max-errors allows"));
            Some(format!("undecided: {}{and}", without_an_answer(result)))
        }
        (_, None) => None,
        (_, Some(failed)) if result.errors_are_allowed() => Some(format!(
            "note: {failed}; so many are allowed by --max-errors"
        )),
        (_, Some(failed)) => Some(format!(
            "error: {failed}; where that is expected, allow it by --max-errors of more than 50"
        )),
    }
}

/// Sentence on the questions that were not answered; the reasons are in their verdicts.
fn without_an_answer(result: &RunResult) -> String {
    let runs: Vec<&str> = result.undecided().map(Verdict::run).collect();
    format!(
        "the question of {} could not be answered, as its verdict says",
        runs.join(", ")
    )
}
