//! Programs and devices of the machine that tests use.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Output of a program that succeeds; else what it said, or that there is no such program.
///
/// # Errors
///
/// One sentence with the program's name, as a skip shows it.
pub fn output(program: &str, words: &[&str]) -> Result<String, String> {
    let done = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
    match done.status.success() {
        true => Ok(text(&done.stdout)),
        false => Err(format!("{program}: {}", text(&done.stderr))),
    }
}

/// Loop device over a file; detached when dropped.
#[derive(Debug)]
pub struct Loop {
    /// Path of the device.
    pub device: PathBuf,
}

impl Loop {
    /// Loop device over this file, with more words for `losetup`.
    ///
    /// # Errors
    ///
    /// Why there can be none.
    pub fn over(file: &Path, words: &[&str]) -> Result<Loop, String> {
        let path = file.display().to_string();
        let device = output("losetup", &[words, &["--find", "--show", &path]].concat())?;
        Ok(Loop {
            device: device.into(),
        })
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = output("losetup", &["--detach", &self.device.display().to_string()]);
    }
}

/// zram device of 16 MiB, by its name; removed when dropped.
#[derive(Debug)]
pub struct Zram(pub String);

impl Zram {
    /// A new one.
    ///
    /// # Errors
    ///
    /// Why there can be none.
    pub fn new() -> std::io::Result<Zram> {
        let number = std::fs::read_to_string("/sys/class/zram-control/hot_add")?;
        let zram = Zram(format!("zram{}", number.trim()));
        std::fs::write(format!("/sys/block/{}/disksize", zram.0), "16M")?;
        Ok(zram)
    }

    /// Path of the record.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/dev/{}", self.0)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let number = self.0.trim_start_matches("zram");
        let _ = std::fs::write(format!("/sys/block/{}/reset", self.0), "1");
        let _ = std::fs::write("/sys/class/zram-control/hot_remove", number);
    }
}
