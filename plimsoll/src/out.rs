//! Standard output and standard error, whose readers may leave early (`| head`).

use plimsoll_printable::guarded;
use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};

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

/// Prints a value as JSON on standard output.
pub fn json(value: &impl serde::Serialize) -> Result<(), serde_json::Error> {
    let text = serde_json::to_string_pretty(value)?;
    let text = plimsoll_printable::json(&text);
    put(format_args!("{text}\n"));
    Ok(())
}

/// Prints on standard output what does no harm to a terminal; ends the program quietly where nobody reads it any more.
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

/// Prints on standard output what does no harm to a terminal.
pub fn try_put(text: Arguments) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(guarded(&text.to_string(), out.is_terminal()).as_bytes())?;
    out.flush()
}

/// Prints on standard error what does no harm to a terminal.
pub fn hint(text: Arguments) {
    let mut err = io::stderr().lock();
    // As above: there's no other place to say it.
    let _ = err.write_all(guarded(&text.to_string(), err.is_terminal()).as_bytes());
}
