//! fio carried out, and its results audited.

use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

pub fn has_fio() -> bool {
    let asked = Command::new("fio")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

/// Longest time that a job may take, s. They last one or two.
const LONGEST_S: &str = "30";

/// fio's result of a job; `None` where it has none, or says that it failed.
pub fn fio(job: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("job.fio"), job).expect("written");
    let out = Command::new("timeout")
        .args([
            LONGEST_S,
            "fio",
            "--output-format=json",
            "--output=result.json",
            "job.fio",
        ])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("timeout starts it");
    let text = std::fs::read_to_string(folder.path().join("result.json")).ok()?;
    out.success().then_some(text)
}

/// Answer of `plimsoll audit` for a result, with the job file beside it where one is given.
pub fn audit(result: &str, job: Option<&str>) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("result.json"), result).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command
        .args(["audit", "--json", "result.json"])
        .current_dir(folder.path());
    if let Some(job) = job {
        std::fs::write(folder.path().join("job.fio"), job).expect("written");
        command.args(["--job", "job.fio"]);
    }
    let out = command.output().expect("it starts");
    let printed = || String::from_utf8_lossy(&out.stderr).to_string();
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}\n{result}", printed()))
}

/// Files of several kinds, full of data, and a loop device where one may be had.
pub struct Places {
    here: tempfile::TempDir,
    memory: tempfile::TempDir,
    device: Option<String>,
}

const SIZE: usize = 16 << 20;

impl Places {
    pub fn new() -> Self {
        let here = tempfile::tempdir().expect("a folder");
        let memory = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
        for path in [
            here.path().join("data"),
            here.path().join("back"),
            memory.path().join("data"),
        ] {
            fill(&path);
        }
        let device = loop_device(&here.path().join("back"));
        Places {
            here,
            memory,
            device,
        }
    }

    /// The job with the names of its files.
    pub fn put_in(&self, job: &str) -> String {
        let name = |path: &Path| path.display().to_string();
        let file = name(&self.here.path().join("data"));
        job.replace("@ext4", &file)
            .replace("@shm", &name(&self.memory.path().join("data")))
            .replace("@loop", self.device.as_ref().unwrap_or(&file))
    }
}

/// Data that no store makes smaller.
fn fill(path: &Path) {
    let mut file = std::fs::File::create(path).expect("made");
    let mut draw = crate::draw::numbers(7);
    let words: Vec<u8> = (0..SIZE / 4)
        .flat_map(|_| (draw.below(1 << 32) as u32).to_le_bytes())
        .collect();
    file.write_all(&words).expect("written");
}

fn loop_device(back: &Path) -> Option<String> {
    let out = Command::new("losetup")
        .args(["--find", "--show", "--direct-io=on"])
        .arg(back)
        .output()
        .ok()?;
    let name = String::from_utf8_lossy(&out.stdout).trim().to_string();
    (out.status.success() && !name.is_empty()).then_some(name)
}

impl Drop for Places {
    fn drop(&mut self) {
        if let Some(device) = &self.device {
            Command::new("losetup")
                .args(["--detach", device])
                .status()
                .ok();
        }
    }
}
