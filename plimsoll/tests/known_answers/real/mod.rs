//! Known answers on real devices: arrangements with a planted fault, and sound ones. What a machine lacks is skipped, and says so.

mod arrangement;

use arrangement::{Beside, Loop, MIB, memory, on_a_disk, written};
use plimsoll_audit::Audit;
use plimsoll_dialects::native;
use plimsoll_rig::{Control, RunOptions};
use std::fs::File;
use std::path::Path;

/// A real arrangement.
pub struct RealCase {
    pub name: &'static str,
    pub planted: &'static str,
    /// Rules of what everyone else saw that have to fire; of the others none may, but for `HOST`.
    pub fires: &'static [&'static str],
    /// Whether it is on a disk that others use too.
    pub shared_disk: bool,
    /// Makes it, runs it, and says what the rules say; else what the machine lacks.
    pub run: fn() -> Result<Audit, String>,
}

/// What the rest of the host may make fire at any time, whatever is planted.
pub const HOST: &[&str] = &[
    "cpu-starved",
    "one-cpu-stolen",
    "interrupts-on-one-cpu",
    "frequency-moved",
    "cpu-hot",
    "clock-stepped",
    "memory-pressure",
    "cpu-limit",
    "io-limit",
    "drive-hot",
    "drive-worn",
];

/// What others on the same disk may make fire.
pub const SHARED: &[&str] = &[
    "foreign-io",
    "waited-above-the-device",
    "requests-split",
    "requests-merged",
];

pub static REAL: [RealCase; 10] = [
    RealCase {
        name: "sound-device",
        planted: "nothing: random direct reads of a device that nobody else uses",
        fires: &[],
        shared_disk: false,
        run: || device(|_| Ok(()), |path| reads(path, "8k", 4, "")),
    },
    RealCase {
        name: "sound-writes",
        planted: "nothing: random direct writes of a device that nobody else uses",
        fires: &[],
        shared_disk: false,
        run: || device(|_| Ok(()), |path| writes(path, 4)),
    },
    RealCase {
        name: "sound-file",
        planted: "nothing: random direct reads of a file that was written",
        fires: &[],
        shared_disk: true,
        run: || file(|path| written(path, 64 * MIB), ""),
    },
    RealCase {
        name: "fallocated",
        planted: "the file's extents were reserved, and never written",
        fires: &["reads-never-stored"],
        shared_disk: true,
        run: || {
            file(
                |path| {
                    let length = (64 * MIB).to_string();
                    let path = path.display().to_string();
                    arrangement::output("fallocate", &["-l", &length, &path]).expect("reserved");
                },
                "",
            )
        },
    },
    RealCase {
        name: "sparse",
        planted: "the file is one hole",
        fires: &["reads-never-stored"],
        shared_disk: true,
        run: || {
            file(
                |path| {
                    let file = File::create(path).expect("a file");
                    file.set_len(64 * MIB).expect("its length");
                },
                "",
            )
        },
    },
    RealCase {
        name: "buffered",
        planted: "reads go through the page cache, which has the file",
        fires: &["page-cache-answered"],
        shared_disk: true,
        run: || file(|path| written(path, 64 * MIB), ", caching = \"buffered\""),
    },
    RealCase {
        name: "loop-over-a-file",
        planted: "a loop device without direct I/O, over a file in the page cache",
        fires: &["layers-answered"],
        shared_disk: true,
        run: || {
            let (_folder, path) = on_a_disk()?;
            written(&path.join("backing"), 64 * MIB);
            let device = Loop::over(&path.join("backing"))?;
            run(&reads(&device.device, "8k", 4, ""), &device.backing)
        },
    },
    RealCase {
        name: "split",
        planted: "1 MiB is read of a device that takes 256 KiB at once",
        fires: &["requests-split"],
        shared_disk: false,
        run: || {
            device(
                |d| d.set("max_sectors_kb", "256"),
                |path| reads(path, "1m", 2, ""),
            )
        },
    },
    RealCase {
        name: "another-reader",
        planted: "dd reads the same device all the while",
        fires: &["foreign-io"],
        shared_disk: true,
        run: || {
            let (_folder, device) = in_memory()?;
            let line = format!(
                "while dd if={} of=/dev/null bs=1M iflag=direct; do :; done",
                device.device
            );
            let _reader = Beside::start(1, &line)?;
            run(&reads(&device.device, "8k", 4, ""), &device.backing)
        },
    },
    RealCase {
        name: "busy-cpus",
        planted: "four loops a CPU that do nothing but run",
        fires: &["cpu-starved"],
        shared_disk: true,
        run: || {
            let (_folder, device) = in_memory()?;
            let cpus = std::thread::available_parallelism().map_or(1, usize::from);
            let _hogs = Beside::start(4 * cpus, "while :; do :; done")?;
            run(&reads(&device.device, "4k", 16, ""), &device.backing)
        },
    },
];

/// Random reads of a target, as a definition.
fn reads(path: &str, block: &str, depth: u32, more: &str) -> String {
    format!(
        "target.t = {{ path = \"{path}\"{more} }}\nworkload.w = {{ read = 100, block = \"{block}\" }}\n\
         run = [{{ load = \"max\", depth = {depth}, for = \"2s\", warmup = \"0s\" }}]\n"
    )
}

/// Random writes of what nothing makes smaller.
fn writes(path: &str, depth: u32) -> String {
    reads(path, "8k", depth, "").replace("read = 100", "read = 0")
}

/// A loop device over a written file in memory.
fn in_memory() -> Result<(tempfile::TempDir, Loop), String> {
    let folder = memory()?;
    let backing = folder.path().join("backing");
    written(&backing, 64 * MIB);
    let device = Loop::over(&backing)?;
    Ok((folder, device))
}

/// A definition on such a device, after a change of it.
fn device(
    change: impl Fn(&Loop) -> Result<(), String>,
    text: impl Fn(&str) -> String,
) -> Result<Audit, String> {
    let (_folder, device) = in_memory()?;
    change(&device)?;
    run(&text(&device.device), &device.backing)
}

/// Reads of a file on a disk, which is made first.
fn file(make: impl Fn(&Path), more: &str) -> Result<Audit, String> {
    let (_folder, path) = on_a_disk()?;
    let path = path.join("target");
    make(&path);
    let path = path.display().to_string();
    run(&reads(&path, "8k", 4, more), &path)
}

/// Carries a definition out, without a record, on what is there to be destroyed.
fn run(text: &str, target: &str) -> Result<Audit, String> {
    let plan = native::parse("real", text)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .plan;
    let options = RunOptions {
        seed: Some(1),
        allow_unwritten: true,
        destroy: vec![target.to_string()],
        ..RunOptions::default()
    };
    let done = plimsoll_rig::run(&plan, &options, &Control::default(), &mut |_| {});
    Ok(done.unwrap_or_else(|e| panic!("{text}: {e}")).audit)
}
