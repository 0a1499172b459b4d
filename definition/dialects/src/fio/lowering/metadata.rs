//! Jobs on names: `ioengine=filecreate`, `filestat`, `filedelete`, and the same of directories.
//!
//! fio reads or writes nothing there: opening a file is the operation, and the I/Os of its size that follow are none. Here each clone goes
//! through a tree whose names are fio's.

use super::files::{self, Extent};
use super::pattern::{self, Access};
use super::rates::{self, Pace};
use super::stream::{self, Made};
use super::targets::{Targets, Wanted};
use super::{Complaints, ends, names, refused, sizes, warn_differs};
use crate::fio::engine::Engine;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::tree::TREE_FILES_MAX;
use plimsoll_plan::{
    AddressSpec, Bytes, Caching, Durability, FileSizes, FileWork, Location, Mix, NumberedNames, Op,
    Pattern, SizeSpec, Stream, Tree, TreePart,
};
use std::path::{Path, PathBuf};

/// Options that ask for what such a job does not have here: (option, why, remedy).
const AGAINST: [(&str, &str, &str); 30] = [
    ("filename", NAMED, BY_NUMBER),
    (
        "unlink",
        "its files stay or go by its own operation",
        "put a job with ioengine=filedelete behind it",
    ),
    ("verify", MOVES_NOTHING, LEAVE),
    ("write_iolog", MOVES_NOTHING, LEAVE),
    ("fsync", MOVES_NOTHING, LEAVE),
    ("fdatasync", MOVES_NOTHING, LEAVE),
    ("end_fsync", MOVES_NOTHING, LEAVE),
    ("fsync_on_close", MOVES_NOTHING, LEAVE),
    ("fill_device", MOVES_NOTHING, LEAVE),
    ("offset", MOVES_NOTHING, LEAVE),
    ("offset_increment", MOVES_NOTHING, LEAVE),
    ("io_size", EACH_ONCE, BY_FILES),
    ("number_ios", EACH_ONCE, BY_FILES),
    ("read_iolog", "a log has reads and writes", LEAVE),
    ("thinktime", HELD, "give it rate_iops="),
    ("flow", HELD, "give it rate_iops="),
    ("startdelay", BEGINS, PARTED),
    ("ramp_time", BEGINS, LEAVE),
    ("wait_for", BEGINS, PARTED),
    ("exitall", BEGINS, PARTED),
    ("latency_target", WATCHED, LEAVE),
    ("max_latency", WATCHED, LEAVE),
    ("rate_min", WATCHED, LEAVE),
    ("rate_iops_min", WATCHED, LEAVE),
    ("steadystate", WATCHED, LEAVE),
    ("write_bw_log", LOGGED, LEAVE),
    ("write_iops_log", LOGGED, LEAVE),
    ("write_lat_log", LOGGED, LEAVE),
    ("write_hist_log", LOGGED, LEAVE),
    ("verify_state_save", MOVES_NOTHING, LEAVE),
];
/// More rounds than any time has.
const ENDLESS: u64 = i64::MAX as u64;
const NAMED: &str = "its names are numbered";
const BY_NUMBER: &str = "give it directory=, nrfiles= and filename_format=";
const MOVES_NOTHING: &str = "it moves no bytes";
const EACH_ONCE: &str = "it ends when each name was done once";
const BY_FILES: &str = "give it nrfiles=";
const HELD: &str = "it is held back by a rate alone";
const BEGINS: &str = "it begins with its step and ends by itself";
const PARTED: &str = "part the jobs by stonewall";
const WATCHED: &str = "its times are not watched while it runs";
const LOGGED: &str = "fio's logs are of reads and writes";
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
        .map(SizeSpec::max)
        .max();
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

/// Refusal of options that a job on names cannot have, each by its name.
fn against(job: &Job, op: Op) -> Result<(), Diagnostic> {
    let given = |option: &str| job.get(option).is_some_and(|a| !a.is_off());
    let named = !job.filenames.is_empty();
    let is_against =
        |(option, ..): &&(&str, &str, &str)| given(option) || named && *option == "filename";
    match AGAINST.iter().find(is_against) {
        None if job.is_on("create_on_open") && matches!(op, Op::Stat | Op::Delete) => Err(refused(
            job,
            "create_on_open",
            format!(
                "fio makes no files of job {} before it asks for them or deletes them, and finds none",
                job.name
            ),
            LEAVE,
        )),
        None => Ok(()),
        Some((option, why, remedy)) => Err(refused(
            job,
            option,
            format!(
                "job {} does {}, and `{option}` does not go with that: {why}",
                job.name,
                op.plural()
            ),
            *remedy,
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
    if bytes < block && op == Op::Create {
        let why = format!(
            "fio makes some files of job {} only: each has less than an I/O of {block}",
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
            "each {} of job {} is one I/O, of no bytes; fio counts {} of {block} for it",
            op.name(),
            job.name,
            bytes / block
        );
        found.warn(warn_differs(job, "filesize", message).help("say filesize= and bs= alike"));
    }
    let (root, names) = numbered(job, number)?;
    let is_of_files = !matches!(
        job.text("ioengine"),
        Some("dircreate" | "dirstat" | "dirdelete")
    );
    let width = u32::try_from(count).unwrap_or(u32::MAX);
    let (depth, width, files) = if is_of_files {
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

/// Bytes of each file: `filesize=`, or its part of `size=`. What is only made needs none.
fn file_bytes(job: &Job, op: Op, count: u64, block: u64) -> Result<u64, Diagnostic> {
    let each = job
        .get("filesize")
        .map(|given| files::file_size(job, given))
        .transpose()?;
    match (each, files::extent(job, "size")?) {
        (Some(each), Extent::All) => Ok(each),
        (Some(each), Extent::Bytes(all)) if all >= each.saturating_mul(count) => Ok(each),
        (None, Extent::Bytes(all)) if all >= count => Ok(all / count),
        (None, Extent::All) if matches!(op, Op::Create | Op::Mkdir) => Ok(block),
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
