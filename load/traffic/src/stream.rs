//! The I/Os of one workload on one target.

use crate::address::finder::Finder;
use crate::address::hits::Hits;
use crate::address::region::Region;
use crate::address::shape::{Rank, Shape};
use crate::error::TrafficError;
use crate::generator::Generator;
use crate::io::Io;
use crate::mix::{Operations, Sizes};
use crate::seed::seed_for;
use crate::source::SourceReader;
use plimsoll_plan::{Bytes, Op, Pattern, Quota, Stream};

/// One worker's part of a stream: a pure function of the plan, the seed and the worker.
#[derive(Debug, Clone)]
pub struct StreamSource {
    generator: Generator,
    operations: Operations,
    sizes: Sizes,
    finder: Finder,
    hits: Option<Box<Hits>>,
    /// What the I/O before did, where runs do one thing; nothing before the first.
    run_op: Option<Option<Op>>,
    left: Option<Box<Left>>,
    /// Where its I/Os come from, where they are not drawn.
    read_from: Option<Box<SourceReader>>,
    /// It is fed, it has hits, runs that do one thing, or an end of its own.
    special: bool,
}

/// What a stream may still do.
#[derive(Debug, Clone)]
struct Left {
    bytes: u64,
    ios: u64,
}

impl Left {
    fn of(quota: Quota) -> Option<Box<Left>> {
        (!quota.is_none()).then(|| {
            Box::new(Left {
                bytes: quota.bytes.map_or(u64::MAX, |b| b.0),
                ios: quota.ios.unwrap_or(u64::MAX),
            })
        })
    }

    /// Takes one I/O off; `None` where it does not fit any more, and then none ever does.
    fn spend(&mut self, io: Io) -> Option<Io> {
        let left = (
            self.bytes.checked_sub(io.length.into()),
            self.ios.checked_sub(1),
        );
        let (Some(bytes), Some(ios)) = left else {
            self.ios = 0;
            return None;
        };
        (self.bytes, self.ios) = (bytes, ios);
        Some(io)
    }
}

/// Most workers that may share a stream; `None`: any number. One where its addresses follow from each other (sequential, percent random,
/// stride), where it ends with a count of what it did, or where its I/Os come from elsewhere, and as many as there are streams where there
/// are several.
pub fn workers_at_most(stream: &Stream) -> Option<u32> {
    match stream.quota.is_none() && stream.source.is_none() {
        true => orders(stream),
        false => Some(1),
    }
}

/// How many orders its addresses have; `None` where each stands for itself.
fn orders(stream: &Stream) -> Option<u32> {
    match stream.address.pattern {
        Pattern::Random { .. } => None,
        Pattern::PercentRandom(percent) | Pattern::PartRandom { percent, .. } => {
            (percent < 100.0).then_some(1)
        }
        Pattern::Sequential { .. }
        | Pattern::SequentialEach
        | Pattern::Stride { .. }
        | Pattern::Backward { .. }
        | Pattern::Zones { .. }
        | Pattern::Runs { .. } => Some(1),
        Pattern::Streams(count) => Some(count.max(1)),
    }
}

impl StreamSource {
    /// Worker `worker` of `workers`'s part of a stream on a target of `target_size` usable bytes with logical blocks of
    /// `logical_block` bytes. `align`: addresses are multiples of it, else of the transfer size. `device`: the first
    /// place of the target is never touched. All workers of a stream get the same seed.
    #[allow(
        clippy::too_many_arguments,
        reason = "one flat list is what the engine has at hand"
    )]
    pub fn new(
        stream: &Stream,
        target_size: u64,
        logical_block: u32,
        align: Option<u64>,
        device: bool,
        seed: u64,
        worker: u32,
        workers: u32,
    ) -> Result<Self, TrafficError> {
        if worker >= workers {
            return Err(TrafficError::Worker { worker, workers });
        }
        let block = logical_block.max(1);
        let align = align.filter(|a| *a > 0);
        if let Some(a) = align.filter(|a| !a.is_multiple_of(block.into())) {
            return Err(TrafficError::Unaligned {
                what: "alignment",
                value: Bytes(a),
                block: Bytes(block.into()),
            });
        }
        let mut generator = Generator::new(seed_for(seed, &[0, worker.into()]));
        let operations = Operations::new(&stream.mix)?;
        let sizes = Sizes::new(&stream.size, &stream.mix, block)?;
        let whole = Region::new(stream.address.range, target_size, block)?;
        let shape_of = |region| Shape {
            region,
            largest: sizes.largest().into(),
            align,
            block: block.into(),
            spare_first: device,
            fixed: matches!(sizes, Sizes::Fixed(_)),
        };
        let hits = match &stream.address.hits {
            Some(spec) => Hits::new(
                spec,
                &stream.address.pattern,
                &stream.mix,
                &sizes,
                &shape_of(whole),
                seed,
            )?,
            None => None,
        };
        let (hits, region) = match hits {
            Some((hits, misses)) => (Some(Box::new(hits)), misses),
            None => (None, whole),
        };
        let quota = stream.quota.resolved(whole.len());
        let rank = Rank { worker, workers };
        let mut shape = shape_of(region);
        if orders(stream) == Some(1) && workers > 1 {
            // Of one host only one worker has such a stream, but there may be others.
            shape = shape.part(rank);
        }
        let finder = Finder::new(
            &stream.address.pattern,
            &sizes,
            &shape,
            seed,
            rank,
            &mut generator,
        )?;
        let whole_runs = matches!(
            stream.address.pattern,
            Pattern::PartRandom {
                whole_runs: true,
                ..
            }
        );
        let run_op = whole_runs.then_some(None);
        let left = Left::of(quota.part(worker, workers));
        Ok(StreamSource {
            generator,
            operations,
            sizes,
            finder,
            special: hits.is_some() || run_op.is_some() || left.is_some(),
            run_op,
            hits,
            left,
            read_from: None,
        })
    }

    /// Has nothing more to do from now on.
    pub fn end(&mut self) {
        self.special = true;
        self.left = Some(Box::new(Left { bytes: 0, ios: 0 }));
    }

    /// Source with I/Os that come from elsewhere.
    pub fn read_from(self, read_from: SourceReader) -> Self {
        StreamSource {
            read_from: Some(Box::new(read_from)),
            special: true,
            ..self
        }
    }

    /// The next I/O; `None` when the stream is over: after a single sequential pass, or its quota.
    #[inline]
    #[allow(
        clippy::should_implement_trait,
        reason = "mostly endless, and not to be adapted on the hot path"
    )]
    pub fn next(&mut self) -> Option<Io> {
        match self.special {
            true => self.next_special(),
            false => self.next_plain(),
        }
    }

    #[inline(always)]
    fn next_plain(&mut self) -> Option<Io> {
        let op = self.operations.draw(&mut self.generator);
        let (class, length) = self.sizes.draw(op, &mut self.generator);
        let (offset, length) =
            self.finder
                .next(class, length, op != Op::Read, &mut self.generator)?;
        Some(Io {
            offset,
            length,
            op,
            hit: false,
        })
    }

    fn next_special(&mut self) -> Option<Io> {
        if let Some(read_from) = &mut self.read_from {
            return read_from.next();
        }
        let io = match (self.run_op, &self.hits) {
            (Some(before), None) => self.next_of_run(before),
            (None, None) => self.next_plain(),
            (_, Some(_)) => {
                let op = self.operations.draw(&mut self.generator);
                let (class, length) = self.sizes.draw(op, &mut self.generator);
                self.next_with_hits(op, class, length)
            }
        }?;
        match &mut self.left {
            None => Some(io),
            Some(left) => left.spend(io),
        }
    }

    /// Whether it continues is drawn first: what continues does what the I/O before did.
    fn next_of_run(&mut self, before: Option<Op>) -> Option<Io> {
        let fresh = self.finder.begins_anew(&mut self.generator);
        let op = match before {
            Some(before) if !fresh => before,
            _ => self.operations.draw(&mut self.generator),
        };
        self.run_op = Some(Some(op));
        let (class, length) = self.sizes.draw(op, &mut self.generator);
        let offset = self
            .finder
            .go(fresh, class, length, op != Op::Read, &mut self.generator)?;
        Some(Io {
            offset,
            length,
            op,
            hit: false,
        })
    }

    fn next_with_hits(&mut self, op: Op, class: usize, length: u32) -> Option<Io> {
        let hits = self.hits.as_mut()?;
        let io = |offset, length, hit| Io {
            offset,
            length,
            op,
            hit,
        };
        if let Some(offset) = hits.draw(op, class, length, &mut self.generator) {
            return Some(io(offset, length, true));
        }
        loop {
            let (offset, length) =
                self.finder
                    .next(class, length, op != Op::Read, &mut self.generator)?;
            if !hits.overlaps(offset, length) {
                return Some(io(offset, length, false));
            }
        }
    }
}
