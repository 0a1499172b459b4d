//! Permits on real devices. Needs root; what cannot be set up here is skipped with its reason.

use plimsoll_permit::Refusal;
use plimsoll_permit::target::{Ground, OpenFlags, Place, WritePermit, destroy_name, look_up};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

const MIB: u64 = 1 << 20;

/// Runs a program; its output where it succeeds.
fn output(program: &str, words: &[&str]) -> Result<String, String> {
    let done = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    if done.status.success() {
        Ok(String::from_utf8_lossy(&done.stdout).trim().to_string())
    } else {
        Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        ))
    }
}

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
        let file = folder
            .path()
            .canonicalize()
            .map_err(|error| error.to_string())?
            .join("disk");
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

    /// With an ext4, mounted; the caller unmounts it.
    fn mountable() -> Result<(Self, PathBuf), String> {
        // Two at a time are needed, and nobody looks through devices meanwhile that they do not know.
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

/// Leave to write to whatever lies at the path.
fn assess(path: &Path, destroy: &[String]) -> Result<WritePermit, Refusal> {
    match look_up(path)? {
        Place::There(held) => plimsoll_permit::target::assess(held, destroy),
        Place::Missing(_) => panic!("{} is there", path.display()),
    }
}

/// The value, or a printed reason and the end of the test.
macro_rules! or_skip {
    ($made:expr) => {
        match $made {
            Ok(made) => made,
            Err(reason) => {
                println!("skipped: {reason}");
                return;
            }
        }
    };
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
fn a_device_that_somebody_holds_is_refused_even_by_name() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let _held = plimsoll_witness::occupancy::claim(&disk.device).unwrap();
    let refusal = assess(&disk.device, &disk.name()).unwrap_err();
    assert!(refusal.why.contains("in use"), "{refusal}");
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
fn a_mounted_device_is_refused_even_by_name() {
    let disk = or_skip!(Loop::new(32 * MIB));
    or_skip!(output(
        "mkfs.ext4",
        &["-q", &disk.device.display().to_string()]
    ));
    let point = disk.folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    let words = [
        disk.device.display().to_string(),
        point.display().to_string(),
    ];
    or_skip!(output("mount", &[&words[0], &words[1]]));
    let mounted = Mounted(&point);
    let refusal = assess(&disk.device, &disk.name()).unwrap_err();
    assert!(refusal.why.contains("is mounted at"), "{refusal}");
    assert!(refusal.remedy.contains("umount"), "{refusal}");
    drop(mounted);
    assert!(assess(&disk.device, &disk.name()).is_ok());
}

#[test]
fn a_file_under_a_loop_device_is_refused_even_by_name() {
    let disk = or_skip!(Loop::new(8 * MIB));
    let refusal = assess(&disk.file, &disk.name()).unwrap_err();
    assert!(
        refusal.why.contains("in use") && refusal.remedy.contains("losetup -d"),
        "{refusal}"
    );
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

/// All bytes of a file, for a comparison that knows nothing of how they got there.
fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[test]
fn every_name_of_a_mounted_devices_file_is_refused() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let device = disk.device.display().to_string();
    or_skip!(output("mkfs.ext4", &["-q", &device]));
    let point = disk.folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    or_skip!(output("mount", &[&device, &point.display().to_string()]));
    let _mounted = Mounted(&point);
    let before = bytes(&disk.file);

    let hard_link = disk.folder.path().join("hard-link");
    std::fs::hard_link(&disk.file, &hard_link).unwrap();
    let bound = disk.folder.path().join("bound");
    File::create(&bound).unwrap();
    or_skip!(output(
        "mount",
        &[
            "--bind",
            &disk.file.display().to_string(),
            &bound.display().to_string()
        ]
    ));
    let bound_mount = Mounted(&bound);
    for name in [&hard_link, &bound] {
        let named = [name.display().to_string()];
        for destroy in [&[][..], &named, &disk.name()] {
            let refusal = assess(name, destroy).unwrap_err();
            assert!(refusal.why.contains("is part of loop"), "{refusal}");
        }
    }
    drop(bound_mount);
    assert_eq!(bytes(&disk.file), before);
}

#[test]
fn a_file_whose_name_ends_in_a_blank_is_known_under_its_loop_device() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk ");
    File::create(&file).unwrap().set_len(8 * MIB).unwrap();
    let name = file.display().to_string();
    let device = or_skip!(output("losetup", &["--find", "--show", &name]));
    let refusal = assess(&file, &[]);
    output("losetup", &["--detach", &device]).unwrap();
    assert!(refusal.unwrap_err().why.contains("is part of loop"));
}

#[test]
fn a_swap_files_hard_link_is_refused() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("swap");
    std::fs::write(&file, vec![0; 4 * MIB as usize]).unwrap();
    let name = file.display().to_string();
    or_skip!(output("chmod", &["600", &name]));
    or_skip!(output("mkswap", &[&name]));
    or_skip!(output("swapon", &[&name]));
    let link = folder.path().join("link");
    std::fs::hard_link(&file, &link).unwrap();
    let refusals = [&file, &link].map(|path| assess(path, &[path.display().to_string()]));
    output("swapoff", &[&name]).unwrap();
    for refusal in refusals {
        let refusal = refusal.unwrap_err();
        assert!(refusal.why.contains("swap space in use"), "{refusal}");
    }
}

#[test]
fn a_device_under_a_mounted_loop_device_is_refused_by_every_node() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let lower = disk.device.display().to_string();
    or_skip!(output("mkfs.ext4", &["-q", &lower]));
    let upper = or_skip!(output("losetup", &["--find", "--show", &lower]));
    let point = disk.folder.path().join("mounted");
    std::fs::create_dir(&point).unwrap();
    let mounted = output("mount", &[&upper, &point.display().to_string()]);
    let guard = Mounted(&point);
    let alias = disk.folder.path().join("alias");
    let number = std::os::unix::fs::MetadataExt::rdev(&std::fs::metadata(&lower).unwrap());
    let (major, minor) = (number >> 8, number & 0xff);
    let made = output(
        "mknod",
        &[
            &alias.display().to_string(),
            "b",
            &major.to_string(),
            &minor.to_string(),
        ],
    );
    let refusals = [disk.device.as_path(), &alias].map(|path| assess(path, &disk.name()));
    drop(guard);
    output("losetup", &["--detach", &upper]).unwrap();
    or_skip!(mounted.and(made));
    for refusal in refusals {
        let refusal = refusal.unwrap_err();
        assert!(refusal.why.contains("in use"), "{refusal}");
    }
}

#[test]
fn a_device_that_was_written_when_blank_is_known_again_until_it_is_something_else() {
    let disk = or_skip!(Loop::new(32 * MIB));
    let write = |permit: WritePermit, byte: u8| {
        let open = permit.open(OpenFlags::empty()).unwrap();
        open.hold.begin().unwrap();
        open.file.write_all_at(&[byte; 8192], MIB).unwrap();
        open.file.sync_all().unwrap();
    };
    let permit = assess(&disk.device, &[]).unwrap();
    assert_eq!(permit.ground(), Ground::Blank);
    write(permit, 1);
    let permit = assess(&disk.device, &[]).unwrap();
    assert_eq!(permit.ground(), Ground::Made);
    write(permit, 2);
    drop(assess(&disk.device, &[]).unwrap());

    or_skip!(
        output(
            "mkfs.xfs",
            &["-q", "-f", &disk.device.display().to_string()]
        )
        .or_else(|_| output(
            "mkfs.ext4",
            &["-q", "-F", &disk.device.display().to_string()]
        ))
    );
    assert!(assess(&disk.device, &[]).is_err());
}

#[test]
fn a_label_that_was_copied_to_another_device_allows_nothing() {
    let disk = or_skip!(Loop::new(16 * MIB));
    let permit = assess(&disk.device, &[]).unwrap();
    let open = permit.open(OpenFlags::empty()).unwrap();
    open.hold.begin().unwrap();
    open.file.write_all_at(&[7; 8192], MIB).unwrap();
    open.file.sync_all().unwrap();
    drop(open);
    let copy = disk.folder.path().join("copy");
    std::fs::copy(&disk.file, &copy).unwrap();
    let name = copy.display().to_string();
    let device = or_skip!(output("losetup", &["--find", "--show", &name]));
    let refusal = assess(Path::new(&device), &[]);
    output("losetup", &["--detach", &device]).unwrap();
    assert!(refusal.unwrap_err().why.contains("it holds data"));
}

#[test]
fn a_link_that_is_swapped_after_the_look_leads_nowhere() {
    let disk = or_skip!(Loop::new(16 * MIB));
    let precious = disk.folder.path().join("precious");
    std::fs::write(&precious, vec![5; MIB as usize]).unwrap();
    let link = disk.folder.path().join("link");
    std::os::unix::fs::symlink(&disk.device, &link).unwrap();
    let permit = assess(&link, &[]).unwrap();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&precious, &link).unwrap();
    let open = permit.open(OpenFlags::empty()).unwrap();
    open.file.write_all_at(&[9; 4096], 8192).unwrap();
    open.file.sync_all().unwrap();
    assert_eq!(bytes(&precious), vec![5; MIB as usize]);
    assert_eq!(bytes(&disk.file)[8192..8192 + 4096], [9; 4096]);
}

#[test]
fn a_loop_device_beside_one_that_is_used_is_refused() {
    let disk = or_skip!(Loop::new(64 * MIB));
    let file = disk.file.display().to_string();
    let half = (32 * MIB).to_string();
    let words = ["--find", "--show", "--offset", &half, &file];
    let sibling = or_skip!(output("losetup", &words));
    let refusals = [&[][..], &disk.name()].map(|destroy| assess(&disk.device, destroy));
    output("losetup", &["--detach", &sibling]).unwrap();
    for refusal in refusals {
        let refusal = refusal.unwrap_err();
        assert!(
            refusal.why.contains("is made of is part of loop"),
            "{refusal}"
        );
    }

    // Parts that have nothing in common are no business of each other's.
    let first = or_skip!(output(
        "losetup",
        &["--find", "--show", "--sizelimit", &half, &file]
    ));
    output("losetup", &["--detach", &disk.device.display().to_string()]).unwrap();
    let second = or_skip!(output("losetup", &words));
    let permit = assess(Path::new(&second), &[]);
    let allowed = permit.is_ok();
    drop(permit);
    for device in [&first, &second] {
        output("losetup", &["--detach", device]).unwrap();
    }
    assert!(allowed);
}

#[test]
fn a_loop_device_whose_file_somebody_writes_is_refused() {
    let disk = or_skip!(Loop::new(16 * MIB));
    let mut child = Command::new("sleep")
        .arg("60")
        .stdout(File::options().append(true).open(&disk.file).unwrap())
        .spawn()
        .unwrap();
    let refusal = assess(&disk.device, &disk.name());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(refusal.unwrap_err().why.contains("open for writing"));
}

#[test]
fn a_mark_says_nothing_on_another_file_system_with_the_same_inode() {
    let disks = [or_skip!(Loop::mountable()), or_skip!(Loop::mountable())];
    let paths: Vec<PathBuf> = disks.iter().map(|(_, point)| point.join("file")).collect();
    let new = match look_up(&paths[0]).unwrap() {
        Place::Missing(new) => new.unwrap(),
        Place::There(_) => panic!("nothing is there"),
    };
    let created = new.create().unwrap();
    created.keep().unwrap();
    std::fs::write(&paths[0], [7; 8192]).unwrap();
    let copied = output(
        "cp",
        &[
            "--preserve=all",
            &paths[0].display().to_string(),
            &paths[1].display().to_string(),
        ],
    );
    let verdicts: Vec<bool> = paths.iter().map(|path| assess(path, &[]).is_ok()).collect();
    for (_, point) in &disks {
        let _ = output("umount", &[&point.display().to_string()]);
    }
    copied.unwrap();
    assert_eq!(verdicts, [true, false]);
}
