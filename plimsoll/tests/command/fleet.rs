//! Many hosts as one load, over a real nats-server: agents of this program, each in a folder of its own, stand for hosts.

use crate::certificates::{Age, Authority};
use crate::place::{Done, TestFolder, soon, typed};
use plimsoll_evidence::Interval;
use plimsoll_evidence::merge::merged;
use plimsoll_record::{Record, RunStatus};
use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Name of the file for a controller's messages.
const SAID: &str = "said";

/// A process that ends with its test.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The server's program: in PATH, or where `scripts/tools` puts it.
pub fn nats_server() -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/nats-server");
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join("nats-server"))
        .chain([built])
        .find(|p| p.is_file())
}

fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    free.local_addr().expect("an address").port()
}

pub fn serve(program: &Path, port: u16) -> Running {
    let words = ["-a", "127.0.0.1", "-p", &port.to_string()];
    serve_with(program, &words, port)
}

fn serve_with(program: &Path, words: &[&str], port: u16) -> Running {
    let child = Command::new(program)
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nats-server starts");
    soon(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
    Running(child)
}

/// A server, agents and a controller's folder.
pub struct Fleet {
    pub place: TestFolder,
    pub program: PathBuf,
    pub port: u16,
    pub server: Option<Running>,
    pub agents: Vec<(String, Running)>,
}

impl Fleet {
    /// Agents of these names, each with these flags; `None`, said, where there is no nats-server.
    pub fn new(agents: &[(&str, &[&str])]) -> Option<Self> {
        let Some(program) = nats_server() else {
            plimsoll_skipped::skipped!("there is no nats-server here");
            return None;
        };
        let port = free_port();
        let mut fleet = Fleet {
            place: TestFolder::new(),
            server: Some(serve(&program, port)),
            program,
            port,
            agents: Vec::new(),
        };
        agents
            .iter()
            .for_each(|(name, flags)| fleet.start(name, flags));
        soon(|| fleet.there().len() == agents.len());
        Some(fleet)
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn folder(&self, agent: &str) -> PathBuf {
        self.place.path(agent)
    }

    pub fn start(&mut self, name: &str, flags: &[&str]) {
        let folder = self.folder(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["agent", "--nats", &self.url(), "--name", name])
            .args(flags)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("an agent starts");
        self.agents.push((name.into(), Running(child)));
    }

    /// Ends an agent as `kill -9` does.
    pub fn kill(&mut self, name: &str) {
        self.agents.retain(|(n, _)| n != name);
    }

    /// Agents that answer: (name, the run that it is busy with).
    pub fn there(&self) -> Vec<(String, Option<String>)> {
        let url = self.url();
        let words = ["hosts", "--nats", &url, "--wait", "400ms", "--json"];
        let hosts = self.place.plimsoll(&words).json();
        let text = |v: &serde_json::Value| v.as_str().map(str::to_string);
        let all = hosts.as_array().expect("a list").iter();
        all.map(|h| (text(&h["name"]).expect("a name"), text(&h["busy"])))
            .collect()
    }

    pub fn words<'a>(&self, words: &[&'a str], url: &'a str) -> Vec<&'a str> {
        [
            words,
            &["--nats", url, "--record", "all.plim", "--overwrite"],
        ]
        .concat()
    }

    pub fn run(&self, words: &[&str]) -> Done {
        let url = self.url();
        self.place.plimsoll(&self.words(words, &url))
    }

    pub fn begin(&self, words: &[&str]) -> Running {
        let url = self.url();
        self.control(&self.words(words, &url))
    }

    /// A controller that is left to itself. Where it ends too soon, [`Fleet::printed`] says why.
    pub fn control(&self, words: &[&str]) -> Running {
        let printed = File::create(self.place.path(SAID)).expect("a file");
        let mut command = self.place.command(words);
        let child = command.stdout(Stdio::null()).stderr(printed).spawn();
        Running(child.expect("the program starts"))
    }

    /// Output of the last controller that was left to itself.
    pub fn printed(&self) -> String {
        std::fs::read_to_string(self.place.path(SAID)).expect("what it said")
    }

    /// Waits for what a controller brings about, and not where it has ended without.
    #[track_caller]
    pub fn soon(&self, controller: &mut Running, mut is_true: impl FnMut(&Fleet) -> bool) {
        soon(|| {
            let ended = controller.0.try_wait().expect("it is a child");
            let true_now = is_true(self);
            assert!(true_now || ended.is_none(), "{ended:?}: {}", self.printed());
            true_now
        });
    }

    pub fn record(&self) -> Record {
        Record::open(&self.place.path("all.plim")).expect("a record")
    }

    /// The agents' own records, in the order of their names.
    pub fn own(&self) -> Vec<Record> {
        let mut names: Vec<&String> = self.agents.iter().map(|(n, _)| n).collect();
        names.sort();
        let records = names.into_iter().flat_map(|name| self.own_of(name));
        records.collect()
    }

    pub fn own_of(&self, name: &str) -> Vec<Record> {
        let entries = std::fs::read_dir(self.folder(name)).expect("a folder");
        let paths = entries.map(|e| e.expect("an entry").path());
        let records = paths.filter(|p| p.extension().is_some_and(|e| e == "plim"));
        records
            .map(|p| Record::open(&p).expect("a record"))
            .collect()
    }
}

const QUICK: [&str; 6] = ["--for", "2s", "--warmup", "1s", "--block", "4k"];

pub fn intervals(record: &Record) -> Vec<Interval> {
    record.intervals(1).expect("intervals")
}

/// I/Os that came due of each stream of a step: what its schedule asked for, however busy the hosts were.
pub fn due(record: &Record, step: u32) -> Vec<u64> {
    let mut sums = Vec::new();
    let intervals = record.intervals(step).expect("intervals");
    for interval in intervals.iter().filter(|i| i.counts()) {
        let streams = &interval.stats.streams;
        sums.resize(streams.len().max(sums.len()), 0);
        for (sum, stream) in sums.iter_mut().zip(streams) {
            *sum += stream.due;
        }
    }
    sums
}

/// Intervals of the hosts' own records, put together by whoever has them all.
pub fn truth(own: &[Record], step: u32) -> Vec<Interval> {
    let of = |record: &Record| record.intervals(step).expect("intervals");
    let all: Vec<Vec<Interval>> = own.iter().map(of).collect();
    let most = all.iter().map(Vec::len).max().unwrap_or(0);
    let of = |n: usize| merged(all.iter().map(|i| i.get(n).cloned()).collect());
    (0..most).filter_map(of).collect()
}

#[test]
fn a_rate_is_divided_and_the_record_is_the_sum_of_the_hosts_own() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let words = ["run", "null:1GiB", "--rate", "3000", "--hosts", "a,b"];
    let words = [&words[..], &["--arrival", "even"], &QUICK].concat();
    let done = fleet.run(&words).ok();
    done.says(&["hosts:"]);
    let record = fleet.record();
    assert_eq!(*record.status(), RunStatus::Completed);
    let hosts: Vec<_> = record
        .environment()
        .hosts()
        .map(|h| h.hostname.clone())
        .collect();
    assert_eq!(hosts, ["a", "b"]);
    let step = &record.steps().expect("steps")[0];
    // All that came due of 3000 a second in 2 s, half of it by each.
    let parts: Vec<u64> = step.hosts.iter().map(|h| h.ios).collect();
    assert_eq!(parts.iter().sum::<u64>(), step.ios);
    assert!(
        parts.iter().all(|ios| (2_900..=3_100).contains(ios)),
        "{parts:?}"
    );
    assert_eq!(step.hosts[0].offered, Some(1_500.0));
    assert!(step.hosts.iter().all(|h| h.start.bound_ns > 0));
    // To the last bit what the hosts' own records hold.
    let (all, own) = (intervals(&record), fleet.own());
    let truth = truth(&own, 1);
    assert!(all.len() >= 3);
    assert_eq!(all.len(), truth.len());
    for (all, truth) in all.iter().zip(&truth) {
        let json = |i: &Interval| serde_json::to_string(&i.stats).expect("JSON");
        assert_eq!(json(all), json(truth), "interval {}", truth.number);
    }
    for (host, own) in (1..).zip(&own) {
        let mut copied = Vec::new();
        record
            .each_interval_of(1, host, |i| copied.push(i.stats))
            .expect("readable");
        let own: Vec<_> = intervals(own).into_iter().map(|i| i.stats).collect();
        assert_eq!(copied, own, "host {host}");
    }
}

#[test]
fn what_does_not_fit_on_one_host_begins_on_none() {
    let every: &[&str] = &["--allow-destroy", "*"];
    let Some(fleet) = Fleet::new(&[("a", every), ("b", every), ("c", &[])]) else {
        return;
    };
    let nothing_began = |hosts: &[&str]| {
        assert!(hosts.iter().all(|h| fleet.own_of(h).is_empty()));
        soon(|| fleet.there().iter().all(|(_, busy)| busy.is_none()));
    };
    let run = |target: &str, more: &[&str]| {
        let words = [&["run", target][..], more, &QUICK].concat();
        let mut done = fleet.run(&words);
        // An agent may not have heard yet that the run before was refused.
        soon(|| {
            let is_busy = done.err.contains("the agent is busy");
            if is_busy {
                done = fleet.run(&words);
            }
            !is_busy
        });
        done
    };
    // A file that only one host has.
    std::fs::write(fleet.folder("a").join("x"), [7; 1 << 16]).expect("written");
    run("./x", &["--hosts", "a,b"]).refused(&["b: ", "does not exist"]);
    nothing_began(&["a", "b"]);
    // Sizes that differ.
    std::fs::write(fleet.folder("b").join("x"), [7; 1 << 17]).expect("written");
    run("./x", &["--hosts", "a,b"]).refused(&["65536 bytes on a and 131072 on b"]);
    // One file of both hosts, which nobody said is shared.
    let both = fleet.place.foreign("both", 1 << 16);
    let both = both.to_str().expect("a name");
    run(both, &["--hosts", "a,b"]).refused(&["are one", "shared = true"]);
    // Data that nobody gave leave to destroy, there or here.
    let write = ["--read", "0", "--hosts", "a,b", "--size", "64k"];
    run("./x", &write).refused(&["--destroy"]);
    run("null:1GiB", &["--hosts", "a,c", "--destroy", "/dev/none"])
        .refused(&["names no target of this plan on any host"]);
    // An agent that lends nothing to be written.
    std::fs::write(fleet.folder("c").join("x"), [7; 1 << 16]).expect("written");
    run(
        "./x",
        &["--read", "0", "--hosts", "a,c", "--destroy", "./x"],
    )
    .refused(&["c: ", "--allow-destroy './x'"]);
    run("./new", &["--size", "64k", "--hosts", "c"]).refused(&["c: "]);
    // Hosts that are not there, and what no hosts have in common.
    run("null:1GiB", &["--hosts", "a,z"]).refused(&["no agent called z", "a, b, c"]);
    run("lab:scale-out-flash-8", &["--hosts", "a"]).refused(&["virtual time"]);
    nothing_began(&["a", "b", "c"]);
    let x = std::fs::read(fleet.folder("a").join("x")).expect("readable");
    assert!(x.iter().all(|b| *b == 7), "nothing was written");
}

#[test]
fn a_shared_file_is_passed_through_once_by_all_together() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let file = fleet.place.foreign("both", 8 << 20);
    let text = format!(
        "[target.t]\npath = \"{}\"\nshared = true\n[workload.w]\nblock = \"4k\"\naccess = \"sequential=once\"\n\
         [[run]]\nname = \"pass\"\nload = \"max\"\nfor = \"20s\"\nwarmup = \"0s\"\ndepth = 4\n",
        file.display()
    );
    fleet.place.text("both.toml", &text);
    fleet.run(&["run", "both.toml", "--hosts", "a,b"]);
    let step = &fleet.record().steps().expect("steps")[0];
    let reads: u64 = intervals(&fleet.record())
        .iter()
        .map(|i| i.stats.ios())
        .sum();
    assert_eq!(reads, (8 << 20) / 4096, "each block once");
    let parts: Vec<u64> = step.hosts.iter().map(|h| h.ios).collect();
    assert_eq!(parts.iter().sum::<u64>(), reads);
    assert!(parts.iter().all(|p| *p > 900), "{parts:?}");
}

#[test]
fn a_curve_is_measured_by_hosts_as_by_one() {
    let Some(fleet) = Fleet::new(&[("a", &[]), ("b", &[])]) else {
        return;
    };
    let words = typed(
        "curve null:1GiB --percents 10,50 --for 1s --warmup 0s --depth 4 --workers 1 --hosts a,b",
    );
    fleet.run(&words);
    let record = fleet.record();
    let steps = record.steps().expect("steps");
    assert_eq!(steps.len(), 3);
    assert!(steps.iter().all(|s| s.hosts.len() == 2));
    assert_eq!(steps[0].slots, 8, "a depth is each host's");
    assert_eq!(record.verdicts().expect("verdicts").len(), 1);
}

#[test]
fn a_server_whose_certificate_does_not_hold_is_refused() {
    let Some(program) = nats_server() else {
        plimsoll_skipped::skipped!("there is no nats-server here");
        return;
    };
    let (authority, other) = (Authority::new("one"), Authority::new("another"));
    let place = TestFolder::new();
    for (age, trusted, holds) in [
        (Age::Good, &authority, true),
        (Age::Good, &other, false),
        (Age::Expired, &authority, false),
    ] {
        let folder = authority.server_of_age(&["127.0.0.1"], age);
        let port = free_port();
        let config = format!(
            "listen: \"127.0.0.1:{port}\"\ntls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
            folder.file("server-cert.pem").display(),
            folder.file("server-key.pem").display()
        );
        let config = place.text("nats.conf", &config).display().to_string();
        let _server = serve_with(&program, &["-c", &config], port);
        let ca = trusted.folder();
        let ca = ca.file("ca-cert.pem").display().to_string();
        let url = format!("tls://127.0.0.1:{port}");
        let words = [
            "hosts", "--nats", &url, "--ca", &ca, "--wait", "100ms", "--json",
        ];
        let done = place.plimsoll(&words);
        match holds {
            true => assert_eq!(done.ok().json(), serde_json::json!([])),
            false => drop(done.refused(&["cannot connect"])),
        }
    }
}

#[test]
fn without_a_server_nothing_is_tried() {
    let place = TestFolder::new();
    let words = ["run", "null:1GiB", "--hosts", "a"];
    let ssh = ["--ssh", "false", "--nats-server", "/bin/true"];
    place
        .quick(&[&words[..], &ssh].concat())
        .refused(&["a cannot be reached by ssh", "`false a true`"]);
    let none = ["--nats-server", "./none"];
    place
        .quick(&[&words[..], &none].concat())
        .refused(&["there is no nats-server at ./none", "go install"]);
    let nowhere = typed("run null:1GiB --hosts a --nats nats://127.0.0.1:9");
    place
        .quick(&nowhere)
        .refused(&["cannot connect to nats://127.0.0.1:9"]);
    let agent = ["agent", "--nats", "nats://127.0.0.1:9", "--name", "x"];
    place.plimsoll(&agent).refused(&["cannot connect"]);
}
