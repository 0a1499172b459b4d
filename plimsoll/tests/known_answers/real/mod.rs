//! Known answers on real devices: arrangements with a planted fault, and sound ones. What a machine lacks is skipped, and says so.

mod arrangement;
mod setups;

pub use setups::SETUPS;

use arrangement::{
    Aged, Beside, Group, Loop, MIB, Wire, Zram, memory, on_a_disk, unlike_bytes, written,
};
use plimsoll_rig::{Control, RunOptions};
use std::fs::{self, File};
use std::path::Path;

/// A real arrangement.
pub struct RealCase {
    pub name: &'static str,
    pub planted: &'static str,
    /// Rules of what everyone else saw that have to fire; of the others none may, but for `HOST`.
    pub fires: &'static [&'static str],
    /// True where it is on a disk that others use too.
    pub shared_disk: bool,
    /// Makes it, runs it, and says what the rules say; else what the machine lacks.
    pub run: fn() -> Result<Told, String>,
}

/// Answers of the rules.
#[derive(Debug)]
pub struct Told {
    /// The names of those that found something.
    pub fired: Vec<String>,
    /// Sentences of their findings.
    pub messages: Vec<String>,
    /// Rules that could not look; of a run of the program itself that is not known.
    pub blind: Vec<&'static str>,
}

/// Rules that the rest of the host may make fire at any time, whatever is planted.
pub const HOST: &[&str] = &[
    "cpu-starved",
    "host-was-the-limit",
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
    "waited-above-the-device",
];

/// Rules that others on the same disk may make fire.
pub const SHARED: &[&str] = &["foreign-io", "requests-split", "requests-merged"];

pub static REAL: [RealCase; 20] = [
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
        name: "aged-file-system",
        planted: "a file on a file system that is nearly full, in pieces where there was room, written through the page cache",
        fires: &[
            "aged-file",
            "little-room",
            "one-file-lock",
            "page-cache-answered",
            "still-dirty",
        ],
        shared_disk: true,
        run: || {
            let aged = Aged::make()?;
            let path = aged.mounted.path().join("target");
            written(&path, 24 * MIB);
            let path = path.display().to_string();
            let mixed = reads(&path, "8k", 4, ", caching = \"buffered\"");
            let mixed = mixed.replace("read = 100", "read = 50");
            // So few that hardly a page is written twice: most of what was written is dirty, however fast the host is.
            run(&mixed.replace("\"max\"", "1000"), &path)
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
    RealCase {
        name: "few-requests",
        planted: "64 slots on a device whose queue holds four requests",
        fires: &["waited-above-the-device"],
        shared_disk: false,
        run: || {
            device(
                |d| d.set("nr_requests", "4"),
                |path| reads(path, "8k", 64, ""),
            )
        },
    },
    RealCase {
        name: "sound-zram",
        planted: "nothing: random direct reads of a zram that holds what nothing makes smaller",
        fires: &[],
        shared_disk: false,
        run: || zram(|path| reads(path, "8k", 4, "")),
    },
    RealCase {
        name: "zeros-on-zram",
        planted: "zeros are written to a zram",
        fires: &["same-pages"],
        shared_disk: false,
        run: || {
            zram(|path| {
                writes(path, 4).replace("block = \"8k\"", "block = \"8k\", content = \"zeros\"")
            })
        },
    },
    RealCase {
        name: "cpu-limit",
        planted: "a control group gives a fifth of a CPU",
        fires: &["cpu-limit"],
        shared_disk: true,
        run: || {
            let (_folder, device) = in_memory()?;
            let limit = ("cpu.cfs_quota_us", "20000");
            let group = Group::with("cpu", limit, ("cpu.max", "20000 100000"))?;
            run_in(&group, &reads(&device.device, "4k", 16, ""))
        },
    },
    RealCase {
        name: "io-limit",
        planted: "a control group lets 200 reads a second through",
        fires: &["io-limit"],
        shared_disk: true,
        run: || {
            let (_folder, device) = in_memory()?;
            let number = device.number()?;
            let one = format!("{number} 200");
            let two = format!("{number} riops=200");
            let group = Group::with(
                "blkio",
                ("blkio.throttle.read_iops_device", &one),
                ("io.max", &two),
            )?;
            run_in(&group, &reads(&device.device, "8k", 4, ""))
        },
    },
    RealCase {
        name: "shared-cpu",
        planted: "the run may use one CPU, and a loop that does nothing but run has the same",
        fires: &["cpu-starved"],
        shared_disk: true,
        run: || {
            let (_folder, device) = in_memory()?;
            arrangement::output("taskset", &["--version"])?;
            let _hog = Beside::start(2, "exec taskset -c 0 sh -c 'while :; do :; done'")?;
            let text = reads(&device.device, "4k", 16, "");
            run_by("exec taskset -c 0 \"$@\"", "-", &text)
        },
    },
    RealCase {
        name: "sound-link",
        planted: "nothing: a link to an NBD server, whose answers take 2 ms",
        fires: &[],
        shared_disk: false,
        run: || over_a_wire(None, "--filter=delay memory 64M rdelay=2ms"),
    },
    RealCase {
        name: "slow-link",
        planted: "the link to an NBD server carries 40 Mbit/s",
        fires: &["far-target"],
        shared_disk: false,
        run: || {
            over_a_wire(
                Some("tbf rate 40mbit burst 16k latency 100ms"),
                "memory 64M",
            )
        },
    },
    RealCase {
        name: "patient-server",
        planted: "nothing on the link: an NBD server that takes 40 ms, of which TCP asks whether it is still there",
        fires: &[],
        shared_disk: false,
        run: || over_a_wire(None, "--filter=delay memory 64M rdelay=40ms"),
    },
];

/// Reads of a server's export in another network name space.
fn over_a_wire(discipline: Option<&str>, nbdkit: &str) -> Result<Told, String> {
    let wire = Wire::to(discipline, nbdkit)?;
    let uri = format!("nbd://{}", wire.address);
    run(&reads(&uri, "8k", 16, ""), &uri)
}

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
) -> Result<Told, String> {
    let (_folder, device) = in_memory()?;
    change(&device)?;
    run(&text(&device.device), &device.backing)
}

/// Reads of a file on a disk, which is made first.
fn file(make: impl Fn(&Path), more: &str) -> Result<Told, String> {
    let (_folder, path) = on_a_disk()?;
    let path = path.join("target");
    make(&path);
    let path = path.display().to_string();
    run(&reads(&path, "8k", 4, more), &path)
}

/// Carries a definition out, without a record, on what is there to be destroyed.
fn run(text: &str, target: &str) -> Result<Told, String> {
    run_as(RunOptions::default(), text, target)
}

/// The same, with more that is said of how it runs.
fn run_as(options: RunOptions, text: &str, target: &str) -> Result<Told, String> {
    let plan = crate::plan("real", text);
    let options = RunOptions {
        seed: Some(1),
        allow_unwritten: true,
        destroy: vec![target.to_string()],
        ..options
    };
    let done = plimsoll_rig::run(&plan, &options, &Control::default(), &mut |_| {});
    let audit = done.unwrap_or_else(|e| panic!("{text}: {e}")).audit;
    let fired = audit.findings.iter().filter_map(|f| f.rule);
    Ok(Told {
        fired: fired.map(|rule| rule.name.to_string()).collect(),
        messages: audit
            .findings
            .iter()
            .map(|f| f.finding.message.clone())
            .collect(),
        blind: audit
            .not_observable
            .iter()
            .map(|(rule, _)| rule.name)
            .collect(),
    })
}

/// Has the program itself carry it out in a control group.
fn run_in(group: &Group, text: &str) -> Result<Told, String> {
    run_by("echo $$ >\"$0\" && exec \"$@\"", &group.processes(), text)
}

/// Has the program itself carry it out, by a line of the shell.
fn run_by(line: &str, zero: &str, text: &str) -> Result<Told, String> {
    let folder = memory()?;
    let file = folder.path().join("definition.toml");
    fs::write(&file, text).expect("a definition");
    let file = file.display().to_string();
    let claim = match text.contains("claim =") {
        true => &[][..],
        false => &["--claim", "sustained"][..],
    };
    let words = ["run", &file, "--no-record", "--json", "--seed", "1"];
    let words = [&words[..], claim].concat();
    let out = arrangement::output_by(line, zero, env!("CARGO_BIN_EXE_plimsoll"), &words);
    let document: serde_json::Value = serde_json::from_slice(&out)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out)));
    let findings = document["findings"].as_array().expect("findings").iter();
    let of = |key: &str| {
        let words = findings.clone().filter_map(|f| f[key].as_str());
        words.map(str::to_string).collect::<Vec<String>>()
    };
    let named =
        |code: String| plimsoll_audit::find(&code).map_or(code, |rule| rule.name.to_string());
    Ok(Told {
        fired: of("rule").into_iter().map(named).collect(),
        messages: of("message"),
        blind: Vec::new(),
    })
}

/// Zeros, or what nothing makes smaller, on a zram device.
fn zram(text: impl Fn(&str) -> String) -> Result<Told, String> {
    let zram = Zram::of(64 * MIB)?;
    let device = zram.device();
    let mut file = File::options()
        .write(true)
        .open(&device)
        .expect("the device");
    std::io::Write::write_all(&mut file, &unlike_bytes(64 * MIB)).expect("its bytes");
    file.sync_all().expect("written down");
    drop(file);
    run(&text(&device), device.trim_start_matches("/dev/"))
}
