//! Standard output and standard error, whose readers may leave early (`| head`).

use std::fmt::Arguments;
use std::io::{self, Write};

/// As a shell reports SIGPIPE.
const READER_LEFT: i32 = 141;

/// Prints a line on standard output; ends the program quietly where nobody reads it any more.
macro_rules! say {
    () => { $crate::out::put(format_args!("\n")) };
    ($($word:tt)*) => { $crate::out::put(format_args!("{}\n", format_args!($($word)*))) };
}

/// Prints a line on standard error; where nobody reads it there's nobody to tell.
macro_rules! tell {
    ($($word:tt)*) => { $crate::out::hint(format_args!("{}\n", format_args!($($word)*))) };
}

pub(crate) use {say, tell};

/// Prints as it is on standard output; ends the program quietly where nobody reads it any more.
pub fn put(text: Arguments) {
    match try_put(text) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(READER_LEFT),
        Err(error) => {
            tell!("error: standard output: {error}");
            std::process::exit(i32::from(crate::exit::REFUSED));
        }
    }
}

/// Prints as it is on standard output.
pub fn try_put(text: Arguments) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_fmt(text)?;
    out.flush()
}

/// Prints as it is on standard error.
pub fn hint(text: Arguments) {
    // As above: there's no other place to say it.
    let _ = io::stderr().write_fmt(text);
}
