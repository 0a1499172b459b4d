//! Where I/Os go.
//!
//! A [`region::Region`] is the part of a target that a stream uses; a [`grid::Grid`] numbers the places in it where an
//! I/O of a size may start. Random patterns draw numbers of places, ordered patterns walk the region, and a hit area
//! ([`hits::Hits`]) takes its share of the accesses before either is asked.

pub(crate) mod coverage;
pub(crate) mod distribution;
pub(crate) mod finder;
pub(crate) mod grid;
pub(crate) mod hits;
pub(crate) mod hotband;
pub(crate) mod lattice;
pub(crate) mod leaps;
pub(crate) mod ordered;
pub(crate) mod region;
pub(crate) mod scatter;
pub(crate) mod shape;
pub(crate) mod track;
pub(crate) mod zipf;
pub(crate) mod zoned;
