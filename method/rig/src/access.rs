//! What each target is used for, and what must be allowed, made and filled for it.

use crate::coverage::{self, Coverage};
use crate::enclosure;
use crate::files::{Joined, Room};
use crate::{RigError, RunOptions, marks};
use plimsoll_engine::Permits;
use plimsoll_engine::export;
use plimsoll_permit::target::{
    Created, Extended, Ground, NewFile, Place, WritePermit, assess, destroy_flag, look_up,
};
use plimsoll_permit::{PathHandle, Refusal};
use plimsoll_plan::{Bytes, Location, NbdTarget, Pattern, Plan, Target, TargetId};
use plimsoll_sandbox::Wall;
use std::ops::Range;
use std::path::PathBuf;

/// What a plan does with a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Use {
    pub reads: bool,
    pub writes: bool,
}

/// What a plan does with each of its targets.
pub(crate) fn uses(plan: &Plan) -> Vec<Use> {
    let mut uses = vec![Use::default(); plan.targets.len()];
    for step in plan.steps() {
        for stream in &step.streams {
            let used = &mut uses[stream.target.0 as usize];
            used.reads |= stream.mix.read > 0.0;
            used.writes |= stream.mix.changes_data();
        }
    }
    uses
}

/// True where the plan's first step on a target writes all of it, one pass; Vdbench's leaves out less than a transfer at
/// either end, of which no share of later reads is worth a word.
pub(crate) fn written_first(plan: &Plan, id: TargetId) -> bool {
    let first = plan
        .steps()
        .find(|s| s.streams.iter().any(|t| t.target == id));
    first.is_some_and(|step| {
        step.streams.iter().filter(|s| s.target == id).all(|s| {
            s.mix.write == 100.0
                && matches!(s.address.pattern, Pattern::Sequential { once: true, .. })
        })
    })
}

/// What is allowed, before anything was changed.
#[derive(Debug)]
pub(crate) struct Access {
    targets: Vec<Allowed>,
}

/// How a target may be used.
#[derive(Debug)]
enum Allowed {
    /// It isn't.
    Unused,
    /// For reading only: those of its files and devices that are there.
    Reading(Vec<PathHandle>),
    /// For writing: each of its files and devices.
    Members { members: Vec<Member>, fill: bool },
    /// For writing: an export.
    Export { permit: Permits, fill: bool },
}

#[derive(Debug)]
enum Member {
    /// A file or device that is there, and how long it is to become.
    There {
        permit: Box<WritePermit>,
        extend_to: Option<u64>,
    },
    /// A file that is yet to be made, and its size.
    New { new: NewFile, size: u64 },
}

impl Member {
    fn held(&self) -> Result<&PathHandle, RigError> {
        match self {
            Member::There { permit, .. } => Ok(permit.held()),
            Member::New { new, .. } => Err(refused(Refusal {
                path: new.path().to_path_buf(),
                why: "it was there when this began, and now it is not".to_string(),
                remedy: "find out who removed it, and begin again".to_string(),
            })),
        }
    }
}

/// What was made ready: permits to open each target with, and what undoes it.
#[derive(Debug)]
pub(crate) struct Ready {
    /// One for each target.
    pub permits: Vec<Permits>,
    /// The targets to be filled before anything is measured.
    pub to_fill: Vec<TargetId>,
    /// Files that were made; they go again unless they are kept.
    pub created: Vec<Created>,
    /// Files that were made longer; they become as they were unless they are kept.
    pub extended: Vec<Extended>,
}

/// Judges every target of the plan. Looks only: nothing is made, and nothing is changed.
pub(crate) fn judge(plan: &Plan, uses: &[Use], options: &RunOptions) -> Result<Access, RigError> {
    let mut room = Room::default();
    let judge = |(index, (target, used)): (usize, (&Target, &Use))| {
        let id = TargetId(index as u32);
        let fills_itself = written_first(plan, id);
        let look = used.reads && !fills_itself && !options.allow_unwritten;
        match &target.location {
            _ if *used == Use::default() => Ok(Allowed::Unused),
            // Whatever its steps ask for: nothing is written over one path of a target.
            _ if plan.is_path(id) => {
                let found = target.location.paths().iter().map(|path| look_up(path));
                Ok(Allowed::reading(found.flatten()))
            }
            Location::Nbd(volume) => judge_export(target, volume, *used, look, options),
            _ => judge_members(target, *used, look, options, &mut room),
        }
    };
    let all = plan.targets.iter().zip(uses).enumerate();
    let targets = all.map(judge).collect::<Result<_, _>>()?;
    room.check()?;
    Ok(Access { targets })
}

/// What nobody wrote of the targets that are read, a sentence each: it was allowed, and the result is of that.
pub(crate) fn unwritten(plan: &Plan, uses: &[Use]) -> Result<Vec<String>, RigError> {
    let mut said = Vec::new();
    for (index, (target, used)) in plan.targets.iter().zip(uses).enumerate() {
        let id = TargetId(index as u32);
        if !used.reads || written_first(plan, id) || plan.is_path(id) {
            continue;
        }
        let places = target.location.paths().iter().map(|path| look_up(path));
        let places = places.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        said.extend(complaint(target, &places)?.map(|why| {
            format!(
                "{}: {why}, and was read all the same (--allow-unwritten): where nothing is stored, no medium answers",
                target.name
            )
        }));
    }
    Ok(said)
}

fn judge_members(
    target: &Target,
    used: Use,
    look: bool,
    options: &RunOptions,
    room: &mut Room,
) -> Result<Allowed, RigError> {
    let mut places = Vec::new();
    for path in target.location.paths() {
        places.push(look_up(path).map_err(refused)?);
    }
    refuse_twice(&places)?;
    let joined = Joined::new(target, &places)?;
    joined.need(room)?;
    let missing = match (joined.grows, look) {
        (true, _) => Some("not all of it is there".to_string()),
        (false, true) => complaint(target, &places)?,
        (false, false) => None,
    };
    let fill = missing.is_some();
    if !used.writes && !fill {
        return Ok(Allowed::reading(places));
    }
    refuse_read_only(target, &missing, options)?;
    let mut members = Vec::new();
    let grows = joined.grows;
    for (place, size) in places.into_iter().zip(joined.sizes) {
        let member = match place {
            Place::There(held) => {
                let permit =
                    assess(held, &options.destroy, &marks::is_ours).map_err(|refusal| {
                        match &missing {
                            Some(why) if !used.writes && !grows => unreadable(refusal, why),
                            _ => refused(refusal),
                        }
                    })?;
                if let Some(why) = &missing {
                    may_fill(
                        permit.path().display().to_string(),
                        permit.ground(),
                        why,
                        options,
                    )?;
                }
                Member::There {
                    permit: Box::new(permit),
                    extend_to: size,
                }
            }
            Place::Missing(new) => Member::New {
                new: new.map_err(refused)?,
                size: size.unwrap_or_default(),
            },
        };
        members.push(member);
    }
    Ok(Allowed::Members { members, fill })
}

/// What would have to be written where nothing may be.
fn refuse_read_only(
    target: &Target,
    missing: &Option<String>,
    options: &RunOptions,
) -> Result<(), RigError> {
    if !options.read_only && !options.read_only_targets.contains(&target.name) {
        return Ok(());
    }
    let why = missing.clone();
    Err(RigError::ReadOnly {
        target: target.name.clone(),
        why: why.unwrap_or_else(|| "the plan writes to it".into()),
    })
}

/// One file that is joined with itself, be it by two names, would be written in two places at once.
fn refuse_twice(places: &[Place]) -> Result<(), RigError> {
    let is_same = |one: &Place, other: &Place| match (one, other) {
        (Place::There(one), Place::There(other)) => one.identity() == other.identity(),
        (Place::Missing(Ok(one)), Place::Missing(Ok(other))) => one.is_same(other),
        _ => false,
    };
    for (at, place) in places.iter().enumerate() {
        if places[..at].iter().any(|earlier| is_same(earlier, place)) {
            let path = match place {
                Place::There(held) => held.path(),
                Place::Missing(Ok(new)) => new.path(),
                Place::Missing(Err(refusal)) => &refusal.path,
            };
            return Err(refused(Refusal {
                path: path.to_path_buf(),
                why: "it is joined with itself in one target".to_string(),
                remedy: "name each file and device once".to_string(),
            }));
        }
    }
    Ok(())
}

/// What of the target was never written, in words.
fn complaint(target: &Target, places: &[Place]) -> Result<Option<String>, RigError> {
    let there: Vec<&PathHandle> = places
        .iter()
        .filter_map(|place| match place {
            Place::There(held) => Some(held),
            Place::Missing(_) => None,
        })
        .collect();
    let mut begins = 0;
    let used = target.offset.0
        ..target
            .size
            .map_or(u64::MAX, |size| target.offset.0.saturating_add(size.0));
    for held in there {
        let failed = |source| RigError::Prepare {
            path: held.path().display().to_string(),
            source,
        };
        let size = coverage::size_of(held).map_err(failed)?;
        let range = part(&used, begins, size);
        begins += size;
        if range.is_empty() {
            continue;
        }
        let found: Coverage = coverage::find_unwritten(held, range).map_err(failed)?;
        if let Some(why) = found.complaint() {
            return Ok(Some(match places.len() {
                1 => why,
                _ => format!("{}: {why}", held.path().display()),
            }));
        }
    }
    Ok(None)
}

/// The part of `used` that lies in a member of `size` bytes that begins at `begins`, from the member's start.
fn part(used: &Range<u64>, begins: u64, size: u64) -> Range<u64> {
    let end = begins + size;
    let within = used.start.clamp(begins, end)..used.end.clamp(begins, end);
    within.start - begins..within.end - begins
}

fn judge_export(
    target: &Target,
    volume: &NbdTarget,
    used: Use,
    look: bool,
    options: &RunOptions,
) -> Result<Allowed, RigError> {
    let missing = match look {
        true => coverage::export::complaint(volume, target.offset.0, target.size.map(|s| s.0))?,
        false => None,
    };
    if !used.writes && missing.is_none() {
        return Ok(Allowed::Reading(Vec::new()));
    }
    if options.read_only_targets.contains(&target.name) {
        refuse_read_only(target, &missing, options)?;
    }
    let permit = export::permit(volume, &options.destroy).map_err(|refusal| match &missing {
        Some(why) if !used.writes => unreadable(refusal, why),
        _ => refused(refusal),
    })?;
    if let Some(why) = &missing {
        may_fill(volume.paths[0].to_string(), permit.ground(), why, options)?;
    }
    Ok(Allowed::Export {
        permit: Permits::Export(permit),
        fill: missing.is_some(),
    })
}

/// A blank disk isn't filled unasked.
fn may_fill(name: String, ground: Ground, why: &str, options: &RunOptions) -> Result<(), RigError> {
    if ground != Ground::Blank || options.fill {
        return Ok(());
    }
    Err(refused(Refusal {
        path: name.into(),
        why: format!("reads would not reach the storage: {why}"),
        remedy: "add --fill to have Plimsoll write data to all of it first, or --allow-unwritten to measure it as it is"
            .to_string(),
    }))
}

/// What must be filled before it's read, and may not be written.
fn unreadable(refusal: Refusal, why: &str) -> RigError {
    refused(Refusal {
        why: format!("reads would not reach the storage: {why}"),
        remedy: format!(
            "add --allow-unwritten to measure it as it is; or, have it filled with other data first, but {}: {}",
            refusal.why, refusal.remedy
        ),
        path: refusal.path,
    })
}

fn refused(refusal: Refusal) -> RigError {
    RigError::Refused(refusal.to_string())
}

impl Allowed {
    fn reading(places: impl IntoIterator<Item = Place>) -> Allowed {
        let held = places.into_iter().filter_map(|place| match place {
            Place::There(held) => Some(held),
            Place::Missing(_) => None,
        });
        Allowed::Reading(held.collect())
    }
}

impl Access {
    /// Opens the targets to another program as far as the plan uses them: to be written, or just asked. An error where a file
    /// that the plan writes is not there.
    pub fn open_to(&self, uses: &[Use], wall: &mut Wall) -> Result<(), RigError> {
        for (allowed, used) in self.targets.iter().zip(uses) {
            match allowed {
                Allowed::Unused | Allowed::Export { .. } => {}
                Allowed::Reading(held) => {
                    for held in held {
                        enclosure::open_target(wall, held, held.is_device(), false)?;
                    }
                }
                Allowed::Members { members, .. } => {
                    for member in members {
                        let held = member.held()?;
                        enclosure::open_target(wall, held, held.is_device(), used.writes)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Marks what is there and will be written by another program, as far as the plan writes to it: what it only reads stays as it is.
    pub fn begin(&self, hint: &str, uses: &[Use]) -> Result<(), RigError> {
        let members = (self.targets.iter().zip(uses)).flat_map(|(allowed, used)| match allowed {
            Allowed::Members { members, .. } if used.writes => &members[..],
            _ => &[],
        });
        for member in members {
            if let Member::There { permit, .. } = member {
                permit.begin(hint).map_err(|source| RigError::Prepare {
                    path: permit.path().display().to_string(),
                    source,
                })?;
            }
        }
        Ok(())
    }

    /// Makes and lengthens files.
    pub fn make_ready(self) -> Result<Ready, RigError> {
        let mut ready = Ready {
            permits: Vec::new(),
            to_fill: Vec::new(),
            created: Vec::new(),
            extended: Vec::new(),
        };
        for (index, allowed) in self.targets.into_iter().enumerate() {
            let (permits, fill) = match allowed {
                Allowed::Unused | Allowed::Reading(_) => (Permits::ReadOnly, false),
                Allowed::Export { permit, fill } => (permit, fill),
                Allowed::Members { members, fill } => {
                    let permits: Result<Vec<_>, _> = members
                        .into_iter()
                        .map(|member| ready.member(member))
                        .collect();
                    (Permits::Members(permits?), fill)
                }
            };
            ready.permits.push(permits);
            if fill {
                ready.to_fill.push(TargetId(index as u32));
            }
        }
        Ok(ready)
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        // The last one first: each knows how long its file was before it.
        while let Some(last) = self.extended.pop() {
            drop(last);
        }
    }
}

impl Ready {
    fn member(&mut self, member: Member) -> Result<WritePermit, RigError> {
        let failed = |path: &std::path::Path| {
            let path = path.display().to_string();
            move |source| RigError::Prepare { path, source }
        };
        match member {
            Member::There { permit, extend_to } => {
                if let Some(size) = extend_to {
                    let extended = permit.extend(size).map_err(failed(permit.path()))?;
                    self.extended.push(extended);
                }
                Ok(*permit)
            }
            Member::New { new, size } => {
                let path = new.path().to_path_buf();
                // Another target may be a part of the same file.
                let at = match self.created.iter().position(|made| made.is(&new)) {
                    Some(at) => at,
                    None => {
                        self.created.push(new.create().map_err(failed(&path))?);
                        self.created.len() - 1
                    }
                };
                let made = &mut self.created[at];
                made.grow(size).map_err(failed(&path))?;
                made.permit(&path).map_err(failed(&path))
            }
        }
    }

    /// Lets the files stay; says what was made. Those of `leaving` stay as long as what is given back.
    pub fn keep(
        mut self,
        leaving: &[PathBuf],
        mut made: impl FnMut(String),
    ) -> Result<Vec<Created>, RigError> {
        let mut kept = Vec::new();
        for created in std::mem::take(&mut self.created) {
            let leaves = leaving.iter().any(|path| path == created.path());
            let path = created.path().display().to_string();
            let until = if leaves {
                ", until the run is over"
            } else {
                ""
            };
            made(format!("made {path} ({}){until}", Bytes(created.size())));
            let failed = |source| RigError::Prepare { path, source };
            match leaves {
                true => {
                    created.keep_meanwhile().map_err(failed)?;
                    kept.push(created);
                }
                false => created.keep().map_err(failed)?,
            }
        }
        for extended in std::mem::take(&mut self.extended) {
            let path = extended.path().display().to_string();
            made(format!("made {path} longer ({})", Bytes(extended.size())));
            extended.keep();
        }
        Ok(kept)
    }
}

/// A name that means nothing here is a slip of the pen, and what it was to allow would be refused later or, worse, be
/// another target.
pub(crate) fn check_destroy_names(plan: &Plan, options: &RunOptions) -> Result<(), RigError> {
    match options.destroy.iter().find(|given| !is_meant(plan, given)) {
        None => Ok(()),
        Some(given) => Err(RigError::Refused(format!(
            "{} names no target of this plan; `plimsoll plan` prints the name of each",
            destroy_flag(given)
        ))),
    }
}

/// Whether a name of `--destroy` means a target of the plan.
pub(crate) fn is_meant(plan: &Plan, given: &str) -> bool {
    plan.targets.iter().any(|target| {
        let paths = target.location.paths();
        let is_volume = match &target.location {
            Location::Nbd(volume) => export::is_meant(given, volume),
            _ => false,
        };
        is_volume
            || *given == target.location.text()
            || paths
                .iter()
                .any(|path| plimsoll_permit::target::is_meant(given, path))
    })
}

#[cfg(test)]
mod tests {
    use super::{Allowed, Use, judge, part};
    use crate::RunOptions;
    use plimsoll_permit::target::is_marked;
    use plimsoll_plan::{Item, TargetId};

    #[test]
    fn a_path_of_a_target_is_neither_filled_nor_written_whatever_is_asked_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lun");
        let file = std::fs::File::create(&path).expect("a file");
        file.set_len(1 << 20).expect("a hole");
        drop(file);
        let mut plan = crate::ways_down::tests::plan(path.to_str().expect("a name"));
        plan.targets.push(plan.targets[0].clone());
        let Item::Method(method) = &mut plan.items[0] else {
            panic!("a method")
        };
        method.take_paths(vec![TargetId(1)]);
        let (reads, destroy) = (true, vec![path.display().to_string()]);
        for writes in [false, true] {
            let options = RunOptions {
                fill: true,
                destroy: destroy.clone(),
                ..RunOptions::default()
            };
            let access = judge(&plan, &[Use { reads, writes }; 2], &options).expect("allowed");
            assert!(matches!(
                access.targets[0],
                Allowed::Members { fill: true, .. }
            ));
            assert!(matches!(access.targets[1], Allowed::Reading(_)));
        }
    }

    #[test]
    fn what_another_program_only_reads_gets_no_mark() {
        let folder = tempfile::tempdir().expect("a folder");
        for writes in [false, true] {
            let path = folder.path().join(format!("{writes}"));
            let file = std::fs::File::create(&path).expect("a file");
            file.set_len(1 << 20).expect("a hole");
            drop(file);
            let plan = crate::ways_down::tests::plan(path.to_str().expect("a name"));
            let uses = [Use {
                reads: true,
                writes,
            }];
            let access = judge(&plan, &uses, &RunOptions::default()).expect("allowed");
            assert!(matches!(access.targets[0], Allowed::Members { .. }));
            access.begin("", &uses).expect("begun");
            let file = std::fs::File::open(&path).expect("a file");
            if writes && !is_marked(&file) {
                plimsoll_skipped::skipped!(
                    "the temporary folder's file system keeps no user attributes"
                );
                return;
            }
            assert_eq!(is_marked(&file), writes);
        }
    }

    #[test]
    fn a_member_has_the_part_of_the_range_that_lies_in_it() {
        let used = 100..250;
        assert_eq!(part(&used, 0, 100), 100..100);
        assert_eq!(part(&used, 0, 150), 100..150);
        assert_eq!(part(&used, 150, 150), 0..100);
        assert_eq!(part(&used, 300, 50), 0..0);
        assert_eq!(part(&(0..u64::MAX), 300, 50), 0..50);
    }
}
