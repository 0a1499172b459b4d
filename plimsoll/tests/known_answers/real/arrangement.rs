//! What real cases are made of: devices and files of their own, and what goes on beside them.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub const MIB: u64 = 1 << 20;

/// Bytes that nothing makes smaller, the same each time (splitmix64).
pub fn unlike_bytes(length: u64) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut out = Vec::with_capacity(length as usize);
    while (out.len() as u64) < length {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        out.extend_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    out.truncate(length as usize);
    out
}

/// A file that was written, all of it, and is on its disk.
pub fn written(path: &Path, length: u64) {
    let mut file = File::create(path).expect("a file");
    file.write_all(&unlike_bytes(length)).expect("its bytes");
    file.sync_all().expect("written down");
}

/// Its output; else what it said, or that there is no such program.
pub fn output(program: &str, words: &[&str]) -> Result<String, String> {
    let done = Command::new(program)
        .args(words)
        .output()
        .map_err(|e| format!("{program}: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
    match done.status.success() {
        true => Ok(text(&done.stdout)),
        false => Err(format!("{program}: {}", text(&done.stderr))),
    }
}

/// Whether this process may make devices; else why not.
pub fn root() -> Result<(), String> {
    match output("id", &["-u"])?.as_str() {
        "0" => Ok(()),
        _ => Err("only root can make devices".into()),
    }
}

/// A loop device; detached when dropped.
pub struct Loop {
    pub device: String,
    /// The file's path.
    pub backing: String,
}

impl Loop {
    /// Over a file. Where that is in memory nothing but the device itself has counters.
    pub fn over(file: &Path) -> Result<Loop, String> {
        root()?;
        let path = file.display().to_string();
        let device = output("losetup", &["--find", "--show", &path])
            .map_err(|e| format!("the loop device: {e}"))?;
        Ok(Loop {
            device,
            backing: path,
        })
    }

    /// Sets a value of its queue.
    pub fn set(&self, name: &str, value: &str) -> Result<(), String> {
        let kernel = self.device.trim_start_matches("/dev/");
        let path = format!("/sys/block/{kernel}/queue/{name}");
        fs::write(&path, value).map_err(|e| format!("the loop device: {path}: {e}"))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = output("losetup", &["--detach", &self.device]);
    }
}

/// A folder in memory, where there is one.
pub fn memory() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir_in("/dev/shm").map_err(|e| format!("/dev/shm: {e}"))
}

/// A folder on a disk: not in memory, and not on a file system that knows of no device.
pub fn on_a_disk() -> Result<(tempfile::TempDir, PathBuf), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let source = output(
        "findmnt",
        &[
            "-n",
            "-o",
            "SOURCE,FSTYPE",
            "-T",
            &folder.path().display().to_string(),
        ],
    )?;
    let is_disk = source.starts_with("/dev/") && !source.contains("overlay");
    let path = folder.path().to_path_buf();
    match is_disk {
        true => Ok((folder, path)),
        false => Err("the temporary folder lies on no disk".into()),
    }
}

/// Programs that run beside a case; ended when dropped.
pub struct Beside(Vec<Child>);

impl Beside {
    /// So many of a shell's line.
    pub fn start(count: usize, line: &str) -> Result<Beside, String> {
        let mut all = Beside(Vec::new());
        for _ in 0..count {
            let child = Command::new("sh")
                .args(["-c", line])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .map_err(|e| format!("sh: {e}"))?;
            all.0.push(child);
        }
        Ok(all)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
