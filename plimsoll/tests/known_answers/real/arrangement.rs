//! What real cases are made of: devices and files of their own, and what goes on beside them.

use plimsoll_draw::{Draw, STEP};
pub use plimsoll_skipped::machine::output;
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::{self, File};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

pub const MIB: u64 = 1 << 20;

/// Bytes that nothing makes smaller, the same each time.
pub fn unlike_bytes(length: u64) -> Vec<u8> {
    let mut draw = Draw(STEP);
    let mut out = Vec::with_capacity(length as usize);
    while (out.len() as u64) < length {
        out.extend_from_slice(&draw.bits().to_le_bytes());
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

/// Checks that this process may make devices; else says why not.
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
        let device = Loop {
            device,
            backing: path,
        };
        device.as_made();
        Ok(device)
    }

    /// `7:3`.
    pub fn number(&self) -> Result<String, String> {
        let kernel = self.device.trim_start_matches("/dev/");
        let number = fs::read_to_string(format!("/sys/block/{kernel}/dev"));
        Ok(number.map_err(|e| e.to_string())?.trim().to_string())
    }

    /// Resets a loop device's queue, whose settings outlive its file and are there for the next.
    fn as_made(&self) {
        let usual = [
            ("scheduler", "none"),
            ("max_sectors_kb", "1280"),
            ("nr_requests", "128"),
            ("read_ahead_kb", "128"),
            ("rotational", "0"),
            ("nomerges", "0"),
            ("write_cache", "write back"),
        ];
        for (name, value) in usual {
            let _ = self.set(name, value);
        }
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
        self.as_made();
        let _ = output("losetup", &["--detach", &self.device]);
    }
}

/// An ext4 of its own with little room left, all of it in pieces of 64 KiB; unmounted when dropped.
pub struct Aged {
    _device: Loop,
    _memory: tempfile::TempDir,
    /// Folder that it is mounted on.
    pub mounted: tempfile::TempDir,
}

impl Aged {
    /// Of 64 MiB: filled with one file, of which every other piece is taken out.
    pub fn make() -> Result<Aged, String> {
        const PIECE: u64 = 64 << 10;
        let memory = memory()?;
        let backing = memory.path().join("backing");
        let file = File::create(&backing).expect("a file");
        file.set_len(64 * MIB).expect("its length");
        let device = Loop::over(&backing)?;
        output(
            "mkfs.ext4",
            &["-q", "-m", "0", "-O", "^has_journal", &device.device],
        )?;
        let mounted = tempfile::tempdir().map_err(|e| e.to_string())?;
        let place = mounted.path().display().to_string();
        output("mount", &[&device.device, &place])?;
        let aged = Aged {
            _device: device,
            _memory: memory,
            mounted,
        };
        let mut filler = File::create(aged.mounted.path().join("filler")).expect("a file");
        let piece = unlike_bytes(PIECE);
        while filler.write_all(&piece).is_ok() {}
        filler.sync_all().expect("written down");
        let length = filler.metadata().expect("its length").len();
        for at in (0..length).step_by(2 * PIECE as usize) {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            fallocate(&filler, flags, at, PIECE).map_err(|e| format!("a hole in ext4: {e}"))?;
        }
        filler.sync_all().expect("written down");
        Ok(aged)
    }
}

impl Drop for Aged {
    fn drop(&mut self) {
        let place = self.mounted.path().display().to_string();
        // Whoever looked at it may still be about to close it.
        let _ = output("umount", &["--lazy", &place]);
    }
}

/// A zram device; gone when dropped.
pub struct Zram {
    number: String,
}

impl Zram {
    /// Of so many bytes.
    pub fn of(bytes: u64) -> Result<Zram, String> {
        root()?;
        let number = fs::read_to_string("/sys/class/zram-control/hot_add")
            .map_err(|e| format!("zram cannot be had here: {e}"))?;
        let number = number.trim().to_string();
        let zram = Zram { number };
        fs::write(
            format!("/sys/block/zram{}/disksize", zram.number),
            bytes.to_string(),
        )
        .map_err(|e| format!("zram cannot be had here: {e}"))?;
        // Some kernels make it without counters that are looked at.
        let counts = format!("/sys/block/zram{}/queue/iostats", zram.number);
        fs::write(counts, "1").map_err(|e| format!("zram cannot be had here: {e}"))?;
        Ok(zram)
    }

    pub fn device(&self) -> String {
        format!("/dev/zram{}", self.number)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = fs::write(format!("/sys/block/zram{}/reset", self.number), "1");
        let _ = fs::write("/sys/class/zram-control/hot_remove", &self.number);
    }
}

/// A control group of its own; gone when dropped.
pub struct Group(PathBuf);

impl Group {
    /// Of a controller, with a value in one of its files. Version 2 has one hierarchy for all.
    pub fn with(controller: &str, one: (&str, &str), two: (&str, &str)) -> Result<Group, String> {
        root()?;
        let top = Path::new("/sys/fs/cgroup");
        let own = format!("plimsoll-known-{}", std::process::id());
        let hands_down = |file: &str| fs::read_to_string(top.join(file)).unwrap_or_default();
        let (folder, (file, value)) = if top.join(controller).is_dir() {
            (top.join(controller).join(own), one)
        } else if hands_down("cgroup.subtree_control")
            .contains(two.0.split('.').next().unwrap_or("-"))
        {
            (top.join(own), two)
        } else {
            return Err(format!(
                "no control groups with `{controller}` are mounted here"
            ));
        };
        let group = Group(folder);
        fs::create_dir(&group.0)
            .and_then(|()| fs::write(group.0.join(file), value))
            .map_err(|e| format!("a control group cannot be made here: {e}"))?;
        Ok(group)
    }

    /// The file that takes the number of a process that is to be in it.
    pub fn processes(&self) -> String {
        self.0.join("cgroup.procs").display().to_string()
    }
}

/// Runs a program by a line of the shell, which has it as its words, and gives what it printed.
pub fn output_by(line: &str, zero: &str, program: &str, words: &[&str]) -> Vec<u8> {
    let by = Command::new("sh")
        .args(["-c", line, zero, program])
        .args(words)
        .stdin(Stdio::null())
        .output()
        .expect("it runs");
    by.stdout
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
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

/// An NBD server in a network name space of its own, with a link to it; gone when dropped.
pub struct Wire {
    name: String,
    server: Option<Child>,
    /// Address of the server. A link that an earlier process left behind has another.
    pub address: SocketAddr,
}

impl Wire {
    /// With a queueing discipline of `tc` at the server's end, and what nbdkit is told.
    pub fn to(discipline: Option<&str>, nbdkit: &str) -> Result<Wire, String> {
        const NONE: &str = "network name spaces with bridges and links cannot be made here";
        root()?;
        // One that has gone may still be on its way out.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("plik{}x{made}", std::process::id() % 100_000);
        // Of those for tests of networks (RFC 2544), four a link.
        let net = 0xC613_0000 - 4 * (1 + (std::process::id().wrapping_mul(16) + made) % 0x4000);
        let [ours, theirs] = [1, 2].map(|n| Ipv4Addr::from_bits(net + n));
        let (here, there) = (format!("{name}a"), format!("{name}b"));
        let mut lines = vec![
            format!("ip netns add {name}"),
            format!("ip link add {here} type veth peer name {there} netns {name}"),
            format!("ip addr add {ours}/30 dev {here}"),
            format!("ip link set {here} up"),
            format!("ip -n {name} addr add {theirs}/30 dev {there}"),
            format!("ip -n {name} link set {there} up"),
            "nbdkit --version".into(),
        ];
        let more = |how| format!("ip netns exec {name} tc qdisc add dev {there} root {how}");
        lines.extend(discipline.map(more));
        let mut wire = Wire {
            name,
            server: None,
            address: (theirs, 10809).into(),
        };
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            output(words[0], &words[1..]).map_err(|e| {
                println!("{line}: {e}");
                NONE.to_string()
            })?;
        }
        let serve = format!("netns exec {} nbdkit -f -p 10809 {nbdkit}", wire.name);
        let mut server = Command::new("ip");
        let server = server.args(serve.split(' ')).stderr(Stdio::null()).spawn();
        wire.server = Some(server.map_err(|e| e.to_string())?);
        for _ in 0..60 {
            if TcpStream::connect_timeout(&wire.address, Duration::from_secs(1)).is_ok() {
                return Ok(wire);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(NONE.to_string())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
        // The link goes at once, and its address with it; the name space when nothing is in it any more.
        let _ = output("ip", &["link", "del", &format!("{}a", self.name)]);
        let _ = output("ip", &["netns", "del", &self.name]);
    }
}
