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

/// Arrangements as lines: name, what is planted, the rules that have to fire, whose the disk is, and how it is made.
macro_rules! real {
    ($($name:literal $planted:literal & $fires:tt $shared_disk:ident, $run:expr;)*) => {
        &[$(RealCase { name: $name, planted: $planted, fires: &$fires, shared_disk: $shared_disk, run: $run }),*]
    };
}

const SHARED_DISK: bool = true;
const OWN_DISK: bool = false;

/// What the rules said.
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

pub static REAL: &[RealCase] = real! {
    "sound-device" "nothing: random direct reads of a device that nobody else uses" &[] OWN_DISK,
        || device(|_| Ok(()), |path| reads(path, "8k", 4, ""));
    "sound-writes" "nothing: random direct writes of a device that nobody else uses" &[] OWN_DISK, || device(|_| Ok(()), |path| writes(path, 4));
    "sound-file" "nothing: random direct reads of a file that was written" &[] SHARED_DISK, || file(|path| written(path, 64 * MIB), "");
    "fallocated" "the file's extents were reserved, and never written" &["reads-never-stored"] SHARED_DISK, || {
        file(
            |path| {
                let length = (64 * MIB).to_string();
                let path = path.display().to_string();
                arrangement::output("fallocate", &["-l", &length, &path]).expect("reserved");
            },
            "",
        )
    };
    "sparse" "the file is one hole" &["reads-never-stored"] SHARED_DISK, || {
        file(
            |path| {
                let file = File::create(path).expect("a file");
                file.set_len(64 * MIB).expect("its length");
            },
            "",
        )
    };
    "aged-file-system" "a file on a file system that is nearly full, in pieces where there was room, written through the page cache"
        &["aged-file", "little-room", "one-file-lock", "page-cache-answered", "still-dirty"] SHARED_DISK, || {
        let aged = Aged::make()?;
        let path = aged.mounted.path().join("target");
        written(&path, 24 * MIB);
        let path = path.display().to_string();
        let mixed = reads(&path, "8k", 4, ", caching = \"buffered\"");
        let mixed = mixed.replace("read = 100", "read = 50");
        // So few that hardly a page is written twice: most of what was written is dirty, however fast the host is.
        run(&mixed.replace("\"max\"", "1000"), &path)
    };
    "buffered" "reads go through the page cache, which has the file" &["page-cache-answered"] SHARED_DISK,
        || file(|path| written(path, 64 * MIB), ", caching = \"buffered\"");
    "loop-over-a-file" "a loop device without direct I/O, over a file in the page cache" &["layers-answered"] SHARED_DISK, || {
        let (_folder, path) = on_a_disk()?;
        written(&path.join("backing"), 64 * MIB);
        let device = Loop::over(&path.join("backing"))?;
        run(&reads(&device.device, "8k", 4, ""), &device.backing)
    };
    "split" "1 MiB is read of a device that takes 256 KiB at once" &["requests-split"] OWN_DISK, || {
        device(
            |d| d.set("max_sectors_kb", "256"),
            |path| reads(path, "1m", 2, ""),
        )
    };
    "another-reader" "dd reads the same device all the while" &["foreign-io"] SHARED_DISK, || {
        let (_folder, device) = in_memory()?;
        let line = format!(
            "while dd if={} of=/dev/null bs=1M iflag=direct; do :; done",
            device.device
        );
        let _reader = Beside::start(1, &line)?;
        run(&reads(&device.device, "8k", 4, ""), &device.backing)
    };
    "busy-cpus" "four loops a CPU that do nothing but run" &["cpu-starved"] SHARED_DISK, || {
        let (_folder, device) = in_memory()?;
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let _hogs = Beside::start(4 * cpus, "while :; do :; done")?;
        run(&reads(&device.device, "4k", 16, ""), &device.backing)
    };
    "few-requests" "64 slots on a device whose queue holds four requests" &["waited-above-the-device"] OWN_DISK, || {
        device(
            |d| d.set("nr_requests", "4"),
            |path| reads(path, "8k", 64, ""),
        )
    };
    "sound-zram" "nothing: random direct reads of a zram that holds what nothing makes smaller" &[] OWN_DISK,
        || zram(|path| reads(path, "8k", 4, ""));
    "zeros-on-zram" "zeros are written to a zram" &["same-pages"] OWN_DISK, || {
        zram(|path| {
            writes(path, 4).replace("block = \"8k\"", "block = \"8k\", content = \"zeros\"")
        })
    };
    "cpu-limit" "a control group gives a fifth of a CPU" &["cpu-limit"] SHARED_DISK, || {
        let (_folder, device) = in_memory()?;
        let limit = ("cpu.cfs_quota_us", "20000");
        let group = Group::with("cpu", limit, ("cpu.max", "20000 100000"))?;
        run_in(&group, &reads(&device.device, "4k", 16, ""))
    };
    "io-limit" "a control group lets 200 reads a second through" &["io-limit"] SHARED_DISK, || {
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
    };
    "shared-cpu" "the run may use one CPU, and a loop that does nothing but run has the same" &["cpu-starved"] SHARED_DISK, || {
        let (_folder, device) = in_memory()?;
        arrangement::output("taskset", &["--version"])?;
        let _hog = Beside::start(2, "exec taskset -c 0 sh -c 'while :; do :; done'")?;
        let text = reads(&device.device, "4k", 16, "");
        run_by("exec taskset -c 0 \"$@\"", "-", &text)
    };
    "sound-link" "nothing: a link to an NBD server, whose answers take 2 ms" &[] OWN_DISK,
        || over_a_wire(None, "--filter=delay memory 64M rdelay=2ms");
    "slow-link" "the link to an NBD server carries 40 Mbit/s" &["far-target"] OWN_DISK, || {
        over_a_wire(
            Some("tbf rate 40mbit burst 16k latency 100ms"),
            "memory 64M",
        )
    };
    "patient-server" "nothing on the link: an NBD server that takes 40 ms, of which TCP asks whether it is still there" &[] OWN_DISK,
        || over_a_wire(None, "--filter=delay memory 64M rdelay=40ms");
};

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
