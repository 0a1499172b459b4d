//! The engine's own loop against the model of an array, in virtual time: no sleeping, and always alike.
//!
//! A [`Lab`] holds the arrays of a run and its clock. [`Lab::run_step`] is to a plan on `lab:` targets what
//! [`plimsoll_engine::run_step`] is to one on storage: the same worker, the same counters, the same intervals. Time moves
//! only where the worker waits, and it goes on from step to step, as does what the arrays hold.
//!
//! One worker has all the slots, however many are asked for. Workers exist because one thread cannot submit fast enough;
//! in virtual time submitting takes none. So a plan and a seed give the same result on every machine.

mod backend;
mod door;
mod due;
mod enough;
mod evidence;
mod hosts;
mod lab;
mod look;
mod multipath;
mod paths;
mod persona;
mod queue;
mod route;
mod stripe;
mod trees;
mod volumes;
mod watch;

pub use evidence::ArrayWatch;
pub use hosts::{SeenOfHosts, SimulatedHost, ranks_of};
pub use lab::{EnteredFault, Faults, Lab, LabArrayFacts, LabFaultError, REPEATING_FILL_MAX};
pub use look::{CoreLook, FilerLook, JournalLook, Look, MediaLook, PagesLook};
pub use persona::{LabArrayError, find_persona};
