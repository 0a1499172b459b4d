//! That the ground is what the fleet's tests take it for.

use crate::certificates::{Age, Authority, Folder};
use crate::ground::{CONTROL, Ground, HOSTS};
use crate::nats::{Nats, client};
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// True where the controller's side gets an answer from host `n` to one packet.
fn answers(ground: &Ground, n: usize) -> bool {
    let mut ssh = ground.command("ssh");
    let words = ["-o", "ConnectTimeout=1", &ground.host(n).name, "true"];
    let output = ssh.args(words).output().expect("it runs");
    output.status.success()
}

#[test]
fn each_host_has_its_own_name_files_and_processes_behind_a_real_sshd() {
    let Some(ground) = Ground::new() else { return };
    for n in 0..HOSTS {
        let host = ground.host(n);
        std::fs::write(host.path("/tmp/which"), format!("file of {}\n", host.name))
            .expect("a file");
    }
    for n in 0..HOSTS {
        let name = &ground.host(n).name;
        let read = ground.ssh(&[
            name,
            "cat /tmp/which; hostname; echo $HOME; ls /proc | grep -c '^[0-9]'",
        ]);
        let printed = text(&read.stdout);
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(
            lines[..3],
            [&format!("file of {name}"), name.as_str(), "/root"]
        );
        // Its own processes and no others: sshd, the shell and a few more.
        assert!(lines[3].parse::<u32>().is_ok_and(|n| n < 20), "{printed}");
    }
    // What one makes, no other has.
    let made = ground.ssh(&["host1", "echo x >/root/made && echo y >/var/tmp/made"]);
    assert!(made.status.success(), "{made:?}");
    assert!(ground.host(0).path("/var/tmp/made").is_file());
    let other = ground.ssh(&["host3", "cat /root/made /var/tmp/made"]);
    assert_eq!(text(&other.stdout), "");
    assert!(text(&other.stderr).contains("No such file"), "{other:?}");
}

#[test]
fn a_host_lets_nobody_in_who_lacks_the_key_and_is_not_taken_for_another() {
    let Some(ground) = Ground::new() else { return };
    let stranger = ground.ssh(&[
        "-o",
        "IdentityFile=/nowhere",
        "-o",
        "IdentityFile=none",
        "-F",
        "none",
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "BatchMode=yes",
        "root@10.93.0.11",
        "true",
    ]);
    assert!(
        text(&stranger.stderr).contains("Permission denied"),
        "{stranger:?}"
    );
    // The address of another, with a key that is not its own.
    let other = ground.ssh(&["-o", "HostKeyAlias=10.93.0.11", "host2", "true"]);
    assert!(
        text(&other.stderr).contains("verification failed"),
        "{other:?}"
    );
}

#[test]
fn a_cut_link_is_felt_by_that_host_alone_and_comes_back() {
    let Some(ground) = Ground::new() else { return };
    ground.cut(1);
    assert!(!answers(&ground, 1));
    assert!(answers(&ground, 0) && answers(&ground, 2));
    ground.mend(1);
    assert!((0..30).any(|_| answers(&ground, 1)));
}

#[test]
fn all_of_it_is_gone_even_where_a_test_panics() {
    let Some(ground) = Ground::new() else { return };
    let folder = ground.folder().to_path_buf();
    let mark = format!("{}/", folder.display());
    // Something that would outlive its session.
    let left = ground.ssh(&["host1", "setsid sleep 98765 >/dev/null 2>&1 </dev/null &"]);
    assert!(left.status.success(), "{left:?}");
    let running = || {
        let all = std::fs::read_dir("/proc").expect("processes").flatten();
        let lines = all.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
        let lines = lines.map(|line| text(&line).replace('\0', " "));
        let ours = lines.filter(|l| l.contains(&mark) || l.starts_with("sleep 98765"));
        ours.count()
    };
    assert!(running() > 0);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _ground = ground;
        panic!("a test fails");
    }));
    assert!(panicked.is_err());
    // The kernel ends a name space's processes at once, and takes some time over it.
    let gone = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        running() == 0
    });
    assert!(gone, "something still runs");
    assert!(!folder.exists());
}

/// Answer of a host to another one that asks it.
fn round_trip(ground: &Ground, trusts: Option<&Folder>) -> Result<String, String> {
    let mut listener = client(ground.host(1), trusts, &["listen", "plimsoll.test"]);
    let spawned = listener
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut listener = spawned.expect("python3 runs");
    let mut printed = String::new();
    let out = listener.stdout.take().expect("piped");
    BufReader::new(out).read_line(&mut printed).expect("text");
    if printed != "listening\n" {
        let ended = listener.wait_with_output().expect("it ends");
        return Err(text(&ended.stderr));
    }
    let asked = client(
        ground.host(0),
        trusts,
        &["ask", "plimsoll.test", "how are you"],
    );
    let asked = output(asked);
    assert!(listener.wait().expect("it ends").success());
    match asked.status.success() {
        true => Ok(text(&asked.stdout)),
        false => Err(text(&asked.stderr)),
    }
}

fn output(mut command: Command) -> Output {
    command.output().expect("it runs")
}

#[test]
fn nats_carries_a_question_from_one_host_to_another_and_comes_back_after_a_crash() {
    let Some(ground) = Ground::new() else { return };
    let Some(mut nats) = Nats::serve(&ground, None) else {
        return;
    };
    assert_eq!(round_trip(&ground, None), Ok("HOW ARE YOU\n".into()));
    nats.kill();
    let refused = round_trip(&ground, None).expect_err("nobody listens");
    assert!(refused.contains("refused"), "{refused}");
    nats.restart();
    assert_eq!(round_trip(&ground, None), Ok("HOW ARE YOU\n".into()));
}

#[test]
fn nats_speaks_tls_and_a_wrong_or_expired_certificate_is_refused() {
    let Some(ground) = Ground::new() else { return };
    let authority = Authority::new("fleet");
    let trusts = authority.folder();
    let with = |serves: &Folder, trusts: &Folder| {
        let nats = Nats::serve(&ground, Some(serves))?;
        let done = round_trip(&ground, Some(trusts));
        drop(nats);
        Some(done)
    };
    let good = authority.server(&[CONTROL]);
    let Some(done) = with(&good, &trusts) else {
        return;
    };
    assert_eq!(done, Ok("HOW ARE YOU\n".into()));
    let refused = |serves: &Folder, trusts: &Folder, why: &str| {
        let done = with(serves, trusts).expect("a server");
        let printed = done.expect_err("it is refused");
        assert!(printed.contains(why), "{printed}");
    };
    let expired = authority.server_of_age(&[CONTROL], Age::Expired);
    refused(&expired, &trusts, "certificate has expired");
    let other_host = authority.server(&["10.93.0.99"]);
    refused(&other_host, &trusts, "IP address mismatch");
    let stranger = Authority::new("fleet").folder();
    refused(&good, &stranger, "certificate verify failed");
}
