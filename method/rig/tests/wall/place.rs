//! A folder with a target, and with something that nobody may write.

use plimsoll_plan::{
    AddressSpec, Bytes, Caching, Depth, Item, Load, Location, Mix, Nanos, Pattern, Plan, Quota,
    SizeSpec, Step, Stream, Target, TargetId,
};
use plimsoll_rig::RunOptions;
use plimsoll_skipped::machine::Loop;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub const MIB: usize = 1 << 20;
/// Content that must be there at the end.
pub const PRECIOUS: &[u8] = b"years of work";

/// True where there is no wall to be tested.
pub fn no_wall() -> bool {
    let lacks = plimsoll_rig::wall_doubt().is_some();
    if lacks {
        plimsoll_skipped::skipped!("this kernel builds no whole wall around programs");
    }
    lacks
}

/// A folder of its own with a file `data` of zeros.
pub struct TestFolder {
    folder: tempfile::TempDir,
}

impl TestFolder {
    pub fn new() -> TestFolder {
        let folder = tempfile::tempdir().expect("a folder");
        let place = TestFolder { folder };
        std::fs::write(place.path("data"), vec![0; MIB]).expect("a file");
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The path as words.
    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Puts there what must stay.
    pub fn put_precious(&self, name: &str) {
        if let Some(parent) = self.path(name).parent() {
            std::fs::create_dir_all(parent).expect("a folder");
        }
        std::fs::write(self.path(name), PRECIOUS).expect("a file");
    }

    pub fn is_untouched(&self, name: &str) -> bool {
        std::fs::read(self.path(name)).is_ok_and(|found| found == PRECIOUS)
    }

    /// True where every byte is zero.
    pub fn is_zero(&self, name: &str) -> bool {
        is_zero(&self.path(name))
    }

    /// Plain fio on a job file of this text, as it is to be started.
    pub fn fio(&self, job: &str) -> Command {
        std::fs::write(self.path("job.fio"), job).expect("a job file");
        let mut command = Command::new("fio");
        command
            .arg("job.fio")
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }
}

pub fn is_zero(path: &Path) -> bool {
    std::fs::read(path)
        .expect("it is there")
        .iter()
        .all(|b| *b == 0)
}

/// True where fio is there.
pub fn has_fio() -> bool {
    let found = Command::new("fio").arg("--version").output().is_ok();
    if !found {
        plimsoll_skipped::skipped!("fio is not installed");
    }
    found
}

/// A plan that passes over the target once, and leave for it.
pub fn plan(target: &Path, mix: Mix) -> (Plan, RunOptions) {
    let id = TargetId(0);
    let size = SizeSpec::Fixed(Bytes(4096));
    let mut stream = Stream::new("w", id, mix, size, AddressSpec::whole(Pattern::ONE_PASS));
    stream.quota = Quota {
        ios: Some(16),
        ..Quota::default()
    };
    let depths = Depth::each([id], 1);
    let mut step = Step::new("s", vec![stream], depths, Load::Max, Nanos::secs(1));
    step.warmup = Nanos(0);
    let location = Location::Path(target.to_path_buf());
    let plan = Plan {
        max_errors: 1,
        seed: Some(1),
        ..Plan::new(
            vec![Target {
                caching: Caching::Buffered,
                ..Target::new("data", location)
            }],
            vec![Item::Step(step)],
        )
    };
    let options = RunOptions {
        destroy: vec![target.display().to_string()],
        allow_unwritten: true,
        ..RunOptions::default()
    };
    (plan, options)
}

/// One device at a time: `losetup` opens the devices that it looks through, and so would be seen using another test's.
static TURN: Mutex<()> = Mutex::new(());

/// Loop devices, each over a file of zeros of the place; `None` where this host lends none.
pub fn loops(place: &TestFolder, names: &[&str]) -> Option<(Vec<Loop>, MutexGuard<'static, ()>)> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut loops = Vec::new();
    for name in names {
        std::fs::write(place.path(name), vec![0; MIB]).expect("a file");
        match Loop::over(&place.path(name), &[]) {
            Ok(made) => loops.push(made),
            Err(why) => {
                plimsoll_skipped::skipped!("the loop device: {why}");
                return None;
            }
        }
    }
    Some((loops, turn))
}
