//! How much the files of a file system come to, and that no more of it is asked for.

use super::codes;
use super::definition::Definition;
use super::model::{FileSystem, FileWorkload, LoopKey, LoopValue, RunDefinition};
use super::report::{Report, Stop};
use plimsoll_diagnostic::{Diagnostic, Span};

/// The most files that Vdbench keeps of one anchor.
const MOST_FILES: u64 = 128 << 20;

/// Checks the file systems of a run, with these loop values.
pub(crate) fn check(
    definition: &Definition,
    run: &RunDefinition,
    workloads: &[Option<usize>],
    loops: &[(LoopKey, LoopValue)],
    report: &mut Report,
) -> Result<(), Stop> {
    for workload in workloads.iter().map(|at| definition.file_workload(*at)) {
        let references = run.file_systems.as_ref().unwrap_or(&workload.file_systems);
        let pairs = references.len() * definition.file_systems.len();
        report.charge(pairs as u64 / 16 + 1, run.span)?;
        // What each of several hosts uses is a part, as Vdbench divides it.
        if definition.host_count(&workload.hosts) > 1 {
            continue;
        }
        let used = |f: &&FileSystem| references.iter().any(|r| r.matches(&f.name));
        for file_system in definition.file_systems.iter().filter(used) {
            if let Some(diagnostic) = FileSystemRun::of(run, file_system, loops).problem(workload) {
                report.add(diagnostic);
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What a run asks of one file system.
struct FileSystemRun<'a> {
    run: &'a RunDefinition,
    file_system: &'a FileSystem,
    files: u64,
    /// The largest that all files together can be, bytes.
    bytes: u64,
    total: Option<f64>,
    /// A part of a total that the file system doesn't have is asked for.
    part_of_nothing: bool,
    working_set: Option<f64>,
}

impl<'a> FileSystemRun<'a> {
    fn of(
        run: &'a RunDefinition,
        file_system: &'a FileSystem,
        loops: &[(LoopKey, LoopValue)],
    ) -> Self {
        let looped = |key: LoopKey| {
            let value = loops.iter().find(|(k, _)| *k == key);
            value.map(|(_, value)| value.number())
        };
        let whole = |key: LoopKey, own: u64| looped(key).map_or(own, |v| v as u64);
        let files = file_count(
            whole(LoopKey::Depth, file_system.depth),
            whole(LoopKey::Width, file_system.width),
            whole(LoopKey::Files, file_system.files),
            file_system.files_everywhere,
        );
        // Where sizes are mixed, which file gets which is Vdbench's own random order.
        let largest = file_system.sizes.iter().map(|(size, _)| *size).max();
        let size = whole(LoopKey::FileSizes, largest.unwrap_or(0));
        let own_total = file_system.total_size.map(|t| t as f64);
        let total = match looped(LoopKey::TotalSize) {
            None | Some(0.0) => own_total,
            Some(percent) if percent < 0.0 => own_total.map(|t| t * -percent / 100.0),
            given => given,
        };
        FileSystemRun {
            run,
            file_system,
            files,
            bytes: files.saturating_mul(size),
            total,
            part_of_nothing: own_total.is_none()
                && looped(LoopKey::TotalSize).is_some_and(|t| t < 0.0),
            working_set: looped(LoopKey::WorkingSet).or(file_system.working_set.map(|w| w as f64)),
        }
    }

    fn problem(&self, workload: &FileWorkload) -> Option<Diagnostic> {
        let name = &self.file_system.name;
        let bytes = self.bytes as f64;
        if self.files > MOST_FILES {
            return Some(
                Diagnostic::error(
                    codes::TOO_LARGE,
                    format!("fsd={name} would have {} files", self.files),
                )
                .at(self.file_system.span, format!("the limit is {MOST_FILES}")),
            );
        }
        if self.part_of_nothing {
            return Some(
                Diagnostic::error(
                    codes::REQUIRED,
                    format!("fsd={name} has no totalsize to take a percentage of"),
                )
                .at(self.place("totalsize"), "a part of what?")
                .help("add totalsize= to the fsd"),
            );
        }
        let too_much = |what: &str, asked: f64, of: &str, there: f64, span: Span| {
            Some(
                Diagnostic::error(
                    codes::VALUE,
                    format!("fsd={name}: {what} asks for {asked} bytes, but {of} {there}"),
                )
                .at(span, "more than there is")
                .at(workload.span, "for this workload"),
            )
        };
        match (self.total, self.working_set) {
            (Some(total), _) if total > bytes => too_much(
                "totalsize",
                total,
                "its files come to",
                bytes,
                self.place("totalsize"),
            ),
            (_, Some(set)) if set > bytes => too_much(
                "workingsetsize",
                set,
                "its files come to",
                bytes,
                self.place("wss"),
            ),
            (Some(total), Some(set)) if total > 0.0 && set > total => too_much(
                "workingsetsize",
                set,
                "totalsize is",
                total,
                self.place("wss"),
            ),
            _ => None,
        }
    }

    /// Where an amount was asked for: in the run, else in the file system.
    fn place(&self, name: &str) -> Span {
        let names = match name {
            "wss" => &["wss", "forwss", "workingsetsize", "forworkingsetsize"][..],
            _ => &["totalsize", "fortotalsize"][..],
        };
        let origins = [&self.run.origins, &self.file_system.origins];
        let mut places = origins
            .into_iter()
            .flat_map(|o| names.iter().filter_map(|n| o.of(n)));
        places.next().unwrap_or(self.file_system.span)
    }
}

/// Files of a tree: of its lowest directories, or of all.
fn file_count(depth: u64, width: u64, files: u64, everywhere: bool) -> u64 {
    let level = |n: u64| width.saturating_pow(n.min(64) as u32);
    let directories = match everywhere {
        false => level(depth),
        true => (1..=depth.min(64)).fold(0u64, |sum, n| sum.saturating_add(level(n))),
    };
    directories.saturating_mul(files)
}

#[cfg(test)]
mod tests {
    use super::file_count;

    #[test]
    fn files_are_in_the_lowest_directories_or_in_all() {
        assert_eq!(file_count(1, 2, 10, false), 20);
        assert_eq!(file_count(2, 3, 10, false), 90);
        assert_eq!(file_count(2, 3, 10, true), 120);
        assert_eq!(file_count(1_000_000, 9, 1_000, true), u64::MAX);
    }
}
