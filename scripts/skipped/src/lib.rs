//! How a test says that it was skipped, and what tests use of the machine.
//!
//! Cargo keeps what a passing test prints to itself, so nobody would ever see that a test had nothing to test with. So the
//! line goes into a file as well, which `PLIMSOLL_SKIPS` names, and `scripts/check-skips` knows which ones may be there.

pub mod machine;

use std::fmt::Display;
use std::io::Write;

/// Says that the test, or the rest of it, is skipped, and why: `skipped!("{program} is not installed")`.
///
/// Name what this machine lacks, and nothing that differs from run to run: the line is compared with a list.
#[macro_export]
macro_rules! skipped {
    ($($why:tt)*) => {
        $crate::say(::std::env!("CARGO_PKG_NAME"), &::std::format_args!($($why)*))
    };
}

/// What [`skipped!`] does, for a test of this package.
///
/// # Panics
///
/// Where the file that `PLIMSOLL_SKIPS` names cannot be written: a skip that nobody learns of is what this is against.
pub fn say(package: &str, why: &dyn Display) {
    let why = why.to_string().replace('\n', " ");
    eprintln!("skipped: {why}");
    if let Some(path) = std::env::var_os("PLIMSOLL_SKIPS") {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("?");
        let mut options = std::fs::OpenOptions::new();
        let file = options.create(true).append(true).open(&path);
        // One write of a line: several tests write at once.
        let line = format!("{package}: {test}: {why}\n");
        let written = file.and_then(|mut f| f.write_all(line.as_bytes()));
        written.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}
