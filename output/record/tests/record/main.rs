//! Records as a whole: files that are written, killed, filled up, opened, compared and exported.

mod compare;
mod contradictions;
mod definition;
mod export;
mod full_disk;
mod gates;
mod harmed;
mod killed;
mod opening;
mod parts;
mod repeats;
mod resumed;
mod round_trip;
mod sample;
mod serialising;
mod sqlite_shell;
mod witnessed;
