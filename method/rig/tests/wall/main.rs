//! The wall around programs that are started on targets, with the first one taken away: real fio gets hostile jobs as they are,
//! and the shell hostile commands. What a permit names is written, and nothing else is.

mod commands;
mod jobs;
mod place;
