//! The fingerprint: what a target is, from load alone.

mod chance;
mod content;
mod fills;
mod follows;
mod journal;
mod levels;
mod memory;
mod paths;
mod pictures;
mod policy;
mod proof;
mod ratio;
mod script;
mod shape;
mod share;
mod slices;
mod verdict;

use crate::method::Method;
use crate::next::Next;
use plimsoll_evidence::{StepEvidence, Verdict};
use plimsoll_plan::{FINGERPRINT_BLOCK, FINGERPRINT_DEPTH, FingerprintSpec, PathDown, Step};
use script::{Order, Probe, ReadArea, Script, Stop};

/// The state machine of a fingerprint.
#[derive(Debug, Clone, PartialEq)]
pub struct Fingerprint {
    shapes: Vec<Step>,
    spec: FingerprintSpec,
}

impl Fingerprint {
    /// A fingerprint of steps of these shapes.
    pub fn new(shapes: &[Step], spec: &FingerprintSpec) -> Self {
        Fingerprint {
            shapes: shapes.to_vec(),
            spec: spec.clone(),
        }
    }
}

impl Method for Fingerprint {
    fn next(&self, completed: &[&StepEvidence]) -> Next {
        let (Some(template), Some(size)) = (self.shapes.first(), self.spec.size) else {
            return Next::Done(None);
        };
        let mut script = Script::new(template, &self.spec, size.0, completed);
        let mut found = Found {
            down: self.spec.down.clone(),
            ..Found::default()
        };
        let ended = investigate(&mut script, &mut found, self.spec.writes);
        let so_far = |cut| Some(Verdict::Method(verdict::verdict(template, &found, cut)));
        match ended {
            Ok(()) => Next::Done(so_far(None)),
            Err(Stop::Spent) => Next::Done(so_far(Some("the time for probes was over before"))),
            Err(Stop::CompletedSteps(pause)) => {
                pause.next(|| so_far(Some("it was cut off before")))
            }
        }
    }
}

/// Finding of one kind, or the reason why nothing is known.
pub(crate) type Known<T> = Result<T, String>;

/// Findings so far; `None`: not looked at yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// Depth and rate of each depth that was tried, over the whole target.
    pub depths: Vec<(u32, f64)>,
    pub distances: Option<slices::Distances>,
    /// Slices, and the owners that they seem to have.
    pub dealing: Option<Known<slices::Dealing>>,
    /// Number of owners, where they were confirmed.
    pub owners: Option<Known<u64>>,
    pub share: Option<Known<share::Share>>,
    pub sets: Vec<share::OfOwners>,
    pub alignment: Option<Known<(u64, ratio::Ratio)>>,
    pub read_ahead: Option<Known<ratio::Ratio>>,
    pub cache: Option<Known<memory::Cache>>,
    pub working_sets: Vec<memory::Step>,
    pub policy: Option<Known<policy::Policy>>,
    pub fills: Option<Known<bool>>,
    pub paths: Option<Known<paths::Paths>>,
    /// Paths that were left out.
    pub down: Vec<PathDown>,
    /// In the order of [`content::DataKind::ALL`].
    pub treatments: Option<Known<Vec<content::Treatment>>>,
    pub journal: Option<Known<journal::Journal>>,
}

/// The least in flight for a target that is to be the limit.
const DEPTH_LEAST: u32 = 64;
/// Kept for writes, and for the comparison of paths, s.
const WRITES_S: f64 = 120.0;
const PATHS_S: f64 = 35.0;
/// A doubled depth that brings less than this brings nothing.
const WORTH: f64 = 1.08;

/// Investigations in their order: those that need the target as it was found comes first, and writes come last.
fn investigate(script: &mut Script<'_>, found: &mut Found, writes: bool) -> Result<(), Stop> {
    depth(script, found)?;
    owners(script, found)?;
    found.read_ahead = Some(shape::read_ahead(script)?);
    found.alignment = Some(shape::alignment(script)?);
    found.cache = Some(memory::cache(script, &mut found.working_sets)?);
    let several = script.paths.len() > 1;
    let reserve = if writes { WRITES_S } else { 0.0 } + if several { PATHS_S } else { 0.0 };
    found.policy = Some(match &found.cache {
        Some(Ok(cache)) => Ok(policy::policy(script, cache, reserve)?),
        _ => Err("the cache's size is not known".to_string()),
    });
    if let Some(Ok(policy::Policy {
        refuted: Some(why), ..
    })) = &found.policy
    {
        found.cache = Some(Err(why.clone()));
    }
    // Its reads are of the whole target, and leave the cache to nobody.
    found.paths = Some(paths::asymmetry(script)?);
    if writes {
        // A journal is empty only before the other writes.
        let journal = journal::journal(script)?;
        found.fills = Some(fills(script, found, &journal)?);
        found.journal = Some(journal);
        found.treatments = Some(content::treatments(script)?);
    } else {
        let unwritten = "that takes writes, which --destroy allows";
        found.treatments = Some(Err(unwritten.into()));
        found.fills = Some(Err(unwritten.into()));
        found.journal = Some(Err(unwritten.into()));
    }
    Ok(())
}

fn fills(
    script: &mut Script<'_>,
    found: &Found,
    journal: &Known<journal::Journal>,
) -> slices::ReadResult<bool> {
    let line = |p: &policy::Policy| p.line.clone().ok();
    let line = found
        .policy
        .as_ref()
        .and_then(|p| p.as_ref().ok().and_then(line));
    match (&found.cache, line) {
        (Some(Ok(cache)), Some(line)) => fills::fills(script, cache, line, journal),
        _ => Ok(Err("the cache's size or its lines are not known".into())),
    }
}

fn owners(script: &mut Script<'_>, found: &mut Found) -> Result<(), Stop> {
    let none = || Some(Err("no owners were found".to_string()));
    let seen = slices::dealing(script, &mut found.distances)?;
    let proven = match seen {
        Ok(dealing) => proof::pieces(script, &dealing)?.map(|sure| (dealing, sure)),
        Err(why) => Err(why),
    };
    let (dealing, sure) = match proven {
        Ok(proven) => proven,
        Err(why) => {
            found.share = none();
            found.owners = Some(Err(why.clone()));
            found.dealing = Some(Err(why));
            return Ok(());
        }
    };
    let confirmed = match share::confirm(script, dealing)? {
        Ok(confirmed) => proof::turns(script, &confirmed.dealing)?.map(|()| confirmed),
        Err(why) => Err(why),
    };
    match confirmed {
        Ok(confirmed) => {
            found.dealing = Some(Ok(confirmed.dealing));
            found.owners = Some(Ok(confirmed.dealing.owners));
            found.share = Some(confirmed.share);
            found.sets = confirmed.sets;
        }
        Err(why) => {
            // Slices that are sure are so whoever has them.
            found.dealing = Some(match sure {
                true => Ok(dealing),
                false => Err(why.clone()),
            });
            found.share = none();
            found.owners = Some(Err(why));
        }
    }
    Ok(())
}

/// Finds the depth: as many in flight as make the target the limit, and twice that: hot places need less.
fn depth(script: &mut Script<'_>, found: &mut Found) -> Result<(), Stop> {
    let block = FINGERPRINT_BLOCK.0;
    let whole = ReadArea::new(0, script.size / block * block, Order::Random);
    let mut depth = 8;
    let mut idle = 0;
    while depth <= FINGERPRINT_DEPTH && idle < 2 {
        let probe = Probe::reads(format!("depth {depth}"), vec![whole], depth);
        let rate = script.measure(&probe)?.rate;
        let before = found.depths.iter().map(|d| d.1).fold(0.0, f64::max);
        idle = if rate > before * WORTH { 0 } else { idle + 1 };
        found.depths.push((depth, rate));
        depth *= 2;
    }
    script.depth = (2 * enough(&found.depths)).clamp(DEPTH_LEAST, FINGERPRINT_DEPTH);
    Ok(())
}

/// The least depth that carried nearly the most.
pub(crate) fn enough(depths: &[(u32, f64)]) -> u32 {
    let most = depths.iter().map(|d| d.1).fold(0.0, f64::max);
    let nearly = depths.iter().find(|d| d.1 * WORTH >= most);
    nearly.map_or(DEPTH_LEAST, |d| d.0)
}
