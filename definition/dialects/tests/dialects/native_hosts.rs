//! Hosts in a definition, and what `plimsoll plan` says of them.

use plimsoll_dialects::native;
use plimsoll_plan::{HostId, Load, Location, Sharing, Shell, TargetId, describe, divide};

const TWO: &str = r#"
[host.a]
[host.b]
address = "10.0.0.7"
user = "bench"
share = 3
shell = "agent"
paths = { own = "null:2g" }

[target.own]
path = "null:1g"
[target.pool]
path = "null:4g"
shared = "split"
[target.log]
path = "null:1g"
hosts = "b"

[workload.w]
targets = ["own", "pool"]
[workload.l]
targets = "log"
rate = 100

[[run]]
load = 4000
depth = 8
for = "1s"
limits = { ios = 1000 }
"#;

fn refused(text: &str, words: &[&str]) {
    let failure = native::parse("d.toml", text).expect_err("it is refused");
    let message = failure.to_string();
    for word in words {
        assert!(message.contains(word), "{word:?} is not in\n{message}");
    }
}

#[test]
fn hosts_have_addresses_shares_and_paths_of_their_own() {
    let plan = native::parse("d.toml", TWO).expect("a plan").plan;
    let hosts = &plan.hosts.list;
    assert_eq!(hosts[0].name.as_str(), "a");
    assert_eq!(hosts[0].address.as_str(), "a");
    assert_eq!((hosts[0].share, hosts[0].shell), (1.0, Shell::Ssh));
    assert_eq!(hosts[1].address.as_str(), "10.0.0.7");
    assert_eq!(hosts[1].user.as_deref(), Some("bench"));
    assert_eq!((hosts[1].share, hosts[1].shell), (3.0, Shell::Agent));
    let there = Location::parse("null:2g").expect("a place");
    assert_eq!(hosts[1].paths, [(TargetId(0), there)]);
    let sharing: Vec<Sharing> = plan.targets.iter().map(|t| t.sharing()).collect();
    assert_eq!(sharing, [Sharing::Own, Sharing::Split, Sharing::Own]);
    assert_eq!(plan.targets[2].hosts, [HostId(1)]);
    let step = plan.steps().next().expect("a step");
    let parts = divide(&plan, step).expect("it can be");
    let of = |n: usize| {
        let part = parts[n].as_ref().expect("both take part");
        let Load::Rate { rate, .. } = part.load else {
            panic!("a rate");
        };
        (
            rate.0,
            part.limits.ios,
            part.streams.len(),
            part.total_depth(),
        )
    };
    assert_eq!(of(0), (1000.0, Some(250), 2, 16));
    assert_eq!(of(1), (3000.0, Some(750), 3, 24));
}

#[test]
fn what_each_host_does_is_said() {
    let plan = native::parse("d.toml", TWO).expect("a plan").plan;
    let text = describe(&plan).text();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    let has = |words: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        let within = |l: &Vec<&str>| l.windows(words.len()).any(|w| *w == words[..]);
        assert!(lines.iter().any(within), "{words:?} is not in\n{text}");
    };
    has("b bench@10.0.0.7 75% an agent runs there");
    has("1 a 1,000/s, exponential 16 250 I/Os w own null:1GiB (its own) random");
    has("b 3,000/s, exponential 24 750 I/Os w own null:2GiB (its own) random");
    has("w pool null:4GiB (split) random, 0%-25%");
    has("w pool null:4GiB (split) random, 25%-100%");
    assert!(text.contains("depths are each host's own"), "{text}");
    // Of one host nothing of it is said.
    let one = native::parse(
        "d.toml",
        "[target.t]\npath = \"null:1g\"\n[workload.w]\n[[run]]\n",
    );
    let text = describe(&one.expect("a plan").plan).text();
    assert!(!text.contains("host"), "{text}");
}

#[test]
fn runs_and_workloads_name_their_hosts() {
    let with = |workload: &str, run: &str| {
        format!(
            "[host.a]\n[host.b]\n[host.c]\n[target.t]\npath = \"null:1g\"\n[workload.w]\n{workload}\n[[run]]\n{run}\n"
        )
    };
    let hosts = |workload: &str, run: &str| {
        let plan = native::parse("d.toml", &with(workload, run))
            .expect("a plan")
            .plan;
        let step = plan.steps().next().expect("a step");
        let parts = divide(&plan, step).expect("it can be");
        parts.iter().map(Option::is_some).collect::<Vec<_>>()
    };
    assert_eq!(hosts("", ""), [true, true, true]);
    assert_eq!(hosts("hosts = [\"a\", \"b\"]", ""), [true, true, false]);
    assert_eq!(hosts("", "hosts = \"c\""), [false, false, true]);
    assert_eq!(
        hosts("hosts = [\"a\", \"b\"]", "hosts = [\"b\", \"c\"]"),
        [false, true, false]
    );
    refused(
        &with("hosts = \"a\"", "hosts = \"b\""),
        &["no host in common", "workload `w`"],
    );
    refused(&with("hosts = \"d\"", ""), &["there is no host `d`"]);
    refused(&with("hosts = []", ""), &["no host would carry it out"]);
    refused(&with("hosts = [\"a\", \"a\"]", ""), &["named twice"]);
}

#[test]
fn what_makes_no_sense_of_a_host_is_refused() {
    let with = |host: &str| {
        format!("[host.a]\n{host}\n[target.t]\npath = \"null:1g\"\n[workload.w]\n[[run]]\n")
    };
    refused(&with("share = 0"), &["not a number above 0"]);
    refused(&with("shell = \"telnet\""), &["`telnet` is not known here"]);
    refused(&with("paths = { u = \"x\" }"), &["there is no target `u`"]);
    refused(&with("adress = \"x\""), &["`address` is near"]);
    // Nothing that ssh would take for an option or the shell for a command.
    for bad in ["-oProxyCommand=x", "a b", "a;b", "root@a", "", "$(x)"] {
        refused(&with(&format!("address = \"{bad}\"")), &["names nobody"]);
        refused(&with(&format!("user = \"{bad}\"")), &["names nobody"]);
    }
    let wrong = with("").replace("null:1g\"", "null:1g\"\nshared = \"maybe\"");
    refused(&wrong, &["`maybe` is not known here"]);
    for (written, sharing) in [
        ("true", Sharing::Whole),
        ("false", Sharing::Own),
        ("\"split\"", Sharing::Split),
    ] {
        let text = with("").replace("null:1g\"", &format!("null:1g\"\nshared = {written}"));
        let plan = native::parse("d.toml", &text).expect("a plan").plan;
        assert_eq!(plan.targets[0].sharing(), sharing, "{written}");
    }
}

#[test]
fn a_range_that_is_too_small_for_all_hosts_is_refused() {
    let hosts: String = (0..5).map(|n| format!("[host.h{n}]\n")).collect();
    let text = format!(
        "{hosts}[target.t]\npath = \"null:1g\"\nshared = \"split\"\n[workload.w]\nblock = \"64k\"\nrange = \"0-128k\"\n[[run]]\n"
    );
    refused(&text, &["64KiB"]);
}
