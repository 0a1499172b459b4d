//! What limited a run on real arrangements: a queue of few places, small requests, a control group, a busy host, a slow server, a
//! slow link. Each is named where the host shows it; nothing else ever is.

use crate::control_group::ControlGroup;
use crate::devices::{Loop, output};
use crate::exports::serve;
use crate::place::{Done, MIB, Place, root_or_skip};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Other tests use this machine too: how often one gets another chance.
const TRIES: usize = 4;

/// One at a time: they are about what is short.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

const RUN: [&str; 10] = [
    "--read",
    "100",
    "--for",
    "2s",
    "--allow-unwritten",
    "--no-record",
    "--no-settle",
    "--seed",
    "1",
    "--json",
];

/// The last step's limit.
fn limit(done: &Done) -> Value {
    assert!(matches!(done.code, Some(0 | 1)), "{done:#?}");
    let steps = done.json()["steps"].clone();
    steps.as_array().expect("steps").last().expect("a step")["limit"].clone()
}

/// The cause is named at some try, and never another one. That the host's CPU is short may be so beside it: these tests are not
/// alone on the machine.
fn named(cause: &str, mut run: impl FnMut() -> Done) {
    let mut short_of_cpu = true;
    for _ in 0..TRIES {
        let limit = limit(&run());
        let said = limit["cause"].as_str().expect("a cause").to_owned();
        if said == cause {
            return;
        }
        assert!(
            ["not-attributable", "host-cpu"].contains(&said.as_str()),
            "{limit:#}"
        );
        let unseen = limit["not_observable"].to_string();
        short_of_cpu &= said == "host-cpu"
            || unseen.contains("host-cpu")
            || limit.to_string().contains("all CPUs were busy");
        println!("{limit:#}");
    }
    assert!(short_of_cpu, "{cause} was never named");
    plimsoll_skipped::skipped!("other processes leave this machine no CPU for a run");
}

#[test]
fn a_simulated_arrays_hot_core_is_named_wherever_its_run_is_shown() {
    let place = Place::new();
    let words = [
        "run",
        "lab:scale-out-flash-8?scale=200&size=8g",
        "--read",
        "100",
        "--hits",
        "read=75,area=1m,placement=contiguous",
        "--depth",
        "64",
        "--for",
        "5s",
        "--seed",
        "1",
        "--record",
        "hot.plim",
    ];
    let named = "Limited by one core of the array that owns a hot slice: core ";
    let shown = place.plimsoll(&words).out;
    assert!(shown.contains(&format!("run: {named}")), "{shown}");
    let shown = place.plimsoll(&["show", "hot.plim"]).out;
    assert!(shown.contains(named), "{shown}");
    let shown = place.plimsoll(&["show", "hot.plim", "--json"]).json();
    assert_eq!(shown["steps"][0]["limit"]["cause"], "hot-owner");
    let judged = place.plimsoll(&["audit", "hot.plim"]).out;
    assert!(judged.contains(named), "{judged}");
    let judged = place.plimsoll(&["audit", "hot.plim", "--json"]).json();
    assert_eq!(judged["records"][0]["limits"][0]["cause"], "hot-owner");
    let page = place.plimsoll(&["report", "hot.plim", "-o", "hot.html"]);
    if page.code == Some(2) {
        plimsoll_skipped::skipped!("the report's page was not built");
        return;
    }
    let page = fs::read_to_string(place.path("hot.html")).expect("the page");
    assert!(page.contains(named));
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
    let words = [
        &[
            "run",
            disk.device.as_str(),
            "--block",
            "4k",
            "--depth",
            "64",
        ][..],
        &RUN,
    ]
    .concat();
    named("block-queue", || disk.place.plimsoll(&words));
}

#[test]
fn requests_that_somebody_made_small_are_named() {
    let _turn = turn();
    let Some(disk) = Loop::blank_of(64 * MIB) else {
        return;
    };
    set(&disk.device, "max_sectors_kb", "4");
    let words = [
        &[
            "run",
            disk.device.as_str(),
            "--block",
            "64k",
            "--depth",
            "4",
        ][..],
        &RUN,
    ]
    .concat();
    named("block-queue", || disk.place.plimsoll(&words));
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
        &RUN,
    ]
    .concat();
    named("set-limit", || group.run(&disk.place, &words));
}

/// A file in memory: reads of it take nothing but CPU.
fn file_in_memory() -> Option<Place> {
    let folder = Path::new("/dev/shm");
    let Ok(folder) = tempfile::tempdir_in(folder) else {
        plimsoll_skipped::skipped!("there is no /dev/shm");
        return None;
    };
    let place = Place::in_folder(folder);
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
    let words = [&["run", "file", "--block", "4k", "--depth", "2"][..], &RUN].concat();
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
    let words = [&["run", "file", "--block", "4k", "--depth", "4"][..], &RUN].concat();
    named("host-cpu", || place.plimsoll(&words));
}

#[test]
fn a_slow_server_on_this_host_is_the_target_where_twice_as_much_in_flight_does_no_more() {
    let _turn = turn();
    let place = Place::new();
    // It works on 16 requests at once, for 20 ms each.
    let server = ["--filter=delay", "memory", "64M", "rdelay=20ms"];
    let Some(_server) = serve(&place, "s", &server) else {
        return;
    };
    let words = [
        &[
            "run",
            "nbd+unix:///?socket=s",
            "--block",
            "4k",
            "--depth",
            "32,64",
        ][..],
        &RUN,
    ]
    .concat();
    named("target", || place.plimsoll(&words));
}

/// Two ends of a link, one of them in a name space of its own, that carries 80 Mbit/s towards this host.
struct SlowLink {
    name: String,
    server: Child,
}

impl SlowLink {
    fn new() -> Option<Self> {
        if !root_or_skip("a network name space") {
            return None;
        }
        let name = format!("plim{}", std::process::id() % 100_000);
        let (here, there) = (format!("{name}a"), format!("{name}b"));
        let run = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            output(words[0], &words[1..]).map(drop)
        };
        let made = [
            format!("ip netns add {name}"),
            format!("ip link add {here} type veth peer name {there} netns {name}"),
            format!("ip addr add 198.51.100.1/30 dev {here}"),
            format!("ip link set {here} up"),
            format!("ip -n {name} addr add 198.51.100.2/30 dev {there}"),
            format!("ip -n {name} link set {there} up"),
            format!("ip netns exec {name} tc qdisc add dev {there} root tbf rate 80mbit burst 32k latency 50ms"),
        ]
        .iter()
        .try_for_each(|line| run(line));
        let serve = format!("netns exec {name} nbdkit -f -p 10809 memory 64M");
        let server = made.and_then(|()| {
            let mut server = Command::new("ip");
            let server = server.args(serve.split(' ')).stderr(Stdio::null()).spawn();
            output("nbdkit", &["--version"])?;
            server.map_err(|e| e.to_string())
        });
        match server {
            Ok(server) => Some(SlowLink { name, server }),
            Err(reason) => {
                let _ = run(&format!("ip netns del {name}"));
                println!("{reason}");
                plimsoll_skipped::skipped!(
                    "network name spaces with bridges and links cannot be made here"
                );
                None
            }
        }
    }
}

impl Drop for SlowLink {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = output("ip", &["netns", "del", &self.name]);
    }
}

#[test]
fn a_slow_link_behind_which_nobody_can_look_is_blamed_on_nothing_else() {
    let _turn = turn();
    let Some(_link) = SlowLink::new() else {
        return;
    };
    let place = Place::new();
    let target = "nbd://198.51.100.2:10809";
    let words = [
        &["run", target, "--block", "16k", "--depth", "8,16"][..],
        &RUN,
    ]
    .concat();
    // Until the server listens.
    let mut done = place.plimsoll(&words);
    for _ in 0..50 {
        if done.code != Some(2) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
        done = place.plimsoll(&words);
    }
    let limit = limit(&done);
    let cause = limit["cause"].as_str().expect("a cause");
    assert!(
        ["network", "not-attributable", "host-cpu"].contains(&cause),
        "{limit:#}"
    );
    if cause == "not-attributable" {
        let unseen = limit["not_observable"].to_string();
        assert!(unseen.contains("\"target\""), "{limit:#}");
    }
}
