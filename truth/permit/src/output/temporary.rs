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

/// Process that made this name, or what SQLite keeps beside a file of it.
pub(crate) fn maker(name: &OsStr) -> Option<i32> {
    let name = name.to_str()?.strip_prefix(START)?;
    let beside = ["-wal", "-shm", "-journal"];
    let of_file = beside.iter().find_map(|suffix| name.strip_suffix(*suffix));
    let (pid, random) = of_file.unwrap_or(name).strip_suffix(END)?.split_once('-')?;
    let is_random = random.len() == 16 && random.bytes().all(|b| b.is_ascii_hexdigit());
    is_random.then(|| pid.parse().ok())?
}

/// True for a name as [`name`] makes them: what a program left that died.
pub fn is_one(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    bytes.starts_with(START.as_bytes()) && bytes.ends_with(END.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_who_made_it_and_no_other_name_does() {
        let own = name();
        let pid = std::process::id() as i32;
        assert_eq!(maker(&own), Some(pid));
        let mut beside = own.clone();
        beside.push("-wal");
        assert_eq!(maker(&beside), Some(pid));
        for other in [
            ".plimsoll-7.part",
            ".plimsoll-7-0123.part",
            "r.plim",
            ".plimsoll-x-0123456789abcdef.part",
        ] {
            assert_eq!(maker(OsStr::new(other)), None, "{other}");
        }
    }
}
