//! The targets of a plan: each file or device once for each way in which it is opened, and for each engine.

use crate::fio::engine::Engine;
use plimsoll_diagnostic::Span;
use plimsoll_plan::{Bytes, Caching, Durability, Location, RangeSpec, Stream, Target, TargetId};

/// What a stream is done on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    pub location: Location,
    /// What carries out the I/O; `None` where no file or device is touched.
    pub engine: Option<Engine>,
    pub caching: Caching,
    pub durability: Durability,
    pub align: Option<Bytes>,
    /// Where addresses count from.
    pub offset: Bytes,
    /// How much of it must be there; `None`: as much as there is.
    pub bytes: Option<u64>,
    /// Where it was named.
    pub span: Span,
    /// Where its size was said.
    pub size_span: Option<Span>,
}

/// The targets so far.
#[derive(Debug, Default)]
pub(super) struct Targets {
    targets: Vec<Target>,
    /// Some stream uses all that is there, whatever it is.
    whole: Vec<bool>,
    /// What carries out the I/O of each.
    engines: Vec<Option<Engine>>,
}

impl Targets {
    /// The target of that description, made where there is none.
    pub fn of(&mut self, wanted: Wanted) -> TargetId {
        let same = |t: &Target| {
            t.location == wanted.location
                && t.caching == wanted.caching
                && t.durability == wanted.durability
                && t.align == wanted.align
                && t.offset == wanted.offset
        };
        let mut numbered = self.targets.iter().zip(&self.engines);
        let at = match numbered.position(|(t, engine)| same(t) && *engine == wanted.engine) {
            Some(at) => at,
            None => self.add(&wanted),
        };
        let target = &mut self.targets[at];
        match wanted.bytes {
            None => self.whole[at] = true,
            Some(bytes) => {
                let bytes = Bytes(bytes);
                target.size = Some(target.size.map_or(bytes, |size| size.max(bytes)));
            }
        }
        TargetId(at as u32)
    }

    fn add(&mut self, wanted: &Wanted) -> usize {
        let mut target = Target {
            caching: wanted.caching,
            durability: wanted.durability,
            align: wanted.align,
            offset: wanted.offset,
            ..Target::new(self.name(&wanted.location), wanted.location.clone())
        };
        target.origins.note("name", wanted.span);
        target.origins.note("path", wanted.span);
        if wanted.location.tree().is_some() {
            target.origins.note("tree", wanted.span);
        }
        if let Some(span) = wanted.size_span {
            target.origins.note("size", span);
        }
        self.targets.push(target);
        self.whole.push(false);
        self.engines.push(wanted.engine);
        self.targets.len() - 1
    }

    /// What people call it; a second way of opening it has a number.
    fn name(&self, location: &Location) -> String {
        let name = match location {
            Location::Concat(paths) if paths.len() > 2 => {
                format!("{} and {} more", paths[0].display(), paths.len() - 1)
            }
            other => other.text(),
        };
        let taken = |name: &str| self.targets.iter().any(|t| t.name == name);
        let numbered = (2..).map(|n| format!("{name} ({n})"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !taken(name)).unwrap_or(name)
    }

    /// All targets, and what carries out the I/O of each. Those that some stream uses all of have the size that they have.
    pub fn finish(mut self) -> (Vec<Target>, Vec<Option<Engine>>) {
        for (target, whole) in self.targets.iter_mut().zip(&self.whole) {
            if *whole || !target.location.is_storage() {
                target.size = None;
            }
        }
        (self.targets, self.engines)
    }
}

/// A range that is all of its target is said so.
pub(super) fn widened(stream: &mut Stream, targets: &[Target]) {
    let target = &targets[stream.target.0 as usize];
    if let RangeSpec::Bytes(Bytes(0), to) = stream.address.range {
        let size = target.size.or(target.location.stated_size());
        if size == Some(to) {
            stream.address.range = RangeSpec::Whole;
        }
    }
}
