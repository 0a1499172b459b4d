//! The I/Os of logs that are replayed: read once more, put where their target has them, and checked before anything is issued.

use crate::EngineError;
use crate::target::OpenTarget;
use plimsoll_plan::{
    LOG_IOS_MAX, LogError, LogIo, Names, Replay, Step, TargetId, open_log, read_log,
};
use plimsoll_traffic::Recorded;
use std::io::BufReader;
use std::sync::Arc;

/// A log's I/Os on a target, by their times.
pub type Recording = Arc<Vec<Recorded>>;

/// Recordings of the step's streams that replay one. Streams of one log on one target have them in common.
pub fn recordings(
    step: &Step,
    targets: &[Arc<OpenTarget>],
) -> Result<Vec<Option<Recording>>, EngineError> {
    let mut all: Vec<Option<Recording>> = Vec::new();
    let mut known: Vec<(&Replay, TargetId, Recording)> = Vec::new();
    for stream in &step.streams {
        let Some(replay) = stream.replayed() else {
            all.push(None);
            continue;
        };
        let same =
            |(r, t, _): &&(&Replay, TargetId, Recording)| *r == replay && *t == stream.target;
        let recording = match known.iter().find(same) {
            Some((_, _, recording)) => Arc::clone(recording),
            None => {
                let target = &targets[stream.target.0 as usize];
                let read = read(replay, target).map_err(|source| EngineError::Replay {
                    log: replay.log.display().to_string(),
                    source,
                })?;
                known.push((replay, stream.target, Arc::clone(&read)));
                read
            }
        };
        all.push(Some(recording));
    }
    Ok(all)
}

/// Reads a log for a target.
///
/// # Errors
/// A log that says something else than the plan does, and places that the target does not have.
fn read(replay: &Replay, target: &OpenTarget) -> Result<Recording, LogError> {
    let members = target.opened.members();
    let paths: Vec<String> = match members.len() {
        0 | 1 => Vec::new(),
        _ => members
            .iter()
            .map(|m| m.path.display().to_string())
            .collect(),
    };
    let names = match paths.is_empty() {
        true => Names::One,
        false => Names::These(&paths),
    };
    if !paths.is_empty() && target.offset > 0 {
        return Err(LogError::Whole(format!(
            "target {} is made of several files and begins behind an offset; leave the offset out",
            target.name
        )));
    }
    if target.opened.stripe().is_some() {
        return Err(LogError::Whole(format!(
            "target {} is a stripe, and a log names places in files; leave `stripe` out, or name one device",
            target.name
        )));
    }
    let log = BufReader::with_capacity(1 << 20, open_log(&replay.log)?);
    let expected = replay.facts.all_ios() + replay.facts.syncs;
    let mut ios = Vec::with_capacity(expected.min(LOG_IOS_MAX) as usize);
    let summary = read_log(log, &replay.options, names, |io| {
        if ios.len() as u64 == expected {
            return Err("the log was shorter when the definition was read".to_string());
        }
        ios.push(put(&io, target)?);
        Ok(())
    })?;
    match summary.facts == replay.facts {
        true => Ok(Arc::new(ios)),
        false => Err(LogError::Whole(
            "it is not what it was when the definition was read; start anew".to_string(),
        )),
    }
}

/// An I/O of a log where its target has it.
fn put(io: &LogIo, target: &OpenTarget) -> Result<Recorded, String> {
    let members = target.opened.members();
    let (before, spared, size) = match members.get(io.file as usize) {
        Some(own) if members.len() > 1 => {
            let earlier = members.iter().take(io.file as usize);
            (earlier.map(|m| m.size).sum(), own.start, own.size)
        }
        _ => (0, 0, target.size),
    };
    let ends = io.offset + u64::from(io.length);
    if io.op.is_io() && (io.offset < spared || ends > spared + size) {
        return Err(format!(
            "it goes from byte {} to {ends}, and its place in target {} has bytes {spared} to {}",
            io.offset,
            target.name,
            spared + size
        ));
    }
    let block = target.logical_block;
    if !io.offset.is_multiple_of(block.into()) || !io.length.is_multiple_of(block) {
        return Err(format!(
            "{} bytes at {} are no whole blocks of {block} bytes, as direct I/O on target {} needs; go through the page cache, or \
             round the log's offsets down",
            io.length, io.offset, target.name
        ));
    }
    Ok(Recorded {
        due_ns: io.due_ns,
        offset: before + io.offset.saturating_sub(spared),
        length: io.length,
        op: io.op,
    })
}
