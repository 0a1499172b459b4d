//! A cable is pulled under load, for real: two links through a switch in a name space of its own, between the multipath NBD
//! client and an array that is served in another. Needs root and `ip`.

use crate::disturbing::Report;
use crate::place::{Done, TestFolder, root_or_skip, typed};
use crate::serving::Lab;
use plimsoll_evidence::{PathState, TargetPaths};
use plimsoll_record::Record;
use std::process::{Command, Stdio};

/// Longest time that an I/O may be out on a path, s.
const DEADLINE_S: f64 = 1.0;

/// A client, a switch and a server, joined by two links. Link 1 of the client is the port `w1` of the switch, and `s1` of the
/// server.
struct Net {
    client: String,
    switch: String,
    server: String,
}

fn ip(words: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(words.split_whitespace()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Net {
    /// `None` where this machine lends no name spaces, which is said.
    fn new(name: &str) -> Option<Self> {
        if !root_or_skip("a network name space") {
            return None;
        }
        let of = |what: &str| format!("plimsoll-{what}-{name}-{}", std::process::id());
        let net = Net {
            client: of("c"),
            switch: of("w"),
            server: of("s"),
        };
        if !net.joined() {
            plimsoll_skipped::skipped!(
                "network name spaces with bridges and links cannot be made here"
            );
            return None;
        }
        Some(net)
    }

    fn joined(&self) -> bool {
        let Net {
            client,
            switch,
            server,
        } = self;
        let made = [client, switch, server]
            .iter()
            .all(|n| ip(&format!("netns add {n}")) && ip(&format!("-n {n} link set lo up")));
        let link = |i: u32| {
            [
                format!("-n {switch} link add b{i} type bridge"),
                format!("-n {switch} link set b{i} up"),
                format!("-n {client} link add c{i} type veth peer name w{i} netns {switch}"),
                format!("-n {server} link add s{i} type veth peer name v{i} netns {switch}"),
                format!("-n {switch} link set w{i} master b{i} up"),
                format!("-n {switch} link set v{i} master b{i} up"),
                format!("-n {client} addr add 10.91.{i}.1/24 dev c{i}"),
                format!("-n {client} link set c{i} up"),
                format!("-n {server} addr add 10.91.{i}.2/24 dev s{i}"),
                format!("-n {server} link set s{i} up"),
            ]
            .iter()
            .all(|words| ip(words))
        };
        made && link(1) && link(2)
    }

    /// The array, served on both links.
    fn serve(&self, place: &TestFolder) -> Lab {
        let words = typed(
            "lab serve single-ssd --size 64m --listen 10.91.1.2:10809 --listen 10.91.2.2:10809 \
             --insecure --no-timing",
        );
        Lab::of(self.within(&self.server, &place.command(&words)))
    }

    /// The same command in a name space.
    fn within(&self, name_space: &str, command: &Command) -> Command {
        let mut inside = Command::new("ip");
        inside.args(["netns", "exec", name_space]);
        inside.arg(command.get_program()).args(command.get_args());
        if let Some(folder) = command.get_current_dir() {
            inside.current_dir(folder);
        }
        for (name, value) in command.get_envs() {
            inside.env(name, value.unwrap_or_default());
        }
        inside
    }

    /// Disturbs a load of reads on both links once.
    fn disturb(&self, place: &TestFolder, action: &str, undo: &str) -> (Report, TargetPaths) {
        let text = format!(
            "[target.lun]\npaths = [\"nbd://10.91.1.2/single-ssd/lun0\", \"nbd://10.91.2.2/single-ssd/lun0\"]\n\
             path_deadline = \"{DEADLINE_S}s\"\n[workload.w]\n[[run]]\nmethod = \"disturb\"\nload = 400\nwarmup = \"0s\"\n\
             at = \"2s\"\ndo = '''{action}'''\nundo_at = \"5s\"\nundo = '''{undo}'''\nfor = \"10s\"\ntimes = 1\n"
        );
        place.text("pull.toml", &text);
        let words = [
            "disturb",
            "pull.toml",
            "--allow-commands",
            // `ip` mounts in the name space that it enters.
            "--commands-may-write",
            "/",
            "--allow-unwritten",
            "--claim",
            "cached",
            "--record",
            "r.plim",
            "--json",
            "-q",
        ];
        let mut command = self.within(&self.client, &place.command(&words));
        let output = command.stdin(Stdio::null()).output().expect("it runs");
        let report = Report::of(&Done::new(&output, &words).ok());
        let record = Record::open(&place.path("r.plim")).expect("a record");
        let steps = record.steps().expect("steps");
        let actions = &steps[0].actions;
        assert!(actions.iter().all(|a| a.failed.is_none()), "{actions:#?}");
        (report, steps[0].paths[0].clone())
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        for name in [&self.client, &self.switch, &self.server] {
            ip(&format!("netns del {name}"));
        }
    }
}

/// No I/O failed, none was lost for longer than a path may take twice, and the pulled path came back and carries again.
fn assert_survived(report: &Report, paths: &TargetPaths) {
    let row = &report.rows[0];
    assert_eq!(row.errors, 0.0, "{report:#?}");
    // A host that is busy adds to what the deadline allows.
    assert!(row.blackout <= DEADLINE_S + 5.0, "{report:#?}");
    assert!(row.longest <= 2.0 * DEADLINE_S + 5.0, "{report:#?}");
    assert!(
        row.detection.is_some() && row.failback.is_some(),
        "{report:#?}\n{paths:#?}"
    );
    assert!(
        paths.times_down(0) >= 1 && paths.times_back(0) >= 1,
        "{paths:#?}"
    );
    assert_eq!(paths.paths[0].state, PathState::Up);
    assert!(paths.paths.iter().all(|p| p.errors == 0), "{paths:#?}");
}

#[test]
fn a_cable_that_is_pulled_behind_a_switch_costs_the_deadline_and_no_error() {
    let Some(net) = Net::new("silent") else {
        return;
    };
    let place = TestFolder::new();
    let _lab = net.serve(&place);
    let switch = &net.switch;
    let (report, paths) = net.disturb(
        &place,
        &format!("ip -n {switch} link set v1 nomaster"),
        &format!("ip -n {switch} link set v1 master b1"),
    );
    assert_survived(&report, &paths);
    // Nobody can know of it sooner, and somebody waited for it.
    let row = &report.rows[0];
    assert!(row.detection >= Some(0.9 * DEADLINE_S), "{report:#?}");
    assert!(row.longest >= 0.9 * DEADLINE_S, "{report:#?}");
    let down = paths.events.iter().find(|e| e.state == PathState::Down);
    assert!(
        down.is_some_and(|e| e.why.contains("no answer")),
        "{paths:#?}"
    );
}

#[test]
fn a_connection_that_is_reset_is_noticed_at_once_and_costs_no_error() {
    let Some(net) = Net::new("noisy") else { return };
    let place = TestFolder::new();
    let _lab = net.serve(&place);
    let (switch, server) = (&net.switch, &net.server);
    // The kernel ends the connections with a reset, and the cable is pulled behind that.
    let reset = format!("ip netns exec {server} ss -K src 10.91.1.2 sport = :10809");
    let probe = Command::new("sh")
        .args(["-c", &format!("{reset} 2>&1")])
        .output();
    let printed = probe.map_or_else(
        |e| e.to_string(),
        |o| String::from_utf8_lossy(&o.stdout).into_owned(),
    );
    if printed.contains("not found") || printed.contains("not supported") {
        plimsoll_skipped::skipped!("ss cannot end connections here");
        return;
    }
    let (report, paths) = net.disturb(
        &place,
        &format!("{reset} && ip -n {switch} link set v1 nomaster"),
        &format!("ip -n {switch} link set v1 master b1"),
    );
    assert_survived(&report, &paths);
    let down = paths.events.iter().find(|e| e.state == PathState::Down);
    assert!(
        down.is_some_and(|e| !e.why.contains("no answer")),
        "{paths:#?}"
    );
}
