//! Which operation, which size, which stream.

mod chooser;
mod deficit;
mod operation;
mod size;

pub use chooser::Chooser;
pub use deficit::Deficit;
pub(crate) use operation::Operations;
pub(crate) use size::Sizes;
