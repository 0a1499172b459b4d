//! How long the files of a target must be, and whether there is room for them.

use crate::{RigError, coverage};
use plimsoll_permit::PathHandle;
use plimsoll_permit::target::FoundPath;
use plimsoll_plan::Target;
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The parts of a file that are made for a joined target have whole blocks of every device, bytes.
const PART_BYTES: u64 = 1 << 20;
/// And of this where they are smaller.
const SMALL_PART_BYTES: u64 = 4096;

/// Lengths that the files of a target are to have.
#[derive(Debug)]
pub(crate) struct Joined {
    /// In the order of the target's paths; `None`: it stays as long as it is.
    pub sizes: Vec<Option<u64>>,
    /// True where a file becomes longer, or is made.
    pub grows: bool,
    /// (file, bytes that it will take more).
    needs: Vec<(PathBuf, u64)>,
}

impl Joined {
    /// Deals the bytes that are missing to the target's size evenly to the files that aren't there yet; where all are there, the last one
    /// becomes longer.
    pub fn new(target: &Target, places: &[FoundPath]) -> Result<Self, RigError> {
        let paths = target.location.paths();
        let mut lengths = Vec::new();
        for place in places {
            lengths.push(match place {
                FoundPath::There(held) => Some(length(held)?),
                FoundPath::Missing(_) => None,
            });
        }
        let wanted = target.size.map(|s| s.0.saturating_add(target.offset.0));
        if let (Some(wanted), Some(width)) = (wanted, target.stripe_width()) {
            return Joined::striped(target, places, &lengths, wanted.div_ceil(width.0.max(1)));
        }
        let there: u64 = lengths.iter().flatten().sum();
        let missing = lengths.iter().filter(|l| l.is_none()).count() as u64;
        let mut joined = Joined {
            sizes: vec![None; places.len()],
            grows: false,
            needs: Vec::new(),
        };
        if missing == 0 {
            if let (Some(wanted), Some(FoundPath::There(last))) = (wanted, places.last())
                && wanted > there
                && !last.is_device()
            {
                let own = lengths.last().copied().flatten().unwrap_or_default();
                joined.grow(
                    places.len() - 1,
                    &paths[paths.len() - 1],
                    own,
                    own + wanted - there,
                );
            }
            return Ok(joined);
        }
        let first = lengths.iter().position(Option::is_none).unwrap_or_default();
        let named = |path: &Path| path.display().to_string();
        if let FoundPath::Missing(Err(refusal)) = &places[first] {
            return Err(RigError::Refused(refusal.to_string()));
        }
        let Some(wanted) = wanted else {
            return Err(RigError::NoSize {
                path: named(&paths[first]),
            });
        };
        let mut rest = wanted.saturating_sub(there);
        let mut parts = missing;
        for (index, path) in paths.iter().enumerate() {
            if lengths[index].is_some() {
                continue;
            }
            let part = match parts {
                1 => rest,
                // Small ones get their part as well.
                _ if rest / parts < PART_BYTES => {
                    (rest / parts).next_multiple_of(SMALL_PART_BYTES).min(rest)
                }
                _ => (rest / parts).next_multiple_of(PART_BYTES).min(rest),
            };
            if part == 0 {
                return Err(RigError::NothingLeft { path: named(path) });
            }
            (rest, parts) = (rest - part, parts - 1);
            joined.grow(index, path, 0, part);
        }
        Ok(joined)
    }

    /// So many rows of a stripe: each file has its unit of every row.
    fn striped(
        target: &Target,
        places: &[FoundPath],
        lengths: &[Option<u64>],
        rows: u64,
    ) -> Result<Self, RigError> {
        let mut joined = Joined {
            sizes: vec![None; places.len()],
            grows: false,
            needs: Vec::new(),
        };
        let column = rows.saturating_mul(target.stripe.map_or(0, |unit| unit.0));
        for (index, place) in places.iter().enumerate() {
            let own = lengths[index].unwrap_or(0);
            match place {
                FoundPath::Missing(Err(refusal)) => {
                    return Err(RigError::Refused(refusal.to_string()));
                }
                FoundPath::There(held) if held.is_device() => {}
                _ if own < column => {
                    joined.grow(index, &target.location.paths()[index], own, column);
                }
                _ => {}
            }
        }
        Ok(joined)
    }

    fn grow(&mut self, index: usize, path: &Path, from: u64, to: u64) {
        self.sizes[index] = Some(to);
        self.grows = true;
        self.needs.push((path.to_path_buf(), to - from));
    }

    /// Adds what it needs.
    pub fn need(&self, room: &mut Room) -> Result<(), RigError> {
        let mut needs = self.needs.iter();
        needs.try_for_each(|(path, bytes)| room.need(path, [*bytes, 0]))
    }
}

fn length(held: &PathHandle) -> Result<u64, RigError> {
    coverage::size_of(held).map_err(|source| RigError::Prepare {
        path: held.path().display().to_string(),
        source,
    })
}

/// Bytes and inodes that all files and trees that are made will take, by file system.
#[derive(Debug, Default)]
pub(crate) struct Room(HashMap<u64, Needed>);

#[derive(Debug)]
struct Needed {
    /// By file or tree: targets may be parts of one.
    by_path: HashMap<PathBuf, [u64; 2]>,
    free: [u64; 2],
}

impl Room {
    /// Adds what a file or a tree needs, where it lies: its root may be missing.
    pub fn need(&mut self, path: &Path, need: [u64; 2]) -> Result<(), RigError> {
        let failed = |source| RigError::Prepare {
            path: path.display().to_string(),
            source,
        };
        let real = real_path(path);
        let folder = real.ancestors().find(|folder| folder.is_dir());
        let folder = folder.unwrap_or(&real);
        let of = std::fs::metadata(folder).map_err(failed)?.dev();
        let stat = rustix::fs::statvfs(folder).map_err(|e| failed(e.into()))?;
        // A file system that does not count blocks, or inodes, says 0.
        let free = |all, free| if all == 0 { u64::MAX } else { free };
        let needed = self.0.entry(of).or_insert(Needed {
            by_path: HashMap::new(),
            free: [
                free(stat.f_blocks, stat.f_bavail.saturating_mul(stat.f_frsize)),
                free(stat.f_files, stat.f_favail),
            ],
        });
        let own = needed.by_path.entry(real.clone()).or_default();
        *own = [own[0].max(need[0]), own[1].max(need[1])];
        Ok(())
    }

    /// An error where a file system has too little left.
    pub fn check(&self) -> Result<(), RigError> {
        for (at, unit) in ["bytes", "inodes"].into_iter().enumerate() {
            let each = |n: &Needed| n.by_path.values().map(|need| need[at]).collect::<Vec<_>>();
            let total = |n: &Needed| each(n).into_iter().fold(0, u64::saturating_add);
            let Some(short) = self.0.values().find(|n| total(n) > n.free[at]) else {
                continue;
            };
            let largest = short.by_path.iter().max_by_key(|(_, need)| need[at]);
            let path = largest.map_or_else(String::new, |(path, _)| path.display().to_string());
            let others = each(short).iter().filter(|need| **need > 0).count() - 1;
            return Err(RigError::NoSpace {
                path: match others {
                    0 => path,
                    others => format!("{path}, with {others} more on its file system,"),
                },
                needed: total(short),
                unit,
                free: short.free[at],
            });
        }
        Ok(())
    }
}

/// Path without links, as far as it exists.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let found = path
        .ancestors()
        .find_map(|above| Some((above, above.canonicalize().ok()?)));
    match found.map(|(above, real)| path.strip_prefix(above).map(|rest| real.join(rest))) {
        Some(Ok(real)) => real,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_permit::target::look_up;
    use plimsoll_plan::{Bytes, Location};

    const MIB: u64 = 1 << 20;

    fn sizes(files: &[Option<u64>], size: u64) -> Result<Vec<Option<u64>>, RigError> {
        sizes_of(files, size, None)
    }

    fn sizes_of(
        files: &[Option<u64>],
        size: u64,
        stripe: Option<u64>,
    ) -> Result<Vec<Option<u64>>, RigError> {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..files.len())
            .map(|n| folder.path().join(n.to_string()))
            .collect();
        for (path, length) in paths.iter().zip(files) {
            if let Some(length) = length {
                std::fs::File::create(path)
                    .unwrap()
                    .set_len(*length)
                    .unwrap();
            }
        }
        let places: Vec<FoundPath> = paths.iter().map(|path| look_up(path).unwrap()).collect();
        let target = Target {
            size: Some(Bytes(size)),
            stripe: stripe.map(Bytes),
            ..Target::new("t", Location::Concat(paths))
        };
        Joined::new(&target, &places).map(|joined| joined.sizes)
    }

    #[test]
    fn every_file_of_a_stripe_has_its_unit_of_every_row() {
        let mib = |n: u64| Some(n * MIB);
        let sizes = |files: &[Option<u64>], size| sizes_of(files, size, Some(MIB)).unwrap();
        assert_eq!(sizes(&[None, None], 8 * MIB), [mib(4), mib(4)]);
        // The last row is whole.
        assert_eq!(sizes(&[None, None, None], 7 * MIB), [mib(3); 3]);
        assert_eq!(sizes(&[mib(2), None], 8 * MIB), [mib(4), mib(4)]);
        assert_eq!(sizes(&[mib(4), mib(9)], 8 * MIB), [None, None]);
    }

    #[test]
    fn all_that_is_made_on_a_file_system_shares_its_room_and_parts_of_one_file_need_it_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut room = Room::default();
        let at = |name: &str| folder.path().join(name);
        room.need(&at("file"), [1, 0]).unwrap();
        let [bytes, _] = room.0.values().next().unwrap().free;
        // Some file systems count no inodes.
        room.0.values_mut().for_each(|needed| needed.free[1] = 9);
        room.need(&at("file"), [bytes, 0]).unwrap();
        room.need(&at("./file"), [bytes / 2, 0]).unwrap();
        room.need(&at("tree"), [0, 5]).unwrap();
        room.need(&at("missing/tree"), [0, 4]).unwrap();
        assert!(room.check().is_ok());
        let short = |room: &Room| room.check().unwrap_err().to_string();
        room.need(&at("tree"), [0, 6]).unwrap();
        let said = short(&room);
        assert!(
            said.contains("tree, with 1 more on its file system, needs 10 inodes"),
            "{said}"
        );
        room.need(&at("other"), [1, 0]).unwrap();
        assert!(short(&room).contains(" bytes and its"));
    }

    #[test]
    fn files_that_are_missing_share_what_is_missing_and_the_last_of_those_there_grows() {
        let mib = |n: u64| Some(n * MIB);
        assert_eq!(sizes(&[None, None], 8 * MIB).unwrap(), [mib(4), mib(4)]);
        assert_eq!(sizes(&[None, None], 7 * MIB).unwrap(), [mib(4), mib(3)]);
        assert_eq!(sizes(&[mib(2), None], 8 * MIB).unwrap(), [None, mib(6)]);
        assert_eq!(
            sizes(&[None, mib(2), None], 8 * MIB).unwrap(),
            [mib(3), None, mib(3)]
        );
        assert_eq!(sizes(&[mib(2), mib(2)], 8 * MIB).unwrap(), [None, mib(6)]);
        assert_eq!(sizes(&[mib(4), mib(4)], 8 * MIB).unwrap(), [None, None]);
        assert_eq!(sizes(&[mib(4), mib(9)], 8 * MIB).unwrap(), [None, None]);
        assert!(matches!(
            sizes(&[mib(8), None], 8 * MIB),
            Err(RigError::NothingLeft { .. })
        ));
    }
}
