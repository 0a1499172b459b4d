//! The engine on real files and devices, by every backend that this host allows.

mod content;
mod devices;
mod failures;
mod files;
mod root;
mod run;
mod starting;
mod stuck;
mod verify;
