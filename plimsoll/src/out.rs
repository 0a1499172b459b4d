//! Standard output and standard error, whose readers may leave early (`| head`).

use crate::closed;
use plimsoll_printable::guarded;
use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};

/// Exit code where the reader has left, as a shell reports SIGPIPE.
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
    if let Err(error) = try_put(text) {
        lost(&error);
    }
}

/// Ends the program, for its results cannot be written: quietly where nobody reads them any more.
fn lost(error: &io::Error) -> ! {
    if error.kind() == io::ErrorKind::BrokenPipe {
        std::process::exit(READER_LEFT);
    }
    tell!("error: standard output: {error}");
    std::process::exit(i32::from(crate::exit::REFUSED));
}

/// Ends the program where standard output was closed before it began: its results would be lost, whatever it does for them.
pub fn refuse_closed() {
    if closed::is_standard_output() {
        tell!(
            "error: standard output is closed, and the results would be lost; send them to a file or, where nobody wants them, to \
             /dev/null"
        );
        std::process::exit(i32::from(crate::exit::REFUSED));
    }
}

/// Ends the program with what the reader of the command line has to say: help, the version, or what is wrong.
pub fn leave(refused: &clap::Error) -> ! {
    if !refused.use_stderr() {
        refuse_closed();
    }
    match refused.print() {
        Err(error) if !refused.use_stderr() => lost(&error),
        _ => std::process::exit(refused.exit_code()),
    }
}

/// Standard output for what is written as it is, such as an export. What cannot be written ends the program, as with
/// [`put`].
pub struct Standard(io::StdoutLock<'static>);

impl Standard {
    /// Takes it for this thread.
    pub fn lock() -> Self {
        Standard(io::stdout().lock())
    }
}

impl Write for Standard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).or_else(|error| match error.kind() {
            io::ErrorKind::Interrupted => Err(error),
            _ => lost(&error),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().or_else(|error| lost(&error))
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
