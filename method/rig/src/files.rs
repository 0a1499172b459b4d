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

/// How long each file of a target is to become.
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
    /// What is missing to the target's size is dealt evenly to the files that aren't there yet; where all are there, the
    /// last one becomes longer.
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
        self.needs
            .iter()
            .try_for_each(|(path, bytes)| room.need(path, *bytes))
    }
}

fn length(held: &PathHandle) -> Result<u64, RigError> {
    coverage::size_of(held).map_err(|source| RigError::Prepare {
        path: held.path().display().to_string(),
        source,
    })
}

/// Room that all files that are made will take, by file system.
#[derive(Debug, Default)]
pub(crate) struct Room(HashMap<u64, Needed>);

#[derive(Debug)]
struct Needed {
    /// By file: targets may be parts of one.
    files: HashMap<PathBuf, u64>,
    free: u64,
}

impl Room {
    fn need(&mut self, path: &Path, bytes: u64) -> Result<(), RigError> {
        let folder = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let failed = |source| RigError::Prepare {
            path: path.display().to_string(),
            source,
        };
        let of = std::fs::metadata(folder).map_err(failed)?.dev();
        let file = folder
            .canonicalize()
            .map_err(failed)?
            .join(path.file_name().unwrap_or_default());
        let stat = rustix::fs::statvfs(folder).map_err(|e| failed(e.into()))?;
        let needed = self.0.entry(of).or_insert(Needed {
            files: HashMap::new(),
            free: stat.f_bavail.saturating_mul(stat.f_frsize),
        });
        let own = needed.files.entry(file).or_default();
        *own = bytes.max(*own);
        Ok(())
    }

    /// An error where a file system has too little left.
    pub fn check(&self) -> Result<(), RigError> {
        let total = |needed: &Needed| {
            needed
                .files
                .values()
                .fold(0, |a: u64, b| a.saturating_add(*b))
        };
        let Some(short) = self.0.values().find(|n| total(n) > n.free) else {
            return Ok(());
        };
        let largest = short.files.iter().max_by_key(|(_, bytes)| **bytes);
        Err(RigError::NoSpace {
            path: largest.map_or_else(String::new, |(path, _)| path.display().to_string()),
            needed: total(short),
            free: short.free,
        })
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
    fn parts_of_one_file_need_its_room_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut room = Room::default();
        room.need(&folder.path().join("file"), 1).unwrap();
        let free = room.0.values().next().unwrap().free;
        room.need(&folder.path().join("file"), free).unwrap();
        room.need(&folder.path().join("./file"), free / 2).unwrap();
        assert!(room.check().is_ok());
        room.need(&folder.path().join("other"), 1).unwrap();
        assert!(matches!(room.check(), Err(RigError::NoSpace { .. })));
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
