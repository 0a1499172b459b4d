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

pub static SETUPS: [Setup; 16] = [
    Setup {
        name: "file-in-memory",
        planted: "the target is a file on tmpfs",
        without: "a file on a disk",
        fires: &["memory-target"],
        run: |planted| {
            let (_folder, path) = match planted {
                true => {
                    let folder = arrangement::memory()?;
                    let path = folder.path().to_path_buf();
                    (folder, path)
                }
                false => on_a_disk()?,
            };
            let path = path.join("target");
            written(&path, 8 * MIB);
            let path = path.display().to_string();
            run(
                &brief(&reads(&path, "8k", 2, ", caching = \"buffered\"")),
                &path,
            )
        },
    },
    Setup {
        name: "loop-device",
        planted: "the target is a loop device without direct I/O",
        without: "the file itself",
        fires: &["loop-target"],
        run: |planted| {
            let (_folder, path) = on_a_disk()?;
            let path = path.join("target");
            written(&path, 8 * MIB);
            let file = path.display().to_string();
            if !planted {
                return run(&brief(&reads(&file, "8k", 2, "")), &file);
            }
            let device = Loop::over(&path)?;
            run(&brief(&reads(&device.device, "8k", 2, "")), &device.backing)
        },
    },
    Setup {
        name: "loop-in-memory",
        planted: "the loop device's file lies in memory",
        without: "it lies on a disk",
        fires: &["memory-target"],
        run: |planted| {
            let (_folder, path) = match planted {
                true => {
                    let folder = arrangement::memory()?;
                    let path = folder.path().to_path_buf();
                    (folder, path)
                }
                false => on_a_disk()?,
            };
            let path = path.join("target");
            written(&path, 8 * MIB);
            let device = Loop::over(&path)?;
            run(&brief(&reads(&device.device, "8k", 2, "")), &device.backing)
        },
    },
    Setup {
        name: "rotational",
        planted: "the queue of a virtual device says that it rotates",
        without: "it says that it does not",
        fires: &["rotational-flag"],
        run: |planted| queue("rotational", ["0", "1"][usize::from(planted)], "8k", 2, ""),
    },
    Setup {
        name: "scheduler",
        planted: "mq-deadline orders the requests",
        without: "nothing does",
        fires: &["io-scheduler"],
        run: |planted| {
            let scheduler = ["none", "mq-deadline"][usize::from(planted)];
            queue("scheduler", scheduler, "8k", 2, "")
        },
    },
    Setup {
        name: "read-ahead",
        planted: "8 MiB are read ahead, through the page cache",
        without: "128 KiB are",
        fires: &["read-ahead"],
        run: |planted| {
            let kib = ["128", "8192"][usize::from(planted)];
            queue("read_ahead_kb", kib, "8k", 2, ", caching = \"buffered\"")
        },
    },
    Setup {
        name: "short-requests",
        planted: "1 MiB is read of a device that takes 256 KiB at once",
        without: "256 KiB are",
        fires: &["split-requests", "requests-split"],
        run: |planted| {
            let block = ["256k", "1m"][usize::from(planted)];
            queue("max_sectors_kb", "256", block, 2, "")
        },
    },
    Setup {
        name: "few-tags",
        planted: "64 I/Os in flight on a queue of four requests",
        without: "on one of 128",
        fires: &["few-tags"],
        run: |planted| {
            queue(
                "nr_requests",
                ["128", "4"][usize::from(planted)],
                "8k",
                64,
                "",
            )
        },
    },
    Setup {
        name: "joined",
        planted: "sequential reads of 4 KiB, 32 in flight, which the kernel may join",
        without: "it may not (nomerges)",
        fires: &["requests-merged"],
        run: |planted| {
            let (_folder, device) = in_memory()?;
            device.set("scheduler", "mq-deadline")?;
            device.set("nomerges", ["2", "0"][usize::from(planted)])?;
            let text = reads(&device.device, "4k", 32, "");
            let text = text.replace("read = 100", "read = 100, access = \"sequential\"");
            run(&brief(&text), &device.backing)
        },
    },
    Setup {
        name: "volatile-cache",
        planted: "a device with a volatile write cache is written without a durability, and a claim of the device",
        without: "a device that writes through",
        fires: &["volatile-write-cache"],
        run: |planted| {
            let (_folder, device) = in_memory()?;
            device.set(
                "write_cache",
                ["write through", "write back"][usize::from(planted)],
            )?;
            let text = reads(&device.device, "8k", 2, "").replace("read = 100", "read = 0");
            let text = format!("claim = \"device\"\n{text}");
            run(&brief(&text), &device.backing)
        },
    },
    Setup {
        name: "overlay",
        planted: "the file lies on an overlay of two folders",
        without: "it lies on the file system below",
        fires: &["file-system-in-between"],
        run: overlay,
    },
    Setup {
        name: "durable-writes",
        planted: "durable writes to a file on ext4 with a journal",
        without: "the same writes to the device below",
        fires: &["file-journal", "writes-multiplied"],
        run: durable,
    },
    Setup {
        name: "threads",
        planted: "eight I/Os in flight by psync, a thread for each",
        without: "by io_uring or libaio",
        fires: &["waiting-backend"],
        run: |planted| {
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
        },
    },
    Setup {
        name: "record-beside",
        planted: "the record is written to the disk that is measured",
        without: "it is written to memory",
        fires: &["record-on-the-disk"],
        run: |planted| {
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
        },
    },
    Setup {
        name: "memory-answers",
        planted: "buffered reads of a file that lies in the page cache",
        without: "reads of an NBD server that takes 2 ms",
        fires: &["faster-than-storage"],
        run: |planted| {
            if !planted {
                return super::over_a_wire(None, "--filter=delay memory 64M rdelay=2ms");
            }
            let (_folder, path) = on_a_disk()?;
            let path = path.join("target");
            written(&path, 8 * MIB);
            let path = path.display().to_string();
            let text = reads(&path, "512", 1, ", caching = \"buffered\"");
            run(&brief(&text), &path)
        },
    },
    Setup {
        name: "answered-at-once",
        planted: "64 buffered reads of a file that lies in the page cache are to be in flight",
        without: "4 direct reads of a device are",
        fires: &["depth-not-reached"],
        run: |planted| {
            if !planted {
                return queue("nr_requests", "128", "8k", 4, "");
            }
            let (_folder, path) = on_a_disk()?;
            let path = path.join("target");
            written(&path, 8 * MIB);
            let path = path.display().to_string();
            run(
                &brief(&reads(&path, "8k", 64, ", caching = \"buffered\"")),
                &path,
            )
        },
    },
];

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
