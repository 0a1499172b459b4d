//! fio job files on the command line.

use crate::definition::{Definition, Engine, STDIN, Typed, fail, warn};
use crate::failure::Failure;
use crate::out::tell;
use plimsoll_diagnostic::Sources;
use plimsoll_dialects::fio::engine::Engine as FioEngine;
use plimsoll_dialects::fio::{self, HostFacts, Input, Lowered, Parsed, Text};
use plimsoll_rig::BackendKind;
use std::io::Read;
use std::path::PathBuf;

/// The plan of job files, one after the other; `-` is standard input.
pub fn read(files: &[&String], typed: &Typed<'_>) -> Result<Definition, Failure> {
    no_flags(typed)?;
    let texts = files.iter().map(|name| text(name));
    let input = Input {
        sections: typed.file.section.clone(),
        ..input(texts.collect::<Result<_, _>>()?)
    };
    let parsed =
        fio::parse(&input).map_err(|refused| fail(&refused.diagnostics, &refused.sources))?;
    warn(&parsed.warnings, &parsed.sources);
    let lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
    warn(&lowered.warnings, &parsed.sources);
    if parsed.reported().iter().any(|job| !job.watched.is_none()) {
        tell!(
            "note: max_latency, a least rate, a steady state and latency_target end jobs of plimsoll fio; here they go on for their time, at all of their depth"
        );
    }
    if !parsed.logs().is_empty() || !parsed.iologs().is_empty() {
        tell!("note: fio's logs are written by plimsoll fio; here every interval is in the record");
    }
    if !parsed.states().is_empty() {
        tell!("note: verify_state_save keeps the state of jobs of plimsoll fio; here none is kept");
    }
    Ok(Definition {
        engine: engine(&lowered),
        plan: lowered.plan,
        sources: parsed.sources,
    })
}

/// Jobs of files that were read before: those of `files`, but of standard input what was read of it.
pub fn again(files: &[&String], sections: &[String], sources: &Sources) -> Result<Parsed, Failure> {
    let text = |name: &&String| match name.as_str() {
        "-" => Text::Here {
            name: STDIN.to_string(),
            text: standard_input(sources).unwrap_or_default(),
        },
        name => Text::File(PathBuf::from(name)),
    };
    let input = Input {
        sections: sections.to_vec(),
        ..input(files.iter().map(text).collect())
    };
    fio::parse(&input).map_err(|refused| fail(&refused.diagnostics, &refused.sources))
}

/// Text that was read of standard input.
pub fn standard_input(sources: &Sources) -> Option<String> {
    let found = sources.iter().find(|s| s.name == STDIN);
    found.map(|s| s.text.clone())
}

/// Texts with this host's facts and this process's environment.
pub fn input(texts: Vec<Text>) -> Input {
    Input {
        environment: std::env::vars_os()
            // What is no text is refused where it is used.
            .map(|(name, value)| {
                [name, value]
                    .map(|t| t.to_string_lossy().into_owned())
                    .into()
            })
            .collect(),
        host: host(),
        ..Input::of(texts)
    }
}

/// A file; `-` is standard input.
pub fn text(name: &str) -> Result<Text, Failure> {
    if name != "-" {
        return Ok(Text::File(PathBuf::from(name)));
    }
    let mut text = String::new();
    std::io::stdin()
        .take(fio::MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|e| Failure::usage(format!("cannot read standard input: {e}")))?;
    Ok(Text::Here {
        name: STDIN.to_string(),
        text,
    })
}

/// Engine that a job file asks for, beside its plan.
pub fn engine(lowered: &Lowered) -> Engine {
    Engine {
        backend: None,
        backends: lowered.engines.iter().map(|e| backend(*e)).collect(),
        unlink: lowered.unlink.clone(),
        batch: Some(lowered.batch as usize),
        reap: Some(lowered.reap),
    }
}

fn backend(engine: Option<FioEngine>) -> Option<BackendKind> {
    match engine? {
        FioEngine::Sync | FioEngine::Threads => Some(BackendKind::Psync),
        FioEngine::Libaio => Some(BackendKind::Libaio),
        FioEngine::Uring(polling) => Some(BackendKind::Uring(polling)),
        FioEngine::Mmap => Some(BackendKind::Mmap),
        FioEngine::Null | FioEngine::Nbd | FioEngine::Names(_) => None,
    }
}

/// Facts of this host that fio's keywords stand for.
fn host() -> HostFacts {
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory
        .lines()
        .find_map(|l| l.strip_prefix("MemTotal:"))
        .and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    HostFacts {
        cpus: configured_cpus().unwrap_or(1),
        page: rustix::param::page_size() as u64,
        memory_mib: kib.map_or(HostFacts::default().memory_mib, |kib| kib / 1024),
    }
}

/// The CPUs that the host may have, whatever this process may use of them: `_SC_NPROCESSORS_CONF`, which fio asks for.
fn configured_cpus() -> Option<u64> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/possible").ok()?;
    let count = |range: &str| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        Some(to.parse::<u64>().ok()?.checked_sub(from.parse().ok()?)? + 1)
    };
    text.trim().split(',').map(count).sum()
}

/// A job file says all itself.
fn no_flags(typed: &Typed<'_>) -> Result<(), Failure> {
    let points = typed.points.percents.is_some() || !typed.points.slo.is_empty();
    let method = typed.of_method.first().map(|(flag, _, _)| *flag);
    let set = (!typed.direct.set.is_empty()).then_some("--set");
    let given = typed.direct.first_given().or(set).or(method);
    match given.or(points.then_some("--percents and --slo")) {
        None => Ok(()),
        Some(flag) => Err(Failure::usage(format!(
            "{flag} goes with a target or a definition in TOML; a fio job file says it itself. Where it says ${{NAME}}, the \
             environment does: NAME=VALUE plimsoll run -f FILE; --section NAME runs one of its jobs"
        ))),
    }
}
