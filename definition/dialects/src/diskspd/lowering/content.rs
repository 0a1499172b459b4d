//! What is written.

use crate::diskspd::model::{Target, TimeSpan};
use plimsoll_plan::ContentSpec;
use std::path::PathBuf;

/// The content of a target's blocks, in DiskSPD's order: a source first, then zeros, then fresh random bytes, else the bytes
/// 0 to 255 over and over.
pub(super) fn content(span: &TimeSpan, target: &Target) -> ContentSpec {
    match &target.source {
        Some(source) => match &source.file {
            Some(file) => ContentSpec::File(PathBuf::from(file)),
            None => ContentSpec::Unique,
        },
        None if target.zero => ContentSpec::Zeros,
        None if span.random_write_data || target.random_unsized => ContentSpec::Unique,
        None => ContentSpec::Pattern((0..=u8::MAX).collect()),
    }
}
