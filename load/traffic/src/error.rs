//! Why a stream cannot be.

use plimsoll_plan::Bytes;

/// Reason why a stream cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TrafficError {
    /// No transfer size, or one of zero bytes or of 4 GiB and more.
    #[error("the transfer size {0} cannot be used; it must be above 0 and below 4GiB")]
    Size(Bytes),
    /// A list of sizes without any weight.
    #[error("the transfer sizes have no weights above 0")]
    NoSizes,
    /// A range of sizes that holds none.
    #[error("transfer sizes from {min} to {max} by {align} hold no size")]
    SizeRange {
        /// Smallest.
        min: Bytes,
        /// Largest.
        max: Bytes,
        /// Step.
        align: Bytes,
    },
    /// A size, alignment or stride that the target's blocks do not divide.
    #[error("the {what} {value} is not a multiple of the target's block of {block}")]
    Unaligned {
        /// `transfer size`, `alignment`, `stride`.
        what: &'static str,
        /// Its value.
        value: Bytes,
        /// The target's logical block.
        block: Bytes,
    },
    /// Percentages of operations that are no percentages.
    #[error("the mix of {read} % reads, {write} % writes and {trim} % trims has no operation")]
    Mix {
        /// Percent of reads.
        read: f64,
        /// Percent of writes.
        write: f64,
        /// Percent of trims.
        trim: f64,
    },
    /// A range that is none, or that lies outside the target.
    #[error("the range from {from} to {to} {unit} is not inside the target ({size})")]
    Range {
        /// Its start.
        from: f64,
        /// Its end.
        to: f64,
        /// `percent` or `bytes`.
        unit: &'static str,
        /// The target's size.
        size: Bytes,
    },
    /// No I/O fits.
    #[error("{where_} has {have}, too little for I/Os of {need}")]
    TooSmall {
        /// `the range`, `the hit area`, `the range outside the hit area`, `a stream's slice`.
        where_: &'static str,
        /// What it has.
        have: Bytes,
        /// What one I/O needs.
        need: Bytes,
    },
    /// Scattered hits need a whole slice to be dealt over.
    #[error(
        "the range holds no whole slice of {slice} to scatter the hit area over; place it contiguously, or use smaller slices"
    )]
    NoSlice {
        /// The slice.
        slice: Bytes,
    },
    /// The hit area leaves no room.
    #[error("a hit area of {area} does not fit in the {room} of the range's whole slices")]
    HitArea {
        /// The area.
        area: Bytes,
        /// What there is.
        room: Bytes,
    },
    /// A parameter outside its distribution's domain.
    #[error("{distribution} cannot have {value}: {rule}")]
    Distribution {
        /// `zipf`, `pareto`, …
        distribution: &'static str,
        /// What was asked.
        value: String,
        /// What would do.
        rule: &'static str,
    },
    /// No streams, or more than fit.
    #[error("{0} streams cannot share a range")]
    Streams(u32),
    /// A worker number that is not below the number of workers.
    #[error("worker {worker} of {workers} does not exist")]
    Worker {
        /// Its number.
        worker: u32,
        /// How many there are.
        workers: u32,
    },
}
