//! Fingerprints of arrays whose truth is known, in virtual time.

mod bench;
mod drawn;
mod foreign;
mod makes;
mod others;
mod scale;
mod slices;
