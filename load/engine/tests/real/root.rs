//! Devices and mounts for tests, where there's root; taken down when dropped.

pub use plimsoll_skipped::machine::output as command;
use std::path::{Path, PathBuf};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A mounted file system.
pub struct Mount {
    pub directory: tempfile::TempDir,
}

impl Mount {
    fn new(arguments: &[&str]) -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
        let mut all = arguments.to_vec();
        all.push(text(directory.path()));
        command("mount", &all)?;
        Ok(Mount { directory })
    }

    /// A tmpfs of so many bytes.
    pub fn tmpfs(bytes: u64) -> Result<Self, String> {
        let size = format!("size={bytes}");
        Mount::new(&["-t", "tmpfs", "-o", &size, "none"])
    }

    /// A fresh ext4 on a file.
    pub fn ext4(image: &Path) -> Result<Self, String> {
        command("mkfs.ext4", &["-q", "-F", text(image)])?;
        Mount::new(&["-o", "loop", text(image)])
    }

    /// Nothing is written any more until [`Mount::thaw`]: whoever tries hangs.
    pub fn freeze(&self) -> Result<(), String> {
        command("fsfreeze", &["--freeze", text(self.directory.path())]).map(drop)
    }

    pub fn thaw(&self) -> Result<(), String> {
        command("fsfreeze", &["--unfreeze", text(self.directory.path())]).map(drop)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily: a worker that was given up keeps its file until the process ends.
        let _ = command("umount", &["--lazy", text(self.directory.path())]);
    }
}

/// A loop device.
pub struct Loop {
    pub path: PathBuf,
}

impl Loop {
    pub fn new(image: &Path, sector: u32) -> Result<Self, String> {
        let sector = sector.to_string();
        let arguments = ["--find", "--show", "--sector-size", &sector, text(image)];
        let path = command("losetup", &arguments)?.into();
        Ok(Loop { path })
    }

    /// Takes the size of its file anew.
    pub fn resize(&self) -> Result<(), String> {
        command("losetup", &["--set-capacity", text(&self.path)]).map(drop)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = command("losetup", &["--detach", text(&self.path)]);
    }
}

/// A zram device.
pub struct Zram {
    number: String,
    pub path: PathBuf,
}

impl Zram {
    pub fn new(bytes: u64) -> Result<Self, String> {
        let why = |e: std::io::Error| format!("zram: {e}");
        let number = std::fs::read_to_string("/sys/class/zram-control/hot_add").map_err(why)?;
        let number = number.trim().to_string();
        let zram = Zram {
            path: format!("/dev/zram{number}").into(),
            number,
        };
        let size = format!("/sys/block/zram{}/disksize", zram.number);
        std::fs::write(size, bytes.to_string()).map_err(why)?;
        Ok(zram)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let reset = format!("/sys/block/zram{}/reset", self.number);
        let _ = std::fs::write(reset, "1");
        let _ = std::fs::write("/sys/class/zram-control/hot_remove", &self.number);
    }
}
