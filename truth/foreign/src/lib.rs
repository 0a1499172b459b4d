//! Results that other tools produced, read into plain data and judged from the numbers alone.
//!
//! [`read`](read::read) knows an input by its content and makes a [`ForeignResult`] of it. [`judge`] asks every check what it says of
//! that. Nothing here does any I/O but [`intake`], which reads the files that a user names.

mod asked;
mod command;
mod format;
mod json;
mod prefix;
mod text;
mod xml;

pub mod beside;
pub mod checks;
pub mod claim;
mod claimed;
pub mod definition;
mod input;
pub mod intake;
pub mod judge;
mod measured;
pub mod model;
mod other_tools;
pub mod read;
mod started;
pub mod terminal;
pub mod twice;
mod version;
mod wrapped;

pub use definition::{Definition, DefinitionError};
pub use input::{Input, ReadError};
pub use intake::{Intake, IntakeError};
pub use judge::{DefinitionPlan, Judgement, judge};
pub use model::{ForeignResult, Format, InputPlace, Run, Tool};
