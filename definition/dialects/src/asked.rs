//! Streams that were asked for, part by part, for whoever has a result and what its tool repeats of the definition. That may be less than
//! all, and may ask for what this program could not run: each part is read by itself, `None` is what the text doesn't say, and
//! nothing but the text is looked at.

use plimsoll_plan::{
    Arrival, Bytes, Caching, ContentSpec, Durability, HitSpec, Load, Mix, Nanos, Pattern, Rate,
    SizeSpec, Think,
};

/// A run that was asked for: what starts together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AskedRun {
    /// The name that its tool gives it.
    pub name: String,
    /// The values of its loops, as Vdbench prints them.
    pub loops: String,
    /// Streams that run in it together.
    pub streams: Vec<AskedStream>,
    /// Load of all streams without a rate of their own.
    pub load: Option<Load>,
    /// Warm-up, which is not counted.
    pub warmup: Option<Nanos>,
    /// Counted time.
    pub elapsed: Option<Nanos>,
}

/// A stream that was asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AskedStream {
    /// Target, as the text calls it.
    pub place: Option<String>,
    /// Bytes that its addresses are drawn from.
    pub bytes: Option<Bytes>,
    /// Caching: through the page cache or around it.
    pub caching: Option<Caching>,
    /// Durability of writes.
    pub durability: Option<Durability>,
    /// Operations and their shares.
    pub mix: Option<Mix>,
    /// Sizes of transfers.
    pub size: Option<SizeSpec>,
    /// Order of addresses.
    pub pattern: Option<Pattern>,
    /// Hit set: a small area that a part of the I/Os goes to.
    pub hits: Option<HitSpec>,
    /// Content of writes.
    pub content: Option<ContentSpec>,
    /// True where buffers are filled once, and written again and again.
    pub reuses: bool,
    /// The tool makes what is read for this run.
    pub makes: bool,
    /// Threads, or clones of a job, that do it.
    pub threads: Option<u64>,
    /// I/Os in flight that each of them was asked to have.
    pub depth: Option<u64>,
    /// I/Os in flight that all of them together can have.
    pub in_flight: Option<u64>,
    /// Several of its threads walk the same addresses from the same start.
    pub walks_together: bool,
    /// The rates of reads, of writes and of trims, where each has one of its own.
    pub rates: Option<[Option<Rate>; 3]>,
    /// The rate of all its operations together.
    pub rate: Option<Rate>,
    /// The gaps of a rate.
    pub arrival: Arrival,
    /// Pauses between its I/Os.
    pub think: Option<Think>,
    /// Something else holds it back: syncs between its writes, weights, batches.
    pub held_back: bool,
    /// The tool searches the depth itself.
    pub searches_depth: bool,
    /// What carries out the I/O, by the tool's name for it.
    pub engine: Option<String>,
    /// Each thread has one I/O in flight, whatever the depth.
    pub synchronous: Option<bool>,
}
