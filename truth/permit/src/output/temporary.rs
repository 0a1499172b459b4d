//! Names for files that are not whole yet, or that are on their way out.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::ffi::OsStrExt;

const START: &str = ".plimsoll-";
const END: &str = ".part";

/// A name that nobody has, and that nobody can foretell.
pub fn name() -> OsString {
    // Its keys are random, and different each time.
    let random = RandomState::new().build_hasher().finish();
    format!("{START}{}-{random:016x}{END}", std::process::id()).into()
}

/// True for a name as [`name`] makes them: what a program left that died.
pub fn is_one(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    bytes.starts_with(START.as_bytes()) && bytes.ends_with(END.as_bytes())
}
