//! What a step will take, before any of it is taken.

use crate::backend::choose::BackendKind;
use crate::layout::{is_paced, layout};
use crate::target::OpenTarget;
use plimsoll_measure::{BUCKETS, HEAT_COLUMNS};
use plimsoll_plan::{Mix, Step};
use std::sync::Arc;

/// Threads and memory of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Worker threads, and those that a worker's synchronous I/Os may need for themselves.
    pub workers: u64,
    /// Bytes of the buffers of all slots.
    pub buffers: u64,
    /// Bytes that all workers' counters of one interval come to.
    pub counters: u64,
}

/// More synchronous slots than this, each of which is a thread, are not even dealt out.
const DEALT_MAX: u64 = 1 << 20;

/// Footprint of a step; the arguments are those of [`crate::layout::layout`].
pub fn footprint(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    kinds: &[BackendKind],
    cpus: u32,
) -> Footprint {
    let synchronous = |d: &&plimsoll_plan::Depth| kinds[d.target.0 as usize].is_synchronous();
    let slots = step.depths.iter().filter(synchronous);
    let threads: u64 = slots.map(|d| step.depth_of(d.target)).sum();
    if threads > DEALT_MAX {
        return Footprint {
            workers: threads,
            ..Footprint::default()
        };
    }
    let layouts = layout(step, kinds, cpus);
    let mut all = Footprint::default();
    for worker in &layouts {
        let slots: u64 = worker.pools.iter().map(|p| u64::from(p.room)).sum();
        all.workers += 1;
        if worker.kind.is_synchronous() && is_paced(step) {
            let called: u64 = worker.pools.iter().map(|p| u64::from(p.slots)).sum();
            all.workers += called;
        }
        let specs = || worker.streams.iter().map(|s| &step.streams[s.stream]);
        let largest = specs()
            .filter(|s| {
                s.mix.write > 0.0
                    || targets[s.target.0 as usize]
                        .opened
                        .capabilities()
                        .brings_bytes
            })
            .map(|s| s.largest_buffer().0)
            .max();
        let buffers = slots.saturating_mul(largest.unwrap_or(0));
        all.buffers = all.buffers.saturating_add(buffers);
        all.counters += specs().map(|s| counters(&s.mix)).sum::<u64>();
    }
    all
}

/// Bytes of one stream's counters on one worker: two histograms for each operation that happens, and the heat map.
fn counters(mix: &Mix) -> u64 {
    let operations = mix.occurring().count();
    (operations * 2 * BUCKETS * size_of::<u64>() + HEAT_COLUMNS * size_of::<u32>()) as u64
}
