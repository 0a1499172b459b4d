//! What limited a run on real arrangements: a queue of few places, small requests, a control group, a busy host or CPU, a slow server,
//! others on the device. Each is named where the host shows it; nothing else ever is.

use crate::control_group::ControlGroup;
use crate::devices::{Loop, output};
use crate::exports::serve;
use crate::place::{Done, MIB, TestFolder, root_or_skip, typed};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Other tests use this machine too: how often one gets another chance.
const TRIES: usize = 4;

/// One at a time: they are about what is short.
static TURN: Mutex<()> = Mutex::new(());

pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub const RUN: &str =
    "--read 100 --for 2s --allow-unwritten --no-record --no-settle --seed 1 --json";

/// The last step's limit.
pub fn limit(done: &Done) -> Value {
    assert!(matches!(done.code, Some(0 | 1)), "{done:#?}");
    let steps = done.json()["steps"].clone();
    steps.as_array().expect("steps").last().expect("a step")["limit"].clone()
}

/// The cause is named at some try, and never another one. That the host's CPU is short may be so beside it: these tests are not
/// alone on the machine.
pub fn named(cause: &str, mut run: impl FnMut() -> Done) {
    let mut short_of_cpu = true;
    for _ in 0..TRIES {
        let limit = limit(&run());
        let named = limit["cause"].as_str().expect("a cause").to_owned();
        if named == cause {
            return;
        }
        assert!(
            ["not-attributable", "host-cpu"].contains(&named.as_str()),
            "{limit:#}"
        );
        let unseen = limit["not_observable"].to_string();
        short_of_cpu &= named == "host-cpu"
            || unseen.contains("host-cpu")
            || limit.to_string().contains("all CPUs were busy");
        println!("{limit:#}");
    }
    assert!(short_of_cpu, "{cause} was never named");
    plimsoll_skipped::skipped!("other processes leave this machine no CPU for a run");
}

#[test]
fn a_simulated_arrays_hot_core_is_named_wherever_its_run_is_shown() {
    let place = TestFolder::new();
    let words = typed(
        "run lab:scale-out-flash-8?scale=200&size=8g --read 100 \
         --hits read=75,area=1m,placement=contiguous --depth 64 --for 5s --seed 1 \
         --record hot.plim",
    );
    let named = "Limited by one core of the array that owns a hot slice: core ";
    let shown = place.plimsoll(&words).out;
    assert!(shown.contains(&format!("run: {named}")), "{shown}");
    let shown = place.plimsoll("show hot.plim").out;
    assert!(shown.contains(named), "{shown}");
    let shown = place.plimsoll("show hot.plim --json").json();
    assert_eq!(shown["steps"][0]["limit"]["cause"], "hot-owner");
    let judged = place.plimsoll("audit hot.plim").out;
    assert!(judged.contains(named), "{judged}");
    let judged = place.plimsoll("audit hot.plim --json").json();
    assert_eq!(judged["records"][0]["limits"][0]["cause"], "hot-owner");
    if let Some((_, page)) = place.page("hot.plim") {
        assert!(page.to_string().contains(named));
    }
}

/// A setting of a device's queue.
fn set(device: &str, name: &str, value: &str) {
    let device = device.trim_start_matches("/dev/");
    fs::write(format!("/sys/block/{device}/queue/{name}"), value).expect("it can be set");
}

#[test]
fn a_queue_of_few_places_is_named() {
    let _turn = turn();
    let Some(disk) = Loop::blank_of(64 * MIB) else {
        return;
    };
    // The kernel makes four of it.
    set(&disk.device, "nr_requests", "2");
    let line = format!("run {} --block 4k --depth 64 {RUN}", disk.device);
    named("block-queue", || disk.place.plimsoll(&line));
}

#[test]
fn requests_that_somebody_made_small_are_named() {
    let _turn = turn();
    let Some(disk) = Loop::blank_of(64 * MIB) else {
        return;
    };
    set(&disk.device, "max_sectors_kb", "4");
    let line = format!("run {} --block 64k --depth 4 {RUN}", disk.device);
    named("block-queue", || disk.place.plimsoll(&line));
}

/// A control group with a limit in a file of its own: (version 2's, version 1's), each as controller, file and value.
fn limited(two: (&str, &str, &str), one: (&str, &str, &str)) -> Option<ControlGroup> {
    if !root_or_skip("a control group") {
        return None;
    }
    let all = Path::new("/sys/fs/cgroup");
    let name = format!("plimsoll-limit-{}", std::process::id());
    let controllers = fs::read_to_string(all.join("cgroup.controllers")).unwrap_or_default();
    match controllers.split_whitespace().any(|c| c == two.0) {
        true => {
            let _ = fs::write(all.join("cgroup.subtree_control"), format!("+{}", two.0));
            let folder = all.join(format!("{name}-{}", two.0));
            ControlGroup::new(folder, &[(two.1, two.2)])
        }
        false => ControlGroup::new(all.join(one.0).join(name), &[(one.1, one.2)]),
    }
}

#[test]
fn a_control_groups_limit_of_reads_is_named() {
    let _turn = turn();
    let Some(disk) = Loop::blank_of(64 * MIB) else {
        return;
    };
    let name = disk.device.trim_start_matches("/dev/");
    let number = fs::read_to_string(format!("/sys/block/{name}/dev")).expect("its number");
    let two = format!("{} riops=500", number.trim());
    let one = format!("{} 500", number.trim());
    let Some(group) = limited(
        ("io", "io.max", &two),
        ("blkio", "blkio.throttle.read_iops_device", &one),
    ) else {
        return;
    };
    let words = [
        &["run", disk.device.as_str(), "--block", "4k", "--depth", "8"][..],
        &typed(RUN)[..],
    ]
    .concat();
    named("set-limit", || group.run(&disk.place, &words));
}

/// A file in memory: reads of it take nothing but CPU.
fn file_in_memory() -> Option<TestFolder> {
    let folder = Path::new("/dev/shm");
    let Ok(folder) = tempfile::tempdir_in(folder) else {
        plimsoll_skipped::skipped!("there is no /dev/shm");
        return None;
    };
    let place = TestFolder::in_folder(folder);
    place.foreign("file", 16 * MIB);
    Some(place)
}

#[test]
fn a_control_groups_share_of_cpu_is_named() {
    let _turn = turn();
    let Some(place) = file_in_memory() else {
        return;
    };
    let Some(group) = limited(
        ("cpu", "cpu.max", "20000 100000"),
        ("cpu", "cpu.cfs_quota_us", "20000"),
    ) else {
        return;
    };
    let words = [
        &["run", "file", "--block", "4k", "--depth", "2"][..],
        &typed(RUN)[..],
    ]
    .concat();
    named("set-limit", || group.run(&place, &words));
}

/// Processes that use up every CPU; gone when dropped.
struct Hogs(Vec<Child>);

impl Hogs {
    fn on_each_cpu(many: usize) -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
        let hog = |_| {
            let mut hog = Command::new("sh");
            hog.args(["-c", "while :; do :; done"]).spawn()
        };
        Hogs((0..cpus * many).map(|n| hog(n).expect("it runs")).collect())
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        for hog in &mut self.0 {
            let _ = hog.kill();
            let _ = hog.wait();
        }
    }
}

#[test]
fn a_host_without_cpu_to_spare_is_named() {
    let _turn = turn();
    let Some(place) = file_in_memory() else {
        return;
    };
    let _hogs = Hogs::on_each_cpu(3);
    let words = [
        &["run", "file", "--block", "4k", "--depth", "4"][..],
        &typed(RUN)[..],
    ]
    .concat();
    named("host-cpu", || place.plimsoll(&words));
}

#[test]
fn a_cpu_that_the_worker_has_to_share_is_named_while_others_are_idle() {
    let _turn = turn();
    let Some(place) = file_in_memory() else {
        return;
    };
    if std::thread::available_parallelism().map_or(1, |n| n.get()) < 2 {
        plimsoll_skipped::skipped!("there is one CPU alone");
        return;
    }
    let pinned = |program: &str, words: &[&str]| {
        let mut command = Command::new("taskset");
        command.args(["-c", "0", program]).args(words);
        command.current_dir(place.folder()).stdin(Stdio::null());
        command
    };
    let Ok(hog) = pinned("sh", &["-c", "while :; do :; done"]).spawn() else {
        plimsoll_skipped::skipped!("there is no taskset");
        return;
    };
    let _hog = Hogs(vec![hog]);
    let words = [
        &["run", "file", "--block", "4k", "--depth", "1"][..],
        &typed(RUN)[..],
    ]
    .concat();
    let program = place.command(&words);
    let program = program.get_program().to_str().expect("a path").to_owned();
    named("one-cpu", || {
        let out = pinned(&program, &words).output().expect("it runs");
        Done::new(&out, &words)
    });
}

/// A loop device of which each read takes 2 ms, one after the other, and next to no CPU; gone when dropped.
struct SlowDisk {
    mount: String,
    file: Child,
    device: Option<String>,
}

impl SlowDisk {
    /// Over a file in a folder of the place.
    fn new(place: &TestFolder) -> Option<Self> {
        let mount = place.path("fuse");
        fs::create_dir(&mount).expect("a folder");
        let words = "fuse [ nbdkit --exit-with-parent --filter=delay memory 64M rdelay=2ms ]";
        let mut fuse = Command::new("nbdfuse");
        fuse.args(words.split(' ')).current_dir(place.folder());
        let fuse = fuse.stdin(Stdio::null()).stderr(Stdio::null()).spawn();
        let file = mount.join("nbd");
        let Ok(child) = fuse else {
            plimsoll_skipped::skipped!("nbdfuse cannot mount here");
            return None;
        };
        let mut disk = SlowDisk {
            mount: mount.display().to_string(),
            file: child,
            device: None,
        };
        let is_there = |_| {
            std::thread::sleep(Duration::from_millis(50));
            file.exists()
        };
        if !(0..100).any(is_there) {
            plimsoll_skipped::skipped!("nbdfuse cannot mount here");
            return None;
        }
        match output(
            "losetup",
            &["--find", "--show", &file.display().to_string()],
        ) {
            Ok(device) => disk.device = Some(device),
            Err(error) => {
                plimsoll_skipped::skipped!("the loop device: {error}");
                return None;
            }
        }
        Some(disk)
    }
}

impl Drop for SlowDisk {
    fn drop(&mut self) {
        if let Some(device) = &self.device {
            let _ = output("losetup", &["--detach", device]);
        }
        // Its server goes with it.
        let _ = output("umount", &["--lazy", &self.mount]);
        let _ = self.file.kill();
        let _ = self.file.wait();
    }
}

#[test]
fn others_who_have_most_of_a_device_are_named() {
    let _turn = turn();
    if !root_or_skip("a loop device") {
        return;
    }
    let place = TestFolder::new();
    let Some(disk) = SlowDisk::new(&place) else {
        return;
    };
    let device = disk.device.as_deref().expect("it was made");
    // Each has one read out at a time, far from the others. What the page cache has by then is read fast, so each begins again.
    let reader = |n: u64| {
        let line = format!(
            "while :; do dd if={device} of=/dev/null bs=4k iflag=direct skip={}; done",
            n * 512
        );
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &line]).stdin(Stdio::null());
        shell.stderr(Stdio::null()).spawn().expect("a shell")
    };
    let _others = Hogs((0..24).map(reader).collect());
    let words = [
        &["run", device, "--block", "4k", "--depth", "2"][..],
        &typed(RUN)[..],
    ]
    .concat();
    named("foreign-io", || place.plimsoll(&words));
}

#[test]
fn a_slow_server_on_this_host_is_the_target_where_twice_as_much_in_flight_does_no_more() {
    let _turn = turn();
    let place = TestFolder::new();
    // It works on 16 requests at once, for 20 ms each.
    let server = ["--filter=delay", "memory", "64M", "rdelay=20ms"];
    let Some(_server) = serve(&place, "s", &server) else {
        return;
    };
    let words = [
        &typed("run nbd+unix:///?socket=s --block 4k --depth 32,64")[..],
        &typed(RUN)[..],
    ]
    .concat();
    named("target", || place.plimsoll(&words));
}
