//! Issues the I/O: the worker loop, pacing, clocks and backends.
//!
//! A worker owns its ring, slots, random numbers, histograms and heat map; in a closed loop workers share nothing on the hot
//! path. On schedule they share each target's slots, so that it doesn't matter how many workers there are. The
//! loop in [`worker`] is generic over [`backend::Backend`] and [`clock::Clock`], so that io_uring, libaio, psync, the
//! null device and a scripted backend on a scripted clock run the same code.

mod alone;
pub mod backend;
mod backlog;
pub mod buffers;
pub mod clock;
pub mod content;
mod control;
pub mod dependencies;
pub mod depths;
pub mod error;
pub mod export;
pub mod footprint;
mod gate;
mod gather;
pub mod heartbeat;
pub mod layout;
mod merge;
mod meter;
pub mod opened;
mod options;
mod outcome;
pub mod pace;
pub mod ranks;
pub mod recorded;
pub mod replay;
mod run;
pub mod scripted;
pub mod setup;
mod shared_slots;
pub mod slots;
pub mod start;
mod sync_at_end;
pub mod tally;
pub mod target;
pub mod together;
pub mod trace;
pub mod tree;
pub mod verify;
mod watched;
pub mod worker;
mod worker_thread;
mod written;

pub use alone::{Given, layout_of_one, run_step_alone};
pub use backend::tree::{Hands, Script, TreeStream};
pub use control::Control;
pub use error::EngineError;
pub use opened::{Capabilities, Member, Opened};
pub use options::Options;
pub use outcome::{MergedInterval, Outcome, WorkerTime};
pub use plimsoll_traffic::seed_for;
pub use ranks::{Rank, Ranks};
pub use run::run_step;
pub use target::{OpenTarget, Permits};
pub use together::{Hosted, Scene, run_step_together};
