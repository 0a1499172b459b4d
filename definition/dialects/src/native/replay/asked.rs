//! The key `replay`: a log, and how it is replayed.

use crate::native::forms::REPLAY;
use crate::native::given::{Given, Part, Wrong};
use crate::native::words::{count, pieces, size, truth};
use plimsoll_plan::{Op, ReplayOptions};
use std::path::PathBuf;

/// A log, as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedReplay {
    pub(super) log: PathBuf,
    pub(super) options: ReplayOptions,
}

/// `"x.log"`, `{ log = "x.log", times = false, speed = "50%", scale = 2, align = "4k", skip = "trim sync" }`
pub fn replay(given: &Given) -> Result<AskedReplay, Wrong> {
    given.check(&REPLAY)?;
    let Some(log) = given.word.as_ref().or(given.get("log")) else {
        return Err(Wrong::new(&given.whole, "it names no log")
            .remedy("write { log = \"FILE\" }, or the file alone"));
    };
    let usual = ReplayOptions::default();
    let number = |name, usual| given.get(name).map_or(Ok(usual), |part| count(part, 1));
    let options = ReplayOptions {
        at_once: match given.get("times") {
            Some(part) => !truth(part)?,
            None => false,
        },
        speed: given.get("speed").map_or(Ok(usual.speed), speed)?,
        scale: number("scale", usual.scale)?,
        align: given.get("align").map_or(Ok(usual.align), align)?,
        skip: skip(given.get("skip"))?,
    };
    Ok(AskedReplay {
        log: PathBuf::from(&log.text),
        options,
    })
}

/// Percent, which may be more than 100.
fn speed(part: &Part) -> Result<u32, Wrong> {
    count(&part.piece(part.text.trim_end_matches('%')), 1)
}

fn align(part: &Part) -> Result<u32, Wrong> {
    let bytes = size(part)?.0;
    let fits = u32::try_from(bytes).ok().filter(|n| n.is_power_of_two());
    fits.ok_or_else(|| Wrong::new(part, format!("`{}` is no power of two", part.text)))
}

fn skip(given: Option<&Part>) -> Result<Vec<Op>, Wrong> {
    let mut skip = Vec::new();
    for part in given.map(pieces).unwrap_or_default() {
        let known = Op::of_log_word(&part.text);
        let op = known.ok_or_else(|| {
            Wrong::new(&part, format!("`{}` is nothing that a log does", part.text))
                .remedy("write read, write, trim and sync, with spaces between them")
        })?;
        skip.push(op);
    }
    skip.sort_unstable();
    skip.dedup();
    Ok(skip)
}
