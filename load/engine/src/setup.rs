//! What a worker needs, made before its thread starts, so that mistakes are found before any I/O.

use crate::EngineError;
use crate::layout::WorkerLayout;
use crate::pace::{Pace, share_of};
use crate::run::{Options, content_error};
use crate::target::OpenTarget;
use crate::worker::{Budget, Mode, Pool, StreamState, Timeline};
use plimsoll_content::Filler;
use plimsoll_plan::{ContentSpec, Load, Step, Stream};
use plimsoll_traffic::{Deficit, StreamSource, content_plan, seed_for};
use std::fs::File;
use std::sync::Arc;

/// One worker's parts, apart from what must be made on its own thread.
pub struct Prepared {
    /// How it decides.
    pub mode: Mode,
    /// (pool, slots).
    pub pools: Vec<(Pool, u32)>,
    /// Its streams.
    pub streams: Vec<StreamState>,
    /// Keeps shares in [`Mode::Shared`].
    pub deficit: Option<Deficit>,
    /// Its part of the limits.
    pub budget: Budget,
    /// Bytes of a slot's buffer.
    pub buffer_stride: usize,
    /// Its files, duplicated so that they live as long as it does.
    pub files: Vec<File>,
    /// The name of each file's target.
    pub target_of_file: Vec<String>,
}

/// Length of a sample inside an interval; an interval's last may be shorter.
const SAMPLE_NS: u64 = 100_000_000;
/// Seeds of different uses must differ.
const SEED_ADDRESS: u64 = 1;
const SEED_ARRIVAL: u64 = 2;
const SEED_CHOICE: u64 = 3;
const SEED_CONTENT: u64 = 4;

/// A step's instants; I/O starts `delay_ns` after the clocks' zero.
pub fn timeline(step: &Step, options: &Options, delay_ns: u64) -> Timeline {
    let length_ns = (step.warmup.0 + step.elapsed.0).max(1);
    let interval_ns = step.interval.0.clamp(1, length_ns);
    Timeline {
        start_ns: delay_ns,
        length_ns,
        interval_ns,
        sample_ns: SAMPLE_NS,
        drain_ns: options.drain.0,
    }
}

/// The load's mode.
pub fn mode_of(load: &Load) -> Mode {
    match load {
        Load::Max => Mode::Closed,
        Load::MaxShared => Mode::Shared,
        Load::Rate { .. } | Load::PercentOfLast { .. } | Load::Schedule { .. } => Mode::Open,
    }
}

/// Makes a worker's parts.
pub fn prepare(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    options: &Options,
    layout: &WorkerLayout,
    number: usize,
    workers: usize,
) -> Result<Prepared, EngineError> {
    let mode = mode_of(&step.load);
    let mut streams = Vec::new();
    let mut stride = 0u64;
    for share in &layout.streams {
        let spec = &step.streams[share.stream];
        let target = &targets[spec.target.0 as usize];
        let pool = layout
            .pools
            .iter()
            .position(|p| p.target == spec.target.0 as usize)
            .expect("the layout gives a worker only streams on its pools");
        let seed = |what: u64| seed_for(options.seed, &[what, share.stream as u64]);
        let source = StreamSource::new(
            spec,
            target.size,
            target.logical_block,
            target.align,
            target.device,
            seed(SEED_ADDRESS),
            share.rank,
            share.of,
        )
        .map_err(|source| EngineError::Traffic {
            target: target.name.clone(),
            source,
        })?;
        let writes = spec.mix.write > 0.0;
        let filler = writes
            .then(|| {
                filler_of(
                    spec,
                    target.size,
                    seed_for(options.seed, &[SEED_CONTENT, u64::from(spec.target.0)]),
                )
            })
            .transpose()?;
        if writes || !target.is_null() {
            stride = stride.max(spec.size.max().0);
        }
        let pace = Pace::of(step, share.stream, seed(SEED_ARRIVAL), share.rank, share.of);
        let priority = spec.priority.unwrap_or(u32::MAX);
        streams.push(StreamState::new(
            source,
            filler,
            pool as u32,
            pace,
            priority,
            target.size,
        ));
    }
    let mut files = Vec::new();
    let mut target_of_file = Vec::new();
    let mut pools = Vec::new();
    for share in &layout.pools {
        let target = &targets[share.target];
        let own: Vec<u32> = (0..layout.streams.len() as u32)
            .filter(|s| {
                step.streams[layout.streams[*s as usize].stream].target.0 as usize == share.target
            })
            .collect();
        let weights: Vec<f64> = own
            .iter()
            .map(|s| step.streams[layout.streams[*s as usize].stream].share)
            .collect();
        let first_file = files.len() as u32;
        for member in &target.members {
            target_of_file.push(target.name.clone());
            files.push(
                member
                    .file
                    .try_clone()
                    .map_err(|source| EngineError::Open {
                        path: member.path.display().to_string(),
                        source,
                    })?,
            );
        }
        let seed = seed_for(
            options.seed,
            &[SEED_CHOICE, share.target as u64, number as u64],
        );
        let pool = Pool::new(Arc::clone(target), first_file, own, weights, seed);
        pools.push((pool, share.slots));
    }
    let deficit = (mode == Mode::Shared).then(|| {
        let shares: Vec<f64> = layout
            .streams
            .iter()
            .map(|s| share_of(step, s.stream))
            .collect();
        Deficit::new(&shares)
    });
    Ok(Prepared {
        mode,
        pools,
        streams,
        deficit,
        budget: budget(step, number as u64, workers as u64),
        buffer_stride: stride.next_multiple_of(4096) as usize,
        files,
        target_of_file,
    })
}

fn filler_of(spec: &Stream, target_size: u64, seed: u64) -> Result<Filler, EngineError> {
    let bytes = match &spec.content {
        ContentSpec::File(path) => Some(std::fs::read(path).map_err(|e| content_error(path, e))?),
        _ => None,
    };
    Ok(Filler::new(
        content_plan(&spec.content, target_size, bytes),
        seed,
    ))
}

/// Worker `number`'s part of the step's limits: equal parts, the remainder to the first workers.
fn budget(step: &Step, number: u64, workers: u64) -> Budget {
    let part = |total: Option<u64>| {
        total.map_or(u64::MAX, |t| t / workers + u64::from(number < t % workers))
    };
    let l = &step.limits;
    Budget {
        ios: part(l.ios),
        bytes: part(l.bytes.map(|b| b.0)),
        by_op: [
            part(l.read_bytes.map(|b| b.0)),
            part(l.written_bytes.map(|b| b.0)),
            u64::MAX,
        ],
    }
}
