//! Permits on real devices. Needs root; what cannot be set up here is skipped with its reason.

mod in_use;
mod labels;
mod same_storage;

use plimsoll_permit::Refusal;
use plimsoll_permit::target::{FoundPath, Ground, OpenFlags, WritePermit, destroy_name, look_up};
use plimsoll_skipped::machine::output;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

const MIB: u64 = 1 << 20;

/// One device at a time: `losetup` opens the devices that it looks through, and so would be seen using another test's.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A loop device over a file of holes; detached when dropped.
struct Loop {
    device: PathBuf,
    file: PathBuf,
    folder: tempfile::TempDir,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Loop {
    fn new(size: u64) -> Result<Self, String> {
        let turn = turn();
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Loop::in_folder(folder, size, Some(turn))
    }

    fn in_folder(
        folder: tempfile::TempDir,
        size: u64,
        turn: Option<MutexGuard<'static, ()>>,
    ) -> Result<Self, String> {
        let real = folder.path().canonicalize();
        let file = real.map_err(|error| error.to_string())?.join("disk");
        Loop::on(file, folder, size, turn)
    }

    /// Over a file of that path.
    fn on(
        file: PathBuf,
        folder: tempfile::TempDir,
        size: u64,
        turn: Option<MutexGuard<'static, ()>>,
    ) -> Result<Self, String> {
        let made = File::create(&file).and_then(|made| made.set_len(size));
        made.map_err(|error| error.to_string())?;
        let device = output(
            "losetup",
            &["--find", "--show", &file.display().to_string()],
        )?;
        Ok(Loop {
            device: PathBuf::from(device),
            file,
            folder,
            _turn: turn,
        })
    }

    /// With an ext4, mounted; the caller has the turn, as it may want two, and unmounts it.
    fn mountable() -> Result<(Self, PathBuf), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let disk = Loop::in_folder(folder, 16 * MIB, None)?;
        let device = disk.device.display().to_string();
        output("mkfs.ext4", &["-q", "-F", &device])?;
        let point = disk.folder.path().join("mounted");
        std::fs::create_dir(&point).map_err(|error| error.to_string())?;
        output("mount", &[&device, &point.display().to_string()])?;
        Ok((disk, point))
    }

    fn name(&self) -> Vec<String> {
        vec![self.file.display().to_string()]
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = output("losetup", &["--detach", &self.device.display().to_string()]);
    }
}

/// A zram device; removed when dropped.
struct Zram {
    number: String,
    _turn: MutexGuard<'static, ()>,
}

impl Zram {
    fn new(size: u64) -> Result<Self, String> {
        let _turn = turn();
        let number = std::fs::read_to_string("/sys/class/zram-control/hot_add")
            .map_err(|error| format!("zram: {error}"))?
            .trim()
            .to_string();
        let zram = Zram { number, _turn };
        std::fs::write(
            format!("/sys/block/zram{}/disksize", zram.number),
            size.to_string(),
        )
        .map_err(|error| format!("zram: {error}"))?;
        Ok(zram)
    }

    fn device(&self) -> PathBuf {
        PathBuf::from(format!("/dev/zram{}", self.number))
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = std::fs::write(format!("/sys/block/zram{}/reset", self.number), "1");
        let _ = std::fs::write("/sys/class/zram-control/hot_remove", &self.number);
    }
}

/// Unmounts when dropped.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = output("umount", &[&self.0.display().to_string()]);
    }
}

/// What these tests write as Plimsoll's: bytes of 1 and 2.
fn is_ours(hint: &str, bytes: &[u8], part: std::ops::Range<usize>) -> bool {
    ["", "hint"].contains(&hint) && bytes[part].iter().all(|byte| *byte <= 2)
}

/// Leave to write to whatever lies at the path.
fn assess(path: &Path, destroy: &[String]) -> Result<WritePermit, Refusal> {
    match look_up(path)? {
        FoundPath::There(held) => plimsoll_permit::target::assess(held, destroy, &is_ours),
        FoundPath::Missing(_) => panic!("{} is there", path.display()),
    }
}

/// The value, or a printed reason and the end of the test.
macro_rules! or_skip {
    ($made:expr) => {
        match $made {
            Ok(made) => made,
            Err(reason) => {
                plimsoll_skipped::skipped!("{reason}");
                return;
            }
        }
    };
}
pub(crate) use or_skip;

/// All bytes of a file, for a comparison that knows nothing of how they got there.
fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

/// First sector, where the label is, of a device that may be larger than memory.
fn first_sector(path: &Path) -> Vec<u8> {
    let mut sector = vec![0; 512];
    File::open(path)
        .unwrap()
        .read_exact_at(&mut sector, 0)
        .unwrap();
    sector
}

#[test]
fn a_blank_device_is_writable_and_held_until_the_permit_goes() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let permit = assess(&disk.device, &[]).unwrap();
    assert_eq!(permit.ground(), Ground::Blank);
    let exclusive = || plimsoll_witness::occupancy::claim(&disk.device);
    assert!(exclusive().is_err());
    let second = assess(&disk.device, &[]).unwrap();
    drop(permit);
    assert!(exclusive().is_err());
    drop(second);
    assert!(exclusive().is_ok());
}

#[test]
fn a_file_system_needs_its_stable_name_and_not_its_node() {
    for make in ["mkfs.ext4", "mkfs.xfs"] {
        let disk = or_skip!(Loop::new(320 * MIB));
        or_skip!(output(make, &["-q", &disk.device.display().to_string()]));
        let kind = make.trim_start_matches("mkfs.");
        let node = [disk.device.display().to_string()];
        for destroy in [&[][..], &node] {
            let refusal = assess(&disk.device, destroy).unwrap_err();
            assert!(refusal.why.contains(kind), "{refusal}");
            let flag = format!("--destroy {}", disk.file.display());
            assert!(refusal.remedy.ends_with(&flag), "{refusal}");
        }
        assert_eq!(
            assess(&disk.device, &disk.name()).unwrap().ground(),
            Ground::Named
        );
    }
}

#[test]
fn one_data_block_far_from_both_ends_of_a_written_device_is_found() {
    let disk = or_skip!(Loop::new(64 * MIB));
    let device = File::options().write(true).open(&disk.device).unwrap();
    device
        .write_all_at(&vec![1; 16 * MIB as usize], 24 * MIB)
        .unwrap();
    device.sync_all().unwrap();
    drop(device);
    let refusal = assess(&disk.device, &[]).unwrap_err();
    assert!(
        refusal.why.contains("data, first seen at byte"),
        "{refusal}"
    );
}

#[test]
fn zram_goes_by_its_kernel_name() {
    let zram = or_skip!(Zram::new(16 * MIB));
    assert_eq!(assess(&zram.device(), &[]).unwrap().ground(), Ground::Blank);
    let name = format!("zram{}", zram.number);
    assert_eq!(destroy_name(&zram.device()), name);
    let device = File::options().write(true).open(zram.device()).unwrap();
    device.write_all_at(&[5; 4096], 0).unwrap();
    device.sync_all().unwrap();
    drop(device);
    assert!(assess(&zram.device(), &[]).is_err());
    assert_eq!(
        assess(&zram.device(), &[name]).unwrap().ground(),
        Ground::Named
    );
}
