//! What each target has to have: leave to be written, more length, a fill.

use crate::allowed::{Access, Allowed, Member, refused};
use crate::coverage::{self, Coverage};
use crate::files::{Joined, Room};
use crate::uses::{Use, first_in_turn, use_in_turn, written_first};
use crate::{RigError, RunOptions, marks, trees};
use plimsoll_engine::Permits;
use plimsoll_engine::export;
use plimsoll_permit::target::{FoundPath, Ground, assess, look_up, no_folder};
use plimsoll_permit::{PathHandle, Refusal};
use plimsoll_plan::validate::Problem;
use plimsoll_plan::{Location, NbdTarget, Plan, Target, TargetId};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

/// Judges every target of the plan. Looks only: nothing is made, and nothing is changed.
pub(crate) fn judge(plan: &Plan, uses: &[Use], options: &RunOptions) -> Result<Access, RigError> {
    if !options.read_only {
        refuse_missing_folders(plan, uses)?;
    }
    let mut room = Room::default();
    let mut targets: Vec<Allowed> = Vec::new();
    for (id, (target, used)) in (0..).map(TargetId).zip(plan.targets.iter().zip(uses)) {
        let fills_itself = written_first(plan, id);
        let look = used.reads && !fills_itself && !options.allow_unwritten && !target.as_made;
        targets.push(match &target.location {
            _ if *used == Use::default() => Allowed::Unused,
            // Whatever its steps ask for: nothing is written over one path of a target.
            _ if plan.is_path(id) => {
                let found = target.location.paths().iter().map(|path| look_up(path));
                Allowed::reading(found.flatten())
            }
            Location::Nbd(volume) => judge_export(target, volume, *used, look, options)?,
            Location::Tree(tree) => {
                let first = first_in_turn(plan, uses, id);
                match targets.get(first.0 as usize) {
                    Some(judged) => trees::judge_turn(plan, id, tree, (first, judged), &mut room)?,
                    None => {
                        let used = use_in_turn(plan, uses, id);
                        trees::judge(plan, id, tree, used, options, &mut room)?
                    }
                }
            }
            _ => judge_members(target, *used, look, options, &mut room)
                .map_err(|error| placed(error, plan, target))?,
        });
    }
    room.check()?;
    Ok(Access { targets })
}

/// A missing size in the words of the file that lacks it, and with its place.
fn placed(error: RigError, plan: &Plan, target: &Target) -> RigError {
    match error {
        RigError::NoSize { path } if ["fio", "vdbench"].contains(&plan.dialect.as_str()) => {
            RigError::Plan(vec![Problem {
                message: format!(
                    "{path} does not exist, and no size= says how large it is to be made"
                ),
                remedy: "give it one, as size=10g; or check the name".into(),
                span: target.origins.of("path"),
            }])
        }
        error => error,
    }
}

/// Names all folders at once that the files of a plan are to be in and that are not there.
fn refuse_missing_folders(plan: &Plan, uses: &[Use]) -> Result<(), RigError> {
    let used = plan.targets.iter().zip(uses).enumerate();
    let used = used
        .filter(|(at, (_, used))| **used != Use::default() && !plan.is_path(TargetId(*at as u32)));
    let (mut first, mut missing): (Option<&Path>, Vec<&Path>) = (None, Vec::new());
    for path in used.flat_map(|(_, (target, _))| target.location.paths()) {
        let is_missing = |folder: &&Path| {
            let looked = folder.metadata();
            looked.is_err_and(|error| error.kind() == ErrorKind::NotFound)
        };
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        let Some(folder) = folder.filter(is_missing) else {
            continue;
        };
        first = first.or(Some(path));
        if !missing.contains(&folder) {
            missing.push(folder);
        }
    }
    match first {
        Some(path) => Err(refused(no_folder(path, &missing))),
        None => Ok(()),
    }
}

/// What nobody wrote of the targets that are read and not filled, in words: it was allowed, and the result is of that.
pub(crate) fn unwritten(
    plan: &Plan,
    uses: &[Use],
    to_fill: &[TargetId],
) -> Result<Vec<(TargetId, String)>, RigError> {
    let mut said = Vec::new();
    for (index, (target, used)) in plan.targets.iter().zip(uses).enumerate() {
        let id = TargetId(index as u32);
        if !used.reads || written_first(plan, id) || plan.is_path(id) || to_fill.contains(&id) {
            continue;
        }
        let places = target.location.paths().iter().map(|path| look_up(path));
        let places = places.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        said.extend(complaint(target, &places)?.map(|why| (id, why)));
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
            FoundPath::There(held) => {
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
            FoundPath::Missing(new) => Member::New {
                new: new.map_err(refused)?,
                size: size.unwrap_or_default(),
            },
        };
        members.push(member);
    }
    Ok(Allowed::Members { members, fill })
}

/// Refuses a target that would have to be written where nothing may be.
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
fn refuse_twice(places: &[FoundPath]) -> Result<(), RigError> {
    let is_same = |one: &FoundPath, other: &FoundPath| match (one, other) {
        (FoundPath::There(one), FoundPath::There(other)) => one.identity() == other.identity(),
        (FoundPath::Missing(Ok(one)), FoundPath::Missing(Ok(other))) => one.is_same(other),
        _ => false,
    };
    for (at, place) in places.iter().enumerate() {
        if places[..at].iter().any(|earlier| is_same(earlier, place)) {
            let path = match place {
                FoundPath::There(held) => held.path(),
                FoundPath::Missing(Ok(new)) => new.path(),
                FoundPath::Missing(Err(refusal)) => &refusal.path,
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

/// Part of the target that was never written, in words; `None` where all was.
fn complaint(target: &Target, places: &[FoundPath]) -> Result<Option<String>, RigError> {
    let there: Vec<&PathHandle> = places
        .iter()
        .filter_map(|place| match place {
            FoundPath::There(held) => Some(held),
            FoundPath::Missing(_) => None,
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

/// Refusal of a target that must be filled before it's read, and may not be written.
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

#[cfg(test)]
mod tests {
    use super::{judge, part};
    use crate::RunOptions;
    use crate::allowed::Allowed;
    use crate::uses::Use;
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
