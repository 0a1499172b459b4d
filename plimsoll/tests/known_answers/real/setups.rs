//! What a rule says of how a host, its devices and a plan are set up: each arrangement with the fault, and the same without.

use super::arrangement::{self, Loop, MIB, on_a_disk, written};
use super::{Told, in_memory, reads, run, run_as};
use plimsoll_rig::BackendKind;
use plimsoll_rig::RunOptions;
use std::path::Path;

/// An arrangement that can be had with its fault, and without.
pub struct Setup {
    pub name: &'static str,
    pub planted: &'static str,
    pub without: &'static str,
    /// Rules that have to fire with the fault, and must not without.
    pub fires: &'static [&'static str],
    /// Makes it, with the fault where that is asked for, and says what the rules say; else what the machine lacks.
    pub run: fn(planted: bool) -> Result<Told, String>,
}

/// Arrangements as lines: name, what is planted and what is there without it, the rules that have to fire, and how it is made.
macro_rules! setups {
    ($($name:literal $planted:literal / $without:literal & $fires:tt, $run:expr;)*) => {
        &[$(Setup { name: $name, planted: $planted, without: $without, fires: &$fires, run: $run }),*]
    };
}

pub static SETUPS: &[Setup] = setups! {
    "file-in-memory" "the target is a file on tmpfs" / "a file on a disk" &["memory-target"], |planted| {
        let (_folder, path) = in_memory_or_not(planted)?;
        run(
            &brief(&reads(&path, "8k", 2, ", caching = \"buffered\"")),
            &path,
        )
    };
    "loop-device" "the target is a loop device without direct I/O" / "the file itself" &["loop-target"], |planted| {
        let (_folder, file) = file()?;
        if !planted {
            return run(&brief(&reads(&file, "8k", 2, "")), &file);
        }
        let device = Loop::over(Path::new(&file))?;
        run(&brief(&reads(&device.device, "8k", 2, "")), &device.backing)
    };
    "loop-in-memory" "the loop device's file lies in memory" / "it lies on a disk" &["memory-target"], |planted| {
        let (_folder, path) = in_memory_or_not(planted)?;
        let device = Loop::over(Path::new(&path))?;
        run(&brief(&reads(&device.device, "8k", 2, "")), &device.backing)
    };
    "rotational" "the queue of a virtual device says that it rotates" / "it says that it does not" &["rotational-flag"],
        |planted| queue("rotational", ["0", "1"][usize::from(planted)], "8k", 2, "");
    "scheduler" "mq-deadline orders the requests" / "nothing does" &["io-scheduler"], |planted| {
        let scheduler = ["none", "mq-deadline"][usize::from(planted)];
        queue("scheduler", scheduler, "8k", 2, "")
    };
    "read-ahead" "8 MiB are read ahead, through the page cache" / "128 KiB are" &["read-ahead"], |planted| {
        let kib = ["128", "8192"][usize::from(planted)];
        queue("read_ahead_kb", kib, "8k", 2, ", caching = \"buffered\"")
    };
    "short-requests" "1 MiB is read of a device that takes 256 KiB at once" / "256 KiB are" &["split-requests", "requests-split"], |planted| {
        let block = ["256k", "1m"][usize::from(planted)];
        queue("max_sectors_kb", "256", block, 2, "")
    };
    "few-tags" "64 I/Os in flight on a queue of four requests" / "on one of 128" &["few-tags"], |planted| {
        queue(
            "nr_requests",
            ["128", "4"][usize::from(planted)],
            "8k",
            64,
            "",
        )
    };
    "joined" "sequential reads of 4 KiB, 32 in flight, which the kernel may join" / "it may not (nomerges)" &["requests-merged"], |planted| {
        let (_folder, device) = in_memory()?;
        device.set("scheduler", "mq-deadline")?;
        device.set("nomerges", ["2", "0"][usize::from(planted)])?;
        let text = reads(&device.device, "4k", 32, "");
        let text = text.replace("read = 100", "read = 100, access = \"sequential\"");
        run(&brief(&text), &device.backing)
    };
    "volatile-cache" "a device with a volatile write cache is written without a durability, and a claim of the device" /
        "a device that writes through" &["volatile-write-cache"], |planted| {
        let (_folder, device) = in_memory()?;
        device.set(
            "write_cache",
            ["write through", "write back"][usize::from(planted)],
        )?;
        let text = reads(&device.device, "8k", 2, "").replace("read = 100", "read = 0");
        let text = format!("claim = \"device\"\n{text}");
        run(&brief(&text), &device.backing)
    };
    "overlay" "the file lies on an overlay of two folders" / "it lies on the file system below" &["file-system-in-between"], overlay;
    "durable-writes" "durable writes to a file on ext4 with a journal" / "the same writes to the device below"
        &["file-journal", "writes-multiplied"], durable;
    "threads" "eight I/Os in flight by psync, a thread for each" / "by io_uring or libaio" &["waiting-backend"], |planted| {
        let (_folder, device) = in_memory()?;
        let options = RunOptions {
            backend: planted.then_some(BackendKind::Psync),
            ..RunOptions::default()
        };
        run_as(
            options,
            &brief(&reads(&device.device, "8k", 8, "")),
            &device.backing,
        )
    };
    "record-beside" "the record is written to the disk that is measured" / "it is written to memory" &["record-on-the-disk"], |planted| {
        let (_folder, path) = on_a_disk()?;
        let memory = arrangement::memory()?;
        let target = path.join("target");
        written(&target, 8 * MIB);
        let target = target.display().to_string();
        let place = if planted { &path } else { memory.path() };
        let options = RunOptions {
            record: Some(place.join("run.plim")),
            ..RunOptions::default()
        };
        run_as(options, &brief(&reads(&target, "8k", 2, "")), &target)
    };
    "memory-answers" "buffered reads of a file that lies in the page cache" / "reads of an NBD server that takes 2 ms" &["faster-than-storage"],
        |planted| {
        if !planted {
            return super::over_a_wire(None, "--filter=delay memory 64M rdelay=2ms");
        }
        let (_folder, path) = file()?;
        let text = reads(&path, "512", 1, ", caching = \"buffered\"");
        run(&brief(&text), &path)
    };
    "answered-at-once" "64 buffered reads of a file that lies in the page cache are to be in flight" / "4 direct reads of a device are"
        &["depth-not-reached"], |planted| {
        if !planted {
            return queue("nr_requests", "128", "8k", 4, "");
        }
        let (_folder, path) = file()?;
        run(
            &brief(&reads(&path, "8k", 64, ", caching = \"buffered\"")),
            &path,
        )
    };
};

/// A file on a disk, and its name.
fn file() -> Result<(tempfile::TempDir, String), String> {
    in_memory_or_not(false)
}

/// File in memory or on a disk, and its name.
fn in_memory_or_not(in_memory: bool) -> Result<(tempfile::TempDir, String), String> {
    let (folder, path) = match in_memory {
        true => {
            let folder = arrangement::memory()?;
            let path = folder.path().to_path_buf();
            (folder, path)
        }
        false => on_a_disk()?,
    };
    let path = path.join("target");
    written(&path, 8 * MIB);
    Ok((folder, path.display().to_string()))
}

/// For a second: what is set up shows at once.
fn brief(text: &str) -> String {
    text.replace("for = \"2s\"", "for = \"1s\"")
}

/// Reads of a device of whose queue one value is set.
fn queue(name: &str, value: &str, block: &str, depth: u32, more: &str) -> Result<Told, String> {
    let (_folder, device) = in_memory()?;
    device.set(name, value)?;
    run(
        &brief(&reads(&device.device, block, depth, more)),
        &device.backing,
    )
}

/// Path of a mount; unmounted when dropped.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        // Whoever looked at it may still be about to close it.
        let _ = arrangement::output("umount", &["--lazy", &self.0.display().to_string()]);
    }
}

fn overlay(planted: bool) -> Result<Told, String> {
    arrangement::root()?;
    let (_folder, path) = on_a_disk()?;
    for name in ["lower", "upper", "work", "merged"] {
        std::fs::create_dir(path.join(name)).expect("a folder");
    }
    let merged = path.join("merged");
    let of = |name: &str| path.join(name).display().to_string();
    let layers = format!(
        "lowerdir={},upperdir={},workdir={}",
        of("lower"),
        of("upper"),
        of("work")
    );
    let _mounted = if planted {
        let words = ["-t", "overlay", "overlay", "-o", &layers, &of("merged")];
        arrangement::output("mount", &words)?;
        Some(Mounted(&merged))
    } else {
        None
    };
    let target = merged.join("target");
    written(&target, 8 * MIB);
    let target = target.display().to_string();
    run(
        &brief(&reads(&target, "8k", 2, ", caching = \"buffered\"")),
        &target,
    )
}

fn durable(planted: bool) -> Result<Told, String> {
    let (_folder, device) = in_memory()?;
    let writes = |path: &str| {
        reads(path, "8k", 2, ", durability = \"dsync\"").replace("read = 100", "read = 0")
    };
    if !planted {
        return run(&brief(&writes(&device.device)), &device.backing);
    }
    arrangement::output("mkfs.ext4", &["-q", "-F", &device.device])?;
    let point = tempfile::tempdir().map_err(|e| e.to_string())?;
    let words = [
        "-o",
        "data=journal",
        &device.device,
        &point.path().display().to_string(),
    ];
    arrangement::output("mount", &words)?;
    let _mounted = Mounted(point.path());
    let target = point.path().join("target");
    written(&target, 8 * MIB);
    let target = target.display().to_string();
    run(&brief(&writes(&target)), &target)
}
