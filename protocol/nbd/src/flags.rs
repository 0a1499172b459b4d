//! Flags of exports, of requests and of extents.

use bitflags::bitflags;

bitflags! {
    /// Capabilities of an export.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct TransmissionFlags: u16 {
        /// Always set.
        const HAS_FLAGS = 1 << 0;
        /// Writes are refused.
        const READ_ONLY = 1 << 1;
        /// FLUSH works.
        const FLUSH = 1 << 2;
        /// Requests may ask to be answered only once they are durable.
        const FUA = 1 << 3;
        /// Seeks cost time.
        const ROTATIONAL = 1 << 4;
        /// TRIM works.
        const TRIM = 1 << 5;
        /// WRITE_ZEROES works.
        const WRITE_ZEROES = 1 << 6;
        /// Reads may ask for one piece. Only with structured replies.
        const DF = 1 << 7;
        /// A FLUSH on one connection covers writes that were answered on another one.
        const MULTI_CONN = 1 << 8;
        /// CACHE works.
        const CACHE = 1 << 10;
        /// WRITE_ZEROES may ask to fail rather than be slow.
        const FAST_ZERO = 1 << 11;
        const _ = !0;
    }

    /// Flags of a request: what it asks for beyond its command.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct CommandFlags: u16 {
        /// Answer once it is durable.
        const FUA = 1 << 0;
        /// Zeros that are written have to take space.
        const NO_HOLE = 1 << 1;
        /// A read's data in one piece.
        const DF = 1 << 2;
        /// The first extent only.
        const REQ_ONE = 1 << 3;
        /// Fail when zeroing is not faster than writing.
        const FAST_ZERO = 1 << 4;
        const _ = !0;
    }

    /// State of an extent in the `base:allocation` context.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct ExtentFlags: u32 {
        /// Takes no space.
        const HOLE = 1 << 0;
        /// Reads as zeros.
        const ZERO = 1 << 1;
        const _ = !0;
    }
}
