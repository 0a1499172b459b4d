//! What `plimsoll vdbench` prints and the report folder that it leaves, in the layout of Vdbench 5.04.07, so that
//! scripts which read those go on working.
//!
//! Numbers have Vdbench's meaning here. `resp` is service time: from the submitting call to the completion, never the
//! wait for a free thread. Rates divide by the configured length of the intervals, not by a measured one. The standard
//! deviation is the sample's, a maximum of an average line the largest of its intervals. `avg_a-b` names the first and
//! the last interval that are counted.

mod asked;
mod columns;
mod contents;
mod cpu;
mod ending;
mod error;
mod errors;
mod escape;
mod figures;
mod files;
mod flatfile;
mod folder;
mod histogram;
mod notice;
mod page;
mod pages;
mod run;
mod running;
mod shares;
mod tally;
mod writer;

pub use asked::Naming;
pub use contents::PlannedRun;
pub use ending::Ending;
pub use error::VdbenchError;
pub use files::FileColumns;
pub use folder::{choose_folder, permit};
pub use histogram::DEFAULT_EDGES_US;
pub use run::{MaxData, Requested, RequestedRate, RunDefinition, StreamLabel};
pub use writer::{Options, VdbenchWriter};
