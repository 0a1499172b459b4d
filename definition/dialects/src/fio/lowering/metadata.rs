//! Jobs on names: `ioengine=filecreate`, `filestat`, `filedelete`, and the same of directories.
//!
//! fio reads or writes nothing there: opening a file is the operation, and the I/Os of its size that follow are none. Here each clone goes
//! through a tree whose names are fio's.

use super::files::{self, Extent};
use super::pattern::{self, Access};
use super::rates::{self, Pace};
use super::stream::{self, Made};
use super::targets::{Targets, Wanted};
use super::{Complaints, ends, names, refused, sizes, warn_differs, without_effect};
use crate::fio::engine::Engine;
use crate::fio::options::Effect;
use crate::fio::settings::Assigned;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::tree::TREE_FILES_MAX;
use plimsoll_plan::{
    AddressSpec, Bytes, Caching, Durability, FileSizes, FileWork, Location, Mix, NumberedNames, Op,
    Pattern, SizeSpec, Stream, Tree, TreePart,
};
use std::path::{Path, PathBuf};

/// Options that such a job honours. Any other that is given is refused, unless it has no effect in the real fio either.
const HONOURED: [&str; 37] = [
    "bs",
    "bsrange",
    "bssplit",
    "clat_percentiles",
    "continue_on_error",
    "cpumask",
    "cpus_allowed",
    "directory",
    "exec_postrun",
    "exec_prerun",
    "file_service_type",
    "filename_format",
    "filesize",
    "group_reporting",
    "ignore_error",
    "iodepth",
    "ioengine",
    "kb_base",
    "lat_percentiles",
    "loops",
    "name",
    "new_group",
    "nrfiles",
    "numjobs",
    "percentile_list",
    "randrepeat",
    "randseed",
    "rate",
    "rate_iops",
    "rate_process",
    "runtime",
    "rw",
    "size",
    "stat_type",
    "stonewall",
    "time_based",
    "unified_rw_reporting",
];
/// Options and jobs that do what some of the refused ones are for.
const REMEDIES: [(&[&str], &str); 5] = [
    (
        &["filename"],
        "give it directory=, nrfiles= and filename_format=",
    ),
    (&["unlink"], "put a job with ioengine=filedelete behind it"),
    (&["io_size", "number_ios"], "give it nrfiles="),
    (&["thinktime", "flow"], "give it rate_iops="),
    (
        &["startdelay", "wait_for", "exitall"],
        "part the jobs by stonewall",
    ),
];
/// More rounds than any time has.
const ENDLESS: u64 = i64::MAX as u64;
const LEAVE: &str = "leave it out";

/// The streams of a job on names: one for each clone, on names of its own.
pub(super) fn of(
    job: &Job,
    name: &str,
    op: Op,
    targets: &mut Targets,
    found: &mut Complaints,
) -> Result<Made, Diagnostic> {
    against(job, op)?;
    let access = pattern::access(job)?;
    let rounds = rounds(job, op, &access, found)?;
    let size = sizes::sizes(job)?;
    let block = size
        .occurring(&access.mix)
        .into_iter()
        .map(SizeSpec::min)
        .min();
    let block = block.unwrap_or_default();
    let pace = rates::pace(job, &access, &size, 1)?;
    let depth = stream::depth(job, Engine::Names(op), found);
    let times = ends::times(job, found)?;
    if job.word("stat_type") == Some("statx") {
        let message = "the names hold no links, so that a stat is the same; fio first looks for links in the whole path (realpath), which it counts";
        found.warn(warn_differs(job, "stat_type", message));
    }
    let mut streams = Vec::new();
    for number in 0..stream::count(job)? {
        let tree = tree(job, op, number, block.0, found)?;
        let target = targets.of(Wanted {
            engine: None,
            location: Location::Tree(Box::new(tree)),
            caching: Caching::Buffered,
            durability: Durability::None,
            align: None,
            offset: Bytes(0),
            bytes: None,
            span: job.place("directory").unwrap_or(job.span),
            size_span: None,
        });
        let name = stream::clone_name(name, number as usize, stream::are_apart(job));
        let address = AddressSpec::whole(Pattern::RANDOM);
        let mut own = Stream::new(name, target, Mix::only(op), SizeSpec::Fixed(block), address);
        own.depth = Some(depth);
        own.files = FileWork {
            rounds: Some(rounds),
            ..FileWork::default()
        };
        if let Pace::One(rate) = pace {
            own.fixed_rate = Some(rate);
            own.arrival = Some(rates::arrival(job));
        }
        streams.push(own);
    }
    Ok(Made { streams, times })
}

/// Refusal of the first option that a job on names does not honour.
fn against(job: &Job, op: Op) -> Result<(), Diagnostic> {
    let is_against = |given: &&Assigned| {
        let option = given.opt.name;
        let works = matches!(given.opt.effect, Effect::Works(_));
        // A file may have any name, `0` too.
        let is_asked = option == "filename" || !given.is_off();
        works && is_asked && !HONOURED.contains(&option) && !without_effect::is_idle(option, job)
    };
    let given = job.settings.values().filter(is_against);
    if let Some(given) = given.min_by_key(|given| (given.span.file.0, given.span.start)) {
        let option = given.opt.name;
        let remedy = REMEDIES.iter().find(|(of, _)| of.contains(&option));
        return Err(refused(
            job,
            option,
            format!(
                "job {} does {}, and `{option}` does not go with that",
                job.name,
                op.plural()
            ),
            remedy.map_or(LEAVE, |(_, remedy)| remedy),
        ));
    }
    match job.is_on("create_on_open") && matches!(op, Op::Stat | Op::Delete) {
        false => Ok(()),
        true => Err(refused(
            job,
            "create_on_open",
            format!(
                "fio makes no files of job {} before it asks for them or deletes them, and finds none",
                job.name
            ),
            LEAVE,
        )),
    }
}

/// Rounds that a job makes through its names.
fn rounds(job: &Job, op: Op, access: &Access, found: &mut Complaints) -> Result<u64, Diagnostic> {
    let no = |option: &str, why: String, remedy: &str| Err(refused(job, option, why, remedy));
    if access.is_mixed() || access.mix.trim > 0.0 {
        let why = format!(
            "job {} has one operation, {}, which fio counts as reads or as writes",
            job.name,
            op.name()
        );
        return no("rw", why, "write rw=read or rw=write");
    }
    let loops = job
        .number("loops")
        .and_then(|n| u64::try_from(n).ok())
        .unwrap_or(1)
        .max(1);
    let times = ends::times(job, found)?;
    let option = if times.goes_on { "time_based" } else { "loops" };
    if (times.goes_on || loops > 1) && op.changes_data() {
        let why = format!(
            "job {} goes through its names again, and each allows one {}",
            job.name,
            op.name()
        );
        return no(option, why, "give it more of them by nrfiles=");
    }
    if !matches!(
        job.text("file_service_type"),
        None | Some("roundrobin" | "sequential")
    ) {
        found.warn(warn_differs(
            job,
            "file_service_type",
            format!("job {} takes its names in order", job.name),
        ));
    }
    Ok(if times.goes_on { ENDLESS } else { loops })
}

/// The names of a clone, and how large its files are. fio counts an I/O for each `block` of them.
fn tree(
    job: &Job,
    op: Op,
    number: u32,
    block: u64,
    found: &mut Complaints,
) -> Result<Tree, Diagnostic> {
    let count = job
        .number("nrfiles")
        .and_then(|n| u64::try_from(n).ok())
        .unwrap_or(1)
        .max(1);
    if count > TREE_FILES_MAX {
        let why = format!("job {} has {count} names", job.name);
        return Err(refused(
            job,
            "nrfiles",
            why,
            format!("make it {TREE_FILES_MAX} or fewer"),
        ));
    }
    let bytes = file_bytes(job, op, count, block)?;
    if bytes < block {
        let why = format!(
            "fio leaves names of job {} alone: each has less than an I/O of {block}",
            job.name
        );
        return Err(refused(
            job,
            "filesize",
            why,
            "give it filesize= of bs= or more",
        ));
    }
    if bytes / block != 1 {
        let message = format!(
            "each {} of job {} is one I/O, of no bytes; fio counts up to {} of {block} for it",
            op.name(),
            job.name,
            bytes / block
        );
        found.warn(warn_differs(job, "filesize", message).help("say filesize= and bs= alike"));
    }
    let (root, names) = numbered(job, number)?;
    let width = u32::try_from(count).unwrap_or(u32::MAX);
    let (depth, width, files) = if is_of_files(job) {
        (0, 0, count)
    } else {
        (1, width, 0)
    };
    Ok(Tree {
        root,
        depth,
        width,
        files,
        on_all_levels: false,
        sizes: FileSizes::Fixed(Bytes(bytes)),
        part: TreePart::default(),
        names: Some(names),
    })
}

/// True for files; false for directories.
fn is_of_files(job: &Job) -> bool {
    !job.text("ioengine")
        .is_some_and(|engine| engine.starts_with("dir"))
}

/// Bytes of each file: `filesize=`, or its part of `size=`. What is only made needs none, and no directory has any.
fn file_bytes(job: &Job, op: Op, count: u64, block: u64) -> Result<u64, Diagnostic> {
    let each = job
        .get("filesize")
        .map(|given| files::file_size(job, given))
        .transpose()?;
    match (each, files::extent(job, "size")?) {
        (Some(each), Extent::All) => Ok(each),
        (Some(each), Extent::Bytes(all)) if all >= each.saturating_mul(count) => Ok(each),
        (None, Extent::Bytes(all)) if all >= count => Ok(all / count),
        (None, Extent::All) if op == Op::Create || !is_of_files(job) => Ok(block),
        (None, Extent::All) => {
            Err(
                files::size_unknown(job, "nrfiles", "they are made before, so large")
                    .help("give it filesize="),
            )
        }
        _ => Err(refused(
            job,
            "size",
            format!(
                "the size of job {} is not that of its {count} files",
                job.name
            ),
            "give it filesize= alone",
        )),
    }
}

/// Folder of a clone's names, and the names.
fn numbered(job: &Job, number: u32) -> Result<(PathBuf, NumberedNames), Diagnostic> {
    let pattern = names::numbered(job, number)?;
    let (folder, name) = pattern.rsplit_once('/').unwrap_or((".", &pattern));
    let names = NumberedNames::of(name).filter(|_| !folder.contains('*'));
    names.map(|names| (Path::new(folder).into(), names)).ok_or_else(|| {
        Diagnostic::error(
            codes::CANNOT_RUN,
            format!("the names of job {} are not a text with one number: `{pattern}`", job.name),
        )
        .at(job.place("filename_format").unwrap_or(job.span), "")
        .help("give it a filename_format= with $filenum once, behind the last slash, and without `*`")
    })
}
