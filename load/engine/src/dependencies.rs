//! Streams that begin when others have ended, or end with them. Workers look at it once a sample.

use crate::layout::WorkerLayout;
use plimsoll_plan::{Dependency, Ends, Step, Window};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Dependencies of a step's streams, which all of its workers have in common.
#[derive(Debug)]
pub struct StreamDependencies {
    /// On how many workers each of the step's streams has not ended.
    left: Vec<AtomicU32>,
    dependencies: Vec<Dependency>,
    /// A stream has ended that ends all.
    all_end: AtomicBool,
    /// The groups of which a stream has ended that ends them.
    groups_end: BTreeMap<u32, AtomicBool>,
}

impl StreamDependencies {
    /// Dependencies of a step's streams; `None` where no stream has to do with another's end.
    pub fn of(step: &Step, layouts: &[WorkerLayout]) -> Option<Arc<StreamDependencies>> {
        let each = || step.streams.iter().map(|s| &s.dependency);
        if each().all(Dependency::is_none) {
            return None;
        }
        let mut left = vec![0; step.streams.len()];
        for share in layouts.iter().flat_map(|l| &l.streams) {
            left[share.stream] += 1;
        }
        Some(Arc::new(StreamDependencies {
            left: left.into_iter().map(AtomicU32::new).collect(),
            dependencies: each().cloned().collect(),
            all_end: AtomicBool::new(false),
            groups_end: each().map(|t| (t.group, AtomicBool::new(false))).collect(),
        }))
    }

    /// A worker's part of a stream has ended, and all its I/O is back.
    fn has_ended(&self, stream: usize) {
        if self.left[stream].fetch_sub(1, Ordering::SeqCst) > 1 {
            return;
        }
        let dependency = &self.dependencies[stream];
        let end = |flag: &AtomicBool| flag.store(true, Ordering::SeqCst);
        match dependency.ends {
            Ends::Itself => {}
            Ends::Group => self
                .groups_end
                .get(&dependency.group)
                .into_iter()
                .for_each(end),
            Ends::Step => end(&self.all_end),
        }
    }

    fn may_begin(&self, stream: usize) -> bool {
        let is_over = |s: &u32| {
            let left = self.left.get(*s as usize);
            left.is_none_or(|n| n.load(Ordering::SeqCst) == 0)
        };
        self.dependencies[stream].after.iter().all(is_over)
    }

    fn is_to_end(&self, stream: usize) -> bool {
        let group = self.groups_end.get(&self.dependencies[stream].group);
        self.all_end.load(Ordering::SeqCst) || group.is_some_and(|g| g.load(Ordering::SeqCst))
    }
}

/// Dependencies of one worker's streams.
pub struct WorkerDependencies {
    common: Arc<StreamDependencies>,
    parts: Vec<Part>,
    /// Others have ended some of its streams.
    pub(crate) was_ended: bool,
}

/// One of the worker's streams.
struct Part {
    /// The step's stream.
    stream: usize,
    /// Counted from its beginning, while that is not known.
    awaits: Option<Window>,
    /// Its end is known to all.
    reported: bool,
}

/// What is to be done with one of the worker's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// Start of the stream, in this window from now on.
    Begin(Window),
    /// End of the stream, now.
    End,
}

impl WorkerDependencies {
    /// Dependencies of a worker with these streams.
    pub fn of(common: &Arc<StreamDependencies>, step: &Step, layout: &WorkerLayout) -> Self {
        let part = |stream: usize| {
            let spec = &step.streams[stream];
            Part {
                stream,
                awaits: spec.dependency.waits().then_some(spec.window),
                reported: false,
            }
        };
        WorkerDependencies {
            common: Arc::clone(common),
            parts: layout.streams.iter().map(|s| part(s.stream)).collect(),
            was_ended: false,
        }
    }

    /// Whether one of the worker's streams waits for others.
    pub(crate) fn awaits(&self, index: usize) -> bool {
        self.parts[index].awaits.is_some()
    }

    /// Whether nobody knows yet that a stream has ended.
    pub(crate) fn is_untold(&self, index: usize) -> bool {
        !self.parts[index].reported
    }

    /// A stream has ended here, and its I/O is back.
    pub(crate) fn tell(&mut self, index: usize) {
        let part = &mut self.parts[index];
        if !std::mem::replace(&mut part.reported, true) {
            self.common.has_ended(part.stream);
        }
    }

    /// What others' ends mean for a stream that has not ended.
    pub(crate) fn change(&mut self, index: usize) -> Option<Change> {
        let part = &mut self.parts[index];
        if self.common.is_to_end(part.stream) {
            part.awaits = None;
            self.was_ended = true;
            return Some(Change::End);
        }
        let waits = part.awaits.is_some() && self.common.may_begin(part.stream);
        waits
            .then(|| part.awaits.take())
            .flatten()
            .map(Change::Begin)
    }
}
