//! Where the record goes, judged before anything is made or measured.

use crate::{Event, Past, RigError, RunOptions};
use plimsoll_evidence::Environment;
use plimsoll_permit::output::{Precious, Rules};
use plimsoll_plan::Plan;
use plimsoll_record::{DefinitionText, Record, RecordError, RecordPermit, Recorder};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Number of times that a record which somebody has open is asked for again, and the wait before each.
const BUSY_TRIES: u32 = 10;
const BUSY_WAIT: Duration = Duration::from_millis(100);

/// Files that nothing a run writes may replace: its targets, what it was read from, and the logs that it replays.
pub fn precious(plan: &Plan, definition: &[PathBuf]) -> Vec<Precious> {
    let read = definition
        .iter()
        .map(|path| Precious::new("a file of the definition", path));
    let targets = plan.targets.iter().flat_map(|target| {
        let persona = target
            .location
            .lab()
            .and_then(|lun| Some(lun.array.file()?.to_path_buf()));
        let paths = target.location.paths().iter();
        let tree = target.location.tree().filter(|tree| !tree.is_simulated());
        paths
            .map(|path| Precious::new("a target of this run", path))
            .chain(tree.map(|tree| match &tree.names {
                None => Precious::tree("in a tree that this run works on", &tree.root),
                Some(names) => {
                    let what = "a name of a tree that this run works on";
                    Precious::numbered(what, &tree.root, [&names.before, &names.after])
                }
            }))
            .chain(persona.map(|path| Precious::new("the persona of a target", &path)))
    });
    let streams = plan.steps().flat_map(|step| &step.streams);
    let logs = streams.filter_map(|stream| stream.replayed());
    let logs = logs.map(|replay| Precious::new("a log that is replayed", &replay.log));
    read.chain(targets).chain(logs).collect()
}

/// Leave to make the record, where one is kept.
pub(crate) fn permit(plan: &Plan, options: &RunOptions) -> Result<Option<RecordPermit>, RigError> {
    let Some(path) = &options.record else {
        return Ok(None);
    };
    let rules = Rules {
        overwrite: options.overwrite_record,
        precious: &precious(plan, &options.definition),
    };
    match options.record_is_unnamed {
        true => free(path, &rules).map(Some),
        false => Ok(Some(RecordPermit::ask(path, &rules)?)),
    }
}

/// The first name that nobody has, of `NAME.plim`, `NAME-2.plim` and so on.
fn free(path: &Path, rules: &Rules) -> Result<RecordPermit, RigError> {
    // What has a name is not replaced by what nobody named.
    let rules = Rules {
        overwrite: false,
        ..*rules
    };
    let mut number = 1u64;
    loop {
        let name = numbered(path, number);
        number += 1;
        if is_taken(&name) {
            continue;
        }
        match RecordPermit::ask(&name, &rules) {
            Err(_) if is_taken(&name) => {}
            asked => return Ok(asked?),
        }
    }
}

/// True where somebody has the name, or a log of that name: one who begins in this instant has the one before the other.
fn is_taken(name: &Path) -> bool {
    ["", "-wal", "-shm", "-journal"].iter().any(|suffix| {
        let mut beside = name.as_os_str().to_owned();
        beside.push(suffix);
        Path::new(&beside).symlink_metadata().is_ok()
    })
}

fn numbered(path: &Path, number: u64) -> PathBuf {
    if number == 1 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{number}.plim"))
}

/// A new record. Where another run has taken its name since leave was asked for it, one that nobody named takes the next.
fn new(
    mut permit: RecordPermit,
    plan: &Plan,
    environment: &Environment,
    options: &RunOptions,
) -> Result<Recorder, RigError> {
    let json = serde_json::to_string(plan).unwrap_or_default();
    loop {
        match Recorder::begin(permit, environment, &json) {
            Err(
                RecordError::Refused(_) | RecordError::Exists { .. } | RecordError::Beside { .. },
            ) if options.record_is_unnamed => {
                permit = match self::permit(plan, options)? {
                    Some(permit) => permit,
                    None => return Err(RigError::Empty),
                };
            }
            begun => return Ok(begun?),
        }
    }
}

/// The run's record, begun, or taken up where there is a past.
pub(crate) fn begin(
    permit: Option<RecordPermit>,
    plan: &Plan,
    past: Option<&Past>,
    environment: &Environment,
    options: &RunOptions,
    watch: &mut dyn FnMut(Event),
) -> Result<Option<Recorder>, RigError> {
    let Some(permit) = permit else {
        return Ok(None);
    };
    let begun = match past {
        Some(past) => {
            let cleared = permit.clear_leftovers();
            if cleared > 0 {
                watch(Event::Note(format!(
                    "removed {cleared} of the files .plimsoll-*.part beside {}: a program that died had left them unfinished",
                    permit.path().display()
                )));
            }
            taken_up(permit, plan, past, environment, options)
        }
        None => {
            let mut recorder = new(permit, plan, environment, options)?;
            let texts = options.texts.iter();
            let texts: Vec<DefinitionText> =
                texts.map(|(n, t)| DefinitionText::new(n, t)).collect();
            recorder.keep_definition(&texts)?;
            Ok(recorder)
        }
    };
    begun.map(Some)
}

/// Goes on with the record of a past. Somebody may read it just now, for an instant: it is asked for again a few times.
fn taken_up(
    mut permit: RecordPermit,
    plan: &Plan,
    past: &Past,
    environment: &Environment,
    options: &RunOptions,
) -> Result<Recorder, RigError> {
    let mut tries = 0;
    loop {
        let record = Record::open(permit.path())?;
        match Recorder::resume(permit, record, past.last(), environment) {
            Err(RecordError::InUse { .. }) if tries < BUSY_TRIES => tries += 1,
            taken => return taken.map_err(|e| past.busy(e)),
        }
        std::thread::sleep(BUSY_WAIT);
        permit = match self::permit(plan, options)? {
            Some(permit) => permit,
            None => return Err(RigError::Empty),
        };
    }
}

/// The environment to be recorded: what is found now, or what was found with what is different now.
pub(crate) fn environment(past: Option<&Past>, now: Environment) -> Result<Environment, RigError> {
    match past {
        Some(past) => past.environment(&now),
        None => Ok(now),
    }
}
