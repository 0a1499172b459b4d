//! The ends of what a plan may ask for. Past them a number is a slip of the pen, or would take memory and time that no
//! host has; what lies within them is carried out in bounded memory.

use crate::{Bytes, Nanos, Rate};

/// The highest rate of a step or a stream, I/Os per second: intended starts are whole nanoseconds.
pub const RATE_MAX: Rate = Rate(1e9);

/// The shortest interval. An interval takes up to 250 KiB for each workload on a target, and a transaction of the record.
pub const INTERVAL_MIN: Nanos = Nanos(10_000_000);

/// The most intervals of a step; they are numbered by 32 bits.
pub const INTERVALS_MAX: u64 = u32::MAX as u64;

/// The longest that a warm-up, a measurement or a pause may be: a hundred years of 365 days.
pub const TIME_MAX: Nanos = Nanos(100 * 365 * 86_400_000_000_000);

/// The largest I/O. The kernel moves no more than 2 GiB less a page at once.
pub const IO_MAX: Bytes = Bytes(1 << 30);

/// The most I/Os in flight on one target, far above any device's queues.
pub const SLOTS_MAX: u32 = 1 << 20;

/// The most actions of a step; each command is a process.
pub const ACTIONS_MAX: usize = 1000;

/// The most hosts that carry out one plan.
pub const HOSTS_MAX: usize = 10_000;

/// The most worker threads of a step.
pub const WORKERS_MAX: u32 = 4096;

/// The highest percentage of an observed rate.
pub const PERCENT_MAX: u32 = 1000;

/// The most points of a curve.
pub const POINTS_MAX: usize = 1000;

/// The most limits of response time that a curve's capacity is stated at.
pub const SLOS_MAX: usize = 100;

/// The most streams of a plan's steps together.
pub const STREAMS_MAX: usize = 500_000;

/// The most sequential streams that a workload may read or write side by side on one target.
pub const SEQUENCES_MAX: u32 = 1 << 20;
