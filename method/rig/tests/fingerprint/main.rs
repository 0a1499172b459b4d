//! Fingerprints of arrays whose truth is known, in virtual time.

mod bench;
mod drawn;
mod others;
mod slices;
