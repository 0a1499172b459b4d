//! Where a thing was written (file, span), and how a complaint about it is shown.

mod alike;
mod excerpt;

pub mod diagnostic;
pub mod nearest;
pub mod printed;
pub mod render;
pub mod source;

pub use alike::{fold, others_like};
pub use diagnostic::{Diagnostic, Label, Patch, Severity};
pub use nearest::nearest;
pub use render::{render, render_all};
pub use source::{FileId, Source, Sources, Span};
