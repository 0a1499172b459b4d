//! A step on real targets, from a plan's words to what came of it.

use plimsoll_engine::backend::choose::{BackendKind, Host};
use plimsoll_engine::backend::nbd;
use plimsoll_engine::worker::Failure;
use plimsoll_engine::{
    Control, EngineError, MergedInterval, OpenTarget, Options, Outcome, Permits, run_step,
};
use plimsoll_measure::IntervalStats;
use plimsoll_permit::target::{self as permits, FoundPath, WritePermit};
use plimsoll_plan::*;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const MIB: u64 = 1 << 20;

/// What a run needs; change the parts that a test is about.
pub struct Run {
    pub step: Step,
    pub targets: Vec<Target>,
    pub options: Options,
}

/// What came of it.
#[derive(Debug)]
pub struct Done {
    pub outcome: Outcome,
    pub stats: IntervalStats,
    pub failures: Vec<Failure>,
}

/// A file of random bytes in a directory of its own, on the disk under the system's temporary directory.
pub struct Scratch {
    /// Removed when this is dropped.
    _directory: tempfile::TempDir,
    pub path: PathBuf,
}

impl Scratch {
    pub fn new(bytes: u64) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("data");
        let noise = plimsoll_content::Filler::new(plimsoll_content::ContentPlan::Unique, 99);
        let mut data = vec![0; bytes as usize];
        noise.fill(&mut data, 0, 0);
        let mut file = std::fs::File::create(&path).expect("a file");
        file.write_all(&data).expect("written");
        file.sync_all().expect("synced");
        Scratch {
            _directory: directory,
            path,
        }
    }
}

pub fn target(path: &Path) -> Target {
    Target::new(path.display().to_string(), Location::Path(path.into()))
}

/// Opens a target; for writing with a permit for whatever is on it.
pub fn open(target: &Target, write: bool) -> Result<OpenTarget, EngineError> {
    let permits = match &target.location {
        _ if !write => Permits::ReadOnly,
        Location::Nbd(volume) => {
            Permits::Export(nbd::permit(volume, &[volume.to_string()]).expect("a permit"))
        }
        location => Permits::Members(location.paths().iter().map(|path| permit(path)).collect()),
    };
    OpenTarget::open(target, permits)
}

fn permit(path: &Path) -> WritePermit {
    let names = [permits::destroy_name(path), path.display().to_string()];
    match permits::look_up(path) {
        Ok(FoundPath::There(held)) => {
            permits::assess(held, &names, &|_, _, _| false).expect("a permit")
        }
        other => panic!("{other:?}"),
    }
}

/// A pattern that touches every block once.
pub fn every_block_once() -> Pattern {
    Pattern::COVERING
}

pub fn one_pass() -> Pattern {
    Pattern::ONE_PASS
}

pub const READS: Mix = Mix::READS;
pub const WRITES: Mix = Mix::WRITES;
pub const TRIMS: Mix = Mix::TRIMS;

impl Run {
    /// One stream of 4 KiB I/Os on each target, 8 slots each, two workers; a minute at most.
    pub fn new(kind: BackendKind, targets: Vec<Target>, mix: Mix, pattern: Pattern) -> Self {
        let ids = 0..targets.len() as u32;
        let stream = |t: u32| {
            Stream::new(
                "w",
                TargetId(t),
                mix,
                SizeSpec::Fixed(Bytes(4096)),
                AddressSpec::whole(pattern.clone()),
            )
        };
        let step = Step {
            workers: Workers {
                count: Some(2),
                pin: None,
                punctual: false,
            },
            ..Step::new(
                "s",
                ids.clone().map(stream).collect(),
                Depth::each(ids.map(TargetId), 8),
                Load::Max,
                Nanos::secs(60),
            )
        };
        let options = Options {
            drain: Nanos::secs(10),
            cpus: 2,
            kinds: vec![kind; targets.len()],
            ..Options::new(7)
        };
        Run {
            step,
            targets,
            options,
        }
    }

    pub fn ios(mut self, ios: u64) -> Self {
        self.step.limits.ios = Some(ios);
        self
    }

    pub fn open(&self) -> Vec<Arc<OpenTarget>> {
        let open = |t| open(t, self.step.writes()).map(Arc::new);
        self.targets
            .iter()
            .map(open)
            .collect::<Result<_, _>>()
            .expect("targets open")
    }

    pub fn go(&self) -> Done {
        self.try_go(|_, _| {}).expect("runs")
    }

    /// Runs, and tells of each interval as it ends.
    pub fn try_go(&self, each: impl FnMut(&MergedInterval, &Control)) -> Result<Done, EngineError> {
        self.on(&self.open(), each)
    }

    /// The same on targets that are open already, for a step that follows another.
    pub fn on(
        &self,
        targets: &[Arc<OpenTarget>],
        mut each: impl FnMut(&MergedInterval, &Control),
    ) -> Result<Done, EngineError> {
        let control = Control::default();
        let mut stats = IntervalStats::default();
        let mut failures = Vec::new();
        let outcome = run_step(&self.step, targets, &self.options, &control, |merged| {
            stats.merge(&merged.stats);
            failures.extend(merged.failures.iter().cloned());
            each(&merged, &control);
        })?;
        Ok(Done {
            outcome,
            stats,
            failures,
        })
    }
}

impl Done {
    /// Ended by its limit or its streams' ends, with nothing lost and nothing failed.
    pub fn is_clean(&self) -> bool {
        let o = &self.outcome;
        o.limit
            && !o.stopped
            && !o.too_many_errors
            && o.lost.is_empty()
            && o.errors == 0
            && o.stuck_workers == 0
    }
}

/// Does something by each backend that this host allows; says which it does not.
pub fn by_each(mut what: impl FnMut(BackendKind)) {
    let host = Host::probe();
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut any = target(file.path());
    any.caching = Caching::Buffered;
    let any = open(&any, false).expect("opens");
    for kind in [
        BackendKind::Uring(Polling::NONE),
        BackendKind::Libaio,
        BackendKind::Psync,
    ] {
        match host.choose(&any, Some(kind)) {
            Ok(_) => what(kind),
            Err(e) => plimsoll_skipped::skipped!("{kind}: {e}"),
        }
    }
}

/// The ways to the file that its file system allows.
pub fn cachings(path: &Path) -> Vec<Caching> {
    match open(&target(path), false) {
        Ok(_) => vec![Caching::Direct, Caching::Buffered],
        Err(e) => {
            plimsoll_skipped::skipped!("direct I/O: {e}");
            vec![Caching::Buffered]
        }
    }
}
