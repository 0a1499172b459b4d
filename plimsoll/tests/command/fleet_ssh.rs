//! Hosts by ssh: real servers of ssh in network name spaces with addresses of their own. Nothing is on them but that, and nothing
//! stays there that runs.

use crate::devices::output;
use crate::fleet::{due, nats_server};
use crate::place::{TestFolder, root_or_skip, soon, typed};
use plimsoll_record::{Record, RunStatus};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One at a time: there is one range of addresses.
static ADDRESSES: Mutex<()> = Mutex::new(());

/// Name spaces with a bridge to all of them, and a server of ssh in each; gone when dropped.
pub struct Hosts {
    _alone: MutexGuard<'static, ()>,
    pub place: TestFolder,
    bridge: String,
    names: Vec<String>,
    servers: Vec<Child>,
}

/// Removes bridges and name spaces of tests that were killed: their routes lead to the addresses of these hosts.
fn remove_left() {
    for (list, remove) in [
        ("ip -brief link show type bridge", "ip link delete"),
        ("ip netns list", "ip netns delete"),
    ] {
        let words: Vec<&str> = list.split(' ').collect();
        for line in output(words[0], &words[1..]).unwrap_or_default().lines() {
            let name = line.split_whitespace().next().unwrap_or_default();
            let of = name.strip_prefix("pl").and_then(|n| n.split_once('x'));
            let pid = of.and_then(|(pid, _)| pid.parse::<u32>().ok());
            if pid.is_some_and(|pid| !PathBuf::from(format!("/proc/{pid}")).exists()) {
                let words: Vec<&str> = remove.split(' ').chain([name]).collect();
                let _ = output(words[0], &words[1..]);
            }
        }
    }
}

impl Hosts {
    pub fn new(count: usize) -> Option<Self> {
        if !root_or_skip("network name spaces") {
            return None;
        }
        let Some(_) = nats_server() else {
            plimsoll_skipped::skipped!("there is no nats-server here");
            return None;
        };
        if !PathBuf::from("/usr/sbin/sshd").is_file() {
            plimsoll_skipped::skipped!("there is no sshd here");
            return None;
        }
        let alone = ADDRESSES.lock().unwrap_or_else(PoisonError::into_inner);
        remove_left();
        let bridge = format!("pl{}x{count}", std::process::id());
        let names = (1..=count).map(|n| format!("{bridge}n{n}")).collect();
        let mut hosts = Hosts {
            _alone: alone,
            place: TestFolder::new(),
            bridge,
            names,
            servers: Vec::new(),
        };
        if let Err(reason) = hosts.make() {
            println!("{reason}");
            plimsoll_skipped::skipped!(
                "network name spaces with bridges and links cannot be made here"
            );
            return None;
        }
        hosts.keys();
        for n in 0..count {
            hosts.serve(n);
        }
        Some(hosts)
    }

    fn address(n: usize) -> String {
        format!("198.51.100.{}", 66 + n)
    }

    fn make(&self) -> Result<(), String> {
        let run = |line: String| {
            let words: Vec<&str> = line.split(' ').collect();
            output(words[0], &words[1..]).map(drop)
        };
        let bridge = &self.bridge;
        run(format!("ip link add {bridge} type bridge"))?;
        run(format!("ip addr add 198.51.100.65/26 dev {bridge}"))?;
        run(format!("ip link set {bridge} up"))?;
        for (n, name) in self.names.iter().enumerate() {
            let (here, address) = (format!("{bridge}v{n}"), Hosts::address(n));
            run(format!("ip netns add {name}"))?;
            run(format!(
                "ip link add {here} type veth peer name eth0 netns {name}"
            ))?;
            run(format!("ip link set {here} master {bridge} up"))?;
            run(format!("ip -n {name} addr add {address}/26 dev eth0"))?;
            run(format!("ip -n {name} link set eth0 up"))?;
            run(format!("ip -n {name} link set lo up"))?;
        }
        Ok(())
    }

    /// A key of the hosts and one of the user, and a way to use them that no user's own files have a part in.
    fn keys(&self) {
        for key in ["host", "user"] {
            let path = self.place.path(key);
            let path = path.to_str().expect("a name");
            output("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", path]).expect("a key");
        }
        let folder = self.place.folder().display();
        self.place.text(
            "ssh_config",
            &format!(
                "IdentityFile {folder}/user\nIdentitiesOnly yes\nUserKnownHostsFile /dev/null\nStrictHostKeyChecking no\nLogLevel ERROR\n"
            ),
        );
    }

    /// A server of ssh whose users are at home in a folder of the test's.
    fn serve(&mut self, n: usize) {
        let folder = self.place.folder().display().to_string();
        let home = self.place.path(&format!("home{n}"));
        std::fs::create_dir(&home).expect("a folder");
        let home = home.display();
        let config = self.place.text(
            &format!("sshd_config{n}"),
            &format!(
                "HostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\nStrictModes no\nPidFile none\nUsePAM no\n\
                 PermitRootLogin prohibit-password\nListenAddress {}\n\
                 ForceCommand cd {home} && export HOME={home} && exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"\n",
                Hosts::address(n)
            ),
        );
        std::fs::create_dir_all("/run/sshd").expect("sshd's own folder");
        let server = Command::new("ip")
            .args([
                "netns",
                "exec",
                &self.names[n],
                "/usr/sbin/sshd",
                "-D",
                "-e",
                "-f",
            ])
            .arg(config)
            .stderr(Stdio::null())
            .spawn()
            .expect("sshd starts");
        self.servers.push(server);
        soon(|| TcpStream::connect((Hosts::address(n).as_str(), 22)).is_ok());
    }

    /// All of them, the last as another user would name it.
    fn list(&self) -> String {
        let all = (0..self.names.len()).map(Hosts::address);
        let mut all: Vec<String> = all.collect();
        if let Some(last) = all.last_mut() {
            *last = format!("root@{last}");
        }
        all.join(",")
    }

    pub fn words<'a>(&self, words: &[&'a str], reach: &'a [String; 3]) -> Vec<&'a str> {
        let [hosts, ssh, server] = reach;
        let reach = ["--hosts", hosts, "--ssh", ssh, "--nats-server", server];
        [words, &reach, &["--record", "all.plim"]].concat()
    }

    pub fn reach(&self) -> [String; 3] {
        let config = self.place.path("ssh_config");
        let server = nats_server().expect("found before").display().to_string();
        [self.list(), format!("ssh -F {}", config.display()), server]
    }

    /// Processes in the name spaces, but for the servers of ssh themselves; and servers of NATS that this test's runs have started.
    pub fn left(&self) -> usize {
        let pids = |name: &String| output("ip", &["netns", "pids", name]).unwrap_or_default();
        let all: Vec<String> = self.names.iter().map(pids).collect();
        let lines = all.iter().flat_map(|text| text.lines());
        let running = |pid: &str| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm"));
            name.is_ok_and(|n| n.trim() != "sshd")
        };
        lines.filter(|pid| running(pid.trim())).count()
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = server.kill();
            let _ = server.wait();
        }
        for (n, name) in self.names.iter().enumerate() {
            let _ = output("ip", &["link", "del", &format!("{}v{n}", self.bridge)]);
            let _ = output("ip", &["netns", "del", name]);
        }
        let _ = output("ip", &["link", "del", &self.bridge]);
    }
}

#[test]
fn three_hosts_with_nothing_but_ssh_carry_a_plan_out_and_nothing_stays() {
    let Some(hosts) = Hosts::new(3) else { return };
    let reach = hosts.reach();
    let words = typed(
        "run ./t.dat --size 4m --read 70 --block 4k --rate 900 --for 2s --warmup 0s --seed 7",
    );
    let done = hosts.place.plimsoll(&hosts.words(&words, &reach)).ok();
    done.says(&["hosts:"]);
    let record = Record::open(&hosts.place.path("all.plim")).expect("a record");
    assert_eq!(*record.status(), RunStatus::Completed);
    let steps = record.steps().expect("steps");
    let step = steps.last().expect("a step");
    let names: Vec<&str> = step.hosts.iter().map(|h| h.name.as_str()).collect();
    assert_eq!(names, ["198.51.100.66", "198.51.100.67", "198.51.100.68"]);
    for n in 0..3 {
        let home = hosts.place.path(&format!("home{n}"));
        assert_eq!(
            std::fs::metadata(home.join("t.dat"))
                .expect("made there")
                .len(),
            4 << 20
        );
        let programs = std::fs::read_dir(home.join(".cache/plimsoll")).expect("copied");
        assert_eq!(programs.count(), 1, "one copy, and no part of one");
    }
    soon(|| hosts.left() == 0);
    // Once more, and then killed: what is copied is not copied again, and all of it ends by itself.
    std::fs::remove_file(hosts.place.path("all.plim")).expect("removed");
    let copied = || {
        let entry = std::fs::read_dir(hosts.place.path("home0/.cache/plimsoll"));
        let entry = entry
            .expect("there")
            .next()
            .expect("one")
            .expect("an entry");
        entry.metadata().expect("there").modified().expect("a time")
    };
    let before = copied();
    // But where something else lies under its name.
    let program = |n: u32| {
        let folder = hosts.place.path(&format!("home{n}/.cache/plimsoll"));
        let entry = std::fs::read_dir(folder).expect("there").next();
        entry.expect("one").expect("an entry").path()
    };
    std::fs::write(program(1), "#!/bin/sh\nexit 0\n").expect("written");
    let words = typed("run null:1GiB --rate 900 --for 10m --warmup 0s --lease 6s");
    let mut run = hosts.place.begin(&hosts.words(&words, &reach));
    soon(|| {
        let record = Record::open(&hosts.place.path("all.plim"));
        record.is_ok_and(|r| r.interval_count(1).is_ok_and(|n| n >= 2))
    });
    assert!(hosts.left() >= 3, "an agent on each");
    run.kill().expect("killed");
    run.wait().expect("ended");
    soon(|| hosts.left() == 0);
    assert_eq!(before, copied());
    let read = |n: u32| std::fs::read(program(n)).expect("readable");
    assert!(read(1) == read(0), "the program, and not what lay there");
}

#[test]
fn a_host_whose_network_is_cut_is_lost_by_name_and_its_agent_ends_by_itself() {
    let Some(hosts) = Hosts::new(2) else { return };
    let reach = hosts.reach();
    let words = typed("run null:1GiB --rate 900 --for 30s --warmup 0s --lease 6s --on-lost stop");
    let mut run = hosts.place.begin(&hosts.words(&words, &reach));
    soon(|| {
        let record = Record::open(&hosts.place.path("all.plim"));
        record.is_ok_and(|r| r.interval_count(1).is_ok_and(|n| n >= 2))
    });
    let link = format!("{}v1", hosts.bridge);
    output("ip", &["link", "set", &link, "down"]).expect("cut");
    assert_eq!(run.wait().expect("ended").code(), Some(2));
    let record = Record::open(&hosts.place.path("all.plim")).expect("a record");
    let RunStatus::Failed(why) = record.status() else {
        panic!("{:?}", record.status())
    };
    assert!(why.contains("198.51.100.67: it was not heard"), "{why}");
    let steps = record.steps().expect("steps");
    assert_eq!(steps[0].hosts.len(), 1, "the other's part is there");
    // The link stays cut: the lease is what ends it.
    soon(|| hosts.left() == 0);
    let home = std::fs::read_dir(hosts.place.path("home1")).expect("a folder");
    let mut records = home
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "plim"));
    let own = Record::open(&records.next().expect("its own record")).expect("a record");
    assert_eq!(*own.status(), RunStatus::Interrupted);
    assert_eq!(own.steps().expect("steps").len(), 1);
}

#[test]
fn a_host_that_comes_back_over_its_network_or_is_killed_there_has_its_step_measured_again() {
    let Some(hosts) = Hosts::new(2) else { return };
    let reach = hosts.reach();
    let words = typed("run null:1GiB --rate 900 --arrival even --for 8s --warmup 0s --lease 18s");
    let link = format!("{}v1", hosts.bridge);
    for cut in [true, false] {
        let mut run = hosts
            .place
            .command(&hosts.words(&words, &reach))
            .arg("--overwrite")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let record = || Record::open(&hosts.place.path("all.plim"));
        soon(|| record().is_ok_and(|r| r.interval_count(1).is_ok_and(|n| (2..8).contains(&n))));
        match cut {
            true => {
                output("ip", &["link", "set", &link, "down"]).expect("cut");
                soon(|| record().is_ok_and(|r| r.steps_set_aside().is_ok_and(|s| !s.is_empty())));
                output("ip", &["link", "set", &link, "up"]).expect("mended");
            }
            // What nobody but this run had started, it starts again.
            false => {
                let pids = output("ip", &["netns", "pids", &hosts.names[1]]).expect("processes");
                let is_agent = |pid: &&str| {
                    let name = std::fs::read_to_string(format!("/proc/{pid}/comm"));
                    name.is_ok_and(|n| n.starts_with("plimsoll"))
                };
                let agent = pids
                    .lines()
                    .map(str::trim)
                    .find(is_agent)
                    .expect("an agent");
                output("kill", &["-9", agent]).expect("killed");
            }
        }
        assert_eq!(run.wait().expect("ended").code(), Some(0), "cut: {cut}");
        let record = record().expect("a record");
        assert_eq!(*record.status(), RunStatus::Completed);
        let steps = record.steps().expect("steps");
        let [step] = &steps[..] else {
            panic!("{} steps", steps.len())
        };
        assert_eq!(step.number, 2);
        // What came due of both; how much of it was back in time is each host's affair.
        let due: u64 = due(&record, 2).iter().sum();
        assert!(due.abs_diff(7_200) <= 2, "{due}");
        let parts: Vec<u64> = step.hosts.iter().map(|h| h.ios).collect();
        assert!(
            parts.len() == 2 && parts.iter().all(|ios| (1..=3_600).contains(ios)),
            "{parts:?}"
        );
        let aside = record.steps_set_aside().expect("steps");
        let why = aside[0].set_aside.as_deref().expect("a reason");
        assert!(why.contains("198.51.100.67: it was not heard"), "{why}");
        drop(record);
        soon(|| hosts.left() == 0);
    }
}
