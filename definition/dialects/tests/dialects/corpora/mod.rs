//! Definitions of other people, read: where `PLIMSOLL_CORPORA` says, or beside the workspace.

mod own;

pub use own::read_own;

use plimsoll_diagnostic::Sources;
use plimsoll_dialects::{diskspd, fio, vdbench};
use plimsoll_plan::Plan;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One that is planned.
pub struct Read {
    pub name: String,
    pub plan: Plan,
    pub sources: Sources,
}

/// The folder of one dialect's.
pub fn folder(dialect: &str) -> PathBuf {
    let root = match std::env::var_os("PLIMSOLL_CORPORA") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora"),
    };
    root.join(dialect)
}

/// All that are planned; none where they are not here.
pub fn read_all() -> Vec<Read> {
    let mut all = Vec::new();
    for (dialect, read) in [
        ("fio", of_fio as fn(&Path) -> Option<Read>),
        ("vdbench", of_vdbench),
        ("diskspd", of_diskspd),
    ] {
        for path in files(&folder(dialect)) {
            all.extend(read(&path));
        }
    }
    all
}

/// All files below a folder, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(listed) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = listed.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    let each = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    });
    each.collect()
}

fn named(path: &Path, plan: Plan, sources: Sources) -> Read {
    Read {
        name: path.display().to_string(),
        plan,
        sources,
    }
}

fn of_fio(path: &Path) -> Option<Read> {
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    let input = fio::Input {
        environment: environment(&text),
        ..fio::Input::files([path.to_path_buf()])
    };
    let parsed = fio::parse(&input).ok()?;
    let plan = parsed.plan().ok()?.plan;
    Some(named(path, plan, parsed.sources))
}

/// What people set in the environment for these job files.
pub fn environment(text: &str) -> BTreeMap<String, String> {
    let known = |name: &str| match name {
        "MODE" | "RW" | "FIO_RW" | "JOB_TYPE" => "randread",
        "SIZE" | "FILE_SIZE" => "1g",
        "BLOCK_SIZE" | "FIO_BS" | "BLKSIZE" => "4k",
        "MOUNT_POINT" | "FIO_DIR" | "DIR" => "/mnt/test",
        "TARGET" | "DEVICE" | "F_NAME" | "OUTPUT" => "/mnt/test/file",
        "ENGINE" => "libaio",
        "DIRECT" | "LOOPS" | "INVALIDATE" => "1",
        _ => "8",
    };
    let variables = text.split("${").skip(1).filter_map(|p| p.split_once('}'));
    variables
        .map(|(name, _)| (name.to_string(), known(name).to_string()))
        .collect()
}

fn of_vdbench(path: &Path) -> Option<Read> {
    let parsed = vdbench::parse(&vdbench::Input::files([path.to_path_buf()])).ok()?;
    let plan = parsed.plan().ok()?.plan;
    Some(named(path, plan, parsed.sources))
}

fn of_diskspd(path: &Path) -> Option<Read> {
    let paths = ["data.bin".to_string()];
    let name = path.display().to_string();
    let parsed = diskspd::parse_file(&name, &[])
        .or_else(|_| diskspd::parse_file(&name, &paths))
        .ok()?;
    let plan = parsed.plan().ok()?.plan;
    Some(named(path, plan, parsed.sources))
}
