//! The HTML report: one offline file, the built viewer page with the record's data in it.
//!
//! All numbers are computed here; the page only draws and prints them. [`data`] is pure, [`StepSeries`] reduces a
//! step's intervals as they stream by, and [`page`] puts the data into the page.

mod array_series;
mod brief;
pub mod comparison;
pub(crate) mod data;
mod heat;
mod host_series;
mod hosts;
mod measured;
mod page;
mod parts;
mod percentiles;
mod render;
mod series;
mod stretches;

pub use data::{Run, data};
pub use host_series::HostSeries;
pub use measured::{Measured, Written};
pub use page::{HtmlError, page};
pub use render::render;
pub(crate) use render::workload;
pub use series::{Budget, StepSeries};
