//! Where a thing was written (file, span), and how a complaint about it is shown.

pub mod source;

pub use source::{FileId, Sources, Span};
