//! This project's own definitions.

use super::{Read, files, named, of_fio, of_vdbench};
use plimsoll_dialects::native;
use std::path::Path;

/// Examples, and the parameter files of the tests, as far as they are planned.
pub fn read_own() -> Vec<Read> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for folder in ["../../examples", "tests/vdbench", "tests/conformance"] {
        for path in files(&here.join(folder)) {
            let ending = path.extension().and_then(|e| e.to_str());
            all.extend(match ending {
                Some("toml") => of_native(&path),
                Some("fio") => of_fio(&path),
                Some("parm") => of_vdbench(&path),
                _ => None,
            });
        }
    }
    all
}

fn of_native(path: &Path) -> Option<Read> {
    let text = std::fs::read_to_string(path).ok()?;
    let read = native::parse(&path.display().to_string(), &text).ok()?;
    Some(named(path, read.plan, read.sources))
}
