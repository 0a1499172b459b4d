//! Carries out a plan: the engine with the witness beside it, into a record.
//!
//! [`run`] checks the plan against its targets, refuses what would destroy data, fills what was never written, opens
//! the record, and then lets the plan's methods ask for one step after the other. Whoever watches gets an [`Event`] for
//! everything that happens.

mod access;
mod actions;
mod alias;
mod allowed;
mod audit;
mod commands;
mod coverage;
mod crew;
mod enclosure;
mod environment;
mod error;
mod event;
mod faults;
mod files;
mod fill;
mod hero;
mod lab_paths;
mod marks;
mod open_targets;
mod options;
mod outcome;
mod owed;
mod part;
mod past;
mod path_courses;
mod paths;
mod pinning;
mod prepare;
mod probe;
mod record_place;
mod room;
mod run;
mod run_step;
mod scratch;
mod session;
mod settle;
mod shell;
mod simulated;
mod simulated_hosts;
mod step_arrays;
mod step_facts;
mod uses;
mod ways;
mod ways_down;
mod witness;

pub use alias::{Alias, aliases};
pub use audit::{audit_record, contradictions};
pub use crew::{Crew, CrewEvent, CrewOutcome, CrewReady, CrewStep, FoundTarget, check_by_hosts};
pub use enclosure::{Enclosure, doubt as wall_doubt};
pub use error::RigError;
pub use event::Event;
pub use hero::{Base, Hero, HeroOptions, Named, Played, Subject, hero, may_write};
pub use options::RunOptions;
pub use outcome::Outcome;
pub use part::{InCommon, LookedAt, Part, WorkerPlaces, look, meant_here};
pub use past::Past;
pub use plimsoll_engine::Control;
pub use plimsoll_engine::backend::Action;
pub use plimsoll_engine::backend::choose::BackendKind;
pub use plimsoll_engine::trace::{Chunk, Found, Trace};
pub use plimsoll_engine::{Rank, Ranks};
pub use plimsoll_methods::load_words;
pub use prepare::{check, check_arrays};
pub use probe::{Answered, Fact, Held, ProbeOptions, Probed, probe};
pub use record_place::precious;
pub use run::{RunResult, attach, resume, run, run_by};
pub use shell::AtWork;
pub use simulated_hosts::{SimulatedHosts, SimulatedHostsError};
pub use ways::with_ways;
pub use ways_down::without_ways_down;
